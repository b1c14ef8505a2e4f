// Joints, motors, limits, soft rows and couplings in every solver of the registry.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../published_methods.h"
#include "joint_solves.h"
#include "stickslip/solve/monitor.h"

namespace stickslip::joints_test {
namespace {

using namespace testing;

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

TEST(Joints, auto_solves_every_mechanism_to_rounding) {
  for (const auto& [name, p] : mechanisms()) {
    std::vector<double> impulses;
    const SolveReport r = solve("auto", p, impulses, 1e-11, 500);
    EXPECT_EQ(r.status, SolveStatus::converged) << name << ": " << r.reason << " " << r.notes;
    EXPECT_NE(r.notes.find("mechanism"), std::string::npos) << name << ": the joints were not factored";
  }
}

/// Solvers whose every iteration is a cheap sweep or gradient step: mass ratios and long chains are not for them.
bool sweeps(const SolverInfo& info) {
  static const std::set<std::string> direct = {"auto",    "alart-curnier", "admm",    "bpp",     "murty",
                                               "dantzig", "lemke",         "min-map", "fischer", "coulomb-newton"};
  return !direct.contains(info.name);
}

TEST(Joints, every_solver_solves_its_model_of_every_mechanism_or_says_that_it_did_not) {
  for (const auto& [name, p] : mechanisms()) {
    std::vector<double> exact;
    ASSERT_EQ(solve("auto", p, exact, 1e-11).status, SolveStatus::converged);
    const Eigen::VectorXd expected = velocity_change(p, exact);
    for (const SolverInfo& info : solvers()) {
      const auto solver = make_solver(info.name);
      std::vector<double> impulses;
      const SolveReport r = solve(*solver, p, impulses);
      const std::string context = fmt::format("{}, {}: {}, {} {} after {}", info.name, name, status_name(r.status),
                                              r.model_residual, r.reason, r.iterations);
      ASSERT_TRUE(all_finite(impulses)) << context;
      if (!solver->cannot_hold(BlockKind::bilateral).empty() || !solver->cannot_hold(BlockKind::box).empty()) {
        EXPECT_EQ(r.status, SolveStatus::unsupported) << context;
        continue;
      }
      ASSERT_NE(r.status, SolveStatus::unsupported) << context;
      if (is_published(info.name)) continue;
      // no coupling between rows within a sweep: slow, and says so
      if (info.name == "jacobi" && r.status == SolveStatus::iteration_limit) {
        EXPECT_LE(r.model_residual, 1e-5) << context;
        continue;
      }
      EXPECT_LE(r.model_residual, 1e-9) << context;
      if (r.status == SolveStatus::converged) {
        EXPECT_LT((velocity_change(p, impulses) - expected).cwiseAbs().maxCoeff(), 1e-6) << context;
      }
    }
  }
}

TEST(Joints, blocked_gauss_seidel_agrees_with_itself_however_it_solves_joints) {
  for (const auto& [name, p] : mechanisms()) {
    std::vector<double> exact;
    solve("auto", p, exact, 1e-11);
    const Eigen::VectorXd expected = velocity_change(p, exact);
    for (const char* joints : {"direct", "pcg", "block"}) {
      std::vector<double> impulses;
      const SolveReport r = solve(*make_solver("bgs", {{"joints", std::string(joints)}, {"sub_solver", std::string("nsgs")}}),
                                  p, impulses, 1e-9, 20000);
      EXPECT_EQ(r.status, SolveStatus::converged) << name << ", " << joints << ": " << r.reason << " " << r.residual.total();
      EXPECT_LT((velocity_change(p, impulses) - expected).cwiseAbs().maxCoeff(), 1e-6) << name << ", " << joints;
    }
  }
}

TEST(Joints, reactions_of_a_hanging_chain_are_the_weights_below_each_link) {
  for (const int links : {1, 7, 200}) {
    const ContactProblem p = testing::hanging_chain(links, 50, 0);
    std::vector<double> impulses;
    ASSERT_EQ(solve("auto", p, impulses).status, SolveStatus::converged);
    for (int i = 0; i < links; ++i) {
      const double weight = 9.81 * p.h * (links > 1 ? links - 1 - i + 50.0 : 50.0);
      EXPECT_NEAR(impulses[3 * i + 2], weight, 1e-10 * weight) << "joint " << i << " of " << links;
      EXPECT_NEAR(impulses[3 * i], 0, 1e-10 * weight);
    }
  }
}

TEST(Joints, a_chain_with_a_weight_of_1000_links_is_no_trouble_for_direct_methods_and_honest_trouble_for_sweeps) {
  const ContactProblem p = testing::hanging_chain(30, 1000);
  std::vector<double> exact;
  const SolveReport best = solve("auto", p, exact);
  ASSERT_EQ(best.status, SolveStatus::converged);
  EXPECT_EQ(best.iterations, 1);
  const Eigen::VectorXd expected = velocity_change(p, exact);
  for (const SolverInfo& info : solvers()) {
    if (!make_solver(info.name)->cannot_hold(BlockKind::bilateral).empty()) continue;
    std::vector<double> impulses;
    const SolveReport r = solve(info.name, p, impulses, 1e-8, 300);
    ASSERT_TRUE(all_finite(impulses)) << info.name;
    Workspace workspace;
    const double total = residual(p, impulses, workspace.residual, make_solver(info.name)->model()).total();
    EXPECT_EQ(r.status == SolveStatus::converged, total <= 1e-8)
        << info.name << ": " << status_name(r.status) << " at " << total;
    if (!sweeps(info)) {
      EXPECT_LE(total, 1e-8) << info.name << ": " << status_name(r.status) << ", " << r.reason;
    }
    if (total <= 1e-8) {
      EXPECT_LT((velocity_change(p, impulses) - expected).cwiseAbs().maxCoeff(), 1e-4) << info.name;
    }
  }
}

TEST(Joints, that_contradict_each_other_leave_every_solver_with_finite_impulses) {
  const ContactProblem p = quarrel();
  for (const SolverInfo& info : solvers()) {
    std::vector<double> impulses;
    const SolveReport r = solve(info.name, p, impulses, 1e-9, 500);
    EXPECT_TRUE(all_finite(impulses)) << info.name;
    EXPECT_NE(r.status, SolveStatus::converged) << info.name;
    EXPECT_TRUE(std::isfinite(r.residual.total())) << info.name;
  }
}

TEST(Joints, of_a_body_that_cannot_move_at_all_do_no_harm) {
  // A welded body pressed to the ground, with rows on which no impulse has any effect.
  MechanismBuilder m;
  const int welded = m.body(1, {0, 0, 0.5});
  m.fixed(-1, welded, {0, 0, 0});
  m.contact(-1, welded, {0.5, 0, 0}, Vec3::UnitZ(), 0.5);
  m.rows(BlockKind::bilateral, -1, welded, {{Vec3::Zero(), Vec3::Zero()}});
  m.rows(BlockKind::box, -1, welded, {{Vec3::Zero(), Vec3::Zero()}}, 0, 0, {-1, 1});
  const ContactProblem p = m.finish();
  const auto check = [&](const ContactSolver& solver, std::string_view name) {
    std::vector<double> impulses;
    const SolveReport r = solve(solver, p, impulses, 1e-9, 20000);
    EXPECT_LE(r.model_residual, 1e-8) << name << ": " << status_name(r.status) << ", " << r.reason;
    for (const double impulse : impulses) EXPECT_LT(std::abs(impulse), 10) << name;
  };
  for (const SolverInfo& info : solvers())
    if (!is_published(info.name)) check(*make_solver(info.name), info.name);
  for (const char* joints : {"pcg", "block"}) check(*make_solver("bgs", {{"joints", std::string(joints)}}), joints);
}

/// The same problem with W as a matrix.
ContactProblem as_matrix(const ContactProblem& p) {
  ContactProblem bare = p;
  std::fill(bare.sigma.begin(), bare.sigma.end(), 0.0);
  ContactProblem q = matrix_problem(delassus(bare), BlockKind::box);
  for (std::size_t i = 0; i < p.blocks.size(); ++i) q.blocks[i].kind = p.blocks[i].kind;
  q.laws = p.laws;
  q.b = p.b;
  q.sigma = p.sigma;
  q.lower = p.lower;
  q.upper = p.upper;
  q.h = p.h;
  q.finalize();
  return q;
}

TEST(Joints, a_matrix_holds_them_as_well_as_bodies_do) {
  for (const auto& [name, p] : mechanisms()) {
    const ContactProblem matrix = as_matrix(p);
    std::vector<double> exact;
    solve("auto", p, exact, 1e-11);
    const Eigen::VectorXd expected = velocity_change(p, exact);
    for (const char* solver : {"auto", "nsgs", "prox-gs", "admm", "alart-curnier", "bgs"}) {
      std::vector<double> impulses;
      const SolveReport r = solve(solver, matrix, impulses);
      EXPECT_LE(r.model_residual, 1e-9) << solver << ", " << name << ": " << status_name(r.status) << ", " << r.reason;
      if (r.status == SolveStatus::converged) {
        EXPECT_LT((velocity_change(p, impulses) - expected).cwiseAbs().maxCoeff(), 1e-6) << solver << ", " << name;
      }
    }
  }
}

class RefusesJoints final : public ContactSolver {
 public:
  std::string_view name() const override { return "refuses-joints"; }
  std::string_view cannot_hold(BlockKind kind) const override { return kind == BlockKind::bilateral ? "No joints here." : ""; }

 protected:
  void iterate(const ContactProblem&, std::span<double>, Workspace&, SolveMonitor&) const override { ADD_FAILURE(); }
};

TEST(Joints, a_solver_that_cannot_hold_them_says_so_and_does_nothing) {
  std::vector<double> impulses;
  const SolveReport r = solve(RefusesJoints(), four_bar(), impulses);
  EXPECT_EQ(r.status, SolveStatus::unsupported);
  EXPECT_EQ(r.reason, "No joints here.");
  for (const BlockKind kind : {BlockKind::contact, BlockKind::bilateral, BlockKind::box}) {
    const std::vector<std::string> names = solvers_that_hold(kind);
    EXPECT_NE(std::find(names.begin(), names.end(), "auto"), names.end());
  }
}

TEST(Joints, the_same_problem_gives_the_same_bits_whatever_was_solved_before) {
  const auto solver = make_solver("auto");
  for (const auto& [name, p] : mechanisms()) {
    std::vector<double> fresh, used(p.rows());
    solve(*solver, p, fresh);
    Workspace workspace;
    SolveControl control;
    control.tolerance = 1e-9;
    control.max_iterations = 20000;
    for (const ContactProblem& other : {bridge(40), quarrel(), arm(0.3)}) {
      std::vector<double> impulses(other.rows());
      solver->solve(other, impulses, workspace, control);
    }
    solver->solve(p, used, workspace, control);
    EXPECT_EQ(fresh, used) << name;
  }
}

}   // namespace
}   // namespace stickslip::joints_test
