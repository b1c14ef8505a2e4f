// Builds a small stack of boxes, lets it settle and asks who carries what.
#include <cstdio>
#include <exception>

#include "stickslip/record/recorder.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"
#include "stickslip/world/world.h"

int main() try {
  using namespace stickslip;
  World world;
  const MaterialId wood = world.materials.add({.name = "wood", .density = 600, .friction = 0.4});

  BodyDescription ground;
  ground.name = "ground";
  ground.motion = MotionType::fixed;
  ground.parts = {{HalfSpace{}, {}, wood}};
  const BodyId ground_id = world.add(ground);

  double weight = 0;
  for (int i = 0; i < 5; ++i) {
    BodyDescription box;
    box.parts = {{Box{Vec3::Constant(0.1)}, {}, wood}};
    box.pose.position = {0, 0, 0.1 + 0.2 * i};
    weight += world.body(world.add(box)).mass.mass * 9.81;
  }

  StepOptions options;
  options.h = 0.005;
  Stepper stepper(options);
  const StepReport* report = nullptr;
  for (int i = 0; i < 200; ++i) report = &stepper.step(world);

  const double carried = -report->force_on(ground_id).z();
  std::printf("%zu boxes weigh %.2f N; after %.1f s the ground carries %.1f %% of the weight\n", world.body_count() - 1, weight,
              world.time, 100 * carried / weight);
  std::printf("the solver was wrong by %.1e m/s, in %d iterations\n", report->solve->residual.total(),
              report->solve->iterations);

  // The contact problem of the last step is a plain value: look at it, save it, solve it again with another method.
  const Eigen::MatrixXd w = delassus(stepper.problem()).dense();
  std::vector<double> impulses(stepper.problem().rows());
  Workspace workspace;
  const SolveReport again = make_solver("alart-curnier")->solve(stepper.problem(), impulses, workspace);
  std::printf("its W has %td rows; alart-curnier solves it from zero in %d iterations\n", w.rows(), again.iterations);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
