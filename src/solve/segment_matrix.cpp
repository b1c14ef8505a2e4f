#include "solve/segment_matrix.h"

#include <algorithm>

#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

namespace {

/// The segment that each number of a carrier belongs to.
std::vector<std::uint32_t> segments_by_number(const ContactProblem& p, const Carrier& carrier) {
  std::vector<std::uint32_t> segment;
  for (std::uint32_t s = carrier.first; s < carrier.first + carrier.count; ++s)
    segment.insert(segment.end(), p.segments[s].size, s);
  return segment;
}

}   // namespace

void SegmentMatrix::set_up(const ContactProblem& p, Stored stored) {
  problem_ = &p;
  std::vector<std::vector<std::uint32_t>> rows(p.segments.size());   // per segment: those below it in its columns
  const auto meet = [&](std::uint32_t s, std::uint32_t t) {
    if ((s >= t || stored == Stored::all) && (rows[t].empty() || rows[t].back() != s)) rows[t].push_back(s);
  };
  for (std::uint32_t s = 0; s < rows.size(); ++s) rows[s].push_back(s);
  for (const Block& b : p.blocks)
    for (const std::uint32_t s : p.segments_of(b))
      for (const std::uint32_t t : p.segments_of(b))
        if (s != t) meet(s, t);
  for (const Carrier& carrier : p.carriers) {
    const std::vector<std::uint32_t> segment = segments_by_number(p, carrier);
    const Matrix& a = carrier.mass->matrix();
    for (Eigen::Index c = 0; c < a.outerSize(); ++c)
      for (Matrix::InnerIterator e(a, c); e; ++e)
        if (segment[static_cast<std::size_t>(e.row())] != segment[static_cast<std::size_t>(c)])
          meet(segment[static_cast<std::size_t>(e.row())], segment[static_cast<std::size_t>(c)]);
  }
  lay_out(rows);

  std::fill_n(matrix_.valuePtr(), matrix_.nonZeros(), 0.0);
  for (const Carrier& carrier : p.carriers) {
    const std::vector<std::uint32_t> segment = segments_by_number(p, carrier);
    const Matrix& a = carrier.mass->matrix();
    const std::uint32_t first = p.offset(carrier.first);
    for (Eigen::Index c = 0; c < a.outerSize(); ++c)
      for (Matrix::InnerIterator e(a, c); e; ++e) {
        const std::uint32_t s = segment[static_cast<std::size_t>(e.row())], t = segment[static_cast<std::size_t>(c)];
        if (stored == Stored::lower && s < t) continue;
        column(s, first + static_cast<std::uint32_t>(c))[first + static_cast<std::uint32_t>(e.row()) - p.offset(s)] = e.value();
      }
  }
  for (std::uint32_t s = 0; s < p.segments.size(); ++s)
    for (std::uint32_t k = 0; k < p.segments[s].size && !(p.is_coupled() && p.coupled[s]); ++k)
      column(s, p.offset(s) + k)[k] = 1;
  mass_.assign(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros());
}

void SegmentMatrix::lay_out(std::vector<std::vector<std::uint32_t>>& rows) {
  const ContactProblem& p = *problem_;
  std::size_t entries = 0;
  for (std::uint32_t t = 0; t < rows.size(); ++t) {
    std::sort(rows[t].begin(), rows[t].end());
    rows[t].erase(std::unique(rows[t].begin(), rows[t].end()), rows[t].end());
    for (const std::uint32_t s : rows[t]) entries += std::size_t{p.segments[s].size} * p.segments[t].size;
  }
  const auto n = static_cast<Eigen::Index>(p.velocity_size());
  matrix_.resize(n, n);
  matrix_.resizeNonZeros(static_cast<Eigen::Index>(entries));
  int next = 0;
  Eigen::Index at = 0;
  for (std::uint32_t t = 0; t < rows.size(); ++t)
    for (int j = 0; j < p.segments[t].size; ++j) {
      matrix_.outerIndexPtr()[at++] = next;
      for (const std::uint32_t s : rows[t])
        for (int i = 0; i < p.segments[s].size; ++i) matrix_.innerIndexPtr()[next++] = static_cast<int>(p.offset(s)) + i;
    }
  matrix_.outerIndexPtr()[n] = next;
}

void SegmentMatrix::reset() { std::copy(mass_.begin(), mass_.end(), matrix_.valuePtr()); }

double* SegmentMatrix::column(std::uint32_t row_segment, std::uint32_t column) {
  const int *first = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column],
            *last = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
  return matrix_.valuePtr() +
         (std::lower_bound(first, last, static_cast<int>(problem_->offset(row_segment))) - matrix_.innerIndexPtr());
}

void SegmentMatrix::add(std::uint32_t s, std::uint32_t t, const double* values) {
  const ContactProblem& p = *problem_;
  const std::uint32_t first = p.offset(t);
  const int length = matrix_.outerIndexPtr()[first + 1] - matrix_.outerIndexPtr()[first];   // of all columns of a segment
  double* to = column(s, first);
  for (std::uint32_t j = 0; j < p.segments[t].size; ++j, to += length)
    for (std::uint32_t i = 0; i < p.segments[s].size; ++i) to[i] += *values++;
}

}   // namespace stickslip
