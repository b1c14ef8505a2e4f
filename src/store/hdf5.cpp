#include "store/hdf5.h"

#include <fmt/format.h>

#include <algorithm>

namespace stickslip::h5 {

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

bool Handle::close() noexcept {
  if (id_ < 0) return true;
  Quiet quiet;
  return closer_(std::exchange(id_, H5I_INVALID_HID)) >= 0;
}

namespace {

/// The innermost message of HDF5's error stack; of a system error only its text ("No space left on device").
std::string reason() {
  std::string innermost;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
        auto& result = *static_cast<std::string*>(text);
        if (result.empty() && error->desc) result = error->desc;
        return 0;
      },
      &innermost);
  constexpr std::string_view marker = "error message = '";
  if (const auto from = innermost.find(marker); from != std::string::npos) {
    const auto start = from + marker.size();
    innermost = innermost.substr(start, innermost.find('\'', start) - start);
  }
  return innermost.empty() ? "HDF5 gives no reason" : innermost;
}

Handle dataspace(const Extent& extent) {
  if (extent.empty()) return {check(H5Screate(H5S_SCALAR), "create a dataspace"), H5Sclose};
  return {check(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), "create a dataspace"), H5Sclose};
}

void write_scalar_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  Quiet quiet;
  const Handle space = dataspace({});
  const Handle attribute(check(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                               fmt::format("create attribute '{}'", name)),
                         H5Aclose);
  check(H5Awrite(attribute.get(), type, value), fmt::format("write attribute '{}'", name));
}

Handle open_attribute(hid_t object, const std::string& name) {
  return {check(H5Aopen(object, name.c_str(), H5P_DEFAULT), fmt::format("read attribute '{}'", name)), H5Aclose};
}

}   // namespace

hid_t check(hid_t status, std::string_view what) {
  if (status < 0) throw Error(fmt::format("Cannot {}: {}.", what, reason()));
  return status;
}

Handle text_type(std::size_t length) {
  Quiet quiet;
  Handle type(check(H5Tcopy(H5T_C_S1), "copy a type"), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(1, length));   // HDF5 has no text of length 0
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

Handle open_file(const std::string& path) {
  Quiet quiet;
  return {check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open the file"), H5Fclose};
}

Handle create_group(hid_t parent, const std::string& name) {
  Quiet quiet;
  const Handle links(check(H5Pcreate(H5P_LINK_CREATE), "create a property list"), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  return {
      check(H5Gcreate2(parent, name.c_str(), links.get(), H5P_DEFAULT, H5P_DEFAULT), fmt::format("create group '{}'", name)),
      H5Gclose};
}

Handle open_dataset(hid_t parent, const std::string& name) {
  Quiet quiet;
  return {check(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), fmt::format("open dataset '{}'", name)), H5Dclose};
}

void write_attribute(hid_t object, const std::string& name, std::string_view text) {
  Quiet quiet;
  const Handle type = text_type(text.size());
  const std::string padded = text.empty() ? std::string(1, '\0') : std::string(text);
  write_scalar_attribute(object, name, type.get(), padded.data());
}
void write_attribute(hid_t object, const std::string& name, double value) {
  write_scalar_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
}
void write_attribute(hid_t object, const std::string& name, std::uint64_t value) {
  write_scalar_attribute(object, name, H5T_NATIVE_UINT64, &value);
}

std::string read_text_attribute(hid_t object, const std::string& name) {
  Quiet quiet;
  const Handle attribute = open_attribute(object, name);
  const Handle type(check(H5Aget_type(attribute.get()), "read a type"), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0)
    throw Error(fmt::format("Attribute '{}' is not a text of fixed length.", name));
  std::string text(H5Tget_size(type.get()), '\0');
  check(H5Aread(attribute.get(), type.get(), text.data()), fmt::format("read attribute '{}'", name));
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

void write_values(hid_t parent, const std::string& name, hid_t memory_type, const void* data, const Extent& extent) {
  Quiet quiet;
  const Handle space = dataspace(extent);
  const Handle links(check(H5Pcreate(H5P_LINK_CREATE), "create a property list"), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  const Handle creation(check(H5Pcreate(H5P_DATASET_CREATE), "create a property list"), H5Pclose);
  H5Pset_obj_track_times(creation.get(), false);   // the same values are the same bytes whenever they are written
  const Handle dataset(
      check(H5Dcreate2(parent, name.c_str(), memory_type, space.get(), links.get(), creation.get(), H5P_DEFAULT),
            fmt::format("create dataset '{}'", name)),
      H5Dclose);
  for (const hsize_t length : extent)
    if (length == 0) return;
  check(H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), fmt::format("write dataset '{}'", name));
}

Extent extent_of(hid_t dataset) {
  Quiet quiet;
  const Handle space(check(H5Dget_space(dataset), "read a dataspace"), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  Extent extent(static_cast<std::size_t>(std::max(rank, 0)));
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  return extent;
}

void read_values(hid_t parent, const std::string& name, hid_t memory_type, void* data, const Extent& extent) {
  Quiet quiet;
  const Handle dataset = open_dataset(parent, name);
  const Extent found = extent_of(dataset.get());
  if (found != extent)
    throw Error(
        fmt::format("Dataset '{}' has size [{}] instead of [{}].", name, fmt::join(found, ", "), fmt::join(extent, ", ")));
  for (const hsize_t length : extent)
    if (length == 0) return;
  check(H5Dread(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), fmt::format("read dataset '{}'", name));
}

hsize_t length_of(hid_t parent, const std::string& name) {
  const Extent extent = extent_of(open_dataset(parent, name).get());
  if (extent.empty()) throw Error(fmt::format("Dataset '{}' has no axis.", name));
  return extent.front();
}

bool exists(hid_t parent, const std::string& path) {
  Quiet quiet;
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    if (H5Lexists(parent, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

template <class T>
std::vector<T> read_list(hid_t parent, const std::string& path) {
  Quiet quiet;
  if (!exists(parent, path)) throw Error("This dataset is missing.");
  const Handle dataset = open_dataset(parent, path);
  const Handle type(check(H5Dget_type(dataset.get()), "read a type"), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw Error("This dataset does not hold numbers.");
  if (std::is_integral_v<T> && kind != H5T_INTEGER) throw Error("This dataset does not hold whole numbers.");
  std::size_t size = 1;
  for (const hsize_t length : extent_of(dataset.get())) size *= length;
  std::vector<T> values(size);
  if (size > 0)
    check(H5Dread(dataset.get(), native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read this dataset");
  return values;
}
template std::vector<double> read_list(hid_t, const std::string&);
template std::vector<std::uint8_t> read_list(hid_t, const std::string&);
template std::vector<std::int32_t> read_list(hid_t, const std::string&);
template std::vector<std::uint32_t> read_list(hid_t, const std::string&);
template std::vector<std::uint64_t> read_list(hid_t, const std::string&);

std::string read_text(hid_t parent, const std::string& path) {
  Quiet quiet;
  if (!exists(parent, path)) throw Error("This dataset is missing.");
  const Handle dataset = open_dataset(parent, path);
  const Handle type(check(H5Dget_type(dataset.get()), "read a type"), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING) throw Error("This dataset does not hold a text.");
  for (const hsize_t length : extent_of(dataset.get()))
    if (length != 1) throw Error("This dataset holds more or less than one text.");
  std::string text;
  if (H5Tis_variable_str(type.get()) > 0) {
    char* stored = nullptr;
    check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &stored), "read this dataset");
    if (stored != nullptr) text = stored;
    H5free_memory(stored);
  } else {
    text.resize(H5Tget_size(type.get()));
    check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "read this dataset");
  }
  return text.substr(0, text.find('\0'));
}

void write_c_text(hid_t parent, const std::string& path, const std::string& text) {
  Quiet quiet;
  const Handle type(check(H5Tcopy(H5T_C_S1), "copy a type"), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  write_values(parent, path, type.get(), text.c_str(), {});
}

}   // namespace stickslip::h5
