// Step 7: long steps, fast balls and overlaps.
#include "check.h"
#include "scenes.h"
#include "step-7/stabilise.h"

using namespace tutorial;

int main(int argc, char** argv) {
  // A ball falls onto the floor in steps of 1/60 s, and stops on it: neither in it nor above it.
  Bodies ball = {floor_of(2), Body{Sphere{0.2}}};
  ball[1].x.z() = 1.2;
  Simulator falling{.h = 1.0 / 60};
  double lowest = 1;
  for (int i = 0; i < 60; ++i) {
    falling.advance(ball);
    lowest = std::min(lowest, ball[1].x.z());
  }
  check("a ball lands at its radius above the floor [m]", ball[1].x.z(), 0.2, 1e-9);
  check("and is never lower [m]", lowest, 0.2, 1e-9);

  // At 50 m/s it moves half a metre in a step. The wall is 2 cm thick.
  Bodies bullet = {Body{Box{{0.01, 1, 1}}, 1, true}, Body{Sphere{0.05}}};
  bullet[1].x.x() = -1.2, bullet[1].v.x() = 50;
  Simulator fast;
  for (int i = 0; i < 10; ++i) fast.advance(bullet);
  check("a fast ball stops at a thin wall [m]", bullet[1].x.x(), -0.06, 1e-9);

  // A ball that begins 1 cm deep in the floor: a fifth of what is left goes in every step.
  Bodies deep = {floor_of(2), Body{Sphere{0.2}}};
  deep[1].x.z() = 0.19;
  Simulator slow;
  for (int i = 0; i < 10; ++i) slow.advance(deep);
  check("an overlap shrinks as (1 − υ)ⁿ [m]", 0.2 - deep[1].x.z(), 0.01 * std::pow(0.8, 10), 1e-9);

  // Ten seconds of a tower that leans on nothing, and of a block on a slope at 90 % of what friction can hold.
  Bodies boxes = tower(6, 1);
  Simulator standing;
  for (int i = 0; i < 1000; ++i) standing.advance(boxes);
  check("the top of a tower after 10 s [m]", (boxes.back().x - Vec3(0, 0, 1.1)).norm(), 0, 1e-6);
  Bodies slope = sliding_block(Vec3::Zero());
  const Quat turn(Eigen::AngleAxisd(std::atan(0.9 * 0.4), Vec3::UnitY()));
  for (Body& body : slope) body.x = turn * body.x, body.q = turn;
  const Vec3 before = slope[1].x;
  Simulator holding;
  for (int i = 0; i < 1000; ++i) holding.advance(slope);
  check("a block on a slope creeps in 10 s by [m]", (slope[1].x - before).norm(), 0, 1e-6);

  // To look at: a ball knocks a tower over.
  Bodies scene = tower(6, 1);
  scene.push_back(Body{Sphere{0.15}, 6});
  scene.back().x = {-1.5, 0.05, 0.75}, scene.back().v = {6, 0, 1.2};
  Film film(argc, argv, "step 7: a ball and a tower", scene);
  Simulator simulator{.h = 0.005, .tolerance = 1e-5};
  for (int i = 1; argc > 1 && i <= 300; ++i) film.frame(i * simulator.h, scene, simulator.advance(scene));
  return checks_failed();
}
