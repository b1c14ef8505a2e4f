// Every iteration of steps by barriers, as they are taken: what a study of the minimisation looks at.
#pragma once

#include <functional>
#include <memory>

#include "stickslip/step/integrator.h"

namespace stickslip {

/// What one iteration of a step did.
struct BarrierIteration {
  long step = 0;              ///< of the world, before it is taken
  int round = 0;              ///< times that friction took over normal forces before it, from 0 in every step
  int iteration = 0;          ///< from 1 in every step
  double value = 0;           ///< of what is minimised, after it; friction of another round is another function [J]
  double gradient = 0;        ///< norm of the gradient before it, of forces and torques [N, N m]
  double speed = 0;           ///< of the whole direction: what the tolerance of the step is compared with [m/s]
  double free = 1;            ///< smallest part of the direction that nothing lay in the way of
  double taken = 1;           ///< smallest part of what was free that the line search took
  bool coupled = false;       ///< whether friction followed normal forces within it
  std::size_t contacts = 0;   ///< pairs of features within range, after it
};

/// The integrator "barrier", which calls `observer` after every iteration and steps as a `Stepper` does, to the same bits.
std::unique_ptr<Integrator> make_observed_barrier(const StepOptions&, std::function<void(const BarrierIteration&)> observer);

}   // namespace stickslip
