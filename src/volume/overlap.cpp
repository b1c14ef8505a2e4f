#include "stickslip/volume/overlap.h"

#include <algorithm>
#include <cmath>

#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/math/error.h"
#include "volume/begin.h"
#include "volume/clipping.h"
#include "volume/finish.h"

namespace stickslip {

OverlapScratch::OverlapScratch() : memory_(std::make_unique<Memory>()) {}
OverlapScratch::~OverlapScratch() = default;
OverlapScratch::OverlapScratch(OverlapScratch&&) noexcept = default;
OverlapScratch& OverlapScratch::operator=(OverlapScratch&&) noexcept = default;
std::span<const OverlapSegment> OverlapScratch::segments() const { return memory_->segments; }

std::string_view degeneracy_name(Degeneracy d) {
  constexpr std::string_view names[] = {"none",       "sheet",        "needle",    "touching",  "a inside b",
                                        "b inside a", "open surface", "unbounded", "not finite"};
  return names[static_cast<std::size_t>(d)];
}

namespace {

bool is_half_space_shape(const Shape& s) { return std::holds_alternative<HalfSpace>(s); }

bool has_bent_side(const Shape& s) { return std::holds_alternative<Capsule>(s) || std::holds_alternative<Cylinder>(s); }

bool has_size(const Shape& s) {
  if (is_half_space_shape(s)) return true;
  if (const auto* hull = std::get_if<ConvexHull>(&s)) return hull->polytope != nullptr;
  if (const auto* mesh = std::get_if<Mesh>(&s)) return mesh->solid != nullptr;
  const double radius = bounding_radius(s);
  return std::isfinite(radius) && radius > 0;
}

bool is_open(const Shape& s) {
  const auto* mesh = std::get_if<Mesh>(&s);
  return mesh && !mesh->solid->closed();
}

/// What keeps a pair from being measured at all.
Degeneracy trouble(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  if (!is_rigid(pose_a) || !is_rigid(pose_b) || !has_size(a) || !has_size(b)) return Degeneracy::not_finite;
  if (is_open(a) || is_open(b)) return Degeneracy::open_surface;
  if (is_half_space_shape(a) && is_half_space_shape(b)) return Degeneracy::unbounded;
  return Degeneracy::none;
}

}   // namespace

bool begin_overlaps(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch& scratch,
                    std::vector<OverlapVolume>& found, const OverlapOptions& options) {
  check(options);
  found.clear();
  scratch.memory().segments.clear();
  const Degeneracy why = trouble(a, pose_a, b, pose_b);
  if (why != Degeneracy::not_finite && why != Degeneracy::unbounded &&
      !bounding_box(a, pose_a).overlaps(bounding_box(b, pose_b)))
    return false;
  if (why == Degeneracy::none) return true;
  found.push_back(nothing_because(why, is_half_space_shape(a) ? pose_b.position : pose_a.position));
  return false;
}

void overlaps_by_clipping(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch& scratch,
                          std::vector<OverlapVolume>& found, const OverlapOptions& options) {
  if (std::holds_alternative<Mesh>(a) || std::holds_alternative<Mesh>(b))
    throw Error("A mesh is not convex and cannot be clipped. Measure it by rays, or give it as convex parts.");
  if (!begin_overlaps(a, pose_a, b, pose_b, scratch, found, options)) return;
  const bool swapped = swapped_order(a, pose_a, b, pose_b);
  const Shape &first = swapped ? b : a, &second = swapped ? a : b;
  Pose pose_first = swapped ? pose_b : pose_a, pose_second = swapped ? pose_a : pose_b;
  // Near one of the bounded shapes, so that nothing depends on how far the pair is from the origin of the world.
  const Vec3 near = is_half_space_shape(first) ? pose_second.position : pose_first.position;
  pose_first.position -= near, pose_second.position -= near;
  MomentSums sums;
  if (!clip_convex(first, pose_first, second, pose_second, options.round_facets, scratch.memory(), sums)) return;
  if (auto* const surfaces = scratch.memory().surfaces)
    for (OverlapSurface& surface : *surfaces)
      for (Vec3& vertex : surface.vertices) vertex += near;
  OverlapVolume o = finished(sums, scratch.memory());
  if (has_bent_side(first) || has_bent_side(second)) o.error = o.volume / (options.round_facets * options.round_facets);
  o.centroid += near;
  for (int i = 0; i < o.point_count; ++i) o.points[i] += near;
  if (swapped) mirror(o);
  found.push_back(o);
}

void overlaps(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch& scratch,
              std::vector<OverlapVolume>& found, const OverlapOptions& options) {
  if (std::holds_alternative<Mesh>(a) || std::holds_alternative<Mesh>(b))
    overlaps_by_rays(a, pose_a, b, pose_b, scratch, found, options);
  else overlaps_by_clipping(a, pose_a, b, pose_b, scratch, found, options);
}

void overlap_surfaces(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch& scratch,
                      std::vector<OverlapSurface>& found, const OverlapOptions& options) {
  check(options);   // nothing may throw while the memory knows where surfaces go
  found.clear();
  std::vector<OverlapVolume> measured;
  scratch.memory().surfaces = &found;
  overlaps(a, pose_a, b, pose_b, scratch, measured, options);
  scratch.memory().surfaces = nullptr;
}

}   // namespace stickslip
