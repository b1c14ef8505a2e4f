// How hard a penalty contact pushes: force along the normal as a function of the gap φ (negative: depth) and its rate
// [course §5.1, §5.2.1].
//
// Every law is scaled so that it gives the force W at the wanted depth δ; k = W / δ is "the stiffness" of a contact.
//
//   linear        f = k (−φ)                                       U = ½ k φ²
//   receding      the same while the two approach, e² of it while they part, so that Newton's e comes out
//                 (k_recede = ε k_approach of Moore and Wilhelms, with ε = e²)
//   power         f = W (−φ/δ)^p                                   U = W δ / (p + 1) (−φ/δ)^(p+1)
//   exponential   f = W e^(−φ/δ − 1), acts at a distance           U = δ f      [course eq. 280]
//   layered       quadratic layers k(i) = k₁ i³ that begin at distances η(i) = η₁ i^(−1/4) of a barrier [course §5.2.1]. Bodies
//                 of a scene often start in touch, so that the barrier stands at the depth η₁ = 4 δ: the first layer begins
//                 where surfaces touch, and nothing gets deeper than the barrier.
//
// All are conservative but for `receding`; a damper in parallel, in proportion to the stiffness there, takes energy. The force
// never pulls.
#pragma once

#include "stickslip/step/options.h"

namespace stickslip {

struct PenaltySpring {
  PenaltyLaw law = PenaltyLaw::linear;
  double force = 0;   ///< W: at the wanted depth [N]
  double depth = 1;   ///< δ: that depth [m]
  double exponent = 1.5;

  struct Value {
    double energy = 0;      ///< U [J]
    double force = 0;       ///< −dU/dφ ≥ 0 [N]
    double stiffness = 0;   ///< −df/dφ ≥ 0 [N/m]
  };
  Value at(double gap) const;
  double stiffness() const { return force / depth; }   ///< k [N/m]
  /// Depth that nothing gets beyond [m]; infinite but for `layered`.
  double barrier() const;
};

/// What goes with the spring along the normal.
struct PenaltyDamper {
  double time = 0;         ///< force over stiffness and speed [s]; not read of `receding`
  double elasticity = 1;   ///< of `receding`: e², part of the force while the two part
  double blend = 0;        ///< speed over which that part takes over [m/s]; 0: at once
};

/// Force along the normal with what takes energy in it.
struct PenaltyForce {
  double spring = 0;     ///< conservative part [N]
  double total = 0;      ///< ≥ 0 [N]
  double by_gap = 0;     ///< −∂total/∂φ ≥ 0 [N/m]
  double by_speed = 0;   ///< −∂total/∂φ' ≥ 0 [N s/m]
};
/// @param speed of parting, φ' [m/s]
/// @param damping of the damper [N s/m]: where steps are implicit that of their start, so that the force never grows with speed
PenaltyForce penalty_force(const PenaltySpring::Value&, bool receding, const PenaltyDamper&, double speed, double damping);

/// Damping over critical damping at which a mass on a spring with a damper that never pulls leaves with −e times its speed; at
/// most `most`. The collision ends where the
/// force does [Schwager, Pöschel 2007].
double damping_for_restitution(double e, double most);

}   // namespace stickslip
