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

/// Contacts that touch no carrier of an island that has some, from which on its W is too large and too empty to be multiplied
/// out.
inline constexpr std::size_t kManyRigid = 50;

/// Whether every carrier hangs together with so many of them: then nobody asks for A⁻¹ between all segments that are touched.
/// @pre places in vectors are known
bool is_mostly_empty(const ContactProblem&);

/// A⁻¹ between segments that its A couples: of a contact with one place of a body, all that its diagonal block is made of.
class NearCompliances {
 public:
  /// Finds the numbers of all carriers.
  void look(const ContactProblem&);
  /// G K Gᵀ of a block, column-major. False if that needs more than is known here.
  bool write_product(const ContactProblem&, const Block&, double* out) const;

 private:
  const double* find(const ContactProblem&, std::uint32_t carrier, std::uint32_t row, std::uint32_t column) const;

  std::vector<std::uint32_t> carrier_of_;          ///< per segment; kNoCarrier: none
  std::vector<std::span<const double>> numbers_;   ///< per carrier
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
