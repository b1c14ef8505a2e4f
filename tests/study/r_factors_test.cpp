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

TEST(RFactors, gauss_seidel_spreads_less_and_diverges_less_than_jacobi) {
  expect("gauss-seidel-spreads-less", Verdict::holds);
  expect("gauss-seidel-diverges-less", Verdict::holds);
}

TEST(RFactors, local_factors_need_fewer_iterations_than_global_ones) { expect("local-needs-fewer-iterations", Verdict::holds); }

// By the change of impulses blocked factors are about as good as others here: it is what they converge to that is wrong.
TEST(RFactors, blocked_factors_end_with_the_largest_residuals) { expect("blocked-is-least-exact", Verdict::holds); }

TEST(RFactors, every_step_ends_in_one_of_three_ways) {
  const Table& summary = small_version().data.table("summary");
  ASSERT_EQ(summary.rows(), 8u * 3 + 6u * 3);   // eight scenes by Gauss–Seidel, six by Jacobi, three strategies
  for (std::size_t i = 0; i < summary.rows(); ++i)
    EXPECT_NEAR(summary.numbers("absolute")[i] + summary.numbers("relative")[i] + summary.numbers("none")[i], 1, 1e-12);
}

}   // namespace stickslip::r_factors_test
