// Changes that viewers take back: the simulation goes to the moment before them, and forth again.
#include <fmt/format.h>

#include "serve/simulation.h"
#include "stickslip/math/error.h"

namespace stickslip::serve {

namespace {

constexpr std::size_t kMostMoments = 30;        // a world each
constexpr std::chrono::seconds kOneStroke{1};   // of a slider: what changes again within it is one change

/// What a slider moves, or a bound, which is typed in.
std::string_view what_is_driven(const DriveJoint& c) {
  if (c.speed) return "speed";
  if (c.target) return "target";
  if (c.effort) return "effort";
  return c.lower && c.upper ? "bounds" : c.lower ? "lower bound" : "upper bound";
}

}   // namespace

/// In words; empty if the command changes nothing that could be taken back.
std::string Simulation::change_of(const Command& command) const {
  const auto of_body = [this](const char* verb, std::uint32_t body) {
    return fmt::format("{} {}", verb, scene_.world.body(body_numbered(body)).name);
  };
  if (std::holds_alternative<EditGravity>(command)) return "gravity";
  if (std::holds_alternative<Reset>(command)) return "reset";
  if (const auto* c = std::get_if<EditMaterial>(&command)) return fmt::format("material {}", fmt::join(c->names, " – "));
  if (const auto* c = std::get_if<EditBody>(&command)) return of_body("change", c->body);
  if (const auto* c = std::get_if<RemoveBody>(&command)) return of_body("delete", c->body);
  if (const auto* c = std::get_if<CopyBody>(&command)) return of_body("copy", c->body);
  if (const auto* c = std::get_if<DriveJoint>(&command))
    return fmt::format("{} of joint {}{}{}", what_is_driven(*c), c->name, c->coordinate ? " " : "", c->coordinate.value_or(""));
  if (const auto* c = std::get_if<Settings>(&command)) return c->solver ? "solver" : c->h ? "step size" : "friction";
  return {};
}

/// Whether it belongs to the change before it, as every place of a slider does that is moved.
bool Simulation::is_same_change(const Command& command, const std::string& change) {
  const Clock::time_point now = Clock::now(), before = std::exchange(changed_at_, now);
  const auto* joint = std::get_if<DriveJoint>(&command);
  return joint && !joint->lower && !joint->upper && !undo_.empty() && redo_.empty() && undo_.back().change == change &&
         now - before < kOneStroke;
}

Moment Simulation::moment(std::string change) const {
  World world = scene_.world;
  Drags drags = drags_;   // what is pulled now is not pulled then
  for (const auto& [viewer, wants] : viewers_) drags.release(world, viewer);
  return {std::move(change), std::move(world), start_, scene_.step, state_.friction, edited_, driven_, driven_joints_};
}

void Simulation::remember(Moment before) {
  if (undo_.size() == kMostMoments) undo_.erase(undo_.begin());
  undo_.push_back(std::move(before));
  redo_.clear();
  state_.undo = undo_.back().change, state_.redo.clear();
  state_changed_ = true;
}

void Simulation::go_to(std::vector<Moment>& from, std::vector<Moment>& to, const char* nothing) {
  if (from.empty()) throw Error(nothing);
  Moment next = std::move(from.back());
  from.pop_back();
  to.push_back(moment(next.change));
  scene_.world = std::move(next.world), start_ = std::move(next.start), scene_.step = std::move(next.step);
  state_.friction = next.friction, edited_ = std::move(next.edited);
  driven_ = std::move(next.driven), driven_joints_ = std::move(next.driven_joints);
  drags_.clear();
  steps_wanted_ = 0;
  state_.undo = undo_.empty() ? "" : undo_.back().change;
  state_.redo = redo_.empty() ? "" : redo_.back().change;
  state_changed_ = true;
  open_scene();
  tell_surroundings();
}

void Simulation::act(ViewerId, const Undo&) { go_to(undo_, redo_, "Nothing was changed that could be taken back."); }

void Simulation::act(ViewerId, const Redo&) { go_to(redo_, undo_, "Nothing was taken back that could be done again."); }

}   // namespace stickslip::serve
