// Boxes in floats, half as large as those in doubles and compared four numbers at once: what the search of candidates spends
// its time on. They are rounded outwards, so that boxes that touch in doubles do so here.
#pragma once

#include <Eigen/Core>

#include "stickslip/geometry/aabb.h"

namespace stickslip {

class FloatBox {
 public:
  FloatBox() = default;   ///< undefined
  explicit FloatBox(const Aabb& box) : lower_(below(box.lower)), minus_upper_(below(-box.upper)) {}

  FloatBox merged(const FloatBox& o) const {
    FloatBox both;
    both.lower_ = lower_.min(o.lower_);
    both.minus_upper_ = minus_upper_.min(o.minus_upper_);
    return both;
  }
  bool overlaps(const FloatBox& o) const { return (lower_ + o.minus_upper_).max(o.lower_ + minus_upper_).maxCoeff() <= 0; }
  float size() const { return -(lower_ + minus_upper_).sum(); }   ///< of its three sides together [m]

 private:
  using Four = Eigen::Array4f;   // the last is 0
  static Four below(const Vec3& x) {
    constexpr float kRoundedBy = 3e-7f, kLeast = 1e-37f;   // more than a float is off, and its difference from this part of it
    const Vec3 finite = x.cwiseMax(-kFar).cwiseMin(kFar);
    const Four near(static_cast<float>(finite.x()), static_cast<float>(finite.y()), static_cast<float>(finite.z()), 0);
    return near - (kRoundedBy * near.abs() + kLeast);
  }

  static constexpr float kFar = 1e37f;   ///< what is farther away counts as there
  Four lower_, minus_upper_;
};

}   // namespace stickslip
