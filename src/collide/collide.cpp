#include "stickslip/collide/collide.h"

#include <array>
#include <tuple>

#include <fmt/format.h>

#include "collide/pairs.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

using PairFunction = void (*)(const Shape&, const Pose&, const Shape&, const Pose&, double, ContactSink&);

// Numbers that tell two shapes of one kind apart.
auto size_key(const Sphere& s) { return std::tuple(s.radius); }
auto size_key(const Box& s) { return std::tuple(s.half_extents.x(), s.half_extents.y(), s.half_extents.z()); }
auto size_key(const Capsule& s) { return std::tuple(s.radius, s.half_height); }
auto size_key(const Cylinder& s) { return std::tuple(s.radius, s.half_height); }
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

template <class S1, class S2>
void flipped(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink) {
  narrow::collide(*std::get_if<S1>(&b), pose_b, *std::get_if<S2>(&a), pose_a, margin, sink);
  sink.flip();
}

template <class S>
void same(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink) {
  if (in_order(*std::get_if<S>(&a), pose_a, *std::get_if<S>(&b), pose_b))
    direct<S, S>(a, pose_a, b, pose_b, margin, sink);
  else
    flipped<S, S>(a, pose_a, b, pose_b, margin, sink);
}

// Rows and columns in the order of the alternatives of `Shape`:
// sphere, box, capsule, cylinder, half-space, hull.
constexpr std::size_t kKinds = std::variant_size_v<Shape>;
constexpr std::array<std::array<PairFunction, kKinds>, kKinds> kTable{{
    {same<Sphere>, direct<Sphere, Box>, direct<Sphere, Capsule>, direct<Sphere, Cylinder>, direct<Sphere, HalfSpace>,
     direct<Sphere, ConvexHull>},
    {flipped<Sphere, Box>, same<Box>, direct<Box, Capsule>, direct<Box, Cylinder>, direct<Box, HalfSpace>,
     direct<Box, ConvexHull>},
    {flipped<Sphere, Capsule>, flipped<Box, Capsule>, same<Capsule>, direct<Capsule, Cylinder>,
     direct<Capsule, HalfSpace>, direct<Capsule, ConvexHull>},
    {flipped<Sphere, Cylinder>, flipped<Box, Cylinder>, flipped<Capsule, Cylinder>, same<Cylinder>,
     direct<Cylinder, HalfSpace>, direct<Cylinder, ConvexHull>},
    {flipped<Sphere, HalfSpace>, flipped<Box, HalfSpace>, flipped<Capsule, HalfSpace>, flipped<Cylinder, HalfSpace>,
     nullptr, flipped<ConvexHull, HalfSpace>},
    {flipped<Sphere, ConvexHull>, flipped<Box, ConvexHull>, flipped<Capsule, ConvexHull>, flipped<Cylinder, ConvexHull>,
     direct<ConvexHull, HalfSpace>, same<ConvexHull>},
}};

}  // namespace

bool has_collider(std::size_t kind_a, std::size_t kind_b) {
  return kind_a < kKinds && kind_b < kKinds && kTable[kind_a][kind_b] != nullptr;
}

void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink) {
  sink.clear();
  const PairFunction function = kTable[a.index()][b.index()];
  if (!function) {
    throw Error(fmt::format("no contacts can be generated between a {} and a {}. Keep such bodies from pairing.",
                            shape_name(a), shape_name(b)));
  }
  function(a, pose_a, b, pose_b, margin, sink);
  if (sink.points().size() > 1) reduce_manifold(sink.points(), margin);
}

}  // namespace stickslip
