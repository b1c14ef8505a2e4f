// Gmsh .msh: versions 2.2 and 4.1, text and binary.
#include <fmt/format.h>

#include <unordered_map>

#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

constexpr int kMshTriangle = 2, kMshTet = 4, kMshTriangle6 = 9, kMshTet10 = 11;

/// Nodes of an element, by its number in Gmsh; 0 for kinds that are not known.
int msh_nodes(std::int64_t type) {
  constexpr int kNodes[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                            8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  return type >= 1 && type < static_cast<std::int64_t>(std::size(kNodes)) ? kNodes[type] : 0;
}

class MshReader {
 public:
  explicit MshReader(std::string_view bytes) : text_(bytes) {}

  Elements read() {
    if (text_.word() != "$MeshFormat") text_.fail("This is no Gmsh file: the first word must be $MeshFormat.");
    version_ = text_.number("the version");
    is_binary_ = text_.integer("the kind of file") != 0;
    if (text_.integer("the size of a number") != 8 && is_binary_)
      text_.fail("Binary files are read whose numbers have 8 bytes: export as text (Mesh.Binary = 0).");
    if (version_ != 2.2 && version_ != 4.1)
      text_.fail(
          fmt::format("This is version {} of the format. Versions 2.2 and 4.1 are read: export as one of them.", version_));
    if (is_binary_) check_byte_order();
    for (std::string_view word = text_.word(); !word.empty();) {
      if (word == "$Nodes") version_ < 3 ? read_nodes_2() : read_nodes_4();
      else if (word == "$Elements") version_ < 3 ? read_elements_2() : read_elements_4();
      else if (word.starts_with("$") && !word.starts_with("$End")) skip_section(word);
      word = text_.word();
    }
    if (!has_nodes_) throw Error("The file ends without $Nodes. It is cut off: get it again.");
    if (!has_elements_) throw Error("The file ends without $Elements. It is cut off: get it again.");
    return std::move(result_);
  }

 private:
  void skip_section(std::string_view name) {
    const std::string end = "$End" + std::string(name.substr(1));
    const std::size_t at = text_.all().find(end, text_.position());
    if (at == std::string_view::npos) text_.fail(fmt::format("{} does not end. The file is cut off: get it again.", name));
    text_.move_to(at + end.size());
  }

  void check_byte_order() {
    text_.next_line();
    if (text_.raw<std::int32_t>() != 1)
      text_.fail("The numbers have their bytes in the other order. Export as text (Mesh.Binary = 0).");
  }

  /// A whole number of version 4: 4 bytes for kinds and dimensions, 8 for counts and tags.
  template <class T>
  std::int64_t whole(std::string_view what) {
    return is_binary_ ? static_cast<std::int64_t>(text_.raw<T>()) : text_.integer(what);
  }
  std::uint64_t count_4(std::string_view what) {
    return is_binary_ ? text_.checked_count(text_.raw<std::int64_t>(), what) : text_.count(what);
  }

  void add_node(std::int64_t tag, const Vec3& p) {
    if (!p.allFinite()) text_.fail(fmt::format("node {}: {}", tag, not_a_point(p)));
    if (!node_.emplace(tag, static_cast<std::uint32_t>(result_.vertices.size())).second)
      text_.fail(fmt::format("Node {} stands there twice.", tag));
    result_.add_vertex(p);
  }

  Vec3 point() {
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = is_binary_ ? text_.raw<double>() : text_.number("a coordinate of a node");
    return p;
  }

  void read_nodes_2() {
    has_nodes_ = true;
    const std::uint64_t count = text_.count("nodes");
    if (is_binary_) text_.next_line();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t tag = is_binary_ ? text_.raw<std::int32_t>() : text_.integer("the number of a node");
      add_node(tag, point());
    }
  }

  void read_nodes_4() {
    has_nodes_ = true;
    if (is_binary_) text_.next_line();
    const std::uint64_t blocks = count_4("blocks of nodes");
    for (int k = 0; k < 3; ++k) whole<std::int64_t>("a number of nodes");
    std::vector<std::int64_t> tags;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      whole<std::int32_t>("the dimension of an entity"), whole<std::int32_t>("the number of an entity");
      const bool is_parametric = whole<std::int32_t>("whether a block is parametric") != 0;
      if (is_parametric) text_.fail("Parametric nodes are not read. Export with Mesh.SaveParametric = 0.");
      tags.resize(count_4("nodes of a block"));
      for (std::int64_t& tag : tags) tag = whole<std::int64_t>("the number of a node");
      for (const std::int64_t tag : tags) add_node(tag, point());
    }
  }

  void add_element(std::int64_t type, const std::int64_t* tags) {
    const bool is_tet = type == kMshTet || type == kMshTet10, is_triangle = type == kMshTriangle || type == kMshTriangle6;
    if (!is_tet && !is_triangle) {
      ++result_.others;
      return;
    }
    std::array<std::uint32_t, 4> corner{};
    for (int k = 0; k < (is_tet ? 4 : 3); ++k) {
      const auto found = node_.find(tags[k]);
      if (found == node_.end())
        text_.fail(fmt::format("There is no node {}: there are {}. The file is damaged: get it again.", tags[k], node_.size()));
      corner[k] = found->second;
    }
    if (is_tet) result_.tetrahedra.push_back(corner);
    else result_.triangles.push_back({corner[0], corner[1], corner[2]});
    result_.second_order += type == kMshTet10 || type == kMshTriangle6;
  }

  int checked_nodes(std::int64_t type) {
    const int nodes = msh_nodes(type);
    if (nodes == 0) text_.fail(fmt::format("Elements of kind {} are not known. Export triangles or tetrahedra.", type));
    return nodes;
  }

  void read_elements_2() {
    has_elements_ = true;
    const std::uint64_t count = text_.count("elements");
    std::vector<std::int64_t> tags;
    if (!is_binary_) {
      for (std::uint64_t i = 0; i < count; ++i) {
        text_.integer("the number of an element");
        const std::int64_t type = text_.integer("the kind of an element");
        const std::uint64_t labels = text_.count("labels of an element");
        for (std::uint64_t k = 0; k < labels; ++k) text_.integer("a label of an element");
        tags.resize(static_cast<std::size_t>(checked_nodes(type)));
        for (std::int64_t& tag : tags) tag = text_.integer("a node of an element");
        add_element(type, tags.data());
      }
      return;
    }
    text_.next_line();
    for (std::uint64_t i = 0; i < count;) {
      const std::int32_t type = text_.raw<std::int32_t>(), following = text_.raw<std::int32_t>(),
                         labels = text_.raw<std::int32_t>();
      if (following <= 0 || labels < 0)
        throw Error(fmt::format("element {}: a block of {} elements with {} labels. The file is damaged: get it again.", i,
                                following, labels));
      tags.resize(static_cast<std::size_t>(checked_nodes(type)));
      for (std::int32_t e = 0; e < following; ++e, ++i) {
        for (std::int32_t k = 0; k <= labels; ++k) text_.raw<std::int32_t>();
        for (std::int64_t& tag : tags) tag = text_.raw<std::int32_t>();
        add_element(type, tags.data());
      }
    }
  }

  void read_elements_4() {
    has_elements_ = true;
    if (is_binary_) text_.next_line();
    const std::uint64_t blocks = count_4("blocks of elements");
    for (int k = 0; k < 3; ++k) whole<std::int64_t>("a number of elements");
    std::vector<std::int64_t> tags;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      whole<std::int32_t>("the dimension of an entity"), whole<std::int32_t>("the number of an entity");
      const std::int64_t type = whole<std::int32_t>("the kind of an element");
      tags.resize(static_cast<std::size_t>(checked_nodes(type)));
      const std::uint64_t count = count_4("elements of a block");
      for (std::uint64_t i = 0; i < count; ++i) {
        whole<std::int64_t>("the number of an element");
        for (std::int64_t& tag : tags) tag = whole<std::int64_t>("a node of an element");
        add_element(type, tags.data());
      }
    }
  }

  Text text_;
  Elements result_;
  std::unordered_map<std::int64_t, std::uint32_t> node_;
  double version_ = 0;
  bool is_binary_ = false, has_nodes_ = false, has_elements_ = false;
};

}   // namespace

Elements read_msh(std::string_view bytes) { return MshReader(bytes).read(); }

}   // namespace stickslip::mesh_file
