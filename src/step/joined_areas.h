// Areas of several parts of two bodies that are one: two boxes that make an L stand on one area, not on two.
//
// A body of convex parts has contacts for every pair of parts. Areas of the same two bodies that touch each other in one plane,
// over which the gap is one linear function, become one block of rows over the hull of both; all others, such as those of the
// legs of a table, stay by themselves.
#pragma once

#include <span>
#include <vector>

#include "stickslip/collide/contact.h"
#include "stickslip/friction/patch.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// A pair of parts whose area is part of that of another pair.
struct JoinedArea {
  PartPair owner, member;
};

class AreaJoiner {
 public:
  /// Joins areas of a set. @param band within which contacts touch, as a part of the thinner body's thickness
  void join(const World&, double band, ContactSet&);
  /// Those of the last set; of one that was joined before and had points added, those of then as well.
  std::span<const JoinedArea> joined() const { return joined_; }

 private:
  /// An area of two bodies that may be joined with others.
  struct Candidate {
    std::uint32_t body_a, body_b;
    std::uint32_t manifold;
    std::size_t patch;
    double slack;     ///< by which gaps of one plane may differ [m]
    bool is_member;   ///< of another one by now
  };
  void forget_old(const ContactSet&);
  void collect(const World&, double band, const ContactSet&);
  bool absorb(const World&, ContactSet&, const Candidate& owner, const Candidate& member);
  void drop_members(ContactSet&);

  std::vector<Candidate> candidates_;
  std::vector<JoinedArea> joined_;
  std::vector<Vec2> places_;
  std::vector<bool> dropped_;   ///< of the manifolds
  PressurePatch hull_ = PressurePatch::polygon({Vec2::Zero()});
  ContactSet kept_;
};

}   // namespace stickslip
