#include "record/description.h"

#include <cmath>

#include "record/joint_description.h"
#include "record/telemetry.h"
#include "stickslip/geometry/shape_fields.h"

namespace stickslip {

using Json = nlohmann::json;

namespace {

Json vector(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }
Json wxyz(const Quat& q) { return Json::array({q.w(), q.x(), q.y(), q.z()}); }

Json describe(double x) { return x; }
Json describe(const Vec3& v) { return vector(v); }

void add_faces(const Polytope& p, Json& json) {
  for (const Vec3& v : p.vertices) json["vertices"].push_back(vector(v));
  for (const Polytope::Face& face : p.faces)
    json["faces"].push_back(std::vector<int>(p.loops.begin() + face.first, p.loops.begin() + face.first + face.count));
}

Json describe(const Shape& shape) {
  Json json = {{"type", shape_name(shape)}};
  const auto add = [&](std::string_view name, const auto& x) { json[std::string(name)] = describe(x); };
  std::visit([&](const auto& s) { for_each_field(s, add); }, shape);
  if (const auto* hull = std::get_if<ConvexHull>(&shape)) add_faces(*hull->polytope, json);
  return json;
}

std::string_view motion_name(MotionType motion) {
  return motion == MotionType::dynamic ? "dynamic" : motion == MotionType::fixed ? "fixed" : "kinematic";
}

/// The largest power of ten that is not above x.
double power_of_ten(double x) { return std::pow(10.0, std::floor(std::log10(x))); }

}  // namespace

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
  std::vector<Json> parts(world.bodies().size(), Json::array());
  std::vector<std::string> materials(world.bodies().size());
  for (const Collider& c : world.colliders()) {
    if (!c.alive) continue;
    parts[c.body].push_back({{"shape", describe(c.shape)},
                             {"position", vector(c.local.position)},
                             {"orientation_wxyz", wxyz(c.local.orientation)}});
    materials[c.body] = world.materials[c.material].name;
  }
  Json bodies = Json::array();
  const std::vector<BodyId> ids = described_bodies(world);
  for (const BodyId id : ids) {
    const Body& b = world.bodies()[id.index];
    bodies.push_back({{"name", b.name},
                      {"motion", motion_name(b.motion)},
                      {"mass", b.inverse_mass > 0 ? 1 / b.inverse_mass : 0},
                      {"material", materials[id.index]},
                      {"parts", std::move(parts[id.index])}});
  }
  Json telemetry = Json::array();
  for (const TelemetryColumn& c : telemetry_columns()) telemetry.push_back({{"name", c.name}, {"unit", c.unit}, {"help", c.meaning}});
  Json description = {{"protocol", 1},
                    {"program", "stickslip"},
                    {"name", scene.name},
                    {"look_for", scene.description},
                    {"h", scene.step.h},
                    {"gravity", vector(world.gravity)},
                    {"quantum", quantum},
                    {"force_unit", force_unit(world)},
                    {"solver", scene.step.solver},
                    {"bodies", std::move(bodies)},
                    {"telemetry", std::move(telemetry)}};
  if (world.joint_count() > 0) {
    description["joints"] = describe_joints(world, ids);
    description["torque_unit"] = torque_unit(force_unit(world), quantum);
  }
  return description;
}

}  // namespace stickslip
