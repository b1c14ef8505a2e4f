// Clocks and summaries that the benchmarks share.
#pragma once

#include <time.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace stickslip::bench {

/// Processor time of this process [s]: other programs on the machine do not count, and everything measured here runs on
/// one thread.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}   // namespace stickslip::bench
