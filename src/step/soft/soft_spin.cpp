// Implicit Euler and the spin of soft bodies.
//
// Nodes go along tangents, x⁺ = x + h u⁺, and forces inside the body act at the ends of these. There they have no couple, but
// about where nodes were they have: with the impulses p of these forces
//
//   L⁺ − L = Σ m x⁺ × u⁺ − Σ m x × u = Σ x × m (u⁺ − u) = Σ x × p + what acts from outside
//
// where Σ x × p = −h Σ u⁺ × p takes (hω)² of the spin ω in every step, whatever the material. Exactly that is given back after
// the step, as a rigid turn of the velocities with which the next begins. And u⁺ is the velocity along the chord of the step:
// where a node ends, the body has turned on by half of it, and with it the velocity that the node has there; else each step
// would begin with a little stretching that nothing drives.
//
// Positions have moved by the velocities of the solve, which contacts and joints agreed to. The next solve takes as much away
// as was given, so that contacts that stick or roll feel nothing of it. A turn is a strain to the linear model, and its forces
// have couples by right; held bodies have no spin of their own.
#include "step/soft/mean_motion.h"
#include "step/soft/soft_systems.h"

namespace stickslip {

namespace {

/// Velocities that end a step: as solved, but turned on by what the body turned since they were its own, and with this angular
/// momentum about the centre of mass. @param ahead how long that is [s]
void turn_on(NodalBody& nodes, const MeanMotion& mean, const Vec3& angular_momentum, double ahead) {
  const Vec3 spin = mean.spin_of(angular_momentum);
  const double angle = ahead * spin.norm();
  if (!std::isfinite(angle)) return;
  const Mat3 turn = angle != 0 ? Eigen::AngleAxisd(angle, spin.normalized()).toRotationMatrix() : Mat3::Identity();
  Vec3 turned = Vec3::Zero();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.velocities[i] = mean.velocity + turn * (nodes.velocities[i] - mean.velocity);
    turned += nodes.masses[i] * (nodes.positions[i] - mean.center).cross(nodes.velocities[i]);
  }
  const Vec3 missing = mean.spin_of(angular_momentum - turned);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes.velocities[i] += missing.cross(nodes.positions[i] - mean.center);
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

void SoftSystems::keep_spin(World& world, double drift_time) {
  bool any = false;
  for (NodalBody& nodes : world.mutable_nodal_bodies()) {
    const bool turns = nodes.is_soft() && nodes.held.empty() && nodes.solid->material().model != SoftModel::linear;
    if (!turns || !world.bodies()[nodes.body].moves_by_forces()) continue;
    System& s = system_of(nodes);
    if (s.times.kick == 0) continue;   // lumped: forces act where nodes are
    const MeanMotion mean(nodes);
    turn_on(nodes, mean, mean.angular_momentum - inner_couple(nodes, s), drift_time - s.times.h / 2);
    any = true;
  }
  if (any) world.summarise_nodes();
}

}   // namespace stickslip
