// The message of the error that a function throws.
#pragma once

#include <string>

#include "stickslip/math/error.h"

namespace stickslip::testing {

inline std::string message_of(auto&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}   // namespace stickslip::testing
