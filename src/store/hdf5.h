// The little of HDF5 that records and problem files need: handles that close themselves, and errors as exceptions.
//
// Every function throws `Error` without a file name; the caller, who knows it, adds `.in(file)`. HDF5's own error printing
// is silenced while one of these calls runs.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/math/error.h"

namespace stickslip::h5 {

/// Keeps HDF5 from printing its error stack while in scope.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Owns one HDF5 identifier.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), closer_(other.closer_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      close();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      closer_ = other.closer_;
    }
    return *this;
  }
  ~Handle() { close(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// @returns whether HDF5 closed it without trouble (true if it was closed already).
  bool close() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
  Closer closer_ = nullptr;
};

/// @throws Error "Cannot <what>: <reason HDF5 gives>." if `status` is negative. Returns it otherwise.
hid_t check(hid_t status, std::string_view what);

/// Sizes of the axes of a dataset; {} is a scalar.
using Extent = std::vector<hsize_t>;

template <class T>
hid_t native_type();
template <>
inline hid_t native_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t native_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t native_type<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}
template <>
inline hid_t native_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
inline hid_t native_type<std::uint32_t>() {
  return H5T_NATIVE_UINT32;
}
template <>
inline hid_t native_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}

/// UTF-8 text of exactly `length` bytes, padded with zeros.
Handle text_type(std::size_t length);

/// Opens for reading. @throws Error
Handle open_file(const std::string& path);
/// Intermediate groups are made where needed.
Handle create_group(hid_t parent, const std::string& name);
Handle open_dataset(hid_t parent, const std::string& name);

// Attributes: small values at an object. Strings are UTF-8 of fixed length.
void write_attribute(hid_t object, const std::string& name, std::string_view text);
void write_attribute(hid_t object, const std::string& name, double value);
void write_attribute(hid_t object, const std::string& name, std::uint64_t value);
std::string read_text_attribute(hid_t object, const std::string& name);

// Datasets written and read at once.
void write_values(hid_t parent, const std::string& name, hid_t memory_type, const void* data, const Extent& extent);
/// The sizes of all axes.
Extent extent_of(hid_t dataset);
/// @throws Error unless the dataset has exactly these axes.
void read_values(hid_t parent, const std::string& name, hid_t memory_type, void* data, const Extent& extent);
/// Length of the first axis. @throws Error if the dataset is missing or has no axis.
hsize_t length_of(hid_t parent, const std::string& name);

// Datasets of foreign files, of which only the path is known.
/// Whether every link of the path "a/b/c" exists.
bool exists(hid_t parent, const std::string& path);
/// All numbers of a dataset, whatever its axes. @throws Error if it is missing or does not hold numbers.
template <class T>
std::vector<T> read_list(hid_t parent, const std::string& path);
/// A text of fixed or variable length, without zeros at its end. @throws Error if it is missing or no text.
std::string read_text(hid_t parent, const std::string& path);
/// ASCII text that ends with a zero, as C programs write it.
void write_c_text(hid_t parent, const std::string& path, const std::string& text);

}   // namespace stickslip::h5
