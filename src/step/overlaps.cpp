// Checks of a world before it is stepped: shape pairs that nothing can collide, and bodies that start inside each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "stickslip/collide/broad_phase.h"
#include "stickslip/collide/collide.h"
#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"

namespace stickslip {

void check_colliders(const World& world) {
  // One dynamic and one other body of each shape kind stand for all.
  constexpr std::size_t kinds = std::variant_size_v<Shape>;
  constexpr std::uint32_t none = ~0u;
  std::array<std::uint32_t, kinds> dynamic, any;
  dynamic.fill(none);
  any.fill(none);
  for (const Collider& c : world.colliders()) {
    if (!c.alive) continue;
    any[c.shape.index()] = c.body;
    if (world.bodies()[c.body].motion == MotionType::dynamic) dynamic[c.shape.index()] = c.body;
  }
  for (std::size_t i = 0; i < kinds; ++i)
    for (std::size_t j = 0; j < kinds; ++j)
      if (dynamic[i] != none && any[j] != none && !has_collider(i, j))
        throw Error(fmt::format("Nothing can collide a {} ('{}') with a {} ('{}'). Use other shapes.", shape_name(i),
                                world.bodies()[dynamic[i]].name, shape_name(j), world.bodies()[any[j]].name));
}

std::vector<Overlap> find_overlaps(const World& world, double tolerance) {
  BroadPhase broad;
  const auto colliders = world.colliders();
  const auto bodies = world.bodies();
  std::vector<Pose> poses(colliders.size());
  for (std::uint32_t i = 0; i < colliders.size(); ++i) {
    const Collider& c = colliders[i];
    if (!c.alive) continue;
    const Body& b = bodies[c.body];
    poses[i] = Pose{b.position, b.orientation} * c.local;
    broad.set(i, bounding_box(c.shape, poses[i]), b.motion != MotionType::dynamic);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> deepest;
  ContactSink sink;
  for (const ProxyPair& pair : broad.pairs(std::min<std::size_t>(1'000'000 + 50 * world.body_count(), 32'000'000))) {
    const Collider &ca = colliders[pair.a], &cb = colliders[pair.b];
    if (ca.body == cb.body || !world.may_touch(ca.body, cb.body)) continue;
    sink.clear();
    collide(ca.shape, poses[pair.a], cb.shape, poses[pair.b], 0, sink);
    double depth = 0;
    for (const ContactPoint& p : sink.points()) depth = std::max(depth, -p.gap);
    double thickness = std::min(ca.characteristic_length, cb.characteristic_length);
    if (thickness == 0) thickness = std::max(ca.characteristic_length, cb.characteristic_length);   // half-space
    if (depth <= tolerance * thickness) continue;
    double& d = deepest[std::minmax(ca.body, cb.body)];
    d = std::max(d, depth);
  }
  std::vector<Overlap> overlaps;
  for (const auto& [pair, depth] : deepest) overlaps.push_back({world.id_of(pair.first), world.id_of(pair.second), depth});
  std::stable_sort(overlaps.begin(), overlaps.end(), [](const Overlap& x, const Overlap& y) { return x.depth > y.depth; });
  return overlaps;
}

}  // namespace stickslip
