#include "stickslip/mesh/stuffing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "mesh/tets/lattice.h"
#include "stickslip/math/error.h"
#include "stickslip/mesh/mesh_distance.h"

namespace stickslip {

namespace {

/// How near to a point of the lattice, in lengths of its edge, a cut moves it: the values for which the bounds of the angles
/// hold.
constexpr double kWarpLong = 0.24999, kWarpShort = 0.41189;

class Stuffing {
 public:
  Stuffing(const DistanceFunction& distance, const Lattice& lattice)
      : distance_(distance), lattice_(lattice), side_(lattice.size(), kOutside) {}

  TetMesh run() {
    find_sides();
    find_cuts();
    warp();
    lattice_.each_tetrahedron([&](const std::array<std::uint32_t, 4>& t) { fill(t); });
    return std::move(mesh_);
  }

 private:
  enum Side : std::int8_t { kOutside = -1, kOn = 0, kInside = 1 };

  static Side side_of(double distance) { return distance < 0 ? kInside : distance > 0 ? kOutside : kOn; }

  /// Blocks that the surface does not reach lie on one side as a whole.
  void find_sides() {
    lattice_.each_block([&](const Vec3& middle, double radius, const std::vector<std::uint32_t>& points) {
      const double there = distance_(middle);
      if (std::abs(there) > radius)
        for (const std::uint32_t p : points) side_[p] = side_of(there);
      else
        for (const std::uint32_t p : points) side_[p] = side_of(distance_(lattice_.place(p)));
    });
  }

  static std::uint64_t edge(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
  }

  /// Where the surface crosses the edge between a point inside and one outside: the root by the Illinois form of regula falsi.
  Vec3 crossing(const Vec3& inside, const Vec3& outside) const {
    double low = 0, high = 1, at_low = distance_(inside), at_high = distance_(outside), t = 0.5;
    int last = 0;
    for (int i = 0; i < 40 && high - low > 1e-12; ++i) {
      t = at_high > at_low ? low - at_low * (high - low) / (at_high - at_low) : (low + high) / 2;
      if (!(t > low && t < high)) t = (low + high) / 2;
      const double there = distance_(inside + t * (outside - inside));
      if (there == 0) break;
      if (there < 0) {
        low = t, at_low = there;
        if (last == -1) at_high /= 2;
        last = -1;
      } else {
        high = t, at_high = there;
        if (last == 1) at_low /= 2;
        last = 1;
      }
    }
    return inside + t * (outside - inside);
  }

  void find_cuts() {
    lattice_.each_edge([&](std::uint32_t a, std::uint32_t b) {
      if (side_[a] * side_[b] >= 0) return;
      if (side_[a] == kOutside) std::swap(a, b);
      cut_.emplace(edge(a, b), crossing(lattice_.place(a), lattice_.place(b)));
      near_surface_.push_back(a), near_surface_.push_back(b);
    });
    std::sort(near_surface_.begin(), near_surface_.end());
    near_surface_.erase(std::unique(near_surface_.begin(), near_surface_.end()), near_surface_.end());
  }

  /// Points with a cut close by move onto the nearest one; the cuts of their other edges are gone.
  void warp() {
    for (const std::uint32_t p : near_surface_) {
      const Vec3 place = lattice_.place(p);
      double nearest = 1;
      Vec3 target = place;
      lattice_.each_neighbour(p, [&](std::uint32_t q, bool is_long) {
        const auto found = cut_.find(edge(p, q));
        if (found == cut_.end()) return;
        const double length = is_long ? lattice_.spacing() : lattice_.spacing() * std::numbers::sqrt3 / 2;
        const double ratio = (found->second - place).norm() / length / (is_long ? kWarpLong : kWarpShort);
        if (ratio < nearest) nearest = ratio, target = found->second;
      });
      if (!(nearest < 1)) continue;
      side_[p] = kOn;
      moved_.emplace(p, target);
      lattice_.each_neighbour(p, [&](std::uint32_t q, bool) { cut_.erase(edge(p, q)); });
    }
  }

  std::uint32_t new_vertex(const Vec3& place) {
    mesh_.vertices.push_back(place);
    return static_cast<std::uint32_t>(mesh_.vertices.size() - 1);
  }

  std::uint32_t vertex(std::uint32_t p) {
    const auto [entry, is_new] = vertex_of_point_.try_emplace(p, 0);
    if (is_new) {
      const auto moved = moved_.find(p);
      entry->second = new_vertex(moved == moved_.end() ? lattice_.place(p) : moved->second);
    }
    return entry->second;
  }

  std::uint32_t cut_vertex(std::uint32_t p, std::uint32_t q) {
    const auto [entry, is_new] = vertex_of_cut_.try_emplace(edge(p, q), 0);
    if (is_new) entry->second = new_vertex(cut_.at(edge(p, q)));
    return entry->second;
  }

  void emit(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    const auto& v = mesh_.vertices;
    if (tet_volume(v[a], v[b], v[c], v[d]) < 0) std::swap(c, d);
    mesh_.tetrahedra.push_back({a, b, c, d});
  }

  /// Whether the quadrilateral that two inner points p, q and the cuts towards the outer point n form is halved from p to the
  /// cut between q and n.
  /// Both tetrahedra at the face must agree, so that it depends on the face alone.
  bool halved_from(std::uint32_t p, std::uint32_t q, std::uint32_t n) const {
    if (lattice_.is_long(p, q)) return lattice_.is_even(p);
    return lattice_.is_long(q, n) == kToLongCut;
  }
  static constexpr bool kToLongCut = true;   ///< where one of the cut edges is long, its cut is an end of the diagonal

  /// A prism between the triangles a and b; from[i][j] says that the side with corners i and j is halved from a[i] to b[j].
  void emit_prism(const std::array<std::uint32_t, 3>& a, const std::array<std::uint32_t, 3>& b, bool from01, bool from12,
                  bool from20) {
    const int wins[3] = {from01 + !from20, from12 + !from01, from20 + !from12};
    int order[3] = {0, 1, 2};
    std::sort(order, order + 3, [&](int i, int j) { return wins[i] > wins[j]; });
    const auto [i, j, k] = order;
    emit(a[i], b[i], b[j], b[k]);
    emit(a[i], a[j], b[j], b[k]);
    emit(a[i], a[j], a[k], b[k]);
  }

  void fill(const std::array<std::uint32_t, 4>& t) {
    std::uint32_t in[4], on[4], out[4];
    int inside = 0, zero = 0, outside = 0;
    for (const std::uint32_t p : t) {
      if (side_[p] == kInside) in[inside++] = p;
      else if (side_[p] == kOn) on[zero++] = p;
      else out[outside++] = p;
    }
    if (inside == 0) return;
    if (outside == 0) return emit(vertex(t[0]), vertex(t[1]), vertex(t[2]), vertex(t[3]));
    if (inside == 1) return fill_corner(in[0], on, zero, out, outside);
    if (inside == 2 && outside == 1) return fill_pyramid(in[0], in[1], on[0], out[0]);
    if (inside == 2) return fill_wedge(in[0], in[1], out[0], out[1]);
    const std::uint32_t a = in[0], b = in[1], c = in[2], n = out[0];
    emit_prism({vertex(a), vertex(b), vertex(c)}, {cut_vertex(a, n), cut_vertex(b, n), cut_vertex(c, n)}, halved_from(a, b, n),
               halved_from(b, c, n), halved_from(c, a, n));
  }

  void fill_corner(std::uint32_t in, const std::uint32_t* on, int zero, const std::uint32_t* out, int outside) {
    std::uint32_t v[4] = {vertex(in)};
    for (int k = 0; k < zero; ++k) v[1 + k] = vertex(on[k]);
    for (int k = 0; k < outside; ++k) v[1 + zero + k] = cut_vertex(in, out[k]);
    emit(v[0], v[1], v[2], v[3]);
  }

  void fill_pyramid(std::uint32_t a, std::uint32_t b, std::uint32_t on, std::uint32_t n) {
    if (!halved_from(a, b, n)) std::swap(a, b);
    emit(vertex(a), vertex(b), cut_vertex(b, n), vertex(on));
    emit(vertex(a), cut_vertex(b, n), cut_vertex(a, n), vertex(on));
  }

  void fill_wedge(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    const std::array<std::uint32_t, 3> near = {vertex(a), cut_vertex(a, c), cut_vertex(a, d)},
                                       far = {vertex(b), cut_vertex(b, c), cut_vertex(b, d)};
    const bool from01 = halved_from(a, b, c), from20 = !halved_from(a, b, d);
    // The quadrilateral of the surface is free: halved along its shorter diagonal where the other two do not decide.
    const auto length = [&](std::uint32_t p, std::uint32_t q) { return (mesh_.vertices[p] - mesh_.vertices[q]).squaredNorm(); };
    const bool from12 = from01 != from20 ? length(near[1], far[2]) < length(near[2], far[1]) : !from01;
    emit_prism(near, far, from01, from12, from20);
  }

  const DistanceFunction& distance_;
  const Lattice& lattice_;
  std::vector<Side> side_;
  std::unordered_map<std::uint64_t, Vec3> cut_;
  std::vector<std::uint32_t> near_surface_;
  std::unordered_map<std::uint32_t, Vec3> moved_;
  std::unordered_map<std::uint32_t, std::uint32_t> vertex_of_point_;
  std::unordered_map<std::uint64_t, std::uint32_t> vertex_of_cut_;
  TetMesh mesh_;
};

}   // namespace

TetMesh stuff(const DistanceFunction& distance, const Aabb& box, const StuffingOptions& options) {
  if (!(std::isfinite(options.size) && options.size > 0))
    throw Error(fmt::format("{} is not a size of tetrahedra. It must be finite and greater than 0 m.", options.size))
        .at("size");
  const Vec3 extent = box.upper - box.lower;
  if (!(extent.allFinite() && extent.minCoeff() >= 0)) throw Error("The box around the solid is empty or not finite.");
  const double points = 2 * ((extent / options.size).array() + 4).prod();
  if (!(points <= static_cast<double>(options.max_lattice_points)))
    throw Error(fmt::format("Tetrahedra of {} m in a box of {} × {} × {} m would need a lattice of {:.3g} points; the limit is "
                            "{}. The size must be about {:.2g} m "
                            "or more.",
                            options.size, extent.x(), extent.y(), extent.z(), points, options.max_lattice_points,
                            options.size * std::cbrt(points / static_cast<double>(options.max_lattice_points))))
        .at("size");
  const Lattice lattice(box, options.size);
  TetMesh mesh = Stuffing(distance, lattice).run();
  if (mesh.tetrahedra.empty())
    throw Error(
        fmt::format("No point of the lattice lies inside: the solid is thinner than {} m everywhere. Choose a smaller size.",
                    options.size))
        .at("size");
  return mesh;
}

TetMesh stuff(const TriangleMesh& mesh, const StuffingOptions& options) {
  return stuff(MeshDistance(mesh), bounding_box(mesh), options);
}

}   // namespace stickslip
