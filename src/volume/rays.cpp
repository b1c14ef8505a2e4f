// Rays through two solids along three axes: pieces that hang together, their moments and gradients, and the directions in which
// the surfaces face each other.
//
// Rays along axis k see the area ∫ |n_k| dA. Each component of the gradient comes from the rays of its axis alone, as
// ∫ n_k dA = Σ ± cell; volumes and moments are means of the three, weighted by the square of the area seen.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "stickslip/geometry/triangle_tree.h"
#include "volume/begin.h"
#include "volume/finish.h"
#include "volume/ray_measure.h"
#include "volume/segments.h"

namespace stickslip {

namespace {

/// What lies in less than this part of the sides of its box is measured again, in a box of its own, so often at most.
constexpr double kSmallPart = 0.5;
constexpr int kMostLevels = 3;
/// Parts of a box beyond which they are not: what many rays see of a rough face is good in sum.
constexpr std::size_t kMostParts = 4;
/// Part of the rays along a side that go through it then: still closer together than before.
constexpr double kFewerRays = 2.0 / 3;
constexpr int kFewestRays = 4;
/// Cosine between rays and a direction below which they graze: along one of three axes it is 0.577 at least.
constexpr double kGrazes = 0.5;

/// The mean of the three axes.
void combine(PieceSums& sums, double& error) {
  double weight_sum = 0;
  for (const AxisSums& a : sums.axes) weight_sum += a.seen * a.seen;
  MomentSums& total = sums.total;
  for (const AxisSums& a : sums.axes) {
    const double weight = weight_sum > 0 ? a.seen * a.seen / weight_sum : 1.0 / 3;
    total.volume += weight * a.volume, total.first += weight * a.first, total.second += weight * a.second;
  }
  error = 0;
  for (const AxisSums& a : sums.axes)
    error += (weight_sum > 0 ? a.seen * a.seen / weight_sum : 1.0 / 3) * std::abs(a.volume - total.volume);
}

RaySolid in_frame(const Shape& shape, const Pose& pose, const Pose& frame, int slot) {
  const Pose local = frame.inverse() * pose;
  RaySolid solid{&shape, local, local.rotation(), bounding_box(shape, local), slot};
  if (std::holds_alternative<HalfSpace>(shape) && solid.rotation.col(2) == Vec3::UnitZ())
    solid.box.upper.z() = local.position.z();
  return solid;
}

Aabb common(const Aabb& a, const Aabb& b) { return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)}; }

/// Where a mesh and a convex shape can overlap: an extreme place of that lies on the surface of the mesh, or it is one of the
/// convex shape that lies inside the mesh.
Aabb reach_of(const RaySolid& mesh, const RaySolid& convex, const Aabb& box, RayMemory& memory) {
  Aabb reach = surface_within(mesh, box, memory);
  const MeshSolid& solid = *std::get<Mesh>(*mesh.shape).solid;
  const bool bounded = !std::holds_alternative<HalfSpace>(*convex.shape);
  for (int side = 0; side < 6 && bounded; ++side) {
    const Vec3 direction = (side % 2 == 0 ? -1.0 : 1.0) * Vec3::Unit(side / 2);
    const Vec3 x = convex.rotation * support(*convex.shape, convex.rotation.transpose() * direction) + convex.pose.position;
    const Vec3 in_mesh = mesh.pose.to_local(x);
    if (winding_number(solid.mesh(), solid.surface().tree(), in_mesh) > 0.5) reach = reach.merged({x, x});
  }
  return common(reach, box);
}

Aabb overlap_box(const RaySolid& a, const RaySolid& b, RayMemory& memory) {
  const bool mesh_a = std::holds_alternative<Mesh>(*a.shape), mesh_b = std::holds_alternative<Mesh>(*b.shape);
  Aabb box = common(a.box, b.box);
  for (int round = 0; round < 2; ++round) {
    if (!(box.lower.array() <= box.upper.array()).all()) return box;
    if (mesh_a && mesh_b) box = common(box, surface_within(a, box, memory).merged(surface_within(b, box, memory)));
    else if (mesh_a && round == 0) box = reach_of(a, b, box, memory);
    else if (mesh_b && round == 0) box = reach_of(b, a, box, memory);
  }
  return box;
}

/// The frame that rays run along: that of the shape that is no mesh, whose faces they then meet square; of two alike the first.
const Pose& frame_of_rays(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const bool mesh_a = std::holds_alternative<Mesh>(a), mesh_b = std::holds_alternative<Mesh>(b);
  if (mesh_a != mesh_b) return mesh_a ? pose_b : pose_a;
  return std::holds_alternative<HalfSpace>(b) ? pose_b : pose_a;
}

/// Ends of the stretches of a piece along the axis that sees most of it, in the world.
void collect_points(const RayMeasure& rays, const RayMemory& memory, std::uint32_t piece, const Pose& frame,
                    std::vector<Vec3>& points) {
  points.clear();
  const int axis = rays.axis_of(piece);
  const Mat3 rotation = frame.rotation();
  for (const std::uint32_t i : memory.of_piece[axis][piece]) {
    const SharedStretch& s = memory.shared[axis][i];
    Vec3 x = rays.middle() + rays.place(s, axis);
    for (const double end : {s.from, s.to}) x[axis] = end, points.push_back(rotation * x + frame.position);
  }
}

void turn_to_world(MomentSums& sums, const Vec3& middle, const Pose& frame) {
  const Mat3 r = frame.rotation();
  sums.origin = frame * middle;
  sums.first = r * sums.first, sums.second = r * sums.second * r.transpose();
  sums.force = r * sums.force, sums.torque = r * sums.torque;
}

/// Boxes of the pieces of the last cast, those that meet as one.
void find_parts(const RayMeasure& rays, std::uint32_t count, std::vector<Aabb>& parts) {
  parts.clear();
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    parts.push_back(rays.box_of(piece));
    for (std::size_t k = 0; k + 1 < parts.size();) {
      if (!parts[k].overlaps(parts.back())) {
        ++k;
        continue;
      }
      parts.back() = parts.back().merged(parts[k]);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k));
      k = 0;   // a larger box may meet what a smaller one did not
    }
  }
}

/// Chooses what of the last cast is measured again: parts that are small against their box.
void choose_boxes(const RayMeasure& rays, std::uint32_t count, int level, RayMemory& memory) {
  memory.is_measured_again.assign(count, false);
  if (level == kMostLevels) return;
  find_parts(rays, count, memory.parts);
  if (memory.parts.size() > kMostParts) return;
  const auto is_small = [&](const Aabb& part) {
    return (part.upper - part.lower).maxCoeff() < kSmallPart * rays.longest_side();
  };
  for (const Aabb& part : memory.parts)
    if (is_small(part)) memory.boxes.push_back({part, level + 1});
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    const auto has = [own = rays.box_of(piece)](const Aabb& part) { return part.contains(own); };
    memory.is_measured_again[piece] = is_small(*std::find_if(memory.parts.begin(), memory.parts.end(), has));
  }
}

void append_piece(const RayMeasure& rays, std::uint32_t piece, const Pose& frame, bool swapped, OverlapScratch::Memory& memory,
                  std::vector<OverlapVolume>& found) {
  PieceSums sums = rays.sums_of(piece);
  double error = 0;
  combine(sums, error);
  turn_to_world(sums.total, rays.middle(), frame);
  collect_points(rays, memory.rays, piece, frame, memory.points);
  OverlapVolume o = finished(sums.total, memory);
  if (!o.has_volume()) return;
  if (memory.surfaces) append_surface(rays, memory.rays, piece, frame, *memory.surfaces);
  o.error = error;
  o.rays = static_cast<std::uint32_t>(memory.rays.of_piece[rays.axis_of(piece)][piece].size());
  SegmentBins bins(frame, o.centroid);
  const auto middle = [&](const SharedStretch& s, int axis) { return Vec3(rays.middle() + rays.place(s, axis)); };
  const double least = o.is_seen_by_chance() ? kGrazes : 0;
  rays.each_of(piece, [&](const auto& s, int axis) { bins.add(s, axis, rays.grid(axis).cell(), middle(s, axis), least); });
  bins.group();
  rays.each_of(piece, [&](const auto& s, int axis) { bins.add_place(s, middle(s, axis)); });
  bins.finish(o, swapped, memory.segments);
  if (swapped) mirror(o);
  found.push_back(o);
}

}   // namespace

void overlaps_by_rays(const Shape& shape_a, const Pose& pose_a, const Shape& shape_b, const Pose& pose_b,
                      OverlapScratch& scratch, std::vector<OverlapVolume>& found, const OverlapOptions& options) {
  if (!begin_overlaps(shape_a, pose_a, shape_b, pose_b, scratch, found, options)) return;
  const bool swapped = swapped_order(shape_a, pose_a, shape_b, pose_b);
  const Shape &first = swapped ? shape_b : shape_a, &second = swapped ? shape_a : shape_b;
  const Pose &pose_first = swapped ? pose_b : pose_a, &pose_second = swapped ? pose_a : pose_b;
  OverlapScratch::Memory& memory = scratch.memory();
  const Pose frame = frame_of_rays(first, pose_first, second, pose_second);
  RaySolid a = in_frame(first, pose_first, frame, 0), b = in_frame(second, pose_second, frame, 1);
  const Aabb box = overlap_box(a, b, memory.rays);
  if (!(box.lower.array() < box.upper.array()).all()) {
    if ((box.lower.array() <= box.upper.array()).all())
      found.push_back(nothing_because(Degeneracy::touching, frame * Vec3(0.5 * (box.lower + box.upper))));
    return;
  }
  for (RaySolid* solid : {&a, &b})
    if (solid->is_mesh()) collect_triangles(*solid, box, memory.rays);
  memory.rays.boxes.assign(1, {box, 0});
  for (std::size_t next = 0; next < memory.rays.boxes.size(); ++next) {
    const auto [within, level] = memory.rays.boxes[next];
    const int fewer = std::max(kFewestRays, static_cast<int>(kFewerRays * options.rays));
    RayMeasure rays(memory.rays, within, level == 0 ? options.rays : fewer);
    rays.cast(a, b);
    const std::uint32_t count = rays.find_pieces();
    choose_boxes(rays, count, level, memory.rays);
    for (std::uint32_t piece = 0; piece < count; ++piece)
      if (!memory.rays.is_measured_again[piece]) append_piece(rays, piece, frame, swapped, memory, found);
  }
  const auto larger = [](const OverlapVolume& x, const OverlapVolume& y) { return x.volume > y.volume; };
  std::sort(found.begin(), found.end(), larger);
}

}   // namespace stickslip
