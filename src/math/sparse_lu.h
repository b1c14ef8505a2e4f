// Eigen's sparse LU factorisation, compiled once in eigen_once.cpp.
#pragma once

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

extern template class Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>>;
