#include "math/supernodal.h"

#include <algorithm>

#include <Eigen/Dense>

#include "math/dense_cholesky.h"

namespace stickslip {

namespace {
using FrontPanel = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
constexpr int kFrontUpdateBlock =
    128;   ///< columns of an update that are one product: half of a block on its diagonal is wasted
}   // namespace

void SupernodalCholesky::analyze(const Matrix& a, const Symbolic& symbolic) {
  order_.assign(symbolic.order.begin(), symbolic.order.end());
  rows_.assign(symbolic.rows.begin(), symbolic.rows.end());
  make_fronts(symbolic);
  find_entries(a);
  plan_stacks();
  position_.resize(order_.size());
  turn_.resize(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) position_[order_[k]] = static_cast<int>(k);
  int turn = 0;
  for (const int s : postorder_)
    for (int c = 0; c < fronts_[s].columns; ++c) turn_[fronts_[s].column + c] = turn++;
}

void SupernodalCholesky::make_fronts(const Symbolic& symbolic) {
  const std::size_t count = symbolic.first.size() - 1;
  fronts_.assign(count, {});
  std::vector<int> front_of(order_.size());
  std::size_t numbers = 0;
  for (std::size_t s = 0; s < count; ++s) {
    Front& f = fronts_[s];
    f.column = symbolic.first[s];
    f.columns = symbolic.first[s + 1] - f.column;
    f.row = static_cast<std::size_t>(symbolic.start[s]);
    f.rows = symbolic.start[s + 1] - symbolic.start[s];
    f.panel = numbers;
    numbers += static_cast<std::size_t>(f.rows) * static_cast<std::size_t>(f.columns);
    std::fill_n(front_of.begin() + f.column, f.columns, static_cast<int>(s));
  }
  panels_.assign(numbers, 0);
  for (std::size_t s = 0; s < count; ++s) {
    Front& f = fronts_[s];
    if (f.rows == f.columns) continue;
    f.parent = front_of[rows_[f.row + f.columns]];
    Front& parent = fronts_[f.parent];
    parent.children.push_back(static_cast<int>(s));
    int at = 0;   // all rows of a child are rows of its parent
    for (int r = f.columns; r < f.rows; ++r) {
      while (rows_[parent.row + at] != rows_[f.row + r]) ++at;
      if (!f.runs.empty() && f.runs.back()[1] + f.runs.back()[2] == at) ++f.runs.back()[2];
      else f.runs.push_back({r - f.columns, at, 1});
    }
  }
}

void SupernodalCholesky::find_entries(const Matrix& a) {
  std::vector<int> position(order_.size()), front_of(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) position[order_[k]] = static_cast<int>(k);
  for (std::size_t s = 0; s < fronts_.size(); ++s)
    std::fill_n(front_of.begin() + fronts_[s].column, fronts_[s].columns, static_cast<int>(s));
  const auto visit = [&](auto&& use) {
    for (int j = 0; j < a.cols(); ++j)
      for (int k = a.outerIndexPtr()[j]; k < a.outerIndexPtr()[j + 1]; ++k) {
        const int i = a.innerIndexPtr()[k];
        if (i >= j) use(k, std::max(position[i], position[j]), std::min(position[i], position[j]));
      }
  };
  std::vector<std::size_t> next(fronts_.size() + 1, 0);
  visit([&](int, int, int column) { ++next[front_of[column] + 1]; });
  for (std::size_t s = 0; s < fronts_.size(); ++s) next[s + 1] += next[s], fronts_[s].entry = next[s];
  entries_.resize(next.back());
  visit([&](int k, int row, int column) {
    const int s = front_of[column];
    const Front& f = fronts_[s];
    const int* begin = rows_.data() + f.row;
    const auto r = static_cast<std::size_t>(std::lower_bound(begin, begin + f.rows, row) - begin);
    entries_[next[s]++] = {k, r + static_cast<std::size_t>(column - f.column) * static_cast<std::size_t>(f.rows)};
  });
}

/// Walks through the tree, children first, and gives every update its place: what children have handed over is free again.
void SupernodalCholesky::plan_stacks() {
  postorder_.clear();
  most_below_ = 0;
  std::size_t height[2] = {0, 0}, most[2] = {0, 0};
  std::vector<std::pair<int, std::size_t>> path;   // front, next child
  for (std::size_t root = 0; root < fronts_.size(); ++root) {
    if (fronts_[root].parent >= 0) continue;
    path.assign(1, {static_cast<int>(root), 0});
    while (!path.empty()) {
      Front& f = fronts_[path.back().first];
      if (path.back().second < f.children.size()) {
        const int child = f.children[path.back().second++];
        path.emplace_back(child, 0);
        continue;
      }
      postorder_.push_back(path.back().first);
      path.pop_back();
      f.stack = static_cast<int>(path.size() % 2);
      const auto below = static_cast<std::size_t>(f.rows - f.columns);
      most_below_ = std::max(most_below_, below);
      f.update = height[f.stack];
      height[f.stack] += below * below;
      most[f.stack] = std::max(most[f.stack], height[f.stack]);
      if (!f.children.empty()) height[1 - f.stack] = fronts_[f.children.front()].update;
    }
  }
  for (int k = 0; k < 2; ++k) stacks_[k].resize(most[k]);
}

/// Adds what a child leaves to the panel and the update of its parent; only lower triangles are filled.
void SupernodalCholesky::add_child(const Front& child, const Front& parent, double* update) {
  const int below = child.rows - child.columns, left = parent.rows - parent.columns;
  const double* from = stacks_[child.stack].data() + child.update;
  for (std::size_t k = 0; k < child.runs.size(); ++k)
    for (int c = 0; c < child.runs[k][2]; ++c) {
      const int column = child.runs[k][1] + c;
      const double* source = from + static_cast<std::size_t>(child.runs[k][0] + c) * below;
      double* target = column < parent.columns
                           ? panels_.data() + parent.panel + static_cast<std::size_t>(column) * parent.rows
                           : update + static_cast<std::ptrdiff_t>(column - parent.columns) * left - parent.columns;
      for (std::size_t l = k; l < child.runs.size(); ++l) {
        const auto& [first, at, length] = child.runs[l];
        const int skip = l == k ? c : 0;
        for (int r = skip; r < length; ++r) target[at + r] += source[first + r];
      }
    }
}

bool SupernodalCholesky::eliminate(const Front& f, double* update) {
  double* numbers = panels_.data() + f.panel;
  if (!eliminate_columns(numbers, f.rows, f.columns)) return false;
  const int left = f.rows - f.columns;
  const FrontPanel below(numbers + f.columns, left, f.columns, Eigen::OuterStride<>(f.rows));
  for (int d = 0; d < left; d += kFrontUpdateBlock) {
    const int wide = std::min(kFrontUpdateBlock, left - d);
    FrontPanel out(update + d + static_cast<std::size_t>(d) * left, left - d, wide, Eigen::OuterStride<>(left));
    out.noalias() -= below.bottomRows(left - d) * below.middleRows(d, wide).transpose();
  }
  return true;
}

bool SupernodalCholesky::factor(const Matrix& a) {
  const double* values = a.valuePtr();
  is_rounded_ = false;
  for (const int s : postorder_) {
    const Front& f = fronts_[s];
    double* panel = panels_.data() + f.panel;
    std::fill_n(panel, static_cast<std::size_t>(f.rows) * f.columns, 0.0);
    const std::size_t end = static_cast<std::size_t>(s) + 1 < fronts_.size() ? fronts_[s + 1].entry : entries_.size();
    for (std::size_t k = f.entry; k < end; ++k) panel[entries_[k].place] += values[entries_[k].source];
    const auto left = static_cast<std::size_t>(f.rows - f.columns);
    double* update = stacks_[f.stack].data() + f.update;
    std::fill_n(update, left * left, 0.0);
    for (const int child : f.children) add_child(fronts_[child], f, update);
    if (!eliminate(f, update)) return false;
  }
  return true;
}

/// Solves for the columns in the scratch, which are in the order of elimination. One column is solved without buffers, several
/// at a time share the way through L.
template <class Scalar, int Columns>
void SupernodalCholesky::solve_columns(const Numbers<Scalar>& panels, Scratch<Scalar>& scratch, int columns) const {
  using Columned = Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, Columns>>;
  using Factor = Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>, 0, Eigen::OuterStride<>>;
  scratch.gathered.resize(std::max(scratch.gathered.size(), most_below_ * static_cast<std::size_t>(columns)));
  Columned y(scratch.work.data(), static_cast<Eigen::Index>(order_.size()), columns);
  const auto panel = [&](const Front& f, int row, int rows) {
    return Factor(panels.data() + f.panel + row, rows, f.columns, Eigen::OuterStride<>(f.rows));
  };
  for (const int s : postorder_) {
    const Front& f = fronts_[s];
    const int left = f.rows - f.columns;
    auto top = y.middleRows(f.column, f.columns);
    panel(f, 0, f.columns).template triangularView<Eigen::Lower>().solveInPlace(top);
    if (left == 0) continue;
    Columned change(scratch.gathered.data(), left, columns);
    change.noalias() = panel(f, f.columns, left) * top;
    const int* rows = rows_.data() + f.row + f.columns;
    for (int c = 0; c < columns; ++c)
      for (int r = 0; r < left; ++r) y(rows[r], c) -= change(r, c);
  }
  for (auto at = postorder_.rbegin(); at != postorder_.rend(); ++at) {
    const Front& f = fronts_[*at];
    const int left = f.rows - f.columns;
    auto top = y.middleRows(f.column, f.columns);
    if (left > 0) {
      Columned known(scratch.gathered.data(), left, columns);
      const int* rows = rows_.data() + f.row + f.columns;
      for (int c = 0; c < columns; ++c)
        for (int r = 0; r < left; ++r) known(r, c) = y(rows[r], c);
      top.noalias() -= panel(f, f.columns, left).transpose() * known;
    }
    panel(f, 0, f.columns).transpose().template triangularView<Eigen::Upper>().solveInPlace(top);
  }
}

void SupernodalCholesky::solve(const double* b, double* x, int columns) {
  const std::size_t n = order_.size();
  Numbers<double>& y = scratch_.work;
  y.resize(std::max(y.size(), n * static_cast<std::size_t>(columns)));
  for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c)
    for (std::size_t k = 0; k < n; ++k) y[c * n + k] = b[c * n + order_[k]];
  if (columns == 1) solve_columns<double, 1>(panels_, scratch_, 1);
  else solve_columns<double, Eigen::Dynamic>(panels_, scratch_, columns);
  for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c)
    for (std::size_t k = 0; k < n; ++k) x[c * n + order_[k]] = y[c * n + k];
}

void SupernodalCholesky::solve_roughly(const double* b, double* x) {
  if (!is_rounded_) {
    rounded_.resize(panels_.size());
    std::transform(panels_.begin(), panels_.end(), rounded_.begin(), [](double number) { return static_cast<float>(number); });
    is_rounded_ = true;
  }
  const std::size_t n = order_.size();
  double largest = 0;   // the range of single precision is small
  for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(b[k]));
  Numbers<float>& y = rough_scratch_.work;
  y.assign(n, 0);
  if (largest > 0)
    for (std::size_t k = 0; k < n; ++k) y[k] = static_cast<float>(b[order_[k]] / largest);
  solve_columns<float, 1>(rounded_, rough_scratch_, 1);
  for (std::size_t k = 0; k < n; ++k) x[order_[k]] = largest * static_cast<double>(y[k]);
}

}   // namespace stickslip
