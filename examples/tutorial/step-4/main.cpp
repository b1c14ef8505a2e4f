// Step 4: things that slide, roll and stand.
#include "check.h"
#include "scenes.h"
#include "step-4/pgs.h"

using namespace tutorial;

constexpr double kStep = 1e-3, kNear = 1e-4;   // [s], [m]

/// A step with so many sweeps of projected Gauss–Seidel, from λ = 0.
std::vector<Arrow> step_boxed(Bodies& bodies, double mu, int sweeps) {
  return step(bodies, kStep, mu, kNear, [&](const std::vector<Contact>&, std::vector<Rows>& problem, Velocities& u) {
    for (int i = 0; i < sweeps; ++i) sweep_boxed(problem, u);
  });
}

/// The force that the floor (body 0) carries, straight down [N].
double carried_by_floor(const std::vector<Arrow>& arrows) {
  double sum = 0;
  for (const Arrow& arrow : arrows)
    if (arrow.a == 0) sum += arrow.force.z();
  return sum;
}

int main(int argc, char** argv) {
  const double mu = 0.4;
  // A block slides until friction has taken all of its energy: ½ m v² = μ m g s.
  Bodies block = sliding_block({3, 0, 0});
  for (int i = 0; i < 1500; ++i) step_boxed(block, mu, 50);
  check("a block stops after v²/(2 μ g) [m]", block[1].x.x(), 9 / (2 * mu * kGravity), 3 * kStep);
  check("and stays [m/s]", block[1].v.norm(), 0, 1e-6);

  // A ball that is thrown along the floor slides at first, and rolls at 5/7 of its speed after t = 2 v / (7 μ g).
  Bodies ball = {floor_of(4), Body{Sphere{0.2}, 2}};
  ball[1].x.z() = 0.2, ball[1].v.x() = 3;
  double rolls_since = 0;
  for (int i = 1; i <= 500; ++i) {
    step_boxed(ball, mu, 20);
    const double slip = ball[1].v.x() - ball[1].omega.y() * 0.2;
    if (rolls_since == 0 && slip < 1e-9) rolls_since = i * kStep;
  }
  check("a ball rolls at 5/7 of its speed [m/s]", ball[1].v.x(), 3 * 5.0 / 7, 1e-9);
  check("from 2 v / (7 μ g) on [s]", rolls_since, 2 * 3 / (7 * mu * kGravity), 2 * kStep);

  // A tower of five boxes stands. The floor carries their weight, as well as sweeps can tell.
  Bodies boxes = tower(5, 1);
  Film film(argc, argv, "step 4: a tower", boxes);
  double carried = 0;
  for (int i = 1; i <= 1000; ++i) {
    const std::vector<Arrow> arrows = step_boxed(boxes, mu, 300);
    carried = carried_by_floor(arrows);
    film.frame(i * kStep, boxes, arrows);
  }
  check("a floor carries the weight of a tower [N]", carried, 5 * kGravity, 1e-2 * 5 * kGravity);
  check("whose top stays where it is [m]", boxes.back().x.z(), 0.9, 1e-3);
  return checks_failed();
}
