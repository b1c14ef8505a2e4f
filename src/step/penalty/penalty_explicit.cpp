#include <algorithm>
#include <cmath>
#include <limits>

#include "step/penalty/penalty_motion.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

namespace {

constexpr double kStablePart = 0.5;     ///< of the longest stable substep that is taken
constexpr double kPhase = 0.5;          ///< of the fastest spring in a substep where nothing rebounds [rad]
constexpr double kReboundCare = 4;      ///< how much shorter substeps are for e = 1, so that blows keep their energy
constexpr double kWayPart = 0.2;        ///< of the depth over which a law stiffens that a substep may go
constexpr double kStriking = 20;        ///< times what weight gives in a substep: speed along the normal of what is not carried
constexpr double kMostSubsteps = 1e5;   ///< of a step, beyond which they are no longer shortened

/// velocity += M⁻¹ momenta. @param solved scratch
void add_change(const ContactProblem& problem, const VelocitySpace& space, std::span<const double> momenta,
                std::span<double> velocity, std::vector<double>& solved) {
  std::uint32_t s = 0;
  const auto alone_until = [&](std::uint32_t end) {
    for (; s < end; ++s) {
      const VelocitySegment& segment = problem.segments[s];
      const std::size_t at = space.offset(s);
      Eigen::Map<Vec3>(velocity.data() + at) += segment.inverse_mass * Eigen::Map<const Vec3>(&momenta[at]);
      if (segment.is_rigid())
        Eigen::Map<Vec3>(velocity.data() + at + 3) += segment.inverse_inertia * Eigen::Map<const Vec3>(&momenta[at + 3]);
    }
  };
  for (const Carrier& carrier : problem.carriers) {
    alone_until(carrier.first);
    const std::size_t first = space.offset(carrier.first), n = carrier.mass->size();
    const auto part = momenta.subspan(first, n);
    if (std::ranges::any_of(part, [](double x) { return x != 0; })) {
      solved.resize(n);
      carrier.mass->solve(part.data(), solved.data());
      for (std::size_t i = 0; i < n; ++i) velocity[first + i] += solved[i];
    }
    s += carrier.count;
  }
  alone_until(static_cast<std::uint32_t>(problem.segments.size()));
}

bool stiffens(const PenaltyContacts& contacts) {
  if (contacts.all().empty()) return false;
  const PenaltyLaw law = contacts.all().front().spring.law;
  return law != PenaltyLaw::linear && law != PenaltyLaw::receding;
}

/// How long contacts may go on before their stiffness is another [s].
double way_time(const PenaltyContacts& contacts) {
  double time = std::numeric_limits<double>::infinity();
  for (const PenaltyContact& c : contacts.all()) {
    const double approach = -c.velocity.dot(c.normal);
    if (!(approach > 0)) continue;
    const double room = std::min(c.spring.depth, c.spring.barrier() + std::min(c.gap, 0.0));
    time = std::min(time, (std::max(c.gap, 0.0) + kWayPart * std::max(room, 1e-3 * c.spring.depth)) / approach);
  }
  return time;
}

}   // namespace

double PenaltyExplicit::next_substep(const PenaltyContacts& contacts, const PenaltyOptions& options,
                                     PenaltyResult& result) const {
  const bool varies = stiffens(contacts);
  const double factor = varies ? contacts.stiffening() : 1;
  const PenaltyLimits::Rates now{factor * limits_.stiffness, factor * limits_.damping};
  const double longest = now.longest();
  double wanted =
      options.substeps > 0 ? h_ / options.substeps : std::min(kStablePart * longest, phase_ / std::sqrt(now.stiffness));
  if (options.substeps == 0 && varies) wanted = std::min(wanted, way_time(contacts));
  if (options.substeps == 0) wanted = std::max(wanted, h_ / kMostSubsteps);
  const double time = left_ / std::max(1.0, std::ceil(left_ / wanted - 1e-9));   // even ones to the end
  if (time * result.longest > result.substep * longest || result.longest == 0) {
    result.substep = time;
    result.longest = longest;
  }
  return time;
}

/// Armature and motors, once it is known what all others do to velocities.
void PenaltyExplicit::drive(const PenaltyForces& forces, const PenaltySpace& s, double time, std::span<double> velocity) {
  if (driven_.numbers().empty()) return;
  driven_.solve(forces.joints.all(), velocity, time);
  std::ranges::fill(momenta_, 0.0);
  for (const std::uint32_t k : driven_.numbers()) {
    const PenaltyJointRow& row = forces.joints.all()[k];
    PenaltyJoints::push(row, time * row.force, momenta_);
  }
  add_change(s.problem, s.space, momenta_, velocity, solved_);
}

void PenaltyExplicit::push(const PenaltyForces& forces, PenaltyFriction friction, double time) {
  std::ranges::fill(momenta_, 0.0);
  carried_ = in_carrier_;
  for (PenaltyContact& c : forces.contacts.all()) {
    c.damping = c.damper.time * c.value.stiffness;
    PenaltyContacts::find_force(c, friction, c.value, c.stretch, c.velocity);
    c.stretch = PenaltyContacts::held_stretch(c, friction, c.stretch);
    if (!(c.normal_force.total > 0)) continue;
    const Vec3 impulse = time * (c.normal_force.total * c.normal + c.friction_force);
    forces.contacts.push(c, impulse, momenta_);
    c.impulse += impulse;
    if (std::abs(c.velocity.dot(c.normal)) > kStriking * time * c.pull) continue;
    for (const PenaltyMover& m : forces.contacts.movers(c)) carried_[m.segment] = true;
  }
  for (PenaltyJointRow& row : forces.joints.all()) {
    if (!row.is_driven()) {
      row.force = row.force_at(row.value, row.speed);
      PenaltyJoints::push(row, time * row.force, momenta_);
    }
    for (int k = 0; k < row.count; ++k) carried_[row.movers[static_cast<std::size_t>(k)].segment] = true;
  }
}

void PenaltyExplicit::take(const PenaltyForces& forces, const PenaltySpace& s, PenaltyFriction friction, double time,
                           PenaltyResult& result) {
  push(forces, friction, time);
  for (std::size_t i = 0; i < result.velocity.size(); ++i) result.velocity[i] += time * s.rate(i);
  add_change(s.problem, s.space, momenta_, result.velocity, solved_);
  drive(forces, s, time, result.velocity);
  find_drift(s, time, result.velocity);
  for (PenaltyContact& c : forces.contacts.all()) {
    const Vec3 before = c.velocity;
    c.velocity = forces.contacts.velocity(c, result.velocity);
    c.book(time, 0.5 * (before + c.velocity));
    const auto movers = forces.contacts.movers(c);
    const bool falls = std::ranges::any_of(movers, [&](const PenaltyMover& m) { return !carried_[m.segment]; });
    c.move(time, falls ? forces.contacts.velocity(c, drift_) : c.velocity);
    c.value = c.spring.at(c.gap);
  }
  for (PenaltyJointRow& row : forces.joints.all()) {
    const double before = row.speed;
    row.speed = PenaltyJoints::speed(row, result.velocity);
    row.book(time, 0.5 * (before + row.speed));
    row.move(time, row.speed);
  }
  for (std::size_t i = 0; i < result.velocity.size(); ++i) result.mean[i] += time / h_ * drift_[i];
}

/// Velocities with which positions move. What nothing carries follows its parabola: symplectic Euler would let a ball
/// land slower than it left the ground.
void PenaltyExplicit::find_drift(const PenaltySpace& s, double time, std::span<const double> velocity) {
  drift_.assign(velocity.begin(), velocity.end());
  for (std::uint32_t k = 0; k < s.problem.segments.size(); ++k) {
    if (carried_[k]) continue;
    const std::size_t first = s.space.offset(k);
    for (std::size_t i = first; i < first + s.problem.segments[k].size; ++i) drift_[i] -= 0.5 * time * s.rate(i);
  }
}

void PenaltyExplicit::run(const PenaltyForces& forces, const PenaltySpace& s, const PenaltyOptions& options,
                          PenaltyResult& result) {
  result = {};
  result.velocity = s.space.before();
  result.mean.assign(result.velocity.size(), 0.0);
  momenta_.resize(result.velocity.size());
  in_carrier_.assign(s.problem.segments.size(), false);
  for (const Carrier& carrier : s.problem.carriers) std::fill_n(in_carrier_.begin() + carrier.first, carrier.count, true);
  h_ = left_ = s.h;
  PenaltyContacts& contacts = forces.contacts;
  sums_.begin(s.problem.segments.size());
  contacts.add_limits(sums_, options.friction);
  forces.joints.add_limits(sums_);
  limits_ = sums_.rates(s.problem);
  driven_.begin(forces.joints, s.problem);
  double elasticity = 0;
  for (PenaltyContact& c : contacts.all()) {
    c.velocity = contacts.velocity(c, result.velocity);
    c.pull = 0;
    for (const PenaltyMover& m : contacts.movers(c))
      c.pull = std::max(c.pull, Vec3(s.rate(m.offset), s.rate(m.offset + 1), s.rate(m.offset + 2)).norm());
    elasticity = std::max(elasticity, c.damper.elasticity);
  }
  phase_ = kPhase / (1 + kReboundCare * std::sqrt(elasticity));
  while (left_ > 0) {
    end_if_cancelled(s.cancel);
    const double time = next_substep(contacts, options, result);
    take(forces, s, options.friction, time, result);
    left_ = time < left_ * (1 - 1e-9) ? left_ - time : 0;
    ++result.iterations;
  }
  if (!(result.substep > result.longest)) return;
  result.status = SolveStatus::diverged;
  result.reason = "Substeps are longer than the springs of contacts can bear (/step/penalty/substeps).";
}

}   // namespace stickslip
