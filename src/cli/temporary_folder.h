// A folder that is gone with its owner, however that ends.
#pragma once

#include <filesystem>

namespace stickslip::cli {

/// A second process waits for the end of this one and then removes the folder: nothing is left behind where the program is
/// killed, or interrupted twice. Make one before other threads are started.
struct TemporaryFolder {
  std::filesystem::path path;

  explicit TemporaryFolder(const char* purpose);   ///< @throws Error if it cannot be made
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

 private:
  void end();

  int leash_ = -1;     ///< write end of a pipe that nobody writes to: its end tells the other process
  int cleaner_ = -1;   ///< the other process
};

}   // namespace stickslip::cli
