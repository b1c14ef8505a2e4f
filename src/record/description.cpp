#include "record/description.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "record/base64.h"
#include "record/joint_description.h"
#include "record/mesh_drawing.h"
#include "record/mesh_pool.h"
#include "record/shape_mesh.h"
#include "record/soft_fields.h"
#include "record/telemetry.h"
#include "record/texture_pool.h"
#include "record/textured_mesh.h"
#include "stickslip/geometry/shape_fields.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip {

using Json = nlohmann::json;

namespace {

constexpr int kCornersOfSkin = 32;   // of a circle

Json vector(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }
Json wxyz(const Quat& q) { return Json::array({q.w(), q.x(), q.y(), q.z()}); }

/// Every number of a list of vectors, as bytes of T.
template <class T, class Vectors, class Convert>
std::string packed(const Vectors& vectors, Convert convert) {
  std::vector<T> numbers;
  for (const auto& v : vectors)
    for (const auto x : v) numbers.push_back(convert(x));
  return base64(std::span<const T>(numbers));
}

std::string picture_address(const std::string& file) {
  return fmt::format("data:image/{};base64,{}", file.starts_with("\x89PNG") ? "png" : "jpeg", base64(file));
}

/// Pictures that meshes and half-spaces name by their number: each stands in a description once.
class DescribedPictures {
 public:
  std::size_t number_of(const std::string& file) {
    const auto [place, is_new] = number_of_.try_emplace(file, pictures_.size());
    if (is_new) pictures_.push_back(picture_address(file));
    return place->second;
  }
  Json take() { return std::move(pictures_); }

 private:
  std::map<std::string, std::size_t> number_of_;   ///< by bytes
  Json pictures_ = Json::array();
};

/// A mesh as graphics cards take it (docs/viewer-protocol.md).
Json packed(const DrawnMesh& drawn, const std::string& name, DescribedPictures& pictures) {
  const auto narrow = [](double x) { return static_cast<float>(x); };
  Json json = {{"name", name},
               {"positions", packed<float>(drawn.vertices, narrow)},
               {"normals", packed<std::int16_t>(drawn.normals,
                                                [](double x) { return static_cast<std::int16_t>(std::lround(32767 * x)); })},
               {"corners", packed<std::uint32_t>(drawn.triangles, [](std::uint32_t x) { return x; })}};
  if (drawn.open) json["open"] = true;
  if (drawn.textured) json["textured"] = true;
  if (!drawn.colours.empty())
    json["colours"] =
        packed<std::uint8_t>(drawn.colours, [](float x) { return static_cast<std::uint8_t>(std::lround(255 * x)); });
  if (drawn.pictures.empty()) return json;
  json["on_picture"] = packed<float>(drawn.on_picture, [](float x) { return x; });
  json["picture_of"] = base64(std::span<const std::uint32_t>(drawn.picture_of));
  for (const std::string& picture : drawn.pictures) json["pictures"].push_back(pictures.number_of(picture));
  return json;
}

Json packed(const MeshSolid& solid, const Texture* texture, DescribedPictures& pictures) {
  Json json = packed(drawn_mesh(solid, texture), solid.name(), pictures);
  std::vector<std::uint32_t> facets;
  for (std::size_t t = 0; t < solid.mesh().triangles.size(); ++t) facets.push_back(solid.facet_of(t));
  json["facets"] = base64(std::span<const std::uint32_t>(facets));
  return json;
}

/// Meshes that shapes name by their number: each stands in a description once.
class DescribedMeshes {
 public:
  std::size_t number_of(const Polytope& p) {
    std::vector<double> key;
    for (const Vec3& v : p.vertices) key.insert(key.end(), v.begin(), v.end());
    const auto [place, is_new] = number_of_.try_emplace(std::move(key), meshes_.size());
    if (is_new) add(p);
    return place->second;
  }
  std::size_t number_of(const Mesh& mesh, const SharedTexture& texture) {
    const auto [place, is_new] =
        number_of_solid_.try_emplace({pool_.find_or_add(mesh).number, textures_.find_or_add(texture)}, meshes_.size());
    if (is_new) meshes_.push_back(packed(*mesh.solid, texture.get(), pictures_));
    return place->second;
  }
  /// A shape of numbers, or a hull, as a mesh with a texture.
  MeshLibrary::Entry skin_of(const Shape& shape, const SharedTexture& texture) {
    const MeshLibrary::Entry entry = skins_.find_or_add(shape, texture);
    const auto [place, is_new] = number_of_skin_.try_emplace(entry.mesh, meshes_.size());
    if (is_new) meshes_.push_back(packed(skins_.meshes()[entry.mesh], std::string(shape_name(shape)), pictures_));
    return {static_cast<std::uint32_t>(place->second), entry.scale};
  }
  /// Of a half-space, which is drawn as far as one sees.
  Json describe_plane(const Texture& texture) {
    Json size = Json::array();
    for (int k = 0; k < 2; ++k) size.push_back(texture.size[k] > 0 ? texture.size[k] : 1 / texture.repeat[k]);
    return {{"picture", pictures_.number_of(texture.picture)}, {"size", std::move(size)}};
  }
  /// Of the surface of a soft body: its picture, and where on it the corners of the triangles are, as they lie at rest.
  Json describe_surface(const NodalBody& nodes, const Texture& texture) {
    const LaidSurface laid = lay_on_rest_surface(texture, nodes);
    std::vector<float> corners;
    for (const auto& triangle : laid.triangles)
      for (const std::uint32_t corner : triangle)
        corners.insert(corners.end(), laid.on_picture[corner].begin(), laid.on_picture[corner].end());
    return {{"picture", pictures_.number_of(texture.picture)}, {"corners", base64(std::span<const float>(corners))}};
  }
  Json take() { return std::move(meshes_); }
  Json take_pictures() { return pictures_.take(); }

 private:
  void add(const Polytope& p) {
    Json vertices = Json::array(), faces = Json::array();
    for (const Vec3& v : p.vertices) vertices.push_back(vector(v));
    for (const Polytope::Face& face : p.faces)
      faces.push_back(std::vector<int>(p.loops.begin() + face.first, p.loops.begin() + face.first + face.count));
    meshes_.push_back({{"vertices", std::move(vertices)}, {"faces", std::move(faces)}});
  }

  std::map<std::vector<double>, std::size_t> number_of_;   ///< by vertices
  MeshPool pool_;
  MeshLibrary skins_{kCornersOfSkin};
  TexturePool textures_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> number_of_solid_;   ///< by numbers in the pool and of textures
  std::map<std::uint32_t, std::size_t> number_of_skin_;                              ///< by number in the library
  DescribedPictures pictures_;
  Json meshes_ = Json::array();
};

Json describe(double x) { return x; }
Json describe(const Vec3& v) { return vector(v); }

Json describe(const Shape& shape, const SharedTexture& texture, DescribedMeshes& meshes) {
  Json json = {{"type", shape_name(shape)}};
  const auto add = [&](std::string_view name, const auto& x) { json[std::string(name)] = describe(x); };
  std::visit([&](const auto& s) { for_each_field(s, add); }, shape);
  if (const auto* hull = std::get_if<ConvexHull>(&shape))
    json["mesh"] = texture ? meshes.skin_of(shape, texture).mesh : meshes.number_of(*hull->polytope);
  if (const auto* mesh = std::get_if<Mesh>(&shape)) json["mesh"] = meshes.number_of(*mesh, texture);
  return json;
}

Json describe_parts(const World& world, const Body& body, DescribedMeshes& meshes) {
  Json parts = Json::array();
  for (const std::uint32_t index : body.colliders) {
    const Collider& c = world.colliders()[index];
    const SharedTexture texture = shown_texture(world, c);
    parts.push_back({{"shape", describe(c.shape, texture, meshes)},
                     {"position", vector(c.local.position)},
                     {"orientation_wxyz", wxyz(c.local.orientation)}});
    if (const auto colour = shown_colour(world, c)) parts.back()["colour"] = colour_name(*colour);
    if (!texture) continue;
    if (std::holds_alternative<HalfSpace>(c.shape)) {
      parts.back()["texture"] = meshes.describe_plane(*texture);
    } else if (!parts.back()["shape"].contains("mesh")) {
      const MeshLibrary::Entry skin = meshes.skin_of(c.shape, texture);
      parts.back()["skin"] = skin.mesh;
      if (skin.scale != Vec3::Ones()) parts.back()["skin_scale"] = vector(skin.scale);
    }
  }
  return parts;
}

Json describe_nodes(const NodalBody& nodes) {
  Json description = {{"count", nodes.size()}, {"radius", nodes.radius}, {"quantum", node_quantum(nodes)}};
  if (!nodes.triangles.empty()) description["triangles"] = nodes.triangles;
  if (nodes.is_soft()) description["fields"] = describe_fields(nodes);
  return description;
}

Json describe_body(const World& world, const Body& b, DescribedMeshes& meshes) {
  const MaterialId material = b.colliders.empty() ? MaterialId{} : world.colliders()[b.colliders.back()].material;
  Json body = {{"name", b.name},
               {"motion", motion_name(b.motion)},
               {"mass", b.inverse_mass > 0 ? 1 / b.inverse_mass : 0},
               {"material", world.materials[material].name},
               {"parts", b.is_rigid() ? describe_parts(world, b, meshes) : Json::array()}};
  if (!b.is_rigid()) {
    body["nodes"] = describe_nodes(world.nodal_bodies()[b.place]);
    if (const auto colour = shown_colour(world, world.colliders()[b.colliders.front()]))
      body["nodes"]["colour"] = colour_name(*colour);
    const NodalBody& nodes = world.nodal_bodies()[b.place];
    const SharedTexture texture = shown_texture(world, world.colliders()[b.colliders.front()]);
    if (texture && nodes.is_soft()) body["nodes"]["texture"] = meshes.describe_surface(nodes, *texture);
  }
  return body;
}

/// The largest power of ten that is not above x.
double power_of_ten(double x) { return std::pow(10.0, std::floor(std::log10(x))); }

}   // namespace

std::string_view motion_name(MotionType motion) {
  static constexpr std::string_view names[] = {"dynamic", "fixed", "kinematic"};
  return names[static_cast<int>(motion)];
}

double node_quantum(const NodalBody& nodes) {
  if (!nodes.is_soft()) return power_of_ten(1e-3 * nodes.radius);
  return power_of_ten(1e-3 * std::cbrt(nodes.solid->volume() / static_cast<double>(nodes.size())));
}

double position_quantum(const World& world) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Collider& c : world.colliders())
    if (c.alive && c.characteristic_length > 0) smallest = std::min(smallest, c.characteristic_length);
  return std::isfinite(smallest) ? power_of_ten(1e-4 * smallest) : 1e-6;
}

double force_unit(const World& world) {
  double lightest = std::numeric_limits<double>::infinity();
  for (const Body& b : world.bodies())
    if (b.alive && b.inverse_mass > 0) lightest = std::min(lightest, 1 / b.inverse_mass);
  for (const NodalBody& nodes : world.nodal_bodies())
    if (!nodes.is_soft())
      for (const double mass : nodes.masses) lightest = std::min(lightest, mass);
  const double g = world.gravity.norm();
  const double weight = lightest * (g > 0 ? g : 1);
  return std::isfinite(weight) && weight > 0 ? power_of_ten(weight) : 1;
}

std::vector<BodyId> described_bodies(const World& world) {
  std::vector<BodyId> ids;
  for (std::uint32_t slot = 0; slot < world.bodies().size(); ++slot)
    if (world.bodies()[slot].alive) ids.push_back(world.id_of(slot));
  return ids;
}

Json describe_scene(const Scene& scene, double quantum) {
  const World& world = scene.world;
  DescribedMeshes meshes;
  Json bodies = Json::array();
  const std::vector<BodyId> ids = described_bodies(world);
  for (const BodyId id : ids) bodies.push_back(describe_body(world, world.bodies()[id.index], meshes));
  Json telemetry = Json::array();
  for (const TelemetryColumn& c : telemetry_columns())
    telemetry.push_back({{"name", c.name}, {"unit", c.unit}, {"help", c.meaning}});
  Json description = {{"protocol", kViewerProtocol},
                      {"program", "stickslip"},
                      {"name", scene.name},
                      {"look_for", scene.description},
                      {"h", scene.step.h},
                      {"gravity", vector(world.gravity)},
                      {"quantum", quantum},
                      {"force_unit", force_unit(world)},
                      {"solver", scene.step.solver},
                      {"bodies", std::move(bodies)},
                      {"meshes", meshes.take()},
                      {"pictures", meshes.take_pictures()},
                      {"telemetry", std::move(telemetry)}};
  if (world.joint_count() > 0) {
    description["joints"] = describe_joints(world, ids);
    description["torque_unit"] = torque_unit(force_unit(world), quantum);
  }
  return description;
}

}   // namespace stickslip
