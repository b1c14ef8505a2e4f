// Which steps become frames of a record.
#pragma once

#include <cmath>

#include "stickslip/record/recorder.h"

namespace stickslip {

class FrameClock {
 public:
  /// @param start_time of the world before the first step [s]
  FrameClock(const RecordOptions& options, double start_time) : rate_(options.frames_per_second), start_time_(start_time) {}

  /// Asked once after every step. The state before the first step is always a frame.
  bool is_due(const StepReport& report) {
    if (rate_ == 0) return true;
    const double frame = std::floor((report.time - start_time_) * rate_ + 1e-6);
    if (frame <= last_frame_) return false;
    last_frame_ = frame;
    return true;
  }

 private:
  double rate_, start_time_, last_frame_ = 0;
};

}   // namespace stickslip
