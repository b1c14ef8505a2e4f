// VTK: legacy files, text and binary. XML files are in vtu.cpp.
#include <fmt/format.h>

#include <bit>
#include <cctype>

#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "mesh/polygon.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

constexpr std::pair<std::string_view, std::size_t> kVtkTypes[] = {
    {"char", 1},         {"unsigned_char", 1}, {"short", 2},         {"unsigned_short", 2}, {"int", 4},
    {"unsigned_int", 4}, {"float", 4},         {"long", 8},          {"unsigned_long", 8},  {"vtktypeint32", 4},
    {"vtktypeint64", 8}, {"double", 8},        {"vtktypeuint64", 8}, {"vtkIdType", 4}};
constexpr int kVtkTriangle = 5, kVtkTet = 10, kVtkTriangle6 = 22, kVtkTet10 = 24;

bool same_word(std::string_view word, std::string_view upper) {
  return word.size() == upper.size() && std::equal(word.begin(), word.end(), upper.begin(), [](char a, char b) {
           return std::toupper(static_cast<unsigned char>(a)) == b;
         });
}

std::uint32_t checked_point(const Elements& elements, std::int64_t point) {
  if (point < 0 || point >= static_cast<std::int64_t>(elements.vertices.size()))
    throw Error(fmt::format("There is no point {}: there are {}, counted from 0. The file is damaged: get it again.", point,
                            elements.vertices.size()));
  return static_cast<std::uint32_t>(point);
}

class VtkReader {
 public:
  explicit VtkReader(std::string_view bytes) : text_(bytes) {}

  Elements read() {
    if (!text_.all().starts_with("# vtk DataFile Version"))
      text_.fail("This is no VTK file: it must start with '# vtk DataFile Version'.");
    text_.next_line(), text_.next_line();
    const std::string_view kind = text_.word();
    is_binary_ = same_word(kind, "BINARY");
    if (!is_binary_ && !same_word(kind, "ASCII")) text_.fail("The third line of a VTK file must be ASCII or BINARY.");
    for (std::string_view word = text_.word(); !word.empty(); word = text_.word()) {
      if (same_word(word, "DATASET")) read_kind();
      else if (same_word(word, "POINTS")) read_points();
      else if (same_word(word, "CELLS") || same_word(word, "POLYGONS")) read_cells();
      else if (same_word(word, "CELL_TYPES")) read_types();
      else if (same_word(word, "POINT_DATA") || same_word(word, "CELL_DATA")) break;
      else if (is_binary_) skip_numbers(word);
    }
    if (is_polydata_) types_.assign(starts_.empty() ? 0 : starts_.size() - 1, kVtkTriangle);
    if (starts_.empty() || types_.size() + 1 != starts_.size())
      throw Error(fmt::format("The file has {} cells, but the kinds of {}. It is cut off: get it again.",
                              starts_.empty() ? 0 : starts_.size() - 1, types_.size()));
    for (std::size_t c = 0; c < types_.size(); ++c) {
      const std::span<const std::int64_t> points(cells_.data() + starts_[c],
                                                 static_cast<std::size_t>(starts_[c + 1] - starts_[c]));
      try {
        if (is_polydata_) add_polygon(points);
        else add_vtk_cell(result_, types_[c], points);
      } catch (const Error& e) {
        throw Error(fmt::format("cell {} (counted from 0): {}", c, e.message()));
      }
    }
    return std::move(result_);
  }

 private:
  void add_polygon(std::span<const std::int64_t> points) {
    if (points.size() < 3) return;
    if (points.size() == 3) return add_vtk_cell(result_, kVtkTriangle, points);
    if (points.size() > kMostCorners)
      throw Error(fmt::format("It has {} corners; the limit is {}. Cut it into triangles where the file is made.",
                              points.size(), kMostCorners));
    std::vector<Vec3> loop;
    for (const std::int64_t point : points) loop.push_back(result_.vertices[checked_point(result_, point)]);
    for (const auto& t : triangulated(loop)) {
      const std::int64_t corners[3] = {points[t[0]], points[t[1]], points[t[2]]};
      add_vtk_cell(result_, kVtkTriangle, corners);
    }
  }

  void read_kind() {
    const std::string_view kind = text_.word();
    is_polydata_ = same_word(kind, "POLYDATA");
    if (!is_polydata_ && !same_word(kind, "UNSTRUCTURED_GRID"))
      text_.fail("Of VTK files unstructured grids and polygons are read (UNSTRUCTURED_GRID, POLYDATA).");
  }

  /// Bytes of a number of a type by its name in the file.
  std::size_t size_of(std::string_view type) {
    for (const auto& [name, size] : kVtkTypes)
      if (type == name) return size;
    text_.fail(fmt::format("'{}' is no type of numbers of a VTK file. The file is damaged: get it again.", type));
  }

  /// Numbers stand with their largest byte first.
  template <class Bits>
  Bits swapped() {
    if constexpr (sizeof(Bits) == 4) return __builtin_bswap32(text_.raw<std::uint32_t>());
    else return __builtin_bswap64(text_.raw<std::uint64_t>());
  }
  double real(std::size_t bytes) {
    if (!is_binary_) return text_.number("a coordinate of a point");
    return bytes == 4 ? std::bit_cast<float>(swapped<std::uint32_t>()) : std::bit_cast<double>(swapped<std::uint64_t>());
  }
  std::int64_t whole(std::size_t bytes, std::string_view what) {
    if (!is_binary_) return text_.integer(what);
    return bytes == 4 ? static_cast<std::int32_t>(swapped<std::uint32_t>())
                      : static_cast<std::int64_t>(swapped<std::uint64_t>());
  }
  void begin_numbers() {
    if (is_binary_) text_.next_line();
  }

  void skip_bytes(std::uint64_t count, std::size_t each) {
    begin_numbers();
    if (count > (text_.all().size() - text_.position()) / each)
      throw Error("The file ends within its numbers. It is cut off: get it again.");
    text_.move_to(text_.position() + count * each);
  }

  /// What is not of use, and could hold any words.
  void skip_numbers(std::string_view word) {
    if (same_word(word, "FIELD")) {
      text_.word();
      for (std::uint64_t arrays = text_.count("arrays of a field"); arrays > 0; --arrays) {
        text_.word();
        const std::uint64_t parts = text_.count("parts of a number"), numbers = text_.count("numbers of an array");
        const std::size_t each = size_of(text_.word());
        skip_bytes(parts == 0 ? 0 : numbers, each * parts);
      }
    } else if (same_word(word, "VERTICES") || same_word(word, "LINES") || same_word(word, "TRIANGLE_STRIPS")) {
      read_cells();
      starts_.clear(), cells_.clear();
    }
  }

  void read_points() {
    const std::uint64_t count = text_.count("points");
    const std::string_view type = text_.word();
    const std::size_t bytes = is_binary_ ? size_of(type) : 0;
    if (is_binary_ && type != "float" && type != "double")
      text_.fail(fmt::format("Points as '{}' are not read. Write them as float or double.", type));
    begin_numbers();
    for (std::uint64_t i = 0; i < count; ++i) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) p[k] = real(bytes);
      if (!p.allFinite()) text_.fail(not_a_point(p));
      result_.add_vertex(p);
    }
  }

  void read_cells() {
    const std::uint64_t first = text_.count("cells"), second = text_.count("numbers of the cells");
    starts_.clear(), cells_.clear();
    const std::size_t before = text_.position();
    if (same_word(text_.word(), "OFFSETS")) return read_offsets(first, second);
    text_.move_to(before);
    begin_numbers();
    starts_.push_back(0);
    for (std::uint64_t i = 0; i < first; ++i) {
      const std::uint64_t points = text_.checked_count(whole(4, "points of a cell"), "points of a cell");
      for (std::uint64_t k = 0; k < points; ++k) cells_.push_back(whole(4, "a point of a cell"));
      starts_.push_back(static_cast<std::int64_t>(cells_.size()));
    }
  }

  /// Since version 5: starts of all cells, then their points.
  void read_offsets(std::uint64_t starts, std::uint64_t points) {
    const auto numbers = [&](std::vector<std::int64_t>& all, std::uint64_t count, std::string_view what) {
      const std::string_view type = text_.word();
      const std::size_t bytes = is_binary_ ? size_of(type) : 0;
      if (is_binary_ && bytes < 4) text_.fail(fmt::format("Cells as '{}' are not read. Write them as vtktypeint64.", type));
      begin_numbers();
      for (std::uint64_t i = 0; i < count; ++i) all.push_back(whole(bytes, what));
    };
    numbers(starts_, starts, "the start of a cell");
    if (!same_word(text_.word(), "CONNECTIVITY")) text_.fail("CONNECTIVITY is expected after OFFSETS.");
    numbers(cells_, points, "a point of a cell");
    for (std::size_t i = 0; i < starts_.size(); ++i)
      if (starts_[i] < (i == 0 ? 0 : starts_[i - 1]) || starts_[i] > static_cast<std::int64_t>(points))
        text_.fail(fmt::format("{} is not the start of cell {}: starts grow from 0 to {}.", starts_[i], i, points));
  }

  void read_types() {
    const std::uint64_t count = text_.count("kinds of cells");
    begin_numbers();
    for (std::uint64_t i = 0; i < count; ++i) types_.push_back(static_cast<int>(whole(4, "the kind of a cell")));
  }

  Text text_;
  Elements result_;
  std::vector<std::int64_t> starts_, cells_;
  std::vector<int> types_;
  bool is_polydata_ = false, is_binary_ = false;
};

}   // namespace

void Elements::add_vertex(const Vec3& p) {
  if (!p.allFinite()) throw Error(not_a_point(p));
  vertices.push_back(p);
}

void add_vtk_cell(Elements& result, int type, std::span<const std::int64_t> points) {
  const bool is_tet = type == kVtkTet || type == kVtkTet10, is_triangle = type == kVtkTriangle || type == kVtkTriangle6;
  if (!is_tet && !is_triangle) {
    ++result.others;
    return;
  }
  const std::size_t corners = is_tet ? 4 : 3;
  if (points.size() < corners) throw Error(fmt::format("It has {} points, but needs {}.", points.size(), corners));
  std::array<std::uint32_t, 4> corner{};
  for (std::size_t k = 0; k < corners; ++k) corner[k] = checked_point(result, points[k]);
  if (is_tet) result.tetrahedra.push_back(corner);
  else result.triangles.push_back({corner[0], corner[1], corner[2]});
  result.second_order += type == kVtkTet10 || type == kVtkTriangle6;
}

Elements read_vtk(std::string_view bytes) { return VtkReader(bytes).read(); }

}   // namespace stickslip::mesh_file
