// One chart of a picture: outlines, curves and projections between two axes with numbers.
#pragma once

#include <string>
#include <vector>

#include "cli/canvas.h"
#include "cli/friction_outline.h"

namespace stickslip::cli {

struct Outline {
  std::vector<Vec2> points;
  Color color;
  std::string label;   ///< for the legend; empty: none
  bool filled = false, dashed = false, closed = true;
};

struct Chart {
  std::string title, x_label, y_label;
  std::vector<Outline> outlines;
  std::vector<Projection> projections;
  std::vector<Vec2> inside;   ///< points that are their own closest ones
  bool equal_scale = true;    ///< a unit is as long along x as along y, 0 is in the middle

  /// Ranges of both axes.
  struct Range {
    Vec2 low, high;
  };
  Range range() const;
};

inline constexpr Color kInk{0.2, 0.2, 0.2}, kProjection{0.8, 0.2, 0};

/// @param corner upper left one of the whole chart, labels included; its side is kChartSide
void draw(Canvas&, const Chart&, const Vec2& corner);
inline constexpr double kChartSide = 330;

/// A dot outside, its closest point and the right angle between with the supporting line. @param most half length of that line
void draw_projection(Canvas&, const Vec2& from, const Vec2& to, bool right_angle, double most = 26);

}   // namespace stickslip::cli
