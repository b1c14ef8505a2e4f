// Contact detection for a world: broad phase, then pair colliders, in a fixed order for every number of threads.
#pragma once

#include <memory>

#include "step/velocity_space.h"
#include "step/volumes.h"
#include "stickslip/collide/broad_phase.h"
#include "stickslip/collide/contact.h"
#include "stickslip/collide/pair_memory.h"
#include "stickslip/geometry/mesh_distance.h"
#include "stickslip/step/integrator.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

class ImpactWatch;

/// How far ahead to look.
struct DetectionReach {
  double time = 0;                                ///< positions drift this long after detection [s]
  double h = 0;                                   ///< forces act this long before that [s]
  double margin = 0;                              ///< part of the thickness of each shape
  ContactForm contact = ContactForm::automatic;   ///< where bodies do not say
  double overlap = 0;                             ///< the same, as in StepOptions
  const std::atomic<bool>* cancel = nullptr;      ///< ends the search, by StepCancelled
};

/// Bound of the speed at which points of two colliders approach each other [m/s].
double closing_speed(const Collider& a, const Twist& of_a, const Collider& b, const Twist& of_b);

/// A surface that runs through itself.
struct SelfCrossing {
  std::uint32_t collider;
  double depth;   ///< at least [m]
};

class Detection {
 public:
  /// Contacts between bodies of which at least one moves by forces. Valid until the next call.
  /// @param watch takes the pairs that are to have no contacts ahead
  /// @throws Error if shapes have no collider or too many bodies are piled into one spot.
  const ContactSet& detect(const World&, const DetectionReach&, int threads, StageTimes&, ImpactWatch* watch = nullptr);

  /// Surfaces that may touch themselves and run through themselves where `detect` found them. Valid until the next call.
  std::span<const SelfCrossing> self_crossings();

  /// Whether something moves farther than `detect` looked ahead for it. @param motion of every mover
  bool outrun(const World&, std::span<const Twist> motion, const DetectionReach&);
  /// Contacts of those pairs that come nearer to each other than `detect` looked ahead for, after `outrun`. Valid until the
  /// next call.
  const ContactSet& detect_again(const World&, std::span<const Twist> motion, const DetectionReach&, StageTimes&, ImpactWatch&);

 private:
  /// Work of fixed size for one thread at a time.
  struct Chunk {
    ContactSet set;
    ContactSink sink;
    VolumeContacts volumes;
  };
  void update_proxies(const World&, const DetectionReach&, const ImpactWatch*);
  Aabb way_of(const World&, std::uint32_t collider, const Vec3& velocity, double time) const;
  bool is_candidate(const World&, const ProxyPair&) const;
  bool stay_apart(const World&, const ProxyPair&, double way) const;
  bool stay_apart(const World&, const ProxyPair&, std::span<const Twist> motion, const DetectionReach&) const;
  bool flies(std::uint32_t collider) const { return !flights_.empty() && flights_[collider].slack >= 0; }
  double margin_of(const World&, const ProxyPair&) const;
  Aabb box_of(const World&, std::uint32_t collider) const;
  void update_surface(const World&, std::uint32_t collider);
  void meet(const World&, const ProxyPair&, double margin, ContactSink&) const;
  void append_contacts(const World&, const ProxyPair&, const ContactSink&, ContactSet&) const;
  double closing_speed(const World&, const ProxyPair&, std::span<const Twist> motion) const;
  void collide_pairs(const World&, std::span<const ProxyPair>, ContactSink&, VolumeContacts&, ContactSet&);
  void collide_in_parallel(const World&, int threads);
  void find_candidates(const World&, ImpactWatch*);

  BroadPhase broad_;
  DetectionReach reach_;           ///< of the last detection
  std::vector<Pose> poses_;        ///< world pose of each collider
  std::vector<double> margins_;    ///< reach of each collider [m]
  std::vector<double> straight_;   ///< of these, what is not by turning [m]
  /// Of a collider that deforms.
  struct Surface {
    MeshSurface now;     ///< where it is
    double spread = 0;   ///< speed of its nodes against their mean, at most [m/s]
  };
  std::vector<std::unique_ptr<Surface>> surfaces_;   ///< of each collider; null if it does not deform
  /// Of colliders that fly: velocity, and how far they may leave the way that it takes them.
  struct Flight {
    Vec3 velocity = Vec3::Zero();   ///< [m/s]
    double slack = -1;              ///< [m]; negative: does not fly
  };
  std::vector<Flight> flights_;   ///< of each collider; empty if none flies
  std::vector<bool> known_;       ///< colliders that have a proxy
  std::vector<Chunk> chunks_;
  ContactSink sink_;
  VolumeContacts volumes_;
  std::vector<ProxyPair> candidates_;
  std::vector<ProxyPair> apart_;         ///< that cannot touch whatever they turn by, sorted
  std::vector<ProxyPair> of_meshes_;     ///< those of two meshes
  std::vector<ProxyPair> pairs_again_;   ///< the memory of `detect_again`
  std::vector<SelfCrossing> crossings_;
  PairMemories memories_;   ///< of them
  ContactSet set_;
  std::uint64_t structure_version_ = ~std::uint64_t{0};
  const ImpactWatch* watch_ = nullptr;   ///< that knows margins of pairs
  std::vector<bool> outrun_;             ///< colliders that moved farther than their reach
  ContactSet again_;
};

/// Fixed, asleep, or kinematic and at rest: two passive bodies have nothing to say to each other.
bool is_passive(const Body&);

}   // namespace stickslip
