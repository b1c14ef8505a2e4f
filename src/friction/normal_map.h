// The facets of one side of a contact, as the texture law reads them many times: the box mapping is worked out once.
#pragma once

#include "stickslip/friction/surface.h"

namespace stickslip {

/// Facets around a place of a surface whose outward normal is taken as constant.
class FacetField {
 public:
  /// @param outward world frame, unit length
  FacetField(const SurfaceSide&, const Vec3& position, const Vec3& outward);

  bool smooth() const { return picture_ == nullptr; }
  /// Tangents along which the first two components of `facet` are, world frame.
  const Vec3& u() const { return u_; }
  const Vec3& v() const { return v_; }
  /// How far a world displacement goes on the picture, in tiles.
  Vec2 tiles(const Vec3& displacement) const { return {u_tiles_.dot(displacement), v_tiles_.dot(displacement)}; }
  /// Unit normal (along u, along v, outward ≥ 0) of the facet this far from the place. @param offset in tiles
  Vec3 facet(const Vec2& offset) const;

 private:
  const Picture* picture_ = nullptr;
  Vec2 origin_ = Vec2::Zero();   // in tiles
  Vec3 u_ = Vec3::Zero(), v_ = Vec3::Zero();
  Vec3 u_tiles_ = Vec3::Zero(), v_tiles_ = Vec3::Zero();
};

}   // namespace stickslip
