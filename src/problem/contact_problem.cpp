#include "stickslip/problem/contact_problem.h"

#include <fmt/format.h>

#include <cmath>

#include "problem/kernels.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// Law rows of each alternative of `FrictionLaw`.
int law_rows(const FrictionLaw& law) {
  return std::visit([](const auto& l) { return std::decay_t<decltype(l)>::rows; }, law);
}

bool all_finite(const std::vector<double>& values) {
  // One multiply-add per number: any infinity or NaN makes the sum NaN.
  double sum = 0;
  for (const double x : values) sum += 0 * x;
  return sum == 0;
}

void check(const ContactProblem& p) {
  const auto require = [](bool ok, const std::string& message) {
    if (!ok) throw Error("Contact problem: " + message);
  };
  require(p.laws.size() == p.blocks.size(), fmt::format("{} laws for {} blocks.", p.laws.size(), p.blocks.size()));
  require(p.sigma.size() == p.b.size(), fmt::format("{} compliances for {} rows.", p.sigma.size(), p.b.size()));
  require(p.lower.size() == p.upper.size() && (p.lower.empty() || p.lower.size() == p.b.size()),
          "the bounds do not fit the rows.");
  std::size_t row = 0;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    const auto where = [&](const char* what) { return fmt::format("block {} {}", i, what); };
    if (block.dim < 1 || block.dim > 6) require(false, where("must have 1 to 6 rows."));
    if (block.arity < 1 || block.arity > 2) require(false, where("must act on 1 or 2 velocity segments."));
    if (block.row != row) require(false, where("does not start where the block before it ends."));
    if (std::size_t{block.jacobian} + block.arity * block.dim * 6u > p.jacobian_values.size())
      require(false, where("has a Jacobian that is not stored."));
    for (int s = 0; s < block.arity; ++s)
      if (block.segment[s] >= p.segments.size()) require(false, where("names a velocity segment that does not exist."));
    if (block.arity == 2 && block.segment[0] == block.segment[1]) require(false, where("names one velocity segment twice."));
    if (block.kind == BlockKind::contact && block.dim > 1 && block.dim != 1 + law_rows(p.laws[i]))
      require(false, where("has a number of rows that its friction law does not use."));
    if (block.kind == BlockKind::box && p.lower.empty()) require(false, where("is a box without bounds."));
    row += block.dim;
  }
  require(row == p.b.size(), fmt::format("the blocks have {} rows, b has {}.", row, p.b.size()));
  require(all_finite(p.b), "b is not finite.");
  require(all_finite(p.sigma), "the compliance is not finite.");
  require(all_finite(p.jacobian_values), "the Jacobian is not finite.");
  for (const double s : p.sigma)
    if (s < 0) require(false, fmt::format("{} is not a compliance. It must be at least 0.", s));
}

template <int D>
Eigen::Matrix<double, D, D> delassus(const ContactProblem& p, const double* jacobian, std::uint32_t segment) {
  const kernels::RowJacobian<D> j(jacobian);
  const VelocitySegment& mass = p.segments[segment];
  const auto linear = j.template leftCols<3>();
  const auto angular = j.template rightCols<3>();
  return mass.inverse_mass * linear * linear.transpose() + angular * mass.inverse_inertia * angular.transpose();
}

}  // namespace

std::size_t ContactProblem::contact_count() const {
  std::size_t count = 0;
  for (const Block& block : blocks) count += block.kind == BlockKind::contact;
  return count;
}

void ContactProblem::clear() {
  segments.clear();
  blocks.clear();
  jacobian_values.clear();
  laws.clear();
  b.clear();
  sigma.clear();
  lower.clear();
  upper.clear();
  diagonal_values.clear();
  batches.clear();
}

void ContactProblem::finalize() {
  check(*this);
  batches.clear();
  std::size_t diagonal_size = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks[i];
    block.diagonal = static_cast<std::uint32_t>(diagonal_size);
    diagonal_size += block.dim * block.dim;
    const bool has_law = block.kind == BlockKind::contact && block.dim > 1;
    const auto law = static_cast<std::uint8_t>(has_law ? laws[i].index() : 0);
    if (batches.empty() || batches.back().kind != block.kind || batches.back().dim != block.dim ||
        batches.back().arity != block.arity || batches.back().law != law)
      batches.push_back({block.kind, block.dim, block.arity, law, static_cast<std::uint32_t>(i), 0});
    ++batches.back().count;
  }
  diagonal_values.resize(diagonal_size);
  kernels::visit_batches(*this, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
      const Block& block = blocks[i];
      Eigen::Map<Eigen::Matrix<double, D, D>> w(diagonal_values.data() + block.diagonal);
      w = delassus<D>(*this, jacobian_values.data() + block.jacobian, block.segment[0]);
      if constexpr (A == 2) w += delassus<D>(*this, jacobian_values.data() + block.jacobian + 6 * D, block.segment[1]);
      w.diagonal() += Eigen::Map<const Eigen::Matrix<double, D, 1>>(sigma.data() + block.row);
    }
  });
}

void ContactProblem::add_velocity_change(std::span<const double> impulses, std::span<double> velocity) const {
  kernels::visit_batches(*this, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
      const Block& block = blocks[i];
      const kernels::BlockVector<D> impulse = Eigen::Map<const kernels::BlockVector<D>>(impulses.data() + block.row);
      kernels::push<D, A>(jacobian_values.data() + block.jacobian, block.segment, segments.data(), impulse, velocity.data());
    }
  });
}

void ContactProblem::contact_velocity(std::span<const double> impulses, std::span<double> v,
                                      std::vector<double>& segment_velocity) const {
  segment_velocity.assign(6 * segments.size(), 0.0);
  add_velocity_change(impulses, segment_velocity);
  kernels::visit_batches(*this, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    using Row = Eigen::Map<const kernels::BlockVector<D>>;
    for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
      const Block& block = blocks[i];
      Eigen::Map<kernels::BlockVector<D>>(v.data() + block.row) =
          kernels::relative_velocity<D, A>(jacobian_values.data() + block.jacobian, block.segment, segment_velocity.data()) +
          Row(b.data() + block.row) + Row(sigma.data() + block.row).cwiseProduct(Row(impulses.data() + block.row));
    }
  });
}

}  // namespace stickslip
