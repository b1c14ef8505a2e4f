#include "solve/accelerated/free_set_system.h"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#if STICKSLIP_HAS_SUITESPARSE
#include <Eigen/CholmodSupport>
#endif

#include "math/sparse_lu.h"

namespace stickslip {

namespace {

#if STICKSLIP_HAS_SUITESPARSE
using SparseSymmetric = Eigen::CholmodDecomposition<Eigen::SparseMatrix<double>, Eigen::Lower>;
void silence(SparseSymmetric& factor) { factor.cholmod().print = 0; }   // it would report failures on standard output
#else
using SparseSymmetric = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower>;
void silence(SparseSymmetric&) {}
#endif

}   // namespace

struct FreeSetSystem::Factors {
  bool sparse = false;
  Eigen::MatrixXd dense_matrix;
  Eigen::LDLT<Eigen::MatrixXd> ldlt;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  Eigen::SparseMatrix<double> sparse_matrix, shifted;
  std::vector<Eigen::Triplet<double>> entries;
  SparseSymmetric cholesky;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> sparse_lu;
};

FreeSetSystem::FreeSetSystem() : factors_(std::make_unique<Factors>()) { silence(factors_->cholesky); }
FreeSetSystem::~FreeSetSystem() = default;

void FreeSetSystem::prepare(const ContactProblem& problem) {
  w_ = delassus(problem);
  symmetric_ = problem.is_factored() || w_.is_symmetric(1e-10);
  block_of_.resize(problem.rows());
  for (std::uint32_t i = 0; i < problem.blocks.size(); ++i)
    for (int k = 0; k < problem.blocks[i].dim; ++k) block_of_[problem.blocks[i].row + k] = i;
}

bool FreeSetSystem::factorise(std::span<const std::uint32_t> free, double regularisation, int sparse_threshold) {
  Factors& f = *factors_;
  const auto size = static_cast<Eigen::Index>(free.size());
  f.sparse = size > sparse_threshold;
  place_.assign(block_of_.size(), -1);
  for (std::size_t i = 0; i < free.size(); ++i) place_[free[i]] = static_cast<std::int32_t>(i);

  // Calls f(i, j, value) for every stored number of W_FF.
  const auto visit = [&](auto&& put) {
    for (Eigen::Index i = 0; i < size; ++i) {
      const std::uint32_t row = free[static_cast<std::size_t>(i)], block = block_of_[row], k = row - w_.offset[block];
      for (std::uint32_t e = w_.first[block]; e < w_.first[block + 1]; ++e) {
        const auto entry = w_.entry(block, e);
        for (Eigen::Index c = 0; c < entry.cols(); ++c)
          if (const std::int32_t j = place_[w_.offset[w_.column[e]] + static_cast<std::uint32_t>(c)]; j >= 0)
            put(i, j, entry(k, c));
      }
    }
  };
  if (!f.sparse) {
    f.dense_matrix.setZero(size, size);
    visit([&](Eigen::Index i, Eigen::Index j, double value) { f.dense_matrix(i, j) = value; });
    Eigen::MatrixXd shifted = f.dense_matrix;
    shifted.diagonal() *= 1 + regularisation;
    if (symmetric_) {
      f.ldlt.compute(shifted);
      return f.ldlt.info() == Eigen::Success;
    }
    f.lu.compute(shifted);
    return true;
  }
  f.entries.clear();
  visit([&](Eigen::Index i, Eigen::Index j, double value) {
    f.entries.emplace_back(static_cast<int>(i), static_cast<int>(j), value);
  });
  f.sparse_matrix.resize(size, size);
  f.sparse_matrix.setFromTriplets(f.entries.begin(), f.entries.end());
  f.shifted = f.sparse_matrix;
  for (Eigen::Index i = 0; i < size; ++i) f.shifted.coeffRef(i, i) *= 1 + regularisation;
  if (symmetric_) {
    f.cholesky.compute(f.shifted);
    return f.cholesky.info() == Eigen::Success;
  }
  f.sparse_lu.compute(f.shifted);
  return f.sparse_lu.info() == Eigen::Success;
}

bool FreeSetSystem::solve(const Eigen::VectorXd& y, Eigen::VectorXd& x, int refinements) {
  Factors& f = *factors_;
  x.setZero(y.size());
  residual_ = y;
  double error = y.lpNorm<Eigen::Infinity>();
  for (int k = 0; k <= refinements && error > 0; ++k) {
    if (!f.sparse) step_ = symmetric_ ? Eigen::VectorXd(f.ldlt.solve(residual_)) : Eigen::VectorXd(f.lu.solve(residual_));
    else step_ = symmetric_ ? Eigen::VectorXd(f.cholesky.solve(residual_)) : Eigen::VectorXd(f.sparse_lu.solve(residual_));
    if (!step_.allFinite()) return k > 0;
    x += step_;
    residual_ = y;
    if (f.sparse) residual_ -= f.sparse_matrix * x;
    else residual_.noalias() -= f.dense_matrix * x;
    const double now = residual_.lpNorm<Eigen::Infinity>();
    if (now > 0.5 * error && k > 0) break;   // as exact as it gets, or there is no solution
    error = now;
  }
  return x.allFinite();
}

}   // namespace stickslip
