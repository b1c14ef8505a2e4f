// VTK: XML files of unstructured grids.
#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "mesh/files/formats.h"
#include "mesh/files/vtu_numbers.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

/// A file may have bytes behind its elements that are no XML.
struct VtuParts {
  std::string xml;
  std::string_view appended;
  bool is_raw = false;
};

VtuParts parts_of(std::string_view bytes) {
  const std::size_t tag = bytes.find("<AppendedData"), end = bytes.find('>', tag), start = bytes.find('_', end);
  if (tag == bytes.npos || end == bytes.npos || start == bytes.npos) return {std::string(bytes), {}};
  VtuParts parts{std::string(bytes.substr(0, tag)) + "</VTKFile>", bytes.substr(start + 1)};
  parts.is_raw = bytes.substr(tag, end - tag).find("raw") != bytes.npos;
  return parts;
}

class VtuReader {
 public:
  explicit VtuReader(std::string_view bytes) : parts_(parts_of(bytes)) {
    if (document_.Parse(parts_.xml.data(), parts_.xml.size()) != tinyxml2::XML_SUCCESS)
      throw Error(fmt::format("line {}: this is not XML ({}). The file is cut off or damaged: get it again.",
                              document_.ErrorLineNum(), tinyxml2::XMLDocument::ErrorIDToName(document_.ErrorID())));
  }

  Elements read() {
    const tinyxml2::XMLElement* root = document_.RootElement();
    if (!root || std::strcmp(root->Name(), "VTKFile") != 0)
      throw Error("This is no VTK file: its outermost element must be <VTKFile>.");
    numbers_.emplace(*root, parts_.appended, parts_.is_raw);
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
      if (!name || (a->Attribute("Name") && std::strcmp(a->Attribute("Name"), name) == 0)) return *a;
    throw Error(fmt::format("line {}: <{}> has no DataArray{}.", above.GetLineNum(), above.Name(),
                            name ? fmt::format(" named '{}'", name) : ""));
  }

  void read_piece(const tinyxml2::XMLElement& piece) {
    const auto first = static_cast<std::int64_t>(result_.vertices.size());
    const tinyxml2::XMLElement& points = array(child(piece, "Points"), nullptr);
    const std::vector<double> places = numbers_->reals(points);
    if (places.size() % 3 != 0)
      throw Error(fmt::format("line {}: the number of coordinates is not a multiple of 3.", points.GetLineNum()));
    for (std::size_t i = 0; i < places.size(); i += 3) {
      const Vec3 p(places[i], places[i + 1], places[i + 2]);
      if (!p.allFinite()) throw Error(fmt::format("in the <DataArray> at line {}: {}", points.GetLineNum(), not_a_point(p)));
      result_.add_vertex(p);
    }
    const tinyxml2::XMLElement& cells = child(piece, "Cells");
    std::vector<std::int64_t> connectivity = numbers_->integers(array(cells, "connectivity"));
    const std::vector<std::int64_t> ends = numbers_->integers(array(cells, "offsets")),
                                    types = numbers_->integers(array(cells, "types"));
    if (ends.size() != types.size())
      throw Error(
          fmt::format("line {}: there are {} offsets, but {} types of cells.", cells.GetLineNum(), ends.size(), types.size()));
    for (std::int64_t& i : connectivity)
      if (i >= 0 && i < std::int64_t{1} << 62) i += first;   // what is out of range is refused below
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

  VtuParts parts_;
  tinyxml2::XMLDocument document_;
  std::optional<VtuNumbers> numbers_;
  Elements result_;
};

}   // namespace

Elements read_vtu(std::string_view bytes) { return VtuReader(bytes).read(); }

}   // namespace stickslip::mesh_file
