// Nodes of soft bodies that are attached to rigid bodies which forces move, as rows of the contact problem.
//
// A node at x and the place p = pose · local of its body are held together by three bilateral rows. With arms r = x − centre,
// so that the impulse λ on the node and −λ on the body act in one point and leave no couple behind,
//
//   u_node − (v + ω × r) + κ + υ (x − p) / h = 0        (υ of the stabilisation, as for joints)
//
// κ makes the rows exact where the step ends, as those of joints are (step/joints/joint_closing.h): the node goes straight on,
// its place on a circle. With g = x − p, κ = (g⁺ − g)/h − (u_node − v − ω × r) for the velocities that lead to g⁺; it is that
// of the velocities before the step first, and then that of the solve before. It is of the order h ω² |r|, so that it follows
// quickly; where a body turns by more than 1 rad in a step it fades out.
#pragma once

#include "step/velocity_space.h"
#include "stickslip/problem/contact_problem.h"
#include "stickslip/step/report.h"

namespace stickslip {

/// Adds forces on attached nodes up to records of their bodies, behind the records that the report has.
class AttachmentSums {
 public:
  AttachmentSums(const World& world, StepReport& report) : world_(world), report_(report), first_(report.attachments.size()) {}
  /// @param soft, body slots @param force on the node [N]
  void add(std::uint32_t soft, std::uint32_t body, const Vec3& point, const Vec3& force);
  /// Gives the records their middles and moments about them.
  void close();

 private:
  const World& world_;
  StepReport& report_;
  std::size_t first_;
};

class AttachmentRows {
 public:
  /// What rows need to know of the step.
  struct Setting {
    const World& world;
    const StepOptions& options;
    const VelocitySpace& space;
  };

  /// Finds the rows of all attached nodes of which something moves.
  void collect(const Setting&);
  /// The same for moving positions instead of velocities, with `fraction` of their errors as b [m].
  /// @returns the largest error [m]
  double collect_errors(const Setting&, double fraction);
  /// Where rows of a problem begin.
  struct Start {
    std::uint32_t block = 0, row = 0, jacobian = 0;
  };
  /// Writes blocks of a problem whose arrays have their sizes. @returns where the next ones begin
  Start write(const Setting&, ContactProblem&, Start) const;
  /// How much room they need, beyond `start`.
  Start end(Start start) const;
  bool empty() const { return rows_.empty(); }

  /// Gives bodies that single nodes hold under tension inertia against changes of their spin. Forces at arms are a stiff spring
  /// to a light body, K h² (step/joints/arm_stiffness.h); with ½ K h² beside its inertia no step is too long for it. What turns
  /// steadily does not notice. @param segments of the problem
  static void stiffen(const Setting&, std::span<VelocitySegment> segments);

  /// Impulses of the last step. @param scale of the step now to that one
  void fill_guess(const World&, double scale, std::span<double> guess) const;

  /// How far a solve is from closing the rows at the end of the step, relative to the size of the soft bodies.
  double look(const Setting&, std::span<const double> velocity);
  /// Gives the rows the κ of the velocities that were looked at last.
  void correct(ContactProblem&);

  /// Forces, energy and memory, from the impulses and the velocities at the end of the solve.
  void record(const Setting&, std::span<const double> impulses, std::span<const double> velocity, World&, StepReport&) const;
  /// Errors at the end of the step.
  static void finish(const World&, StepReport&);

 private:
  struct Row {
    std::uint32_t place, attached;   ///< of the soft body among those of nodes, of the node in its list
    std::uint32_t node, body;        ///< segments; kNoSegment of what does not move
    Vec3 point;                      ///< x [m]
    Vec3 b = Vec3::Zero();           ///< free velocity and what is asked for beside [m/s]
    Vec3 turning = Vec3::Zero();     ///< κ [m/s]
    Vec3 found = Vec3::Zero();       ///< κ of the solve that was looked at
    Vec3 recovery = Vec3::Zero();    ///< speed that stabilisation asks for [m/s]
    double fade = 1;                 ///< part of κ that is used; only whole ones are found again
    double size = 0;                 ///< of the soft body [m]
    double sigma = 0;
    mutable std::uint32_t row = 0;   ///< in the problem
  };
  void find(const Setting&);
  Vec3 relative_velocity(const Setting&, const Row&, std::span<const double> velocity) const;
  Vec3 turning(const Setting&, const Row&, std::span<const double> velocity) const;

  std::vector<Row> rows_;
  std::uint32_t jacobian_size_ = 0;
};

}   // namespace stickslip
