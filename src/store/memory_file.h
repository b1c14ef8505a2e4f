// Files as a whole: HDF5 files that live in memory, and bytes that go to the disk at once.
//
// A full disk or a file that grows under our hands never reaches HDF5, which survives neither.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "store/hdf5.h"

namespace stickslip::h5 {

/// An HDF5 file in memory. The image it is opened from must outlive it.
class MemoryFile {
 public:
  MemoryFile();                                  ///< empty, for writing. @throws Error
  explicit MemoryFile(std::string_view image);   ///< for reading. @throws Error if this is no HDF5 file

  hid_t id() const { return file_.get(); }
  /// What the file would be on disk, after `space` bytes of zeros. @throws Error
  std::string bytes(std::size_t space = 0) const;

 private:
  Handle file_;
};

/// Whether the bytes begin as HDF5 files do.
bool has_signature(std::string_view bytes);

}   // namespace stickslip::h5

namespace stickslip {

/// Fowler, Noll and Vo's hash (FNV-1a, 64 bits).
std::uint64_t checksum(std::string_view bytes);

/// The first `most` bytes of a file. @throws Error if it cannot be opened, is a directory or a device without an end
std::string read_bytes(const std::filesystem::path& path, std::size_t most = std::string::npos);

/// Writes a file and waits until the disk has it. @throws Error
void write_bytes(const std::filesystem::path& path, std::string_view bytes);

}   // namespace stickslip
