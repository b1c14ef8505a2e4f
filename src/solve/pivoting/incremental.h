// The moves of Dantzig's method: rows driven with Baraff's invariants kept by the others.
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "solve/pivoting/growing_cholesky.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

/// λ, v = Wλ + b and the place of every row. Bounds are in `lower`, `upper`.
class Incremental {
 public:
  enum class Place : std::uint8_t {
    waiting,   ///< not taken in: λ stays, v is free
    lower,     ///< λ = lower, v ≥ 0
    free,      ///< v = 0, in the factor
    upper,     ///< λ = upper, v ≤ 0
    idle,      ///< v = 0 as a consequence of the free rows; λ stays
  };
  enum class Outcome { done, unbounded, indefinite, stuck, stopped };

  Eigen::MatrixXd w;
  Eigen::VectorXd b, lower, upper, impulses, v;
  std::vector<Place> places;

  /// Takes w, b and the bounds as set by the caller; λ as near 0 as the bounds allow, all rows waiting.
  void start(double redundancy);

  /// Takes a waiting row in.
  Outcome take_in(Eigen::Index row, SolveMonitor&, int& iteration);

  /// Moves the bounds to new ones; rows at them go along.
  Outcome move_bounds(const Eigen::VectorXd& new_lower, const Eigen::VectorXd& new_upper, SolveMonitor&, int& iteration);

  /// Computes v anew and removes what rounding has left in the free rows.
  void refine();

  bool resting(Eigen::Index row) const;   ///< whether v of the row is 0 to rounding

 private:
  enum class Event : std::uint8_t { none, driven_rests, driven_lower, driven_upper, to_lower, to_upper, to_free, end };
  struct Stop {
    double length;
    Event event;
    Eigen::Index row;
  };

  void react(Eigen::Index driven);
  Stop first_stop(Eigen::Index driven, double longest) const;
  void advance(double length);
  Outcome travel(Eigen::Index driven, double longest, SolveMonitor&, int& iteration);
  bool make_free(Eigen::Index row);
  void make_tight(Eigen::Index row, Place);
  bool unmoved(Eigen::Index row) const { return std::abs(dv_[row]) <= noise_[row]; }

  double redundancy_ = 0;
  GrowingCholesky factor_;
  std::vector<Eigen::Index> order_;     ///< free rows in the order of the factor
  std::vector<char> ignored_;           ///< rows found dependent although they seem to move: not asked again until F changes
  Eigen::VectorXd rate_, dv_, noise_;   ///< change of λ and v per unit of the move, and what of the latter is rounding
  Eigen::VectorXd lower_rate_, upper_rate_;
  Eigen::VectorXd part_;
};

}   // namespace stickslip
