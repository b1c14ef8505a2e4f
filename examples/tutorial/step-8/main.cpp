// Step 8: a ton on a tower of boxes.
#include "check.h"
#include "scenes.h"
#include "step-8/newton.h"

using namespace tutorial;

constexpr double kStep = 0.01, kMu = 0.4, kTolerance = 1e-9;   // [s], [1], [m/s]

/// The contact problem of the first step of a scene.
std::vector<Rows> problem_of(Bodies& bodies, Velocities& u) {
  for (Body& body : bodies) accelerate(body, kStep);
  u = velocities_of(bodies);
  return rows_of(collide(bodies, 1e-4), bodies, kMu);
}

int main(int argc, char** argv) {
  // A column of balls, each pushed aside: contacts of which some stick and some slide. Errors of Newton's method square
  // themselves.
  Bodies column = {floor_of(2)};
  for (int k = 0; k < 4; ++k) {
    Body ball{Sphere{0.1}, 1};
    ball.x.z() = 0.1 + 0.2 * k;
    ball.v.x() = k % 2 ? 0.05 : -0.02, ball.v.y() = 0.01 * k;
    column.push_back(ball);
  }
  Velocities u;
  std::vector<Rows> problem = problem_of(column, u);
  const Newton report = solve_newton(problem, u, kTolerance, 50);
  std::printf("errors [m/s]:");
  for (const double error : report.errors) std::printf(" %.1e", error);
  std::printf("\n");
  check("Newton's method ends within ten iterations", report.iterations <= 10);
  check("its answer has no error by the measure of the sweeps [m/s]", residual(problem, u), 0, kTolerance);

  // The same tower with heavier and heavier loads.
  for (const double load : {1.0, 100.0, 10'000.0}) {
    Bodies boxes = tower(5, load);
    Velocities by_sweeps, by_newton;
    std::vector<Rows> swept = problem_of(boxes, by_sweeps), solved = swept;
    by_newton = by_sweeps;
    const int sweeps = solve_cone(swept, by_sweeps, 1e-6, 20'000);
    const Newton newton = solve_newton(solved, by_newton, 1e-6, 50);
    std::printf("load of %g kg: %d sweeps leave %.1e m/s, %d Newton steps leave %.1e m/s\n", load, sweeps,
                residual(swept, by_sweeps), newton.iterations, residual(solved, by_newton));
    if (load > 1) check("which the sweeps do not reach", sweeps == 20'000);
    double carried = 0;
    for (const Rows& rows : solved)
      if (rows.a == 0) carried += rows.lambda[0] / kStep;
    check("the floor carries boxes and load: over their weight", carried / ((4 + load) * kGravity), 1, 1e-4);
    check("in at most forty Newton steps", newton.iterations <= 40);
  }

  // The whole simulator with Newton's method.
  Bodies block = sliding_block({2, 1, 0});
  for (int i = 0; i < 800; ++i)
    step(block, 1e-3, kMu, 1e-4,
         [&](const std::vector<Contact>&, std::vector<Rows>& p, Velocities& w) { solve_newton(p, w, kTolerance, 50); });
  check("a block stops after v²/(2 μ g) [m]", block[1].x.head<2>().norm(), 5 / (2 * kMu * kGravity), 5e-3);

  Bodies scene = tower(5, 1000);
  Film film(argc, argv, "step 8: a ton on a tower", scene);
  for (int i = 1; argc > 1 && i <= 100; ++i)
    film.frame(i * kStep, scene,
               step(scene, kStep, kMu, 1e-4,
                    [&](const std::vector<Contact>&, std::vector<Rows>& p, Velocities& w) { solve_newton(p, w, 1e-8, 50); }));
  return checks_failed();
}
