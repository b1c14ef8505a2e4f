// The bodies of a step that is a minimisation over places: what moves, how it would move without contacts, and the energy of
// being elsewhere at the end of the step.
//
// A rigid body has six unknowns, a node three. Inertia is measured from where free motion takes them [course §4.2; Ferguson et
// al. 2021]:
//
//   E = 1/(2h²) Σ m |x − x̂|² + 1/(2h²) Σ tr((R − R̂) J (R − R̂)ᵀ) + elastic energy + damping,   J = ½ tr(I) 1 − I,
//
// so that a body that touches nothing moves as it does by impulses. Rotations are changed from the left: R ← exp(θ) R.
// What a script moves is as heavy as a great many of all others together, and drawn to where the script wants it.
#pragma once

#include <memory>

#include "step/block_assembly.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/step/options.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

inline constexpr std::uint32_t kNoBlock = ~0u;

/// How far from its origin something may touch a half-space [m].
double reach_of_half_space(const World&, const Body&);

/// Groups of bodies that act on each other within a step.
struct BarrierIslands {
  std::vector<std::uint32_t> of_group;   ///< names
  std::vector<double> work;              ///< of each group: what stores, drives and friction gave it [J]
  std::vector<bool> is_held;             ///< by something that does not move
};

class BarrierBodies {
 public:
  /// A body with a pose that forces or a script move.
  struct Rigid {
    std::uint32_t slot = 0;
    Pose start, base, now, target;   ///< of the frame in the centre of mass: at the start, accepted, tried, of free motion
    Vec3 free_spin = Vec3::Zero();   ///< at the end of free motion [rad/s]
    double mass = 0;                 ///< [kg]
    Mat3 moments = Mat3::Zero();     ///< J, body frame [kg m²]
    double least_inertia = 0;        ///< smallest principal moment [kg m²]
    double reach = 0;                ///< [m]
    bool driven = false;             ///< by a script
  };

  /// Takes the state of a world, and finds where everything would be after the step without contacts.
  void begin(const World&, const StepOptions&);

  std::uint32_t blocks() const { return blocks_; }
  const std::vector<Rigid>& rigid() const { return rigid_; }
  /// Place of a body slot among the rigid ones; kNoBlock if nothing moves it.
  std::uint32_t rigid_of(std::uint32_t slot) const { return rigid_of_slot_[slot]; }
  /// Blocks of a rigid body: its place, and next to it its turn.
  static std::uint32_t block_of_rigid(std::uint32_t rigid) { return 2 * rigid; }
  std::uint32_t block_of_node(std::size_t node) const { return block_of_node_[node]; }
  const std::vector<Vec3>& nodes() const { return node_now_; }
  /// Where a node would end without contacts.
  const Vec3& target_of_node(std::size_t node) const {
    return block_of_node_[node] == kNoBlock ? node_start_[node] : node_target_[node];
  }

  // At the places that are tried.
  void add_energies(std::span<double> out) const;   ///< by groups [J]
  void add_gradient(std::span<double> out) const;   ///< [N, N m]
  void want_blocks(BlockAssembly&) const;           ///< that the Hessian has without contacts
  /// @param turns for each rigid body: what contacts add to the block of its turn
  void add_hessian(bool projected, std::span<const Mat3> turns, BlockAssembly&) const;

  /// Unknowns by their masses: out = h² M⁻¹ in.
  void precondition(std::span<const double> in, std::span<double> out) const;
  /// From what was accepted. @param steps of each group
  void move(std::span<const double> direction, std::span<const double> steps);
  void accept();

  /// Groups go equally far in a step: rigid bodies, then soft bodies and beads. kNoBlock: a node that does not move.
  std::uint32_t group_of_node(std::size_t node) const { return group_of_node_[node]; }
  std::uint32_t groups() const { return groups_; }
  std::uint32_t group_of_block(std::uint32_t block) const { return group_of_block_[block]; }
  /// For each group 1, or the part of a direction in which it turns by no more than an angle and no point of it goes farther
  /// than a few times what anything would go without contacts.
  void limit(std::span<const double> direction, double angle, std::vector<double>& parts) const;
  void shorten(std::span<double> direction, std::span<const double> parts) const;   ///< by the parts of the groups

  /// The largest speed of a point that a direction stands for [m/s].
  double speed_of(std::span<const double> direction) const;
  /// Where a rigid body is on its way along a direction.
  static Pose moved(const Rigid&, std::span<const double> direction, std::uint32_t rigid, double step);

  /// Gives the world its new places and velocities, and the ledger what forces, scripts and damping did.
  void write(World&, EnergyLedger&) const;
  /// Adds what soft bodies stored and scripts did.
  void add_work(BarrierIslands&) const;
  /// Takes the energy that islands have too much of out of how their bodies move against each other (barrier_energy.cpp).
  void take_excess(World&, const BarrierIslands&) const;

 private:
  struct Solid {
    std::shared_ptr<const ElasticSolid> solid;
    std::unique_ptr<ElasticSolid::System> assembly;
    mutable ElasticSolid::System::Matrix matrix;
    std::uint32_t first_node = 0, nodes = 0;
    std::uint32_t group = kNoBlock;   ///< kNoBlock: no node of it moves
    double pressure = 0;
    double stored = 0;   ///< at the start [J]
    std::vector<std::array<std::uint32_t, 3>> triangles;
  };
  struct Island;
  void begin_rigid(const World&, const StepOptions&);
  void begin_nodes(const World&);
  void begin_solids(const World&);
  std::span<const Vec3> places(const Solid& s) const { return std::span(node_now_).subspan(s.first_node, s.nodes); }
  std::span<const Vec3> middles(const Solid& s) const { return std::span(node_middle_).subspan(s.first_node, s.nodes); }
  std::vector<Vec3> velocities(const Solid&) const;
  double energy_of(const Rigid&) const;
  double stored(const Solid&) const;
  double damped(const Solid&) const;
  double kinetic_without_contacts(const Rigid&) const;
  double work_of_script(const Rigid&) const;
  void for_each_free(World&, auto&& f) const;
  std::vector<Island> energies_of(World&, const BarrierIslands&) const;
  void find_motions_as_one(World&, const BarrierIslands&, std::span<Island>) const;
  Vec3 turning_gradient(const Rigid&) const;
  void add_solid(const Solid&, bool projected, BlockAssembly&) const;

  double h_ = 0, heavy_ = 0;
  double longest_ = 0;   ///< way of a body or node without contacts [m]
  std::uint32_t blocks_ = 0;
  std::vector<Rigid> rigid_;
  std::vector<std::uint32_t> rigid_of_slot_, block_of_node_, group_of_node_;
  std::vector<std::uint32_t> group_of_block_;
  std::uint32_t groups_ = 0;
  std::vector<Vec3> node_start_, node_base_, node_now_, node_target_;
  std::vector<Vec3> node_middle_;   ///< half way along chords of the turn that is expected: damping sees no strain in it
  std::vector<Vec3> trial_;
  std::vector<double> node_mass_;   ///< of driven ones a great one [kg]
  std::vector<bool> node_driven_;
  std::vector<Solid> solids_;
};

}   // namespace stickslip
