#include "cli/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stickslip::cli {

double Sample::mean() const {
  return values_.empty() ? 0 : std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(values_.size());
}

double Sample::max() const { return quantile(1); }

double Sample::quantile(double part) const {
  if (values_.empty()) return 0;
  std::vector<double> sorted = values_;
  // NaN counts as larger than every number: one of them must show in the maximum.
  const auto less = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(sorted.begin(), place, sorted.end(), less);
  return *place;
}

namespace {

double moving_mass(const World& world) {
  double mass = 0;
  for (const Body& body : world.bodies())
    if (body.inverse_mass > 0) mass += 1 / body.inverse_mass;
  return mass;
}

}   // namespace

void Statistics::add(const World& world, const StepReport& report, double step_seconds) {
  if (++steps == 1) moving_mass_ = moving_mass(world);
  contacts.add(static_cast<double>(report.contacts.size()));
  iterations.add(report.outcome.iterations);
  residual.add(report.outcome.error);
  milliseconds.add(1e3 * step_seconds);
  penetration_max = std::max(penetration_max, report.penetration_max);
  distance_min = std::min(distance_min, report.distance_min);
  impacts += static_cast<std::uint64_t>(report.impacts);
  if (report.pieces > 1 + report.impacts) {
    ++steps_in_pieces;
    most_pieces = std::max(most_pieces, report.pieces);
  }
  joint_error_max = std::max(joint_error_max, report.joint_error_max);
  for (const JointRecord& joint : report.joints)
    if (joint.broke) broken.push_back(joint.joint);
  for (const JointConflict& conflict : report.conflicts) ++conflicts[conflict.joint];
  steps_with_conflicts += report.conflicts.empty() ? 0 : 1;
  tolerance = std::max(tolerance, report.outcome.tolerance);
  ++status_counts[static_cast<std::size_t>(report.outcome.status)];

  const EnergyLedger& e = report.energy;
  if (steps == 1) energy.kinetic_start = e.kinetic_start, energy.potential_start = e.potential_start;
  energy.kinetic_end = e.kinetic_end, energy.potential_end = e.potential_end;
  if (report.outcome.status != SolveStatus::converged && moving_mass_ > 0)
    missed_of_speed.add(report.outcome.error / std::sqrt(2 * std::max(e.kinetic_start, e.kinetic_end) / moving_mass_));
  energy.friction += e.friction, energy.impact += e.impact, energy.stabilisation += e.stabilisation;
  energy.applied += e.applied, energy.driven += e.driven, energy.motors += e.motors, energy.springs += e.springs;
  energy.damping += e.damping, energy.integration += e.integration;

  const StageTimes& s = report.seconds;
  seconds.broad += s.broad, seconds.narrow += s.narrow, seconds.assembly += s.assembly, seconds.solve += s.solve;
  seconds.integration += s.integration, seconds.projection += s.projection, seconds.bookkeeping += s.bookkeeping;
}

std::vector<std::pair<std::string, double>> stages(const StageTimes& s) {
  return {{"broad", s.broad},
          {"narrow", s.narrow},
          {"assembly", s.assembly},
          {"solve", s.solve},
          {"integration", s.integration},
          {"projection", s.projection},
          {"bookkeeping", s.bookkeeping}};
}

}   // namespace stickslip::cli
