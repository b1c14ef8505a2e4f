#include "collide/mesh_side.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::narrow {
namespace {

// Most contacts of one pair of which one is a mesh: what a nut on its bolt needs.
constexpr std::size_t kMaxMeshContacts = 32;

// Rounds in which a way out of several contacts is looked for.
constexpr int kWaysOut = 3;

// Something may be nearer to a point than the face that holds it by this part of its depth, and of the thickness of walls.
constexpr double kNearer = 1e-3;

}   // namespace

MeshEdge edge_of(const MeshSolid& solid, std::uint32_t id) {
  const MeshEdges& edges = solid.surface().edges();
  const auto& ends = edges.vertices(id);
  const auto& faces = edges.faces(id);
  MeshEdge edge;
  edge.id = id;
  edge.start = solid.mesh().vertices[ends[0]];
  edge.along = solid.mesh().vertices[ends[1]] - edge.start;
  edge.boundary = edges.kind(id) == EdgeKind::boundary;
  edge.irregular = edges.kind(id) == EdgeKind::irregular;
  const Vec3 unit = edge.along.normalized();
  for (int side = 0; side < 2; ++side) {
    const std::uint32_t face = faces[side] == MeshEdges::kNoFace ? faces[0] : faces[side];
    edge.facet[side] = solid.facet_of(face);
    edge.normal[side] = solid.facets()[edge.facet[side]].normal;
    edge.into[side] = side == 0 ? edge.normal[side].cross(unit) : unit.cross(edge.normal[side]);
  }
  return edge;
}

bool is_touched_from(const MeshEdge& edge, const Vec3& direction, double sine) {
  if (edge.irregular) return true;
  if (direction.dot(edge.into[0]) > sine) return false;
  if (edge.boundary) return direction.dot(edge.normal[0]) > -sine;
  return direction.dot(edge.into[1]) <= sine && direction.dot(edge.normal[0] + edge.normal[1]) > 0;
}

bool is_touched_from(const MeshSolid& solid, std::uint32_t vertex, const Vec3& direction, double sine) {
  const TriangleMesh& mesh = solid.mesh();
  const Vec3& at = mesh.vertices[vertex];
  if (direction.dot(solid.surface().edges().vertex_normal(vertex)) <= 0) return false;
  for (const std::uint32_t face : solid.surface().edges().faces_of_vertex(vertex))
    for (const std::uint32_t other : mesh.triangles[face]) {
      const Vec3 away = mesh.vertices[other] - at;
      if (direction.dot(away) > sine * away.norm()) return false;
    }
  return true;
}

std::uint32_t part_facing(const MeshSolid& solid, std::uint32_t vertex, const Vec3& direction) {
  std::uint32_t best = 0;
  double most = kNearFace;
  for (const std::uint32_t face : solid.surface().edges().faces_of_vertex(vertex)) {
    const std::uint32_t facet = solid.facet_of(face);
    const double along = solid.facets()[facet].normal.dot(direction);
    if (along > most) most = along, best = facet_part(facet);
  }
  return best;
}

std::uint32_t part_facing(const MeshEdge& edge, const Vec3& direction) {
  const double left = edge.normal[0].dot(direction), right = edge.normal[1].dot(direction);
  if (std::max(left, right) <= kNearFace) return 0;
  return facet_part(edge.facet[right > left ? 1 : 0]);
}

bool is_over(const MeshSolid& solid, std::uint32_t triangle, const Vec3& point, double outside) {
  const auto& t = solid.mesh().triangles[triangle];
  const Vec3& a = solid.mesh().vertices[t[0]];
  const Vec3 ab = solid.mesh().vertices[t[1]] - a, ac = solid.mesh().vertices[t[2]] - a, ap = point - a;
  const Vec3& n = solid.facets()[solid.facet_of(triangle)].normal;
  // Twice the areas of the parts; heights over the sides are below that part of the longest one.
  const double whole = ab.cross(ac).dot(n);
  const double b = ap.cross(ac).dot(n), c = ab.cross(ap).dot(n);
  const double tolerance = -outside * std::max({ab.squaredNorm(), ac.squaredNorm(), (ac - ab).squaredNorm()});
  return whole > 0 && b >= tolerance && c >= tolerance && whole - b - c >= tolerance;
}

double slack_behind(const MeshSolid& solid, double depth) {
  return kNearer * (solid.closed() ? std::min(depth, solid.thickness()) : depth);
}

std::optional<NearFacet> nearest_facet(const MeshSolid& solid, const Vec3& point, double reach, std::uint32_t hint) {
  const auto near = closest_point(solid.mesh(), solid.surface().tree(), point, reach, hint);
  if (!near) return std::nullopt;
  return NearFacet{solid.facet_of(near->triangle), near->distance};
}

bool is_nearest(const MeshSolid& solid, const Vec3& point, double depth, std::uint32_t hint) {
  const double reach = depth - slack_behind(solid, depth) - 1e-12 * solid.radius();
  if (reach <= 0) return true;
  return !closest_point(solid.mesh(), solid.surface().tree(), point, reach, hint);
}

std::optional<EdgeCrossing> crossing(const MeshEdge& a, const MeshEdge& b, const Pose& b_in_a, const Mat3& rotation) {
  const Vec3 start_b = b_in_a.position + rotation * b.start, along_b = rotation * b.along;
  const Vec3 cross = a.along.cross(along_b), between = start_b - a.start;
  const double squared = cross.squaredNorm();
  if (squared <= kEdgesParallel * a.along.squaredNorm() * along_b.squaredNorm()) return std::nullopt;
  const double s = between.cross(along_b).dot(cross), u = between.cross(a.along).dot(cross), slack = kClipTolerance * squared;
  if (s < -slack || u < -slack || s > squared + slack || u > squared + slack) return std::nullopt;
  EdgeCrossing x;
  x.normal = cross / std::sqrt(squared);
  if (x.normal.dot(a.normal[0] + a.normal[1]) < 0) x.normal = -x.normal;
  const Vec3 in_b = -(rotation.transpose() * x.normal);
  if (!is_touched_from(a, x.normal, kFeatureCone) || !is_touched_from(b, in_b, kFeatureCone)) return std::nullopt;
  x.on_a = a.start + s / squared * a.along;
  x.on_b = start_b + u / squared * along_b;
  x.facing_a = part_facing(a, x.normal);
  x.facing_b = part_facing(b, in_b);
  // Where a face lies across, it gives the direction, and the edges are the rim of its patch.
  if (x.facing_b != 0) x.normal = -(rotation * b.normal[facet_part(b.facet[0]) == x.facing_b ? 0 : 1]);
  else if (x.facing_a != 0) x.normal = a.normal[facet_part(a.facet[0]) == x.facing_a ? 0 : 1];
  x.gap = x.normal.dot(x.on_b - x.on_a);
  return x;
}

double MeshContacts::lowest_gap() const {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Entry& e : list_) lowest = std::min(lowest, e.point.gap);
  return lowest;
}

bool MeshContacts::is_held_near(const Vec3& place, double distance, double gap) const {
  return std::ranges::any_of(list_, [&](const Entry& e) {
    return e.point.gap <= gap && (e.point.position - place).squaredNorm() <= distance * distance;
  });
}

Vec3 MeshContacts::way_out(const Vec3& place, double distance, double gap) const {
  Vec3 way = Vec3::Zero();
  for (int round = 0; round < kWaysOut; ++round)
    for (const Entry& e : list_)
      if (e.point.gap <= gap && (e.point.position - place).squaredNorm() <= distance * distance)
        way += std::max(0.0, gap - e.point.gap - e.point.normal.dot(way)) * e.point.normal;
  return way;
}

void MeshContacts::remove_duplicates() {
  std::sort(list_.begin(), list_.end(), [](const Entry& x, const Entry& y) {
    if (x.parts != y.parts) return x.parts < y.parts;
    return x.point.feature != y.point.feature ? x.point.feature < y.point.feature : x.point.gap < y.point.gap;
  });
  const auto same = [](const Entry& x, const Entry& y) { return x.parts == y.parts && x.point.feature == y.point.feature; };
  list_.erase(std::unique(list_.begin(), list_.end(), same), list_.end());
}

// A motion that moves points by the margin m and turns shapes by θ closes the gap of contact i by no more than that of
// contact s plus m |nᵢ − nₛ| + θ |pᵢ − pₛ|. Where gᵢ − gₛ is more than that, s holds i up, and i is left out. Of the others
// those with the most room stay, one after the other: at rest they are far apart in place or direction, so that the wrenches
// they transmit together shrink as little as possible.
void MeshContacts::spread(double margin, double size) {
  std::size_t deepest = 0;
  for (std::size_t i = 1; i < list_.size(); ++i)
    if (list_[i].point.gap < list_[deepest].point.gap) deepest = i;
  const double move = margin + std::max(0.0, -list_[deepest].point.gap), turn = kMeshTurns * move / size;
  room_.assign(list_.size(), std::numeric_limits<double>::infinity());
  kept_.clear();
  std::size_t next = deepest;
  while (true) {
    const ContactPoint& s = list_[next].point;
    kept_.push_back(list_[next]);
    room_[next] = -std::numeric_limits<double>::infinity();
    std::size_t best = next;
    double most = 1e-9 * size;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const ContactPoint& p = list_[i].point;
      const double room = move * (p.normal - s.normal).norm() + turn * (p.position - s.position).norm() - (p.gap - s.gap);
      room_[i] = std::min(room_[i], room);
      if (room_[i] > most * (1 + 1e-6)) most = room_[i], best = i;
    }
    if (best == next || kept_.size() >= kMaxMeshContacts) break;
    next = best;
  }
  list_.swap(kept_);
  std::sort(list_.begin(), list_.end(), [](const Entry& x, const Entry& y) {
    return x.parts != y.parts ? x.parts < y.parts : x.point.feature < y.point.feature;
  });
}

void MeshContacts::emit(double margin, double size, ContactSink& sink) {
  if (list_.empty()) return;
  remove_duplicates();
  // Points of one face are reduced as those of convex shapes are.
  if (list_.front().parts != list_.back().parts) spread(margin, size);
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const ContactPoint& p = list_[i].point;
    sink.add(p.position, p.normal, p.gap, p.feature);
    if (i + 1 == list_.size() || list_[i + 1].parts != list_[i].parts) sink.end_part(list_[i].parts);
  }
}

MeshScratch& MeshScratch::of_thread() {
  static thread_local MeshScratch scratch;
  return scratch;
}

}   // namespace stickslip::narrow
