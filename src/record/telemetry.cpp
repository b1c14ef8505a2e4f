#include "record/telemetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace stickslip {

namespace {

using R = const StepReport&;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();   ///< of steps that have no such number

/// "0 converged, 1 iteration-limit, …"
std::string_view status_meaning() {
  static const std::string text = [] {
    std::string all;
    for (int i = 0; i <= static_cast<int>(SolveStatus::unsupported); ++i)
      all += fmt::format("{}{} {}", i > 0 ? ", " : "", i, status_name(static_cast<SolveStatus>(i)));
    return all;
  }();
  return text;
}

std::vector<TelemetryColumn> columns_of_contacts() {
  return {
      {"step", "", "", "number of the step, from 1", [](R r) { return static_cast<double>(r.step); }},
      {"time", "s", "s", "simulated time at the end of the step", [](R r) { return r.time; }},
      {"h", "s", "s", "length of the step", [](R r) { return r.h; }},
      {"pieces", "", "", "that the step was taken in, because joints moved too violently for one",
       [](R r) { return static_cast<double>(r.pieces); }},
      {"force_time", "s", "s", "what impulses of contacts are divided by to be forces; h but for steps in pieces",
       [](R r) { return r.force_time; }},
      {"contacts", "", "", "number of contact points", [](R r) { return static_cast<double>(r.contacts.size()); }},
      {"sleeping_bodies", "", "", "bodies asleep at the end", [](R r) { return static_cast<double>(r.sleeping_bodies); }},
      {"looked_again", "", "", "times that the step was solved again because its motion reached what had not been looked at",
       [](R r) { return static_cast<double>(r.looked_again); }},
      {"impacts", "", "", "times at which the step was cut because bodies first touched",
       [](R r) { return static_cast<double>(r.impacts); }},
      {"penetration_max", "m", "m", "largest penetration at detection", [](R r) { return r.penetration_max; }},
      {"distance_min", "m", "m", "smallest distance between two bodies in the step; not a number if none came near",
       [](R r) { return std::isfinite(r.distance_min) ? r.distance_min : kNone; }},
      {"joints", "", "", "joints that acted", [](R r) { return static_cast<double>(r.joints.size()); }},
      {"joints_broken", "", "", "joints that broke in this step",
       [](R r) {
         return static_cast<double>(
             std::count_if(r.joints.begin(), r.joints.end(), [](const JointRecord& j) { return j.broke; }));
       }},
      {"joint_conflicts", "", "", "joints that cannot be satisfied together",
       [](R r) { return static_cast<double>(r.conflicts.size()); }},
      {"joint_error_max", "m", "m", "farthest that locked coordinates of a joint are off, at the end",
       [](R r) { return r.joint_error_max; }},
  };
}

std::vector<TelemetryColumn> columns_of_solve() {
  return {
      {"status", "", "", status_meaning(), [](R r) { return static_cast<double>(r.outcome.status); }},
      {"iterations", "", "", "iterations of the step", [](R r) { return static_cast<double>(r.outcome.iterations); }},
      {"tolerance", "m/s", "m_per_s", "error asked of the step, in the unit of the residual",
       [](R r) { return r.outcome.tolerance; }},
      {"residual", "m/s", "m_per_s", "error of the step: the largest part of the residual",
       [](R r) { return r.outcome.error; }},
      {"residual_initial", "m/s", "m_per_s", "residual of the guess",
       [](R r) { return r.solve ? r.solve->initial_residual.total() : kNone; }},
      {"residual_gap_velocity", "m/s", "m_per_s", "approach although touching",
       [](R r) { return r.solve ? r.solve->residual.gap_velocity : kNone; }},
      {"residual_complementarity", "m/s", "m_per_s", "pushes although separating",
       [](R r) { return r.solve ? r.solve->residual.complementarity : kNone; }},
      {"residual_cone", "m/s", "m_per_s", "impulse outside the friction cone",
       [](R r) { return r.solve ? r.solve->residual.cone : kNone; }},
      {"residual_dissipation", "m/s", "m_per_s", "friction that does not oppose slip",
       [](R r) { return r.solve ? r.solve->residual.dissipation : kNone; }},
      {"residual_bilateral", "m/s", "m_per_s", "violation of joints",
       [](R r) { return r.solve ? r.solve->residual.bilateral : kNone; }},
      {"residual_box", "m/s", "m_per_s", "violation of limits and motors",
       [](R r) { return r.solve ? r.solve->residual.box : kNone; }},
  };
}

std::vector<TelemetryColumn> columns_of_energy() {
  return {
      {"kinetic_energy", "J", "J", "at the end", [](R r) { return r.energy.kinetic_end; }},
      {"potential_energy", "J", "J", "of gravity and soft bodies, at the end", [](R r) { return r.energy.potential_end; }},
      {"dissipated_by_friction", "J", "J", "in this step", [](R r) { return r.energy.friction; }},
      {"dissipated_by_impact", "J", "J", "by normal impulses and hard joints, in this step",
       [](R r) { return r.energy.impact; }},
      {"added_by_stabilisation", "J", "J", "in this step", [](R r) { return r.energy.stabilisation; }},
      {"work_of_applied_forces", "J", "J", "in this step", [](R r) { return r.energy.applied; }},
      {"work_of_kinematic_bodies", "J", "J", "in this step", [](R r) { return r.energy.driven; }},
      {"work_of_motors", "J", "J", "of efforts, motors and servos of joints, in this step",
       [](R r) { return r.energy.motors; }},
      {"work_of_springs", "J", "J", "of springs, dampers and soft limits of joints, in this step",
       [](R r) { return r.energy.springs; }},
      {"dissipated_by_damping", "J", "J", "inside soft bodies, in this step", [](R r) { return r.energy.damping; }},
      {"added_by_integration", "J", "J", "by the time discretisation, in this step", [](R r) { return r.energy.integration; }},
  };
}

std::vector<TelemetryColumn> columns_of_motion() {
  return {
      {"motion_findings", "", "", "kinds of trouble with the motion of this step",
       [](R r) { return static_cast<double>(r.findings.size()); }},
      {"energy_created", "", "", "by nothing that gives energy, part of that of the scene",
       [](R r) { return r.motion[MotionKind::energy_created]; }},
      {"rebound_missed", "", "", "energy lost by impacts without their rebound, part of that of the scene",
       [](R r) { return r.motion[MotionKind::rebound_missed]; }},
      {"overlap_max", "", "", "largest depth, part of the thinner body",
       [](R r) { return r.motion[MotionKind::deep_overlap]; }},
      {"joint_opening_max", "", "", "largest error of a joint, part of the size of its bodies",
       [](R r) { return r.motion[MotionKind::joint_open]; }},
      {"turn_max", "rad", "rad", "farthest that a body turns in this step",
       [](R r) { return r.motion[MotionKind::fast_spin]; }},
      {"jam", "", "", "speed given by a contact that jams, over that of a fall of one step",
       [](R r) { return r.motion[MotionKind::jam]; }},

      {"momentum_x", "kg m/s", "kg_m_per_s", "linear, at the end", [](R r) { return r.linear_momentum.x(); }},
      {"momentum_y", "kg m/s", "kg_m_per_s", "linear, at the end", [](R r) { return r.linear_momentum.y(); }},
      {"momentum_z", "kg m/s", "kg_m_per_s", "linear, at the end", [](R r) { return r.linear_momentum.z(); }},
      {"angular_momentum_x", "kg m²/s", "kg_m2_per_s", "about the world origin, at the end",
       [](R r) { return r.angular_momentum.x(); }},
      {"angular_momentum_y", "kg m²/s", "kg_m2_per_s", "about the world origin, at the end",
       [](R r) { return r.angular_momentum.y(); }},
      {"angular_momentum_z", "kg m²/s", "kg_m2_per_s", "about the world origin, at the end",
       [](R r) { return r.angular_momentum.z(); }},
  };
}

std::vector<TelemetryColumn> columns_of_time() {
  return {
      {"seconds_broad", "s", "s", "wall time of the broad phase", [](R r) { return r.seconds.broad; }},
      {"seconds_narrow", "s", "s", "wall time of the narrow phase", [](R r) { return r.seconds.narrow; }},
      {"seconds_assembly", "s", "s", "wall time of building the problem", [](R r) { return r.seconds.assembly; }},
      {"seconds_solve", "s", "s", "wall time of the solver", [](R r) { return r.seconds.solve; }},
      {"seconds_integration", "s", "s", "wall time of integration", [](R r) { return r.seconds.integration; }},
      {"seconds_projection", "s", "s", "wall time of position projection", [](R r) { return r.seconds.projection; }},
      {"seconds_bookkeeping", "s", "s", "wall time of reports and sleeping", [](R r) { return r.seconds.bookkeeping; }},
  };
}

}   // namespace

std::span<const TelemetryColumn> telemetry_columns() {
  static const std::vector<TelemetryColumn> table = [] {
    std::vector<TelemetryColumn> all;
    for (const auto& columns : {columns_of_contacts, columns_of_solve, columns_of_energy, columns_of_motion, columns_of_time})
      for (const TelemetryColumn& column : columns()) all.push_back(column);
    return all;
  }();
  return table;
}

}   // namespace stickslip
