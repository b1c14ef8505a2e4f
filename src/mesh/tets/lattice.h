// The body-centred cubic lattice: corners of cubes and their middles. Long edges join neighbours of one kind, short ones a
// middle and the
// corners of its cube; each tetrahedron has two long edges, one of each kind, that cross.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stickslip/geometry/aabb.h"

namespace stickslip {

class Lattice {
 public:
  /// Covers the box with a cube to spare on every side.
  Lattice(const Aabb& box, double spacing) : spacing_(spacing) {
    for (int k = 0; k < 3; ++k) {
      cubes_[k] = static_cast<std::uint32_t>((box.upper[k] - box.lower[k]) / spacing) + 4;
      // The lattice is centred, but not symmetric: a plane of symmetry of the solid should not run along its points.
      origin_[k] = (box.lower[k] + box.upper[k]) / 2 - spacing * (0.5 * cubes_[k] + 0.0625 * (k + 1));
    }
    corners_ = (cubes_[0] + 1) * (cubes_[1] + 1) * (cubes_[2] + 1);
    size_ = corners_ + cubes_[0] * cubes_[1] * cubes_[2];
  }

  std::uint32_t size() const { return size_; }
  double spacing() const { return spacing_; }

  Vec3 place(std::uint32_t p) const {
    const auto [i, j, k] = cell(p);
    const double shift = p < corners_ ? 0 : 0.5;
    return origin_ + spacing_ * Vec3(i + shift, j + shift, k + shift);
  }

  bool is_long(std::uint32_t p, std::uint32_t q) const { return (p < corners_) == (q < corners_); }

  /// Neighbours along long edges differ in it.
  bool is_even(std::uint32_t p) const {
    const auto [i, j, k] = cell(p);
    return (i + j + k) % 2 == 0;
  }

  /// f(a, b), each edge once.
  template <class F>
  void each_edge(F f) const {
    for (std::uint32_t p = 0; p < size_; ++p)
      each_neighbour(p, [&](std::uint32_t q, bool) {
        if (p < q) f(p, q);
      });
  }

  /// f(q, is_long) for up to 6 long and 8 short edges.
  template <class F>
  void each_neighbour(std::uint32_t p, F f) const {
    const bool is_corner = p < corners_;
    const auto at = cell(p);
    for (int k = 0; k < 3; ++k)
      for (const int step : {-1, 1}) {
        auto other = at;
        other[k] += step;
        if (holds(other, is_corner)) f(index(other, is_corner), true);
      }
    for (int n = 0; n < 8; ++n) {
      auto other = at;
      for (int k = 0; k < 3; ++k) other[k] += (n >> k & 1) - (is_corner ? 1 : 0);
      if (holds(other, !is_corner)) f(index(other, !is_corner), false);
    }
  }

  /// f({middle, middle, corner, corner}): two cubes side by side and an edge of the square between them.
  template <class F>
  void each_tetrahedron(F f) const {
    for (std::uint32_t m = corners_; m < size_; ++m) {
      const auto at = cell(m);
      for (int k = 0; k < 3; ++k) {
        auto next = at;
        ++next[k];
        if (!holds(next, false)) continue;
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        std::uint32_t square[4];
        for (int n = 0; n < 4; ++n) {
          auto corner = next;
          corner[u] += n == 1 || n == 2;
          corner[v] += n == 2 || n == 3;
          square[n] = index(corner, true);
        }
        for (int n = 0; n < 4; ++n) f({m, index(next, false), square[n], square[(n + 1) % 4]});
      }
    }
  }

  /// f(middle, radius, points): all points in blocks, each within the radius of the middle of its block.
  template <class F>
  void each_block(F f) const {
    constexpr std::int64_t kSide = 6;
    std::vector<std::uint32_t> points;
    const Vec3 half = Vec3::Constant((kSide - 0.5) * spacing_ / 2);
    for (std::int64_t i = 0; i <= cubes_[0]; i += kSide)
      for (std::int64_t j = 0; j <= cubes_[1]; j += kSide)
        for (std::int64_t k = 0; k <= cubes_[2]; k += kSide) {
          points.clear();
          for (std::int64_t n = 0; n < kSide * kSide * kSide; ++n) {
            const Cell at = {i + n % kSide, j + n / kSide % kSide, k + n / kSide / kSide};
            for (const bool is_corner : {true, false})
              if (holds(at, is_corner)) points.push_back(index(at, is_corner));
          }
          const Vec3 first = origin_ + spacing_ * Vec3(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
          f(first + half, half.norm() * (1 + 1e-9), points);
        }
  }

 private:
  using Cell = std::array<std::int64_t, 3>;

  Cell cell(std::uint32_t p) const {
    const std::uint32_t extra = p < corners_ ? 1 : 0, n = p < corners_ ? p : p - corners_;
    const std::uint32_t nx = cubes_[0] + extra, ny = cubes_[1] + extra;
    return {n % nx, n / nx % ny, n / nx / ny};
  }
  bool holds(const Cell& at, bool is_corner) const {
    for (int k = 0; k < 3; ++k)
      if (at[k] < 0 || at[k] >= static_cast<std::int64_t>(cubes_[k]) + is_corner) return false;
    return true;
  }
  std::uint32_t index(const Cell& at, bool is_corner) const {
    const std::int64_t nx = cubes_[0] + is_corner, ny = cubes_[1] + is_corner;
    return static_cast<std::uint32_t>((at[2] * ny + at[1]) * nx + at[0]) + (is_corner ? 0 : corners_);
  }

  double spacing_;
  Vec3 origin_;
  std::array<std::uint32_t, 3> cubes_;
  std::uint32_t corners_ = 0, size_ = 0;
};

}   // namespace stickslip
