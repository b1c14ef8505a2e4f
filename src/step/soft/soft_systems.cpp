#include "step/soft/soft_systems.h"

#include <fmt/format.h>

#include <algorithm>

#include "step/soft/rigid_trial.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {
constexpr double kDearFactor = 1.8e8;   ///< operations of a factorisation from which on it is worth keeping: some 2000 nodes
/// Iterations of a solve up to which factors serve: a step takes three or four solves, and to find factors and the inverse
/// between nodes that are touched takes as long as forty iterations.
constexpr int kMostReuse = 6;
constexpr int kFewIterations = 2;      ///< of a solve, up to which other factors would not help
constexpr double kNearlyAtRest = 16;   ///< steps that other factors would serve, at least, to be worth finding
}   // namespace

void add_applied_forces(const World& world, const NodalBody& nodes, std::span<const Vec3> places, std::span<Vec3> forces) {
  const Body& body = world.bodies()[nodes.body];
  const Vec3 acceleration = world.gravity + body.inverse_mass * body.force;
  for (std::size_t i = 0; i < nodes.size(); ++i) forces[i] += nodes.masses[i] * acceleration;
  if (nodes.pressure == 0) return;
  for (const auto& [a, b, c] : nodes.triangles) {
    const Vec3 third = nodes.pressure / 6 * (places[b] - places[a]).cross(places[c] - places[a]);
    for (const std::uint32_t corner : {a, b, c}) forces[corner] += third;
  }
}

SoftSystems::System& SoftSystems::system_of(const NodalBody& nodes) {
  for (auto& [slot, system] : systems_)
    if (slot == nodes.body) {
      if (system->solid != nodes.solid) system = std::make_unique<System>(nodes.solid);
      return *system;
    }
  systems_.emplace_back(nodes.body, std::make_unique<System>(nodes.solid));
  return *systems_.back().second;
}

void SoftSystems::try_velocities(const World& world, const VelocitySpace& space, std::span<const double> velocity,
                                 double share) {
  trial_.resize(world.node_count());
  for (const NodalBody& nodes : world.nodal_bodies()) {
    if (!nodes.is_soft()) continue;
    const System& s = system_of(nodes);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const std::uint32_t segment = space.segment_of(static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node + i);
      Vec3& trial = trial_[nodes.first_node + i];
      trial = segment == kNoSegment ? nodes.velocities[i] : space.twist(velocity, segment).linear;
      if (share < 1 && i < s.trial.size()) trial = s.trial[i] + share * (trial - s.trial[i]);
    }
  }
}

/// Trial velocities, and where they take the nodes. Held nodes go where they must.
void SoftSystems::find_trial(const World&, const NodalBody& nodes, const Times& times, System& s) const {
  if (trial_.empty()) find_first_trial(nodes, times.h, s.trial);
  else s.trial.assign(trial_.begin() + nodes.first_node, trial_.begin() + nodes.first_node + nodes.size());
  for (const HeldNode& h : nodes.held) s.trial[h.node] = nodes.velocities[h.node];
  s.places.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) s.places[i] = nodes.positions[i] + times.h * s.trial[i];
}

void SoftSystems::find_cut(System& s, const NodalBody& nodes) {
  s.held.clear();
  s.cut.clear();
  std::vector<bool> is_held(nodes.size());
  for (const HeldNode& h : nodes.held) {
    s.held.push_back(h.node);
    is_held[h.node] = true;
  }
  const auto& m = s.matrix;
  for (Eigen::Index column = 0; column < m.outerSize(); ++column)
    for (Eigen::Index k = m.outerIndexPtr()[column]; k < m.outerIndexPtr()[column + 1]; ++k) {
      const Eigen::Index row = m.innerIndexPtr()[k];
      if (row != column && (is_held[row / 3] || is_held[column / 3])) s.cut.push_back(k);
    }
}

void SoftSystems::assemble(System& s, const NodalBody& nodes, std::span<const Vec3> places, const Times& times) {
  s.assembly.assemble(places, {1, times.kick, times.kick * times.h}, true, s.matrix);
  const bool same_held = std::ranges::equal(s.held, nodes.held, {}, {}, &HeldNode::node);
  if (!same_held) find_cut(s, nodes);
  for (const Eigen::Index k : s.cut) s.matrix.valuePtr()[k] = 0;
}

/// Problems that were kept (captured, shown) share the factors they were solved with: those stay as they are.
void SoftSystems::factor(System& s, const Times& times, Manner manner) {
  if (!(s.mass && s.mass.use_count() == 1 && s.mass->refactor(s.matrix)))
    s.mass = std::make_shared<CoupledMass>(s.matrix, s.solid->rest());
  ++factorisations_;
  if (manner != Manner::reused || s.mass->factor_work() < kDearFactor) {
    s.memory = {};
    return;
  }
  s.memory.places.assign(s.places.begin(), s.places.end());
  s.memory.kick = times.kick;
  s.memory.h = times.h;
  s.mass->keep_inverse({});
}

/// Makes the factors again that a body remembers, where they are another's, or a problem that was kept has them.
void SoftSystems::factor_remembered(System& s, const NodalBody& nodes) {
  assemble(s, nodes, s.memory.places, {s.memory.kick, s.memory.h});
  if (!(s.mass && s.mass.use_count() == 1 && s.mass->refactor(s.matrix)))
    s.mass = std::make_shared<CoupledMass>(s.matrix, s.solid->rest());
  ++factorisations_;
  std::vector<int> rows;
  for (const std::uint32_t node : s.memory.touched)
    for (int c = 0; c < 3; ++c) rows.push_back(static_cast<int>(3 * node) + c);
  s.mass->keep_inverse(std::move(rows));
}

/// Solves with the factors of an earlier matrix. @returns whether it is near enough
bool SoftSystems::reuse(System& s, const NodalBody& nodes) {
  if (s.memory.places.size() != nodes.size()) return false;
  return s.mass->take(s.matrix) && s.mass->solve_within(s.right.data(), s.change.data(), kMostReuse);
}

/// Whether a body has come to rest away from where it was factored: in the steps to come it will change far less than since.
bool SoftSystems::has_settled(const System& s, const NodalBody& nodes, const Times& times) {
  if (s.mass->iterations() <= kFewIterations) return false;
  const auto n = static_cast<double>(nodes.size());
  Vec3 mean_way = Vec3::Zero(), mean_velocity = Vec3::Zero();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    mean_way += (s.places[i] - s.memory.places[i]) / n;
    mean_velocity += nodes.velocities[i] / n;
  }
  double way = 0, step = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    way += (s.places[i] - s.memory.places[i] - mean_way).squaredNorm();
    step += (times.h * (nodes.velocities[i] - mean_velocity)).squaredNorm();
  }
  return kNearlyAtRest * kNearlyAtRest * step < way;
}

/// How the velocities of nodes change without contacts. @pre `right`: M (u − w) + τ (f − B w)
void SoftSystems::solve_free(System& s, const NodalBody& nodes, const Times& times, Manner manner) {
  // Matrices without the numbers of held nodes are others.
  bool lost = s.mass == nullptr || s.mass.use_count() > 1;
  if (!s.recalled && s.memory != nodes.memory) lost = true, s.memory = nodes.memory;
  else if (!std::ranges::equal(s.held, nodes.held, {}, {}, &HeldNode::node)) s.memory = {};
  s.recalled = true;
  if (lost && manner == Manner::reused && s.memory.places.size() == nodes.size()) factor_remembered(s, nodes);
  assemble(s, nodes, s.places, times);
  if (manner == Manner::reused && reuse(s, nodes) && !has_settled(s, nodes, times)) return;
  factor(s, times, manner);
  s.mass->solve(s.right.data(), s.change.data());
}

void SoftSystems::recall() {
  for (auto& [slot, system] : systems_) system->recalled = false;
  factorisations_ = 0;
}

void SoftSystems::remember(World& world) const {
  for (const auto& [slot, system] : systems_)
    for (NodalBody& nodes : world.mutable_nodal_bodies()) {
      if (nodes.body != slot || !system->recalled || system->solid != nodes.solid) continue;
      if (!system->memory.places.empty()) {
        system->memory.touched.clear();
        for (const int row : system->mass->kept_rows())
          if (row % 3 == 0) system->memory.touched.push_back(static_cast<std::uint32_t>(row / 3));
      }
      if (nodes.memory != system->memory) nodes.memory = system->memory;
    }
}

/// What drives the nodes, and what they would do with masses alone.
void SoftSystems::find_right(const World& world, const NodalBody& nodes, const Times& times, System& s) {
  const ElasticSolid& solid = *nodes.solid;
  s.forces.assign(nodes.size(), Vec3::Zero());
  add_applied_forces(world, nodes, s.places, s.forces);
  solid.add_forces(s.places, s.forces);
  solid.add_damping(s.places, s.trial, s.forces, MassMatrix::lumped, s.times.h);
  s.right.assign(3 * nodes.size(), 0.0);
  s.change.assign(3 * nodes.size(), 0.0);
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (!nodes.is_free(i)) continue;
    const Vec3 impulse = nodes.masses[i] * (s.start[i] - s.trial[i]) + times.kick * s.forces[i];
    Eigen::Map<Vec3>(&s.right[3 * i]) = impulse;
    Eigen::Map<Vec3>(&s.change[3 * i]) = impulse / nodes.masses[i];
  }
}

void SoftSystems::append(const World& world, const NodalBody& nodes, const Times& times, Manner manner, VelocitySpace& space,
                         ContactProblem& problem) {
  System& s = system_of(nodes);
  const bool lumped = manner == Manner::lumped;
  s.times = lumped ? Times{} : times;
  const auto first_mover = static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node;
  find_trial(world, nodes, times, s);
  for (std::uint32_t i = 0; lumped && i < nodes.size(); ++i) {
    if (nodes.is_free(i)) s.trial[i] = nodes.velocities[i];
    s.places[i] = nodes.positions[i];
  }
  find_start(nodes, s);
  find_right(world, nodes, times, s);
  if (!lumped) {
    solve_free(s, nodes, times, manner);
    problem.carriers.push_back(
        {static_cast<std::uint32_t>(problem.segments.size()), static_cast<std::uint32_t>(nodes.size()), s.mass});
    s.diagonal = s.matrix.diagonal();
  }
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const double mass = lumped ? nodes.masses[i] : s.diagonal.segment<3>(3 * i).mean();
    problem.segments.push_back({1 / mass, Mat3::Zero(), kNodeSize});
    if (nodes.is_free(i))
      space.add_node(first_mover + i, nodes.positions[i], nodes.velocities[i],
                     s.trial[i] + Eigen::Map<const Vec3>(&s.change[3 * i]));
    else space.add_held_node(nodes.positions[i], nodes.velocities[i]);
  }
}

}   // namespace stickslip
