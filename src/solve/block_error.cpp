#include "solve/block_error.h"

#include <algorithm>
#include <cmath>

#include "problem/patch_parts.h"
#include "solve/patch_step.h"
#include "solve/row_sweep.h"

namespace stickslip {

namespace {

template <class Law>
double friction_error(const Law& law, bool boxed, double mass, const double* impulse, const double* v) {
  using Vector = typename Law::Vector;
  const Vector friction = Eigen::Map<const Vector>(impulse + 1), trial = friction - mass * Eigen::Map<const Vector>(v + 1);
  const Vector closest = boxed ? law.box(impulse[0]).clamp(trial) : law.project(impulse[0], trial);
  return (friction - closest).template lpNorm<Eigen::Infinity>() / mass;
}

}   // namespace

BlockError block_error(const ContactProblem& p, std::size_t block, FrictionModel model, std::span<const double> impulses,
                       std::span<const double> velocity) {
  const Block& b = p.blocks[block];
  const double *impulse = impulses.data() + b.row, *v = velocity.data() + b.row;
  BlockError error;
  if (b.kind == BlockKind::contact) {
    const ContactScale& scale = p.scales[block];
    if (const auto* law = std::get_if<PatchFriction>(&p.laws[block]); law != nullptr && b.dim > 1) {
      const PatchBlock moving = Eigen::Map<const PatchBlock>(v), pushed = Eigen::Map<const PatchBlock>(impulse);
      const PatchParts parts =
          patch_parts(law->patch(), scale.normal_mass, PatchFriction::unilateral(moving), PatchFriction::unilateral(pushed));
      error.normal = std::max({parts.gap_velocity, parts.complementarity, parts.cone});
      error.friction = patch_error(*law, PatchFactors::of(scale, 1), moving, pushed).friction;
      return error;
    }
    error.normal = std::abs(std::min(v[0], impulse[0] / scale.normal_mass));
    if (b.dim > 1 && std::isfinite(scale.friction_mass))
      error.friction = std::visit(
          [&](const auto& law) { return friction_error(law, model == FrictionModel::boxed, scale.friction_mass, impulse, v); },
          p.laws[block]);
    return error;
  }
  for (int k = 0; k < b.dim; ++k) {
    double row = std::abs(v[k]);
    const double diagonal = p.diagonal(b)(k, k);
    if (b.kind == BlockKind::box && diagonal > 0) {
      const double next = std::min(std::max(impulse[k] - v[k] / diagonal, p.lower[b.row + k]), p.upper[b.row + k]);
      row = std::abs(impulse[k] - next) * diagonal;
    }
    error.normal = std::max(error.normal, row);
  }
  return error;
}

double boxed_row_error(const ContactProblem& p, std::uint32_t block, std::uint32_t row, std::span<const double> impulses,
                       std::span<const double> velocity) {
  const Block& b = p.blocks[block];
  const double diagonal = p.diagonal(b)(row, row);
  if (!(diagonal > 0)) return 0;
  const auto [lower, upper] = boxed_row_bounds(p, block, row, impulses.data() + b.row);
  const double impulse = impulses[b.row + row], v = velocity[b.row + row];
  return std::abs(impulse - std::min(std::max(impulse - v / diagonal, lower), upper)) * diagonal;
}

}   // namespace stickslip
