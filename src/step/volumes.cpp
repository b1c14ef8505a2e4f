#include "step/volumes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "step/sizes.h"
#include "stickslip/geometry/mesh_names.h"

namespace stickslip {

namespace {

constexpr double kSlight = 0.05;                    ///< part of the target depth from which on an overlap counts
constexpr double kSmallestReach = 1e-6;             ///< of an area, as a part of the thinner body's thickness
constexpr double kRound = 0.02, kRoundBall = 0.1;   ///< by which areas of ellipses may be off: of discs; of caps that are deep
constexpr double kLying = 0.1;      ///< cosine between an axis and the normal below which a body lies on its side and rolls
constexpr double kMuchLess = 0.5;   ///< part of a depth: by which the direction in which two come apart is told
constexpr std::size_t kMostAreas = 16;   ///< of a pair
constexpr double kDot = 0.01;            ///< part of the largest volume from which on that of a single ray counts

bool is_round_shape(const Shape& s) {
  return std::holds_alternative<Sphere>(s) || std::holds_alternative<Capsule>(s) || std::holds_alternative<Cylinder>(s);
}

std::optional<RoundOutline> round_outline(const Patch& patch, const Shape& a, const Shape& b) {
  if (!is_round_shape(a) && !is_round_shape(b)) return std::nullopt;
  const bool ball = std::holds_alternative<Sphere>(a) || std::holds_alternative<Sphere>(b);
  return round_outline(patch, ball ? kRoundBall : kRound);
}

/// Spins that leave the area of a shape as it is.
Mat2 rolling_of(const Patch& patch, const Shape& shape, const Pose& pose) {
  if (std::holds_alternative<Sphere>(shape)) return Mat2::Identity();
  if (!std::holds_alternative<Cylinder>(shape) && !std::holds_alternative<Capsule>(shape)) return Mat2::Zero();
  const Vec3 axis = patch.frame.transpose() * (pose.orientation * Vec3::UnitZ());
  if (std::abs(axis[0]) > kLying) return Mat2::Zero();
  const Vec2 along = axis.tail<2>().normalized();
  return along * along.transpose();
}

/// Of two shapes: a spin about an axis that only one has leaves nothing as it is, but what the other does not turn about
/// either.
Mat2 rolling_of(const Patch& patch, const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const Mat2 of_a = rolling_of(patch, a, pose_a), of_b = rolling_of(patch, b, pose_b);
  return of_a.trace() > of_b.trace() ? of_a : of_b;
}

/// Depth over an ellipse. A cap is as deep in front as behind; a disc has its middle on the axis of the body, and its tilt
/// follows from how far the centroid of the volume is from there.
PatchDepth round_depth(const Patch& patch, const RoundOutline& round, const std::optional<Vec2>& on_axis) {
  PatchDepth depth{Vec2::Zero(), patch.depth, Vec2::Zero()};
  if (round.form == EquivalentForm::cap || !on_axis) return depth;
  depth.middle = *on_axis;
  depth.slope = -4 * patch.depth * on_axis->cwiseQuotient(round.half_axes.cwiseAbs2());
  const double most = depth.slope.cwiseProduct(round.half_axes).norm();
  if (most > patch.depth) depth.slope *= patch.depth / most;
  return depth;
}

/// Where the axis of a cylinder that stands goes through the plane of a patch.
std::optional<Vec2> axis_through(const Patch& patch, const Shape& shape, const Pose& pose) {
  if (!std::holds_alternative<Cylinder>(shape)) return std::nullopt;
  const Vec3 axis = patch.frame.transpose() * (pose.orientation * Vec3::UnitZ());
  if (std::abs(axis[0]) < 0.5) return std::nullopt;
  const Vec3 from = patch.frame.transpose() * (pose.position - patch.origin);
  return from.tail<2>() - from[0] / axis[0] * axis.tail<2>();
}

/// The area of a patch with its place.
std::pair<ContactPatch, ContactPoint> contact_of(const PartPair& pair, const Patch& patch,
                                                 const std::optional<RoundOutline>& round, const std::optional<Vec2>& axis,
                                                 const Mat2& rolling) {
  ContactPatch area;
  static_cast<PartPair&>(area) = pair;
  area.t = patch.frame.col(1);
  area.volume = patch.depth * patch.area;
  area.rolling = rolling;
  PatchDepth depth = depth_over(patch);
  if (round) {
    area.half_axes = round->half_axes;
    depth = round_depth(patch, *round, axis);
    for (int k = 0; k < ContactPatch::kMaxCorners; ++k) {
      const double turn = 2 * std::numbers::pi * k / ContactPatch::kMaxCorners;
      area.corners[area.corner_count++] = area.half_axes.cwiseProduct(Vec2(std::cos(turn), std::sin(turn)));
    }
  } else {
    for (const Vec2& corner : patch.corners()) area.corners[area.corner_count++] = corner - depth.middle;
  }
  area.gap = -depth.depth;
  area.slope = -depth.slope;
  const Vec3 place = patch.origin + depth.middle.x() * patch.frame.col(1) + depth.middle.y() * patch.frame.col(2);
  double lowest = area.gap;
  for (const Vec2& corner : area.outline()) lowest = std::min(lowest, area.gap_at(corner));
  return {area, {place, patch.normal(), lowest, kPatchFeature}};
}

/// Whether a piece of an overlap lies in the layer of another one and is much deeper along its own normal: a sliver along an
/// edge is wide in some direction, and the two come apart along the other.
bool lies_in(const Patch& piece, const Patch& layer) {
  if (!(layer.depth < kMuchLess * piece.depth)) return false;
  const Vec3 between = piece.origin - layer.origin;
  double reach = 0;
  for (const Vec2& corner : layer.corners()) reach = std::max(reach, corner.norm());
  return std::abs(layer.normal().dot(between)) < piece.depth && between.norm() < reach + piece.depth;
}

}   // namespace

bool takes_areas(const MaterialTable& materials, MaterialId a, MaterialId b) {
  const std::shared_ptr<const SurfaceLaw> law = materials.between(a, b).law;
  return !law || acts_over_areas(*law, materials[a].surface, materials[b].surface);
}

ContactForm form_between(const World& world, std::uint32_t a, std::uint32_t b, ContactForm of_step) {
  const Collider &ca = world.colliders()[a], &cb = world.colliders()[b];
  // What deforms has no area that stays.
  if (ca.deforms || cb.deforms) return ContactForm::points;
  ContactForm form = world.materials.contact_between(ca.material, cb.material);
  if (form == ContactForm::automatic) {
    const ContactForm of_a = world.bodies()[ca.body].contact, of_b = world.bodies()[cb.body].contact;
    form = of_a == ContactForm::points || of_b == ContactForm::points ? ContactForm::points : std::max(of_a, of_b);
  }
  if (form == ContactForm::automatic) form = of_step;
  return form <= ContactForm::points || !takes_areas(world.materials, ca.material, cb.material) ? ContactForm::points : form;
}

double target_overlap(const World& world, std::uint32_t a, std::uint32_t b, ContactForm of_step, double overlap) {
  if (form_between(world, a, b, of_step) != ContactForm::volume) return 0;
  const Collider &ca = world.colliders()[a], &cb = world.colliders()[b];
  const double own = std::max(world.bodies()[ca.body].overlap, world.bodies()[cb.body].overlap);
  return (own > 0 ? own : overlap) * thinner(ca, cb);
}

bool is_of_volume(const ContactSet& set, const PartPair& pair) {
  if (set.patches.empty()) return false;
  const ContactPatch* const patch = set.patch_of(pair);
  return patch && patch->volume > 0;
}

/// The same of a piece that is by itself: where an edge of one crosses an edge of the other beside the face that they lie on.
void VolumeContacts::leave_out_slivers() {
  is_sliver_.assign(patches_.size(), false);
  for (std::size_t i = 0; i < patches_.size(); ++i)
    is_sliver_[i] = std::ranges::any_of(patches_, [&](const Patch& q) { return lies_in(patches_[i], q); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < patches_.size(); ++i)
    if (!is_sliver_[i]) patches_[kept++] = patches_[i];
  patches_.resize(kept);
}

/// The areas of the pair, those that face one way as one. @param least depth that counts [m]
void VolumeContacts::measure(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double least) {
  patches_.clear();
  overlaps(a, pose_a, b, pose_b, scratch_, found_, how_);
  const bool of_mesh = std::holds_alternative<Mesh>(a) || std::holds_alternative<Mesh>(b);
  for (const OverlapVolume& o : found_) {
    const bool measured = o.degeneracy == Degeneracy::none || o.degeneracy == Degeneracy::sheet;
    if (!measured || !o.has_volume() || !(o.gradient.norm() > 0)) continue;
    if (o.segment_count == 0 && (of_mesh || !has_direction(o))) continue;
    split(o, scratch_.segments(), pieces_);
    for (const Patch& p : pieces_)
      if (std::ranges::none_of(pieces_, [&](const Patch& q) { return lies_in(p, q); })) patches_.push_back(p);
  }
  // Of an edge that sinks in across the rays these see dots, each a piece by itself. One that is nothing beside the others says
  // nothing about the area that they span.
  double largest = 0;
  for (const Patch& p : patches_) largest = std::max(largest, p.depth * p.area);
  std::erase_if(patches_, [&](const Patch& p) { return p.corner_count < 3 && p.depth * p.area < kDot * largest; });
  if (patches_.size() > 1) join_alike(patches_);
  std::erase_if(patches_, [](const Patch& p) { return p.corner_count < 3; });
  leave_out_slivers();
  std::erase_if(patches_, [&](const Patch& p) { return !(p.depth > least); });
  if (patches_.size() > kMostAreas) patches_.resize(kMostAreas);
}

/// An area keeps the name of the one that was nearest in the step before, which knows its impulse.
void VolumeContacts::name(const World& world, const ProxyPair& pair) {
  names_.assign(patches_.size(), 0);
  if (patches_.size() < 2) return;   // as that of points has
  const auto name_of = [](std::size_t number) { return number == 0 ? 0 : pair_of_parts(area_part(number), 0); };
  const auto key = [](const RememberedImpulse& r) { return std::pair(r.key.a, r.key.b); };
  const auto old = std::ranges::equal_range(world.memory.impulses, std::pair(pair.a, pair.b), {}, key);
  is_named_.assign(patches_.size(), false);
  taken_.clear();
  for (const RememberedImpulse& r : old) {
    if (r.key.feature != kPatchFeature) continue;
    std::size_t nearest = patches_.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < patches_.size(); ++i)
      if (const double d = (patches_[i].origin - r.position).squaredNorm(); !is_named_[i] && d < least) least = d, nearest = i;
    if (nearest == patches_.size()) break;
    is_named_[nearest] = true;
    taken_.push_back(names_[nearest] = r.key.parts);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    if (is_named_[i]) continue;
    while (std::ranges::find(taken_, name_of(next)) != taken_.end()) ++next;
    names_[i] = name_of(next++);
  }
}

/// Puts the last manifolds of a set, of one point each, and their areas in order.
void VolumeContacts::sort_by_parts(ContactSet& set, std::size_t first_area, std::size_t first_manifold) {
  const auto before = [](const PartPair& x, const PartPair& y) { return x < y; };
  std::sort(set.patches.begin() + static_cast<std::ptrdiff_t>(first_area), set.patches.end(), before);
  const auto manifolds = std::span(set.manifolds).subspan(first_manifold);
  const std::size_t first_point = set.points.size() - manifolds.size();
  points_.assign(set.points.begin() + static_cast<std::ptrdiff_t>(first_point), set.points.end());
  std::sort(manifolds.begin(), manifolds.end(), before);
  for (std::size_t i = 0; i < manifolds.size(); ++i) {
    set.points[first_point + i] = points_[manifolds[i].first - first_point];
    manifolds[i].first = static_cast<std::uint32_t>(first_point + i);
  }
}

bool VolumeContacts::find(const World& world, const ProxyPair& pair, const Pose& pose_a, const Pose& pose_b, double target,
                          ContactSet& out) {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  measure(a.shape, pose_a, b.shape, pose_b, kSlight * target);
  if (patches_.empty()) return false;
  name(world, pair);
  const std::size_t first_area = out.patches.size(), first_manifold = out.manifolds.size();
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    const PartPair parts{pair.a, pair.b, names_[i]};
    const Patch& patch = patches_[i];
    const auto axis_a = axis_through(patch, a.shape, pose_a), axis_b = axis_through(patch, b.shape, pose_b);
    const auto [area, point] = contact_of(parts, patch, round_outline(patch, a.shape, b.shape), axis_a ? axis_a : axis_b,
                                          rolling_of(patch, a.shape, pose_a, b.shape, pose_b));
    if (area.radius() < kSmallestReach * thinner(a, b)) continue;
    out.patches.push_back(area);
    out.manifolds.push_back({parts, static_cast<std::uint32_t>(out.points.size()), 1, target});
    out.points.push_back(point);
  }
  const std::size_t count = out.manifolds.size() - first_manifold;
  if (count > 1) sort_by_parts(out, first_area, first_manifold);
  return count > 0;
}

}   // namespace stickslip
