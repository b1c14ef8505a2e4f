// A study without files, for tests.
#pragma once

#include "stickslip/study/run.h"

namespace stickslip::study {

/// What a study came to.
struct MemoryRun {
  Plan plan;
  Data data;
  std::vector<JudgedClaim> claims;

  /// @throws std::logic_error if there is no such claim
  const Finding& finding(std::string_view claim) const;
};

/// Runs all cases one after the other, makes the summaries and judges the claims.
MemoryRun run_in_memory(const Study&, const Setting&);

/// Verdicts of the claims over the data: `fails` becomes `contradicts` where a paper made the claim.
std::vector<JudgedClaim> judge(const Plan&, const Data&);

}   // namespace stickslip::study
