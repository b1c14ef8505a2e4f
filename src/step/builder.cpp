#include "step/builder.h"

#include <cmath>

#include "step/free_motion.h"
#include "step/sizes.h"

namespace stickslip {

namespace {

/// Columns normal, t, b. @param tangent t, or zero if any will do
Mat3 frame_from(const Vec3& normal, const Vec3& tangent) {
  if (tangent.isZero(0)) return frame_from_normal(normal);
  Mat3 frame;
  frame << normal, tangent, normal.cross(tangent);
  return frame;
}

/// How far F(1) reaches along one of the tangents.
double tangential_reach(const FrictionLaw& law) {
  return std::visit(
      []<class Law>(const Law& l) {
        if constexpr (std::is_same_v<Law, CircularFriction>) return l.mu;
        const FrictionBox<Law::rows> box = l.box(1);
        constexpr int tangents = Law::rows < 2 ? Law::rows : 2;
        return std::max(box.upper.template head<tangents>().maxCoeff(), -box.lower.template head<tangents>().minCoeff());
      },
      law);
}

/// Fastest recovery from penetration: free fall through the thinner body, so that a deep overlap does not explode.
double recovery_limit(const World& world, const Manifold& m) {
  const double g = world.gravity.norm();
  const double thickness = thinner(world.colliders()[m.a].characteristic_length, world.colliders()[m.b].characteristic_length);
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
  if (options.geometric_stiffness && world.joint_count() > 0) stiffen_.add(world, segment_of_body_, options.h, problem_.segments, before_, free_);
}

std::uint32_t ProblemBuilder::meet(const World& world, MaterialId a, MaterialId b) {
  for (std::uint32_t k = 0; k < pairs_.size(); ++k)
    if (pairs_[k].a == a && pairs_[k].b == b) return k;
  pairs_.push_back({a, b, world.materials.between(a, b), {}});
  if (MetPair& met = pairs_.back(); met.surface.law) {
    // Prepared anew only if the law is not that of the step before.
    for (MetPair& earlier : earlier_pairs_)
      if (earlier.law && earlier.a == a && earlier.b == b && *earlier.surface.law == *met.surface.law) met.law = std::move(earlier.law);
    if (!met.law) met.law = prepare_surface_law(*met.surface.law);
  }
  return static_cast<std::uint32_t>(pairs_.size() - 1);
}

void ProblemBuilder::choose_laws(const World& world, const ContactSet& set, const StepOptions& options) {
  earlier_pairs_.swap(pairs_);
  pairs_.clear();
  pair_of_manifold_.clear();
  bool all_coulomb = true;
  for (const Manifold& m : set.manifolds) {
    pair_of_manifold_.push_back(meet(world, world.colliders()[m.a].material, world.colliders()[m.b].material));
    all_coulomb = all_coulomb && !pairs_[pair_of_manifold_.back()].surface.law;
  }
  kinds_ = 1;
  local_.clear();
  if (all_coulomb) return;
  local_.resize(set.points.size());
  for (std::size_t k = 0; k < set.manifolds.size(); ++k) {
    const Manifold& m = set.manifolds[k];
    const SurfacePair& surface = pairs_[pair_of_manifold_[k]].surface;
    const Collider &ca = world.colliders()[m.a], &cb = world.colliders()[m.b];
    const Body &a = world.bodies()[ca.body], &b = world.bodies()[cb.body];
    ContactSite site;
    site.h = options.h;
    site.a = {&world.materials[ca.material].surface, Pose{a.position, a.orientation} * ca.local};
    site.b = {&world.materials[cb.material].surface, Pose{b.position, b.orientation} * cb.local};
    site.frame_of_b = surface.fixed_to == cb.material && surface.fixed_to != ca.material;
    site.length = thinner(ca.characteristic_length, cb.characteristic_length);
    site.slack = 1e-3 * world.gravity.norm() * options.h * options.h + 1e-9 * site.length;
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const ContactPoint& point = set.points[i];
      if (!surface.law) {
        local_[i].set = CircularFriction{surface.friction};
        continue;
      }
      site.position = point.position;
      site.normal = point.normal;
      site.gap = point.gap;
      const Vec3 relative = b.velocity_at(point.position) - a.velocity_at(point.position);
      site.slip = relative - relative.dot(point.normal) * point.normal;
      local_[i] = pairs_[pair_of_manifold_[k]].law(site);
      kinds_ |= 1u << local_[i].set.index();
    }
  }
}

void ProblemBuilder::number_contacts(const World& world, const ContactSet& set) {
  // After the joints, contacts with the unmoving world first, then those between moving bodies, bottom up; within them by law, so that each makes
  // one batch.
  contacts_.resize(set.points.size());
  std::uint32_t next = joints_.block_count(), row = joints_.row_count(), jacobian = joints_.jacobian_size();
  problem_.blocks.resize(next + set.points.size());
  for (const int arity : {1, 2})
    for (std::size_t kind = 0; kind < std::variant_size_v<FrictionLaw>; ++kind) {
      if (!(kinds_ >> kind & 1u)) continue;
      for (const Manifold& m : set.manifolds) {
        const std::uint32_t a = segment_of_body_[world.colliders()[m.a].body], b = segment_of_body_[world.colliders()[m.b].body];
        if ((a != kNoSegment) + (b != kNoSegment) != arity) continue;
        for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
          if (!local_.empty() && local_[i].set.index() != kind) continue;
          Block& block = problem_.blocks[next];
          block = Block{};
          block.dim = static_cast<std::uint8_t>(local_.empty() ? 3 : 1 + law_rows(local_[i].set));
          block.arity = static_cast<std::uint8_t>(arity);
          block.row = row;
          block.jacobian = jacobian;
          block.segment[0] = a != kNoSegment ? a : b;
          block.segment[1] = arity == 2 ? b : 0;
          row += block.dim;
          jacobian += 6u * block.dim * block.arity;
          contacts_[i].block = next++;
        }
      }
    }
  problem_.b.resize(row);
  problem_.sigma.assign(row, 0.0);
  problem_.laws.resize(next);
  problem_.jacobian_values.resize(jacobian);
  problem_.lower.assign(joints_.has_boxes() ? row : 0, 0.0);
  problem_.upper.assign(joints_.has_boxes() ? row : 0, 0.0);
  joints_.write(problem_);
  spins_.clear();
}

void ProblemBuilder::fill_contact(const World& world, const ContactSet& set, std::uint32_t manifold, std::uint32_t index,
                                  const StepOptions& options, double drift_time) {
  const Manifold& m = set.manifolds[manifold];
  const ContactPoint& point = set.points[index];
  const SurfacePair& surface = pairs_[pair_of_manifold_[manifold]].surface;
  BuiltContact& built = contacts_[index];
  ContactProblem& p = problem_;
  const Block& block = p.blocks[built.block];
  built = {built.block, kNoSpin, Mat3::Zero(), Vec3::Zero(), Vec3::Zero(), 0, surface.friction, surface.restitution};
  if (local_.empty()) {
    built.frame = frame_from_normal(point.normal);
    p.laws[built.block] = CircularFriction{surface.friction};
  } else {
    LocalFriction& local = local_[index];
    built.frame = frame_from(point.normal, local.tangent);
    built.friction = tangential_reach(local.set);
    p.laws[built.block] = std::move(local.set);
  }
  if (block.dim > 3) {
    built.spin = static_cast<std::uint32_t>(spins_.size());
    const double length = thinner(world.colliders()[m.a].characteristic_length, world.colliders()[m.b].characteristic_length);
    spins_.push_back({length, Vec3::Zero(), Vec3::Zero()});
  }
  Vec3 free = Vec3::Zero(), free_spin = Vec3::Zero();
  double* jacobian = p.jacobian_values.data() + block.jacobian;
  for (const auto& [collider, sign] : {std::pair(m.a, -1.0), std::pair(m.b, 1.0)}) {
    const std::uint32_t slot = world.colliders()[collider].body;
    const std::uint32_t segment = segment_of_body_[slot];
    if (segment == kNoSegment) {
      const Body& body = world.bodies()[slot];
      if (body.motion == MotionType::kinematic)
        built.driven += sign * (built.frame.transpose() * body.velocity_at(point.position));
      if (built.spin != kNoSpin && body.motion == MotionType::kinematic)
        spins_[built.spin].driven += sign * (built.frame.transpose() * body.angular_velocity);
      continue;
    }
    const int translations = std::min<int>(block.dim, 3);
    write_contact_jacobian(centers_[segment], point.position, built.frame, translations, sign, jacobian);
    if (built.spin != kNoSpin) {
      SpinRows& spin = spins_[built.spin];
      for (int k = 3; k < block.dim; ++k) {
        Eigen::Map<Vec3>(jacobian + 6 * k).setZero();
        Eigen::Map<Vec3>(jacobian + 6 * k + 3) = sign * spin.length * built.frame.col(turn_of_row(block.dim - 1, k));
      }
      spin.before += sign * (built.frame.transpose() * Eigen::Map<const Vec3>(before_.data() + 6 * segment + 3));
      free_spin += sign * (built.frame.transpose() * Eigen::Map<const Vec3>(free_.data() + 6 * segment + 3));
    }
    for (int k = 0; k < translations; ++k)
      for (int c = 0; c < 6; ++c) {
        built.before[k] += jacobian[6 * k + c] * before_[6 * segment + c];
        free[k] += jacobian[6 * k + c] * free_[6 * segment + c];
      }
    jacobian += 6 * block.dim;
  }
  built.before += built.driven;
  Vec3 b = free + built.driven;

  const double threshold = options.restitution_threshold * world.gravity.norm() * options.h;
  if (surface.restitution > 0 && built.before[0] < -threshold && point.gap + drift_time * b[0] <= 0) {
    b[0] += surface.restitution * built.before[0];   // Newton's impact law: vₙ⁺ ≥ −e vₙ⁻
    built.rebounds = true;
  } else if (point.gap > 0) {
    b[0] += point.gap / drift_time;
  } else {
    const Correction c = correction(options.stabilisation, options.h);
    built.recovery_speed = std::min(-c.error_reduction * point.gap / options.h, recovery_limit(world, m));
    b[0] -= built.recovery_speed;
    p.sigma[block.row] = c.compliance;
  }
  for (int k = 0; k < std::min<int>(block.dim, 3); ++k) p.b[block.row + k] = b[k];
  if (built.spin == kNoSpin) return;
  SpinRows& spin = spins_[built.spin];
  spin.before += spin.driven;
  for (int k = 3; k < block.dim; ++k) {
    const int turn = turn_of_row(block.dim - 1, k);
    p.b[block.row + k] = spin.length * (free_spin[turn] + spin.driven[turn]);
  }
}

Vec3 ProblemBuilder::angular_impulse(const BuiltContact& c, std::span<const double> impulses) const {
  Vec3 sum = Vec3::Zero();
  if (c.spin == kNoSpin) return sum;
  const Block& block = problem_.blocks[c.block];
  for (int k = 3; k < block.dim; ++k) sum[turn_of_row(block.dim - 1, k)] = spins_[c.spin].length * impulses[block.row + k];
  return sum;
}

void ProblemBuilder::build(const World& world, const ContactSet& set, const StepOptions& options, double drift_time) {
  choose_laws(world, set, options);
  joints_.collect(joint_setting(world, options, drift_time));
  number_contacts(world, set);
  for (std::uint32_t k = 0; k < set.manifolds.size(); ++k)
    for (std::uint32_t i = set.manifolds[k].first; i < set.manifolds[k].first + set.manifolds[k].count; ++i)
      fill_contact(world, set, k, i, options, drift_time);
  problem_.finalize();
  fill_guess(world, set, options);
}

void ProblemBuilder::fill_guess(const World& world, const ContactSet& set, const StepOptions& options) {
  guess_.assign(problem_.rows(), 0.0);
  if (!options.warm_start || !(world.memory.h > 0)) return;
  const double scale = options.h / world.memory.h;
  joints_.fill_guess(world, scale, guess_);
  // Both lists are sorted by (a, b, feature).
  auto old = world.memory.impulses.begin();
  const auto end = world.memory.impulses.end();
  for (const Manifold& m : set.manifolds)
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const std::uint32_t feature = set.points[i].feature;
      const auto key = std::tuple(m.a, m.b, feature);
      while (old != end && std::tuple(old->collider_a, old->collider_b, old->feature) < key) ++old;
      if (old == end) return;
      if (std::tuple(old->collider_a, old->collider_b, old->feature) != key) continue;
      const BuiltContact& built = contacts_[i];
      const Block& block = problem_.blocks[built.block];
      const Vec3 impulse = scale * (built.frame.transpose() * old->impulse);
      for (int k = 0; k < std::min<int>(block.dim, 3); ++k) guess_[block.row + k] = impulse[k];
      if (built.spin == kNoSpin) continue;
      const Vec3 angular = scale / spins_[built.spin].length * (built.frame.transpose() * old->angular_impulse);
      for (int k = 3; k < block.dim; ++k) guess_[block.row + k] = angular[turn_of_row(block.dim - 1, k)];
    }
}

}  // namespace stickslip
