// A checkpoint is an HDF5 file with a user block of 512 bytes in front: a marker, the length of the file and a checksum of
// what follows. It is verified before HDF5 reads anything, because HDF5 does not survive every damaged file.
#include "stickslip/record/checkpoint.h"

#include <fmt/format.h>

#include "record/checkpoint_fields.h"
#include "store/memory_file.h"
#include "store/staged_file.h"

namespace stickslip {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUserBlock = 512;  // the smallest that HDF5 allows
constexpr std::string_view kMarker = "stickslip-checkpoint ";
constexpr int kVersion = 2;

/// FNV-1a.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t value = 0xcbf29ce484222325ull;
  for (const char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return value;
}

std::string header(std::string_view bytes) {
  std::string text = fmt::format("{}{}\nlength {}\nchecksum {:016x}\nThis is an HDF5 file.\n", kMarker, kVersion, bytes.size(),
                                 checksum(bytes.substr(kUserBlock)));
  text.resize(kUserBlock, '\0');
  return text;
}

void verify(const std::string& bytes) {
  if (bytes.empty()) throw Error("The file is empty. Start again from the scene or from another checkpoint.");
  if (!bytes.starts_with(kMarker)) {
    if (h5::has_signature(bytes))
      throw Error(
          "This HDF5 file is not a checkpoint (perhaps a trajectory, or a contact problem for `stickslip solve`). `stickslip run … --checkpoint FILE` writes checkpoints.");
    throw Error("This is not a checkpoint. `stickslip run … --checkpoint FILE` writes checkpoints.");
  }
  const std::string version = bytes.substr(kMarker.size(), bytes.find('\n') - kMarker.size());
  if (version != std::to_string(kVersion) && version.find_first_not_of("0123456789") == std::string::npos)
    throw Error(fmt::format("The checkpoint has format {}, and this program reads format {}. Use the program that wrote it.",
                            version.substr(0, 16), kVersion));
  if (bytes.size() < kUserBlock || bytes.compare(0, kUserBlock, header(bytes)) != 0)
    throw Error(
        "The checkpoint is truncated or damaged: length and checksum do not match its content. "
        "Start again from the scene or from another checkpoint.");
}

// Files live in memory while HDF5 works on them: a full disk or a damaged file never reaches it.

std::string to_bytes(Snapshot& snapshot) {
  h5::Quiet quiet;
  const h5::MemoryFile file;
  h5::write_attribute(file.id(), "format", "stickslip-checkpoint");
  h5::write_attribute(file.id(), "version", std::uint64_t{kVersion});
  Saver saver(file.id());
  exchange(saver, snapshot);
  std::string bytes = file.bytes(kUserBlock);
  bytes.replace(0, kUserBlock, header(bytes));
  return bytes;
}

Snapshot from_bytes(std::string_view bytes) {
  h5::Quiet quiet;
  const h5::MemoryFile file(bytes.substr(kUserBlock));
  Snapshot snapshot;
  Loader loader(file.id());
  exchange(loader, snapshot);
  return snapshot;
}

}  // namespace

void save_checkpoint(const fs::path& path, const Scene& scene) {
  try {
    Snapshot snapshot = take_snapshot(scene);
    StagedFile staged(path);
    write_bytes(staged.path(), to_bytes(snapshot));
    staged.commit();
  } catch (Error& error) {
    throw error.in(path.string());
  }
}

Scene load_checkpoint(const fs::path& path) {
  try {
    const std::string bytes = read_bytes(path);
    verify(bytes);
    return restore(from_bytes(bytes));
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

}  // namespace stickslip
