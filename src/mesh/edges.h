// The edges of a mesh, each with the triangles that use it; in linear time.
#pragma once

#include <span>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// One side of a triangle, from its corner `side` to the next.
struct EdgeUse {
  std::uint32_t low, high;   ///< vertices, low < high
  std::uint32_t triangle;
  std::uint8_t side;   ///< 0, 1, 2
  bool forth;          ///< the triangle walks from low to high
};

/// Whether two corners are the same vertex: such a triangle has no edges of its own.
inline bool is_collapsed(const std::array<std::uint32_t, 3>& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

/// Uses sorted by edge, then by triangle; collapsed triangles are left out.
class Edges {
 public:
  explicit Edges(const TriangleMesh&);

  std::size_t size() const { return starts_.size() - 1; }
  std::span<const EdgeUse> operator[](std::size_t edge) const {
    return {uses_.data() + starts_[edge], starts_[edge + 1] - starts_[edge]};
  }

 private:
  std::vector<EdgeUse> uses_;
  std::vector<std::size_t> starts_;
};

/// Sets that are joined pair by pair.
class JoinedSets {
 public:
  explicit JoinedSets(std::size_t count);
  std::uint32_t root(std::uint32_t i);
  void join(std::uint32_t a, std::uint32_t b);   ///< the smaller root stays

 private:
  std::vector<std::uint32_t> above_;
};

/// Pieces of a mesh that hang together by edges.
struct Pieces {
  std::vector<std::uint32_t>
      of;   ///< per triangle, numbered by their first triangles; collapsed triangles are pieces of their own
  std::uint32_t count = 0;
};
Pieces pieces_of(const TriangleMesh&, const Edges&);

/// Solid angle of a triangle seen from p over 4π: positive if p is on its inner side. Summed over a closed surface how often it
/// winds round p.
double winding(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p);

}   // namespace stickslip
