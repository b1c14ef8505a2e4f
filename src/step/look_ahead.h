// A second look at contacts, for bodies that a step moves farther than anyone could know before it.
//
// Contacts are generated as far ahead as bodies can move with the velocity that they have before the step. A blow, a joint, a
// motor or a spring may give a body a velocity within the step that takes it farther. So after the solve those bodies are
// looked at again, as far ahead as the solved velocity moves them. Where that finds contacts that the solved motion would
// violate, the step is solved once more with them, from the impulses just found.
//
// The rows of contacts take the paths of points as straight. Where they bend and end inside what they seemed to stop at, the
// step is solved again as well, with rows that know it (step/contact_bends.h). Where margins sufficed and nothing turned far
// nothing changes.
#pragma once

#include "step/builder.h"
#include "step/contact_bends.h"
#include "step/detection.h"
#include "step/soft/surface_ends.h"

namespace stickslip {

class LookAhead {
 public:
  /// Rounds per step: a push may be handed on from body to body, by one more with each.
  static constexpr int kMaxRounds = 5;

  /// Forgets the impulses of the step before.
  void begin_step();

  /// What the last solve made of a step.
  struct Solved {
    const ProblemBuilder& builder;
    const ContactSet& set;
    std::span<const double> velocity;     ///< of segments [m/s, rad/s]
    std::span<const double> impulses;     ///< [N s]
    std::span<const JoinedArea> joined;   ///< areas of the set that stand for those of other parts too
  };
  /// The contacts of the last solve together with those that its motion would violate, or null if there are none of these.
  /// Valid until the next call that returns contacts.
  const ContactSet* find(const World&, Detection&, ImpactWatch&, const Solved&, const DetectionReach&, Gyroscopic, StageTimes&);

  /// Whether the motion that `find` was last called with ends with bodies that touch by volume, turn far or are meshes
  /// deep in each other; and whether bodies that turn far are or come to be so on the way.
  bool ends_deep() const { return bends_.ends_deep(); }
  bool turns_deep() const { return bends_.turns_deep(); }
  /// The same of a motion that will not be solved again: contacts that `find` returned stay valid.
  bool ends_deep(const World&, const Solved&, Gyroscopic, double time);

  /// Whether surfaces that deform end deep in others after the motion of a solve.
  bool surfaces_end_deep(const World&, const Solved&, Gyroscopic, double time);

  /// Velocities of all movers after a solve. Valid until the next call of this or `find`.
  std::span<const Twist> motion(const World&, const Solved&);

  /// Whether contacts give two bodies more energy than all that press them take: a bend asked for more speed than there was.
  bool gives_energy(const World&, const Solved&, double time);
  /// Prepares a solve of the same contacts in which none does.
  void give_no_energy(const World&, const Solved&, Gyroscopic, double time);

  /// Puts the impulses of the solve that `find` was last called with in the place of the step before's, and bends rows.
  void refine(ProblemBuilder&, const ContactSet&) const;

 private:
  void collect_motion(const World&, const Solved&);
  bool would_violate(const World&, const Manifold&, const ContactSet& fresh, const ContactSet& known, double time) const;
  void merge(const ContactSet& known, const ContactSet& fresh);
  void append(const ContactSet& from, const PartPair&);
  void refine_guess(ProblemBuilder&, const ContactSet&) const;
  void remember(const Solved&);
  double pressing_work(const World&, const Solved&, const Manifold&) const;

  std::vector<Twist> motion_;   ///< of every mover
  std::vector<bool> wanted_;    ///< of the manifolds of a second detection: whether the motion violates it
  ContactSet merged_, next_;
  ContactBends bends_;
  SurfaceEnds surface_ends_;
  std::vector<RememberedImpulse> found_;      ///< of the last solve, sorted by key
  std::vector<double> joint_impulses_;        ///< of the last solve
  std::vector<double> work_, work_on_body_;   ///< of what presses, by manifold and by body slot [J]
};

}   // namespace stickslip
