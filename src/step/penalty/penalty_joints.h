// Joints as springs and dampers, for the penalty integrator: every coordinate that a joint locks, limits, drives or rubs is a
// row with a force, −k c − b c', within bounds (docs/penalty.md). Rows of angles are angles times a length, so that all are in
// m, m/s and N. They stay what they are within a piece of a step, as contacts do, and are those of its middle: what turns by θ
// about a joint leaves its tangent by θ²/2 of the arm, and a spring that did not see that would give the work of it away.
//
//   locked, coupling   c: how far off; k such that the load of all that joints hang together pulls it off by the wanted depth
//   limit              the same, beyond it only, and never pulls
//   spring, servo      k and b of the joint
//   effort             the force, whatever c does
//   motor              what its speed takes, up to its force. Explicit substeps solve for it
//                      (step/penalty/penalty_driven_rows.h); to implicit ones it is a damper beyond all that it carries
//   armature           −I (change of the speed) / time, solved for as motors are; implicit: a damper of I / time to the speed
//                      before
//   friction           a spring that gives way where it reaches the force of dry friction: its force is remembered, as those of
//                      anchored contacts are
#pragma once

#include "math/infinity.h"
#include "step/joints/joint_rows.h"
#include "step/penalty/penalty_contacts.h"

namespace stickslip {

struct PenaltyJointRow {
  /// A body, and the motion of it that the row is: (direction) · (velocity, angular velocity).
  struct Mover {
    std::uint32_t segment = 0, offset = 0;
    Eigen::Matrix<double, 6, 1> direction = Eigen::Matrix<double, 6, 1>::Zero();
  };

  std::uint32_t joint = 0;
  JointPart part = JointPart::locked;
  std::uint8_t coordinate = 0;
  double scale = 1;   ///< row = scale · coordinate
  int count = 0;      ///< movers
  std::array<Mover, kInlineSegments> movers = {};
  Vec3 force_on_b = Vec3::Zero(), torque_on_b = Vec3::Zero();   ///< per unit of force, about the origin of frame B
  double stiffness = 0, damping = 0;                            ///< [N/m, N s/m]
  double push = 0;                                              ///< force of an effort [N]
  double inertia = 0;                                           ///< of armature [kg]
  double target_speed = 0;                                      ///< of what the row is to follow [m/s]
  double most = kInfinity;                                      ///< size of the force, at most [N]
  bool one_sided = false;                                       ///< acts where the value is negative, and only pushes
  double driven = 0;                                            ///< speed that scripts prescribe [m/s]
  // State.
  double value = 0, speed = 0;   ///< [m, m/s]
  double force = 0;              ///< of the last evaluation [N]
  // Sums over the piece.
  double impulse = 0, work = 0, driven_work = 0;   ///< [N s, J, J]
  double energy_start = 0;                         ///< stored at the start [J]

  /// Whether explicit substeps solve for its force.
  bool is_driven() const { return part == JointPart::armature || part == JointPart::motor; }
  double force_at(double c, double rate) const;
  /// −∂force/∂rate over a substep at whose end the value is c [N s/m]
  double slope_at(double c, double rate, double time) const;
  double energy() const { return one_sided && value >= 0 ? 0 : 0.5 * stiffness * value * value; }
  void book(double time, double mean_speed) {
    impulse += time * force;
    work += time * force * mean_speed;
    driven_work += time * force * driven;
  }
  void move(double time, double drift);
};

class PenaltyJoints {
 public:
  /// Pieces in which a step is to be taken, so that rows are what they are long enough: bodies leave the arcs on which joints
  /// hold them by little, and follow the swings that tension gives to what is light.
  double pieces_of(const World&, double h, double depth);
  /// By body slot, of all that joints hang together with it [N]; nothing without joints.
  std::span<const double> find_loads(const World&);
  /// @pre `find_loads` of the same world
  void build(const PenaltySetting&);
  std::vector<PenaltyJointRow>& all() { return rows_; }
  const std::vector<PenaltyJointRow>& all() const { return rows_; }

  static double speed(const PenaltyJointRow&, std::span<const double> u);
  static void push(const PenaltyJointRow&, double impulse, std::span<double> momenta);
  void add_limits(PenaltyLimits&) const;
  /// Adds forces of a piece to the records of a step, and its work to the ledger; remembers what friction holds with.
  void record(World&, double time, double step_time, StepReport&);

 private:
  struct View;
  void add_rows(const PenaltySetting&, const View&);
  void add_axis(const PenaltySetting&, const View&, int coordinate);
  void add_armature(const PenaltySetting&, const View&, int coordinate);
  PenaltyJointRow row_of(const PenaltySetting&, const View&, JointPart, int coordinate, const JointRow&, double scale) const;
  void add_gear(const PenaltySetting&, std::uint32_t slot);
  void add(const PenaltySetting&, PenaltyJointRow);
  void find_middles(const PenaltySetting&);
  JointPlace middle_of(const World&, const Joint&) const;
  void hold(const PenaltySetting&, PenaltyJointRow&, double lever) const;

  std::vector<PenaltyJointRow> rows_;
  std::vector<Pose> middles_;           ///< by body slot: where bodies are in the middle of the piece
  std::vector<double> load_;            ///< by body slot: of all that joints hang together with it [N]
  std::vector<double> segment_load_;    ///< the same by segment
  std::vector<std::uint32_t> parent_;   ///< by body slot
};

}   // namespace stickslip
