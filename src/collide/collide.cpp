#include "stickslip/collide/collide.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "collide/pairs.h"
#include "stickslip/geometry/mesh_names.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/geometry/shape_fields.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

using PairFunction = void (*)(const Shape&, const Pose&, const Shape&, const Pose&, double, ContactSink&);

// Numbers that tell two shapes of one kind apart.
template <class S>
auto size_key(const S& s) {
  const Vec3 numbers = numbers_of(s, 0);
  return std::tuple(numbers.x(), numbers.y(), numbers.z());
}
auto size_key(const Mesh& s) { return std::tuple(s.solid->radius(), s.solid->checksum()); }
auto size_key(const ConvexHull& s) { return std::tuple(s.polytope->radius, s.polytope->vertices.size()); }

// Two shapes of one kind are always handed to their pair function in the same order, whichever is called A: the larger
// first, and equals by where they lie. So exchanging A and B gives the same bits with the normal reversed, and a pair
// function may prefer its first shape in a tie. The direction is far from every axis and diagonal that scenes favour, so
// that the order of two bodies seldom changes while they touch.
template <class S>
bool in_order(const S& a, const Pose& pose_a, const S& b, const Pose& pose_b) {
  const auto key_a = size_key(a), key_b = size_key(b);
  if (key_a != key_b) return key_a > key_b;
  const Vec3 d = pose_b.position - pose_a.position;
  return 0.2713 * d.x() + 0.4259 * d.y() + 0.8631 * d.z() >= 0;
}

template <class S1, class S2>
void direct(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink) {
  narrow::collide(*std::get_if<S1>(&a), pose_a, *std::get_if<S2>(&b), pose_b, margin, sink);
}

/// A field names contacts its own way, whatever it meets.
template <class S>
bool has_field(const S& shape) {
  if constexpr (std::is_same_v<S, Mesh>) return shape.solid->field() != nullptr;
  else return false;
}

template <class S1, class S2>
void flipped(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink) {
  const S1& first = *std::get_if<S1>(&b);
  const S2& second = *std::get_if<S2>(&a);
  narrow::collide(first, pose_b, second, pose_a, margin, sink);
  sink.flip();
  if constexpr (std::is_same_v<S1, Mesh> || std::is_same_v<S2, Mesh>) {
    if (has_field(first) || has_field(second)) return;
    for (ContactPoint& p : sink.points()) p.feature = exchanged_feature(p.feature);
  }
}

template <class S>
void same(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink) {
  if (in_order(*std::get_if<S>(&a), pose_a, *std::get_if<S>(&b), pose_b)) direct<S, S>(a, pose_a, b, pose_b, margin, sink);
  else flipped<S, S>(a, pose_a, b, pose_b, margin, sink);
}

template <class S1, class S2>
concept HasPairFunction = requires(const S1& a, const S2& b, const Pose& pose, ContactSink& sink) {
  narrow::collide(a, pose, b, pose, 0.0, sink);
};

/// Pairs that need no function, because no body that moves by forces can have the shapes.
template <class S1, class S2>
inline constexpr bool kNeverMeet = std::is_same_v<S1, HalfSpace>&& std::is_same_v<S2, HalfSpace>;

/// The entry of two kinds of shapes: as collide/pairs.h declares it, or the other way round.
template <std::size_t A, std::size_t B>
constexpr PairFunction entry() {
  using S1 = std::variant_alternative_t<A, Shape>;
  using S2 = std::variant_alternative_t<B, Shape>;
  constexpr bool straight = HasPairFunction<S1, S2>, reversed = HasPairFunction<S2, S1>;
  static_assert(straight || reversed || kNeverMeet<S1, S2>, "a pair of shapes without a function in collide/pairs.h");
  static_assert(A == B || !(straight && reversed), "a pair of shapes with two functions in collide/pairs.h");
  if constexpr (!straight && !reversed) return nullptr;
  else if constexpr (A == B) return same<S1>;
  else if constexpr (straight) return direct<S1, S2>;
  else return flipped<S2, S1>;
}

constexpr std::size_t kKinds = std::variant_size_v<Shape>;
using Row = std::array<PairFunction, kKinds>;

template <std::size_t A, std::size_t... B>
constexpr Row row(std::index_sequence<B...>) {
  return {entry<A, B>()...};
}
template <std::size_t... A>
constexpr std::array<Row, kKinds> table(std::index_sequence<A...> kinds) {
  return {row<A>(kinds)...};
}
constexpr std::array<Row, kKinds> kTable = table(std::make_index_sequence<kKinds>{});

}   // namespace

bool has_collider(std::size_t kind_a, std::size_t kind_b) {
  return kind_a < kKinds && kind_b < kKinds && kTable[kind_a][kind_b] != nullptr;
}

void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink) {
  sink.clear();
  const PairFunction function = kTable[a.index()][b.index()];
  if (!function) {
    throw Error(fmt::format("no contacts can be generated between a {} and a {}. Keep such bodies from pairing.", shape_name(a),
                            shape_name(b)));
  }
  function(a, pose_a, b, pose_b, margin, sink);
  sink.reduce(margin);
}

void ContactSink::flip() {
  for (ContactPoint& p : points_) p.normal = -p.normal;
  for (Part& p : parts_) p.parts = p.parts << 32 | p.parts >> 32;
  std::sort(parts_.begin(), parts_.end(), [](const Part& x, const Part& y) { return x.parts < y.parts; });
}

void ContactSink::reduce(double margin) {
  if (parts_.empty()) {
    if (points_.size() > 1) reduce_manifold(points_, margin);
    return;
  }
  reduced_.clear();
  for (Part& part : parts_) {
    of_part_.assign(points_.begin() + part.first, points_.begin() + part.end);
    if (of_part_.size() > 1) reduce_manifold(of_part_, margin);
    part.first = static_cast<std::uint32_t>(reduced_.size());
    reduced_.insert(reduced_.end(), of_part_.begin(), of_part_.end());
    part.end = static_cast<std::uint32_t>(reduced_.size());
  }
  points_.swap(reduced_);
}

}   // namespace stickslip
