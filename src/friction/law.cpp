#include "stickslip/friction/law.h"

namespace stickslip {

int law_rows(const FrictionLaw& law) {
  return std::visit([](const auto& l) { return std::decay_t<decltype(l)>::rows; }, law);
}

}  // namespace stickslip
