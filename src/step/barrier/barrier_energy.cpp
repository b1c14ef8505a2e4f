// No step gives bodies energy that nothing has. Forces of a step act where it ends: on what turns by much of a radian they do
// not do the work there that they did on its chords. What islands, bodies that act on each other, would have beyond what they
// have without each other and what stores, drives and friction gave them, is taken out of how they move against the motion that
// they would have as one body. So their momentum and their angular momentum stay what they are, and joints keep what they hold.
// Only where a step did not settle, and forces do not add up to changes of momentum, may that not be enough; then it is slowed
// as one.
#include <cmath>

#include "step/barrier/barrier_system.h"

namespace stickslip {

namespace {

constexpr double kRounded = 1e-9;      ///< of energies
constexpr double kNoInertia = 1e-12;   ///< of the largest moment

/// The part of the way back from one motion to another, with energies T = a + 2bλ + cλ² between them, at which that is as
/// large as it may be, or else smallest.
double part_with_energy(double a, double b, double c, double most) {
  if (!(c > 0)) return 1;
  const double root = b * b - c * (a - most);
  return std::clamp((root > 0 ? std::sqrt(root) - b : -b) / c, 0.0, 1.0);
}

/// ω with I ω = L, of a body that may be a rod or a point: about what has no inertia it does not turn.
Vec3 spin_of(const Mat3& inertia, const Vec3& momentum) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  Vec3 spin = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = eigen.eigenvectors().col(k);
    const double moment = eigen.eigenvalues()[k];
    if (moment > kNoInertia * eigen.eigenvalues()[2]) spin += axis.dot(momentum) / moment * axis;
  }
  return spin;
}

}   // namespace

struct BarrierBodies::Island {
  double left = 0;                                     ///< of what it may have, less what it has [J]
  double size = 0;                                     ///< of the energies that this is a difference of [J]
  double mass = 0;                                     ///< [kg]
  Vec3 middle = Vec3::Zero();                          ///< times the mass
  Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();   ///< the second about the middle
  Mat3 inertia = Mat3::Zero();                         ///< about the middle
  Twist as_one;                                        ///< motion of its middle and turn
  double a = 0, b = 0, c = 0;                          ///< energy from that motion on
  double part = 1, part_as_one = 1;                    ///< that is left of motion against it, and of it

  bool gains() const { return left < -kRounded * size; }
  Vec3 arm(const Vec3& x) const { return x - middle / mass; }
  Vec3 common(const Vec3& x) const { return as_one.linear + as_one.angular.cross(arm(x)); }
};

/// Calls f(group, mass, inertia, place, velocity, angular velocity or none, where free motion would have left it) for all that
/// moves by forces.
void BarrierBodies::for_each_free(World& world, auto&& f) const {
  for (std::uint32_t k = 0; k < rigid_.size(); ++k) {
    const Rigid& r = rigid_[k];
    if (r.driven) continue;
    Body& b = world.mutable_bodies()[r.slot];
    f(k, r.mass, b.world_inertia(), b.position, b.velocity, &b.angular_velocity, kinetic_without_contacts(r));
  }
  for (NodalBody& nodes : world.mutable_nodal_bodies())
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const std::size_t k = nodes.first_node + i;
      if (block_of_node_[k] == kNoBlock || node_driven_[k]) continue;
      const Vec3 free = (node_target_[k] - node_start_[k]) / h_;
      f(group_of_node_[k], nodes.masses[i], Mat3(Mat3::Zero()), nodes.positions[i], nodes.velocities[i],
        static_cast<Vec3*>(nullptr), 0.5 * nodes.masses[i] * free.squaredNorm());
    }
}

double BarrierBodies::kinetic_without_contacts(const Rigid& r) const {
  const Mat3 inertia = r.moments.trace() * Mat3::Identity() - r.moments;
  const Vec3 spin = r.target.orientation.conjugate() * r.free_spin;
  return 0.5 * r.mass * ((r.target.position - r.start.position) / h_).squaredNorm() + 0.5 * spin.dot(inertia * spin);
}

std::vector<BarrierBodies::Island> BarrierBodies::energies_of(World& world, const BarrierIslands& islands) const {
  std::vector<Island> sums(groups_);
  for (std::uint32_t g = 0; g < groups_; ++g) {
    sums[islands.of_group[g]].left += islands.work[g];
    sums[islands.of_group[g]].size += std::abs(islands.work[g]);
  }
  for_each_free(world, [&](std::uint32_t g, double mass, const Mat3& inertia, const Vec3&, const Vec3& v, const Vec3* spin,
                           double before) {
    const double now = 0.5 * mass * v.squaredNorm() + (spin ? 0.5 * spin->dot(inertia * *spin) : 0.0);
    sums[islands.of_group[g]].left += before - now;
    sums[islands.of_group[g]].size += before + now;
  });
  return sums;
}

/// How islands would move as one body with their momentum and angular momentum. What something fixed or driven holds goes
/// with that.
void BarrierBodies::find_motions_as_one(World& world, const BarrierIslands& islands, std::span<Island> sums) const {
  const auto of = [&](std::uint32_t group) -> Island& { return sums[islands.of_group[group]]; };
  for_each_free(world, [&](std::uint32_t g, double mass, const Mat3&, const Vec3& x, const Vec3& v, const Vec3*, double) {
    of(g).mass += mass;
    of(g).middle += mass * x;
    of(g).momentum += mass * v;
  });
  for_each_free(world,
                [&](std::uint32_t g, double mass, const Mat3& inertia, const Vec3& x, const Vec3& v, const Vec3* spin, double) {
                  const Vec3 r = of(g).arm(x);
                  of(g).spin += mass * r.cross(v) + (spin ? Vec3(inertia * *spin) : Vec3(Vec3::Zero()));
                  of(g).inertia += inertia + mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
                });
  for (Island& island : sums)
    if (island.gains()) island.as_one = {island.momentum / island.mass, spin_of(island.inertia, island.spin)};
  for (std::uint32_t g = 0; g < groups_; ++g)
    if (islands.is_held[g]) of(g).as_one = {};
  for (std::uint32_t k = 0; k < rigid_.size(); ++k) {
    if (!rigid_[k].driven || !(of(k).mass > 0)) continue;
    const Body& b = world.bodies()[rigid_[k].slot];
    of(k).as_one = {b.velocity - b.angular_velocity.cross(of(k).arm(b.position)), b.angular_velocity};
  }
}

void BarrierBodies::take_excess(World& world, const BarrierIslands& islands) const {
  std::vector<Island> sums = energies_of(world, islands);
  if (std::ranges::none_of(sums, &Island::gains)) return;
  find_motions_as_one(world, islands, sums);
  const auto of = [&](std::uint32_t group) -> Island& { return sums[islands.of_group[group]]; };
  for_each_free(world,
                [&](std::uint32_t g, double mass, const Mat3& inertia, const Vec3& x, const Vec3& v, const Vec3* spin, double) {
                  if (!of(g).gains()) return;
                  const Twist& one = of(g).as_one;
                  const Vec3 common = of(g).common(x), own = v - common;
                  of(g).a += 0.5 * mass * common.squaredNorm();
                  of(g).b += 0.5 * mass * common.dot(own);
                  of(g).c += 0.5 * mass * own.squaredNorm();
                  if (!spin) return;
                  const Vec3 turn = *spin - one.angular;
                  of(g).a += 0.5 * one.angular.dot(inertia * one.angular);
                  of(g).b += 0.5 * one.angular.dot(inertia * turn);
                  of(g).c += 0.5 * turn.dot(inertia * turn);
                });
  for (Island& island : sums) {
    if (!island.gains()) continue;
    const double most = std::max(0.0, island.a + 2 * island.b + island.c + island.left);
    island.part = part_with_energy(island.a, island.b, island.c, most);
    if (island.part == 0 && island.a > most) island.part_as_one = std::sqrt(most / island.a);
  }
  for_each_free(world, [&](std::uint32_t g, double, const Mat3&, const Vec3& x, Vec3& v, Vec3* spin, double) {
    const Island& island = of(g);
    if (island.part == 1) return;
    const Vec3 common = island.common(x), &turn = island.as_one.angular;
    v = island.part_as_one * common + island.part * (v - common);
    if (spin) *spin = island.part_as_one * turn + island.part * (*spin - turn);
  });
}

/// What barriers store at the places that are accepted, and which groups they hold together.
void BarrierSystem::begin_islands() {
  islands_.work.assign(bodies_.groups(), 0.0);
  islands_.is_held.assign(bodies_.groups(), false);
  together_.begin(bodies_.groups());
  for (const auto& [a, b] : links_) together_.join(a, b);
  if (bodies_.groups() == 0) return;
  add_pairs_to_islands(1);
}

void BarrierSystem::join_points(std::span<const std::uint32_t> points, bool held) {
  std::uint32_t first = kNoBlock;
  for (const std::uint32_t p : points) {
    const std::uint32_t group = p < group_of_point_.size() ? group_of_point_[p] : bodies_.rigid_of(owner(p).slot);
    if (group == kNoBlock) held = true;
    else if (first == kNoBlock) first = group;
    else together_.join(first, group);
  }
  if (held && first != kNoBlock) islands_.is_held[first] = true;
}

/// @param sign of what they store
void BarrierSystem::add_pairs_to_islands(double sign) {
  for_each_pair([&](const ContactPair& p, const PairState& s) {
    join_points(points_of_pair(p), p.kind == PairKind::half_space);
    islands_.work[group_of(points_of_pair(p))] += sign * energy_of(p, s);
  });
}

/// Where a step did not settle, forces of friction are not what changed momenta, and what they took is not counted.
const BarrierIslands& BarrierSystem::islands(bool settled) {
  if (bodies_.groups() == 0) return islands_;
  add_pairs_to_islands(-1);
  for (const FrictionTerm& f : friction_) {
    if (!settled) break;
    const Vec3 way = f.tangents * (f.way(start_, points_) - f.anchor);
    islands_.work[group_of(points_of_term(f))] += f.force_on_a(start_, points_).dot(way);
  }
  joints_.add_work(bodies_, islands_);
  attachments_.add_work(bodies_, islands_.work);
  bodies_.add_work(islands_);
  islands_.of_group.resize(bodies_.groups());
  for (std::uint32_t g = 0; g < bodies_.groups(); ++g) islands_.of_group[g] = together_.root(g);
  return islands_;
}

}   // namespace stickslip
