// Geoms: shapes, their mass, and what they are like to touch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "import/meshes.h"
#include "import/mjcf/mjcf.h"

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

std::optional<Solid> mesh_solid(Model& model, const Element& e) {
  const std::string name = e.word("mesh", "");
  const auto asset = model.meshes.find(name);
  if (asset == model.meshes.end()) e.fail("mesh", fmt::format("There is no mesh '{}' among the assets.", name));
  if (!model.options.convex_hulls) {
    model.findings.add(Kind::not_supported, e.node().line, e.node().place(),
                       "<geom mesh>: left out, and so is its mass; ask for convex hulls.");
    return std::nullopt;
  }
  const XmlNode& node = *asset->second;
  const Element mesh = model.defaults.element(node, "");
  const Vec3 scale = mesh.vector("scale", Vec3::Ones());
  std::vector<Vec3> points;
  if (const std::string* file = node.find("file")) {
    const std::filesystem::path path = model.file.parent_path() / model.compiler.mesh_folder / *file;
    points = node.within([&] { return mesh_vertices(path); });
  } else if (const auto vertices = mesh.numbers("vertex", 12, 1u << 24)) {
    for (std::size_t i = 0; i + 2 < vertices->size(); i += 3) points.emplace_back(vertices->data() + i);
  } else {
    node.fail("The mesh has neither a file nor vertices.");
  }
  const Vec3 shift = mesh.vector("refpos", Vec3::Zero());
  Quat turn = Quat::Identity();
  if (const auto q = mesh.numbers("refquat", 4, 4)) turn = Quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]).normalized();
  for (Vec3& p : points) p = turn.conjugate() * (p.cwiseProduct(scale) - shift);
  model.findings.add(Kind::approximated, e.node().line, e.node().place(),
                     "<geom mesh>: its convex hull is used, for contacts and for the mass.");
  const Shape hull = node.within([&] { return make_convex_hull(points); });
  return Solid{hull, mass_properties(hull, 1)};
}

/// The shape; for fromto also the pose.
std::optional<Solid> solid(Model& model, const Element& e, Pose& pose) {
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
  if (type == "mesh") return mesh_solid(model, e);
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
  if (type == "hfield" || type == "sdf") {
    model.findings.add(Kind::not_supported, e.node().line, e.node().place(),
                       fmt::format("<geom type=\"{}\">: left out.", type));
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

void read_geom(Model& model, const XmlNode& node, const std::string& child_class, TreeBody& body,
               std::optional<MassProperties>& mass) {
  const Element e = model.defaults.element(node, child_class);
  Findings& findings = model.findings;
  e.find("name");
  e.pass_over({"rgba", "material", "group", "user"}, Kind::ignored, "only looks.", findings);
  e.pass_over({"fitscale", "hfield"}, Kind::ignored, "for shapes that are left out.", findings);
  e.pass_over({"solref", "solimp", "solmix", "margin", "gap"}, Kind::approximated, "contacts are rigid here.", findings);
  e.pass_over({"shellinertia", "fluidshape", "fluidcoef"}, Kind::not_supported, "left out.", findings);

  TreePart part;
  part.pose = read_pose(e, model.compiler);
  part.material = material(model, e);
  part.contact_type = mask(e, "contype");
  part.contact_affinity = mask(e, "conaffinity");
  const double density = e.number("density", 1000), given_mass = e.number("mass", -1);
  if (density < 0) e.fail("density", "It must not be negative.");
  if (e.has("mass") && given_mass < 0) e.fail("mass", fmt::format("{:g} is not a mass. It must not be negative.", given_mass));
  const std::optional<Solid> made = solid(model, e, part.pose);
  if (!made) return;
  part.shape = made->shape;
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
  for (const char* read_later : {"class", "scale", "vertex", "refpos", "refquat"}) node.find(read_later);
  for (const char* looks : {"normal", "texcoord", "face", "smoothnormal", "content_type", "material"})
    if (node.find(looks))
      model.findings.add(Kind::ignored, node.line, node.place(), fmt::format("<mesh {}>: only looks.", looks));
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
