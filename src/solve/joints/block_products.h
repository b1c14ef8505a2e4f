// Blocks W_ij of the Delassus operator on demand, for code that needs some of them and not all (`delassus` makes all).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/incidence.h"

namespace stickslip {

class BlockProducts {
 public:
  /// Takes the numbers of a finalized problem, which must outlive the calls. Memory is kept from the last one.
  void setup(const ContactProblem&);

  /// The blocks j with W_ij ≠ 0 in structure, i itself among them, in increasing order: those that share a body with i.
  void neighbours(std::uint32_t i, std::vector<std::uint32_t>& list) const;

  /// out += W_ij without Σ, column-major with this distance between columns.
  void add(std::uint32_t i, std::uint32_t j, double* out, std::size_t stride) const;

 private:
  const ContactProblem* problem_ = nullptr;
  std::vector<double> rows_;   ///< G by block, segment slot and row
  Incidence incidence_;
};

}   // namespace stickslip
