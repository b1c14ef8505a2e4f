// Implicit Euler and the spin of soft bodies.
//
// Nodes go along tangents, x⁺ = x + h u⁺, and forces inside the body act at the ends of these. There they have no couple, but
// about where nodes were they have: with the impulses p of these forces
//
//   L⁺ − L = Σ m x⁺ × u⁺ − Σ m x × u = Σ x × m (u⁺ − u) = Σ x × p + what acts from outside
//
// where Σ x × p = −h Σ u⁺ × p takes (hω)² of the spin ω in every step, whatever the material. Exactly that is given back after
// the step, as a rigid turn of the velocities with which the next begins. And u⁺ is the velocity along the chord of the step:
// where a node ends, the body has turned on by half of it, and with it the velocity that the node has there; else the body
// would have a little energy of a stretching that nothing drives. The next step begins with chords again: from tangents, forces
// would have to turn velocities by half a step only, and what spins would be stretched half as much as it is, however short
// the step.
//
// Positions have moved by the velocities of the solve, which contacts and joints agreed to. The next solve takes as much away
// as was given, so that contacts that stick or roll feel nothing of it. A turn is a strain to the linear model, and its forces
// have couples by right; held bodies have no spin of their own.
#include "step/soft/mean_motion.h"
#include "step/soft/soft_systems.h"

namespace stickslip {

namespace {

/// A turn is a strain to the linear model, and held bodies have no spin of their own.
bool keeps_spin(const NodalBody& nodes) {
  return nodes.is_soft() && nodes.held.empty() && nodes.solid->material().model != SoftModel::linear;
}

/// Turns velocities of the nodes as the body turns in that time, forwards or back, and gives them this angular momentum about
/// the centre of mass.
void turn_on(const NodalBody& nodes, const MeanMotion& mean, const Vec3& angular_momentum, double time,
             std::span<Vec3> velocities) {
  const Vec3 spin = mean.spin_of(angular_momentum);
  const double angle = time * spin.norm();
  if (!std::isfinite(angle)) return;
  const Mat3 turn = angle != 0 ? Eigen::AngleAxisd(angle, spin.normalized()).toRotationMatrix() : Mat3::Identity();
  Vec3 turned = Vec3::Zero();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    velocities[i] = mean.velocity + turn * (velocities[i] - mean.velocity);
    turned += nodes.masses[i] * (nodes.positions[i] - mean.center).cross(velocities[i]);
  }
  const Vec3 missing = mean.spin_of(angular_momentum - turned);
  for (std::size_t i = 0; i < nodes.size(); ++i) velocities[i] += missing.cross(nodes.positions[i] - mean.center);
}

}   // namespace

/// Σ x × p of a body that moved with its present velocities, about its centre of mass at the start [kg m²/s].
Vec3 SoftSystems::inner_couple(const NodalBody& nodes, System& s) {
  // p = τ (f(x + h w) − B w) − (A − M) (u⁺ − w); the brake on every motion, α M, acts from outside.
  const double kick = s.times.kick, brake = kick * nodes.solid->material().mass_damping;
  for (std::size_t i = 0; i < nodes.size(); ++i) Eigen::Map<Vec3>(&s.right[3 * i]) = nodes.velocities[i] - s.trial[i];
  const auto size = static_cast<Eigen::Index>(s.right.size());
  Eigen::Map<Eigen::VectorXd>(s.change.data(), size).noalias() =
      s.matrix * Eigen::Map<const Eigen::VectorXd>(s.right.data(), size);
  const auto start = [&](std::size_t i) -> Vec3 { return s.places[i] - s.times.h * s.trial[i]; };
  Vec3 center = Vec3::Zero(), couple = Vec3::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) center += nodes.masses[i] * start(i), mass += nodes.masses[i];
  center /= mass;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Eigen::Map<const Vec3> stiff(&s.change[3 * i]), turned(&s.right[3 * i]);
    const Vec3 impulse = kick * s.forces[i] - stiff + nodes.masses[i] * (turned + brake * nodes.velocities[i]);
    couple += (start(i) - center).cross(impulse);
  }
  return couple;
}

void SoftSystems::find_start(const NodalBody& nodes, System& s) {
  s.start.assign(nodes.velocities.begin(), nodes.velocities.end());
  if (!(s.times.ahead > 0) || !keeps_spin(nodes)) return;
  const MeanMotion mean(nodes);
  turn_on(nodes, mean, mean.angular_momentum, -s.times.ahead, s.start);
}

void SoftSystems::keep_spin(World& world) {
  bool any = false;
  for (NodalBody& nodes : world.mutable_nodal_bodies()) {
    if (!keeps_spin(nodes) || !world.bodies()[nodes.body].moves_by_forces()) continue;
    System& s = system_of(nodes);
    if (s.times.kick == 0) continue;   // lumped: forces act where nodes are
    const MeanMotion mean(nodes);
    turn_on(nodes, mean, mean.angular_momentum - inner_couple(nodes, s), s.times.ahead, nodes.velocities);
    any = true;
  }
  if (any) world.summarise_nodes();
}

}   // namespace stickslip
