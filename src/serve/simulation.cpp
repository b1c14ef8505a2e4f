#include "serve/simulation.h"

#include <fmt/format.h>
#include <time.h>

#include "record/description.h"
#include "record/soft_fields.h"
#include "record/telemetry.h"
#include "stickslip/math/error.h"

namespace stickslip::serve {

namespace {

constexpr std::size_t kMostWaiting = 1024;   // commands; at most one per pointer event and viewer, this is many steps' worth
constexpr std::size_t kNoLimit = ~std::size_t{0};

/// Processor time of the calling thread [s].
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::chrono::steady_clock::duration seconds(double s) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(s));
}

/// What telemetry says before the first step.
StepReport report_of_start(const World& world, double h) {
  StepReport report;
  report.step = world.step_count;
  report.time = world.time;
  report.h = h;
  report.energy.kinetic_start = report.energy.kinetic_end = world.kinetic_energy();
  report.energy.potential_start = report.energy.potential_end = world.potential_energy();
  report.linear_momentum = world.linear_momentum();
  report.angular_momentum = world.angular_momentum();
  return report;
}

}   // namespace

Simulation::Simulation(Scene scene, const ServerOptions& options)
    : options_(options),
      scene_(std::move(scene)),
      start_(scene_.world),
      start_options_(scene_.step),
      // When a job is done, there may be a history to show, or one that had to wait.
      worker_([this] { post([this] { frame_wanted_ = true; }, kNoLimit); }) {
  state_.speed = options_.speed;
  state_.running = !options_.paused;
  open_scene();
}

Simulation::~Simulation() { stop(); }

void Simulation::start(Audience& audience) {
  audience_ = &audience;
  thread_ = std::thread([this] { run(); });
}

void Simulation::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  leaving_ = true;
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  worker_.stop();
}

bool Simulation::post(std::function<void()> job, std::size_t most) {
  {
    const std::lock_guard lock(mutex_);
    if (inbox_.size() >= most) return false;
    inbox_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void Simulation::join(ViewerId viewer) {
  post(
      [this, viewer] {
        viewers_[viewer] = {};
        for (const auto& [what, message] : driven_) audience_->tell(viewer, message);
        audience_->tell(viewer, surroundings_message(scene_.world));
        state_changed_ = frame_wanted_ = true;
      },
      kNoLimit);
}

void Simulation::leave(ViewerId viewer) {
  post(
      [this, viewer] {
        viewers_.erase(viewer);
        drags_.release(scene_.world, viewer);
        state_changed_ = true;
      },
      kNoLimit);
}

bool Simulation::command(ViewerId viewer, Command command) {
  return post([this, viewer, command = std::move(command)] { act(viewer, command); }, kMostWaiting);
}

ServerStatistics Simulation::statistics() const { return {steps_, frames_, step_seconds_, serving_seconds_}; }

/// Starts over with the world as it is now.
void Simulation::open_scene() {
  scene_.step.cancel = &leaving_;
  stepper_.emplace(scene_.step);
  report_ = nullptr;
  history_ = nullptr;
  history_step_ = scene_.world.step_count;
  ++scene_number_;
  table_.emplace(scene_.world, position_quantum(scene_.world));
  joints_.emplace(scene_.world);
  scene_message_ = std::make_shared<const std::string>(scene_message(scene_, table_->quantum()));
  frame_wanted_ = true;
}

bool Simulation::is_stepping() const {
  return (state_.running || steps_wanted_ > 0) && !(options_.only_while_watched && viewers_.empty());
}

void Simulation::run() {
  next_step_ = next_frame_ = next_state_ = state_at_ = Clock::now();
  double before = thread_seconds();
  while (true) {
    wait_for_news();
    std::vector<std::function<void()>> jobs;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      jobs.swap(inbox_);
    }
    for (const auto& job : jobs) job();
    if (!is_stepping()) next_step_ = Clock::now();
    double in_step = 0;
    if (is_stepping() && (steps_wanted_ > 0 || Clock::now() >= next_step_)) {
      drags_.apply(scene_.world, scene_.step.h);
      const double start = thread_seconds();
      step();
      in_step = thread_seconds() - start;
      step_seconds_ = step_seconds_ + in_step;
    }
    const Clock::time_point now = Clock::now();
    if (frame_wanted_ && !viewers_.empty() && (now >= next_frame_ || !is_stepping())) publish();
    if (state_changed_ || (now >= next_state_ && !viewers_.empty())) announce();
    const double after = thread_seconds();
    serving_seconds_ = serving_seconds_ + (after - before - in_step);
    before = after;
  }
}

/// Until the next step is due, a second has passed since the last state, or somebody wants something.
void Simulation::wait_for_news() {
  std::unique_lock lock(mutex_);
  const auto news = [this] { return stopping_ || !inbox_.empty(); };
  if (!is_stepping() && viewers_.empty()) return wake_.wait(lock, news);
  if (steps_wanted_ > 0) return;
  Clock::time_point until = viewers_.empty() ? next_step_ : next_state_;
  if (is_stepping()) until = std::min(until, next_step_);
  if (frame_wanted_ && !viewers_.empty()) until = std::min(until, next_frame_);
  if (until > Clock::now()) wake_.wait_until(lock, until, news);
}

void Simulation::step() {
  if (steps_wanted_ > 0) --steps_wanted_;
  try {
    report_ = &stepper_->step(scene_.world);
    ++steps_;
  } catch (const StepCancelled&) {
    return;   // somebody stops the simulation: nothing is to be told
  } catch (const std::exception& error) {
    state_.running = false;
    steps_wanted_ = 0;
    state_changed_ = true;
    audience_->tell_all(error_message("step", fmt::format("Step {} (t = {:g} s) failed: {} Reset to start again.",
                                                          scene_.world.step_count + 1, scene_.world.time, error.what())));
  }
  frame_wanted_ = true;
  const Clock::time_point now = Clock::now();
  if (state_.speed > 0) {
    // What could not be kept up with is not made up for: that would only make the next second jerk.
    next_step_ = std::max(next_step_ + seconds(scene_.step.h / state_.speed), now - seconds(0.1));
  } else {
    next_step_ = now;
  }
}

Snapshot Simulation::snapshot() {
  Snapshot s;
  s.number = ++snapshot_number_;
  s.scene = scene_number_;
  s.scene_message = scene_message_;
  s.step = scene_.world.step_count;
  s.time = scene_.world.time;
  table_->fill(scene_.world, s);
  const StepReport start = report_ == nullptr ? report_of_start(scene_.world, scene_.step.h) : StepReport{};
  const StepReport& report = report_ == nullptr ? start : *report_;
  for (const TelemetryColumn& column : telemetry_columns()) s.telemetry.push_back(static_cast<float>(column.value(report)));
  for (const auto& [id, viewer] : viewers_) {
    s.has_contacts = s.has_contacts || viewer.contacts;
    s.joint_count = joints_->size() > 0 && (viewer.joints || s.joint_count > 0) ? joints_->size() : 0;
  }
  if (s.has_contacts) {
    s.contacts = contact_rows(*table_, scene_.world, report);
    s.areas = contact_areas(*table_, report);
    if (std::any_of(viewers_.begin(), viewers_.end(), [](const auto& v) { return v.second.overlaps; }))
      s.overlaps = overlap_rows(*table_, scene_.world, report);
  }
  const bool fields = std::any_of(viewers_.begin(), viewers_.end(), [](const auto& v) { return v.second.fields; });
  if (fields) s.fields = encode_fields(scene_.world, report, table_->bodies());
  if (s.joint_count > 0) s.joints = joints_->rows(scene_.world, report);
  s.history = history_;
  return s;
}

void Simulation::publish() {
  ask_for_history();
  audience_->publish(std::make_shared<const Snapshot>(snapshot()));
  ++frames_;
  frame_wanted_ = false;
  const Clock::time_point now = Clock::now();
  next_frame_ =
      std::max(next_frame_ + seconds(1 / options_.frames_per_second), now - seconds(0.5 / options_.frames_per_second));
}

void Simulation::announce() {
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - state_at_).count();
  if (elapsed > 0.2) {
    state_.steps_per_second = static_cast<double>(steps_ - steps_at_state_) / elapsed;
    steps_at_state_ = steps_;
    state_at_ = now;
  }
  state_.solver = scene_.step.solver;
  state_.h = scene_.step.h;
  state_.viewers = viewers_.size();
  audience_->publish_state(state_message(state_));
  state_changed_ = false;
  next_state_ = now + std::chrono::seconds(1);
}

std::shared_ptr<const StepProblem> Simulation::last_problem() const {
  return std::make_shared<const StepProblem>(copy_problem(scene_, *stepper_, *report_));
}

/// Looking must not change the motion, and a step that keeps its history may stop earlier: so the problem is solved once
/// more, elsewhere.
void Simulation::ask_for_history() {
  const bool wanted = std::any_of(viewers_.begin(), viewers_.end(), [](const auto& v) { return v.second.history; });
  if (!wanted || report_ == nullptr || !report_->solve || history_step_ == report_->step) return;
  if (scene_.step.keep_history) {
    history_step_ = report_->step;
    history_ = std::make_shared<const History>(thinned(report_->solve->history));
    return;
  }
  if (!worker_.idle()) return;
  const bool taken = worker_.submit(
      [this, problem = last_problem(), scene = scene_number_](const std::atomic<bool>& cancel) {
        auto history = std::make_shared<const History>(history_of(*problem, cancel));
        post(
            [this, history, scene] {
              if (scene == scene_number_) history_ = history;
            },
            kNoLimit);
      },
      0);
  if (taken) history_step_ = report_->step;
}

}   // namespace stickslip::serve
