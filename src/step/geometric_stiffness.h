// Stability of light bodies between heavy ones.
//
// A force f that a joint exerts at the arm r from the centre of mass turns with the body: the torque r × f changes by −K θ under a small rotation θ,
//
//   K = (f·r) 1 − ½ (r fᵀ + f rᵀ)     (symmetric part, summed over the joints of the body)
//
// which is a stiff spring for a light link in a taut chain. The step treats it explicitly, as a symplectic scheme that is unstable where
// ω h > 2, ω² = eigenvalues of I⁻¹K. Where ω h > 1, the inertia against impulses is raised to K h², so that ω h = 1: rotations that the step can
// follow are not touched, those it cannot follow become slower instead of wilder (selective mass scaling; compare the geometric stiffness of
// Tournier et al., "Stable constrained dynamics", 2015). The inertia is that about a point of the body which a joint holds fast to the unmoving world,
// if there is one. The forces are those of the last step. Applied and gyroscopic torques meet the same inertia: impulses that undo what a torque
// would have done by itself must not see another one.
//
// The added inertia A does not carry the spin ω of the body but that of its chords, the lines d to the centres of the bodies which pull at it and to
// its joints with the unmoving world, in least squares over the joints with their forces as weights:
//
//   (I + A) ω_free = I ω + h τ + A ω̄,     Σ |f| (d² 1 − d dᵀ) ω̄ = Σ |f| d × ḋ
//
// A chain that swings as a whole has ω̄ = ω and loses nothing; links that tremble against their neighbours have ω̄ = 0, and A acts on them as the
// implicit Euler scheme would: what the step cannot follow dies out. Components about the chords keep their own spin.
#pragma once

#include <span>
#include <vector>

#include "stickslip/problem/contact_problem.h"
#include "stickslip/world/world.h"

namespace stickslip {

class GeometricStiffness {
 public:
  /// Changes the inverse inertias of the segments and what their free velocities owe to torques. @param segment_of_body ~0 for bodies without a
  /// segment @param h [s] @param before, free velocities at the start of the step and after it without contacts and joints, 6 numbers per segment
  void add(const World&, std::span<const std::uint32_t> segment_of_body, double h, std::span<VelocitySegment> segments,
           std::span<const double> before, std::span<double> free);

 private:
  struct Load {
    Mat3 stiffness = Mat3::Zero();   ///< K [N m/rad]
    Vec3 held = Vec3::Zero();        ///< arm to the point that is held fast [m]
    Mat3 chords = Mat3::Zero();      ///< Σ |f| (d² 1 − d dᵀ) [N m²]
    Vec3 turning = Vec3::Zero();     ///< Σ |f| d × ḋ [N m²/s]
    bool loaded = false;

    /// @param point of the joint [m] @param force its size [N]
    void add_chord(const World&, BodyId here, BodyId there, const Vec3& point, double force);
    /// ω̄ [rad/s], with no more energy than the spin of the body would have.
    Vec3 carried_spin(const Mat3& added, const Vec3& spin) const;
  };
  std::vector<Load> loads_;   ///< per segment
};

}  // namespace stickslip
