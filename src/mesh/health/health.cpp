#include "stickslip/mesh/health.h"

#include <fmt/format.h>

#include <algorithm>

#include "mesh/edges.h"
#include "mesh/health/intersections.h"
#include "mesh/health/nesting.h"
#include "mesh/weld.h"

namespace stickslip {

namespace {

constexpr std::string_view kFaultNames[] = {
    "open edges",         "non-manifold edges", "non-manifold vertices", "inconsistent edges",   "pieces inside out",
    "duplicate vertices", "unused vertices",    "duplicate triangles",   "degenerate triangles", "self-intersections"};

constexpr std::string_view kRemedies[] = {
    "--repair merge if the vertices on both sides are at the same places, --repair merge=DISTANCE if they nearly are, --repair "
    "fill for small holes",
    "cut the parts from each other where the mesh is made; --repair duplicates if faces stand there twice",
    "pull the parts apart where the mesh is made",
    "--repair orient",
    "--repair orient",
    "--repair merge",
    "--repair unused",
    "--repair duplicates",
    "--repair degenerate",
    "unite the parts where the mesh is made (a boolean union), or leave out what lies inside"};

Vec3 middle_of(const TriangleMesh& mesh, std::uint32_t t) {
  const auto& [a, b, c] = mesh.triangles[t];
  return (mesh.vertices[a] + mesh.vertices[b] + mesh.vertices[c]) / 3;
}

MeshFinding::Place place_of_crossing(const TriangleMesh& mesh, std::uint32_t s, std::uint32_t t) {
  return {fmt::format("triangles {} and {}", s, t), middle_of(mesh, s)};
}

class Examination {
 public:
  Examination(const TriangleMesh& mesh, const HealthOptions& options) : mesh_(mesh), options_(options), edges_(mesh) {}

  MeshHealth run() {
    health_.vertices = mesh_.vertices.size();
    health_.triangles = mesh_.triangles.size();
    health_.edges = edges_.size();
    health_.box = bounding_box(mesh_);
    health_.area = area(mesh_);
    health_.volume = volume(mesh_);
    look_at_edges();
    look_at_vertices();
    look_at_triangles();
    look_at_pieces();
    const Intersections through = find_intersections(mesh_, options_.max_intersections);
    health_.intersections_complete = through.complete;
    for (const auto& [s, t] : through.pairs)
      add(MeshFault::self_intersection, [&, a = s, b = t] { return place_of_crossing(mesh_, a, b); });
    if (health_.closed && health_.volume > 0) health_.solid = mass_properties(mesh_, 1);
    std::sort(health_.findings.begin(), health_.findings.end(), [](const auto& a, const auto& b) { return a.fault < b.fault; });
    judge();
    return std::move(health_);
  }

 private:
  template <class MakePlace>
  void add(MeshFault fault, MakePlace place) {
    auto found =
        std::find_if(health_.findings.begin(), health_.findings.end(), [&](const MeshFinding& f) { return f.fault == fault; });
    if (found == health_.findings.end()) {
      health_.findings.push_back({fault, 0, {}, std::string(kRemedies[static_cast<int>(fault)])});
      found = health_.findings.end() - 1;
    }
    ++found->count;
    if (found->places.size() < options_.max_places) found->places.push_back(place());
  }

  Vec3 middle(std::uint32_t t) const { return middle_of(mesh_, t); }

  void look_at_edges() {
    JoinedSets rims(mesh_.vertices.size());
    std::vector<std::uint32_t> on_rim;
    health_.closed = true;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const auto uses = edges_[e];
      const EdgeUse& first = uses.front();
      const auto forth = std::count_if(uses.begin(), uses.end(), [](const EdgeUse& use) { return use.forth; });
      if (2 * forth != static_cast<std::ptrdiff_t>(uses.size())) health_.closed = false;
      const auto place = [&] {
        return MeshFinding::Place{fmt::format("edge {}–{}", first.low, first.high),
                                  (mesh_.vertices[first.low] + mesh_.vertices[first.high]) / 2};
      };
      if (uses.size() == 1) {
        add(MeshFault::open_edge, place);
        rims.join(first.low, first.high);
        on_rim.push_back(first.low);
      } else if (uses.size() > 2) {
        add(MeshFault::non_manifold_edge, place);
      } else if (forth != 1) {
        add(MeshFault::inconsistent_edge, place);
      }
      look_for_duplicates(uses);
    }
    for (std::uint32_t& v : on_rim) v = rims.root(v);
    std::sort(on_rim.begin(), on_rim.end());
    health_.holes = static_cast<std::size_t>(std::unique(on_rim.begin(), on_rim.end()) - on_rim.begin());
  }

  std::uint32_t opposite(const EdgeUse& use) const { return mesh_.triangles[use.triangle][(use.side + 2) % 3]; }

  /// Every triangle is looked at once: at the edge that does not touch its highest vertex.
  void look_for_duplicates(std::span<const EdgeUse> uses) {
    if (uses.size() < 2) return;
    by_opposite_.clear();
    for (const EdgeUse& use : uses)
      if (const std::uint32_t v = opposite(use); v >= use.high) by_opposite_.emplace_back(v, use.triangle);
    std::sort(by_opposite_.begin(), by_opposite_.end());
    for (std::size_t i = 1, first = 0; i < by_opposite_.size(); ++i) {
      if (by_opposite_[i].first != by_opposite_[first].first) {
        first = i;
        continue;
      }
      const std::uint32_t same = by_opposite_[first].second, t = by_opposite_[i].second;
      add(MeshFault::duplicate_triangle, [&] {
        return MeshFinding::Place{fmt::format("triangles {} and {}", same, t), middle(t)};
      });
    }
  }

  void look_at_vertices() {
    const auto place = [&](std::uint32_t v) { return MeshFinding::Place{fmt::format("vertex {}", v), mesh_.vertices[v]}; };
    const std::vector<std::uint32_t> first = first_at_place(mesh_.vertices, 0);
    // Corners that follow each other around a vertex are joined; a manifold vertex has one set of them.
    JoinedSets fans(3 * mesh_.triangles.size());
    const auto corner = [&](const EdgeUse& use, std::uint32_t vertex) {
      return 3 * use.triangle + (mesh_.triangles[use.triangle][use.side] == vertex ? use.side : (use.side + 1) % 3);
    };
    for (std::size_t e = 0; e < edges_.size(); ++e)
      for (const EdgeUse& use : edges_[e])
        for (const std::uint32_t v : {use.low, use.high}) fans.join(corner(edges_[e].front(), v), corner(use, v));
    std::vector<std::uint32_t> count(mesh_.vertices.size(), 0);
    std::vector<bool> used(mesh_.vertices.size(), false);
    for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t)
      for (std::uint32_t k = 0; k < 3; ++k) {
        used[mesh_.triangles[t][k]] = true;
        if (!is_collapsed(mesh_.triangles[t]) && fans.root(3 * t + k) == 3 * t + k) ++count[mesh_.triangles[t][k]];
      }
    std::size_t used_count = 0;
    for (std::uint32_t v = 0; v < mesh_.vertices.size(); ++v) {
      used_count += used[v];
      if (!used[v]) add(MeshFault::unused_vertex, [&] { return place(v); });
      if (used[v] && first[v] != v) add(MeshFault::duplicate_vertex, [&] { return place(v); });
      if (count[v] > 1) add(MeshFault::non_manifold_vertex, [&] { return place(v); });
    }
    health_.euler =
        static_cast<long>(used_count) - static_cast<long>(edges_.size()) + static_cast<long>(mesh_.triangles.size());
  }

  void look_at_triangles() {
    for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
      const auto& [a, b, c] = mesh_.triangles[t];
      if (is_degenerate(mesh_.vertices[a], mesh_.vertices[b], mesh_.vertices[c]))
        add(MeshFault::degenerate_triangle, [&] { return MeshFinding::Place{fmt::format("triangle {}", t), middle(t)}; });
    }
  }

  void look_at_pieces() {
    const Pieces pieces = pieces_of(mesh_, edges_);
    health_.pieces =
        pieces.count - static_cast<std::size_t>(std::count_if(mesh_.triangles.begin(), mesh_.triangles.end(), is_collapsed));
    if (!health_.closed) return;   // what is open or inconsistent has no inside
    for (const std::uint32_t t : pieces_facing_wrong(mesh_, pieces))
      add(MeshFault::inside_out, [&] { return MeshFinding::Place{fmt::format("the piece of triangle {}", t), middle(t)}; });
  }

  void judge() {
    using F = MeshFault;
    const std::vector<F> solid = {F::open_edge, F::inconsistent_edge, F::inside_out, F::self_intersection};
    std::vector<F> contact = solid, distance = solid;
    contact.insert(contact.end(), {F::duplicate_triangle, F::degenerate_triangle});
    distance.insert(distance.end(), {F::non_manifold_edge, F::duplicate_triangle});
    const std::vector<F> lists[] = {solid, contact, distance, distance, {F::degenerate_triangle}};
    for (const MeshUse use : kMeshUses) {
      MeshFitness fitness{use, {}};
      for (const F fault : lists[static_cast<int>(use)])
        if (health_.count(fault) > 0) fitness.against.push_back(fault);
      // Edges of three triangles and more can be balanced; where they are not, the surface does not close there.
      if (use != MeshUse::static_contact && !health_.closed && fitness.against.empty())
        fitness.against.push_back(F::non_manifold_edge);
      if (use != MeshUse::static_contact && health_.closed && !(health_.volume > 0) && fitness.against.empty())
        fitness.against.push_back(F::inside_out);
      health_.fitness.push_back(std::move(fitness));
    }
  }

  const TriangleMesh& mesh_;
  HealthOptions options_;
  Edges edges_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_opposite_;   ///< corner beyond an edge, triangle
  MeshHealth health_;
};

}   // namespace

std::string_view fault_name(MeshFault fault) { return kFaultNames[static_cast<int>(fault)]; }

std::string_view use_name(MeshUse use) {
  constexpr std::string_view kNames[] = {"mass", "contact", "distance", "tetrahedra", "static"};
  return kNames[static_cast<int>(use)];
}

std::size_t MeshHealth::count(MeshFault fault) const {
  for (const MeshFinding& f : findings)
    if (f.fault == fault) return f.count;
  return 0;
}

bool MeshHealth::is_fit(MeshUse use) const {
  return std::any_of(fitness.begin(), fitness.end(), [&](const MeshFitness& f) { return f.use == use && f.against.empty(); });
}

MeshHealth check(const TriangleMesh& mesh, const HealthOptions& options) {
  validate(mesh);
  return Examination(mesh, options).run();
}

std::optional<MeshFinding::Place> self_intersection(const TriangleMesh& mesh) {
  validate(mesh);
  const Intersections through = find_intersections(mesh, 1);
  if (through.pairs.empty()) return std::nullopt;
  return place_of_crossing(mesh, through.pairs.front().first, through.pairs.front().second);
}

}   // namespace stickslip
