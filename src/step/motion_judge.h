// Judges the motion of a step while its records are made: see stickslip/step/motion.h for what it finds and docs/motion.md for why so.
#pragma once

#include "step/builder.h"
#include "stickslip/collide/contact.h"
#include "stickslip/step/report.h"

namespace stickslip {

/// A contact after the solve.
struct SolvedContact {
  const Manifold& manifold;
  const ContactPoint& point;
  const BuiltContact& built;
  const Block& block;
  Vec3 impulse;   ///< contact frame [N s]
  Vec3 after;     ///< relative velocity, contact frame [m/s]
};

class MotionJudge {
 public:
  /// Before the contacts of a step.
  void begin(const World&, const StepOptions&);
  void see(const World&, const ContactProblem&, const SolvedContact&);
  /// When everything else of the report is there. Writes its measures and findings.
  void finish(const World&, StepReport&);

 private:
  void note(MotionFinding);
  void see_depth(const World&, const SolvedContact&);
  void see_impact(const World&, const ContactProblem&, const SolvedContact&);
  void see_jam(const World&, const ContactProblem&, const SolvedContact&);
  void see_bodies(const World&, StepReport&);
  void see_joints(const World&, const StepReport&);
  void see_energy(StepReport&);

  std::array<MotionFinding, kStepMotionKinds> worst_;   ///< by kind
  double band_ = 0;   ///< part of the thickness within which contacts touch
  double h_ = 0, fall_ = 0;                   ///< step [s]; speed that gravity gives in it [m/s]
  double rebound_threshold_ = 0;              ///< approach from which on Newton's impact law acts [m/s]
  double rebound_normal_ = 0, rebound_tangential_ = 0;   ///< work of contacts where it acts [J]
  double missed_ = 0;                         ///< energy lost by impacts that arose within the step [J]
  double gravity_work_ = 0;                   ///< of all bodies in the step, without its sign [J]
  MotionFinding giver_, misser_;              ///< the contacts that gave and lost most; amount [J]
};

}  // namespace stickslip
