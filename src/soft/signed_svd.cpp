#include <cmath>
#include <utility>

#include "stickslip/soft/energy.h"

namespace stickslip {

namespace {

/// Turns columns p and q of B, and of V with them, until those of B are at right angles. False if they are already.
bool turn_columns(Mat3& b, Mat3& v, int p, int q) {
  const double alpha = b.col(p).squaredNorm(), beta = b.col(q).squaredNorm(), gamma = b.col(p).dot(b.col(q));
  if (!(gamma * gamma > 1e-31 * alpha * beta)) return false;
  const double zeta = (beta - alpha) / (2 * gamma);
  const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const double c = 1 / std::sqrt(1 + t * t), s = c * t;
  for (Mat3* m : {&b, &v}) {
    const Vec3 old = m->col(p);
    m->col(p) = c * old - s * m->col(q);
    m->col(q) = s * old + c * m->col(q);
  }
  return true;
}

/// Exchanges two columns, keeping the sense of V.
void exchange_columns(Mat3& b, Mat3& v, Vec3& squares, int p, int q) {
  for (Mat3* m : {&b, &v}) {
    const Vec3 old = m->col(p);
    m->col(p) = m->col(q);
    m->col(q) = -old;
  }
  std::swap(squares[p], squares[q]);
}

}   // namespace

/// One-sided Jacobi rotations: F V has orthogonal columns U Σ. Small singular values come out with small relative errors,
/// which those from the eigenvalues of FᵀF would not.
SignedSvd signed_svd(const Mat3& f) {
  Mat3 b = f, v = Mat3::Identity();
  for (int sweep = 0; sweep < 16; ++sweep) {
    const bool first = turn_columns(b, v, 0, 1), second = turn_columns(b, v, 0, 2), third = turn_columns(b, v, 1, 2);
    if (!first && !second && !third) break;
  }
  Vec3 squares = b.colwise().squaredNorm();
  if (squares[0] < squares[1]) exchange_columns(b, v, squares, 0, 1);
  if (squares[1] < squares[2]) exchange_columns(b, v, squares, 1, 2);
  if (squares[0] < squares[1]) exchange_columns(b, v, squares, 0, 1);

  SignedSvd r;
  r.v = v;
  r.sigma[0] = std::sqrt(squares[0]);
  if (!(r.sigma[0] > 0)) {
    r.u.setIdentity();
    r.sigma.setZero();
    return r;
  }
  r.u.col(0) = b.col(0) / r.sigma[0];
  r.sigma[1] = std::sqrt(squares[1]);
  // Where F has rank one any frame around the first axis does.
  if (r.sigma[1] > 1e-150 * r.sigma[0]) r.u.col(1) = b.col(1) / r.sigma[1];
  else r.u.col(1) = frame_from_normal(r.u.col(0)).col(1);
  r.u.col(2) = r.u.col(0).cross(r.u.col(1));
  r.sigma[2] = r.u.col(2).dot(b.col(2));
  return r;
}

}   // namespace stickslip
