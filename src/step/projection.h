// Position projection after a step.
#pragma once

#include "step/detection.h"
#include "step/joints/joint_rows.h"
#include "step/soft/attachment_rows.h"
#include "step/velocity_space.h"
#include "stickslip/problem/contact_problem.h"
#include "stickslip/solve/solver.h"
#include "stickslip/step/options.h"

namespace stickslip {

/// Moves bodies apart without touching their velocities [course §3.4.6; prox §4.4]: finds displacements
/// Δq = M⁻¹Jᵀd with 0 ≤ J Δq + f φ ⊥ d ≥ 0 for the penetrating contacts, where f is the fraction to remove, and repeats
/// because gaps are not linear in q. Joints come along: J Δq + f c = 0 for locked coordinates, and limits that are passed as
/// contacts; nodes that are attached to bodies as locked coordinates.
class PositionProjection {
 public:
  /// @param evenly whether light bodies count as much as heavy ones: joints that are off then close by moving all a little
  /// instead of turning light links far
  /// @returns the largest error of a joint that is left [m]
  double project(World&, Detection&, const StepOptions&, bool evenly = false);
  /// Moves bodies that are nearer to each other than this part of the thinner one's thickness so far apart.
  void separate(World&, Detection&, const StepOptions&, double part);

 private:
  void keep(const World&);
  void restore(World&) const;
  void give_segments(const World&, const StepOptions&, bool evenly);
  void write_joints(const World&, const StepOptions&);
  double write_contacts(const World&, const ContactSet&, const StepOptions&);
  bool write_contact(const World&, const Manifold&, const ContactPoint&, double distance);
  void displace(World&, double deepest, const StepOptions&);

  double clearance_ = 0;   ///< that contacts are to have, as a part of the thinner body's thickness

  VelocitySpace space_;
  ContactProblem problem_;   ///< of displacements: b and v are lengths [m], λ is mass times length
  JointRows joints_;
  AttachmentRows attachments_;
  std::vector<Pose> places_;              ///< of all movers before the last round
  std::vector<std::uint32_t> segments_;   ///< of a contact
  std::vector<double> displacement_, q_change_;
  Workspace workspace_;
};

}   // namespace stickslip
