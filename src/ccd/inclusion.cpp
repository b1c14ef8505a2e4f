#include "stickslip/ccd/inclusion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ccd/cells.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

using namespace inclusion_detail;

constexpr double kUnitRoundoff = 1.2e-16;   ///< a little more than 2⁻⁵³
// Parts of the way that the nearest point would allow.
constexpr double kBestPart = 0.9;   ///< below it another plane is tried
constexpr double kGoodPart = 0.6;   ///< below it the cell is halved

/// One query: what decides about its cells, and the cells that are still open.
template <class Pair>
class InclusionSearch {
 public:
  using Points = PointsAt<Pair::points>;

  InclusionSearch(const Points& start, const Points& end, const ImpactOptions& options)
      : start_(start), end_(end), options_(options) {
    for (int lane = 0; lane < Pair::lanes; ++lane)
      for (int k = 0; k < 3; ++k) {
        const int a = Pair::difference[lane][0], b = Pair::difference[lane][1];
        current_.now[k][lane] = start[a][k] - start[b][k];
        current_.last[k][lane] = end[a][k] - end[b][k];
      }
    for (int k = 0; k < 3; ++k) size_ = std::max({size_, current_.now[k].abs().maxCoeff(), current_.last[k].abs().maxCoeff()});
  }

  std::optional<Impact> run() {
    check_input();
    if (boxes_stay_apart() || volume_stays_away_from_zero()) return std::nullopt;
    touching_ = std::max(options_.tolerance, 1e-14) * size_;
    if (options_.resolve_start) resolve_start();
    return search();
  }

 private:
  using CellOf = Cell<Pair>;
  enum class Outcome { gone, touching, advanced, slow };

  void check_input() const {
    const double sum = sum_of_sizes();
    if (!(sum <= std::numeric_limits<double>::max()))
      throw Error(fmt::format("{} is not a size of moving features. Their coordinates must be finite.", sum));
    if (!(options_.tolerance >= 0))
      throw Error(fmt::format("{} is not a tolerance. It must be a number, 0 or greater.", options_.tolerance)).at("tolerance");
    if (!(options_.min_distance >= 0 && options_.min_distance <= std::numeric_limits<double>::max()))
      throw Error(fmt::format("{} is not a distance. It must be finite, 0 or greater.", options_.min_distance))
          .at("min_distance");
    if (options_.max_iterations < 1)
      throw Error(fmt::format("{} is not a number of iterations. It must be 1 or greater.", options_.max_iterations))
          .at("max_iterations");
  }

  double sum_of_sizes() const {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += (current_.now[k].abs() + current_.last[k].abs()).sum();
    return sum;
  }

  double rounding() const { return (1 + current_.roundings) * kUnitRoundoff * size_ + std::numeric_limits<double>::min(); }

  /// Boxes around both moving features do not come within min_distance, seen along an axis.
  bool boxes_stay_apart() const {
    const double reach = options_.min_distance * (1 + 4 * kUnitRoundoff) + rounding();
    for (int k = 0; k < 3; ++k)
      if (std::min(current_.now[k].minCoeff(), current_.last[k].minCoeff()) > reach ||
          std::max(current_.now[k].maxCoeff(), current_.last[k].maxCoeff()) < -reach)
        return true;
    return false;
  }

  /// Four points that touch are in one plane. Most that do not never are: all coefficients of their volume have one sign.
  /// The volume is n·F for every F of the pair, with n the product of its two edges: of those within min_distance, at most
  /// |n| min_distance.
  bool volume_stays_away_from_zero() const {
    if constexpr (Pair::points == 4) {
      Vec3 start[3], end[3];
      double product = 1, edges = 1;
      for (int lane = 0; lane < 3; ++lane) {
        for (int k = 0; k < 3; ++k) start[lane][k] = current_.now[k][lane], end[lane][k] = current_.last[k][lane];
        product *= std::max(start[lane].lpNorm<1>(), end[lane].lpNorm<1>());
        if (lane > 0)
          edges *= std::max((start[lane] - start[0]).norm(), (end[lane] - end[0]).norm()) + 4 * kUnitRoundoff * size_;
      }
      const std::array<double, 4> volume = volume_cubic(start, end);
      const double limit = 32 * kUnitRoundoff * product + options_.min_distance * (1 + 32 * kUnitRoundoff) * edges +
                           std::numeric_limits<double>::min();
      const auto [low, high] = std::minmax_element(volume.begin(), volume.end());
      return *low > limit || *high < -limit;
    }
    return false;
  }

  /// What is left to min_distance at the start decides what is near.
  void resolve_start() {
    Impact at_start;
    Pair::set_closest(start_, at_start);
    const double left = at_start.distance - options_.min_distance;
    if (left > 0) touching_ = std::max(1e-14 * size_, std::min(touching_, 0.1 * left));
  }

  using Row = typename CellOf::Row;

  /// Values at a part of the way from now to t = 1.
  NearestValue<Pair::lanes> nearest_at(double part) const {
    Vec3 corner[Pair::lanes];
    for (int lane = 0; lane < Pair::lanes; ++lane)
      for (int k = 0; k < 3; ++k)
        corner[lane][k] = current_.now[k][lane] + part * (current_.last[k][lane] - current_.now[k][lane]);
    return Pair::nearest(corner);
  }

  /// How all corners move along a direction: each at its own constant rate.
  struct Approach {
    Row now, last;   ///< [m]
    double limit;    ///< below it they may touch [m]

    bool apart() const { return now.minCoeff() > limit; }
    bool stay_apart() const { return last.minCoeff() > limit; }
    /// The part of the way until the first of them is at the limit.
    double part() const {
      double part = 1;
      for (int lane = 0; lane < Pair::lanes; ++lane)
        if (!(last[lane] > limit)) part = std::min(part, (now[lane] - limit) / (now[lane] - last[lane]));
      return part * (1 - 8 * kUnitRoundoff);
    }
  };

  /// @param direction of any length but 0
  Approach approach(const Vec3& direction) const {
    const Vec3 n = direction / direction.cwiseAbs().maxCoeff();   // its square must not vanish
    Approach out;
    out.now = n.x() * current_.now[0] + n.y() * current_.now[1] + n.z() * current_.now[2];
    out.last = n.x() * current_.last[0] + n.y() * current_.last[1] + n.z() * current_.last[2];
    // A sum of three products is off by four units of |n|₁ times the largest value.
    out.limit = options_.min_distance * (1 + 8 * kUnitRoundoff) * n.norm() +
                n.lpNorm<1>() * (rounding() + 4 * kUnitRoundoff * size_) + std::numeric_limits<double>::min();
    return out;
  }

  /// Moves the current cell to the first time at which its values can reach a plane between them and 0.
  Outcome advance() {
    const NearestValue<Pair::lanes> nearest = nearest_at(0);
    // What is lost in rounding cannot be told from touching.
    if (nearest.distance <= options_.min_distance + std::max(touching_, 8 * rounding())) return Outcome::touching;
    if (!(nearest.direction.squaredNorm() > 0)) return Outcome::slow;
    const Approach along = approach(nearest.direction);
    if (!along.apart()) return Outcome::slow;
    if (along.stay_apart()) return Outcome::gone;
    double part = along.part();
    // The way that the nearest point alone would allow leads to about the time of impact. The plane of that time is often the
    // better one: all corners of a turning face reach it together.
    const double from = (nearest.weights * along.now).sum(), to = (nearest.weights * along.last).sum();
    const double wanted = to < along.limit ? (from - along.limit) / (from - to) : 1;
    if (part < kBestPart * wanted) {
      const Vec3 later = nearest_at(wanted).direction;
      const double sign =
          (nearest.weights * (later.x() * current_.now[0] + later.y() * current_.now[1] + later.z() * current_.now[2])).sum();
      if (sign != 0) {
        const Approach other = approach(sign > 0 ? later : Vec3(-later));
        if (other.apart() && other.stay_apart()) return Outcome::gone;
        if (other.apart()) part = std::max(part, other.part());
      }
    }
    for (int k = 0; k < 3; ++k) current_.now[k] += part * (current_.last[k] - current_.now[k]);
    current_.from += part * (1 - current_.from);
    current_.roundings += 5;
    return part >= kGoodPart * wanted ? Outcome::advanced : Outcome::slow;
  }

  /// Halves the current cell where F varies most; the part that is not `current_` then is `other`.
  /// @returns false if it is as good as a point
  bool halve(CellOf& other) {
    double largest = 0.1 * touching_;
    int best = -1;
    for (int way = 0; way < Pair::halvings; ++way)
      for (const auto& rows : {current_.now, current_.last})
        for (int k = 0; k < 3; ++k)
          for (const LanePair& pair : Pair::halving[way]) {
            const double change = std::abs(rows[k][pair.to] - rows[k][pair.from]);
            if (change > largest) largest = change, best = way;
          }
    if (best < 0) return false;
    ++current_.roundings;
    other = current_;
    const CellOf whole = current_;
    for (int k = 0; k < 3; ++k)
      for (const LanePair& pair : Pair::halving[best]) {
        current_.now[k][pair.to] = other.now[k][pair.from] = 0.5 * (whole.now[k][pair.from] + whole.now[k][pair.to]);
        current_.last[k][pair.to] = other.last[k][pair.from] = 0.5 * (whole.last[k][pair.from] + whole.last[k][pair.to]);
      }
    return true;
  }

  std::optional<Impact> search() {
    OpenCells<Pair> open;
    CellOf other;
    for (int looked = 1;; ++looked) {
      if (looked > options_.max_iterations) return found(true);
      const double before = current_.from;
      switch (advance()) {
        case Outcome::touching:
          return found(false);
        case Outcome::advanced:
          break;
        case Outcome::slow:
          if (halve(other)) open.put(other);
          else if (current_.from == before) return found(false);   // nothing but rounding is left
          break;
        case Outcome::gone:
          if (open.empty()) return std::nullopt;
          open.take(current_);
          continue;
      }
      if (!open.empty() && open.before(current_)) {
        other = current_;
        open.take(current_);
        open.put(other);
      }
    }
  }

  /// The earliest cell is where it happens.
  Impact found(bool stopped_early) const {
    const double time = std::max(0.0, current_.from - current_.roundings * kUnitRoundoff);
    Impact impact;
    impact.time = time;
    impact.stopped_early = stopped_early;
    Pair::set_closest(points_at<Pair::points>(start_, end_, time), impact);
    return impact;
  }

  const Points& start_;
  const Points& end_;
  const ImpactOptions& options_;
  double size_ = 0;       ///< largest value of F at a corner of the whole [m]
  double touching_ = 0;   ///< a cell across which F varies by less is not halved [m]
  CellOf current_;        ///< the earliest of those that may touch
};

}   // namespace

std::optional<Impact> vertex_face_impact(const PointsAt<4>& start, const PointsAt<4>& end, const ImpactOptions& options) {
  return InclusionSearch<VertexFace>(start, end, options).run();
}

std::optional<Impact> edge_edge_impact(const PointsAt<4>& start, const PointsAt<4>& end, const ImpactOptions& options) {
  return InclusionSearch<EdgeEdge>(start, end, options).run();
}

std::optional<Impact> point_edge_impact(const PointsAt<3>& start, const PointsAt<3>& end, const ImpactOptions& options) {
  return InclusionSearch<PointEdge>(start, end, options).run();
}

std::optional<Impact> point_point_impact(const PointsAt<2>& start, const PointsAt<2>& end, const ImpactOptions& options) {
  return InclusionSearch<PointPoint>(start, end, options).run();
}

}   // namespace stickslip
