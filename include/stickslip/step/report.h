// What a finished step tells: contacts with their impulses, energy, timings. One record, read by everyone.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/solve/solver.h"
#include "stickslip/step/motion.h"
#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// The area that a contact stands for (docs/patches.md).
struct ContactOutline {
  std::vector<Vec3> corners;   ///< once around, world frame [m]; sixteen of an ellipse, two of an edge
  double volume = 0;           ///< that the two bodies share there [m³]; 0 if points made it
};

/// One contact of a finished step.
struct ContactRecord {
  BodyId body_a, body_b;
  ContactKey key;          ///< colliders, parts and features
  Vec3 position;           ///< world frame [m]
  Vec3 normal;             ///< from A to B, unit
  double gap;              ///< at detection; negative is penetration [m]
  Vec3 impulse;            ///< on body B, world frame, over the step [N s]; body A gets the opposite
  double normal_impulse;   ///< λₙ = impulse · normal ≥ 0 [N s]
  double friction;         ///< coefficient μ; of other laws than Coulomb's the farthest that F(1) reaches along a tangent
  Vec3 slip_velocity;      ///< tangential velocity of B relative to A, mean over the drift of the step, world frame [m/s]
  Vec3 angular_impulse;    ///< of torsion and rolling friction on body B, world frame [N m s]; body A gets the opposite
  std::shared_ptr<const ContactOutline> outline = {};   ///< of a contact that stands for an area; null: a point

  /// Where the pressure of an area acts in sum, or the place of a point; world frame [m].
  Vec3 center_of_pressure() const {
    return outline && normal_impulse > 0 ? Vec3(position + normal.cross(angular_impulse) / normal_impulse) : position;
  }
};

/// One joint of a finished step. Forces are means over the step.
struct JointRecord {
  JointId joint;
  Quat frame = Quat::Identity();   ///< axes of frame A in the world: frame⁻¹ · force is the force in the joint frame
  Vec3 point = Vec3::Zero();       ///< origin of frame B when the problem was set up, world frame [m]
  Vec3 force = Vec3::Zero();       ///< on body B, at `point`, world frame [N]; A receives the opposite
  Vec3 torque = Vec3::Zero();      ///< on body B about `point`, world frame [N m]; A receives the opposite
  std::array<double, kJointCoordinates> position = {};      ///< at the end of the step [m, rad]; of a gear: the error in x
  std::array<double, kJointCoordinates> velocity = {};      ///< at the end of the step [m/s, rad/s]
  std::array<double, kJointCoordinates> motor_force = {};   ///< of effort, motor and servo [N, N m]
  /// of effort, motor, servo, spring, friction, armature and limits together [N, N m]
  std::array<double, kJointCoordinates> free_force = {};
  double coupling_force = 0;   ///< of a screw or gear, on its second coordinate (z of a screw) [N or N m]
  double error = 0;            ///< how far locked coordinates are off at the end, angles times the size of the bodies [m]
  bool broke = false;          ///< in this step

  Vec3 force_in_joint() const { return frame.conjugate() * force; }     ///< axes of frame A [N]
  Vec3 torque_in_joint() const { return frame.conjugate() * torque; }   ///< axes of frame A [N m]
};

/// What holds a soft body to a rigid one that forces move, in a finished step: all nodes that are attached to it in sum.
struct AttachmentRecord {
  BodyId soft, body;
  std::size_t nodes = 0;
  Vec3 point = Vec3::Zero();    ///< middle of the nodes when the problem was set up, world frame [m]
  Vec3 force = Vec3::Zero();    ///< on the soft body, mean over the step, world frame [N]; the rigid one receives the opposite
  Vec3 torque = Vec3::Zero();   ///< on the soft body about `point`, world frame [N m]; likewise
  double error = 0;             ///< how far the nodes are from their places at the end, at most [m]
};

/// Joints that ask for what cannot be, together: no motion satisfies all of them.
struct JointConflict {
  JointId joint;
  double speed = 0;   ///< that the joint asks for in vain [m/s]
};

struct Wrench {
  Vec3 force = Vec3::Zero();    ///< world frame [N]
  Vec3 torque = Vec3::Zero();   ///< about the reference point the function names, world frame [N m]
};

/// Energy over one step. The entries add up:
/// kinetic_end + potential_end − kinetic_start − potential_start =
///   applied + driven + motors + springs + stabilisation − friction − impact − damping + integration.
struct EnergyLedger {
  double kinetic_start = 0, kinetic_end = 0;       ///< [J]
  double potential_start = 0, potential_end = 0;   ///< gravity, and what soft bodies store [J]
  double friction = 0;                             ///< dissipated by friction, of contacts and joints [J]
  double impact = 0;          ///< dissipated by normal impulses, hard limits and locked coordinates of joints [J]
  double stabilisation = 0;   ///< added by Baumgarte terms and position projection [J]
  double applied = 0;         ///< work of applied forces and torques [J]
  double driven = 0;          ///< work of kinematic bodies on dynamic ones through contacts and joints [J]
  double motors = 0;          ///< work of efforts, motors and servos [J]
  double springs = 0;         ///< work of springs, dampers and soft limits of joints [J]
  double damping = 0;         ///< dissipated inside soft bodies [J]
  double integration = 0;     ///< what the time discretisation added (negative: lost) [J]

  /// When all else is known: what is left over is the discretisation's.
  void close(double kinetic, double potential) {
    kinetic_end = kinetic;
    potential_end = potential;
    integration = kinetic_end + potential_end - kinetic_start - potential_start -
                  (applied + driven + motors + springs + stabilisation - friction - impact - damping);
  }
};

struct StageTimes {
  double broad = 0, narrow = 0, assembly = 0, solve = 0, integration = 0, projection = 0, bookkeeping = 0;   ///< [s]
  double total() const { return broad + narrow + assembly + solve + integration + projection + bookkeeping; }
};

/// How the equations of a step came out, whichever integrator took it.
struct StepOutcome {
  SolveStatus status = SolveStatus::converged;
  std::string_view reason;   ///< one sentence of fixed text; empty when converged
  int iterations = 0;
  double error = 0;       ///< what is left of the equations [unit]
  double tolerance = 0;   ///< that was asked for [unit]
  std::string_view unit = "m/s";
};

struct StepReport {
  std::uint64_t step = 0;   ///< number of this step, from 1
  double time = 0;          ///< at the end of the step [s]
  double h = 0;             ///< [s]
  int pieces = 1;           ///< that the step was taken in, more than one where joints or soft bodies move too violently
  /// What impulses of contacts are divided by to be forces [s]: h, but for steps where pieces become shorter or longer.
  double force_time = 0;
  StepOutcome outcome;
  std::optional<SolveReport> solve;                       ///< of integrators that solve a contact problem
  SoftOperator soft_operator = SoftOperator::automatic;   ///< that was used; automatic: no soft body was there
  int linearisations = 0;                                 ///< of soft bodies, in the last piece
  double soft_error = 0;    ///< largest change of a velocity by the last of several linearisations [m/s]; 0 of one
  int factorisations = 0;   ///< of the matrices of soft bodies; 0 where those of earlier steps served
  int looked_again =
      0;             ///< solves that were repeated because the solved motion met contacts that lay too far ahead to be known
  int impacts = 0;   ///< times at which the step was cut because a body first touched another (Continuous::impact)
  /// Smallest distance between two bodies in the step, negative for penetration [m]; infinite if none came near.
  double distance_min = std::numeric_limits<double>::infinity();
  double penetration_max = 0;   ///< largest penetration among the contacts at detection [m]
  EnergyLedger energy;
  Vec3 linear_momentum = Vec3::Zero();    ///< at the end [kg m/s]
  Vec3 angular_momentum = Vec3::Zero();   ///< about the world origin, at the end [kg m²/s]
  StageTimes seconds;
  std::size_t sleeping_bodies = 0;
  std::vector<ContactRecord> contacts;         ///< sorted by key
  std::vector<JointRecord> joints;             ///< of all joints that acted in this step, in the order of their slots
  std::vector<AttachmentRecord> attachments;   ///< of soft bodies to rigid ones that forces move
  std::vector<JointConflict>
      conflicts;                ///< joints that cannot be satisfied together, worst first; empty if the solve met its tolerance
  double joint_error_max = 0;   ///< largest error of a joint at the end of the step [m]
  MotionMeasures motion;        ///< how the motion fares, relative to the sizes of the scene
  std::vector<MotionFinding>
      findings;   ///< what a person should know about the motion: the worst of each kind; empty if all is well

  /// Takes number, time and momenta of the world after a step of h.
  void tell_of(const World&, double step_length);

  /// What a joint did, or null if it did not act. Valid until the next step.
  const JointRecord* joint(JointId) const;
  /// Sum of all contact forces on a body, world frame, averaged over the step [N]. Joints are not among them.
  Vec3 force_on(BodyId) const;
  /// Sum of the contact forces that `on` receives from `from`, and their torque about `reference` (world frame).
  Wrench wrench(BodyId on, BodyId from, const Vec3& reference) const;
  /// Point where the resultant normal force of the pair acts: Σ λₙ p / Σ λₙ. Empty if nothing presses.
  std::optional<Vec3> center_of_pressure(BodyId a, BodyId b) const;
};

}   // namespace stickslip
