// TetGen: points in .node, tetrahedra in .ele, counted from 0 or from 1 as the first point says.
#include <fmt/format.h>

#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

/// The first word of the next line that has one; empty at the end.
std::string_view tetgen_line(Text& text, bool& started) {
  for (;;) {
    if (started && !text.next_line()) return {};
    started = true;
    if (const std::string_view word = text.word_in_line(); !word.empty()) return word;
    if (text.at_end()) return {};
  }
}

template <class F>
auto in_part(const char* part, F f) {
  try {
    return f();
  } catch (const Error& e) {
    throw Error(fmt::format("{} {}", part, e.message()));
  }
}

std::int64_t read_nodes(Text text, Elements& result) {
  bool started = false;
  const std::int64_t count = text.to_integer(tetgen_line(text, started), "the number of points");
  if (const std::string_view dimension = text.word_in_line(); !dimension.empty() && dimension != "3")
    text.fail("Points must have 3 coordinates.");
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string_view word = tetgen_line(text, started);
    const std::int64_t index = text.to_integer(word, "the number of a point");
    if (i == 0) first = index;
    if (index != first + i || first < 0 || first > 1)
      text.fail(fmt::format("Point {} stands where {} is expected. Points are counted from 0 or 1.", index, first + i));
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = text.number_in_line("a coordinate of a point");
    if (!p.allFinite()) text.fail(not_a_point(p));
    result.add_vertex(p);
  }
  return first;
}

void read_tetrahedra(Text text, std::int64_t first, Elements& result) {
  bool started = false;
  const std::int64_t count = text.to_integer(tetgen_line(text, started), "the number of tetrahedra");
  const std::string_view nodes = text.word_in_line();
  if (!nodes.empty() && nodes != "4" && nodes != "10") text.fail("Tetrahedra must have 4 or 10 points.");
  for (std::int64_t i = 0; i < count; ++i) {
    text.to_integer(tetgen_line(text, started), "the number of a tetrahedron");
    std::array<std::uint32_t, 4> corner{};
    for (std::uint32_t& c : corner) {
      const std::int64_t index = text.to_integer(text.word_in_line(), "a point of a tetrahedron");
      if (index < first || index - first >= static_cast<std::int64_t>(result.vertices.size()))
        text.fail(fmt::format("There is no point {}: there are {}, counted from {}. The file is damaged: get it again.", index,
                              result.vertices.size(), first));
      c = static_cast<std::uint32_t>(index - first);
    }
    result.tetrahedra.push_back(corner);
    result.second_order += nodes == "10";
  }
}

}   // namespace

Elements read_tetgen(std::string_view nodes, std::string_view elements) {
  Elements result;
  const std::int64_t first = in_part(".node:", [&] { return read_nodes(Text(nodes), result); });
  in_part(".ele:", [&] { read_tetrahedra(Text(elements), first, result); });
  return result;
}

}   // namespace stickslip::mesh_file
