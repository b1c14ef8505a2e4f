// Methods as papers state them are in the table to be compared with; they need not solve what ours solve.
#pragma once

#include <string_view>

namespace stickslip::testing {

inline bool is_published(std::string_view solver) { return solver.ends_with("-paper"); }

}   // namespace stickslip::testing
