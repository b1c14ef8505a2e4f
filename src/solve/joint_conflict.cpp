#include "solve/joint_conflict.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

bool JointContradictions::setup(const ContactProblem& p) {
  problem_ = &p;
  const auto is_joint = [](const Batch& b) { return b.kind == BlockKind::bilateral; };
  if (std::none_of(p.batches.begin(), p.batches.end(), is_joint)) return false;
  products_.setup(p);
  return joints_.setup(p, products_);
}

std::vector<double> JointContradictions::of(std::span<const double> v) {
  std::vector<double> result(problem_->rows(), 0.0), right, solution(joints_.rows()), remaining(joints_.rows());
  for (const std::uint32_t row : joints_.problem_rows()) right.push_back(v[row]);
  if (!std::all_of(right.begin(), right.end(), [](double x) { return std::isfinite(x); })) return result;
  joints_.solve(right, solution, remaining);
  const std::vector<double> rest = joints_.contradiction(remaining);
  for (std::size_t k = 0; k < rest.size(); ++k) result[joints_.problem_rows()[k]] = rest[k];
  return result;
}

std::vector<std::uint32_t> contradicting_blocks(const ContactProblem& p, std::span<const double> impulses, double tolerance) {
  JointContradictions contradictions;
  if (!contradictions.setup(p)) return {};
  // Impulses move v_J within the range of W_JJ only: what remains is the same for all of them.
  std::vector<double> v(p.rows()), segment;
  p.contact_velocity(impulses, v, segment);
  const std::vector<double> r = contradictions.of(v);
  double largest = 0;
  for (const double x : r) largest = std::max(largest, std::abs(x));
  std::vector<std::uint32_t> blocks;
  if (!(largest > tolerance)) return blocks;
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i) {
    if (p.blocks[i].kind != BlockKind::bilateral) continue;
    double part = 0;
    for (std::uint32_t k = 0; k < p.blocks[i].dim; ++k) part = std::max(part, std::abs(r[p.blocks[i].row + k]));
    if (part >= 0.1 * largest) blocks.push_back(i);
  }
  return blocks;
}

}   // namespace stickslip
