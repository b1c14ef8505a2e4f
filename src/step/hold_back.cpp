#include "step/hold_back.h"

#include <algorithm>

#include "step/sizes.h"

namespace stickslip {

namespace {

/// Part of the thinner collider that a pair may overlap by: with the looks of one who follows it less than half, where contacts
/// would hold it from the other side.
constexpr double kDeep = 0.25;

/// Whether a body may be moved from where the step takes it: others hang on what joints hold.
bool can_stop(const World& world, std::uint32_t slot) {
  const Body& body = world.bodies()[slot];
  if (!body.is_rigid() || !body.moves_by_forces()) return false;
  return std::ranges::none_of(world.joints(), [&](const Joint& j) {
    return j.acts() && ((j.description.a != BodyId{} && j.description.a.index == slot) ||
                        (j.description.b != BodyId{} && j.description.b.index == slot));
  });
}

}   // namespace

void HoldBack::find(const World& world, const ImpactWatch& watch, std::span<const ProxyPair> doubtful,
                    std::span<const Twist> motion, double h, Gyroscopic how) {
  for (const ProxyPair& pair : doubtful) {
    const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
    const MovingPair moving{
        a, b, world.bodies()[a.body], world.bodies()[b.body], motion[world.mover_of(a)], motion[world.mover_of(b)], how};
    if (!watch.may_pass(a, b, h * moving.speed()) || !moving.body_a.is_rigid() || !moving.body_b.is_rigid()) continue;
    const bool stop_b = can_stop(world, b.body) && (b.reach < a.reach || !can_stop(world, a.body));
    if (!stop_b && !can_stop(world, a.body)) continue;
    const double time = follow_.follow(moving, h, kDeep, PairFollow::Sliding::any_step).last;
    if (!(time < h)) continue;
    const auto [end_a, end_b] = moving.at(time);
    if (stop_b) stops_.push_back({time, b.body, a.body, end_a.pose.inverse() * end_b.pose});
    else stops_.push_back({time, a.body, b.body, end_b.pose.inverse() * end_a.pose});
  }
  std::ranges::sort(stops_, [](const Stop& x, const Stop& y) { return std::pair(x.body, x.time) < std::pair(y.body, y.time); });
}

void HoldBack::apply(World& world) const {
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    const Stop& stop = stops_[i];
    if (i > 0 && stops_[i - 1].body == stop.body) continue;
    const Body& other = world.bodies()[stop.other];
    const Pose at = Pose{other.position, other.orientation} * stop.in_other;
    Body& body = world.mutable_bodies()[stop.body];
    body.position = at.position;
    body.orientation = at.orientation.normalized();
  }
}

}   // namespace stickslip
