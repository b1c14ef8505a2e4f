// Contacts from the volume that two bodies share: one area for every direction in which they face each other (docs/patches.md).
#pragma once

#include "stickslip/collide/broad_phase.h"
#include "stickslip/collide/contact.h"
#include "stickslip/volume/patch.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Whether the friction law of two materials is one that areas can have.
bool takes_areas(const MaterialTable&, MaterialId a, MaterialId b);

/// What contacts of two colliders become rows as, never automatic. @param of_step where neither body says
ContactForm form_between(const World&, std::uint32_t a, std::uint32_t b, ContactForm of_step);

/// Mean depth that two colliders are to keep [m]; 0 unless their contact is by volume. @param overlap of the step, as a part of
/// the thinner body's thickness
double target_overlap(const World&, std::uint32_t a, std::uint32_t b, ContactForm of_step, double overlap);

/// Whether a volume made the contact of a manifold.
bool is_of_volume(const ContactSet&, const PartPair&);

class VolumeContacts {
 public:
  explicit VolumeContacts(const OverlapOptions& how = {}) : how_(how) {}

  /// Appends the areas of a pair that overlaps. @param target > 0 [m] @returns whether there are any; where bodies are apart or
  /// overlap by next to nothing, or where the volume says nothing about a direction, points are to be looked for
  bool find(const World&, const ProxyPair&, const Pose& pose_a, const Pose& pose_b, double target, ContactSet&);

 private:
  void measure(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double least);
  void leave_out_slivers();
  void name(const World&, const ProxyPair&);
  void sort_by_parts(ContactSet&, std::size_t first_area, std::size_t first_manifold);

  OverlapOptions how_;
  OverlapScratch scratch_;
  std::vector<OverlapVolume> found_;
  std::vector<Patch> pieces_, patches_;
  std::vector<bool> is_sliver_;        ///< of the patches
  std::vector<std::uint64_t> names_;   ///< the same: parts
  std::vector<bool> is_named_;         ///< whether by the step before
  std::vector<std::uint64_t> taken_;   ///< names of the step before
  std::vector<ContactPoint> points_;
};

}   // namespace stickslip
