#include "stickslip/soft/primitives.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kMostTetrahedra = 1e7;

double positive_length(const char* field, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(fmt::format("{} m is not a length. It must be finite and greater than 0.", value)).at(field);
  return value;
}

/// Edges of about `size` that `length` is cut into. Counted in double until the number of tetrahedra is known to be small.
double cuts(double length, double size, double least = 1) { return std::max(least, std::round(length / size)); }

void refuse_too_many(double tetrahedra, double size) {
  if (!(tetrahedra <= kMostTetrahedra))
    throw Error(fmt::format("{} m makes {:.3g} tetrahedra, more than {:.0e}. Make it at least {:.3g} m.", size, tetrahedra,
                            kMostTetrahedra, size * std::cbrt(tetrahedra / kMostTetrahedra)))
        .at("size");
}

/// Adds a tetrahedron that is given in either orientation.
void add_oriented(std::array<std::uint32_t, 4> t, TetMesh& mesh) {
  const auto& x = mesh.vertices;
  if (tet_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]) < 0) std::swap(t[2], t[3]);
  mesh.tetrahedra.push_back(t);
}

/// Collects nodes by names and tetrahedra of either orientation.
template <class Name>
class SolidMaker {
 public:
  explicit SolidMaker(TetMesh start = {}) : mesh_(std::move(start)) {}

  void call(std::uint32_t node, const Name& name) { known_[name] = node; }
  template <class Place>
  std::uint32_t node(const Name& name, Place&& place) {
    const auto [at, is_new] = known_.emplace(name, static_cast<std::uint32_t>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(place());
    return at->second;
  }
  void add(const std::array<std::uint32_t, 4>& t) { add_oriented(t, mesh_); }
  TetMesh&& take() { return std::move(mesh_); }

 private:
  TetMesh mesh_;
  std::map<Name, std::uint32_t> known_;
};

/// Weights of up to four corners by their numbers: sorted, so that neighbours of a side call its nodes by the same name.
using LatticeName = std::array<std::pair<int, int>, 4>;

/// Cuts a tetrahedron of corners 0 … 3 into n³: lattice points n ≥ a ≥ b ≥ c ≥ 0 have the weights n − a, a − b, b − c, c,
/// cells are cut along their main diagonal, and all sides of the whole into n² equal triangles.
template <class Emit>
void cut_tetrahedron(int n, Emit&& emit) {
  constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int a = 0; a < n; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c <= b; ++c)
        for (const auto& order : orders) {
          std::array<std::array<int, 4>, 4> weights;
          std::array<int, 3> at = {a, b, c};
          bool inside = true;
          for (int k = 0; k < 4; ++k) {
            if (k > 0) ++at[order[k - 1]];
            inside = inside && at[0] >= at[1] && at[1] >= at[2];
            weights[k] = {n - at[0], at[0] - at[1], at[1] - at[2], at[2]};
          }
          if (inside) emit(weights);
        }
}

/// Tetrahedra from the centre (corner 0) to triangles of points on the unit sphere, cut and blown up to a ball of that radius:
/// layers of the lattice become spheres.
void blow_up(std::span<const Vec3> corners, std::span<const std::array<int, 3>> triangles, int n, double radius,
             const Vec3& centre, SolidMaker<LatticeName>& maker) {
  for (const std::array<int, 3>& t : triangles) {
    const std::array<int, 4> id = {0, t[0], t[1], t[2]};
    cut_tetrahedron(n, [&](const std::array<std::array<int, 4>, 4>& weights) {
      std::array<std::uint32_t, 4> tet;
      for (int k = 0; k < 4; ++k) {
        LatticeName name;
        for (int c = 0; c < 4; ++c) name[c] = weights[k][c] > 0 ? std::pair(id[c], weights[k][c]) : std::pair(-1, 0);
        std::sort(name.begin(), name.end());
        tet[k] = maker.node(name, [&]() -> Vec3 {
          Vec3 p = Vec3::Zero();
          for (int c = 1; c < 4; ++c) p += weights[k][c] * corners[id[c]];
          const double length = p.norm(), layer = radius * (n - weights[k][0]) / n;
          return length > 0 ? centre + layer / length * p : centre;
        });
      }
      maker.add(tet);
    });
  }
}

struct Disc {
  using Name = std::array<std::pair<int, int>, 2>;   ///< corner of the hexagon and steps towards it, (-1, 0) if there is none
  std::vector<Name> names;
  std::vector<Vec2> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

Vec2 hexagon_corner(int k) { return {std::cos(k * std::numbers::pi / 3), std::sin(k * std::numbers::pi / 3)}; }

/// Six triangles around the centre, each cut into n², blown up to a disc.
Disc make_disc(double radius, int n) {
  Disc disc;
  std::map<Disc::Name, std::uint32_t> known;
  for (int s = 0; s < 6; ++s) {
    const auto point = [&](int a, int b) {   // a rings out, b steps along the ring
      Disc::Name name = {{{-1, 0}, {-1, 0}}};
      if (a > b) name[0] = {s, a - b};
      if (b > 0) name[1] = {(s + 1) % 6, b};
      std::sort(name.begin(), name.end());
      const auto [at, is_new] = known.emplace(name, static_cast<std::uint32_t>(disc.points.size()));
      if (is_new) {
        const Vec2 p = (a - b) * hexagon_corner(s) + b * hexagon_corner(s + 1);
        disc.names.push_back(name);
        disc.points.push_back(a > 0 ? Vec2(radius * a / n / p.norm() * p) : Vec2(Vec2::Zero()));
      }
      return at->second;
    };
    for (int a = 0; a < n; ++a)
      for (int b = 0; b <= a; ++b) {
        disc.triangles.push_back({point(a, b), point(a + 1, b), point(a + 1, b + 1)});
        if (b < a) disc.triangles.push_back({point(a, b), point(a + 1, b + 1), point(a, b + 1)});
      }
  }
  return disc;
}

/// A disc swept through layers. Prisms are cut from the lower end of their smaller node to the upper of the larger one, which
/// agrees across all sides. @param ring: the last layer is the first
template <class Place>
TetMesh sweep(const Disc& disc, int layers, bool ring, Place&& place) {
  SolidMaker<int> maker;
  const int points = static_cast<int>(disc.points.size()), stations = ring ? layers : layers + 1;
  for (int s = 0; s < stations; ++s)
    for (int p = 0; p < points; ++p) maker.node(s * points + p, [&] { return place(disc.points[p], s); });
  for (int s = 0; s < layers; ++s)
    for (std::array<std::uint32_t, 3> t : disc.triangles) {
      std::sort(t.begin(), t.end());
      const auto low = [&](int k) { return static_cast<std::uint32_t>(s * points) + t[k]; };
      const auto high = [&](int k) { return static_cast<std::uint32_t>((s + 1) % stations * points) + t[k]; };
      maker.add({low(0), low(1), low(2), high(2)});
      maker.add({low(0), low(1), high(1), high(2)});
      maker.add({low(0), high(0), high(1), high(2)});
    }
  return maker.take();
}

}   // namespace

TetMesh soft_box(const Vec3& half, double size) {
  positive_length("size", size);
  Vec3 count;
  for (int k = 0; k < 3; ++k) count[k] = cuts(2 * positive_length("half_extents", half[k]), size);
  refuse_too_many(5 * count.prod(), size);
  const int n[3] = {static_cast<int>(count[0]), static_cast<int>(count[1]), static_cast<int>(count[2])};
  TetMesh mesh;
  for (int i = 0; i <= n[0]; ++i)
    for (int j = 0; j <= n[1]; ++j)
      for (int k = 0; k <= n[2]; ++k)
        mesh.vertices.push_back(
            half.cwiseProduct(Vec3((2.0 * i - n[0]) / n[0], (2.0 * j - n[1]) / n[1], (2.0 * k - n[2]) / n[2])));
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k) {
        // Neighbouring cells are mirror images, so that they agree on the diagonals of the sides between them.
        const int mirrored = (i + j + k) % 2;
        const auto corner = [&](int dx, int dy, int dz) {
          const int x = i + (mirrored ? 1 - dx : dx);
          return static_cast<std::uint32_t>((x * (n[1] + 1) + j + dy) * (n[2] + 1) + k + dz);
        };
        const std::uint32_t inner[4] = {corner(1, 1, 0), corner(1, 0, 1), corner(0, 1, 1), corner(0, 0, 0)};
        add_oriented({inner[0], inner[1], inner[2], inner[3]}, mesh);
        add_oriented({corner(1, 0, 0), inner[0], inner[1], inner[3]}, mesh);
        add_oriented({corner(0, 1, 0), inner[2], inner[0], inner[3]}, mesh);
        add_oriented({corner(0, 0, 1), inner[1], inner[2], inner[3]}, mesh);
        add_oriented({corner(1, 1, 1), inner[0], inner[2], inner[1]}, mesh);
      }
  return mesh;
}

namespace {

/// Cells along the shortest side of a graded box, times growth − 1: both errors, across and along, are then of like size.
constexpr double kGradedCells = 0.6, kLeastGradedCells = 4;

/// Cells of a graded box: those of the innermost box, and between its sides and those of the boxes around it. A node is called
/// (i, j, k, layer); of the layers but the first only nodes on the sides exist, k counts from the top down.
class GradedBox {
 public:
  GradedBox(const Vec3& half, const std::array<int, 3>& cells, double inner, int layers)
      : half_(half), n_(cells), inner_(inner), layers_(layers) {}

  TetMesh make() {
    for (int i = 0; i < n_[0]; ++i)
      for (int j = 0; j < n_[1]; ++j)
        for (int k = 0; k < n_[2]; ++k) add_cell([&](int a, int b, int c) { return Name{i + a, j + b, k + c, 0}; });
    for (int l = 0; l < layers_; ++l) {
      for (int i = 0; i < n_[0]; ++i)
        for (int j = 0; j < n_[1]; ++j) add_cell([&](int a, int b, int c) { return Name{i + a, j + b, n_[2], l + c}; });
      for (const int side : {0, 1})
        for (int k = 0; k < n_[2]; ++k) {
          for (int j = 0; j < n_[1]; ++j)
            add_cell([&](int a, int b, int c) { return Name{side * n_[0], j + a, k + b, l + c}; });
          for (int i = 0; i < n_[0]; ++i)
            add_cell([&](int a, int b, int c) { return Name{i + a, side * n_[1], k + b, l + c}; });
        }
    }
    return maker_.take();
  }

 private:
  using Name = std::array<int, 4>;

  Vec3 place(const Name& name) const {
    const double outward = static_cast<double>(name[3]) / layers_, scale = std::pow(inner_, 1 - 0.5 * outward * (1 + outward));
    return Vec3(0, 0, half_.z()) + scale * Vec3(half_.x() * (2.0 * name[0] / n_[0] - 1),
                                                half_.y() * (2.0 * name[1] / n_[1] - 1), -2 * half_.z() * name[2] / n_[2]);
  }
  /// Five tetrahedra: that of the even corners, and one at every odd one. Neighbours see the same corners as even, so that they
  /// agree on diagonals.
  template <class NameOf>
  void add_cell(NameOf&& name_of) {
    std::array<std::uint32_t, 8> node;
    std::array<bool, 8> even;
    for (int c = 0; c < 8; ++c) {
      const Name name = name_of(c & 1, c >> 1 & 1, c >> 2);
      node[c] = maker_.node(name, [&] { return place(name); });
      even[c] = (name[0] + name[1] + name[2] + name[3]) % 2 == 0;
    }
    std::array<std::uint32_t, 4> inside;
    int found = 0;
    for (int c = 0; c < 8; ++c)
      if (even[c]) inside[found++] = node[c];
    maker_.add(inside);
    for (int c = 0; c < 8; ++c)
      if (!even[c]) maker_.add({node[c], node[c ^ 1], node[c ^ 2], node[c ^ 4]});
  }

  Vec3 half_;
  std::array<int, 3> n_;
  double inner_;   ///< the innermost box, as a part of the whole
  int layers_;
  SolidMaker<Name> maker_;
};

}   // namespace

TetMesh soft_graded_box(const Vec3& half, double size, double growth) {
  positive_length("size", size);
  for (int k = 0; k < 3; ++k) positive_length("half_extents", half[k]);
  if (!(growth > 1 && growth <= 2))
    throw Error(fmt::format("{} is not a growth. It must be greater than 1 and at most 2.", growth)).at("growth");
  const double shortest = std::min({2 * half.x(), 2 * half.y(), 2 * half.z()}),
               cell = shortest / std::max(kLeastGradedCells, std::round(kGradedCells / (growth - 1)));
  Vec3 count;
  for (int k = 0; k < 3; ++k) count[k] = cuts(2 * half[k], cell, 2);
  const double inner = size / cell;
  if (inner >= 1) return soft_box(half, size);
  const double layers = std::max(1.0, std::round(0.5 * std::log(1 / inner) / std::log(growth)));
  const double sides = count[0] * count[1] + 2 * count[2] * (count[0] + count[1]);
  refuse_too_many(5 * (count.prod() + layers * sides), size);
  return GradedBox(half, {static_cast<int>(count[0]), static_cast<int>(count[1]), static_cast<int>(count[2])}, inner,
                   static_cast<int>(layers))
      .make();
}

TetMesh soft_sphere(double radius, double size) {
  const double n = cuts(positive_length("radius", radius), positive_length("size", size));
  refuse_too_many(20 * n * n * n, size);
  std::vector<Vec3> corners = {Vec3::Zero()};
  const double golden = std::numbers::phi;
  for (const double s : {-1.0, 1.0})
    for (const double t : {-golden, golden})
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 p = Vec3::Zero();
        p[(axis + 1) % 3] = s, p[(axis + 2) % 3] = t;
        corners.push_back(p.normalized());
      }
  std::vector<std::array<int, 3>> faces;
  const double edge = 2 / std::sqrt(1 + golden * golden);
  const auto joined = [&](int i, int j) { return (corners[i] - corners[j]).norm() < 1.01 * edge; };
  for (int i = 1; i <= 12; ++i)
    for (int j = i + 1; j <= 12; ++j)
      for (int k = j + 1; k <= 12; ++k)
        if (joined(i, j) && joined(j, k) && joined(i, k)) faces.push_back({i, j, k});
  SolidMaker<LatticeName> maker;
  blow_up(corners, faces, static_cast<int>(n), radius, Vec3::Zero(), maker);
  return maker.take();
}

TetMesh soft_cylinder(double radius, double half_height, double size) {
  const double n = cuts(positive_length("radius", radius), positive_length("size", size));
  const double layers = cuts(2 * positive_length("half_height", half_height), size);
  refuse_too_many(18 * n * n * layers, size);
  return sweep(make_disc(radius, static_cast<int>(n)), static_cast<int>(layers), false, [&](const Vec2& p, int s) -> Vec3 {
    return {p.x(), p.y(), half_height * (2 * s / layers - 1)};
  });
}

TetMesh soft_capsule(double radius, double half_height, double size) {
  const double n = cuts(positive_length("radius", radius), positive_length("size", size));
  const double layers = cuts(2 * positive_length("half_height", half_height), size);
  refuse_too_many(18 * n * n * layers + 12 * n * n * n, size);
  TetMesh mesh = soft_cylinder(radius, half_height, size);
  const Disc disc = make_disc(radius, static_cast<int>(n));
  std::vector<Vec3> corners = {Vec3::Zero()};
  for (int k = 0; k < 6; ++k) corners.push_back({hexagon_corner(k).x(), hexagon_corner(k).y(), 0});
  std::vector<std::array<int, 3>> sides;
  for (int k = 0; k < 6; ++k) sides.push_back({k + 1, (k + 1) % 6 + 1, 7});
  for (const double end : {-1.0, 1.0}) {
    const std::size_t first = end < 0 ? 0 : static_cast<std::size_t>(layers) * disc.points.size();
    corners.resize(7), corners.push_back({0, 0, end});
    SolidMaker<LatticeName> maker(std::move(mesh));
    // The flat side of the half-ball is the end of the cylinder.
    for (std::size_t p = 0; p < disc.points.size(); ++p) {
      LatticeName name;
      name.fill({-1, 0});
      int rest = static_cast<int>(n);
      for (int k = 0; k < 2; ++k) {
        const auto& [corner, steps] = disc.names[p][k];
        if (steps > 0) name[k] = {corner + 1, steps}, rest -= steps;
      }
      if (rest > 0) name[2] = {0, rest};
      std::sort(name.begin(), name.end());
      maker.call(static_cast<std::uint32_t>(first + p), name);
    }
    blow_up(corners, sides, static_cast<int>(n), radius, {0, 0, end * half_height}, maker);
    mesh = maker.take();
  }
  return mesh;
}

TetMesh soft_torus(double ring_radius, double tube_radius, double size) {
  const double n = cuts(positive_length("tube_radius", tube_radius), positive_length("size", size));
  if (!(positive_length("ring_radius", ring_radius) > tube_radius))
    throw Error(fmt::format("{} m is not larger than the radius of the tube, {} m.", ring_radius, tube_radius))
        .at("ring_radius");
  const double turn = 2 * std::numbers::pi, layers = cuts(turn * ring_radius, size, 6);
  refuse_too_many(18 * n * n * layers, size);
  return sweep(make_disc(tube_radius, static_cast<int>(n)), static_cast<int>(layers), true, [&](const Vec2& p, int s) -> Vec3 {
    const double angle = turn * s / layers, r = ring_radius + p.x();
    return {r * std::cos(angle), r * std::sin(angle), p.y()};
  });
}

}   // namespace stickslip
