// What commands do to the simulation. Everything here runs on its thread, between two steps.
#include <fmt/format.h>

#include "record/captured_problem.h"
#include "scene/start_check.h"
#include "serve/edits.h"
#include "serve/simulation.h"
#include "stickslip/math/error.h"

namespace stickslip::serve {

namespace {

/// @throws Error if the solver cannot treat what the world brings
void check_solver(const World& world, const StepOptions& step, const ContactProblem& last) {
  std::vector<std::string> warnings;
  document::check_laws(world, step, warnings);
  document::check_joints(world, step, warnings);
  if (const std::string_view reason = make_solver(step.solver, step.solver_options)->cannot_solve(last); !reason.empty())
    throw Error(fmt::format("The solver '{}' cannot treat the contacts of this scene. {}", step.solver, reason));
}

}   // namespace

void Simulation::act(ViewerId viewer, const Command& command) {
  try {
    const std::string change = change_of(command);
    std::optional<Moment> before;
    if (!change.empty() && !is_same_change(command, change)) before = moment(change);
    std::visit([&](const auto& c) { act(viewer, c); }, command);
    if (before) remember(std::move(*before));
  } catch (const std::exception& error) {
    audience_->tell(viewer, error_message(type_of(command), error.what()));
  }
}

void Simulation::act(ViewerId, const Pause&) {
  state_.running = false;
  steps_wanted_ = 0;
  state_changed_ = true;
}

void Simulation::act(ViewerId, const Run&) {
  state_.running = true;
  steps_wanted_ = 0;
  state_changed_ = true;
}

void Simulation::act(ViewerId, const StepOnce& s) {
  state_changed_ = state_changed_ || state_.running;
  state_.running = false;
  steps_wanted_ = std::min(steps_wanted_ + s.count, 100'000);
}

void Simulation::act(ViewerId, const Reset&) {
  scene_.world = start_;
  use_materials();   // friction stays as it was set
  drags_.clear();
  driven_.clear();
  driven_joints_.clear();
  steps_wanted_ = 0;
  open_scene();
}

void Simulation::act(ViewerId, const Speed& s) {
  state_.speed = s.value;
  next_step_ = Clock::now();
  state_changed_ = true;
}

void Simulation::act(ViewerId, const Settings& s) {
  StepOptions step = scene_.step;
  if (s.h) step.h = *s.h;
  if (s.solver && *s.solver != step.solver) {
    step.solver = *s.solver;
    step.solver_options = step.solver == start_options_.solver ? start_options_.solver_options : OptionList{};
  }
  MaterialTable materials = s.friction ? materials_of(start_, *s.friction) : scene_.world.materials;
  std::swap(scene_.world.materials, materials);
  try {
    check_solver(scene_.world, step, stepper_->problem());
    stepper_->set_options(step);
  } catch (...) {
    std::swap(scene_.world.materials, materials);
    throw;
  }
  scene_.step = std::move(step);
  if (s.friction) {
    state_.friction = *s.friction;
    wake_all(scene_.world);   // what sleeps would not notice
    tell_surroundings();
  }
  state_changed_ = true;
}

void Simulation::act(ViewerId viewer, const DragTo& d) {
  drags_.set(scene_.world, viewer, {body_numbered(d.body), d.local, d.target, d.node.value_or(kNoNode)});
}

void Simulation::act(ViewerId viewer, const Release&) { drags_.release(scene_.world, viewer); }

void Simulation::act(ViewerId, const DriveJoint& d) {
  const int coordinate = drive(scene_.world, d);
  const std::string message = joint_message(d, coordinate);
  const char* what = d.speed ? "speed" : d.target ? "target" : d.effort ? "effort" : d.lower ? "lower" : "upper";
  driven_[fmt::format("{} {} {}", what, coordinate, d.name)] = message;
  driven_joints_.emplace(d.name, coordinate);
  audience_->tell_all(message);
}

void Simulation::act(ViewerId id, const Want& want) {
  const auto viewer = viewers_.find(id);
  if (viewer == viewers_.end()) return;
  viewer->second.contacts = want.contacts.value_or(viewer->second.contacts);
  viewer->second.history = want.history.value_or(viewer->second.history);
  viewer->second.joints = want.joints.value_or(viewer->second.joints);
  viewer->second.fields = want.fields.value_or(viewer->second.fields);
  viewer->second.overlaps = want.overlaps.value_or(viewer->second.overlaps);
  frame_wanted_ = true;
}

void Simulation::ask_worker(std::function<void(const std::atomic<bool>& cancel)> job) {
  constexpr std::size_t most = 4;
  if (!worker_.submit(std::move(job), most))
    throw Error("The server is still busy with earlier requests of this kind. Ask again when they are answered.");
}

void Simulation::act(ViewerId viewer, const Capture&) {
  if (report_ == nullptr) throw Error("There is no step to capture yet. Step once first.");
  auto problem = last_problem();
  ask_worker([this, viewer, problem, name = capture_name(scene_, report_->step)](const std::atomic<bool>&) {
    try {
      save_problem(options_.directory / name, problem->file, "stickslip");
      audience_->tell(viewer, captured_message(name));
    } catch (const std::exception& error) {
      audience_->tell(viewer, error_message("capture", error.what()));
    }
  });
}

void Simulation::act(ViewerId viewer, const Compare& c) {
  if (report_ == nullptr) throw Error("There is no step to compare solvers on yet. Step once first.");
  ask_worker([this, viewer, problem = last_problem(), names = c.solvers](const std::atomic<bool>& cancel) {
    try {
      audience_->tell(viewer, comparison_message(problem->step, compare(*problem, names, cancel)));
    } catch (const std::exception& error) {
      audience_->tell(viewer, error_message("compare", error.what()));
    }
  });
}

}   // namespace stickslip::serve
