// Minimisers of smooth functions of many unknowns, whose steps may be cut by what lies in their way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include "stickslip/math/gmres.h"
#include "stickslip/math/sparse_factor.h"
#include "stickslip/minimise/method.h"

namespace stickslip {

inline bool takes_hessian(MinimiseMethod m) { return m == MinimiseMethod::projected_newton || m == MinimiseMethod::newton; }

/// A function with a current point. Directions are vectors of `size()` numbers; what moving along one means is the function's
/// own affair, so that unknowns may be rotations.
class Objective {
 public:
  virtual ~Objective() = default;

  virtual std::size_t size() const = 0;

  // At the current point.
  /// One value for each piece: parts of the unknowns that have nothing to do with each other, as far as the last `shorten`
  /// could see. Their sum is the function's.
  virtual void values(std::span<double> out) = 0;
  virtual void gradient(std::span<double> out) = 0;
  /// Symmetric, of which the lower triangle is read. @param projected in a positive definite form
  virtual const SparseFactor::Matrix& hessian(bool projected) = 0;

  /// The derivative of `gradient` where parts of that depend on places in a way that no function has, all of it stored; of
  /// `MinimiseOptions::coupled`.
  virtual const SparseFactor::Matrix& jacobian(bool projected) { return hessian(projected); }
  /// The product of a vector and what `jacobian` has beyond the Hessian that was asked for last, at the same point.
  /// @returns false if only the whole matrix is known
  virtual bool beyond_hessian(std::span<const double> in, std::span<double> out) { return false; }
  /// Gives those parts what they will be after a step along a direction by `jacobian`. Along it the function that they then
  /// are part of decreases, as along a direction of Newton's method for it.
  virtual void foresee(std::span<const double> direction) {}

  /// What stands for the inverse of the Hessian in methods that do without it. @param out = P in
  virtual void precondition(std::span<const double> in, std::span<double> out) = 0;
  /// Shortens a direction where something lies in its way; parts of it that have nothing to do with each other by different
  /// factors. @returns the smallest factor, in [0, 1]
  virtual double shorten(std::span<double> direction) = 0;
  virtual std::size_t pieces() const { return 1; }
  /// Products of a gradient and a direction, by pieces.
  virtual void slopes(std::span<const double> gradient, std::span<const double> direction, std::span<double> out) = 0;
  /// Makes the current point the last accepted one moved along a direction, each piece by its step.
  virtual void move(std::span<const double> direction, std::span<const double> steps) = 0;
  /// Accepts the current point. @param steps that led to it
  virtual void accept(std::span<const double> steps) = 0;
  /// How much a direction moves, in the unit of the tolerance.
  virtual double size_of(std::span<const double> direction) const = 0;
};

/// What one iteration did.
struct MinimiseStep {
  int iteration = 0;
  double value = 0;      ///< after it
  double gradient = 0;   ///< its norm before it
  double size = 0;       ///< of its full direction, in the unit of the tolerance
  double free = 1;       ///< smallest part of it that was free
  double taken = 1;      ///< smallest part of what was free that a piece took
};

/// When `projected_newton` tries the Hessian as it is. Projection leads downhill from anywhere, but where the Hessian is
/// positive by itself it only makes steps too short, and Newton's method of first order [Longva et al. 2023].
class ProjectionRule {
 public:
  bool tries_exact() const { return slow_ && wait_ == 0; }
  /// @param size of a direction @param whole whether all of it was gone @param exact whether its Hessian was not projected
  void add(double size, bool whole, bool exact);

 private:
  double last_ = 0;
  bool slow_ = false;
  int wait_ = 0;   ///< iterations until the next try
};

struct MinimiseOptions {
  MinimiseMethod method = MinimiseMethod::projected_newton;
  double tolerance = 1e-6;   ///< size of a direction below which the minimum is found
  int max_iterations = 200;
  double enough = 0;   ///< ends, without having converged, where a direction is smaller than this part of the first
  /// Newton's method for gradient = 0 by `jacobian`.
  bool coupled = false;
  double part = 1;                                          ///< of directions by `jacobian` that is gone, at most
  double product_error = 1e-8;                              ///< of directions that are iterated, relative
  ProjectionRule* rule = nullptr;                           ///< of the caller, who minimises in several calls
  std::function<void(const MinimiseStep&)> observer = {};   ///< called after every iteration
  const std::atomic<bool>* cancel = nullptr;                ///< ends, without having converged, soon after it becomes true
};

struct Minimum {
  bool converged = false;
  int iterations = 0;
  int factorisations = 0, analyses = 0;
  int products = 0;   ///< with the inverse of the Hessian, where what lies beyond it was iterated
  double first = 0;   ///< size of the first direction
  double size = 0;    ///< of the last direction
  double taken = 1;   ///< smallest part of what was free that a piece took of it
  double free = 1;    ///< smallest part of it that was free
};

/// Keeps memory and the analysis of patterns from call to call; nothing that changes a result.
class Minimiser {
 public:
  /// Ends at a point that is accepted; values never grow on the way, but for rounding.
  Minimum minimise(Objective&, const MinimiseOptions&);

 private:
  bool factor(const SparseFactor::Matrix&, Minimum&);
  bool find_direction(Objective&, const MinimiseOptions&, bool try_exact, Minimum&);
  void newton_direction(Objective&, bool projected, Minimum&);
  bool coupled_direction(Objective&, const MinimiseOptions&, bool projected, Minimum&);
  bool iterated_direction(Objective&, double error, Minimum&);
  double part_ = 1;   ///< that the direction is of what was found
  void begin_search(Objective&);
  double search(Objective&);

  SparseFactor factor_, lu_;
  SparseFactor::Matrix analysed_, shifted_, analysed_lu_;
  Gmres gmres_;
  std::vector<double> gradient_, direction_, last_gradient_, right_, start_;
  std::vector<double> trial_gradient_;
  std::vector<double> values_, slopes_, steps_, trial_values_, trial_slopes_;   ///< by pieces
  struct Change {
    std::vector<double> step, gradient;
    double product;   ///< of the two
  };
  void lbfgs_direction(Objective&);
  std::vector<Change> changes_;
};

}   // namespace stickslip
