// The open slot: a friction set of one's own, which every solver takes as it takes the built-in ones.
//
// Derive from ConvexSet<Rows> and hand it on as a CustomFriction<Rows>. `project` and `support_point` are enough; what else
// solvers ask for has a default made from them. Rows are tangent t, tangent b, then torsion, then rolling t, rolling b, as many
// as the set has; four rows are t, b, rolling t, rolling b.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "stickslip/friction/set_values.h"

namespace stickslip {

/// A convex set F(n) of friction impulses with zero inside. Immutable: contacts and threads share it.
template <int Rows>
class ConvexSet {
 public:
  using Vector = Eigen::Matrix<double, Rows, 1>;
  virtual ~ConvexSet() = default;

  /// Its name in problem files; sets of the same name are made by the same maker (friction/set_maker.h).
  virtual std::string_view name() const = 0;
  /// The numbers from which its maker makes it again, to the last bit.
  virtual std::vector<double> parameters() const = 0;

  /// Closest point of F(max(normal, 0)) to `trial`.
  virtual Vector project(double normal, const Vector& trial) const = 0;
  /// A point of F(1) that lies farthest along `direction`.
  virtual Vector support_point(const Vector& direction) const = 0;

  /// Whether F(n) = n F(1). A set that does not scale, such as Tresca's, is the same for every n.
  virtual bool scales_with_normal() const { return true; }
  /// The largest ⟨x, direction⟩ over F(1).
  virtual double support(const Vector& direction) const { return support_point(direction).dot(direction); }
  /// By default from the support along the axes.
  virtual FrictionBox<Rows> box(double normal) const;
  /// By default from differences of `project`.
  virtual ProjectionDerivative<Rows> differentiate(double normal, const Vector& trial) const;
  /// By default the gauge, found by a search along the ray to x, less n (less 1 if F does not scale), with differences of it.
  virtual ImplicitValue<Rows> implicit(double normal, const Vector& x) const;
};

extern template class ConvexSet<1>;
extern template class ConvexSet<2>;
extern template class ConvexSet<3>;
extern template class ConvexSet<4>;
extern template class ConvexSet<5>;

/// A ConvexSet as a friction law.
template <int Rows>
struct CustomFriction {
  static constexpr int rows = Rows;
  using Vector = Eigen::Matrix<double, Rows, 1>;
  std::shared_ptr<const ConvexSet<Rows>> set;   ///< never null in a problem

  Vector project(double normal, const Vector& trial) const { return set->project(normal, trial); }
  double support(const Vector& direction) const { return set->support(direction); }
  Vector support_point(const Vector& direction) const { return set->support_point(direction); }
  FrictionBox<Rows> box(double normal) const { return set->box(normal); }
  ProjectionDerivative<Rows> differentiate(double normal, const Vector& trial) const {
    return set->differentiate(normal, trial);
  }
  ImplicitValue<Rows> implicit(double normal, const Vector& x) const { return set->implicit(normal, x); }
  bool scales_with_normal() const { return set->scales_with_normal(); }
};

}   // namespace stickslip
