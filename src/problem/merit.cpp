#include "stickslip/problem/merit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/infinity.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// One row as the boxed model sees it.
struct MeritRow {
  double impulse, y, lower, upper;
};

/// Bounds of friction row k ≥ 1 at this normal impulse, which may be negative.
void set_friction_bounds(const FrictionSet& law, std::uint32_t k, double normal, MeritRow& row) {
  std::visit(
      [&](const auto& l) {
        const auto box = l.box(1.0);
        const double scale = l.scales_with_normal() ? normal : 1;
        row.lower = scale * box.lower[k - 1];
        row.upper = scale * box.upper[k - 1];
      },
      law);
}

/// Calls f(row, is_friction) for every row.
template <class F>
void each_boxed_row(const ContactProblem& p, std::span<const double> impulses, std::span<const double> v, F&& f) {
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    for (std::uint32_t k = 0; k < block.dim; ++k) {
      const std::uint32_t at = block.row + k;
      MeritRow row{impulses[at], v[at], -kInfinity, kInfinity};
      const bool contact = block.kind == BlockKind::contact;
      if (contact && k == 0) row.lower = 0;
      else if (contact) set_friction_bounds(p.laws[i], k, impulses[block.row], row);
      else if (block.kind == BlockKind::box) row.lower = p.lower[at], row.upper = p.upper[at];
      f(row, contact && k > 0);
    }
  }
}

double minimum_map(const MeritRow& r) { return std::min(r.upper - r.impulse, -std::min(r.impulse - r.lower, r.y)); }

/// √(a² + b²) − a − b, and its limit where a or b is infinite.
double fischer(double a, double b) {
  if (std::isinf(a)) return -b;
  if (std::isinf(b)) return -a;
  return a > 0 && b > 0 ? -2 * a * b / (a + b + std::hypot(a, b)) : std::hypot(a, b) - a - b;
}
double fischer_of(const MeritRow& r) { return fischer(r.impulse - r.lower, fischer(-r.y, r.upper - r.impulse)); }

/// The larger, or NaN if one is.
void raise(double& largest, double value) {
  if (!(value <= largest)) largest = value;
}

template <class Function>
MeritValue half_squares(const ContactProblem& p, std::span<const double> impulses, std::span<const double> v, Function&& h) {
  MeritValue merit;
  each_boxed_row(p, impulses, v, [&](const MeritRow& row, bool friction) {
    const double value = h(row);
    (friction ? merit.friction : merit.normal) += 0.5 * value * value;
  });
  merit.total = merit.normal + merit.friction;
  return merit;
}

template <class Function>
MeritValue largest(const ContactProblem& p, std::span<const double> impulses, std::span<const double> v, Function&& h) {
  MeritValue merit;
  each_boxed_row(p, impulses, v, [&](const MeritRow& row, bool friction) {
    raise(friction ? merit.friction : merit.normal, std::abs(h(row)));
  });
  merit.total = merit.normal;
  raise(merit.total, merit.friction);
  return merit;
}

/// λ_f·y_f + λₙ max ⟨x, −y_f⟩ over F(1): what friction dissipates less than it could [J].
double missed_dissipation(const FrictionSet& law, const double* impulse, const double* y) {
  return std::visit(
      [&]<class Law>(const Law& l) {
        using Vector = typename Law::Vector;
        const Eigen::Map<const Vector> friction(impulse + 1), slip(y + 1);
        const double most = l.support(Vector(-slip));
        return friction.dot(slip) + (l.scales_with_normal() ? impulse[0] * most : most);
      },
      law);
}

MeritValue complementarity(const ContactProblem& p, std::span<const double> impulses, std::span<const double> v) {
  MeritValue merit;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    const double *const impulse = impulses.data() + block.row, *const y = v.data() + block.row;
    if (block.kind == BlockKind::contact) {
      merit.normal += impulse[0] * y[0];
      if (block.dim > 1) merit.friction += missed_dissipation(p.laws[i], impulse, y);
      continue;
    }
    for (std::uint32_t k = 0; k < block.dim; ++k) {
      // A box row is held by the bound that its velocity points away from.
      double bound = 0;
      if (block.kind == BlockKind::box) bound = y[k] > 0 ? p.lower[block.row + k] : p.upper[block.row + k];
      merit.normal += (impulse[k] - (std::isfinite(bound) ? bound : 0)) * y[k];
    }
  }
  merit.total = std::abs(merit.normal + merit.friction);
  merit.normal = std::abs(merit.normal);
  merit.friction = std::abs(merit.friction);
  return merit;
}

MeritValue step_of(const ContactProblem& p, std::span<const double> impulses, std::span<const double> before) {
  if (before.size() != impulses.size()) return {kInfinity, kInfinity, kInfinity};
  MeritValue merit;
  for (const Block& block : p.blocks)
    for (std::uint32_t k = 0; k < block.dim; ++k)
      raise(block.kind == BlockKind::contact && k > 0 ? merit.friction : merit.normal,
            std::abs(impulses[block.row + k] - before[block.row + k]));
  merit.total = merit.normal;
  raise(merit.total, merit.friction);
  return merit;
}

}   // namespace

const std::vector<std::string>& merit_names() {
  static const std::vector<std::string> names = {"none", "min-map", "min-map-max", "fischer", "complementarity",
                                                 "step", "impulse"};
  return names;
}

std::string_view merit_name(Merit merit) { return merit_names()[static_cast<std::size_t>(merit)]; }

Merit merit_from_name(std::string_view name) {
  const auto& names = merit_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(fmt::format("There is no merit function '{}'. {}", name, suggest(std::string(name), names))).at("function");
  return static_cast<Merit>(found - names.begin());
}

std::string_view merit_stop_name(MeritStop stop) {
  static const std::string_view names[] = {"none", "absolute", "relative", "divergence"};
  return names[static_cast<std::size_t>(stop)];
}

void check(const MeritRule& rule) {
  if (!(rule.absolute >= 0))
    throw Error(fmt::format("{} is not a threshold of a merit function. It must be at least 0.", rule.absolute)).at("absolute");
  if (!(rule.relative >= 0 && rule.relative < 1))
    throw Error(fmt::format("{} is not a relative change. It must be at least 0 and less than 1.", rule.relative))
        .at("relative");
  if (!(rule.divergence >= 1))
    throw Error(fmt::format("{} is not a growth of a merit function. It must be at least 1.", rule.divergence))
        .at("divergence");
  if (rule.function == Merit::none && (rule.absolute > 0 || rule.relative > 0 || std::isfinite(rule.divergence)))
    throw Error(
        "A threshold needs a merit function. Name one: min-map, min-map-max, fischer, complementarity, step or impulse.")
        .at("function");
}

MeritValue evaluate_merit(Merit merit, const ContactProblem& p, std::span<const double> impulses,
                          std::span<const double> before, ResidualWorkspace& work) {
  work.v.resize(p.rows());
  p.contact_velocity(impulses, work.v, work.segment_velocity);
  switch (merit) {
    case Merit::none:
      return {};
    case Merit::min_map:
      return half_squares(p, impulses, work.v, minimum_map);
    case Merit::min_map_max:
      return largest(p, impulses, work.v, minimum_map);
    case Merit::fischer:
      return half_squares(p, impulses, work.v, fischer_of);
    case Merit::complementarity:
      return complementarity(p, impulses, work.v);
    case Merit::step:
      return step_of(p, impulses, before);
    case Merit::impulse:
      return largest(p, impulses, work.v, [](const MeritRow& row) { return row.impulse; });
  }
  return {};
}

}   // namespace stickslip
