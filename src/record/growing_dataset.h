// A dataset that is appended to while others read it.
#pragma once

#include <cstddef>
#include <type_traits>

#include "stickslip/math/types.h"
#include "store/hdf5.h"

namespace stickslip::h5 {

/// Rows are collected in memory and written a chunk at a time. The axes are [rows, item…], or [rows, columns, item…] for a
/// table whose columns grow in number too; a cell that was never written holds the fill value: NaN, or 0 for integers.
class GrowingDataset {
 public:
  struct Layout {
    Extent item;   ///< axes of one item, such as {3} for a vector
    hsize_t chunk_rows = 1024;
    hsize_t chunk_columns = 0;   ///< 0: there is no axis of columns
    /// A compressed chunk that is flushed half full is written again elsewhere later, and its old place is lost; what is
    /// small and flushed often is better not compressed.
    bool compressed = true;
  };

  GrowingDataset() = default;
  GrowingDataset(hid_t parent, std::string name, hid_t type, Layout);

  /// Adds values to the current row.
  void push(const void* values, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(values);
    pending_.insert(pending_.end(), from, from + bytes);
  }
  template <class T>
  void push(T value) requires std::is_arithmetic_v<T> {
    push(&value, sizeof value);
  }
  void push(const Vec3& v) { push(v.data(), 3 * sizeof(double)); }
  void push_wxyz(const Quat& q) {
    const double wxyz[4] = {q.w(), q.x(), q.y(), q.z()};
    push(wxyz, sizeof wxyz);
  }

  /// Complete rows so far, written or not.
  hsize_t rows() const { return extent_[0] + pending_rows(); }
  /// Rows have this many columns from now on. @pre the last row is complete
  void set_columns(hsize_t);

  /// A row of a table that has no columns yet. @pre `set_columns` was not called
  void skip_row() { ++extent_[0], grown_ = true; }

  void write_full_chunks();   ///< writes once a chunk of rows is there. @throws Error
  void flush();               ///< writes all rows and makes them visible to readers. @throws Error
  bool close() noexcept { return dataset_.close(); }

  hid_t id() const { return dataset_.get(); }

 private:
  std::size_t row_bytes() const;
  hsize_t pending_rows() const { return row_bytes() ? pending_.size() / row_bytes() : 0; }
  void write_pending();

  std::string name_;
  Handle type_, dataset_;
  Extent extent_;   ///< of what is written
  Layout layout_;
  bool grown_ = false;    ///< the file does not have that extent yet
  hsize_t columns_ = 0;   ///< of the rows that are pending
  std::size_t item_bytes_ = 0;
  std::vector<std::byte> pending_;
};

}   // namespace stickslip::h5
