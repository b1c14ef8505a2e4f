// A problem without its joints: the bilateral rows J eliminated, contacts and boxes C left.
//
//   W_c = W_CC − W_CJ W_JJ⁺ W_JC,   b_c = b_C − W_CJ W_JJ⁺ b_J,   λ_J = −W_JJ⁺ (b_J + W_JC λ_C)
//
// W_JC lies in the range of W_JJ, so that W_c exists however redundant the joints are. It is a matrix problem: blocks of C
// couple where they touch one body or one mechanism. What a contact feels there is the inertia of the whole mechanism behind
// it, hence few iterations.
#pragma once

#include "solve/joints/joint_system.h"

namespace stickslip {

class Condensation {
 public:
  /// Finds out which blocks couple. The arguments belong to one problem and must outlive the calls below.
  void analyze(const ContactProblem&, const BlockProducts&, JointSystem&);

  double work() const { return work_; }                          ///< operations that `build` takes
  std::size_t entries() const { return entries_; }               ///< numbers of W_c that mechanisms bring
  std::size_t touching_rows() const { return touching_rows_; }   ///< of C, that act on a mechanism

  /// Computes the condensed problem. False if a number of it is not finite.
  bool build();

  const ContactProblem& problem() const { return condensed_; }   ///< blocks of C, in the order of the whole problem

  void restrict_to(std::span<const double> impulses, std::span<double> condensed) const;   ///< λ_C of λ
  /// λ of λ_C; valid until the next call
  std::span<const double> expand(std::span<const double> condensed);
  /// Velocities of J that the last `expand` left because no impulses remove them, but for their sign, in the numbers of the
  /// joint system [m/s].
  std::span<const double> remaining() const { return remaining_; }

 private:
  void couple(std::uint32_t number, std::vector<std::uint32_t>& list) const;
  void subtract_mechanism(std::size_t mechanism);

  const ContactProblem* problem_ = nullptr;
  const BlockProducts* products_ = nullptr;
  JointSystem* joints_ = nullptr;
  std::vector<std::uint32_t> blocks_;                 ///< of C: their numbers in the whole problem
  std::vector<std::uint32_t> number_;                 ///< per block of the whole problem: its number in C
  std::vector<std::vector<std::uint32_t>> members_;   ///< per mechanism: numbers in C of the blocks that touch it
  std::vector<std::vector<std::uint32_t>> touched_;   ///< per block of C: mechanisms
  ContactProblem condensed_;
  std::vector<double> full_, v_, right_, joint_, remaining_, segment_, panel_, diagonal_;
  double work_ = 0;
  std::size_t entries_ = 0, touching_rows_ = 0;
};

}   // namespace stickslip
