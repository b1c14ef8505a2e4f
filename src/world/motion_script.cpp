#include "stickslip/world/motion_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

void check(const ConstantVelocity&) {}

void check(const Oscillation& o) {
  if (!o.translation.allFinite()) throw Error("The amplitude must be three finite lengths [m].").at("translation");
  if (!o.rotation.allFinite()) throw Error("The amplitude must be three finite angles [rad].").at("rotation");
  if (!(std::isfinite(o.frequency) && o.frequency > 0))
    throw Error(fmt::format("{} is not a frequency. It must be finite and greater than 0 Hz.", o.frequency)).at("frequency");
  if (!std::isfinite(o.phase)) throw Error("The phase must be a finite angle [rad].").at("phase");
}

void check(const Keyframes& frames) {
  if (frames.keys.empty()) throw Error("Keyframes need at least one key.").at("keys");
  for (std::size_t i = 0; i < frames.keys.size(); ++i) {
    const Keyframes::Key& key = frames.keys[i];
    const auto fail = [&](const std::string& message, std::string_view field) {
      throw Error(message).at(field).at(std::to_string(i)).at("keys");
    };
    if (!std::isfinite(key.time)) fail("The time must be finite [s].", "time");
    if (i > 0 && !(key.time > frames.keys[i - 1].time))
      fail(fmt::format("{} s does not come after {} s. Times must increase.", key.time, frames.keys[i - 1].time), "time");
    if (!key.pose.position.allFinite()) fail("The position must be three finite lengths [m].", "position");
    if (!key.pose.orientation.coeffs().allFinite()) fail("The orientation must be finite.", "orientation_wxyz");
  }
}

Pose pose_at(const Oscillation& o, const Pose& start, double t) {
  const double s = std::sin(2 * std::numbers::pi * o.frequency * t + o.phase) - std::sin(o.phase);
  return {start.position + s * o.translation, rotation_from_vector(s * o.rotation) * start.orientation};
}

Pose pose_at(const Keyframes& frames, double t) {
  const auto after = std::upper_bound(frames.keys.begin(), frames.keys.end(), t,
                                      [](double time, const Keyframes::Key& key) { return time < key.time; });
  if (after == frames.keys.begin()) return frames.keys.front().pose;
  if (after == frames.keys.end()) return frames.keys.back().pose;
  const Keyframes::Key &k0 = *(after - 1), &k1 = *after;
  const double s = (t - k0.time) / (k1.time - k0.time);
  return {(1 - s) * k0.pose.position + s * k1.pose.position, k0.pose.orientation.slerp(s, k1.pose.orientation)};
}

}   // namespace

void validate(const MotionScript& script) {
  std::visit([](const auto& s) { check(s); }, script);
}

Pose scripted_pose(const MotionScript& script, const Pose& start, double t) {
  if (const auto* oscillation = std::get_if<Oscillation>(&script)) return pose_at(*oscillation, start, t);
  if (const auto* frames = std::get_if<Keyframes>(&script)) return pose_at(*frames, t);
  return start;
}

}   // namespace stickslip
