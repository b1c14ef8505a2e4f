// GMRES against dense factors, and what the method promises in exact arithmetic.
#include "stickslip/math/gmres.h"

#include <gtest/gtest.h>
#include <Eigen/LU>

namespace stickslip {
namespace {

struct Equation {
  Eigen::MatrixXd a;
  Eigen::VectorXd b, x;
  Gmres gmres;

  bool solve(const Gmres::Limits& limits) {
    x.resize(b.size());
    return gmres.solve({b.data(), static_cast<std::size_t>(b.size())}, {x.data(), static_cast<std::size_t>(x.size())}, limits,
                       [this](const double* from, double* to) {
                         Eigen::Map<Eigen::VectorXd>(to, a.rows()) = a * Eigen::Map<const Eigen::VectorXd>(from, a.rows());
                         return true;
                       });
  }
  double left() const { return (b - a * x).norm() / b.norm(); }
};

Equation random_equation(int n) {
  std::srand(7);
  Equation e;
  e.a = 4 * std::sqrt(n) * Eigen::MatrixXd::Identity(n, n) + Eigen::MatrixXd::Random(n, n) * 3;
  e.b = Eigen::VectorXd::Random(n);
  return e;
}

TEST(Gmres, agrees_with_dense_factors_with_and_without_restarts) {
  Equation e = random_equation(60);
  const Eigen::VectorXd exact = e.a.partialPivLu().solve(e.b);
  for (const int directions : {60, 5, 2}) {
    ASSERT_TRUE(e.solve({.products = 500, .tolerance = 1e-12, .directions = directions})) << directions;
    EXPECT_LT((e.x - exact).norm(), 1e-11 * exact.norm()) << directions;
  }
}

TEST(Gmres, leaves_the_smallest_residual_of_its_space_when_products_run_out) {
  Equation e = random_equation(30);
  const int k = 6;
  EXPECT_FALSE(e.solve({.products = k, .tolerance = 1e-14}));
  EXPECT_EQ(e.gmres.products(), k);
  Eigen::MatrixXd images(30, k);   // of the space: A b, A² b, …
  Eigen::VectorXd power = e.b;
  for (int i = 0; i < k; ++i) images.col(i) = power = (e.a * power).normalized();
  const Eigen::VectorXd best = images * (images.transpose() * images).fullPivLu().solve(images.transpose() * e.b);
  EXPECT_NEAR(e.left(), (e.b - best).norm() / e.b.norm(), 1e-10);
}

TEST(Gmres, needs_as_many_products_as_the_matrix_has_eigenvalues) {
  Equation e = random_equation(40);
  e.a.setIdentity();
  e.a.diagonal().head(10).setConstant(3);
  e.a.diagonal().tail(10).setConstant(-2);
  ASSERT_TRUE(e.solve({.products = 40, .tolerance = 1e-13}));
  EXPECT_EQ(e.gmres.products(), 3);
}

TEST(Gmres, says_so_where_there_is_no_solution_and_where_a_product_fails) {
  Equation e = random_equation(3);
  e.a = Eigen::Vector3d(1, 2, 0).asDiagonal();
  EXPECT_FALSE(e.solve({.products = 20, .tolerance = 1e-8}));
  EXPECT_TRUE(e.x.allFinite());
  e.a(0, 0) = NAN;
  EXPECT_FALSE(e.solve({.products = 20, .tolerance = 1e-8}));
  EXPECT_EQ(e.x, Eigen::VectorXd::Zero(3));
  e.b.setZero();
  EXPECT_TRUE(e.solve({}));
}

}   // namespace
}   // namespace stickslip
