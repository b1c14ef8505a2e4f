// Checks of a world before it is stepped: shape pairs that nothing can collide, and bodies that start inside each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "step/detection.h"
#include "step/sizes.h"
#include "step/volumes.h"
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
  StepOptions points;
  points.contact = ContactForm::points;
  return find_overlaps(world, points, tolerance);
}

std::vector<Overlap> find_overlaps(const World& world, const StepOptions& options, double tolerance) {
  Detection detection;
  StageTimes unused;
  const ContactSet& set = detection.detect(world, {}, 1, unused);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> deepest;
  for (const Manifold& m : set.manifolds) {
    const Collider &a = world.colliders()[m.a], &b = world.colliders()[m.b];
    double depth = 0;
    for (const ContactPoint& p : set.points_of(m)) depth = std::max(depth, -p.gap);
    const double target = target_overlap(world, m.a, m.b, options.contact, options.overlap);
    if (depth <= tolerance * thinner(a, b) + 2 * target) continue;
    double& d = deepest[std::minmax(a.body, b.body)];
    d = std::max(d, depth);
  }
  for (const auto& [collider, depth] : detection.self_crossings()) {
    const Collider& c = world.colliders()[collider];
    if (depth <= tolerance * c.characteristic_length) continue;
    double& d = deepest[{c.body, c.body}];
    d = std::max(d, depth);
  }
  std::vector<Overlap> overlaps;
  for (const auto& [pair, depth] : deepest) overlaps.push_back({world.id_of(pair.first), world.id_of(pair.second), depth});
  std::stable_sort(overlaps.begin(), overlaps.end(), [](const Overlap& x, const Overlap& y) { return x.depth > y.depth; });
  return overlaps;
}

}   // namespace stickslip
