// A checkpoint is an HDF5 file with a user block of 512 bytes in front: a marker, the length of the file and a checksum of
// what follows. It is verified before HDF5 reads anything, because HDF5 does not survive every damaged file.
#include "stickslip/record/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/checkpoint_bytes.h"
#include "record/checkpoint_fields.h"
#include "record/repair.h"
#include "record/trajectory_states.h"
#include "stickslip/record/playback.h"
#include "store/memory_file.h"
#include "store/staged_file.h"

namespace stickslip {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUserBlock = 512;   // the smallest that HDF5 allows
constexpr std::string_view kMarker = "stickslip-checkpoint ";
constexpr int kVersion = 18, kOldestVersion = 2;

std::string header(std::string_view bytes, int version = kVersion) {
  std::string text = fmt::format("{}{}\nlength {}\nchecksum {:016x}\nThis is an HDF5 file.\n", kMarker, version, bytes.size(),
                                 checksum(bytes.substr(kUserBlock)));
  text.resize(kUserBlock, '\0');
  return text;
}

/// @returns the version of the format
int verify(const std::string& bytes) {
  if (bytes.empty()) throw Error("The file is empty. Start again from the scene or from another checkpoint.");
  if (!bytes.starts_with(kMarker)) {
    if (h5::has_signature(bytes))
      throw Error(
          "This HDF5 file is neither a checkpoint nor a trajectory (perhaps a damaged one, or a contact problem for `stickslip "
          "solve`). `stickslip run … --checkpoint FILE` writes checkpoints.");
    throw Error("This is not a checkpoint. `stickslip run … --checkpoint FILE` writes checkpoints.");
  }
  const std::string text = bytes.substr(kMarker.size(), bytes.find('\n') - kMarker.size());
  int version = kOldestVersion;
  while (version < kVersion && text != std::to_string(version)) ++version;
  if (text != std::to_string(version) && text.find_first_not_of("0123456789") == std::string::npos)
    throw Error(
        fmt::format("The checkpoint has format {}, and this program reads formats {} to {}. Use the program that wrote it.",
                    text.substr(0, 16), kOldestVersion, kVersion));
  if (bytes.size() < kUserBlock || bytes.compare(0, kUserBlock, header(bytes, version)) != 0)
    throw Error(
        "The checkpoint is truncated or damaged: length and checksum do not match its content. "
        "Start again from the scene or from another checkpoint.");
  return version;
}

// Files live in memory while HDF5 works on them: a full disk or a damaged file never reaches it.

std::string to_bytes(FlatScene& snapshot) {
  h5::Quiet quiet;
  const h5::MemoryFile file;
  h5::write_attribute(file.id(), "format", "stickslip-checkpoint");
  h5::write_attribute(file.id(), "version", std::uint64_t{kVersion});
  Saver saver(file.id());
  exchange(saver, snapshot, kVersion);
  std::string bytes = file.bytes(kUserBlock);
  bytes.replace(0, kUserBlock, header(bytes));
  return bytes;
}

FlatScene from_bytes(std::string_view bytes, int version) {
  h5::Quiet quiet;
  const h5::MemoryFile file(bytes.substr(kUserBlock));
  FlatScene snapshot;
  Loader loader(file.id());
  exchange(loader, snapshot, version);
  return snapshot;
}

/// The state that a trajectory goes on from.
Scene last_state(const fs::path& path) {
  const h5::Handle file = h5::open_grown(path);
  std::optional<Scene> scene = read_last_state(file.get());
  if (!scene)
    throw Error(
        "This trajectory holds no state to go on from: an earlier version of the program wrote it, or its world has a law or "
        "script that files cannot hold. `stickslip new FILE.json --from` it gives its scene, to start again.");
  const std::vector<double> times = h5::read_list<double>(file.get(), "time");
  if (!times.empty() && times.back() > scene->world.time)
    scene->warnings.push_back(fmt::format(
        "The run goes on from t = {:g} s, the last state that was kept. The trajectory shows {:g} s more: the program "
        "that wrote it did not come to its end.",
        scene->world.time, times.back() - scene->world.time));
  return std::move(*scene);
}

}   // namespace

std::string checkpoint_bytes(const Scene& about, const World& world, const TexturePool& elsewhere) {
  FlatScene snapshot = flatten(about, world, elsewhere);
  return to_bytes(snapshot);
}

Scene scene_of_checkpoint(const std::string& bytes, const std::string* elsewhere) {
  FlatScene snapshot = from_bytes(bytes, verify(bytes));
  if (elsewhere && std::ranges::any_of(snapshot.textures, [](const Texture& t) { return t.picture.empty(); })) {
    FlatScene other = from_bytes(*elsewhere, verify(*elsewhere));
    for (std::size_t i = 0; i < std::min(snapshot.textures.size(), other.textures.size()); ++i)
      if (snapshot.textures[i].picture.empty()) snapshot.textures[i].picture = std::move(other.textures[i].picture);
  }
  return restore(std::move(snapshot));
}

void save_checkpoint(const fs::path& path, const Scene& scene) {
  try {
    const std::string bytes = checkpoint_bytes(scene, scene.world);
    StagedFile staged(path);
    write_bytes(staged.path(), bytes);
    staged.commit(DiskWait::always);   // a run goes on from it
  } catch (Error& error) {
    throw error.in(path.string());
  }
}

Scene load_checkpoint(const fs::path& path) {
  try {
    // Whoever opens a pipe waits for somebody who writes into it.
    if (std::error_code error; fs::is_fifo(path, error) || fs::is_socket(path, error))
      throw Error("This is not a file. Give the path of a checkpoint or trajectory.");
    if (!is_checkpoint(path) && is_trajectory(path)) return last_state(path);
    return scene_of_checkpoint(read_bytes(path));
  } catch (Error& error) {
    throw error.in(path.string());
  }
}

bool is_checkpoint(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  try {
    return read_bytes(path, kMarker.size()) == kMarker;
  } catch (const Error&) {
    return false;
  }
}

}   // namespace stickslip
