// Stacks of boxes that drift, and a box on one corner: problems for tests of the accelerated and staggered solvers.
#pragma once

#include "../problem/problems.h"

namespace stickslip::testing {

/// Unit boxes on the ground, four contacts between each, in the first step of 10 ms under gravity.
/// @param ratio mass of the top box over that of the others
/// @param drift speed of the whole stack along x [m/s]
inline ContactProblem drifting_stack(int boxes, double ratio, double drift, double mu) {
  ContactProblem p;
  const Mat3 frame = frame_from_normal(Vec3::UnitZ());
  for (int i = 0; i < boxes; ++i) p.segments.push_back(box_segment(i == boxes - 1 ? ratio : 1));
  for (int i = 0; i < boxes; ++i)
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        add_contact(p, i - 1, {0, 0, i - 0.5}, i, {0, 0, i + 0.5}, {x, y, double(i)}, Vec3::UnitZ(), mu,
                    i == 0 ? Vec3(frame.transpose() * Vec3(drift, 0, -0.0981)) : Vec3(0, 0, 0));
  p.finalize();
  return p;
}

/// A box that touches the ground with one corner, sliding at `speed` along x and falling at 1 m/s. Sliding towards −x,
/// friction presses the corner down: the harder it rubs the harder it is pushed.
inline ContactProblem box_on_corner(double speed, double mu) {
  ContactProblem p;
  p.segments = {box_segment(2)};
  add_contact(p, -1, {}, 0, {0, 0, 0.5}, {0.5, 0.1, 0}, Vec3::UnitZ(), mu,
              frame_from_normal(Vec3::UnitZ()).transpose() * Vec3(speed, 0, -1));
  p.finalize();
  return p;
}

}   // namespace stickslip::testing
