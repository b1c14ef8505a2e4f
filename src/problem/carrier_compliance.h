// A⁻¹ of coupled carriers between the segments that contacts act on: all of it that W is made of.
#pragma once

#include <vector>

#include "math/lists.h"
#include "stickslip/problem/contact_problem.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

/// Of one carrier.
struct CarrierCompliance {
  static constexpr std::uint32_t kUntouched = ~0u;

  std::vector<std::uint32_t> place;                       ///< per segment: its first row in `part`; kUntouched: none has it
  std::shared_ptr<const CoupledMass::InversePart> part;   ///< rows and columns of A⁻¹ [1/kg]; null if nothing is touched
  const Eigen::MatrixXd& inverse() const { return part->numbers; }
};

inline constexpr std::uint32_t kNoCarrier = ~0u;

struct CarrierCompliances : std::vector<CarrierCompliance> {
  std::vector<std::uint32_t> carrier_of;   ///< per segment; kNoCarrier: none
  std::vector<bool> touched;               ///< per segment
  std::vector<int> rows;                   ///< of a carrier

  /// Finds out what is touched. @returns rows of all carriers together
  std::size_t look(const ContactProblem&);
};

/// How A⁻¹ is found.
enum class InverseBy : std::uint8_t {
  factors,         ///< by the factors that carriers have, be they those of another matrix
  their_factors,   ///< by factors of their matrix
  matrix           ///< all of it, as a dense matrix: slow, for comparison
};

/// Of every carrier of a problem whose places in vectors are known, after `look`. Memory is kept.
void find_carrier_compliances(const ContactProblem&, InverseBy, CarrierCompliances&);

/// Whether any carrier has the factors of another matrix.
bool has_stale_factors(const ContactProblem&);

/// Adds G_i K G_jᵀ of two blocks to `out`, column-major.
void add_coupled_product(const ContactProblem&, const CarrierCompliances&, const Block&, const Block&, double* out);

/// W without Σ of a coupled problem: blocks meet through segments that they share, and through carriers. Memory is kept.
class CoupledDelassus {
 public:
  void make(const ContactProblem&, const CarrierCompliances&, BlockMatrix& w);

 private:
  void find_pattern(const ContactProblem&, const CarrierCompliances&, BlockMatrix& w);
  void push_through(const ContactProblem&, const CarrierCompliances&, const Block&);
  void write(const ContactProblem&, const CarrierCompliances&, const Block& a, const Block& b, double* out) const;

  std::vector<std::uint32_t> meeting_, neighbours_;
  std::vector<std::uint32_t> filled_;   ///< per block row: its entries that are known
  ListsByKey blocks_at_;
  std::vector<std::uint32_t> carriers_;   ///< that a block acts on
  std::vector<Eigen::VectorXd> pushed_;   ///< for each of them: K Gᵀ of the block, row by row of the block
};

/// The same problem with W as a matrix, by these compliances; finalized.
void condense(const ContactProblem&, const CarrierCompliances&, CoupledDelassus&, ContactProblem& condensed);

}   // namespace stickslip
