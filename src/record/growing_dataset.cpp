#include "record/growing_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stickslip::h5 {

namespace {
constexpr unsigned kDeflateLevel = 1;   // higher levels cost several times the time for a few percent of size
}

GrowingDataset::GrowingDataset(hid_t parent, std::string name, hid_t type, Layout layout)
    : name_(std::move(name)), layout_(std::move(layout)) {
  Quiet quiet;
  const std::string what = fmt::format("create dataset '{}'", name_);
  type_ = Handle(check(H5Tcopy(type), what), H5Tclose);
  Extent most{H5S_UNLIMITED}, chunk{std::max<hsize_t>(1, layout_.chunk_rows)};
  extent_ = {0};
  if (layout_.chunk_columns > 0) {
    extent_.push_back(0);
    most.push_back(H5S_UNLIMITED);
    chunk.push_back(layout_.chunk_columns);
  }
  item_bytes_ = H5Tget_size(type);
  for (const hsize_t length : layout_.item) {
    extent_.push_back(length);
    most.push_back(length);
    chunk.push_back(length);
    item_bytes_ *= length;
  }
  const int rank = static_cast<int>(extent_.size());
  const Handle space(check(H5Screate_simple(rank, extent_.data(), most.data()), what), H5Sclose);

  const Handle creation(check(H5Pcreate(H5P_DATASET_CREATE), what), H5Pclose);
  check(H5Pset_chunk(creation.get(), rank, chunk.data()), what);
  if (layout_.compressed) {
    check(H5Pset_shuffle(creation.get()), what);
    check(H5Pset_deflate(creation.get(), kDeflateLevel), what);
  }
  if (H5Tget_class(type) == H5T_FLOAT) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    check(H5Pset_fill_value(creation.get(), H5T_NATIVE_DOUBLE, &nan), what);
  }
  // Room in HDF5's cache for the chunks of the row that grows, so that none is read back to be appended to.
  std::size_t chunk_bytes = H5Tget_size(type);
  for (const hsize_t length : chunk) chunk_bytes *= length;
  const Handle access(check(H5Pcreate(H5P_DATASET_ACCESS), what), H5Pclose);
  check(H5Pset_chunk_cache(access.get(), 521, std::max<std::size_t>(1 << 20, 8 * chunk_bytes), 1.0), what);

  dataset_ = Handle(
      check(H5Dcreate2(parent, name_.c_str(), type, space.get(), H5P_DEFAULT, creation.get(), access.get()), what), H5Dclose);
}

std::size_t GrowingDataset::row_bytes() const { return item_bytes_ * (layout_.chunk_columns > 0 ? columns_ : 1); }

void GrowingDataset::set_columns(hsize_t columns) {
  if (columns == columns_) return;
  write_pending();
  columns_ = columns;
}

void GrowingDataset::write_full_chunks() {
  if (pending_rows() >= layout_.chunk_rows) write_pending();
}

void GrowingDataset::write_pending() {
  const hsize_t count = pending_rows();
  if (count == 0 && !grown_) return;
  Quiet quiet;
  const std::string what = fmt::format("write dataset '{}'", name_);
  Extent start(extent_.size(), 0), block = extent_;
  start[0] = extent_[0];
  block[0] = count;
  extent_[0] += count;
  if (layout_.chunk_columns > 0) {
    block[1] = columns_;
    extent_[1] = std::max(extent_[1], columns_);
  }
  check(H5Dset_extent(dataset_.get(), extent_.data()), what);
  grown_ = false;
  if (count == 0) return;
  const Handle file_space(check(H5Dget_space(dataset_.get()), what), H5Sclose);
  check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr), what);
  const Handle memory_space(check(H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr), what), H5Sclose);
  check(H5Dwrite(dataset_.get(), type_.get(), memory_space.get(), file_space.get(), H5P_DEFAULT, pending_.data()), what);
  pending_.clear();
}

void GrowingDataset::flush() {
  write_pending();
  Quiet quiet;
  check(H5Dflush(dataset_.get()), fmt::format("write dataset '{}'", name_));
}

}   // namespace stickslip::h5
