// Expressions of small vectors that many files use: part of the precompiled headers, so that the classes which Eigen makes for
// them are made once and not in every file. Nothing is compiled here, and nothing changes but the time of compiling.
#pragma once

#include <Eigen/Geometry>

#include "stickslip/math/types.h"

namespace stickslip::often {

extern const Vec3 a, b, c;
extern const Mat3 m, n;
extern const Quat q;
extern const double s, t;
extern Vec3 x;
extern Mat3 w;

// One term, and what norms, products and assignments make of it.
static_assert(sizeof(a + b) && sizeof(a - b) && sizeof(-a) && sizeof(s * a) && sizeof(a * s) && sizeof(a / s));
static_assert(sizeof(a.cwiseAbs2()) && sizeof((a - b).cwiseAbs2()) && sizeof((a + b).cwiseAbs2()) &&
              sizeof((s * a).cwiseAbs2()));
static_assert(sizeof(a.cwiseAbs()) && sizeof((a - b).cwiseAbs()) && sizeof(a.cwiseProduct(b)) && sizeof(a.cwiseQuotient(b)));
static_assert(sizeof(a.cwiseMin(b)) && sizeof(a.cwiseMax(b)) && sizeof(a.cwiseMin(b).cwiseMin(c)) &&
              sizeof(a.cwiseMax(b).cwiseMax(c)) && sizeof(a.cwiseMax(s)) && sizeof(a.cwiseMin(s)));
static_assert(sizeof(a.conjugate()) && sizeof(a.transpose()) && sizeof(x.transpose()) && sizeof((a - b).transpose()) &&
              sizeof(a * b.transpose()));
template <class Left, class Right>
using Dot = Eigen::CwiseBinaryOp<Eigen::internal::scalar_conj_product_op<double, double>, const Left, const Right>;
static_assert(sizeof(Dot<Vec3, Vec3>) && sizeof(Dot<Vec3, decltype(a - b)>) && sizeof(Dot<decltype(a - b), Vec3>) &&
              sizeof(Dot<decltype(a - b), decltype(a - b)>) && sizeof(Dot<Vec3, decltype(a + b)>));

// Two terms and more.
static_assert(sizeof(s * (a - b)) && sizeof(s * (a + b)) && sizeof((a - b) / s) && sizeof((a + b) / s) && sizeof((a - b) * s));
static_assert(sizeof(a + s * b) && sizeof(a - s * b) && sizeof(s * a + t * b) && sizeof(s * a - t * b) && sizeof(s * a + b) &&
              sizeof(s * a - b) && sizeof(a + b * s) && sizeof(a - b * s));
static_assert(sizeof(a + b + c) && sizeof(a + b - c) && sizeof(a - b - c) && sizeof(a - b + c) && sizeof((a + b + c) / s));
static_assert(sizeof(a + s * b + t * c) && sizeof(a + s * (b - a)) && sizeof(a - s * (b - a)) &&
              sizeof((a - s * b).cwiseAbs2()) && sizeof((a + s * b).cwiseAbs2()) && sizeof(s * a + t * b + s * c));

// Parts.
static_assert(sizeof(a.head<2>()) && sizeof(a.tail<2>()) && sizeof(x.head<2>()) && sizeof(x.tail<2>()) &&
              sizeof(a.head<2>().cwiseAbs2()) && sizeof(a.array()) && sizeof((a - b).array()) && sizeof(x.array()) &&
              sizeof(x.array() - s) && sizeof(x.array() + s) && sizeof(a.array() <= b.array()) &&
              sizeof(a.array() < b.array()));
static_assert(sizeof(m.col(0)) && sizeof(w.col(0)) && sizeof(m.row(0)) && sizeof(w.row(0)) && sizeof(m.transpose()) &&
              sizeof(w.transpose()) && sizeof(m.diagonal()) && sizeof(w.diagonal()) && sizeof(s * m.col(0)) &&
              sizeof(-m.col(0)) && sizeof(Dot<decltype(m.col(0)), Vec3>) && sizeof(Dot<Vec3, decltype(m.col(0))>) &&
              sizeof(a.asDiagonal()) && sizeof(m.row(0).transpose()) && sizeof(m.transpose().row(0).transpose()));
static_assert(sizeof(Vec3::Zero()) && sizeof(Vec3::Ones()) && sizeof(Vec3::Constant(s)) && sizeof(Vec3::Unit(0)) &&
              sizeof(s * Vec3::Unit(0)) && sizeof(a + s * Vec3::Unit(0)) && sizeof(Mat3::Identity()) && sizeof(Mat3::Zero()) &&
              sizeof(s * Mat3::Identity()));

// Matrices.
template <class Left, class Right>
using Lazy = Eigen::Product<Left, Right, Eigen::LazyProduct>;
static_assert(sizeof(m * a) && sizeof(m.transpose() * a) && sizeof(m * n) && sizeof(m * n * m.transpose()) &&
              sizeof(m * n.transpose()) && sizeof(m.transpose() * n) && sizeof(a + m * b) && sizeof(m * a + b) &&
              sizeof(a - m * b) && sizeof(-(m * a)) && sizeof(-(m.transpose() * a)) && sizeof(m * (a - b)) &&
              sizeof(m.transpose() * (a - b)) && sizeof(Dot<Vec3, decltype(m * a)>));
static_assert(sizeof(Lazy<Mat3, Vec3>) && sizeof(Lazy<Mat3, Mat3>) && sizeof(Lazy<Eigen::Transpose<const Mat3>, Vec3>) &&
              sizeof(Lazy<Vec3, Eigen::Transpose<const Vec3>>) && sizeof(Lazy<Mat3, Eigen::Transpose<const Mat3>>));
static_assert(sizeof(m + n) && sizeof(m - n) && sizeof(-m) && sizeof(s * m) && sizeof(m * s) && sizeof(m / s) &&
              sizeof(m.cwiseAbs()) && sizeof(m.cwiseAbs2()) && sizeof(m + m.transpose()) && sizeof(s * (m + m.transpose())));

}   // namespace stickslip::often
