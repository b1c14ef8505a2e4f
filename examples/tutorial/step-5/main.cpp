// Step 5: the same friction in all directions.
#include <numbers>

#include "check.h"
#include "scenes.h"
#include "step-5/cone.h"

using namespace tutorial;

constexpr double kStep = 1e-3, kNear = 1e-4, kMu = 0.4, kSpeed = 2;

/// Where a block comes to rest that is pushed off in a direction [m].
Vec3 slide(double angle, bool boxed) {
  Bodies bodies = sliding_block(kSpeed * Vec3(std::cos(angle), std::sin(angle), 0));
  for (int i = 0; i < 600; ++i)
    step(bodies, kStep, kMu, kNear, [&](const std::vector<Contact>&, std::vector<Rows>& problem, Velocities& u) {
      for (int k = 0; boxed && k < 50; ++k) sweep_boxed(problem, u);
      if (!boxed) solve_cone(problem, u, 1e-9, 500);
    });
  return bodies[1].x;
}

int main(int argc, char** argv) {
  const double way = kSpeed * kSpeed / (2 * kMu * kGravity), near = kSpeed * kStep;
  double worst = 0;
  for (int k = 0; k < 8; ++k) {
    const double angle = k * std::numbers::pi / 16;
    worst = std::max(worst, (slide(angle, false) - way * Vec3(std::cos(angle), std::sin(angle), 0.05 / way)).norm());
  }
  check("the cone stops a block after v²/(2 μ g) in all directions: worst error [m]", worst, 0, near);

  // Of the boxed model each component has the whole of μ: along the diagonal friction is √2 times what it should be.
  check("the box stops it too early along the diagonal [m]", slide(std::numbers::pi / 4, true).head<2>().norm(),
        way / std::sqrt(2), near);
  const Vec3 bent = slide(std::numbers::pi / 8, true);
  const double c = std::cos(std::numbers::pi / 8), s = std::sin(std::numbers::pi / 8);
  check("and bends its way at 22.5°: y/x is (s/c)² instead of s/c", bent.y() / bent.x(), s * s / (c * c), 1e-2);

  // A slope just too steep for friction, and one just not: tan of the angle against μ. Gravity stays, the slope is turned.
  for (const double slope : {0.95, 1.05}) {
    const double angle = std::atan(slope * kMu);
    const Quat turn(Eigen::AngleAxisd(angle, Vec3::UnitY()));
    Bodies bodies = sliding_block(Vec3::Zero());
    for (Body& body : bodies) body.x = turn * body.x, body.q = turn;
    for (int i = 0; i < 1000; ++i)
      step(bodies, kStep, kMu, kNear, [&](const std::vector<Contact>&, std::vector<Rows>& problem, Velocities& u) {
        solve_cone(problem, u, 1e-10, 2000);
      });
    const double acceleration = std::max(0.0, kGravity * (std::sin(angle) - kMu * std::cos(angle)));
    check(slope < 1 ? "below atan μ a block stays [m/s]" : "above it slides: g (sin α − μ cos α) t [m/s]", bodies[1].v.norm(),
          acceleration, 1e-4);
  }

  // Twelve blocks, pushed off in twelve directions.
  Bodies bodies = {floor_of(4)};
  for (int k = 0; k < 12; ++k) {
    const double angle = k * std::numbers::pi / 6;
    Body block = sliding_block(kSpeed * Vec3(std::cos(angle), std::sin(angle), 0))[1];
    block.x += 1.0 * Vec3(std::cos(angle), std::sin(angle), 0);
    bodies.push_back(block);
  }
  Film film(argc, argv, "step 5: twelve directions", bodies);
  for (int i = 1; argc > 1 && i <= 600; ++i) {
    const auto solve = [&](const std::vector<Contact>&, std::vector<Rows>& p, Velocities& u) { solve_cone(p, u, 1e-9, 500); };
    film.frame(i * kStep, bodies, step(bodies, kStep, kMu, kNear, solve));
  }
  return checks_failed();
}
