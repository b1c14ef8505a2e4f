// Step 1: bodies that fall and spin, with nothing in their way.
#include <numbers>

#include "check.h"
#include "show.h"
#include "step-1/body.h"

using namespace tutorial;

/// A ball thrown up at 5 m/s, for one second.
double thrown(double h) {
  Body ball{Sphere{0.1}};
  ball.v.z() = 5;
  for (int i = 0; i < std::lround(1 / h); ++i) {
    accelerate(ball, h);
    move(ball, h);
  }
  return ball.x.z();
}

/// How long the axis of a spinning plate takes to come back to where it was [s].
double period_of_wobble(Body plate, double h) {
  const Vec3 start = plate.q * Vec3::UnitZ();
  double time = 0, nearest = 1, when = 0;
  const double expected = 2 * std::numbers::pi * moments(plate).x() / (inertia(plate) * plate.omega).norm();
  while (time < 1.5 * expected) {
    accelerate(plate, h);
    move(plate, h);
    time += h;
    const double away = (plate.q * Vec3::UnitZ() - start).norm();
    if (time > 0.5 * expected && away < nearest) nearest = away, when = time;
  }
  return when;
}

int main(int argc, char** argv) {
  // z(t) = v t − ½ g t². The scheme falls ½ g h t farther: an error that halves with h.
  check("height of a ball thrown up at 5 m/s, after 1 s, h = 1/100", thrown(0.01), 5 - 0.5 * kGravity * (1 + 0.01), 1e-12);
  check("the same with h = 1/1000", thrown(0.001), 5 - 0.5 * kGravity * (1 + 0.001), 1e-12);

  // A free symmetric top: its axis goes around the angular momentum L at the rate |L| / I₁.
  Body plate{Box{{0.5, 0.5, 0.05}}};
  plate.omega = {0.5, 0, 5};
  const double rate = (inertia(plate) * plate.omega).norm() / moments(plate).x();
  check("a thrown plate wobbles with the period 2π I₁ / |L|", period_of_wobble(plate, 1e-4), 2 * std::numbers::pi / rate, 2e-3);

  Bodies bodies = {plate, Body{Sphere{0.2}}};
  bodies[0].v.z() = bodies[1].v.z() = 5;
  bodies[1].x.x() = 1;
  Film film(argc, argv, "step 1: thrown", bodies);
  const double h = 0.001;
  for (int i = 1; i <= 1000; ++i) {
    for (Body& body : bodies) {
      accelerate(body, h);
      move(body, h);
    }
    film.frame(i * h, bodies);
  }
  return checks_failed();
}
