// Parts of A⁻¹. With Y = L⁻¹ P E for the unit vectors E of some rows, the part is YᵀY: only the way up is gone, and of every
// front only the columns are known whose rows lie below it in the tree. Those of a front come together if the columns stand in
// postorder.
//
// Between the rows of a front A⁻¹ follows from that of its parent, from the last front to the first: with L_JJ and L_BJ the
// panel of its columns J and rows B below, X = L_BJ L_JJ⁻¹ and Z = A⁻¹,
//
//   Z_BJ = −Z_BB X,   Z_JJ = (L_JJ L_JJᵀ)⁻¹ + Xᵀ Z_BB X
//
// which is all of A⁻¹ where L has numbers, and so where A has.
#include <algorithm>
#include <numeric>

#include "math/supernodal.h"

namespace stickslip {

namespace {

constexpr int kInverseBlock = 128;

using WholePanel = Eigen::Map<Eigen::MatrixXd>;

/// c += YᵀY, lower triangle, in blocks of columns.
void add_square(const WholePanel& y, Eigen::Ref<Eigen::MatrixXd> c) {
  const Eigen::Index n = y.cols();
  for (Eigen::Index d = 0; d < n; d += kInverseBlock) {
    const Eigen::Index wide = std::min<Eigen::Index>(kInverseBlock, n - d);
    c.block(d, d, n - d, wide).noalias() += y.rightCols(n - d).transpose() * y.middleCols(d, wide);
  }
}

}   // namespace

/// Sorts the rows, finds which fronts see which of them, and gives what they leave its places: on two stacks, as updates of the
/// factorisation.
void SupernodalCholesky::plan_inverse(std::span<const int> rows) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  sorted_.resize(rows.size());
  std::iota(sorted_.begin(), sorted_.end(), 0);
  std::sort(sorted_.begin(), sorted_.end(),
            [&](int a, int b) { return turn_[position_[rows[a]]] < turn_[position_[rows[b]]]; });
  places_.clear();
  for (const int k : sorted_) places_.push_back(position_[rows[k]]);
  seen_.assign(fronts_.size(), {});
  std::size_t height[2] = {0, 0}, most[2] = {0, 0}, top = 0;
  Eigen::Index next = 0;   // first column whose front has not been visited
  for (const int s : postorder_) {
    const Front& f = fronts_[s];
    Seen& own = seen_[s];
    own.first = own.last = next;
    while (next < n && places_[next] >= f.column && places_[next] < f.column + f.columns) own.last = ++next;
    for (const int child : f.children)
      if (seen_[child].last > seen_[child].first) own.first = std::min(own.first, seen_[child].first);
    const auto wide = static_cast<std::size_t>(own.last - own.first);
    own.below = height[f.stack];
    height[f.stack] += wide * static_cast<std::size_t>(f.rows - f.columns);
    most[f.stack] = std::max(most[f.stack], height[f.stack]);
    if (!f.children.empty()) height[1 - f.stack] = seen_[f.children.front()].below;
    top = std::max(top, wide * static_cast<std::size_t>(f.columns));
  }
  for (int k = 0; k < 2; ++k) left_[k].resize(std::max(left_[k].size(), most[k]));
  top_.resize(std::max(top_.size(), top));
}

/// Unit vectors of the rows of a front, and what its children leave: those of its columns, and those below.
void SupernodalCholesky::gather_seen(const Front& f, const Seen& own, double* top, double* below) const {
  const auto wide = static_cast<std::size_t>(own.last - own.first);
  const int left = f.rows - f.columns;
  std::fill_n(top, wide * static_cast<std::size_t>(f.columns), 0.0);
  std::fill_n(below, wide * static_cast<std::size_t>(left), 0.0);
  for (Eigen::Index c = own.first; c < own.last; ++c)
    if (places_[c] >= f.column && places_[c] < f.column + f.columns)
      top[(c - own.first) * f.columns + places_[c] - f.column] = 1;
  for (const int child : f.children) {
    const Seen& s = seen_[child];
    const Front& from = fronts_[child];
    const int height = from.rows - from.columns;
    for (Eigen::Index c = s.first; c < s.last; ++c) {
      const double* source = left_[from.stack].data() + s.below + static_cast<std::size_t>(c - s.first) * height;
      double* const upper = top + (c - own.first) * f.columns;
      double* const lower = below + (c - own.first) * left - f.columns;
      for (const auto& [first, at, length] : from.runs) {
        const int split = std::clamp(f.columns - at, 0, length);   // rows of a run that are columns of the parent
        for (int r = 0; r < split; ++r) upper[at + r] += source[first + r];
        for (int r = split; r < length; ++r) lower[at + r] += source[first + r];
      }
    }
  }
}

/// Z between the rows of a front, both triangles. @param inverse has Z_BB in its place already
void SupernodalCholesky::invert_front(const Front& f, double* inverse) {
  const Eigen::Index columns = f.columns, left = f.rows - f.columns;
  const Eigen::Map<const Eigen::MatrixXd> panel(panels_.data() + f.panel, f.rows, columns);
  const auto own = panel.topRows(columns).triangularView<Eigen::Lower>();
  Eigen::Map<Eigen::MatrixXd> z(inverse, f.rows, f.rows);
  top_.assign(std::max(top_.size(), static_cast<std::size_t>(columns * columns)), 0.0);
  WholePanel unit(top_.data(), columns, columns);
  unit.setIdentity();
  own.solveInPlace(unit);
  auto corner = z.topLeftCorner(columns, columns);
  corner.noalias() = unit.transpose() * unit;
  if (left == 0) return;
  part_.resize(std::max(part_.size(), static_cast<std::size_t>(left * columns)));
  WholePanel x(part_.data(), left, columns);
  x.noalias() = panel.bottomRows(left) * unit;
  auto below = z.bottomLeftCorner(left, columns);
  below.noalias() = -(z.bottomRightCorner(left, left) * x);
  corner.noalias() -= x.transpose() * below;
  z.topRightCorner(columns, left) = below.transpose();
}

void SupernodalCholesky::inverse_near(std::span<double> numbers) {
  std::fill(numbers.begin(), numbers.end(), 0.0);
  std::vector<std::size_t> begin(fronts_.size());
  std::size_t most = 0;
  const auto size = [](const Front& f) { return static_cast<std::size_t>(f.rows) * static_cast<std::size_t>(f.rows); };
  for (auto at = postorder_.rbegin(); at != postorder_.rend(); ++at) {
    const Front& f = fronts_[*at];
    begin[*at] = f.parent < 0 ? 0 : begin[f.parent] + size(fronts_[f.parent]);
    most = std::max(most, begin[*at] + size(f));
  }
  inverses_.resize(std::max(inverses_.size(), most));
  for (auto at = postorder_.rbegin(); at != postorder_.rend(); ++at) {
    const Front& f = fronts_[*at];
    double* const z = inverses_.data() + begin[*at];
    if (f.parent >= 0) {
      const std::size_t rows = static_cast<std::size_t>(f.rows), height = static_cast<std::size_t>(fronts_[f.parent].rows);
      const double* const known = inverses_.data() + begin[f.parent];
      for (const auto& [first, column, wide] : f.runs)
        for (int c = 0; c < wide; ++c) {
          const double* const from = known + static_cast<std::size_t>(column + c) * height;
          double* const to = z + static_cast<std::size_t>(f.columns + first + c) * rows + f.columns;
          for (const auto& [row, place, length] : f.runs) std::copy_n(from + place, length, to + row);
        }
    }
    invert_front(f, z);
    const std::size_t end = static_cast<std::size_t>(*at) + 1 < fronts_.size() ? fronts_[*at + 1].entry : entries_.size();
    for (std::size_t k = f.entry; k < end; ++k) numbers[static_cast<std::size_t>(entries_[k].source)] = z[entries_[k].place];
  }
}

void SupernodalCholesky::inverse_at(std::span<const int> rows, Eigen::MatrixXd& out) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  plan_inverse(rows);
  part_.assign(rows.size() * rows.size(), 0.0);
  WholePanel part(part_.data(), n, n);
  for (const int s : postorder_) {
    const Front& f = fronts_[s];
    const Seen& own = seen_[s];
    const Eigen::Index wide = own.last - own.first, left = f.rows - f.columns;
    if (wide == 0) continue;
    double* const below = left_[f.stack].data() + own.below;
    gather_seen(f, own, top_.data(), below);
    WholePanel y(top_.data(), f.columns, wide);
    const Eigen::Map<const Eigen::MatrixXd> panel(panels_.data() + f.panel, f.rows, f.columns);
    panel.topRows(f.columns).triangularView<Eigen::Lower>().solveInPlace(y);
    add_square(y, part.block(own.first, own.first, wide, wide));
    if (left > 0) WholePanel(below, left, wide).noalias() -= panel.bottomRows(left) * y;
  }
  out.resize(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j; i < n; ++i) out(sorted_[i], sorted_[j]) = out(sorted_[j], sorted_[i]) = part(i, j);
}

}   // namespace stickslip
