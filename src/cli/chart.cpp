#include "cli/chart.h"

#include <fmt/format.h>

#include <cmath>

namespace stickslip::cli {

namespace {

constexpr double kLeft = 58, kTop = 26, kRight = 8, kBottom = 44;
constexpr double kSmall = 9, kLabel = 11;
constexpr Color kGrid{0.9, 0.9, 0.9}, kAxis{0.6, 0.6, 0.6};

/// 1, 2, 2.5 or 5 times a power of ten, so that about `wanted` steps cover the span.
double step_for(double span, int wanted) {
  const double raw = span / wanted, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power >= raw) return factor * power;
  return 10 * power;
}

/// Numbers to places on the page.
struct Map {
  Vec2 low, corner, scale;   ///< corner: lower left one of the axes on the page

  Vec2 operator()(const Vec2& x) const {
    return {corner.x() + (x.x() - low.x()) * scale.x(), corner.y() - (x.y() - low.y()) * scale.y()};
  }
  std::vector<Vec2> operator()(const std::vector<Vec2>& points) const {
    std::vector<Vec2> places;
    for (const Vec2& p : points) places.push_back((*this)(p));
    return places;
  }
};

/// Grid, numbers and the axes through 0.
void draw_axes(Canvas& canvas, const Chart& chart, const Chart::Range& range, const Map& at) {
  const Vec2 span = range.high - range.low;
  Vec2 step(step_for(span.x(), 8), step_for(span.y(), 8));
  if (chart.equal_scale) step = Vec2::Constant(step.maxCoeff());
  for (const int axis : {0, 1}) {
    for (double k = std::ceil(range.low[axis] / step[axis] - 1e-9); k * step[axis] <= range.high[axis] * (1 + 1e-9); ++k) {
      const double value = k == 0 ? 0 : k * step[axis];
      Vec2 from = range.low, to = range.high;
      from[axis] = to[axis] = value;
      const Vec2 ends[] = {at(from), at(to)};
      canvas.line(ends, value == 0 ? kAxis : kGrid, value == 0 ? 1 : 0.7);
      const std::string number = fmt::format("{:.6g}", value);
      if (axis == 0) canvas.text(ends[0] + Vec2(0, 13), number, kSmall, kInk, Align::middle);
      else canvas.text(ends[0] + Vec2(-5, 3), number, kSmall, kInk, Align::right);
    }
  }
  const Vec2 frame[] = {at(range.low), at({range.high.x(), range.low.y()}), at(range.high),
                        at({range.low.x(), range.high.y()})};
  canvas.line(frame, kAxis, 0.8, false, true);
}

}   // namespace

Chart::Range Chart::range() const {
  Vec2 low = Vec2::Zero(), high = Vec2::Zero();
  const auto include = [&](const Vec2& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  };
  for (const Outline& outline : outlines)
    for (const Vec2& p : outline.points) include(p);
  for (const Projection& p : projections) include(p.point);
  if (equal_scale) {
    double half = 1.12 * std::max(high.maxCoeff(), -low.minCoeff());
    if (!(half > 0)) half = 1;
    return {Vec2::Constant(-half), Vec2::Constant(half)};
  }
  high.y() *= 1.12;
  for (const int axis : {0, 1})
    if (!(high[axis] > low[axis])) high[axis] = low[axis] + 1;
  return {low, high};
}

void draw_projection(Canvas& canvas, const Vec2& from, const Vec2& to, bool right_angle, double most) {
  const Vec2 way = from - to;
  const double length = way.norm();
  const Vec2 line[] = {from, to};
  canvas.line(line, kProjection, 1);
  if (right_angle && length > 4) {
    const double side = std::min(6.0, 0.5 * length), reach = std::min(most, 1.2 * length);
    const Vec2 along = way / length, across(-along.y(), along.x());
    const Vec2 support[] = {to - reach * across, to + reach * across};
    canvas.line(support, kProjection, 0.7, true);
    const Vec2 corner[] = {to + side * along, to + side * along + side * across, to + side * across};
    canvas.line(corner, kProjection, 0.7);
  }
  canvas.dot(from, 3, kProjection, 1.2);
  canvas.dot(to, 3, kProjection);
}

void draw(Canvas& canvas, const Chart& chart, const Vec2& corner) {
  const Chart::Range range = chart.range();
  const Vec2 area(kChartSide - kLeft - kRight, kChartSide - kTop - kBottom);
  // Equal scales need equal sides.
  const double side = area.minCoeff();
  const Vec2 size = chart.equal_scale ? Vec2(side, side) : area;
  const Vec2 lower_left = corner + Vec2(kLeft, kTop + size.y());
  const Map at{range.low, lower_left, size.cwiseQuotient(range.high - range.low)};

  canvas.text(corner + Vec2(kLeft, kTop - 9), chart.title, kLabel, kInk, Align::left, true);
  draw_axes(canvas, chart, range, at);
  canvas.text(lower_left + Vec2(size.x() / 2, 31), chart.x_label, kLabel, kInk, Align::middle);
  canvas.text(lower_left + Vec2(-44, -size.y() / 2), chart.y_label, kLabel, kInk, Align::middle, false, true);

  canvas.clip(corner + Vec2(kLeft, kTop), size);
  for (const Outline& outline : chart.outlines)
    if (outline.filled) canvas.fill(at(outline.points), {outline.color.red, outline.color.green, outline.color.blue, 0.18});
  for (const Outline& outline : chart.outlines)
    canvas.line(at(outline.points), outline.color, 1.6, outline.dashed, outline.closed);
  for (const Projection& p : chart.projections) draw_projection(canvas, at(p.point), at(p.closest), p.in_plane);
  for (const Vec2& p : chart.inside) canvas.dot(at(p), 3, kProjection);
  canvas.unclip();
}

}   // namespace stickslip::cli
