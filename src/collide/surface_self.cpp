// A surface that deforms against itself: vertices at triangles that look at them, and edges that cross.
//
// A vertex behind a triangle that looks the other way may belong there, on the other side of a thin wall, or have come through
// it: both look the same nearby. Between the two the surface winds around once in the first case, twice in the second.
#include <algorithm>
#include <cmath>

#include "collide/surface_edges.h"
#include "stickslip/collide/surface.h"

namespace stickslip {
namespace narrow {
namespace {

/// Cosine between the normals of two triangles from which on they look at each other.
constexpr double kLookAtEachOther = -0.5;
/// Cosine between the normal of a triangle and the way to its nearest point: beyond, the point lies beside it.
constexpr double kOverTriangle = 0.7;
/// Winding number between two layers of the solid that overlap, and one that is thin.
constexpr double kTwice = 1.5;

/// What a vertex is nearest to.
struct SelfNearest {
  double distance = std::numeric_limits<double>::infinity();   ///< [m]
  MeshPoint at;
  Vec3 normal = Vec3::Zero();   ///< from the vertex to the triangle
};

/// Of one thread; keeps its memory.
struct SelfScratch {
  std::vector<Vec3> normals;                          ///< of the faces
  std::vector<SelfNearest> front, behind;             ///< of the vertices
  std::vector<std::uint32_t> vertices;                ///< that have one of them
  std::vector<std::array<std::uint32_t, 2>> facing;   ///< triangles

  static SelfScratch& of_thread() {
    static thread_local SelfScratch scratch;
    return scratch;
  }
};

class SelfContacts {
 public:
  SelfContacts(const MeshSurface& s, double margin, double depth, SurfaceScratch& scratch)
      : s_(s), x_(s.mesh().vertices), margin_(margin), depth_(depth), scratch_(scratch), self_(SelfScratch::of_thread()) {
    winds_ = s.edges().boundary_edges() == 0;
  }

  void collide_all() {
    prepare();
    overlapping_pairs(s_.mesh(), s_.tree(), s_.mesh(), s_.tree(), Pose{}, std::max(margin_, depth_), scratch_.descent,
                      scratch_.pairs);
    self_.facing.clear();
    for (const auto& [i, j] : scratch_.pairs)
      if (i != j && self_.normals[i].dot(self_.normals[j]) < kLookAtEachOther) self_.facing.push_back({i, j});
    for (const auto& [i, j] : self_.facing)
      for (const std::uint32_t v : s_.mesh().triangles[i])
        if (!is_neighbour(v, j)) look_at(v, j);
    for (const std::uint32_t v : self_.vertices) settle(v);
    for (const std::uint32_t v : self_.vertices) add(v);
    for (const auto& [i, j] : self_.facing)
      if (i < j) cross(i, j);
  }

 private:
  void prepare() {
    const std::size_t faces = s_.mesh().triangles.size();
    self_.normals.resize(faces);
    for (std::size_t i = 0; i < faces; ++i) self_.normals[i] = face_normal(s_.mesh(), i);
    self_.front.resize(x_.size());
    self_.behind.resize(x_.size());
    self_.vertices.clear();
    scratch_.seen.begin(x_.size());
    scratch_.gaps_a.begin(x_.size());
  }

  bool are_joined(std::uint32_t v, std::uint32_t w) const {
    if (v == w) return true;
    for (const std::uint32_t face : s_.edges().faces_of_vertex(v)) {
      const auto& t = s_.mesh().triangles[face];
      if (t[0] == w || t[1] == w || t[2] == w) return true;
    }
    return false;
  }
  bool is_neighbour(std::uint32_t v, std::uint32_t triangle) const {
    const auto& t = s_.mesh().triangles[triangle];
    return are_joined(v, t[0]) || are_joined(v, t[1]) || are_joined(v, t[2]);
  }

  void look_at(std::uint32_t v, std::uint32_t j) {
    const auto& t = s_.mesh().triangles[j];
    const ClosestOnTriangle on = closest_on_triangle(x_[v], x_[t[0]], x_[t[1]], x_[t[2]]);
    const double distance = std::sqrt(on.squared_distance), height = self_.normals[j].dot(x_[v] - x_[t[0]]);
    const bool in_front = height >= 0;
    if (distance > (in_front ? margin_ : depth_) || (!in_front && !winds_)) return;
    if (scratch_.seen.first(v)) {
      self_.vertices.push_back(v);
      self_.front[v] = self_.behind[v] = {};
    }
    SelfNearest& best = in_front ? self_.front[v] : self_.behind[v];
    if (distance > best.distance || (distance == best.distance && j > best.at.triangle)) return;
    SelfNearest next;
    next.distance = distance;
    next.at.triangle = j;
    next.at.point = on.weights[0] * x_[t[0]] + on.weights[1] * x_[t[1]] + on.weights[2] * x_[t[2]];
    const int place = static_cast<int>(on.on);
    next.at.feature = place < 3 ? stickslip::Feature::vertex : place < 6 ? stickslip::Feature::edge : stickslip::Feature::face;
    next.at.corner = static_cast<std::uint8_t>(place % 3);
    const Vec3 way = in_front ? Vec3(next.at.point - x_[v]) : Vec3(x_[v] - next.at.point);
    next.normal =
        next.at.feature == stickslip::Feature::face || !(distance > 0) ? Vec3(-self_.normals[j]) : Vec3(way / distance);
    if (next.normal.dot(self_.normals[j]) > -kOverTriangle) return;
    if (look_of(look_of_vertex(s_, v, next.normal)) == Look::at) best = next;
  }

  /// Whether the surface overlaps itself at a point.
  bool is_twice_inside(const Vec3& at) const { return winding_number(s_.mesh(), s_.tree(), at) > kTwice; }

  /// Leaves in front[v] what holds the vertex, with the sign of the gap.
  void settle(std::uint32_t v) {
    SelfNearest &front = self_.front[v], &behind = self_.behind[v];
    if (std::isfinite(behind.distance) && is_twice_inside(0.5 * (x_[v] + behind.at.point))) {
      front = behind;
      front.distance = -behind.distance;
    }
    if (std::isfinite(front.distance)) scratch_.gaps_a.set(v, front.distance);
  }

  void add(std::uint32_t v) {
    const SelfNearest& at = self_.front[v];
    if (!std::isfinite(at.distance)) return;
    const SurfacePart part = part_of_point(s_, at.at);
    // Two vertices that are nearest to each other have one contact.
    if (part.kind == SurfacePartKind::vertex && part.index < v && std::isfinite(scratch_.gaps_a.of(part.index)) &&
        part_of_point(s_, self_.front[part.index].at) == part_of_vertex(v))
      return;
    scratch_.add(part_of_vertex(v), part.number(), x_[v] + 0.5 * at.distance * at.normal, at.normal, at.distance, 0);
  }

  void cross(std::uint32_t i, std::uint32_t j) {
    for (std::uint32_t ea : s_.edges().edges_of_face(i))
      for (std::uint32_t eb : s_.edges().edges_of_face(j)) {
        if (!s_.edges().active(ea) && !s_.edges().active(eb)) continue;
        const std::uint32_t first = std::min(ea, eb), second = std::max(ea, eb);
        const auto [start_a, along_a] = line_of(s_, first);
        const auto [start_b, along_b] = line_of(s_, second);
        if (!may_cross(start_a, along_a, start_b, along_b, std::max(margin_, depth_))) continue;
        const MeshEdge a = edge_of(s_, first), b = edge_of(s_, second);
        const auto x = crossing_of(a, b, margin_, depth_);
        if (!x || are_neighbours(first, second)) continue;
        if (!counts(*x, a, nearest_end(first), b, nearest_end(second))) continue;
        if (x->gap < 0 && !(winds_ && is_twice_inside(x->position()))) continue;
        scratch_.add(part_of_edge(s_, first), part_of_edge(s_, second).number(), x->position(), x->normal, x->gap, 0);
      }
  }

  bool are_neighbours(std::uint32_t ea, std::uint32_t eb) const {
    for (const std::uint32_t v : s_.edges().vertices(ea))
      for (const std::uint32_t w : s_.edges().vertices(eb))
        if (are_joined(v, w)) return true;
    return false;
  }
  double nearest_end(std::uint32_t edge) const {
    const auto& ends = s_.edges().vertices(edge);
    return std::min(scratch_.gaps_a.of(ends[0]), scratch_.gaps_a.of(ends[1]));
  }

  const MeshSurface& s_;
  const std::vector<Vec3>& x_;
  double margin_, depth_;
  bool winds_;   ///< whether the surface ends nowhere
  SurfaceScratch& scratch_;
  SelfScratch& self_;
};

}   // namespace
}   // namespace narrow

void collide_self(const MeshSurface& surface, double margin, double depth, ContactSink& sink) {
  sink.clear();
  if (surface.tree().empty()) return;
  narrow::SurfaceScratch& scratch = narrow::SurfaceScratch::of_thread();
  scratch.found.clear();
  narrow::SelfContacts(surface, margin, depth, scratch).collide_all();
  scratch.emit(sink);
}

}   // namespace stickslip
