// Signed distance fields: a number at every point, negative inside a solid.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stickslip/geometry/aabb.h"

namespace stickslip {

struct FieldSample {
  double value = 0;               ///< signed distance, < 0 inside [m]
  Vec3 gradient = Vec3::Zero();   ///< of the value; a unit vector where the value is the distance and the nearest point unique
};

/// Fields are values in a local frame that never change after they are made: any number of threads may ask.
class DistanceField {
 public:
  virtual ~DistanceField() = default;

  virtual double value(const Vec3& at) const = 0;         ///< [m]
  virtual FieldSample sample(const Vec3& at) const = 0;   ///< value and gradient

  /// Many at once; the same numbers as one by one. @pre equal sizes
  virtual void values(std::span<const Vec3> at, std::span<double> out) const;
  virtual void samples(std::span<const Vec3> at, std::span<FieldSample> out) const;

  /// Box that holds the solid (value ≤ 0); infinite for a half-space.
  virtual Aabb bounds() const = 0;

  /// |value − distance| is at most this wherever the distance is below `band()` in size [m]; beyond the band the sign is right
  /// and |value| at most |distance|.
  virtual double error_bound() const = 0;
  virtual double band() const = 0;   ///< [m]; ∞ if the bound holds everywhere
};

/// Exact distance to one of the shapes of geometry/shape.h. Inside, that of the nearest surface point; where several are
/// nearest the gradient is that of one of them.
class ShapeField final : public DistanceField {
 public:
  /// @throws Error as `validate(Shape)` does
  explicit ShapeField(Shape shape, const Pose& pose = {});

  double value(const Vec3& at) const override { return sample(at).value; }
  FieldSample sample(const Vec3& at) const override;
  Aabb bounds() const override { return bounding_box(shape_, pose_); }
  double error_bound() const override { return 0; }
  double band() const override;

 private:
  Shape shape_;
  Pose pose_;
};

/// Union with rounded creases: parts are joined one after the other by smin(a, b) = min(a, b) − w h²/4, h = max(1 − |a − b|/w,
/// 0), w the width of the blend. Its gradient is a convex combination of those of the parts, so values stay 1-Lipschitz:
/// |value| is at most the distance to the blended surface. min − (n − 1) w/4 ≤ value ≤ min over n parts; `error_bound` states
/// that, against the union.
class SmoothUnion final : public DistanceField {
 public:
  /// @param width w [m], ≥ 0; 0 is the plain union
  /// @throws Error without parts or if the width is negative or not finite
  SmoothUnion(std::vector<std::shared_ptr<const DistanceField>> parts, double width);

  double value(const Vec3& at) const override;
  FieldSample sample(const Vec3& at) const override;
  Aabb bounds() const override;
  double error_bound() const override;
  double band() const override;

 private:
  std::vector<std::shared_ptr<const DistanceField>> parts_;
  double width_;
};

}   // namespace stickslip
