// Pairs that come together from so far away that contacts ahead of them would tell lies.
//
// A contact ahead is a plane between two bodies, which neither may cross within the step. While the way of a step is short
// against the smaller of them, the plane is where they will touch. A bullet that flies a thousand times its size in a step is
// deflected by the planes of everything that it flies past, and rebounds before it has arrived. Such pairs have no contacts
// until they touch. Instead they are swept along the motion of the step, by conservative advancement (ccd/advancement.h) with
// distances from the narrow phase, and the step is cut where the first of them touches: everything advances to that time, the
// contact is solved where it is, and the rest of the step goes on from there.
//
// Bodies that nothing touches are swept before the solve, with the velocity that they have without contacts. What is touched
// or joined, and what was deflected, is swept with the velocity of the solve; if that hits something the solve is done again
// for the shorter time.
//
// `Continuous::impact` has this for every pair of a body, `automatic` where the way of a step exceeds the diameter of the
// smaller body. An impact without rebound that comes along the direction in which the pair was nearest at the start needs no
// cut then: the contact ahead is the right one.
#pragma once

#include "step/velocity_space.h"
#include "stickslip/ccd/advancement.h"
#include "stickslip/collide/broad_phase.h"
#include "stickslip/collide/separation.h"
#include "stickslip/step/options.h"

namespace stickslip {

class ImpactWatch {
 public:
  enum class Cuts {
    allowed,   ///< the step may be cut (again)
    spent,     ///< no more: pairs that would touch have contacts ahead, others have none
    none       ///< no pair is taken
  };
  /// Before a piece of a step. @param cut whether the step was cut at an impact before
  void begin_piece(bool cut) {
    forced_.clear();
    cut_ = cut;
  }
  /// Before contacts are detected. @param follow whether fast bodies that touch meshes are followed in short pieces
  void begin(const StepOptions&, Cuts, bool follow);

  /// The motion of a collider that is watched with whatever does not move along with it, if it goes on as it would by itself:
  /// only what lies on its way need be looked at.
  std::optional<Vec3> flight(const World&, const Collider&) const;
  /// Whether a pair is watched in place of contacts ahead. @param margin up to which these would be generated [m]
  bool takes(const World&, const ProxyPair&, double margin);
  /// The same for bodies that a solve gave another velocity.
  bool takes(const World&, const ProxyPair&, const Twist& of_a, const Twist& of_b);
  /// When all pairs have been asked for: sweeps those that nothing holds.
  void sweep(const World&);
  /// Pairs that were taken and get contacts ahead after all, because these tell the truth.
  std::span<const ProxyPair> honest() const { return honest_; }
  /// How far ahead the contacts of a pair are generated, of which one part touches while others are far away [m]; infinite for
  /// all other pairs.
  double margin_of(const ProxyPair&) const;

  /// When the first pair touches, as far as the sweep knows [s]; infinite if none does.
  double first() const;
  /// The same for a step of h, after `first`: forces act for a shorter time if the step is shorter [s].
  double refine(const World&, double h);
  /// The first time before h at which a pair touches in the motion of a solve; h if none does [s]. If cuts are spent it is 0
  /// for any, and such pairs are not taken again in this piece. @param motion of every mover
  double first_along(const World&, std::span<const Twist> motion, double h);
  /// Smallest distance of watched pairs while they move for a time h, or `known` if that is less [m].
  double nearest(const World&, std::span<const Twist> motion, double h, double known) const;

  /// Whether a way in a piece is so long that contacts alone cannot be trusted: farther than the diameter of the smaller
  /// collider, or than a part of the thickness of the thinner one in a step in which something struck at speed.
  bool may_pass(const Collider&, const Collider&, double way) const;
  /// Pairs that have contacts, were far in the motion before the solve or are in that of it, and may leave them by turning.
  /// Sorted; valid until the next look.
  std::span<const ProxyPair> doubtful();

  bool watches() const { return !pairs_.empty(); }
  bool nears() const { return !near_.empty(); }   ///< whether `margin_of` is finite for any pair
  /// How long the pieces may be in which such a pair is followed, with the motion that was last looked at [s].
  double near_time() const { return near_time_; }

 private:
  /// A fast pair of which a mesh is one: it touches, and may do so again elsewhere within the step.
  struct Near {
    ProxyPair pair;
    double margin;   ///< [m]
  };
  struct Watched {
    ProxyPair pair;
    Twist of_a, of_b;   ///< that it was swept with
    double first;       ///< when it touches then [s]
    bool known;         ///< whether it has been swept
    bool honest;        ///< whether a contact ahead is the one that it will have
    Vec3 normal;        ///< from A to B where they are nearest at the start
    double gap;         ///< at the start, or less [m]
  };
  void doubt(const World&, const ProxyPair&);
  bool is_fast(const World&, const ProxyPair&, const Twist& of_a, const Twist& of_b) const;
  bool watch(const World&, const ProxyPair&, const Twist& of_a, const Twist& of_b);
  void sweep(const World&, Watched&) const;
  void touch(const World&, const ProxyPair&, const Twist& of_a, const Twist& of_b);
  bool is_held(const World&, std::uint32_t collider);
  bool is_honest(const World&, const Watched&, const RigidImpact&, double turning) const;
  Twist unhindered(const World&, std::uint32_t mover, double h) const;
  RigidMotion path(const World&, const Collider&, const Twist&, double h) const;
  std::optional<RigidImpact> impact(const World&, const ProxyPair&, const RigidMotion& a, const RigidMotion& b) const;

  const StepOptions* options_ = nullptr;
  Cuts cuts_ = Cuts::none;
  std::vector<Watched> pairs_;      ///< sorted by pair
  std::vector<ProxyPair> honest_;   ///< sorted
  std::vector<ProxyPair> forced_;   ///< that touch in the motion of a solve though cuts are spent, sorted
  std::vector<Near> near_;          ///< sorted by pair
  std::vector<ProxyPair> doubtful_;
  bool watches_doubtful_ = false, cut_ = false;
  double near_time_ = 0;   ///< until the first of them can have moved farther than is followed [s]
  bool follow_ = false;
  std::vector<char> held_;   ///< by body slot: whether something touches it or a joint holds it
};

}   // namespace stickslip
