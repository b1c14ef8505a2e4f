#include "mesh/polygon.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stickslip {

namespace {

using Loop = std::vector<std::uint32_t>;

constexpr double kFlatEar = 1e-9;   ///< sine of an angle

double turn(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

double doubled_area(const std::vector<Vec2>& points, const Loop& loop) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) sum += turn(points[loop[0]], points[loop[i]], points[loop[i + 1]]);
  return sum;
}

/// Whether p lies in the closed triangle a, b, c, which goes round counter-clockwise.
bool within(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& p) {
  return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
}

/// Crossings of a ray to the right: odd inside.
bool is_inside(const std::vector<Vec2>& points, const Loop& loop, const Vec2& p) {
  bool inside = false;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec2 &a = points[loop[i]], &b = points[loop[(i + 1) % loop.size()]];
    if ((a.y() > p.y()) != (b.y() > p.y()) && p.x() < a.x() + (p.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x()))
      inside = !inside;
  }
  return inside;
}

/// The place in `outer` that the rightmost corner of a hole sees: where a ray to the right first meets a side, the end of that
/// side that is
/// farther right, unless a corner that turns inwards stands in between; then the one of these nearest in angle.
std::size_t seen_from(const std::vector<Vec2>& points, const Loop& outer, const Vec2& from) {
  double nearest = std::numeric_limits<double>::infinity();
  std::size_t best = outer.size();
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const std::size_t next = (i + 1) % outer.size();
    const Vec2 &a = points[outer[i]], &b = points[outer[next]];
    if ((a.y() > from.y()) == (b.y() > from.y())) continue;
    const double x = a.x() + (from.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x());
    if (x < from.x() || x >= nearest) continue;
    nearest = x;
    best = a.x() > b.x() ? i : next;
  }
  if (best == outer.size()) return 0;
  const Vec2 hit(nearest, from.y()), corner = points[outer[best]];
  const bool above = corner.y() > from.y();
  double flattest = std::numeric_limits<double>::infinity(), closest = flattest;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const Vec2& p = points[outer[i]];
    const bool blocks = above ? within(from, hit, corner, p) : within(from, corner, hit, p);
    if (!blocks || p.x() < from.x()) continue;
    const Vec2 &before = points[outer[(i + outer.size() - 1) % outer.size()]], &after = points[outer[(i + 1) % outer.size()]];
    // A corner that stands twice in the loop (the end of an earlier bridge) is seen only by the one that opens to the viewer.
    const bool opens = turn(before, p, after) >= 0 ? turn(before, p, from) >= 0 && turn(p, after, from) >= 0
                                                   : turn(before, p, from) >= 0 || turn(p, after, from) >= 0;
    if (!opens) continue;
    const double slope = std::abs(p.y() - from.y()) / std::max(p.x() - from.x(), std::numeric_limits<double>::min());
    const double away = (p - from).squaredNorm();
    if (slope < flattest || (slope == flattest && away < closest)) flattest = slope, closest = away, best = i;
  }
  return best;
}

/// Joins a hole to the loop around it by a bridge that is walked both ways.
void bridge(const std::vector<Vec2>& points, Loop& outer, const Loop& hole, std::size_t rightmost) {
  const std::size_t at = seen_from(points, outer, points[hole[rightmost]]);
  Loop inserted;
  for (std::size_t i = 0; i <= hole.size(); ++i) inserted.push_back(hole[(rightmost + i) % hole.size()]);
  inserted.push_back(outer[at]);
  outer.insert(outer.begin() + static_cast<std::ptrdiff_t>(at) + 1, inserted.begin(), inserted.end());
}

/// Clips ears until three corners are left; flat ones last, so that corners on a straight side become corners of triangles with
/// an area. Where no
/// ear is clean (sides touch, by rounding or by bridges) the best shaped corner goes.
class EarClipper {
 public:
  EarClipper(const std::vector<Vec2>& points, const Loop& loop, std::vector<std::array<std::uint32_t, 3>>& out)
      : points_(points), loop_(loop), out_(out), previous_(loop.size()), next_(loop.size()) {
    const std::size_t n = loop.size();
    for (std::size_t i = 0; i < n; ++i) previous_[i] = (i + n - 1) % n, next_[i] = (i + 1) % n;
  }

  void run() {
    std::size_t left = loop_.size(), at = 0, tried = 0;
    while (left > 3) {
      const bool none = tried > 2 * left;
      if (none) at = least_bad(at);
      if (none || is_ear(at, tried > left ? 0 : kFlatEar)) {
        emit(at);
        next_[previous_[at]] = next_[at];
        previous_[next_[at]] = previous_[at];
        at = next_[next_[at]];   // every other corner first: thinner fans
        --left, tried = 0;
      } else {
        at = next_[at], ++tried;
      }
    }
    emit(at);
  }

 private:
  const Vec2& point(std::size_t i) const { return points_[loop_[i]]; }
  void emit(std::size_t i) { out_.push_back({loop_[previous_[i]], loop_[i], loop_[next_[i]]}); }

  bool is_ear(std::size_t i, double flattest) const {
    const std::size_t before = previous_[i], after = next_[i];
    const Vec2 &a = point(before), &b = point(i), &c = point(after);
    if (!(turn(a, b, c) > flattest * (b - a).norm() * (c - b).norm())) return false;
    for (std::size_t k = next_[after]; k != before; k = next_[k]) {
      const Vec2& p = point(k);
      if (turn(point(previous_[k]), p, point(next_[k])) > 0) continue;   // only corners that turn inwards can stand in an ear
      if (p == a || p == b || p == c) continue;
      if (within(a, b, c, p)) return false;
    }
    return true;
  }

  /// The corner with the least negative turn.
  std::size_t least_bad(std::size_t start) const {
    std::size_t best = start;
    double most = -std::numeric_limits<double>::infinity();
    std::size_t k = start;
    do {
      const double now = std::min(turn(point(previous_[k]), point(k), point(next_[k])), 0.0);
      if (now > most) most = now, best = k;
      k = next_[k];
    } while (k != start);
    return best;
  }

  const std::vector<Vec2>& points_;
  const Loop& loop_;
  std::vector<std::array<std::uint32_t, 3>>& out_;
  std::vector<std::size_t> previous_, next_;
};

}   // namespace

std::vector<std::array<std::uint32_t, 3>> triangulated(const std::vector<Vec3>& corners) {
  const std::size_t n = corners.size();
  Vec3 across = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < n; ++i) across += (corners[i] - corners[0]).cross(corners[i + 1] - corners[0]);
  int drop = 0;
  across.cwiseAbs().maxCoeff(&drop);
  const int u = (drop + 1) % 3, v = (drop + 2) % 3;
  std::vector<Vec2> flat;
  for (const Vec3& p : corners) flat.push_back(across[drop] >= 0 ? Vec2(p[u], p[v]) : Vec2(p[v], p[u]));
  Loop loop(n);
  std::iota(loop.begin(), loop.end(), 0u);
  std::vector<std::array<std::uint32_t, 3>> result;
  if (n >= 3) EarClipper(flat, loop, result).run();
  return result;
}

std::vector<std::array<std::uint32_t, 3>> triangulated(const std::vector<Vec2>& points, const std::vector<Loop>& loops) {
  std::vector<Loop> outer;
  struct Hole {
    const Loop* loop;
    std::size_t rightmost;
  };
  std::vector<Hole> holes;
  for (const Loop& loop : loops) {
    if (loop.size() < 3) continue;
    if (doubled_area(points, loop) >= 0) {
      outer.push_back(loop);
    } else {
      const auto right =
          std::max_element(loop.begin(), loop.end(), [&](auto a, auto b) { return points[a].x() < points[b].x(); });
      holes.push_back({&loop, static_cast<std::size_t>(right - loop.begin())});
    }
  }
  // From the right: a bridge can only meet loops that are joined already.
  std::stable_sort(holes.begin(), holes.end(), [&](const Hole& a, const Hole& b) {
    return points[(*a.loop)[a.rightmost]].x() > points[(*b.loop)[b.rightmost]].x();
  });
  const std::vector<Loop> plain = outer;
  for (const Hole& hole : holes) {
    const Vec2& p = points[(*hole.loop)[hole.rightmost]];
    std::size_t around = outer.size();
    for (std::size_t i = 0; i < plain.size(); ++i)
      if (is_inside(points, plain[i], p) &&
          (around == outer.size() || doubled_area(points, plain[i]) < doubled_area(points, plain[around])))
        around = i;
    if (around == outer.size()) outer.push_back(*hole.loop);   // a hole in nothing: its triangles face the other way
    else bridge(points, outer[around], *hole.loop, hole.rightmost);
  }
  std::vector<std::array<std::uint32_t, 3>> result;
  for (const Loop& loop : outer) EarClipper(points, loop, result).run();
  return result;
}

}   // namespace stickslip
