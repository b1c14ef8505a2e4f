#include "math/eigen_once.h"

#include "math/sparse_lu.h"

namespace Eigen {

STICKSLIP_EIGEN_ONCE()

template void SparseLU<SparseMatrix<double>>::analyzePattern(const SparseMatrix<double>&);
template void SparseLU<SparseMatrix<double>>::factorize(const SparseMatrix<double>&);

}   // namespace Eigen
