#include "record/joint_description.h"

#include "record/varint.h"

namespace stickslip {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kMostNumbers = 1'000'000;   // of all joints in a replay; beyond it every other frame loses them
constexpr double kAnglesPerRadian = 1e5, kSpeeds = 1e6, kErrorsPerQuantum = 1000;

/// A pose in the body frame as one from the centre of mass, as parts have them.
Json place(const World& world, BodyId body, const Pose& frame) {
  const Vec3 p = world.contains(body) ? Vec3(frame.position - world.body(body).mass.center) : frame.position;
  const Quat& q = frame.orientation;
  return {{"position", {p.x(), p.y(), p.z()}}, {"orientation_wxyz", {q.w(), q.x(), q.y(), q.z()}}};
}

/// JSON has no infinity: what has no bound is left out.
void put_finite(Json& to, const char* name, double value) {
  if (std::isfinite(value)) to[name] = value;
}

Json describe_axis(int coordinate, const JointAxis& axis) {
  Json d = {{"coordinate", joint_coordinate_name(coordinate)}};
  put_finite(d, "lower", axis.lower);
  put_finite(d, "upper", axis.upper);
  if (axis.friction > 0) d["friction"] = axis.friction;
  if (axis.effort) {
    d["effort"] = {{"force", axis.effort->force}};
    put_finite(d["effort"], "max_force", axis.effort->max_force);
    if (!axis.effort->path.empty()) d["effort"]["follows_path"] = true;
  }
  if (axis.motor) {
    d["motor"] = {{"speed", axis.motor->speed}};
    put_finite(d["motor"], "max_force", axis.motor->max_force);
    if (!axis.motor->path.empty()) d["motor"]["follows_path"] = true;
  }
  if (axis.servo) {
    d["servo"] = {{"target", axis.servo->target}, {"stiffness", axis.servo->stiffness}, {"damping", axis.servo->damping}};
    put_finite(d["servo"], "max_force", axis.servo->max_force);
    if (!axis.servo->path.empty()) d["servo"]["follows_path"] = true;
  }
  if (axis.spring)
    d["spring"] = {{"rest", axis.spring->rest}, {"stiffness", axis.spring->stiffness}, {"damping", axis.spring->damping}};
  return d;
}

}   // namespace

std::vector<JointId> described_joints(const World& world) {
  std::vector<JointId> ids;
  for (std::uint32_t slot = 0; slot < world.joints().size(); ++slot)
    if (world.joints()[slot].alive) ids.push_back(world.joint_id_of(slot));
  return ids;
}

Json describe_joints(const World& world, std::span<const BodyId> bodies) {
  std::vector<std::int64_t> number_of_body(world.bodies().size(), -1), number_of_joint(world.joints().size(), -1);
  for (std::size_t i = 0; i < bodies.size(); ++i) number_of_body[bodies[i].index] = static_cast<std::int64_t>(i);
  const std::vector<JointId> ids = described_joints(world);
  for (std::size_t i = 0; i < ids.size(); ++i) number_of_joint[ids[i].index] = static_cast<std::int64_t>(i);
  const auto number_of = [&](BodyId id) { return world.contains(id) ? number_of_body[id.index] : -1; };

  Json joints = Json::array();
  for (const JointId id : ids) {
    const JointDescription& d = world.joint(id).description;
    Json joint = {{"name", d.name}, {"type", joint_type_name(d.type)}};
    if (d.type == JointType::gear) {
      for (const auto& [name, side] : {std::pair("first", d.first), std::pair("second", d.second)})
        joint[name] = {{"joint", number_of_joint[side.joint.index]}, {"coordinate", joint_coordinate_name(side.coordinate)}};
      joint["ratio"] = d.ratio;
    } else {
      joint["a"] = number_of(d.a);
      joint["b"] = number_of(d.b);
      joint["frame_a"] = place(world, d.a, d.frame_a);
      joint["frame_b"] = place(world, d.b, d.frame_b);
    }
    Json free = Json::array(), locked = Json::array();
    for (const int c : free_coordinates(d)) free.push_back(describe_axis(c, d.axes[static_cast<std::size_t>(c)]));
    if (d.type != JointType::gear && d.type != JointType::distance)
      for (int c = 0; c < kJointCoordinates; ++c)
        if (d.axes[static_cast<std::size_t>(c)].locked) locked.push_back(joint_coordinate_name(c));
    joint["free"] = std::move(free);
    joint["locked"] = std::move(locked);
    if (d.type == JointType::distance && d.axes[joint_x].locked) joint["length"] = d.length;
    if (d.type == JointType::screw) joint["pitch"] = d.pitch;
    put_finite(joint, "swing_limit", d.swing_limit);
    put_finite(joint, "break_force", d.break_force);
    put_finite(joint, "break_torque", d.break_torque);
    joints.push_back(std::move(joint));
  }
  return joints;
}

double torque_unit(double force_unit, double quantum) { return force_unit * 1e4 * quantum; }

JointTracks::JointTracks(const World& world, double quantum, double force_unit)
    : quantum_(quantum), force_unit_(force_unit), torque_unit_(torque_unit(force_unit, quantum)) {
  for (const JointId id : described_joints(world)) tracks_.push_back({id, free_coordinates(world.joint(id).description), {}});
}

void JointTracks::add_frame(const World& world, const StepReport& report) {
  if (frames_++ % stride_ != 0) return;
  const JointSamples samples(world, report);
  std::size_t numbers = 0;
  for (Track& t : tracks_) {
    const JointSample s = samples.of(t.id);
    numbers += t.channels() * (kept_ + 1);
    if (s.state == JointState::absent && kept_ > 0) {   // as it was last
      std::vector<std::int64_t> last(t.numbers.end() - static_cast<std::ptrdiff_t>(t.channels()), t.numbers.end());
      last[0] = static_cast<int>(JointState::absent);
      t.numbers.insert(t.numbers.end(), last.begin(), last.end());
      continue;
    }
    const auto add = [&](double value) { t.numbers.push_back(rounded(value)); };
    add(static_cast<int>(s.state));
    add(s.error / quantum_ * kErrorsPerQuantum);
    for (const double x : s.force) add(x * 1000 / force_unit_);
    for (const double x : s.torque) add(x * 1000 / torque_unit_);
    add(s.coupling_force * 1000 / force_unit_);
    for (const int c : t.free) {
      const auto i = static_cast<std::size_t>(c);
      add(is_turn(c) ? s.position[i] * kAnglesPerRadian : s.position[i] / quantum_);
      add(s.velocity[i] * kSpeeds);
      add(s.motor_force[i] * 1000 / (is_turn(c) ? torque_unit_ : force_unit_));
    }
  }
  ++kept_;
  if (numbers > kMostNumbers && kept_ > 1) thin_out();
}

/// Long runs keep the joints of fewer frames.
void JointTracks::thin_out() {
  for (Track& t : tracks_) {
    const std::size_t width = t.channels();
    for (std::size_t k = 0; 2 * k < kept_; ++k)
      std::copy_n(t.numbers.begin() + static_cast<std::ptrdiff_t>(2 * k * width), width,
                  t.numbers.begin() + static_cast<std::ptrdiff_t>(k * width));
    t.numbers.resize((kept_ + 1) / 2 * width);
  }
  kept_ = (kept_ + 1) / 2;
  stride_ *= 2;
}

void JointTracks::append_to(std::string& out) const {
  for (const Track& t : tracks_)
    for (std::size_t channel = 0; channel < t.channels(); ++channel) {
      std::int64_t before = 0;
      for (std::size_t at = channel; at < t.numbers.size(); at += t.channels()) {
        put_varint(out, t.numbers[at] - before);
        before = t.numbers[at];
      }
    }
}

}   // namespace stickslip
