// What contact generation produces.
#pragma once

#include <cstdint>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// One contact point between shapes A and B.
struct ContactPoint {
  Vec3 position;           ///< halfway between the two surfaces, world frame [m]
  Vec3 normal;             ///< unit, from A to B, world frame
  double gap;              ///< signed distance along the normal; negative is penetration [m]
  std::uint32_t feature;   ///< names the pair of touching features; the same from step to step while they touch
};

/// Receives the points of one shape pair. Keeps its memory between uses.
class ContactSink {
 public:
  void clear() { points_.clear(); }

  /// A feature of the pair when it was last looked at: of two faces that tie, the one that was taken then is taken again.
  /// Holds until the next call.
  void expect(std::uint32_t feature) { expected_ = feature; }
  void expect_nothing() { expected_ = kNone; }
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t expected() const { return expected_; }

  void add(const Vec3& position, const Vec3& normal, double gap, std::uint32_t feature) {
    points_.push_back({position, normal, gap, feature});
  }
  std::vector<ContactPoint>& points() { return points_; }
  const std::vector<ContactPoint>& points() const { return points_; }

  /// Turns the points of (B, A) into those of (A, B).
  void flip() {
    for (ContactPoint& p : points_) p.normal = -p.normal;
  }

 private:
  std::vector<ContactPoint> points_;
  std::uint32_t expected_ = kNone;
};

/// The points of one pair of colliders: `points[first, first + count)` of the set.
struct Manifold {
  std::uint32_t a, b;   ///< collider indices, a < b; normals point from a to b
  std::uint32_t first, count;
};

/// All contacts of one instant, sorted by (a, b), points of a manifold by feature.
struct ContactSet {
  std::vector<Manifold> manifolds;
  std::vector<ContactPoint> points;

  void clear() {
    manifolds.clear();
    points.clear();
  }
};

}  // namespace stickslip
