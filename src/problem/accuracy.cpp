#include "stickslip/problem/accuracy.h"

#include <limits>

#include "problem/power_iteration.h"

namespace stickslip {

double rounding_bound(const ContactProblem& p, std::span<const double> impulses) {
  constexpr int kProducts = 20;   // the largest eigenvalue of many contacts is known to some percent by then
  std::vector<double> x, product, segment;
  const Eigen::Map<const Eigen::VectorXd> all(impulses.data(), static_cast<Eigen::Index>(impulses.size()));
  return std::numeric_limits<double>::epsilon() * power_iteration(p, 0, kProducts, x, product, segment) * all.norm();
}

}   // namespace stickslip
