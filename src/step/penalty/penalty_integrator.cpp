// Contacts as springs and dampers: detect, push, move (docs/penalty.md) [course §5.1].

#include <fmt/format.h>
#include <algorithm>

#include <cmath>
#include <limits>

#include "step/body_kinds.h"
#include "step/clock.h"
#include "step/detection.h"
#include "step/free_motion.h"
#include "step/penalty/penalty_motion.h"
#include "step/pieces.h"
#include "step/refusals.h"
#include "step/sizes.h"
#include "step/sleep.h"
#include "step/step_start.h"
#include "stickslip/math/error.h"
#include "stickslip/step/integrator.h"

namespace stickslip {

namespace {

constexpr double kWayOfALook = 0.05;     ///< part of its thickness that a body may move before contacts are looked for again
constexpr int kMostPenaltyLooks = 256;   ///< in a step

/// Pieces in which a step is taken, so that nothing moves far between two looks for contacts.
double looks_of(const World& world, double h) {
  double farthest = 0;
  for (const Collider& c : world.colliders()) {
    if (!c.alive || is_passive(world.bodies()[c.body]) || !(c.characteristic_length > 0)) continue;
    const Motion motion = motion_of(world, c);
    const bool turns = std::isfinite(c.reach) && !std::holds_alternative<Sphere>(c.shape);
    const double speed = motion.velocity.norm() + (turns ? motion.angular_velocity.norm() * c.reach : 0);
    farthest = std::max(farthest, h * speed / c.characteristic_length);
  }
  return farthest / kWayOfALook;
}

}   // namespace

class PenaltyIntegrator final : public Integrator {
 public:
  explicit PenaltyIntegrator(const StepOptions& options) : options_(options) {}

  const StepReport& step(World&) override;

 private:
  void take_piece(World&, double h);
  const ContactSet& detect(World&, double h);
  void find_free_motion(const World&, double h);
  void find_motion(const World&, double h);
  void move(World&, double h);
  void record(World&, const ContactSet&, double h);
  void record_contact(const World&, const Manifold&, const ContactPoint&, PenaltyContact&, double h);
  void note_result();
  void finish(World&);
  bool is_implicit(const World&) const;
  double speed_scale(const World&) const;

  StepOptions options_, piece_options_;
  Detection detection_;
  SleepManager sleep_;
  MotionJudge judge_;
  SoftSystems soft_;
  VelocitySpace space_;
  ContactProblem problem_;   ///< segments and carriers only
  PenaltyContacts contacts_;
  PenaltyJoints joints_;
  PenaltyExplicit explicit_;
  PenaltyImplicit implicit_;
  PenaltyResult result_;
  bool is_implicit_ = false;
  std::vector<ContactRecord> records_, resting_;
  std::vector<RememberedImpulse> remembered_;
  StepReport report_;
  StepStart start_;
};

bool PenaltyIntegrator::is_implicit(const World& world) const {
  if (options_.penalty.stepping != PenaltyStepping::automatic) return options_.penalty.stepping == PenaltyStepping::implicit;
  return std::ranges::any_of(world.nodal_bodies(), [](const NodalBody& nodes) { return nodes.is_soft(); });
}

double PenaltyIntegrator::speed_scale(const World& world) const {
  if (const double fall = world.gravity.norm() * options_.h; fall > 0) return fall;
  double fastest = 0;
  for_each_dynamic_mover(world, [&](const Body&, const Motion& m, double) { fastest = std::max(fastest, m.velocity.norm()); });
  return fastest > 0 ? fastest : 1;
}

const ContactSet& PenaltyIntegrator::detect(World& world, double h) {
  const DetectionReach reach{h, h, options_.margin, options_.contact, options_.overlap, options_.cancel};
  const ContactSet* set = &detection_.detect(world, reach, options_.threads, report_.seconds);
  while (sleep_.wake_touched(world, *set)) set = &detection_.detect(world, reach, options_.threads, report_.seconds);
  return *set;
}

void PenaltyIntegrator::find_free_motion(const World& world, double h) {
  piece_options_ = options_;
  piece_options_.h = problem_.h = h;
  problem_.segments.clear();
  problem_.carriers.clear();
  soft_.begin_step();
  space_.begin(world);
  for (const BodyKindSteps* kind : body_kinds()) kind->append(world, piece_options_, h, space_, problem_, &soft_);
  // Substeps must be short enough for nodes that nothing holds together.
  for (const NodalBody& nodes : world.nodal_bodies())
    for (std::uint32_t i = 0; i < nodes.size() && nodes.is_soft(); ++i)
      if (const auto segment = space_.segment_of(static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node + i);
          segment != kNoSegment)
        problem_.segments[segment].inverse_mass = 1 / nodes.masses[i];
}

void PenaltyIntegrator::find_motion(const World& world, double h) {
  const PenaltySpace space{problem_, space_, h, options_.cancel};
  if (!is_implicit_) return explicit_.run({contacts_, joints_}, space, options_.penalty, result_);
  implicit_.run({contacts_, joints_}, space, options_.penalty,
                {options_.tolerance * speed_scale(world), options_.max_iterations}, result_);
}

/// Positions move by the mean velocity of the substeps; the last one stays.
void PenaltyIntegrator::move(World& world, double h) {
  for (const BodyKindSteps* kind : body_kinds())
    kind->move(world, space_, result_.mean, {h, h, h, options_.gyroscopic}, report_.energy, judge_);
  const auto twist = [&](const std::vector<double>& u, std::uint32_t segment) { return space_.twist(u, segment); };
  auto& bodies = world.mutable_bodies();
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i].alive || !bodies[i].is_rigid() || space_.segment_of(i) == kNoSegment) continue;
    const Twist mean = twist(result_.mean, space_.segment_of(i)), last = twist(result_.velocity, space_.segment_of(i)),
                before = twist(space_.before(), space_.segment_of(i));
    bodies[i].velocity += last.linear - mean.linear;
    bodies[i].angular_velocity += last.angular - mean.angular;
    // Applied forces work along the way, which the mean velocity takes.
    report_.energy.applied +=
        0.5 * h * (bodies[i].force.dot(mean.linear - before.linear) + bodies[i].torque.dot(mean.angular - before.angular));
  }
  for (NodalBody& nodes : world.mutable_nodal_bodies())
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const auto segment = space_.segment_of(static_cast<std::uint32_t>(bodies.size()) + nodes.first_node + i);
      if (segment != kNoSegment)
        nodes.velocities[i] += twist(result_.velocity, segment).linear - twist(result_.mean, segment).linear;
    }
  world.summarise_nodes();
}

void PenaltyIntegrator::record_contact(const World& world, const Manifold& m, const ContactPoint& point, PenaltyContact& c,
                                       double h) {
  EnergyLedger& energy = report_.energy;
  const PenaltyFriction friction = options_.penalty.friction;
  c.damping = 0;
  PenaltyContacts::find_force(c, friction, c.value, c.stretch, Vec3::Zero());   // of the springs alone, at the end
  const Vec3 stretch = PenaltyContacts::held_stretch(c, friction, c.stretch);
  const double stored = 0.5 * c.tangential_stiffness * stretch.squaredNorm() - c.stretch_energy_start;
  energy.springs -= c.value.energy - c.energy_start + stored;
  energy.impact -= c.damper_work;
  energy.friction -= c.friction_work + stored;
  energy.driven -= c.driven_work;
  const double normal_impulse = c.impulse.dot(c.normal);
  const BuiltContact built{};   // nothing here rebounds by a law of impact, and nothing is solved for
  judge_.see(world, problem_, {m, point, built, Block{}, {normal_impulse, 0, 0}, Vec3::Zero(), 0});
  report_.penetration_max = std::max(report_.penetration_max, -point.gap - m.target);
  report_.distance_min = std::min({report_.distance_min, point.gap, c.gap - m.target});
  records_.push_back({world.id_of(world.colliders()[m.a].body), world.id_of(world.colliders()[m.b].body), m.key(point),
                      point.position, point.normal, point.gap, c.impulse, normal_impulse, c.friction, c.slip / h, Vec3::Zero(),
                      nullptr});
  remembered_.push_back(
      {m.key(point), h * (c.normal_force.total * c.normal - c.tangential_stiffness * stretch), Vec3::Zero(), point.position});
}

void PenaltyIntegrator::record(World& world, const ContactSet& set, double h) {
  records_.clear();
  remembered_.clear();
  auto old = world.memory.impulses.begin();
  // Pairs that sleep keep their forces, and their records those of the step before.
  const auto keep_before = [&, end = world.memory.impulses.end()](std::uint32_t a, std::uint32_t b) {
    for (; old != end && std::pair(old->key.a, old->key.b) < std::pair(a, b); ++old) {
      if (!pair_rests(world, old->key)) continue;
      remembered_.push_back(*old);
      remembered_.back().impulse *= h / world.memory.h;
    }
  };
  for (const Manifold& m : set.manifolds) {
    keep_before(m.a, m.b);
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) record_contact(world, m, set.points[i], contacts_.all()[i], h);
  }
  keep_before(~0u, ~0u);
  world.memory.impulses.swap(remembered_);
  world.memory.h = h;
}

/// The piece that fared worst stands for all.
void PenaltyIntegrator::note_result() {
  StepOutcome& o = report_.outcome;
  const bool bounded = std::isfinite(result_.longest) && result_.longest > 0;
  const double error = is_implicit_ ? result_.error : bounded ? o.tolerance * result_.substep / result_.longest : 0;
  if (!is_implicit_ && bounded) judge_.see_substep(result_.substep, result_.longest);
  o.iterations += result_.iterations;
  o.error = std::max(o.error, error);
  if (o.status != SolveStatus::converged) return;
  o.status = result_.status;
  o.reason = result_.reason;
}

void PenaltyIntegrator::take_piece(World& world, double h) {
  Clock clock;
  aim_kinematic_bodies(world, h);
  world.place_held_nodes();
  report_.seconds.integration += clock.lap();
  const ContactSet& set = detect(world, h);
  clock.lap();
  find_free_motion(world, h);
  const PenaltySetting setting{world, set, piece_options_, space_, problem_, joints_.find_loads(world)};
  contacts_.build(setting);
  joints_.build(setting);
  report_.seconds.assembly += clock.lap();
  find_motion(world, h);
  report_.seconds.solve += clock.lap();
  note_result();
  record(world, set, h);
  judge_.see_crossings(world, detection_.self_crossings(), report_);
  joints_.record(world, h, options_.h, report_);
  add_contacts(world, report_.contacts, records_);
  report_.seconds.bookkeeping += clock.lap();
  move(world, h);
  drift_kinematic_bodies(world, h);
  world.time += h;
  place_kinematic_bodies(world);
  world.place_held_nodes();
  report_.seconds.integration += clock.lap();
}

const StepReport& PenaltyIntegrator::step(World& world) {
  for (const BodyKindSteps* kind : body_kinds()) kind->check(world);
  refuse_tangential_restitution(world, "penalty");
  const double start = world.time;
  resting_.clear();
  for (const ContactRecord& c : report_.contacts)
    if (options_.sleep.enabled && world.contains(c.body_a) && world.contains(c.body_b) && pair_rests(world, c.key))
      resting_.push_back(c);
  report_ = {};
  judge_.begin(world, options_);
  is_implicit_ = is_implicit(world);
  report_.outcome.tolerance = options_.tolerance * speed_scale(world);
  report_.energy.kinetic_start = world.kinetic_energy();
  report_.energy.potential_start = world.potential_energy();
  const double wanted = std::max(looks_of(world, options_.h), joints_.pieces_of(world, options_.h, options_.penalty.depth));
  report_.pieces = static_cast<int>(std::clamp(std::ceil(wanted), 1.0, double{kMostPenaltyLooks}));
  start_.begin();
  if (report_.pieces > 1 || options_.sleep.enabled) start_.keep(world, options_.cancel);
  try {
    for (int k = 0; k < report_.pieces; ++k) take_piece(world, options_.h / report_.pieces);
  } catch (const StepCancelled&) {
    start_.restore(world);
    throw;
  }
  world.time = start + options_.h;
  ++world.step_count;
  JointRows{}.finish(world, report_);
  break_joints(world, report_);
  finish(world);
  return report_;
}

void PenaltyIntegrator::finish(World& world) {
  Clock clock;
  report_.energy.close(world.kinetic_energy(), world.potential_energy());
  for (const ContactRecord& c : resting_)
    if (world.contains(c.body_a) && world.contains(c.body_b) && pair_rests(world, c.key)) {
      report_.contacts.push_back(c);
      report_.distance_min = std::min(report_.distance_min, c.gap);
    }
  std::ranges::sort(report_.contacts, {}, &ContactRecord::key);
  report_.force_time = options_.h;
  report_.sleeping_bodies = options_.sleep.enabled ? sleep_.update(world, report_.contacts, options_) : 0;
  report_.tell_of(world, options_.h);
  judge_.finish(world, report_);
  report_.seconds.bookkeeping += clock.lap();
}

std::unique_ptr<Integrator> make_penalty_integrator(const StepOptions& options) {
  return std::make_unique<PenaltyIntegrator>(options);
}

}   // namespace stickslip
