// A run as one HTML page: the viewer with everything that it shows inside. docs/viewer-protocol.md describes the layout.
#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <utility>

#include "record/base64.h"
#include "record/columns.h"
#include "record/contact_features.h"
#include "record/description.h"
#include "record/frame_clock.h"
#include "record/joint_description.h"
#include "record/node_tracks.h"
#include "record/output_file.h"
#include "record/soft_fields.h"
#include "record/telemetry.h"
#include "record/varint.h"
#include "record/viewer_page.h"
#include "record/writers.h"
#include "stickslip/math/error.h"
#include "stickslip/step/contact_overlaps.h"

namespace stickslip {

namespace {

constexpr std::size_t kContactChannels = 21, kPlainContactChannels = 16;   // the further ones only in scenes with meshes
constexpr std::size_t kContactBytes = 4 << 20;    // of all contacts, uncompressed; beyond it every other frame loses them
constexpr std::size_t kOverlapBytes = 32 << 20;   // the same where surfaces of overlaps are asked for
constexpr std::string_view kMark = "<script id=\"replay\" type=\"text/plain\">";

template <class T>
void put(std::string& out, T value) {
  static_assert(std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string compressed(const std::string& data) {
  uLongf size = compressBound(static_cast<uLong>(data.size()));
  std::string out(size, '\0');
  const auto* from = reinterpret_cast<const Bytef*>(data.data());
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, from, static_cast<uLong>(data.size()), 6) != Z_OK)
    throw Error("The replay could not be compressed: memory is short.");
  out.resize(size);
  return out;
}

class Replay final : public Recorder {
 public:
  Replay(std::filesystem::path path, const RecordOptions& options) : path_(std::move(path)), options_(options) {}
  ~Replay() override {
    try {
      finish();
    } catch (...) {   // whoever wants to know calls finish
    }
  }

  void begin(const Scene& scene) override {
    file_.emplace(path_);
    quantum_ = position_quantum(scene.world);
    force_unit_ = force_unit(scene.world);
    description_ = describe_scene(scene, quantum_);
    has_features_ = has_meshes(scene.world);
    columns_.add_new(scene.world);
    joints_ = JointTracks(scene.world, quantum_, force_unit_);
    nodes_ = NodeTracks(scene.world);
    fields_ = FieldTracks(scene.world);
    frames_ = FrameClock(options_, scene.world.time);
    telemetry_.resize(telemetry_columns().size());
    StepReport start;
    start.step = scene.world.step_count;
    start.time = scene.world.time;
    add_frame(scene.world, start);
  }

  void record(const World& world, const StepReport& report) override {
    if (file_ && frames_.is_due(report)) add_frame(world, report);
  }

  void finish() override {
    if (!file_) return;
    try {
      const std::string_view page = viewer_page();
      const std::size_t at = page.find(kMark) + kMark.size();
      file_->write(page.substr(0, at));
      file_->write(base64(compressed(payload())));
      file_->write(page.substr(at));
      file_->commit();
    } catch (...) {
      file_.reset();   // tried once
      throw;
    }
    file_.reset();
  }

 private:
  /// One body in one frame: position over quantum, quaternion, state.
  struct Pose8 {
    std::int32_t position[3];
    std::int16_t orientation[4];
    std::int16_t state;
  };
  struct KeptFrame {
    std::size_t count = 0;
    std::array<std::string, kContactChannels> contacts;   ///< varints
    std::vector<double> history;
    std::size_t areas = 0;
    std::string outlines;   ///< of contacts that stand for areas: varints
    std::size_t overlap_count = 0;
    std::string overlaps;   ///< surfaces of what bodies share: varints
    std::size_t bytes() const {
      std::size_t sum = 8 * history.size() + outlines.size() + overlaps.size();
      for (const std::string& channel : contacts) sum += channel.size();
      return sum;
    }
  };

  void add_frame(const World& world, const StepReport& report) {
    steps_.push_back(report.step);
    times_.push_back(report.time);
    for (const BodyId id : columns_.ids()) add_pose(world, id);
    nodes_.add_frame(world);
    fields_.add_frame(world, report);
    const auto columns = telemetry_columns();
    for (std::size_t c = 0; c < columns.size(); ++c) telemetry_[c].push_back(static_cast<float>(columns[c].value(report)));
    if (joints_.size() > 0) joints_.add_frame(world, report);
    if ((steps_.size() - 1) % stride_ != 0) return;
    kept_.push_back(contacts_of(world, report));
    kept_bytes_ += kept_.back().bytes();
    if (kept_bytes_ > (options_.overlaps ? kOverlapBytes : kContactBytes) && kept_.size() > 1) thin_out();
  }

  void add_pose(const World& world, BodyId id) {
    const std::size_t frames_before = steps_.size() - 1;
    Pose8 p{};
    if (!world.contains(id)) {
      if (frames_before > 0) p = poses_[poses_.size() - columns_.size()];
      p.state = 2;
      poses_.push_back(p);
      return;
    }
    const Body& b = world.bodies()[id.index];
    for (int k = 0; k < 3; ++k) p.position[k] = rounded_to_32_bits(b.position[k] / quantum_);
    double sign = 1;
    const double q[4] = {b.orientation.w(), b.orientation.x(), b.orientation.y(), b.orientation.z()};
    if (frames_before > 0) {
      const Pose8& before = poses_[poses_.size() - columns_.size()];
      double product = 0;
      for (int k = 0; k < 4; ++k) product += q[k] * before.orientation[k];
      sign = product < 0 ? -1 : 1;
    }
    for (int k = 0; k < 4; ++k)
      p.orientation[k] = static_cast<std::int16_t>(rounded(std::clamp(sign * q[k], -1.0, 1.0) * 32767));
    p.state = b.asleep ? 1 : 0;
    poses_.push_back(p);
  }

  /// @param c the contact that comes next
  void add_outline(KeptFrame& frame, const ContactRecord& c) const {
    ++frame.areas;
    put_varint(frame.outlines, static_cast<std::int64_t>(frame.count));
    put_varint(frame.outlines, static_cast<std::int64_t>(c.outline->corners.size()));
    put_varint(frame.outlines, rounded(mean_depth(*c.outline) / (1e-3 * quantum_)));
    const auto add = [&](const Vec3& place) {
      for (int k = 0; k < 3; ++k) put_varint(frame.outlines, rounded((place[k] - c.position[k]) / quantum_));
    };
    add(c.center_of_pressure());
    for (const Vec3& corner : c.outline->corners) add(corner);
  }

  /// @param contacts those of the frame
  void add_overlaps(KeptFrame& frame, const World& world, std::span<const ContactRecord> contacts) const {
    for (const auto& [contact, surface] : contact_overlaps(world, contacts)) {
      ++frame.overlap_count;
      std::int64_t before = 0;
      const auto add = [&](std::int64_t number) { put_varint(frame.overlaps, number - std::exchange(before, number)); };
      put_varint(frame.overlaps, contact);
      put_varint(frame.overlaps, static_cast<std::int64_t>(surface.vertices.size()));
      for (int k = 0; k < 3; ++k)
        for (const Vec3& x : surface.vertices) add(rounded((x[k] - contacts[contact].position[k]) / (1e-3 * quantum_)));
      before = 0;
      put_varint(frame.overlaps, static_cast<std::int64_t>(surface.triangles.size()));
      for (const auto& triangle : surface.triangles)
        for (const std::uint32_t corner : triangle) add(corner);
    }
  }

  KeptFrame contacts_of(const World& world, const StepReport& report) const {
    KeptFrame frame;
    std::vector<ContactRecord> told;   // for those who want overlaps
    for (const ContactRecord& c : report.contacts) {
      const auto a = columns_.of(c.body_a), b = columns_.of(c.body_b);
      if (!a || !b) continue;   // not there at the start
      if (c.outline) add_outline(frame, c);
      if (options_.overlaps) told.push_back(c);
      ++frame.count;
      std::size_t channel = 0;
      const auto add = [&](double value) { put_varint(frame.contacts[channel++], rounded(value)); };
      const auto add3 = [&](const Vec3& v) {
        for (int k = 0; k < 3; ++k) add(v[k]);
      };
      add(*a);
      add(*b);
      const Body& body_a = world.bodies()[c.body_a.index];
      add3((c.position - (body_a.motion == MotionType::fixed ? Vec3(Vec3::Zero()) : body_a.position)) / quantum_);
      add3(127 * c.normal);
      add3(c.impulse / report.force_time * (1000 / force_unit_));
      add(c.gap / quantum_);
      add3(1e6 * c.slip_velocity);
      add(1000 * c.friction);
      if (!has_features_) continue;
      const ContactFeatures features = features_of(world, c);
      for (const std::uint32_t x :
           {static_cast<std::uint32_t>(features.touch), features.facet_a, features.facet_b, features.shape_a, features.shape_b})
        add(x);
    }
    if (options_.overlaps) add_overlaps(frame, world, told);
    if (report.solve) frame.history = report.solve->history;
    return frame;
  }

  /// Long runs keep the contacts of fewer frames.
  void thin_out() {
    std::vector<KeptFrame> fewer;
    for (std::size_t i = 0; i < kept_.size(); i += 2) fewer.push_back(std::move(kept_[i]));
    kept_ = std::move(fewer);
    kept_bytes_ = 0;
    for (const KeptFrame& frame : kept_) kept_bytes_ += frame.bytes();
    stride_ *= 2;
  }

  void append_poses(std::string& out) const {
    const std::size_t bodies = columns_.size(), frames = steps_.size();
    for (int channel = 0; channel < 8; ++channel)
      for (std::size_t body = 0; body < bodies; ++body) {
        std::int64_t before = 0;
        for (std::size_t frame = 0; frame < frames; ++frame) {
          const Pose8& p = poses_[frame * bodies + body];
          const std::int64_t now = channel < 3 ? p.position[channel] : channel < 7 ? p.orientation[channel - 3] : p.state;
          put_varint(out, now - before);
          before = now;
        }
      }
  }

  std::string payload() const {
    nlohmann::json head = description_;
    head["frames"] = steps_.size();
    head["contact_stride"] = stride_;
    head["step_of_frame"] = steps_;
    head["time_of_frame"] = times_;
    if (joints_.size() > 0) head["joint_stride"] = joints_.stride();
    if (has_features_) head["contact_features"] = true;
    if (!fields_.empty()) head["field_stride"] = fields_.stride();
    const bool has_areas = std::ranges::any_of(kept_, [](const KeptFrame& frame) { return frame.areas > 0; });
    if (has_areas) head["contact_areas"] = true;
    if (options_.overlaps) head["contact_overlaps"] = true;
    const std::string json = head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::string out = "SLREPLAY";
    put(out, std::uint32_t{kViewerProtocol});
    put(out, static_cast<std::uint32_t>(json.size()));
    out += json;
    append_poses(out);
    nodes_.append_to(out);
    for (const KeptFrame& frame : kept_) put_varint(out, static_cast<std::int64_t>(frame.count));
    for (std::size_t channel = 0; channel < (has_features_ ? kContactChannels : kPlainContactChannels); ++channel)
      for (const KeptFrame& frame : kept_) out += frame.contacts[channel];
    for (const std::vector<float>& column : telemetry_)
      for (const float value : column) put(out, value);
    for (const KeptFrame& frame : kept_) {
      put(out, static_cast<std::uint32_t>(frame.history.size()));
      for (std::size_t k = 0; k < frame.history.size(); ++k) {
        put(out, static_cast<std::uint32_t>(k));
        put(out, static_cast<float>(frame.history[k]));
      }
    }
    joints_.append_to(out);
    for (const KeptFrame& frame : kept_) {
      if (!has_areas) break;
      put_varint(out, static_cast<std::int64_t>(frame.areas));
      out += frame.outlines;
    }
    for (const KeptFrame& frame : kept_) {
      if (!options_.overlaps) break;
      put_varint(out, static_cast<std::int64_t>(frame.overlap_count));
      out += frame.overlaps;
    }
    fields_.append_to(out);
    return out;
  }

  std::filesystem::path path_;
  RecordOptions options_;
  std::optional<OutputFile> file_;   ///< there between begin and finish
  FrameClock frames_{{}, 0};
  nlohmann::json description_;
  double quantum_ = 1, force_unit_ = 1;
  bool has_features_ = false;   ///< of contacts of meshes
  BodyColumns columns_;         ///< the bodies that were there at the start
  std::vector<std::uint64_t> steps_;
  std::vector<double> times_;
  std::vector<Pose8> poses_;   ///< frame by frame, all bodies
  std::vector<std::vector<float>> telemetry_;
  NodeTracks nodes_;   ///< those that were there at the start
  FieldTracks fields_;
  JointTracks joints_;   ///< those that were there at the start
  std::vector<KeptFrame> kept_;
  std::size_t stride_ = 1, kept_bytes_ = 0;
};

}   // namespace

std::unique_ptr<Recorder> make_replay(const std::filesystem::path& path, const RecordOptions& options) {
  return std::make_unique<Replay>(path, options);
}

}   // namespace stickslip
