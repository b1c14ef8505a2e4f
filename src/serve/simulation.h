// The simulation behind a live view: one thread that steps, takes commands between steps and publishes snapshots.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "scene/edited_document.h"
#include "serve/command.h"
#include "serve/drag.h"
#include "serve/joints.h"
#include "serve/messages.h"
#include "serve/snapshot.h"
#include "serve/step_problem.h"
#include "serve/worker.h"
#include "stickslip/serve/server.h"

namespace stickslip::serve {

/// Whoever brings the news to the viewers. Called by the threads of the simulation, so it must return at once.
class Audience {
 public:
  virtual ~Audience() = default;
  /// Viewers get the newest; older ones that they missed are of no interest.
  virtual void publish(std::shared_ptr<const Snapshot>) = 0;
  /// The same for the state.
  virtual void publish_state(std::string message) = 0;
  /// To one viewer. Nothing happens if it is gone.
  virtual void tell(ViewerId, std::string message) = 0;
  virtual void tell_all(std::string message) = 0;
};

/// All that a change can change, as it was before it.
struct Moment {
  std::string change;   ///< in words, for the button that takes it back
  World world, start;
  StepOptions step;
  std::optional<double> friction;
  std::optional<document::EditedDocument> edited;
  std::map<std::string, std::string> driven;
  std::set<std::pair<std::string, int>> driven_joints;
};

class Simulation {
 public:
  /// @throws Error if the step options are invalid
  Simulation(Scene, const ServerOptions&);
  ~Simulation();   ///< stops

  /// Starts to step. The audience must live until `stop` has returned.
  void start(Audience&);
  void stop();

  // For the thread of the network. None of them waits.
  void join(ViewerId);
  void leave(ViewerId);
  /// @returns false if too many commands wait already
  bool command(ViewerId, Command);

  ServerStatistics statistics() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Viewer {
    bool contacts = false, history = false, joints = false, fields = false, overlaps = false;
  };

  void run();
  bool post(std::function<void()>, std::size_t most);
  void wait_for_news();
  bool is_stepping() const;
  void step();
  void publish();
  void announce();
  void ask_for_history();
  void open_scene();
  Snapshot snapshot();

  void act(ViewerId, const Command&);
  void act(ViewerId, const Pause&);
  void act(ViewerId, const Run&);
  void act(ViewerId, const StepOnce&);
  void act(ViewerId, const Reset&);
  void act(ViewerId, const Speed&);
  void act(ViewerId, const Settings&);
  void act(ViewerId, const DragTo&);
  void act(ViewerId, const Release&);
  void act(ViewerId, const DriveJoint&);
  void act(ViewerId, const Want&);
  void act(ViewerId, const Capture&);
  void act(ViewerId, const Compare&);
  void act(ViewerId, const EditGravity&);
  void act(ViewerId, const EditMaterial&);
  void act(ViewerId, const EditBody&);
  void act(ViewerId, const RemoveBody&);
  void act(ViewerId, const CopyBody&);
  void act(ViewerId, const OpenScene&);
  void act(ViewerId, const SaveScene&);
  void act(ViewerId, const Undo&);
  void act(ViewerId, const Redo&);
  std::string change_of(const Command&) const;
  bool is_same_change(const Command&, const std::string& change);
  Moment moment(std::string change) const;
  void remember(Moment);
  void go_to(std::vector<Moment>& from, std::vector<Moment>& to, const char* nothing);
  std::shared_ptr<const StepProblem> last_problem() const;
  BodyId body_numbered(std::uint32_t) const;
  document::EditedDocument& edited();
  void use_materials();
  void tell_surroundings();
  void move(BodyId, const Vec3& position);
  void take(Scene);
  /// @throws Error if too many wait already
  void ask_worker(std::function<void(const std::atomic<bool>& cancel)>);

  const ServerOptions options_;
  Audience* audience_ = nullptr;

  // Owned by the simulation thread.
  Scene scene_;
  World start_;   ///< what `reset` goes back to: the scene as it was edited
  StepOptions start_options_;
  std::optional<document::EditedDocument> edited_;   ///< since the first edit
  std::optional<Stepper> stepper_;
  const StepReport* report_ = nullptr;   ///< of the last step since the scene was opened
  std::optional<BodyTable> table_;
  std::optional<JointTable> joints_;
  std::shared_ptr<const std::string> scene_message_;
  std::map<std::string, std::string> driven_;   ///< what viewers changed about joints: whoever joins is told, beside the scene
  std::set<std::pair<std::string, int>> driven_joints_;   ///< their names and coordinates
  std::vector<Moment> undo_, redo_;                       ///< the last is the next to go to
  Clock::time_point changed_at_;
  std::shared_ptr<const History> history_;
  std::uint64_t scene_number_ = 0, snapshot_number_ = 0, history_step_ = 0;
  std::map<ViewerId, Viewer> viewers_;
  Drags drags_;
  State state_;
  int steps_wanted_ = 0;
  bool frame_wanted_ = false, state_changed_ = false;
  Clock::time_point next_step_, next_frame_, next_state_;
  std::uint64_t steps_at_state_ = 0;   ///< steps when the state was announced last
  Clock::time_point state_at_;

  std::atomic<std::uint64_t> steps_ = 0, frames_ = 0;
  std::atomic<double> step_seconds_ = 0, serving_seconds_ = 0;

  std::mutex mutex_;   ///< guards the next two
  std::vector<std::function<void()>> inbox_;
  bool stopping_ = false;
  std::atomic<bool> leaving_ = false;   ///< the same for the step that is being taken, which is left
  std::condition_variable wake_;
  Worker worker_;
  std::thread thread_;
};

}   // namespace stickslip::serve
