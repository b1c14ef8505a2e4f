// Joints in Python, and what drives them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "python/module.h"
#include "record/joint_sample.h"

namespace stickslip::python {

namespace {

/// One coordinate of a joint.
struct AxisHandle {
  JointHandle joint;
  int coordinate = 0;

  const JointAxis& get() const { return joint.get().description.axes[static_cast<std::size_t>(coordinate)]; }
  void set(JointAxis axis) const { use().set_joint_axis(joint.id, coordinate, std::move(axis)); }
  /// The world, to change the joint.
  World& use() const {
    joint.get();
    return joint.world->use();
  }
};

std::vector<int> free_of(const JointHandle& joint) { return free_coordinates(joint.get().description); }

AxisHandle axis_called(const JointHandle& joint, const std::string& name) {
  const int wanted = joint_coordinate_from_name(name);
  std::vector<std::string_view> names;
  for (const int c : free_of(joint)) {
    if (c == wanted) return {joint, c};
    names.push_back(joint_coordinate_name(c));
  }
  throw Error(fmt::format("'{}' of the joint '{}' is locked. Free are: {}.", name, joint.get().description.name,
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

/// The one that is meant when a joint is driven as a whole.
AxisHandle only_axis(const JointHandle& joint) {
  const std::vector<int> free = free_of(joint);
  if (free.size() == 1) return {joint, free[0]};
  std::vector<std::string_view> names;
  for (const int c : free) names.push_back(joint_coordinate_name(c));
  if (free.empty()) throw Error(fmt::format("The joint '{}' has no free coordinate.", joint.get().description.name));
  throw Error(fmt::format("The joint '{}' has {} free coordinates. Name one: joint['{}'], of {}.", joint.get().description.name,
                          free.size(), names[0], fmt::join(names, ", ")));
}

double position_of(const AxisHandle& a) {
  a.joint.get();
  return a.joint.world->use().joint_position(a.joint.id, a.coordinate);
}

double velocity_of(const AxisHandle& a) {
  const Joint& joint = a.joint.get();
  const World& world = a.joint.world->scene.world;
  return rate(world, joint.description, locate(world, joint).row[static_cast<std::size_t>(a.coordinate)]);
}

double target_of(const AxisHandle& a) {
  if (!a.get().servo)
    throw Error(fmt::format("The joint '{}' has no servo there. Give it one: axis.servo = {{'stiffness': …}}.",
                            a.joint.get().description.name));
  return servo_target(*a.get().servo, a.joint.world->scene.world.time).first;
}

void set_target(const AxisHandle& a, double target) {
  target_of(a);
  a.use().set_target(a.joint.id, a.coordinate, target);
}

double speed_of(const AxisHandle& a) {
  if (!a.get().motor)
    throw Error(fmt::format("The joint '{}' has no motor there. Give it one: axis.motor = {{'speed': …, 'max_force': …}}.",
                            a.joint.get().description.name));
  return motor_speed(*a.get().motor, a.joint.world->scene.world.time);
}

void set_speed(const AxisHandle& a, double speed) {
  speed_of(a);
  a.use().set_speed(a.joint.id, a.coordinate, speed);
}

double effort_of(const AxisHandle& a) {
  return a.get().effort ? effort_force(*a.get().effort, a.joint.world->scene.world.time) : 0;
}

void push(const AxisHandle& a, double force) {
  if (!std::isfinite(force)) throw Error(fmt::format("{} is not a force. It must be finite [N or N m].", force));
  a.use().set_effort(a.joint.id, a.coordinate, force);
}

/// Sets the numbers of a motor, servo or spring from a dictionary; None takes it away.
template <class Drive>
void set_drive(const AxisHandle& a, std::optional<Drive> JointAxis::*member, const py::object& given,
               const std::vector<std::pair<const char*, double Drive::*>>& fields, const char* what) {
  JointAxis axis = a.get();
  if (given.is_none()) {
    axis.*member = {};
  } else {
    if (!py::isinstance<py::dict>(given)) throw Error(fmt::format("Give the numbers of a {} as a dictionary, or None.", what));
    Drive drive;
    std::vector<std::string> names;
    for (const auto& field : fields) names.emplace_back(field.first);
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given)) {
      const std::string name = py::str(key);
      const auto at = std::ranges::find(names, name);
      if (at == names.end()) throw Error(fmt::format("Unknown key '{}' for a {}. {}", name, what, suggest(name, names)));
      double Drive::*const number = fields[static_cast<std::size_t>(at - names.begin())].second;
      drive.*number = to_number(value, name.c_str());
    }
    axis.*member = drive;
  }
  a.set(std::move(axis));
}

template <class Drive>
py::object get_drive(const std::optional<Drive>& drive, const std::vector<std::pair<const char*, double Drive::*>>& fields) {
  if (!drive) return py::none();
  py::dict dictionary;
  for (const auto& [name, number] : fields) dictionary[name] = (*drive).*number;
  return dictionary;
}

template <class Drive>
void bind_drive(py::class_<AxisHandle>& c, const char* name, std::optional<Drive> JointAxis::*member,
                std::vector<std::pair<const char*, double Drive::*>> fields, const std::string& help) {
  c.def_property(
      name, [=](const AxisHandle& a) { return get_drive(a.get().*member, fields); },
      [=](const AxisHandle& a, const py::object& given) { set_drive(a, member, given, fields, name); },
      (help + "\nA dictionary, or None.").c_str());
}

void bind_axis(py::module_& m) {
  py::class_<AxisHandle> c(m, "JointAxis", doc("JointAxis"));
  const auto number = [&](const char* name, double JointAxis::*member) {
    c.def_property(
        name, [member](const AxisHandle& a) { return a.get().*member; },
        [member](const AxisHandle& a, double value) {
          JointAxis axis = a.get();
          axis.*member = value;
          a.set(std::move(axis));
        },
        doc(std::string("JointAxis::") + name));
  };
  number("lower", &JointAxis::lower);
  number("upper", &JointAxis::upper);
  number("limit_stiffness", &JointAxis::limit_stiffness);
  number("limit_damping", &JointAxis::limit_damping);
  number("friction", &JointAxis::friction);
  number("armature", &JointAxis::armature);
  bind_drive<JointMotor>(c, "motor", &JointAxis::motor, {{"speed", &JointMotor::speed}, {"max_force", &JointMotor::max_force}},
                         doc("JointMotor"));
  bind_drive<JointServo>(c, "servo", &JointAxis::servo,
                         {{"target", &JointServo::target},
                          {"stiffness", &JointServo::stiffness},
                          {"damping", &JointServo::damping},
                          {"max_force", &JointServo::max_force}},
                         doc("JointServo"));
  bind_drive<JointSpring>(
      c, "spring", &JointAxis::spring,
      {{"rest", &JointSpring::rest}, {"stiffness", &JointSpring::stiffness}, {"damping", &JointSpring::damping}},
      doc("JointSpring"));
  c.def_property_readonly(
      "name", [](const AxisHandle& a) { return std::string(joint_coordinate_name(a.coordinate)); },
      "'x', 'y', 'z', 'turn_x', 'turn_y' or 'turn_z'.");
  c.def_property_readonly("position", &position_of, "Where it is now [m or rad].");
  c.def_property_readonly("velocity", &velocity_of, "How fast it grows [m/s or rad/s].");
  c.def_property("target", &target_of, &set_target,
                 "Target of the servo now [m or rad]. Assigning ends the path of a servo that has one.");
  c.def_property("speed", &speed_of, &set_speed, "That the motor keeps [m/s or rad/s].");
  c.def_property(
      "effort", &effort_of, &push,
      "Force on the coordinate now [N or N m]; 0 if there is none. Assigning one holds until told otherwise: control "
      "by torques.");
  c.def("__repr__",
        [](const AxisHandle& a) { return fmt::format("<stickslip.JointAxis '{}'>", joint_coordinate_name(a.coordinate)); });
}

py::object body_or_world(const JointHandle& j, BodyId JointDescription::*member) {
  const BodyId id = j.get().description.*member;
  return id == BodyId{} ? py::object(py::none()) : py::cast(BodyHandle{j.world, id});
}

/// What a joint with one free coordinate does as a whole.
void bind_only_axis(py::class_<JointHandle>& c) {
  c.def_property_readonly(
      "position", [](const JointHandle& j) { return position_of(only_axis(j)); },
      "Of a joint with one free coordinate: where it is now [m or rad].");
  c.def_property_readonly(
      "velocity", [](const JointHandle& j) { return velocity_of(only_axis(j)); },
      "Of a joint with one free coordinate: how fast it grows [m/s or rad/s].");
  c.def_property(
      "target", [](const JointHandle& j) { return target_of(only_axis(j)); },
      [](const JointHandle& j, double target) { set_target(only_axis(j), target); },
      "Of a joint with one free coordinate: the target of its servo [m or rad].");
  c.def_property(
      "speed", [](const JointHandle& j) { return speed_of(only_axis(j)); },
      [](const JointHandle& j, double speed) { set_speed(only_axis(j), speed); },
      "Of a joint with one free coordinate: the speed that its motor keeps [m/s or rad/s].");
  c.def_property(
      "effort", [](const JointHandle& j) { return effort_of(only_axis(j)); },
      [](const JointHandle& j, double force) { push(only_axis(j), force); },
      "Of a joint with one free coordinate: the force on it [N or N m].");
}

}   // namespace

void bind_joints(py::module_& m) {
  bind_axis(m);
  py::class_<JointHandle> c = m.attr("Joint");
  c.def_property_readonly(
      "name", [](const JointHandle& j) { return j.get().description.name; }, "Unique among the joints of its world.");
  c.def_property_readonly(
      "type", [](const JointHandle& j) { return std::string(joint_type_name(j.get().description.type)); },
      "'hinge', 'ball', …, as in scene files.");
  c.def_property_readonly(
      "world", [](const JointHandle& j) { return j.world; }, "The world it belongs to.");
  c.def_property_readonly(
      "exists", [](const JointHandle& j) { return j.world->use().contains(j.id); }, "False once it has been removed.");
  c.def_property_readonly(
      "index", [](const JointHandle& j) { return j.get(), j.id.index; }, "Its slot.");
  c.def_property_readonly(
      "a", [](const JointHandle& j) { return body_or_world(j, &JointDescription::a); }, "A body, or None: the world.");
  c.def_property_readonly(
      "b", [](const JointHandle& j) { return body_or_world(j, &JointDescription::b); }, "A body; None of a gear.");
  c.def_property_readonly(
      "broken", [](const JointHandle& j) { return j.get().broken; }, doc("Joint::broken"));
  c.def(
      "break_", [](const JointHandle& j) { j.get(), j.world->use().break_joint(j.id); }, doc("World::break_joint"));
  c.def_property_readonly(
      "axes",
      [](const JointHandle& j) {
        py::dict axes;
        for (const int k : free_of(j)) axes[py::str(std::string(joint_coordinate_name(k)))] = AxisHandle{j, k};
        return axes;
      },
      "Its free coordinates by name.");
  c.def("__getitem__", &axis_called, py::arg("coordinate"), "joint['turn_z']: one of its free coordinates.");
  bind_only_axis(c);
  c.def("__repr__", [](const JointHandle& j) {
    if (j.world->busy || !j.world->scene.world.contains(j.id)) return std::string("<stickslip.Joint>");
    return fmt::format("<stickslip.Joint '{}': {}>", j.get().description.name, joint_type_name(j.get().description.type));
  });
  c.def(
      "__eq__",
      [](const JointHandle& a, const py::object& b) {
        return py::isinstance<JointHandle>(b) && a == b.cast<const JointHandle&>();
      },
      py::arg("other"));
  c.def("__hash__", [](const JointHandle& j) {
    return std::hash<const void*>{}(j.world.get()) * 31 + j.id.index * 7919u + j.id.generation;
  });
}

}   // namespace stickslip::python
