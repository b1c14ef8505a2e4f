// Compares what a program computed with what a formula says. A program of the tutorial ends with `return checks_failed();`.
#pragma once

#include <cmath>
#include <cstdio>

namespace tutorial {

inline int& failed_checks() {
  static int count = 0;
  return count;
}

/// Prints both numbers, and counts those that are farther apart than the tolerance. NaN is far from everything.
inline void check(const char* what, double computed, double expected, double tolerance) {
  const bool fine = std::abs(computed - expected) <= tolerance;
  failed_checks() += !fine;
  std::printf("%s %-70s %12.6g   formula %12.6g   tolerance %.2g\n", fine ? "ok  " : "FAIL", what, computed, expected,
              tolerance);
}

/// Prints a statement and counts it if it is false.
inline void check(const char* what, bool holds) {
  failed_checks() += !holds;
  std::printf("%s %s\n", holds ? "ok  " : "FAIL", what);
}

inline int checks_failed() { return failed_checks() == 0 ? 0 : 1; }

}   // namespace tutorial
