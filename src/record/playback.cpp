#include "stickslip/record/playback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "record/columns.h"
#include "record/repair.h"
#include "record/telemetry.h"
#include "record/trajectory_states.h"
#include "stickslip/math/error.h"
#include "store/hdf5.h"

namespace stickslip {

namespace {

using h5::Handle;

/// A dataset of which rows are read.
class Rows {
 public:
  Rows() = default;
  Rows(hid_t file, const std::string& path) : dataset_(h5::open_dataset(file, path)), extent_(h5::extent_of(dataset_.get())) {}

  hsize_t count() const { return extent_.empty() ? 0 : extent_[0]; }
  /// Numbers of a row.
  std::size_t width() const {
    std::size_t product = 1;
    for (std::size_t k = 1; k < extent_.size(); ++k) product *= extent_[k];
    return product;
  }

  template <class T>
  void read(hsize_t first, hsize_t rows, std::vector<T>& out) const {
    out.resize(rows * width());
    if (out.empty()) return;
    std::vector<hsize_t> start(extent_.size(), 0), size = extent_;
    start[0] = first, size[0] = rows;
    const Handle file_space(H5Dget_space(dataset_.get()), H5Sclose);
    h5::check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr), "read a row");
    const Handle memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    h5::check(H5Dread(dataset_.get(), h5::native_type<T>(), memory.get(), file_space.get(), H5P_DEFAULT, out.data()),
              "read a row");
  }

 private:
  Handle dataset_;
  h5::Extent extent_;
};

/// The scene of a trajectory, with the world that it began with: as it was stored, or, in older files, made from the document.
Scene scene_of_trajectory(hid_t file, const std::string& path) {
  if (!h5::exists(file, "scene_document") || !h5::exists(file, "position"))
    throw Error("This is no trajectory. 'stickslip run wall -o run.h5' writes one.");
  if (std::optional<Scene> start = read_start_state(file)) return std::move(*start);
  const std::string document = h5::read_text(file, "scene_document");
  if (document.empty() || document == "{}")
    throw Error("This trajectory does not hold the scene that it is of. It was made without a scene document, from C++.");
  return parse_scene(document, path);
}

Vec3 vector_at(const std::vector<double>& numbers, std::size_t row) {
  return {numbers[3 * row], numbers[3 * row + 1], numbers[3 * row + 2]};
}

using Put = void (*)(StepReport&, double);
using Told = StepReport&;

/// Where the numbers of `telemetry_columns` come from that are not counted from contacts and joints.
const std::map<std::string_view, Put>& puts() {
  static const std::map<std::string_view, Put> table = {
      {"h", [](Told r, double x) { r.h = x; }},
      {"pieces", [](Told r, double x) { r.pieces = static_cast<int>(x); }},
      {"force_time", [](Told r, double x) { r.force_time = x; }},
      {"sleeping_bodies", [](Told r, double x) { r.sleeping_bodies = static_cast<std::size_t>(x); }},
      {"looked_again", [](Told r, double x) { r.looked_again = static_cast<int>(x); }},
      {"impacts", [](Told r, double x) { r.impacts = static_cast<int>(x); }},
      {"penetration_max", [](Told r, double x) { r.penetration_max = x; }},
      {"distance_min", [](Told r, double x) { r.distance_min = x; }},
      {"joint_conflicts", [](Told r, double x) { r.conflicts.resize(static_cast<std::size_t>(x)); }},
      {"joint_error_max", [](Told r, double x) { r.joint_error_max = x; }},
      {"status", [](Told r, double x) { r.outcome.status = static_cast<SolveStatus>(static_cast<int>(x)); }},
      {"iterations", [](Told r, double x) { r.outcome.iterations = static_cast<int>(x); }},
      {"tolerance", [](Told r, double x) { r.outcome.tolerance = x; }},
      {"residual", [](Told r, double x) { r.outcome.error = x; }},
      {"residual_gap_velocity", [](Told r, double x) { r.solve->residual.gap_velocity = x; }},
      {"residual_complementarity", [](Told r, double x) { r.solve->residual.complementarity = x; }},
      {"residual_cone", [](Told r, double x) { r.solve->residual.cone = x; }},
      {"residual_dissipation", [](Told r, double x) { r.solve->residual.dissipation = x; }},
      {"residual_bilateral", [](Told r, double x) { r.solve->residual.bilateral = x; }},
      {"residual_box", [](Told r, double x) { r.solve->residual.box = x; }},
      {"residual_initial",
       [](Told r, double x) { r.solve->initial_residual.gap_velocity = x; }},   // its total is what is recorded
      {"kinetic_energy", [](Told r, double x) { r.energy.kinetic_end = x; }},
      {"potential_energy", [](Told r, double x) { r.energy.potential_end = x; }},
      {"dissipated_by_friction", [](Told r, double x) { r.energy.friction = x; }},
      {"dissipated_by_impact", [](Told r, double x) { r.energy.impact = x; }},
      {"added_by_stabilisation", [](Told r, double x) { r.energy.stabilisation = x; }},
      {"work_of_applied_forces", [](Told r, double x) { r.energy.applied = x; }},
      {"work_of_kinematic_bodies", [](Told r, double x) { r.energy.driven = x; }},
      {"work_of_motors", [](Told r, double x) { r.energy.motors = x; }},
      {"work_of_springs", [](Told r, double x) { r.energy.springs = x; }},
      {"dissipated_by_damping", [](Told r, double x) { r.energy.damping = x; }},
      {"added_by_integration", [](Told r, double x) { r.energy.integration = x; }},
      {"motion_findings", [](Told r, double x) { r.findings.resize(static_cast<std::size_t>(x)); }},
      {"energy_created", [](Told r, double x) { r.motion.value[static_cast<std::size_t>(MotionKind::energy_created)] = x; }},
      {"rebound_missed", [](Told r, double x) { r.motion.value[static_cast<std::size_t>(MotionKind::rebound_missed)] = x; }},
      {"overlap_max", [](Told r, double x) { r.motion.value[static_cast<std::size_t>(MotionKind::deep_overlap)] = x; }},
      {"joint_opening_max", [](Told r, double x) { r.motion.value[static_cast<std::size_t>(MotionKind::joint_open)] = x; }},
      {"turn_max", [](Told r, double x) { r.motion.value[static_cast<std::size_t>(MotionKind::fast_spin)] = x; }},
      {"jam", [](Told r, double x) { r.motion.value[static_cast<std::size_t>(MotionKind::jam)] = x; }},
      {"momentum_x", [](Told r, double x) { r.linear_momentum.x() = x; }},
      {"momentum_y", [](Told r, double x) { r.linear_momentum.y() = x; }},
      {"momentum_z", [](Told r, double x) { r.linear_momentum.z() = x; }},
      {"angular_momentum_x", [](Told r, double x) { r.angular_momentum.x() = x; }},
      {"angular_momentum_y", [](Told r, double x) { r.angular_momentum.y() = x; }},
      {"angular_momentum_z", [](Told r, double x) { r.angular_momentum.z() = x; }},
      {"seconds_broad", [](Told r, double x) { r.seconds.broad = x; }},
      {"seconds_narrow", [](Told r, double x) { r.seconds.narrow = x; }},
      {"seconds_assembly", [](Told r, double x) { r.seconds.assembly = x; }},
      {"seconds_solve", [](Told r, double x) { r.seconds.solve = x; }},
      {"seconds_integration", [](Told r, double x) { r.seconds.integration = x; }},
      {"seconds_projection", [](Told r, double x) { r.seconds.projection = x; }},
      {"seconds_bookkeeping", [](Told r, double x) { r.seconds.bookkeeping = x; }},
  };
  return table;
}

}   // namespace

struct Playback::Impl {
  Handle file;
  Scene scene;
  StepReport report;
  BodyColumns bodies;
  JointColumns joints;
  std::vector<double> times;
  std::vector<std::uint64_t> steps;

  Rows position, orientation, velocity, angular_velocity, asleep, alive, node_position, node_velocity;
  struct {
    std::vector<std::uint64_t> offset;
    Rows body_a, body_b, position, normal, gap, impulse, friction, slip_velocity, angular_impulse;
    Rows collider_a, collider_b, parts, feature;   ///< since version 5
    Rows outline_offset, outline, volume;          ///< since version 4
    bool has_keys = false, has_outlines = false;
  } contacts;
  struct {
    Rows alive, broken, position, velocity, force, torque, motor_force, coupling_force, error;
  } joint;
  std::vector<std::pair<Put, std::vector<double>>> telemetry;
  std::vector<double> told_steps;   ///< numbers of the steps that telemetry tells about
  bool has_solves = false;

  std::vector<double> numbers_, more_, still_more_, last_;   ///< scratch
  std::vector<std::uint8_t> flags_, other_flags_;

  explicit Impl(const std::filesystem::path& path);
  void open_contacts();
  void open_joints();
  void open_telemetry();

  void place_bodies(hsize_t frame);
  void place_nodes(hsize_t frame);
  void tell_joints(hsize_t frame);
  void tell_contacts(hsize_t frame);
  void tell_outlines(hsize_t first, hsize_t count);
  void tell_telemetry();
};

Playback::Impl::Impl(const std::filesystem::path& path) : file(h5::open_grown(path)) {
  scene = scene_of_trajectory(file.get(), path.string());
  bodies.add_new(scene.world);
  joints.add_new(scene.world);
  times = h5::read_list<double>(file.get(), "time");   // written last: these frames are whole
  steps = h5::read_list<std::uint64_t>(file.get(), "step");
  steps.resize(std::min(steps.size(), times.size()));
  if (times.empty() || steps.size() < times.size()) throw Error("This trajectory has no frame that is whole.");
  position = Rows(file.get(), "position");
  orientation = Rows(file.get(), "orientation_wxyz");
  velocity = Rows(file.get(), "velocity");
  angular_velocity = Rows(file.get(), "angular_velocity");
  asleep = Rows(file.get(), "asleep");
  alive = Rows(file.get(), "alive");
  if (position.width() < 3 * bodies.size())
    throw Error(fmt::format("This trajectory has {} bodies and its scene {}: they do not belong together.",
                            position.width() / 3, bodies.size()));
  if (scene.world.node_count() > 0) {
    node_position = Rows(file.get(), "nodes/position");
    node_velocity = Rows(file.get(), "nodes/velocity");
  }
  open_contacts();
  open_joints();
  open_telemetry();
}

void Playback::Impl::open_contacts() {
  const auto rows = [&](const char* name) { return Rows(file.get(), std::string("contacts/") + name); };
  contacts.offset = h5::read_list<std::uint64_t>(file.get(), "contacts/offset");
  contacts.body_a = rows("body_a"), contacts.body_b = rows("body_b");
  contacts.position = rows("position"), contacts.normal = rows("normal"), contacts.gap = rows("gap");
  contacts.impulse = rows("impulse"), contacts.friction = rows("friction");
  contacts.slip_velocity = rows("slip_velocity"), contacts.angular_impulse = rows("angular_impulse");
  contacts.has_keys = h5::exists(file.get(), "contacts/feature");
  if (contacts.has_keys) {
    contacts.collider_a = rows("collider_a"), contacts.collider_b = rows("collider_b");
    contacts.parts = rows("parts"), contacts.feature = rows("feature");
  }
  contacts.has_outlines = h5::exists(file.get(), "contacts/outline");
  if (contacts.has_outlines)
    contacts.outline_offset = rows("outline_offset"), contacts.outline = rows("outline"), contacts.volume = rows("volume");
}

void Playback::Impl::open_joints() {
  if (joints.size() == 0) return;
  const auto rows = [&](const char* name) { return Rows(file.get(), std::string("joints/") + name); };
  joint = {rows("alive"),  rows("broken"),      rows("position"),       rows("velocity"), rows("force"),
           rows("torque"), rows("motor_force"), rows("coupling_force"), rows("error")};
}

void Playback::Impl::open_telemetry() {
  told_steps = h5::read_list<double>(file.get(), "telemetry/step");
  for (const auto& [name, put] : puts()) {
    const std::string path = fmt::format("telemetry/{}", name);
    if (h5::exists(file.get(), path)) telemetry.emplace_back(put, h5::read_list<double>(file.get(), path));
  }
  const std::string initial = "telemetry/residual_initial";
  has_solves = h5::exists(file.get(), initial) &&
               std::ranges::any_of(h5::read_list<double>(file.get(), initial), [](double x) { return std::isfinite(x); });
}

void Playback::Impl::place_bodies(hsize_t frame) {
  position.read(frame, 1, numbers_);
  orientation.read(frame, 1, more_);
  velocity.read(frame, 1, still_more_);
  angular_velocity.read(frame, 1, last_);
  asleep.read(frame, 1, flags_);
  alive.read(frame, 1, other_flags_);
  for (std::size_t column = 0; column < bodies.size(); ++column) {
    Body& body = scene.world.mutable_bodies()[bodies.ids()[column].index];
    body.alive = other_flags_[column] != 0;
    if (!body.alive) continue;
    body.position = vector_at(numbers_, column);
    body.orientation = Quat(more_[4 * column], more_[4 * column + 1], more_[4 * column + 2], more_[4 * column + 3]);
    body.velocity = vector_at(still_more_, column);
    body.angular_velocity = vector_at(last_, column);
    body.asleep = flags_[column] != 0;
  }
}

void Playback::Impl::place_nodes(hsize_t frame) {
  if (scene.world.node_count() == 0) return;
  node_position.read(frame, 1, numbers_);
  node_velocity.read(frame, 1, more_);
  std::size_t next = 0;
  for (const BodyId id : bodies.ids()) {
    const Body& body = scene.world.bodies()[id.index];
    if (body.is_rigid()) continue;
    NodalBody& nodes = scene.world.mutable_nodal_bodies()[body.place];
    for (std::size_t i = 0; i < nodes.size() && 3 * next + 2 < numbers_.size(); ++i, ++next) {
      nodes.positions[i] = vector_at(numbers_, next);
      nodes.velocities[i] = vector_at(more_, next);
    }
  }
}

void Playback::Impl::tell_joints(hsize_t frame) {
  if (joints.size() == 0) return;
  std::vector<double> place, rate, force, torque, motor, coupling, error;
  joint.alive.read(frame, 1, flags_);
  joint.broken.read(frame, 1, other_flags_);
  joint.position.read(frame, 1, place), joint.velocity.read(frame, 1, rate);
  joint.force.read(frame, 1, force), joint.torque.read(frame, 1, torque);
  joint.motor_force.read(frame, 1, motor), joint.coupling_force.read(frame, 1, coupling), joint.error.read(frame, 1, error);
  for (std::size_t column = 0; column < joints.size(); ++column) {
    Joint& here = scene.world.mutable_joints()[joints.ids()[column].index];
    const bool was_broken = here.broken;
    here.alive = flags_[column] != 0;
    here.broken = other_flags_[column] != 0;
    JointRecord record;
    record.joint = joints.ids()[column];
    record.force = vector_at(force, column), record.torque = vector_at(torque, column);
    record.coupling_force = coupling[column], record.error = error[column];
    record.broke = here.broken && !was_broken;
    double sum = record.force.norm() + record.torque.norm() + std::abs(record.coupling_force) + std::abs(record.error);
    for (std::size_t c = 0; c < kJointCoordinates; ++c) {
      const std::size_t at = kJointCoordinates * column + c;
      record.position[c] = place[at], record.velocity[c] = rate[at], record.motor_force[c] = motor[at];
      sum += std::abs(motor[at]);
    }
    // What exerts nothing at all took no part in the step.
    if (here.alive && frame > 0 && sum > 0) report.joints.push_back(record);
  }
}

void Playback::Impl::tell_contacts(hsize_t frame) {
  const hsize_t first = contacts.offset.at(frame), count = contacts.offset.at(frame + 1) - first;
  if (count == 0) return;
  std::vector<std::uint32_t> a, b, collider_a, collider_b;
  std::vector<std::uint64_t> parts, feature;
  std::vector<double> place, normal, gap, impulse, friction, slip, angular;
  contacts.body_a.read(first, count, a), contacts.body_b.read(first, count, b);
  contacts.position.read(first, count, place), contacts.normal.read(first, count, normal);
  contacts.gap.read(first, count, gap), contacts.impulse.read(first, count, impulse);
  contacts.friction.read(first, count, friction), contacts.slip_velocity.read(first, count, slip);
  contacts.angular_impulse.read(first, count, angular);
  if (contacts.has_keys) {
    contacts.collider_a.read(first, count, collider_a), contacts.collider_b.read(first, count, collider_b);
    contacts.parts.read(first, count, parts), contacts.feature.read(first, count, feature);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (a[i] >= bodies.size() || b[i] >= bodies.size()) continue;   // came later
    ContactRecord c{};
    c.body_a = bodies.ids()[a[i]], c.body_b = bodies.ids()[b[i]];
    c.position = vector_at(place, i), c.normal = vector_at(normal, i), c.gap = gap[i];
    c.impulse = vector_at(impulse, i), c.normal_impulse = c.impulse.dot(c.normal), c.friction = friction[i];
    c.slip_velocity = vector_at(slip, i), c.angular_impulse = vector_at(angular, i);
    const Body &body_a = scene.world.bodies()[c.body_a.index], &body_b = scene.world.bodies()[c.body_b.index];
    if (contacts.has_keys) {
      c.key.a = collider_a[i], c.key.b = collider_b[i], c.key.parts = parts[i], c.key.feature = feature[i];
      if (std::max(c.key.a, c.key.b) >= scene.world.colliders().size())
        throw Error("A contact names a shape that is not there.");
    } else if (body_a.is_rigid() && body_b.is_rigid()) {
      c.key.a = body_a.colliders.front(), c.key.b = body_b.colliders.front();
    } else {
      continue;   // where on the nodes it is, older files do not say
    }
    report.contacts.push_back(std::move(c));
  }
  if (contacts.has_outlines && report.contacts.size() == count) tell_outlines(first, count);
}

void Playback::Impl::tell_outlines(hsize_t first, hsize_t count) {
  std::vector<std::uint64_t> offset;
  std::vector<double> corners, volume;
  contacts.outline_offset.read(first, count + 1, offset);
  if (offset.back() == offset.front()) return;
  contacts.outline.read(offset.front(), offset.back() - offset.front(), corners);
  contacts.volume.read(first, count, volume);
  for (std::size_t i = 0; i < count; ++i) {
    if (offset[i] == offset[i + 1]) continue;
    auto outline = std::make_shared<ContactOutline>();
    outline->volume = volume[i];
    for (std::uint64_t c = offset[i]; c < offset[i + 1]; ++c)
      outline->corners.push_back(vector_at(corners, static_cast<std::size_t>(c - offset.front())));
    report.contacts[i].outline = std::move(outline);
  }
}

void Playback::Impl::tell_telemetry() {
  const auto found = std::ranges::lower_bound(told_steps, static_cast<double>(report.step));
  if (found == told_steps.end() || *found != static_cast<double>(report.step)) return;
  report.solve.emplace();
  const auto row = static_cast<std::size_t>(found - told_steps.begin());
  for (const auto& [put, values] : telemetry)
    if (row < values.size()) put(report, values[row]);
  if (!has_solves) report.solve.reset();
}

bool is_trajectory(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    h5::Quiet quiet;
    const Handle file = h5::open_grown(path);
    return h5::read_text_attribute(file.get(), "format") == "stickslip-trajectory";
  } catch (const Error&) {
    return false;
  }
}

Playback::Playback(const std::filesystem::path& path) {
  try {
    impl_ = std::make_unique<Impl>(path);
    show(0);
  } catch (Error& error) {
    throw error.in(path.string());
  }
}
Playback::~Playback() = default;
Playback::Playback(Playback&&) noexcept = default;
Playback& Playback::operator=(Playback&&) noexcept = default;

const Scene& Playback::scene() const { return impl_->scene; }
std::size_t Playback::frames() const { return impl_->times.size(); }
double Playback::time(std::size_t frame) const { return impl_->times.at(frame); }

const StepReport& Playback::show(std::size_t frame) {
  Impl& all = *impl_;
  all.report = {};
  all.report.step = all.scene.world.step_count = all.steps.at(frame);
  all.report.time = all.scene.world.time = all.times.at(frame);
  all.place_bodies(frame);
  all.place_nodes(frame);
  all.tell_joints(frame);
  if (frame == 0) return all.report;
  all.tell_contacts(frame);
  all.tell_telemetry();
  return all.report;
}

}   // namespace stickslip
