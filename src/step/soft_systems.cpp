#include "step/soft_systems.h"

#include <fmt/format.h>

#include <algorithm>

#include "step/rigid_trial.h"
#include "stickslip/math/error.h"

namespace stickslip {

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

void SoftSystems::try_velocities(const World& world, const VelocitySpace& space, std::span<const double> velocity) {
  trial_.resize(world.node_count());
  for (const NodalBody& nodes : world.nodal_bodies())
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const std::uint32_t segment = space.segment_of(static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node + i);
      trial_[nodes.first_node + i] = segment == kNoSegment ? nodes.velocities[i] : space.twist(velocity, segment).linear;
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

/// Problems that were kept (captured, shown) share the factors they were solved with: those stay as they are.
void SoftSystems::factor(System& s) {
  if (s.mass && s.mass.use_count() == 1 && s.mass->refactor(s.matrix)) return;
  s.mass = std::make_shared<CoupledMass>(s.matrix);
}

void SoftSystems::append(const World& world, const NodalBody& nodes, const Times& times, bool explicitly, VelocitySpace& space,
                         ContactProblem& problem) {
  System& s = system_of(nodes);
  const ElasticSolid& solid = *nodes.solid;
  const auto first_mover = static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node;
  find_trial(world, nodes, times, s);
  if (explicitly) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes.is_free(static_cast<std::uint32_t>(i))) s.trial[i] = nodes.velocities[i];
      s.places[i] = nodes.positions[i];
    }
  } else {
    s.assembly.assemble(s.places, {1, times.kick, times.kick * times.h}, true, s.matrix);
    const bool same_held = std::ranges::equal(s.held, nodes.held, {}, {}, &HeldNode::node);
    if (!same_held) find_cut(s, nodes);
    for (const Eigen::Index k : s.cut) s.matrix.valuePtr()[k] = 0;
    factor(s);
  }
  s.forces.assign(nodes.size(), Vec3::Zero());
  add_applied_forces(world, nodes, s.places, s.forces);
  solid.add_forces(s.places, s.forces);
  solid.add_damping(s.places, s.trial, s.forces);
  s.right.assign(3 * nodes.size(), 0.0);
  s.change.assign(3 * nodes.size(), 0.0);
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (!nodes.is_free(i)) continue;
    const Vec3 impulse = nodes.masses[i] * (nodes.velocities[i] - s.trial[i]) + times.kick * s.forces[i];
    Eigen::Map<Vec3>(&s.right[3 * i]) = impulse;
    if (explicitly) Eigen::Map<Vec3>(&s.change[3 * i]) = impulse / nodes.masses[i];
  }
  if (!explicitly) {
    problem.carriers.push_back(
        {static_cast<std::uint32_t>(problem.segments.size()), static_cast<std::uint32_t>(nodes.size()), s.mass});
    s.mass->solve(s.right.data(), s.change.data());
  }
  const Eigen::VectorXd diagonal = explicitly ? Eigen::VectorXd() : Eigen::VectorXd(s.matrix.diagonal());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const double mass = explicitly ? nodes.masses[i] : diagonal.segment<3>(3 * i).mean();
    problem.segments.push_back({1 / mass, Mat3::Zero(), kNodeSize});
    if (nodes.is_free(i))
      space.add_node(first_mover + i, nodes.positions[i], nodes.velocities[i],
                     s.trial[i] + Eigen::Map<const Vec3>(&s.change[3 * i]));
    else space.add_held_node(nodes.positions[i], nodes.velocities[i]);
  }
}

}   // namespace stickslip
