// What the experiments with the PROX schemes show, on small versions [prox §5].
#include <gtest/gtest.h>

#include "study/run_in_memory.h"

namespace stickslip::r_factors_test {

using namespace study;

const MemoryRun& small_version() {
  static const MemoryRun run = run_in_memory(study_named("r-factors"), {.size = Size::quick});
  return run;
}

void expect(const char* claim, Verdict verdict) {
  const Finding& finding = small_version().finding(claim);
  EXPECT_EQ(finding.verdict, verdict) << claim << ": " << finding.evidence;
}

// One test: every test is a process of its own, and would run the study again.
TEST(RFactors, of_small_versions_are_what_is_claimed_and_every_step_ends_in_one_of_three_ways) {
  expect("gauss-seidel-spreads-less", Verdict::holds);
  expect("gauss-seidel-diverges-less", Verdict::holds);
  expect("local-needs-fewer-iterations", Verdict::holds);
  // By the change of impulses blocked factors are about as good as others here: it is what they converge to that is wrong.
  expect("blocked-is-least-exact", Verdict::holds);
  const Table& summary = small_version().data.table("summary");
  ASSERT_EQ(summary.rows(), 8u * 3 + 6u * 3);   // eight scenes by Gauss–Seidel, six by Jacobi, three strategies
  for (std::size_t i = 0; i < summary.rows(); ++i)
    EXPECT_NEAR(summary.numbers("absolute")[i] + summary.numbers("relative")[i] + summary.numbers("none")[i], 1, 1e-12);
}

}   // namespace stickslip::r_factors_test
