// Minimisation over velocities [course §4.2.3]: which step of Newton's method is taken whole, and which is not.
//
// A step of implicit Euler with contacts that are linear in velocities is the minimum of
//
//   f(u) + Ψ(J u),   f(u) = ½ (u − ũ)ᵀ M (u − ũ) + τ/h E(x + h u) + τ/2 uᵀ B u,   ũ = u_t + τ M⁻¹ f_ext
//
// with Ψ convex: infinite where contacts or joints would be violated, and what friction dissipates for the normal impulses of
// the iterate. A linearisation about w gives u⁺ = w + d and impulses λ with −λ in ∂Ψ(J u⁺) and A d = −∇f(w) + Jᵀλ, so that
//
//   [f + Ψ](w + αd) − [f + Ψ](w) ≤ f(w + αd) − f(w) − α λᵀJ d,   0 ≤ α ≤ 1,
//
// by convexity of Ψ, whatever the laws are. The right side begins with the slope −dᵀA d: it is what must fall, after Armijo.
// Bodies with masses alone are quadratic in it and fall along all of the way. Pressure inside has the potential −p V.
#include <cmath>

#include "step/soft/soft_systems.h"

namespace stickslip {

namespace {

constexpr double kDescent = 1e-4;            ///< part of the slope that a share of the way has to fall by
constexpr int kMostShares = 12;              ///< halvings of the way
constexpr double kObjectiveDigits = 1e-13;   ///< of the objective that are rounding

double volume_within(const NodalBody& nodes, std::span<const Vec3> places) {
  double sum = 0;
  for (const auto& [a, b, c] : nodes.triangles) sum += places[a].dot(places[b].cross(places[c])) / 6;
  return sum;
}

}   // namespace

/// f of a body, that share along the way.
double SoftSystems::objective(const World& world, const NodalBody& nodes, System& s, double share) {
  const double kick = s.times.kick, h = s.times.h;
  const Body& body = world.bodies()[nodes.body];
  const Vec3 acceleration = world.gravity + body.inverse_mass * body.force;
  auto& [velocities, places] = s.tried;
  velocities.resize(nodes.size());
  places.resize(nodes.size());
  double sum = 0;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    velocities[i] = s.trial[i] + share * s.way.segment<3>(3 * i);
    places[i] = nodes.positions[i] + h * velocities[i];
    if (!nodes.is_free(i)) continue;
    sum += nodes.masses[i] * (0.5 * (velocities[i] - s.start[i]).squaredNorm() - kick * acceleration.dot(velocities[i]));
  }
  sum +=
      kick / h * nodes.solid->energy(places) + kick / 2 * nodes.solid->dissipation(places, velocities, MassMatrix::lumped, h);
  if (nodes.pressure != 0) sum -= kick / h * nodes.pressure * volume_within(nodes, places);
  return sum;
}

double SoftSystems::share_that_descends(const World& world, const VelocitySpace& space, std::span<const double> velocity) {
  double before = 0, slope = 0, pushed = 0;   // pushed: λᵀJ d
  const auto each = [&](const auto& visit) {
    for (const NodalBody& nodes : world.nodal_bodies())
      if (nodes.is_soft() && world.bodies()[nodes.body].moves_by_forces()) visit(nodes, system_of(nodes));
  };
  each([&](const NodalBody& nodes, System& s) {
    s.way.setZero(static_cast<Eigen::Index>(3 * nodes.size()));
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const std::uint32_t segment = space.segment_of(static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node + i);
      if (segment != kNoSegment) s.way.segment<3>(3 * i) = space.twist(velocity, segment).linear - s.trial[i];
    }
    const double bend = s.way.dot(s.matrix * s.way);
    slope -= bend;
    pushed += bend - s.way.dot(Eigen::Map<const Eigen::VectorXd>(s.right.data(), s.way.size()));
    before += objective(world, nodes, s, 0);
  });
  double share = 1;
  for (int k = 0; k < kMostShares; ++k, share /= 2) {
    double after = 0;
    each([&](const NodalBody& nodes, System& s) { after += objective(world, nodes, s, share); });
    if (after - before - share * pushed <= kDescent * share * slope + kObjectiveDigits * std::abs(before)) break;
  }
  return share;
}

}   // namespace stickslip
