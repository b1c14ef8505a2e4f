// Boxes, hulls, cylinders and capsules as convex cores, for the pairs whose normal comes from the distance of cores.
//
// A resting contact has a gap near zero, where the difference of the nearest points is rounding noise. The cores lie inside
// the shapes by a fraction of their thickness, so they stay apart while the shapes touch, and the direction between them is
// well defined. A capsule's core is its segment; a box, hull or cylinder shrinks so that its faces stay parallel to
// themselves. Gaps are then measured between the true shapes.
#pragma once

#include "collide/patch.h"
#include "collide/polytope_view.h"

namespace stickslip::narrow {

/// Radius of a ball inside the shape, the largest or not much smaller [m].
double inner_radius(const Box&);
double inner_radius(const Cylinder&);
double inner_radius(const Capsule&);
double inner_radius(const ConvexHull&);

class ConvexCore {
 public:
  /// `position` is relative to an origin chosen by the caller. `inset` tells how far the core lies inside the shape [m]: the
  /// faces of a box or cylinder move in by it, those of a hull by no more. A capsule's core is always its segment.
  ConvexCore(const Box&, const Mat3& rotation, const Vec3& position, double inset);
  ConvexCore(const Cylinder&, const Mat3& rotation, const Vec3& position, double inset);
  ConvexCore(const Capsule&, const Mat3& rotation, const Vec3& position, double inset);
  ConvexCore(const ConvexHull&, const Mat3& rotation, const Vec3& position, double inset);
  explicit ConvexCore(const std::array<Vec3, 3>& triangle);   ///< for distances; it has no features
  ConvexCore(const ConvexCore&) = delete;                     // the view may point into the object
  ConvexCore& operator=(const ConvexCore&) = delete;

  Vec3 center() const { return position_; }
  double slack() const { return slack_; }   ///< no point of the shape is farther than this from the core [m]
  double size() const { return size_; }     ///< radius of a ball around the centre that holds the shape [m]

  Vec3 support(const Vec3& direction) const;   ///< farthest point of the core
  double extent(const Vec3& unit) const;       ///< largest unit · x over the true shape [m]
  Vec3 aligned_face(const Vec3& unit) const;   ///< normal of a flat face within a millionth of `unit`, or `unit` itself

  /// What the true shape touches a plane across `unit` with: the face or edge that is nearly parallel to the plane, or that
  /// the plane reaches if it comes nearer by `reach` [m], otherwise a point.
  void feature(const Vec3& unit, double reach, Feature& out) const;
  /// A tilted cylinder may touch with its cap and with its side: then this is the side. @returns false if there is nothing more
  bool second_feature(const Vec3& unit, double reach, Feature& out) const;

 private:
  enum class Kind { box, hull, cylinder, capsule, triangle };

  const Vec3& farthest_corner(const Vec3& local) const;
  void polytope_feature(const Vec3& local, double reach, Feature& out) const;
  void cylinder_feature(const Vec3& local, double reach, Feature& out) const;
  bool cap_touches(const Vec3& local, double reach) const;
  bool side_touches(const Vec3& local, double reach) const;
  void add_side(const Vec3& local, Feature& out) const;
  void place(Feature& out) const;   ///< from the local frame

  Kind kind_;
  Mat3 rotation_;
  Vec3 position_;
  BoxPolytope box_{Box{}};                          // box
  PolytopeView view_;                               // box, hull
  std::array<Vec3, 3> corners_;                     // triangle
  Vec3 core_half_extents_;                          // box
  double core_scale_ = 1;                           // hull, about its interior point
  double radius_ = 0, half_height_ = 0;             // cylinder, capsule
  double core_radius_ = 0, core_half_height_ = 0;   // cylinder, capsule
  double slack_ = 0, size_ = 0;
};

}   // namespace stickslip::narrow
