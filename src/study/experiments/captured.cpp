#include "study/experiments/captured.h"

namespace stickslip::study {

CapturedProblem captured_problem(const CaseRun& run, const std::string& name, const std::vector<Override>& overrides,
                                 int step) {
  Scene scene = run.load(name, overrides);
  Stepper stepper(scene.step);
  for (int i = 0; i < step; ++i) {
    run.check_cancelled();
    stepper.step(scene.world);
  }
  return {stepper.problem(), {stepper.guess().begin(), stepper.guess().end()}};
}

}   // namespace stickslip::study
