// A part of A⁻¹. With Y = L⁻¹ P E for the unit vectors E of some rows, the part is YᵀY: only the way up is gone, and of every
// front only the columns are known whose rows lie below it in the tree. Those of a front come together if the columns stand in
// postorder.
#include <algorithm>
#include <numeric>

#include "math/supernodal.h"

namespace stickslip {

namespace {

constexpr int kInverseBlock = 128;

/// c += YᵀY, lower triangle, in blocks of columns.
void add_square(const Eigen::MatrixXd& y, Eigen::Ref<Eigen::MatrixXd> c) {
  const Eigen::Index n = y.cols();
  for (Eigen::Index d = 0; d < n; d += kInverseBlock) {
    const Eigen::Index wide = std::min<Eigen::Index>(kInverseBlock, n - d);
    c.block(d, d, n - d, wide).noalias() += y.rightCols(n - d).transpose() * y.middleCols(d, wide);
  }
}

}   // namespace

/// Columns [first, last) of the part that a front has seen, and what it hands to its parent.
struct SupernodalCholesky::Seen {
  Eigen::Index first = 0, last = 0;
  Eigen::MatrixXd below;
};

/// Rows of the front × its columns of the part: unit vectors of its own rows, and what its children leave.
Eigen::MatrixXd SupernodalCholesky::gather_seen(const Front& f, std::span<const int> places, std::vector<Seen>& seen,
                                                Seen& own) const {
  for (const int child : f.children)
    if (seen[child].last > seen[child].first) {
      own.first = std::min(own.first, seen[child].first);
      own.last = std::max(own.last, seen[child].last);
    }
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(f.rows, std::max<Eigen::Index>(0, own.last - own.first));
  for (Eigen::Index c = own.first; c < own.last; ++c)
    if (places[c] >= f.column && places[c] < f.column + f.columns) b(places[c] - f.column, c - own.first) = 1;
  for (const int child : f.children) {
    Seen& s = seen[child];
    if (s.last == s.first) continue;
    for (const auto& [from, at, length] : fronts_[child].runs)
      b.block(at, s.first - own.first, length, s.last - s.first) += s.below.middleRows(from, length);
    s.below.resize(0, 0);
  }
  return b;
}

void SupernodalCholesky::inverse_at(std::span<const int> rows, Eigen::MatrixXd& out) const {
  const auto n = static_cast<Eigen::Index>(rows.size());
  std::vector<int> position(order_.size()), turn(order_.size()), sorted(rows.size()), places;
  for (std::size_t k = 0; k < order_.size(); ++k) position[order_[k]] = static_cast<int>(k);
  for (std::size_t k = 0, t = 0; k < postorder_.size(); ++k)
    for (int c = 0; c < fronts_[postorder_[k]].columns; ++c) turn[fronts_[postorder_[k]].column + c] = static_cast<int>(t++);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](int a, int b) { return turn[position[rows[a]]] < turn[position[rows[b]]]; });
  for (const int k : sorted) places.push_back(position[rows[k]]);

  Eigen::MatrixXd part = Eigen::MatrixXd::Zero(n, n);
  std::vector<Seen> seen(fronts_.size());
  Eigen::Index next = 0;   // first column whose front has not been visited
  for (const int s : postorder_) {
    const Front& f = fronts_[s];
    Seen own{next, next, {}};
    while (next < n && places[next] >= f.column && places[next] < f.column + f.columns) own.last = ++next;
    const Eigen::MatrixXd b = gather_seen(f, places, seen, own);
    if (b.cols() == 0) continue;
    const Eigen::Map<const Eigen::MatrixXd> panel(panels_.data() + f.panel, f.rows, f.columns);
    const Eigen::MatrixXd y = panel.topRows(f.columns).triangularView<Eigen::Lower>().solve(b.topRows(f.columns));
    add_square(y, part.block(own.first, own.first, y.cols(), y.cols()));
    own.below = b.bottomRows(f.rows - f.columns);
    own.below.noalias() -= panel.bottomRows(f.rows - f.columns) * y;
    seen[s] = std::move(own);
  }
  out.resize(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i) out(sorted[i], sorted[j]) = part(std::max(i, j), std::min(i, j));
}

}   // namespace stickslip
