#include "solve/exact/local_patch.h"

#include <cmath>
#include <limits>

#include "math/infinity.h"
#include "solve/exact/small_system.h"
#include "stickslip/friction/cone.h"

namespace stickslip {

namespace {

constexpr double kPatchRounding = std::numeric_limits<double>::epsilon();
constexpr double kPatchAccuracy = 1e-12;   ///< of the residual, relative to the velocities that take part

using PatchMatrix = Eigen::Matrix<double, 6, 6>;

/// Where rows n, rolling t, rolling b stand in a block, and t, b, torsion.
constexpr int kUnilateral[3] = {0, 4, 5}, kRubbing[3] = {1, 2, 3};

class PatchSolve {
 public:
  PatchSolve(const PatchFriction& law, const double* a, const PatchBlock& v, const PatchBlock& impulse)
      : law_(law), a_(a), q_(v - a_ * impulse), scale_(q_.cwiseAbs().maxCoeff()) {
    Mat3 unilateral;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) unilateral(i, j) = a_(kUnilateral[i], kUnilateral[j]);
    const auto factor = [](double size) { return size > 0 ? 1 / size : 0; };
    r_ = {factor(unilateral.norm()), factor(a_.block<3, 3>(1, 1).norm())};
  }

  bool solve(PatchBlock& impulse) const {
    if (!(r_.unilateral > 0)) return true;   // nothing can move
    if (newton(impulse)) return true;
    if (between_steps(impulse)) return true;
    PatchBlock found = impulse;
    if (search(found) && newton(found)) {
      impulse = found;
      return true;
    }
    return false;
  }

 private:
  struct Iterate {
    PatchBlock impulse, v, image;   ///< λ, Aλ + q, what the equations ask λ to be
    double error = 0;               ///< [m/s]
  };

  void evaluate(const PatchBlock& impulse, Iterate& at, PatchMatrix* jacobian) const {
    at.impulse = impulse;
    at.v = a_ * impulse + q_;
    const Vec3 pressed = PatchFriction::unilateral(impulse) - r_.unilateral * PatchFriction::unilateral(at.v);
    const Vec3 rubbed = PatchFriction::rubbing(impulse) - r_.friction * PatchFriction::rubbing(at.v);
    PressurePatch::ConeDerivative u{Vec3::Zero(), Mat3::Zero()};
    ProjectionDerivative<3> f{Vec3::Zero(), Mat3::Zero(), Vec3::Zero()};
    if (jacobian != nullptr) {
      u = law_.patch().differentiate_cone(pressed);
      if (u.value[0] > 0) f = law_.friction().differentiate(u.value[0], rubbed);
      linearise(u.by_point, f, *jacobian);
    } else {
      u.value = law_.patch().project_on_cone(pressed);
      f.value = law_.friction().project(u.value[0], rubbed);
    }
    at.image = PatchFriction::block(u.value, f.value);
    const PatchBlock change = impulse - at.image;
    at.error = PatchFriction::unilateral(change).norm() / r_.unilateral;
    if (r_.friction > 0) at.error = std::hypot(at.error, PatchFriction::rubbing(change).norm() / r_.friction);
  }

  /// I − d image/dλ, with d(λ − r v) = I − r A in each set of rows.
  void linearise(const Mat3& pressure, const ProjectionDerivative<3>& friction, PatchMatrix& jacobian) const {
    Eigen::Matrix<double, 3, 6> pressed, rubbed;
    for (int i = 0; i < 3; ++i) {
      pressed.row(i) = -r_.unilateral * a_.row(kUnilateral[i]);
      rubbed.row(i) = -r_.friction * a_.row(kRubbing[i]);
      pressed(i, kUnilateral[i]) += 1;
      rubbed(i, kRubbing[i]) += 1;
    }
    const Eigen::Matrix<double, 3, 6> u = pressure * pressed;
    const Eigen::Matrix<double, 3, 6> f = friction.by_point * rubbed + friction.by_normal * u.row(0);
    jacobian.setIdentity();
    for (int i = 0; i < 3; ++i) {
      jacobian.row(kUnilateral[i]) -= u.row(i);
      jacobian.row(kRubbing[i]) -= f.row(i);
    }
  }

  bool is_solution(const Iterate& at, double accuracy) const {
    return at.error <= accuracy * scale_ + 8 * kPatchRounding * at.impulse.norm() / r_.unilateral;
  }

  /// Damped steps; λ is changed only if they reach the end.
  bool newton(PatchBlock& impulse) const {
    constexpr int most_steps = 30, most_halvings = 8;
    Iterate here, next;
    PatchMatrix jacobian;
    evaluate(impulse, here, &jacobian);
    for (int k = 0; k < most_steps; ++k) {
      if (is_solution(here, 0.01 * kPatchAccuracy)) break;
      const PatchBlock change = solve_small<6>(jacobian, PatchBlock(here.image - here.impulse));
      double part = 1;
      int halvings = 0;
      for (; halvings <= most_halvings; ++halvings, part *= 0.5) {
        evaluate(here.impulse + part * change, next, nullptr);
        if (next.error < (1 - 0.1 * part) * here.error) break;
      }
      if (halvings > most_halvings) break;
      evaluate(next.impulse, here, &jacobian);
    }
    if (!is_solution(here, kPatchAccuracy)) return false;
    impulse = here.image;
    return true;
  }

  bool between_steps(PatchBlock& impulse) const {
    constexpr int most_steps = 64, attempt_every = 8;
    PatchBlock here = impulse, v = a_ * here + q_;
    double best = kInfinity;
    for (int k = 1; k <= most_steps; ++k) {
      patch_step(law_, a_, r_, RowSet::all, v, here);
      const PatchError error = patch_error(law_, r_, v, here);
      if (const double size = std::max(error.unilateral, error.friction); size < best) best = size, impulse = here;
      if (k % attempt_every == 0 && newton(here)) {
        impulse = here;
        return true;
      }
    }
    return best <= kPatchAccuracy * scale_;
  }

  /// A root of support(−v_f(λ(s))) − s, and λ(s) near it.
  bool search(PatchBlock& impulse) const {
    constexpr int most_steps = 60;
    const auto excess = [&](double shift) {
      minimise(shift, impulse);
      const PatchBlock v = a_ * impulse + q_;
      return law_.friction().support(-PatchFriction::rubbing(v)) - shift;
    };
    // At this shift nothing presses, and the slip is that of q.
    double low = 0, high = law_.friction().support(-PatchFriction::rubbing(q_)) + 2 * scale_;
    for (int k = 0; k < 40 && excess(high) > 0; ++k) low = high, high *= 2;
    for (int k = 0; k < most_steps && high - low > 1e-10 * high; ++k) {
      const double middle = 0.5 * (low + high);
      (excess(middle) > 0 ? low : high) = middle;
    }
    excess(0.5 * (low + high));
    return impulse.allFinite();
  }

  /// min ½ λᵀAλ + (q + s eₙ)ᵀλ over the cone, by accelerated projected gradients that start anew when they turn round.
  void minimise(double shift, PatchBlock& impulse) const {
    constexpr int most_steps = 2000;
    const double step = 1 / a_.norm();
    PatchBlock previous = impulse, ahead = impulse;
    double momentum = 1;
    for (int k = 0; k < most_steps; ++k) {
      PatchBlock gradient = a_ * ahead + q_;
      gradient[0] += shift;
      const PatchBlock next = project_on_cone(law_, PatchBlock(ahead - step * gradient));
      if ((ahead - next).dot(next - previous) > 0) momentum = 1;
      const double after = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
      ahead = next + (momentum - 1) / after * (next - previous);
      momentum = after;
      if ((next - previous).norm() <= 1e-13 * next.norm()) {
        impulse = next;
        return;
      }
      previous = next;
    }
    impulse = previous;
  }

  const PatchFriction& law_;
  PatchMap a_;
  PatchFactors r_{};
  PatchBlock q_;   ///< velocity without the patch's own impulse [m/s]
  double scale_;   ///< the largest of q [m/s]
};

/// Whether nothing moves, v = 0; λ is changed only if so.
bool patch_sticks(const PatchFriction& law, const double* inverse, const PatchBlock& v, PatchBlock& impulse) {
  if (std::isnan(inverse[0])) return false;
  const PatchBlock sticking = impulse - PatchMap(inverse) * v;
  if (!(sticking[0] >= 0)) return false;
  const PatchBlock closest = PatchFriction::block(law.patch().project_on_cone(PatchFriction::unilateral(sticking)),
                                                  law.friction().project(sticking[0], PatchFriction::rubbing(sticking)));
  if (!((closest - sticking).squaredNorm() <= kPatchRounding * kPatchRounding * sticking.squaredNorm())) return false;
  impulse = closest;
  return true;
}

}   // namespace

bool solve_patch(const PatchFriction& law, const double* a, const double* inverse, const PatchBlock& v, PatchBlock& impulse) {
  const PatchBlock q = v - PatchMap(a) * impulse;
  if (law.patch().parting_velocity(PatchFriction::unilateral(q)) >= 0) {
    impulse.setZero();
    return true;
  }
  if (patch_sticks(law, inverse, v, impulse)) return true;
  return PatchSolve(law, a, v, impulse).solve(impulse);
}

}   // namespace stickslip
