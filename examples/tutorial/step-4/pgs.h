// Many contacts at once: projected Gauss–Seidel without a matrix.
#pragma once

#include <algorithm>

#include "show.h"
#include "step-3/jacobian.h"

namespace tutorial {

using Velocities = std::vector<Vec6>;   // of all bodies

inline Velocities velocities_of(const Bodies& bodies) {
  Velocities u;
  for (const Body& body : bodies) u.push_back(velocity(body));
  return u;
}

inline std::vector<Rows> rows_of(const std::vector<Contact>& contacts, const Bodies& bodies, double mu) {
  std::vector<Rows> problem;
  for (const Contact& c : contacts) problem.push_back(make_rows(c, bodies, mu));
  return problem;
}

/// One sweep over all contacts, row by row: λ ← what makes the velocity of the row 0, within its bounds. The velocities u
/// always hold what all impulses so far have done.
inline void sweep_boxed(std::vector<Rows>& problem, Velocities& u) {
  for (Rows& c : problem) {
    Vec6 &ua = u[static_cast<std::size_t>(c.a)], &ub = u[static_cast<std::size_t>(c.b)];
    for (int k = 0; k < 3; ++k) {
      const double v = c.relative(ua, ub)[k] - (k == 0 ? c.bias : 0);
      const double wanted = c.lambda[k] - v / c.W(k, k), limit = c.mu * c.lambda[0];
      const double allowed = k == 0 ? std::max(0.0, wanted) : std::clamp(wanted, -limit, limit);
      Vec3 change = Vec3::Zero();
      change[k] = allowed - c.lambda[k];
      c.lambda[k] = allowed;
      apply(c, change, ua, ub);
    }
  }
}

/// What to see of the contacts after a step of h.
inline std::vector<Arrow> arrows_of(const std::vector<Contact>& contacts, const std::vector<Rows>& problem, double h) {
  std::vector<Arrow> arrows;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    arrows.push_back({c.a, c.b, c.point, c.normal, c.gap, contact_frame(c.normal) * problem[i].lambda / h});
  }
  return arrows;
}

/// A step of h: accelerate, look for contacts, solve, move. Contacts nearer than `near` count as touching.
template <class Solve>
std::vector<Arrow> step(Bodies& bodies, double h, double mu, double near, Solve&& solve) {
  for (Body& body : bodies) accelerate(body, h);
  const std::vector<Contact> contacts = collide(bodies, near);
  std::vector<Rows> problem = rows_of(contacts, bodies, mu);
  Velocities u = velocities_of(bodies);
  solve(contacts, problem, u);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i].fixed) set_velocity(bodies[i], u[i]);
    move(bodies[i], h);
  }
  return arrows_of(contacts, problem, h);
}

}   // namespace tutorial
