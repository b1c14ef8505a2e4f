// OFF: counts, then vertices, then polygons with the number of their corners.
#include <fmt/format.h>

#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

/// To the next line that has a word, without moving past that word.
void off_line(Text& text, bool first = false) {
  bool more = first || text.next_line();
  for (; more; more = text.next_line()) {
    const std::size_t at = text.position();
    const bool has_word = !text.word_in_line().empty();
    text.move_to(at);
    if (has_word) return;
  }
}

std::uint64_t off_count(Text& text, const char* what) {
  const std::int64_t count = text.to_integer(text.word_in_line(), what);
  if (count < 0 || static_cast<std::uint64_t>(count) > text.all().size())
    text.fail(fmt::format("The file says that there are {} ({}), but has {} bytes. It is damaged: get it again.", count, what,
                          text.all().size()));
  return static_cast<std::uint64_t>(count);
}

}   // namespace

void read_off(std::string_view bytes, Builder& builder) {
  Text text(bytes);
  off_line(text, true);
  const std::string_view magic = text.word_in_line();
  if (magic != "OFF" && magic != "COFF" && magic != "NOFF" && magic != "CNOFF")
    text.fail("This is no OFF: the first word must be OFF, COFF, NOFF or CNOFF.");
  const std::size_t at = text.position();
  const bool counts_follow = !text.word_in_line().empty();
  text.move_to(at);
  if (!counts_follow) off_line(text);
  const std::uint64_t vertices = off_count(text, "vertices"), faces = off_count(text, "faces");
  for (std::uint64_t v = 0; v < vertices; ++v) {
    off_line(text);
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = text.to_number(text.word_in_line(), "a coordinate of a vertex");
    if (!p.allFinite()) text.fail(not_a_point(p));
    builder.add_vertex(p);
  }
  std::vector<Corner> corners;
  for (std::uint64_t f = 0; f < faces; ++f) {
    off_line(text);
    const std::uint64_t count = off_count(text, "corners of a face");
    corners.clear();
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::int64_t i = text.to_integer(text.word_in_line(), "a corner of a face");
      if (i < 0 || i >= static_cast<std::int64_t>(builder.vertices.size()))
        text.fail(fmt::format("There is no vertex {}: there are {}, counted from 0. The file is damaged: get it again.", i,
                              builder.vertices.size()));
      corners.push_back({static_cast<std::uint32_t>(i)});
    }
    try {
      builder.add_polygon(corners);
    } catch (const Error& e) {
      text.fail(e.message());
    }
  }
}

}   // namespace stickslip::mesh_file
