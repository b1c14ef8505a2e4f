// Paths of contact points that bend: where the solved motion takes them.
//
// The rows of contacts take the paths of points as straight. But bodies turn while the step drifts: corners fly on arcs,
// normals turn under what slides along them, spin wanders about the angular momentum. With φ the gap at the start, v the solved
// velocity along the normal and φ(h) the gap where the drift ends, the path bends by
//
//   κ = (φ(h) − φ) / h − v,
//
// so that gaps close by h (v + κ). Contacts that persist know a κ before the solve (step/turning.h), from the step before.
// Those that are struck do not: they are looked at where the drift ends, and where that is inside by more than a small part of
// the thinner body, the step is solved again with the κ of the solution, and with the points that only the end knows. The same
// is done for what carries a load and is lifted off.
//
// An impulse works against the mean of the velocities before and after it. So a bend asks for no more speed apart than there
// was approach, or than a moving body struck with: otherwise it would give energy to what rolls.
#pragma once

#include "step/builder.h"
#include "step/detection.h"
#include "step/drifting_pair.h"
#include "step/free_motion.h"
#include "step/joined_areas.h"
#include "step/pair_follow.h"
#include "step/volumes.h"

namespace stickslip {

class ContactBends {
 public:
  /// Forgets the step before.
  void begin_step();

  /// To which speed velocities must be known to find bends by [m/s]; 0 if no pair moves far enough for any.
  static double speed_that_matters(const World&, const ContactSet&, double time);

  /// What the last solve made of a step.
  struct Solved {
    const World& world;
    const ProblemBuilder& builder;
    const ContactSet& set;
    std::span<const Twist> motion;        ///< of every mover
    std::span<const double> impulses;     ///< [N s]
    std::span<const JoinedArea> joined;   ///< areas that stand for those of other parts too
    Gyroscopic gyroscopic;
    double time;   ///< of the drift [s]
  };
  /// @returns whether contacts must be bent, more than they are
  bool find(const Solved&);

  /// Whether two meshes come deep into each other on their way or at its end, of which the problem has no contacts.
  bool passes(const Solved& solved, const Manifold& pair) { return deep_on_the_way(solved, pair) <= solved.time; }

  /// Whether bodies that touch by volume, turn far or are meshes end deep in each other in the motion that was looked at last,
  /// or come so deep on the way; and whether bodies that turn far do.
  bool ends_deep() const { return ends_deep_; }
  bool turns_deep() const { return turns_deep_; }
  /// Whether there were such bodies, other than meshes, in this step.
  bool judges_depth() const { return judges_depth_; }

  /// A point that only the end of the drift knows.
  struct Added {
    PartPair pair;
    ContactPoint point;   ///< as it is at the start
  };
  std::span<const Added> added_to(const PartPair&) const;
  std::span<const Added> added() const { return added_; }   ///< all, sorted

  /// Bends the rows of a problem.
  void apply(ProblemBuilder&, const ContactSet&) const;

  /// From now on no bend asks for more speed apart than its own contact had approach, so that none can give energy.
  void ask_for_no_more_than_approach(const Solved&);

 private:
  struct Bend {
    ContactKey key;
    double kappa;   ///< along the normal [m/s]
  };
  const Motion& end_of(const Solved&, std::uint32_t mover);
  void collect_blows(const Solved&);
  /// @param area null unless the manifold has no contacts of its own because they are part of this area
  bool look(const Solved&, const Manifold&, const PartPair* area = nullptr);
  bool look_at_member(const Solved&, const JoinedArea&);
  void choose_place(const Solved&, const Manifold&);
  double deep_on_the_way(const Solved&, const Manifold&);
  void look_at_end(const Collider&, const Collider&, const DriftingPair&, std::uint64_t expected, double reach);
  bool look_at_known(const Solved&, const DriftingPair&);
  bool bend_to(const Solved&, const DriftingPair&, std::uint32_t point, double end);
  bool look_at_new(const Solved&, const DriftingPair&);
  bool look_at_new_parts(const Solved&, std::span<const Manifold> known);
  bool look_at_volume(const Solved&, const DriftingPair&);
  bool look_at_corners(const Solved&, const DriftingPair&);
  /// Whether a point of the end is in an area that was measured there.
  bool is_measured(const PartPair&, const ContactPoint& e) const;
  bool look_at_middle(const Solved&, const DriftingPair&, bool of_b);
  void look_on_the_way(const Solved&, const DriftingPair&);
  void add(const Manifold&, const ContactPoint&);
  static bool can_be_too_deep(const DriftingPair&);
  void note_end(const DriftingPair&, double kept, double end);
  void note_end_of_meshes(const Solved&, std::span<const Manifold> known);
  void set_bend(const ContactKey&, double kappa);

  std::vector<Bend> bends_;    ///< sorted by key
  std::vector<Added> added_;   ///< the same
  std::vector<Motion> ends_;   ///< by mover
  std::vector<char> known_;
  std::vector<double> blows_;   ///< how fast bodies are struck, by slot [m/s]
  ContactSink sink_;            ///< where the drift ends, of the colliders looked at last
  std::pair<std::uint32_t, std::uint32_t> looked_at_;
  PairFollow follow_;
  /// Where a pair is looked at, and how long it drifts until it is there [s].
  struct Place {
    Motion a, b;
    double looked;
  } place_;
  std::pair<std::uint32_t, std::uint32_t> placed_;   ///< that pair
  ContactSink on_the_way_;
  std::pair<std::uint32_t, std::uint32_t> followed_;   ///< colliders that were looked at on the way last
  /// Half as many rays as elsewhere tell what is deep.
  static constexpr int kRaysToTellDepth = 24;
  VolumeContacts volumes_{OverlapOptions{.rays = kRaysToTellDepth}};
  ContactSet at_end_;   ///< areas where the drift ends, of the pair measured last
  std::pair<std::uint32_t, std::uint32_t> measured_;
  std::uint64_t next_corner_ = 0;   ///< of this step
  bool ends_deep_ = false, turns_deep_ = false, judges_depth_ = false;
  int rounds_ = 0;   ///< of this step in which contacts were bent
};

}   // namespace stickslip
