// A gripper that holds a ball by the force that it feels: two fingers on slides close until they touch, press with 8 N, lift
// the
// ball and hold on to it while it is pulled at. A controller is a function that looks at the world and the last step, and sets
// efforts, speeds and targets before the next.
#include <cstdio>
#include <exception>

#include "stickslip/step/drive.h"
#include "stickslip/step/sensors.h"

using namespace stickslip;

namespace {

struct Gripper {
  World world;
  BodyId ball;
  JointId lift, left, right;
};

JointId slide(World& world, const char* name, BodyId a, BodyId b, const Vec3& axis) {
  JointDescription joint{.name = name, .type = JointType::prismatic, .a = a, .b = b};
  place_joint(joint, world, world.body(b).position, axis);
  return world.add(joint);
}

Gripper make_gripper() {
  Gripper g;
  World& world = g.world;
  const MaterialId rubber = world.materials.add({.name = "rubber", .density = 1000, .friction = 0.8});
  world.add({.name = "table", .motion = MotionType::fixed, .parts = {{HalfSpace{}, {}, rubber}}});
  g.ball = world.add({.name = "ball", .parts = {{Sphere{0.04}, {}, rubber}}, .pose = {{0, 0, 0.04}}, .mass = 0.3});
  const BodyId hand =
      world.add({.name = "hand", .parts = {{Box{{0.1, 0.03, 0.02}}, {}, rubber}}, .pose = {{0, 0, 0.2}}, .mass = 1.0});
  g.lift = slide(world, "lift", {}, hand, Vec3::UnitZ());
  for (const double side : {-1.0, 1.0}) {
    const BodyId finger = world.add({.name = side < 0 ? "left finger" : "right finger",
                                     .parts = {{Box{{0.01, 0.02, 0.05}}, {}, rubber}},
                                     .pose = {{0.08 * side, 0, 0.07}},
                                     .mass = 0.2});
    (side < 0 ? g.left : g.right) = slide(world, side < 0 ? "left" : "right", hand, finger, {-side, 0, 0});   // + closes
  }
  return g;
}

/// Holds the hand at a height, and closes each finger with a speed until it feels the ball, then with a force.
class HoldByForce {
 public:
  explicit HoldByForce(const Gripper& g)
      : g_(g),
        fingers_(g.world, {{"left", ContactSensor{g.world.find("left finger"), g.ball}},
                           {"right", ContactSensor{g.world.find("right finger"), g.ball}}}) {}

  void operator()(World& world, const StepReport* last) {
    double felt = 0;
    if (last) {
      const auto force = fingers_.read(world, *last);
      felt = 0.5 * (std::abs(force[0]) + std::abs(force[3]));   // x of both
    }
    touched_ = touched_ || felt > 0.5;
    const double since = touched_ ? (touch_time_ = touch_time_ < 0 ? world.time : touch_time_, world.time - touch_time_) : 0;
    push_ += touched_ ? 0.2 * (8 - felt) : 0;   // integrates the error of the force: 8 N whatever friction takes
    for (const JointId finger : {g_.left, g_.right}) {
      const double speed = rate(world, finger), wanted = 0.1;
      world.set_effort(finger, joint_z, touched_ ? push_ - 20 * speed : 20 * (wanted - speed));
    }
    const double height = since > 0.5 ? std::min(0.15, 0.15 * (since - 0.5)) : 0;
    const double error = height - world.joint_position(g_.lift, joint_z), carried = 1.4 + (since > 0.5 ? 0.3 : 0);
    world.set_effort(g_.lift, joint_z, carried * 9.81 + 2000 * error - 120 * rate(world, g_.lift));
  }

 private:
  static double rate(const World& world, JointId id) {
    const Joint& joint = world.joint(id);
    return stickslip::rate(world, joint.description, locate(world, joint).row[joint_z]);
  }

  const Gripper& g_;
  SensorReader fingers_;
  bool touched_ = false;
  double push_ = 0, touch_time_ = -1;
};

}   // namespace

int main() try {
  Gripper g = make_gripper();
  StepOptions options;
  options.h = 0.005;
  Stepper stepper(options);
  HoldByForce controller(g);
  drive(stepper, g.world, 2.5, std::ref(controller));
  g.world.set_applied(g.ball, {0, 0, -4}, Vec3::Zero());   // somebody pulls
  const StepReport& last = drive(stepper, g.world, 0.5, std::ref(controller));
  const Vec3 left = last.wrench(g.ball, g.world.find("left finger"), Vec3::Zero()).force;
  std::printf(
      "the ball is %.0f mm above the table; each finger presses it with %.1f N and carries %.2f N of its weight and pull\n",
      1000 * (g.world.body(g.ball).position.z() - 0.04), left.x(), left.z());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
