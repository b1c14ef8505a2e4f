#include "cli/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

constexpr int kLooksAfterKill = 100;   // ten a second

/// What a browser that is about to end still writes is removed with the second try.
void remove_folder(const std::filesystem::path& path) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (!error && !std::filesystem::exists(path, error)) return;
    usleep(100'000);
  }
}

/// Runs in the child: out of reach of the terminal's signals, with nothing open that others may wait for.
[[noreturn]] void wait_and_remove(int leash, const std::filesystem::path& path) {
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) dup2(nothing, standard);
  const long most = std::min(sysconf(_SC_OPEN_MAX), 4096L);
  for (int other = 3; other < most; ++other)
    if (other != leash) close(other);
  char byte;
  ssize_t told;
  while ((told = read(leash, &byte, 1)) < 0 && errno == EINTR) {
  }
  remove_folder(path);
  // Nobody said farewell: the program was killed. Its browser notices and ends in order, which writes some files once more.
  for (int look = 0; told == 0 && look < kLooksAfterKill; ++look) {
    usleep(100'000);
    if (std::error_code error; std::filesystem::exists(path, error)) remove_folder(path);
  }
  _exit(0);
}

}   // namespace

TemporaryFolder::TemporaryFolder(const char* purpose) {
  // The name is known before the folder is there, so that it has somebody to remove it from the first moment on.
  std::random_device random;
  std::error_code error;
  const std::filesystem::path place = std::filesystem::temp_directory_path(error);
  if (error)
    throw Error(fmt::format("There is no folder for temporary files: {}. Set TMPDIR to one that is there.", error.message()));
  path = place / fmt::format("stickslip-{}-{:08x}{:08x}", purpose, random(), random());
  int ends[2];
  if (!std::filesystem::exists(path) && pipe2(ends, O_CLOEXEC) == 0) {
    cleaner_ = fork();
    if (cleaner_ == 0) {
      close(ends[1]);
      wait_and_remove(ends[0], path);
    }
    close(ends[0]);
    leash_ = ends[1];
  }
  if (mkdir(path.c_str(), 0700) != 0) {
    const int reason = errno;
    end();
    throw Error(fmt::format("'{}' cannot be made: {}. Set TMPDIR to a folder for temporary files.", path.string(),
                            std::strerror(reason)));
  }
}

TemporaryFolder::~TemporaryFolder() { end(); }

void TemporaryFolder::end() {
  if (cleaner_ > 0 && waitpid(cleaner_, nullptr, WNOHANG) != 0) cleaner_ = -1;   // somebody ended it
  const bool told = cleaner_ > 0 && write(leash_, "x", 1) == 1;
  if (leash_ >= 0) close(leash_);
  if (told) waitpid(cleaner_, nullptr, 0);
  else remove_folder(path);
}

}   // namespace stickslip::cli
