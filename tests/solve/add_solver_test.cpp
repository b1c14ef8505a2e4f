// Solvers that programs add to the table.
#include "stickslip/solve/add_solver.h"
#include "error_message.h"
#include "stacks.h"
#include "stickslip/solve/monitor.h"

namespace stickslip::add_solver_test {
namespace {

/// Hands everything on to another solver.
class Borrowed final : public ContactSolver {
 public:
  std::string_view name() const override { return "borrowed"; }

 protected:
  void iterate(const ContactProblem& p, std::span<double> impulses, Workspace&, SolveMonitor& monitor) const override {
    Workspace own;
    SolveControl control;
    control.tolerance = 1e-10;
    control.max_iterations = 2000;
    make_solver("nsgs")->solve(p, impulses, own, control);
    if (!monitor.done(1, impulses)) monitor.give_up(impulses, SolveStatus::stalled, "Nothing is left to borrow.");
  }
};

TEST(AddSolver, puts_a_solver_into_the_table_once) {
  const std::vector<SolverInfo>& before = solvers();
  const std::size_t count = before.size();
  SolverInfo info;
  info.name = "borrowed";
  add_solver(info, [](const OptionList&) { return std::make_unique<Borrowed>(); });
  EXPECT_EQ(before.size(), count);   // lists that were handed out stay
  ASSERT_EQ(solvers().size(), count + 1);
  EXPECT_EQ(solvers().back().model, "exact");
  const ContactProblem p = testing::box_stack(2);
  std::vector<double> impulses(p.rows());
  Workspace workspace;
  EXPECT_EQ(make_solver("borrowed")->solve(p, impulses, workspace).status, SolveStatus::converged);
  const auto add = [&](const std::string& name, SolverMaker make) {
    SolverInfo other;
    other.name = name;
    return testing::message_of([&] { add_solver(other, std::move(make)); });
  };
  const auto maker = [](const OptionList&) { return std::make_unique<Borrowed>(); };
  EXPECT_NE(add("borrowed", maker).find("already"), std::string::npos);
  EXPECT_NE(add("nsgs", maker).find("already"), std::string::npos);
  EXPECT_NE(add("", maker).find("name"), std::string::npos);
  EXPECT_NE(add("empty", nullptr).find("missing"), std::string::npos);
  EXPECT_NE(testing::message_of([] { make_solver("borowed"); }).find("'borrowed'"), std::string::npos);
}

}   // namespace
}   // namespace stickslip::add_solver_test
