#include "solve/joints/condensation.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

/// Share of its W_CC below which a row of W_c is rounding: joints hold its bodies fast. It then keeps the diagonal of W_CC, so
/// that impulses that move nothing stay moderate.
constexpr double kHeldFast = 1e-10;
constexpr std::size_t kMostBlockRows = 6;   ///< of a block

}   // namespace

void Condensation::analyze(const ContactProblem& p, const BlockProducts& products, JointSystem& joints) {
  problem_ = &p;
  products_ = &products;
  joints_ = &joints;
  blocks_.clear();
  number_.assign(p.blocks.size(), JointSystem::kNone);
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
    if (p.blocks[i].kind != BlockKind::bilateral) {
      number_[i] = static_cast<std::uint32_t>(blocks_.size());
      blocks_.push_back(i);
    }
  members_.resize(joints.mechanisms());
  for (auto& list : members_) list.clear();
  touched_.resize(blocks_.size());
  for (auto& list : touched_) list.clear();
  std::vector<double> rows(joints.mechanisms(), 0.0);
  std::vector<std::uint32_t> list;
  for (std::uint32_t c = 0; c < blocks_.size(); ++c) {
    products.neighbours(blocks_[c], list);
    for (const std::uint32_t j : list) {
      const std::uint32_t m = joints.mechanism_of(j);
      if (m == JointSystem::kNone || std::find(touched_[c].begin(), touched_[c].end(), m) != touched_[c].end()) continue;
      touched_[c].push_back(m);
      members_[m].push_back(c);
      rows[m] += p.blocks[blocks_[c]].dim;
    }
  }
  touching_rows_ = 0;
  for (std::uint32_t c = 0; c < blocks_.size(); ++c)
    if (!touched_[c].empty()) touching_rows_ += p.blocks[blocks_[c]].dim;
  work_ = 0;
  for (std::size_t m = 0; m < rows.size(); ++m) work_ += rows[m] * (3 * joints.solve_work(m) + 30 * rows[m]);
  entries_ = 0;
  for (std::uint32_t c = 0; c < blocks_.size(); ++c) {
    double width = 0;
    for (const std::uint32_t m : touched_[c]) width += rows[m];
    entries_ += static_cast<std::size_t>(width * p.blocks[blocks_[c]].dim);
  }
}

/// Numbers in C of the blocks that couple with one: through a body or a mechanism.
void Condensation::couple(std::uint32_t number, std::vector<std::uint32_t>& list) const {
  products_->neighbours(blocks_[number], list);
  std::erase_if(list, [&](std::uint32_t i) { return number_[i] == JointSystem::kNone; });
  for (std::uint32_t& i : list) i = number_[i];
  for (const std::uint32_t m : touched_[number]) list.insert(list.end(), members_[m].begin(), members_[m].end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// W_c −= W_CJ W_JJ⁺ W_JC of one mechanism: a panel of columns per block of C.
void Condensation::subtract_mechanism(std::size_t m) {
  const ContactProblem& p = *problem_;
  BlockMatrix& w = condensed_.matrix;
  const std::size_t rows = joints_->size(m), first = joints_->first(m);
  // W_JC of all members, by rows of their joints alone: few.
  struct Coupling {
    std::uint32_t block;   ///< of J
    std::size_t value;     ///< where W_Cj begins, dim × dim, column-major
  };
  std::vector<std::vector<Coupling>> couplings(members_[m].size());
  std::vector<double> values;
  std::vector<std::uint32_t> list;
  for (std::size_t a = 0; a < members_[m].size(); ++a) {
    const std::uint32_t i = blocks_[members_[m][a]];
    products_->neighbours(i, list);
    for (const std::uint32_t j : list) {
      if (joints_->mechanism_of(j) != m) continue;
      couplings[a].push_back({j, values.size()});
      values.resize(values.size() + p.blocks[i].dim * p.blocks[j].dim, 0.0);
      products_->add(i, j, values.data() + couplings[a].back().value, p.blocks[i].dim);
    }
  }
  right_.resize(rows);
  panel_.resize(kMostBlockRows * rows);
  for (std::size_t a = 0; a < members_[m].size(); ++a) {
    const std::uint32_t dim = p.blocks[blocks_[members_[m][a]]].dim;
    for (std::uint32_t k = 0; k < dim; ++k) {
      std::fill(right_.begin(), right_.end(), 0.0);
      for (const Coupling& c : couplings[a])
        for (std::uint32_t r = 0; r < p.blocks[c.block].dim; ++r)
          right_[joints_->first_row(c.block) - first + r] = values[c.value + dim * r + k];
      joints_->solve_quickly(m, right_.data(), panel_.data() + rows * k);
    }
    const Eigen::Map<const Eigen::MatrixXd> x(panel_.data(), static_cast<Eigen::Index>(rows), dim);
    // Rows from a on; the upper triangle is their mirror image.
    for (std::size_t b = a; b < members_[m].size(); ++b) {
      const std::uint32_t row = members_[m][b], column = members_[m][a], height = p.blocks[blocks_[row]].dim;
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6> product = Eigen::MatrixXd::Zero(height, dim);
      for (const Coupling& c : couplings[b]) {
        const std::uint32_t width = p.blocks[c.block].dim;
        product += Eigen::Map<const Eigen::MatrixXd>(values.data() + c.value, height, width)
                       .lazyProduct(x.middleRows(joints_->first_row(c.block) - first, width));
      }
      if (a == b) product = (0.5 * (product + product.transpose())).eval();
      w.entry(row, static_cast<std::size_t>(w.find(row, column))) -= product;
      if (a != b) w.entry(column, static_cast<std::size_t>(w.find(column, row))) -= product.transpose();
    }
  }
}

bool Condensation::build() {
  const ContactProblem& p = *problem_;
  condensed_.clear();
  BlockMatrix& w = condensed_.matrix;
  std::uint32_t row = 0;
  w.first.push_back(0);
  std::vector<std::uint32_t> list;
  for (std::uint32_t c = 0; c < blocks_.size(); ++c) {
    const Block& whole = p.blocks[blocks_[c]];
    w.offset.push_back(row);
    couple(c, list);
    for (const std::uint32_t d : list) {
      const std::uint32_t columns = p.blocks[blocks_[d]].dim;
      w.column.push_back(d);
      w.position.push_back(static_cast<std::uint32_t>(w.values.size()));
      w.values.resize(w.values.size() + whole.dim * columns, 0.0);
      products_->add(blocks_[c], blocks_[d], w.values.data() + w.position.back(), whole.dim);
    }
    w.first.push_back(static_cast<std::uint32_t>(w.column.size()));
    condensed_.blocks.push_back({whole.kind, whole.dim, 0, row, 0, 0, {}});
    condensed_.laws.push_back(p.laws[blocks_[c]]);
    row += whole.dim;
  }
  w.offset.push_back(row);

  condensed_.sigma.resize(row);
  if (!p.lower.empty()) {
    condensed_.lower.resize(row);
    condensed_.upper.resize(row);
    restrict_to(p.lower, condensed_.lower);
    restrict_to(p.upper, condensed_.upper);
  }
  restrict_to(p.sigma, condensed_.sigma);
  diagonal_.resize(row);
  for (std::uint32_t c = 0; c < blocks_.size(); ++c)
    Eigen::Map<Eigen::VectorXd>(diagonal_.data() + w.offset[c], w.dim(c)) =
        w.entry(c, static_cast<std::size_t>(w.find(c, c))).diagonal();
  for (std::size_t m = 0; m < members_.size(); ++m) subtract_mechanism(m);
  for (std::uint32_t c = 0; c < blocks_.size(); ++c) {
    auto own = w.entry(c, static_cast<std::size_t>(w.find(c, c)));
    for (std::uint32_t k = 0; k < w.dim(c); ++k)
      if (const double before = diagonal_[w.offset[c] + k]; !(own(k, k) > kHeldFast * before)) own(k, k) = before;
  }

  // b_c is the velocity of C when joints alone act.
  condensed_.b.assign(row, 0.0);
  expand(condensed_.b);
  p.contact_velocity(full_, v_, segment_);
  restrict_to(v_, condensed_.b);
  condensed_.h = p.h;
  for (const std::vector<double>* numbers : {&w.values, &condensed_.b})
    if (!std::all_of(numbers->begin(), numbers->end(), [](double x) { return std::isfinite(x); })) return false;
  condensed_.finalize();
  return true;
}

void Condensation::restrict_to(std::span<const double> impulses, std::span<double> condensed) const {
  for (std::uint32_t c = 0; c < blocks_.size(); ++c) {
    const Block& whole = problem_->blocks[blocks_[c]];
    std::copy_n(impulses.begin() + whole.row, whole.dim, condensed.begin() + condensed_.matrix.offset[c]);
  }
}

std::span<const double> Condensation::expand(std::span<const double> condensed) {
  const ContactProblem& p = *problem_;
  full_.assign(p.rows(), 0.0);
  v_.resize(p.rows());
  for (std::uint32_t c = 0; c < blocks_.size(); ++c) {
    const Block& whole = p.blocks[blocks_[c]];
    std::copy_n(condensed.begin() + condensed_.matrix.offset[c], whole.dim, full_.begin() + whole.row);
  }
  p.contact_velocity(full_, v_, segment_);
  const std::span<const std::uint32_t> rows = joints_->problem_rows();
  right_.resize(rows.size());
  joint_.resize(rows.size());
  remaining_.resize(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) right_[k] = -v_[rows[k]];
  joints_->solve(right_, joint_, remaining_);
  for (std::size_t k = 0; k < rows.size(); ++k) full_[rows[k]] = joint_[k];
  return full_;
}

}   // namespace stickslip
