// What a checkpoint holds about joints.
#pragma once

#include "record/flat_scene.h"

namespace stickslip {

/// The first version of the format that knows joints.
inline constexpr int kVersionWithJoints = 3;
/// The first version that knows the band of touching contacts.
inline constexpr int kVersionWithBand = 4;
/// The first version that remembers where impulses acted, and how bodies moved while they were quiet.
inline constexpr int kVersionWithPlaces = 5;
/// The first version that names shapes.
inline constexpr int kVersionWithShapeNames = 6;
/// The first version that knows bodies of nodes and contacts of parts. Features of hulls had other names before: their impulses go to where
/// they acted.
inline constexpr int kVersionWithNodes = 7;

template <class Archive>
void exchange_joints(Archive& archive, FlatScene& s) {
  archive.table("joints", s.joints, [](auto& t) {
    t.text_field(
        "name", [](Joint & x) -> auto& { return x.description.name; });
    t.field(
        "type", [](Joint & x) -> auto& { return x.description.type; });
    t.field(
        "body_a", [](Joint & x) -> auto& { return x.description.a.index; });
    t.field(
        "body_a_generation", [](Joint & x) -> auto& { return x.description.a.generation; });
    t.field(
        "body_b", [](Joint & x) -> auto& { return x.description.b.index; });
    t.field(
        "body_b_generation", [](Joint & x) -> auto& { return x.description.b.generation; });
    t.field(
        "frame_a_position", [](Joint & x) -> auto& { return x.description.frame_a.position; });
    t.field(
        "frame_a_orientation_wxyz", [](Joint & x) -> auto& { return x.description.frame_a.orientation; });
    t.field(
        "frame_b_position", [](Joint & x) -> auto& { return x.description.frame_b.position; });
    t.field(
        "frame_b_orientation_wxyz", [](Joint & x) -> auto& { return x.description.frame_b.orientation; });
    t.field(
        "swing_limit", [](Joint & x) -> auto& { return x.description.swing_limit; });
    t.field(
        "length", [](Joint & x) -> auto& { return x.description.length; });
    t.field(
        "pitch", [](Joint & x) -> auto& { return x.description.pitch; });
    t.field(
        "first_joint", [](Joint & x) -> auto& { return x.description.first.joint.index; });
    t.field(
        "first_generation", [](Joint & x) -> auto& { return x.description.first.joint.generation; });
    t.field(
        "first_coordinate", [](Joint & x) -> auto& { return x.description.first.coordinate; });
    t.field(
        "second_joint", [](Joint & x) -> auto& { return x.description.second.joint.index; });
    t.field(
        "second_generation", [](Joint & x) -> auto& { return x.description.second.joint.generation; });
    t.field(
        "second_coordinate", [](Joint & x) -> auto& { return x.description.second.coordinate; });
    t.field(
        "ratio", [](Joint & x) -> auto& { return x.description.ratio; });
    t.field(
        "collide", [](Joint & x) -> auto& { return x.description.collide; });
    t.field(
        "break_force", [](Joint & x) -> auto& { return x.description.break_force; });
    t.field(
        "break_torque", [](Joint & x) -> auto& { return x.description.break_torque; });
    t.field(
        "generation", [](Joint & x) -> auto& { return x.generation; });
    t.field(
        "alive", [](Joint & x) -> auto& { return x.alive; });
    t.field(
        "broken", [](Joint & x) -> auto& { return x.broken; });
    t.field(
        "row_length", [](Joint & x) -> auto& { return x.row_length; });
    t.field(
        "coupling_start", [](Joint & x) -> auto& { return x.coupling_start; });
    t.field(
        "turns", [](Joint & x) -> auto& { return x.turns; });
  });
  archive.table("joints/memory", s.joints, [](auto& t) {
    t.field(
        "locked", [](Joint & x) -> auto& { return x.memory.locked; });
    t.field(
        "motor", [](Joint & x) -> auto& { return x.memory.motor; });
    t.field(
        "servo", [](Joint & x) -> auto& { return x.memory.servo; });
    t.field(
        "spring", [](Joint & x) -> auto& { return x.memory.spring; });
    t.field(
        "friction", [](Joint & x) -> auto& { return x.memory.friction; });
    t.field(
        "lower", [](Joint & x) -> auto& { return x.memory.lower; });
    t.field(
        "upper", [](Joint & x) -> auto& { return x.memory.upper; });
    t.field(
        "coupling", [](Joint & x) -> auto& { return x.memory.coupling; });
    t.field(
        "swing", [](Joint & x) -> auto& { return x.memory.swing; });
    t.field(
        "force", [](Joint & x) -> auto& { return x.memory.force; });
  });
  archive.table("joints/axes", s.axes, [](auto& t) {
    t.field(
        "locked", [](FlatAxis & x) -> auto& { return x.axis.locked; });
    t.field(
        "lower", [](FlatAxis & x) -> auto& { return x.axis.lower; });
    t.field(
        "upper", [](FlatAxis & x) -> auto& { return x.axis.upper; });
    t.field(
        "limit_stiffness", [](FlatAxis & x) -> auto& { return x.axis.limit_stiffness; });
    t.field(
        "limit_damping", [](FlatAxis & x) -> auto& { return x.axis.limit_damping; });
    t.field(
        "friction", [](FlatAxis & x) -> auto& { return x.axis.friction; });
    t.field(
        "has_motor", [](FlatAxis & x) -> auto& { return x.has_motor; });
    t.field(
        "motor_speed", [](FlatAxis & x) -> auto& { return x.motor.speed; });
    t.field(
        "motor_max_force", [](FlatAxis & x) -> auto& { return x.motor.max_force; });
    t.field(
        "has_servo", [](FlatAxis & x) -> auto& { return x.has_servo; });
    t.field(
        "servo_target", [](FlatAxis & x) -> auto& { return x.servo.target; });
    t.field(
        "servo_stiffness", [](FlatAxis & x) -> auto& { return x.servo.stiffness; });
    t.field(
        "servo_damping", [](FlatAxis & x) -> auto& { return x.servo.damping; });
    t.field(
        "servo_max_force", [](FlatAxis & x) -> auto& { return x.servo.max_force; });
    t.field(
        "has_spring", [](FlatAxis & x) -> auto& { return x.has_spring; });
    t.field(
        "spring_rest", [](FlatAxis & x) -> auto& { return x.spring.rest; });
    t.field(
        "spring_stiffness", [](FlatAxis & x) -> auto& { return x.spring.stiffness; });
    t.field(
        "spring_damping", [](FlatAxis & x) -> auto& { return x.spring.damping; });
  });
  archive.lists(
      "joints/axes/servo_path", s.axes, [](FlatAxis & x) -> auto& { return x.servo.path; },
      [](auto& t) {
        t.field(
            "time", [](std::pair<double, double> & x) -> auto& { return x.first; });
        t.field(
            "target", [](std::pair<double, double> & x) -> auto& { return x.second; });
      });
  archive.table("ignored_pairs", s.ignored_pairs, [](auto& t) {
    t.field(
        "a", [](FlatIgnoredPair & x) -> auto& { return x.a; });
    t.field(
        "b", [](FlatIgnoredPair & x) -> auto& { return x.b; });
  });
}

}  // namespace stickslip
