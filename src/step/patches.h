// Contacts of one plane as one contact over the area that they span (docs/patches.md).
#pragma once

#include "step/joined_areas.h"
#include "stickslip/collide/contact.h"
#include "stickslip/friction/patch.h"
#include "stickslip/step/options.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// What is told of an area. @param point that stands for it
void set_outline(ContactOutline&, const ContactPatch&, const ContactPoint& point);

class PatchMaker {
 public:
  /// The contacts with those of every manifold that can be a patch, and is to be one, made one. Others stay: single points,
  /// points that do not lie in a plane, surfaces with a friction law of their own, and what deforms. Valid until the next call.
  const ContactSet& merge(const World&, const ContactSet&, const StepOptions&);
  /// Pairs of parts whose areas are parts of others in it.
  std::span<const JoinedArea> joined() const { return joiner_.joined(); }

 private:
  bool is_patch(const World&, const Manifold&, const StepOptions&) const;
  bool make(const World&, const Manifold&, std::span<const ContactPoint>, const StepOptions&);
  double fit_gap(std::span<const ContactPoint>, const Vec3& origin, ContactPatch&) const;

  ContactSet merged_;
  AreaJoiner joiner_;
  std::vector<Vec2> places_;
  PressurePatch area_ = PressurePatch::polygon({Vec2::Zero()});   ///< of the points of a manifold
};

}   // namespace stickslip
