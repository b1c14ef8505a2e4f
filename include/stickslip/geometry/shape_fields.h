// The numbers that make a shape, with the names that files give them. Hashes, checkpoints, records, descriptions and readers of
// scenes go through this list; only hulls and meshes, which are made of points, need them to know them.
#pragma once

#include <concepts>
#include <limits>
#include <string_view>
#include <type_traits>

#include "stickslip/geometry/shape.h"

namespace stickslip {

template <class S, class Kind>
concept IsShape = std::same_as<std::remove_const_t<S>, Kind>;

/// Calls f(name, number) for each, a double or a Vec3 [m].
template <IsShape<Sphere> S>
void for_each_field(S& s, auto&& f) {
  f("radius", s.radius);
}
template <IsShape<Box> S>
void for_each_field(S& s, auto&& f) {
  f("half_extents", s.half_extents);
}
template <class S>
requires(IsShape<S, Capsule> || IsShape<S, Cylinder>) void for_each_field(S& s, auto&& f) {
  f("radius", s.radius);
  f("half_height", s.half_height);
}
template <class S>
requires(IsShape<S, HalfSpace> || IsShape<S, ConvexHull> || IsShape<S, Mesh>) void for_each_field(S&, auto&&) {}

/// All of them one after the other, at most three; `none` where there are fewer.
template <class S>
Vec3 numbers_of(const S& shape, double none) {
  Vec3 numbers = Vec3::Constant(none);
  int at = 0;
  for_each_field(shape, [&]<class Number>(std::string_view, const Number& x) {
    if constexpr (std::is_same_v<Number, Vec3>) numbers = x;
    else numbers[at++] = x;
  });
  return numbers;
}
template <class S>
void set_numbers(S& shape, const Vec3& numbers) {
  int at = 0;
  for_each_field(shape, [&]<class Number>(std::string_view, Number& x) {
    if constexpr (std::is_same_v<Number, Vec3>) x = numbers;
    else x = numbers[at++];
  });
}

}   // namespace stickslip
