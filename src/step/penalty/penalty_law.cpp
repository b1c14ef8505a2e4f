#include "step/penalty/penalty_law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip {

namespace {

constexpr int kMostLayers = 4096;      ///< seven eighths of the way to the barrier; beyond it stays as stiff as there
constexpr double kBarrierDepths = 4;   ///< η₁ over the wanted depth

/// Of layers with k₁ = 1 and η₁ = 1, at a distance x of the barrier.
PenaltySpring::Value layers_at(double x) {
  PenaltySpring::Value sum;
  for (int i = 1; i <= kMostLayers; ++i) {
    const double within = 1 / std::sqrt(std::sqrt(static_cast<double>(i))) - x;
    if (within <= 0) break;
    const double k = static_cast<double>(i) * i * i;
    sum.energy += 0.5 * k * within * within;
    sum.force += k * within;
    sum.stiffness += k;
  }
  return sum;
}

PenaltySpring::Value layered(const PenaltySpring& s, double gap) {
  static const double unit = layers_at(1 - 1 / kBarrierDepths).force;   // at the wanted depth
  if (gap >= 0) return {};
  const double reach = s.barrier(), k1 = s.force / (unit * reach);
  PenaltySpring::Value v = layers_at(1 + gap / reach);
  v.energy *= k1 * reach * reach;
  v.force *= k1 * reach;
  v.stiffness *= k1;
  return v;
}

/// e of a mass on a spring with a damper ζ that never pulls.
double restitution_of(double zeta) {
  if (zeta >= 1) {
    const double root = std::sqrt(std::max(zeta * zeta - 1, 1e-12));
    return std::exp(-zeta / root * std::log((zeta + root) / (zeta - root)));
  }
  const double root = std::sqrt(1 - zeta * zeta);
  double angle = std::atan2(2 * zeta * root, 1 - 2 * zeta * zeta);   // 2 asin ζ
  return std::exp(-zeta / root * (std::numbers::pi - angle));
}

}   // namespace

double PenaltySpring::barrier() const {
  return law == PenaltyLaw::layered ? kBarrierDepths * depth : std::numeric_limits<double>::infinity();
}

PenaltySpring::Value PenaltySpring::at(double gap) const {
  const double k = stiffness();
  switch (law) {
    case PenaltyLaw::linear:
    case PenaltyLaw::receding:
      return gap < 0 ? Value{0.5 * k * gap * gap, -k * gap, k} : Value{};
    case PenaltyLaw::power: {
      if (gap >= 0) return {};
      const double x = -gap / depth, f = force * std::pow(x, exponent);
      return {f * -gap / (exponent + 1), f, exponent * f / -gap};
    }
    case PenaltyLaw::exponential: {
      const double f = force * std::exp(-gap / depth - 1);
      return {depth * f, f, f / depth};
    }
    case PenaltyLaw::layered:
      return layered(*this, gap);
  }
  return {};
}

PenaltyForce penalty_force(const PenaltySpring::Value& v, bool receding, const PenaltyDamper& damper, double speed,
                           double damping) {
  PenaltyForce f;
  f.spring = v.force;
  if (!receding) {
    f.total = v.force - damping * speed;
    if (!(f.total > 0)) return {v.force, 0, 0, 0};
    f.by_gap = v.stiffness;
    f.by_speed = damping;
    return f;
  }
  const double lost = 1 - damper.elasticity;
  const bool blends = speed > 0 && speed < damper.blend;
  const double part = speed <= 0 ? 1 : blends ? 1 - lost * speed / damper.blend : damper.elasticity;
  f.total = part * v.force;
  f.by_gap = part * v.stiffness;
  f.by_speed = blends ? lost * v.force / damper.blend : 0;
  return f;
}

double damping_for_restitution(double e, double most) {
  if (e >= 1) return 0;
  if (restitution_of(most) >= e) return most;
  double low = 0, high = most;   // e falls with ζ
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (restitution_of(middle) > e ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}   // namespace stickslip
