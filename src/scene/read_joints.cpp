#include "scene/read_joints.h"

#include <fmt/ranges.h>

#include <numbers>

#include "scene/read_parts.h"

namespace stickslip::document {

BodyId read_body_name(const Place& place, const World& world) {
  std::string name;
  read(place, name);
  return place.within([&] { return world.find(name); });
}

namespace {

/// The settings that a coordinate which is not locked may have.
constexpr std::array kSettings = {"lower",    "upper",  "limit_stiffness", "limit_damping", "friction",
                                  "armature", "effort", "motor",           "servo",         "spring"};

/// What a document may say about the coordinates of a type.
struct FreeCoordinates {
  std::vector<int> coordinates = {};
  bool direct = false;   ///< the settings stand in the joint itself, not under "axes"
};

FreeCoordinates free_coordinates(JointType type) {
  switch (type) {
    case JointType::fixed:
      return {};
    case JointType::ball:
      return {{joint_turn_x, joint_turn_y, joint_turn_z}};
    case JointType::hinge:
      return {{joint_turn_z}, true};
    case JointType::prismatic:
      return {{joint_z}, true};
    case JointType::cylindrical:
    case JointType::screw:
      return {{joint_z, joint_turn_z}};
    case JointType::universal:
      return {{joint_turn_x, joint_turn_z}};
    case JointType::planar:
      return {{joint_x, joint_y, joint_turn_z}};
    case JointType::six_dof:
      return {{joint_x, joint_y, joint_z, joint_turn_x, joint_turn_y, joint_turn_z}};
    case JointType::distance:
      return {{joint_x}, true};
    case JointType::gear:
      return {};
  }
  return {};
}

std::vector<std::string_view> names_of(const std::vector<int>& coordinates) {
  std::vector<std::string_view> names;
  for (const int coordinate : coordinates) names.push_back(joint_coordinate_name(coordinate));
  return names;
}

void read_at_least_zero(Fields& fields, std::string_view key, double& into) {
  const auto place = fields.find(key);
  if (!place) return;
  read(*place, into);
  if (!(into >= 0)) place->fail(fmt::format("{} is out of range. It must be at least 0.", into));
}

void read_above_zero(Fields& fields, std::string_view key, double& into) {
  const auto place = fields.find(key);
  if (!place) return;
  read(*place, into);
  if (!(into > 0)) place->fail(fmt::format("{} is out of range. It must be greater than 0.", into));
}

void read_not_zero(const Place& place, double& into) {
  read(place, into);
  if (into == 0) place.fail("0 is not possible here. Give a number above or below 0.");
}

/// "stiffness" and "damping" of a spring or servo.
void read_stiffness(Fields& fields, double& stiffness, double& damping) {
  read_at_least_zero(fields, "stiffness", stiffness);
  read_at_least_zero(fields, "damping", damping);
  if (stiffness == 0 && damping == 0)
    fields.place().fail(fmt::format("Stiffness and damping are both 0: {} would do nothing. Give one of them.", fields.what()));
}

/// [[time, value], …], times increasing.
void read_path(const Place& place, JointPath& path) {
  if (!place.value().is_array()) place.wrong_type("Give an array of [time, value].");
  if (place.value().empty()) place.fail("[] holds no point. A path needs at least one [time, value].");
  for (const Json& value : place.value()) {
    const Place point(value, place, std::to_string(path.size()));
    if (!value.is_array() || value.size() != 2)
      point.fail(fmt::format("{} is not a point of a path. Give [time, value].", shown(value)));
    std::pair<double, double> next;
    document::read(Place(value[0], point, "0"), next.first);
    document::read(Place(value[1], point, "1"), next.second);
    if (!path.empty() && !(next.first > path.back().first))
      point.fail(fmt::format("The time {} s comes after {} s. Times must increase.", next.first, path.back().first));
    path.push_back(next);
  }
}

/// "path", in whose presence another key says nothing.
void read_path(Fields& fields, std::string_view instead_of, JointPath& path, std::vector<std::string>& warnings) {
  const auto place = fields.find("path");
  if (!place) return;
  read_path(*place, path);
  if (const auto other = fields.find(instead_of))
    warnings.push_back(fmt::format("{} has no effect: the path says it for every time.", other->pointer()));
}

/// A number, or an object.
void read(const Place& place, JointEffort& effort, std::vector<std::string>& warnings) {
  if (place.value().is_number()) return document::read(place, effort.force);
  if (!place.value().is_object()) place.wrong_type("Give a force [N or N m], or {\"path\": [[time, force], …]}.");
  read_object(place, "an effort", [&](Fields& fields) {
    fields.optional("force", effort.force);
    read_at_least_zero(fields, "max_force", effort.max_force);
    read_path(fields, "force", effort.path, warnings);
  });
}

void read(const Place& place, JointMotor& motor, std::vector<std::string>& warnings) {
  read_object(place, "a motor", [&](Fields& fields) {
    read_at_least_zero(fields, "max_force", motor.max_force);
    read_path(fields, "speed", motor.path, warnings);
    if (motor.path.empty()) motor.speed = fields.required<double>("speed");
    else fields.optional("speed", motor.speed);
  });
}

void read(const Place& place, JointServo& servo, std::vector<std::string>& warnings) {
  read_object(place, "a servo", [&](Fields& fields) {
    fields.optional("target", servo.target);
    read_stiffness(fields, servo.stiffness, servo.damping);
    read_at_least_zero(fields, "max_force", servo.max_force);
    read_path(fields, "target", servo.path, warnings);
  });
}

void read(const Place& place, JointSpring& spring) {
  read_object(place, "a spring", [&](Fields& fields) {
    fields.optional("rest", spring.rest);
    read_stiffness(fields, spring.stiffness, spring.damping);
  });
}

/// The settings of one coordinate.
void read_settings(Fields& fields, JointAxis& axis, std::vector<std::string>& warnings) {
  fields.optional("lower", axis.lower);
  if (fields.optional("upper", axis.upper) && axis.lower > axis.upper)
    fields.get("upper").fail(fmt::format("{} lies below the lower limit {}. Exchange them.", axis.upper, axis.lower));
  read_at_least_zero(fields, "limit_stiffness", axis.limit_stiffness);
  read_at_least_zero(fields, "limit_damping", axis.limit_damping);
  for (const char* key : {"limit_stiffness", "limit_damping"})
    if (const auto place = fields.find(key); place && !axis.has_lower() && !axis.has_upper())
      warnings.push_back(fmt::format("{} has no effect: there is no limit.", place->pointer()));
  read_at_least_zero(fields, "friction", axis.friction);
  read_at_least_zero(fields, "armature", axis.armature);
  if (const auto effort = fields.find("effort")) read(*effort, axis.effort.emplace(), warnings);
  if (const auto motor = fields.find("motor")) read(*motor, axis.motor.emplace(), warnings);
  if (const auto servo = fields.find("servo")) read(*servo, axis.servo.emplace(), warnings);
  if (const auto spring = fields.find("spring")) read(*spring, axis.spring.emplace());
  if (!axis.locked) return;
  for (const char* key : kSettings)
    if (const auto place = fields.find(key))
      place->fail(fmt::format("A locked coordinate takes no '{}'. Leave it or \"locked\" out.", key));
}

/// "axes": {"turn_x": {…}, …}
void read_axes(const Place& place, const FreeCoordinates& free, JointDescription& joint, std::vector<std::string>& warnings) {
  const std::string what = fmt::format("the axes of a {} joint", joint_type_name(joint.type));
  read_object(place, what, [&](Fields& fields) {
    for (int coordinate = 0; coordinate < kJointCoordinates; ++coordinate) {
      const std::string name(joint_coordinate_name(coordinate));
      const bool is_free = std::find(free.coordinates.begin(), free.coordinates.end(), coordinate) != free.coordinates.end();
      if (!is_free && place.value().contains(name))
        fields.get(name).fail(fmt::format("A {} joint locks {}. Free are: {}.", joint_type_name(joint.type), name,
                                          fmt::join(names_of(free.coordinates), ", ")));
      const auto axis = is_free ? fields.find(name) : std::nullopt;
      if (!axis) continue;
      JointAxis& into = joint.axes[static_cast<std::size_t>(coordinate)];
      read_object(*axis, "a coordinate", [&](Fields& settings) {
        if (joint.type == JointType::six_dof) settings.optional("locked", into.locked);
        read_settings(settings, into, warnings);
      });
    }
  });
}

void read_coordinates(Fields& fields, JointDescription& joint, std::vector<std::string>& warnings) {
  const FreeCoordinates free = free_coordinates(joint.type);
  if (free.direct) {
    const auto coordinate = static_cast<std::size_t>(free.coordinates[0]);
    const std::string_view name = joint_coordinate_name(free.coordinates[0]);
    // A message for those who know the other form.
    if (fields.place().value().contains("axes"))
      fields.get("axes").fail(fmt::format("A {} joint has one coordinate, {}. Write its settings beside \"type\".",
                                          joint_type_name(joint.type), name));
    if (joint.type == JointType::distance) fields.optional("locked", joint.axes[coordinate].locked);
    read_settings(fields, joint.axes[coordinate], warnings);
    return;
  }
  if (free.coordinates.empty()) return;
  const std::vector<std::string_view> names = names_of(free.coordinates);
  for (const char* key : kSettings)
    if (fields.place().value().contains(key))
      fields.get(key).fail(
          fmt::format("A {} joint has the coordinates {}. Say which one under \"axes\": {{\"{}\": {{\"{}\": …}}}}.",
                      joint_type_name(joint.type), fmt::join(names, ", "), names[0], key));
  if (const auto axes = fields.find("axes")) read_axes(*axes, free, joint, warnings);
}

bool has_body_called_world(const World& world) {
  return std::any_of(world.bodies().begin(), world.bodies().end(),
                     [](const Body& body) { return body.alive && body.name == "world"; });
}

/// @param ambiguous whether a body is called "world"
void read_bodies(Fields& fields, const World& world, bool ambiguous, JointDescription& joint) {
  if (const auto a = fields.find("a")) {
    if (a->value() != "world") joint.a = read_body_name(*a, world);
    else if (ambiguous)
      a->fail("A body is called 'world', which in joints means the world itself. Call the body something else.");
  }
  const Place b = fields.get("b");
  if (b.value() == "world") b.fail("\"b\" must be a body. The world can be \"a\".");
  joint.b = read_body_name(b, world);
}

/// A direction as the document gives it. @return false if it is not there
bool read_direction(Fields& fields, std::string_view key, Vec3& direction) {
  const auto place = fields.find(key);
  if (!place) return false;
  read(*place, direction);
  if (!(direction.stableNorm() > 0)) place->fail("[0, 0, 0] is not an axis. Give a direction such as [0, 0, 1].");
  direction.stableNormalize();
  return true;
}

/// Where the joint is: two frames in the bodies, or a point and directions in the world at the start.
void read_placement(Fields& fields, const World& world, JointDescription& joint) {
  const bool is_distance = joint.type == JointType::distance;
  const std::vector<std::string_view> in_world = is_distance ? std::vector<std::string_view>{"anchor", "anchor_b"}
                                                             : std::vector<std::string_view>{"anchor", "axis", "x_axis"};
  for (const auto frame : {"frame_a", "frame_b"})
    for (const auto key : in_world) fields.not_both(key, frame);
  const auto frame_a = fields.find("frame_a"), frame_b = fields.find("frame_b");
  if (frame_a || frame_b) {
    if (frame_a) read_object(*frame_a, "a frame", [&](Fields& frame) { joint.frame_a = read_pose(frame); });
    if (frame_b) read_object(*frame_b, "a frame", [&](Fields& frame) { joint.frame_b = read_pose(frame); });
    return;
  }
  const Vec3 anchor = fields.required<Vec3>("anchor");
  if (is_distance) {
    const Vec3 anchor_b = fields.required<Vec3>("anchor_b");
    fields.place().within([&] {
      place_joint(joint, world, anchor_b);
      const Pose frame = joint.frame_b;
      place_joint(joint, world, anchor);
      joint.frame_b = frame;
    });
    return;
  }
  Vec3 axis = Vec3::UnitZ(), x_axis = Vec3::Zero();
  if (joint.type == JointType::universal) fields.get("axis");
  read_direction(fields, "axis", axis);
  if (!read_direction(fields, "x_axis", x_axis) && joint.type == JointType::universal) fields.get("x_axis");
  fields.place().within([&] { place_joint(joint, world, anchor, axis, x_axis); });
}

/// What only one type has.
void read_specials(Fields& fields, JointDescription& joint) {
  if (joint.type == JointType::ball) {
    if (const auto swing = fields.find("swing_limit")) {
      read(*swing, joint.swing_limit);
      if (!(joint.swing_limit > 0 && joint.swing_limit < std::numbers::pi))
        swing->fail(fmt::format("{} is out of range. It must be an angle between 0 and π = 3.14159 rad.", joint.swing_limit));
    }
  }
  if (joint.type == JointType::screw) read_not_zero(fields.get("pitch"), joint.pitch);
  if (joint.type == JointType::distance) {
    read_above_zero(fields, "length", joint.length);
    if (const auto length = fields.find("length"); length && !joint.axes[joint_x].locked)
      length->fail(
          "Only a rod has a length. Set \"locked\" to true, or give \"upper\" for a rope, or \"spring\" with \"rest\".");
  }
}

void add_joint(const Place& place, JointType type, bool ambiguous, World& world, std::vector<std::string>& warnings) {
  JointDescription joint;
  joint.type = type;
  read_object(place, fmt::format("a {} joint", joint_type_name(type)), [&](Fields& fields) {
    fields.find("type");
    fields.optional("name", joint.name);
    read_bodies(fields, world, ambiguous, joint);
    read_placement(fields, world, joint);
    read_coordinates(fields, joint, warnings);
    read_specials(fields, joint);
    fields.optional("collide", joint.collide);
    read_above_zero(fields, "break_force", joint.break_force);
    read_above_zero(fields, "break_torque", joint.break_torque);
  });
  place.within([&] { world.add(std::move(joint)); });
}

void add_gear(const Place& place, World& world) {
  JointDescription joint;
  joint.type = JointType::gear;
  read_object(place, "a gear joint", [&](Fields& fields) {
    fields.find("type");
    fields.optional("name", joint.name);
    for (const auto& [key, side] : {std::pair("first", &joint.first), std::pair("second", &joint.second)})
      read_object(fields.get(key), "a side of a gear", [&](Fields& keys) { *side = read_joint_coordinate(keys, world); });
    if (const auto ratio = fields.find("ratio")) read_not_zero(*ratio, joint.ratio);
  });
  place.within([&] { world.add(std::move(joint)); });
}

JointType read_type(const Place& place) {
  Fields fields(place, "a joint");
  const Place type = fields.get("type");
  std::string name;
  read(type, name);
  return type.within([&] { return joint_type_from_name(name); });
}

void read_ignored_pair(const Place& place, World& world) {
  const Json& names = place.value();
  if (!names.is_array() || names.size() != 2)
    place.fail(fmt::format("{} is not a pair. Give two bodies: [\"one\", \"other\"].", shown(names)));
  const BodyId a = read_body_name(Place(names[0], place, "0"), world), b = read_body_name(Place(names[1], place, "1"), world);
  if (a == b) place.fail(fmt::format("{} names one body twice. Give two bodies.", shown(names)));
  place.within([&] { world.ignore_contacts(a, b); });
}

/// Calls f with the place of every entry of an array.
template <class F>
void for_each_entry(const Place& list, std::string_view expected, F&& f) {
  if (!list.value().is_array()) list.wrong_type(expected);
  std::size_t index = 0;
  for (const Json& value : list.value()) f(Place(value, list, std::to_string(index++)));
}

}   // namespace

GearSide read_joint_coordinate(Fields& fields, const World& world) {
  GearSide side;
  const Place name = fields.get("joint");
  std::string text;
  read(name, text);
  side.joint = name.within([&] { return world.find_joint(text); });
  const JointDescription& joint = world.joint(side.joint).description;
  if (joint.type == JointType::gear)
    name.fail(fmt::format("'{}' is a gear, which has no coordinates of its own. Name another joint.", text));
  std::vector<std::string_view> free;
  for (const int coordinate : free_coordinates(joint.type).coordinates)
    if (!joint.axes[static_cast<std::size_t>(coordinate)].locked) free.push_back(joint_coordinate_name(coordinate));
  if (free.empty()) name.fail(fmt::format("'{}' has no free coordinate.", text));
  std::string chosen(free[0]);
  if (const auto coordinate = fields.find("coordinate")) {
    read(*coordinate, chosen);
    coordinate->within([&] { joint_coordinate_from_name(chosen); });
    if (std::find(free.begin(), free.end(), chosen) == free.end())
      coordinate->fail(fmt::format("{} of '{}' is locked. Free are: {}.", chosen, text, fmt::join(free, ", ")));
  } else if (free.size() > 1) {
    fields.place().fail(
        fmt::format("'{}' has several free coordinates. Give \"coordinate\": one of {}.", text, fmt::join(free, ", ")));
  }
  side.coordinate = joint_coordinate_from_name(chosen);
  return side;
}

void read_joints(Fields& document, World& world, std::vector<std::string>& warnings) {
  if (const auto list = document.find("joints")) {
    const bool ambiguous = has_body_called_world(world);
    for_each_entry(*list, "Give an array of joints.", [&](const Place& place) {
      if (const JointType type = read_type(place); type != JointType::gear) add_joint(place, type, ambiguous, world, warnings);
    });
    for_each_entry(*list, "Give an array of joints.", [&](const Place& place) {
      if (read_type(place) == JointType::gear) add_gear(place, world);
    });
  }
  if (const auto list = document.find("ignore_contacts"))
    for_each_entry(*list, "Give an array of pairs of bodies.", [&](const Place& place) { read_ignored_pair(place, world); });
}

}   // namespace stickslip::document
