// The Newton equation in velocities (velocity_system.h) for problems with other segments than rigid bodies, coupled ones
// included: with y = K Gᵀx,
//
//   (K⁻¹ + Gᵀ C⁻¹ B G) y = Gᵀ C⁻¹ Φ,   x = C⁻¹ (Φ − B G y)
//
// W is never multiplied out: the matrix has the pattern of A and of what shares a contact.
//
// What slides makes it unsymmetric: friction follows the normal impulse, and not the other way round. The matrix N without
// that is positive definite. With its Cholesky factor GMRES solves (1 + N⁻¹ Gᵀ E G) y = N⁻¹ r, where N⁻¹ Gᵀ E G is of the size
// of µ however stiff contacts are. LU factors, which take several times as long of large matrices, serve small ones and where
// that fails.
#pragma once

#include "solve/newton/newton_matrix.h"
#include "solve/segment_matrix.h"
#include "stickslip/math/gmres.h"

namespace stickslip {

/// Of a block, or of a block and a segment: needs no memory.
using SmallSquare = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kRigidSize, kRigidSize>;

class SegmentSystem {
 public:
  void set_up(const ContactProblem&);
  bool factor(const Linearisation&);
  void eliminate(const double* phi, double* x);                    ///< x = H⁻¹ phi but for rounding that C⁻¹ magnifies
  void multiply(std::span<const double> x, std::span<double> y);   ///< y = W x
  double factor_work() const { return factor_work_; }              ///< about, known after set_up
  double solve_work() const { return solve_work_; }

 private:
  void add_stiffness(const Block&, const SmallSquare& stiffness);
  bool factor_as_it_is();
  bool solve_bent();
  void push_bends(const double* y, std::span<double> forces) const;

  const ContactProblem* problem_ = nullptr;
  SegmentMatrix segments_;
  SegmentMatrix::Matrix analysed_;   ///< the pattern that the factors were analysed for
  SparseFactor symmetric_, general_;
  enum class By { symmetric, iterations, general } by_ = By::symmetric;   ///< how y is found
  bool general_analysed_ = false;
  struct Bend {
    std::uint32_t block;
    SmallSquare rest;   ///< E: what its part of the factored matrix leaves out
  };
  std::vector<Bend> bends_;
  Gmres gmres_;
  std::vector<double> bent_, pushed_;         ///< N⁻¹ r, Gᵀ E G x
  std::vector<double> inverse_, stiffness_;   ///< C⁻¹ and C⁻¹ B by block, column-major, where the diagonal blocks of W stand
  std::vector<double> rows_;                  ///< G as its Jacobian is stored
  std::vector<double> y_, right_, local_, product_;
  double factor_work_ = 0, solve_work_ = 0;
};

}   // namespace stickslip
