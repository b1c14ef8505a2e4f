#include "collide/surface_edges.h"

#include <algorithm>
#include <cmath>

namespace stickslip::narrow {
namespace {

/// Sine of the bend from which on an edge is a ridge.
constexpr double kRidge = 1e-3;
/// Cosine of the bend from which on it bounds flat places: 20°.
constexpr double kSharpBend = 0.94;
/// Cosine of the angle up to which the faces of a seam may be turned away from what presses into it.
constexpr double kSeamLooks = 0.5;
/// Part of the edges' length from their ends on which vertices have the contact.
constexpr double kCrossingEnd = 1e-6;
/// Part of the mean length of edges up to which crossings may lie inside.
constexpr double kDeepestCrossing = 0.25;

double bend_of(const MeshEdge& e) { return -e.into[0].dot(e.normal[1]); }

}   // namespace

bool can_be_touched(const MeshEdge& e, const Vec3& direction) {
  if (is_ridge(e)) return is_touched_from(e, direction, kFeatureCone);
  return e.normal[0].dot(direction) > kSeamLooks && e.normal[1].dot(direction) > kSeamLooks;
}

bool is_ridge(const MeshEdge& e) { return e.boundary || e.irregular || bend_of(e) > kRidge; }

bool is_sharp(const MeshEdge& e) { return e.boundary || (bend_of(e) > kRidge && e.normal[0].dot(e.normal[1]) < kSharpBend); }

bool may_cross(const Vec3& start_a, const Vec3& along_a, const Vec3& start_b, const Vec3& along_b, double reach) {
  const Vec3 cross = along_a.cross(along_b), between = start_b - start_a;
  const double squared = cross.squaredNorm(), height = cross.dot(between);
  if (!(height * height <= 1.01 * reach * reach * squared)) return false;
  const double s = between.cross(along_b).dot(cross), u = between.cross(along_a).dot(cross);
  return s >= 0 && u >= 0 && s <= squared && u <= squared;
}

std::optional<SurfaceCrossing> crossing_of(const MeshEdge& a, const MeshEdge& b, double margin, double deepest, bool loaded) {
  const Vec3 cross = a.along.cross(b.along), between = b.start - a.start;
  const double squared = cross.squaredNorm(), aa = a.along.squaredNorm(), bb = b.along.squaredNorm();
  if (!(squared > kEdgesParallel * aa * bb)) return std::nullopt;
  const double s = between.cross(b.along).dot(cross), u = between.cross(a.along).dot(cross), end = kCrossingEnd * squared;
  if (s < end || u < end || s > squared - end || u > squared - end) return std::nullopt;
  SurfaceCrossing x;
  x.normal = cross / std::sqrt(squared);
  if (x.normal.dot(a.normal[0] + a.normal[1] - b.normal[0] - b.normal[1]) < 0) x.normal = -x.normal;
  x.gap = x.normal.dot(between);
  if (x.gap > margin || x.gap < -deepest) return std::nullopt;
  if (!loaded && !is_ridge(a) && !is_ridge(b)) return std::nullopt;
  if (!can_be_touched(a, x.normal) || !can_be_touched(b, -x.normal)) return std::nullopt;
  x.on_a = a.start + s / squared * a.along;
  x.on_b = b.start + u / squared * b.along;
  return x;
}

double deepest_crossing(const MeshSurface& s, double margin) {
  double sum = 0;
  for (std::size_t e = 0; e < s.edges().size(); ++e)
    sum += (s.mesh().vertices[s.edges().vertices(e)[1]] - s.mesh().vertices[s.edges().vertices(e)[0]]).norm();
  return s.edges().size() == 0 ? margin : std::max(margin, kDeepestCrossing * sum / static_cast<double>(s.edges().size()));
}

bool counts(const SurfaceCrossing& x, const MeshEdge& a, double nearest_end_a, const MeshEdge& b, double nearest_end_b) {
  const auto is_nearer = [&](const MeshEdge& e, double end) { return x.gap < end - kInsideNearer * e.along.norm(); };
  if (is_ridge(b) && is_nearer(a, nearest_end_a)) return true;
  if (is_ridge(a) && is_nearer(b, nearest_end_b)) return true;
  return is_sharp(a) && is_sharp(b);
}

MeshEdge placed(const MeshEdge& e, const Mat3& rotation, const Vec3& position) {
  MeshEdge p = e;
  p.start = position + rotation * e.start;
  p.along = rotation * e.along;
  for (const int side : {0, 1}) {
    p.normal[side] = rotation * e.normal[side];
    p.into[side] = rotation * e.into[side];
  }
  return p;
}

}   // namespace stickslip::narrow
