// Pairs of features as functions F(t, u, v) that are linear in each argument: values at the corners of cells of parameters,
// their point that is nearest to 0, and cells in the order of time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "ccd/pairs.h"

namespace stickslip::inclusion_detail {

struct LanePair {
  int from, to;
};

/// The point nearest to 0 of the hull of some values of F at one time.
template <int Lanes>
struct NearestValue {
  Eigen::Array<double, Lanes, 1> weights = Eigen::Array<double, Lanes, 1>::Zero();   ///< of the corners
  double distance = 0;                                                               ///< [m]
  Vec3 direction;   ///< of any length: the hull lies beyond the plane across it through that point
};

/// Direction from 0 to the line through `corner`, made orthogonal to the line once more: small distances need that.
inline Vec3 across(const Vec3& corner, const Vec3& edge, double weight) {
  const Vec3 point = corner + weight * edge;
  const double squared = edge.squaredNorm();
  return squared > 0 ? Vec3(point - point.dot(edge) / squared * edge) : point;
}

inline Vec3 towards(const Vec3& direction, const Vec3& point) {
  return direction.dot(point) < 0 ? Vec3(-direction) : direction;
}

// How a pair of features is parametrised: corners of the parameters, which are lanes of registers (some of them twice where
// that makes whole registers), and the ways to halve the parameters: which corners a halving draws towards which.

struct VertexFace {
  static constexpr int points = 4, lanes = 4;   // the corner 2 twice
  static constexpr int difference[lanes][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 3}};
  static constexpr int halvings = 3, pairs = 2;
  static constexpr LanePair halving[halvings][pairs] = {{{0, 1}, {0, 1}}, {{0, 2}, {0, 3}}, {{1, 2}, {1, 3}}};

  static void set_closest(const PointsAt<4>& x, Impact& impact) { set_closest_vertex_face(x, impact); }

  static NearestValue<lanes> nearest(const Vec3 (&f)[lanes]) {
    const ClosestOnTriangle closest = closest_on_triangle(Vec3::Zero(), f[0], f[1], f[2]);
    NearestValue<lanes> value;
    value.weights.head<3>() = closest.weights.array();
    value.distance = std::sqrt(closest.squared_distance);
    const auto along = [&](int i, int j) { value.direction = across(f[i], f[j] - f[i], closest.weights[j]); };
    switch (closest.on) {
      case OnTriangle::vertex_0:
        value.direction = f[0];
        break;
      case OnTriangle::vertex_1:
        value.direction = f[1];
        break;
      case OnTriangle::vertex_2:
        value.direction = f[2];
        break;
      case OnTriangle::edge_01:
        along(0, 1);
        break;
      case OnTriangle::edge_12:
        along(1, 2);
        break;
      case OnTriangle::edge_20:
        along(2, 0);
        break;
      case OnTriangle::inside:
        value.direction = towards((f[1] - f[0]).cross(f[2] - f[0]), f[0]);
        break;
    }
    return value;
  }
};

struct EdgeEdge {
  static constexpr int points = 4, lanes = 4;
  static constexpr int difference[lanes][2] = {{0, 2}, {1, 2}, {0, 3}, {1, 3}};
  static constexpr int halvings = 2, pairs = 2;
  static constexpr LanePair halving[halvings][pairs] = {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}};

  static void set_closest(const PointsAt<4>& x, Impact& impact) { set_closest_edges(x, impact); }

  /// The values are a parallelogram: all differences of two edges, which are these but for a common shift.
  static NearestValue<lanes> nearest(const Vec3 (&f)[lanes]) {
    const Vec3 a = f[1] - f[0], b = f[2] - f[0];
    const ClosestOfEdges closest = closest_of_edges(f[0], f[1], Vec3::Zero(), f[0] - f[2]);
    const double s = closest.weight_a, t = closest.weight_b;
    NearestValue<lanes> value;
    value.weights << (1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t;
    value.distance = std::sqrt(closest.squared_distance);
    const int end_a = closest.on_a == OnEdge::vertex_1 ? 1 : 0, end_b = closest.on_b == OnEdge::vertex_1 ? 2 : 0;
    if (closest.on_a != OnEdge::inside && closest.on_b != OnEdge::inside) value.direction = f[end_a + end_b];
    else if (closest.on_a != OnEdge::inside) value.direction = across(f[end_a], b, t);
    else if (closest.on_b != OnEdge::inside) value.direction = across(f[end_b], a, s);
    else value.direction = towards(a.cross(b), f[0]);
    return value;
  }
};

struct PointEdge {
  static constexpr int points = 3, lanes = 2;
  static constexpr int difference[lanes][2] = {{0, 1}, {0, 2}};
  static constexpr int halvings = 1, pairs = 1;
  static constexpr LanePair halving[halvings][pairs] = {{{0, 1}}};

  static void set_closest(const PointsAt<3>& x, Impact& impact) {
    const ClosestOnEdge closest = closest_on_edge(x[0], x[1], x[2]);
    impact.u = closest.weight;
    impact.distance = std::sqrt(closest.squared_distance);
  }

  static NearestValue<lanes> nearest(const Vec3 (&f)[lanes]) {
    const ClosestOnEdge closest = closest_on_edge(Vec3::Zero(), f[0], f[1]);
    NearestValue<lanes> value;
    value.weights << 1 - closest.weight, closest.weight;
    value.distance = std::sqrt(closest.squared_distance);
    value.direction = closest.on == OnEdge::vertex_0   ? f[0]
                      : closest.on == OnEdge::vertex_1 ? f[1]
                                                       : across(f[0], f[1] - f[0], closest.weight);
    return value;
  }
};

struct PointPoint {
  static constexpr int points = 2, lanes = 1;
  static constexpr int difference[lanes][2] = {{0, 1}};
  static constexpr int halvings = 0, pairs = 0;
  static constexpr LanePair halving[1][1] = {{{0, 0}}};

  static void set_closest(const PointsAt<2>& x, Impact& impact) { impact.distance = (x[0] - x[1]).norm(); }

  static NearestValue<lanes> nearest(const Vec3 (&f)[lanes]) {
    NearestValue<lanes> value;
    value.weights << 1;
    value.distance = f[0].norm();
    value.direction = f[0];
    return value;
  }
};

/// Some of the parameters, from a time on: values of F at their corners, at that time and at t = 1.
template <class Pair>
struct Cell {
  using Row = Eigen::Array<double, Pair::lanes, 1>;
  Row now[3], last[3];   ///< by coordinate [m]
  double from = 0;       ///< the time
  int roundings = 0;     ///< so many units of rounding are the values off, relative to the largest, and the time
};

/// Cells that are still to be looked at, the earliest first; of the same time that which more was done for.
template <class Pair>
class OpenCells {
 public:
  OpenCells() {
    cells_.reserve(kFirst);
    order_.reserve(kFirst);
  }

  bool empty() const { return order_.empty(); }
  bool before(const Cell<Pair>& cell) const { return later({cell.from, cell.roundings, 0}, order_.front()); }

  void put(const Cell<Pair>& cell) {
    std::uint32_t place = vacant_;
    if (place == kNone) {
      place = static_cast<std::uint32_t>(cells_.size());
      cells_.push_back(cell);
    } else {
      vacant_ = static_cast<std::uint32_t>(cells_[place].roundings);   // a vacant cell names the next one
      cells_[place] = cell;
    }
    order_.push_back({cell.from, cell.roundings, place});
    std::push_heap(order_.begin(), order_.end(), later);
  }

  void take(Cell<Pair>& cell) {
    std::pop_heap(order_.begin(), order_.end(), later);
    const std::uint32_t place = order_.back().place;
    order_.pop_back();
    cell = cells_[place];
    cells_[place].roundings = static_cast<int>(vacant_);
    vacant_ = place;
  }

 private:
  struct Entry {
    double from;
    int roundings;
    std::uint32_t place;
  };
  static bool later(const Entry& a, const Entry& b) { return a.from != b.from ? a.from > b.from : a.roundings < b.roundings; }

  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::size_t kFirst = 48;   ///< few queries need more
  alignas(std::max_align_t) std::byte first_memory_[kFirst * (sizeof(Cell<Pair>) + sizeof(Entry)) + 64];
  std::pmr::monotonic_buffer_resource memory_{first_memory_, sizeof first_memory_};
  std::pmr::vector<Cell<Pair>> cells_{&memory_};
  std::pmr::vector<Entry> order_{&memory_};
  std::uint32_t vacant_ = kNone;
};

}   // namespace stickslip::inclusion_detail
