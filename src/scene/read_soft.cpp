// Soft bodies in a scene document.
#include "scene/read_meshes.h"
#include "scene/read_parts.h"
#include "scene/read_repeat.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/mesh/read_mesh.h"
#include "stickslip/mesh/stuffing.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"

namespace stickslip::document {

namespace {

constexpr double kOnEdge = 1e-9;   ///< part of its size by which a box that picks nodes is larger than it says

SoftMaterial read_soft_material(const Place& place) {
  SoftMaterial m;
  read_object(place, "the material of a soft body", [&](Fields& fields) {
    if (const auto model = fields.find("model")) {
      const std::vector<std::string> models{"linear", "corotated", "st-venant-kirchhoff", "neo-hookean"};
      m.model = *soft_model(models[read_choice(*model, models)]);
    }
    fields.optional("young", m.young);
    fields.optional("poisson", m.poisson);
    fields.optional("density", m.density);
    fields.optional("mass_damping", m.mass_damping);
    fields.optional("stiffness_damping", m.stiffness_damping);
    fields.optional("viscosity", m.viscosity);
  });
  place.within([&] { validate(m); });
  return m;
}

/// A shape filled with tetrahedra whose edges are about `size` long [m]. @param growth of elements away from the top of a box
TetMesh fill(const Place& place, const Shape& shape, double size, std::optional<double> growth) {
  return place.within([&]() -> TetMesh {
    if (growth) {
      if (const auto* s = std::get_if<Box>(&shape)) return soft_graded_box(s->half_extents, size, *growth);
      throw Error(fmt::format("Elements of a {} do not grow. Use a box, or a mesh file.", shape_name(shape))).at("growth");
    }
    if (const auto* s = std::get_if<Sphere>(&shape)) return soft_sphere(s->radius, size);
    if (const auto* s = std::get_if<Box>(&shape)) return soft_box(s->half_extents, size);
    if (const auto* s = std::get_if<Capsule>(&shape)) return soft_capsule(s->radius, s->half_height, size);
    if (const auto* s = std::get_if<Cylinder>(&shape)) return soft_cylinder(s->radius, s->half_height, size);
    if (const auto* s = std::get_if<Mesh>(&shape)) return stuff(s->solid->mesh(), {.size = size});
    throw Error(fmt::format("A {} cannot be filled with tetrahedra. Use a sphere, box, capsule, cylinder or closed mesh.",
                            shape_name(shape)));
  });
}

TetMesh read_tetrahedra_of(Fields& fields) {
  TetMesh mesh;
  document::read(fields.get("vertices"), mesh.vertices);
  const Place place = fields.get("tetrahedra");
  std::vector<std::vector<int>> lists;
  document::read(place, lists);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].size() != 4 || std::ranges::any_of(lists[i], [](int k) { return k < 0; }))
      Place(place.value()[i], place, std::to_string(i))
          .fail(fmt::format("{} is not a tetrahedron. Give four numbers of vertices.", shown(place.value()[i])));
    std::array<std::uint32_t, 4> tet;
    for (std::size_t k = 0; k < 4; ++k) tet[k] = static_cast<std::uint32_t>(lists[i][k]);
    mesh.tetrahedra.push_back(tet);
  }
  return mesh;
}

/// "mesh" (a file of tetrahedra), "vertices" and "tetrahedra", or a "shape" with the "size" of its elements.
TetMesh read_solid(Fields& fields, SceneMeshes& meshes) {
  for (const auto& [a, b] : {std::pair{"shape", "mesh"}, {"shape", "vertices"}, {"mesh", "vertices"}}) fields.not_both(a, b);
  if (const auto file = fields.find("mesh")) {
    std::string path;
    document::read(*file, path);
    MeshFileOptions options;
    fields.optional("scale", options.scale);
    if (!(options.scale > 0) || !std::isfinite(options.scale))
      fields.get("scale").fail(
          fmt::format("{} is not a scale. Give metres per unit of the file, greater than 0.", options.scale));
    try {
      return read_tet_mesh(meshes.folder() / path, options).mesh;
    } catch (const Error& e) {
      const std::string text = e.what();
      file->fail(e.file().empty() ? fmt::format("{}: {}", path, text) : text);
    }
  }
  if (fields.find("vertices")) return read_tetrahedra_of(fields);
  if (!fields.find("shape"))
    fields.place().fail(
        "A soft body needs tetrahedra. Give a \"shape\" and the \"size\" of its elements, a \"mesh\" file, or "
        "\"vertices\" and \"tetrahedra\".");
  const Place place = fields.get("shape");
  const std::vector<Shape> shapes = read_shape(place, meshes);
  if (shapes.size() != 1) place.fail("A soft body is made of one shape, not of the hulls of a mesh.");
  const double size = fields.required<double>("size");
  std::optional<double> growth;
  if (fields.find("growth")) growth = fields.required<double>("growth");
  return fill(fields.place(), shapes.front(), size, growth);
}

/// Nodes that are held: by their numbers, or those whose place at rest is in a box.
NodePins read_pin(const Place& place, const World& world, const ElasticSolid& solid) {
  NodePins pins;
  read_object(place, "a pin", [&](Fields& fields) {
    fields.not_both("nodes", "box");
    if (const auto name = fields.find("body")) {
      std::string text;
      document::read(*name, text);
      name->within([&] { pins.body = world.find(text); });
    }
    if (fields.find("nodes")) {
      for (const int node : fields.required<std::vector<int>>("nodes"))
        pins.nodes.push_back(node < 0 ? ~0u : static_cast<std::uint32_t>(node));
      return;
    }
    const Place box = fields.get("box");
    Vec3 lower, upper;
    read_object(box, "a box", [&](Fields& corners) {
      lower = corners.required<Vec3>("lower");
      upper = corners.required<Vec3>("upper");
    });
    const Vec3 more = Vec3::Constant(kOnEdge * (upper - lower).norm());
    for (std::uint32_t i = 0; i < solid.nodes(); ++i) {
      const Vec3& x = solid.rest()[i];
      if ((x.array() >= (lower - more).array()).all() && (x.array() <= (upper + more).array()).all()) pins.nodes.push_back(i);
    }
    if (pins.nodes.empty()) box.fail("There is no node in this box. It is meant in the frame of the rest shape [m].");
  });
  return pins;
}

void read_soft(const Place& place, SoftDescription& body, const World& world, SceneMeshes& meshes,
               std::vector<std::string>& warnings) {
  read_object(place, "a soft body", [&](Fields& fields) {
    SoftMaterial material;
    if (const auto field = fields.find("material")) material = read_soft_material(*field);
    if (const std::string text = warning(material); !text.empty()) warnings.push_back(place.pointer() + ": " + text);
    TetMesh mesh = read_solid(fields, meshes);
    body.solid = place.within(
        [&] { return std::make_shared<const ElasticSolid>(std::move(mesh.vertices), std::move(mesh.tetrahedra), material); });
    fields.optional("pressure", body.pressure);
    fields.optional("self_contact", body.self_contact);
    const auto list = fields.find("pins");
    if (!list) return;
    if (!list->value().is_array()) list->wrong_type("Give an array of pins.");
    for (std::size_t i = 0; i < list->value().size(); ++i)
      body.pins.push_back(read_pin(Place(list->value()[i], *list, std::to_string(i)), world, *body.solid));
  });
}

}   // namespace

void add_soft_bodies(const Place& place, World& world, SceneMeshes& meshes, std::vector<std::string>& warnings) {
  SoftDescription body;
  std::optional<Repeat> repeat;
  read_object(place, "a soft body", [&](Fields& fields) {
    fields.optional("name", body.name);
    read_soft(fields.get("soft"), body, world, meshes, warnings);
    body.pose = read_pose(fields);
    if (const auto material = fields.find("material")) body.material = read_material_name(*material, world.materials);
    read_colour(fields, body.colour);
    fields.optional("velocity", body.velocity);
    fields.optional("angular_velocity", body.angular_velocity);
    fields.optional("force", body.force);
    fields.optional("can_sleep", body.can_sleep);
    if (const auto field = fields.find("repeat")) repeat = read_repeat(*field);
  });
  for_each_copy(repeat, body, [&](SoftDescription copy) { place.within([&] { world.add(std::move(copy)); }); });
}

}   // namespace stickslip::document
