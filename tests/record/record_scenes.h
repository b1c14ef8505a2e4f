// Scenes and files for the tests of records.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "places.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::test {

/// A directory of its own, gone at the end.
class Directory {
 public:
  Directory() {
    std::string name = std::filesystem::temp_directory_path() / "stickslip-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_content(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// A checkpoint as an older program wrote it. @param name of a file in data/
inline void unpack_older_checkpoint(const std::string& name, const std::filesystem::path& to) {
  gzFile file = gzopen((std::string(places::kSourceDir) + "/tests/record/data/" + name).c_str(), "rb");
  std::string bytes(1 << 20, '\0');
  bytes.resize(static_cast<std::size_t>(std::max(0, gzread(file, bytes.data(), static_cast<unsigned>(bytes.size())))));
  gzclose(file);
  write_content(to, bytes);
}

inline BodyDescription ground() {
  BodyDescription d;
  d.name = "ground";
  d.motion = MotionType::fixed;
  d.parts = {{HalfSpace{}, {}, {}}};
  return d;
}

inline BodyDescription body_of(const Shape& shape, const Vec3& position, const std::string& name = "") {
  BodyDescription d;
  d.name = name;
  d.parts = {{shape, {}, {}}};
  d.pose.position = position;
  return d;
}

/// One ball of radius 0.5 above nothing.
inline Scene falling_ball() {
  Scene scene;
  scene.name = "falling ball";
  scene.document = "{}";
  scene.world.add(body_of(Sphere{0.5}, {0, 0, 10}, "ball"));
  return scene;
}

/// A box of half a metre that rests on the ground.
inline Scene resting_box() {
  Scene scene;
  scene.name = "resting box";
  scene.document = "{}";
  scene.world.add(ground());
  scene.world.add(body_of(Box{Vec3::Constant(0.25)}, {0, 0, 0.25}, "box"));
  return scene;
}

/// Every shape, every kind of motion, a removed body, a pair table and options that differ from their defaults.
inline Scene everything() {
  Scene scene;
  scene.name = "everything";
  scene.description = "Ünïcode, and a second\nline";
  scene.document = R"({"name": "everything"})";
  scene.seconds = 1.25;
  scene.warnings = {"first", ""};

  World& world = scene.world;
  world.gravity = {0.1, -0.2, -9.7};
  const MaterialId rubber = world.materials.add({"rubber", 1100, 0.9, 0.3});
  const MaterialId ice = world.materials.add({"ice", 917, 0.02, 0.1});
  world.materials.set_pair(rubber, ice, {0.17, 0.05, nullptr, {}, ContactForm::automatic, 0.25});
  world.materials.friction_rule = CombineRule::minimum;
  world.materials.restitution_rule = CombineRule::average;

  world.add(ground());
  const BodyId removed = world.add(body_of(Sphere{0.3}, {5, 5, 3}));
  const ConvexHull hull = make_convex_hull({{-0.3, -0.3, -0.3}, {0.3, -0.3, -0.3}, {0, 0.4, -0.3}, {0.02, 0.01, 0.4}});
  const Shape shapes[] = {Sphere{0.2}, Box{{0.2, 0.3, 0.1}}, Capsule{0.15, 0.2}, Cylinder{0.2, 0.25}, hull, hull};
  double x = 0;
  for (const Shape& shape : shapes) {
    BodyDescription d = body_of(shape, {x, 0.01 * x, 0.6});
    d.parts[0].material = x < 2 ? rubber : ice;
    d.pose.orientation = Quat(0.9, 0.1, 0.3, 0.2).normalized();
    d.angular_velocity = {1, 2, 3};
    d.force = {0.1, 0, 0};
    d.torque = {0, 0.01, 0};
    world.add(d);
    x += 0.7;
  }
  BodyDescription dumbbell;
  dumbbell.name = "dumbbell";
  dumbbell.parts = {{Sphere{0.2}, {{0, 0, -0.3}}, rubber}, {Sphere{0.1}, {{0, 0, 0.3}}, ice}};
  dumbbell.pose.position = {0, 1.5, 0.7};
  dumbbell.can_sleep = false;
  dumbbell.continuous = Continuous::impact;
  world.add(dumbbell);

  BodyDescription shaker = body_of(Box{{0.4, 0.4, 0.1}}, {0, 3, 0.4}, "shaker");
  shaker.motion = MotionType::kinematic;
  shaker.script = Oscillation{{0.1, 0, 0.02}, {0, 0.2, 0}, 3, 0.4};
  world.add(shaker);
  world.add(body_of(Box{Vec3::Constant(0.1)}, {0, 3, 0.65}, "rider"));
  BodyDescription lift = body_of(Box{{0.4, 0.4, 0.1}}, {3, 3, 0.4}, "lift");
  lift.motion = MotionType::kinematic;
  lift.script = Keyframes{{{0, {{3, 3, 0.4}}}, {0.5, {{3, 3.2, 0.5}, Quat(0.98, 0, 0, 0.2).normalized()}}}};
  world.add(lift);
  world.remove(removed);

  scene.step.h = 0.004;
  scene.step.scheme = Scheme::moreau_midpoint;
  scene.step.stabilisation = SpringDamper{4e4, 300};
  scene.step.projection.enabled = true;
  scene.step.sleep.enabled = true;
  scene.step.sleep.time = 0.1;
  scene.step.solver = "pgs";
  scene.step.solver_options = {{"relaxation", 1.1}};
  scene.step.tolerance = 1e-5;
  scene.step.max_iterations = 77;
  scene.step.merit = {.function = Merit::step, .absolute = 1e-12, .relative = 1e-9, .divergence = 1e9};
  return scene;
}

/// A hinge at a place of the world, about y.
inline JointDescription hinge(const World& world, const std::string& name, BodyId a, BodyId b, const Vec3& anchor) {
  JointDescription d;
  d.name = name;
  d.type = JointType::hinge;
  d.a = a, d.b = b;
  place_joint(d, world, anchor, Vec3::UnitY());
  return d;
}

/// A weight of 100 kg that hangs from a ball joint of the world. @param break_force [N]
inline Scene hanging_weight(double break_force = std::numeric_limits<double>::infinity()) {
  Scene scene;
  scene.name = "hanging weight";
  scene.document = "{}";
  BodyDescription weight = body_of(Sphere{0.2}, {0, 0, 1}, "weight");
  weight.mass = 100;
  JointDescription d;
  d.name = "hook";
  d.type = JointType::ball;
  d.b = scene.world.add(weight);
  d.break_force = break_force;
  place_joint(d, scene.world, {0, 0, 2});
  scene.world.add(d);
  return scene;
}

/// A bit of everything that joints can do: servo along a path, limits of both kinds, friction, motor, gear, screw, spring,
/// rope, rod, a joint that breaks and one that was removed.
inline Scene mechanism() {
  Scene scene;
  scene.name = "mechanism";
  scene.document = "{}";
  World& world = scene.world;
  world.add(ground());
  const BodyId upper = world.add(body_of(Box{{0.3, 0.05, 0.05}}, {0.3, 0, 2}, "upper"));
  const BodyId lower = world.add(body_of(Box{{0.3, 0.05, 0.05}}, {0.9, 0, 2}, "lower"));
  const JointId removed = world.add(hinge(world, "removed", {}, upper, {0, 0, 2}));
  JointDescription shoulder = hinge(world, "shoulder", {}, upper, {0, 0, 2});
  shoulder.axes[joint_turn_z].servo = JointServo{0.3, 400, 30, 500, {{0.1, 0.0}, {0.3, 0.7}, {0.5, -0.2}}};
  shoulder.axes[joint_turn_z].lower = -1.5;
  world.add(shoulder);
  JointDescription elbow = hinge(world, "elbow", upper, lower, {0.6, 0, 2});
  elbow.axes[joint_turn_z].lower = -0.2, elbow.axes[joint_turn_z].upper = 0.4;
  elbow.axes[joint_turn_z].limit_stiffness = 500, elbow.axes[joint_turn_z].limit_damping = 5;
  elbow.axes[joint_turn_z].friction = 0.3;
  world.add(elbow);

  const BodyId small = world.add(body_of(Sphere{0.1}, {3, 0, 1}, "small")),
               large = world.add(body_of(Sphere{0.2}, {3.4, 0, 1}, "large"));
  JointDescription driven = hinge(world, "driven", {}, small, {3, 0, 1});
  driven.axes[joint_turn_z].motor = JointMotor{20, 50};
  const JointId first = world.add(driven), second = world.add(hinge(world, "follower", {}, large, {3.4, 0, 1}));
  JointDescription gear;
  gear.name = "gear";
  gear.type = JointType::gear;
  gear.first = {first, joint_turn_z}, gear.second = {second, joint_turn_z};
  gear.ratio = -0.5;
  world.add(gear);

  JointDescription sprung;
  sprung.name = "sprung";
  sprung.type = JointType::prismatic;
  sprung.b = world.add(body_of(Box{Vec3::Constant(0.1)}, {5, 0, 1}, "slider"));
  place_joint(sprung, world, {5, 0, 1});
  sprung.axes[joint_z].spring = JointSpring{0, 800, 3};
  sprung.axes[joint_z].lower = -0.15;
  world.add(sprung);
  JointDescription screw;
  screw.name = "screw";
  screw.type = JointType::screw;
  screw.b = world.add(body_of(Cylinder{0.1, 0.2}, {6, 0, 1}, "bolt"));
  screw.pitch = 0.05;
  place_joint(screw, world, {6, 0, 1});
  world.add(screw);

  JointDescription rope;
  rope.name = "rope";
  rope.type = JointType::distance;
  rope.b = world.add(body_of(Sphere{0.1}, {7, 0, 1}, "bob"));
  rope.frame_a.position = {7.5, 0, 1.5};
  rope.axes[joint_x].upper = 0.8;
  world.add(rope);
  JointDescription thread;
  thread.name = "thread";
  thread.type = JointType::distance;
  thread.b = world.add(body_of(Sphere{0.2}, {9, 0, 1}, "stone"));
  thread.frame_a.position = {9, 0, 2};
  thread.axes[joint_x].locked = true;
  thread.break_force = 30;
  world.add(thread);

  world.remove(removed);
  world.ignore_contacts(small, large);
  scene.step.h = 0.005;
  scene.step.geometric_stiffness = false;
  return scene;
}

inline void simulate(Scene& scene, int steps) {
  Stepper stepper(scene.step);
  for (int i = 0; i < steps; ++i) stepper.step(scene.world);
}

}   // namespace stickslip::test
