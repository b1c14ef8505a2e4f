// Solids of convex parts: all pairs of parts are clipped, and pieces that touch are joined. Cuts between parts of one solid are
// part of the surface of two of them with opposite normals, so that they cancel in the sums.
#include <algorithm>
#include <limits>
#include <numeric>

#include "stickslip/geometry/aabb.h"
#include "stickslip/math/error.h"
#include "volume/begin.h"
#include "volume/clipping.h"
#include "volume/finish.h"
#include "volume/segments.h"

namespace stickslip {

namespace {

/// Pieces touch if they are nearer than this part of the size of the smaller one.
constexpr double kTouch = 1e-9;

Aabb box_of_piece(const Polyhedron& p) {
  Aabb box;
  for (const Vec3& v : p.vertices()) box = box.merged({v, v});
  return box;
}

/// The sum of pairs of parts, group by group.
class PieceJoiner {
 public:
  PieceJoiner(OverlapScratch::Memory& memory) : memory_(memory) {
    memory_.piece_sums.clear(), memory_.piece_points.clear(), memory_.piece_points_end.clear();
  }

  /// Adds the piece that the last clipping left in the first solid, and its sums.
  void add(const MomentSums& sums) {
    const std::size_t i = memory_.piece_sums.size();
    memory_.piece_sums.push_back(sums);
    if (memory_.pieces.size() <= i) memory_.pieces.emplace_back();
    memory_.pieces[i] = memory_.solids[0];
    memory_.piece_points.insert(memory_.piece_points.end(), memory_.points.begin(), memory_.points.end());
    memory_.piece_points_end.push_back(memory_.piece_points.size());
  }

  void finish(const Vec3& near, std::vector<OverlapVolume>& found) {
    const auto count = static_cast<std::uint32_t>(memory_.piece_sums.size());
    memory_.group.resize(count);
    std::iota(memory_.group.begin(), memory_.group.end(), 0u);
    for (std::uint32_t i = 0; i < count; ++i)
      for (std::uint32_t j = 0; j < i; ++j)
        if (root(i) != root(j) && touch(memory_.pieces[i], memory_.pieces[j])) join(i, j);
    for (std::uint32_t first = 0; first < count; ++first)
      if (root(first) == first) add_group(first, near, found);
    const auto larger = [](const OverlapVolume& x, const OverlapVolume& y) { return x.volume > y.volume; };
    std::sort(found.begin(), found.end(), larger);
  }

 private:
  std::uint32_t root(std::uint32_t i) const {
    while (memory_.group[i] != i) i = memory_.group[i];
    return i;
  }
  void join(std::uint32_t i, std::uint32_t j) {
    const std::uint32_t a = root(i), b = root(j);
    memory_.group[std::max(a, b)] = std::min(a, b);
  }

  std::span<const Vec3> points_of(std::uint32_t i) const {
    const std::size_t from = i == 0 ? 0 : memory_.piece_points_end[i - 1];
    return std::span(memory_.piece_points).subspan(from, memory_.piece_points_end[i] - from);
  }

  bool touch(const Polyhedron& a, const Polyhedron& b) {
    const Aabb box_a = box_of_piece(a), box_b = box_of_piece(b);
    const double slack = kTouch * std::min((box_a.upper - box_a.lower).norm(), (box_b.upper - box_b.lower).norm());
    if (!box_a.grown(slack).overlaps(box_b)) return false;
    Polyhedron& common = memory_.solids[1];
    common = a;
    return std::all_of(b.faces().begin(), b.faces().end(), [&](const Polyhedron::Face& f) {
      return common.cut({f.normal, f.offset + slack, FaceOwner::none});
    });
  }

  void add_group(std::uint32_t first, const Vec3& near, std::vector<OverlapVolume>& found) {
    MomentSums sums;
    memory_.points.clear();
    const auto count = static_cast<std::uint32_t>(memory_.piece_sums.size());
    for (std::uint32_t i = first; i < count; ++i) {
      if (root(i) != first) continue;
      sums.add(memory_.piece_sums[i]);
      memory_.points.insert(memory_.points.end(), points_of(i).begin(), points_of(i).end());
    }
    OverlapVolume o = finished(sums, memory_);
    SegmentBins bins(Pose{}, o.centroid);
    const auto each = [&](const auto& f) {
      for (std::uint32_t i = first; i < count; ++i)
        if (root(i) == first) f(i);
    };
    each([&](std::uint32_t i) { bins.add_piece(memory_.piece_sums[i]); });
    bins.group();
    each([&](std::uint32_t i) { bins.add_places_of_piece(memory_.piece_sums[i], points_of(i)); });
    bins.finish(o, false, memory_.segments);
    o.centroid += near;
    for (int k = 0; k < o.point_count; ++k) o.points[k] += near;
    found.push_back(o);
  }

  OverlapScratch::Memory& memory_;
};

void start_parts(OverlapScratch& scratch, std::vector<OverlapVolume>& found) {
  found.clear();
  scratch.memory().segments.clear();
}

}   // namespace

void overlaps_of_parts(std::span<const ConvexHull> a, const Pose& pose_a, std::span<const ConvexHull> b, const Pose& pose_b,
                       OverlapScratch& scratch, std::vector<OverlapVolume>& found) {
  start_parts(scratch, found);
  if (!is_rigid(pose_a) || !is_rigid(pose_b)) return found.push_back(nothing_because(Degeneracy::not_finite, pose_a.position));
  OverlapScratch::Memory& memory = scratch.memory();
  const Vec3 near = pose_a.position;
  const Pose near_a{Vec3::Zero(), pose_a.orientation}, near_b{pose_b.position - near, pose_b.orientation};
  PieceJoiner joiner(memory);
  for (const ConvexHull& part_a : a) {
    const Aabb box = bounding_box(part_a, near_a);
    for (const ConvexHull& part_b : b) {
      MomentSums sums;
      if (!box.overlaps(bounding_box(part_b, near_b))) continue;
      if (clip_convex(part_a, near_a, part_b, near_b, 4, memory, sums) && sums.volume > 0) joiner.add(sums);
    }
  }
  joiner.finish(near, found);
}

void overlaps_of_tetrahedra(const TetMesh& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch& scratch,
                            std::vector<OverlapVolume>& found, const OverlapOptions& options) {
  start_parts(scratch, found);
  check(options);
  if (std::holds_alternative<Mesh>(b))
    throw Error("A mesh is not convex. Tetrahedra are clipped by convex shapes; give the mesh as convex parts or use rays.");
  if (!is_rigid(pose_a) || !is_rigid(pose_b)) return found.push_back(nothing_because(Degeneracy::not_finite, pose_a.position));
  OverlapScratch::Memory& memory = scratch.memory();
  const Vec3 near = pose_a.position;
  const Mat3 rotation = pose_a.rotation();
  const Pose near_b{pose_b.position - near, pose_b.orientation};
  const Aabb box_b = bounding_box(b, near_b);
  PieceJoiner joiner(memory);
  for (const auto& tetrahedron : a.tetrahedra) {
    std::array<Vec3, 4> corners;
    Aabb box;
    for (int k = 0; k < 4; ++k) {
      corners[k] = rotation * a.vertices[tetrahedron[k]];
      box = box.merged({corners[k], corners[k]});
    }
    MomentSums sums;
    if (!box.overlaps(box_b)) continue;
    if (clip_tetrahedron(corners, b, near_b, options.round_facets, memory, sums) && sums.volume > 0) joiner.add(sums);
  }
  joiner.finish(near, found);
}

}   // namespace stickslip
