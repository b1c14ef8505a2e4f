#include "solve/row_sweep.h"

#include <algorithm>
#include <cmath>

#include "math/infinity.h"
#include "problem/kernels.h"

namespace stickslip {

namespace {

/// v of one row, W λ + b, given the impulse of the row itself, which need not be stored.
double velocity_of_row(const ContactProblem& p, const RowVisit& visit, std::span<const double> impulses,
                       std::span<const double> velocity, double own) {
  const Block& block = p.blocks[visit.block];
  const double v = p.b[block.row + visit.row] + p.sigma[block.row + visit.row] * own;
  if (p.is_factored()) return kernels::row_velocity(p, block, visit.row, velocity.data(), v);
  double sum = v;
  for (std::uint32_t e = p.matrix.first[visit.block]; e < p.matrix.first[visit.block + 1]; ++e) {
    const auto entry = p.matrix.entry(visit.block, e);
    const double* x = impulses.data() + p.matrix.offset[p.matrix.column[e]];
    for (Eigen::Index c = 0; c < entry.cols(); ++c) sum += entry(visit.row, c) * x[c];
  }
  return sum;
}

void push_change(const ContactProblem& p, const RowVisit& visit, double change, std::span<double> velocity) {
  if (p.is_factored()) kernels::push_row(p, p.blocks[visit.block], visit.row, change, velocity.data());
}

double diagonal_of(const ContactProblem& p, const RowVisit& visit) {
  return p.diagonal(p.blocks[visit.block])(visit.row, visit.row);
}

/// All friction rows of a contact at once. Returns how far they moved [m/s].
double prox_friction_rows(const ContactProblem& p, std::uint32_t i, std::span<double> impulses, std::span<double> velocity,
                          double relaxation) {
  const Block& block = p.blocks[i];
  const double mass = p.scales[i].friction_mass;
  if (!(mass > 0 && std::isfinite(mass))) return 0;
  return std::visit(
      [&]<class Law>(const Law& law) {
        using Vector = typename Law::Vector;
        Eigen::Map<Vector> friction(impulses.data() + block.row + 1);
        const Vector before = friction;
        Vector trial;
        for (std::uint32_t k = 1; k < block.dim; ++k)
          trial[k - 1] = before[k - 1] - relaxation * mass * velocity_of_row(p, {i, k}, impulses, velocity, before[k - 1]);
        friction = law.project(impulses[block.row], trial);
        for (std::uint32_t k = 1; k < block.dim; ++k) push_change(p, {i, k}, friction[k - 1] - before[k - 1], velocity);
        return (friction - before).template lpNorm<Eigen::Infinity>() / mass;
      },
      p.laws[i]);
}

}   // namespace

std::pair<double, double> boxed_row_bounds(const ContactProblem& p, std::uint32_t block, std::uint32_t row,
                                           const double* impulses) {
  const Block& b = p.blocks[block];
  if (b.kind == BlockKind::bilateral) return {-kInfinity, kInfinity};
  if (b.kind == BlockKind::box) return {p.lower[b.row + row], p.upper[b.row + row]};
  if (row == 0) return {0.0, kInfinity};
  return std::visit(
      [&](const auto& law) {
        const auto box = law.box(impulses[0]);
        return std::pair<double, double>(box.lower[row - 1], box.upper[row - 1]);
      },
      p.laws[block]);
}

double boxed_row_sweep(const ContactProblem& p, std::span<const RowVisit> visits, std::span<double> impulses,
                       std::span<double> velocity, Momentum& momentum, double relaxation) {
  double moved = 0;
  momentum.along = 0;
  for (const RowVisit& visit : visits) {
    const Block& block = p.blocks[visit.block];
    const std::uint32_t row = block.row + visit.row;
    double ahead = 0;
    if (momentum.ahead != nullptr) {   // the impulses have been extrapolated before the sweep
      ahead = momentum.ahead[row];
    } else {
      ahead = momentum.beta * (impulses[row] - momentum.previous[row]);
      momentum.previous[row] = impulses[row];
      impulses[row] += ahead;
    }
    const double start = impulses[row], diagonal = diagonal_of(p, visit);
    if (!(diagonal > 0)) continue;
    const double v = velocity_of_row(p, visit, impulses, velocity, start);
    const auto [lower, upper] = boxed_row_bounds(p, visit.block, visit.row, impulses.data() + block.row);
    impulses[row] = std::min(std::max(start - relaxation * v / diagonal, lower), upper);
    const double change = impulses[row] - start;
    momentum.along += change * ahead;
    push_change(p, visit, change, velocity);
    moved = std::max(moved, std::abs(change) * diagonal);
  }
  return moved;
}

double prox_row_sweep(const ContactProblem& p, std::span<const RowVisit> visits, std::span<double> impulses,
                      std::span<double> velocity, Momentum& momentum, double relaxation, std::vector<bool>& seen) {
  double moved = 0;
  momentum.along = 0;
  std::copy(impulses.begin(), impulses.end(), momentum.previous);
  seen.assign(p.blocks.size(), false);
  for (const RowVisit& visit : visits) {
    const Block& block = p.blocks[visit.block];
    if (block.kind == BlockKind::contact && visit.row > 0) {
      if (!seen[visit.block]) moved = std::max(moved, prox_friction_rows(p, visit.block, impulses, velocity, relaxation));
      seen[visit.block] = true;
      continue;
    }
    const double diagonal = diagonal_of(p, visit), start = impulses[block.row + visit.row];
    if (!(diagonal > 0)) continue;
    const double v = velocity_of_row(p, visit, impulses, velocity, start);
    const auto [lower, upper] = boxed_row_bounds(p, visit.block, visit.row, impulses.data() + block.row);
    const double next = std::min(std::max(start - relaxation * v / diagonal, lower), upper);
    impulses[block.row + visit.row] = next;
    push_change(p, visit, next - start, velocity);
    moved = std::max(moved, std::abs(next - start) * diagonal);
  }
  return moved;
}

}   // namespace stickslip
