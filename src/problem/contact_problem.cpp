#include "stickslip/problem/contact_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/carrier_compliance.h"
#include "problem/kernels.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

namespace {

/// Rows of A⁻¹ that are kept as a matrix, at most: 0.5 GB.
constexpr std::size_t kMostTouchedRows = 8000;

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
  if (!p.segments.empty() || !p.carriers.empty()) fail("W is given as a matrix and as Jacobian and masses. Give one of them.");
  if (w.blocks() != p.blocks.size()) fail(fmt::format("W has {} blocks, the problem {}.", w.blocks(), p.blocks.size()));
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    if (w.offset[i] != p.blocks[i].row || w.dim(i) != p.blocks[i].dim) fail(i, "does not have the rows of W's block.");
    if (w.find(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)) < 0) fail(i, "has no diagonal block in W.");
  }
  if (!all_finite(w.values)) fail("W is not finite.");
}

bool has_set(const FrictionSet& law) {
  return std::visit(
      [](const auto& l) {
        if constexpr (requires { l.set; }) return l.set != nullptr;
        else return true;
      },
      law);
}

void check_velocity_space(const ContactProblem& p) {
  for (std::size_t s = 0; s < p.segments.size(); ++s) {
    const VelocitySegment& segment = p.segments[s];
    if (!segment.is_rigid() && (segment.size < 1 || segment.size > 3))
      fail(fmt::format("segment {} must have 6 numbers, or 1 to 3.", s));
    if (segment.is_rigid() && s > 0 && !p.segments[s - 1].is_rigid())
      fail(fmt::format("segment {} is a rigid body after a node.", s));
  }
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < p.carriers.size(); ++i) {
    const Carrier& carrier = p.carriers[i];
    if (carrier.first < next || carrier.count > p.segments.size() || carrier.first > p.segments.size() - carrier.count)
      fail(fmt::format("carrier {} has segments that do not exist or are another's.", i));
    std::size_t size = 0;
    for (std::uint32_t s = carrier.first; s < carrier.first + carrier.count; ++s) {
      if (p.segments[s].is_rigid()) fail(fmt::format("carrier {} couples a rigid body.", i));
      size += p.segments[s].size;
    }
    if (!carrier.mass || carrier.mass->size() != size) fail(fmt::format("carrier {} has no mass matrix of {} rows.", i, size));
    next = carrier.first + carrier.count;
  }
}

void check_segments(const ContactProblem& p, std::size_t i) {
  const Block& block = p.blocks[i];
  if (!p.is_factored()) {
    if (block.arity > 0) fail(i, "names velocity segments although W is a matrix.");
    return;
  }
  if (block.arity < 1) fail(i, "must act on a velocity segment.");
  if (block.arity > kInlineSegments && std::size_t{block.segment[0]} + block.arity > p.stencils.size())
    fail(i, "has a list of segments that is not stored.");
  const std::span<const std::uint32_t> segments = p.segments_of(block);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (segments[s] >= p.segments.size()) fail(i, "names a velocity segment that does not exist.");
    if (std::find(segments.begin(), segments.begin() + static_cast<std::ptrdiff_t>(s), segments[s]) !=
        segments.begin() + static_cast<std::ptrdiff_t>(s))
      fail(i, "names one velocity segment twice.");
  }
  if (std::size_t{block.jacobian} + std::size_t{block.dim} * p.row_width(block) > p.jacobian_values.size())
    fail(i, "has a Jacobian that is not stored.");
}

void check(const ContactProblem& p) {
  if (p.laws.size() != p.blocks.size()) fail(fmt::format("{} laws for {} blocks.", p.laws.size(), p.blocks.size()));
  if (p.sigma.size() != p.b.size()) fail(fmt::format("{} compliances for {} rows.", p.sigma.size(), p.b.size()));
  if (p.lower.size() != p.upper.size() || !(p.lower.empty() || p.lower.size() == p.b.size()))
    fail("the bounds do not fit the rows.");
  check_velocity_space(p);
  std::size_t row = 0;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    if (block.dim < 1 || block.dim > 6) fail(i, "must have 1 to 6 rows.");
    if (block.row != row) fail(i, "does not start where the block before it ends.");
    check_segments(p, i);
    if (block.kind == BlockKind::contact && block.dim > 1 && block.dim != 1 + law_rows(p.laws[i]))
      fail(i, "has a number of rows that its friction law does not use.");
    if (block.kind == BlockKind::contact && block.dim > 1 && !has_set(p.laws[i]))
      fail(i, "has a custom friction law without a set.");
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

/// Row of J times L of a rigid segment.
struct ScaledRow {
  double g[kRigidSize];
  [[gnu::always_inline]] inline ScaledRow(double root, const Mat3& l, const double* j)
      : g{root * j[0],
          root * j[1],
          root * j[2],
          j[3] * l(0, 0) + j[4] * l(1, 0) + j[5] * l(2, 0),
          j[4] * l(1, 1) + j[5] * l(2, 1),
          j[5] * l(2, 2)} {}
};

/// Writes the rows of G = J L of a block on one or two rigid bodies.
template <int D, int A>
[[gnu::always_inline]] inline void scale_jacobian(const ContactProblem& p, const Block& block, double* out) {
  for (std::uint32_t s = 0; s < A; ++s) {
    const double root = std::sqrt(p.segments[block.segment[s]].inverse_mass);
    const Mat3& l = p.inertia_factors[block.segment[s]];
    for (std::uint32_t k = 0; k < D; ++k) {
      const ScaledRow row(root, l, p.jacobian_values.data() + block.jacobian + kRigidSize * (D * s + k));
      for (std::uint32_t c = 0; c < kRigidSize; ++c) out[kRigidSize * A * k + kernels::row_position(A, s, c)] = row.g[c];
    }
  }
}

/// The same for any block. @param coupled per segment: whether it belongs to a
/// coupled carrier, where L = I; empty if there is none
void scale_jacobian(const ContactProblem& p, const Block& block, const std::vector<bool>& coupled, double* out) {
  const std::uint32_t width = p.row_width(block);
  const double* j = p.jacobian_values.data() + block.jacobian;
  kernels::each_segment(p, block, [&](std::uint32_t, std::uint32_t s, auto&& place) {
    const VelocitySegment& segment = p.segments[s];
    const double root = !coupled.empty() && coupled[s] ? 1 : std::sqrt(segment.inverse_mass);
    for (std::uint32_t k = 0; k < block.dim; ++k, j += segment.size) {
      double* const row = out + width * k;
      if (segment.is_rigid()) {
        const ScaledRow scaled(root, p.inertia_factors[s], j);
        for (std::uint32_t c = 0; c < kRigidSize; ++c) row[place(c)] = scaled.g[c];
      } else {
        for (std::uint32_t c = 0; c < segment.size; ++c) row[place(c)] = root * j[c];
      }
    }
  });
}

/// W_ii = G Gᵀ + Σ of a block on one or two rigid bodies, column-major.
template <int D, int A>
[[gnu::always_inline]] inline void write_diagonal(const double* scaled, const double* sigma, double* out) {
  for (int i = 0; i < D; ++i)
    for (int k = i; k < D; ++k) {
      const double *const a = scaled + kRigidSize * A * i, *const b = scaled + kRigidSize * A * k;
      kernels::Double4 products = kernels::load<kernels::Double4>(a) * kernels::load<kernels::Double4>(b);
      kernels::Double2 rest = {0, 0};
      if constexpr (A == 2) {
        for (const int c : {4, 8}) products += kernels::load<kernels::Double4>(a + c) * kernels::load<kernels::Double4>(b + c);
      } else {
        rest = kernels::load<kernels::Double2>(a + 4) * kernels::load<kernels::Double2>(b + 4);
      }
      out[D * i + k] = out[D * k + i] = kernels::sum(products) + (rest[0] + rest[1]) + (i == k ? sigma[i] : 0.0);
    }
}

/// W_ii = G K Gᵀ + Σ of any block: K Gᵀ row by row where K is not known between its segments. Velocities are scratch, all 0
/// before and after.
class AnyDiagonal {
 public:
  explicit AnyDiagonal(const ContactProblem& p)
      : p_(p), pushed_(p.is_coupled() && !p.compliances ? p.velocity_size() : 0, 0.0) {
    if (p.is_coupled() && !p.compliances) near_.look(p);
  }

  void write(const Block& block, double* out) {
    const std::uint32_t width = p_.row_width(block), dim = block.dim;
    const double* const g = p_.scaled_jacobian.data() + block.jacobian;
    if (p_.compliances) {
      std::fill_n(out, dim * dim, 0.0);
      add_coupled_product(p_, *p_.compliances, block, block, out);
    }
    const bool is_known = p_.compliances || (p_.is_coupled() && near_.write_product(p_, block, out));
    for (std::uint32_t k = 0; k < dim; ++k) {
      if (!p_.is_coupled()) {
        for (std::uint32_t i = 0; i < dim; ++i)
          out[dim * k + i] = Eigen::Map<const Eigen::VectorXd>(g + width * i, width)
                                 .dot(Eigen::Map<const Eigen::VectorXd>(g + width * k, width));
      } else if (!is_known) {
        kernels::LocalVelocity<kAnyArity> local(p_, block, pushed_.data());
        local.add(g + width * k, 1);
        p_.couple(pushed_);
        for (std::uint32_t i = 0; i < dim; ++i) out[dim * k + i] = local.dot(g + width * i);
        std::fill(pushed_.begin(), pushed_.end(), 0.0);
      }
      out[dim * k + k] += p_.sigma[block.row + k];
    }
  }

 private:
  const ContactProblem& p_;
  NearCompliances near_;
  std::vector<double> pushed_;
};

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

/// Of a patch: both masses are lower bounds, by the norm of Frobenius. What its cone does not span counts for nothing, so that
/// a patch that is a point has the mass of a point. @param w 6 × 6, column-major
ContactScale patch_scale(const PressurePatch& patch, const double* w) {
  const Eigen::Map<const Eigen::Matrix<double, 6, 6>> a(w);
  Mat3 unilateral;
  constexpr int rows[3] = {0, 4, 5};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) unilateral(i, j) = a(rows[i], rows[j]);
  ContactScale scale;
  scale.normal_mass = 1 / (patch.span() * unilateral * patch.span()).norm();
  scale.friction_mass = 1 / a.block<3, 3>(1, 1).norm();
  scale.coupling[0] = w[1], scale.coupling[1] = w[2];
  return scale;
}

/// Largest number in the first row of a block row of W: the scale of a row that has no positive diagonal. 1 if all are 0.
double largest_in_row(const BlockMatrix& w, std::uint32_t block, double sigma) {
  double largest = sigma;
  for (std::uint32_t e = w.first[block]; e < w.first[block + 1]; ++e)
    largest = std::max(largest, w.entry(block, e).row(0).cwiseAbs().maxCoeff());
  return largest > 0 ? largest : 1;
}

}   // namespace

std::size_t ContactProblem::contact_count() const {
  std::size_t count = 0;
  for (const Block& block : blocks) count += block.kind == BlockKind::contact;
  return count;
}

void ContactProblem::set_segments(Block& block, std::span<const std::uint32_t> list) {
  block.arity = static_cast<std::uint16_t>(list.size());
  if (list.size() <= kInlineSegments) {
    std::copy(list.begin(), list.end(), block.segment);
    return;
  }
  block.segment[0] = static_cast<std::uint32_t>(stencils.size());
  stencils.insert(stencils.end(), list.begin(), list.end());
}

std::uint32_t ContactProblem::row_width(const Block& block) const {
  std::uint32_t width = 0;
  for (const std::uint32_t s : segments_of(block)) width += segments[s].size;
  return width;
}

std::uint8_t ContactProblem::arity_class(const Block& block) const {
  if (block.arity > 2) return kAnyArity;
  for (int s = 0; s < block.arity; ++s)
    if (!segments[block.segment[s]].is_rigid()) return kAnyArity;
  return static_cast<std::uint8_t>(block.arity);
}

void ContactProblem::clear() {
  segments.clear();
  clear_carriers();
  stencils.clear();
  offsets.clear();
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
  coupled.clear();
}

void ContactProblem::clear_carriers() {
  carriers.clear();
  if (compliances.use_count() != 1) return compliances.reset();
  for (CarrierCompliance& c : *compliances) c.part.reset();
}

void ContactProblem::copy_conditions(const ContactProblem& other) {
  laws = other.laws;
  b = other.b;
  sigma = other.sigma;
  lower = other.lower;
  upper = other.upper;
  h = other.h;
}

bool Batch::extend(const Batch& other) {
  const bool same = kind == other.kind && dim == other.dim && arity == other.arity && law == other.law && rows == other.rows;
  if (!same || first + count != other.first) return false;
  count += other.count;
  return true;
}

Batch ContactProblem::run_of(std::uint32_t i) const {
  const Block& block = blocks[i];
  const bool has_law = block.kind == BlockKind::contact && block.dim > 1;
  const auto law = static_cast<std::uint8_t>(has_law ? laws[i].index() : 0);
  return {block.kind, block.dim, arity_class(block), law, i, 1};
}

void ContactProblem::lay_out() {
  offsets.resize(segments.size() + 1);
  offsets[0] = 0;
  for (std::size_t s = 0; s < segments.size(); ++s) offsets[s + 1] = offsets[s] + segments[s].size;
  batches.clear();
  std::size_t diagonal_size = 0;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    blocks[i].diagonal = static_cast<std::uint32_t>(diagonal_size);
    diagonal_size += blocks[i].dim * blocks[i].dim;
    const Batch run = run_of(i);
    if (batches.empty() || !batches.back().extend(run)) batches.push_back(run);
  }
  diagonal_values.resize(diagonal_size);
  coupled.assign(is_coupled() ? segments.size() : 0, false);
  for (const Carrier& carrier : carriers) std::fill_n(coupled.begin() + carrier.first, carrier.count, true);
}

void ContactProblem::find_compliances() {
  if (!is_coupled() || is_mostly_empty(*this)) return compliances.reset();
  if (compliances.use_count() != 1) compliances = std::make_shared<CarrierCompliances>();
  if (compliances->look(*this) <= kMostTouchedRows) find_carrier_compliances(*this, InverseBy::factors, *compliances);
  else compliances.reset();
}

void ContactProblem::finalize() {
  check(*this);
  lay_out();
  const auto first_node =
      std::find_if(segments.begin(), segments.end(), [](const VelocitySegment& s) { return !s.is_rigid(); });
  inertia_factors.resize(static_cast<std::size_t>(first_node - segments.begin()));
  for (std::size_t i = 0; i < inertia_factors.size(); ++i) inertia_factors[i] = cholesky(segments[i].inverse_inertia);
  scaled_jacobian.resize(jacobian_values.size());
  scales.resize(blocks.size());
  has_compliance = std::any_of(sigma.begin(), sigma.end(), [](double s) { return s != 0; });
  find_compliances();
  AnyDiagonal any(*this);
  kernels::visit_batches(*this, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
      const Block& block = blocks[i];
      double* const diagonal = diagonal_values.data() + block.diagonal;
      if constexpr (A == 0) {
        std::copy_n(matrix.values.data() + matrix.position[matrix.find(i, i)], D * D, diagonal);
        for (int k = 0; k < D; ++k) diagonal[k * (D + 1)] += sigma[block.row + k];
      } else if constexpr (A == kAnyArity) {
        scale_jacobian(*this, block, coupled, scaled_jacobian.data() + block.jacobian);
        any.write(block, diagonal);
      } else {
        double* scaled = scaled_jacobian.data() + block.jacobian;
        scale_jacobian<D, A>(*this, block, scaled);
        write_diagonal<D, A>(scaled, sigma.data() + block.row, diagonal);
      }
      scales[i] = batch.kind == BlockKind::contact ? contact_scale<D>(diagonal) : ContactScale{};
      if constexpr (A == 0)
        if (batch.kind == BlockKind::contact && !(diagonal[0] > 0))
          scales[i].normal_mass = 1 / largest_in_row(matrix, i, sigma[block.row]);
      if constexpr (D == PatchFriction::rows + 1)
        if (const auto* law = std::get_if<PatchFriction>(&laws[i]); batch.kind == BlockKind::contact && law != nullptr)
          scales[i] = patch_scale(law->patch(), diagonal);
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
        kernels::LocalVelocity<A> w(*this, block, scaled.data());
        kernels::push<D, A>(scaled_jacobian.data() + block.jacobian,
                            Eigen::Map<const kernels::BlockVector<D>>(impulses.data() + block.row), w);
        w.write(scaled.data());
      }
  });
}

void ContactProblem::couple(std::span<double> scaled) const {
  for (const Carrier& carrier : carriers) carrier.mass->solve_in_place(scaled.data() + offsets[carrier.first]);
}

void ContactProblem::add_velocity_change(std::span<const double> impulses, std::span<double> velocity) const {
  std::vector<double> scratch;
  add_velocity_change(impulses, velocity, scratch);
}

void ContactProblem::add_velocity_change(std::span<const double> impulses, std::span<double> velocity,
                                         std::vector<double>& change) const {
  change.assign(is_coupled() ? velocity_size() : 0, 0.0);   // of coupled segments
  for (const Block& block : blocks) {
    const double* j = jacobian_values.data() + block.jacobian;
    for (const std::uint32_t s : segments_of(block)) {
      const VelocitySegment& segment = segments[s];
      double sum[kRigidSize] = {};
      for (std::uint32_t k = 0; k < block.dim; ++k)
        for (std::uint32_t c = 0; c < segment.size; ++c) sum[c] += impulses[block.row + k] * *j++;
      double* const u = velocity.data() + offsets[s];
      if (segment.is_rigid()) {
        Eigen::Map<Vec3>(u) += segment.inverse_mass * Eigen::Map<const Vec3>(sum);
        Eigen::Map<Vec3>(u + 3) += segment.inverse_inertia * Eigen::Map<const Vec3>(sum + 3);
      } else {
        for (std::uint32_t c = 0; c < segment.size; ++c)
          if (!coupled.empty() && coupled[s]) change[offsets[s] + c] += sum[c];
          else u[c] += segment.inverse_mass * sum[c];
      }
    }
  }
  couple(change);
  for (std::size_t k = 0; k < change.size(); ++k) velocity[k] += change[k];
}

void ContactProblem::add_row_velocities(std::span<const double> velocity, std::span<double> v) const {
  for (const Block& block : blocks) {
    const double* j = jacobian_values.data() + block.jacobian;
    for (const std::uint32_t s : segments_of(block))
      for (std::uint32_t k = 0; k < block.dim; ++k)
        for (std::uint32_t c = 0; c < segments[s].size; ++c) v[block.row + k] += *j++ * velocity[offsets[s] + c];
  }
}

void ContactProblem::add_unscaled_velocity(std::span<const double> scaled, std::span<double> velocity) const {
  for (std::size_t i = 0; i < inertia_factors.size(); ++i) {
    double* const u = velocity.data() + offsets[i];
    const double* const w = scaled.data() + offsets[i];
    Eigen::Map<Vec3>(u) += std::sqrt(segments[i].inverse_mass) * Eigen::Map<const Vec3>(w);
    Eigen::Map<Vec3>(u + 3) += inertia_factors[i] * Eigen::Map<const Vec3>(w + 3);
  }
  if (inertia_factors.size() == segments.size()) return;
  for (auto s = static_cast<std::uint32_t>(inertia_factors.size()); s < segments.size(); ++s) {
    const double root = !coupled.empty() && coupled[s] ? 1 : std::sqrt(segments[s].inverse_mass);
    for (std::uint32_t k = offsets[s]; k < offsets[s + 1]; ++k) velocity[k] += root * scaled[k];
  }
}

void ContactProblem::contact_velocity(std::span<const double> impulses, std::span<double> v,
                                      std::vector<double>& segment_velocity) const {
  if (is_factored()) {
    segment_velocity.assign(velocity_size(), 0.0);
    add_scaled_velocity(impulses, segment_velocity);
    couple(segment_velocity);
  } else {
    segment_velocity.clear();
  }
  kernels::visit_batches(*this, [&](const Batch& batch, auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
      const Block& block = blocks[i];
      kernels::BlockVector<D> relative;
      if constexpr (A > 0) {
        const kernels::LocalVelocity<A> w(*this, block, std::as_const(segment_velocity).data());
        relative = kernels::relative_velocity<D, A>(scaled_jacobian.data() + block.jacobian, w);
      } else {
        relative = kernels::gathered_velocity<D>(matrix, i, impulses.data());
      }
      for (std::uint32_t k = 0; k < D; ++k) {
        const std::uint32_t row = block.row + k;
        v[row] = relative[k] + b[row] + sigma[row] * impulses[row];
      }
    }
  });
}

}   // namespace stickslip
