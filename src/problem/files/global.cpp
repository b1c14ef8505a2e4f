// Global problems, M v = H r + f, u = Hᵀ v + w, as contact problems that keep M and H.
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

#include "problem/files/formats.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip::files {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Entries = std::vector<Eigen::Triplet<double>>;

/// Whether M is that of rigid bodies: m, m, m and a symmetric inertia, body after body.
bool is_rigid(const Sparse& mass) {
  if (mass.rows() % kRigidSize != 0) return false;
  for (Eigen::Index c = 0; c < mass.outerSize(); ++c) {
    const Eigen::Index body = c / kRigidSize, place = c % kRigidSize;
    for (Sparse::InnerIterator e(mass, c); e; ++e) {
      if (e.value() == 0 || (e.row() == c && place >= 3)) continue;
      const bool of_mass = place < 3 && e.row() == c && e.value() == mass.coeff(kRigidSize * body, kRigidSize * body);
      const bool of_inertia =
          place >= 3 && e.row() / kRigidSize == body && e.row() % kRigidSize >= 3 && e.value() == mass.coeff(c, e.row());
      if (!of_mass && !of_inertia) return false;
    }
  }
  return true;
}

bool is_diagonal(const Sparse& mass) {
  for (Eigen::Index c = 0; c < mass.outerSize(); ++c)
    for (Sparse::InnerIterator e(mass, c); e; ++e)
      if (e.row() != c && e.value() != 0) return false;
  return true;
}

/// Segments of M, and a carrier where they are coupled. False if M is neither kind, or not positive definite.
bool add_masses(const Sparse& mass, ContactProblem& p) {
  if (is_rigid(mass)) {
    for (Eigen::Index body = 0; body < mass.rows(); body += kRigidSize) {
      const Mat3 inertia = Sparse(mass.block(body + 3, body + 3, 3, 3)).toDense();
      if (!(mass.coeff(body, body) > 0) || inertia.llt().info() != Eigen::Success) return false;
      p.segments.push_back({1 / mass.coeff(body, body), inertia.inverse()});
    }
    return true;
  }
  const bool diagonal = is_diagonal(mass);
  for (Eigen::Index k = 0; k < mass.rows(); ++k) {
    if (!(mass.coeff(k, k) > 0)) return false;
    p.segments.push_back({diagonal ? 1 / mass.coeff(k, k) : 0, Mat3::Zero(), 1});
  }
  if (diagonal) return true;
  try {
    p.carriers.push_back({0, static_cast<std::uint32_t>(mass.rows()), std::make_shared<CoupledMass>(mass)});
  } catch (const Error&) {
    return false;   // W can be multiplied out all the same
  }
  return true;
}

/// The rows of a block: columns of H, over the segments that they act on.
void add_block(const Sparse& columns, BlockKind kind, int dim, ContactProblem& p) {
  const auto row = static_cast<std::uint32_t>(p.b.size());
  std::vector<std::uint32_t> segments;
  const bool rigid = p.segments.front().is_rigid();
  const Eigen::Index size = rigid ? kRigidSize : 1;
  for (int k = 0; k < dim; ++k)
    for (Sparse::InnerIterator e(columns, row + k); e; ++e)
      if (e.value() != 0) segments.push_back(static_cast<std::uint32_t>(e.row() / size));
  std::sort(segments.begin(), segments.end());
  segments.erase(std::unique(segments.begin(), segments.end()), segments.end());
  if (segments.empty()) segments.push_back(0);   // nothing can be pushed there
  Block block{kind, static_cast<std::uint8_t>(dim), 0, row, static_cast<std::uint32_t>(p.jacobian_values.size()), 0, {}};
  p.set_segments(block, segments);
  for (const std::uint32_t s : segments)
    for (int k = 0; k < dim; ++k)
      for (Eigen::Index c = 0; c < size; ++c) p.jacobian_values.push_back(columns.coeff(size * s + c, row + k));
  p.blocks.push_back(block);
  p.b.resize(row + static_cast<std::size_t>(dim));
}

/// W = Hᵀ M⁻¹ H.
Entries multiplied_out(const Eigen::SparseLU<Sparse>& factor, const Sparse& columns) {
  const Sparse w = columns.transpose() * Sparse(factor.solve(columns));
  Entries entries;
  for (Eigen::Index c = 0; c < w.outerSize(); ++c)
    for (Sparse::InnerIterator e(w, c); e; ++e)
      entries.emplace_back(static_cast<int>(e.row()), static_cast<int>(e.col()), e.value());
  return entries;
}

}   // namespace

ProblemFile from_global(int dim, std::size_t contacts, std::size_t bilateral, const Entries& mass_entries,
                        const Entries& jacobian, const std::vector<double>& f, std::vector<double> b) {
  const auto size = static_cast<Eigen::Index>(f.size()), rows = static_cast<Eigen::Index>(b.size());
  if (rows == 0) return from_matrix(dim, contacts, bilateral, {}, std::move(b));
  Sparse mass(size, size), columns(size, rows);
  mass.setFromTriplets(mass_entries.begin(), mass_entries.end());
  columns.setFromTriplets(jacobian.begin(), jacobian.end());
  Eigen::SparseLU<Sparse> factor(mass);
  if (factor.info() != Eigen::Success) throw Error("The mass matrix is singular. It must be invertible.");
  Eigen::Map<Eigen::VectorXd>(b.data(), rows) +=
      columns.transpose() * factor.solve(Eigen::Map<const Eigen::VectorXd>(f.data(), size)).eval();

  ProblemFile file;
  ContactProblem& p = file.problem;
  if (size == 0 || !add_masses(mass, p))
    return from_matrix(dim, contacts, bilateral, multiplied_out(factor, columns), std::move(b));
  for (std::size_t i = 0; i < contacts; ++i) add_block(columns, BlockKind::contact, dim, p);
  for (std::size_t i = 0; i < bilateral; ++i) add_block(columns, BlockKind::bilateral, 1, p);
  p.laws.assign(p.blocks.size(), usual_law(dim));
  p.b = std::move(b);
  p.sigma.assign(p.b.size(), 0.0);
  return file;
}

}   // namespace stickslip::files
