// What of Eigen is large, used in many places and compiled once, in eigen_once.cpp: products and factorisations of matrices
// whose sizes the compiler does not know, and eigenvalues. Part of the precompiled headers; without it every
// file makes its own, and nothing changes but the time of compiling.
#pragma once

#include <Eigen/Dense>

namespace Eigen::once {

using Traits = internal::gebp_traits<double, double>;
using Packet = Traits::LhsPacket4Packing;
using Columns = internal::const_blas_data_mapper<double, Index, ColMajor>;
using Rows = internal::const_blas_data_mapper<double, Index, RowMajor>;
using Result = internal::blas_data_mapper<double, Index, ColMajor>;
inline constexpr int mr = Traits::mr, nr = Traits::nr, lanes = Traits::LhsProgress;

}   // namespace Eigen::once

/// For namespace Eigen. @param EXTERN `extern` to use it, nothing to compile it
#define STICKSLIP_EIGEN_ONCE(EXTERN)                                                                                           \
  EXTERN template void PartialPivLU<MatrixXd>::compute();                                                                      \
  EXTERN template LDLT<MatrixXd>& LDLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);                                         \
  EXTERN template SelfAdjointEigenSolver<Matrix3d>& SelfAdjointEigenSolver<Matrix3d>::compute(const EigenBase<Matrix3d>&,      \
                                                                                              int);                            \
  EXTERN template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&,      \
                                                                                              int);                            \
  EXTERN template void FullPivLU<MatrixXd>::computeInPlace();                                                                  \
  EXTERN template struct internal::gebp_kernel<double, double, Index, once::Result, once::mr, once::nr, false, false>;         \
  EXTERN template struct internal::gemm_pack_lhs<double, Index, once::Columns, once::mr, once::lanes, once::Packet, ColMajor>; \
  EXTERN template struct internal::gemm_pack_lhs<double, Index, once::Rows, once::mr, once::lanes, once::Packet, RowMajor>;    \
  EXTERN template struct internal::gemm_pack_rhs<double, Index, once::Columns, once::nr, ColMajor>;                            \
  EXTERN template struct internal::gemm_pack_rhs<double, Index, once::Result, once::nr, ColMajor, false, true>;                \
  EXTERN template struct internal::general_matrix_vector_product<Index, double, once::Columns, ColMajor, false, double,        \
                                                                 once::Columns, false>;                                        \
  EXTERN template struct internal::general_matrix_vector_product<Index, double, once::Columns, ColMajor, false, double,        \
                                                                 once::Rows, false>;                                           \
  EXTERN template struct internal::general_matrix_vector_product<Index, double, once::Rows, RowMajor, false, double,           \
                                                                 once::Columns, false>;                                        \
  EXTERN template struct internal::triangular_solve_matrix<double, Index, OnTheLeft, UnitLower, false, ColMajor, ColMajor, 1>; \
  EXTERN template struct internal::triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, ColMajor, ColMajor, 1>;

namespace Eigen {
STICKSLIP_EIGEN_ONCE(extern)
}
