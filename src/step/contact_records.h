// What a step tells of its contacts once they are solved, and what the next one remembers of them.
//
// A contact leaves a record with its forces, a part of the energies of the step, what it shows of the motion, and the impulses
// that the next step begins with. Contacts of sleeping bodies keep the forces that they fell asleep with.
#pragma once

#include "step/look_ahead.h"
#include "step/motion_judge.h"
#include "step/recycled.h"

namespace stickslip {

class ContactRecords {
 public:
  /// A piece of a step that has been solved.
  struct Piece {
    const StepOptions& options;
    double drift_time;   ///< that positions move with the new velocity [s]
    const LookAhead::Solved& solved;
    std::span<const double> next_guess;   ///< impulses that the next step begins with [N s]
  };
  /// Writes contacts, depths and their energies into the report, and the memory of the world.
  void write(World&, const Piece&, MotionJudge&, StepReport&);

 private:
  /// Work of torsion and rolling rows [J]: what presses does, where rolling rows are the moments of a pressure, else friction.
  struct SpinWork {
    double pressing = 0, friction = 0;
    Vec3 angular_impulse = Vec3::Zero();   ///< on body B, world frame [N m s]
  };
  /// What the records of a manifold have in common.
  struct Pair {
    const Manifold& manifold;
    ProblemBuilder::Sides sides;
    BodyId a, b;
    const ContactPatch* patch;   ///< null if it has none
    bool deforms;                ///< either of them
  };
  /// What all records of a piece are written to and from.
  struct Desk {
    const World& world;
    const Piece& piece;
    MotionJudge& judge;
    StepReport& report;
  };
  void carry_over(const World&, const Piece&, const StepReport&);
  void write_contact(const Desk&, const Pair&, const ContactPoint&, const BuiltContact&);
  static SpinWork spin_work(const Desk&, const ProblemBuilder::Sides&, const BuiltContact&, bool moments_press);
  void remember_as_forces(World&, const StepOptions&) const;

  Recycled<ContactOutline> outlines_;
  std::vector<ContactRecord> resting_;          ///< contacts of sleeping bodies, carried over from the step before
  std::vector<RememberedImpulse> remembered_;   ///< by the next step
};

}   // namespace stickslip
