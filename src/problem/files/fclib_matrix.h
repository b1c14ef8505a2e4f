// Sparse matrices and lists as FCLIB stores them.
//
// A matrix is a group of nzmax, m (rows), n (columns), nz, p, i and x, as in CSparse:
//   nz ≥ 0   triplets: row i, column p, value x
//   nz = −1  compressed columns: p has n + 1 numbers, i the rows
//   nz = −2  compressed rows: p has m + 1 numbers, i the columns
#pragma once

#include <span>

#include "problem/files/formats.h"

namespace stickslip::files {

using Entries = std::vector<Eigen::Triplet<double>>;

struct FclibMatrix {
  std::size_t rows = 0, columns = 0;
  Entries entries;
};

/// @throws Error naming the dataset if it is missing, sizes disagree, an index is out of range or a number not finite.
FclibMatrix read_matrix(hid_t file, const std::string& path);
/// Compressed rows if `compressed`, else triplets.
void write_matrix(hid_t file, const std::string& path, const FclibMatrix&, bool compressed);

/// Finite numbers. @param size how many there must be
std::vector<double> read_vector(hid_t file, const std::string& path, std::size_t size);
void write_vector(hid_t file, const std::string& path, std::span<const double> values);

int read_integer(hid_t file, const std::string& path);
void write_integer(hid_t file, const std::string& path, int value);

}   // namespace stickslip::files
