// The expanding polytope algorithm [van den Bergen 2003, §4.3.8]: a polytope inside B − A grows at the face nearest to the
// origin until that face lies on the boundary.
//
// The support point in the direction of a face bounds the depth along that direction from above, whatever rounding did to
// the polytope. The best direction seen is the answer, so slivers and holes cost accuracy at worst, never correctness.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "collide/gjk.h"

namespace stickslip::narrow {
namespace {

constexpr int kMaxVertices = 96;
constexpr int kMaxFaces = 4 * kMaxVertices;
constexpr double kDepthConverged = 1e-6;   // of the sizes of the cores

struct Face {
  int vertex[3];
  Vec3 normal;       // outward, unit
  double distance;   // of the plane from the origin; negative by rounding only
};

class Expanding {
 public:
  Expanding(const ConvexCore& a, const ConvexCore& b) : a_(a), b_(b), size_(a.size() + b.size()) {}

  bool start(const DifferencePoint* simplex, int count);
  void grow();
  const CoreDirection& best() const { return best_; }

 private:
  bool add_vertex_if_new(const Vec3& direction);
  bool widens(const DifferencePoint& p) const;
  bool add_face(int i, int j, int k);
  int nearest_face() const;
  void remember(const Face& face, double depth);

  const ConvexCore& a_;
  const ConvexCore& b_;
  double size_;
  DifferencePoint vertices_[kMaxVertices];
  int vertex_count_ = 0;
  Face faces_[kMaxFaces];
  int face_count_ = 0;
  CoreDirection best_;
  double best_depth_ = std::numeric_limits<double>::infinity();
};

// Whether `p` raises the dimension of the hull of the points so far.
bool Expanding::widens(const DifferencePoint& p) const {
  const double least = 1e-6 * size_;
  const Vec3& o = vertices_[0].w;
  switch (vertex_count_) {
    case 0:
      return true;
    case 1:
      return (p.w - o).norm() > least;
    case 2:
      return (vertices_[1].w - o).normalized().cross(p.w - o).norm() > least;
    default:
      return std::abs((vertices_[1].w - o).cross(vertices_[2].w - o).normalized().dot(p.w - o)) > least;
  }
}

bool Expanding::add_vertex_if_new(const Vec3& direction) {
  const DifferencePoint p = difference_support(a_, b_, direction);
  if (!widens(p)) return false;
  vertices_[vertex_count_++] = p;
  return true;
}

// A tetrahedron from what the simplex offers, completed with support points in new directions.
bool Expanding::start(const DifferencePoint* simplex, int count) {
  for (int k = 0; k < count && vertex_count_ < 4; ++k)
    if (widens(simplex[k])) vertices_[vertex_count_++] = simplex[k];
  for (int axis = 0; vertex_count_ < 3 && axis < 3; ++axis) {
    for (const double s : {1.0, -1.0})
      if (vertex_count_ < 3) add_vertex_if_new(s * Vec3::Unit(axis));
  }
  if (vertex_count_ < 3) return false;
  if (vertex_count_ == 3) {
    const Vec3 normal = (vertices_[1].w - vertices_[0].w).cross(vertices_[2].w - vertices_[0].w).normalized();
    // First towards the origin, so that it comes to lie inside.
    const double s = normal.dot(vertices_[0].w) > 0 ? -1.0 : 1.0;
    if (!add_vertex_if_new(s * normal) && !add_vertex_if_new(-s * normal)) return false;
  }
  return add_face(0, 1, 2) && add_face(0, 2, 3) && add_face(0, 3, 1) && add_face(1, 3, 2);
}

// Orients the first four faces by the tetrahedron's centre; later ones come with the orientation of the horizon.
bool Expanding::add_face(int i, int j, int k) {
  const Vec3& p = vertices_[i].w;
  const Vec3 normal = (vertices_[j].w - p).cross(vertices_[k].w - p);
  const double length = normal.norm();
  if (length == 0 || face_count_ == kMaxFaces) return false;
  Face& face = faces_[face_count_++];
  face = {{i, j, k}, normal / length, normal.dot(p) / length};
  const Vec3 center = (vertices_[0].w + vertices_[1].w + vertices_[2].w + vertices_[3].w) / 4;
  if (face.normal.dot(center) > face.distance) {
    std::swap(face.vertex[1], face.vertex[2]);
    face.normal = -face.normal;
    face.distance = -face.distance;
  }
  return true;
}

int Expanding::nearest_face() const {
  int nearest = 0;
  for (int f = 1; f < face_count_; ++f)
    if (faces_[f].distance < faces_[nearest].distance) nearest = f;
  return nearest;
}

void Expanding::grow() {
  while (vertex_count_ < kMaxVertices && face_count_ > 0) {
    Face& nearest = faces_[nearest_face()];
    const DifferencePoint p = difference_support(a_, b_, nearest.normal);
    const double depth = p.w.dot(nearest.normal);
    if (depth < best_depth_) remember(nearest, depth);
    if (best_depth_ - nearest.distance <= kDepthConverged * size_) return;

    // Faces that see the new point go; the edges they share with one that does not are the horizon.
    const double level = 1e-12 * size_;
    std::pair<int, int> edges[3 * kMaxFaces];
    int edge_count = 0;
    int kept = 0;
    for (int f = 0; f < face_count_; ++f) {
      const Face& face = faces_[f];
      if (face.normal.dot(p.w) <= face.distance + level) {
        faces_[kept++] = face;
        continue;
      }
      for (int e = 0; e < 3; ++e) {
        const int from = face.vertex[e], to = face.vertex[(e + 1) % 3];
        int twin = 0;
        while (twin < edge_count && !(edges[twin].first == to && edges[twin].second == from)) ++twin;
        if (twin < edge_count) edges[twin] = edges[--edge_count];
        else edges[edge_count++] = {from, to};
      }
    }
    if (kept == face_count_) return;   // the nearest face cannot grow
    face_count_ = kept;
    vertices_[vertex_count_] = p;
    const int apex = vertex_count_++;
    for (int e = 0; e < edge_count; ++e) add_face(edges[e].first, edges[e].second, apex);
  }
}

// Keeps a direction with its certified depth, and where the overlap ends along it.
void Expanding::remember(const Face& face, double depth) {
  best_depth_ = depth;
  const DifferencePoint &p = vertices_[face.vertex[0]], &q = vertices_[face.vertex[1]], &r = vertices_[face.vertex[2]];
  const Vec3 foot = face.distance * face.normal;
  double alpha = std::max(0.0, face.normal.dot((q.w - foot).cross(r.w - foot)));
  const double beta = std::max(0.0, face.normal.dot((r.w - foot).cross(p.w - foot)));
  const double gamma = std::max(0.0, face.normal.dot((p.w - foot).cross(q.w - foot)));
  double sum = alpha + beta + gamma;
  if (sum == 0) alpha = sum = 1;
  best_.state = CoreDirection::State::overlapping;
  best_.normal = -face.normal;   // B leaves A against the outward normal of B − A
  best_.on_a = (alpha * p.on_a + beta * q.on_a + gamma * r.on_a) / sum;
  best_.on_b = (alpha * p.on_b + beta * q.on_b + gamma * r.on_b) / sum;
}

}   // namespace

CoreDirection shallowest_overlap(const ConvexCore& a, const ConvexCore& b, const DifferencePoint* simplex, int count) {
  Expanding polytope(a, b);
  if (!polytope.start(simplex, count)) {
    // B − A is flat to rounding, as for a segment in a point's reach: any direction undoes the overlap.
    const Vec3 d = b.center() - a.center();
    CoreDirection result;
    result.state = CoreDirection::State::overlapping;
    result.normal = d.squaredNorm() > 0 ? Vec3(d.normalized()) : Vec3::UnitZ();
    result.on_a = a.center();
    result.on_b = b.center();
    return result;
  }
  polytope.grow();
  return polytope.best();
}

}   // namespace stickslip::narrow
