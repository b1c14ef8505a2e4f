#include "record/trajectory_states.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "record/checkpoint_bytes.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

using h5::Handle;
using StateClock = std::chrono::steady_clock;

constexpr hsize_t kStateChunk = 64 << 10;
constexpr int kStateLevel = 1;   // of zlib: states shrink to a sixth with little effort
constexpr std::uint64_t kMostState = std::uint64_t{1} << 36;

/// In front of the bytes of a state.
struct StateHeader {
  std::uint64_t number = 0;   ///< the largest is the newest; 0: nothing was written
  std::uint64_t packed = 0, unpacked = 0;
  std::uint64_t checksum = 0;   ///< of the packed bytes and the number
};

std::uint64_t state_checksum(std::uint64_t number, std::string_view bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  const uLong low = crc32_z(0, data, bytes.size()), high = adler32_z(1, data, bytes.size());
  return (std::uint64_t{high} << 32 | low) ^ number * 0x9e3779b97f4a7c15ull;
}

std::string packed_state(std::uint64_t number, const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(sizeof(StateHeader) + size, '\0');
  auto* to = reinterpret_cast<Bytef*>(out.data() + sizeof(StateHeader));
  if (compress2(to, &size, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), kStateLevel) != Z_OK)
    throw Error("The state could not be compressed: memory is short.");
  out.resize(sizeof(StateHeader) + size);
  const StateHeader header{number, size, bytes.size(),
                           state_checksum(number, std::string_view(out).substr(sizeof(StateHeader)))};
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

/// The number of a state and its bytes; none if it was never written, or not to its end.
std::optional<std::pair<std::uint64_t, std::string>> unpacked_state(hid_t file, const char* path) {
  if (!h5::exists(file, path)) return {};
  const std::vector<std::uint8_t> all = h5::read_list<std::uint8_t>(file, path);
  StateHeader header;
  if (all.size() < sizeof header) return {};
  std::memcpy(&header, all.data(), sizeof header);
  if (header.number == 0 || header.packed > all.size() - sizeof header || header.unpacked > kMostState) return {};
  const std::string_view packed(reinterpret_cast<const char*>(all.data()) + sizeof header, header.packed);
  if (state_checksum(header.number, packed) != header.checksum) return {};
  std::string bytes(header.unpacked, '\0');
  uLongf size = static_cast<uLongf>(bytes.size());
  if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                 static_cast<uLong>(packed.size())) != Z_OK ||
      size != bytes.size())
    return {};
  return std::pair{header.number, std::move(bytes)};
}

Scene with_document(const std::string& bytes, hid_t file, const std::string* start = nullptr) {
  Scene scene = scene_of_checkpoint(bytes, start);
  scene.document = h5::read_text(file, "scene_document");
  return scene;
}

}   // namespace

void StateDataset::create(hid_t parent, const char* name) {
  h5::Quiet quiet;
  const std::string what = std::string("create dataset '") + name + "'";
  const hsize_t none = 0, most = H5S_UNLIMITED;
  const Handle space(h5::check(H5Screate_simple(1, &none, &most), what), H5Sclose);
  const Handle creation(h5::check(H5Pcreate(H5P_DATASET_CREATE), what), H5Pclose);
  h5::check(H5Pset_chunk(creation.get(), 1, &kStateChunk), what);
  dataset_ =
      Handle(h5::check(H5Dcreate2(parent, name, H5T_NATIVE_UINT8, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), what),
             H5Dclose);
}

void StateDataset::write(std::uint64_t number, const std::string& bytes) {
  h5::Quiet quiet;
  const std::string packed = packed_state(number, bytes);
  const hsize_t size = packed.size(), start = 0;
  if (size > length_) {
    length_ = size;
    h5::check(H5Dset_extent(dataset_.get(), &length_), "write a state");
  }
  const Handle file_space(h5::check(H5Dget_space(dataset_.get()), "write a state"), H5Sclose);
  h5::check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &start, nullptr, &size, nullptr), "write a state");
  const Handle memory(h5::check(H5Screate_simple(1, &size, nullptr), "write a state"), H5Sclose);
  h5::check(H5Dwrite(dataset_.get(), H5T_NATIVE_UINT8, memory.get(), file_space.get(), H5P_DEFAULT, packed.data()),
            "write a state");
  h5::check(H5Dflush(dataset_.get()), "write a state");
}

void TrajectoryStates::create(hid_t root, const Scene& scene) {
  about_ = Scene();   // all but the world
  about_.name = scene.name, about_.description = scene.description;
  about_.step = scene.step, about_.seconds = scene.seconds;
  about_.sensors = scene.sensors, about_.folder = scene.folder, about_.warnings = scene.warnings;
  const Handle group = h5::create_group(root, "states");
  start_.create(group.get(), "start");
  last_[0].create(group.get(), "last_0");
  last_[1].create(group.get(), "last_1");
  std::string bytes;
  try {
    bytes = checkpoint_bytes(about_, scene.world);
    possible_ = true;
  } catch (const Error&) {
    return;   // a law of somebody's own, say: the motion is recorded all the same
  }
  start_.write(1, bytes);
  for (const Collider& collider : scene.world.colliders()) textures_.find_or_add(collider.texture);
  for (std::uint32_t i = 0; i < scene.world.materials.size(); ++i)
    textures_.find_or_add(scene.world.materials[MaterialId{i}].texture);
  when_ = StateClock::now();
}

bool TrajectoryStates::is_due(double interval) const {
  return possible_ && StateClock::now() - when_ >= 50 * std::min(interval, 1.0) * cost_;
}

void TrajectoryStates::write_last(const World& world) {
  if (!possible_) return;
  const StateClock::time_point begin = StateClock::now();
  last_[written_ % 2].write(written_ + 1, checkpoint_bytes(about_, world, textures_));
  ++written_;
  when_ = StateClock::now();
  cost_ = when_ - begin;
}

bool TrajectoryStates::close() noexcept {
  const bool first = last_[0].close(), second = last_[1].close(), start = start_.close();
  return first && second && start;
}

std::optional<Scene> read_start_state(hid_t file) {
  const auto start = unpacked_state(file, "states/start");
  if (!start) return {};
  return with_document(start->second, file);
}

std::optional<Scene> read_last_state(hid_t file) {
  auto newest = unpacked_state(file, "states/last_0");
  if (auto other = unpacked_state(file, "states/last_1"); other && (!newest || other->first > newest->first))
    newest = std::move(other);
  if (!newest) return read_start_state(file);
  const auto start = unpacked_state(file, "states/start");
  return with_document(newest->second, file, start ? &start->second : nullptr);
}

}   // namespace stickslip
