// The library of small problems that every solver is tried on.
#pragma once

#include <string>

#include "problems.h"

namespace stickslip::testing {

struct SmallProblem {
  std::string name;
  ContactProblem problem;
};

/// A body of the given mass in a V of two planes that rise at 45°, sliding along the groove.
inline ContactProblem wedge() {
  ContactProblem p;
  p.segments = {box_segment(3)};
  const Vec3 center(0, 0, 1);
  for (const double side : {-1.0, 1.0})
    for (const double y : {-0.4, 0.4}) {
      const Vec3 normal = Vec3(-side, 0, 1).normalized(), point = center - 0.5 * normal + Vec3(0, y, 0);
      add_contact(p, -1, {}, 0, center, point, normal, 0.3, frame_from_normal(normal).transpose() * Vec3(0.1, 0.8, -1));
    }
  p.finalize();
  return p;
}

/// A table on four legs with a load off its centre, pushed sideways and turned.
inline ContactProblem four_legged_table() {
  ContactProblem p;
  p.segments = {box_segment(20, 0.6)};
  const Vec3 center(0.1, -0.05, 0.8);
  const Vec3 u(0.3, 0.1, -0.5), omega(0.2, -0.1, 0.4);
  for (const double x : {-0.6, 0.6})
    for (const double y : {-0.4, 0.4}) {
      const Vec3 point(x, y, 0);
      add_contact(p, -1, {}, 0, center, point, Vec3::UnitZ(), 0.6,
                  frame_from_normal(Vec3::UnitZ()).transpose() * Vec3(u + omega.cross(point - center)));
    }
  p.finalize();
  return p;
}

/// A body hung on a ball joint with a motor that reaches its limit and one that does not, touching the ground.
inline ContactProblem joint_motors_and_contact() {
  ContactProblem p;
  p.segments = {box_segment(2)};
  add_contact(p, -1, {}, 0, {0, 0, 0.5}, {0.5, 0.3, 0}, Vec3::UnitZ(), 0.4, {-0.6, 0.2, 0.1});
  const auto add_rows = [&](BlockKind kind, std::initializer_list<std::array<double, 6>> rows, std::initializer_list<double> b,
                            double bound) {
    Block block{kind,
                static_cast<std::uint8_t>(rows.size()),
                1,
                static_cast<std::uint32_t>(p.b.size()),
                static_cast<std::uint32_t>(p.jacobian_values.size()),
                0,
                {}};
    for (const auto& row : rows) p.jacobian_values.insert(p.jacobian_values.end(), row.begin(), row.end());
    p.b.insert(p.b.end(), b);
    p.sigma.resize(p.b.size(), 0.0);
    p.lower.resize(p.b.size(), -bound);
    p.upper.resize(p.b.size(), bound);
    p.blocks.push_back(block);
    p.laws.emplace_back(CircularFriction{});
  };
  p.lower.resize(3, 0.0);
  p.upper.resize(3, 0.0);
  add_rows(BlockKind::bilateral, {{1, 0, 0, 0, 0.5, 0}, {0, 1, 0, -0.5, 0, 0}}, {0.3, -0.2}, 1);
  add_rows(BlockKind::box, {{0, 0, 0, 0, 0, 1}}, {4}, 0.05);
  add_rows(BlockKind::box, {{0, 0, 0, 1, 0, 0}}, {-0.1}, 100);
  p.finalize();
  return p;
}

inline std::vector<SmallProblem> small_problems() {
  return {
      {"sliding", particle_contact({-1, 3, 4}, 0.5)},
      {"sticking", particle_contact({-1, 0.2, 0.1}, 0.5)},
      {"separation", particle_contact({0.5, 3, 0}, 0.5)},
      {"wedge", wedge()},
      {"redundant stack", two_box_stack(2, 1, 0.2)},
      {"sliding stack", two_box_stack(2, 1, 3)},
      {"mass ratio 1e4", two_box_stack(1, 1e4, 0.2)},
      {"table", four_legged_table()},
      {"joint and motors", joint_motors_and_contact()},
      {"nothing",
       [] {
         ContactProblem p;
         p.finalize();
         return p;
       }()},
      {"without friction", particle_contact({-1, 3, 4}, 0)},
      {"friction 5", particle_contact({-1, 3, 4}, 5)},
  };
}

}   // namespace stickslip::testing
