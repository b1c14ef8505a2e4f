#include <numbers>

#include "scene/read_meshes.h"
#include "scene/read_parts.h"
#include "stickslip/geometry/shape_fields.h"

namespace stickslip::document {

namespace {

/// [w, x, y, z]. Numbers rounded by hand still count as a rotation; a quaternion of another length is a mistake.
Quat read_quaternion(const Place& place) {
  const Json& v = place.value();
  if (!v.is_array()) place.wrong_type("Give four numbers: [w, x, y, z].");
  if (v.size() != 4) place.fail(fmt::format("{} has {} entries. Give four numbers: [w, x, y, z].", shown(v), v.size()));
  std::vector<double> q;
  read(place, q);
  const Quat result(q[0], q[1], q[2], q[3]);
  if (!(std::abs(result.norm() - 1) < 1e-3)) {
    place.fail(
        fmt::format("{} has length {:.6g}. A rotation is a quaternion [w, x, y, z] of length 1.", shown(v), result.norm()));
  }
  return result.normalized();
}

}   // namespace

Vec3 read_rotation(const Place& place) {
  Vec3 axis = Vec3::UnitZ();
  double degrees = 0;
  read_object(place, "a rotation", [&](Fields& fields) {
    axis = fields.required<Vec3>("axis");
    degrees = fields.required<double>("degrees");
    if (!(axis.stableNorm() > 0)) fields.get("axis").fail("[0, 0, 0] is not an axis. Give a direction such as [0, 0, 1].");
  });
  return axis.stableNormalized() * (degrees / 180 * std::numbers::pi);
}

Pose read_pose(Fields& fields) {
  Pose pose;
  fields.optional("position", pose.position);
  fields.not_both("orientation_wxyz", "rotation");
  if (const auto place = fields.find("orientation_wxyz")) pose.orientation = read_quaternion(*place);
  if (const auto place = fields.find("rotation")) pose.orientation = rotation_from_vector(read_rotation(*place));
  return pose;
}

namespace {

/// A shape of every kind, by its name.
template <std::size_t... I>
std::vector<std::pair<std::string, Shape>> one_of_each(std::index_sequence<I...>) {
  return {{std::string(shape_name(I)), Shape(std::in_place_index<I>)}...};
}

}   // namespace

std::vector<Shape> read_shape(const Place& place, SceneMeshes& meshes) {
  static const auto kinds = one_of_each(std::make_index_sequence<std::variant_size_v<Shape>>{});
  std::vector<std::string> names;
  for (const auto& [name, blank] : kinds) names.push_back(name);
  const std::size_t height_field = names.size(), sdf = names.size() + 1;
  names.insert(names.end(), {"height-field", "sdf"});
  Fields fields(place, "a shape");
  const std::size_t kind = read_choice(fields.get("type"), names);
  std::vector<Shape> shapes;
  if (kind == height_field) shapes.push_back(meshes.read_height_field(fields));
  else if (kind == sdf) shapes.push_back(meshes.read_sdf(fields));
  else if (std::holds_alternative<Mesh>(kinds[kind].second)) shapes = meshes.read_mesh(fields);
  else shapes.push_back(kinds[kind].second);
  for (Shape& shape : shapes) {
    std::visit(
        [&](auto& s) {
          for_each_field(s, [&]<class Number>(std::string_view name, Number& x) { x = fields.required<Number>(name); });
        },
        shape);
    if (auto* hull = std::get_if<ConvexHull>(&shape); hull && !hull->polytope) {
      const auto points = fields.required<std::vector<Vec3>>("points");
      *hull = place.within([&] { return make_convex_hull(points); });
    }
  }
  fields.finish();
  for (const Shape& shape : shapes) place.within([&] { validate(shape); });
  return shapes;
}

void read(const Place& place, Keyframes::Key& key) {
  read_object(place, "a key", [&](Fields& fields) {
    key.time = fields.required<double>("time");
    key.pose = read_pose(fields);
  });
}

void read(const Place& place, MotionScript& script) {
  Fields fields(place, "a script");
  const Place type = fields.get("type");
  static_assert(std::variant_size_v<MotionScript> == 3, "a new script needs a case below, a schema entry and a manual entry");
  switch (read_choice(type, {"constant-velocity", "oscillation", "keyframes"})) {
    case 0:
      script = ConstantVelocity{};
      break;
    case 1: {
      Oscillation o;
      fields.optional("translation", o.translation);
      if (const auto rotation = fields.find("rotation")) o.rotation = read_rotation(*rotation);
      fields.optional("frequency", o.frequency);
      fields.optional("phase", o.phase);
      script = o;
      break;
    }
    default:
      script = Keyframes{fields.required<std::vector<Keyframes::Key>>("keys")};
  }
  fields.finish();
  place.within([&] { validate(script); });
}

}   // namespace stickslip::document
