// Anderson's mixing for a fixed-point iteration x ← F(x): the next x is the combination of the last images F(xᵢ) whose residuals F(xᵢ) − xᵢ combine to the
// smallest sum of squares [Anderson 1965; Walker & Ni 2011]. Five earlier iterates are kept.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace stickslip {

class Anderson {
 public:
  void forget() { count_ = 0; }
  /// @param x what went in @param image F(x); becomes the next x
  void mix(std::span<const double> x, std::span<double> image);

 private:
  static constexpr int kMemory = 5;
  int count_ = 0;                                                ///< differences that are kept
  std::vector<double> last_image_, last_residual_, residual_;
  std::array<std::vector<double>, kMemory> images_, residuals_;   ///< differences between successive iterates, the oldest first
};

}  // namespace stickslip
