#include "stickslip/mesh/height_field.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

void check_heights(const HeightField& field) {
  if (field.rows < 2 || field.columns < 2)
    throw Error(fmt::format("{} × {} heights make no surface. Give at least 2 rows of 2 heights.", field.rows, field.columns))
        .at("heights");
  const auto count = static_cast<std::size_t>(field.rows) * static_cast<std::size_t>(field.columns);
  if (count > kMostHeights)
    throw Error(
        fmt::format("{} × {} heights are too many: at most {} are possible. Take every second of them, or cut the field.",
                    field.rows, field.columns, kMostHeights))
        .at("heights");
  if (field.heights.size() != count)
    throw Error(fmt::format("{} × {} heights were announced, {} are there.", field.rows, field.columns, field.heights.size()))
        .at("heights");
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(field.heights[i])) {
      const auto columns = static_cast<std::size_t>(field.columns);
      throw Error(fmt::format("{} is not a height. Heights must be finite.", field.heights[i]))
          .at(std::to_string(i % columns))
          .at(std::to_string(i / columns))
          .at("heights");
    }
  for (const int axis : {0, 1})
    if (!(std::isfinite(field.size[axis]) && field.size[axis] > 0))
      throw Error(fmt::format("{} is not a length. Both sides of a height field must be finite and greater than 0 m.",
                              field.size[axis]))
          .at(std::to_string(axis))
          .at("size");
  if (!(std::isfinite(field.base) && field.base > 0))
    throw Error(fmt::format("{} is not a thickness. The base must be finite and greater than 0 m: what is below the ground is "
                            "solid.",
                            field.base))
        .at("base");
}

std::string bytes_of(const std::filesystem::path& path, std::uintmax_t most) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw Error("There is no such file.").in(path.string());
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > most)
    throw Error(fmt::format("The file has {} bytes; at most {} can be heights. Cut the field, or take every second height.",
                            size, most))
        .in(path.string());
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("The file cannot be opened.").in(path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The numbers of one line of a table.
std::vector<double> numbers_of_line(std::string_view line, std::size_t number, const std::filesystem::path& path) {
  std::vector<double> row;
  constexpr std::string_view kBetween = ",; \t\r";
  for (std::size_t at = line.find_first_not_of(kBetween); at < line.size(); at = line.find_first_not_of(kBetween, at)) {
    const std::string_view word = line.substr(at, line.find_first_of(kBetween, at) - at);
    double value = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (fault != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
      throw Error(
          fmt::format("line {}: '{}' is not a height. Give finite numbers, separated by commas.", number, word.substr(0, 40)))
          .in(path.string());
    row.push_back(value);
    at += word.size();
  }
  return row;
}

}   // namespace

TriangleMesh triangle_mesh(const HeightField& field) {
  check_heights(field);
  const auto columns = static_cast<std::uint32_t>(field.columns), rows = static_cast<std::uint32_t>(field.rows);
  TriangleMesh mesh;
  // From the bottom of the map, so that indices grow with x and y.
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = 0; c < columns; ++c)
      mesh.vertices.emplace_back(field.size.x() * (c / (columns - 1.0) - 0.5), field.size.y() * (r / (rows - 1.0) - 0.5),
                                 field.heights[std::size_t{rows - 1 - r} * columns + c]);
  const auto top = [&](std::uint32_t c, std::uint32_t r) { return r * columns + c; };
  for (std::uint32_t r = 0; r + 1 < rows; ++r)
    for (std::uint32_t c = 0; c + 1 < columns; ++c) {
      mesh.triangles.push_back({top(c, r), top(c + 1, r), top(c + 1, r + 1)});
      mesh.triangles.push_back({top(c, r), top(c + 1, r + 1), top(c, r + 1)});
    }
  // The rim, counter-clockwise seen from above.
  std::vector<std::uint32_t> rim;
  for (std::uint32_t c = 0; c + 1 < columns; ++c) rim.push_back(top(c, 0));
  for (std::uint32_t r = 0; r + 1 < rows; ++r) rim.push_back(top(columns - 1, r));
  for (std::uint32_t c = columns - 1; c > 0; --c) rim.push_back(top(c, rows - 1));
  for (std::uint32_t r = rows - 1; r > 0; --r) rim.push_back(top(0, r));

  const double bottom = *std::min_element(field.heights.begin(), field.heights.end()) - field.base;
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size()), count = static_cast<std::uint32_t>(rim.size());
  for (const std::uint32_t v : rim) mesh.vertices.emplace_back(mesh.vertices[v].x(), mesh.vertices[v].y(), bottom);
  mesh.vertices.emplace_back(0, 0, bottom);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t next = (i + 1) % count;
    mesh.triangles.push_back({rim[next], rim[i], first + i});
    mesh.triangles.push_back({rim[next], first + i, first + next});
    mesh.triangles.push_back({first + count, first + next, first + i});
  }
  return mesh;
}

HeightGrid read_height_table(const std::filesystem::path& path) {
  constexpr std::uintmax_t kBytesPerHeight = 40;
  const std::string text = bytes_of(path, kBytesPerHeight * kMostHeights);
  HeightGrid grid;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    ++number;
    at = end + 1;
    if (line.starts_with('#')) continue;
    const std::vector<double> row = numbers_of_line(line, number, path);
    if (row.empty()) continue;
    if (grid.rows > 0 && row.size() != static_cast<std::size_t>(grid.columns))
      throw Error(fmt::format("line {}: {} heights, but {} in the rows before. All rows must be equally long.", number,
                              row.size(), grid.columns))
          .in(path.string());
    grid.columns = static_cast<int>(row.size());
    ++grid.rows;
    grid.heights.insert(grid.heights.end(), row.begin(), row.end());
  }
  return grid;
}

HeightGrid read_raw_heights(const std::filesystem::path& path, int rows, int columns, HeightSample sample) {
  const std::size_t size = sample == HeightSample::uint8 ? 1 : sample == HeightSample::uint16 ? 2 : 4;
  const std::string bytes = bytes_of(path, size * kMostHeights);
  const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  if (bytes.size() != count * size)
    throw Error(fmt::format("The file has {} bytes, not {}: {} rows of {} samples of {} bytes.", bytes.size(), count * size,
                            rows, columns, size))
        .in(path.string());
  HeightGrid grid{rows, columns, std::vector<double>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    for (std::size_t b = size; b-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[i * size + b]);
    grid.heights[i] = size == 4 ? std::bit_cast<float>(word) : word / (size == 1 ? 255.0 : 65535.0);
    if (!std::isfinite(grid.heights[i]))
      throw Error(fmt::format("Sample {} is not finite. Heights must be finite numbers.", i)).in(path.string());
  }
  return grid;
}

}   // namespace stickslip
