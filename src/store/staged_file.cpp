#include "store/staged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "stickslip/math/error.h"

namespace stickslip {

namespace fs = std::filesystem;

StagedFile::StagedFile(const fs::path& wanted) {
  std::error_code ignored;
  // Behind a symbolic link the file it names is replaced, not the link.
  final_ = fs::is_symlink(wanted, ignored) ? fs::weakly_canonical(wanted, ignored) : wanted;
  if (final_.empty()) final_ = wanted;
  const fs::file_status status = fs::status(final_, ignored);
  if (fs::is_directory(status)) throw Error("This is a directory. Give the name of a file.").in(wanted.string());
  const fs::path directory = final_.has_parent_path() ? final_.parent_path() : fs::path(".");
  if (!fs::is_directory(directory, ignored))
    throw Error(fmt::format("The directory '{}' does not exist. Create it first.", directory.string())).in(wanted.string());
  in_place_ = fs::exists(status) && !fs::is_regular_file(status);
  temporary_ = final_;
  if (!in_place_) temporary_ += fmt::format(".{}.part", ::getpid());
}

StagedFile::~StagedFile() {
  std::error_code ignored;
  if (!in_place_ && !committed_) fs::remove(temporary_, ignored);
}

void StagedFile::commit(DiskWait wait) {
  if (!in_place_) {
    std::error_code error;
    const bool waits = wait == DiskWait::always || (wait == DiskWait::if_it_replaces && fs::exists(final_, error));
    // The bytes first: a disk may keep the new name and forget what it names.
    if (waits) wait_for_disk(temporary_);
    fs::rename(temporary_, final_, error);
    if (error) throw Error(fmt::format("Cannot give the file its name: {}.", error.message())).in(final_.string());
    if (waits) wait_for_disk(final_.has_parent_path() ? final_.parent_path() : fs::path("."));
  }
  committed_ = true;
}

void wait_for_disk(const fs::path& path) noexcept {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}   // namespace stickslip
