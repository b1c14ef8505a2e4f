// Fields and points that the tests of fields share.
#pragma once

#include <random>

#include "geometry/meshes.h"
#include "geometry/shapes.h"
#include "stickslip/field/distance_field.h"

namespace stickslip {

inline Vec3 point_in(const Aabb& box, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const Vec3 part(uniform(random), uniform(random), uniform(random));
  return box.lower + (box.upper - box.lower).cwiseProduct(part);
}

/// One field of every bounded shape of about the size `scale`.
inline std::vector<std::shared_ptr<const DistanceField>> shape_fields(double scale) {
  std::mt19937 random(2);
  std::vector<std::shared_ptr<const DistanceField>> fields;
  for (const Shape& shape : bounded_shapes(scale))
    fields.push_back(std::make_shared<ShapeField>(shape, Pose{scale * random_direction(random), random_rotation(random)}));
  return fields;
}

/// A barbell: two balls and a bar, blended.
inline std::shared_ptr<const DistanceField> barbell(double scale, double width) {
  const auto ball = [&](double z) {
    return std::make_shared<ShapeField>(Sphere{0.5 * scale}, Pose{Vec3(0, 0, z * scale), Quat::Identity()});
  };
  return std::make_shared<SmoothUnion>(
      std::vector<std::shared_ptr<const DistanceField>>{ball(-1), ball(1),
                                                        std::make_shared<ShapeField>(Capsule{0.2 * scale, 1 * scale})},
      width);
}

}   // namespace stickslip
