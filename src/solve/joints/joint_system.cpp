#include "solve/joints/joint_system.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double kRegularisation = 1e-10;      ///< ε: far above rounding, far below the softest motion of a mechanism
constexpr double kLoopRegularisation = 1e-8;   ///< ε of mechanisms that are held too often: joints 1e-4 of their size off
constexpr std::size_t kSmall = 48;             ///< rows up to which a mechanism is factored as a dense matrix
constexpr int kRefinements = 12;               ///< at most; two or three are usual
constexpr int kQuickRefinements = 4;           ///< of columns of W_JJ⁺ W_JC

double largest(const double* x, std::size_t n) {
  double value = 0;
  for (std::size_t k = 0; k < n; ++k) value = std::max(value, std::abs(x[k]));
  return value;
}

}   // namespace

void JointSystem::find_mechanisms(const ContactProblem& p, const BlockProducts& products) {
  const auto blocks = static_cast<std::uint32_t>(p.blocks.size());
  // Joints are united through the bodies they act on, or where W is a matrix, with the joints they are coupled to.
  together_.begin(p.is_factored() ? p.segments.size() : blocks);
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const Block& b = p.blocks[i];
    if (b.kind != BlockKind::bilateral) continue;
    for (const std::uint32_t s : p.segments_of(b)) together_.join(p.segments_of(b)[0], s);
    if (p.is_factored()) continue;
    products.neighbours(i, list);
    for (const std::uint32_t j : list)
      if (p.blocks[j].kind == BlockKind::bilateral) together_.join(i, j);
  }
  of_block_.assign(blocks, kNone);
  row_of_block_.assign(blocks, kNone);
  row_.clear();
  std::vector<std::uint32_t> number(together_.size(), kNone);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const Block& b = p.blocks[i];
    if (b.kind != BlockKind::bilateral) continue;
    std::uint32_t& mine = number[together_.root(p.is_factored() ? p.segments_of(b)[0] : i)];
    if (mine == kNone) {
      mine = count++;
      if (mechanism_.size() < count) mechanism_.emplace_back();
      mechanism_[mine].blocks.clear();
      mechanism_[mine].rows = 0;
    }
    of_block_[i] = mine;
    mechanism_[mine].blocks.push_back(i);
    mechanism_[mine].rows += b.dim;
  }
  mechanism_.resize(count);
  for (Mechanism& m : mechanism_) {
    m.first = row_.size();
    for (const std::uint32_t i : m.blocks) {
      row_of_block_[i] = static_cast<std::uint32_t>(row_.size());
      for (std::uint32_t k = 0; k < p.blocks[i].dim; ++k) row_.push_back(p.blocks[i].row + k);
    }
  }
}

void JointSystem::assemble_dense(const ContactProblem& p, const BlockProducts& products, Mechanism& m) const {
  const auto n = static_cast<Eigen::Index>(m.rows);
  m.matrix.setZero(n, n);
  std::vector<std::uint32_t> list;
  for (const std::uint32_t j : m.blocks) {
    const std::size_t column = row_of_block_[j] - m.first;
    products.neighbours(j, list);
    for (const std::uint32_t i : list)
      if (i >= j && p.blocks[i].kind == BlockKind::bilateral)
        products.add(i, j, m.matrix.data() + column * m.rows + (row_of_block_[i] - m.first), m.rows);
    for (std::uint32_t k = 0; k < p.blocks[j].dim; ++k)
      m.matrix.data()[(column + k) * (m.rows + 1)] += p.sigma[p.blocks[j].row + k];
  }
  m.matrix.triangularView<Eigen::StrictlyUpper>() = m.matrix.transpose();
}

void JointSystem::assemble_sparse(const ContactProblem& p, const BlockProducts& products, Mechanism& m) const {
  const auto n = static_cast<Eigen::Index>(m.rows);
  m.sparse.resize(n, n);
  m.sparse.reserve(static_cast<Eigen::Index>(12 * m.rows));
  std::vector<std::uint32_t> list;
  std::vector<double> panel;
  // Blocks of a mechanism are numbered in the order of the problem: the later ones are the lower triangle.
  for (const std::uint32_t j : m.blocks) {
    const std::size_t columns = p.blocks[j].dim;
    products.neighbours(j, list);
    std::erase_if(list, [&](std::uint32_t i) { return i < j || p.blocks[i].kind != BlockKind::bilateral; });
    std::size_t height = 0;
    for (const std::uint32_t i : list) height += p.blocks[i].dim;
    panel.assign(height * columns, 0.0);
    std::size_t at = 0;
    for (const std::uint32_t i : list) {
      products.add(i, j, panel.data() + at, height);
      at += p.blocks[i].dim;
    }
    for (std::size_t c = 0; c < columns; ++c) {
      const auto column = static_cast<Eigen::Index>(row_of_block_[j] - m.first + c);
      m.sparse.startVec(column);
      const double* value = panel.data() + height * c;
      for (const std::uint32_t i : list)
        for (std::uint32_t r = 0; r < p.blocks[i].dim; ++r, ++value) {
          if (i == j && r < c) continue;
          const bool diagonal = i == j && r == c;
          m.sparse.insertBack(static_cast<Eigen::Index>(row_of_block_[i] - m.first + r), column) =
              *value + (diagonal ? p.sigma[p.blocks[j].row + r] : 0.0);
        }
    }
  }
  m.sparse.finalize();
}

bool JointSystem::factor(Mechanism& m) {
  const std::size_t n = m.rows;
  const auto size = static_cast<double>(n);
  m.regularisation.resize(n);
  const auto diagonal = [&](std::size_t k) -> double& {
    return m.dense ? m.matrix.data()[k * (n + 1)] : m.sparse.valuePtr()[m.sparse.outerIndexPtr()[k]];
  };
  double mean = 0;
  for (std::size_t k = 0; k < n; ++k) mean += diagonal(k) / size;
  const double epsilon = m.over_held ? kLoopRegularisation : kRegularisation;
  for (std::size_t k = 0; k < n; ++k) {
    const bool acts = diagonal(k) > 1e-3 * kRegularisation * mean;
    m.regularisation[k] = epsilon * (acts ? diagonal(k) : mean > 0 ? mean : 1.0);
  }
  if (m.dense) {
    m.factor = m.matrix;
    for (std::size_t k = 0; k < n; ++k) m.factor.data()[k * (n + 1)] += m.regularisation[k];
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(m.factor);
    return llt.info() == Eigen::Success;
  }
  if (!same_pattern(m.sparse, m.ordered)) {
    m.cholesky.analyze(m.sparse, true);
    m.ordered = m.sparse;
  }
  for (std::size_t k = 0; k < n; ++k) diagonal(k) += m.regularisation[k];
  if (!m.cholesky.factor(m.sparse)) return false;
  return true;
}

bool JointSystem::is_over_held(const ContactProblem& p, const Mechanism& m) {
  if (!p.is_factored()) return false;
  std::vector<std::uint32_t> segments;
  std::size_t rigid = 0;
  for (const std::uint32_t i : m.blocks) {
    const Block& b = p.blocks[i];
    segments.insert(segments.end(), p.segments_of(b).begin(), p.segments_of(b).end());
    for (std::uint32_t k = 0; k < b.dim; ++k) rigid += p.sigma[b.row + k] == 0;
  }
  std::sort(segments.begin(), segments.end());
  segments.erase(std::unique(segments.begin(), segments.end()), segments.end());
  std::size_t freedoms = 0;
  for (const std::uint32_t s : segments) freedoms += p.segments[s].size;
  return rigid > freedoms;
}

bool JointSystem::setup(const ContactProblem& p, const BlockProducts& products) {
  if (!p.is_factored() && !p.matrix.is_symmetric()) return false;
  find_mechanisms(p, products);
  std::size_t most = 0;
  for (Mechanism& m : mechanism_) {
    m.dense = m.rows <= kSmall;
    m.over_held = is_over_held(p, m);
    if (m.dense) assemble_dense(p, products, m);
    else assemble_sparse(p, products, m);
    if (!factor(m)) return false;
    most = std::max(most, m.rows);
  }
  step_.resize(most);
  image_.resize(most);
  return true;
}

double JointSystem::solve_work(std::size_t mechanism) const {
  const Mechanism& m = mechanism_[mechanism];
  return m.dense ? 2.0 * static_cast<double>(m.rows * m.rows) : m.cholesky.solve_work();
}

void JointSystem::divide(Mechanism& m, const double* right, double* x) const {
  if (!m.dense) {
    m.cholesky.solve(right, x);
    return;
  }
  const auto n = static_cast<Eigen::Index>(m.rows);
  Eigen::Map<Eigen::VectorXd> solution(x, n);
  solution = Eigen::Map<const Eigen::VectorXd>(right, n);
  m.factor.triangularView<Eigen::Lower>().solveInPlace(solution);
  m.factor.triangularView<Eigen::Lower>().transpose().solveInPlace(solution);
}

void JointSystem::multiply(const Mechanism& m, const double* x, double* y) const {
  if (m.dense) {
    const auto n = static_cast<Eigen::Index>(m.rows);
    Eigen::Map<Eigen::VectorXd>(y, n).noalias() = m.matrix * Eigen::Map<const Eigen::VectorXd>(x, n);
    return;
  }
  for (std::size_t k = 0; k < m.rows; ++k) y[k] = -m.regularisation[k] * x[k];
  const int *start = m.sparse.outerIndexPtr(), *row = m.sparse.innerIndexPtr();
  const double* value = m.sparse.valuePtr();
  for (std::size_t c = 0; c < m.rows; ++c) {
    y[c] += value[start[c]] * x[c];
    double sum = 0;
    for (int e = start[c] + 1; e < start[c + 1]; ++e) {
      y[row[e]] += value[e] * x[c];
      sum += value[e] * x[row[e]];
    }
    y[c] += sum;
  }
}

void JointSystem::solve(std::size_t mechanism, const double* right, double* x, double* remaining) {
  Mechanism& m = mechanism_[mechanism];
  const std::size_t n = m.rows;
  std::fill_n(x, n, 0.0);
  std::copy_n(right, n, remaining);
  double before = largest(remaining, n);
  const double enough = 1e-15 * before;
  for (int k = 0; k < kRefinements && before > enough; ++k) {
    divide(m, remaining, step_.data());
    multiply(m, step_.data(), image_.data());
    divide(m, image_.data(), step_.data());
    multiply(m, step_.data(), image_.data());
    for (std::size_t i = 0; i < n; ++i) image_[i] = remaining[i] - image_[i];
    const double now = largest(image_.data(), n);
    // Where the rows contradict each other the largest number may rise while the
    // sum of squares falls: the first steps are always taken.
    if (!(now < before) && k > 1) break;
    for (std::size_t i = 0; i < n; ++i) x[i] += step_[i];
    std::copy_n(image_.begin(), n, remaining);
    if (now > 0.5 * before && k > 0) break;
    before = now;
  }
}

void JointSystem::solve(std::span<const double> right, std::span<double> x, std::span<double> remaining) {
  for (std::size_t k = 0; k < mechanism_.size(); ++k) {
    const std::size_t at = mechanism_[k].first;
    solve(k, right.data() + at, x.data() + at, remaining.data() + at);
  }
}

std::vector<double> JointSystem::contradiction(std::span<const double> remaining) {
  std::vector<double> x(remaining.size()), rest(remaining.size());
  solve(remaining, x, rest);
  for (const Mechanism& m : mechanism_)
    if (largest(rest.data() + m.first, m.rows) < 0.9 * largest(remaining.data() + m.first, m.rows))
      std::fill_n(rest.data() + m.first, m.rows, 0.0);
  return rest;
}

void JointSystem::step(std::size_t mechanism, const double* right, double* d) {
  Mechanism& m = mechanism_[mechanism];
  divide(m, right, d);
  multiply(m, d, image_.data());
  divide(m, image_.data(), d);
}

void JointSystem::solve_quickly(std::size_t mechanism, const double* right, double* x) {
  Mechanism& m = mechanism_[mechanism];
  if (m.over_held) {
    quick_.resize(m.rows);
    solve(mechanism, right, x, quick_.data());
    return;
  }
  divide(m, right, x);
  double before = largest(right, m.rows);
  const double enough = 1e-14 * before;
  for (int k = 0; k < kQuickRefinements; ++k) {
    multiply(m, x, image_.data());
    for (std::size_t i = 0; i < m.rows; ++i) image_[i] = right[i] - image_[i];
    const double now = largest(image_.data(), m.rows);
    if (!(now > enough && now < 0.1 * before)) break;
    before = now;
    divide(m, image_.data(), step_.data());
    for (std::size_t i = 0; i < m.rows; ++i) x[i] += step_[i];
  }
}

}   // namespace stickslip
