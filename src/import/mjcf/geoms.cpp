// Geoms: shapes, their mass, and what they are like to touch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "import/meshes.h"
#include "import/mjcf/mjcf.h"
#include "stickslip/friction/surface.h"

namespace stickslip::robot::mjcf {

namespace {

struct Solid {
  Shape shape;
  std::optional<MassProperties> unit;   ///< for a density of 1 kg/m³; none for what has no volume
};

double length(const Element& e, const std::vector<double>& size, std::size_t index) {
  if (index >= size.size())
    e.fail("size", fmt::format("{} number{}: a geom of this type needs more.", size.size(), size.size() == 1 ? "" : "s"));
  if (!(size[index] > 0)) e.fail("size", fmt::format("{:g} is not a length. It must be greater than 0.", size[index]));
  return size[index];
}

/// Mass 4/3 π abc and moments m (b² + c²)/5 of an ellipsoid of density 1.
MassProperties ellipsoid_mass(const Vec3& a) {
  MassProperties mass;
  mass.mass = 4.0 / 3 * EIGEN_PI * a.prod();
  const Vec3 s = a.cwiseAbs2();
  mass.inertia = (mass.mass / 5 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y())).asDiagonal();
  return mass;
}

/// A mesh of the assets, and how the frame of its file is placed in that of a geom.
struct MeshAsset {
  std::filesystem::path file;   ///< empty if it stands in the model
  Vec3 scale;
  TriangleMesh mesh;   ///< scaled; of points alone it has no triangles
  Pose place;
};

void turn_round(TriangleMesh& mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
}

void read_faces(const Element& mesh, TriangleMesh& into, bool is_mirrored) {
  const auto faces = mesh.numbers("face", 3, 1u << 24);
  for (std::size_t i = 0; faces && i + 2 < faces->size(); i += 3) {
    const auto corner = [&](std::size_t k) { return static_cast<std::uint32_t>(std::max(0.0, (*faces)[i + k])); };
    into.triangles.push_back({corner(0), corner(1), corner(2)});
  }
  if (is_mirrored) turn_round(into);
}

/// Points p of a mesh become scale · refquat⁻¹ (p − refpos), in this order.
MeshAsset mesh_asset(Model& model, const XmlNode& node) {
  const Element mesh = model.defaults.element(node, "");
  MeshAsset asset;
  asset.scale = mesh.vector("scale", Vec3::Ones());
  const Vec3 shift = mesh.vector("refpos", Vec3::Zero());
  Quat back = Quat::Identity();
  if (const auto q = mesh.numbers("refquat", 4, 4)) back = Quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]).normalized().conjugate();
  asset.place = {-asset.scale.cwiseProduct(back * shift), back};
  // Scaling comes first in a scene, which is the same if it is even or nothing is turned.
  const bool is_even = (asset.scale.array() == asset.scale[0]).all() || back.vec().isZero(0);
  const Vec3 first = is_even ? asset.scale : Vec3(Vec3::Ones());
  if (const std::string* file = node.find("file")) {
    asset.file = std::filesystem::absolute(model.file).parent_path() / model.compiler.mesh_folder / *file;
    asset.mesh = node.within([&] { return mesh_of_file(asset.file, first); });
  } else if (const auto vertices = mesh.numbers("vertex", 12, 1u << 24)) {
    for (std::size_t i = 0; i + 2 < vertices->size(); i += 3)
      asset.mesh.vertices.push_back(Vec3(vertices->data() + i).cwiseProduct(first));
    read_faces(mesh, asset.mesh, first.prod() < 0);
    node.within([&] { validate(asset.mesh); });
  } else {
    node.fail("The mesh has neither a file nor vertices.");
  }
  if (is_even) return asset;
  for (Vec3& p : asset.mesh.vertices) p = asset.scale.cwiseProduct(back * (p - shift));
  if (asset.scale.prod() < 0) turn_round(asset.mesh);
  asset.file.clear();   // the scene gets the numbers
  asset.place = Pose{};
  return asset;
}

Solid hull_solid(const MeshAsset& asset) {
  std::vector<Vec3> points = asset.mesh.vertices;
  for (Vec3& p : points) p = asset.place * p;
  const Shape hull = make_convex_hull(points);
  return {hull, mass_properties(hull, 1)};
}

/// The triangles as they are, or to be covered by hulls; the mass is theirs, if they are closed.
Solid true_solid(Model& model, const Element& e, const std::string& name, const MeshAsset& asset, MeshImport as,
                 TreePart& part) {
  const int mesh =
      asset.file.empty() ? add_mesh(model.tree, name, asset.mesh) : add_mesh(model.tree, name, asset.file, asset.scale);
  set_mesh(part, model.tree, mesh, as);
  part.pose = part.pose * asset.place;
  const std::optional<MassProperties>& unit = model.tree.meshes[static_cast<std::size_t>(mesh)].solid->solid();
  if (unit) return {part.shape, unit};
  model.findings.add(Kind::approximated, e.node().line, e.node().place(),
                     "<geom mesh>: it is not closed; its mass is that of its convex hull.");
  MeshAsset unplaced = asset;
  unplaced.place = Pose{};
  return {part.shape, hull_solid(unplaced).unit};
}

std::optional<Solid> mesh_solid(Model& model, const Element& e, TreePart& part) {
  const std::string name = e.word("mesh", "");
  const auto found = model.meshes.find(name);
  if (found == model.meshes.end()) e.fail("mesh", fmt::format("There is no mesh '{}' among the assets.", name));
  const MeshImport as = model.options.meshes.value_or(MeshImport::hull);
  const auto left_out = [&](const std::string& why) {
    model.findings.add(Kind::not_supported, e.node().line, e.node().place(),
                       fmt::format("<geom mesh>: left out{}, and so is its mass.", why));
    return std::nullopt;
  };
  if (as == MeshImport::none) return left_out(", as asked for");
  try {
    const MeshAsset asset = mesh_asset(model, *found->second);
    const bool is_hull = as == MeshImport::hull || asset.mesh.triangles.empty();
    const Solid made =
        found->second->within([&] { return is_hull ? hull_solid(asset) : true_solid(model, e, name, asset, as, part); });
    if (is_hull)
      model.findings.add(Kind::approximated, e.node().line, e.node().place(),
                         "<geom mesh>: its convex hull is used, for contacts and for the mass.");
    else if (as == MeshImport::hulls)
      model.findings.add(Kind::approximated, e.node().line, e.node().place(), "<geom mesh>: convex hulls cover it.");
    return made;
  } catch (const Error& error) {
    if (model.options.meshes) throw;
    return left_out(fmt::format(": {}", error.message()));
  }
}

std::optional<Solid> height_solid(Model& model, const Element& e, TreePart& part) {
  const std::string name = e.word("hfield", "");
  const auto found = model.heights.find(name);
  if (found == model.heights.end()) e.fail("hfield", fmt::format("There is no hfield '{}' among the assets.", name));
  part.heights = found->second;
  return Solid{e.node().within([&] { return make_mesh(triangle_mesh(*found->second), name); }), std::nullopt};
}

/// The shape; for fromto also the pose.
std::optional<Solid> solid(Model& model, const Element& e, TreePart& part) {
  Pose& pose = part.pose;
  const std::string type = e.word("type", e.has("mesh") ? "mesh" : "sphere");
  std::vector<double> size = e.numbers("size", 1, 3).value_or(std::vector<double>());
  if (const auto ends = e.numbers("fromto", 6, 6); ends && type != "sphere" && type != "plane" && type != "mesh") {
    const Vec3 from(ends->data()), to(ends->data() + 3), along = from - to;
    if (!(along.norm() > 1e-12)) e.fail("fromto", "The two points are the same.");
    pose.position = (from + to) / 2;
    const Vec3 z = along.normalized();
    pose.orientation = z.z() < -1 + 1e-14 ? Quat(0, 1, 0, 0) : rotation_between(Vec3::UnitZ(), z);
    const std::size_t last = type == "box" || type == "ellipsoid" ? 2 : 1;
    if (last == 2 && size.size() == 1) size.push_back(size[0]);
    size.resize(last + 1, 0);
    size[last] = along.norm() / 2;
  }
  const auto of = [](Shape shape) { return Solid{shape, mass_properties(shape, 1)}; };
  if (type == "plane") return Solid{HalfSpace{}, std::nullopt};
  if (type == "mesh") return mesh_solid(model, e, part);
  if (type == "hfield") return height_solid(model, e, part);
  if (type == "sphere") return of(Sphere{length(e, size, 0)});
  if (type == "capsule") return of(Capsule{length(e, size, 0), length(e, size, 1)});
  if (type == "cylinder") return of(Cylinder{length(e, size, 0), length(e, size, 1)});
  if (type == "box") return of(Box{{length(e, size, 0), length(e, size, 1), length(e, size, 2)}});
  if (type == "ellipsoid") {
    const Vec3 axes(length(e, size, 0), length(e, size, 1), length(e, size, 2));
    model.findings.add(Kind::approximated, e.node().line, e.node().place(),
                       "<geom type=\"ellipsoid\">: it touches as a polyhedron of 130 corners on its surface.");
    return Solid{ellipsoid_hull(axes), ellipsoid_mass(axes)};
  }
  if (type == "sdf") {
    model.findings.add(Kind::not_supported, e.node().line, e.node().place(), "<geom type=\"sdf\">: left out.");
    return std::nullopt;
  }
  e.fail("type", fmt::format("'{}' is not a type of geom. {}", type,
                             suggest(type, std::vector<std::string>{"plane", "sphere", "capsule", "ellipsoid", "cylinder",
                                                                    "box", "mesh", "hfield"})));
}

int material(Model& model, const Element& e) {
  Model::SurfaceMaterial m{1, static_cast<int>(e.number("condim", 3)), static_cast<int>(e.number("priority", 0))};
  if (const auto friction = e.numbers("friction", 1, 3)) m.friction = friction->front();
  if (m.friction < 0)
    e.fail("friction", fmt::format("{:g} is not a coefficient of friction. It must not be negative.", m.friction));
  if (m.condim > 3)
    e.pass_over({"condim"}, Kind::not_supported, "torsional and rolling friction are left out.", model.findings);
  const auto [entry, added] = model.materials.emplace(m, static_cast<int>(model.tree.materials.size()));
  if (added) {
    std::string name = fmt::format("friction-{:g}", m.friction);
    if (m.condim != 3) name += fmt::format("-condim-{}", m.condim);
    if (m.priority != 0) name += fmt::format("-priority-{}", m.priority);
    // Against itself; frictionless contacts have condim 1 on both sides.
    model.tree.materials.push_back({name, m.condim == 1 ? 0.0 : m.friction});
  }
  return entry->second;
}

std::uint32_t mask(const Element& e, std::string_view attribute) {
  const double bits = e.number(attribute, 1);
  if (bits != std::floor(bits) || std::abs(bits) > 4294967295.0) e.fail(attribute, "Give a whole number of 32 bits.");
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(bits));
}

}   // namespace

void read_geom(Model& model, const PlacedChild& child, TreeBody& body, std::optional<MassProperties>& mass) {
  const Element e = model.defaults.element(*child.node, child.child_class);
  Findings& findings = model.findings;
  e.find("name");
  e.pass_over({"group", "user"}, Kind::ignored, "only looks.", findings);
  e.pass_over({"fitscale"}, Kind::ignored, "for shapes that are left out.", findings);
  e.pass_over({"solref", "solimp", "solmix", "margin", "gap"}, Kind::approximated, "contacts are rigid here.", findings);
  e.pass_over({"shellinertia", "fluidshape", "fluidcoef"}, Kind::not_supported, "left out.", findings);

  TreePart part;
  part.pose = read_pose(e, model.compiler);
  part.material = material(model, e);
  give_look(model, e, part);
  part.contact_type = mask(e, "contype");
  part.contact_affinity = mask(e, "conaffinity");
  const double density = e.number("density", 1000), given_mass = e.number("mass", -1);
  if (density < 0) e.fail("density", "It must not be negative.");
  if (e.has("mass") && given_mass < 0) e.fail("mass", fmt::format("{:g} is not a mass. It must not be negative.", given_mass));
  const std::optional<Solid> made = solid(model, e, part);
  if (!made) return;
  part.shape = made->shape;
  part.pose = child.frame * part.pose;
  if (made->unit) {
    MassProperties scaled = *made->unit;
    const double factor = given_mass >= 0 ? given_mass / scaled.mass : density;
    scaled.mass *= factor;
    scaled.inertia *= factor;
    if (factor > 0) {
      if (mass) *mass += scaled.placed(part.pose);
      else mass = scaled.placed(part.pose);
    }
  }
  if (part.contact_type == 0 && part.contact_affinity == 0) return;   // only looks and mass
  body.parts.push_back(std::move(part));
}

void read_mesh_asset(Model& model, const XmlNode& node) {
  node.used = true;
  const std::string* name = node.find("name");
  const std::string* file = node.find("file");
  if (!name && !file) node.fail("A mesh needs a name or a file.");
  model.meshes[name ? *name : std::filesystem::path(*file).stem().string()] = &node;
  for (const char* read_later : {"class", "scale", "vertex", "face", "refpos", "refquat"}) node.find(read_later);
  for (const char* looks : {"normal", "texcoord", "smoothnormal", "content_type", "material"})
    if (node.find(looks))
      model.findings.add(Kind::ignored, node.line, node.place(), fmt::format("<mesh {}>: only looks.", looks));
}

namespace {

/// The binary format of MuJoCo: numbers of rows and columns, then floats from the row of the smallest y on.
HeightGrid mujoco_heights(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::int32_t counts[2] = {0, 0};
  if (bytes.size() >= sizeof counts) std::memcpy(counts, bytes.data(), sizeof counts);
  const auto [rows, columns] = counts;
  const auto count = static_cast<double>(rows) * columns;
  if (!in || rows < 1 || columns < 1 || count > static_cast<double>(kMostHeights) ||
      bytes.size() != sizeof counts + static_cast<std::size_t>(count) * sizeof(float))
    throw Error(fmt::format("'{}' is not a height field: two numbers of rows and columns and as many floats.", file.string()));
  std::vector<float> samples(static_cast<std::size_t>(count));
  std::memcpy(samples.data(), bytes.data() + sizeof counts, samples.size() * sizeof(float));
  HeightGrid grid{rows, columns, {}};
  for (int r = rows; r-- > 0;)
    grid.heights.insert(grid.heights.end(), samples.begin() + std::ptrdiff_t{r} * columns,
                        samples.begin() + std::ptrdiff_t{r + 1} * columns);
  return grid;
}

HeightGrid height_grid(Model& model, const Element& e) {
  if (const std::string file = e.word("file", ""); !file.empty()) {
    const std::filesystem::path path = model.file.parent_path() / model.compiler.mesh_folder / file;
    if (path.extension() != ".png") return mujoco_heights(path);
    const Picture picture = Picture::read_png(path);
    HeightGrid grid{picture.height(), picture.width(), {}};
    for (std::size_t i = 0; i < picture.rgb().size(); i += 3) grid.heights.push_back(double{picture.rgb()[i]});
    return grid;
  }
  HeightGrid grid{static_cast<int>(e.number("nrow", 0)), static_cast<int>(e.number("ncol", 0)), {}};
  const double count = static_cast<double>(grid.rows) * grid.columns;
  if (!(grid.rows > 1 && grid.columns > 1 && count <= static_cast<double>(kMostHeights)))
    e.fail("nrow", fmt::format("{} × {} heights make no surface. Give 2 rows of 2 heights or more, {} at most.", grid.rows,
                               grid.columns, kMostHeights));
  const auto values = e.numbers("elevation", static_cast<std::size_t>(count), static_cast<std::size_t>(count));
  grid.heights = values.value_or(std::vector<double>(static_cast<std::size_t>(count), 0.0));
  return grid;
}

}   // namespace

void read_height_asset(Model& model, const XmlNode& node) {
  node.used = true;
  const Element e(node, {}, nullptr);
  e.find("content_type");
  const std::string file = e.word("file", ""), name = e.word("name", std::filesystem::path(file).stem().string());
  const std::vector<double> size = e.numbers("size", 4, 4).value_or(std::vector<double>());
  if (size.size() != 4) e.fail("size", "A height field has four: half its sides along x and y, its height and its base.");
  const HeightGrid grid = node.within([&] { return height_grid(model, e); });
  const auto [low, high] = std::minmax_element(grid.heights.begin(), grid.heights.end());
  const double lowest = *low, range = *high > *low ? *high - *low : 1;
  HeightField field{grid.rows, grid.columns, {}, Vec2(2 * size[0], 2 * size[1]), size[3]};
  for (const double z : grid.heights) field.heights.push_back(size[2] * (z - lowest) / range);
  model.heights[name] = std::make_shared<const HeightField>(std::move(field));
}

void pair_materials(Model& model) {
  model.tree.maximum_friction = true;
  for (const auto& [a, i] : model.materials)
    for (const auto& [b, j] : model.materials) {
      if (i > j) continue;
      const int condim = a.priority > b.priority ? a.condim : b.priority > a.priority ? b.condim : std::max(a.condim, b.condim);
      const double wanted = condim == 1               ? 0
                            : a.priority > b.priority ? a.friction
                            : b.priority > a.priority ? b.friction
                                                      : std::max(a.friction, b.friction);
      const double by_rule = std::max(model.tree.materials[static_cast<std::size_t>(i)].friction,
                                      model.tree.materials[static_cast<std::size_t>(j)].friction);
      if (wanted != by_rule) model.tree.pair_friction[{i, j}] = wanted;
    }
}

}   // namespace stickslip::robot::mjcf
