#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <numeric>
#include <optional>

#include "record/columns.h"
#include "record/contact_features.h"
#include "record/frame_clock.h"
#include "record/joint_sample.h"
#include "record/output_file.h"
#include "record/shape_mesh.h"
#include "record/vtk_bodies.h"
#include "record/vtk_file.h"
#include "record/vtk_nodes.h"
#include "record/writers.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kCornersPerFrame = 12;            // corners of a circle: there is a mesh in every frame
constexpr double kNoticedTimesTolerance = 10;   // a contact slides if it is that much faster than the solver may be wrong

template <class Number>
void append(std::vector<Number>& to, const Vec3& v) {
  for (const double x : v) to.push_back(static_cast<Number>(x));
}

/// Number of a frame if `name` is `<prefix>_<digits><ending>`.
std::optional<std::uint64_t> frame_number(std::string_view name, std::string_view prefix, std::string_view ending) {
  if (name.size() <= prefix.size() + 1 + ending.size() || !name.starts_with(prefix) || !name.ends_with(ending)) return {};
  name.remove_prefix(prefix.size());
  name.remove_suffix(ending.size());
  if (name[0] != '_') return {};
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return {};
  return number;
}

/// Text as the value of an XML attribute.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') result += "&amp;";
    else if (c == '<') result += "&lt;";
    else if (c == '"') result += "&quot;";
    else result += c;
  }
  return result;
}

/// docs/export.md describes the files. Frames are written as they come; the collection lists those that are whole.
class Vtk final : public Recorder {
 public:
  Vtk(fs::path path, const RecordOptions& options)
      : path_(std::move(path)), directory_(path_.parent_path() / path_.stem()), options_(options), pictures_(directory_) {}
  ~Vtk() override {
    try {
      finish();
    } catch (...) {   // nobody is left to tell
    }
  }

  void begin(const Scene& scene) override {
    clock_.emplace(options_, scene.world.time);
    { const OutputFile writable(path_); }   // asked before anything is touched
    std::error_code error;
    fs::create_directory(directory_, error);
    if (error || !fs::is_directory(directory_))
      throw Error(fmt::format("The frames go to the directory '{}', which cannot be made{}{}. Give another name.",
                              directory_.string(), error ? ": " : "", error ? error.message() : ""))
          .in(path_.string());
    StepReport before;
    before.h = scene.step.h;
    add_frame(scene.world, before);
    write_collection();
    remove_older_frames();
  }

  void record(const World& world, const StepReport& report) override {
    if (!clock_->is_due(report)) return;
    add_frame(world, report);
    if (flush_is_due()) write_collection();
  }

  void finish() override {
    if (listed_ == times_.size()) return;
    listed_ = times_.size();   // after an error it is not tried again
    write_collection();
  }

 private:
  std::string frame_name(std::string_view prefix, std::size_t number, std::string_view ending) const {
    return fmt::format("{}_{:06}{}", prefix, number, ending);
  }

  void add_frame(const World& world, const StepReport& report) {
    columns_.add_new(world);
    joint_columns_.add_new(world);
    extent_.see(world);
    write_bodies(world);
    write_contacts(world, report);
    if (world.node_count() > 0) has_nodes_ = true;
    if (has_nodes_) nodes_.write(directory_ / frame_name("nodes", times_.size(), ".vtp"), world, report, columns_, pictures_);
    else ++frames_before_nodes_;
    if (joint_columns_.size() > 0) write_joints(world, report);
    else ++frames_before_joints_;
    times_.push_back(world.time);
  }

  /// Less often the longer the run, because the list is written anew each time.
  bool flush_is_due() const {
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> since = now - last_flush_, age = now - opened_;
    return since.count() >= options_.flush_interval * std::max(1.0, age.count() / 20);
  }

  void write_bodies(const World&);
  void write_contacts(const World&, const StepReport&);
  void write_joints(const World&, const StepReport&);

  /// Files of one kind, one for every frame from `first` on.
  struct Series {
    std::string_view name, ending;
    std::size_t first;
  };
  std::array<Series, 4> series() const {
    return {{{"bodies", ".vtu", 0},
             {"contacts", ".vtp", 0},
             {"joints", ".vtp", frames_before_joints_},
             {"nodes", ".vtp", frames_before_nodes_}}};
  }
  void write_collection();
  void remove_older_frames();

  fs::path path_, directory_;
  RecordOptions options_;
  std::optional<FrameClock> clock_;
  BodyColumns columns_;
  JointColumns joint_columns_;
  MeshLibrary library_{kCornersPerFrame};
  VtkPictures pictures_;
  VtkNodes nodes_;
  HalfSpaceExtent extent_;
  std::vector<double> times_;                                        ///< of the frames written [s]
  std::size_t frames_before_joints_ = 0, frames_before_nodes_ = 0;   ///< frames without a file of them: there were none yet
  bool has_nodes_ = false;
  std::size_t listed_ = 0;   ///< frames in the collection on disk
  Clock::time_point opened_ = Clock::now(), last_flush_ = opened_;
};

void Vtk::write_bodies(const World& world) {
  VtkBodies bodies;
  for (std::uint32_t slot = 0; slot < world.bodies().size(); ++slot) {
    const Body& body = world.bodies()[slot];
    if (!body.alive || !body.is_rigid()) continue;
    for (const std::uint32_t index : body.colliders) {
      const Collider& collider = world.colliders()[index];
      const MeshLibrary::Entry entry = library_.find_or_add(collider.shape, shown_texture(world, collider));
      const DrawnMesh& mesh = library_.meshes()[entry.mesh];
      const Vec3 scale =
          std::holds_alternative<HalfSpace>(collider.shape) ? Vec3::Constant(extent_.square_side()) : entry.scale;
      bodies.add(body, columns_.of_slot(slot), Pose{body.position, body.orientation} * collider.local, scale, mesh,
                 pictures_.first_of(entry.mesh, mesh), shown_colour(world, collider));
    }
  }
  bodies.write(directory_ / frame_name("bodies", times_.size(), ".vtu"), world.time, has_meshes(world));
}

/// The rest of a file where every point is a cell. @param points three numbers each
void close_points(VtkFile& file, const std::vector<double>& points) {
  std::vector<std::int32_t> corners(points.size() / 3);
  std::iota(corners.begin(), corners.end(), 0);
  file.close("PointData");
  write_places(file, points);
  write_cells(file, "Verts", corners, 1);
  file.close("Piece");
}

void Vtk::write_contacts(const World& world, const StepReport& report) {
  std::vector<double> points, force, normal, gap, friction, slip_velocity, normal_force;
  std::vector<std::int32_t> body_a, body_b, facet_a, facet_b;
  std::vector<std::uint8_t> sliding, touch;
  const bool with_features = has_meshes(world);
  const double noticed = kNoticedTimesTolerance * std::max(report.outcome.tolerance, report.outcome.error);
  for (const ContactRecord& contact : report.contacts) {
    append(points, contact.position);
    append(force, contact.impulse / report.force_time);
    append(normal, contact.normal);
    append(slip_velocity, contact.slip_velocity);
    gap.push_back(contact.gap);
    friction.push_back(contact.friction);
    normal_force.push_back(contact.normal_impulse / report.force_time);
    body_a.push_back(static_cast<std::int32_t>(columns_.of_slot(contact.body_a.index)));
    body_b.push_back(static_cast<std::int32_t>(columns_.of_slot(contact.body_b.index)));
    sliding.push_back(contact.normal_impulse > 0 && contact.slip_velocity.norm() > noticed);
    if (!with_features) continue;
    const ContactFeatures features = features_of(world, contact);
    touch.push_back(static_cast<std::uint8_t>(features.touch));
    facet_a.push_back(static_cast<std::int32_t>(features.facet_a));
    facet_b.push_back(static_cast<std::int32_t>(features.facet_b));
  }

  VtkFile file("PolyData", world.time);
  open_points(file, gap.size(), gap.size(), 0);
  file.array<double>("force_N", 3, force);
  file.array<double>("normal_force_N", 1, normal_force);
  file.array<double>("normal", 3, normal);
  file.array<double>("gap_m", 1, gap);
  file.array<double>("friction", 1, friction);
  file.array<double>("slip_velocity_m_per_s", 3, slip_velocity);
  file.array<std::uint8_t>("sliding", 1, sliding);
  file.array<std::int32_t>("body_a", 1, body_a);
  file.array<std::int32_t>("body_b", 1, body_b);
  if (with_features) {
    file.array<std::uint8_t>("touch", 1, touch);
    file.array<std::int32_t>("facet_a", 1, facet_a);
    file.array<std::int32_t>("facet_b", 1, facet_b);
  }
  close_points(file, points);
  file.write(directory_ / frame_name("contacts", times_.size(), ".vtp"));
}

void Vtk::write_joints(const World& world, const StepReport& report) {
  std::vector<double> points, force, torque, error;
  std::vector<std::int32_t> numbers, type, body_a, body_b;
  std::vector<std::uint8_t> broken, conflicts;
  const auto number_of = [&](BodyId id) { return static_cast<std::int32_t>(columns_.of(id).value_or(~0u)); };
  const JointSamples samples(world, report);
  for (std::uint32_t slot = 0; slot < world.joints().size(); ++slot) {
    const Joint& joint = world.joints()[slot];
    if (!joint.alive || joint.description.type == JointType::gear) continue;   // a gear is nowhere
    const JointSample sample = samples.of(world.joint_id_of(slot));
    append(points, locate(world, joint).frame_b.position);
    append(force, sample.force);
    append(torque, sample.torque);
    error.push_back(sample.error);
    numbers.push_back(static_cast<std::int32_t>(joint_columns_.of_slot(slot)));
    type.push_back(static_cast<std::int32_t>(joint.description.type));
    body_a.push_back(number_of(joint.description.a));
    body_b.push_back(number_of(joint.description.b));
    broken.push_back(sample.state == JointState::broken);
    conflicts.push_back(sample.state == JointState::conflicts);
  }

  VtkFile file("PolyData", world.time);
  open_points(file, numbers.size(), numbers.size(), 0);
  file.array<double>("force_N", 3, force);
  file.array<double>("torque_N_m", 3, torque);
  file.array<double>("error_m", 1, error);
  file.array<std::uint8_t>("broken", 1, broken);
  file.array<std::uint8_t>("conflicts", 1, conflicts);
  file.array<std::int32_t>("joint", 1, numbers);
  file.array<std::int32_t>("type", 1, type);
  file.array<std::int32_t>("body_a", 1, body_a);
  file.array<std::int32_t>("body_b", 1, body_b);
  close_points(file, points);
  file.write(directory_ / frame_name("joints", times_.size(), ".vtp"));
}

void Vtk::write_collection() {
  OutputFile file(path_);
  file.write("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n");
  const std::string folder = escaped(directory_.filename().string());
  for (std::size_t n = 0; n < times_.size(); ++n) {
    int part = 0;
    for (const Series& s : series()) {
      if (n >= s.first)
        file.write(fmt::format("<DataSet timestep=\"{}\" part=\"{}\" name=\"{}\" file=\"{}/{}\"/>\n", times_[n], part, s.name,
                               folder, frame_name(s.name, n, s.ending)));
      ++part;
    }
  }
  file.write("</Collection>\n</VTKFile>\n");
  file.commit();
  listed_ = times_.size();
  last_flush_ = Clock::now();
}

/// Frames of an earlier record that nothing lists any more.
void Vtk::remove_older_frames() {
  std::error_code ignored;
  std::vector<fs::path> older;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto is_unlisted = [&](const Series& s) {
      const auto number = frame_number(name, s.name, s.ending);
      return number && (*number < s.first || *number >= times_.size());
    };
    const auto all = series();
    if (std::any_of(all.begin(), all.end(), is_unlisted) && entry.is_regular_file(ignored)) older.push_back(entry.path());
  }
  for (const fs::path& path : older) fs::remove(path, ignored);
}

}   // namespace

std::unique_ptr<Recorder> make_vtk(const fs::path& path, const RecordOptions& options) {
  return std::make_unique<Vtk>(path, options);
}

}   // namespace stickslip
