// Judges the motion of a step while its records are made: see stickslip/step/motion.h for what it finds and docs/motion.md for
// why so.
#pragma once

#include "step/builder.h"
#include "step/detection.h"
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
  double work;    ///< of what presses [J]
};

class MotionJudge {
 public:
  /// Before a step.
  void begin(const World&, const StepOptions&);
  void see(const World&, const ContactProblem&, const SolvedContact&);
  /// What moves by forces, with its new velocity for a time h: its fall, and the turn of a rigid body.
  void see_fall(const World& world, double mass, const Vec3& velocity, double h) {
    gravity_work_ += mass * std::abs(world.gravity.dot(velocity)) * h;
  }
  void see_spin(const World&, std::uint32_t slot, double speed, double h);
  /// Surfaces that run through themselves, which count in the penetration of the report.
  void see_crossings(const World&, std::span<const SelfCrossing>, StepReport&);
  /// Of explicit springs: a substep, and the longest that is stable [s].
  void see_substep(double time, double longest);
  /// When everything else of the report is there. Writes its measures and findings.
  void finish(const World&, StepReport&);

 private:
  void note(MotionFinding);
  void see_depth(const World&, const SolvedContact&);
  void see_impact(const World&, const ContactProblem&, const SolvedContact&);
  void see_jam(const World&, const ContactProblem&, const SolvedContact&);
  void see_joints(const World&, const StepReport&);
  void see_energy(const World&, StepReport&);
  /// What only bodies that come and go change.
  void measure(const World&);

  std::array<MotionFinding, kStepMotionKinds> worst_;    ///< by kind
  double band_ = 0;                                      ///< part of the thickness within which contacts touch
  double h_ = 0, fall_ = 0;                              ///< step [s]; speed that gravity gives in it [m/s]
  double rebound_threshold_ = 0;                         ///< approach from which on Newton's impact law acts [m/s]
  double rebound_normal_ = 0, rebound_tangential_ = 0;   ///< work of contacts where it acts [J]
  double missed_ = 0;                                    ///< energy lost by impacts that arose within the step [J]
  double gravity_work_ = 0;                              ///< of all bodies in the step, without its sign [J]
  const World* world_ = nullptr;                         ///< the one that was measured last, never followed
  std::uint64_t structure_version_ = 0;
  double mass_size_ = 0, mass_size_squared_ = 0;   ///< Σ m ℓ [kg m] and Σ m ℓ² [kg m²] of dynamic bodies
  std::vector<char> is_ball_;                      ///< by body slot: looks the same however it turns, and no joint holds it
  MotionFinding giver_, misser_;                   ///< the contacts that gave and lost most; amount [J]
};

}   // namespace stickslip
