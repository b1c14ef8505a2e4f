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

/// The shortest solution of a semidefinite system.
Vec3 least_solution(const Mat3& matrix, const Vec3& right) {
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(matrix);
  Vec3 x = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (axes.eigenvalues()[k] > 1e-12 * axes.eigenvalues()[2])
      x += axes.eigenvectors().col(k).dot(right) / axes.eigenvalues()[k] * axes.eigenvectors().col(k);
  return x;
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

}   // namespace

void ProblemBuilder::begin(const World& world, const StepOptions& options, JointCare care) {
  // Arrays that build() overwrites whole keep their size: clearing them would only have them filled with zeros again.
  problem_.segments.clear();
  problem_.clear_carriers();
  problem_.h = options.h;
  const double kick = kick_time(world, options);
  space_.begin(world);
  for (const BodyKindSteps* kind : body_kinds()) kind->append(world, options, kick, space_, problem_, &soft_);
  const JointRows::Setting efforts{world, options, 0, space_.segments(), space_.before(), space_.free(), {}, problem_.segments};
  joints_.push_efforts(efforts, space_.free());
  closing_.begin({world, options, space_.segments(), space_.before()}, care, problem_.segments, space_.free());
  AttachmentRows::stiffen(attachment_setting(world, options), problem_.segments);
}

double ProblemBuilder::look_at_joints(const World& world, const StepOptions& options, double drift_time,
                                      std::span<const double> impulses, std::span<const double> velocity) {
  const double off = attachments_.look(attachment_setting(world, options), velocity);
  closes_joints_ = world.joint_count() > 0;
  if (!closes_joints_) return off;
  return std::max(off, closing_.look({world, options, space_.segments(), space_.before()},
                                     joint_setting(world, options, drift_time), joints_, impulses, velocity));
}

void ProblemBuilder::correct_joints() {
  attachments_.correct(problem_);
  if (closes_joints_ && closing_.correct(joints_, problem_, space_.free())) problem_.finalize();
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

/// What a law sees of a contact. @param patch null of a point
void ProblemBuilder::see(const World& world, const Manifold& m, const ContactPoint& point, const ContactPatch* patch,
                         ContactSite& site) {
  const Collider &a = world.colliders()[m.a], &b = world.colliders()[m.b];
  site.position = point.position;
  site.normal = point.normal;
  site.gap = point.gap;
  const Vec3 relative = velocity_at(world, b, static_cast<std::uint32_t>(m.parts), point.position) -
                        velocity_at(world, a, static_cast<std::uint32_t>(m.parts >> 32), point.position);
  site.slip = relative - relative.dot(point.normal) * point.normal;
  if (!patch) return;
  const Vec3 spin = motion_of(world, b).angular_velocity - motion_of(world, a).angular_velocity;
  site.slip = areas_.mean_slip(*patch, site.slip, spin.dot(point.normal));
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
  areas_.begin_round();
  if (all_coulomb && set.patches.empty()) return;
  local_.resize(set.points.size());
  rolling_.assign(set.points.size(), 0.0);
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
      const ContactPatch* const patch = point.feature == kPatchFeature ? set.patch_of(m) : nullptr;
      if (surface.law) {
        see(world, m, point, patch, site);
        local_[i] = pairs_[pair_of_manifold_[k]].law(site);
      } else {
        local_[i] = {Vec3::Zero(), CircularFriction{surface.friction}};
      }
      if (patch) {
        if (surface.law) rolling_[i] = rolling_reach(local_[i].set, site.length);
        local_[i] = areas_.over(*patch, point.normal, local_[i], site.length);
      }
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

void ProblemBuilder::number_contacts(const World& world, const ContactSet& set, const StepOptions& options) {
  // After joints and attachments, contacts with the unmoving world first, then those between moving bodies, bottom up, then
  // those of nodes; within them by law, so that each makes one batch.
  contacts_.resize(set.points.size());
  const AttachmentRows::Start after_joints{joints_.block_count(), joints_.row_count(), joints_.jacobian_size()};
  auto [next, row, jacobian] = attachments_.end(after_joints);
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
  attachments_.write(attachment_setting(world, options), problem_, after_joints);
  spins_.clear();
}

/// Frame and friction law of a contact. Points of a face share their normal, and so their frame. @param length of spin rows [m]
void ProblemBuilder::orient(const PairSetting& pair, const ContactPoint& point, std::uint32_t index, double length) {
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
  spins_.push_back({length, Vec3::Zero(), Vec3::Zero(), local_.empty() ? 0 : rolling_[index]});
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

/// What held nodes of a soft body prescribe.
void ProblemBuilder::drive_held(const World& world, const Side& side, const Vec3& on_surface, BuiltContact& built) const {
  for (const Stencil::Entry& entry : stencil(world, *side.collider, side.part, on_surface))
    if (space_.segment_of(entry.mover) == kNoSegment)
      built.driven += side.sign * entry.weight * (built.frame.transpose() * motion_of(world, entry.mover).velocity);
}

void ProblemBuilder::fill_side(const World& world, const Side& side, const ContactPoint& point, BuiltContact& built,
                               double*& jacobian, SideVelocities& u) {
  const Vec3 on_surface = point.position + side.sign * built.half_gap * point.normal;
  for_each_segment(world, side, on_surface, [&](std::uint32_t segment, double weight) {
    fill_columns(segment, side.sign * weight, on_surface, built, jacobian, u);
  });
  if (side.collider->deforms) return drive_held(world, side, on_surface, built);
  if (side.segment != kNoSegment || world.bodies()[side.collider->body].motion != MotionType::kinematic) return;
  const Motion motion = motion_of(world, *side.collider);
  built.driven += side.sign * (built.frame.transpose() * motion.velocity_at(on_surface));
  if (built.spin != kNoSpin) spins_[built.spin].driven += side.sign * (built.frame.transpose() * motion.angular_velocity);
}

void ProblemBuilder::fill_contact(const World& world, const ContactSet& set, const PairSetting& pair, std::uint32_t index,
                                  const StepOptions& options) {
  const ContactPoint& point = set.points[index];
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
           pair.surface.restitution > 0};
  // Impulses act on the surface of a body that strikes the unmoving world. Between two bodies that move they act on one point,
  // halfway: two would be a torque from nowhere.
  if (block.arity == 1 && point.gap > pair.band) built.half_gap = 0.5 * point.gap;
  const ContactPatch* const patch = point.feature == kPatchFeature ? set.patch_of(pair.manifold) : nullptr;
  orient(pair, point, index, patch ? patch->radius() : pair.thickness);
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
  b += built.driven;
  for (int k = 0; k < std::min<int>(block.dim, 3); ++k) p.b[block.row + k] = b[k];
  if (built.spin != kNoSpin) {
    SpinRows& spin = spins_[built.spin];
    spin.before += spin.driven;
    for (int k = 3; k < block.dim; ++k) {
      const int turn = turn_of_row(block.dim - 1, k);
      p.b[block.row + k] = spin.length * (u.free_spin[turn] + spin.driven[turn]);
    }
  }
  if (patch) return ask_of_patch(world, pair, *patch, built, options);
  const Asked asked = ask(world, pair, point.gap + pair.manifold.target, built.before[0], b[0], options);
  take(asked, asked.speed, pair, built);
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

/// What a normal row asks for beside the free velocity. Positions move on for h until contacts are looked at again, in both
/// schemes. @param before, free normal velocity before the step and without impulses [m/s]
ProblemBuilder::Asked ProblemBuilder::ask(const World& world, const PairSetting& pair, double gap, double before, double free,
                                          const StepOptions& options) const {
  const double h = options.h;
  const double touch = pair.correction.compliance > 0 ? 0 : pair.band;   // a spring has a length of its own
  Asked asked;
  if (pair.surface.rebounds() && before < -pair.threshold && gap + h * free <= 0) {
    asked.speed = pair.surface.restitution * before;   // Newton's impact law: vₙ⁺ ≥ −e vₙ⁻
    asked.rebounds = true;
  } else if (gap > touch) {
    asked.speed = gap / h;
  } else {
    asked.touching = true;
    const double time = pair.correction.compliance > 0 ? h : std::max(h, recovery_time_);
    if (const double depth = -touch - gap; depth > 0)
      asked.recovery = std::min(pair.correction.error_reduction * depth / time, fastest_recovery(world, pair.thickness));
    asked.speed = -asked.recovery;
  }
  return asked;
}

/// Writes what a contact asks for. @param speed of its normal row [m/s]
void ProblemBuilder::take(const Asked& asked, double speed, const PairSetting& pair, BuiltContact& built) {
  const Block& block = problem_.blocks[built.block];
  problem_.b[block.row] += speed;
  built.rebounds = asked.rebounds;
  built.touching = asked.touching;
  built.recovery_speed = asked.recovery;
  if (asked.touching) problem_.sigma[block.row] = pair.correction.compliance;
  // λ_T = prox_F(λ_T − r (v_T⁺ + e_T v_T⁻)): slip turns back as far as friction can.
  for (int k = 1; k < std::min<int>(block.dim, 3) && asked.rebounds; ++k)
    problem_.b[block.row + k] += pair.surface.tangential_restitution * built.before[k];
}

/// What the corners of an area ask for, as a linear function of the place that is nowhere above it: rolling rows have its
/// slope.
void ProblemBuilder::ask_of_patch(const World& world, const PairSetting& pair, const ContactPatch& patch, BuiltContact& built,
                                  const StepOptions& options) {
  const std::uint32_t row = problem_.blocks[built.block].row;
  const SpinRows& spin = spins_[built.spin];
  std::array<double, ContactPatch::kMaxCorners> speeds;
  std::array<Vec3, ContactPatch::kMaxCorners> places;   // 1, c̃
  const Mat2 turn = turned_into(built.frame, patch);
  Asked all;
  Mat3 matrix = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (int k = 0; k < patch.corner_count; ++k) {
    const Vec2 place = rolling_place(turn * patch.corners[k], spin.length);
    places[k] << 1, place;
    const double before = built.before[0] + spin.length * place.dot(spin.before.tail<2>());
    const double free = problem_.b[row] + place.x() * problem_.b[row + 4] + place.y() * problem_.b[row + 5];
    const Asked asked = ask(world, pair, patch.gap_at(patch.corners[k]) + pair.manifold.target, before, free, options);
    all.touching = all.touching || asked.touching;
    all.rebounds = all.rebounds || asked.rebounds;
    all.recovery = std::max(all.recovery, asked.recovery);
    speeds[k] = asked.speed;
    matrix += places[k] * places[k].transpose();
    right += speeds[k] * places[k];
  }
  const Vec3 fit = least_solution(matrix, right);
  double above = 0;
  for (int k = 0; k < patch.corner_count; ++k) above = std::max(above, fit.dot(places[k]) - speeds[k]);
  take(all, fit[0] - above, pair, built);
  problem_.b[row + 4] += fit[1];
  problem_.b[row + 5] += fit[2];
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
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) fill_contact(world, set, pair, i, options);
  }
}

Vec3 ProblemBuilder::angular_impulse(const BuiltContact& c, std::span<const double> impulses) const {
  Vec3 sum = Vec3::Zero();
  if (c.spin == kNoSpin) return sum;
  const Block& block = problem_.blocks[c.block];
  for (int k = 3; k < block.dim; ++k) sum[turn_of_row(block.dim - 1, k)] = spins_[c.spin].length * impulses[block.row + k];
  return sum;
}

double ProblemBuilder::rolling_resistance(const BuiltContact& c, const Vec3& spin, std::span<const double> impulses) const {
  const SpinRows& rows = spins_[c.spin];
  const std::uint32_t row = problem_.blocks[c.block].row;
  const Vec2 against = -spin.tail<2>().normalized(), moment(impulses[row + 4], impulses[row + 5]);
  const double reached = rows.length * moment.dot(against),
               without = rows.length * std::get<PatchFriction>(problem_.laws[c.block]).patch().support(against) - rows.rolling;
  return std::clamp(reached - impulses[row] * without, 0.0, impulses[row] * rows.rolling);
}

void ProblemBuilder::build(const World& world, const ContactSet& set, const StepOptions& options, double drift_time) {
  choose_laws(world, set, options);
  joints_.collect(joint_setting(world, options, drift_time));
  attachments_.collect(attachment_setting(world, options));
  number_contacts(world, set, options);
  fill_contacts(world, set, options);
  remember(world, set, options);
  let_roll(world, set);
  if (options.turning_contacts) turn(world, set, options);
  soften(world, set, options);
  problem_.finalize();
  if (!options.warm_start) guess_.assign(problem_.rows(), 0.0);
}

}   // namespace stickslip
