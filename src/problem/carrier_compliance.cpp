#include "problem/carrier_compliance.h"

#include <algorithm>

#include "math/unions.h"
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

bool is_mostly_empty(const ContactProblem& p) {
  const auto is_rigid = [&](const Block& block) {
    return std::ranges::none_of(p.segments_of(block), [&](std::uint32_t s) { return p.coupled[s]; });
  };
  if (static_cast<std::size_t>(std::ranges::count_if(p.blocks, is_rigid)) < kManyRigid) return false;
  Unions together(p.segments.size());
  for (const Carrier& carrier : p.carriers)
    for (std::uint32_t s = carrier.first; s < carrier.first + carrier.count; ++s) together.join(carrier.first, s);
  for (const Block& block : p.blocks)
    for (const std::uint32_t s : p.segments_of(block)) together.join(p.segments_of(block)[0], s);
  std::vector<std::size_t> rigid(p.segments.size(), 0);
  for (const Block& block : p.blocks)
    if (is_rigid(block)) ++rigid[together.root(p.segments_of(block)[0])];
  return std::ranges::all_of(p.carriers, [&](const Carrier& c) { return rigid[together.root(c.first)] >= kManyRigid; });
}

void NearCompliances::look(const ContactProblem& p) {
  carrier_of_.assign(p.segments.size(), kNoCarrier);
  numbers_.clear();
  for (const Carrier& carrier : p.carriers) {
    std::fill_n(carrier_of_.begin() + carrier.first, carrier.count, static_cast<std::uint32_t>(numbers_.size()));
    numbers_.push_back(carrier.mass->inverse_near());
  }
}

/// Of two numbers of a carrier; null if A does not couple them.
const double* NearCompliances::find(const ContactProblem& p, std::uint32_t carrier, std::uint32_t row,
                                    std::uint32_t column) const {
  if (numbers_[carrier].empty()) return nullptr;
  const CoupledMass::Matrix& a = p.carriers[carrier].mass->matrix();
  const int low = static_cast<int>(std::min(row, column)), high = static_cast<int>(std::max(row, column));
  const int* const rows = a.innerIndexPtr();
  const int *const first = rows + a.outerIndexPtr()[low], *const last = rows + a.outerIndexPtr()[low + 1];
  const int* const at = std::lower_bound(first, last, high);
  return at != last && *at == high ? numbers_[carrier].data() + (at - rows) : nullptr;
}

bool NearCompliances::write_product(const ContactProblem& p, const Block& block, double* out) const {
  const std::uint32_t width = p.row_width(block), dim = block.dim;
  const double* const g = p.scaled_jacobian.data() + block.jacobian;
  std::fill_n(out, dim * dim, 0.0);
  bool is_known = true;
  // Rows of W from the first to its own: the others mirror them.
  const auto add = [&](double inverse, std::uint32_t column, std::uint32_t other) {
    for (std::uint32_t j = 0; j < dim; ++j)
      for (std::uint32_t i = 0; i <= j; ++i) out[dim * j + i] += g[width * i + column] * inverse * g[width * j + other];
  };
  kernels::each_segment(p, block, [&](std::uint32_t, std::uint32_t s, auto&& place_s) {
    kernels::each_segment(p, block, [&](std::uint32_t, std::uint32_t t, auto&& place_t) {
      const std::uint32_t k = carrier_of_[s];
      if (k == kNoCarrier) {
        for (std::uint32_t c = 0; s == t && c < p.segments[s].size; ++c) add(1, place_s(c), place_t(c));
        return;
      }
      const std::uint32_t first = p.offset(p.carriers[k].first);
      for (std::uint32_t c = 0; carrier_of_[t] == k && is_known && c < p.segments[s].size; ++c)
        for (std::uint32_t d = 0; d < p.segments[t].size; ++d) {
          const double* const inverse = find(p, k, p.offset(s) - first + c, p.offset(t) - first + d);
          is_known = inverse != nullptr;
          if (!is_known) return;
          add(*inverse, place_s(c), place_t(d));
        }
    });
  });
  for (std::uint32_t j = 0; j < dim; ++j)
    for (std::uint32_t i = 0; i < j; ++i) out[dim * i + j] = out[dim * j + i];
  return is_known;
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
