// The contact problem of one step: a plain value that any solver can read and any program can save.
//
//   v = W λ + b,   W = J M⁻¹ Jᵀ + Σ
//
// with, for every block i of the impulses λ,
//   contact:    0 ≤ vₙ ⊥ λₙ ≥ 0 and λ_f = prox_F(λₙ)(λ_f − r v_f)   [course §3.4; prox §3]
//   patch:      the rows n, rolling t, rolling b in K_P ⊥ K_P*, and λ_f as of a contact in the other three (friction/patch.h)
//   bilateral:  v = 0
//   box:        lower ≤ λ ≤ upper, v ≥ 0 where λ = lower, v ≤ 0 where λ = upper, v = 0 between
//
// A contact block is ordered normal, tangent t, tangent b (then torsion, rolling t, rolling b in units of a length, so that all
// velocities are m/s; of a patch, which is a contact with the law PatchFriction, of the same length). λ is an impulse on body B
// [N s], v the velocity of B relative to A at the contact [m/s]; the normal points from A to B.
//
// Velocity space. The velocities u that impulses change lie in segments: 6 numbers of a rigid body (linear, angular; world
// frame), 3 of a node, fewer of other coordinates. M is block-diagonal over the segments, but for those of a coupled carrier (a
// soft body, say), which share one sparse matrix A. A block acts on any number of segments.
//
// W comes in three forms, of which solvers see the same operator:
//   scaled    J and M, block-diagonal (rigid bodies, lumped nodes): W = G Gᵀ + Σ with G = J L, L Lᵀ = M⁻¹
//   coupled   the same with coupled carriers: W = G K Gᵀ + Σ, L = I and K = A⁻¹ for them and K = I for the others
//   matrix    W itself, from a file; it need not be symmetric, there are no segments, and Σ is added to its diagonal
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stickslip/friction/law.h"
#include "stickslip/math/block_matrix.h"
#include "stickslip/math/types.h"

namespace stickslip {

inline constexpr int kRigidSize = 6;   ///< numbers of a rigid body's segment

/// A group of velocity numbers that belong together, and their mass. Segments of rigid bodies come before all others.
struct VelocitySegment {
  double inverse_mass = 0;               ///< [1/kg]; not read of coupled segments
  Mat3 inverse_inertia = Mat3::Zero();   ///< of a rigid body: world frame [1/(kg m²)]
  std::uint8_t size = kRigidSize;        ///< 6: a rigid body; 1 to 3: a node in so many dimensions

  bool is_rigid() const { return size == kRigidSize; }
};

class CoupledMass;
struct CarrierCompliances;   // problem/carrier_compliance.h

/// Consecutive segments, none of them rigid, whose velocities change together: u += A⁻¹ × impulses.
struct Carrier {
  std::uint32_t first = 0, count = 0;        ///< segments
  std::shared_ptr<const CoupledMass> mass;   ///< A, of as many rows as the segments have numbers (problem/coupled_mass.h)
};

inline constexpr int kInlineSegments = 4;   ///< of a block that need no list

enum class BlockKind : std::uint8_t { contact, bilateral, box };

/// One block of rows. Its Jacobian is one matrix of `dim` × size per segment that it acts on, row-major, one after the other
/// from `jacobian`.
struct Block {
  BlockKind kind = BlockKind::contact;
  std::uint8_t dim = 3;                          ///< rows, 1 to 6
  std::uint16_t arity = 1;                       ///< velocity segments it acts on; 0 if W is given as a matrix
  std::uint32_t row = 0;                         ///< first row of λ, v, b, sigma
  std::uint32_t jacobian = 0;                    ///< first number of its Jacobian in `jacobian_values`
  std::uint32_t diagonal = 0;                    ///< first number of its dim × dim diagonal block of W in `diagonal_values`
  std::uint32_t segment[kInlineSegments] = {};   ///< if there are more, `segment[0]` is where they begin in `stencils`
};

/// Which rows of its contacts a sweep changes: an ordering may visit normal and friction rows apart.
enum class RowSet : std::uint8_t { all, normal, friction };

/// What fast kernels know about the segments of a block: that it acts on one or two rigid bodies. Any others are looked up.
inline constexpr std::uint8_t kAnyArity = 3;

/// A run of consecutive blocks of one kind, dimension, arity and friction law: what fast kernels loop over.
struct Batch {
  BlockKind kind;
  std::uint8_t dim;
  std::uint8_t arity;           ///< 0: W is a matrix; 1, 2: so many rigid bodies; kAnyArity: other segments, or more
  std::uint8_t law;             ///< index of the alternative in `FrictionSet`; 0 if not a contact
  std::uint32_t first, count;   ///< blocks
  RowSet rows = RowSet::all;    ///< of contacts with friction; all but for orderings that split them (solve/ordering.h)

  /// Makes the run longer if the other follows it in the problem and is of the same sort. False: it does not, or is not.
  bool extend(const Batch& other);
};

/// What sweeps and the residual need of the diagonal block of a contact, in half a cache line.
struct ContactScale {
  /// 1 / W_nn [kg]; infinite if nothing can move. Of a matrix with W_nn ≤ 0: 1 / its largest number in the row. Of a patch
  /// at most 1 / the largest eigenvalue of the three unilateral rows on what its cone spans
  double normal_mass = 0;
  double friction_mass = 0;   ///< 1 / the largest eigenvalue of W_ff: exact for two rows, from below for more [kg]
  double coupling[2] = {};    ///< W_fn of the first two friction rows
};

struct ContactProblem {
  std::vector<VelocitySegment> segments;
  std::vector<Carrier> carriers;   ///< coupled ones, in the order of their segments
  std::vector<Block> blocks;
  std::vector<std::uint32_t> stencils;   ///< segments of blocks that act on more than `kInlineSegments`
  std::vector<double> jacobian_values;
  BlockMatrix matrix;                 ///< W without Σ where it is given itself, one block per block; else empty
  std::vector<FrictionSet> laws;      ///< one per block; ignored unless the block is a contact
  std::vector<double> b;              ///< per row: free velocity, restitution, stabilisation [m/s]
  std::vector<double> sigma;          ///< per row: compliance Σ ≥ 0 [m/(s·N s)]
  std::vector<double> lower, upper;   ///< per row: bounds of box blocks [N s]; empty if there is no box block
  double h = 0;                       ///< step the impulses act over [s]; 0 if unknown

  // Derived by finalize().
  std::vector<double> diagonal_values;   ///< diagonal blocks of W, column-major
  std::vector<double> scaled_jacobian;   ///< G = J L with L Lᵀ = M⁻¹, laid out for the kernels (src/problem/kernels.h)
  std::vector<Mat3> inertia_factors;     ///< per rigid segment: angular part of L, lower triangular
  std::vector<std::uint32_t> offsets;    ///< per segment: its first number in a vector of velocities; then their number
  std::vector<ContactScale> scales;      ///< one per block; zeros unless the block is a contact
  std::vector<Batch> batches;
  /// A⁻¹ between the segments of coupled carriers that blocks act on; null if that is too much to keep. Near it where carriers
  /// have the factors of another matrix.
  std::shared_ptr<CarrierCompliances> compliances;
  std::vector<bool> coupled;     ///< per segment: whether it belongs to a carrier; empty if there is none
  bool has_compliance = false;   ///< whether any sigma is not 0

  std::size_t rows() const { return b.size(); }
  std::size_t contact_count() const;
  bool is_factored() const { return matrix.empty(); }   ///< J and M rather than a matrix
  bool is_coupled() const { return !carriers.empty(); }

  /// The segments that a block acts on.
  std::span<const std::uint32_t> segments_of(const Block& block) const {
    return {block.arity <= kInlineSegments ? block.segment : stencils.data() + block.segment[0], block.arity};
  }
  /// Makes a block act on these segments.
  void set_segments(Block& block, std::span<const std::uint32_t> segments);
  /// Numbers of a row of its Jacobian.
  std::uint32_t row_width(const Block& block) const;
  std::uint8_t arity_class(const Block& block) const;   ///< as in Batch

  // After finalize().
  std::size_t velocity_size() const { return offsets.empty() ? 0 : offsets.back(); }   ///< numbers of a vector of velocities
  std::uint32_t offset(std::uint32_t segment) const { return offsets[segment]; }

  void clear();            ///< empties everything, keeps the memory
  void clear_carriers();   ///< of them all; they may then change what they shared with this problem

  /// Takes from another problem what its rows ask for, whatever its W is: laws, b, Σ, bounds and h.
  void copy_conditions(const ContactProblem&);

  /// The run of a block by itself: its sort, as fast kernels know it.
  Batch run_of(std::uint32_t block) const;

  /// Checks sizes and values, computes diagonal blocks and batches. Call once after filling, before solving.
  /// @throws Error if sizes disagree, a segment or row index is out of range, or a number is not finite.
  void finalize();

  /// velocity += M⁻¹ Jᵀ λ.
  void add_velocity_change(std::span<const double> impulses, std::span<double> velocity) const;
  /// The same; memory is kept in `scratch`.
  void add_velocity_change(std::span<const double> impulses, std::span<double> velocity, std::vector<double>& scratch) const;

  /// v += J u: what velocities of the segments are at the rows.
  void add_row_velocities(std::span<const double> velocity, std::span<double> v) const;

  /// scaled += Gᵀ λ: the same in mass-scaled velocities, where no carrier is coupled.
  void add_scaled_velocity(std::span<const double> impulses, std::span<double> scaled) const;

  /// scaled ← K scaled: solves with the matrices of coupled carriers.
  void couple(std::span<double> scaled) const;

  /// velocity += L w: mass-scaled velocities to real ones.
  void add_unscaled_velocity(std::span<const double> scaled, std::span<double> velocity) const;

  /// v = W λ + b. `segment_velocity` is scratch, left as K Gᵀλ of a factored problem.
  void contact_velocity(std::span<const double> impulses, std::span<double> v, std::vector<double>& segment_velocity) const;

  /// Column-major view of the diagonal block of W.
  Eigen::Map<const Eigen::MatrixXd> diagonal(const Block& block) const {
    return {diagonal_values.data() + block.diagonal, block.dim, block.dim};
  }

 private:
  void lay_out();   ///< places in vectors, and batches
  void find_compliances();
};

/// W with Σ as a matrix, whichever form the problem has. Of a coupled problem every block meets every other one that a chain of
/// carriers and segments leads to.
BlockMatrix delassus(const ContactProblem&);

/// The same problem with W as a matrix, finalized.
ContactProblem condense(const ContactProblem&);

/// A problem whose W is this matrix, each of its blocks a block of the given kind and law, with b = 0, σ = 0 and bounds
/// (−∞, ∞). The caller sets what differs and finalizes.
ContactProblem matrix_problem(BlockMatrix matrix, BlockKind kind, FrictionSet law = CircularFriction{});

}   // namespace stickslip
