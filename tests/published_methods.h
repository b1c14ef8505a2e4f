// Methods as papers state them are in the table to be compared with; they need not solve what ours solve. The PROX
// schemes with a factor for each row end elsewhere where friction slides in a direction that is not a row's: see
// docs/solvers/proximal.md.
#pragma once

#include <string_view>

namespace stickslip {

inline bool is_published(std::string_view solver) { return solver.ends_with("-paper"); }

}   // namespace stickslip
