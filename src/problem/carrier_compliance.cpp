#include "problem/carrier_compliance.h"

#include <algorithm>

#include "problem/kernels.h"

namespace stickslip {

namespace {

Eigen::MatrixXd whole_inverse(const CoupledMass& mass) {
  const Eigen::MatrixXd a(mass.matrix());
  return a.llt().solve(Eigen::MatrixXd::Identity(a.rows(), a.cols()));
}

std::shared_ptr<const CoupledMass::InversePart> inverse_part(const CoupledMass& mass, std::span<const int> rows,
                                                             InverseBy how) {
  if (how == InverseBy::factors || (how == InverseBy::their_factors && !mass.is_stale())) return mass.inverse_between(rows);
  if (how == InverseBy::their_factors) return CoupledMass(mass.matrix()).inverse_between(rows);
  auto part = std::make_shared<CoupledMass::InversePart>();
  part->rows.assign(rows.begin(), rows.end());
  part->numbers = whole_inverse(mass)(part->rows, part->rows);
  part->numbers.triangularView<Eigen::StrictlyUpper>() = part->numbers.transpose();   // sweeps read either half
  return part;
}

}   // namespace

std::size_t CarrierCompliances::look(const ContactProblem& p) {
  touched.assign(p.segments.size(), false);
  carrier_of.assign(p.segments.size(), kNoCarrier);
  for (const Block& block : p.blocks)
    for (const std::uint32_t s : p.segments_of(block)) touched[s] = true;
  std::size_t sum = 0;
  for (std::uint32_t k = 0; k < p.carriers.size(); ++k)
    for (std::uint32_t s = p.carriers[k].first; s < p.carriers[k].first + p.carriers[k].count; ++s) {
      carrier_of[s] = k;
      if (touched[s]) sum += p.segments[s].size;
    }
  return sum;
}

bool has_stale_factors(const ContactProblem& p) {
  return std::ranges::any_of(p.carriers, [](const Carrier& c) { return c.mass->is_stale(); });
}

void find_carrier_compliances(const ContactProblem& p, InverseBy how, CarrierCompliances& all) {
  std::vector<int>& rows = all.rows;
  all.resize(p.carriers.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Carrier& carrier = p.carriers[k];
    const auto number = [&](std::uint32_t s) { return static_cast<int>(p.offset(s) - p.offset(carrier.first)); };
    rows.clear();
    for (std::uint32_t s = carrier.first; s < carrier.first + carrier.count; ++s)
      if (all.touched[s])
        for (int c = 0; c < p.segments[s].size; ++c) rows.push_back(number(s) + c);
    all[k].part.reset();
    all[k].place.assign(carrier.count, CarrierCompliance::kUntouched);
    if (rows.empty()) continue;
    all[k].part = inverse_part(*carrier.mass, rows, how);
    const std::vector<int>& found = all[k].part->rows;
    std::uint32_t at = 0;   // both are ascending, and rows of a segment come together
    for (std::uint32_t i = 0; i < carrier.count && at < found.size(); ++i)
      if (found[at] == number(carrier.first + i)) {
        all[k].place[i] = at;
        at += p.segments[carrier.first + i].size;
      }
  }
}

void add_coupled_product(const ContactProblem& p, const CarrierCompliances& compliances, const Block& a, const Block& b,
                         double* out) {
  const std::vector<std::uint32_t>& carrier_of = compliances.carrier_of;
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
          const double* const inverse = k.inverse().data() + (column + d) * k.inverse().rows() + row;
          for (std::uint32_t c = 0; c < size_s; ++c)
            for (std::uint32_t i = 0; i < a.dim; ++i)
              out[a.dim * j + i] += weight * inverse[c] * of_a[width_a * i + place_a(c)];
        }
    });
  });
}

}   // namespace stickslip
