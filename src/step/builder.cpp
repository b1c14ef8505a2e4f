#include "step/builder.h"

#include <cmath>

#include "step/free_motion.h"

namespace stickslip {

namespace {

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

void write_contact_jacobian(const Vec3& center, const Vec3& point, const Mat3& frame, int rows, double sign, double* out) {
  const Vec3 arm = point - center;
  for (int k = 0; k < rows; ++k) {
    const Vec3 direction = sign * frame.col(k);
    Eigen::Map<Vec3>(out + 6 * k) = direction;
    Eigen::Map<Vec3>(out + 6 * k + 3) = arm.cross(direction);
  }
}

void ProblemBuilder::begin(const World& world, const StepOptions& options) {
  // Arrays that build() overwrites whole keep their size: clearing them would only have them filled with zeros again.
  problem_.segments.clear();
  problem_.h = options.h;
  const auto bodies = world.bodies();
  segment_of_body_.assign(bodies.size(), kNoSegment);
  before_.clear();
  free_.clear();
  centers_.clear();
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    const Body& b = bodies[i];
    if (!b.alive || !b.moves_by_forces()) continue;
    segment_of_body_[i] = static_cast<std::uint32_t>(problem_.segments.size());
    problem_.segments.push_back({b.inverse_mass, b.world_inverse_inertia()});
    centers_.push_back(b.position);
    const FreeVelocity free = free_velocity(b, world.gravity, options.gyroscopic, options.h);
    before_.insert(before_.end(), b.velocity.data(), b.velocity.data() + 3);
    before_.insert(before_.end(), b.angular_velocity.data(), b.angular_velocity.data() + 3);
    free_.insert(free_.end(), free.linear.data(), free.linear.data() + 3);
    free_.insert(free_.end(), free.angular.data(), free.angular.data() + 3);
  }
}

void ProblemBuilder::number_contacts(const World& world, const ContactSet& set) {
  // Contacts with the unmoving world first, then those between moving bodies: two batches, bottom up.
  contacts_.resize(set.points.size());
  problem_.blocks.resize(set.points.size());
  std::uint32_t next = 0, jacobian = 0;
  for (const int arity : {1, 2})
    for (const Manifold& m : set.manifolds) {
      const std::uint32_t a = segment_of_body_[world.colliders()[m.a].body], b = segment_of_body_[world.colliders()[m.b].body];
      if ((a != kNoSegment) + (b != kNoSegment) != arity) continue;
      for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
        Block& block = problem_.blocks[next];
        block = Block{};
        block.arity = static_cast<std::uint8_t>(arity);
        block.row = 3 * next;
        block.jacobian = jacobian;
        block.segment[0] = a != kNoSegment ? a : b;
        block.segment[1] = arity == 2 ? b : 0;
        jacobian += 18 * arity;
        contacts_[i].block = next++;
      }
    }
  problem_.b.resize(3 * std::size_t{next});
  problem_.sigma.assign(3 * std::size_t{next}, 0.0);
  problem_.laws.resize(next);
  problem_.jacobian_values.resize(jacobian);
}

void ProblemBuilder::fill_contact(const World& world, const Manifold& m, const ContactPoint& point, const SurfacePair& surface,
                                  const StepOptions& options, double drift_time, BuiltContact& built) {
  ContactProblem& p = problem_;
  const Block& block = p.blocks[built.block];
  built = {built.block, frame_from_normal(point.normal), Vec3::Zero(), Vec3::Zero(), 0, surface.friction};
  Vec3 free = Vec3::Zero();
  double* jacobian = p.jacobian_values.data() + block.jacobian;
  for (const auto& [collider, sign] : {std::pair(m.a, -1.0), std::pair(m.b, 1.0)}) {
    const std::uint32_t slot = world.colliders()[collider].body;
    const std::uint32_t segment = segment_of_body_[slot];
    if (segment == kNoSegment) {
      const Body& body = world.bodies()[slot];
      if (body.motion == MotionType::kinematic)
        built.driven += sign * (built.frame.transpose() * body.velocity_at(point.position));
      continue;
    }
    write_contact_jacobian(centers_[segment], point.position, built.frame, 3, sign, jacobian);
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < 6; ++c) {
        built.before[k] += jacobian[6 * k + c] * before_[6 * segment + c];
        free[k] += jacobian[6 * k + c] * free_[6 * segment + c];
      }
    jacobian += 18;
  }
  built.before += built.driven;
  Vec3 b = free + built.driven;

  const double threshold = options.restitution_threshold * world.gravity.norm() * options.h;
  if (surface.restitution > 0 && built.before[0] < -threshold && point.gap + drift_time * b[0] <= 0) {
    b[0] += surface.restitution * built.before[0];   // Newton's impact law: vₙ⁺ ≥ −e vₙ⁻
  } else if (point.gap > 0) {
    b[0] += point.gap / drift_time;
  } else {
    const Correction c = correction(options.stabilisation, options.h);
    built.recovery_speed = std::min(-c.error_reduction * point.gap / options.h, recovery_limit(world, m));
    b[0] -= built.recovery_speed;
    p.sigma[block.row] = c.compliance;
  }
  Eigen::Map<Vec3>(p.b.data() + block.row) = b;
  p.laws[built.block] = CircularFriction{surface.friction};
}

void ProblemBuilder::build(const World& world, const ContactSet& set, const StepOptions& options, double drift_time) {
  number_contacts(world, set);
  for (const Manifold& m : set.manifolds) {
    const SurfacePair surface = world.materials.between(world.colliders()[m.a].material, world.colliders()[m.b].material);
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i)
      fill_contact(world, m, set.points[i], surface, options, drift_time, contacts_[i]);
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
