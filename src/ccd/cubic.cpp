#include "stickslip/ccd/cubic.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "ccd/pairs.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

/// Times in [0, 1] at which something may happen.
class CandidateTimes {
 public:
  void add(double time) {
    if (time >= 0 && time <= 1) times_[size_++] = time;
  }
  void sort() { std::sort(begin(), end()); }
  double* begin() { return times_.data(); }
  double* end() { return times_.data() + size_; }

 private:
  std::array<double, 96> times_;   ///< a cubic has 7, the coplanar case of two edges 48 more
  int size_ = 0;
};

double bernstein(const std::array<double, 4>& b, double t) {
  const double s = 1 - t;
  const double c0 = s * b[0] + t * b[1], c1 = s * b[1] + t * b[2], c2 = s * b[2] + t * b[3];
  const double d0 = s * c0 + t * c1, d1 = s * c1 + t * c2;
  return s * d0 + t * d1;
}

/// Roots of b₀(1−t)² + 2 b₁ t(1−t) + b₂ t², and its extremum where it has none: a double root may be lost in rounding.
void add_quadratic_roots(double b0, double b1, double b2, CandidateTimes& times) {
  const double a = b0 - 2 * b1 + b2, half_b = b1 - b0;
  const double discriminant = half_b * half_b - a * b0;
  if (discriminant < 0) {
    times.add(-half_b / a);
    return;
  }
  // The sum of equal signs first, the other root by their product.
  const double q = half_b > 0 ? -half_b - std::sqrt(discriminant) : -half_b + std::sqrt(discriminant);
  if (a != 0) times.add(q / a);
  if (q != 0) times.add(b0 / q);
}

/// Root between l and r, where f has different signs; to the last bit or nearly.
double bracketed_root(const std::array<double, 4>& b, double l, double r) {
  double fl = bernstein(b, l), fr = bernstein(b, r);
  int side = 0;
  for (int i = 0; i < 200 && r - l > std::numeric_limits<double>::epsilon() * r; ++i) {
    // False position with halved weights (Illinois), and a bisection every third time: never slower than that.
    double middle = i % 3 == 2 ? 0.5 * (l + r) : (fr * l - fl * r) / (fr - fl);
    if (!(middle > l && middle < r)) middle = 0.5 * (l + r);
    if (!(middle > l && middle < r)) break;
    const double fm = bernstein(b, middle);
    if (fm == 0) return middle;
    if ((fm < 0) == (fl < 0)) {
      l = middle, fl = fm;
      if (side == 1) fr *= 0.5;
      side = 1;
    } else {
      r = middle, fr = fm;
      if (side == -1) fl *= 0.5;
      side = -1;
    }
  }
  return l;
}

/// Ends, extrema and roots of the cubic on [0, 1].
void add_cubic_roots(const std::array<double, 4>& b, CandidateTimes& times) {
  CandidateTimes extrema;
  extrema.add(0);
  add_quadratic_roots(b[1] - b[0], b[2] - b[1], b[3] - b[2], extrema);
  extrema.add(1);
  extrema.sort();
  for (const double* t = extrema.begin(); t != extrema.end(); ++t) {
    times.add(*t);
    if (t + 1 != extrema.end() && (bernstein(b, t[0]) < 0) != (bernstein(b, t[1]) < 0))
      times.add(bracketed_root(b, t[0], t[1]));
  }
}

/// When p is in line with the edge (a, c), and when it is at an end of it: by each coordinate, right times among them.
void add_alignments(const PointsAt<4>& start, const PointsAt<4>& end, int p, int a, int c, CandidateTimes& times) {
  const Vec3 d0 = start[p] - start[a], d1 = end[p] - end[a], e0 = start[c] - start[a], e1 = end[c] - end[a];
  const Vec3 b0 = d0.cross(e0), b1 = 0.5 * (d0.cross(e1) + d1.cross(e0)), b2 = d1.cross(e1);
  for (int k = 0; k < 3; ++k) {
    add_quadratic_roots(b0[k], b1[k], b2[k], times);
    times.add(d0[k] / (d0[k] - d1[k]));
  }
}

/// A row of the four points by number: the vertex or end, and the edge that it may touch.
using Alignment = std::array<int, 3>;

/// Boxes around the moving features are farther apart than this, seen along an axis: differences between corners all have one
/// sign.
template <std::size_t N>
bool boxes_stay_apart(const PointsAt<4>& start, const PointsAt<4>& end, const std::array<std::array<int, 2>, N>& differences,
                      double by) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const auto& [i, j] : differences)
    for (const Vec3& d : {Vec3(start[i] - start[j]), Vec3(end[i] - end[j])}) low = low.cwiseMin(d), high = high.cwiseMax(d);
  return low.maxCoeff() > by || high.minCoeff() < -by;
}

template <std::size_t N, std::size_t M, class SetClosest>
std::optional<Impact> cubic_impact(const PointsAt<4>& start, const PointsAt<4>& end, double tolerance,
                                   const std::array<std::array<int, 2>, M>& differences,
                                   const std::array<Alignment, N>& alignments, const SetClosest& set_closest) {
  Vec3 q0[3], q1[3];
  double product = 1, size = 0;
  for (int i = 0; i < 3; ++i) {
    q0[i] = start[i + 1] - start[0];
    q1[i] = end[i + 1] - end[0];
    const double largest = std::max(q0[i].cwiseAbs().sum(), q1[i].cwiseAbs().sum());
    if (!(largest <= std::numeric_limits<double>::max()))
      throw Error(fmt::format("{} is not a size of moving features. Their coordinates must be finite.", largest));
    size = std::max({size, q0[i].cwiseAbs().maxCoeff(), q1[i].cwiseAbs().maxCoeff()});
    product *= largest;
  }
  if (!(tolerance >= 0))
    throw Error(fmt::format("{} is not a tolerance. It must be a number, 0 or greater.", tolerance)).at("tolerance");
  const double touching = std::max(tolerance, 1e-14) * size;
  if (boxes_stay_apart(start, end, differences, touching)) return std::nullopt;
  const std::array<double, 4> b = volume_cubic(q0, q1);
  // Coefficients of one sign: never in one plane.
  const auto [low, high] = std::minmax_element(b.begin(), b.end());
  const double coplanar = 1e-8 * product;
  if (*low > coplanar || *high < -coplanar) return std::nullopt;
  CandidateTimes times;
  add_cubic_roots(b, times);
  if (*high <= coplanar && *low >= -coplanar)
    for (const auto& [p, a, c] : alignments) add_alignments(start, end, p, a, c, times);
  times.sort();
  for (double time : times) {
    Impact impact;
    impact.time = time;
    set_closest(points_at<4>(start, end, time), impact);
    if (impact.distance <= touching) return impact;
  }
  return std::nullopt;
}

}   // namespace

std::optional<Impact> vertex_face_impact_by_cubic(const PointsAt<4>& start, const PointsAt<4>& end, double tolerance) {
  static constexpr std::array<Alignment, 3> alignments{{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}}};
  static constexpr std::array<std::array<int, 2>, 3> differences{{{0, 1}, {0, 2}, {0, 3}}};
  return cubic_impact(start, end, tolerance, differences, alignments, set_closest_vertex_face);
}

std::optional<Impact> edge_edge_impact_by_cubic(const PointsAt<4>& start, const PointsAt<4>& end, double tolerance) {
  static constexpr std::array<Alignment, 4> alignments{{{0, 2, 3}, {1, 3, 2}, {2, 1, 0}, {3, 0, 1}}};
  static constexpr std::array<std::array<int, 2>, 4> differences{{{0, 2}, {0, 3}, {1, 2}, {1, 3}}};
  return cubic_impact(start, end, tolerance, differences, alignments, set_closest_edges);
}

}   // namespace stickslip
