// Scenes and files for the tests of records.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

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
  world.materials.set_pair(rubber, ice, {0.17, 0.05});
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
  return scene;
}

inline void simulate(Scene& scene, int steps) {
  Stepper stepper(scene.step);
  for (int i = 0; i < steps; ++i) stepper.step(scene.world);
}

}  // namespace stickslip::test
