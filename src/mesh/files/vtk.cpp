// VTK: legacy text files, and XML files of unstructured grids as text.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <cctype>
#include <cstring>

#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

constexpr int kVtkTriangle = 5, kVtkTet = 10, kVtkTriangle6 = 22, kVtkTet10 = 24;

bool same_word(std::string_view word, std::string_view upper) {
  return word.size() == upper.size() && std::equal(word.begin(), word.end(), upper.begin(), [](char a, char b) {
           return std::toupper(static_cast<unsigned char>(a)) == b;
         });
}

class VtkReader {
 public:
  explicit VtkReader(std::string_view bytes) : text_(bytes) {}

  Elements read() {
    if (!text_.all().starts_with("# vtk DataFile Version"))
      text_.fail("This is no VTK file: it must start with '# vtk DataFile Version'.");
    text_.next_line(), text_.next_line();
    const std::string_view kind = text_.word();
    if (same_word(kind, "BINARY")) text_.fail("Binary VTK files are not read. Write it as text (ASCII).");
    if (!same_word(kind, "ASCII")) text_.fail("The third line of a VTK file must be ASCII or BINARY.");
    for (std::string_view word = text_.word(); !word.empty(); word = text_.word()) {
      if (same_word(word, "DATASET")) read_kind();
      else if (same_word(word, "POINTS")) read_points();
      else if (same_word(word, "CELLS") || same_word(word, "POLYGONS")) read_cells();
      else if (same_word(word, "CELL_TYPES")) read_types();
      else if (same_word(word, "POINT_DATA") || same_word(word, "CELL_DATA")) break;
    }
    if (is_polydata_) types_.assign(starts_.empty() ? 0 : starts_.size() - 1, kVtkTriangle);
    if (starts_.empty() || types_.size() + 1 != starts_.size())
      throw Error(fmt::format("The file has {} cells, but the kinds of {}. It is cut off: get it again.",
                              starts_.empty() ? 0 : starts_.size() - 1, types_.size()));
    for (std::size_t c = 0; c < types_.size(); ++c) {
      const std::span<const std::int64_t> points(cells_.data() + starts_[c],
                                                 static_cast<std::size_t>(starts_[c + 1] - starts_[c]));
      try {
        if (is_polydata_) add_fan(points);
        else add_vtk_cell(result_, types_[c], points);
      } catch (const Error& e) {
        throw Error(fmt::format("cell {} (counted from 0): {}", c, e.message()));
      }
    }
    return std::move(result_);
  }

 private:
  void add_fan(std::span<const std::int64_t> points) {
    for (std::size_t k = 2; k < points.size(); ++k) {
      const std::int64_t corners[3] = {points[0], points[k - 1], points[k]};
      add_vtk_cell(result_, kVtkTriangle, corners);
    }
  }

  void read_kind() {
    const std::string_view kind = text_.word();
    is_polydata_ = same_word(kind, "POLYDATA");
    if (!is_polydata_ && !same_word(kind, "UNSTRUCTURED_GRID"))
      text_.fail("Of VTK files unstructured grids and polygons are read (UNSTRUCTURED_GRID, POLYDATA).");
  }

  void read_points() {
    const std::uint64_t count = text_.count("points");
    text_.word();   // float or double
    for (std::uint64_t i = 0; i < count; ++i) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) p[k] = text_.number("a coordinate of a point");
      if (!p.allFinite()) text_.fail(not_a_point(p));
      result_.add_vertex(p);
    }
  }

  void read_cells() {
    const std::uint64_t first = text_.count("cells"), second = text_.count("numbers of the cells");
    starts_.clear(), cells_.clear();
    const std::size_t before = text_.position();
    if (same_word(text_.word(), "OFFSETS")) {   // since version 5: starts of all cells, then their points
      text_.word();
      for (std::uint64_t i = 0; i < first; ++i) starts_.push_back(text_.integer("the start of a cell"));
      if (!same_word(text_.word(), "CONNECTIVITY")) text_.fail("CONNECTIVITY is expected after OFFSETS.");
      text_.word();
      for (std::uint64_t i = 0; i < second; ++i) cells_.push_back(text_.integer("a point of a cell"));
      for (std::size_t i = 0; i < starts_.size(); ++i)
        if (starts_[i] < (i == 0 ? 0 : starts_[i - 1]) || starts_[i] > static_cast<std::int64_t>(second))
          text_.fail(fmt::format("{} is not the start of cell {}: starts grow from 0 to {}.", starts_[i], i, second));
      return;
    }
    text_.move_to(before);
    starts_.push_back(0);
    for (std::uint64_t i = 0; i < first; ++i) {
      const std::uint64_t points = text_.count("points of a cell");
      for (std::uint64_t k = 0; k < points; ++k) cells_.push_back(text_.integer("a point of a cell"));
      starts_.push_back(static_cast<std::int64_t>(cells_.size()));
    }
  }

  void read_types() {
    const std::uint64_t count = text_.count("kinds of cells");
    for (std::uint64_t i = 0; i < count; ++i) types_.push_back(static_cast<int>(text_.integer("the kind of a cell")));
  }

  Text text_;
  Elements result_;
  std::vector<std::int64_t> starts_, cells_;
  std::vector<int> types_;
  bool is_polydata_ = false;
};

class VtuReader {
 public:
  explicit VtuReader(std::string_view bytes) {
    if (document_.Parse(bytes.data(), bytes.size()) != tinyxml2::XML_SUCCESS)
      throw Error(fmt::format("line {}: this is not XML ({}). The file is cut off or damaged: get it again.",
                              document_.ErrorLineNum(), tinyxml2::XMLDocument::ErrorIDToName(document_.ErrorID())));
  }

  Elements read() {
    const tinyxml2::XMLElement* root = document_.RootElement();
    if (!root || std::strcmp(root->Name(), "VTKFile") != 0)
      throw Error("This is no VTK file: its outermost element must be <VTKFile>.");
    for (const tinyxml2::XMLElement* piece = &child(child(*root, "UnstructuredGrid"), "Piece"); piece;
         piece = piece->NextSiblingElement("Piece"))
      read_piece(*piece);
    return std::move(result_);
  }

 private:
  const tinyxml2::XMLElement& child(const tinyxml2::XMLElement& above, const char* name) {
    const tinyxml2::XMLElement* found = above.FirstChildElement(name);
    if (!found)
      throw Error(fmt::format("line {}: <{}> has no <{}>. Of XML files of VTK unstructured grids are read.", above.GetLineNum(),
                              above.Name(), name));
    return *found;
  }

  const tinyxml2::XMLElement& array(const tinyxml2::XMLElement& above, const char* name) {
    for (const tinyxml2::XMLElement* a = above.FirstChildElement("DataArray"); a; a = a->NextSiblingElement("DataArray"))
      if (!name || (a->Attribute("Name") && std::strcmp(a->Attribute("Name"), name) == 0)) {
        const char* format = a->Attribute("format");
        if (format && std::strcmp(format, "ascii") != 0)
          throw Error(
              fmt::format("line {}: the numbers are stored as '{}'. Only text is read: write the file with format=\"ascii\".",
                          a->GetLineNum(), format));
        return *a;
      }
    throw Error(fmt::format("line {}: <{}> has no DataArray{}.", above.GetLineNum(), above.Name(),
                            name ? fmt::format(" named '{}'", name) : ""));
  }

  /// Lines are counted from the start of an element: only the line of the element itself is told.
  template <class F>
  auto within(const tinyxml2::XMLElement& of, F f) {
    try {
      return f();
    } catch (const Error& e) {
      throw Error(fmt::format("in the <{}> at line {}: {}", of.Name(), of.GetLineNum(), e.message()));
    }
  }

  std::vector<std::int64_t> integers(const tinyxml2::XMLElement& of) {
    std::vector<std::int64_t> numbers;
    Text text(of.GetText() ? of.GetText() : "");
    for (std::string_view word = text.word(); !word.empty(); word = text.word())
      numbers.push_back(within(of, [&] { return text.to_integer(word, "a whole number"); }));
    return numbers;
  }

  void read_piece(const tinyxml2::XMLElement& piece) {
    const auto first = static_cast<std::int64_t>(result_.vertices.size());
    const tinyxml2::XMLElement& points = array(child(piece, "Points"), nullptr);
    Text text(points.GetText() ? points.GetText() : "");
    Vec3 p;
    int k = 0;
    for (std::string_view word = text.word(); !word.empty(); word = text.word()) {
      p[k++] = within(points, [&] { return text.to_number(word, "a coordinate of a point"); });
      if (k < 3) continue;
      within(points, [&] { result_.add_vertex(p); });
      k = 0;
    }
    if (k != 0) throw Error(fmt::format("line {}: the number of coordinates is not a multiple of 3.", points.GetLineNum()));
    const tinyxml2::XMLElement& cells = child(piece, "Cells");
    std::vector<std::int64_t> connectivity = integers(array(cells, "connectivity"));
    const std::vector<std::int64_t> ends = integers(array(cells, "offsets")), types = integers(array(cells, "types"));
    if (ends.size() != types.size())
      throw Error(
          fmt::format("line {}: there are {} offsets, but {} types of cells.", cells.GetLineNum(), ends.size(), types.size()));
    for (std::int64_t& i : connectivity) i += first;
    std::int64_t start = 0;
    for (std::size_t c = 0; c < ends.size(); start = ends[c++]) {
      if (ends[c] < start || ends[c] > static_cast<std::int64_t>(connectivity.size()))
        throw Error(fmt::format("line {}: {} is not the end of cell {}: there are {} numbers.", cells.GetLineNum(), ends[c], c,
                                connectivity.size()));
      try {
        add_vtk_cell(result_, static_cast<int>(types[c]),
                     {connectivity.data() + start, static_cast<std::size_t>(ends[c] - start)});
      } catch (const Error& e) {
        throw Error(fmt::format("cell {} (counted from 0): {}", c, e.message()));
      }
    }
  }

  tinyxml2::XMLDocument document_;
  Elements result_;
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
  for (std::size_t k = 0; k < corners; ++k) {
    if (points[k] < 0 || points[k] >= static_cast<std::int64_t>(result.vertices.size()))
      throw Error(fmt::format("There is no point {}: there are {}, counted from 0. The file is damaged: get it again.",
                              points[k], result.vertices.size()));
    corner[k] = static_cast<std::uint32_t>(points[k]);
  }
  if (is_tet) result.tetrahedra.push_back(corner);
  else result.triangles.push_back({corner[0], corner[1], corner[2]});
  result.second_order += type == kVtkTet10 || type == kVtkTriangle6;
}

Elements read_vtk(std::string_view bytes) { return VtkReader(bytes).read(); }
Elements read_vtu(std::string_view bytes) { return VtuReader(bytes).read(); }

}   // namespace stickslip::mesh_file
