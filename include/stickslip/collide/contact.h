// What contact generation produces.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/geometry/contact_key.h"
#include "stickslip/math/types.h"

namespace stickslip {

struct PairMemory;   // collide/pair_memory.h

/// One contact point between shapes A and B.
struct ContactPoint {
  Vec3 position;           ///< halfway between the two surfaces, world frame [m]
  Vec3 normal;             ///< unit, from A to B, world frame
  double gap;              ///< signed distance along the normal; negative is penetration [m]
  std::uint64_t feature;   ///< names the pair of touching features; the same from step to step while they touch
};

/// Receives the points of one shape pair. Keeps its memory between uses.
class ContactSink {
 public:
  /// Points of one pair of parts: `points()[first, end)`.
  struct Part {
    std::uint64_t parts;   ///< as in PartPair
    std::uint32_t first, end;
  };

  void clear() {
    points_.clear();
    parts_.clear();
  }

  /// A feature of the pair when it was last looked at: of two faces that tie, the one that was taken then is taken again.
  /// Holds until the next call.
  void expect(std::uint64_t feature) { expected_ = feature; }
  void expect_nothing() { expected_ = kNone; }
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t expected() const { return expected_; }

  /// Where contact generation may keep what it found out about the pair that is looked at next, and look it up. Holds until
  /// the next call.
  void remember_in(PairMemory* memory) { memory_ = memory; }
  PairMemory* memory() const { return memory_; }

  void add(const Vec3& position, const Vec3& normal, double gap, std::uint64_t feature) {
    points_.push_back({position, normal, gap, feature});
  }
  std::vector<ContactPoint>& points() { return points_; }
  const std::vector<ContactPoint>& points() const { return points_; }

  /// Ends the points of a pair of parts: those added since the last call. Pairs of convex shapes never call it. @pre parts grow
  void end_part(std::uint64_t parts) {
    const std::uint32_t first = parts_.empty() ? 0 : parts_.back().end;
    if (points_.size() > first) parts_.push_back({parts, first, static_cast<std::uint32_t>(points_.size())});
  }
  /// Pairs of parts that `end_part` ended; empty if the points are those of two convex shapes.
  std::vector<Part>& parts() { return parts_; }
  const std::vector<Part>& parts() const { return parts_; }
  /// The points of a pair of parts.
  std::span<const ContactPoint> points_of(std::uint64_t parts) const {
    if (parts_.empty()) return parts == 0 ? std::span(points_) : std::span<const ContactPoint>{};
    const auto before = [](const Part& p, std::uint64_t wanted) { return p.parts < wanted; };
    const auto at = std::lower_bound(parts_.begin(), parts_.end(), parts, before);
    if (at == parts_.end() || at->parts != parts) return {};
    return std::span(points_).subspan(at->first, at->end - at->first);
  }

  /// Turns the points of (B, A) into those of (A, B).
  void flip();

  /// Leaves of the points of every pair of parts what `reduce_manifold` does.
  void reduce(double margin);

 private:
  std::vector<ContactPoint> points_, reduced_, of_part_;
  std::vector<Part> parts_;
  std::uint64_t expected_ = kNone;
  PairMemory* memory_ = nullptr;
};

/// The points of one pair of parts: `points[first, first + count)` of the set; normals point from a to b.
struct Manifold : PartPair {
  std::uint32_t first = 0, count = 0;
  double target = 0;   ///< depth that the two are to keep: rows take gaps from there [m]

  ContactKey key(const ContactPoint& point) const { return {*this, point.feature}; }
};

/// Feature of a contact that stands for an area, which no pair of shapes has.
inline constexpr std::uint64_t kPatchFeature = ~std::uint64_t{0x1f} + 2;

/// An area in which two parts touch: the one contact with `kPatchFeature` of their manifold stands for all its places.
struct ContactPatch : PartPair {
  static constexpr int kMaxCorners = 8;

  Vec3 t = Vec3::Zero();                   ///< unit, in the plane of the area; b = normal × t
  std::array<Vec2, kMaxCorners> corners;   ///< convex, along t and b from the contact point [m]
  int corner_count = 0;                    ///< 2: an edge
  double gap = 0;                          ///< at the contact point [m]
  Vec2 slope = Vec2::Zero();               ///< how the gap grows along t and b
  Vec2 half_axes = Vec2::Zero();           ///< of an ellipse along t and b, whose corners then lie on it; 0: a polygon [m]
  Mat2 rolling = Mat2::Zero();   ///< projector on the spins (along t, b) that leave the area as it is: of round bodies
  double volume = 0;             ///< that the two share there [m³]; 0 if points made it

  bool is_ellipse() const { return half_axes.x() > 0; }
  double gap_at(const Vec2& place) const { return gap + slope.dot(place); }
  double radius() const {   ///< distance of the farthest corner from the contact point [m]
    double squared = 0;
    for (const Vec2& corner : outline()) squared = std::max(squared, corner.squaredNorm());
    return std::sqrt(squared);
  }
  std::span<const Vec2> outline() const { return {corners.data(), static_cast<std::size_t>(corner_count)}; }
};

/// All contacts of one instant, sorted by pair, points of a manifold by feature.
struct ContactSet {
  std::vector<Manifold> manifolds;
  std::vector<ContactPoint> points;
  std::vector<ContactPatch> patches;   ///< of the contacts that stand for areas, sorted by pair

  void clear() {
    manifolds.clear();
    points.clear();
    patches.clear();
  }
  /// Null if the two parts have none.
  const ContactPatch* patch_of(const PartPair& pair) const {
    const auto before = [](const ContactPatch& p, const PartPair& wanted) { return static_cast<const PartPair&>(p) < wanted; };
    const auto at = std::lower_bound(patches.begin(), patches.end(), pair, before);
    return at != patches.end() && static_cast<const PartPair&>(*at) == pair ? &*at : nullptr;
  }
  std::span<const ContactPoint> points_of(const Manifold& m) const { return std::span(points).subspan(m.first, m.count); }
};

}   // namespace stickslip
