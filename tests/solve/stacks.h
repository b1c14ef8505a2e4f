// Stacks of boxes and chains of joints, for tests of sweeps and their orders.
#pragma once

#include "../problem/problems.h"
#include "stickslip/math/block_matrix.h"

namespace stickslip::testing {

/// Unit boxes on top of each other on the ground, four contacts each, falling at 0.1 m/s and drifting sideways, slowly enough
/// to stay upright.
/// @param listed the contacts of which box come first, second, …; empty: bottom up
inline ContactProblem box_stack(int boxes, double mu = 0.5, double drift = 0.002, std::vector<int> listed = {}) {
  ContactProblem p;
  if (listed.empty())
    for (int i = 0; i < boxes; ++i) listed.push_back(i);
  for (int i = 0; i < boxes; ++i) p.segments.push_back(box_segment(1));
  const Mat3 frame = frame_from_normal(Vec3::UnitZ());
  for (const int i : listed)
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5}) {
        const Vec3 free = i == 0 ? Vec3(drift, 0, -0.1) : Vec3(0, 0, 0);
        add_contact(p, i - 1, Vec3(0, 0, i - 0.5), i, Vec3(0, 0, i + 0.5), Vec3(x, y, i), Vec3::UnitZ(), mu,
                    frame.transpose() * free);
      }
  p.finalize();
  return p;
}

/// The same problem with W as a matrix.
inline ContactProblem as_matrix(const ContactProblem& p) {
  ContactProblem m;
  m.matrix = delassus(p);
  m.blocks = p.blocks;
  for (Block& b : m.blocks) b.arity = 0, b.jacobian = 0, b.segment[0] = b.segment[1] = 0;
  m.laws = p.laws;
  m.b = p.b;
  m.sigma.assign(p.rows(), 0.0);   // W of the matrix holds it
  m.lower = p.lower;
  m.upper = p.upper;
  m.finalize();
  return m;
}

/// Velocities of all rows.
inline std::vector<double> row_velocities(const ContactProblem& p, std::span<const double> impulses) {
  std::vector<double> v(p.rows()), scratch;
  p.contact_velocity(impulses, v, scratch);
  return v;
}

}   // namespace stickslip::testing
