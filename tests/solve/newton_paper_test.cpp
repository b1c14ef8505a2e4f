// The Fischer–Newton method and PGS-SM of the thesis against dense versions written down from its text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../error_message.h"
#include "iterates.h"
#include "stacks.h"

namespace stickslip::newton_paper_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The boxed model of contacts with three rows, as the thesis writes it.
struct DenseThesis {
  MatrixXd a;
  VectorXd b;
  double mu;
  bool fischer = true;

  static double phi(double x, double y) { return std::sqrt(x * x + y * y) - x - y; }
  static double by_first(double x, double y) {
    const double size = std::sqrt(x * x + y * y);
    return size > 0 ? x / size - 1 : std::sqrt(0.5) - 1;
  }

  /// Φ, with friction rows held if asked for, and its Jacobian, row by row.
  VectorXd evaluate(const VectorXd& x, bool friction, MatrixXd* h) const {
    const VectorXd y = a * x + b;
    VectorXd value = VectorXd::Zero(x.size());
    if (h != nullptr) h->setZero(x.size(), x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const Eigen::Index n = i - i % 3;
      VectorXd unit = VectorXd::Zero(x.size()), normal = unit;
      unit[i] = 1;
      normal[n] = mu;
      VectorXd row;
      if (i != n && !friction) {
        row = -unit;
      } else if (fischer && i == n) {
        value[i] = phi(x[i], y[i]);
        row = by_first(x[i], y[i]) * unit + by_first(y[i], x[i]) * a.row(i).transpose();
      } else if (fischer) {
        const double low = x[i] + mu * x[n], high = mu * x[n] - x[i], inner = phi(-y[i], high);
        value[i] = phi(low, inner);
        const VectorXd inner_row = -by_first(-y[i], high) * a.row(i).transpose() + by_first(high, -y[i]) * (normal - unit);
        row = by_first(low, inner) * (unit + normal) + by_first(inner, low) * inner_row;
      } else {
        // min(λ − l, −min(−y, u − λ)), and the piece that it is.
        const double low = i == n ? x[i] : x[i] + mu * x[n];
        const double high = i == n ? std::numeric_limits<double>::infinity() : mu * x[n] - x[i];
        const bool slips = -y[i] < high;
        const double inner = slips ? -y[i] : high;
        value[i] = std::min(low, -inner);
        if (low < -inner) row = i == n ? unit : VectorXd(unit + normal);
        else row = slips ? VectorXd(a.row(i).transpose()) : VectorXd(unit - normal);
      }
      if (h != nullptr) h->row(i) = row;
    }
    return value;
  }

  /// The quasi Fletcher–Reeves method on H Δ = −Φ with products by finite differences.
  VectorXd quasi_fletcher_reeves(const VectorXd& x, bool friction, double difference, int most) const {
    const VectorXd at = evaluate(x, friction, nullptr);
    VectorXd r = at, p = -r, delta = VectorXd::Zero(x.size()), best = delta;
    double smallest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most && r.squaredNorm() > 1e-16 * at.squaredNorm(); ++k) {
      const double h = difference * (1 + x.lpNorm<Eigen::Infinity>()) / p.lpNorm<Eigen::Infinity>();
      const VectorXd product = (evaluate(x + h * p, friction, nullptr) - at) / h;
      const double alpha = r.squaredNorm() / p.dot(product), before = r.squaredNorm();
      delta += alpha * p;
      r += alpha * product;
      if (r.squaredNorm() < smallest) {
        smallest = r.squaredNorm();
        best = delta;
      }
      p = -r + r.squaredNorm() / before * p;
    }
    return best;
  }

  /// Newton's method with the Armijo rule (38). @param differences by how many products; 0: exact steps
  std::vector<VectorXd> run(int steps, int held, int differences, bool search) const {
    VectorXd x = VectorXd::Zero(b.size());
    std::vector<VectorXd> all = {x};
    for (int k = 0; k < steps; ++k) {
      const bool friction = k >= held;
      MatrixXd h;
      const VectorXd value = evaluate(x, friction, &h);
      const double psi = 0.5 * value.squaredNorm();
      const VectorXd delta =
          differences > 0 ? quasi_fletcher_reeves(x, friction, 1e-5, differences) : VectorXd(-h.lu().solve(value));
      double alpha = 1;
      while (search && 0.5 * evaluate(x + alpha * delta, friction, nullptr).squaredNorm() > (1 - 2 * alpha * 1e-4) * psi)
        alpha /= 2;
      x += alpha * delta;
      all.push_back(x);
    }
    return all;
  }
};

/// Two contacts that know of each other, one sliding: W is regular.
ContactProblem two_contacts() {
  MatrixXd w = MatrixXd::Identity(6, 6);
  w.diagonal() << 1, 1.2, 0.8, 1.5, 0.9, 1.1;
  w(0, 3) = w(3, 0) = 0.3;
  w(0, 1) = w(1, 0) = w(3, 5) = w(5, 3) = 0.2;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix({0, 3, 6}, entries), BlockKind::contact, CircularFriction{0.4});
  p.b = {-1.0, 1.5, 0.4, -1.2, -0.3, 0.2};
  p.finalize();
  return p;
}

DenseThesis dense(const ContactProblem& p, bool fischer = true) {
  return {delassus(p).dense(), Eigen::Map<const VectorXd>(p.b.data(), static_cast<Eigen::Index>(p.rows())), 0.4, fischer};
}

TEST(NewtonPaper, takes_the_steps_of_the_thesis_on_both_functions) {
  const ContactProblem p = two_contacts();
  for (const bool fischer : {true, false})
    for (const bool search : {true, false})
      for (const int held : {0, fischer ? 2 : 1}) {
        const OptionList options = {{"function", std::string(fischer ? "fischer" : "min-map")},
                                    {"linear", std::string("direct")},
                                    {"line_search", std::string(search ? "armijo" : "none")},
                                    {"staggered", held > 0},
                                    {"staggered_tolerance", 0.0},
                                    {"staggered_steps", static_cast<double>(held)}};
        const auto expected = dense(p, fischer).run(4, held, 0, search);
        const std::string what = fmt::format("{} search {} held {}", fischer ? "fischer" : "min-map", search, held);
        testing::expect_iterates(testing::iterates_of("newton-paper", options, p, 4), expected, what, 3);
      }
}

TEST(NewtonPaper, takes_the_steps_of_the_quasi_fletcher_reeves_method_by_differences) {
  const ContactProblem p = two_contacts();
  // Differences of 1e-5 leave 1e-10 of noise in a product, and an early step little time to magnify it.
  const OptionList options = {{"linear_iterations", 3.0}, {"difference", 1e-5}, {"staggered", false}};
  const auto expected = dense(p).run(5, 0, 3, true);
  const testing::Iterates found = testing::iterates_of("newton-paper", options, p, 5);
  ASSERT_GE(found.impulses.size(), 3u);
  for (std::size_t k = 0; k < found.impulses.size(); ++k) EXPECT_LE((found.impulses[k] - expected[k]).norm(), 1e-6) << k;
  // Products with H itself are other numbers: λ = 0 lies on kinks of Φ, where H is one of many.
  OptionList exact = options;
  exact.emplace_back("linear", std::string("fletcher-reeves"));
  const testing::Iterates other = testing::iterates_of("newton-paper", exact, p, 5);
  EXPECT_GT((other.impulses[1] - found.impulses[1]).norm(), 0);
}

TEST(NewtonPaper, backtracks_as_its_options_say) {
  const ContactProblem p = two_contacts();
  const auto run = [&](double armijo, double halvings, int iterations = 1) {
    return testing::iterates_of(
        "newton-paper", {{"linear", std::string("direct")}, {"staggered", false}, {"armijo", armijo}, {"halvings", halvings}},
        p, iterations);
  };
  // Asked for nearly all of the predicted decrease, a step of Fischer's function must be shorter; without halvings there is
  // none.
  const testing::Iterates easy = run(1e-4, 20), strict = run(0.49, 20), stuck = run(0.49, 0, 3);
  EXPECT_LT(strict.impulses.back().norm(), 0.75 * easy.impulses.back().norm());
  EXPECT_EQ(stuck.report.status, SolveStatus::stalled);
  EXPECT_THAT(std::string(stuck.report.reason), ::testing::HasSubstr("No step length"));
}

TEST(NewtonPaper, solves_the_boxed_model_with_every_linear_solver) {
  const ContactProblem p = two_contacts();
  std::vector<double> reference(6);
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-10;
  make_solver("fischer")->solve(p, reference, workspace, control);
  for (const char* function : {"fischer", "min-map"})
    for (const char* linear : {"direct", "gmres", "fletcher-reeves", "fletcher-reeves-fd"}) {
      std::vector<double> impulses(6);
      control.max_iterations = 500;
      control.merit.function = Merit::fischer;
      control.keep_history = true;
      const SolveReport r = make_solver("newton-paper", {{"function", std::string(function)}, {"linear", std::string(linear)}})
                                ->solve(p, impulses, workspace, control);
      // Conjugate gradients on a matrix that is not symmetric come close, and no nearer.
      const bool sure = linear == std::string("direct") || linear == std::string("gmres");
      EXPECT_LE(r.model_residual, sure ? 1e-8 : 0.1 * r.history.front()) << function << ' ' << linear << ": " << r.reason;
      for (std::size_t i = 0; i < 6 && sure; ++i) EXPECT_NEAR(impulses[i], reference[i], 1e-6) << function << ' ' << linear;
      EXPECT_GT(r.cost, 2 * r.iterations) << "a step costs more than two sweeps";
    }
}

TEST(NewtonPaper, lowers_the_merit_with_every_step_of_the_armijo_rule) {
  const ContactProblem p = two_contacts();
  for (const char* linear : {"direct", "fletcher-reeves-fd"}) {
    std::vector<double> impulses(p.rows());
    Workspace workspace;
    SolveControl control;
    control.tolerance = -1;
    control.max_iterations = 12;
    control.merit.function = Merit::fischer;
    control.keep_history = true;
    const OptionList options = {{"staggered", false}, {"linear", std::string(linear)}};
    const auto falling = make_solver("newton-paper", options)->solve(p, impulses, workspace, control).merit_history;
    ASSERT_GT(falling.size(), 2u) << linear;
    for (std::size_t k = 1; k < falling.size() && falling[k - 1].total > 1e-25; ++k)
      EXPECT_LT(falling[k].total, falling[k - 1].total) << linear << ' ' << k;
  }
}

TEST(NewtonPaper, counts_and_charges_the_sweeps_of_its_start) {
  const ContactProblem p = two_contacts();
  const testing::Iterates pgs = testing::iterates_of("pgs", {}, p, 3);
  const testing::Iterates found =
      testing::iterates_of("newton-paper", {{"sweeps", 3.0}, {"linear", std::string("direct")}}, p, 4);
  for (std::size_t k = 0; k <= 3; ++k) EXPECT_EQ(found.impulses[k], pgs.impulses[k]) << k;
  EXPECT_EQ(found.report.iterations, 4);
  EXPECT_GT(found.report.cost, 3 + 2);
  // Those of the others are charged too.
  for (const char* name : {"fischer", "min-map"}) {
    const double with = testing::iterates_of(name, {{"sweeps", 10.0}, {"staggered", 0.0}}, p, 1).report.cost;
    const double without = testing::iterates_of(name, {{"sweeps", 0.0}, {"staggered", 0.0}}, p, 1).report.cost;
    EXPECT_NEAR(with - without, 10, 1e-9) << name;
    EXPECT_THAT(testing::iterates_of(name, {}, p, 1).report.notes, ::testing::HasSubstr("10 sweeps first."));
  }
}

TEST(BoxedNewton, takes_the_monotone_rule_if_asked_to) {
  // From zero the first step to a reference is nearly free; held to the merit before, it is a shorter one.
  const ContactProblem p = testing::two_box_stack(2, 10, 0.5);
  int different = 0;
  for (const char* name : {"fischer", "min-map"}) {
    const OptionList free = {{"sweeps", 0.0}, {"staggered", 0.0}};
    OptionList held = free;
    held.emplace_back("line_search", std::string("armijo"));
    const auto one = testing::iterates_of(name, free, p, 10), other = testing::iterates_of(name, held, p, 10);
    for (std::size_t k = 0; k < std::min(one.impulses.size(), other.impulses.size()); ++k)
      different += one.impulses[k] != other.impulses[k];
  }
  EXPECT_GT(different, 0);
}

/// PGS-SM of contacts with three rows [thesis C §4.3], the reduced problem solved by CG or exactly.
std::vector<VectorXd> dense_subspace(const MatrixXd& w, const VectorXd& b, double mu, int sweeps, int subspace, int rounds,
                                     const VectorXd& gamma, bool lazy) {
  const Eigen::Index n = b.size();
  VectorXd x = VectorXd::Zero(n);
  std::vector<VectorXd> all = {x};
  const auto bound = [&](const VectorXd& at, Eigen::Index i) { return mu * std::max(0.0, at[i - i % 3]); };
  for (int round = 0; round < rounds; ++round) {
    for (int s = 0; s < sweeps; ++s) {
      for (Eigen::Index i = 0; i < n; ++i) {
        const double trial = x[i] - (w.row(i).dot(x) + b[i]) / w(i, i);
        x[i] = i % 3 == 0 ? std::max(0.0, trial) : std::clamp(trial, -bound(x, i), bound(x, i));
      }
      all.push_back(x);
    }
    VectorXd upper(n);
    for (Eigen::Index i = 0; i < n; ++i) upper[i] = i % 3 == 0 ? INFINITY : bound(x, i);
    for (int k = 0; k < subspace; ++k) {
      std::vector<Eigen::Index> free;
      for (Eigen::Index i = 0; i < n; ++i)
        if (x[i] > (i % 3 == 0 ? 0 : -upper[i]) && x[i] < upper[i]) free.push_back(i);
      const MatrixXd reduced = MatrixXd(w(free, free)) + MatrixXd(VectorXd(gamma(free)).asDiagonal());
      VectorXd rest = x;
      for (const Eigen::Index i : free) rest[i] = 0;
      const VectorXd right = -(b + w * rest)(free);
      const VectorXd solved = reduced.ldlt().solve(right);
      x(free) = solved;
      if (!lazy)
        for (Eigen::Index i = 0; i < n; ++i) upper[i] = i % 3 == 0 ? INFINITY : bound(x, i);
      for (Eigen::Index i = 0; i < n; ++i) x[i] = std::min(upper[i], std::max(i % 3 == 0 ? 0.0 : -upper[i], x[i]));
      all.push_back(x);
    }
  }
  return all;
}

TEST(PgsSubspacePaper, takes_the_iterates_of_the_thesis) {
  const ContactProblem p = two_contacts();
  const MatrixXd w = delassus(p).dense();
  const VectorXd b = Eigen::Map<const VectorXd>(p.b.data(), 6);
  for (const char* linear : {"cg", "direct"})
    for (const bool lazy : {false, true})
      for (const char* regularise : {"all", "friction"})
        for (const double gamma : {0.0, 0.3}) {
          VectorXd weights = VectorXd::Constant(6, gamma);
          if (regularise == std::string("friction")) weights[0] = weights[3] = 0;
          const auto expected = dense_subspace(w, b, 0.4, 2, 3, 2, weights, lazy);
          const OptionList options = {{"sweeps", 2.0},
                                      {"subspace", 3.0},
                                      {"linear", std::string(linear)},
                                      {"regularisation", gamma},
                                      {"regularise", std::string(regularise)},
                                      {"bounds", std::string(lazy ? "lazy" : "current")}};
          const std::string what = fmt::format("{} {} {} {}", linear, lazy, regularise, gamma);
          testing::expect_iterates(testing::iterates_of("pgs-sm-paper", options, p, 10), expected, what);
        }
  // The options are worth something only if they change the iterates here.
  const auto last = [&](double gamma, bool friction_only, bool lazy) {
    VectorXd weights = VectorXd::Constant(6, gamma);
    if (friction_only) weights[0] = weights[3] = 0;
    return dense_subspace(w, b, 0.4, 2, 3, 1, weights, lazy).back();
  };
  EXPECT_GT((last(0.3, false, false) - last(0, false, false)).norm(), 1e-3);
  EXPECT_GT((last(0.3, false, false) - last(0.3, true, false)).norm(), 1e-3);
  EXPECT_GT((last(0, false, false) - last(0, false, true)).norm(), 1e-6);
}

TEST(PgsSubspacePaper, ends_conjugate_gradients_where_it_is_told_to) {
  const ContactProblem p = two_contacts();
  const auto after_one_solve = [&](const char* option, double value) {
    return testing::iterates_of("pgs-sm-paper", {{"sweeps", 1.0}, {"subspace", 1.0}, {option, value}}, p, 2);
  };
  const testing::Iterates full = after_one_solve("cg_iterations", 0), one = after_one_solve("cg_iterations", 1),
                          none = after_one_solve("cg_tolerance", 1e9);
  EXPECT_EQ(none.impulses[2], none.impulses[1]) << "nothing to do";
  EXPECT_GT((one.impulses[2] - one.impulses[1]).norm(), 1e-3);
  EXPECT_GT((one.impulses[2] - full.impulses[2]).norm(), 1e-6);
  EXPECT_EQ(one.report.cost, 1 + 2) << "a sweep; the residual and one product";
}

TEST(PgsSubspacePaper, solves_a_stack_whose_free_rows_are_redundant) {
  const ContactProblem p = testing::box_stack(3, 0.5, 0.0);
  for (const char* linear : {"cg", "direct"}) {
    std::vector<double> impulses(p.rows());
    Workspace workspace;
    SolveControl control;
    control.tolerance = 1e-8;
    control.max_iterations = 600;
    const SolveReport r =
        make_solver("pgs-sm-paper", {{"linear", std::string(linear)}})->solve(p, impulses, workspace, control);
    EXPECT_LE(r.model_residual, 1e-8) << linear << ": " << r.reason;
    EXPECT_GE(r.cost, r.iterations) << linear;
  }
}

TEST(NewtonPaper, refuses_options_that_make_no_sense) {
  const auto message = [](const char* name, const char* option, OptionValue value) {
    return testing::message_of([&] { make_solver(name, {{option, value}}); });
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message("newton-paper", "function", std::string("fisher")), HasSubstr("Did you mean 'fischer'?"));
  EXPECT_THAT(message("newton-paper", "linear", std::string("cg")), HasSubstr("/linear: There is no linear 'cg' here."));
  EXPECT_THAT(message("newton-paper", "armijo", 0.7), HasSubstr("/armijo: 0.7"));
  EXPECT_THAT(message("newton-paper", "difference", 0.0), HasSubstr("/difference: 0"));
  EXPECT_THAT(message("newton-paper", "sweeps", -1.0), HasSubstr("/sweeps: -1"));
  EXPECT_THAT(message("pgs-sm-paper", "sweeps", 0.0), HasSubstr("/sweeps: 0"));
  EXPECT_THAT(message("pgs-sm-paper", "bounds", std::string("lasy")), HasSubstr("Did you mean 'lazy'?"));
  EXPECT_THAT(message("pgs-sm-paper", "regularisation", -1.0), HasSubstr("/regularisation: -1"));
  EXPECT_THAT(message("fischer", "line_search", std::string("wolfe")), HasSubstr("/line_search"));
}

}   // namespace
}   // namespace stickslip::newton_paper_test
