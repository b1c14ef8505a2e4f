// A soft body without contact: linear tetrahedra, a material, and what follows from the places and velocities of the nodes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include "stickslip/soft/material.h"
#include "stickslip/soft/tetrahedra.h"

namespace stickslip {

enum class MassMatrix : std::uint8_t {
  lumped,      ///< a quarter of every tetrahedron at each of its nodes: diagonal
  consistent   ///< ∫ ρ NᵢNⱼ: couples the nodes of a tetrahedron
};

/// Rest shape, elements and material; does not change after construction. Places x, velocities v and forces f have one entry
/// per node. Throughout E(x) is the elastic energy, K = ∂²E/∂x², and damping forces are −α M v − B(x) v.
///
/// B acts on the rate of Green's strain, Ė = sym(FᵀḞ) (of ε for the linear model): it is the Hessian in v of
/// ½ ∫ β Ė : C : Ė + η |Ė|² dV with the moduli C of linear elasticity. At rest, and for the linear model always, that is
/// Rayleigh's β K; unlike β K(x) elsewhere it never gives energy, and a body that only moves and turns is not braked however
/// it is deformed.
class ElasticSolid {
 public:
  /// @throws Error naming what is wrong: a field of the material, a node that is not finite, belongs to no tetrahedron or
  /// stands twice in one, an index that is out of range, tetrahedra that are inverted or flat (numbers and volumes)
  ElasticSolid(std::vector<Vec3> rest, std::vector<Tetrahedron>, SoftMaterial);

  std::size_t nodes() const { return rest_.size(); }
  std::size_t elements() const { return tetrahedra_.size(); }
  const std::vector<Vec3>& rest() const { return rest_; }   ///< [m]
  const std::vector<Tetrahedron>& tetrahedra() const { return tetrahedra_; }
  const SoftMaterial& material() const { return material_; }

  double volume() const { return volume_; }                                     ///< of the rest shape [m³]
  double mass() const { return volume_ * material_.density; }                   ///< [kg]
  double rest_volume(std::size_t element) const { return volumes_[element]; }   ///< [m³]
  const std::vector<double>& lumped_masses() const { return masses_; }          ///< per node [kg]; their sum is the mass

  double energy(std::span<const Vec3> x) const;                        ///< E [J]
  void add_forces(std::span<const Vec3> x, std::span<Vec3> f) const;   ///< f −= ∂E/∂x [N]

  /// f −= α M v + B(x) v [N]
  /// @param since how long nodes have gone along v to get to x [s]. Rates of strain are then what Green's strain has changed by
  /// in that time: along the chords of a turn it has changed by nothing, although a body that goes on along them grows
  void add_damping(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f, MassMatrix = MassMatrix::lumped,
                   double since = 0) const;

  /// vᵀ (α M + B(x)) v ≥ 0: what damping takes [W]. @param since as above, negative: how long nodes will go on from x
  double dissipation(std::span<const Vec3> x, std::span<const Vec3> v, MassMatrix = MassMatrix::lumped, double since = 0) const;

  /// f += factor M v, v in place of any vector per node
  void add_mass_times(double factor, std::span<const Vec3> v, std::span<Vec3> f, MassMatrix = MassMatrix::lumped) const;

  // Of one element.
  Mat3 deformation_gradient(std::size_t element, std::span<const Vec3> x) const;   ///< F = ∂x/∂X
  double element_energy(std::size_t element, std::span<const Vec3> x) const;       ///< [J]

  /// P Fᵀ / |det F| [Pa]; of the linear model, which does not know the current shape, λ tr ε I + 2µ ε
  Mat3 cauchy_stress(std::size_t element, std::span<const Vec3> x) const;

  /// Barycentric weights of a point of the rest shape: it moves as Σ wᵢ xᵢ. All lie in [0, 1] if it lies inside.
  std::array<double, 4> rest_weights(std::size_t element, const Vec3& point) const;

  class System;

 private:
  /// Refuses what is no solid, and fills in what follows from the rest shape.
  void check_nodes() const;
  void measure_elements();

  std::vector<Vec3> rest_;
  std::vector<Tetrahedron> tetrahedra_;
  SoftMaterial material_;
  Lame lame_;
  std::vector<Mat3>
      inverse_shapes_;   ///< per element: (b − a, c − a, d − a)⁻¹; its rows are the gradients of the shape functions
  std::vector<double> volumes_, masses_;
  double volume_ = 0;
};

/// √(3/2) |dev σ| [Pa]
double von_mises(const Mat3& stress);

/// The matrix a M + d (α M + B(x)) + s K(x) of a solid: three rows and columns per node, in the order of the nodes, both
/// triangles. The pattern and where every element adds to it are found once.
class ElasticSolid::System {
 public:
  using Matrix = Eigen::SparseMatrix<double>;

  struct Factors {
    double mass = 0, damping = 0, stiffness = 0;   ///< a, d, s: 1, h and h² for a step of implicit Euler
    MassMatrix mass_matrix = MassMatrix::lumped;
  };

  explicit System(const ElasticSolid&);   ///< the solid must outlive it

  /// Overwrites `out`, which is given the pattern if it has another one, and then allocates; otherwise it does not.
  /// @param projected K element by element in its nearest positive semidefinite form; with a > 0 the sum is then positive
  /// definite
  void assemble(std::span<const Vec3> x, const Factors&, bool projected, Matrix& out) const;

  const Matrix& pattern() const { return pattern_; }   ///< all numbers 0

 private:
  void add_element(std::size_t element, std::span<const Vec3> x, const Factors&, bool projected, double* values) const;

  const ElasticSolid* solid_;
  Matrix pattern_;
  std::vector<std::array<std::uint32_t, 16>> places_;   ///< per element: where block (i, j) begins, at 4 j + i
  std::vector<std::uint32_t> heights_;                  ///< per node: rows of its columns
  std::vector<std::uint32_t> diagonal_;                 ///< per node: where its diagonal block begins
};

}   // namespace stickslip
