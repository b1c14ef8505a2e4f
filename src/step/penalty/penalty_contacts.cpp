#include "step/penalty/penalty_contacts.h"

#include <fmt/format.h>
#include <algorithm>

#include <cmath>
#include <limits>

#include "step/sizes.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kBlendPart = 0.1;    ///< of the speed of a fall of one step over which `receding` switches
constexpr double kNearAnchor = 0.1;   ///< part of the thickness within which a contact takes over another's anchor
constexpr double kNodesOfAFace = 6;   ///< a soft body rests on a sixth of its surface

Vec3 along_surface(const Vec3& v, const Vec3& normal) { return v - v.dot(normal) * normal; }

bool is_dynamic(const Body& b) { return b.alive && b.motion == MotionType::dynamic; }

/// Weight of a body with what is applied to it [N]; 0 if forces do not move it.
double load_of(const World& world, const Body& b) { return is_dynamic(b) ? (b.mass.mass * world.gravity + b.force).norm() : 0; }

/// Parts of its load that each contact of a body carries: a soft body touches with every node of a face.
double share_of(const World& world, const Collider& c) {
  if (!c.deforms) return 1;
  return std::min(1.0, kNodesOfAFace / static_cast<double>(world.nodal_bodies()[world.bodies()[c.body].place].size()));
}

}   // namespace

/// Force that the spring of a contact is to give at the wanted depth [N]. A heap of N bodies is ∛N bodies high, and its
/// lowest ones rest on several contacts each; the heavier of two may be the upper one, and what joints hang together is
/// carried by what touches of it.
double PenaltyContacts::wanted_force(const PenaltySetting& s, const Manifold& m, double depth) {
  if (s.options.penalty.stiffness > 0) return s.options.penalty.stiffness * depth;
  double heaviest = 0, mass = 0, share = 1;
  for (const std::uint32_t index : {m.a, m.b}) {
    const Collider& c = s.world.colliders()[index];
    const Body& b = s.world.bodies()[c.body];
    const double part = c.node == kNoNode || b.mass.mass == 0
                            ? 1
                            : s.world.nodal_bodies()[b.place].masses[c.node] / b.mass.mass;   // a bead by itself
    heaviest = std::max(heaviest, part * (s.loads.empty() || !is_dynamic(b) ? load_of(s.world, b) : s.loads[c.body]));
    if (is_dynamic(b)) mass = std::max(mass, part * b.mass.mass);
    share = std::min(share, share_of(s.world, c));
  }
  // Without weight a blow is to last about a step.
  if (!(heaviest > 0)) heaviest = 10 * mass * depth / (s.options.h * s.options.h);
  return share * heaviest;
}

void PenaltyContacts::add_side(const PenaltySetting& s, const Collider& c, std::uint32_t part, double sign, const Vec3& place,
                               PenaltyContact& contact) {
  for (const Stencil::Entry& entry : stencil(s.world, c, part, place)) {
    const std::uint32_t segment = s.space.segment_of(entry.mover);
    if (segment == kNoSegment) {
      const bool moves = c.deforms || s.world.bodies()[c.body].motion == MotionType::kinematic;
      if (moves) contact.driven += sign * entry.weight * motion_of(s.world, entry.mover).velocity_at(place);
      continue;
    }
    movers_.push_back({segment, static_cast<std::uint32_t>(s.space.offset(segment)), s.space.is_rigid(segment),
                       sign * entry.weight, place - s.space.center(segment)});
    ++contact.count;
  }
}

double PenaltyContacts::inverse_mass(const ContactProblem& problem, const PenaltyContact& c) const {
  double sum = 0;
  for (const PenaltyMover& m : movers(c)) {
    const VelocitySegment& segment = problem.segments[m.segment];
    sum += m.weight * m.weight * segment.inverse_mass;
    if (!m.rigid) continue;
    const Vec3 turn = m.arm.cross(c.normal);
    sum += turn.dot(segment.inverse_inertia * turn);
  }
  return sum;
}

void PenaltyContacts::weigh(const PenaltySetting& s, const Manifold& m, PenaltyContact& c) const {
  const PenaltyOptions& o = s.options.penalty;
  const Collider &a = s.world.colliders()[m.a], &b = s.world.colliders()[m.b];
  const SurfacePair surface = s.world.materials.between(a.material, b.material);
  const double depth = o.depth * thinner(a, b);
  c.spring = {o.law, wanted_force(s, m, depth) * (o.stiffness > 0 ? 1 : heap_height_), depth, o.exponent};
  c.friction = surface.friction;
  const double inverse = inverse_mass(s.problem, c);
  c.mass = inverse > 0 ? 1 / inverse : 0;
  const double k = c.spring.stiffness(), critical = 2 * std::sqrt(c.mass / k);
  c.damper.time = damping_for_restitution(surface.restitution, o.damping) * critical;
  c.damper.elasticity = surface.restitution * surface.restitution;
  c.damper.blend = kBlendPart * s.world.gravity.norm() * s.options.h;
  c.tangential_stiffness = k;
  c.tangential_damping = std::min(o.damping, 1.0) * critical * k;
  if (o.friction == PenaltyFriction::damping) c.tangential_damping = o.friction_damping > 0 ? o.friction_damping : critical * k;
}

void PenaltyContacts::fill_pair(const PenaltySetting& s, const Manifold& m) {
  const Collider &a = s.world.colliders()[m.a], &b = s.world.colliders()[m.b];
  if (const SurfacePair surface = s.world.materials.between(a.material, b.material); surface.law)
    throw Error(
        fmt::format("The integrator 'penalty' knows Coulomb's law of friction only, and bodies '{}' and '{}' have the "
                    "law '{}'. Use --integrator impulse.",
                    s.world.bodies()[a.body].name, s.world.bodies()[b.body].name, surface.law->name));
  const auto lone = [&](const Collider& c) { return !s.world.bodies()[c.body].moves_by_forces(); };
  for (const ContactPoint& point : s.set.points_of(m)) {
    PenaltyContact c;
    c.normal = point.normal;
    c.gap = point.gap + m.target;
    c.first = static_cast<std::uint32_t>(movers_.size());
    // Forces act on the surface of a body that is to meet the unmoving world; between two bodies that move on one point.
    const double half = point.gap > 0 && (lone(a) || lone(b)) ? 0.5 * point.gap : 0;
    add_side(s, a, static_cast<std::uint32_t>(m.parts >> 32), -1, point.position - half * point.normal, c);
    add_side(s, b, static_cast<std::uint32_t>(m.parts), 1, point.position + half * point.normal, c);
    contacts_.push_back(c);
    weigh(s, m, contacts_.back());
  }
}

/// Stretches from the forces that the world remembers, by name; what has a new name takes those of the nearest contact of the
/// pair whose own name is gone.
void PenaltyContacts::anchor(const PenaltySetting& s, const Manifold& m) {
  const ContactMemory& memory = s.world.memory;
  if (!(memory.h > 0) || s.options.penalty.friction != PenaltyFriction::anchored) return;
  const auto by_pair = [](const RememberedImpulse& r) -> const PartPair& { return r.key; };
  const auto old = std::ranges::equal_range(memory.impulses, static_cast<const PartPair&>(m), {}, by_pair);
  const auto points = s.set.points_of(m);
  const auto known = [&](const RememberedImpulse& r) {
    return std::ranges::any_of(points, [&](const ContactPoint& p) { return p.feature == r.key.feature; });
  };
  const double near = kNearAnchor * thinner(s.world.colliders()[m.a], s.world.colliders()[m.b]);
  for (std::size_t i = 0; i < points.size(); ++i) {
    PenaltyContact& c = contacts_[m.first + i];
    const RememberedImpulse* from = nullptr;
    double nearest = near;
    for (const RememberedImpulse& r : old) {
      if (r.key.feature == points[i].feature) {
        from = &r;
        break;
      }
      const double distance = (r.position - points[i].position).norm();
      if (!(distance < nearest) || known(r)) continue;
      nearest = distance;
      from = &r;
    }
    if (from) c.stretch = along_surface(from->impulse, c.normal) / (-memory.h * c.tangential_stiffness);
  }
}

void PenaltyContacts::build(const PenaltySetting& s) {
  contacts_.clear();
  movers_.clear();
  double bodies = 0;
  for (const Body& b : s.world.bodies()) bodies += is_dynamic(b);
  for (const NodalBody& nodes : s.world.nodal_bodies())
    if (!nodes.is_soft()) bodies += static_cast<double>(nodes.size());
  heap_height_ = std::cbrt(std::max(1.0, bodies));
  for (const Manifold& m : s.set.manifolds) fill_pair(s, m);
  for (const Manifold& m : s.set.manifolds) anchor(s, m);
  for (PenaltyContact& c : contacts_) {
    c.value = c.spring.at(c.gap);
    c.energy_start = c.value.energy;
    c.stretch_energy_start = 0.5 * c.tangential_stiffness * c.stretch.squaredNorm();
  }
}

Vec3 PenaltyContacts::velocity(const PenaltyContact& c, std::span<const double> u) const {
  Vec3 v = c.driven;
  for (const PenaltyMover& m : movers(c)) {
    const double* at = u.data() + m.offset;
    Vec3 point = Eigen::Map<const Vec3>(at);
    if (m.rigid) point += Eigen::Map<const Vec3>(at + 3).cross(m.arm);
    v += m.weight * point;
  }
  return v;
}

void PenaltyContacts::push(const PenaltyContact& c, const Vec3& impulse, std::span<double> momenta) const {
  for (const PenaltyMover& m : movers(c)) {
    double* at = momenta.data() + m.offset;
    const Vec3 share = m.weight * impulse;
    Eigen::Map<Vec3>(at) += share;
    if (m.rigid) Eigen::Map<Vec3>(at + 3) += m.arm.cross(share);
  }
}

void PenaltyContacts::find_force(PenaltyContact& c, PenaltyFriction friction, const PenaltySpring::Value& value,
                                 const Vec3& stretch, const Vec3& velocity, bool keeps_limit) {
  c.friction_force.setZero();
  c.tried_friction = 0;
  const double parting = velocity.dot(c.normal);
  c.normal_force = {};
  if (value.stiffness > 0)
    c.normal_force = penalty_force(value, c.spring.law == PenaltyLaw::receding, c.damper, parting, c.damping);
  if (!keeps_limit) c.limit = c.friction * c.normal_force.total;
  if (!(c.limit > 0)) return;
  const Vec3 slip = velocity - parting * c.normal;
  c.friction_force = -c.tangential_damping * slip;
  if (friction == PenaltyFriction::anchored) c.friction_force -= c.tangential_stiffness * along_surface(stretch, c.normal);
  c.tried_friction = c.friction_force.norm();
  if (c.tried_friction > c.limit) c.friction_force *= c.limit / c.tried_friction;
}

Vec3 PenaltyContacts::held_stretch(const PenaltyContact& c, PenaltyFriction friction, const Vec3& stretch) {
  if (friction != PenaltyFriction::anchored) return Vec3::Zero();
  const Vec3 s = along_surface(stretch, c.normal);
  const double limit = c.friction * c.normal_force.total / c.tangential_stiffness, size = s.norm();
  return size > limit ? Vec3(limit / size * s) : s;
}

double PenaltyLimits::Rates::longest() const {
  if (!(stiffness > 0)) return damping > 0 ? 2 / damping : std::numeric_limits<double>::infinity();
  return (std::sqrt(damping * damping + 4 * stiffness) - damping) / stiffness;
}

namespace {

/// A bound of the largest eigenvalue of M⁻¹ S, S symmetric and not negative: the eighth root of the sum of their eighth powers.
double largest_eigenvalue(const VelocitySegment& segment, const PenaltyLimits::Sum& s) {
  PenaltyLimits::Sum t;
  t.topRows<3>() = segment.inverse_mass * s.topRows<3>();
  t.bottomRows<3>() = segment.inverse_inertia * s.bottomRows<3>();
  const double scale = t.trace();
  if (!(scale > 0)) return 0;
  t /= scale;
  for (int k = 0; k < 2; ++k) t = (t * t).eval();
  return scale * std::pow((t.cwiseProduct(t.transpose())).sum(), 1.0 / 8);
}

}   // namespace

void PenaltyContacts::add_limits(PenaltyLimits& limits, PenaltyFriction friction) const {
  for (const PenaltyContact& c : contacts_) {
    double weights = 0;
    for (const PenaltyMover& m : movers(c)) weights += std::abs(m.weight);
    const Mat3 along = c.normal * c.normal.transpose(), across = Mat3::Identity() - along;
    const double k = c.spring.stiffness();
    const bool rubs = c.friction > 0, anchored = rubs && friction == PenaltyFriction::anchored;
    const Mat3 K = k * along + (anchored ? c.tangential_stiffness : 0) * across;
    const Mat3 B =
        (c.spring.law == PenaltyLaw::receding ? 0 : c.damper.time * k) * along + (rubs ? c.tangential_damping : 0) * across;
    for (const PenaltyMover& m : movers(c)) {
      Eigen::Matrix<double, 3, 6> J;
      J.leftCols<3>().setIdentity();
      J.rightCols<3>() = m.rigid ? Mat3(-skew(m.arm)) : Mat3::Zero();
      limits.stiffness[m.segment] += weights * std::abs(m.weight) * J.transpose() * K * J;
      limits.damping[m.segment] += weights * std::abs(m.weight) * J.transpose() * B * J;
    }
  }
}

PenaltyLimits::Rates PenaltyLimits::rates(const ContactProblem& problem) const {
  Rates result;
  for (std::size_t i = 0; i < problem.segments.size(); ++i) {
    result.stiffness = std::max(result.stiffness, largest_eigenvalue(problem.segments[i], stiffness[i]));
    result.damping = std::max(result.damping, largest_eigenvalue(problem.segments[i], damping[i]));
  }
  return result;
}

double PenaltyContacts::stiffening() const {
  double most = 1;
  for (const PenaltyContact& c : contacts_) most = std::max(most, c.value.stiffness / c.spring.stiffness());
  return most;
}

}   // namespace stickslip
