#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stickslip/math/error.h"
#include "stickslip/mesh/make_mesh.h"

namespace stickslip {

TriangleMesh with_bumps(TriangleMesh mesh, const Vec3& half_extents, double height, double waves) {
  if (!(height >= 0 && height <= 0.2))
    throw Error(fmt::format("{} is no height of bumps. Give a part of the size, from 0 to 0.2.", height)).at("bumps");
  if (!(waves > 0) || !std::isfinite(waves))
    throw Error(fmt::format("{} is no number of waves. It must be greater than 0.", waves)).at("waves");
  // Nearly as many waves along each axis, but not the same: bumps then have many heights.
  const Vec3 turns = std::numbers::pi * waves * Vec3(0.95, 1.05, 1).cwiseQuotient(half_extents);
  for (Vec3& x : mesh.vertices) {
    const Vec3 phase = turns.cwiseProduct(x);
    x *= 1 + height * std::sin(phase.x()) * std::sin(phase.y()) * std::cos(phase.z());
  }
  return mesh;
}

}   // namespace stickslip
