// A stepper with its world and its last report, as Python holds them.
#pragma once

#include "python/module.h"
#include "stickslip/serve/server.h"

namespace stickslip::python {

struct ContactForce {
  Vec3 force;
};

/// The report of a step. It stands in the memory of the integrator until the next step. If anybody still has it then, or an
/// array of it, it takes that memory with it: reports and their arrays never change.
struct ReportHandle {
  WorldPointer world;
  const StepReport* report = nullptr;
  StepReport own;

  const StepReport& get() const { return *report; }
  void detach();
  /// Of contacts on body B, mean over the step, world frame [N]: a list that is made once.
  const std::vector<ContactForce>& forces();

 private:
  std::vector<ContactForce> forces_;
};
using ReportPointer = std::shared_ptr<ReportHandle>;

/// A file that sees the steps of a simulation.
struct RecordingHandle {
  WorldPointer world;
  std::string path;
  std::unique_ptr<Recorder> recorder;   ///< null once finished

  void finish();
};
using RecordingPointer = std::shared_ptr<RecordingHandle>;

struct StepperHandle {
  StepperHandle(WorldPointer w, StepOptions options)
      : world(std::move(w)), stepper(cancelled_by(std::move(options))), sensors(world->scene.world, world->scene.sensors) {}
  ~StepperHandle() { leave_report(); }
  StepperHandle(const StepperHandle&) = delete;
  StepperHandle& operator=(const StepperHandle&) = delete;

  /// The same options for steps that Ctrl-C ends.
  StepOptions cancelled_by(StepOptions options) const {
    options.cancel = &cancel;
    return options;
  }

  WorldPointer world;
  std::atomic<bool> cancel = false;   ///< ends the step that is being taken
  Stepper stepper;
  ReportPointer report;   ///< of the last step; null before the first
  std::vector<RecordingPointer> recordings;
  SensorReader sensors;   ///< those of the scene when the stepper was made

  /// Before a step: lets go of the report, which its holders keep.
  void leave_report();
  /// After one.
  void take_report(const StepReport&);
  /// Hands a step to the recordings, and lets the sensors see it.
  void record(const StepReport&);
};
using StepperPointer = std::shared_ptr<StepperHandle>;

}   // namespace stickslip::python

template <>
class pybind11::detail::type_caster<stickslip::python::ReportPointer>
    : public stickslip::python::NotNone<stickslip::python::ReportHandle> {};
template <>
class pybind11::detail::type_caster<stickslip::python::StepperPointer>
    : public stickslip::python::NotNone<stickslip::python::StepperHandle> {};
template <>
class pybind11::detail::type_caster<std::shared_ptr<stickslip::Server>> : public stickslip::python::NotNone<stickslip::Server> {
};
