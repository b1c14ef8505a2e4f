#include "solve/exact/local_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "math/infinity.h"
#include "math/small_matrices.h"
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
      : set_(set), a_(matrix.a), r_(matrix.friction_mass), normal_(a(0, 0)) {
    const Whole own = small::multiply_add<Rows + 1>(a_, impulse, Whole::Zero());
    q_ = small::difference<Rows + 1>(v, own);
    scale_ = small::largest<Rows + 1>(q_);
    if (!(normal_ > 0)) return;
    push_ = -q_[0] / normal_;
    for (int i = 0; i < Rows; ++i) {
      from_friction_[i] = a(0, i + 1) / normal_;
      reduced_q_[i] = q_[i + 1] + a(i + 1, 0) * push_;
    }
    for (int k = 0; k < Rows; ++k)
      for (int i = 0; i < Rows; ++i) reduced_(i, k) = a(i + 1, k + 1) - a(i + 1, 0) * from_friction_[k];
  }

  /// Any other case than sticking.
  bool solve(Whole& impulse) const {
    if (!(normal_ > 0) || !std::isfinite(r_)) return solve_without_motion(impulse);
    if (set_.scales ? slide(impulse) || (a_is_symmetric() && search(impulse)) : solve_convex(impulse)) return true;
    return step(impulse);
  }

 private:
  double a(int i, int k) const { return a_[i + (Rows + 1) * k]; }
  Matrix a_ff() const {
    Matrix m;
    for (int k = 0; k < Rows; ++k)
      for (int i = 0; i < Rows; ++i) m(i, k) = a(i + 1, k + 1);
    return m;
  }
  Vector a_fn() const {
    Vector x;
    for (int i = 0; i < Rows; ++i) x[i] = a(i + 1, 0);
    return x;
  }
  double normal_at(const Vector& t) const { return push_ - small::dot<Rows>(from_friction_, t); }   ///< λ_n that keeps v_n = 0
  bool is_solution(double error, double n, const Vector& t) const {
    return error <= kAccuracy * scale_ + 64 * kEpsilon * (normal_ * std::abs(n) + small::norm<Rows>(t) / r_);
  }
  bool a_is_symmetric() const {
    double size = 0, twist = 0;
    for (int k = 0; k <= Rows; ++k)
      for (int i = 0; i <= Rows; ++i) {
        size = std::max(size, std::abs(a(i, k)));
        twist = std::max(twist, std::abs(a(i, k) - a(k, i)));
      }
    return twist <= 64 * kEpsilon * size;
  }
  /// 1 + shift − P′ (1 − r B), of the equations that end at fixed points of t − r (B t + c).
  Matrix fixed_point_jacobian(const Matrix& by_point, const Matrix& b, double shift) const {
    Matrix inner, m;
    for (int k = 0; k < Rows; ++k)
      for (int i = 0; i < Rows; ++i) inner(i, k) = (i == k ? 1 : 0) - r_ * b(i, k);
    for (int k = 0; k < Rows; ++k)
      for (int i = 0; i < Rows; ++i) {
        double sum = 0;
        for (int j = 0; j < Rows; ++j) sum += by_point(i, j) * inner(j, k);
        m(i, k) = (i == k ? 1 + shift : 0) - sum;
      }
    return m;
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
    set_.project_law(set_.law, impulse[0], small::tail<Rows + 1>(impulse), closest);
    small::set_tail<Rows + 1>(closest, impulse);
    return q_[0] >= 0;
  }

  /// Newton's method on t − P(λ_n(t), t − r (Ā t + b̄)), with steps that are halved while they do not help.
  bool slide(Whole& impulse) const {
    constexpr int most_steps = 12, most_halvings = 4;
    Vector start = small::tail<Rows + 1>(impulse);
    if (!(normal_at(start) > 0)) start.setZero();
    Iterate first, second, *here = &first, *next = &second;
    evaluate_slide(start, *here);
    for (int k = 0; k < most_steps; ++k) {
      const double n = normal_at(here->t);
      if (is_solution(here->error, n, here->t)) {
        impulse[0] = n;
        small::set_tail<Rows + 1>(here->image.value, impulse);
        return true;
      }
      Matrix jacobian = fixed_point_jacobian(here->image.by_point, reduced_, 0);
      for (int j = 0; j < Rows; ++j)
        for (int i = 0; i < Rows; ++i) jacobian(i, j) += here->image.by_normal[i] * from_friction_[j];
      const Vector change = solve_small<Rows>(jacobian, small::difference<Rows>(here->image.value, here->t));
      double part = 1;
      for (int halvings = 0;; ++halvings, part *= 0.5) {
        if (halvings > most_halvings) return false;
        evaluate_slide(small::sum<Rows>(here->t, part, change), *next);
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
    at.slip = small::multiply_add<Rows>(reduced_.data(), t, reduced_q_);
    set_.differentiate_law(set_.law, n, small::sum<Rows>(t, -r_, at.slip), at.image);
    at.error = small::norm<Rows>(small::difference<Rows>(t, at.image.value)) / r_;
  }

  /// The search for κ = 1/n that the header describes, and Newton's method again from where it ends.
  bool search(Whole& impulse) const {
    constexpr int most_steps = 200;
    const Matrix friction = a_ff();
    const Vector coupling = a_fn(), q_friction = small::tail<Rows + 1>(q_);
    Vector tau = Vector::Zero();
    const auto approach = [&](double kappa) {   // v_n/n
      minimise(friction, small::sum<Rows>(coupling, kappa, q_friction), 1, tau);
      return normal_ + small::dot<Rows>(coupling, tau) + kappa * q_[0];
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
    for (int k = 0; k < Rows; ++k) found[k + 1] = tau[k] / kappa;
    if (!slide(found)) return false;
    impulse = found;
    return true;
  }

  /// A set that does not depend on λ_n. The case that holds at present comes first.
  bool solve_convex(Whole& impulse) const {
    const bool touched = impulse[0] > 0;
    for (const bool touches : {touched, !touched}) {
      Vector t = small::tail<Rows + 1>(impulse);
      if (touches) {
        if (!minimise(reduced_, reduced_q_, 1, t)) return false;
      } else {
        if (!minimise(a_ff(), small::tail<Rows + 1>(q_), 1, t)) return false;
      }
      const double n = touches ? normal_at(t) : 0, v = touches ? 0 : q_[0] + normal_ * small::dot<Rows>(from_friction_, t);
      if (normal_ * n < -kAccuracy * scale_ || v < -kAccuracy * scale_) continue;
      impulse[0] = std::max(0.0, n);
      small::set_tail<Rows + 1>(t, impulse);
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
    const double speed = small::largest<Rows>(c);
    const auto evaluate = [&](const Vector& at_t, Iterate& at) {
      at.t = at_t;
      at.slip = small::multiply_add<Rows>(b.data(), at_t, c);
      set_.differentiate_law(set_.law, n, small::sum<Rows>(at_t, -r_, at.slip), at.image);
      at.error = small::norm<Rows>(small::difference<Rows>(at.image.value, at_t)) / r_;
    };
    Iterate here, next;
    evaluate(t, here);
    double best = kInfinity;
    for (int k = 0; k < most_steps; ++k) {
      if (here.error < best) best = here.error, t = here.image.value;
      if (best <= 0.01 * kAccuracy * speed + 8 * kEpsilon * small::norm<Rows>(t) / r_) return true;
      const Matrix jacobian = fixed_point_jacobian(here.image.by_point, b, regularisation);
      const Vector from = here.image.value;
      const Vector newton = small::sum<Rows>(here.t, 1, solve_small<Rows>(jacobian, small::difference<Rows>(from, here.t)));
      Vector target;
      set_.project_law(set_.law, n, newton, target);
      evaluate(target, next);
      if (!(next.error <= 0.5 * best)) {
        double fall_to_target, fall_along_step;
        const Vector gradient = small::multiply_add<Rows>(b.data(), from, c);
        const Vector to_target = lowest(b, gradient, from, target, fall_to_target);
        const Vector along_step = lowest(b, gradient, from, last_inside(n, from, newton), fall_along_step);
        evaluate(fall_to_target > fall_along_step ? to_target : along_step, next);
      }
      std::swap(here, next);
    }
    return best <= kAccuracy * speed + 64 * kEpsilon * small::norm<Rows>(t) / r_;
  }

  /// The lowest point of a quadratic with this gradient at `from`, on the way from there to `to`.
  static Vector lowest(const Matrix& b, const Vector& gradient, const Vector& from, const Vector& to, double& fall) {
    const Vector way = small::difference<Rows>(to, from);
    const double slope = -small::dot<Rows>(way, gradient);
    const double curvature = small::dot<Rows>(way, small::multiply_add<Rows>(b.data(), way, Vector::Zero()));
    const double part = slope > 0 ? (curvature > slope ? slope / curvature : 1) : 0;
    fall = part * (slope - 0.5 * part * curvature);
    return small::sum<Rows>(from, part, way);
  }

  /// The last point of F(n) on the way from a point of it.
  Vector last_inside(double n, const Vector& from, const Vector& to) const {
    const auto inside = [&](const Vector& x) {
      Vector closest;
      set_.project_law(set_.law, n, x, closest);
      return small::norm<Rows>(small::difference<Rows>(closest, x)) <= 4 * kEpsilon * small::norm<Rows>(x);
    };
    if (inside(to)) return to;
    const Vector way = small::difference<Rows>(to, from);
    double low = 0, high = 1;
    for (int k = 0; k < 60 && high - low > 1e-3 * high; ++k) {
      const double middle = low > 0 ? 0.5 * (low + high) : 0.125 * high;
      (inside(small::sum<Rows>(from, middle, way)) ? low : high) = middle;
    }
    return small::sum<Rows>(from, low, way);
  }

  /// Proximal steps, for what is left: matrices that are not symmetric or have no solution. Keeps the best impulse.
  bool step(Whole& impulse) const {
    constexpr int most_steps = 40;
    const Vector coupling = a_fn();
    Whole here = impulse, next;
    double best = kInfinity;
    for (int k = 0; k <= most_steps; ++k) {
      const Whole v = small::multiply_add<Rows + 1>(a_, here, q_);
      const Vector t = small::tail<Rows + 1>(here), slip = small::tail<Rows + 1>(v);
      Vector closest;
      set_.project_law(set_.law, here[0], small::sum<Rows>(t, -r_, slip), closest);
      next[0] = std::max(0.0, here[0] - v[0] / normal_);
      const double off = small::norm<Rows>(small::difference<Rows>(closest, t)) / r_;
      const double error = std::max(normal_ * std::abs(next[0] - here[0]), off);
      if (k > 0 && error < best) {   // the first may not be in the set
        best = error;
        impulse = here;
        if (is_solution(error, here[0], t)) return true;
      }
      const Vector pushed = small::sum<Rows>(slip, next[0] - here[0], coupling);
      set_.project_law(set_.law, next[0], small::sum<Rows>(t, -r_, pushed), closest);
      small::set_tail<Rows + 1>(closest, next);
      here = next;
      if (set_.scales && k % 8 == 7 && q_[0] < 0 && slide(next)) {
        impulse = next;
        return true;
      }
    }
    return false;
  }

  const SetView<Rows>& set_;
  const double* a_;        ///< A, column-major
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
  constexpr double nearly_singular = 1e-10;
  if (!invert(rows, a, inverse, nearly_singular)) inverse[0] = std::numeric_limits<double>::quiet_NaN();
}

namespace {

/// Whether the contact sticks, v = 0; λ is changed only if it does.
template <int Rows>
bool sticks(const SetView<Rows>& set, const LocalMatrix& matrix, const Eigen::Matrix<double, Rows + 1, 1>& v,
            Eigen::Matrix<double, Rows + 1, 1>& impulse) {
  if (std::isnan(matrix.inverse[0])) return false;
  using Whole = Eigen::Matrix<double, Rows + 1, 1>;
  const Whole back = small::multiply_add<Rows + 1>(matrix.inverse, v, Whole::Zero());
  const Whole sticking = small::difference<Rows + 1>(impulse, back);
  if (!(sticking[0] >= 0)) return false;
  const Eigen::Matrix<double, Rows, 1> t = small::tail<Rows + 1>(sticking);
  Eigen::Matrix<double, Rows, 1> closest;
  set.project_law(set.law, sticking[0], t, closest);
  const Eigen::Matrix<double, Rows, 1> off = small::difference<Rows>(closest, t);
  if (!(small::dot<Rows>(off, off) <= kEpsilon * kEpsilon * small::dot<Rows>(t, t))) return false;
  impulse[0] = sticking[0];
  small::set_tail<Rows + 1>(closest, impulse);
  return true;
}

}   // namespace

template <int Rows>
bool solve_contact(const SetView<Rows>& set, const LocalMatrix& matrix, const Eigen::Matrix<double, Rows + 1, 1>& v,
                   Eigen::Matrix<double, Rows + 1, 1>& impulse) {
  double own = 0;   // what it adds to its own approach
  for (int k = 0; k <= Rows; ++k) own += matrix.a[(Rows + 1) * k] * impulse[k];
  if (set.scales && matrix.a[0] > 0 && !(v[0] - own < 0)) {
    impulse.setZero();
    return true;
  }
  // What slips fast most likely slides, and Newton's method finds out if it does not.
  const bool slips = set.scales && matrix.friction_mass * small::norm<Rows>(small::tail<Rows + 1>(v)) >
                                       0.1 * small::norm<Rows>(small::tail<Rows + 1>(impulse));
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
