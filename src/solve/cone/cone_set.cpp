#include "solve/cone/cone_set.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "problem/kernels.h"
#include "stickslip/friction/cone.h"
#include "stickslip/math/error.h"

namespace stickslip::cone {

namespace {

/// Calls f(law, row, vector) for every contact with friction: `vector` is its part of x.
template <class F>
void each_frictional(const ContactProblem& p, std::span<double> x, const Batch& batch, F&& f) {
  kernels::with_law(batch.law, [&]<class Law>(std::in_place_type_t<Law>) {
    if (batch.dim != Law::rows + 1) return;
    for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i)
      f(std::get<Law>(p.laws[i]), Eigen::Map<ConeVector<Law>>(x.data() + p.blocks[i].row));
  });
}

std::pair<std::size_t, std::size_t> rows_of(const ContactProblem& p, const Batch& batch) {
  const std::size_t first = p.blocks[batch.first].row;
  return {first, first + std::size_t{batch.count} * batch.dim};
}

}   // namespace

void metric(const ContactProblem& p, std::vector<double>& r) {
  r.resize(p.rows());
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    for (int k = 0; k < block.dim; ++k) {
      double mass = 1 / p.diagonal_values[block.diagonal + static_cast<std::size_t>(k) * (block.dim + 1)];
      if (block.kind == BlockKind::contact)
        mass = block.dim > 1 ? std::min(p.scales[i].normal_mass, p.scales[i].friction_mass) : p.scales[i].normal_mass;
      r[block.row + static_cast<std::size_t>(k)] = std::isfinite(mass) && mass > 0 ? mass : 1;
    }
  }
}

void project(const ContactProblem& p, std::span<double> x) {
  for (const Batch& batch : p.batches) {
    const auto [first, end] = rows_of(p, batch);
    if (batch.kind == BlockKind::box)
      for (std::size_t k = first; k < end; ++k) x[k] = std::clamp(x[k], p.lower[k], p.upper[k]);
    if (batch.kind != BlockKind::contact) continue;
    if (batch.dim == 1)
      for (std::size_t k = first; k < end; ++k) x[k] = std::max(x[k], 0.0);
    else
      each_frictional(p, x, batch, []<class Law>(const Law& law, Eigen::Map<ConeVector<Law>> block) {
        block = project_on_cone(law, ConeVector<Law>(block));
      });
  }
}

void add_shift(const ContactProblem& p, std::span<double> v) {
  for (const Batch& batch : p.batches)
    if (batch.kind == BlockKind::contact && batch.dim > 1)
      each_frictional(p, v, batch, []<class Law>(const Law& law, Eigen::Map<ConeVector<Law>> block) {
        block[0] += normal_shift(law, block.template tail<Law::rows>());
      });
}

double distance(std::span<const double> a, std::span<const double> b, std::span<const double> r) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double d = std::abs(a[k] - b[k]) / r[k];
    if (!(d <= largest)) largest = d;   // lets NaN through
    if (std::isnan(largest)) return largest;
  }
  return largest;
}

double product(std::span<const double> a, std::span<const double> b, std::span<const double> r) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k] / r[k];
  return sum;
}

double largest_eigenvalue(const ContactProblem& p, std::span<const double> r, int iterations, std::vector<double>& x,
                          std::vector<double>& wx, std::vector<double>& segment) {
  const std::size_t n = p.rows();
  x.resize(n);
  wx.resize(n);
  // Numbers without a pattern, so that no eigenvector is missed: the golden ratio fills [−½, ½] evenly.
  for (std::size_t k = 0; k < n; ++k)
    x[k] = std::sqrt(r[k]) * (std::fmod(0.6180339887498949 * (static_cast<double>(k) + 1), 1.0) - 0.5);
  double value = 0;
  for (int i = 0; i < iterations; ++i) {
    const double size = std::sqrt(product(x, x, r));
    if (!(size > 0) || !std::isfinite(size)) break;
    for (double& number : x) number /= size;
    p.contact_velocity(x, wx, segment);
    double image = 0;
    for (std::size_t k = 0; k < n; ++k) {
      x[k] = r[k] * (wx[k] - p.b[k]);
      image += x[k] * x[k] / r[k];
    }
    value = std::max(value, std::sqrt(image));
  }
  return value;
}

bool wants_coulomb(const std::string& shift) {
  if (shift == "coulomb") return true;
  if (shift == "none") return false;
  throw Error(fmt::format("There is no shift '{}'. {}", shift, suggest(shift, std::array<std::string, 2>{"coulomb", "none"})))
      .at("shift");
}

}   // namespace stickslip::cone
