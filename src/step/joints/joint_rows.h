// From joints to rows of the contact problem, and back to forces.
//
// A row is the rate of a coordinate c, for angles times a length, so that all rows are velocities [m/s] and all impulses N s.
// With the step h (for forces `kick_time`), the time τ that positions still drift with the new velocity, and c now:
//
//   locked     v = −υ c / h − κ                                    bilateral   (υ, ε of the stabilisation, as for contacts)
//   limit      0 ≤ v + gap/τ ⊥ λ ≥ 0, inside; v + υ gap/h beyond   box [0, ∞)
//   motor      v = speed while |λ| ≤ h F                           box [−hF, hF], bilateral without F
//   friction   v = 0 while |λ| ≤ h F                               box
//   soft limit: force −k (c⁺ − limit) − d v at the end of the step, c⁺ = c + τ v, is
//              v + ε λ + ε h k (c − limit) = 0 with ε = 1 / (h (τ k + d))     soft: ε on the diagonal [course §1.9]
//   spring, servo   the same, with values between those of the end and of the middle of the step
//   armature   an impulse −I (v − v⁻) against changes of the speed is v + λ/I − v⁻ = 0       soft
//
// An effort is no row: its impulse is known, and part of the free velocity (`push_efforts`).
//
// Springs. Velocities are means over drifts: v⁻ over the last, v⁺ over the next, and the impulse between them acts while
// c goes from c − ½ h v⁻ to c + ½ h v⁺. By the mean of these two, c + ¼ h (v⁺ − v⁻), and by the mean velocity ½ (v⁺ + v⁻),
// springs and dampers are symmetric in time: of second order, and ½ m v² + ½ k c² of the middles stays what it is, however
// stiff the spring. But what is too stiff for the step then rings for ever instead of coming to rest, as it does by c⁺ and
// v⁺. So the force is the mean of both, with weight w of the middle,
//
//   w = 1 / (1 + a²),  a = h (τ k + d) / m,  1/m = W of the row by itself
//
// With 1 − w = O(h²) the order stays two. For every w, ½ m v² + ½ k c² + ⅛ (1 − w) h² k v², c of the middles, never grows: a
// step changes it by −¼ (1 − w) h² k (v⁺ + v⁻)². Dampers never turn a velocity round, because ½ a w < 1.
// Joints make a row feel more mass than its bodies have; taking a too large is on the safe side.
//
// Dampers and friction of a ball act on the angular velocity of B relative to A along the axes of B, not on the rates of the
// angles, which are different motions in different directions. Three springs alike with rest 0 pull back about the axis of
// the turn from A to B. (Three free angles of a six-dof are three hinges.)
//
// κ is what the rate of a locked coordinate changes on the mean over the drift because the joint moves on
// (step/joints/joint_closing.h). Where bodies turn by more than 1 rad in a step, it fades out: there is no order to keep.
#pragma once

#include "step/correction.h"
#include "step/velocity_space.h"
#include "stickslip/problem/contact_problem.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// What a row of a joint is for.
enum class JointPart : std::uint8_t {
  locked,
  effort,
  motor,
  servo,
  spring,
  damper,
  friction,
  armature,
  lower,
  upper,
  coupling,
  swing
};
/// Whether its work is that of a drive, and its force one of `motor_force`.
inline bool is_drive(JointPart part) {
  return part == JointPart::effort || part == JointPart::motor || part == JointPart::servo;
}
/// Whether its force is one of `free_force`.
inline bool is_of_free_coordinate(JointPart part) {
  return part != JointPart::locked && part != JointPart::coupling && part != JointPart::swing;
}

/// The record of a joint, which is a new one if the report has none. Records are in the order of their slots.
JointRecord& record_of(const World&, std::uint32_t slot, StepReport&);

/// Breaks the joints whose forces, as recorded, are beyond what they bear.
void break_joints(World&, StepReport&);

class JointRows {
 public:
  /// What rows need to know of the step.
  struct Setting {
    const World& world;
    const StepOptions& options;
    double drift_time;                                ///< τ [s]
    std::span<const std::uint32_t> segment_of_body;   ///< kNoSegment for bodies that forces do not move
    std::span<const double> before, free;             ///< velocities of segments; empty where rows are of positions
    std::span<const Pose> ends = {};   ///< by body slot: where bodies would end the drift with the velocities before the step;
                                       ///< empty: rows without κ
    std::span<const VelocitySegment> segments = {};   ///< what springs pull at
  };

  /// Adds to free velocities what efforts do to them. @pre the setting has segments
  void push_efforts(const Setting&, std::span<double> free);
  /// Finds the rows of all joints that act on a moving body.
  void collect(const Setting&);
  /// The same for moving positions instead of velocities: rows of locked coordinates, couplings and limits that are passed,
  /// with `fraction` of their error as b [m]. @pre no velocities in the setting @returns the largest error [m]
  double collect_errors(const Setting&, double fraction);
  /// Writes the first blocks of a problem whose arrays have their sizes.
  void write(ContactProblem&) const;
  /// Impulses of the last step, for the first rows of the problem. @param scale of the step now to that one
  void fill_guess(const World&, double scale, std::span<double> guess) const;

  std::uint32_t row_count() const { return static_cast<std::uint32_t>(rows_.size()); }
  std::uint32_t block_count() const { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint32_t jacobian_size() const { return static_cast<std::uint32_t>(jacobian_.size()); }
  bool has_boxes() const { return has_boxes_; }

  /// Joints that ask for motion out of all proportion to come back to their places (joint_recovery.cpp).
  struct Overload {
    double affordable = 1;                    ///< part of the recovery that can be had
    double speed = 0;                         ///< the largest that a joint far off its place asks for [m/s]
    std::vector<std::uint32_t> joints = {};   ///< slots of those that pull against each other, if nothing can be had
  };
  /// @param impulses, velocity of a solve of the problem
  Overload find_overload(const Setting&, const ContactProblem&, std::span<const double> impulses,
                         std::span<const double> velocity) const;
  /// Leaves a part of the recovery in the rows of the problem, and nothing of κ: with part 0 the joints only ask not to get
  /// worse, which takes energy and never gives any.
  void reduce_recovery(ContactProblem&, double part);

  /// Takes from the rows what they ask for in vain only because the step is not short (joint_agreement.cpp).
  /// @param impulses of a solve of the problem
  /// @param tolerance what counts as nothing [m/s] @returns whether there was any
  bool agree(const Setting&, ContactProblem&, std::span<const double> impulses, double tolerance);
  /// κ of every row, for bodies that drift to `ends` with a velocity; 0 of rows that have none. @param velocity of a solve
  void find_turning(const Setting&, std::span<const Pose> ends, std::span<const double> velocity, std::vector<double>& kappa);
  /// κ of every row as it stands in the problem.
  void get_turning(std::vector<double>& kappa) const;
  void set_turning(ContactProblem&, std::span<const double> kappa);
  /// Length that κ is measured by: the size of the joint of a row [m].
  double size_of(const World& world, std::size_t row) const { return world.joints()[rows_[row].joint].row_length; }
  /// Whether a body turns so far in the step that rows keep only a part of their κ.
  bool fades() const;
  /// Sum of the forces of the rows of every joint on its body B, by slot [N s].
  void sum_forces(std::span<const double> impulses, std::vector<Vec3>& by_joint) const;

  /// Forces, energy and memory, from the impulses and the velocities at the end of the solve.
  void record(const Setting&, std::span<const double> impulses, std::span<const double> velocity, World&, StepReport&);
  /// Coordinates at the end of the drift, and errors.
  void finish(World&, StepReport&) const;
  /// Joint slot of a block of the problem; only the first blocks are of joints.
  std::uint32_t joint_of_block(std::size_t block) const { return rows_[blocks_[block].first].joint; }

 private:
  void spread(std::vector<bool>& segments) const;
  struct Row {
    std::uint32_t joint = 0;
    JointPart part = JointPart::locked;
    std::uint8_t coordinate = 0;
    double scale = 1;              ///< row = scale · rate of the coordinate; negative where an upper limit holds it from above
    double b = 0, sigma = 0;       ///< b: beside the free velocity, until add_block adds that
    double lower = 0, upper = 0;   ///< of box rows [N s]
    double recovery = 0;           ///< speed that stabilisation asks for [m/s]
    double turning = 0;            ///< κ [m/s]
    double start = 0;              ///< row's coordinate where the drift begins [m]
    double fade = 0;               ///< part of κ that is used; 0 for rows without. Only whole ones are found again
    double before = 0, driven = 0;   ///< relative velocity before the step, and the part that kinematic bodies prescribe [m/s]
    Vec3 force = Vec3::Zero(),
         torque = Vec3::Zero();   ///< on B about the origin of frame B, per unit of impulse; zero for gears
    std::uint32_t row = 0;        ///< in the problem
  };
  struct BlockRows {
    BlockKind kind;
    std::uint8_t dim, arity;
    std::uint32_t first;   ///< row in rows_
    std::uint32_t segment[kInlineSegments];
    std::uint32_t jacobian;   ///< in jacobian_, laid out as in ContactProblem
  };
  /// A row on the bodies that it moves, while it is being made.
  struct Draft {
    Row row;
    int arity = 0;
    std::uint32_t segment[kInlineSegments] = {};
    double jacobian[kInlineSegments][6] = {};

    /// Adds factor times the rate of a coordinate of a joint.
    void add(const Setting&, const JointDescription&, const JointRow&, double factor);
    double inverse_mass(const Setting&) const;              ///< that the row feels with its bodies alone [1/kg]
    double speed(std::span<const double> velocity) const;   ///< [m/s]
    void push(const Setting&, double impulse, std::span<double> velocity) const;
    /// How far the coordinate is from its target at a time, and how fast that moves.
    struct Aim {
      double error, speed;
    };
    /// Makes it the row of a spring with a damper. @param now, end at the start and at the end of the step
    void pull(const Setting&, double stiffness, double damping, Aim now, Aim end);
  };
  struct View;   ///< one joint and where it is

  bool fits(const Setting&, const Row&) const;
  void collect_joint(const Setting&, std::uint32_t slot);
  void collect_errors_of(const Setting&, std::uint32_t slot, double fraction, double& largest);
  Draft gear_draft(const Setting&, std::uint32_t slot) const;
  void find_velocities(std::span<const double> velocity) const;
  void clear();
  void put_in_order();
  /// Gives a row its κ, first that of the velocity before. @param end where the joint is at the end of the drift
  void add_turning(const Setting&, const View&, const JointRow&, const JointPlace& end, Row&) const;
  void collect_locked(const Setting&, const View&);
  void collect_axis(const Setting&, const View&, int coordinate);
  void collect_spring(const Setting&, const View&, int coordinate, bool ball);
  void collect_armature(const Setting&, const View&, int coordinate);
  void record_row(const Row&, double impulse, double after, double time, JointRecord&, EnergyLedger&) const;
  void collect_limit(const Setting&, const View&, JointPart, int coordinate, double gap, double scale, const JointRow&);
  void collect_coupling(const Setting&, std::uint32_t slot, Draft&);
  void add_block(const Setting&, BlockKind, std::span<Draft>);

  std::vector<Row> rows_;           ///< in the order of the joints
  std::vector<BlockRows> blocks_;   ///< in the order of the problem: equal kinds and sizes next to each other
  std::vector<double> jacobian_;
  /// An effort, whose impulse is known [N s].
  struct Given {
    Draft draft;
    double impulse;
  };
  std::vector<Given> efforts_;          ///< in the order of the joints
  std::vector<JointRecord> resting_;    ///< of joints whose bodies sleep
  mutable std::vector<double> after_;   ///< velocity of each row after the solve
  bool has_boxes_ = false;
};

}   // namespace stickslip
