#include "solve/exact/exact_sweep.h"

#include <algorithm>
#include <cmath>

#include "math/small_matrices.h"
#include "solve/exact/local_patch.h"
#include "solve/sweep.h"

namespace stickslip {

namespace {

constexpr double kOfPatches =
    0.3;   ///< part of α for patches: their rows are not redundant, but patches that meet in loops are

/// The inverse, or the pseudo-inverse, so that a joint that constrains one direction twice does no harm.
void invert_joint(int rows, const double* w, double proximal, double* out) {
  double a[kMostSmallRows * kMostSmallRows], trace = 0;
  std::copy(w, w + rows * rows, a);
  for (int k = 0; k < rows; ++k) trace += w[k * (rows + 1)];
  for (int k = 0; k < rows; ++k) a[k * (rows + 1)] += proximal * trace / rows;
  constexpr double nearly_singular = 1e-10;
  if (!invert(rows, a, out, nearly_singular)) pseudo_inverse(rows, a, out);
}

struct ExactRule {
  const ContactProblem& problem;
  ExactBlocks& blocks;

  template <int D, class Law, class Vector>
  [[gnu::always_inline]] double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const Vector before = impulse;
    if constexpr (std::is_same_v<Law, CircularFriction>)
      blocks.contacts[block.index].solve(law.mu, v, impulse, LocalContact::kStraightInSweep);
    else if constexpr (std::is_same_v<Law, EllipseFriction>) ellipse(law, block, v, impulse);
    else if constexpr (std::is_same_v<Law, PlanarFriction>) {
      if (!solve_planar_contact(blocks.matrices.data() + problem.blocks[block.index].diagonal, law.mu, v, impulse))
        set(law, block, v, impulse);
    } else set(law, block, v, impulse);
    if (blocks.is_alone[block.index]) return 0;
    double rubbed = 0;
    for (int k = 1; k < D; ++k) rubbed = std::max(rubbed, std::abs(impulse[k] - before[k]));
    return std::max(std::abs(impulse[0] - before[0]) / scale.normal_mass, rubbed / scale.friction_mass);
  }
  double patch(const PatchFriction& law, const BlockView<6>& block, const PatchBlock& v, PatchBlock& impulse) const {
    const std::size_t at = problem.blocks[block.index].diagonal;
    const PatchBlock before = impulse;
    if (!solve_patch(law, blocks.matrices.data() + at, blocks.inverses.data() + at, v, impulse)) ++blocks.unsolved;
    return blocks.is_alone[block.index] ? 0 : patch_moved(problem.scales[block.index], before, impulse);
  }
  template <int D, class Vector>
  double frictionless(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    if (!(block.w[0] > 0)) return 0;
    const double next = std::max(0.0, impulse[0] - v[0] / block.w[0]), change = next - impulse[0];
    impulse[0] = next;
    return blocks.is_alone[block.index] ? 0 : std::abs(change) * block.w[0];
  }
  template <int D, class Vector>
  double bilateral(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const std::size_t at = problem.blocks[block.index].diagonal;
    const Vector change = -(Eigen::Map<const Eigen::Matrix<double, D, D>>(blocks.inverses.data() + at) * v);
    impulse += change;
    return blocks.is_alone[block.index] ? 0 : v.cwiseAbs().maxCoeff();
  }
  template <int D, class Vector>
  double box(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(1.0, block, v, impulse, [&](int k, const Vector&) {
      return std::pair(problem.lower[block.row + k], problem.upper[block.row + k]);
    });
  }

 private:
  /// In units of its axes the ellipse is the unit circle, and the law stays what it is: dissipation does not change with units.
  [[gnu::always_inline]] void ellipse(const EllipseFriction& law, const BlockView<3>& block, const Vec3& v,
                                      Vec3& impulse) const {
    const LocalContact& local = blocks.contacts[block.index];
    if (!local.is_regular()) return set(law, block, v, impulse);
    const Vec3 axes(1, law.mu_t, law.mu_b);
    Vec3 scaled = impulse.cwiseQuotient(axes);
    local.solve(1, v.cwiseProduct(axes), scaled);
    impulse = scaled.cwiseProduct(axes);
  }
  template <class Law, class Vector>
  void set(const Law& law, const BlockView<Law::rows + 1>& block, const Vector& v, Vector& impulse) const {
    const std::size_t at = problem.blocks[block.index].diagonal;
    const ExactBlocks::Set& prepared = blocks.sets[block.index];
    const LocalMatrix matrix{blocks.matrices.data() + at, blocks.inverses.data() + at, prepared.friction_mass};
    if constexpr (Law::rows > 2)
      if (prepared.one_step) return step(law, matrix, v, impulse);
    if (!solve_contact<Law::rows>(SetView<Law::rows>(law), matrix, v, impulse)) ++blocks.unsolved;
  }
  template <class Law, class Vector>
  static void step(const Law& law, const LocalMatrix& matrix, const Vector& v, Vector& impulse) {
    if (!(matrix.a[0] > 0 && std::isfinite(matrix.friction_mass))) return;   // it cannot move
    const double normal = std::max(0.0, impulse[0] - v[0] / matrix.a[0]), pushed = normal - impulse[0];
    typename Law::Vector trial;
    for (int k = 0; k < Law::rows; ++k)
      trial[k] = impulse[k + 1] - matrix.friction_mass * (v[k + 1] + matrix.a[k + 1] * pushed);
    impulse[0] = normal;
    impulse.template tail<Law::rows>() = law.project(normal, trial);
  }
};

/// The contact in units of the axes of its ellipse; not regular if an axis is 0 or next to nothing.
LocalContact ellipse_contact(const EllipseFriction& law, const double* w, double shift) {
  Mat3 a = Eigen::Map<const Mat3>(w);
  a.diagonal().array() += shift;
  const Vec3 axes(1, law.mu_t, law.mu_b);
  return LocalContact(Mat3(axes.asDiagonal() * a * axes.asDiagonal()).data(), 0);
}

}   // namespace

void ExactBlocks::prepare(const ContactProblem& p, double proximal, ManyRows many_rows) {
  contacts.resize(p.blocks.size());
  inverses.resize(p.diagonal_values.size());
  is_alone.assign(p.blocks.size(), false);
  visitors.assign(p.segments.size(), 0);
  unsolved = 0;
  for (const Block& block : p.blocks)
    for (const std::uint32_t s : p.segments_of(block)) ++visitors[s];
  const auto stands_alone = [&](std::size_t i) {
    if (!p.is_factored()) return p.matrix.first[i + 1] - p.matrix.first[i] == 1;
    const auto segments = p.segments_of(p.blocks[i]);
    return std::all_of(segments.begin(), segments.end(), [&](std::uint32_t s) { return visitors[s] == 1; });
  };
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    const auto w = p.diagonal(block);
    const bool alone = stands_alone(i);
    is_alone[i] = alone;
    const double weight = alone ? 0 : proximal;
    if (block.kind == BlockKind::bilateral) {
      invert_joint(block.dim, w.data(), weight, inverses.data() + block.diagonal);
    } else if (block.kind == BlockKind::contact && block.dim > 1) {
      const bool is_patch = std::holds_alternative<PatchFriction>(p.laws[i]);
      const double shift = (is_patch ? kOfPatches : 1) * weight * w.trace() / block.dim;
      if (std::holds_alternative<CircularFriction>(p.laws[i])) {
        contacts[i] = LocalContact(w.data(), shift);
        continue;
      }
      if (const auto* ellipse = std::get_if<EllipseFriction>(&p.laws[i])) {
        contacts[i] = ellipse_contact(*ellipse, w.data(), shift);
        if (contacts[i].is_regular()) continue;
      }
      // The rolling rows of a patch press: one step of it is far from its law, and sweeps of steps need many times as many.
      const bool one_step = many_rows == ManyRows::proximal_step && block.dim > 3 && !alone;
      prepare_set(p, i, shift, one_step && !is_patch);
    }
  }
}

void ExactBlocks::prepare_set(const ContactProblem& p, std::size_t i, double shift, bool one_step) {
  const Block& block = p.blocks[i];
  matrices.resize(p.diagonal_values.size());
  sets.resize(p.blocks.size());
  Eigen::Map<Eigen::MatrixXd> a(matrices.data() + block.diagonal, block.dim, block.dim);
  a = p.diagonal(block);
  a.diagonal().array() += shift;
  if (!one_step) invert_block(block.dim, a.data(), inverses.data() + block.diagonal);
  sets[i] = {1 / (1 / p.scales[i].friction_mass + shift), one_step};
}

double exact_sweep(const ContactProblem& problem, ExactBlocks& blocks, std::span<const Batch> batches,
                   std::span<double> impulses, std::span<double> velocity, Momentum& momentum) {
  return gauss_seidel_sweep(problem, batches, impulses, velocity, momentum, ExactRule{problem, blocks});
}

}   // namespace stickslip
