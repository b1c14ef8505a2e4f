// Tables in and out of an HDF5 file, with one list of fields for both directions: `Saver` and `Loader` have the same
// member functions, so what is written and what is read cannot drift apart. Doubles keep their bits.
#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>
#include <type_traits>

#include "stickslip/math/types.h"
#include "store/hdf5.h"

namespace stickslip {

/// How a field becomes `count` numbers of one type.
template <class T>
struct Packed {
  using Scalar = std::conditional_t<std::is_enum_v<T> || std::is_same_v<T, bool>, std::uint8_t, T>;
  static constexpr int count = 1;
  static void store(const T& value, Scalar* to) { *to = static_cast<Scalar>(value); }
  static void fetch(const Scalar* from, T& value) { value = static_cast<T>(*from); }
};
template <int Rows, int Columns>
struct Packed<Eigen::Matrix<double, Rows, Columns>> {   // column-major
  using Scalar = double;
  static constexpr int count = Rows * Columns;
  static void store(const Eigen::Matrix<double, Rows, Columns>& m, double* to) { std::copy_n(m.data(), count, to); }
  static void fetch(const double* from, Eigen::Matrix<double, Rows, Columns>& m) { std::copy_n(from, count, m.data()); }
};
template <>
struct Packed<Quat> {   // wxyz
  using Scalar = double;
  static constexpr int count = 4;
  static void store(const Quat& q, double* to) { to[0] = q.w(), to[1] = q.x(), to[2] = q.y(), to[3] = q.z(); }
  static void fetch(const double* from, Quat& q) { q.w() = from[0], q.x() = from[1], q.y() = from[2], q.z() = from[3]; }
};
template <class T, std::size_t N>
struct Packed<T[N]> {
  using Scalar = T;
  static constexpr int count = N;
  static void store(const T (&values)[N], T* to) { std::copy_n(values, N, to); }
  static void fetch(const T* from, T (&values)[N]) { std::copy_n(from, N, values); }
};

template <class T, std::size_t N>
struct Packed<std::array<T, N>> {
  using Scalar = T;
  static constexpr int count = N;
  static void store(const std::array<T, N>& values, T* to) { std::copy_n(values.data(), N, to); }
  static void fetch(const T* from, std::array<T, N>& values) { std::copy_n(from, N, values.data()); }
};

template <>
struct Packed<std::optional<Colour>> {   // whether there is one, then its parts
  using Scalar = std::uint8_t;
  static constexpr int count = 5;
  static void store(const std::optional<Colour>& c, std::uint8_t* to) {
    const Colour parts = c.value_or(Colour{0, 0, 0, 0});
    to[0] = c.has_value(), to[1] = parts.red, to[2] = parts.green, to[3] = parts.blue, to[4] = parts.opacity;
  }
  static void fetch(const std::uint8_t* from, std::optional<Colour>& c) {
    c = from[0] != 0 ? std::optional(Colour{from[1], from[2], from[3], from[4]}) : std::nullopt;
  }
};

inline h5::Extent packed_extent(std::size_t rows, int count) {
  return count == 1 ? h5::Extent{rows} : h5::Extent{rows, static_cast<hsize_t>(count)};
}

/// What a path of members leads to: `at(body, &Body::mass, &MassProperties::center)` is body.mass.center; without members the
/// row itself.
template <class Row>
auto& at(Row& row) {
  return row;
}
template <class Row, class Member, class... Members>
auto& at(Row& row, Member member, Members... members) {
  return at(std::invoke(member, row), members...);
}

/// The one field of the table behind a text.
inline constexpr auto kByteField = [](auto& table) {
  table.field(
      "byte", [](char& c) -> auto& { return reinterpret_cast<std::uint8_t&>(c); });
};

class Saver {
 public:
  explicit Saver(hid_t file) : file_(file) {}

  void text(const std::string& name, std::string& value) {
    const std::string stored = value.empty() ? std::string(1, '\0') : value;
    h5::write_values(file_, name, h5::text_type(stored.size()).get(), stored.data(), {});
  }

  template <class T>
  void value(const std::string& name, T& value) {
    typename Packed<T>::Scalar numbers[Packed<T>::count];
    Packed<T>::store(value, numbers);
    h5::write_values(file_, name, h5::native_type<typename Packed<T>::Scalar>(), numbers, packed_extent(1, Packed<T>::count));
  }

  /// Rows of a table; `fields(table)` calls `table.field(name, path…)` for each column, with a path of members (`at`).
  template <class T, class Fields>
  void table(const std::string& name, std::vector<T>& rows, Fields fields) {
    std::uint64_t count = rows.size();
    value(name + "/rows", count);
    Table<T> t{*this, name, rows};
    fields(t);
  }

  /// A list in every row, laid end to end in a table of its own. @param list member, or function that gives it
  template <class T, class List, class Fields>
  void lists(const std::string& name, std::vector<T>& rows, List list, Fields fields) {
    using Item = typename std::remove_reference_t<decltype(at(rows[0], list))>::value_type;
    std::vector<std::uint64_t> lengths;
    std::vector<Item> items;
    for (T& row : rows) {
      auto& own = at(row, list);
      lengths.push_back(own.size());
      items.insert(items.end(), own.begin(), own.end());
    }
    h5::write_values(file_, name + "/lengths", H5T_NATIVE_UINT64, lengths.data(), {lengths.size()});
    table(name + "/items", items, fields);
  }

 private:
  template <class T>
  struct Table {
    Saver& saver;
    const std::string& name;
    std::vector<T>& rows;

    template <class... Path>
    void field(const char* column, Path... path) {
      using P = Packed<std::remove_reference_t<decltype(at(rows[0], path...))>>;
      std::vector<typename P::Scalar> numbers(rows.size() * P::count);
      for (std::size_t i = 0; i < rows.size(); ++i) P::store(at(rows[i], path...), &numbers[i * P::count]);
      h5::write_values(saver.file_, name + "/" + column, h5::native_type<typename P::Scalar>(), numbers.data(),
                       packed_extent(rows.size(), P::count));
    }
    template <class... Path>
    void text_field(const char* column, Path... path) {
      saver.lists(
          name + "/" + column, rows, [=](T & row) -> auto& { return at(row, path...); }, kByteField);
    }
  };

  hid_t file_;
};

class Loader {
 public:
  explicit Loader(hid_t file) : file_(file) {}

  void text(const std::string& name, std::string& value) {
    const h5::Handle dataset = h5::open_dataset(file_, name);
    const h5::Handle type(h5::check(H5Dget_type(dataset.get()), "read a type"), H5Tclose);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0)
      throw Error(fmt::format("Dataset '{}' is not a text of fixed length.", name));
    value.assign(H5Tget_size(type.get()), '\0');
    h5::read_values(file_, name, type.get(), value.data(), {});
    while (!value.empty() && value.back() == '\0') value.pop_back();
  }

  template <class T>
  void value(const std::string& name, T& value) {
    typename Packed<T>::Scalar numbers[Packed<T>::count];
    h5::read_values(file_, name, h5::native_type<typename Packed<T>::Scalar>(), numbers, packed_extent(1, Packed<T>::count));
    Packed<T>::fetch(numbers, value);
  }

  template <class T, class Fields>
  void table(const std::string& name, std::vector<T>& rows, Fields fields) {
    std::uint64_t count = 0;
    value(name + "/rows", count);
    if (count > kMostRows) throw Error(fmt::format("Table '{}' cannot have {} rows.", name, count));
    rows.resize(count);
    Table<T> t{*this, name, rows};
    fields(t);
  }

  template <class T, class List, class Fields>
  void lists(const std::string& name, std::vector<T>& rows, List list, Fields fields) {
    using Item = typename std::remove_reference_t<decltype(at(rows[0], list))>::value_type;
    std::vector<std::uint64_t> lengths(rows.size());
    h5::read_values(file_, name + "/lengths", H5T_NATIVE_UINT64, lengths.data(), {lengths.size()});
    std::vector<Item> items;
    table(name + "/items", items, fields);
    std::size_t first = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (lengths[i] > items.size() - first) throw Error(fmt::format("The lists in '{}' are longer than their items.", name));
      const auto start = items.begin() + static_cast<std::ptrdiff_t>(first);
      at(rows[i], list).assign(start, start + static_cast<std::ptrdiff_t>(lengths[i]));
      first += lengths[i];
    }
    if (first != items.size()) throw Error(fmt::format("The lists in '{}' are shorter than their items.", name));
  }

 private:
  static constexpr std::uint64_t kMostRows = 1'000'000'000;

  template <class T>
  struct Table {
    Loader& loader;
    const std::string& name;
    std::vector<T>& rows;

    template <class... Path>
    void field(const char* column, Path... path) {
      using P = Packed<std::remove_reference_t<decltype(at(rows[0], path...))>>;
      std::vector<typename P::Scalar> numbers(rows.size() * P::count);
      h5::read_values(loader.file_, name + "/" + column, h5::native_type<typename P::Scalar>(), numbers.data(),
                      packed_extent(rows.size(), P::count));
      for (std::size_t i = 0; i < rows.size(); ++i) P::fetch(&numbers[i * P::count], at(rows[i], path...));
    }
    template <class... Path>
    void text_field(const char* column, Path... path) {
      loader.lists(
          name + "/" + column, rows, [=](T & row) -> auto& { return at(row, path...); }, kByteField);
    }
  };

  hid_t file_;
};

}   // namespace stickslip
