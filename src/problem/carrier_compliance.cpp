#include "problem/carrier_compliance.h"

#include "problem/kernels.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

namespace {

std::vector<bool> touched_segments(const ContactProblem& p) {
  std::vector<bool> touched(p.segments.size());
  for (const Block& block : p.blocks)
    for (const std::uint32_t s : p.segments_of(block)) touched[s] = true;
  return touched;
}

Eigen::MatrixXd whole_inverse(const CoupledMass& mass) {
  const Eigen::MatrixXd a(mass.matrix());
  return a.llt().solve(Eigen::MatrixXd::Identity(a.rows(), a.cols()));
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
  std::vector<int> rows;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Carrier& carrier = p.carriers[k];
    all[k].place.assign(carrier.count, CarrierCompliance::kUntouched);
    rows.clear();
    for (std::uint32_t i = 0; i < carrier.count; ++i) {
      const std::uint32_t s = carrier.first + i;
      if (!touched[s]) continue;
      all[k].place[i] = static_cast<std::uint32_t>(rows.size());
      for (std::uint32_t c = 0; c < p.segments[s].size; ++c)
        rows.push_back(static_cast<int>(p.offset(s) - p.offset(carrier.first) + c));
    }
    if (rows.empty()) continue;
    if (how == InverseBy::factors) carrier.mass->inverse_at(rows, all[k].inverse);
    else all[k].inverse = whole_inverse(*carrier.mass)(rows, rows);
    // Sweeps read either half.
    all[k].inverse.triangularView<Eigen::StrictlyUpper>() = all[k].inverse.transpose();
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
