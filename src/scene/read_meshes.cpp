#include "scene/read_meshes.h"

#include "scene/make_mesh.h"
#include "scene/read_heights.h"
#include "scene/read_parts.h"
#include "stickslip/mesh/convex_parts.h"
#include "stickslip/mesh/health.h"
#include "stickslip/mesh/read_mesh.h"
#include "stickslip/mesh/repair.h"

namespace stickslip::document {

namespace {

/// With tree, edges and facets a triangle takes about 200 bytes.
constexpr std::size_t kMostTriangles = 20'000'000;

/// The words of an object but for those keys that do not say what is made.
std::string words_of(const Place& place, std::initializer_list<std::string_view> without) {
  Json words = Json::object();
  for (const auto& [key, value] : place.value().items())
    if (std::find(without.begin(), without.end(), key) == without.end()) words[key] = value;
  return words.dump();
}

/// Marks all keys as read: those of an object in the same words were.
void take_all(Fields& fields) {
  for (const auto& [key, value] : fields.place().value().items()) fields.find(key);
}

/// A factor for all axes, or one for each.
void read_scale(const Place& place, MeshFileOptions& options) {
  const bool is_vector = place.value().is_array();
  if (is_vector) read(place, options.stretch);
  else read(place, options.scale);
  if (is_vector ? (options.stretch.array() != 0).all() : options.scale > 0) return;
  place.fail(
      fmt::format("{} is not a scale. Give metres per unit of the file, greater than 0, such as 0.001 for millimetres; or "
                  "three numbers for the axes, none of them 0.",
                  shown(place.value())));
}

ImportedMesh read_mesh_file(Fields& fields, const std::filesystem::path& file) {
  const Place place = fields.get("file");
  MeshFileOptions options;
  options.look = true;
  options.max_elements = kMostTriangles;
  if (const auto scale = fields.find("scale")) read_scale(*scale, options);
  if (const auto up = fields.find("up")) options.up = read_choice(*up, {"y", "z"}) == 0 ? UpAxis::y : UpAxis::z;
  try {
    return read_triangle_mesh(file, options);
  } catch (const Error& e) {
    // Two files are to be named: the scene's name and place come in front of those of the mesh.
    const std::string text = e.what();
    place.fail(e.file().empty() ? fmt::format("{}: {}", file.string(), text) : text);
  }
}

TriangleMesh read_triangles_of(Fields& fields) {
  TriangleMesh mesh;
  read(fields.get("vertices"), mesh.vertices);
  const Place triangles = fields.get("triangles");
  read_triangles(triangles, mesh.triangles, "vertices");
  if (mesh.triangles.size() > kMostTriangles)
    triangles.fail(fmt::format("{} triangles are too many: at most {} are possible. Simplify the mesh first.",
                               mesh.triangles.size(), kMostTriangles));
  return mesh;
}

void mend(Fields& fields, ImportedMesh& mesh) {
  const auto place = fields.find("repair");
  if (!place) return;
  std::string list;
  read(*place, list);
  fields.place().within([&] { repair(mesh.mesh, list); });   // which names the key itself
  mesh.look = {};                                            // it belongs to triangles that may be gone
}

void check_sum(Fields& fields, const MeshSolid& solid) {
  std::string expected;
  if (!fields.optional("checksum", expected)) return;
  const std::string found = checksum_text(solid.checksum());
  if (expected != found)
    fields.get("checksum")
        .fail(fmt::format("The mesh{} has the checksum {}, not {}: it is not the one that this scene was made with. Bring that "
                          "one back, or give the new checksum.",
                          solid.name().empty() ? "" : " '" + solid.name() + "'", found, expected));
}

}   // namespace

SceneMeshes::Made SceneMeshes::make(Fields& fields, std::string name) const {
  const Place& place = fields.place();
  for (const auto& [a, b] : {std::pair{"file", "vertices"}, {"file", "make"}, {"vertices", "make"}}) fields.not_both(a, b);
  ImportedMesh mesh;
  Made made;
  if (const auto file = fields.find("file")) {
    std::string path;
    read(*file, path);
    made.file = folder_ / path;
    if (name.empty()) name = path;
    mesh = read_mesh_file(fields, made.file);
  } else if (fields.find("vertices")) {
    mesh.mesh = read_triangles_of(fields);
  } else if (fields.find("make")) {
    mesh.mesh = make_mesh(place, fields);
  } else {
    place.fail(fmt::format("{} has no triangles. Give a \"file\", \"vertices\" and \"triangles\", or what to \"make\".",
                           fields.what() == "a shape" ? "A mesh" : "This mesh"));
  }
  place.within([&] { validate(mesh.mesh); });
  mend(fields, mesh);
  made.solid = place.within(
      [&] { return std::make_shared<const MeshSolid>(std::move(mesh.mesh), std::move(name), std::move(mesh.look)); });
  return made;
}

SceneMeshes::Made SceneMeshes::define(Fields& fields, std::string name) {
  const std::string words =
      words_of(fields.place(), {"type", "name", "as", "concavity", "max_parts", "checksum", "resolution", "tolerance", "sign"});
  const auto found = made_.find(words);
  const bool is_new = found == made_.end();
  const Made made = is_new ? make(fields, std::move(name)) : found->second;
  check_sum(fields, *made.solid);
  if (is_new) made_.emplace(words, made);
  else take_all(fields);
  return made;
}

SceneMeshes::Made SceneMeshes::find(Fields& fields) {
  const auto place = fields.find("mesh");
  if (!place) return define(fields, "");
  std::string name;
  read(*place, name);
  const auto found = named_.find(name);
  if (found != named_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, made] : named_) names.push_back(known);
  if (names.empty()) place->fail(fmt::format("There is no mesh '{}': the scene has no list of \"meshes\".", name));
  place->fail(fmt::format("There is no mesh '{}'. {}", name, suggest(name, names)));
}

void SceneMeshes::read_list(Fields& document) {
  const auto list = document.find("meshes");
  if (!list) return;
  if (!list->value().is_array()) list->wrong_type("Give an array of meshes.");
  std::size_t index = 0;
  for (const Json& value : list->value())
    read_object(Place(value, *list, std::to_string(index++)), "a mesh", [&](Fields& fields) {
      const auto name = fields.required<std::string>("name");
      if (name.empty() || named_.contains(name))
        fields.get("name").fail(name.empty() ? "A mesh needs a name that is not empty."
                                             : fmt::format("There are two meshes named '{}'. Names must be unique.", name));
      named_.emplace(name, define(fields, name));
    });
}

std::vector<Shape> SceneMeshes::hulls(Fields& fields, const MeshSolid& solid) {
  const bool is_one = read_choice(fields.get("as"), {"hull", "hulls"}) == 0;
  ConvexPartsOptions options;
  int most = static_cast<int>(options.max_parts);
  if (!is_one) {
    fields.optional("concavity", options.concavity);
    fields.optional("max_parts", most);
    if (most < 1) fields.get("max_parts").fail(fmt::format("{} is not a number of parts. Give at least 1.", most));
    options.max_parts = static_cast<std::size_t>(most);
  }
  const std::string words = fmt::format("{} {:016x} {} {}", is_one, solid.checksum(), options.concavity, options.max_parts);
  if (const auto found = shapes_.find(words); found != shapes_.end()) return found->second;
  const Place& place = fields.place();
  std::vector<Shape> shapes;
  if (is_one) {
    shapes.emplace_back(place.within([&] { return make_convex_hull(solid.mesh().vertices); }));
  } else {
    const ConvexParts parts = place.within([&] { return convex_parts(solid.mesh(), options); });
    for (const ConvexPart& part : parts.parts) shapes.emplace_back(part.hull);
    if (!parts.reached)
      warnings_.push_back(
          fmt::format("{}: {} hulls do not cover the mesh as closely as asked for: their concavity is {:.2g}, not "
                      "{:.2g}. Allow more max_parts, or simplify the mesh.",
                      place.pointer(), parts.parts.size(), parts.worst, options.concavity));
  }
  shapes_.emplace(words, shapes);
  return shapes;
}

std::vector<Shape> SceneMeshes::read_mesh(Fields& fields) {
  const Made made = find(fields);
  if (fields.find("as")) return hulls(fields, *made.solid);
  return {Mesh{made.solid}};
}

Shape SceneMeshes::read_height_field(Fields& fields) {
  const std::string words = words_of(fields.place(), {});
  if (const auto found = shapes_.find(words); found != shapes_.end()) {
    take_all(fields);
    return found->second.front();
  }
  const Mesh mesh = stickslip::make_mesh(read_heights(fields, folder_), "height-field");
  check_sum(fields, *mesh.solid);
  shapes_.emplace(words, std::vector<Shape>{mesh});
  return mesh;
}

void SceneMeshes::look_through_moving(const World& world) const {
  std::map<std::uint64_t, std::string> from_files;   // names by checksum
  for (const auto& [words, made] : made_)
    if (!made.file.empty()) from_files.emplace(made.solid->checksum(), made.solid->name());
  for (const Collider& collider : world.colliders()) {
    const Mesh* mesh = collider.alive ? std::get_if<Mesh>(&collider.shape) : nullptr;
    if (!mesh || !mesh->solid->closed() || world.bodies()[collider.body].motion != MotionType::dynamic) continue;
    const auto found = from_files.extract(mesh->solid->checksum());   // each once
    if (found.empty()) continue;
    if (const auto place = self_intersection(mesh->solid->mesh()))
      warnings_.push_back(fmt::format(
          "The mesh {} of '{}' runs through itself ({}): what overlaps weighs twice, but for given mass_properties, and "
          "contacts there are not those of one solid. Unite its parts where it is made; `stickslip mesh check` names places.",
          found.mapped(), world.bodies()[collider.body].name, place->what));
  }
}

}   // namespace stickslip::document
