// Eigen's sparse LU factorisation, compiled once in eigen_once.cpp.
#pragma once

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

extern template void Eigen::SparseLU<Eigen::SparseMatrix<double>>::analyzePattern(const Eigen::SparseMatrix<double>&);
extern template void Eigen::SparseLU<Eigen::SparseMatrix<double>>::factorize(const Eigen::SparseMatrix<double>&);
