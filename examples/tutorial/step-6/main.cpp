// Step 6: a tower at rest should cost nothing.
#include "check.h"
#include "scenes.h"
#include "step-6/memory.h"

using namespace tutorial;

constexpr double kStep = 1e-3, kNear = 1e-4, kMu = 0.4, kTolerance = 1e-7;   // [s], [m], [1], [m/s]

struct Run {
  int first = 0, total = 0, last = 0;   // sweeps of the first step, of all, and of the last
  std::vector<Arrow> arrows;            // after the last step
};

Run stand(Bodies bodies, int steps, bool warm, Film* film = nullptr) {
  Memory memory;
  Run run;
  for (int i = 1; i <= steps; ++i) {
    run.arrows =
        step(bodies, kStep, kMu, kNear, [&](const std::vector<Contact>& contacts, std::vector<Rows>& p, Velocities& u) {
          if (warm) memory.recall(contacts, p, u);
          run.last = solve_cone(p, u, kTolerance, 100'000);
          memory.remember(contacts, p);
        });
    run.total += run.last;
    if (i == 1) run.first = run.last;
    if (film != nullptr) film->frame(i * kStep, bodies, run.arrows);
  }
  return run;
}

int main(int argc, char** argv) {
  const int count = 6, steps = 200;
  const Bodies bodies = tower(count, 1);
  Film film(argc, argv, "step 6: forces in a tower", bodies);
  const Run cold = stand(bodies, steps, false), warm = stand(bodies, steps, true, &film);
  std::printf("sweeps of %d steps: %d from zero, %d with a memory (%d in the first step, %d in the last)\n", steps, cold.total,
              warm.total, warm.first, warm.last);
  check("both begin alike [sweeps]", warm.first, cold.first, 0);
  check("at rest the old impulses are the answer: one sweep at most", warm.last <= 1);
  check("a memory saves more than nine sweeps of ten", 10 * warm.total < cold.total);

  // Between box k and the one above it the weight of all that is above: (count − k) m g.
  double worst = 0;
  for (int k = 0; k < count; ++k) {
    double carried = 0;
    for (const Arrow& arrow : warm.arrows)
      if (arrow.a == k) carried += arrow.force.z();
    worst = std::max(worst, std::abs(carried - (count - k) * kGravity) / kGravity);
  }
  // What a residual of kTolerance can hide: a velocity of kTolerance in each step, for each of the boxes above.
  check("every joint of the tower carries what is above it: worst error [weights]", worst, 0,
        4 * count * kTolerance / (kGravity * kStep));
  return checks_failed();
}
