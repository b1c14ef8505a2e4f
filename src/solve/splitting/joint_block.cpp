#include "solve/splitting/joint_block.h"

#include <cmath>

#include "stickslip/math/sparse_factor.h"

namespace stickslip {

namespace {
constexpr double kBlockRegularisation = 1e-10;   ///< share of the diagonal that is added to it
}   // namespace

struct JointBlock::System {
  BlockMatrix matrix;
  bool direct = true, symmetric = true, factorised = false;
  SparseFactor factor;
  std::vector<Eigen::MatrixXd> inverse;   ///< of the diagonal blocks
  Eigen::VectorXd residual, direction, product, preconditioned, solution;

  void precondition() {
    for (std::size_t i = 0; i < matrix.blocks(); ++i)
      preconditioned.segment(matrix.offset[i], matrix.dim(i)).noalias() =
          inverse[i] * residual.segment(matrix.offset[i], matrix.dim(i));
  }
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    matrix.multiply({x.data(), static_cast<std::size_t>(x.size())}, {y.data(), static_cast<std::size_t>(y.size())});
  }
};

JointBlock::JointBlock() : system_(std::make_unique<System>()) {}
JointBlock::~JointBlock() = default;

bool JointBlock::empty() const { return system_->matrix.rows() == 0; }

bool JointBlock::is_factored() const { return !empty() && (system_->direct || !system_->symmetric); }

void JointBlock::prepare(BlockMatrix joints, bool direct) {
  System& s = *system_;
  s.matrix = std::move(joints);
  s.direct = direct;
  const auto n = static_cast<Eigen::Index>(s.matrix.rows());
  if (n == 0) return;
  for (Eigen::VectorXd* x : {&s.residual, &s.direction, &s.product, &s.preconditioned, &s.solution}) x->resize(n);
  Eigen::SparseMatrix<double> w = s.matrix.sparse();
  const Eigen::SparseMatrix<double> skew = w - Eigen::SparseMatrix<double>(w.transpose());
  s.symmetric = skew.norm() <= 1e-12 * w.norm();
  if (!s.direct && s.symmetric) {
    s.inverse.resize(s.matrix.blocks());
    for (std::uint32_t i = 0; i < s.matrix.blocks(); ++i) {
      Eigen::MatrixXd block = s.matrix.entry(i, static_cast<std::size_t>(s.matrix.find(i, i)));
      block.diagonal() *= 1 + 1e-9;
      s.inverse[i] = block.ldlt().solve(Eigen::MatrixXd::Identity(block.rows(), block.rows()));
    }
    return;
  }
  const double mean = Eigen::VectorXd(w.diagonal()).cwiseAbs().mean();
  for (Eigen::Index i = 0; i < n; ++i) {
    const double own = std::abs(w.coeff(i, i));
    w.coeffRef(i, i) += kBlockRegularisation * (own > 0 ? own : mean > 0 ? mean : 1);
  }
  w.makeCompressed();
  s.factor.analyze(w, s.symmetric);
  s.factorised = s.factor.factor(w);
  if (s.factorised || !s.symmetric) return;
  s.factor.analyze(w, false);   // symmetric but indefinite
  s.factorised = s.factor.factor(w);
}

bool JointBlock::solve(std::span<double> v, double tolerance) {
  System& s = *system_;
  Eigen::Map<Eigen::VectorXd> io(v.data(), static_cast<Eigen::Index>(v.size()));
  if (s.direct || !s.symmetric) {
    if (!s.factorised) return false;
    // Twice, with W in between: what no impulse can remove, because joints contradict each other, stays out of the impulses.
    s.residual = -io;
    s.factor.solve(s.residual.data(), s.product.data());
    s.multiply(s.product, s.residual);
    s.factor.solve(s.residual.data(), s.product.data());
    io = s.product;
    return io.allFinite();
  }
  s.residual = -io;
  s.solution.setZero();
  s.precondition();
  s.direction = s.preconditioned;
  double rho = s.residual.dot(s.preconditioned);
  for (Eigen::Index k = 0; k < 2 * io.size() && s.residual.lpNorm<Eigen::Infinity>() > tolerance; ++k) {
    s.multiply(s.direction, s.product);
    const double curvature = s.direction.dot(s.product);
    if (!(curvature > 0)) break;
    const double alpha = rho / curvature;
    s.solution += alpha * s.direction;
    s.residual -= alpha * s.product;
    s.precondition();
    const double next = s.residual.dot(s.preconditioned);
    s.direction = s.preconditioned + (next / rho) * s.direction;
    rho = next;
  }
  io = s.solution;
  return io.allFinite();
}

}   // namespace stickslip
