// An HDF5 file driver that survives a full disk.
//
// HDF5 itself does not: after a failed write its caches can be neither flushed nor dropped, and closing the file or ending
// the program crashes. This driver tells HDF5 that all is well, keeps the first error for us, and from then on leaves the
// file on disk as it is: because HDF5 orders its writes for concurrent readers, it stays readable up to that point.
#pragma once

#include <memory>

#include "store/hdf5.h"

namespace stickslip::h5 {

/// Creates an HDF5 file for one writer and any number of concurrent readers.
class GrowingFile {
 public:
  GrowingFile() = default;
  explicit GrowingFile(const std::string& path);   ///< @throws Error
  hid_t id() const { return file_.get(); }
  explicit operator bool() const { return static_cast<bool>(file_); }

  /// Others may read from now on; no more datasets or attributes can be added. @throws Error
  void let_others_read();
  /// @throws Error "Cannot write: No space left on device." if the disk refused anything so far.
  void check_disk() const;
  /// Completes the file. @returns whether everything reached the disk
  bool close() noexcept;

 private:
  Handle driver_, file_;
  std::shared_ptr<int> first_error_ = std::make_shared<int>(0);   ///< errno of the first refused write
};

}   // namespace stickslip::h5
