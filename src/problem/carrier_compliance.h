// A⁻¹ of coupled carriers between the segments that contacts act on: all of it that W is made of.
#pragma once

#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// Of one carrier.
struct CarrierCompliance {
  static constexpr std::uint32_t kUntouched = ~0u;

  std::vector<std::uint32_t> place;   ///< per segment: its first row in `inverse`; kUntouched: no block acts on it
  Eigen::MatrixXd inverse;            ///< rows and columns of A⁻¹ that belong to touched segments [1/kg]
};

struct CarrierCompliances : std::vector<CarrierCompliance> {};

/// How A⁻¹ is found.
enum class InverseBy : std::uint8_t {
  factors,   ///< a few of its columns at a time, by the factors of A
  matrix     ///< all of it, as a dense matrix: slow, for comparison
};

/// Of every carrier of a problem whose places in vectors are known.
CarrierCompliances carrier_compliances(const ContactProblem&, InverseBy = InverseBy::factors);

/// Rows of all of them together.
std::size_t touched_rows(const ContactProblem&);

/// Adds G_i K G_jᵀ of two blocks to `out`, column-major. @param carrier_of per segment; kNoCarrier: none
inline constexpr std::uint32_t kNoCarrier = ~0u;
std::vector<std::uint32_t> carriers_of_segments(const ContactProblem&);
void add_coupled_product(const ContactProblem&, const CarrierCompliances&, std::span<const std::uint32_t> carrier_of,
                         const Block&, const Block&, double* out);

}   // namespace stickslip
