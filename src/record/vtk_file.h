// VTK XML files with their numbers behind the XML, in blocks that zlib compressed; ParaView reads them as they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace stickslip {

class VtkFile {
 public:
  /// @param kind "UnstructuredGrid" or "PolyData" @param time of the frame [s]
  VtkFile(std::string_view kind, double time);

  /// One XML tag, with its attributes: `open("Piece NumberOfPoints=\"3\"")`, `close("Piece")`.
  void open(std::string_view tag);
  void close(std::string_view tag);

  /// One array; a name of more than letters, digits and underscores would need escapes.
  template <class Number>
  void array(std::string_view name, int components, std::span<const Number> numbers) {
    array(name, type_name(Number{}), components, {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
  }

  /// Replaces an older file only when whole. @throws Error
  void write(const std::filesystem::path&);

 private:
  static std::string_view type_name(float) { return "Float32"; }
  static std::string_view type_name(double) { return "Float64"; }
  static std::string_view type_name(std::int32_t) { return "Int32"; }
  static std::string_view type_name(std::uint8_t) { return "UInt8"; }
  void array(std::string_view name, std::string_view type, int components, std::string_view bytes);

  void append(std::uint64_t);

  std::string kind_, xml_, data_;
};

/// A file of points, up to their values. @param on_picture name of the array with places on pictures, if there is one
void open_points(VtkFile&, std::size_t points, std::size_t vertices, std::size_t triangles, std::string_view on_picture = "");
/// Where the points are, three numbers each [m].
void write_places(VtkFile&, std::span<const double> points);
/// Cells of equally many corners.
void write_cells(VtkFile&, std::string_view kind, std::span<const std::int32_t> corners, std::int32_t each);

}   // namespace stickslip
