#include "step/builder.h"

#include <cmath>
#include <numeric>

#include "step/body_kinds.h"
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
double tangential_reach(const FrictionSet& law) {
  return std::visit(
      []<class Law>(const Law& l) {
        if constexpr (std::is_same_v<Law, CircularFriction>) return l.mu;
        const FrictionBox<Law::rows> box = l.box(1);
        constexpr int tangents = Law::rows < 2 ? Law::rows : 2;
        return std::max(box.upper.template head<tangents>().maxCoeff(), -box.lower.template head<tangents>().minCoeff());
      },
      law);
}

constexpr double kSteadyMotion = 0.5;   ///< part of a velocity by which a body that rolls or slides on may change it in a step
constexpr double kSteadySpin = 0.05;    ///< part of a spin by which it may change in a step and count as steady

constexpr double kFollows = 0.05;   ///< of |g| h: by so much what moves with its support may seem to move otherwise

constexpr double kSamePlace = 0.25;   ///< of the thinner body's thickness: a contact that moved less is the same

/// Most elasticity along the normal, as a part of W_nn: where little rests on a contact, or there is no gravity.
constexpr double kMostElastic = 1e-4;

/// Tolerances by which the recovery of an elastic contact may differ from what its load needs and count as settled.
constexpr double kSettled = 10;

}   // namespace

void ProblemBuilder::begin(const World& world, const StepOptions& options, JointCare care) {
  // Arrays that build() overwrites whole keep their size: clearing them would only have them filled with zeros again.
  problem_.segments.clear();
  problem_.h = options.h;
  const double kick = kick_time(world, options);
  space_.begin(world);
  for (const BodyKindSteps* kind : body_kinds()) kind->append(world, options, kick, space_, problem_.segments);
  closing_.begin({world, options, space_.segments(), space_.before()}, care, problem_.segments, space_.free());
}

double ProblemBuilder::look_at_joints(const World& world, const StepOptions& options, double drift_time,
                                      std::span<const double> impulses, std::span<const double> velocity) {
  return closing_.look({world, options, space_.segments(), space_.before()}, joint_setting(world, options, drift_time), joints_,
                       impulses, velocity);
}

void ProblemBuilder::correct_joints() {
  if (closing_.correct(joints_, problem_, space_.free())) problem_.finalize();
}

double ProblemBuilder::work_beside_rows(std::span<const double> velocity) const {
  return closing_.work(space_.before(), space_.free(), velocity);
}

void ProblemBuilder::balance_joints(const World& world, std::span<double> velocity) {
  closing_.balance(world, space_.segments(), space_.free(), velocity);
}

std::uint32_t ProblemBuilder::meet(const World& world, MaterialId a, MaterialId b) {
  for (std::uint32_t k = 0; k < pairs_.size(); ++k)
    if (pairs_[k].a == a && pairs_[k].b == b) return k;
  pairs_.push_back({a, b, world.materials.between(a, b), {}});
  if (MetPair& met = pairs_.back(); met.surface.law) {
    // Prepared anew only if the law is not that of the step before.
    for (MetPair& earlier : earlier_pairs_)
      if (earlier.law && earlier.a == a && earlier.b == b && *earlier.surface.law == *met.surface.law)
        met.law = std::move(earlier.law);
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
    const Motion a = motion_of(world, ca), b = motion_of(world, cb);
    ContactSite site;
    site.h = options.h;
    site.a = {&world.materials[ca.material].surface, a.pose * ca.local};
    site.b = {&world.materials[cb.material].surface, b.pose * cb.local};
    site.frame_of_b = surface.fixed_to == cb.material && surface.fixed_to != ca.material;
    site.length = thinner(ca, cb);
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

ProblemBuilder::Sides ProblemBuilder::sides_of(const World& world, const Manifold& m) const {
  const auto side = [&](std::uint32_t index, std::uint64_t part, double sign) -> Side {
    const Collider& c = world.colliders()[index];
    return {&c, static_cast<std::uint32_t>(part), sign, c.deforms ? kNoSegment : space_.segment_of(world.mover_of(c))};
  };
  return {side(m.a, m.parts >> 32, -1), side(m.b, m.parts, 1)};
}

/// What moves with a material point: calls f(segment, weight).
template <class F>
void ProblemBuilder::for_each_segment(const World& world, const Side& side, const Vec3& place, F&& f) const {
  if (!side.collider->deforms) {
    if (side.segment != kNoSegment) f(side.segment, 1.0);
    return;
  }
  for (const Stencil::Entry& entry : stencil(world, *side.collider, side.part, place))
    if (const std::uint32_t segment = space_.segment_of(entry.mover); segment != kNoSegment) f(segment, entry.weight);
}

/// The segments that contacts of a manifold act on, each once.
void ProblemBuilder::find_segments(const World& world, const Manifold& m) {
  found_segments_.clear();
  for (const Side& side : sides_of(world, m))
    for_each_segment(world, side, Vec3::Zero(), [&](std::uint32_t segment, double) {
      if (std::find(found_segments_.begin(), found_segments_.end(), segment) == found_segments_.end())
        found_segments_.push_back(segment);
    });
}

void ProblemBuilder::number_contacts(const World& world, const ContactSet& set) {
  // After the joints, contacts with the unmoving world first, then those between moving bodies, bottom up, then those of nodes;
  // within them by law, so that each makes one batch.
  contacts_.resize(set.points.size());
  std::uint32_t next = joints_.block_count(), row = joints_.row_count(), jacobian = joints_.jacobian_size();
  problem_.blocks.resize(next + set.points.size());
  problem_.stencils.clear();
  Block common;
  for (const int arity : {1, 2, int{kAnyArity}})
    for (std::size_t kind = 0; kind < std::variant_size_v<FrictionSet>; ++kind) {
      if (!(kinds_ >> kind & 1u)) continue;
      if (arity == kAnyArity && world.node_count() == 0) continue;
      for (const Manifold& m : set.manifolds) {
        find_segments(world, m);
        const bool rigid =
            std::all_of(found_segments_.begin(), found_segments_.end(), [&](auto s) { return space_.is_rigid(s); });
        if ((rigid ? static_cast<int>(found_segments_.size()) : int{kAnyArity}) != arity) continue;
        std::uint32_t width = 0;
        for (const std::uint32_t segment : found_segments_) width += static_cast<std::uint32_t>(space_.size_of(segment));
        problem_.set_segments(common = Block{}, found_segments_);
        for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
          if (!local_.empty() && local_[i].set.index() != kind) continue;
          Block& block = problem_.blocks[next];
          block = common;
          block.dim = static_cast<std::uint8_t>(local_.empty() ? 3 : 1 + law_rows(local_[i].set));
          block.row = row;
          block.jacobian = jacobian;
          row += block.dim;
          jacobian += width * block.dim;
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

/// Frame and friction law of a contact. Points of a face share their normal, and so their frame.
void ProblemBuilder::orient(const PairSetting& pair, const ContactPoint& point, std::uint32_t index) {
  BuiltContact& built = contacts_[index];
  if (local_.empty()) {
    const bool known = index > pair.manifold.first && contacts_[index - 1].frame.col(0) == point.normal;
    built.frame = known ? contacts_[index - 1].frame : frame_from_normal(point.normal);
    problem_.laws[built.block] = CircularFriction{pair.surface.friction};
  } else {
    LocalFriction& local = local_[index];
    built.frame = frame_from(point.normal, local.tangent);
    built.friction = tangential_reach(local.set);
    problem_.laws[built.block] = std::move(local.set);
  }
  if (problem_.blocks[built.block].dim <= 3) return;
  built.spin = static_cast<std::uint32_t>(spins_.size());
  spins_.push_back({pair.thickness, Vec3::Zero(), Vec3::Zero()});
}

/// Rows of torsion and rolling of one body. @param jacobian of that body
void ProblemBuilder::fill_spin(const BuiltContact& built, std::uint32_t segment, double sign, double* jacobian,
                               Vec3& free_spin) {
  SpinRows& spin = spins_[built.spin];
  const Block& block = problem_.blocks[built.block];
  for (int k = 3; k < block.dim; ++k) {
    double* row = jacobian + kRigidSize * k;
    Eigen::Map<Vec3>(row).setZero();
    Eigen::Map<Vec3>(row + 3) = sign * spin.length * built.frame.col(turn_of_row(block.dim - 1, k));
  }
  spin.before += sign * (built.frame.transpose() * angular_part(space_.before(), segment));
  free_spin += sign * (built.frame.transpose() * angular_part(space_.free(), segment));
}

/// Columns of a mover of one side, and its share of the velocities. A mover that is on both sides, a node between two
/// triangles, has its columns already. @param weight of the mover, negative on the side of A @param jacobian where columns go;
/// set to where the next ones do
void ProblemBuilder::fill_columns(std::uint32_t segment, double weight, const Vec3& on_surface, const BuiltContact& built,
                                  double*& jacobian, SideVelocities& u) {
  const Block& block = problem_.blocks[built.block];
  const int translations = std::min<int>(block.dim, 3), size = space_.size_of(segment);
  const Vec3& center = space_.center(segment);
  double* columns = columns_of(block, segment, jacobian);
  if (columns == jacobian) {
    write_columns(size, weight, center, on_surface, built.frame, translations, columns);
    for (int k = translations * size; k < block.dim * size && size == kNodeSize; ++k) columns[k] = 0;   // a node does not turn
    jacobian += size * block.dim;
  } else {
    for (int k = 0; k < translations; ++k) Eigen::Map<Vec3>(columns + k * size) += weight * built.frame.col(k);
  }
  if (built.spin != kNoSpin && size == kRigidSize) fill_spin(built, segment, weight, columns, u.free_spin);
  const Vec3 arm = on_surface - center;
  u.before += weight * space_.velocity_at(space_.before(), segment, arm);
  u.free += weight * space_.velocity_at(space_.free(), segment, arm);
}

/// Where the columns of a segment of a block are: `end`, where the next ones go, unless an earlier mover has this segment.
double* ProblemBuilder::columns_of(const Block& block, std::uint32_t segment, double* end) {
  if (block.arity <= 2 && space_.is_rigid(segment)) return end;   // bodies do not meet themselves
  double* at = problem_.jacobian_values.data() + block.jacobian;
  for (const std::uint32_t s : problem_.segments_of(block)) {
    if (at == end || s == segment) break;
    at += space_.size_of(s) * block.dim;
  }
  return at;
}

void ProblemBuilder::fill_side(const World& world, const Side& side, const ContactPoint& point, BuiltContact& built,
                               double*& jacobian, SideVelocities& u) {
  const Vec3 on_surface = point.position + side.sign * built.half_gap * point.normal;
  for_each_segment(world, side, on_surface, [&](std::uint32_t segment, double weight) {
    fill_columns(segment, side.sign * weight, on_surface, built, jacobian, u);
  });
  if (side.segment != kNoSegment || world.bodies()[side.collider->body].motion != MotionType::kinematic) return;
  const Motion motion = motion_of(world, *side.collider);
  built.driven += side.sign * (built.frame.transpose() * motion.velocity_at(on_surface));
  if (built.spin != kNoSpin) spins_[built.spin].driven += side.sign * (built.frame.transpose() * motion.angular_velocity);
}

void ProblemBuilder::fill_contact(const World& world, const PairSetting& pair, const ContactPoint& point, std::uint32_t index,
                                  const StepOptions& options) {
  BuiltContact& built = contacts_[index];
  ContactProblem& p = problem_;
  const Block& block = p.blocks[built.block];
  built = {built.block,
           kNoSpin,
           Mat3::Zero(),
           Vec3::Zero(),
           Vec3::Zero(),
           0,
           false,
           0,
           Vec3::Zero(),
           pair.surface.friction,
           pair.surface.restitution};
  // Impulses act on the surface of a body that strikes the unmoving world. Between two bodies that move they act on one point,
  // halfway: two would be a torque from nowhere.
  if (block.arity == 1 && point.gap > pair.band) built.half_gap = 0.5 * point.gap;
  orient(pair, point, index);
  SideVelocities u;
  double* jacobian = p.jacobian_values.data() + block.jacobian;
  for (const Side& side : pair.sides) fill_side(world, side, point, built, jacobian, u);
  const Vec3 before_here = built.frame.transpose() * u.before, free_here = built.frame.transpose() * u.free;
  Vec3 b = Vec3::Zero();
  for (int k = 0; k < std::min<int>(block.dim, 3); ++k) {
    built.before[k] = before_here[k];
    b[k] = free_here[k];
  }
  built.before += built.driven;
  ask(world, pair, point, built, b + built.driven, options);
  if (built.spin == kNoSpin) return;
  SpinRows& spin = spins_[built.spin];
  spin.before += spin.driven;
  for (int k = 3; k < block.dim; ++k) {
    const int turn = turn_of_row(block.dim - 1, k);
    p.b[block.row + k] = spin.length * (u.free_spin[turn] + spin.driven[turn]);
  }
}

Vec3 ProblemBuilder::relative_velocity(const World& world, const Sides& sides, const ContactPoint& point,
                                       const BuiltContact& built, std::span<const double> u) const {
  Vec3 relative = built.frame * built.driven;
  for (const Side& side : sides) {
    const Vec3 on_surface = point.position + side.sign * built.half_gap * point.normal;
    for_each_segment(world, side, on_surface, [&](std::uint32_t segment, double weight) {
      relative += side.sign * weight * space_.velocity_at(u, segment, on_surface - space_.center(segment));
    });
  }
  return relative;
}

Vec3 ProblemBuilder::relative_spin(const Sides& sides, const BuiltContact& built, std::span<const double> u) const {
  Vec3 spin = spins_[built.spin].driven;
  for (const Side& side : sides)
    if (side.segment != kNoSegment && space_.is_rigid(side.segment))
      spin += side.sign * (built.frame.transpose() * angular_part(u, side.segment));
  return spin;
}

/// What the rows ask for. Positions move on for h until contacts are looked at again, in both schemes.
/// @param b relative velocity without impulses, contact frame [m/s]
void ProblemBuilder::ask(const World& world, const PairSetting& pair, const ContactPoint& point, BuiltContact& built, Vec3 b,
                         const StepOptions& options) {
  const Block& block = problem_.blocks[built.block];
  const double h = options.h;
  const double touch = pair.correction.compliance > 0 ? 0 : pair.band;   // a spring has a length of its own
  if (pair.surface.restitution > 0 && built.before[0] < -pair.threshold && point.gap + h * b[0] <= 0) {
    b[0] += pair.surface.restitution * built.before[0];   // Newton's impact law: vₙ⁺ ≥ −e vₙ⁻
    built.rebounds = true;
  } else if (point.gap > touch) {
    b[0] += point.gap / h;
  } else {
    built.touching = true;
    if (const double depth = -touch - point.gap; depth > 0)
      built.recovery_speed = std::min(pair.correction.error_reduction * depth / h, fastest_recovery(world, pair.thickness));
    b[0] -= built.recovery_speed;
    problem_.sigma[block.row] = pair.correction.compliance;
  }
  for (int k = 0; k < std::min<int>(block.dim, 3); ++k) problem_.b[block.row + k] = b[k];
}

void ProblemBuilder::fill_contacts(const World& world, const ContactSet& set, const StepOptions& options) {
  const double threshold = options.restitution_threshold * world.gravity.norm() * options.h;
  const Correction c = correction(options.stabilisation, options.h);
  for (std::uint32_t k = 0; k < set.manifolds.size(); ++k) {
    const Manifold& m = set.manifolds[k];
    const Collider &a = world.colliders()[m.a], &b = world.colliders()[m.b];
    const double thickness = thinner(a, b);
    const double band = options.contact_band * thickness;
    const PairSetting pair{m, pairs_[pair_of_manifold_[k]].surface, sides_of(world, m), thickness, band, threshold, c};
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) fill_contact(world, pair, set.points[i], i, options);
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
  fill_contacts(world, set, options);
  remember(world, set, options);
  if (options.turning_contacts) turn(world, set, options);
  soften(world, set, options);
  problem_.finalize();
  if (!options.warm_start) guess_.assign(problem_.rows(), 0.0);
}

/// Finds what touches or is joined, and its mass.
void ProblemBuilder::weigh() {
  group_of_segment_.resize(problem_.segments.size());
  std::iota(group_of_segment_.begin(), group_of_segment_.end(), 0u);
  const auto root = [&](std::uint32_t s) {
    while (group_of_segment_[s] != s) s = group_of_segment_[s] = group_of_segment_[group_of_segment_[s]];
    return s;
  };
  for (const Block& block : problem_.blocks) {
    const auto segments = problem_.segments_of(block);
    for (std::size_t k = 1; k < segments.size(); ++k) {
      const std::uint32_t a = root(segments[0]), b = root(segments[k]);
      group_of_segment_[std::max(a, b)] = std::min(a, b);
    }
  }
  weight_of_group_.assign(problem_.segments.size(), 0.0);
  for (std::uint32_t s = 0; s < problem_.segments.size(); ++s) {
    group_of_segment_[s] = root(s);
    weight_of_group_[group_of_segment_[s]] += 1 / problem_.segments[s].inverse_mass;
  }
}

/// A contact that carried a load in the last step and lies a little above the band got there by an error of a support that
/// turns, or drifted there within the tolerance of many steps. It comes back to the edge of the band, as from below: falling to
/// the middle would be an impact, with friction that lets go for a step.
void ProblemBuilder::hold_on(const World& world, const Manifold& m, const ContactSet& set, const StepOptions& options) {
  if (correction(options.stabilisation, options.h).compliance > 0) return;
  const double band = options.contact_band * thinner(world.colliders()[m.a], world.colliders()[m.b]);
  for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
    BuiltContact& built = contacts_[i];
    const std::uint32_t row = problem_.blocks[built.block].row;
    if (built.touching || built.rebounds || set.points[i].gap > 2 * band || !(guess_[row] > 0)) continue;
    built.touching = true;
    problem_.b[row] -= band / options.h;
  }
}

/// What bodies would do with the impulses of the last step.
void ProblemBuilder::expect(const World& world, const StepOptions& options) {
  const double fall = world.gravity.norm() * options.h;
  expected_.resize(world.mover_count());
  velocity_.assign(space_.free().begin(), space_.free().end());
  for (const Block& block : problem_.blocks) {
    const double* jacobian = problem_.jacobian_values.data() + block.jacobian;
    for (const std::uint32_t s : problem_.segments_of(block)) {
      push(s, block, jacobian);
      jacobian += space_.size_of(s) * block.dim;
    }
  }
  for (std::uint32_t i = 0; i < world.mover_count(); ++i) {
    const Motion now = motion_of(world, i);
    expected_[i] = {now.velocity, now.angular_velocity};
    if (space_.segment_of(i) == kNoSegment) continue;
    const Twist after = space_.twist(velocity_, space_.segment_of(i));
    // Small changes of a spin are the torque of impulses that press against each other, from arms that have turned since; large
    // ones are blows, which are not struck twice.
    const double turned = (after.angular - now.angular_velocity).norm(), pushed = (after.linear - now.velocity).norm();
    if (pushed > kSteadyMotion * now.velocity.norm() + 5 * fall || turned > kSteadyMotion * now.angular_velocity.norm())
      continue;
    expected_[i].linear = after.linear;
    if (turned > kSteadySpin * after.angular.norm()) expected_[i].angular = after.angular;
  }
}

/// Velocity that the impulses of the last step give a segment through a block. @param jacobian its columns
void ProblemBuilder::push(std::uint32_t s, const Block& block, const double* jacobian) {
  const int size = space_.size_of(s);
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  for (std::uint32_t k = 0; k < block.dim; ++k, jacobian += size) {
    linear += guess_[block.row + k] * Eigen::Map<const Vec3>(jacobian);
    if (size == kRigidSize) angular += guess_[block.row + k] * Eigen::Map<const Vec3>(jacobian + 3);
  }
  const VelocitySegment& segment = problem_.segments[s];
  double* u = velocity_.data() + space_.offset(s);
  Eigen::Map<Vec3>(u) += segment.inverse_mass * linear;
  if (size == kRigidSize) Eigen::Map<Vec3>(u + 3) += segment.inverse_inertia * angular;
}

/// What lies on a driven body with a face and moves with it goes on to: how that body moves in this step is known, while the
/// impulses of the last step are late by one.
void ProblemBuilder::follow_supports(const World& world, const ContactSet& set, const StepOptions& options) {
  const double close = kFollows * world.gravity.norm() * options.h;
  for (const Manifold& m : set.manifolds) {
    std::uint32_t mover = world.colliders()[m.a].body, follower = world.colliders()[m.b].body;
    if (world.bodies()[mover].motion != MotionType::kinematic) std::swap(mover, follower);
    if (m.count < 3 || world.bodies()[mover].motion != MotionType::kinematic || space_.segment_of(follower) == kNoSegment)
      continue;
    const Motion driven = motion_of(world, mover);
    bool carried = true;
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i)
      carried = carried && contacts_[i].touching && guess_[problem_.blocks[contacts_[i].block].row] > 0;
    const Vec3 velocity = driven.velocity_at(space_.center(space_.segment_of(follower)));
    if (!carried || (velocity - expected_[follower].linear).norm() > close) continue;
    expected_[follower] = {velocity, driven.angular_velocity};
  }
}

/// Contacts that carry a load, or touch without being struck, get the change of their velocity within the step
/// (step/turning.h).
void ProblemBuilder::turn(const World& world, const ContactSet& set, const StepOptions& options) {
  const double threshold = options.restitution_threshold * world.gravity.norm() * options.h;
  const auto persists = [&](std::uint32_t i) {
    return contacts_[i].touching &&
           (guess_[problem_.blocks[contacts_[i].block].row] > 0 || contacts_[i].before[0] > -threshold);
  };
  bool any = false;
  for (const Manifold& m : set.manifolds) {
    hold_on(world, m, set, options);
    if (!turns(world, m)) continue;
    bool loaded = false;
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) loaded = loaded || persists(i);
    if (!loaded) continue;
    if (!any) {
      expect(world, options);
      follow_supports(world, set, options);
      turning_.begin(world, options, expected_);
      any = true;
    }
    const std::span<const Vec3> kappa = turning_.of(m, std::span(set.points).subspan(m.first, m.count));
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      if (!persists(i)) continue;
      BuiltContact& built = contacts_[i];
      const Block& block = problem_.blocks[built.block];
      built.turning = built.frame.transpose() * kappa[i - m.first];
      // Asked for more than the approach, an impulse would give energy.
      built.turning[0] = std::max(built.turning[0], std::min(0.0, built.before[0]));
      for (int k = 0; k < std::min<int>(block.dim, 3); ++k) problem_.b[block.row + k] += built.turning[k];
    }
  }
}

void ProblemBuilder::bend(std::uint32_t point, double kappa) {
  BuiltContact& built = contacts_[point];
  if (built.rebounds) return;
  problem_.b[problem_.blocks[built.block].row] += kappa - built.turning[0];
  built.turning[0] = kappa;
}

/// Recovery of a body that is wedged in asks for what cannot be: forces would grow without bound. Contacts beyond the band are
/// elastic along the normal, so that they settle a little beyond it instead, each with its share of the load. Friction stays
/// rigid: an elastic one would creep.
void ProblemBuilder::soften(const World& world, const ContactSet& set, const StepOptions& options) {
  const bool recovers =
      std::any_of(contacts_.begin(), contacts_.end(), [](const BuiltContact& c) { return c.recovery_speed > 0; });
  if (!recovers || !(options.contact_elasticity > 0)) return;
  weigh();
  const double fall = world.gravity.norm() * options.h * options.h;
  for (const Manifold& m : set.manifolds) {
    const double give =
        options.contact_elasticity * options.contact_band * thinner(world.colliders()[m.a], world.colliders()[m.b]);
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const Block& block = problem_.blocks[contacts_[i].block];
      if (!(contacts_[i].recovery_speed > 0) || problem_.sigma[block.row] > 0) continue;
      const double w = normal_give(block), mass = weight_of_group_[group_of_segment_[problem_.segments_of(block).front()]];
      problem_.sigma[block.row] = std::min(kMostElastic * w, fall > 0 ? give / (mass * fall) : w);
      settle(contacts_[i], kSettled * options.tolerance * world.gravity.norm() * options.h);
    }
  }
}

/// W_nn of a contact before finalize() [1/kg].
double ProblemBuilder::normal_give(const Block& block) const {
  double w = 0;
  const double* row = problem_.jacobian_values.data() + block.jacobian;
  for (const std::uint32_t s : problem_.segments_of(block)) {
    const VelocitySegment& segment = problem_.segments[s];
    const Eigen::Map<const Vec3> linear(row);
    if (segment.is_rigid()) {
      const Eigen::Map<const Vec3> angular(row + 3);
      w += segment.inverse_mass * linear.squaredNorm() + angular.dot(segment.inverse_inertia * angular);
    } else {
      w += segment.inverse_mass * linear.squaredNorm();
    }
    row += space_.size_of(s) * block.dim;
  }
  return w;
}

/// An elastic contact that is next to where its load and its recovery balance stays there. Without this the last nanometres
/// would be corrected by velocities of the size of the tolerance, which solves leave as they are until they have gone too far.
/// @param speed by which recovery may miss, and which is taken from what it misses by beyond [m/s]
void ProblemBuilder::settle(BuiltContact& c, double speed) {
  const std::uint32_t row = problem_.blocks[c.block].row;
  const double balance = problem_.sigma[row] * guess_[row], missing = c.recovery_speed - balance;
  const double settled = balance + std::copysign(std::max(std::abs(missing) - speed, 0.0), missing);
  problem_.b[row] += c.recovery_speed - settled;
  c.recovery_speed = settled;
}

/// The impulses of the last step, as those of this one.
void ProblemBuilder::remember(const World& world, const ContactSet& set, const StepOptions& options) {
  guess_.assign(problem_.rows(), 0.0);
  if (!(world.memory.h > 0)) return;
  const double scale = options.h / world.memory.h;
  joints_.fill_guess(world, scale, guess_);
  // Both lists are sorted by key.
  auto old = world.memory.impulses.begin();
  const auto end = world.memory.impulses.end();
  for (const Manifold& m : set.manifolds) {
    const PartPair& here = m;
    while (old != end && PartPair(old->key) < here) ++old;
    const auto first = old;
    while (old != end && PartPair(old->key) == here) ++old;
    if (first != old) remember(world, set, m, std::span(first, old), scale);
  }
}

/// Impulses go to the points of the same features. Faces of two boxes that lie on each other change places as the reference,
/// and with them the names of all their features: impulses whose features are gone go to the points that are now where theirs
/// were.
void ProblemBuilder::remember(const World& world, const ContactSet& set, const Manifold& m,
                              std::span<const RememberedImpulse> old, double scale) {
  taken_.assign(m.count, false);
  orphans_.clear();
  std::uint32_t i = 0;
  for (const RememberedImpulse& r : old) {
    while (i < m.count && set.points[m.first + i].feature < r.key.feature) ++i;
    if (i < m.count && set.points[m.first + i].feature == r.key.feature) {
      set_guess(m.first + i, r, scale);
      taken_[i] = true;
    } else if (r.impulse.squaredNorm() > 0 && r.position.allFinite()) {
      orphans_.push_back(r);
    }
  }
  const double reach = kSamePlace * thinner(world.colliders()[m.a], world.colliders()[m.b]);
  for (const RememberedImpulse& r : orphans_) {
    std::uint32_t nearest = m.count;
    double least = reach * reach;
    for (i = 0; i < m.count; ++i) {
      const ContactPoint& point = set.points[m.first + i];
      const double distance = (point.position - r.position).squaredNorm();
      if (taken_[i] || distance > least || !(point.normal.dot(r.impulse) > 0)) continue;
      nearest = i;
      least = distance;
    }
    if (nearest == m.count) continue;
    set_guess(m.first + nearest, r, scale);
    taken_[nearest] = true;
  }
}

void ProblemBuilder::set_guess(std::uint32_t point, const RememberedImpulse& r, double scale) {
  const BuiltContact& built = contacts_[point];
  const Block& block = problem_.blocks[built.block];
  const Vec3 impulse = scale * (built.frame.transpose() * r.impulse);
  for (int k = 0; k < std::min<int>(block.dim, 3); ++k) guess_[block.row + k] = impulse[k];
  if (built.spin == kNoSpin) return;
  const Vec3 angular = scale / spins_[built.spin].length * (built.frame.transpose() * r.angular_impulse);
  for (int k = 3; k < block.dim; ++k) guess_[block.row + k] = angular[turn_of_row(block.dim - 1, k)];
}

}   // namespace stickslip
