#include "stickslip/field/distance_field.h"

namespace stickslip {

void DistanceField::values(std::span<const Vec3> at, std::span<double> out) const {
  for (std::size_t i = 0; i < at.size(); ++i) out[i] = value(at[i]);
}

void DistanceField::samples(std::span<const Vec3> at, std::span<FieldSample> out) const {
  for (std::size_t i = 0; i < at.size(); ++i) out[i] = sample(at[i]);
}

}   // namespace stickslip
