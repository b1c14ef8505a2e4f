#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "record/columns.h"
#include "record/frame_clock.h"
#include "record/glb.h"
#include "record/gltf_forms.h"
#include "record/gltf_materials.h"
#include "record/gltf_nodes.h"
#include "record/mesh_drawing.h"
#include "record/nodal_mesh.h"
#include "record/output_file.h"
#include "record/shape_mesh.h"
#include "record/writers.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

using glb::Binary;
using GltfJson = glb::Json;

constexpr int kCornersOfCircle = 32;
constexpr std::uint64_t kBytesPerPose = 40;   // translation, rotation and scale, as floats
constexpr std::uint64_t kBytesPerNode = 24;   // position and, of a surface, normal

constexpr std::uint32_t kOwn = ~0u;

struct DrawnPart {
  MeshLibrary::Entry shape;
  bool half_space;
  std::uint32_t material;            ///< of the file; kOwn: those that its mesh brings
  Pose local;                        ///< from the centre of mass, in body axes
  std::optional<Colour> tint = {};   ///< that multiplies a texture
};

/// One body with its poses in the frames from `first_frame` on.
struct Track {
  std::string name;
  std::vector<DrawnPart> parts;
  std::size_t first_frame;
  std::vector<float> translation;         ///< centre of mass, three per frame [m]
  std::vector<float> rotation_xyzw;       ///< four per frame
  std::optional<glb::NodalTrack> nodal;   ///< of a body of nodes, whose own pose is that of the world
  std::size_t first_child = 0;            ///< node of the file

  std::size_t frame_count() const { return translation.size() / 3; }
};

GltfJson json_of(const Vec3& v) { return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())}; }
GltfJson json_of(const Quat& q) {
  return {static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()), static_cast<float>(q.w())};
}

/// Whether some frame differs from the first.
bool changes(std::span<const float> values, std::size_t per_frame) {
  for (std::size_t i = per_frame; i < values.size(); ++i)
    if (values[i] != values[i - per_frame]) return true;
  return false;
}

/// Repeats the first frame to the front and the last to the back.
void hold_outside(std::vector<float>& values, std::size_t per_frame, std::size_t before, std::size_t after) {
  const std::vector<float> first(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(per_frame));
  const std::vector<float> last(values.end() - static_cast<std::ptrdiff_t>(per_frame), values.end());
  for (std::size_t i = 0; i < after; ++i) values.insert(values.end(), last.begin(), last.end());
  std::vector<float> front;
  for (std::size_t i = 0; i < before; ++i) front.insert(front.end(), first.begin(), first.end());
  values.insert(values.begin(), front.begin(), front.end());
}

/// docs/export.md describes the file. Poses wait in memory, because the description comes first in the file.
class Gltf final : public Recorder {
 public:
  Gltf(std::filesystem::path path, const RecordOptions& options) : path_(std::move(path)), options_(options) {}
  ~Gltf() override {
    try {
      finish();
    } catch (...) {   // nobody is left to tell
    }
  }

  void begin(const Scene& scene) override {
    file_.emplace(path_);
    scene_name_ = scene.name;
    start_time_ = scene.world.time;
    clock_.emplace(options_, start_time_);
    add_frame(scene.world);
  }

  void record(const World& world, const StepReport& report) override {
    if (clock_->is_due(report)) add_frame(world);
  }

  void finish() override {
    if (!file_) return;
    struct Close {   // after an error too: it is not tried twice
      std::optional<OutputFile>& file;
      ~Close() { file.reset(); }
    } close{file_};
    try {
      write();
    } catch (Error& error) {
      throw error.in(path_.string());
    }
    file_->commit();
  }

 private:
  void add_frame(const World&);
  void add_body(const World&, const Body&);
  void add_nodal_body(const World&, const Body&, Track&);
  static void add_pose(Track&, const Body&);
  void check_limits(const World&) const;

  void write();
  void add_pictures(GltfJson& document);
  void add_nodes(GltfJson& document, Binary&);
  void add_nodal_children(GltfJson& document, Binary&, Track&, GltfJson& node, GltfJson& parts);
  void fill_absence();
  struct Channel {
    std::size_t node;
    const char* path;
    const char* interpolation;
    std::span<const float> values;
    const char* type;
    std::size_t numbers;   ///< of an element
  };
  std::vector<Channel> channels();
  void add_nodal_channels(Track&, std::vector<Channel>&);
  void add_animation(GltfJson& document, Binary&);
  std::size_t mesh_of(GltfJson& document, const DrawnPart&);
  GltfJson part_node(GltfJson& document, const DrawnPart&);
  Vec3 scale_of(const DrawnPart& part) const {
    return part.half_space ? Vec3::Constant(extent_.square_side()) : part.shape.scale;
  }

  std::filesystem::path path_;
  RecordOptions options_;
  std::optional<OutputFile> file_;
  std::optional<FrameClock> clock_;
  std::string scene_name_;
  double start_time_ = 0;

  std::vector<float> times_;   ///< since the start [s], strictly increasing
  BodyColumns columns_;
  std::vector<Track> tracks_;   ///< by column
  MeshLibrary library_{kCornersOfCircle};
  HalfSpaceExtent extent_;
  glb::Materials materials_;
  std::size_t node_count_ = 0, bead_count_ = 0;   ///< of bodies of nodes

  glb::Forms forms_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::size_t>
      mesh_of_material_;                     ///< (library, material, tint)
  std::vector<std::vector<float>> scales_;   ///< of bodies that come or go
};

void Gltf::add_frame(const World& world) {
  const auto time = static_cast<float>(world.time - start_time_);
  if (!times_.empty() && !(time > times_.back())) return;   // closer than floats can tell
  columns_.add_new(world);
  try {
    check_limits(world);
  } catch (Error& error) {
    throw error.in(path_.string());
  }
  for (std::size_t i = tracks_.size(); i < columns_.size(); ++i) add_body(world, world.body(columns_.ids()[i]));
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const BodyId id = columns_.ids()[i];
    if (!world.contains(id)) continue;
    if (tracks_[i].nodal) tracks_[i].nodal->add_frame(world.nodal_body(id));
    add_pose(tracks_[i], world.body(id));
  }
  times_.push_back(time);
  extent_.see(world);
}

/// Before anything of a frame is kept: frames are there as a whole or not at all. @throws Error
void Gltf::check_limits(const World& world) const {
  const std::uint64_t frame = columns_.size() * kBytesPerPose + node_count_ * kBytesPerNode;
  if ((times_.size() + 1) * frame > glb::kMostBytes) throw glb::too_large();
  std::size_t beads = bead_count_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const BodyId id = columns_.ids()[i];
    if (!world.contains(id) || world.body(id).is_rigid()) continue;
    if (i >= tracks_.size()) beads += bare_nodes(world.nodal_body(id)).size();
    else if (tracks_[i].nodal->is_full()) throw glb::too_many_morphs();
  }
  if (beads > glb::kMostBeads) throw glb::too_many_beads(beads);
}

void Gltf::add_body(const World& world, const Body& body) {
  Track& track = tracks_.emplace_back(Track{body.name, {}, times_.size(), {}, {}, {}});
  if (!body.is_rigid()) return add_nodal_body(world, body, track);
  const glb::Look look = body.motion == MotionType::fixed ? glb::Look::fixed : glb::Look::free;
  for (const std::uint32_t index : body.colliders) {
    const Collider& collider = world.colliders()[index];
    const MeshLibrary::Entry shape = library_.find_or_add(collider.shape, shown_texture(world, collider));
    const DrawnMesh& mesh = library_.meshes()[shape.mesh];
    // A material that nothing uses should not stand in the file.
    const std::uint32_t material = mesh.textured || (mesh.has_own_colours() && !collider.colour)
                                       ? kOwn
                                       : materials_.find_or_add(world, collider, mesh.open ? glb::Look::two_sided : look);
    track.parts.push_back({shape, std::holds_alternative<HalfSpace>(collider.shape), material, collider.local,
                           mesh.textured ? shown_colour(world, collider) : std::nullopt});
  }
}

void Gltf::add_nodal_body(const World& world, const Body& body, Track& track) {
  const NodalBody& nodes = world.nodal_bodies()[body.place];
  const Collider& collider = world.colliders()[body.colliders.front()];
  const auto look = [&](glb::Look l) { return materials_.find_or_add(world, collider, l); };
  const bool has_beads = !bare_nodes(nodes).empty();   // what nothing uses should not stand in the file
  track.nodal.emplace(nodes, has_beads ? library_.find_or_add(Sphere{nodes.radius}) : MeshLibrary::Entry{},
                      has_beads ? look(glb::Look::free) : 0);
  const SharedTexture texture = nodes.is_soft() ? shown_texture(world, collider) : nullptr;
  if (texture) track.nodal->set_sheet(nodes, texture, shown_colour(world, collider));
  else if (!nodes.triangles.empty()) track.nodal->set_sheet(look(glb::Look::two_sided));
  node_count_ += nodes.size();
  bead_count_ += track.nodal->bead_count();
}

/// A pose that is not finite is replaced by the one before; q and −q being the same rotation, the nearer one is taken.
void Gltf::add_pose(Track& track, const Body& body) {
  Eigen::Vector3f p = track.nodal ? Eigen::Vector3f::Zero() : Eigen::Vector3f(body.position.cast<float>());
  Eigen::Vector4f q = body.orientation.normalized().coeffs().cast<float>();   // x, y, z, w
  if (track.frame_count() > 0) {
    const Eigen::Map<const Eigen::Vector4f> last(track.rotation_xyzw.data() + track.rotation_xyzw.size() - 4);
    if (q.dot(last) < 0) q = -q;
    if (!q.allFinite()) q = last;
    if (!p.allFinite()) p = Eigen::Map<const Eigen::Vector3f>(track.translation.data() + track.translation.size() - 3);
  } else {
    if (!q.allFinite()) q = Eigen::Vector4f::UnitW();
    if (!p.allFinite()) p.setZero();
  }
  track.translation.insert(track.translation.end(), p.begin(), p.end());
  track.rotation_xyzw.insert(track.rotation_xyzw.end(), q.begin(), q.end());
}

void Gltf::write() {
  Binary binary;
  GltfJson document = {{"asset", {{"version", "2.0"}, {"generator", "Stickslip"}}}, {"scene", 0}};
  document["scenes"] = GltfJson::array({{{"name", scene_name_}, {"nodes", GltfJson::array({0})}}});
  forms_.add_all(library_, extent_.square_side(), binary);
  add_nodes(document, binary);
  if (!materials_.list().empty()) document["materials"] = materials_.list();
  add_pictures(document);
  add_animation(document, binary);
  glb::write(*file_, std::move(document), binary);
}

/// Every image is a texture that repeats.
void Gltf::add_pictures(GltfJson& document) {
  if (forms_.images().empty()) return;
  document["images"] = forms_.images();
  for (std::size_t i = 0; i < forms_.images().size(); ++i) document["textures"].push_back({{"source", i}});
}

/// A mesh of the file is a form in one material; the numbers of a form stand there once.
std::size_t Gltf::mesh_of(GltfJson& document, const DrawnPart& part) {
  GltfJson& meshes = document["meshes"];
  const std::string tint = part.tint ? colour_name(*part.tint) : "";
  const auto [place, is_new] = mesh_of_material_.try_emplace({part.shape.mesh, part.material, tint}, meshes.size());
  if (is_new) {
    GltfJson primitives = GltfJson::array();
    for (const glb::Forms::Piece& piece : forms_.pieces(part.shape.mesh)) {
      primitives.push_back(piece.primitive);
      const std::size_t mesh = part.shape.mesh;
      primitives.back()["material"] = part.material == kOwn ? materials_.find_or_add_own(piece.image, forms_.is_clear(mesh),
                                                                                         forms_.is_open(mesh), part.tint)
                                                            : part.material;
      if (part.material != kOwn && forms_.has_own_colours(mesh)) primitives.back()["attributes"].erase("COLOR_0");
    }
    meshes.push_back({{"primitives", std::move(primitives)}});
  }
  return place->second;
}

GltfJson Gltf::part_node(GltfJson& document, const DrawnPart& part) {
  return {{"mesh", mesh_of(document, part)}, {"scale", json_of(scale_of(part))}};
}

/// Whether a body needs no node besides that of its only part.
bool is_one_node(const Track& track) {
  return track.parts.size() == 1 && track.parts[0].local.position.isZero(0) &&
         track.parts[0].local.orientation.coeffs() == Quat::Identity().coeffs();
}

/// Node 0 turns z up into the y up of glTF; node 1 + i is the body of column i; behind them stand the parts of bodies.
void Gltf::add_nodes(GltfJson& document, Binary& binary) {
  const GltfJson turn = json_of(Quat(std::sqrt(0.5), -std::sqrt(0.5), 0, 0));
  GltfJson root = {{"name", "z up"}, {"rotation", turn}}, bodies = GltfJson::array(), parts = GltfJson::array();
  for (Track& track : tracks_) {
    GltfJson node = is_one_node(track) ? part_node(document, track.parts[0]) : GltfJson::object();
    node["name"] = track.name;
    node["translation"] = GltfJson(std::vector<float>(track.translation.begin(), track.translation.begin() + 3));
    node["rotation"] = GltfJson(std::vector<float>(track.rotation_xyzw.begin(), track.rotation_xyzw.begin() + 4));
    if (!is_one_node(track))
      for (const DrawnPart& part : track.parts) {
        node["children"].push_back(1 + tracks_.size() + parts.size());
        GltfJson child = part_node(document, part);
        child["name"] = fmt::format("{} part {}", track.name, node["children"].size());
        child["translation"] = json_of(part.local.position);
        child["rotation"] = json_of(part.local.orientation);
        parts.push_back(std::move(child));
      }
    if (track.nodal) add_nodal_children(document, binary, track, node, parts);
    bodies.push_back(std::move(node));
    root["children"].push_back(bodies.size());
  }
  GltfJson& nodes = document["nodes"] = GltfJson::array({std::move(root)});
  nodes.insert(nodes.end(), bodies.begin(), bodies.end());
  nodes.insert(nodes.end(), parts.begin(), parts.end());
}

/// The surface first, then the beads; `first_child` is where they begin.
void Gltf::add_nodal_children(GltfJson& document, Binary& binary, Track& track, GltfJson& node, GltfJson& parts) {
  glb::NodalTrack& nodal = *track.nodal;
  track.first_child = 1 + tracks_.size() + parts.size();
  const auto add = [&](GltfJson child) {
    node["children"].push_back(1 + tracks_.size() + parts.size());
    parts.push_back(std::move(child));
  };
  if (nodal.has_surface()) {
    add({{"name", track.name + " surface"}, {"mesh", document["meshes"].size()}});
    GltfJson mesh = nodal.surface_mesh(binary);
    if (nodal.texture())
      mesh["primitives"][0]["material"] =
          materials_.find_or_add_own(forms_.image_of(nodal.texture()->picture, binary), false, true, nodal.tint());
    document["meshes"].push_back(std::move(mesh));
  }
  const DrawnPart bead{nodal.bead(), false, nodal.material(), {}};
  for (std::size_t i = 0; i < nodal.bead_count(); ++i) {
    GltfJson child = part_node(document, bead);
    child["name"] = fmt::format("{} bead {}", track.name, nodal.number_of_bead(i));
    child["translation"] = nodal.first_place(i);
    add(std::move(child));
  }
}

/// Bodies that come or go hold their first and last pose and have size zero while they are not there.
void Gltf::fill_absence() {
  const std::size_t frames = times_.size();
  scales_.assign(tracks_.size(), {});
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    Track& track = tracks_[i];
    const std::size_t here = track.frame_count(), end = track.first_frame + here;
    if (here == frames) continue;
    const Vec3 scale = is_one_node(track) ? scale_of(track.parts[0]) : Vec3::Ones();
    for (std::size_t n = 0; n < frames; ++n)
      for (const double s : scale) scales_[i].push_back(n >= track.first_frame && n < end ? static_cast<float>(s) : 0.0f);
    hold_outside(track.translation, 3, track.first_frame, frames - end);
    hold_outside(track.rotation_xyzw, 4, track.first_frame, frames - end);
  }
}

void Gltf::add_nodal_channels(Track& track, std::vector<Channel>& channels) {
  glb::NodalTrack& nodal = *track.nodal;
  const std::size_t before = track.first_frame, after = times_.size() - before - nodal.frame_count();
  std::size_t child = track.first_child;
  if (nodal.has_surface()) {
    const std::span<const float> weights = nodal.weights(before, after);
    if (!weights.empty()) channels.push_back({child, "weights", "LINEAR", weights, "SCALAR", 1});
    ++child;
  }
  for (std::size_t i = 0; i < nodal.bead_count(); ++i) {
    const std::span<const float> places = nodal.places_of(i, before, after);
    if (changes(places, 3)) channels.push_back({child + i, "translation", "LINEAR", places, "VEC3", 3});
  }
}

/// Channels only for what changes.
std::vector<Gltf::Channel> Gltf::channels() {
  std::vector<Channel> channels;
  fill_absence();
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    Track& track = tracks_[i];
    const std::size_t node = 1 + i;
    if (changes(track.translation, 3)) channels.push_back({node, "translation", "LINEAR", track.translation, "VEC3", 3});
    if (changes(track.rotation_xyzw, 4)) channels.push_back({node, "rotation", "LINEAR", track.rotation_xyzw, "VEC4", 4});
    if (!scales_[i].empty()) channels.push_back({node, "scale", "STEP", scales_[i], "VEC3", 3});
    if (track.nodal) add_nodal_channels(track, channels);
  }
  return channels;
}

void Gltf::add_animation(GltfJson& document, Binary& binary) {
  const std::vector<Channel> all = channels();
  if (all.empty()) return;

  binary.begin_view(GltfJson::object());
  const std::size_t times = binary.add(std::span<const float>(times_), "SCALAR", 1,
                                       {{"min", GltfJson::array({times_.front()})}, {"max", GltfJson::array({times_.back()})}});
  binary.begin_view(GltfJson::object());
  GltfJson animation = {{"name", "motion"}};
  for (const Channel& c : all) {
    const std::size_t output = binary.add(c.values, c.type, c.numbers);
    animation["channels"].push_back(
        {{"sampler", animation["channels"].size()}, {"target", {{"node", c.node}, {"path", c.path}}}});
    animation["samplers"].push_back({{"input", times}, {"output", output}, {"interpolation", c.interpolation}});
  }
  document["animations"] = GltfJson::array({std::move(animation)});
}

}   // namespace

std::unique_ptr<Recorder> make_gltf(const std::filesystem::path& path, const RecordOptions& options) {
  return std::make_unique<Gltf>(path, options);
}

}   // namespace stickslip
