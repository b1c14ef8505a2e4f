// Gauss–Seidel sweeps that solve every block exactly while the others stand still, compiled once for the solvers built on them.
#pragma once

#include "solve/exact/local_contact.h"
#include "solve/acceleration.h"

namespace stickslip {

/// What the sweeps need of the diagonal blocks, computed once per problem.
struct ExactBlocks {
  std::vector<LocalContact> contacts;   ///< per block; used for circular friction
  std::vector<double> inverses;         ///< W_ii⁻¹ of bilateral blocks, laid out as `diagonal_values`

  /// @param proximal α ≥ 0: A = W_ii + α tr(W_ii)/dim I. Keeps redundant contacts from cycling; the fixed points stay.
  void prepare(const ContactProblem& p, double proximal) {
    contacts.resize(p.blocks.size());
    inverses.resize(p.diagonal_values.size());
    for (std::size_t i = 0; i < p.blocks.size(); ++i) {
      const Block& block = p.blocks[i];
      const auto w = p.diagonal(block);
      if (block.kind == BlockKind::contact && block.dim == 3)
        contacts[i] = LocalContact(p.diagonal_values.data() + block.diagonal, proximal * w.trace() / 3);
      else if (block.kind == BlockKind::bilateral)
        invert(w, proximal, inverses.data() + block.diagonal);
    }
  }

 private:
  /// The pseudo-inverse, so that a joint that constrains one direction twice does no harm.
  static void invert(const Eigen::Map<const Eigen::MatrixXd>& w, double proximal, double* out) {
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
    Small a = w;
    a.diagonal().array() += proximal * w.trace() / static_cast<double>(w.rows());
    const Eigen::CompleteOrthogonalDecomposition<Small> factor(a);
    Eigen::Map<Eigen::MatrixXd>(out, w.rows(), w.cols()) = factor.pseudoInverse();
  }
};

/// One sweep over the runs of an ordering. Returns how far it moved, max |Δλ_k| W_kk [m/s].
double exact_sweep(const ContactProblem&, const ExactBlocks&, std::span<const Batch>, std::span<double> impulses, std::span<double> velocity,
                   Momentum&);

}  // namespace stickslip
