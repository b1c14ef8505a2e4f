#include "step/builder.h"

#include <cmath>

#include "step/free_motion.h"

namespace stickslip {

namespace {

using Segment = Eigen::Matrix<double, 6, 1>;

/// υ and ε of the stabilisation for a step h [course eq. 59].
struct Correction {
  double error_reduction = 0, compliance = 0;
};

Correction correction(const Stabilisation& stabilisation, double h) {
  if (const auto* baumgarte = std::get_if<Baumgarte>(&stabilisation)) return {baumgarte->error_reduction, baumgarte->compliance};
  if (const auto* spring = std::get_if<SpringDamper>(&stabilisation)) {
    const double hk = h * spring->stiffness;
    return {hk / (hk + spring->damping), 1 / (h * (hk + spring->damping))};
  }
  return {};
}

/// Fastest recovery from penetration: free fall through the thinner body, so that a deep overlap does not explode.
double recovery_limit(const World& world, const Manifold& m) {
  const double g = world.gravity.norm();
  const double la = world.colliders()[m.a].characteristic_length, lb = world.colliders()[m.b].characteristic_length;
  const double thickness = la > 0 && lb > 0 ? std::min(la, lb) : std::max(la, lb);
  return g > 0 ? std::sqrt(2 * g * thickness) : std::numeric_limits<double>::infinity();
}

}  // namespace

void write_contact_jacobian(const Body& b, const Vec3& point, const Mat3& frame, int rows, double sign, double* out) {
  const Vec3 arm = point - b.position;
  for (int k = 0; k < rows; ++k) {
    const Vec3 direction = sign * frame.col(k);
    Eigen::Map<Vec3>(out + 6 * k) = direction;
    Eigen::Map<Vec3>(out + 6 * k + 3) = arm.cross(direction);
  }
}

void ProblemBuilder::begin(const World& world, const StepOptions& options) {
  problem_.clear();
  problem_.h = options.h;
  const auto bodies = world.bodies();
  segment_of_body_.assign(bodies.size(), kNoSegment);
  before_.clear();
  free_.clear();
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    const Body& b = bodies[i];
    if (!b.alive || !b.moves_by_forces()) continue;
    segment_of_body_[i] = static_cast<std::uint32_t>(problem_.segments.size());
    problem_.segments.push_back({b.inverse_mass, b.world_inverse_inertia()});
    const FreeVelocity free = free_velocity(b, world.gravity, options.gyroscopic, options.h);
    before_.insert(before_.end(), b.velocity.data(), b.velocity.data() + 3);
    before_.insert(before_.end(), b.angular_velocity.data(), b.angular_velocity.data() + 3);
    free_.insert(free_.end(), free.linear.data(), free.linear.data() + 3);
    free_.insert(free_.end(), free.angular.data(), free.angular.data() + 3);
  }
}

void ProblemBuilder::add_contact(const World& world, const Manifold& m, const ContactPoint& point, const SurfacePair& surface,
                                 const StepOptions& options, double drift_time, BuiltContact& built) {
  ContactProblem& p = problem_;
  Block block;
  block.row = static_cast<std::uint32_t>(p.b.size());
  block.jacobian = static_cast<std::uint32_t>(p.jacobian_values.size());
  block.arity = 0;
  built = {static_cast<std::uint32_t>(p.blocks.size()), frame_from_normal(point.normal), Vec3::Zero(), Vec3::Zero(), 0, surface.friction};
  Vec3 free = Vec3::Zero();
  for (const auto& [collider, sign] : {std::pair(m.a, -1.0), std::pair(m.b, 1.0)}) {
    const std::uint32_t slot = world.colliders()[collider].body;
    const Body& body = world.bodies()[slot];
    const std::uint32_t segment = segment_of_body_[slot];
    if (segment == kNoSegment) {
      if (body.motion == MotionType::kinematic)
        built.driven += sign * (built.frame.transpose() * body.velocity_at(point.position));
      continue;
    }
    const std::size_t at = p.jacobian_values.size();
    p.jacobian_values.resize(at + 18);
    write_contact_jacobian(body, point.position, built.frame, 3, sign, p.jacobian_values.data() + at);
    const Eigen::Map<const Eigen::Matrix<double, 3, 6, Eigen::RowMajor>> jacobian(p.jacobian_values.data() + at);
    built.before += jacobian * Eigen::Map<const Segment>(before_.data() + 6 * segment);
    free += jacobian * Eigen::Map<const Segment>(free_.data() + 6 * segment);
    block.segment[block.arity++] = segment;
  }
  built.before += built.driven;
  Vec3 b = free + built.driven;

  const double threshold = options.restitution_threshold * world.gravity.norm() * options.h;
  double compliance = 0;
  if (surface.restitution > 0 && built.before[0] < -threshold && point.gap + drift_time * b[0] <= 0) {
    b[0] += surface.restitution * built.before[0];   // Newton's impact law: vₙ⁺ ≥ −e vₙ⁻
  } else if (point.gap > 0) {
    b[0] += point.gap / drift_time;
  } else {
    const Correction c = correction(options.stabilisation, options.h);
    built.recovery_speed = std::min(-c.error_reduction * point.gap / options.h, recovery_limit(world, m));
    b[0] -= built.recovery_speed;
    compliance = c.compliance;
  }
  p.b.insert(p.b.end(), b.data(), b.data() + 3);
  p.sigma.insert(p.sigma.end(), {compliance, 0.0, 0.0});
  p.laws.emplace_back(CircularFriction{surface.friction});
  p.blocks.push_back(block);
}

void ProblemBuilder::build(const World& world, const ContactSet& set, const StepOptions& options, double drift_time) {
  contacts_.resize(set.points.size());
  // Contacts with the unmoving world first, then those between moving bodies: two batches, bottom up.
  for (const int arity : {1, 2}) {
    for (const Manifold& m : set.manifolds) {
      const Collider &ca = world.colliders()[m.a], &cb = world.colliders()[m.b];
      const int moving = (segment_of_body_[ca.body] != kNoSegment) + (segment_of_body_[cb.body] != kNoSegment);
      if (moving != arity) continue;
      const SurfacePair surface = world.materials.between(ca.material, cb.material);
      for (std::uint32_t i = m.first; i < m.first + m.count; ++i)
        add_contact(world, m, set.points[i], surface, options, drift_time, contacts_[i]);
    }
  }
  problem_.finalize();
  fill_guess(world, set, options);
}

void ProblemBuilder::fill_guess(const World& world, const ContactSet& set, const StepOptions& options) {
  guess_.assign(problem_.rows(), 0.0);
  if (!options.warm_start || !(world.memory.h > 0)) return;
  // Both lists are sorted by (a, b, feature).
  const double scale = options.h / world.memory.h;
  auto old = world.memory.impulses.begin();
  const auto end = world.memory.impulses.end();
  for (const Manifold& m : set.manifolds)
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const std::uint32_t feature = set.points[i].feature;
      const auto key = std::tuple(m.a, m.b, feature);
      while (old != end && std::tuple(old->collider_a, old->collider_b, old->feature) < key) ++old;
      if (old == end) return;
      if (std::tuple(old->collider_a, old->collider_b, old->feature) != key) continue;
      const Vec3 impulse = scale * (contacts_[i].frame.transpose() * old->impulse);
      Eigen::Map<Vec3>(guess_.data() + problem_.blocks[contacts_[i].block].row) = impulse;
    }
}

}  // namespace stickslip
