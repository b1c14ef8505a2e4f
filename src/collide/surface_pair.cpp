// Two surfaces that deform: vertices of each at the other, and edges that cross.
#include <algorithm>
#include <cmath>

#include "collide/surface_edges.h"
#include "stickslip/collide/surface.h"

namespace stickslip {
namespace narrow {
namespace {

double least_extent(const MeshSurface& s) { return (s.tree().bounds().upper - s.tree().bounds().lower).minCoeff(); }

class SurfacePair {
 public:
  SurfacePair(const MeshSurface& a, const MeshSurface& b, double margin, SurfaceScratch& scratch)
      : a_(a), b_(b), margin_(margin), deepest_(0.5 * std::min(least_extent(a), least_extent(b))), scratch_(scratch) {}

  void collide_all() {
    crossings_ = std::min(deepest_crossing(a_, margin_), deepest_crossing(b_, margin_));
    overlapping_pairs(a_.mesh(), a_.tree(), b_.mesh(), b_.tree(), Pose{}, crossings_, scratch_.descent, scratch_.pairs);
    gather(a_, 0);
    vertices_at(a_, b_, scratch_.gaps_a, [&](std::uint32_t v, const SignedDistance& at) {
      scratch_.add(part_of_vertex(v), part_of_point(b_, at.nearest).number(), middle(a_, v, at), -at.gradient, at.distance, 0);
    });
    gather(b_, 1);
    vertices_at(b_, a_, scratch_.gaps_b, [&](std::uint32_t v, const SignedDistance& at) {
      scratch_.add(part_of_point(a_, at.nearest), part_of_vertex(v).number(), middle(b_, v, at), at.gradient, at.distance, 0);
    });
    for (const auto& [ta, tb] : scratch_.pairs) cross(ta, tb);
  }

 private:
  static Vec3 middle(const MeshSurface& s, std::uint32_t v, const SignedDistance& at) {
    return s.mesh().vertices[v] - 0.5 * at.distance * at.gradient;
  }

  /// Vertices of one surface near the other; where there is none, any: it may lie all inside.
  void gather(const MeshSurface& own, int side) {
    scratch_.vertices.clear();
    scratch_.seen.begin(own.mesh().vertices.size());
    for (const auto& pair : scratch_.pairs) gather_corners(own, pair[static_cast<std::size_t>(side)]);
    if (scratch_.pairs.empty()) gather_corners(own, 0);
  }
  void gather_corners(const MeshSurface& own, std::uint32_t triangle) {
    for (const std::uint32_t v : own.mesh().triangles[triangle])
      if (scratch_.seen.first(v)) scratch_.vertices.push_back(v);
  }

  /// Vertices of one surface that look at the other or have come inside it. From those inside the neighbours are asked too: far
  /// from the other surface, all that hang together are on one side of it.
  void vertices_at(const MeshSurface& own, const MeshSurface& other, VertexGaps& gaps, auto&& add) {
    gaps.begin(own.mesh().vertices.size());
    const Aabb box = other.tree().bounds().grown(margin_);
    std::uint32_t hint = TriangleTree::kNone;
    for (std::size_t i = 0; i < scratch_.vertices.size(); ++i) {
      const std::uint32_t v = scratch_.vertices[i];
      const Vec3& x = own.mesh().vertices[v];
      if (!box.overlaps({x, x})) continue;
      const auto found =
          nearest_touched(other, x, SignRule::automatic, std::max(margin_, deepest_), kAskFarther * size_at_vertex(own, v),
                          hint, scratch_.near, [&](const Vec3& d) { return look_of_vertex(own, v, d); });
      if (!found) continue;
      hint = found->nearest.triangle;
      if (found->distance < 0)
        for (const std::uint32_t t : own.edges().faces_of_vertex(v)) gather_corners(own, t);
      if (found->distance > margin_ || found->distance < -deepest_ || found->gradient.isZero(0)) continue;
      if (found->distance > 0 && !can_touch(own, v, -found->gradient)) continue;
      gaps.set(v, found->distance, found->gradient);
      add(v, *found);
    }
  }

  void cross(std::uint32_t ta, std::uint32_t tb) {
    for (const std::uint32_t ea : a_.edges().edges_of_face(ta)) {
      if (a_.edges().faces(ea)[0] != ta) continue;
      std::optional<MeshEdge> of_a;
      const auto [start, along] = line_of(a_, ea);
      for (const std::uint32_t eb : b_.edges().edges_of_face(tb)) {
        if (b_.edges().faces(eb)[0] != tb) continue;
        const auto [start_b, along_b] = line_of(b_, eb);
        if (!may_cross(start, along, start_b, along_b, crossings_)) continue;
        const SurfacePart part_a = part_of_edge(a_, ea), part_b = part_of_edge(b_, eb);
        const bool loaded = scratch_.was_loaded(part_a, part_b.number(), 0);
        if (!loaded && !a_.edges().active(ea) && !b_.edges().active(eb)) continue;
        if (!of_a) of_a = edge_of(a_, ea);
        const MeshEdge of_b = edge_of(b_, eb);
        const auto x = crossing_of(*of_a, of_b, margin_, crossings_, loaded);
        if (!x || !(loaded || says_more(*x, *of_a, of_b))) continue;
        const CrossingWorth worth = worth_of(
            *x, *of_a, of_b, [&](const Vec3& p) { return distance_to(a_, p, ta); },
            [&](const Vec3& p) { return distance_to(b_, p, tb); });
        if (worth == CrossingWorth::none) continue;
        scratch_.add(part_a, part_b.number(), x->position(), x->normal, x->gap, 0);
        if (worth == CrossingWorth::spare && !loaded) scratch_.put_aside();
      }
    }
  }

  /// Whether a crossing says more than the contacts of the ends do, or has to take over what one of them bore.
  bool says_more(const SurfaceCrossing& x, const MeshEdge& a, const MeshEdge& b) const {
    if (scratch_.takes_over_in_a(a_, a.id, x.normal) || scratch_.takes_over_in_b(b_, b.id, x.normal)) return true;
    return counts(x, a, SurfaceScratch::nearest_end(a_, a.id, scratch_.gaps_a, x.normal), b,
                  SurfaceScratch::nearest_end(b_, b.id, scratch_.gaps_b, x.normal));
  }

  const MeshSurface &a_, &b_;
  double margin_, deepest_, crossings_ = 0;   ///< how deep vertices and crossings may lie [m]
  SurfaceScratch& scratch_;
};

}   // namespace
}   // namespace narrow

void collide_surfaces(const MeshSurface& a, const MeshSurface& b, double margin, ContactSink& sink,
                      const LoadedContacts& loaded) {
  sink.clear();
  if (a.tree().empty() || b.tree().empty() || !a.tree().bounds().grown(margin).overlaps(b.tree().bounds())) return;
  narrow::SurfaceScratch& scratch = narrow::SurfaceScratch::of_thread();
  scratch.begin(loaded);
  narrow::SurfacePair(a, b, margin, scratch).collide_all();
  scratch.emit(sink);
}

}   // namespace stickslip
