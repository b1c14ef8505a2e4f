#include "stickslip/field/face_minimum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr int kFrankWolfeSteps = 6;
constexpr int kMostCuts = 60;

/// Evaluates along a triangle by weights of its corners, and remembers the best.
class FaceSearch {
 public:
  FaceSearch(const DistanceField& field, const Vec3& a, const Vec3& b, const Vec3& c, const MinimumOptions& options)
      : field_(field), corners_{a, b, c}, options_(options) {
    tolerance_ = options.tolerance * std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    best_.value = std::numeric_limits<double>::infinity();
  }

  FieldMinimum look(const Vec3& weights) {
    FieldMinimum m;
    m.weights = weights;
    m.point = weights[0] * corners_[0] + weights[1] * corners_[1] + weights[2] * corners_[2];
    const FieldSample s = field_.sample(m.point);
    m.value = s.value, m.gradient = s.gradient;
    ++evaluations_;
    if (m.value < best_.value) best_ = m;
    return m;
  }

  /// Of the value, per weight.
  Vec3 slopes(const FieldMinimum& m) const {
    return {m.gradient.dot(corners_[0]), m.gradient.dot(corners_[1]), m.gradient.dot(corners_[2])};
  }

  bool spent(int since) const { return evaluations_ - since >= options_.max_evaluations; }
  int evaluations() const { return evaluations_; }
  double tolerance() const { return tolerance_; }
  const FieldMinimum& best() const { return best_; }
  const Vec3& corner(int k) const { return corners_[k]; }
  FieldMinimum result() const {
    FieldMinimum m = best_;
    m.evaluations = evaluations_;
    return m;
  }

 private:
  const DistanceField& field_;
  Vec3 corners_[3];
  MinimumOptions options_;
  double tolerance_ = 0;
  int evaluations_ = 0;
  FieldMinimum best_;
};

/// A piece of the triangle, as weights of its corners in columns.
using Piece = Mat3;

/// From x towards a corner along which the value falls: to where the slope along the way vanishes, by the secant of both ends.
FieldMinimum step_towards(FaceSearch& search, const FieldMinimum& from, const Vec3& corner) {
  const FieldMinimum end = search.look(corner);
  const Vec3 way = corner - from.weights;
  double falls = search.slopes(from).dot(way), rises = search.slopes(end).dot(way), reach = 1;
  if (rises <= 0 && end.value < from.value) return end;
  FieldMinimum trial = end;
  for (int i = 0; i < 4; ++i) {
    const double t = reach * (rises > 0 ? std::clamp(falls / (falls - rises), 0.1, 0.9) : 0.5);
    trial = search.look(from.weights + t * way);
    if (trial.value < from.value) return trial;
    reach = t, rises = search.slopes(trial).dot(way);
  }
  return trial;
}

/// @returns whether the value at the best point is within the tolerance of the minimum, if the field is convex on the piece
bool frank_wolfe(FaceSearch& search, const Piece& piece, FieldMinimum at) {
  for (int step = 0; step < kFrankWolfeSteps; ++step) {
    const Vec3 slopes = search.slopes(at);
    int lowest;
    (piece.transpose() * slopes).minCoeff(&lowest);
    if (slopes.dot(at.weights - piece.col(lowest)) <= search.tolerance()) return true;
    const FieldMinimum next = step_towards(search, at, piece.col(lowest));
    if (next.value >= at.value) return false;
    at = next;
  }
  return false;
}

/// The part of a piece that may still hold the minimum: a convex polygon in the weights of its corners 1 and 2.
class Remainder {
 public:
  Remainder() : points_{Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)}, count_(3) {}

  double area(Vec2* center = nullptr) const {
    double twice = 0;
    Vec2 moment = Vec2::Zero();
    for (int i = 1; i + 1 < count_; ++i) {
      const Vec2 u = points_[i] - points_[0], v = points_[i + 1] - points_[0];
      const double part = u.x() * v.y() - u.y() * v.x();
      twice += part, moment += part * (u + v) / 3;
    }
    if (center != nullptr) *center = twice > 0 ? Vec2(points_[0] + moment / twice) : points_[0];
    return 0.5 * twice;
  }

  double lowest(const Vec2& slope) const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count_; ++i) least = std::min(least, slope.dot(points_[i]));
    return least;
  }

  /// Keeps what has slope · x ≤ level.
  void cut(const Vec2& slope, double level) {
    std::array<Vec2, kRoom> kept;
    int count = 0;
    for (int i = 0; i < count_ && count + 1 < kRoom; ++i) {
      const Vec2 &p = points_[i], &q = points_[(i + 1) % count_];
      const double at_p = slope.dot(p) - level, at_q = slope.dot(q) - level;
      if (at_p <= 0) kept[count++] = p;
      if ((at_p < 0 && at_q > 0) || (at_p > 0 && at_q < 0)) kept[count++] = p + at_p / (at_p - at_q) * (q - p);
    }
    points_ = kept, count_ = count;
  }

  int corners() const { return count_; }

 private:
  static constexpr int kRoom = kMostCuts + 6;
  std::array<Vec2, kRoom> points_;
  int count_;
};

void cut_down(FaceSearch& search, const Piece& piece, int since) {
  Remainder rest;
  for (int i = 0; i < kMostCuts && !search.spent(since); ++i) {
    Vec2 center;
    if (rest.area(&center) < 1e-18 || rest.corners() < 3) return;
    const FieldMinimum at = search.look(piece * Vec3(1 - center.x() - center.y(), center.x(), center.y()));
    const Vec3 slopes = piece.transpose() * search.slopes(at);
    const Vec2 slope(slopes[1] - slopes[0], slopes[2] - slopes[0]);
    if (slope.dot(center) - rest.lowest(slope) <= search.tolerance()) return;
    rest.cut(slope, slope.dot(center));
  }
}

void search_piece(FaceSearch& search, const Piece& piece, const FieldMinimum& middle) {
  const int since = search.evaluations();
  FieldMinimum start = middle;
  for (int k = 0; k < 3; ++k) {
    const FieldMinimum corner = search.look(piece.col(k));
    if (corner.value < start.value) start = corner;
  }
  if (!frank_wolfe(search, piece, start)) cut_down(search, piece, since);
}

/// Piece `index` of 4^levels: at every level three parts at the corners and one in the middle.
Piece piece_of(int index, int levels) {
  Piece piece = Piece::Identity();
  for (int level = 0; level < levels; ++level, index /= 4) {
    const Vec3 a = piece.col(0), b = piece.col(1), c = piece.col(2), ab = 0.5 * (a + b), bc = 0.5 * (b + c), ca = 0.5 * (c + a);
    switch (index % 4) {
      case 0:
        piece << a, ab, ca;
        break;
      case 1:
        piece << ab, b, bc;
        break;
      case 2:
        piece << ca, bc, c;
        break;
      default:
        piece << ab, bc, ca;
        break;
    }
  }
  return piece;
}

constexpr int kMostSubdivisions = 3;

}   // namespace

FieldMinimum minimise_over_triangle(const DistanceField& field, const Vec3& a, const Vec3& b, const Vec3& c,
                                    const MinimumOptions& options) {
  FaceSearch search(field, a, b, c, options);
  if (options.subdivisions <= 0) {
    search_piece(search, Piece::Identity(), search.look(Vec3::Constant(1.0 / 3)));
    return search.result();
  }
  const int levels = std::clamp(options.subdivisions, 0, kMostSubdivisions), pieces = 1 << (2 * levels);
  std::array<FieldMinimum, 1 << (2 * kMostSubdivisions)> middles;
  std::array<std::pair<double, int>, 1 << (2 * kMostSubdivisions)> order;   // by the value in the middle
  for (int i = 0; i < pieces; ++i) {
    middles[i] = search.look(piece_of(i, levels).rowwise().mean());
    order[i] = {middles[i].value, i};
  }
  std::sort(order.begin(), order.begin() + pieces);
  for (int place = 0; place < pieces; ++place) {
    const auto [value, i] = order[place];
    const Piece piece = piece_of(i, levels);
    double radius = 0;
    for (int k = 0; k < 3; ++k) {
      const Vec3 w = piece.col(k);
      radius = std::max(radius, (w[0] * a + w[1] * b + w[2] * c - middles[i].point).norm());
    }
    // A sampled field is that of a distance but for its error.
    if (value - radius - 2 * field.error_bound() < search.best().value - search.tolerance() || place == 0)
      search_piece(search, piece, middles[i]);
  }
  return search.result();
}

FieldMinimum minimise_over_edge(const DistanceField& field, const Vec3& a, const Vec3& b, const MinimumOptions& options) {
  FaceSearch search(field, a, b, b, options);
  const auto at = [&](double t) { return search.look({1 - t, t, 0}); };
  const auto slope = [&](const FieldMinimum& m) { return m.gradient.dot(b - a); };
  const int pieces = 1 << std::max(options.subdivisions, 0);
  FieldMinimum from = at(0);
  for (int i = 0; i < pieces; ++i) {
    double low = static_cast<double>(i) / pieces, high = static_cast<double>(i + 1) / pieces;
    const FieldMinimum to = at(high);
    const double lowest = 0.5 * (from.value + to.value - (b - a).norm() / pieces) - 2 * field.error_bound();
    const bool inner = slope(from) < 0 && slope(to) > 0;
    from = to;
    if (!inner || lowest >= search.best().value - search.tolerance()) continue;
    for (const int since = search.evaluations(); !search.spent(since) && (high - low) * (b - a).norm() > search.tolerance();) {
      const double t = 0.5 * (low + high);
      const double rises = slope(at(t));
      if (rises == 0) break;
      (rises > 0 ? high : low) = t;
    }
  }
  return search.result();
}

}   // namespace stickslip
