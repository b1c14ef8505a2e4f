// Where a solver does not do what its options ask for, its notes say so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stacks.h"
#include "stickslip/solve/registry.h"

namespace stickslip::fallbacks_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string notes_of(std::string_view name, const ContactProblem& p, const OptionList& options = {}) {
  std::vector<double> impulses(p.rows());
  Workspace workspace;
  SolveControl control;
  control.max_iterations = 20;
  return make_solver(name, options)->solve(p, impulses, workspace, control).notes;
}

/// A joint row and a contact. @param skew of W between them
ContactProblem joint_and_contact(double skew) {
  const std::vector<Eigen::Triplet<double>> entries = {{0, 0, 1.0}, {1, 1, 1.0},        {2, 2, 1.0},
                                                       {3, 3, 1.0}, {4, 4, 2.0},        {0, 4, 0.3},
                                                       {4, 0, 0.3}, {0, 1, 0.2 + skew}, {1, 0, 0.2 - skew}};
  ContactProblem p = matrix_problem(block_matrix({0, 2, 5}, entries), BlockKind::contact, CircularFriction{0.5});
  p.blocks[0].kind = BlockKind::bilateral;
  p.b = {0.3, -0.2, -1, 0.1, 0.2};
  p.finalize();
  return p;
}

TEST(BlockedGaussSeidel, says_that_groups_too_large_for_pivoting_were_swept) {
  const ContactProblem p = testing::box_stack(9);   // 36 contacts, 108 rows
  const auto notes = [&](const char* block, const char* solver) {
    return notes_of("bgs", p, {{"block", std::string(block)}, {"sub_solver", std::string(solver)}});
  };
  EXPECT_THAT(notes("all", "exact"), HasSubstr("1 groups of more than 96 rows were swept, not pivoted."));
  EXPECT_THAT(notes("pair", "exact"), IsEmpty());
  EXPECT_THAT(notes("all", "sweeps"), IsEmpty());
}

TEST(BlockedGaussSeidel, says_that_joints_were_factored_where_conjugate_gradients_cannot_work) {
  const auto notes = [](double skew, const char* joints) {
    return notes_of("bgs", joint_and_contact(skew), {{"joints", std::string(joints)}});
  };
  EXPECT_THAT(notes(0.1, "pcg"), HasSubstr("Joints were factored"));
  EXPECT_THAT(notes(0, "pcg"), IsEmpty());
  EXPECT_THAT(notes(0.1, "direct"), IsEmpty());
}

TEST(AutomaticSolver, says_that_joints_are_swept_where_their_matrix_cannot_be_factored) {
  EXPECT_THAT(notes_of("auto", joint_and_contact(0.1)), HasSubstr("Joints are swept: W is not symmetric"));
  EXPECT_THAT(notes_of("auto", joint_and_contact(0)), HasSubstr("Factored 2 joint rows"));
}

TEST(SolverTable, names_the_models_that_options_lead_to) {
  for (const SolverInfo& info : solvers()) {
    const std::string model(model_name(make_solver(info.name)->model()));
    EXPECT_EQ(info.model.rfind(model, 0), 0u) << info.name << ": " << info.model;
    const auto chooses_model = [](const OptionInfo& option) { return option.name == "model"; };
    if (std::any_of(info.options.begin(), info.options.end(), chooses_model)) {
      EXPECT_THAT(info.model, HasSubstr("(model=")) << info.name;
    }
  }
  const auto model_of = [](std::string_view name) {
    for (const SolverInfo& info : solvers())
      if (info.name == name) return info.model;
    return std::string();
  };
  EXPECT_EQ(model_of("pgs"), "boxed");
  EXPECT_EQ(model_of("admm"), "exact (shift=none: convex)");
  EXPECT_EQ(model_of("bgs"), "boxed (sub_solver=nsgs: exact)");
  EXPECT_EQ(model_of("prox-gs"), "exact (friction=box: boxed)");
}

}   // namespace
}   // namespace stickslip::fallbacks_test
