#include "step/geometric_stiffness.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace stickslip {

void GeometricStiffness::Load::add_chord(const World& world, BodyId here, BodyId there, const Vec3& point, double force) {
  const Body& own = world.bodies()[here.index];
  Vec3 end = point, velocity = Vec3::Zero();
  if (there != BodyId{}) {
    const Body& other = world.bodies()[there.index];
    if (other.moves_by_forces()) end = other.position;
    velocity = other.velocity_at(end);
  }
  const Vec3 chord = end - own.position;
  chords += force * (chord.squaredNorm() * Mat3::Identity() - chord * chord.transpose());
  turning += force * chord.cross(velocity - own.velocity);
}

Vec3 GeometricStiffness::Load::carried_spin(const Mat3& added, const Vec3& spin) const {
  const double weight = 1e-6 * chords.trace();   // for rotation about the chords, of which they know nothing
  if (!(weight > 0)) return spin;
  const Vec3 common = (chords + weight * Mat3::Identity()).llt().solve(turning + weight * spin);
  const double has = spin.dot(added * spin), wants = common.dot(added * common);
  return wants > has ? Vec3(std::sqrt(has / wants) * common) : common;   // inertia that is not there must not bring energy in
}

void GeometricStiffness::add(const World& world, std::span<const std::uint32_t> segment_of_body, double h, std::span<VelocitySegment> segments,
                             std::span<const double> before, std::span<double> free) {
  loads_.assign(segments.size(), {});
  const auto segment = [&](BodyId id) { return id == BodyId{} ? ~0u : segment_of_body[id.index]; };
  for (const Joint& joint : world.joints()) {
    const JointDescription& d = joint.description;
    if (!joint.acts() || d.type == JointType::gear || joint.memory.force.isZero(0)) continue;
    const Vec3 point = world.bodies()[d.b.index].frame() * d.frame_b.position;
    const bool holds = d.axes[joint_x].locked && d.axes[joint_y].locked && d.axes[joint_z].locked;
    for (const auto& [here, there, sign] : {std::tuple(d.a, d.b, -1.0), std::tuple(d.b, d.a, 1.0)}) {
      const std::uint32_t s = segment(here);
      if (s == ~0u) continue;
      const Vec3 arm = point - world.bodies()[here.index].position, force = sign * joint.memory.force;
      const Mat3 outer = arm * force.transpose();
      loads_[s].stiffness += arm.dot(force) * Mat3::Identity() - 0.5 * (outer + outer.transpose());
      loads_[s].loaded = true;
      if (holds && segment(there) == ~0u) loads_[s].held = arm;
      loads_[s].add_chord(world, here, there, point, force.norm());
    }
  }
  for (std::uint32_t i = 0; i < world.bodies().size(); ++i) {
    const std::uint32_t s = segment_of_body[i];
    if (s == ~0u || !loads_[s].loaded) continue;
    const Body& b = world.bodies()[i];
    const Vec3& arm = loads_[s].held;
    const Mat3 inertia = b.world_inertia();
    const Mat3 about = inertia + b.mass.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    // K φ = ω² I φ with φᵀ I φ = 1: the excess ω²h² − 1 of each fast direction is added as I φ φᵀ I.
    const Eigen::GeneralizedSelfAdjointEigenSolver<Mat3> modes(loads_[s].stiffness, about);
    Mat3 added = Mat3::Zero();
    for (int k = 0; k < 3; ++k)
      if (const double excess = modes.eigenvalues()[k] * h * h - 1; excess > 0) {
        const Vec3 direction = about * modes.eigenvectors().col(k);
        added += excess * direction * direction.transpose();
      }
    if (added.isZero(0)) continue;
    segments[s].inverse_inertia = (inertia + added).inverse();
    const Eigen::Map<const Vec3> spin(before.data() + 6 * s + 3);
    Eigen::Map<Vec3> free_spin(free.data() + 6 * s + 3);
    free_spin = segments[s].inverse_inertia * (inertia * free_spin + added * loads_[s].carried_spin(added, spin));
  }
}

}  // namespace stickslip
