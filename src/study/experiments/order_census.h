// Gauss–Seidel sweeps over a small problem in every order of its rows.
//
// A solver that takes orders costs some microseconds a sweep, most of it for everything but the sweep. The 362,880 orders of
// nine rows are swept here on a dense copy of the problem instead, millions of sweeps a second; a test compares them with the
// solver.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip::study {

/// The boxed model of a problem of contacts and joints, dense: lower ≤ λ ≤ upper with friction bounds ±μ λₙ. Friction rows with
/// μ = 0 are left out.
class SmallBoxedProblem {
 public:
  static constexpr int kMostRows = 12;
  using Order = std::array<std::uint8_t, kMostRows>;   ///< rows in the order of their visit; those beyond `rows()` do not count

  /// @throws Error if the problem has more than kMostRows rows, box blocks, or a row that nothing can move
  explicit SmallBoxedProblem(const ContactProblem&);

  int rows() const { return rows_; }
  static Order as_listed();

  struct Outcome {
    int sweeps;     ///< until the error was at most the tolerance; limit + 1: it never was
    double error;   ///< after the last sweep [m/s]
    bool operator<(const Outcome& other) const { return sweeps != other.sweeps ? sweeps < other.sweeps : error < other.error; }
  };
  /// Sweeps of projected Gauss–Seidel from zero until the error is at most the tolerance, `limit` of them at most.
  Outcome sweep(const Order&, double tolerance, int limit) const;
  /// The error of zero impulses and after each of so many sweeps [m/s].
  std::vector<double> curve(const Order&, int sweeps) const;

  /// The residual of the boxed model, as `residual` has it [m/s].
  double error(const double* impulses) const;

 private:
  struct Bounds {
    int normal;            ///< row of λₙ; −1 of a row whose bounds stay
    double below, above;   ///< of friction rows: how far the box around F(1) reaches; of others the bounds
  };
  double clamped(int row, double impulse, const double* impulses) const;
  void sweep_once(const Order&, double* impulses) const;

  int rows_ = 0;
  alignas(32) std::array<std::array<double, kMostRows>, kMostRows> W_{};   ///< rows
  std::array<double, kMostRows> b_{}, inverse_diagonal_{};
  std::array<Bounds, kMostRows> bounds_{};
  /// Per row: by what an error of its impulse is a velocity, and the first row of its group, whose errors count together
  std::array<double, kMostRows> scale_{};
  std::array<int, kMostRows> group_{};
};

/// What every order of the rows of a problem needs.
struct OrderCensus {
  using Order = SmallBoxedProblem::Order;
  std::vector<std::uint64_t> by_sweeps;   ///< how many orders need k sweeps; the last: more than the limit
  std::uint64_t orders = 0;
  SmallBoxedProblem::Outcome best{}, worst{};
  Order best_order{}, worst_order{};
  double mean = 0;   ///< sweeps of all orders; those beyond the limit count as limit + 1

  /// Part of all orders that need at most so many sweeps.
  double part_within(int sweeps) const;
};

struct CensusOptions {
  double tolerance = 1e-4;           ///< on the error [m/s]
  int limit = 100;                   ///< sweeps
  std::uint64_t samples = 0;         ///< orders drawn by lot; 0: all
  std::uint64_t seed = 1;            ///< of the lots
  std::function<bool()> stop = {};   ///< asked now and then; once it says so the rest is left out
};
OrderCensus take_census(const SmallBoxedProblem&, const CensusOptions&);

/// A shuffle by lots, the same on every machine. @param lots the state of their generator: any number at first
void shuffle_order(SmallBoxedProblem::Order&, int rows, std::uint64_t& lots);

/// "0n 0t 0b 1n …": the rows of an order by contact and kind, where every contact has `rows_per_contact` rows.
std::string order_text(const SmallBoxedProblem::Order&, int rows, int rows_per_contact);

}   // namespace stickslip::study
