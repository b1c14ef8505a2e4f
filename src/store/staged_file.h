// A file that replaces an older one of the same name only once it is good.
#pragma once

#include <filesystem>

namespace stickslip {

/// Waits until the disk holds a file, or a folder with the names in it. What cannot be waited for (a pipe, a network that does
/// not say) is passed over. A full disk is told where bytes are written.
void wait_for_disk(const std::filesystem::path&) noexcept;

/// When `commit` waits for the disk, so that a power cut leaves either the older file or the new one whole.
enum class DiskWait {
  never,            ///< files of many that are made again
  if_it_replaces,   ///< an older file would be lost
  always,
};

/// Names a temporary file next to the wanted one; `commit` renames it. A program that holds the file open keeps writing
/// to it under its final name. Without `commit` the temporary file is removed and the older file stays as it was.
/// Something that is not a regular file (a device, a pipe) is written in place.
class StagedFile {
 public:
  /// @throws Error if the directory does not exist or the name is that of a directory.
  explicit StagedFile(const std::filesystem::path& wanted);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  const std::filesystem::path& path() const { return temporary_; }   ///< write here
  /// @throws Error if the rename fails.
  void commit(DiskWait wait = DiskWait::if_it_replaces);

 private:
  std::filesystem::path final_, temporary_;
  bool in_place_ = false, committed_ = false;
};

}   // namespace stickslip
