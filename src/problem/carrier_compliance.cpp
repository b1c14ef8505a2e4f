#include "problem/carrier_compliance.h"

#include "problem/kernels.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

namespace {

constexpr Eigen::Index kColumns = 48;   ///< solved for at a time

std::vector<bool> touched_segments(const ContactProblem& p) {
  std::vector<bool> touched(p.segments.size());
  for (const Block& block : p.blocks)
    for (const std::uint32_t s : p.segments_of(block)) touched[s] = true;
  return touched;
}

/// The rows of A⁻¹ that `rows` names, of the columns that it names too.
Eigen::MatrixXd inverse_between(const CoupledMass& mass, const std::vector<std::uint32_t>& rows) {
  const auto n = static_cast<Eigen::Index>(mass.size()), k = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd inverse(k, k), right = Eigen::MatrixXd::Zero(n, std::min(kColumns, k)), solution(n, right.cols());
  for (Eigen::Index first = 0; first < k; first += kColumns) {
    const Eigen::Index count = std::min(kColumns, k - first);
    for (Eigen::Index c = 0; c < count; ++c) right(rows[first + c], c) = 1;
    mass.solve(right.data(), solution.data(), static_cast<int>(count));
    for (Eigen::Index c = 0; c < count; ++c) {
      right(rows[first + c], c) = 0;
      for (Eigen::Index r = 0; r < k; ++r) inverse(r, first + c) = solution(rows[r], c);
    }
  }
  // A⁻¹ is symmetric, its solved columns up to rounding: sweeps read either half.
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  return inverse;
}

Eigen::MatrixXd whole_inverse(const CoupledMass& mass) {
  const Eigen::MatrixXd a(mass.matrix());
  Eigen::MatrixXd inverse = a.llt().solve(Eigen::MatrixXd::Identity(a.rows(), a.cols()));
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  return inverse;
}

}   // namespace

std::size_t touched_rows(const ContactProblem& p) {
  const std::vector<bool> touched = touched_segments(p);
  std::size_t rows = 0;
  for (const Carrier& carrier : p.carriers)
    for (std::uint32_t s = carrier.first; s < carrier.first + carrier.count; ++s)
      if (touched[s]) rows += p.segments[s].size;
  return rows;
}

CarrierCompliances carrier_compliances(const ContactProblem& p, InverseBy how) {
  const std::vector<bool> touched = touched_segments(p);
  CarrierCompliances all;
  all.resize(p.carriers.size());
  std::vector<std::uint32_t> rows;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Carrier& carrier = p.carriers[k];
    all[k].place.assign(carrier.count, CarrierCompliance::kUntouched);
    rows.clear();
    for (std::uint32_t i = 0; i < carrier.count; ++i) {
      const std::uint32_t s = carrier.first + i;
      if (!touched[s]) continue;
      all[k].place[i] = static_cast<std::uint32_t>(rows.size());
      for (std::uint32_t c = 0; c < p.segments[s].size; ++c) rows.push_back(p.offset(s) - p.offset(carrier.first) + c);
    }
    if (rows.empty()) continue;
    all[k].inverse = how == InverseBy::factors ? inverse_between(*carrier.mass, rows) : whole_inverse(*carrier.mass)(rows, rows);
  }
  return all;
}

std::vector<std::uint32_t> carriers_of_segments(const ContactProblem& p) {
  std::vector<std::uint32_t> carrier_of(p.segments.size(), kNoCarrier);
  for (std::uint32_t k = 0; k < p.carriers.size(); ++k)
    std::fill_n(carrier_of.begin() + p.carriers[k].first, p.carriers[k].count, k);
  return carrier_of;
}

void add_coupled_product(const ContactProblem& p, const CarrierCompliances& compliances,
                         std::span<const std::uint32_t> carrier_of, const Block& a, const Block& b, double* out) {
  const std::uint32_t width_a = p.row_width(a), width_b = p.row_width(b);
  const double *const of_a = p.scaled_jacobian.data() + a.jacobian, *const of_b = p.scaled_jacobian.data() + b.jacobian;
  kernels::each_segment(p, a, [&](std::uint32_t, std::uint32_t s, auto&& place_a) {
    kernels::each_segment(p, b, [&](std::uint32_t, std::uint32_t t, auto&& place_b) {
      if (carrier_of[s] != carrier_of[t] || (carrier_of[s] == kNoCarrier && s != t)) return;
      const std::uint32_t size_s = p.segments[s].size, size_t_ = p.segments[t].size;
      if (carrier_of[s] == kNoCarrier) {
        for (std::uint32_t j = 0; j < b.dim; ++j)
          for (std::uint32_t i = 0; i < a.dim; ++i)
            for (std::uint32_t c = 0; c < size_s; ++c)
              out[a.dim * j + i] += of_a[width_a * i + place_a(c)] * of_b[width_b * j + place_b(c)];
        return;
      }
      const CarrierCompliance& k = compliances[carrier_of[s]];
      const std::uint32_t first = p.carriers[carrier_of[s]].first, row = k.place[s - first], column = k.place[t - first];
      for (std::uint32_t j = 0; j < b.dim; ++j)
        for (std::uint32_t d = 0; d < size_t_; ++d) {
          const double weight = of_b[width_b * j + place_b(d)];
          if (weight == 0) continue;
          const double* const inverse = k.inverse.data() + (column + d) * k.inverse.rows() + row;
          for (std::uint32_t c = 0; c < size_s; ++c)
            for (std::uint32_t i = 0; i < a.dim; ++i)
              out[a.dim * j + i] += weight * inverse[c] * of_a[width_a * i + place_a(c)];
        }
    });
  });
}

}   // namespace stickslip
