#include "store/memory_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace stickslip::h5 {

namespace {

Handle in_memory(std::string_view image = {}) {
  Handle access(check(H5Pcreate(H5P_FILE_ACCESS), "create a property list"), H5Pclose);
  check(H5Pset_fapl_core(access.get(), 1 << 20, 0), "choose a file in memory");
  if (!image.empty())
    check(H5Pset_file_image(access.get(), const_cast<char*>(image.data()), image.size()), "read the file in memory");
  return access;
}

}   // namespace

MemoryFile::MemoryFile() {
  Quiet quiet;
  const Handle access = in_memory();
  file_ = Handle(check(H5Fcreate("memory", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), "create the file"), H5Fclose);
}

MemoryFile::MemoryFile(std::string_view image) {
  Quiet quiet;
  const Handle access = in_memory(image);
  file_ = Handle(check(H5Fopen("memory", H5F_ACC_RDONLY, access.get()), "open the tables"), H5Fclose);
}

std::string MemoryFile::bytes(std::size_t space) const {
  Quiet quiet;
  check(H5Fflush(id(), H5F_SCOPE_LOCAL), "write the tables");
  const ssize_t size = H5Fget_file_image(id(), nullptr, 0);
  check(size, "measure the tables");
  std::string bytes(space + static_cast<std::size_t>(size), '\0');
  check(H5Fget_file_image(id(), bytes.data() + space, static_cast<std::size_t>(size)), "copy the tables");
  return bytes;
}

bool has_signature(std::string_view bytes) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  if (bytes.starts_with(signature)) return true;
  // A program may keep the first 512, 1024, … bytes to itself.
  for (std::size_t at = 512; at < bytes.size(); at *= 2)
    if (bytes.substr(at).starts_with(signature)) return true;
  return false;
}

}   // namespace stickslip::h5

namespace stickslip {

namespace fs = std::filesystem;

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

std::string read_bytes(const fs::path& path, std::size_t most) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw Error("This is a directory. Give the name of a file.");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("Cannot open the file: {}.", std::strerror(errno)));
  if (most != std::string::npos) {
    std::string bytes(most, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(most));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
  }
  if (fs::is_regular_file(path, ignored)) return {std::istreambuf_iterator<char>(file), {}};
  // A pipe, or a device, which may have no end.
  constexpr std::size_t kMostOfDevice = std::size_t{256} << 20;
  std::string bytes;
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at) {
    if (bytes.size() == kMostOfDevice) throw Error("This is not a file, and does not end within 256 MB.");
    bytes += *at;
  }
  return bytes;
}

void write_bytes(const fs::path& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = file < 0 ? errno : 0;
  while (error == 0 && !bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put >= 0) bytes.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EINTR) error = errno;
  }
  // On the disk before it replaces an older file; a device cannot be synchronised and need not be.
  if (error == 0 && ::fsync(file) != 0 && errno != EINVAL) error = errno;
  if (file >= 0 && ::close(file) != 0 && error == 0) error = errno;
  if (error != 0) throw Error(fmt::format("Cannot write the file: {}.", std::strerror(error)));
}

}   // namespace stickslip
