#include "mesh/weld.h"

#include <bit>
#include <cmath>

namespace stickslip {

namespace {

constexpr std::uint32_t kNoVertex = 0xffffffff;

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

/// A chained hash table of vertices by some whole numbers of their places.
class PlaceTable {
 public:
  explicit PlaceTable(std::size_t count) : heads_(std::bit_ceil(count + 1), kNoVertex), next_(count, kNoVertex) {}

  std::uint32_t first(std::uint64_t key) const { return heads_[slot(key)]; }
  std::uint32_t next(std::uint32_t v) const { return next_[v]; }
  void add(std::uint64_t key, std::uint32_t v) {
    next_[v] = heads_[slot(key)];
    heads_[slot(key)] = v;
  }

 private:
  std::size_t slot(std::uint64_t key) const { return mixed(key) & (heads_.size() - 1); }
  std::vector<std::uint32_t> heads_, next_;
};

std::uint64_t combined(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return mixed(x) * 3 + mixed(y + 0x9e3779b97f4a7c15) * 5 + mixed(z ^ 0x5851f42d4c957f2d);
}

/// −0 and 0 are the same place.
std::uint64_t key_of(const Vec3& p) {
  return combined(std::bit_cast<std::uint64_t>(p.x() + 0.0), std::bit_cast<std::uint64_t>(p.y() + 0.0),
                  std::bit_cast<std::uint64_t>(p.z() + 0.0));
}

std::uint64_t cell_number(double cell) { return std::bit_cast<std::uint64_t>(cell + 0.0); }

std::vector<std::uint32_t> first_within(const std::vector<Vec3>& points, double distance) {
  std::vector<std::uint32_t> first(points.size());
  PlaceTable kept(points.size());
  for (std::uint32_t v = 0; v < points.size(); ++v) {
    const Vec3 cell = (points[v] / distance).array().floor();
    first[v] = v;
    for (int n = 0; n < 27 && first[v] == v; ++n) {
      const Vec3 near = cell + Vec3(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
      const std::uint64_t key = combined(cell_number(near.x()), cell_number(near.y()), cell_number(near.z()));
      for (std::uint32_t other = kept.first(key); other != kNoVertex && first[v] == v; other = kept.next(other))
        if ((points[other] - points[v]).norm() <= distance) first[v] = other;
    }
    if (first[v] == v) kept.add(combined(cell_number(cell.x()), cell_number(cell.y()), cell_number(cell.z())), v);
  }
  return first;
}

/// Keeps the vertices for which `stays` is true, in their order, and renumbers the triangles by way of `first`.
template <class Stays>
std::size_t keep_vertices(TriangleMesh& mesh, const std::vector<std::uint32_t>& first, Stays stays) {
  std::vector<std::uint32_t> renamed(mesh.vertices.size(), kNoVertex);
  std::uint32_t count = 0;
  for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v)
    if (stays(v)) {
      mesh.vertices[count] = mesh.vertices[v];
      renamed[v] = count++;
    }
  const std::size_t dropped = mesh.vertices.size() - count;
  mesh.vertices.resize(count);
  for (auto& t : mesh.triangles)
    for (std::uint32_t& v : t) v = renamed[first.empty() ? v : first[v]];
  return dropped;
}

}   // namespace

std::vector<std::uint32_t> first_at_place(const std::vector<Vec3>& points, double distance) {
  if (distance > 0) return first_within(points, distance);
  std::vector<std::uint32_t> first(points.size());
  PlaceTable kept(points.size());
  for (std::uint32_t v = 0; v < points.size(); ++v) {
    const std::uint64_t key = key_of(points[v]);
    std::uint32_t other = kept.first(key);
    while (other != kNoVertex && points[other] != points[v]) other = kept.next(other);
    first[v] = other == kNoVertex ? v : other;
    if (other == kNoVertex) kept.add(key, v);
  }
  return first;
}

void weld(TriangleMesh& mesh, double distance) {
  const std::vector<std::uint32_t> first = first_at_place(mesh.vertices, distance);
  keep_vertices(mesh, first, [&](std::uint32_t v) { return first[v] == v; });
}

std::size_t drop_unused_vertices(TriangleMesh& mesh) {
  std::vector<bool> used(mesh.vertices.size(), false);
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t v : t) used[v] = true;
  return keep_vertices(mesh, {}, [&](std::uint32_t v) { return used[v]; });
}

}   // namespace stickslip
