// What many steps tell about momentum and about contacts that stick.
#include <cmath>

#include "step/sizes.h"
#include "stickslip/step/motion_watch.h"

namespace stickslip {

namespace {

constexpr double kMomentumLimit = 0.01;   ///< part of the momenta of the bodies
constexpr double kCreepLimit = 0.01;      ///< part of the thickness of the thinner body
constexpr double kSticking = 100;         ///< tolerances of slip up to which a contact counts as sticking

bool moves(const World& world, BodyId id) {
  return id != BodyId{} && world.contains(id) && world.body(id).motion == MotionType::dynamic;
}

/// Whether anything from outside acted on the bodies in this step.
bool acted_on(const World& world, const StepReport& report) {
  if (!world.gravity.isZero(0)) return true;
  for (const NodalBody& nodes : world.nodal_bodies())
    if (!nodes.held.empty()) return true;
  for (const Body& b : world.bodies())
    if (b.alive && b.motion == MotionType::dynamic && !(b.force.isZero(0) && b.torque.isZero(0))) return true;
  for (const ContactRecord& c : report.contacts)
    if (c.normal_impulse > 0 && !(moves(world, c.body_a) && moves(world, c.body_b))) return true;
  for (const Joint& j : world.joints()) {
    if (!j.acts() || j.description.type == JointType::gear) continue;
    if (!(moves(world, j.description.a) && moves(world, j.description.b))) return true;
  }
  return false;
}

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();   ///< angular: about the centre of mass of all
  double linear_size = 0, angular_size = 0;             ///< the same without signs
};
Momenta momenta(const World& world) {
  Momenta m;
  double mass = 0;
  Vec3 center = Vec3::Zero();
  for_each_dynamic_mover(world, [&](const Body&, const Motion& motion, double share) {
    mass += share;
    center += share * motion.pose.position;
    m.linear += share * motion.velocity;
    m.linear_size += share * motion.velocity.norm();
  });
  if (mass > 0) center /= mass;
  for_each_dynamic_mover(world, [&](const Body& b, const Motion& motion, double share) {
    const Vec3 orbit = (motion.pose.position - center).cross(share * motion.velocity);
    const Vec3 spin = b.is_rigid() ? Vec3(b.world_inertia() * motion.angular_velocity) : Vec3::Zero();
    m.angular += orbit + spin;
    m.angular_size += orbit.norm() + spin.norm();
  });
  return m;
}

Vec3 local(const Motion& b, const Vec3& point) { return b.pose.orientation.conjugate() * (point - b.pose.position); }

/// Contacts of one pair of colliders, next to each other in the report.
std::span<const ContactRecord> pair_from(std::span<const ContactRecord> contacts, std::size_t first) {
  std::size_t end = first;
  const ContactRecord& c = contacts[first];
  while (end < contacts.size() && contacts[end].key.a == c.key.a && contacts[end].key.b == c.key.b) ++end;
  return contacts.subspan(first, end - first);
}

/// Whether the contacts of a pair forbid every motion along each other: at three points or more, none of which slips. One that
/// carries nothing and slips shows that the two turn about those that stick.
bool sticks(std::span<const ContactRecord> pair, double slip) {
  const auto is_loaded = [](const ContactRecord& c) { return c.normal_impulse > 0; };
  const auto holds = [&](const ContactRecord& c) { return c.friction > 0 && c.slip_velocity.norm() <= slip; };
  return pair.size() >= 3 && std::any_of(pair.begin(), pair.end(), is_loaded) && std::all_of(pair.begin(), pair.end(), holds);
}

}   // namespace

void MotionWatch::follow_momentum(const World& world, const StepReport& report) {
  if (acted_on(world, report)) {
    alone_step_ = 0;
    return;
  }
  const Momenta now = momenta(world);
  if (alone_step_ == 0) {
    momentum_ = now.linear;
    angular_momentum_ = now.angular;
    momentum_scale_ = angular_scale_ = 0;
    alone_step_ = report.step;
    alone_time_ = report.time;
  }
  momentum_scale_ = std::max(momentum_scale_, now.linear_size);
  angular_scale_ = std::max(angular_scale_, now.angular_size);
  const auto part = [](const Vec3& change, double scale) { return scale > 0 ? change.norm() / scale : 0; };
  MotionFinding f;
  f.kind = MotionKind::momentum_lost;
  f.limit = kMomentumLimit;
  f.amount = (now.angular - angular_momentum_).norm();
  f.value = std::max(part(now.linear - momentum_, momentum_scale_), part(now.angular - angular_momentum_, angular_scale_));
  if (f.value > f.limit) count_since(f, world, report, alone_step_, alone_time_);
}

void MotionWatch::follow_contacts(const World& world, const StepReport& report) {
  next_.clear();
  auto known = stuck_.begin();
  const std::span<const ContactRecord> contacts(report.contacts);
  for (std::size_t i = 0; i < contacts.size();) {
    const std::span<const ContactRecord> pair = pair_from(contacts, i);
    i += pair.size();
    const ContactRecord& c = pair.front();
    if (!sticks(pair, kSticking * report.outcome.tolerance)) continue;
    const Collider &ca = world.colliders()[c.key.a], &cb = world.colliders()[c.key.b];
    if (ca.deforms || cb.deforms) continue;
    const Motion a = motion_of(world, ca), b = motion_of(world, cb);
    const auto key = std::pair(c.key.a, c.key.b);
    while (known != stuck_.end() && std::pair(known->collider_a, known->collider_b) < key) ++known;
    if (known == stuck_.end() || std::pair(known->collider_a, known->collider_b) != key || has_rolled(*known, c, world)) {
      Stuck& fresh = next_.emplace_back(Stuck{key.first, key.second, 0, {}, {}, 0, report.step, report.time});
      for (const ContactRecord& point : pair.first(std::min<std::size_t>(pair.size(), fresh.on_a.size()))) {
        fresh.on_a[fresh.count] = local(a, point.position);
        fresh.on_b[fresh.count++] = local(b, point.position);
      }
      continue;
    }
    follow_stuck(next_.emplace_back(*known), pair, world, report);
  }
  stuck_.swap(next_);
}

// What rolls lifts the points that it stood on: over the sides of a wheel of triangles it never slips, and moves on.
bool MotionWatch::has_rolled(const Stuck& s, const ContactRecord& c, const World& world) {
  const Collider &ca = world.colliders()[c.key.a], &cb = world.colliders()[c.key.b];
  const Motion a = motion_of(world, ca), b = motion_of(world, cb);
  const double lifted = kCreepLimit * thinner(ca, cb);
  for (std::uint32_t k = 0; k < s.count; ++k)
    if (std::abs(c.normal.dot(b.pose * s.on_b[k] - a.pose * s.on_a[k])) > lifted) return true;
  return false;
}

void MotionWatch::follow_stuck(Stuck& s, std::span<const ContactRecord> pair, const World& world, const StepReport& report) {
  const ContactRecord& c = pair.front();
  const Motion a = motion_of(world, world.colliders()[c.key.a]), b = motion_of(world, world.colliders()[c.key.b]);
  double slip = 0, farthest = 0;
  for (const ContactRecord& point : pair) slip = std::max(slip, point.slip_velocity.norm());
  s.slipped += report.h * slip;
  const Mat3 turn_a = a.pose.orientation.toRotationMatrix(), turn_b = b.pose.orientation.toRotationMatrix();
  const Vec3 apart = b.pose.position - a.pose.position;
  for (std::uint32_t k = 0; k < s.count; ++k) {
    const Vec3 way = apart + turn_b * s.on_b[k] - turn_a * s.on_a[k];
    farthest = std::max(farthest, (way - way.dot(c.normal) * c.normal).norm());
  }
  MotionFinding f;
  f.kind = MotionKind::creep;
  f.body_a = c.body_a;
  f.body_b = c.body_b;
  f.limit = kCreepLimit;
  f.amount = farthest - s.slipped;
  f.value = f.amount / thinner(world.colliders()[c.key.a], world.colliders()[c.key.b]);
  if (f.value > f.limit) count_since(f, world, report, s.first_step, s.first_time);
}

}   // namespace stickslip
