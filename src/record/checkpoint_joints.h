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
/// The first version that knows bodies of nodes and contacts of parts. Features of hulls had other names before: their
/// impulses go to where they acted.
inline constexpr int kVersionWithNodes = 7;
/// The first version that knows meshes, and how bodies are kept from passing through others.
inline constexpr int kVersionWithMeshes = 8;
/// The first version that knows contact over areas.
inline constexpr int kVersionWithPatches = 9;
/// The first version that knows soft bodies, and how deep overlaps are that contact by volume keeps.
inline constexpr int kVersionWithSolids = 10, kVersionWithVolumes = 10;
/// The first version that knows nodes which are attached to bodies that move by forces.
inline constexpr int kVersionWithAttachments = 11;
/// The first version that knows the options of the integrators by penalty and by barriers.
inline constexpr int kVersionWithPenalty = 11;
/// The first version that knows where soft bodies were factored.
inline constexpr int kVersionWithFactors = 11;
/// The first version that knows merit functions.
inline constexpr int kVersionWithMerit = 12;
/// The first version in which pairs of materials say what their contacts become.
inline constexpr int kVersionWithPairForms = 13;
/// The first version that knows colours of materials and parts.
inline constexpr int kVersionWithColours = 14;
/// The first version that knows efforts, armature, motors with paths, and sensors.
inline constexpr int kVersionWithEfforts = 15;
/// The first version that knows restitution along tangents.
inline constexpr int kVersionWithTangentialRestitution = 16;
/// The first version that knows textures.
inline constexpr int kVersionWithTextures = 17;
/// The first version that knows how linearisations of soft bodies follow each other.
inline constexpr int kVersionWithSoftSolutions = 18;

template <class Archive>
void exchange_joint_table(Archive& archive, FlatScene& s) {
  archive.table("joints", s.joints, [](auto& t) {
    t.text_field("name", &Joint::description, &JointDescription::name);
    t.field("type", &Joint::description, &JointDescription::type);
    t.field("body_a", &Joint::description, &JointDescription::a, &BodyId::index);
    t.field("body_a_generation", &Joint::description, &JointDescription::a, &BodyId::generation);
    t.field("body_b", &Joint::description, &JointDescription::b, &BodyId::index);
    t.field("body_b_generation", &Joint::description, &JointDescription::b, &BodyId::generation);
    t.field("frame_a_position", &Joint::description, &JointDescription::frame_a, &Pose::position);
    t.field("frame_a_orientation_wxyz", &Joint::description, &JointDescription::frame_a, &Pose::orientation);
    t.field("frame_b_position", &Joint::description, &JointDescription::frame_b, &Pose::position);
    t.field("frame_b_orientation_wxyz", &Joint::description, &JointDescription::frame_b, &Pose::orientation);
    t.field("swing_limit", &Joint::description, &JointDescription::swing_limit);
    t.field("length", &Joint::description, &JointDescription::length);
    t.field("pitch", &Joint::description, &JointDescription::pitch);
    t.field("first_joint", &Joint::description, &JointDescription::first, &GearSide::joint, &JointId::index);
    t.field("first_generation", &Joint::description, &JointDescription::first, &GearSide::joint, &JointId::generation);
    t.field("first_coordinate", &Joint::description, &JointDescription::first, &GearSide::coordinate);
    t.field("second_joint", &Joint::description, &JointDescription::second, &GearSide::joint, &JointId::index);
    t.field("second_generation", &Joint::description, &JointDescription::second, &GearSide::joint, &JointId::generation);
    t.field("second_coordinate", &Joint::description, &JointDescription::second, &GearSide::coordinate);
    t.field("ratio", &Joint::description, &JointDescription::ratio);
    t.field("collide", &Joint::description, &JointDescription::collide);
    t.field("break_force", &Joint::description, &JointDescription::break_force);
    t.field("break_torque", &Joint::description, &JointDescription::break_torque);
    t.field("generation", &Joint::generation);
    t.field("alive", &Joint::alive);
    t.field("broken", &Joint::broken);
    t.field("row_length", &Joint::row_length);
    t.field("coupling_start", &Joint::coupling_start);
    t.field("turns", &Joint::turns);
  });
}

template <class Archive>
void exchange_joint_memory(Archive& archive, FlatScene& s, int version) {
  archive.table("joints/memory", s.joints, [version](auto& t) {
    t.field("locked", &Joint::memory, &JointMemory::locked);
    t.field("motor", &Joint::memory, &JointMemory::motor);
    t.field("servo", &Joint::memory, &JointMemory::servo);
    t.field("spring", &Joint::memory, &JointMemory::spring);
    t.field("friction", &Joint::memory, &JointMemory::friction);
    t.field("lower", &Joint::memory, &JointMemory::lower);
    t.field("upper", &Joint::memory, &JointMemory::upper);
    t.field("coupling", &Joint::memory, &JointMemory::coupling);
    t.field("swing", &Joint::memory, &JointMemory::swing);
    t.field("force", &Joint::memory, &JointMemory::force);
    if (version >= kVersionWithEfforts) t.field("armature", &Joint::memory, &JointMemory::armature);
  });
}

template <class Archive>
void exchange_joint_axes(Archive& archive, FlatScene& s, int version) {
  archive.table("joints/axes", s.axes, [version](auto& t) {
    t.field("locked", &FlatAxis::axis, &JointAxis::locked);
    t.field("lower", &FlatAxis::axis, &JointAxis::lower);
    t.field("upper", &FlatAxis::axis, &JointAxis::upper);
    t.field("limit_stiffness", &FlatAxis::axis, &JointAxis::limit_stiffness);
    t.field("limit_damping", &FlatAxis::axis, &JointAxis::limit_damping);
    t.field("friction", &FlatAxis::axis, &JointAxis::friction);
    t.field("has_motor", &FlatAxis::has_motor);
    t.field("motor_speed", &FlatAxis::motor, &JointMotor::speed);
    t.field("motor_max_force", &FlatAxis::motor, &JointMotor::max_force);
    t.field("has_servo", &FlatAxis::has_servo);
    t.field("servo_target", &FlatAxis::servo, &JointServo::target);
    t.field("servo_stiffness", &FlatAxis::servo, &JointServo::stiffness);
    t.field("servo_damping", &FlatAxis::servo, &JointServo::damping);
    t.field("servo_max_force", &FlatAxis::servo, &JointServo::max_force);
    t.field("has_spring", &FlatAxis::has_spring);
    t.field("spring_rest", &FlatAxis::spring, &JointSpring::rest);
    t.field("spring_stiffness", &FlatAxis::spring, &JointSpring::stiffness);
    t.field("spring_damping", &FlatAxis::spring, &JointSpring::damping);
    if (version < kVersionWithEfforts) return;
    t.field("armature", &FlatAxis::axis, &JointAxis::armature);
    t.field("has_effort", &FlatAxis::has_effort);
    t.field("effort_force", &FlatAxis::effort, &JointEffort::force);
    t.field("effort_max_force", &FlatAxis::effort, &JointEffort::max_force);
  });
  const auto path = [](const char* value) {
    return [value](auto& t) {
      t.field("time", &std::pair<double, double>::first);
      t.field(value, &std::pair<double, double>::second);
    };
  };
  archive.lists(
      "joints/axes/servo_path", s.axes, [](FlatAxis & x) -> auto& { return x.servo.path; }, path("target"));
  if (version < kVersionWithEfforts) return;
  archive.lists(
      "joints/axes/motor_path", s.axes, [](FlatAxis & x) -> auto& { return x.motor.path; }, path("speed"));
  archive.lists(
      "joints/axes/effort_path", s.axes, [](FlatAxis & x) -> auto& { return x.effort.path; }, path("force"));
}

template <class Archive>
void exchange_joints(Archive& archive, FlatScene& s, int version) {
  exchange_joint_table(archive, s);
  exchange_joint_memory(archive, s, version);
  exchange_joint_axes(archive, s, version);
  archive.table("ignored_pairs", s.ignored_pairs, [](auto& t) {
    t.field("a", &FlatIgnoredPair::a);
    t.field("b", &FlatIgnoredPair::b);
  });
}

}   // namespace stickslip
