#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <list>

#include "record/contact_features.h"
#include "record/description.h"
#include "record/disk_driver.h"
#include "record/frame_clock.h"
#include "record/growing_dataset.h"
#include "record/mesh_drawing.h"
#include "record/telemetry.h"
#include "record/trajectory_joints.h"
#include "record/trajectory_meshes.h"
#include "record/trajectory_nodes.h"
#include "record/trajectory_states.h"
#include "record/writers.h"
#include "stickslip/geometry/shape_fields.h"
#include "stickslip/math/error.h"
#include "store/staged_file.h"

namespace stickslip {

namespace {

using h5::GrowingDataset;
using h5::Handle;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kChunkBytes = 256 << 10;   // aimed at for one chunk of frames

/// docs/records.md describes the layout. A column stands for one body, however its slot is reused later.
class Trajectory final : public Recorder {
 public:
  Trajectory(std::filesystem::path path, const RecordOptions& options) : path_(std::move(path)), options_(options) {}
  ~Trajectory() override { close(); }

  void begin(const Scene& scene) override {
    guarded([&] {
      StagedFile staged(path_);
      create(staged.path().string(), scene);
      frames_ = FrameClock(options_, scene.world.time);
      StepReport before;
      before.step = scene.world.step_count;
      write_frame(scene.world, before);
      flush();
      file_.let_others_read();
      staged.commit();
    });
  }

  void record(const World& world, const StepReport& report) override {
    guarded([&] {
      auto column = telemetry_.begin();
      for (const TelemetryColumn& source : telemetry_columns()) (column++)->push(source.value(report));
      write_sensors(world, report);
      if (frames_.is_due(report)) write_frame(world, report);
      for (GrowingDataset* d : all_) d->write_full_chunks();
      if (!flush_is_due()) return;
      flush();
      if (states_.is_due(options_.flush_interval)) states_.write_last(world);
    });
  }

  void finish_at(const World& world) override {
    if (!file_) return;
    guarded([&] { states_.write_last(world); });
    finish();
  }

  void finish() override {
    if (!file_) return;
    guarded([&] {
      flush();
      if (!close()) file_.check_disk();
      wait_for_disk(path_);
    });
  }

 private:
  /// Names the file in every error, and closes it after one: what was flushed stays readable.
  template <class Action>
  void guarded(Action action) {
    try {
      action();
      file_.check_disk();
    } catch (Error& error) {
      close();
      throw error.in(path_.string());
    }
  }

  /// Less often the longer the run: a chunk that is flushed half full wastes space.
  bool flush_is_due() const {
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> since = now - last_flush_, age = now - opened_;
    return since.count() >= options_.flush_interval * std::max(1.0, age.count() / 20);
  }

  void create(const std::string& file, const Scene& scene);
  void create_frames(hsize_t bodies);
  void create_contacts();
  void create_bodies();
  void create_telemetry();
  void create_sensors(const Scene&);
  void write_sensors(const World&, const StepReport&);

  GrowingDataset* add(GrowingDataset& dataset, hid_t parent, const char* name, hid_t type, GrowingDataset::Layout layout,
                      std::string_view unit = "") {
    dataset = GrowingDataset(parent, name, type, std::move(layout));
    if (!unit.empty()) h5::write_attribute(dataset.id(), "unit", unit);
    all_.push_back(&dataset);
    return &dataset;
  }

  void write_frame(const World&, const StepReport&);
  void write_contact(const World&, const ContactRecord&);
  void add_new_bodies(const World&);
  void add_body(const World&, std::uint32_t column);
  void add_shapes(const World&, const Body&, std::uint32_t column);
  void flush();
  bool close() noexcept;

  std::filesystem::path path_;
  RecordOptions options_;
  h5::GrowingFile file_;
  std::vector<GrowingDataset*> all_;   ///< every dataset below

  GrowingDataset step_, time_, position_, orientation_, velocity_, angular_velocity_, asleep_, alive_;
  struct {
    GrowingDataset offset, body_a, body_b, position, normal, gap, impulse, friction, slip_velocity, angular_impulse;
    GrowingDataset collider_a, collider_b, parts, feature;
    GrowingDataset touch, facet_a, facet_b, outline_offset, outline, center_of_pressure, volume;
  } contacts_;
  struct {
    GrowingDataset name, motion, kind, mass, center_of_mass, colour;
  } bodies_;
  struct {
    GrowingDataset body, kind, size, position, orientation, first_vertex, vertex_count, vertices, mesh, colour;
  } shapes_;
  MeshDatasets meshes_;
  NodeDatasets nodes_;
  JointDatasets joints_;
  std::list<GrowingDataset> telemetry_;
  SensorReader reader_;
  std::list<GrowingDataset> sensors_;   ///< a dataset for each, of one row for every step
  TrajectoryStates states_;

  BodyColumns columns_;
  std::size_t name_length_ = kNameLength;
  std::uint64_t contact_count_ = 0, corner_count_ = 0;   ///< corner_count_: of outlines
  FrameClock frames_{{}, 0};
  Clock::time_point opened_ = Clock::now(), last_flush_ = opened_;
};

void Trajectory::create(const std::string& file, const Scene& scene) {
  file_ = h5::GrowingFile(file);
  const hid_t root = file_.id();
  h5::write_attribute(root, "format", "stickslip-trajectory");
  h5::write_attribute(root, "version", std::uint64_t{7});
  h5::write_attribute(root, "scene", scene.name);
  h5::write_attribute(root, "description", scene.description);
  h5::write_attribute(root, "solver", scene.step.solver);
  h5::write_attribute(root, "scheme", scheme_name(scene.step.scheme));
  h5::write_attribute(root, "h", scene.step.h);
  h5::write_attribute(root, "frames_per_second",
                      options_.frames_per_second > 0 ? options_.frames_per_second : 1 / scene.step.h);
  const std::string document = scene.document.empty() ? "{}" : scene.document;
  h5::write_values(root, "scene_document", h5::text_type(document.size()).get(), document.data(), {});

  for (const Body& body : scene.world.bodies()) name_length_ = std::max(name_length_, body.name.size());
  create_frames(std::max<hsize_t>(1, scene.world.body_count()));
  create_contacts();
  create_bodies();
  meshes_.create(root, all_);
  nodes_.create(root, scene.world, all_);
  joints_.create(root, scene.world, all_);
  create_telemetry();
  create_sensors(scene);
  states_.create(root, scene);
}

void Trajectory::create_frames(hsize_t bodies) {
  const hid_t root = file_.id();
  const hsize_t columns = std::min<hsize_t>(bodies, 8192);
  const hsize_t rows = std::clamp<hsize_t>(kChunkBytes / (columns * 3 * sizeof(double)), 1, 64);
  const GrowingDataset::Layout vector{{3}, rows, columns}, quaternion{{4}, rows, columns}, flag{{}, rows, columns};
  add(step_, root, "step", H5T_NATIVE_UINT64, {.item = {}, .compressed = false});
  add(time_, root, "time", H5T_NATIVE_DOUBLE, {.item = {}, .compressed = false}, "s");
  add(position_, root, "position", H5T_NATIVE_DOUBLE, vector, "m");
  add(orientation_, root, "orientation_wxyz", H5T_NATIVE_DOUBLE, quaternion);
  add(velocity_, root, "velocity", H5T_NATIVE_DOUBLE, vector, "m/s");
  add(angular_velocity_, root, "angular_velocity", H5T_NATIVE_DOUBLE, vector, "rad/s");
  add(asleep_, root, "asleep", H5T_NATIVE_UINT8, flag);
  add(alive_, root, "alive", H5T_NATIVE_UINT8, flag);
}

void Trajectory::create_contacts() {
  const Handle group = h5::create_group(file_.id(), "contacts");
  const hid_t in = group.get();
  const GrowingDataset::Layout scalar{{}, 8192}, vector{{3}, 8192};
  add(contacts_.offset, in, "offset", H5T_NATIVE_UINT64, {.item = {}, .compressed = false});
  add(contacts_.body_a, in, "body_a", H5T_NATIVE_UINT32, scalar);
  add(contacts_.body_b, in, "body_b", H5T_NATIVE_UINT32, scalar);
  add(contacts_.position, in, "position", H5T_NATIVE_DOUBLE, vector, "m");
  add(contacts_.normal, in, "normal", H5T_NATIVE_DOUBLE, vector);
  add(contacts_.gap, in, "gap", H5T_NATIVE_DOUBLE, scalar, "m");
  add(contacts_.impulse, in, "impulse", H5T_NATIVE_DOUBLE, vector, "N s");
  add(contacts_.friction, in, "friction", H5T_NATIVE_DOUBLE, scalar);
  add(contacts_.slip_velocity, in, "slip_velocity", H5T_NATIVE_DOUBLE, vector, "m/s");
  add(contacts_.angular_impulse, in, "angular_impulse", H5T_NATIVE_DOUBLE, vector, "N m s");
  add(contacts_.collider_a, in, "collider_a", H5T_NATIVE_UINT32, scalar);
  add(contacts_.collider_b, in, "collider_b", H5T_NATIVE_UINT32, scalar);
  add(contacts_.parts, in, "parts", H5T_NATIVE_UINT64, scalar);
  add(contacts_.feature, in, "feature", H5T_NATIVE_UINT64, scalar);
  add(contacts_.touch, in, "touch", H5T_NATIVE_UINT8, scalar);
  add(contacts_.facet_a, in, "facet_a", H5T_NATIVE_UINT32, scalar);
  add(contacts_.facet_b, in, "facet_b", H5T_NATIVE_UINT32, scalar);
  add(contacts_.outline_offset, in, "outline_offset", H5T_NATIVE_UINT64, scalar);
  add(contacts_.outline, in, "outline", H5T_NATIVE_DOUBLE, vector, "m");
  add(contacts_.center_of_pressure, in, "center_of_pressure", H5T_NATIVE_DOUBLE, vector, "m");
  add(contacts_.volume, in, "volume", H5T_NATIVE_DOUBLE, scalar, "m^3");
  contacts_.offset.push(std::uint64_t{0});
  contacts_.outline_offset.push(std::uint64_t{0});
}

void Trajectory::create_bodies() {
  const GrowingDataset::Layout scalar{{}, 256}, vector{{3}, 256}, quaternion{{4}, 256};
  const GrowingDataset::Layout colour{{4}, 256};
  const Handle bodies = h5::create_group(file_.id(), "bodies");
  add(bodies_.name, bodies.get(), "name", h5::text_type(name_length_).get(), scalar);
  add(bodies_.motion, bodies.get(), "motion", h5::text_type(kKindLength).get(), scalar);
  add(bodies_.kind, bodies.get(), "kind", h5::text_type(kKindLength).get(), scalar);
  add(bodies_.mass, bodies.get(), "mass", H5T_NATIVE_DOUBLE, scalar, "kg");
  add(bodies_.center_of_mass, bodies.get(), "center_of_mass", H5T_NATIVE_DOUBLE, vector, "m");
  add(bodies_.colour, bodies.get(), "colour", H5T_NATIVE_UINT8, colour);
  const Handle shapes = h5::create_group(file_.id(), "shapes");
  add(shapes_.body, shapes.get(), "body", H5T_NATIVE_UINT32, scalar);
  add(shapes_.kind, shapes.get(), "kind", h5::text_type(kKindLength).get(), scalar);
  add(shapes_.size, shapes.get(), "size", H5T_NATIVE_DOUBLE, vector, "m");
  add(shapes_.position, shapes.get(), "position", H5T_NATIVE_DOUBLE, vector, "m");
  add(shapes_.orientation, shapes.get(), "orientation_wxyz", H5T_NATIVE_DOUBLE, quaternion);
  add(shapes_.first_vertex, shapes.get(), "first_vertex", H5T_NATIVE_UINT64, scalar);
  add(shapes_.vertex_count, shapes.get(), "vertex_count", H5T_NATIVE_UINT64, scalar);
  add(shapes_.vertices, shapes.get(), "vertices", H5T_NATIVE_DOUBLE, vector, "m");
  add(shapes_.mesh, shapes.get(), "mesh", H5T_NATIVE_INT32, scalar);
  add(shapes_.colour, shapes.get(), "colour", H5T_NATIVE_UINT8, colour);
}

void Trajectory::create_telemetry() {
  const Handle group = h5::create_group(file_.id(), "telemetry");
  for (const TelemetryColumn& column : telemetry_columns()) {
    GrowingDataset& dataset = telemetry_.emplace_back();
    add(dataset, group.get(), std::string(column.name).c_str(), H5T_NATIVE_DOUBLE, {.item = {}, .compressed = false},
        column.unit);
    h5::write_attribute(dataset.id(), "meaning", column.meaning);
  }
}

void Trajectory::create_sensors(const Scene& scene) {
  reader_ = SensorReader(scene.world, scene.sensors);
  const Handle group = h5::create_group(file_.id(), "sensors");
  const auto channels = reader_.channels();
  for (std::size_t i = 0, first = 0; i < reader_.sensors().size(); ++i) {
    const Sensor& sensor = reader_.sensors()[i];
    std::string quantities, units;
    std::size_t count = 0;
    for (; first + count < channels.size() && channels[first + count].sensor == i; ++count) {
      quantities += fmt::format("{}{}", count > 0 ? ", " : "", channels[first + count].quantity);
      units += fmt::format("{}{}", count > 0 ? ", " : "", channels[first + count].unit);
    }
    first += count;
    GrowingDataset& dataset = sensors_.emplace_back();
    add(dataset, group.get(), sensor.name.c_str(), H5T_NATIVE_DOUBLE, {.item = {count}, .compressed = false}, units);
    h5::write_attribute(dataset.id(), "type", sensor_type_name(sensor));
    h5::write_attribute(dataset.id(), "quantities", quantities);
  }
}

void Trajectory::write_sensors(const World& world, const StepReport& report) {
  if (sensors_.empty()) return;
  const auto values = reader_.read(world, report);
  auto dataset = sensors_.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && reader_.channels()[i].sensor != reader_.channels()[i - 1].sensor) ++dataset;
    dataset->push(values[i]);
  }
}

void Trajectory::write_frame(const World& world, const StepReport& report) {
  add_new_bodies(world);
  step_.push(report.step);
  time_.push(world.time);
  const Body absent = [] {
    Body body;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    body.position = body.velocity = body.angular_velocity = Vec3::Constant(nan);
    body.orientation.coeffs().setConstant(nan);
    return body;
  }();
  for (const BodyId id : columns_.ids()) {
    const bool here = world.contains(id);
    const Body& body = here ? world.bodies()[id.index] : absent;
    position_.push(body.position);
    orientation_.push_wxyz(body.orientation);
    velocity_.push(body.velocity);
    angular_velocity_.push(body.angular_velocity);
    asleep_.push(static_cast<std::uint8_t>(body.asleep));
    alive_.push(static_cast<std::uint8_t>(here));
  }
  for (const ContactRecord& contact : report.contacts) write_contact(world, contact);
  contact_count_ += report.contacts.size();
  contacts_.offset.push(contact_count_);
  nodes_.write_frame(world);
  joints_.write_frame(world, report, columns_);
}

void Trajectory::write_contact(const World& world, const ContactRecord& contact) {
  contacts_.body_a.push(columns_.of_slot(contact.body_a.index));
  contacts_.body_b.push(columns_.of_slot(contact.body_b.index));
  contacts_.position.push(contact.position);
  contacts_.normal.push(contact.normal);
  contacts_.gap.push(contact.gap);
  contacts_.impulse.push(contact.impulse);
  contacts_.friction.push(contact.friction);
  contacts_.slip_velocity.push(contact.slip_velocity);
  contacts_.angular_impulse.push(contact.angular_impulse);
  contacts_.collider_a.push(contact.key.a);
  contacts_.collider_b.push(contact.key.b);
  contacts_.parts.push(contact.key.parts);
  contacts_.feature.push(contact.key.feature);
  const ContactFeatures features = features_of(world, contact);
  contacts_.touch.push(static_cast<std::uint8_t>(features.touch));
  contacts_.facet_a.push(features.facet_a);
  contacts_.facet_b.push(features.facet_b);
  if (contact.outline)
    for (const Vec3& corner : contact.outline->corners) contacts_.outline.push(corner);
  corner_count_ += contact.outline ? contact.outline->corners.size() : 0;
  contacts_.outline_offset.push(corner_count_);
  contacts_.center_of_pressure.push(contact.center_of_pressure());
  contacts_.volume.push(contact.outline ? contact.outline->volume : 0.0);
}

void Trajectory::add_new_bodies(const World& world) {
  const std::size_t known = columns_.size();
  columns_.add_new(world);
  for (std::size_t i = known; i < columns_.size(); ++i) add_body(world, static_cast<std::uint32_t>(i));
  for (GrowingDataset* d : {&position_, &orientation_, &velocity_, &angular_velocity_, &asleep_, &alive_})
    d->set_columns(columns_.size());
}

/// Half extents, or radius and half height; NaN where a shape has fewer numbers.
Vec3 size_of(const Shape& shape) {
  return std::visit([](const auto& s) { return numbers_of(s, std::numeric_limits<double>::quiet_NaN()); }, shape);
}

/// Red, green, blue, opacity; all 0 where nothing is said.
void push_colour(GrowingDataset& to, const std::optional<Colour>& said) {
  const Colour c = said.value_or(Colour{0, 0, 0, 0});
  const std::uint8_t parts[4] = {c.red, c.green, c.blue, c.opacity};
  to.push(parts, sizeof parts);
}

void Trajectory::add_body(const World& world, std::uint32_t column) {
  const BodyId id = columns_.ids()[column];
  const Body& body = world.bodies()[id.index];
  push_text(bodies_.name, body.name, name_length_);
  push_text(bodies_.motion, motion_name(body.motion), kKindLength);
  push_text(bodies_.kind, body.is_rigid() ? "rigid" : "nodes", kKindLength);
  bodies_.mass.push(body.mass.mass);
  bodies_.center_of_mass.push(body.mass.center);
  push_colour(bodies_.colour,
              body.colliders.empty() ? std::nullopt : shown_colour(world, world.colliders()[body.colliders.front()]));
  if (body.is_rigid()) add_shapes(world, body, column);
  else nodes_.add_body(world, id, column);
}

void Trajectory::add_shapes(const World& world, const Body& body, std::uint32_t column) {
  for (const std::uint32_t index : body.colliders) {
    const Collider& collider = world.colliders()[index];
    shapes_.body.push(column);
    push_text(shapes_.kind, shape_name(collider.shape), kKindLength);
    shapes_.size.push(size_of(collider.shape));
    shapes_.position.push(collider.local.position);
    shapes_.orientation.push_wxyz(collider.local.orientation);
    shapes_.first_vertex.push(std::uint64_t{shapes_.vertices.rows()});
    std::uint64_t count = 0;
    if (const auto* hull = std::get_if<ConvexHull>(&collider.shape)) {
      for (const Vec3& vertex : hull->polytope->vertices) shapes_.vertices.push(vertex);
      count = hull->polytope->vertices.size();
    }
    shapes_.vertex_count.push(count);
    const auto* mesh = std::get_if<Mesh>(&collider.shape);
    shapes_.mesh.push(mesh ? static_cast<std::int32_t>(meshes_.find_or_add(*mesh)) : std::int32_t{-1});
    push_colour(shapes_.colour, shown_colour(world, collider));
  }
}

void Trajectory::flush() {
  // The times last: whoever sees a time finds everything else of its frame.
  for (GrowingDataset* d : all_)
    if (d != &time_) d->flush();
  time_.flush();
  last_flush_ = Clock::now();
}

bool Trajectory::close() noexcept {
  bool good = true;
  for (GrowingDataset* d : all_) good = d->close() && good;
  all_.clear();
  good = states_.close() && good;
  return file_.close() && good;
}

}   // namespace

std::unique_ptr<Recorder> make_trajectory(const std::filesystem::path& path, const RecordOptions& options) {
  return std::make_unique<Trajectory>(path, options);
}

}   // namespace stickslip
