// Ground given by heights on a grid, as a closed mesh.
#pragma once

#include <filesystem>
#include <vector>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// Heights as they are drawn on a map: rows from the top of it (large y) to the bottom, in each row from left to right
/// (x grows).
struct HeightField {
  int rows = 0, columns = 0;     ///< 2 or more each
  std::vector<double> heights;   ///< rows × columns, row after row [m]
  Vec2 size = Vec2::Ones();      ///< from the first to the last column, and row [m], > 0; centred at the origin
  double base = 0;               ///< thickness of the solid below the lowest height [m], > 0
};

/// Two triangles in each cell, cut from its lower left to its upper right corner, walls down from the rim, and a flat bottom.
/// @throws Error naming the number that is wrong, or for more than `kMostHeights`
TriangleMesh triangle_mesh(const HeightField&);

inline constexpr std::size_t kMostHeights = 4'000'000;   ///< eight million triangles

/// Rows and columns of numbers.
struct HeightGrid {
  int rows = 0, columns = 0;
  std::vector<double> heights;   ///< row after row, in units of the file
};

/// A line per row, numbers separated by commas, semicolons, blanks or tabs; empty lines and those that start with # do not
/// count.
/// @throws Error naming file, line, value and remedy
HeightGrid read_height_table(const std::filesystem::path&);

enum class HeightSample { uint8, uint16, float32 };

/// Samples of fixed size without a header, little-endian, row after row; whole numbers become 0 … 1.
/// @throws Error naming the file if its size is not that of the grid, or a sample is not finite
HeightGrid read_raw_heights(const std::filesystem::path&, int rows, int columns, HeightSample);

}   // namespace stickslip
