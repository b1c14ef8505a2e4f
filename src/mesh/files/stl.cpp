// STL: triangles without neighbours, as text or binary.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

constexpr std::size_t kStlHeader = 84, kStlTriangle = 50;

template <class T>
T little(const char* bytes) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void read_binary_stl(std::string_view bytes, Builder& builder) {
  const std::uint64_t count = little<std::uint32_t>(bytes.data() + 80), fits = (bytes.size() - kStlHeader) / kStlTriangle;
  if (count > fits)
    throw Error(
        fmt::format("The file says that it has {} triangles, but {} bytes hold {}. It is cut off or no STL: get it again.",
                    count, bytes.size(), fits));
  builder.check_count(count);
  builder.vertices.reserve(3 * count);
  for (std::uint64_t t = 0; t < count; ++t) {
    const char* at = bytes.data() + kStlHeader + t * kStlTriangle + 12;   // after the normal
    const auto first = static_cast<std::uint32_t>(builder.vertices.size());
    for (int k = 0; k < 3; ++k) {
      const Vec3 p(little<float>(at + 12 * k), little<float>(at + 12 * k + 4), little<float>(at + 12 * k + 8));
      if (!p.allFinite()) throw Error(fmt::format("triangle {}, vertex {} (counted from 0): {}", t, k, not_a_point(p)));
      builder.add_vertex(p);
    }
    builder.add_triangle({first}, {first + 1}, {first + 2});
  }
}

void read_text_stl(std::string_view bytes, Builder& builder) {
  Text text(bytes);
  std::vector<Corner> loop;
  for (std::string_view word = text.word(); !word.empty(); word = text.word()) {
    if (word == "solid" || word == "endsolid") {
      text.rest_of_line();   // a name, which may be anything
    } else if (word == "vertex") {
      Vec3 p;
      for (int k = 0; k < 3; ++k) p[k] = text.number("a coordinate of a vertex");
      if (!p.allFinite()) text.fail(not_a_point(p));
      loop.push_back({static_cast<std::uint32_t>(builder.vertices.size())});
      builder.add_vertex(p);
    } else if (word == "endloop") {
      if (loop.size() != 3) text.fail(fmt::format("A facet has {} vertices. In an STL file each has 3.", loop.size()));
      builder.add_triangle(loop[0], loop[1], loop[2]);
      loop.clear();
    } else if (word == "normal") {
      for (int k = 0; k < 3; ++k) text.word();   // often wrong, and the order of the vertices says it
    } else if (word != "facet" && word != "outer" && word != "loop" && word != "endfacet") {
      text.fail("This is no STL: expected are facets with three vertices each.");
    }
  }
  if (!loop.empty()) text.fail("The file ends within a facet. It is cut off: get it again.");
}

}   // namespace

void read_stl(std::string_view bytes, Builder& builder) {
  const bool says_solid = bytes.starts_with("solid");
  const bool has_binary_size =
      bytes.size() >= kStlHeader &&
      (bytes.size() - kStlHeader) == std::uint64_t{kStlTriangle} * little<std::uint32_t>(bytes.data() + 80);
  const bool has_facets =
      bytes.substr(0, 4096).find("facet") != bytes.npos || bytes.substr(0, 4096).find("endsolid") != bytes.npos;
  if (!has_binary_size && says_solid && has_facets) return read_text_stl(bytes, builder);
  if (bytes.size() < kStlHeader)
    throw Error(
        fmt::format("{} bytes are too few for an STL file, whose header alone has {}. It is cut off or no STL: get it again.",
                    bytes.size(), kStlHeader));
  read_binary_stl(bytes, builder);
}

}   // namespace stickslip::mesh_file
