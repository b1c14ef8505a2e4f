// A body of nodes as if it were rigid.
#pragma once

#include "math/small_matrices.h"
#include "stickslip/world/nodal_body.h"

namespace stickslip {

struct MeanMotion {
  double mass = 0;
  Vec3 center = Vec3::Zero(), velocity = Vec3::Zero();   ///< of mass
  Mat3 inertia = Mat3::Zero();                           ///< about it, world frame [kg m²]
  Vec3 angular_momentum = Vec3::Zero();                  ///< about it [kg m²/s]

  explicit MeanMotion(const NodalBody& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      mass += nodes.masses[i];
      center += nodes.masses[i] * nodes.positions[i];
      velocity += nodes.masses[i] * nodes.velocities[i];
    }
    center /= mass;
    velocity /= mass;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Vec3 arm = nodes.positions[i] - center;
      inertia += nodes.masses[i] * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
      angular_momentum += nodes.masses[i] * arm.cross(nodes.velocities[i]);
    }
  }

  /// The spin that has this angular momentum [rad/s].
  Vec3 spin_of(const Vec3& momentum) const { return solve_linear(inertia, momentum); }
};

}   // namespace stickslip
