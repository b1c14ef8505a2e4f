#include "cli/canvas.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "stickslip/math/error.h"
#include "store/memory_file.h"
#include "store/staged_file.h"

namespace stickslip::cli {

namespace {

constexpr double kPixelsPerPoint = 2;   ///< of a PNG

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

std::size_t character_length(unsigned char first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

void path(cairo_t* context, std::span<const Vec2> points, bool closed) {
  for (const Vec2& p : points) cairo_line_to(context, p.x(), p.y());
  if (closed) cairo_close_path(context);
}

}   // namespace

Canvas::Canvas(std::filesystem::path file, double width, double height) : file_(std::move(file)) {
  const std::string ending = file_.extension().string();
  if (ending != ".svg" && ending != ".png")
    throw Error(fmt::format("'{}' is not a kind of picture. The name of the file must end in .svg or .png.", ending))
        .in(file_.string());
  png_ = ending == ".png";
  cairo_surface_t* surface = png_ ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, int(std::ceil(width * kPixelsPerPoint)),
                                                               int(std::ceil(height * kPixelsPerPoint)))
                                  : cairo_svg_surface_create_for_stream(append, &bytes_, width, height);
  context_ = cairo_create(surface);
  cairo_surface_destroy(surface);   // the context keeps it
  if (png_) cairo_scale(context_, kPixelsPerPoint, kPixelsPerPoint);
  cairo_set_line_join(context_, CAIRO_LINE_JOIN_ROUND);
  set({1, 1, 1});
  cairo_paint(context_);
}

Canvas::~Canvas() { cairo_destroy(context_); }

void Canvas::set(const Color& c) { cairo_set_source_rgba(context_, c.red, c.green, c.blue, c.alpha); }

void Canvas::line(std::span<const Vec2> points, const Color& color, double thickness, bool dashed, bool closed) {
  set(color);
  cairo_set_line_width(context_, thickness);
  const double dashes[] = {3.5, 2.5};
  cairo_set_dash(context_, dashes, dashed ? 2 : 0, 0);
  cairo_new_path(context_);
  path(context_, points, closed);
  cairo_stroke(context_);
}

void Canvas::fill(std::span<const Vec2> points, const Color& color) {
  set(color);
  cairo_new_path(context_);
  path(context_, points, true);
  cairo_fill(context_);
}

void Canvas::dot(const Vec2& place, double radius, const Color& color, double ring) {
  cairo_new_path(context_);
  cairo_arc(context_, place.x(), place.y(), radius, 0, 2 * std::numbers::pi);
  set(ring > 0 ? Color{1, 1, 1} : color);
  cairo_fill_preserve(context_);
  set(color);
  cairo_set_line_width(context_, ring);
  cairo_set_dash(context_, nullptr, 0, 0);
  if (ring > 0) cairo_stroke(context_);
  cairo_new_path(context_);
}

double Canvas::write(std::string_view words, double size, bool bold, bool draw) {
  cairo_select_font_face(context_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  double width = 0;
  const auto run = [&](std::string_view part, double scale, double lower) {
    if (part.empty()) return;
    const std::string copy(part);
    cairo_set_font_size(context_, scale * size);
    cairo_text_extents_t extents;
    cairo_text_extents(context_, copy.c_str(), &extents);
    if (draw) {
      cairo_move_to(context_, width, lower * size);
      cairo_show_text(context_, copy.c_str());
    }
    width += extents.x_advance;
  };
  while (!words.empty()) {
    const std::size_t mark = words.find('_');
    run(words.substr(0, mark), 1, 0);
    if (mark == std::string_view::npos || mark + 1 >= words.size()) break;
    words.remove_prefix(mark + 1);
    const bool group = words.front() == '{' && words.find('}') != std::string_view::npos;
    const std::size_t end =
        group ? words.find('}') : std::min(words.size(), character_length(static_cast<unsigned char>(words.front())));
    run(group ? words.substr(1, end - 1) : words.substr(0, end), 0.72, 0.2);
    words.remove_prefix(group ? end + 1 : end);
  }
  return width;
}

double Canvas::text_width(std::string_view words, double size, bool bold) { return write(words, size, bold, false); }

void Canvas::text(const Vec2& place, std::string_view words, double size, const Color& color, Align align, bool bold, bool up) {
  const double width = align == Align::left ? 0 : text_width(words, size, bold);
  cairo_save(context_);
  set(color);
  cairo_translate(context_, place.x(), place.y());
  if (up) cairo_rotate(context_, -std::numbers::pi / 2);
  cairo_translate(context_, align == Align::left ? 0 : align == Align::middle ? -width / 2 : -width, 0);
  write(words, size, bold, true);
  cairo_restore(context_);
}

void Canvas::clip(const Vec2& corner, const Vec2& size) {
  cairo_save(context_);
  cairo_rectangle(context_, corner.x(), corner.y(), size.x(), size.y());
  cairo_clip(context_);
}
void Canvas::unclip() { cairo_restore(context_); }

std::size_t Canvas::save() {
  cairo_surface_t* surface = cairo_get_target(context_);
  if (png_) cairo_surface_write_to_png_stream(surface, append, &bytes_);
  cairo_surface_finish(surface);
  const cairo_status_t status = cairo_surface_status(surface);
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(fmt::format("The picture could not be drawn: {}.", cairo_status_to_string(status))).in(file_.string());
  try {
    StagedFile staged(file_);
    write_bytes(staged.path(), bytes_);
    staged.commit();
  } catch (Error& error) {
    throw error.in(file_.string());
  }
  return bytes_.size();
}

std::vector<std::string> broken(Canvas& canvas, std::string_view text, double size, bool bold, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string word(text.substr(0, end));
    if (!lines.empty() && canvas.text_width(lines.back() + " " + word, size, bold) <= width) lines.back() += " " + word;
    else lines.push_back(word);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}   // namespace stickslip::cli
