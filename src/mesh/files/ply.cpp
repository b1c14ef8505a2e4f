// PLY: a header that names elements and their properties, then the elements as text or binary of either byte order.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

enum class PlyType { i8, u8, i16, u16, i32, u32, f32, f64 };
constexpr std::size_t kPlySize[] = {1, 1, 2, 2, 4, 4, 4, 8};

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::f32, count_type = PlyType::u8;
  bool is_list = false;
};
struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  /// Place of a property among those of its element, −1 if it is not there.
  int find(std::string_view wanted) const {
    for (std::size_t i = 0; i < properties.size(); ++i)
      if (properties[i].name == wanted) return static_cast<int>(i);
    return -1;
  }
};

class PlyReader {
 public:
  PlyReader(std::string_view bytes, Builder& builder) : text_(bytes), builder_(builder) {}

  void read() {
    read_header();
    at_ = text_.position();
    for (const PlyElement& element : elements_) {
      element_ = &element;
      if (element.name == "vertex") read_vertices(element);
      else if (element.name == "face") read_faces(element);
      else
        for (index_ = 0; index_ < element.count; ++index_) read_values(element);
    }
  }

 private:
  PlyType type(std::string_view name) {
    static constexpr std::pair<std::string_view, PlyType> kNames[] = {
        {"char", PlyType::i8},   {"int8", PlyType::i8},     {"uchar", PlyType::u8},   {"uint8", PlyType::u8},
        {"short", PlyType::i16}, {"int16", PlyType::i16},   {"ushort", PlyType::u16}, {"uint16", PlyType::u16},
        {"int", PlyType::i32},   {"int32", PlyType::i32},   {"uint", PlyType::u32},   {"uint32", PlyType::u32},
        {"float", PlyType::f32}, {"float32", PlyType::f32}, {"double", PlyType::f64}, {"float64", PlyType::f64}};
    for (const auto& [known, is] : kNames)
      if (name == known) return is;
    text_.fail("A property has a type that PLY does not know. Valid are char, uchar, short, ushort, int, uint, float, double.");
  }

  void read_header() {
    if (text_.word() != "ply") text_.fail("This is no PLY: the first word must be 'ply'.");
    for (std::string_view word = text_.word(); word != "end_header"; word = text_.word()) {
      if (word.empty()) text_.fail("The file ends within its header. It is cut off: get it again.");
      if (word == "format") {
        const std::string_view format = text_.word();
        is_text_ = format == "ascii";
        is_swapped_ = format == "binary_big_endian";
        if (!is_text_ && !is_swapped_ && format != "binary_little_endian")
          text_.fail("This format is unknown. Valid are ascii, binary_little_endian, binary_big_endian.");
      } else if (word == "element") {
        PlyElement element;
        element.name = text_.word();
        element.count = text_.count("elements");
        elements_.push_back(std::move(element));
      } else if (word == "property") {
        if (elements_.empty()) text_.fail("A property stands before the first element.");
        PlyProperty p;
        std::string_view name = text_.word();
        p.is_list = name == "list";
        if (p.is_list) p.count_type = type(text_.word()), name = text_.word();
        p.type = type(name);
        p.name = text_.word();
        elements_.back().properties.push_back(std::move(p));
      }
      text_.next_line();
    }
    text_.next_line();
  }

  [[noreturn]] void fail(const std::string& message) const {
    if (is_text_) text_.fail(message);
    throw Error(fmt::format("{} {} (counted from 0): {}", element_->name, index_, message));
  }

  double value(PlyType type) {
    if (is_text_) return text_.number("a value");
    const std::size_t size = kPlySize[static_cast<int>(type)];
    if (text_.all().size() - at_ < size)
      fail(fmt::format("The file ends here, though its header says {}. It is cut off: get it again.", element_->count));
    char bytes[8] = {};
    const bool is_reversed = is_swapped_ == (std::endian::native == std::endian::little);
    for (std::size_t k = 0; k < size; ++k) bytes[k] = text_.all()[at_ + (is_reversed ? size - 1 - k : k)];
    at_ += size;
    const auto as = [&](auto number) {
      std::memcpy(&number, bytes, sizeof number);
      return static_cast<double>(number);
    };
    switch (type) {
      case PlyType::i8:
        return as(std::int8_t{});
      case PlyType::u8:
        return as(std::uint8_t{});
      case PlyType::i16:
        return as(std::int16_t{});
      case PlyType::u16:
        return as(std::uint16_t{});
      case PlyType::i32:
        return as(std::int32_t{});
      case PlyType::u32:
        return as(std::uint32_t{});
      case PlyType::f32:
        return as(float{});
      case PlyType::f64:
        break;
    }
    return as(double{});
  }

  /// Values of one element: scalars in `scalars_` by property, the entries of the list that is wanted in `list_`.
  void read_values(const PlyElement& element, int wanted_list = -1) {
    scalars_.assign(element.properties.size(), 0);
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const PlyProperty& p = element.properties[i];
      if (!p.is_list) {
        scalars_[i] = value(p.type);
        continue;
      }
      const double count = value(p.count_type);
      if (!(count >= 0 && count <= static_cast<double>(text_.all().size()) && count == std::floor(count)))
        fail(fmt::format("{} is not a number of entries. The file is damaged: get it again.", count));
      if (static_cast<int>(i) == wanted_list) list_.clear();
      for (double k = 0; k < count; ++k) {
        const double entry = value(p.type);
        if (static_cast<int>(i) == wanted_list) list_.push_back(entry);
      }
    }
  }

  void read_vertices(const PlyElement& element) {
    const int at[3] = {element.find("x"), element.find("y"), element.find("z")};
    const int normal[3] = {element.find("nx"), element.find("ny"), element.find("nz")};
    const int colour[4] = {element.find("red"), element.find("green"), element.find("blue"), element.find("alpha")};
    if (std::min({at[0], at[1], at[2]}) < 0) throw Error("The vertices of the PLY file have no properties x, y and z.");
    has_normals_ = builder_.wants_look() && std::min({normal[0], normal[1], normal[2]}) >= 0;
    has_colours_ = builder_.wants_look() && std::min({colour[0], colour[1], colour[2]}) >= 0;
    for (index_ = 0; index_ < element.count; ++index_) {
      read_values(element);
      const Vec3 p(scalars_[at[0]], scalars_[at[1]], scalars_[at[2]]);
      if (!p.allFinite()) fail(not_a_point(p));
      builder_.add_vertex(p);
      if (has_normals_)
        builder_.normals.push_back({static_cast<float>(scalars_[normal[0]]), static_cast<float>(scalars_[normal[1]]),
                                    static_cast<float>(scalars_[normal[2]])});
      if (has_colours_) {
        std::array<float, 4> c = {0, 0, 0, 1};
        for (int k = 0; k < 4; ++k)
          if (colour[k] >= 0)
            c[k] = static_cast<float>(scalars_[colour[k]] / (element.properties[colour[k]].type == PlyType::u8 ? 255 : 1));
        builder_.colours.push_back(c);
      }
    }
  }

  void read_faces(const PlyElement& element) {
    const int list = std::max(element.find("vertex_indices"), element.find("vertex_index"));
    if (list < 0 || !element.properties[static_cast<std::size_t>(list)].is_list)
      throw Error("The faces of the PLY file have no list vertex_indices.");
    std::vector<Corner> corners;
    for (index_ = 0; index_ < element.count; ++index_) {
      read_values(element, list);
      corners.clear();
      for (const double i : list_) {
        if (!(i >= 0 && i < static_cast<double>(builder_.vertices.size()) && i == std::floor(i)))
          fail(fmt::format("There is no vertex {}: there are {}, counted from 0. The file is damaged: get it again.", i,
                           builder_.vertices.size()));
        Corner corner{static_cast<std::uint32_t>(i)};
        if (has_normals_) corner.normal = corner.vertex;
        if (has_colours_) corner.colour = corner.vertex;
        corners.push_back(corner);
      }
      try {
        builder_.add_polygon(corners);
      } catch (const Error& e) {
        fail(e.message());
      }
    }
  }

  Text text_;
  Builder& builder_;
  std::vector<PlyElement> elements_;
  const PlyElement* element_ = nullptr;
  std::uint64_t index_ = 0;
  std::size_t at_ = 0;   ///< of the next byte of a binary file
  bool is_text_ = true, is_swapped_ = false, has_normals_ = false, has_colours_ = false;
  std::vector<double> scalars_, list_;
};

}   // namespace

void read_ply(std::string_view bytes, Builder& builder) { PlyReader(bytes, builder).read(); }

}   // namespace stickslip::mesh_file
