// Anderson's mixing for a fixed-point iteration x ← F(x): the next x is the combination of the last images F(xᵢ) whose
// residuals F(xᵢ) − xᵢ combine to the smallest sum of squares [Anderson 1965; Walker & Ni 2011].
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
  void keep_difference(std::span<const double> image);

  std::size_t count_ = 0;   ///< iterates since `forget`: one more than differences
  std::vector<double> last_image_, last_residual_, residual_;
  std::array<std::vector<double>, kMemory> images_, residuals_;   ///< differences between successive iterates, the oldest first
};

}   // namespace stickslip
