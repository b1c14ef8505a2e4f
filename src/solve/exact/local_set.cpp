#include "solve/exact/local_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "math/infinity.h"
#include "solve/exact/small_system.h"

namespace stickslip {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kAccuracy = 1e-12;   ///< of the residual, relative to the velocities that take part

template <int Rows>
class ContactSolve {
 public:
  using Vector = Eigen::Matrix<double, Rows, 1>;
  using Matrix = Eigen::Matrix<double, Rows, Rows>;
  using Whole = Eigen::Matrix<double, Rows + 1, 1>;

  ContactSolve(const SetView<Rows>& set, const LocalMatrix& matrix, const Whole& v, const Whole& impulse)
      : set_(set),
        a_(matrix.a),
        r_(matrix.friction_mass),
        normal_(a_(0, 0)),
        q_(v - a_ * impulse),
        scale_(q_.cwiseAbs().maxCoeff()) {
    if (!(normal_ > 0)) return;
    push_ = -q_[0] / normal_;
    from_friction_ = a_.template topRightCorner<1, Rows>().transpose() / normal_;
    reduced_ = a_ff() - a_fn() * from_friction_.transpose();
    reduced_q_ = q_.template tail<Rows>() + a_fn() * push_;
  }

  /// Any other case than sticking.
  bool solve(Whole& impulse) const {
    if (!(normal_ > 0) || !std::isfinite(r_)) return solve_without_motion(impulse);
    if (set_.scales ? slide(impulse) || (a_is_symmetric() && search(impulse)) : solve_convex(impulse)) return true;
    return step(impulse);
  }

 private:
  auto a_ff() const { return a_.template bottomRightCorner<Rows, Rows>(); }
  auto a_fn() const { return a_.template bottomLeftCorner<Rows, 1>(); }
  double normal_at(const Vector& t) const { return push_ - from_friction_.dot(t); }   ///< λ_n that keeps v_n = 0
  bool is_solution(double error, double n, const Vector& t) const {
    return error <= kAccuracy * scale_ + 64 * kEpsilon * (normal_ * std::abs(n) + t.norm() / r_);
  }
  bool a_is_symmetric() const {
    return (a_ - a_.transpose()).cwiseAbs().maxCoeff() <= 64 * kEpsilon * a_.cwiseAbs().maxCoeff();
  }

  /// A friction impulse that need not be in the set yet, and its image under the map whose fixed points are solutions.
  struct Iterate {
    Vector t, slip;                     ///< slip: v_f
    ProjectionDerivative<Rows> image;   ///< P(n, t − r slip)
    double error = kInfinity;           ///< ‖t − image‖/r [m/s]
  };

  /// One contact may not move at all, or not where there is friction.
  bool solve_without_motion(Whole& impulse) const {
    if (normal_ > 0) {
      impulse.setZero();
      impulse[0] = std::max(0.0, push_);
      return true;
    }
    if (q_[0] > 0) impulse.setZero();
    Vector closest;
    set_.project_law(set_.law, impulse[0], impulse.template tail<Rows>(), closest);
    impulse.template tail<Rows>() = closest;
    return q_[0] >= 0;
  }

  /// Newton's method on t − P(λ_n(t), t − r (Ā t + b̄)), with steps that are halved while they do not help.
  bool slide(Whole& impulse) const {
    constexpr int most_steps = 12, most_halvings = 4;
    Vector start = impulse.template tail<Rows>();
    if (!(normal_at(start) > 0)) start.setZero();
    Iterate first, second, *here = &first, *next = &second;
    evaluate_slide(start, *here);
    for (int k = 0; k < most_steps; ++k) {
      const double n = normal_at(here->t);
      if (is_solution(here->error, n, here->t)) {
        impulse[0] = n;
        impulse.template tail<Rows>() = here->image.value;
        return true;
      }
      Matrix jacobian =
          -here->image.by_point * (Matrix::Identity() - r_ * reduced_) + here->image.by_normal * from_friction_.transpose();
      jacobian.diagonal().array() += 1;
      const Vector change = solve_small<Rows>(jacobian, here->image.value - here->t);
      double part = 1;
      for (int halvings = 0;; ++halvings, part *= 0.5) {
        if (halvings > most_halvings) return false;
        evaluate_slide(here->t + part * change, *next);
        if (next->error < (1 - 0.1 * part) * here->error) break;
      }
      std::swap(here, next);
    }
    return false;
  }

  void evaluate_slide(const Vector& t, Iterate& at) const {
    at.t = t;
    const double n = normal_at(t);
    at.error = kInfinity;
    if (!(n > 0)) return;
    at.slip = reduced_ * t + reduced_q_;
    set_.differentiate_law(set_.law, n, t - r_ * at.slip, at.image);
    at.error = (t - at.image.value).norm() / r_;
  }

  /// The search for κ = 1/n that the header describes, and Newton's method again from where it ends.
  bool search(Whole& impulse) const {
    constexpr int most_steps = 200;
    const Vector coupling = a_fn(), q_friction = q_.template tail<Rows>();
    Vector tau = Vector::Zero();
    const auto approach = [&](double kappa) {   // v_n/n
      minimise(a_ff(), coupling + kappa * q_friction, 1, tau);
      return normal_ + coupling.dot(tau) + kappa * q_[0];
    };
    double low = 0, at_low = approach(0), high = (normal_ + std::max(0.0, set_.support_law(set_.law, coupling))) / -q_[0],
           at_high = approach(high);
    int stayed = 0;
    double kappa = high;
    for (int k = 0; k < most_steps && high - low > 4 * kEpsilon * high; ++k) {
      // Regula falsi in the form of Illinois, with bisections between.
      kappa = k % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * (at_low / (at_low - at_high));
      if (!(kappa > low && kappa < high)) kappa = 0.5 * (low + high);
      const double value = approach(kappa);
      if (std::abs(value) <= 4 * kEpsilon * normal_) break;
      if (value > 0) {
        low = kappa, at_low = value;
        if (std::exchange(stayed, 1) == 1) at_high *= 0.5;
      } else {
        high = kappa, at_high = value;
        if (std::exchange(stayed, -1) == -1) at_low *= 0.5;
      }
    }
    if (!(kappa > 0)) return false;
    Whole found;
    found[0] = 1 / kappa;
    found.template tail<Rows>() = tau / kappa;
    if (!slide(found)) return false;
    impulse = found;
    return true;
  }

  /// A set that does not depend on λ_n. The case that holds at present comes first.
  bool solve_convex(Whole& impulse) const {
    const bool touched = impulse[0] > 0;
    for (const bool touches : {touched, !touched}) {
      Vector t = impulse.template tail<Rows>();
      if (touches) {
        if (!minimise(reduced_, reduced_q_, 1, t)) return false;
      } else {
        if (!minimise(a_ff(), q_.template tail<Rows>(), 1, t)) return false;
      }
      const double n = touches ? normal_at(t) : 0, v = touches ? 0 : q_[0] + normal_ * from_friction_.dot(t);
      if (normal_ * n < -kAccuracy * scale_ || v < -kAccuracy * scale_) continue;
      impulse[0] = std::max(0.0, n);
      impulse.template tail<Rows>() = t;
      return true;
    }
    return false;
  }

  /// The minimum of ½ tᵀBt + cᵀt over F(n), from t, B symmetric. Newton's method on t − P(t − r (B t + c)), its steps projected
  /// on the set, as long as it halves the residual. Where it does not, the next point is the lowest on two ways from P(t − r (B
  /// t + c)), which lies lower than t: to the projected step, and along the step itself as far as the set reaches. So it
  /// descends at least as fast as proximal steps.
  /// @return whether the end was reached
  bool minimise(const Matrix& b, const Vector& c, double n, Vector& t) const {
    constexpr int most_steps = 300;
    // Where B is singular there may be a way down without an end: this makes it long, and the set ends it.
    constexpr double regularisation = 1e-10;
    const double speed = c.cwiseAbs().maxCoeff();
    const auto evaluate = [&](const Vector& at_t, Iterate& at) {
      at.t = at_t;
      at.slip = b * at_t + c;
      set_.differentiate_law(set_.law, n, at_t - r_ * at.slip, at.image);
      at.error = (at.image.value - at_t).norm() / r_;
    };
    Iterate here, next;
    evaluate(t, here);
    double best = kInfinity;
    for (int k = 0; k < most_steps; ++k) {
      if (here.error < best) best = here.error, t = here.image.value;
      if (best <= 0.01 * kAccuracy * speed + 8 * kEpsilon * t.norm() / r_) return true;
      Matrix jacobian = -here.image.by_point * (Matrix::Identity() - r_ * b);
      jacobian.diagonal().array() += 1 + regularisation;
      const Vector from = here.image.value, newton = here.t + solve_small<Rows>(jacobian, from - here.t);
      Vector target;
      set_.project_law(set_.law, n, newton, target);
      evaluate(target, next);
      if (!(next.error <= 0.5 * best)) {
        double fall_to_target, fall_along_step;
        const Vector to_target = lowest(b, b * from + c, from, target, fall_to_target);
        const Vector along_step = lowest(b, b * from + c, from, last_inside(n, from, newton), fall_along_step);
        evaluate(fall_to_target > fall_along_step ? to_target : along_step, next);
      }
      std::swap(here, next);
    }
    return best <= kAccuracy * speed + 64 * kEpsilon * t.norm() / r_;
  }

  /// The lowest point of a quadratic with this gradient at `from`, on the way from there to `to`.
  static Vector lowest(const Matrix& b, const Vector& gradient, const Vector& from, const Vector& to, double& fall) {
    const Vector way = to - from;
    const double slope = -way.dot(gradient), curvature = way.dot(b * way);
    const double part = slope > 0 ? (curvature > slope ? slope / curvature : 1) : 0;
    fall = part * (slope - 0.5 * part * curvature);
    return from + part * way;
  }

  /// The last point of F(n) on the way from a point of it.
  Vector last_inside(double n, const Vector& from, const Vector& to) const {
    const auto inside = [&](const Vector& x) {
      Vector closest;
      set_.project_law(set_.law, n, x, closest);
      return (closest - x).norm() <= 4 * kEpsilon * x.norm();
    };
    if (inside(to)) return to;
    double low = 0, high = 1;
    for (int k = 0; k < 60 && high - low > 1e-3 * high; ++k) {
      const double middle = low > 0 ? 0.5 * (low + high) : 0.125 * high;
      (inside(from + middle * (to - from)) ? low : high) = middle;
    }
    return from + low * (to - from);
  }

  /// Proximal steps, for what is left: matrices that are not symmetric or have no solution. Keeps the best impulse.
  bool step(Whole& impulse) const {
    constexpr int most_steps = 40;
    Whole here = impulse, next;
    double best = kInfinity;
    for (int k = 0; k <= most_steps; ++k) {
      const Whole v = a_ * here + q_;
      const Vector t = here.template tail<Rows>();
      Vector closest;
      set_.project_law(set_.law, here[0], t - r_ * v.template tail<Rows>(), closest);
      next[0] = std::max(0.0, here[0] - v[0] / normal_);
      const double error = std::max(normal_ * std::abs(next[0] - here[0]), (closest - t).norm() / r_);
      if (k > 0 && error < best) {   // the first may not be in the set
        best = error;
        impulse = here;
        if (is_solution(error, here[0], t)) return true;
      }
      set_.project_law(set_.law, next[0], t - r_ * (v.template tail<Rows>() + a_fn() * (next[0] - here[0])), closest);
      next.template tail<Rows>() = closest;
      here = next;
      if (set_.scales && k % 8 == 7 && q_[0] < 0 && slide(next)) {
        impulse = next;
        return true;
      }
    }
    return false;
  }

  const SetView<Rows>& set_;
  Eigen::Map<const Eigen::Matrix<double, Rows + 1, Rows + 1>> a_;
  double r_, normal_;      ///< r; A_nn
  Whole q_;                ///< velocity without the contact's own impulse [m/s]
  double scale_;           ///< the largest of q [m/s]
  double push_ = 0;        ///< λ_n without friction [N s]
  Vector from_friction_;   ///< A_nf / A_nn
  Matrix reduced_;         ///< Ā
  Vector reduced_q_;       ///< b̄
};

}   // namespace

void invert_block(int rows, const double* a, double* inverse) {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  constexpr double nearly_singular = 1e-10;
  Small m = Eigen::Map<const Eigen::MatrixXd>(a, rows, rows);
  Eigen::Map<Eigen::MatrixXd> out(inverse, rows, rows);
  out.setIdentity();
  const double least = nearly_singular * m.cwiseAbs().maxCoeff();
  for (int k = 0; k < rows; ++k) {   // Gauss and Jordan, pivots by columns
    int pivot = k;
    for (int i = k + 1; i < rows; ++i)
      if (std::abs(m(i, k)) > std::abs(m(pivot, k))) pivot = i;
    if (!(std::abs(m(pivot, k)) > least)) {
      inverse[0] = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    for (int j = 0; j < rows; ++j) {
      std::swap(m(k, j), m(pivot, j));
      std::swap(out(k, j), out(pivot, j));
    }
    const double reciprocal = 1 / m(k, k);
    for (int j = 0; j < rows; ++j) m(k, j) *= reciprocal, out(k, j) *= reciprocal;
    for (int i = 0; i < rows; ++i) {
      if (i == k) continue;
      const double factor = m(i, k);
      for (int j = 0; j < rows; ++j) m(i, j) -= factor * m(k, j), out(i, j) -= factor * out(k, j);
    }
  }
}

namespace {

/// Whether the contact sticks, v = 0; λ is changed only if it does.
template <int Rows>
bool sticks(const SetView<Rows>& set, const LocalMatrix& matrix, const Eigen::Matrix<double, Rows + 1, 1>& v,
            Eigen::Matrix<double, Rows + 1, 1>& impulse) {
  if (std::isnan(matrix.inverse[0])) return false;
  const Eigen::Matrix<double, Rows + 1, 1> sticking =
      impulse - Eigen::Map<const Eigen::Matrix<double, Rows + 1, Rows + 1>>(matrix.inverse) * v;
  if (!(sticking[0] >= 0)) return false;
  const Eigen::Matrix<double, Rows, 1> t = sticking.template tail<Rows>();
  Eigen::Matrix<double, Rows, 1> closest;
  set.project_law(set.law, sticking[0], t, closest);
  if (!((closest - t).squaredNorm() <= kEpsilon * kEpsilon * t.squaredNorm())) return false;
  impulse[0] = sticking[0];
  impulse.template tail<Rows>() = closest;
  return true;
}

}   // namespace

template <int Rows>
bool solve_contact(const SetView<Rows>& set, const LocalMatrix& matrix, const Eigen::Matrix<double, Rows + 1, 1>& v,
                   Eigen::Matrix<double, Rows + 1, 1>& impulse) {
  const Eigen::Map<const Eigen::Matrix<double, Rows + 1, Rows + 1>> a(matrix.a);
  if (set.scales && a(0, 0) > 0 && !(v[0] - a.row(0).dot(impulse) < 0)) {
    impulse.setZero();
    return true;
  }
  // What slips fast most likely slides, and Newton's method finds out if it does not.
  const bool slips =
      set.scales && matrix.friction_mass * v.template tail<Rows>().norm() > 0.1 * impulse.template tail<Rows>().norm();
  if (!slips && sticks(set, matrix, v, impulse)) return true;
  return ContactSolve<Rows>(set, matrix, v, impulse).solve(impulse);
}

template bool solve_contact(const SetView<1>&, const LocalMatrix&, const Eigen::Matrix<double, 2, 1>&,
                            Eigen::Matrix<double, 2, 1>&);
template bool solve_contact(const SetView<2>&, const LocalMatrix&, const Eigen::Matrix<double, 3, 1>&,
                            Eigen::Matrix<double, 3, 1>&);
template bool solve_contact(const SetView<3>&, const LocalMatrix&, const Eigen::Matrix<double, 4, 1>&,
                            Eigen::Matrix<double, 4, 1>&);
template bool solve_contact(const SetView<4>&, const LocalMatrix&, const Eigen::Matrix<double, 5, 1>&,
                            Eigen::Matrix<double, 5, 1>&);
template bool solve_contact(const SetView<5>&, const LocalMatrix&, const Eigen::Matrix<double, 6, 1>&,
                            Eigen::Matrix<double, 6, 1>&);

}   // namespace stickslip
