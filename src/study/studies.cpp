// The table of studies.
#include <algorithm>

#include "stickslip/math/error.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

const std::vector<Study>& studies() {
  static const std::vector<Study> table = {
      r_factors(),      row_orders(),    fischer_newton(), sweep_heuristics(), subspace(), pain_and_agony(), mass_ratios(),
      contact_models(), stabilisation(), soft_operators(), integrators(),      six_d(),    profiles(),       own_scene_study(),
  };
  return table;
}

const Study& study_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Study& study : studies()) {
    if (study.name == name) return study;
    names.push_back(study.name);
  }
  throw Error(fmt::format("There is no study '{}'. {}", name, suggest(name, names)));
}

}   // namespace stickslip::study
