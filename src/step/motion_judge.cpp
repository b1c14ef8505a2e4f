#include "step/motion_judge.h"

#include <cmath>

#include "step/sizes.h"

namespace stickslip {

namespace {

// Limits, by MotionKind. Scenes that behave stay a factor of two or more below them.
constexpr std::array<double, kStepMotionKinds> kLimit = {
    0.02,   // energy created in a step: a fiftieth of what the scene has
    0.02,   // energy lost by rebounds that did not happen: the same
    0.01,   // depth: a hundredth of the thinner body
    0.01,   // opening: a hundredth of the radius of gyration
    1,      // turn in a step [rad]: contacts and joints are linear in it
    10,     // a jam gives ten times the speed that weight takes in a step
    1,      // explicit springs are stable up to here
};
constexpr double kStill = 1e-4;   ///< part of its size by which a body moves in a step that counts as resting

double limit_of(MotionKind kind) { return kLimit[static_cast<std::size_t>(kind)]; }

/// A ball looks the same however it turns.
bool is_ball(const World& world, const Body& body) {
  if (body.colliders.size() != 1) return false;
  const Collider& c = world.colliders()[body.colliders.front()];
  return std::holds_alternative<Sphere>(c.shape) && c.local.position.isZero(0);
}

MotionFinding contact_finding(MotionKind kind, const World& world, const Manifold& m, double value, double amount) {
  MotionFinding f;
  f.kind = kind;
  f.body_a = world.id_of(world.colliders()[m.a].body);
  f.body_b = world.id_of(world.colliders()[m.b].body);
  f.value = value;
  f.amount = amount;
  return f;
}

}   // namespace

void MotionJudge::begin(const World& world, const StepOptions& options) {
  for (std::size_t k = 0; k < worst_.size(); ++k) {
    worst_[k] = {};
    worst_[k].kind = static_cast<MotionKind>(k);
  }
  h_ = options.h;
  band_ = options.contact_band;
  fall_ = world.gravity.norm() * options.h;
  rebound_threshold_ = options.restitution_threshold * fall_;
  rebound_normal_ = rebound_tangential_ = missed_ = gravity_work_ = 0;
  giver_ = misser_ = {};
  if (world_ != &world || structure_version_ != world.structure_version() || is_ball_.size() != world.bodies().size())
    measure(world);
}

void MotionJudge::measure(const World& world) {
  world_ = &world;
  structure_version_ = world.structure_version();
  mass_size_ = mass_size_squared_ = 0;
  is_ball_.clear();
  for (const Body& b : world.bodies()) {
    is_ball_.push_back(b.alive && is_ball(world, b));
    if (!b.alive || b.motion != MotionType::dynamic) continue;
    // What has no shape is as large as its inertia says.
    const double size = b.colliders.empty() ? std::sqrt(b.principal_moments.maxCoeff() / b.mass.mass) : reach_of(world, b);
    mass_size_ += b.mass.mass * size;
    mass_size_squared_ += b.mass.mass * size * size;
  }
  // The turn of a ball counts where a joint holds it, at a point of its surface.
  for (const Joint& joint : world.joints())
    for (const BodyId id : {joint.description.a, joint.description.b})
      if (joint.acts() && joint.description.type != JointType::gear && id != BodyId{}) is_ball_[id.index] = false;
}

void MotionJudge::note(MotionFinding finding) {
  MotionFinding& worst = worst_[static_cast<std::size_t>(finding.kind)];
  if (finding.value > worst.value) worst = finding;
}

void MotionJudge::see(const World& world, const ContactProblem& problem, const SolvedContact& c) {
  if (c.point.gap + c.manifold.target < 0) see_depth(world, c);
  if (!(c.impulse[0] > 0)) return;
  const double gave = c.work + c.impulse.tail<2>().dot(0.5 * (c.built.before + c.after).tail<2>());
  if (gave > giver_.amount) giver_ = contact_finding(MotionKind::energy_created, world, c.manifold, 0, gave);
  if (c.built.elastic || c.built.rebounds) see_impact(world, problem, c);
  see_jam(world, problem, c);
}

void MotionJudge::see_depth(const World& world, const SolvedContact& c) {
  const double thickness = thinner(world.colliders()[c.manifold.a], world.colliders()[c.manifold.b]),
               depth = -c.point.gap - c.manifold.target;
  const double value = depth / thickness - band_;
  if (value > worst_[static_cast<std::size_t>(MotionKind::deep_overlap)].value)
    note(contact_finding(MotionKind::deep_overlap, world, c.manifold, value, depth));
}

void MotionJudge::see_crossings(const World& world, std::span<const SelfCrossing> crossings, StepReport& report) {
  for (const auto& [collider, depth] : crossings) {
    const Collider& c = world.colliders()[collider];
    MotionFinding f;
    f.kind = MotionKind::deep_overlap;
    f.body_a = f.body_b = world.id_of(c.body);
    f.value = depth / c.characteristic_length - band_;
    f.amount = depth;
    note(f);
    report.penetration_max = std::max(report.penetration_max, depth);
  }
}

void MotionJudge::see_impact(const World& world, const ContactProblem& problem, const SolvedContact& c) {
  const Vec3 mean = 0.5 * (c.built.before + c.after);
  if (c.built.rebounds) {
    rebound_normal_ += c.work;
    rebound_tangential_ += c.impulse.tail<2>().dot(mean.tail<2>());
    return;
  }
  // Newton's law looks at the approach before the step. What another impact of the same step sets moving stops at its neighbour
  // without a rebound: the impulse then undid an approach that would have called for one.
  const double undone = problem.diagonal_values[c.block.diagonal] * c.impulse[0] - c.after[0];
  const double lost = -c.work;
  if (c.built.recovery_speed > 0 || undone <= rebound_threshold_ + fall_ || lost <= 0) return;
  missed_ += lost;
  if (lost > misser_.amount) misser_ = contact_finding(MotionKind::rebound_missed, world, c.manifold, 0, lost);
}

void MotionJudge::see_jam(const World& world, const ContactProblem& problem, const SolvedContact& c) {
  // Painlevé: sliding friction −μ λₙ s turns the body so that λₙ presses the contact together, Wₙₙ − μ Wₙₜ·s < 0. Then no
  // finite force goes with sliding, and an impulse stops the contact at once although nothing struck it.
  const double mu = c.built.friction, slip = c.built.before.tail<2>().norm();
  if (!(fall_ > 0) || slip <= limit_of(MotionKind::jam) * (1 + mu) * fall_ || c.built.before[0] < -rebound_threshold_ ||
      c.block.dim < 3)
    return;
  const double* W = problem.diagonal_values.data() + c.block.diagonal;   // its first column is W_nn, W_tn, W_bn
  const bool paradox = W[0] * slip < mu * (W[1] * c.built.before[1] + W[2] * c.built.before[2]);
  if (!paradox || c.after.tail<2>().norm() > 0.1 * slip) return;
  note(contact_finding(MotionKind::jam, world, c.manifold, W[0] * c.impulse[0] / fall_, c.impulse[0]));
}

void MotionJudge::see_spin(const World& world, std::uint32_t slot, double speed, double h) {
  if (is_ball_[slot]) return;
  MotionFinding& worst = worst_[static_cast<std::size_t>(MotionKind::fast_spin)];
  if (h * speed <= worst.value) return;
  worst.body_a = world.id_of(slot);
  worst.value = h * speed;
  worst.amount = speed;
}

void MotionJudge::see_substep(double time, double longest) {
  MotionFinding f;
  f.kind = MotionKind::unstable;
  f.value = time / longest;
  f.amount = longest;
  note(f);
}

void MotionJudge::see_joints(const World& world, const StepReport& report) {
  for (const JointRecord& r : report.joints) {
    const Joint& joint = world.joints()[r.joint.index];
    if (r.broke) continue;
    // A gear of a translation has no length of its own: that of the joint it moves.
    const bool gear = joint.description.type == JointType::gear;
    const double size = (gear ? world.joints()[joint.description.second.joint.index] : joint).row_length;
    MotionFinding f;
    f.kind = MotionKind::joint_open;
    f.joint = r.joint;
    f.value = r.error / size;
    f.amount = r.error;
    note(f);
  }
}

void MotionJudge::see_energy(const World& world, StepReport& report) {
  const EnergyLedger& e = report.energy;
  MotionMeasures& m = report.motion;
  const double work = std::abs(e.applied) + std::abs(e.driven) + std::abs(e.motors) + std::abs(e.springs);
  const double still = kStill / h_;
  m.energy_scale = e.kinetic_start + world.elastic_energy() + work + world.gravity.norm() * mass_size_ +
                   0.5 * still * still * mass_size_squared_;
  // Stabilisation and normal impulses are one work, of which the ledger books what recovery asked for apart. Friction that
  // takes energy is as it should be, and hides nothing that others give.
  auto& created = m.energy_created;
  created[static_cast<std::size_t>(EnergySource::stabilisation)] = e.stabilisation - e.impact - rebound_normal_;
  created[static_cast<std::size_t>(EnergySource::integration)] = e.integration;
  created[static_cast<std::size_t>(EnergySource::impact_law)] = rebound_normal_ + rebound_tangential_;
  created[static_cast<std::size_t>(EnergySource::friction)] = std::max(0.0, -e.friction - rebound_tangential_);

  const auto largest = std::max_element(created.begin(), created.end());
  MotionFinding f = giver_;
  f.kind = MotionKind::energy_created;
  f.source = static_cast<EnergySource>(largest - created.begin());
  if (f.source == EnergySource::integration) f.body_a = f.body_b = {};
  f.amount = created[0] + created[1] + created[2] + created[3];
  const double scale = std::max(m.energy_scale, e.kinetic_end);
  // Where in the step an impact happens the scheme does not know: so much of the work of gravity comes a step early or late,
  // and goes again.
  f.value = scale > 0 ? (f.amount - gravity_work_) / scale : 0;
  note(f);

  misser_.kind = MotionKind::rebound_missed;
  misser_.amount = missed_;
  misser_.value = scale > 0 ? missed_ / scale : 0;
  note(misser_);
}

void MotionJudge::finish(const World& world, StepReport& report) {
  see_joints(world, report);
  see_energy(world, report);
  report.findings.clear();
  for (std::size_t k = 0; k < worst_.size(); ++k) {
    report.motion.value[k] = worst_[k].value;
    worst_[k].limit = kLimit[k];
    if (worst_[k].value > kLimit[k]) report.findings.push_back(worst_[k]);
  }
}

}   // namespace stickslip
