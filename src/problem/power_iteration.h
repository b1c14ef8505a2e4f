// How large W is, by products with it.
#pragma once

#include <algorithm>
#include <cmath>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// The largest eigenvalue of W − shift I by size, from below [1/kg]. @param x, product, segment scratch
inline double power_iteration(const ContactProblem& p, double shift, int steps, std::vector<double>& x,
                              std::vector<double>& product, std::vector<double>& segment) {
  double largest = 0;
  x.resize(p.rows());
  product.resize(p.rows());
  for (std::size_t k = 0; k < p.rows(); ++k) x[k] = std::fmod(0.6180339887498949 * (static_cast<double>(k) + 1), 1.0) - 0.5;
  for (int i = 0; i < steps; ++i) {
    Eigen::Map<Eigen::VectorXd> direction(x.data(), static_cast<Eigen::Index>(x.size()));
    if (!(direction.norm() > 0)) break;
    direction.normalize();
    p.contact_velocity(x, product, segment);
    for (std::size_t k = 0; k < p.rows(); ++k) x[k] = product[k] - p.b[k] - shift * x[k];
    largest = std::max(largest, direction.norm());
  }
  return largest;
}

}   // namespace stickslip
