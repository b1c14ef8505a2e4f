#include "stickslip/step/motion_watch.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "step/sizes.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kDriftLimit = 0.05;   ///< part of the energy of the scene that may come from nowhere over a run
constexpr double kBeyondReason = 30;   ///< times the speed that the scene explains: levers and whips have room in it

double total(const std::array<double, kEnergySources>& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

double height(const World& world, const Motion& motion) {
  const double g = world.gravity.norm();
  return g > 0 ? -world.gravity.dot(motion.pose.position) / g : 0;
}

/// Speed of the fastest point of a body; an endless one counts by its centre [m/s].
double fastest_point(double reach, const Motion& motion) {
  return motion.velocity.norm() + (std::isfinite(reach) ? reach : 0) * motion.angular_velocity.norm();
}

}   // namespace

std::string statement(const MotionRecord& r) {
  std::string text = r.where.empty() ? what(r.worst) : fmt::format("{}: {}", r.where, what(r.worst));
  if (r.worst.kind >= MotionKind::energy_drift)
    return text + fmt::format("; from step {} (t = {:g} s) to {}.", r.first_step, r.first_time, r.worst_step);
  if (r.steps == 1) return text + fmt::format("; step {} (t = {:g} s).", r.first_step, r.first_time);
  return text + fmt::format("; in {} steps from step {} (t = {:g} s) on, worst in step {}.", r.steps, r.first_step,
                            r.first_time, r.worst_step);
}

MotionWatch::MotionWatch(const World& world) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  top_ = -std::numeric_limits<double>::infinity();
  for_each_dynamic_mover(world, [&](const Body& b, const Motion& motion, double) {
    const double reach = reach_of(world, b);
    low = low.cwiseMin(motion.pose.position - Vec3::Constant(reach));
    high = high.cwiseMax(motion.pose.position + Vec3::Constant(reach));
    top_ = std::max(top_, height(world, motion));
    start_speed_ = std::max(start_speed_, fastest_point(reach, motion));
  });
  extent_ = low.x() <= high.x() ? (high - low).norm() : 0;
}

void MotionWatch::add(const World& world, const StepReport& report) {
  for (const MotionFinding& finding : report.findings) count(finding, world, report);
  follow_energy(world, report);
  follow_momentum(world, report);
  follow_contacts(world, report);
  check_speeds(world, report);
}

void MotionWatch::count(const MotionFinding& finding, const World& world, const StepReport& report) {
  std::optional<MotionRecord>& record = records_[static_cast<std::size_t>(finding.kind)];
  if (!record) record = MotionRecord{{}, "", 0, report.step, 0, report.time, 0};
  ++record->steps;
  if (!(finding.value > record->worst.value)) return;
  record->worst = finding;
  record->where = where(finding, world);
  record->worst_step = report.step;
  record->h = report.h;
}

void MotionWatch::count_since(const MotionFinding& f, const World& world, const StepReport& report, std::uint64_t first_step,
                              double first_time) {
  count(f, world, report);
  MotionRecord& record = *records_[static_cast<std::size_t>(f.kind)];
  if (record.worst_step != report.step) return;
  record.first_step = first_step;
  record.first_time = first_time;
}

void MotionWatch::follow_energy(const World& world, const StepReport& report) {
  // A bounded error of integration swings: only what rises above the lowest so far, and stays, is a gain. Steps that were found
  // to create energy by themselves have been told.
  energy_scale_ = std::max(energy_scale_, report.motion.energy_scale);
  const bool told = std::any_of(report.findings.begin(), report.findings.end(),
                                [](const MotionFinding& f) { return f.kind == MotionKind::energy_created; });
  if (!told)
    for (std::size_t k = 0; k < kEnergySources; ++k) created_[k] += report.motion.energy_created[k];
  if (total(created_) < total(lowest_) || lowest_step_ == 0) {
    lowest_ = created_;
    lowest_step_ = report.step;
    lowest_time_ = report.time;
  }
  std::array<double, kEnergySources> risen;
  for (std::size_t k = 0; k < kEnergySources; ++k) risen[k] = created_[k] - lowest_[k];
  MotionFinding f;
  f.kind = MotionKind::energy_drift;
  f.source = static_cast<EnergySource>(std::max_element(risen.begin(), risen.end()) - risen.begin());
  f.amount = total(risen);
  f.value = energy_scale_ > 0 ? f.amount / energy_scale_ : 0;
  f.limit = kDriftLimit;
  if (f.value <= f.limit) return;
  count_since(f, world, report, lowest_step_, lowest_time_);
}

void MotionWatch::check_speeds(const World& world, const StepReport& report) {
  const EnergyLedger& e = report.energy;
  work_ += std::max(0.0, e.applied + e.driven + e.motors + e.springs);
  for (std::uint32_t i = 0; i < world.bodies().size(); ++i)
    if (const Body& b = world.bodies()[i]; b.alive && b.motion == MotionType::kinematic)
      start_speed_ = std::max(start_speed_, fastest_point(reach_of(world, b), motion_of(world, i)));
  const double g = world.gravity.norm();
  for_each_dynamic_mover(world, [&](const Body& b, const Motion& motion, double mass) {
    if (b.asleep) return;
    // Without gravity nothing limits how fast bodies that overlap are moved apart, but that they move no farther than their
    // size in a step.
    const double gravity =
        g > 0 ? std::sqrt(2 * g * (extent_ + std::max(0.0, top_ - height(world, motion)))) : reach_of(world, b) / report.h;
    const double explained = start_speed_ + gravity + std::sqrt(2 * work_ / mass), speed = motion.velocity.norm();
    if (speed <= kBeyondReason * explained) return;
    std::string before;
    for (const auto& record : records_)
      if (record && before.empty()) before = " Before that: " + statement(*record);
    throw Error(
        fmt::format("Body '{}' moves at {:.3g} m/s at t = {:g} s, where the scene explains no more than {:.3g} m/s: the motion "
                    "has blown up. Take a "
                    "smaller step (--set /step/h={:.2g}), or less extreme masses and stiffnesses.{}",
                    b.name, speed, world.time, explained, report.h / 4, before));
  });
}

std::vector<MotionRecord> MotionWatch::records() const {
  std::vector<MotionRecord> found;
  for (const auto& record : records_)
    if (record) found.push_back(*record);
  return found;
}

}   // namespace stickslip
