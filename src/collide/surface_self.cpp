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

/// The pairs of triangles of a surface that are near and look at each other. The tree is descended with itself; what looks
/// about the same way, as all that is near on a smooth surface, is left out by boxes around the normals. Keeps its memory.
class FacingTriangles {
 public:
  using List = std::vector<std::array<std::uint32_t, 2>>;

  const std::vector<Vec3>& normals() const { return normals_; }   ///< of the faces

  /// {lower, higher index}, in the order of the tree.
  const List& find(const MeshSurface& s, double reach) {
    s_ = &s;
    reach_ = reach;
    bound_normals();
    found_.clear();
    waiting_.clear();
    push_lanes(0, 0);
    while (!waiting_.empty()) {
      const auto [p, q] = waiting_.back();
      waiting_.pop_back();
      look(p, q);
    }
    return found_;
  }

 private:
  static constexpr std::uint32_t kLanes = TriangleTree::kWidth;
  // A place is a child of a node: kLanes × node + lane.
  std::uint32_t child(std::uint32_t place) const { return s_->tree().nodes()[place / kLanes].children[place % kLanes]; }

  void bound_normals() {
    const TriangleTree& tree = s_->tree();
    normals_.resize(s_->mesh().triangles.size());
    for (std::size_t i = 0; i < normals_.size(); ++i) normals_[i] = face_normal(s_->mesh(), i);
    bounds_.assign(kLanes * tree.nodes().size(), Aabb{});
    for (auto place = static_cast<std::uint32_t>(bounds_.size()); place-- > 0;) {
      const std::uint32_t at = child(place);
      if (at == TriangleTree::kNone) continue;
      if (!TriangleTree::is_leaf(at)) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) bounds_[place] = bounds_[place].merged(bounds_[kLanes * at + lane]);
        continue;
      }
      for (std::uint32_t i = 0; i < TriangleTree::leaf_count(at); ++i) {
        const Vec3& n = normals_[tree.order()[TriangleTree::leaf_first(at) + i]];
        bounds_[place] = bounds_[place].merged({n, n});
      }
    }
  }

  /// Every pair of the children of two nodes, once.
  void push_lanes(std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t i = 0; i < kLanes; ++i)
      for (std::uint32_t j = a == b ? i : 0; j < kLanes; ++j) push(kLanes * a + i, kLanes * b + j);
  }

  void push(std::uint32_t p, std::uint32_t q) {
    if (child(p) == TriangleTree::kNone || child(q) == TriangleTree::kNone) return;
    const Aabb &m = bounds_[p], &n = bounds_[q];
    const auto lower = m.lower.array(), upper = m.upper.array(), low = n.lower.array(), up = n.upper.array();
    // The least that the product of two numbers of two intervals can be, summed.
    if ((lower * low).min(lower * up).min((upper * low).min(upper * up)).sum() >= kLookAtEachOther) return;
    const TriangleTree::Node &x = s_->tree().nodes()[p / kLanes], &y = s_->tree().nodes()[q / kLanes];
    const auto i = static_cast<Eigen::Index>(p % kLanes), j = static_cast<Eigen::Index>(q % kLanes);
    for (int axis = 0; axis < 3; ++axis)
      if (double{x.lower[axis][i]} - double{y.upper[axis][j]} > reach_ ||
          double{y.lower[axis][j]} - double{x.upper[axis][i]} > reach_)
        return;
    waiting_.push_back({p, q});
  }

  void look(std::uint32_t p, std::uint32_t q) {
    const std::uint32_t a = child(p), b = child(q);
    const bool leaf_a = TriangleTree::is_leaf(a), leaf_b = TriangleTree::is_leaf(b);
    if (leaf_a && leaf_b) return add_leaves(a, b);
    if (!leaf_a && !leaf_b) return push_lanes(a, b);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) push(leaf_a ? p : kLanes * a + lane, leaf_a ? kLanes * b + lane : q);
  }

  void add_leaves(std::uint32_t a, std::uint32_t b) {
    const auto& order = s_->tree().order();
    for (std::uint32_t i = 0; i < TriangleTree::leaf_count(a); ++i)
      for (std::uint32_t j = a == b ? i + 1 : 0; j < TriangleTree::leaf_count(b); ++j) {
        const auto [low, high] = std::minmax(order[TriangleTree::leaf_first(a) + i], order[TriangleTree::leaf_first(b) + j]);
        if (normals_[low].dot(normals_[high]) < kLookAtEachOther &&
            triangle_box(s_->mesh(), low).grown(reach_).overlaps(triangle_box(s_->mesh(), high)))
          found_.push_back({low, high});
      }
  }

  const MeshSurface* s_ = nullptr;
  double reach_ = 0;
  std::vector<Vec3> normals_;
  std::vector<Aabb> bounds_;   ///< of the normals below a place
  List waiting_, found_;
};

/// Of one thread; keeps its memory.
struct SelfScratch {
  FacingTriangles facing;
  std::vector<SelfNearest> front, behind;   ///< of the vertices
  std::vector<std::uint32_t> vertices;      ///< that have one of them

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
    const FacingTriangles::List& facing = self_.facing.find(s_, std::max(margin_, depth_));
    for (const auto& [i, j] : facing) {
      for (const std::uint32_t v : s_.mesh().triangles[i])
        if (!is_neighbour(v, j)) look_at(v, j);
      for (const std::uint32_t v : s_.mesh().triangles[j])
        if (!is_neighbour(v, i)) look_at(v, i);
    }
    for (const std::uint32_t v : self_.vertices) settle(v);
    for (const std::uint32_t v : self_.vertices) add(v);
    for (const auto& [i, j] : facing) cross(i, j);
  }

 private:
  void prepare() {
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
    const Vec3& normal = self_.facing.normals()[j];
    const ClosestOnTriangle on = closest_on_triangle(x_[v], x_[t[0]], x_[t[1]], x_[t[2]]);
    const double distance = std::sqrt(on.squared_distance), height = normal.dot(x_[v] - x_[t[0]]);
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
    next.normal = next.at.feature == stickslip::Feature::face || !(distance > 0) ? Vec3(-normal) : Vec3(way / distance);
    if (next.normal.dot(normal) > -kOverTriangle) return;
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
    if (std::isfinite(front.distance)) scratch_.gaps_a.set(v, front.distance, front.normal);
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
        const std::uint32_t first = std::min(ea, eb), second = std::max(ea, eb);
        const auto [start_a, along_a] = line_of(s_, first);
        const auto [start_b, along_b] = line_of(s_, second);
        if (!may_cross(start_a, along_a, start_b, along_b, std::max(margin_, depth_))) continue;
        const SurfacePart part_a = part_of_edge(s_, first), part_b = part_of_edge(s_, second);
        const bool loaded = scratch_.was_loaded(part_a, part_b.number(), 0);
        if (!loaded && !s_.edges().active(first) && !s_.edges().active(second)) continue;
        const MeshEdge a = edge_of(s_, first), b = edge_of(s_, second);
        const auto x = crossing_of(a, b, margin_, depth_, loaded);
        if (!x || are_neighbours(first, second)) continue;
        if (!loaded && !counts(*x, a, SurfaceScratch::nearest_end(s_, first, scratch_.gaps_a, x->normal), b,
                               SurfaceScratch::nearest_end(s_, second, scratch_.gaps_a, x->normal)))
          continue;
        if (x->gap < 0 && !(winds_ && is_twice_inside(x->position()))) continue;
        scratch_.add(part_a, part_b.number(), x->position(), x->normal, x->gap, 0);
      }
  }

  bool are_neighbours(std::uint32_t ea, std::uint32_t eb) const {
    for (const std::uint32_t v : s_.edges().vertices(ea))
      for (const std::uint32_t w : s_.edges().vertices(eb))
        if (are_joined(v, w)) return true;
    return false;
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

void collide_self(const MeshSurface& surface, double margin, double depth, ContactSink& sink, const LoadedContacts& loaded) {
  sink.clear();
  if (surface.tree().empty()) return;
  narrow::SurfaceScratch& scratch = narrow::SurfaceScratch::of_thread();
  scratch.begin(loaded);
  narrow::SelfContacts(surface, margin, depth, scratch).collide_all();
  scratch.emit(sink);
}

}   // namespace stickslip
