// The contact problem seen as other models of the literature, and the way back to impulses.
//
//   as_lcp    polyhedral friction cone, one linear complementarity problem   0 ≤ w = Mz + q ⊥ z ≥ 0   [course §1.6]
//   as_blcp   every row with its own bounds, friction bounds ±μ λₙ           lower ≤ λ ≤ upper        [course §1.7]
//   as_cone   the convex relaxation                                          K ∋ λ ⊥ v ∈ K*           [course §1.8]
//
// The exact model is the contact problem itself. How far impulses are from each model tells `residual(…, FrictionModel)`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// 0 ≤ w = M z + q ⊥ z ≥ 0 with a dense M. The impulses are λ = λ₀ + S z.
///
/// A contact with friction has the unknowns λₙ, one impulse d_i ≥ 0 for each direction t_i of the friction plane, and the
/// slack β, which is the slip speed [course (34)]:
///
///   0 ≤ vₙ ⊥ λₙ ≥ 0,   0 ≤ β + t_i·v_f ⊥ d_i ≥ 0,   0 ≤ μ λₙ − Σ d_i ⊥ β ≥ 0,   λ_f = Σ d_i t_i
///
/// so that friction lies in the polygon whose corners are μ λₙ t_i, inside Coulomb's circle; for other sets the t_i are the
/// corners over the largest of them, which is μ. A contact without friction rows, or with μ = 0, is
/// its normal row alone. A bilateral row is split, λ = z⁺ − z⁻ with 0 ≤ v ⊥ z⁺ and 0 ≤ −v ⊥ z⁻,
/// rather than eliminated: redundant joints have no inverse, and M stays copositive, so that Lemke's method applies. A box
/// row is shifted to its lower bound, λ = lower + x; a finite upper bound adds y: 0 ≤ v + y ⊥ x ≥ 0 and
/// 0 ≤ upper − lower − x ⊥ y ≥ 0. A row bounded from above only is mirrored, one without bounds is split, one whose bounds
/// are equal is not an unknown.
struct Lcp {
  enum class Role : std::uint8_t {
    normal,     ///< λₙ, also the only row of a frictionless contact
    friction,   ///< d_i: k in a row, before their slack
    slack,      ///< β of the contact
    positive,   ///< z⁺ of a row without bounds, followed by
    negative,   ///< z⁻
    above,      ///< x = λ − lower
    below,      ///< x = upper − λ
    excess,     ///< y of the row before it
  };
  struct Variable {
    Role role;
    /// the row of λ it acts on; the first of the two friction rows; of slack and excess: the row they watch
    std::uint32_t row;
    double weight[2];   ///< its column of S at `row` and `row + 1`; zeros for slack and excess
  };

  Eigen::MatrixXd M;
  Eigen::VectorXd q;
  std::vector<Variable> variables;   ///< one per row of M
  std::vector<double> offset;        ///< λ₀ [N s]
  std::vector<double> mu;            ///< per variable: the coefficient of friction of a slack; else 0

  std::size_t size() const { return variables.size(); }

  /// λ = λ₀ + S z.
  void impulses(std::span<const double> z, std::span<double> impulses) const;

  /// The unknowns that stand for these impulses, given v = Wλ + b. Friction is made of the two nearest directions. If the
  /// impulses solve the polyhedral model, the result solves the LCP.
  Eigen::VectorXd unknowns(std::span<const double> impulses, std::span<const double> velocity) const;
};

/// @param directions k of the friction polygon of contacts with two friction rows: even, ≥ 4 (friction/law.h, `polyhedron`).
/// Planar friction has the two directions of its line whatever k is, a polygonal set its own corners.
/// @throws Error if k is odd or less than 4, or `no_lcp_because` has a reason.
Lcp as_lcp(const ContactProblem&, int directions);

/// Why the problem has no LCP view, in one sentence of fixed text; empty if it has one. Torsion and rolling make
/// sets in three and more dimensions, for which no polygon stands.
std::string_view no_lcp_because(const ContactProblem&);
/// The same for one friction law.
std::string_view no_polygon_because(const FrictionSet&);

/// Number of unknowns that `as_lcp` would have.
std::size_t lcp_size(const ContactProblem&, int directions);

/// lower ≤ λ ≤ upper; v ≥ 0 where λ = lower, v ≤ 0 where λ = upper, v = 0 between; v = Wλ + b [course (41)]. The bounds of
/// a friction row are −coefficient_lower · λₙ and coefficient_upper · λₙ of its contact; one whose bounds do not depend on λₙ
/// is an ordinary row. The rows are those of the contact problem, so λ needs no way back.
struct BoxedLcp {
  BlockMatrix W;                          ///< with Σ; `dense()` and `sparse()` for the other forms
  std::vector<double> b;                  ///< [m/s]
  std::vector<double> lower, upper;       ///< [N s]; of friction rows 0, to be replaced by `bounds`
  std::vector<std::int32_t> normal_row;   ///< of friction rows: the row of λₙ; else −1
  /// of friction rows: how far the box around F(1) reaches, ≥ 0; else 0
  std::vector<double> coefficient_lower, coefficient_upper;
  bool has_friction = false;   ///< whether any coefficient is not 0

  std::size_t rows() const { return b.size(); }

  /// Bounds of all rows where the normal impulses are those of `impulses`.
  void bounds(std::span<const double> impulses, std::span<double> low, std::span<double> high) const;
};

BoxedLcp as_blcp(const ContactProblem&);

/// The convex relaxation K ∋ λ ⊥ v = Wλ + b ∈ K*, and its distance from Coulomb's law. K is the product of the cones of the
/// contacts, of ℝ for bilateral rows and of the intervals of box rows, which are no cones and have no dual.
///
/// Refers to the problem: cheap to make, must not outlive it.
class ConeProblem {
 public:
  explicit ConeProblem(const ContactProblem& problem) : problem_(problem) {}

  const ContactProblem& problem() const { return problem_; }

  /// Closest point of K, block by block, in place.
  void project(std::span<double> impulses) const;

  /// Largest distance of a block of v from K*; box rows are left out [m/s]. By Moreau it is ‖P_K(−v)‖.
  double dual_distance(std::span<const double> velocity) const;

  /// de Saxcé's shift s(v): the largest ⟨x, v_f⟩ over F(1) (μ‖v_T‖ for the circle) in the normal row, 0 elsewhere. With
  /// v + s(v) in the place of v the relaxation becomes Coulomb's law.
  void shift(std::span<const double> velocity, std::span<double> shift) const;

  /// How far a solution of the relaxation is from Coulomb's law: the largest normal velocity that it gives to a loaded
  /// contact because that slips, max min(s(v), W_nn λₙ) [m/s].
  double distance_from_coulomb(std::span<const double> impulses, std::span<const double> velocity) const;

 private:
  const ContactProblem& problem_;
};

inline ConeProblem as_cone(const ContactProblem& problem) { return ConeProblem(problem); }

}   // namespace stickslip
