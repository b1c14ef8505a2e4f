#include "problem/files/fclib_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stickslip::files {

namespace {

/// Reads, and places an error at the dataset.
template <class T>
std::vector<T> list(hid_t file, const std::string& path) {
  try {
    return h5::read_list<T>(file, path);
  } catch (const Error& error) {
    throw at_place(error, path);
  }
}

void check_length(const std::string& path, std::size_t found, std::size_t wanted) {
  if (found != wanted) fail_at(path, fmt::format("{} numbers stand here, and there must be {}.", found, wanted));
}

void check_index(const std::string& path, std::size_t k, int index, std::size_t size, const char* what) {
  if (index < 0 || static_cast<std::size_t>(index) >= size)
    fail_at(path, fmt::format("number {} is {}, and the matrix has {} {}. Numbers count from 0.", k, index, size, what));
}

std::size_t read_size(hid_t file, const std::string& path) {
  const int size = read_integer(file, path);
  if (size < 0) fail_at(path, fmt::format("{} is not a size. It must be at least 0.", size));
  return static_cast<std::size_t>(size);
}

}   // namespace

int read_integer(hid_t file, const std::string& path) {
  const std::vector<std::int32_t> values = list<std::int32_t>(file, path);
  check_length(path, values.size(), 1);
  return values.front();
}

std::vector<double> read_vector(hid_t file, const std::string& path, std::size_t size) {
  std::vector<double> values = list<double>(file, path);
  check_length(path, values.size(), size);
  for (std::size_t k = 0; k < size; ++k)
    if (!std::isfinite(values[k])) fail_at(path, fmt::format("number {} is {}. It must be finite.", k, values[k]));
  return values;
}

FclibMatrix read_matrix(hid_t file, const std::string& path) {
  if (!h5::exists(file, path)) fail_at(path, "This matrix is missing.");
  FclibMatrix a;
  a.rows = read_size(file, path + "/m");
  a.columns = read_size(file, path + "/n");
  const int nz = read_integer(file, path + "/nz");
  if (nz < -2)
    fail_at(path + "/nz",
            fmt::format("{} is no way to store a matrix. It must be a number of triplets, -1 (columns) or -2 (rows).", nz));
  const std::vector<std::int32_t> p = list<std::int32_t>(file, path + "/p"), i = list<std::int32_t>(file, path + "/i");
  if (nz >= 0) {
    const auto count = static_cast<std::size_t>(nz);
    // Room for more triplets than are used is allowed.
    const std::vector<double> x = read_vector(file, path + "/x", std::max(i.size(), count));
    if (p.size() < count) check_length(path + "/p", p.size(), count);
    if (i.size() < count) check_length(path + "/i", i.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
      check_index(path + "/i", k, i[k], a.rows, "rows");
      check_index(path + "/p", k, p[k], a.columns, "columns");
      a.entries.emplace_back(i[k], p[k], x[k]);
    }
    return a;
  }
  const bool by_rows = nz == -2;
  const std::size_t lines = by_rows ? a.rows : a.columns, width = by_rows ? a.columns : a.rows;
  const std::vector<double> x = read_vector(file, path + "/x", i.size());
  check_length(path + "/p", p.size(), lines + 1);
  for (std::size_t k = 0; k < lines; ++k) {
    if (p[k] < 0 || p[k] > p[k + 1] || static_cast<std::size_t>(p[k + 1]) > i.size())
      fail_at(path + "/p", fmt::format("numbers {} and {} are {} and {}. They must increase from 0 to {}.", k, k + 1, p[k],
                                       p[k + 1], i.size()));
    for (int e = p[k]; e < p[k + 1]; ++e) {
      check_index(path + "/i", static_cast<std::size_t>(e), i[e], width, by_rows ? "columns" : "rows");
      const int line = static_cast<int>(k);
      a.entries.emplace_back(by_rows ? line : i[e], by_rows ? i[e] : line, x[e]);
    }
  }
  return a;
}

void write_integer(hid_t file, const std::string& path, int value) {
  h5::write_values(file, path, h5::native_type<std::int32_t>(), &value, {1});
}

void write_vector(hid_t file, const std::string& path, std::span<const double> values) {
  h5::write_values(file, path, h5::native_type<double>(), values.data(), {values.size()});
}

void write_matrix(hid_t file, const std::string& path, const FclibMatrix& a, bool compressed) {
  Entries entries = a.entries;
  const std::size_t count = entries.size();
  std::vector<std::int32_t> p, i;
  std::vector<double> x;
  if (compressed) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& s, const auto& t) { return std::pair(s.row(), s.col()) < std::pair(t.row(), t.col()); });
    p.assign(a.rows + 1, 0);
    for (const auto& t : entries) ++p[t.row() + 1];
    for (std::size_t k = 0; k < a.rows; ++k) p[k + 1] += p[k];
  }
  for (const auto& t : entries) {
    if (!compressed) p.push_back(t.col());
    i.push_back(compressed ? t.col() : t.row());
    x.push_back(t.value());
  }
  const auto write_indices = [&](const char* name, const std::vector<std::int32_t>& values) {
    h5::write_values(file, path + name, h5::native_type<std::int32_t>(), values.data(), {values.size()});
  };
  write_integer(file, path + "/nzmax", static_cast<int>(count));
  write_integer(file, path + "/m", static_cast<int>(a.rows));
  write_integer(file, path + "/n", static_cast<int>(a.columns));
  write_integer(file, path + "/nz", compressed ? -2 : static_cast<int>(count));
  write_indices("/p", p);
  write_indices("/i", i);
  write_vector(file, path + "/x", x);
}

}   // namespace stickslip::files
