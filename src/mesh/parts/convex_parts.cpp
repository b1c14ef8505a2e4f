#include "stickslip/mesh/convex_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "mesh/parts/candidates.h"
#include "mesh/parts/cut.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kSliver = 1e-9;        ///< parts below this share of the whole volume are slivers of rounding
constexpr double kThinnestCut = 1e-3;   ///< least share of a hull that a cut takes away
constexpr double kBalance = 0.05;       ///< worth of halves of equal size, relative to volume of hulls
constexpr double kSmallExcess = 1e-5;   ///< what a part may overfill, as a share of the whole volume, whatever its concavity

struct Piece {
  TriangleMesh mesh;
  ConvexHull hull;
  double volume = 0, hull_volume = 0;
  bool is_final = false;   ///< no plane was found that cuts it

  double concavity() const { return std::max(0.0, (hull_volume - volume) / hull_volume); }
  double excess() const { return hull_volume - volume; }
};

std::optional<ConvexHull> hull_of(const std::vector<Vec3>& points) {
  try {
    return make_convex_hull(points);
  } catch (const Error&) {
    return std::nullopt;
  }
}

class Decomposition {
 public:
  Decomposition(const TriangleMesh& mesh, const ConvexPartsOptions& options) : options_(options), whole_(volume(mesh)) {
    add_solids(mesh);
  }

  ConvexParts run() {
    while (pieces_.size() < options_.max_parts) {
      Piece* worst = nullptr;
      for (Piece& piece : pieces_)
        if (!piece.is_final && !is_good(piece) && (!worst || piece.excess() > worst->excess())) worst = &piece;
      if (!worst) break;
      split(*worst);
    }
    join_pieces();
    return result();
  }

 private:
  void add_solids(const TriangleMesh& mesh) {
    for (TriangleMesh& solid : solids_of(mesh)) {
      const double volume_of = volume(solid);
      if (!(volume_of > kSliver * whole_)) continue;
      const auto hull = hull_of(solid.vertices);
      if (!hull) continue;
      pieces_.push_back({std::move(solid), *hull, volume_of, mass_properties(*hull, 1).mass});
    }
  }

  bool is_good(const Piece& piece) const {
    return piece.concavity() <= options_.concavity || piece.excess() <= kSmallExcess * whole_;
  }

  void split(Piece& piece) {
    std::vector<std::pair<double, CutPlane>> rated;
    for (const CutPlane& plane : candidate_planes(piece.mesh)) {
      const auto [below, above] = hull_volumes_after(piece.mesh, plane);
      if (std::min(below, above) < kThinnestCut * piece.hull_volume) continue;
      rated.emplace_back(below + above + kBalance * std::abs(below - above), plane);
    }
    std::stable_sort(rated.begin(), rated.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [left, plane] : rated) {
      auto halves = cut(piece.mesh, plane);
      // A cut whose volumes do not add up went wrong where the mesh runs through itself.
      if (!halves || std::abs(volume(halves->below) + volume(halves->above) - piece.volume) > 1e-6 * piece.volume) continue;
      const std::ptrdiff_t at = &piece - pieces_.data();
      pieces_.erase(pieces_.begin() + at);
      add_solids(halves->below);
      add_solids(halves->above);
      return;
    }
    piece.is_final = true;
  }

  /// What two pieces are together, if their common hull keeps the bound.
  std::optional<Piece> together(const Piece& a, const Piece& b) const {
    if (!bounding_box(a.mesh).grown(1e-4 * std::cbrt(whole_)).overlaps(bounding_box(b.mesh))) return std::nullopt;
    std::vector<Vec3> points = a.hull.polytope->vertices;
    points.insert(points.end(), b.hull.polytope->vertices.begin(), b.hull.polytope->vertices.end());
    const auto hull = hull_of(points);
    if (!hull) return std::nullopt;
    Piece both{a.mesh, *hull, a.volume + b.volume, mass_properties(*hull, 1).mass, true};
    if (!is_good(both)) return std::nullopt;
    const auto first = static_cast<std::uint32_t>(both.mesh.vertices.size());
    both.mesh.vertices.insert(both.mesh.vertices.end(), b.mesh.vertices.begin(), b.mesh.vertices.end());
    for (const auto& t : b.mesh.triangles) both.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    return both;
  }

  void join_pieces() {
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      for (std::size_t j = i + 1; j < pieces_.size();)
        if (auto both = together(pieces_[i], pieces_[j])) {
          pieces_[i] = std::move(*both);
          pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(j));
          j = i + 1;
        } else {
          ++j;
        }
  }

  ConvexParts result() {
    std::stable_sort(pieces_.begin(), pieces_.end(),
                     [](const Piece& a, const Piece& b) { return a.hull_volume > b.hull_volume; });
    ConvexParts parts;
    double sum = 0;
    for (const Piece& piece : pieces_) {
      parts.parts.push_back({piece.hull, piece.volume, piece.concavity()});
      parts.worst = std::max(parts.worst, piece.concavity());
      sum += piece.hull_volume;
    }
    parts.overfill = (sum - whole_) / whole_;
    parts.reached = std::all_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return is_good(piece); });
    return parts;
  }

  ConvexPartsOptions options_;
  double whole_;
  std::vector<Piece> pieces_;
};

}   // namespace

ConvexParts convex_parts(const TriangleMesh& mesh, const ConvexPartsOptions& options) {
  if (!(options.concavity >= 1e-4 && options.concavity <= 1))
    throw Error(fmt::format("{} is not a concavity. It is a share of volume, from 1e-4 to 1.", options.concavity))
        .at("concavity");
  if (options.max_parts < 1) throw Error("0 is not a number of parts. It must be at least 1.").at("max_parts");
  validate(mesh);
  mass_properties(mesh, 1);   // closed, with a volume
  return Decomposition(mesh, options).run();
}

TriangleMesh triangle_mesh(const ConvexHull& hull) {
  const Polytope& p = *hull.polytope;
  TriangleMesh mesh{p.vertices, {}};
  for (const Polytope::Face& face : p.faces)
    for (int i = 2; i < face.count; ++i)
      mesh.triangles.push_back({static_cast<std::uint32_t>(p.loops[face.first]),
                                static_cast<std::uint32_t>(p.loops[face.first + i - 1]),
                                static_cast<std::uint32_t>(p.loops[face.first + i])});
  return mesh;
}

}   // namespace stickslip
