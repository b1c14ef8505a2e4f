// Positions in a method that solves for velocities: gaps close and never overshoot, overlaps go away.
#pragma once

#include "step-6/memory.h"

namespace tutorial {

/// What the normal velocity must not fall below. A gap may close within the step and no farther: v ≥ −gap/h. Of an overlap
/// the part `recovery` is to be gone after the step: v ≥ −recovery · gap/h, which is positive.
inline double least_velocity(double gap, double h, double recovery) { return gap > 0 ? -gap / h : -recovery * gap / h; }

/// How far bodies can come towards each other in a step [m]: contacts that near must be known.
inline double reach_of_step(const Bodies& bodies, double h) {
  double fastest = 0;
  for (const Body& body : bodies) {
    const auto* box = std::get_if<Box>(&body.shape);
    fastest = std::max(fastest, body.v.norm() + (box == nullptr ? 0 : body.omega.norm() * box->half.norm()));
  }
  return 2 * h * (fastest + h * kGravity);
}

/// The simulator so far: friction in a cone, a memory, gaps and overlaps.
struct Simulator {
  double h = 0.01, mu = 0.4, recovery = 0.2, tolerance = 1e-7;
  Memory memory = {};
  int sweeps = 0;   // of the last step

  std::vector<Arrow> advance(Bodies& bodies) {
    const double near = reach_of_step(bodies, h);
    return step(bodies, h, mu, near, [&](const std::vector<Contact>& contacts, std::vector<Rows>& problem, Velocities& u) {
      for (std::size_t i = 0; i < contacts.size(); ++i) problem[i].bias = least_velocity(contacts[i].gap, h, recovery);
      memory.recall(contacts, problem, u);
      sweeps = solve_cone(problem, u, tolerance, 20'000);
      memory.remember(contacts, problem);
    });
  }
};

}   // namespace tutorial
