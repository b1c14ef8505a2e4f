#include "solve/newton/interior_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/newton/full_rank_newton.h"

namespace stickslip {

namespace {

constexpr double kBoundary = 0.99;             ///< part of the way to the nearest face that a step goes
constexpr double kLeastCenter = 1e-8;          ///< of the gap that a step aims at
constexpr double kShortWay = 0.5;              ///< inside the cones, from which on a step may be plain
constexpr double kSafeCenter = 0.1;            ///< of the gap that such a one aims at, at least
constexpr double kFirstImpulse = 0.1;          ///< of what stops the fastest contact, at the start
constexpr double kInteriorSymmetric = 1e-12;   ///< difference of mirrored numbers over the largest
constexpr double kInteriorPivot = 1e-15;       ///< over its diagonal: below, digits are used up

/// ‖a_N‖² − ‖a_T‖², to all digits.
double cone_determinant(const Vec3& a) {
  const double t = std::hypot(a[1], a[2]);
  return (a[0] - t) * (a[0] + t);
}

/// Jordan's product of the second-order cone.
Vec3 cone_product(const Vec3& a, const Vec3& b) { return {a.dot(b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]}; }

/// u with a ∘ u = d.
Vec3 cone_quotient(const Vec3& a, const Vec3& d) {
  const double first = (a[0] * d[0] - a[1] * d[1] - a[2] * d[2]) / cone_determinant(a);
  return {first, (d[1] - first * a[1]) / a[0], (d[2] - first * a[2]) / a[0]};
}

/// The longest way from a point inside the cone along a direction that stays inside.
double way_inside(const Vec3& x, const Vec3& d) {
  const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
  const double c = cone_determinant(x), root = b * b - a * c;
  double longest = d[0] < 0 ? -x[0] / d[0] : std::numeric_limits<double>::infinity();
  if (root < 0) return longest;
  const double sum = -(b + std::copysign(std::sqrt(root), b));
  for (const double way : {sum / a, c / sum})
    if (way > 0) longest = std::min(longest, way);
  return longest;
}

}   // namespace

bool InteriorPoint::fits(const ContactProblem& p) {
  if (!FullRankNewton::fits(p)) return false;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& b = p.blocks[i];
    if (b.kind == BlockKind::bilateral) continue;
    const bool coulomb = b.dim == 3 && std::holds_alternative<CircularFriction>(p.laws[i]);
    if (b.kind != BlockKind::contact || !(b.dim == 1 || coulomb)) return false;
  }
  return true;
}

double InteriorPoint::step_work(const ContactProblem& p, bool exact) {
  const auto n = static_cast<double>(p.rows());
  return (exact ? 2.5 : 1) * FullRankNewton::factor_work(p) + 12 * n * n;
}

void InteriorPoint::find_cones(const ContactProblem& p) {
  cones_.clear();
  idle_.clear();
  scale_.setOnes(static_cast<Eigen::Index>(p.rows()));
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& b = p.blocks[i];
    if (b.kind == BlockKind::bilateral) continue;
    const double mu = b.dim == 3 ? std::get<CircularFriction>(p.laws[i]).mu : 0;
    for (std::uint32_t k = 1; !(mu > 0) && k < b.dim; ++k) idle_.push_back(b.row + k);
    if (mu > 0) scale_[b.row] = 1 / mu;
    cones_.push_back({.row = b.row, .dim = mu > 0 ? 3u : 1u, .root = {}, .inverse_root = {}, .common = {}, .slipping = {}});
  }
}

bool InteriorPoint::start(const ContactProblem& p, bool turns) {
  turns_ = turns;
  find_cones(p);
  const auto n = static_cast<Eigen::Index>(p.rows());
  const BlockMatrix& w = p.matrix;
  w_.resize(n, n);
  for (std::size_t i = 0; i < w.blocks(); ++i)
    w_.middleRows(w.offset[i], w.dim(i)) =
        Eigen::Map<const Eigen::MatrixXd>(w.values.data() + w.position[w.first[i]], w.dim(i), n);
  const double bound = kInteriorSymmetric * w_.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j + 1; i < n; ++i)
      if (!(std::abs(w_(i, j) - w_(j, i)) <= bound)) return false;
  w_.diagonal() += Eigen::Map<const Eigen::VectorXd>(p.sigma.data(), n);
  w_ = scale_.asDiagonal() * w_ * scale_.asDiagonal();
  b_ = scale_.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(p.b.data(), n));
  for (const std::uint32_t row : idle_) {
    w_.row(row).setZero();
    w_.col(row).setZero();
    w_(row, row) = 1;
    b_[row] = 0;
  }
  const double fastest = b_.cwiseAbs().maxCoeff(), compliance = w_.trace() / static_cast<double>(n);
  x_.setZero(n);
  z_.setZero(n);
  for (const Cone& cone : cones_) {
    x_[cone.row] = kFirstImpulse * fastest / compliance;
    z_[cone.row] = fastest;
  }
  return fastest > 0;
}

/// w + ‖w_T‖ e − z: what z is off by.
void InteriorPoint::find_gap(bool exact) {
  gap_.noalias() = w_ * x_;
  gap_ += b_;
  for (Cone& cone : cones_) {
    if (cone.dim == 1) continue;
    const Vec2 slip = gap_.segment<2>(cone.row + 1);
    const double speed = slip.norm();
    gap_[cone.row] += speed;
    cone.slipping = exact && speed > 0 ? Vec2(slip / speed) : Vec2(Vec2::Zero());
  }
  gap_ -= z_;
}

/// The point where the scaling is the same from x and from z [Nesterov, Todd 1998]. False if either has reached a face.
bool InteriorPoint::scale() {
  for (Cone& cone : cones_) {
    if (cone.dim == 1) {
      const double x = x_[cone.row], z = z_[cone.row];
      if (!(x > 0 && z > 0)) return false;
      cone.root(0, 0) = std::sqrt(z / x);
      cone.inverse_root(0, 0) = std::sqrt(x / z);
      cone.common[0] = std::sqrt(x * z);
      continue;
    }
    const Vec3 x = x_.segment<3>(cone.row), z = z_.segment<3>(cone.row);
    const double det_x = cone_determinant(x), det_z = cone_determinant(z);
    if (!(det_x > 0 && det_z > 0)) return false;
    const Vec3 unit_x = x / std::sqrt(det_x), unit_z = z / std::sqrt(det_z);
    const double twice = 2 * std::sqrt((1 + unit_x.dot(unit_z)) / 2);
    const Vec3 w = (Vec3(unit_x[0], -unit_x[1], -unit_x[2]) + unit_z) / twice;
    const double size = std::pow(det_z / det_x, 0.25);
    const auto root = [&](double sign) {
      const Eigen::Vector2d t = sign * w.tail<2>();
      Mat3 r;
      r(0, 0) = w[0];
      r.block<1, 2>(0, 1) = t.transpose();
      r.block<2, 1>(1, 0) = t;
      r.block<2, 2>(1, 1) = Eigen::Matrix2d::Identity() + t * t.transpose() / (1 + w[0]);
      return r;
    };
    cone.root = size * root(1);
    cone.inverse_root = root(-1) / size;
    cone.common = cone.root * x;
  }
  return true;
}

bool InteriorPoint::factor(bool exact) {
  exact_ = exact;
  Eigen::MatrixXd& k = exact ? skew_ : factor_.numbers();
  k = w_;
  for (const Cone& cone : cones_) {
    if (cone.dim == 1) {
      k(cone.row, cone.row) += cone.root(0, 0) * cone.root(0, 0);
      continue;
    }
    Mat3 h = cone.root * cone.root;
    h.row(0) -= (cone.slipping.transpose() * h.bottomRows<2>()).eval();
    k.block<3, 3>(cone.row, cone.row) += h;
  }
  if (!exact) return factor_.factor(kInteriorPivot);
  lu_.compute(skew_);
  return true;
}

/// Directions with dz + H dx = target and N Ŵ dx − dz = −gap.
void InteriorPoint::solve(const Eigen::VectorXd& target) {
  dx_ = target - gap_;
  for (const std::uint32_t row : idle_) dx_[row] = 0;
  if (exact_) {
    for (const Cone& cone : cones_)
      if (cone.dim == 3) dx_[cone.row] -= cone.slipping.dot(dx_.segment<2>(cone.row + 1));
    dx_ = lu_.solve(dx_).eval();
  } else {
    factor_.forward(dx_);
    factor_.backward(dx_);
  }
  dz_.setZero(dx_.size());
  for (const Cone& cone : cones_) {
    if (cone.dim == 1) dz_[cone.row] = target[cone.row] - cone.root(0, 0) * cone.root(0, 0) * dx_[cone.row];
    else dz_.segment<3>(cone.row) = target.segment<3>(cone.row) - cone.root * (cone.root * dx_.segment<3>(cone.row)).eval();
  }
}

/// What complementarity asks for: x ∘ z = center. @param correct for what the directions found last do to second order
void InteriorPoint::aim(double center, bool correct) {
  target_.setZero(x_.size());
  for (const Cone& cone : cones_) {
    if (cone.dim == 1) {
      const double second = correct ? dx_[cone.row] * dz_[cone.row] : 0;
      target_[cone.row] = (center - second) / x_[cone.row] - z_[cone.row];
      continue;
    }
    Vec3 right = -cone_product(cone.common, cone.common);
    right[0] += center;
    if (correct) right -= cone_product(cone.root * dx_.segment<3>(cone.row), cone.inverse_root * dz_.segment<3>(cone.row));
    target_.segment<3>(cone.row) = cone.root * cone_quotient(cone.common, right);
  }
}

/// How far the directions stay inside all cones.
double InteriorPoint::longest() const {
  double longest = std::numeric_limits<double>::infinity();
  const auto ray = [](double x, double d) { return d < 0 ? -x / d : std::numeric_limits<double>::infinity(); };
  for (const Cone& cone : cones_) {
    const std::uint32_t r = cone.row;
    if (cone.dim == 1) longest = std::min({longest, ray(x_[r], dx_[r]), ray(z_[r], dz_[r])});
    else
      longest =
          std::min({longest, way_inside(x_.segment<3>(r), dx_.segment<3>(r)), way_inside(z_.segment<3>(r), dz_.segment<3>(r))});
  }
  return longest;
}

/// Mean of x · z after a step of that length.
double InteriorPoint::product(double length) const {
  double sum = 0;
  for (const Cone& cone : cones_)
    for (std::uint32_t k = cone.row; k < cone.row + cone.dim; ++k) sum += (x_[k] + length * dx_[k]) * (z_[k] + length * dz_[k]);
  return sum / static_cast<double>(cones_.size());
}

/// Where the correction to second order leads to a face at once, the plain direction is taken if it leads farther.
void InteriorPoint::go_without_correction(double center) {
  const double before = longest();
  corrected_x_ = dx_;
  corrected_z_ = dz_;
  aim(center, false);
  solve(target_);
  if (longest() > before) return;
  dx_.swap(corrected_x_);
  dz_.swap(corrected_z_);
}

bool InteriorPoint::step(std::span<double> impulses, bool exact) {
  find_gap(exact);
  if (!scale() || !factor(exact)) return false;
  aim(0, false);
  solve(target_);
  if (!cones_.empty()) {
    // How much of the gap a step straight to the end would leave tells how far towards the centre it has to turn.
    gap_mean_ = product(0);
    const double left = std::max(0.0, product(std::min(1.0, longest()))) / gap_mean_;
    const double center = std::clamp(left * left * left, kLeastCenter, 1.0);
    aim(center * gap_mean_, true);
    solve(target_);
    if (turns_ && longest() < kShortWay) go_without_correction(std::max(center, kSafeCenter) * gap_mean_);
  }
  const double length = std::min(1.0, kBoundary * longest());
  if (!std::isfinite(length) || !dx_.allFinite() || !dz_.allFinite()) return false;
  x_ += length * dx_;
  z_ += length * dz_;
  for (std::size_t k = 0; k < impulses.size(); ++k)
    impulses[k] = scale_[static_cast<Eigen::Index>(k)] * x_[static_cast<Eigen::Index>(k)];
  return true;
}

}   // namespace stickslip
