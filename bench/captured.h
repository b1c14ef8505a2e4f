// Contact problems of built-in scenes, for benches that time solvers on them.
#pragma once

#include <string>

#include <fmt/format.h>

#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::bench {

struct Captured {
  std::string name;
  ContactProblem problem;
};

/// The contact problem of a built-in scene after some steps, when it lies.
inline Captured capture(const std::string& scene_name, const std::string& parameter, int value, int steps) {
  const Override overrides[] = {{"/parameters/" + parameter, std::to_string(value)}};
  Scene scene = load_scene(scene_name, overrides);
  scene.step.solver = "prox-gs";
  scene.step.max_iterations = 100;
  Stepper stepper(scene.step);
  for (int i = 0; i < steps; ++i) stepper.step(scene.world);
  return {fmt::format("{} {}={}", scene_name, parameter, value), stepper.problem()};
}

}   // namespace stickslip::bench
