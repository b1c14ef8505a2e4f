// Numbers that users give.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "stickslip/math/error.h"
#include "stickslip/math/types.h"

namespace stickslip {

inline void require_finite(const Vec3& v, std::string_view field, std::string_view unit) {
  if (!v.allFinite())
    throw Error(fmt::format("[{}, {}, {}] is not finite. It must be three finite numbers [{}].", v.x(), v.y(), v.z(), unit))
        .at(field);
}

inline void require_finite(double x, std::string_view field, std::string_view what) {
  if (!std::isfinite(x)) throw Error(fmt::format("{} is not {}. It must be finite.", x, what)).at(field);
}

/// Checks where a body is placed, and normalises its quaternion.
inline void take_pose(Pose& pose) {
  require_finite(pose.position, "position", "m");
  if (!(pose.orientation.norm() > 0) || !pose.orientation.coeffs().allFinite())
    throw Error("A quaternion must be finite and not zero.").at("orientation_wxyz");
  pose.orientation.normalize();
}

}   // namespace stickslip
