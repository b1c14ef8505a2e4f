// Wavefront OBJ: vertices, normals, places on pictures, and polygons that refer to them; materials for their colours and
// pictures. Groups, lines and curves are passed over.
#include <fmt/format.h>

#include <cmath>

#include "mesh/files/formats.h"
#include "mesh/files/obj_materials.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

class ObjReader {
 public:
  ObjReader(std::string_view bytes, const std::filesystem::path& folder, Builder& builder)
      : text_(bytes), folder_(folder), builder_(builder) {}

  void read() {
    do {
      const std::string_view word = text_.word_in_line();
      if (word == "v") read_vertex();
      else if (word == "vn" && builder_.wants_look()) read_normal();
      else if (word == "vt" && builder_.wants_look()) read_place();
      else if (word == "mtllib" && builder_.wants_look()) read_materials();
      else if (word == "usemtl" && builder_.wants_look()) use_material();
      else if (word == "f") read_face();
    } while (text_.next_line());
  }

 private:
  void read_vertex() {
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = text_.number_in_line("a coordinate of a vertex");
    if (!p.allFinite()) text_.fail(not_a_point(p));
    builder_.add_vertex(p);
    if (!builder_.wants_look()) return;
    std::array<float, 4> extra = {0, 0, 0, 1};   // a colour, if three numbers follow; a single one is a weight
    int count = 0;
    for (std::string_view word = text_.word_in_line(); !word.empty() && count < 3; word = text_.word_in_line())
      extra[count++] = static_cast<float>(text_.to_number(word, "a colour of a vertex"));
    colour_of_vertex_.push_back(count == 3 ? static_cast<std::int64_t>(builder_.colours.size()) : -1);
    if (count == 3) builder_.colours.push_back(extra);
  }

  void read_place() {
    std::array<float, 2> place = {static_cast<float>(text_.number_in_line("a place on a picture")), 0};
    if (const std::string_view word = text_.word_in_line(); !word.empty())
      place[1] = static_cast<float>(text_.to_number(word, "a place on a picture"));
    builder_.on_picture.push_back(place);
  }

  void read_materials() {
    const std::filesystem::path file = beside(folder_, text_.rest_of_line());
    try {
      const std::string bytes = content(file);
      surfaces_.merge(read_obj_materials(plain_text(bytes), file.parent_path()));
    } catch (const Error&) {
      builder_.add_note(fmt::format("the materials '{}' cannot be read: colours and pictures are missing", file.string()));
    }
  }

  void use_material() {
    const auto found = surfaces_.find(text_.rest_of_line());
    colour_ = begin_surface(builder_, found == surfaces_.end() ? SurfaceLook{} : found->second);
  }

  void read_normal() {
    std::array<float, 3> n;
    for (float& x : n) x = static_cast<float>(text_.number_in_line("a component of a normal"));
    builder_.normals.push_back(n);
  }

  /// Counted from 1, or from the end if negative.
  std::uint64_t index(std::string_view digits, std::size_t count, const char* what) const {
    const std::int64_t given = text_.to_integer(digits, fmt::format("the number of a {}", what));
    const std::int64_t i = given < 0 ? given + static_cast<std::int64_t>(count) : given - 1;
    if (given == 0 || i < 0 || i >= static_cast<std::int64_t>(count))
      text_.fail(
          fmt::format("There is no {} {}: up to here there are {}, counted from 1 (or from −1 backwards). The file is damaged "
                      "or cut off: get it "
                      "again.",
                      what, given, count));
    return static_cast<std::uint64_t>(i);
  }

  void read_face() {
    corners_.clear();
    for (std::string_view word = text_.word_in_line(); !word.empty(); word = text_.word_in_line()) {
      if (word == "\\") {   // goes on in the next line
        text_.next_line();
        continue;
      }
      const std::size_t slash = word.find('/'), second = slash == word.npos ? slash : word.find('/', slash + 1);
      Corner corner;
      corner.vertex = static_cast<std::uint32_t>(index(word.substr(0, slash), builder_.vertices.size(), "vertex"));
      if (builder_.wants_look()) {
        if (second != word.npos && second + 1 < word.size())
          corner.normal = static_cast<std::int64_t>(index(word.substr(second + 1), builder_.normals.size(), "normal"));
        if (slash != word.npos && slash + 1 < word.size() && second != slash + 1)
          corner.on_picture =
              static_cast<std::int64_t>(index(word.substr(slash + 1, second == word.npos ? second : second - slash - 1),
                                              builder_.on_picture.size(), "place on a picture"));
        corner.colour = colour_of_vertex_[corner.vertex] >= 0 ? colour_of_vertex_[corner.vertex] : colour_;
      }
      corners_.push_back(corner);
    }
    if (corners_.size() < 3) text_.fail(fmt::format("A face has {} corners. It needs at least 3.", corners_.size()));
    try {
      builder_.add_polygon(corners_);
    } catch (const Error& e) {
      text_.fail(e.message());
    }
  }

  Text text_;
  std::filesystem::path folder_;
  Builder& builder_;
  std::vector<Corner> corners_;
  std::vector<std::int64_t> colour_of_vertex_;   ///< number of its colour, −1: none
  std::map<std::string, SurfaceLook, std::less<>> surfaces_;
  std::int64_t colour_ = -1;   ///< of the material in use
};

}   // namespace

void read_obj(std::string_view bytes, const std::filesystem::path& folder, Builder& builder) {
  ObjReader(bytes, folder, builder).read();
}

}   // namespace stickslip::mesh_file
