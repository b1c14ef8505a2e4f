// Whether to leave an inner loop early, for solvers whose iterations are long.
#pragma once

#include "stickslip/solve/monitor.h"

namespace stickslip {

/// Whether the caller wants the solve to end; the next `SolveMonitor::done` will say so.
inline bool must_stop(const SolveMonitor& monitor) {
  const SolveControl& control = monitor.control();
  return (control.cancel != nullptr && control.cancel->load(std::memory_order_relaxed)) ||
         monitor.elapsed() > control.time_limit;
}

}   // namespace stickslip
