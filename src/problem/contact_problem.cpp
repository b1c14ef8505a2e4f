#include "stickslip/problem/contact_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/kernels.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

bool all_finite(const std::vector<double>& values) {
  // One multiply-add per number: any infinity or NaN makes its sum NaN. Several sums, so that they overlap.
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8)
    for (int k = 0; k < 8; ++k) sums[k] += 0 * values[i + k];
  for (; i < values.size(); ++i) sums[0] += 0 * values[i];
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum == 0;
}

[[noreturn]] void fail(std::string_view what) { throw Error(fmt::format("Contact problem: {}", what)); }
[[noreturn]] void fail(std::size_t block, std::string_view what) { fail(fmt::format("block {} {}", block, what)); }

void check_matrix(const ContactProblem& p) {
  const BlockMatrix& w = p.matrix;
  if (!p.segments.empty()) fail("W is given as a matrix and as Jacobian and masses. Give one of them.");
  if (w.blocks() != p.blocks.size()) fail(fmt::format("W has {} blocks, the problem {}.", w.blocks(), p.blocks.size()));
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    if (w.offset[i] != p.blocks[i].row || w.dim(i) != p.blocks[i].dim) fail(i, "does not have the rows of W's block.");
    if (w.find(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)) < 0) fail(i, "has no diagonal block in W.");
  }
  if (!all_finite(w.values)) fail("W is not finite.");
}

bool has_set(const FrictionLaw& law) {
  return std::visit(
      [](const auto& l) {
        if constexpr (requires { l.set; }) return l.set != nullptr;
        else return true;
      },
      law);
}

void check(const ContactProblem& p) {
  const int least_arity = p.is_factored() ? 1 : 0;
  if (p.laws.size() != p.blocks.size()) fail(fmt::format("{} laws for {} blocks.", p.laws.size(), p.blocks.size()));
  if (p.sigma.size() != p.b.size()) fail(fmt::format("{} compliances for {} rows.", p.sigma.size(), p.b.size()));
  if (p.lower.size() != p.upper.size() || !(p.lower.empty() || p.lower.size() == p.b.size()))
    fail("the bounds do not fit the rows.");
  std::size_t row = 0;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    if (block.dim < 1 || block.dim > 6) fail(i, "must have 1 to 6 rows.");
    if (const int most = !p.is_factored() ? 0 : block.dim == 1 ? kMostSegments : 2; block.arity < least_arity || block.arity > most)
      fail(i, p.is_factored() ? "must act on 1 or 2 velocity segments, with one row on up to 4." : "names velocity segments although W is a matrix.");
    if (block.row != row) fail(i, "does not start where the block before it ends.");
    if (std::size_t{block.jacobian} + block.arity * block.dim * 6u > p.jacobian_values.size())
      fail(i, "has a Jacobian that is not stored.");
    for (int s = 0; s < block.arity; ++s)
      if (block.segment[s] >= p.segments.size()) fail(i, "names a velocity segment that does not exist.");
    for (int s = 1; s < block.arity; ++s)
      if (std::find(block.segment, block.segment + s, block.segment[s]) != block.segment + s) fail(i, "names one velocity segment twice.");
    if (block.kind == BlockKind::contact && block.dim > 1 && block.dim != 1 + law_rows(p.laws[i]))
      fail(i, "has a number of rows that its friction law does not use.");
    if (block.kind == BlockKind::contact && block.dim > 1 && !has_set(p.laws[i])) fail(i, "has a custom friction law without a set.");
    if (block.kind == BlockKind::box && p.lower.empty()) fail(i, "is a box without bounds.");
    row += block.dim;
  }
  if (row != p.b.size()) fail(fmt::format("the blocks have {} rows, b has {}.", row, p.b.size()));
  if (!all_finite(p.b)) fail("b is not finite.");
  if (!all_finite(p.sigma)) fail("the compliance is not finite.");
  if (!p.is_factored()) check_matrix(p);
  for (const double s : p.sigma)
    if (s < 0) fail(fmt::format("{} is not a compliance. It must be at least 0.", s));
}

/// Lower triangular L with L Lᵀ = a, for a positive semi-definite matrix: a pivot that is not positive leaves a zero column.
Mat3 cholesky(const Mat3& a) {
  Mat3 l = Mat3::Zero();
  for (int k = 0; k < 3; ++k) {
    const double pivot = a(k, k) - l.row(k).head(k).squaredNorm();
    if (!(pivot > 0)) continue;
    l(k, k) = std::sqrt(pivot);
    for (int i = k + 1; i < 3; ++i) l(i, k) = (a(i, k) - l.row(i).head(k).dot(l.row(k).head(k))) / l(k, k);
  }
  return l;
}

/// Writes the rows of G = J L of one block.
template <int D, int A>
[[gnu::always_inline]] inline void scale_jacobian(const ContactProblem& p, const Block& block, double* out) {
  for (int s = 0; s < A; ++s) {
    const double root = std::sqrt(p.segments[block.segment[s]].inverse_mass);
    const Mat3& l = p.inertia_factors[block.segment[s]];
    for (int k = 0; k < D; ++k) {
      const double* j = p.jacobian_values.data() + block.jacobian + 6 * (D * s + k);
      const double g[6] = {root * j[0], root * j[1], root * j[2], j[3] * l(0, 0) + j[4] * l(1, 0) + j[5] * l(2, 0),
                           j[4] * l(1, 1) + j[5] * l(2, 1), j[5] * l(2, 2)};
      for (int c = 0; c < 6; ++c) out[6 * A * k + kernels::row_position(A, s, c)] = g[c];
    }
  }
}

/// W_ii = G Gᵀ + Σ of one block, column-major.
template <int D, int A>
[[gnu::always_inline]] inline void write_diagonal(const double* scaled, const double* sigma, double* out) {
  for (int i = 0; i < D; ++i)
    for (int k = i; k < D; ++k) {
      if constexpr (A > 2) {
        out[0] = Eigen::Map<const kernels::BlockVector<6 * A>>(scaled).squaredNorm() + sigma[0];
        continue;
      }
      kernels::Double4 products = kernels::load<kernels::Double4>(scaled + 6 * A * i) * kernels::load<kernels::Double4>(scaled + 6 * A * k);
      kernels::Double2 rest = {0, 0};
      if constexpr (A == 2) {
        for (const int c : {4, 8})
          products += kernels::load<kernels::Double4>(scaled + 12 * i + c) * kernels::load<kernels::Double4>(scaled + 12 * k + c);
      } else {
        rest = kernels::load<kernels::Double2>(scaled + 6 * i + 4) * kernels::load<kernels::Double2>(scaled + 6 * k + 4);
      }
      out[D * i + k] = out[D * k + i] = kernels::sum(products) + (rest[0] + rest[1]) + (i == k ? sigma[i] : 0.0);
    }
}

template <int D>
[[gnu::always_inline]] inline ContactScale contact_scale(const double* w) {
  ContactScale scale;
  double friction = 0;
  if constexpr (D == 3) {
    const double mean = 0.5 * (w[4] + w[8]), half = 0.5 * (w[4] - w[8]), off = 0.5 * (w[5] + w[7]);
    friction = mean + std::sqrt(half * half + off * off);
  } else {
    for (int k = 1; k < D; ++k) friction += w[k * (D + 1)];
  }
  scale.normal_mass = 1 / w[0];
  scale.friction_mass = 1 / friction;
  for (int k = 1; k < D && k <= 2; ++k) scale.coupling[k - 1] = w[k];
  return scale;
}

/// Largest number in the first row of a block row of W: the scale of a row that has no positive diagonal. 1 if all are 0.
double largest_in_row(const BlockMatrix& w, std::uint32_t block, double sigma) {
  double largest = sigma;
  for (std::uint32_t e = w.first[block]; e < w.first[block + 1]; ++e)
    largest = std::max(largest, w.entry(block, e).row(0).cwiseAbs().maxCoeff());
  return largest > 0 ? largest : 1;
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
  matrix.clear();
  laws.clear();
  b.clear();
  sigma.clear();
  lower.clear();
  upper.clear();
  diagonal_values.clear();
  scaled_jacobian.clear();
  scales.clear();
  inertia_factors.clear();
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
  inertia_factors.resize(segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) inertia_factors[i] = cholesky(segments[i].inverse_inertia);
  scaled_jacobian.resize(jacobian_values.size());
  scales.resize(blocks.size());
  has_compliance = std::any_of(sigma.begin(), sigma.end(), [](double s) { return s != 0; });
  kernels::visit_batches(*this, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
      const Block& block = blocks[i];
      double* const diagonal = diagonal_values.data() + block.diagonal;
      if constexpr (A == 0) {
        std::copy_n(matrix.values.data() + matrix.position[matrix.find(i, i)], D * D, diagonal);
        for (int k = 0; k < D; ++k) diagonal[k * (D + 1)] += sigma[block.row + k];
      } else {
        double* scaled = scaled_jacobian.data() + block.jacobian;
        scale_jacobian<D, A>(*this, block, scaled);
        write_diagonal<D, A>(scaled, sigma.data() + block.row, diagonal);
      }
      scales[i] = batch.kind == BlockKind::contact ? contact_scale<D>(diagonal) : ContactScale{};
      if constexpr (A == 0)
        if (batch.kind == BlockKind::contact && !(diagonal[0] > 0)) scales[i].normal_mass = 1 / largest_in_row(matrix, i, sigma[block.row]);
    }
  });
  // The diagonal of W sums the squares of every number of J and M⁻¹: it shows whether any of them is not finite.
  if (!all_finite(diagonal_values)) fail("a Jacobian or an inverse mass is not finite.");
}

void ContactProblem::add_scaled_velocity(std::span<const double> impulses, std::span<double> scaled) const {
  kernels::visit_batches(*this, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    if constexpr (A > 0)
      for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
        const Block& block = blocks[i];
        kernels::LocalVelocity<A> w(block.segment, scaled.data());
        kernels::push<D, A>(scaled_jacobian.data() + block.jacobian,
                            Eigen::Map<const kernels::BlockVector<D>>(impulses.data() + block.row), w);
        w.write(block.segment, scaled.data());
      }
  });
}

void ContactProblem::add_velocity_change(std::span<const double> impulses, std::span<double> velocity) const {
  for (const Block& block : blocks)
    for (int s = 0; s < block.arity; ++s) {
      const VelocitySegment& mass = segments[block.segment[s]];
      const double* j = jacobian_values.data() + block.jacobian + 6 * block.dim * s;
      Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
      for (int k = 0; k < block.dim; ++k) {
        linear += impulses[block.row + k] * Eigen::Map<const Vec3>(j + 6 * k);
        angular += impulses[block.row + k] * Eigen::Map<const Vec3>(j + 6 * k + 3);
      }
      double* u = velocity.data() + 6 * block.segment[s];
      Eigen::Map<Vec3>(u) += mass.inverse_mass * linear;
      Eigen::Map<Vec3>(u + 3) += mass.inverse_inertia * angular;
    }
}

void ContactProblem::add_unscaled_velocity(std::span<const double> scaled, std::span<double> velocity) const {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    Eigen::Map<Vec3>(velocity.data() + 6 * i) += std::sqrt(segments[i].inverse_mass) * Eigen::Map<const Vec3>(scaled.data() + 6 * i);
    Eigen::Map<Vec3>(velocity.data() + 6 * i + 3) += inertia_factors[i] * Eigen::Map<const Vec3>(scaled.data() + 6 * i + 3);
  }
}

void ContactProblem::contact_velocity(std::span<const double> impulses, std::span<double> v,
                                      std::vector<double>& segment_velocity) const {
  segment_velocity.assign(6 * segments.size(), 0.0);
  add_scaled_velocity(impulses, segment_velocity);
  kernels::visit_batches(*this, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    using Row = Eigen::Map<const kernels::BlockVector<D>>;
    for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
      const Block& block = blocks[i];
      kernels::BlockVector<D> relative;
      if constexpr (A > 0) {
        const kernels::LocalVelocity<A> w(block.segment, segment_velocity.data());
        relative = kernels::relative_velocity<D, A>(scaled_jacobian.data() + block.jacobian, w);
      } else {
        relative = kernels::gathered_velocity<D>(matrix, i, impulses.data());
      }
      Eigen::Map<kernels::BlockVector<D>>(v.data() + block.row) =
          relative + Row(b.data() + block.row) + Row(sigma.data() + block.row).cwiseProduct(Row(impulses.data() + block.row));
    }
  });
}

}  // namespace stickslip
