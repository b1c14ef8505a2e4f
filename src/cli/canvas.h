// A page to draw on, which becomes an SVG or a PNG.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/math/types.h"

struct _cairo;   // of the drawing library, which only canvas.cpp sees

namespace stickslip::cli {

struct Color {
  double red, green, blue, alpha = 1;   ///< 0 … 1
};

enum class Align { left, middle, right };

/// Places are in points from the upper left corner, y down.
class Canvas {
 public:
  /// @throws Error unless the name of the file ends in .svg or .png
  Canvas(std::filesystem::path file, double width, double height);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void line(std::span<const Vec2> points, const Color&, double thickness, bool dashed = false, bool closed = false);
  void fill(std::span<const Vec2> points, const Color&);
  /// @param ring thickness of the rim; 0: a filled dot. The inside of a ring is white.
  void dot(const Vec2& place, double radius, const Color&, double ring = 0);
  /// One line. "_x" and "_{xy}" are subscripts. @param up whether it runs upwards, turned about `place`
  void text(const Vec2& place, std::string_view words, double size, const Color&, Align = Align::left, bool bold = false,
            bool up = false);
  double text_width(std::string_view words, double size, bool bold = false);
  /// Until the next call without a rectangle, only what lies in it is drawn.
  void clip(const Vec2& corner, const Vec2& size);
  void unclip();

  /// Writes the file. @returns its size in bytes. @throws Error if it cannot be written
  std::size_t save();

 private:
  void set(const Color&);
  double write(std::string_view words, double size, bool bold, bool draw);

  std::filesystem::path file_;
  bool png_ = false;
  std::string bytes_;
  _cairo* context_ = nullptr;
};

/// Breaks text into lines that are at most `width` wide.
std::vector<std::string> broken(Canvas&, std::string_view text, double size, bool bold, double width);

}   // namespace stickslip::cli
