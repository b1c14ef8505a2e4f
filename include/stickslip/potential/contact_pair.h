// Two features that are near each other, and the energy that keeps them apart.
//
// The energy of a pair is weight · m · b(d − offset): the barrier of its distance, less the radii of what is round, times the
// mollifier of edges that are nearly parallel. It is a function of the places of at most four points.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "stickslip/distance/derivatives.h"
#include "stickslip/potential/barrier.h"

namespace stickslip {

enum class PairKind : std::uint8_t {
  half_space,    ///< a point and a half-space that does not move
  point_point,   ///< two points
  point_line,    ///< a point and the inside of an edge
  point_plane,   ///< a point and the inside of a triangle
  edge_edge      ///< two edges, by the features that are nearest; of those that only ends count of: if they are mollified
};

struct ContactPair {
  PairKind kind = PairKind::point_point;
  OnEdge on_a = OnEdge::inside, on_b = OnEdge::inside;   ///< of edge_edge: where the closest points lie
  std::uint8_t size = 2;                                 ///< points
  std::uint8_t size_a = 1;                               ///< of them on side A; they come first
  std::array<std::uint32_t, 4> points = {};
  std::uint32_t patch_a = 0, patch_b = 0;   ///< what the sides belong to (ContactSurface::patches)
  /// Numbers of what touches: of two edges these, though only their ends may count; of a point A is it, and B the triangle,
  /// edge, point or plane.
  std::uint32_t feature_a = 0, feature_b = 0;
  bool of_edges = false;              ///< whether both are edges
  Vec3 plane_normal = Vec3::Zero();   ///< of half_space: outward, unit
  double plane_offset = 0;            ///< of half_space [m]
  double weight = 0;                  ///< [J]; negative where features were counted too often
  double range = 0;                   ///< of the barrier [m]
  double offset = 0;                  ///< radii of both sides [m]
  double mollifier = 0;               ///< threshold of edge_edge [m⁴]; 0: none
  /// What `stiffness_of` takes its force for [N]; 0: for what it is.
  double push = 0;
  /// Of edges that touch by ends: those that it is made of (PairMember); none: it is of `feature_a` and `feature_b`.
  std::uint32_t first_member = 0, members = 0;
};

/// Two edges that touch by an end of one or by ends of both. All that touch by the same ends are one pair, of which each has a
/// part: where meshes lie on each other point by point, some 36 are one.
struct PairMember {
  std::uint32_t feature_a = 0, feature_b = 0;   ///< edges of the sides A and B of the pair
  double part = 0;                              ///< of the weight of the pair; those of a pair add up to 1
};

/// Where the closest points are. Side A's is Σ weights[i] xᵢ over its points, side B's −Σ weights[i] xᵢ over its own.
struct PairPlace {
  std::array<double, 4> weights = {};              ///< of A add up to 1, those of B to −1
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();   ///< world frame [m]
  Vec3 normal = Vec3::UnitZ();                     ///< from A to B, unit
  double distance = 0;                             ///< of the points, without the radii [m]
};
PairPlace place_of(const ContactPair&, std::span<const Vec3> x);

/// A pair where its points are: what its energy, force and matrices are made of, for those who ask for several of them.
struct PairState {
  PairPlace place;
  double gap = 0;           ///< distance less the radii [m]
  double mollifier = 1;     ///< below 1 of edges that are nearly parallel
  ScalarFunction barrier;   ///< of the gap, without weight and mollifier
};
PairState state_of(const ContactPair&, std::span<const Vec3> x);

double energy_of(const ContactPair&, const PairState&);   ///< [J]; infinite where the pair touches
inline double energy_of(const ContactPair& p, std::span<const Vec3> x) { return energy_of(p, state_of(p, x)); }

/// −dE/dd: the force with which the pair is kept apart [N]; negative of a negative weight.
inline double force_of(const ContactPair& p, const PairState& s) { return -p.weight * s.mollifier * s.barrier.first; }
inline double force_of(const ContactPair& p, std::span<const Vec3> x) { return force_of(p, state_of(p, x)); }

using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;

/// ∂E/∂x by the places of the points, three rows each [N]; rows beyond them are zero.
Vec12 gradient_of(const ContactPair&, const PairState&, std::span<const Vec3> x);
inline Vec12 gradient_of(const ContactPair& p, std::span<const Vec3> x) { return gradient_of(p, state_of(p, x), x); }

/// The same with its push for its force. @pre not mollified
Vec12 gradient_of_push(const ContactPair&, const PairState&);

/// Derivative of `force_of` by the places of the points [N/m], but for the mollifier's, with the slope of `stiffness_of`.
Vec12 gradient_of_force(const ContactPair&, const PairState&);

/// ∂²E/∂x² [N/m], as it is.
Mat12 hessian_of(const ContactPair&, std::span<const Vec3> x);

/// A symmetric matrix, as a sum Σ factor · v vᵀ of few terms, and what has no such form.
struct PairStiffness {
  struct Term {
    double factor = 0;   ///< [N/m]
    Vec12 v;
  };
  int count = 0;
  std::array<Term, 5> terms;
  bool is_full = false;   ///< whether `full` counts
  Mat12 full;

  void add(double factor, const Vec12& v) { terms[count++] = {factor, v}; }
};

/// The Hessian in a positive semidefinite form. With r the difference of the closest points, n its direction, w their weights,
/// free directions e_k = Σ b_ki xᵢ made orthonormal, and derivatives b', b'' of the barrier by the distance d it is
///
///   b'' (w ⊗ n)(w ⊗ n)ᵀ + |b'|/d [ Σ_k (U_k V_kᵀ + V_k U_kᵀ + U_k U_kᵀ) − (w wᵀ) ⊗ (1 − nnᵀ − Σ_k e_k e_kᵀ) ],
///   U_k = d b_k ⊗ n,  V_k = w ⊗ e_k,
///
/// of which every U, V has one positive eigenvalue in closed form, and the last is negative: it is left out. Edges that are
/// about to be parallel are projected as they are. Not `projected` it is the Hessian, all of that; of a pair without a push.
///
/// With a push λ the force is an unknown of its own, as in interior-point methods [Nocedal, Wright 2006]: λ d = −b' d is
/// linearised in both, so that b'' becomes b'' + (λ + b')/d, and |b'| becomes λ. Where a step was cut short b' is far from the
/// force that is to be, and λ is not: a gap that collapsed opens at once and not by doubling, and one that would collapse does
/// not.
PairStiffness stiffness_of(const ContactPair&, const PairState&, std::span<const Vec3> x, bool projected = true);
inline PairStiffness stiffness_of(const ContactPair& p, std::span<const Vec3> x, bool projected = true) {
  return stiffness_of(p, state_of(p, x), x, projected);
}

/// Whether its edges are so nearly parallel that the mollifier acts. Such pairs have no push.
inline bool is_mollified(const PairState& s) { return s.mollifier < 1; }
bool is_mollified(const ContactPair&, std::span<const Vec3> x);

/// The push after a direction in which the sides come apart by `way` [m], in sight of the one before.
double next_push(const ContactPair&, const PairState&, double way);

/// Friction of a pair as a potential: its normal force and the direction of its surface are those of an earlier place, "lagged"
/// [course §5.3.4], so that it depends on the way of its points alone. The way counts from an anchor: where a contact holds, it
/// keeps the force that it had and does not creep.
struct FrictionTerm {
  std::uint8_t size = 2;
  std::array<std::uint32_t, 4> points = {};
  std::array<double, 4> weights = {};     ///< of PairPlace
  Eigen::Matrix<double, 3, 2> tangents;   ///< orthonormal, world frame
  double limit = 0;                       ///< µ times the normal force [N]
  double length = 0;                      ///< way over which friction grows to its limit [m]
  Vec2 anchor = Vec2::Zero();             ///< way of A against B at the start of the step [m]
  Vec2 pull = Vec2::Zero();               ///< what the force over its limit is taken for by `stiffness`, |pull| ≤ 1

  /// Way of A against B, along the tangents [m]. @param start places at the start of the step
  Vec2 way(std::span<const Vec3> start, std::span<const Vec3> x) const;
  double energy(std::span<const Vec3> start, std::span<const Vec3> x) const;     ///< [J]
  Vec3 force_on_a(std::span<const Vec3> start, std::span<const Vec3> x) const;   ///< world frame [N]
  Vec12 gradient(std::span<const Vec3> start, std::span<const Vec3> x) const;    ///< [N]
  /// What takes the place of the Hessian. Forces that turn around within a tiny way are hopeless for Newton's method in ways
  /// alone; so the force p, over its limit, is an unknown of its own: g(|u|) p = u with g(s) = s/m(s), linearised in both, as
  /// for sums of norms [Chan, Golub, Mulet 1999]. With p = 0 it is the stiffness of the chord, which is too large and never
  /// leads beyond; with the p of u it is the Hessian.
  PairStiffness stiffness(std::span<const Vec3> start, std::span<const Vec3> x) const;
  /// The pull after a step from one way to another.
  Vec2 next_pull(const Vec2& from, const Vec2& to) const;
};

}   // namespace stickslip
