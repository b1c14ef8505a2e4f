#include <fmt/format.h>

#include <algorithm>

#include "friction/directions.h"
#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace friction_detail {

std::vector<Vec2> directions_in_plane(int k) {
  std::vector<Vec2> directions;
  for (int i = 0; i < k; ++i) directions.push_back(direction_in_plane(i, k));
  return directions;
}

// Half of them on a spiral from the pole to the equator that gives each the
// same area; those nearest to the axes are moved onto them.
std::vector<Vec3> directions_in_space(int k) {
  const int half = k / 2;
  const double golden_angle = std::numbers::pi * (3 - std::sqrt(5.0));
  std::vector<Vec3> spiral;
  for (int i = 0; i < half; ++i) {
    const double z = 1 - (i + 0.5) / half, radius = std::sqrt(1 - z * z), angle = golden_angle * i;
    spiral.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
  }
  for (int axis = 0; axis < 3; ++axis) {
    const auto nearest = std::max_element(spiral.begin() + axis, spiral.end(),
                                          [&](const Vec3& a, const Vec3& b) { return std::abs(a[axis]) < std::abs(b[axis]); });
    *nearest = Vec3::Unit(axis);
    std::iter_swap(nearest, spiral.begin() + axis);   // done with: not to be taken for another axis
  }
  std::vector<Vec3> directions;
  for (const Vec3& direction : spiral) {
    directions.push_back(direction);
    directions.push_back(-direction);
  }
  return directions;
}

namespace {

template <int Rows>
using Directions = std::vector<Eigen::Matrix<double, Rows, 1>>;

/// Every direction of one list with every direction of another.
template <int A, int B>
Directions<A + B> pairs(const Directions<A>& a, const Directions<B>& b) {
  Directions<A + B> all;
  for (const auto& first : a)
    for (const auto& second : b) {
      auto& direction = all.emplace_back();
      direction << first, second;
    }
  return all;
}

/// Four and five rows are those of sliding and of rolling, whose sets are most
/// often products: then these make the product of polyhedra.
template <int Rows>
Directions<Rows> directions(int k) {
  if constexpr (Rows == 1) return {Eigen::Matrix<double, 1, 1>(1), Eigen::Matrix<double, 1, 1>(-1)};
  else if constexpr (Rows == 2) return directions_in_plane(k);
  else if constexpr (Rows == 3) return directions_in_space(std::max(6, k + k % 2));
  else {
    const int side = std::max(4, 2 * static_cast<int>(std::lround(0.5 * std::sqrt(static_cast<double>(k)))));
    if constexpr (Rows == 4) return pairs<2, 2>(directions_in_plane(side), directions_in_plane(side));
    else
      return pairs<3, 2>(directions_in_space(std::max(6, side)),
                         directions_in_plane(std::max(4, 2 * (k / (2 * std::max(6, side))))));
  }
}

}   // namespace
}   // namespace friction_detail

template <FrictionSetConcept Law>
std::vector<typename Law::Vector> polyhedron(const Law& law, int k) {
  if (k < 4 || k % 2 != 0)
    throw Error(fmt::format("{} is not a number of corners. Polyhedra of friction need an even number, at least 4.", k))
        .at("k");
  if constexpr (std::is_same_v<Law, CustomFriction<2>>)
    if (const auto* polygon = dynamic_cast<const PolygonSet*>(law.set.get())) return polygon->corners();
  std::vector<typename Law::Vector> corners;
  for (const typename Law::Vector& direction : friction_detail::directions<Law::rows>(k)) {
    // The circle's own formula rounds; its corners are to be the directions.
    if constexpr (std::same_as<Law, CircularFriction>) corners.push_back(law.mu * direction);
    else corners.push_back(law.support_point(direction));
  }
  return corners;
}

template std::vector<PlanarFriction::Vector> polyhedron(const PlanarFriction&, int);
template std::vector<Vec2> polyhedron(const CircularFriction&, int);
template std::vector<Vec2> polyhedron(const EllipseFriction&, int);
template std::vector<Vec3> polyhedron(const EllipsoidFriction&, int);
template std::vector<Vec4> polyhedron(const RollingFriction&, int);
template std::vector<CustomFriction<1>::Vector> polyhedron(const CustomFriction<1>&, int);
template std::vector<CustomFriction<2>::Vector> polyhedron(const CustomFriction<2>&, int);
template std::vector<CustomFriction<3>::Vector> polyhedron(const CustomFriction<3>&, int);
template std::vector<CustomFriction<4>::Vector> polyhedron(const CustomFriction<4>&, int);
template std::vector<CustomFriction<5>::Vector> polyhedron(const CustomFriction<5>&, int);

}   // namespace stickslip
