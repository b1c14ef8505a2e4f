// One contact with any friction set, solved exactly while the others stand still.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numbers>
#include <random>

#include "../friction/sample_sets.h"
#include "../problem/small_problems.h"
#include "solve/exact/exact_sweep.h"
#include "stickslip/solve/registry.h"

namespace stickslip::local_set_test {
namespace {

using testing::for_all_sets;
using testing::Largest;

template <int Size>
using Square = Eigen::Matrix<double, Size, Size>;
template <int Size>
using Column = Eigen::Matrix<double, Size, 1>;

/// Random matrices and velocities of one contact.
template <int Size>
class Contacts {
 public:
  explicit Contacts(unsigned seed) : random_(seed) {}

  double number() { return normal_(random_); }
  Column<Size> column() {
    Column<Size> x;
    for (double& number : x) number = normal_(random_);
    return x;
  }
  /// G Gᵀ with rows of very different lengths, and normal and friction rows that are nearly parallel now and then: strong
  /// coupling.
  Square<Size> definite() {
    Square<Size> g;
    for (double& x : g.reshaped()) x = normal_(random_);
    if (random_() % 2 == 0) g.row(Size - 1) = 3 * g.row(0) + 0.1 * g.row(Size - 1);
    for (int i = 0; i < Size; ++i) g.row(i) *= std::exp(0.7 * number());
    return g * g.transpose();
  }
  /// The same with friction rows that depend on each other, or are zero.
  Square<Size> semidefinite() {
    Square<Size> g;
    for (double& x : g.reshaped()) x = normal_(random_);
    if (Size == 2 || random_() % 2 == 0) g.row(Size - 1).setZero();
    else g.row(Size - 1) = -2 * g.row(1);
    return g * g.transpose();
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

/// How far λ is from the solution of v = A λ + q with the set, relative to the velocities that take part.
template <int Rows>
double relative_residual(const ConvexSet<Rows>& set, const Square<Rows + 1>& a, const Column<Rows + 1>& q,
                         const Column<Rows + 1>& impulse) {
  const Column<Rows + 1> v = a * impulse + q;
  const Column<Rows> t = impulse.template tail<Rows>(), slip = v.template tail<Rows>();
  const double scale = q.norm() + a.diagonal().cwiseSqrt().norm() * a.diagonal().cwiseSqrt().cwiseProduct(impulse).norm();
  const double friction = std::max(a.diagonal().template tail<Rows>().sum(), 1e-12 * a(0, 0));
  double error = std::max({-v[0], -a(0, 0) * impulse[0], std::min(v[0], a(0, 0) * impulse[0])});
  error = std::max(error, friction * (t - set.project(impulse[0], t)).norm());
  if (a.diagonal().template tail<Rows>().sum() > 0)
    error = std::max(error, friction * (t - set.project(impulse[0], t - slip / friction)).norm());
  return error / scale;
}

/// The law behind the table of functions, with what prepares a block.
template <int Rows>
bool solve_from(const ConvexSet<Rows>& set, const Square<Rows + 1>& a, const Column<Rows + 1>& q, Column<Rows + 1>& impulse) {
  const CustomFriction<Rows> law{std::shared_ptr<const ConvexSet<Rows>>(std::shared_ptr<void>(), &set)};
  Square<Rows + 1> inverse;
  invert_block(Rows + 1, a.data(), inverse.data());
  const double r = 1 / a.diagonal().template tail<Rows>().sum();
  return solve_contact<Rows>(SetView<Rows>(law), {a.data(), inverse.data(), r}, a * impulse + q, impulse);
}

/// Solves many contacts of every set, and counts what became of them.
void solve_many(bool definite, double accuracy) {
  for_all_sets([&]<int Rows>(const ConvexSet<Rows>& set) {
    Contacts<Rows + 1> contacts(11);
    Largest worst;
    int parts = 0, carries = 0;
    for (int n = 0; n < 1500; ++n) {
      const Square<Rows + 1> a = definite ? contacts.definite() : contacts.semidefinite();
      Column<Rows + 1> q = contacts.column(), impulse = n % 3 == 0 ? Column<Rows + 1>::Zero() : contacts.column();
      if (n % 4 != 0) q[0] = -std::abs(q[0]);
      EXPECT_TRUE(solve_from(set, a, q, impulse)) << n;
      worst.add(relative_residual<Rows>(set, a, q, impulse), static_cast<double>(n));
      (impulse[0] == 0 ? parts : carries)++;
    }
    EXPECT_LT(worst.value(), accuracy) << worst.at();
    EXPECT_GT(parts, 50);
    EXPECT_GT(carries, 500);
  });
}

TEST(LocalSet, is_solved_for_any_set_whatever_it_starts_from) { solve_many(true, 1e-10); }

TEST(LocalSet, is_solved_where_friction_rows_depend_on_each_other_or_cannot_move) { solve_many(false, 1e-10); }

TEST(LocalSet, of_a_circle_agrees_with_the_closed_form) {
  Contacts<3> contacts(5);
  Largest worst;
  for (int n = 0; n < 20000; ++n) {
    const double mu = std::abs(contacts.number());
    const testing::Wrapped<CircularFriction> set(CircularFriction{mu});
    const Mat3 a = contacts.definite();
    const Vec3 q = contacts.column();
    Vec3 impulse = contacts.column(), closed = impulse;
    EXPECT_TRUE(solve_from<2>(set, a, q, impulse));
    LocalContact(a.data(), 0).solve(mu, a * closed + q, closed);
    // With strong coupling there may be several solutions: both must be one, and nearly always they are the same.
    worst.add(relative_residual<2>(set, a, q, closed), static_cast<double>(n));
    if ((impulse - closed).norm() > 1e-7 * closed.norm())
      worst.add(relative_residual<2>(set, a, q, impulse), static_cast<double>(n));
  }
  EXPECT_LT(worst.value(), 1e-10) << worst.at();
}

TEST(LocalSet, without_friction_pushes_the_normal_only) {
  Contacts<4> contacts(3);
  const testing::Wrapped<EllipsoidFriction> set(EllipsoidFriction{0, 0, 0});
  for (int n = 0; n < 100; ++n) {
    const Eigen::Matrix4d a = contacts.definite();
    const Vec4 q = contacts.column();
    Vec4 impulse = contacts.column();
    ASSERT_TRUE(solve_from<3>(set, a, q, impulse));
    EXPECT_NEAR(impulse[0], std::max(0.0, -q[0] / a(0, 0)), 1e-12 * q.norm() / a(0, 0));
    EXPECT_EQ(impulse.tail<3>().norm(), 0);
  }
}

TEST(LocalSet, stays_finite_where_nothing_can_move) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    for (const double approach : {-1.0, 0.0, 1.0}) {
      Column<Rows + 1> q = approach * Column<Rows + 1>::Ones(), impulse = Column<Rows + 1>::Ones();
      const bool solved = solve_from<Rows>(set, Square<Rows + 1>::Zero(), q, impulse);
      EXPECT_EQ(solved, approach >= 0);
      EXPECT_TRUE(impulse.allFinite());
    }
  });
}

/// A contact that presses along a force and moves along another: not symmetric. Coulomb's law may then have no solution.
TEST(LocalSet, tells_the_truth_about_matrices_that_are_not_symmetric) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    Contacts<Rows + 1> contacts(23);
    int unsolved = 0;
    for (int n = 0; n < 1000; ++n) {
      Square<Rows + 1> a = contacts.definite(), twist;
      for (double& x : twist.reshaped()) x = contacts.number();
      a += Square<Rows + 1>::Identity() + 0.05 * (twist - twist.transpose());
      const Column<Rows + 1> q = contacts.column();
      Column<Rows + 1> impulse = contacts.column();
      const bool solved = solve_from(set, a, q, impulse);
      const double error = relative_residual<Rows>(set, a, q, impulse);
      EXPECT_TRUE(!solved || error < 1e-10) << n << ": " << error;
      unsolved += !solved;
      EXPECT_TRUE(impulse.allFinite());
    }
    EXPECT_LT(unsolved, 20);
  });
}

/// A box on four contacts that slides and turns, with this law everywhere.
ContactProblem sliding_box(const FrictionSet& law) {
  ContactProblem p = testing::two_box_stack(1, 1, 0.2);
  for (std::size_t i = 0; i < p.blocks.size(); ++i)
    if (p.blocks[i].dim == law_rows(law) + 1) p.laws[i] = law;
  p.b[1] += 0.3;
  p.finalize();
  return p;
}

SolveReport solve(std::string_view name, const ContactProblem& p, const OptionList& options) {
  std::vector<double> impulses(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-10;
  control.max_iterations = 100000;
  control.keep_history = true;   // every sweep is judged
  return make_solver(name, options)->solve(p, impulses, workspace, control);
}

TEST(ExactSweeps, solve_one_contact_in_one_visit_whatever_its_set) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    Contacts<Rows + 1> contacts(31);
    const Square<Rows + 1> w = contacts.definite() + Square<Rows + 1>::Identity();
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i <= Rows; ++i)
      for (int k = 0; k <= Rows; ++k) entries.emplace_back(i, k, w(i, k));
    ContactProblem p =
        matrix_problem(block_matrix({0, Rows + 1}, entries), BlockKind::contact,
                       CustomFriction<Rows>{std::shared_ptr<const ConvexSet<Rows>>(std::shared_ptr<void>(), &set)});
    for (double& b : p.b) b = contacts.number();
    p.b[0] = -1;
    p.finalize();
    const SolveReport report = solve("nsgs", p, {});
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(report.iterations, 1);
  });
}

TEST(ExactSweeps, with_a_proximal_weight_end_at_the_same_fixed_points_more_slowly) {
  for (const FrictionSet& law : {FrictionSet(EllipseFriction{0.6, 0.2}),
                                 FrictionSet(CustomFriction<2>{std::make_shared<PolygonSet>(PolygonSet::regular(0.4, 6))})}) {
    const ContactProblem p = sliding_box(law);
    const SolveReport plain = solve("nsgs", p, {}), heavy = solve("nsgs", p, {{"proximal", 5.0}});
    EXPECT_EQ(plain.status, SolveStatus::converged);
    EXPECT_EQ(heavy.status, SolveStatus::converged);
    EXPECT_GT(heavy.iterations, plain.iterations + plain.iterations / 2);
  }
}

}   // namespace
}   // namespace stickslip::local_set_test
