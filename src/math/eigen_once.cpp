#include "math/eigen_once.h"

#include "math/sparse_lu.h"

namespace Eigen {

STICKSLIP_EIGEN_ONCE()

template class SparseLU<SparseMatrix<double>, COLAMDOrdering<int>>;

}  // namespace Eigen
