// COLLADA (.dae): geometries placed by a graph of nodes. Read here and not through Assimp, which does not come back from some
// damaged files.
#include <fmt/format.h>
#include <cmath>
#include <numbers>

#include "mesh/files/collada_look.h"
#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

using Affine = Eigen::Affine3d;

constexpr int kDeepestXml = 200;
constexpr std::size_t kMostNodes = 1'000'000;

[[noreturn]] void fail_at(const Xml& element, const std::string& message) {
  throw Error(fmt::format("line {}, <{}>: {}", element.GetLineNum(), element.Name(), message));
}

template <class Number, class Convert>
std::vector<Number> numbers_of(const Xml& element, Convert convert) {
  std::vector<Number> numbers;
  Text text(element.GetText() ? element.GetText() : "");
  for (std::string_view word = text.word(); !word.empty(); word = text.word()) {
    try {
      numbers.push_back(convert(text, word));
    } catch (const Error&) {
      fail_at(element, fmt::format("'{}' is not a number.", std::string(word.substr(0, 30))));
    }
  }
  return numbers;
}
std::vector<double> reals(const Xml& element) {
  return numbers_of<double>(element, [](const Text& text, std::string_view word) { return text.to_number(word, "a number"); });
}
std::vector<std::int64_t> wholes(const Xml& element) {
  return numbers_of<std::int64_t>(
      element, [](const Text& text, std::string_view word) { return text.to_integer(word, "a whole number"); });
}

class ColladaReader {
 public:
  ColladaReader(std::string_view bytes, const std::filesystem::path& folder, const MeshFileOptions& options, Builder& builder)
      : folder_(folder), options_(options), builder_(builder) {
    if (document_.Parse(bytes.data(), bytes.size()) != tinyxml2::XML_SUCCESS)
      throw Error(fmt::format("line {}: this is not XML ({}). The file is cut off or damaged: get it again.",
                              document_.ErrorLineNum(), tinyxml2::XMLDocument::ErrorIDToName(document_.ErrorID())));
    const Xml* root = document_.RootElement();
    if (!root || !is_named(*root, "COLLADA")) throw Error("This is no COLLADA file: its outermost element must be <COLLADA>.");
    root_ = root;
    collect_ids(*root, 0);
  }

  UpAxis read() {
    Affine start = Affine::Identity();
    UpAxis up = UpAxis::y;
    if (const Xml* asset = root_->FirstChildElement("asset")) {
      if (const Xml* unit = asset->FirstChildElement("unit")) start.scale(unit->DoubleAttribute("meter", 1));
      if (const Xml* axis = asset->FirstChildElement("up_axis"); axis && axis->GetText()) {
        const std::string_view word = Text(axis->GetText()).word();
        if (word == "Z_UP") up = UpAxis::z;
        // x up: turned about z into y up.
        if (word == "X_UP" && !options_.up) start.rotate(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
      }
    }
    const Xml* scene = root_->FirstChildElement("scene");
    const Xml* wanted = scene ? scene->FirstChildElement("instance_visual_scene") : nullptr;
    if (wanted) add_children(target(*wanted, "url", "visual_scene"), start, 0);
    else add_all(start);
    return up;
  }

 private:
  void collect_ids(const Xml& element, int depth) {
    if (depth > kDeepestXml)
      fail_at(element, fmt::format("elements are nested deeper than {}. The file is damaged: get it again.", kDeepestXml));
    if (const char* id = element.Attribute("id")) ids_.emplace(id, &element);
    for (const Xml* child = element.FirstChildElement(); child; child = child->NextSiblingElement())
      collect_ids(*child, depth + 1);
  }

  /// The element that an attribute "#id" names.
  const Xml& target(const Xml& element, const char* name, const char* kind) const {
    const std::string_view reference = attribute(element, name);
    const auto found = ids_.find(reference.substr(reference.starts_with('#') ? 1 : 0));
    if (found == ids_.end() || !is_named(*found->second, kind))
      fail_at(element, fmt::format("{}=\"{}\": there is no <{}> of this name. The file is damaged: get it again.", name,
                                   reference, kind));
    return *found->second;
  }

  /// A file without a scene: every geometry once.
  void add_all(const Affine& placed) {
    for (const Xml* library = root_->FirstChildElement("library_geometries"); library;
         library = library->NextSiblingElement("library_geometries"))
      for (const Xml* geometry = library->FirstChildElement("geometry"); geometry;
           geometry = geometry->NextSiblingElement("geometry"))
        add_geometry(*geometry, placed, nullptr);
  }

  static Affine transformation(const Xml& element) {
    Affine t = Affine::Identity();
    const auto needs = [&](const std::vector<double>& n, std::size_t count) {
      if (n.size() != count) fail_at(element, fmt::format("it has {} numbers, but needs {}.", n.size(), count));
    };
    const std::vector<double> n = reals(element);
    if (is_named(element, "translate")) needs(n, 3), t.translate(Vec3(n[0], n[1], n[2]));
    if (is_named(element, "scale")) needs(n, 3), t.scale(Vec3(n[0], n[1], n[2]));
    if (is_named(element, "rotate")) {
      needs(n, 4);
      const Vec3 axis(n[0], n[1], n[2]);
      if (axis.norm() > 0) t.rotate(Eigen::AngleAxisd(n[3] * std::numbers::pi / 180, axis.normalized()));
    }
    if (is_named(element, "matrix")) {
      needs(n, 16);
      for (int i = 0; i < 12; ++i) t.matrix()(i / 4, i % 4) = n[i];
    }
    return t;
  }

  void add_children(const Xml& parent, const Affine& above, int depth) {
    if (depth > kDeepestXml || ++nodes_ > kMostNodes)
      fail_at(parent, "the graph of nodes is too deep or too large, or holds itself. The file is damaged.");
    Affine placed = above;
    for (const Xml* child = parent.FirstChildElement(); child; child = child->NextSiblingElement()) {
      const bool moves = is_named(*child, "translate") || is_named(*child, "rotate") || is_named(*child, "scale") ||
                         is_named(*child, "matrix");
      if (moves) placed = placed * transformation(*child);
      else if (is_named(*child, "node")) add_children(*child, placed, depth + 1);
      else if (is_named(*child, "instance_node")) add_children(target(*child, "url", "node"), placed, depth + 1);
      else if (is_named(*child, "instance_geometry")) add_geometry(target(*child, "url", "geometry"), placed, child);
      else if (is_named(*child, "instance_controller")) add_skin(target(*child, "url", "controller"), placed, *child);
    }
  }

  /// A skin in the pose that it was bound in.
  void add_skin(const Xml& controller, const Affine& placed, const Xml& instance) {
    const Xml* skin = controller.FirstChildElement("skin");
    if (skin) add_geometry(target(*skin, "source", "geometry"), placed, &instance);
  }

  struct Input {
    std::size_t offset = 0;
    const Xml* source = nullptr;
  };

  struct Source {
    std::vector<double> numbers;
    std::size_t stride = 3;
    std::size_t count() const { return numbers.size() / stride; }
    const double* at(std::size_t i) const { return numbers.data() + i * stride; }
  };

  /// @param least numbers of a point
  static Source source_of(const Xml& element, std::size_t least = 3) {
    const Xml* array = element.FirstChildElement("float_array");
    if (!array) fail_at(element, "it has no <float_array>.");
    Source source;
    source.numbers = reals(*array);
    if (const Xml* common = element.FirstChildElement("technique_common"))
      if (const Xml* accessor = common->FirstChildElement("accessor"))
        source.stride = accessor->UnsignedAttribute("stride", static_cast<unsigned>(least));
    if (source.stride < least || source.stride > 64)
      fail_at(element, fmt::format("its stride is {}. Points have {} numbers.", source.stride, least));
    return source;
  }

  /// @param instance that puts it into the scene, with its materials; may be null
  void add_geometry(const Xml& geometry, const Affine& placed, const Xml* instance) {
    const Xml* mesh = geometry.FirstChildElement("mesh");
    if (!mesh) return;   // splines
    std::map<const Xml*, std::uint32_t> first_vertex;
    for (const Xml* p = mesh->FirstChildElement(); p; p = p->NextSiblingElement())
      for (const char* kind : {"triangles", "polylist", "polygons", "trifans", "tristrips"})
        if (is_named(*p, kind)) add_primitives(*p, placed, instance, first_vertex);
  }

  std::uint32_t add_positions(const Xml& vertices, const Affine& placed, std::map<const Xml*, std::uint32_t>& first_vertex,
                              std::size_t& count) {
    const Xml* position = nullptr;
    for (const Xml* input = vertices.FirstChildElement("input"); input; input = input->NextSiblingElement("input"))
      if (attribute(*input, "semantic") == "POSITION") position = &target(*input, "source", "source");
    if (!position) fail_at(vertices, "it has no input POSITION.");
    const Source source = source_of(*position);
    count = source.count();
    const auto [entry, is_new] = first_vertex.try_emplace(position, static_cast<std::uint32_t>(builder_.vertices.size()));
    for (std::size_t i = 0; is_new && i < count; ++i) {
      const Vec3 p = placed * Vec3(source.at(i)[0], source.at(i)[1], source.at(i)[2]);
      if (!p.allFinite()) fail_at(*position, fmt::format("vertex {} (counted from 0): {}", i, not_a_point(p)));
      builder_.add_vertex(p);
    }
    return entry->second;
  }

  struct Inputs {
    Input vertex, normal, on_picture;
    std::size_t stride = 1;
  };

  Inputs inputs_of(const Xml& element) const {
    Inputs inputs;
    for (const Xml* input = element.FirstChildElement("input"); input; input = input->NextSiblingElement("input")) {
      const std::size_t offset = input->UnsignedAttribute("offset", 0);
      if (offset > 64) fail_at(*input, fmt::format("its offset is {}.", offset));
      inputs.stride = std::max(inputs.stride, offset + 1);
      const std::string_view semantic = attribute(*input, "semantic");
      if (semantic == "VERTEX") inputs.vertex = {offset, &target(*input, "source", "vertices")};
      if (!builder_.wants_look()) continue;
      if (semantic == "NORMAL") inputs.normal = {offset, &target(*input, "source", "source")};
      if (semantic == "TEXCOORD" && !inputs.on_picture.source)
        inputs.on_picture = {offset, &target(*input, "source", "source")};
    }
    return inputs;
  }

  /// @returns their number
  std::size_t add_normals(const Xml* from, const Affine& placed) {
    if (!from) return 0;
    const Source source = source_of(*from);
    const Mat3 turned = placed.linear().inverse().transpose();
    for (std::size_t i = 0; i < source.count(); ++i) {
      const Vec3 n = (turned * Vec3(source.at(i)[0], source.at(i)[1], source.at(i)[2])).stableNormalized();
      builder_.normals.push_back({static_cast<float>(n.x()), static_cast<float>(n.y()), static_cast<float>(n.z())});
    }
    return source.count();
  }

  /// The same for places on a picture.
  std::size_t add_places(const Xml* from) {
    if (!from || builder_.picture == 0) return 0;
    const Source source = source_of(*from, 2);
    for (std::size_t i = 0; i < source.count(); ++i)
      builder_.on_picture.push_back({static_cast<float>(source.at(i)[0]), static_cast<float>(source.at(i)[1])});
    return source.count();
  }

  void add_primitives(const Xml& element, const Affine& placed, const Xml* instance,
                      std::map<const Xml*, std::uint32_t>& first_vertex) {
    const Inputs inputs = inputs_of(element);
    if (!inputs.vertex.source) return;   // nothing to draw
    std::size_t count = 0;
    const std::uint32_t first = add_positions(*inputs.vertex.source, placed, first_vertex, count);
    const std::int64_t colour =
        builder_.wants_look() ? begin_surface(builder_, collada_look(ids_, instance, attribute(element, "material"), folder_))
                              : -1;
    const auto first_normal = static_cast<std::int64_t>(builder_.normals.size());
    const auto first_place = static_cast<std::int64_t>(builder_.on_picture.size());
    const std::size_t normals = add_normals(inputs.normal.source, placed), places = add_places(inputs.on_picture.source);
    const auto corner = [&](const std::vector<std::int64_t>& p, std::size_t k) {
      const std::int64_t v = p[k * inputs.stride + inputs.vertex.offset];
      if (v < 0 || v >= static_cast<std::int64_t>(count))
        fail_at(element, fmt::format("there is no vertex {}: there are {}, counted from 0. The file is damaged: get it again.",
                                     v, count));
      const auto find = [&](const Input& input, std::int64_t start, std::size_t size) -> std::int64_t {
        const std::int64_t i = p[k * inputs.stride + input.offset];
        return size > 0 && i >= 0 && i < static_cast<std::int64_t>(size) ? start + i : -1;
      };
      return Corner{first + static_cast<std::uint32_t>(v), find(inputs.normal, first_normal, normals), colour,
                    find(inputs.on_picture, first_place, places)};
    };
    add_polygons(element, inputs.stride, corner);
  }

  template <class MakeCorner>
  void add_polygons(const Xml& element, std::size_t stride, MakeCorner corner) {
    std::vector<std::int64_t> sizes;
    if (const Xml* vcount = element.FirstChildElement("vcount")) sizes = wholes(*vcount);
    std::vector<Corner> corners;
    for (const Xml* list = element.FirstChildElement("p"); list; list = list->NextSiblingElement("p")) {
      const std::vector<std::int64_t> p = wholes(*list);
      const std::size_t count = p.size() / stride;
      corners.clear();
      for (std::size_t k = 0; k < count; ++k) corners.push_back(corner(p, k));
      if (is_named(element, "triangles")) {
        for (std::size_t k = 0; k + 2 < count; k += 3) builder_.add_triangle(corners[k], corners[k + 1], corners[k + 2]);
      } else if (is_named(element, "tristrips")) {
        for (std::size_t k = 0; k + 2 < count; ++k)
          builder_.add_triangle(corners[k], corners[k + 1 + k % 2], corners[k + 2 - k % 2]);
      } else if (is_named(element, "trifans")) {
        for (std::size_t k = 1; k + 1 < count; ++k) builder_.add_triangle(corners[0], corners[k], corners[k + 1]);
      } else if (is_named(element, "polygons")) {
        builder_.add_polygon(corners);
      } else {
        add_polylist(*list, sizes, corners);
      }
    }
  }

  void add_polylist(const Xml& list, const std::vector<std::int64_t>& sizes, const std::vector<Corner>& corners) {
    std::size_t at = 0;
    for (const std::int64_t size : sizes) {
      if (size < 0 || static_cast<std::size_t>(size) > corners.size() - at)
        fail_at(list,
                fmt::format("a polygon of {} corners goes beyond the {} that are there. The file is damaged: get it again.",
                            size, corners.size()));
      builder_.add_polygon(std::span(corners).subspan(at, static_cast<std::size_t>(size)));
      at += static_cast<std::size_t>(size);
    }
  }

  std::filesystem::path folder_;
  const MeshFileOptions& options_;
  Builder& builder_;
  tinyxml2::XMLDocument document_;
  const Xml* root_ = nullptr;
  XmlIds ids_;
  std::size_t nodes_ = 0;
};

}   // namespace

UpAxis read_collada(std::string_view bytes, const std::filesystem::path& folder, const MeshFileOptions& options,
                    Builder& builder) {
  return ColladaReader(bytes, folder, options, builder).read();
}

}   // namespace stickslip::mesh_file
