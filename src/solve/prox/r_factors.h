// The r-factor strategies of the proximal schemes [prox §4.2].
#pragma once

#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "math/infinity.h"
#include "problem/power_iteration.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/contact_problem.h"

namespace stickslip {

enum class RFactor { local, global, blocked };

/// @throws Error at /r_factor if there is no such strategy.
inline RFactor r_factor_of(const std::string& name) {
  static const std::array<std::string, 3> names{"local", "global", "blocked"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<RFactor>(i);
  throw Error(fmt::format("There is no r-factor strategy '{}'. {}", name, suggest(name, names))).at("r_factor");
}

/// @throws Error if a number that both proximal schemes have is out of range.
inline void check_r_factors(double relaxation, double shrink, double growth) {
  if (!(std::isfinite(relaxation) && relaxation > 0))
    throw Error(fmt::format("{} is not a relaxation factor. It must be finite and greater than 0.", relaxation))
        .at("relaxation");
  if (!(shrink > 0 && shrink < 1))
    throw Error(fmt::format("{} cannot shrink the r-factors. It must be between 0 and 1.", shrink)).at("shrink");
  if (!(growth >= 1)) throw Error(fmt::format("{} is not a growth factor. It must be at least 1.", growth)).at("growth");
}

/// Whether friction takes the box around its set. @throws Error at /friction if it is neither law nor box.
inline bool wants_box(const std::string& friction) {
  if (friction == "box") return true;
  if (friction == "law") return false;
  throw Error(
      fmt::format("There is no friction '{}'. {}", friction, suggest(friction, std::array<std::string, 2>{"law", "box"})))
      .at("friction");
}

/// The smallest local r-factor of all rows that can move [kg].
inline double smallest_r_factor(const ContactProblem& p) {
  double smallest = kInfinity;
  const auto consider = [&](double mass) {
    if (mass > 0) smallest = std::min(smallest, mass);
  };
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    if (block.kind == BlockKind::contact) {
      consider(p.scales[i].normal_mass);
      if (block.dim > 1) consider(p.scales[i].friction_mass);
    } else {
      for (std::uint32_t k = 0; k < block.dim; ++k) consider(1 / p.diagonal_values[block.diagonal + k * (block.dim + 1u)]);
    }
  }
  return std::isfinite(smallest) ? smallest : 1;
}

/// argmin ½ (x − z)ᵀ A (x − z) over x ∈ F(normal) with z = λ_f − A⁻¹ v_f and A = W_ff: the proximal point in the metric of the
/// block, by projected gradient steps of length `mass` ≤ 1/λmax(A) from λ_f. Each of them leaves a solution where it is, so
/// that the fixed point is exact however few there are.
/// @param w W_ii, D × D, column-major
template <int D, class Law>
typename Law::Vector prox_in_block_metric(const Law& law, double normal, const typename Law::Vector& impulse,
                                          const typename Law::Vector& v, const double* w, double mass) {
  constexpr int kSteps = 12;
  using Vector = typename Law::Vector;
  const auto a = Eigen::Map<const Eigen::Matrix<double, D, D>>(w).template bottomRightCorner<D - 1, D - 1>();
  Vector x = impulse;
  for (int k = 0; k < kSteps; ++k) {
    const Vector gradient = a * (x - impulse) + v;
    const Vector next = law.project(normal, Vector(x - mass * gradient));
    const double moved = (next - x).cwiseAbs().maxCoeff();
    x = next;
    if (!(moved > 1e-3 * (x - impulse).cwiseAbs().maxCoeff())) break;
  }
  return x;
}

}   // namespace stickslip
