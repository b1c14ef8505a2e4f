// A step of the barrier integrator as a function to minimise: bodies, contacts and friction over the places at its end.
#pragma once

#include <map>

#include "math/flat_map.h"
#include "math/unions.h"
#include "step/barrier/barrier_attachments.h"
#include "step/barrier/barrier_joints.h"
#include "step/barrier/barrier_surface.h"
#include "stickslip/geometry/surface_part.h"
#include "stickslip/minimise/minimise.h"
#include "stickslip/step/barrier_start.h"

namespace stickslip {

struct HashOfKey {
  std::size_t operator()(const ContactKey& key) const {
    std::uint64_t sum = key.a;
    for (const std::uint64_t next : {std::uint64_t{key.b}, std::uint64_t{key.parts}, key.feature})
      sum = spread_bits(sum) + next;
    return spread_bits(sum);
  }
};
struct HashOfName {
  std::size_t operator()(std::uint64_t name) const { return spread_bits(name); }
};

// Different for all pairs of a scene.
inline std::uint64_t name_of_edges(std::uint64_t a, std::uint64_t b) {
  return (std::uint64_t{static_cast<std::uint8_t>(PairKind::edge_edge)} << 60) ^ (std::min(a, b) << 30) ^ std::max(a, b);
}
inline std::uint64_t name_of_pair(const ContactPair& p) {
  if (p.of_edges) return name_of_edges(p.feature_a, p.feature_b);
  return (std::uint64_t{static_cast<std::uint8_t>(p.kind)} << 60) ^ (std::uint64_t{p.feature_a} << 30) ^ p.feature_b;
}

inline ContactKey without_parts(ContactKey key) {
  key.parts = 0;
  return key;
}

inline std::span<const std::uint32_t> points_of_pair(const ContactPair& p) { return {p.points.data(), p.size}; }
inline std::span<const std::uint32_t> points_of_term(const FrictionTerm& f) { return {f.points.data(), f.size}; }

class BarrierSystem final : public Objective {
 public:
  /// Takes the state of the world.
  void begin(const World&, const StepOptions&);

  /// Whether bodies are so near to each other that no step can begin.
  bool needs_room(const World&);
  /// @throws Error if bodies touch or overlap, naming two of them
  void check_start(const World&);
  /// Pairs of bodies within range that do not touch.
  std::vector<NearStart> near_starts(const World&);
  /// Surfaces that have points in common at the places that are accepted, by exact predicates. Places that were found free once
  /// are not looked at again.
  std::vector<NearPair> intersections(const World&);

  /// Gives friction the normal forces and directions of the places that are accepted, and joints their stiffness.
  /// @param round from 0 in every step @param frozen normal forces are those that the last direction led to, and not those of
  /// the places, which iterations that know how friction depends on them want
  /// @returns whether both are as sharp as they are to be
  bool lag_friction(const World&, int round, bool frozen);
  /// From now on friction keeps the planes that surfaces touch in on the whole where they nearly fit.
  void hold_planes();
  void release_planes() { planes_.clear(); }
  /// Makes ranges of what is rigid so many times as long, until `narrow`. Pairs that then are beyond their range stay among
  /// those that are looked at for the rest of the step: what pressed them tells the next direction where they will meet again.
  void widen(const World&, double factor);
  void narrow(double factor);                               ///< @param factor of `widen`
  std::size_t bodies() const { return bodies_.groups(); }   ///< that move
  bool rubs() const { return !friction_.empty(); }

  /// Makes records of contacts, sorted by key, and what the next step needs to know of them.
  void record(World&, StepReport&);
  /// @param settled whether friction is that of the places
  void write(World& world, EnergyLedger& energy, bool settled) {
    bodies_.write(world, energy);
    bodies_.take_excess(world, islands(settled));
  }

  std::size_t size() const override { return 3 * std::size_t{bodies_.blocks()}; }
  void values(std::span<double> out) override;
  std::size_t pieces() const override { return piece_count_; }
  void slopes(std::span<const double> gradient, std::span<const double> direction, std::span<double> out) override;
  void gradient(std::span<double> out) override;
  const SparseFactor::Matrix& hessian(bool projected) override;
  const SparseFactor::Matrix& jacobian(bool projected) override;
  bool beyond_hessian(std::span<const double> in, std::span<double> out) override;
  void foresee(std::span<const double> direction) override;
  void precondition(std::span<const double> in, std::span<double> out) override { bodies_.precondition(in, out); }
  double shorten(std::span<double> direction) override;
  void move(std::span<const double> direction, std::span<const double> steps) override;
  void accept(std::span<const double>) override;
  double size_of(std::span<const double> direction) const override { return bodies_.speed_of(direction); }

  const ContactSurface& surface() const { return surface_.surface(); }
  const std::vector<Vec3>& points() const { return points_; }
  const std::vector<ContactPair>& pairs();

  double search_seconds = 0, ccd_seconds = 0;   ///< of candidates, and of free parts [s]

 private:
  void for_each_pair(auto&& f) {
    pairs();
    for (std::size_t k = 0; k < contacts_.pairs.size(); ++k) f(contacts_.pairs[k], contacts_.states[k]);
  }
  void give_pushes();
  double stored();   ///< energy of all barriers [J]
  std::uint32_t group_of(std::span<const std::uint32_t> points) const;
  void place_points();
  void begin_candidates(const World&);
  void find_near_now(const World&);
  void find_candidates(const World&, std::span<const Vec3> to, std::span<const double> bends);
  void limit(std::span<double> direction);
  void foresee_forces(std::span<const double> direction);
  /// Σ weights · ways of points along a direction, to first order.
  Vec3 way_along(std::span<const double> direction, std::span<const std::uint32_t> points,
                 const std::array<double, 4>& weights) const;

  // What acts on what in a step, and the energy that this gives (barrier_energy.cpp).
  void begin_islands();
  const BarrierIslands& islands(bool settled);
  void add_pairs_to_islands(double sign);
  void join_points(std::span<const std::uint32_t> points, bool held);

  // Names (barrier_record.cpp). The name of a record is what its friction is remembered by; of edges they are given.
  ContactKey key_of(const ContactPair&, std::uint32_t feature_a, std::uint32_t feature_b) const;
  ContactKey key_without_parts(const ContactPair&, std::uint32_t feature_a, std::uint32_t feature_b) const;
  std::uint32_t part_of(std::uint32_t patch, SurfacePartKind, std::uint32_t feature) const;
  bool turned(const ContactPair&) const;   ///< whether its side A is B of its key
  /// What the contacts of one point with one surface, or of two edges, are in sum.
  struct ContactSum {
    ContactKey key;                                                                            ///< of the largest of them
    Vec3 push = Vec3::Zero(), rub = Vec3::Zero(), place = Vec3::Zero(), slip = Vec3::Zero();   ///< forces on B of the key [N]
    double weight = 0, largest = 0, gap = 0, mu = 0;
  };
  void add_to_sum(const ContactPair&, const PairState&, double part, const ContactKey&, ContactSum&);
  void sum_contacts(StepReport&);

  // Matrices (barrier_matrices.cpp).
  struct Movers;
  /// What moves a point of the surface, or a material point of friction after them.
  const BarrierSurface::Owner& owner(std::uint32_t point) const {
    return point < surface().points() ? surface_.owner(point) : rubbing_[point - surface().points()];
  }
  Movers movers_of(std::span<const std::uint32_t> points) const;
  void add_to_blocks(std::span<const std::uint32_t> points, const Vec12& gradient, std::span<double> out) const;
  void want_blocks(std::span<const std::uint32_t> points);
  struct MoverTerms;
  void add_to_turns(const Movers&, std::size_t points, const Vec12& gradient);
  void scatter_pair(const ContactPair&, const PairState&, bool projected, const FrictionTerm*);
  void scatter_friction(const FrictionTerm&, const Movers* of_pair, MoverTerms*);
  void scatter_terms(const Movers&, const MoverTerms&);
  void scatter_full(const Movers&, std::size_t points, const Mat12&);
  /// What a vector over points is over unknowns: of each mover that of its place, and that of its turn.
  static std::array<std::array<Vec3, 2>, 4> gather(const Movers&, std::size_t points, const Vec12&);
  /// A vector over few unknowns.
  using Sparse = std::span<const std::pair<std::uint32_t, Vec3>>;   ///< blocks and their numbers
  void find_coupling();
  Sparse coupling(std::size_t at) const {
    return std::span(coupling_).subspan(coupling_first_[at], coupling_first_[at + 1] - coupling_first_[at]);
  }
  Sparse rub_of(std::size_t term) const { return coupling(2 * term); }         ///< its force over its limit
  Sparse press_of(std::size_t term) const { return coupling(2 * term + 1); }   ///< its limit by places [N/m]
  void add_rank_one(Sparse row, Sparse column);

  // Friction (barrier_friction.cpp).
  /// What a term of friction is remembered by: several edges that touch by the same ends have a part each.
  struct FrictionName {
    ContactKey key;
    double part = 1;
  };
  struct RememberedForce {
    Vec3 force = Vec3::Zero();
  };
  /// Forces of all features of one point [N].
  struct Press {
    double net = 0, positive = 0;
  };
  void begin_friction(const World&);
  void clear_friction();
  void find_presses();
  double press_of_pair(const ContactPair&, const PairState&) const;
  Vec3 normal_of_friction(const ContactPair&, const PairState&) const;
  bool add_friction(const ContactPair&, const PairState&, double force, double mu, int round);
  void add_side(const ContactPair&, const PairPlace&, bool side_a, FrictionTerm&);
  double friction_between(const World&, std::uint32_t patch_a, std::uint32_t patch_b);
  Vec2 remembered_way(const ContactPair&, const Vec3& normal, const FrictionTerm&, double mu) const;
  bool remembers_force() const;
  Vec2 last_pull(const FrictionTerm&) const;
  double free_way(const FrictionTerm&) const;
  std::span<const FrictionName> names_of(std::size_t term) const {
    return std::span(friction_names_).subspan(first_name_[term], first_name_[term + 1] - first_name_[term]);
  }

  const World* world_ = nullptr;
  StepOptions options_;
  BarrierBodies bodies_;
  BarrierJoints joints_;
  BarrierAttachments attachments_;
  std::vector<std::array<std::uint32_t, 2>> links_;   ///< groups that joints and attachments hold together
  BarrierSurface surface_;
  /// What decides which bodies may touch.
  struct TouchRules {
    const World* world = nullptr;
    std::uint64_t version = 0;
    double range = 0;
    std::vector<MotionType> motions;   ///< by body slot
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ignored;
    bool operator==(const TouchRules&) const = default;
  };
  TouchRules rules_;
  ContactCandidates candidates_, near_;                 ///< near_: of the last direction, or of the start
  std::vector<Vec3> start_, targets_, points_, ends_;   ///< places of points
  std::vector<Vec3> free_points_;                       ///< places without intersections
  std::vector<double> bends_, parts_;
  std::vector<std::uint32_t> group_of_point_, piece_of_group_;
  std::uint32_t piece_count_ = 0;
  std::vector<double> step_of_group_;
  NearPairs contacts_;
  bool pairs_known_ = false;   ///< whether they are those of points_
  double stored_at_start_ = 0;
  Unions together_;   ///< groups that act on each other in this step
  BarrierIslands islands_;
  // Of bodies and barriers at points_, which stay while friction and joints change.
  std::vector<double> steady_energies_, steady_gradient_;   ///< the first by groups
  bool energies_known_ = false, gradient_known_ = false;
  FlatMap<std::uint64_t, double, HashOfName> pushes_,
      next_pushes_;   ///< over weights by ranges, by names, now and after the direction
  FlatMap<ContactKey, ContactSum, HashOfKey> sums_;

  std::vector<FrictionTerm> friction_;
  std::vector<ContactPair> friction_pairs_;    ///< that they are of
  std::vector<std::uint32_t> term_of_pair_;    ///< kNoBlock: the pair does not rub
  bool friction_fits_ = false;                 ///< whether friction is that of the pairs as they are now
  std::vector<FrictionName> friction_names_;   ///< of all terms, one after the other
  std::vector<std::size_t> first_name_;        ///< of each term, and of the next one
  std::vector<double> shares_;                 ///< limits of friction over the forces of their pairs
  std::vector<Vec2> ways_;                     ///< of friction where the Hessian was taken last
  std::vector<Vec2> full_ways_;                ///< where the whole direction would lead
  FlatMap<ContactKey, Press, HashOfKey> presses_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Vec3> planes_;   ///< that are held, by patches: normals to the second
  double largest_press_ = 0;                                         ///< [N]
  FlatMap<ContactKey, RememberedForce, HashOfKey> pulls_;            ///< of friction on A over its limit, by name, world frame
  FlatMap<ContactKey, RememberedForce, HashOfKey> remembered_;       ///< of the last step on B, by name without parts [N]
  std::vector<BarrierSurface::Owner> rubbing_;   ///< places on rigid bodies where they rub; points after those of the surface
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> coefficients_;   ///< by pair of patches

  BlockAssembly assembly_;
  /// How friction follows normal forces: of each of its terms the force over its limit, and after that how its limit depends
  /// on places. What belongs to term k begins at coupling_first_[2k] and [2k + 1].
  std::vector<std::pair<std::uint32_t, Vec3>> coupling_;
  std::vector<std::size_t> coupling_first_;
  bool coupling_known_ = false;   ///< whether it is that of the last Hessian
  SparseFactor::Matrix jacobian_;
  std::vector<Mat3> turns_;
};

}   // namespace stickslip
