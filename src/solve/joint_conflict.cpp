#include "solve/joint_conflict.h"

#include <algorithm>
#include <cmath>

#include "solve/joints/joint_system.h"

namespace stickslip {

std::vector<std::uint32_t> contradicting_blocks(const ContactProblem& p, std::span<const double> impulses, double tolerance) {
  BlockProducts products;
  JointSystem joints;
  if (std::none_of(p.batches.begin(), p.batches.end(), [](const Batch& b) { return b.kind == BlockKind::bilateral; })) return {};
  products.setup(p);
  if (!joints.setup(p, products)) return {};
  // Impulses move v_J within the range of W_JJ only: what remains is the same for all of them.
  std::vector<double> v(p.rows()), segment, right, solution(joints.rows()), remaining(joints.rows());
  p.contact_velocity(impulses, v, segment);
  for (const std::uint32_t row : joints.problem_rows()) right.push_back(-v[row]);
  if (!std::all_of(right.begin(), right.end(), [](double x) { return std::isfinite(x); })) return {};
  joints.solve(right, solution, remaining);
  const std::vector<double> contradiction = joints.contradiction(remaining);
  double largest = 0;
  for (const double r : contradiction) largest = std::max(largest, std::abs(r));
  std::vector<std::uint32_t> blocks;
  if (!(largest > tolerance)) return blocks;
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i) {
    if (p.blocks[i].kind != BlockKind::bilateral) continue;
    double part = 0;
    for (std::uint32_t k = 0; k < p.blocks[i].dim; ++k) part = std::max(part, std::abs(contradiction[joints.first_row(i) + k]));
    if (part >= 0.1 * largest) blocks.push_back(i);
  }
  return blocks;
}

}  // namespace stickslip
