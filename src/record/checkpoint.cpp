// A checkpoint is an HDF5 file with a user block of 512 bytes in front: a marker, the length of the file and a checksum of
// what follows. It is verified before HDF5 reads anything, because HDF5 does not survive every damaged file.
#include "stickslip/record/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "record/checkpoint_fields.h"
#include "record/staged_file.h"

namespace stickslip {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUserBlock = 512;  // the smallest that HDF5 allows
constexpr std::string_view kMarker = "stickslip-checkpoint ";
constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";
constexpr int kVersion = 1;

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

std::string read_bytes(const fs::path& path, std::size_t most = std::string::npos) {
  if (fs::is_directory(path)) throw Error("This is a directory. Give the name of a checkpoint file.");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("Cannot open the file: {}.", std::strerror(errno)));
  if (most != std::string::npos) {
    std::string bytes(most, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(most));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const fs::path& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = file < 0 ? errno : 0;
  while (error == 0 && !bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EINTR)
      error = errno;
  }
  // On the disk before it replaces an older checkpoint; a device cannot be synchronised and need not be.
  if (error == 0 && ::fsync(file) != 0 && errno != EINVAL) error = errno;
  if (file >= 0 && ::close(file) != 0 && error == 0) error = errno;
  if (error != 0) throw Error(fmt::format("Cannot write the checkpoint: {}.", std::strerror(error)));
}

void verify(const std::string& bytes) {
  if (bytes.empty()) throw Error("The file is empty. Start again from the scene or from another checkpoint.");
  if (!bytes.starts_with(kMarker)) {
    if (bytes.starts_with(kHdf5Signature))
      throw Error(
          "This HDF5 file is not a checkpoint (perhaps a trajectory). `stickslip run … --checkpoint FILE` writes checkpoints.");
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

/// Files live in memory while HDF5 works on them: a full disk or a damaged file never reaches it.
h5::Handle in_memory(std::string_view image = {}) {
  h5::Handle access(h5::check(H5Pcreate(H5P_FILE_ACCESS), "create a property list"), H5Pclose);
  h5::check(H5Pset_fapl_core(access.get(), 1 << 20, 0), "choose a file in memory");
  if (!image.empty())
    h5::check(H5Pset_file_image(access.get(), const_cast<char*>(image.data()), image.size()), "read the file in memory");
  return access;
}

std::string to_bytes(Snapshot& snapshot) {
  h5::Quiet quiet;
  const h5::Handle access = in_memory();
  const h5::Handle file(h5::check(H5Fcreate("checkpoint", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), "create the file"),
                        H5Fclose);
  h5::write_attribute(file.get(), "format", "stickslip-checkpoint");
  h5::write_attribute(file.get(), "version", std::uint64_t{kVersion});
  Saver saver(file.get());
  exchange(saver, snapshot);
  h5::check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), "write the tables");
  const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
  h5::check(size, "measure the tables");
  std::string bytes(kUserBlock + static_cast<std::size_t>(size), '\0');
  h5::check(H5Fget_file_image(file.get(), bytes.data() + kUserBlock, static_cast<std::size_t>(size)), "copy the tables");
  bytes.replace(0, kUserBlock, header(bytes));
  return bytes;
}

Snapshot from_bytes(std::string_view bytes) {
  h5::Quiet quiet;
  const h5::Handle access = in_memory(bytes.substr(kUserBlock));
  const h5::Handle file(h5::check(H5Fopen("checkpoint", H5F_ACC_RDONLY, access.get()), "open the tables"), H5Fclose);
  Snapshot snapshot;
  Loader loader(file.get());
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
