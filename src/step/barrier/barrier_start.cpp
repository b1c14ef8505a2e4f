// What a run by barriers begins with: bodies that overlap, touch, or are nearer to each other than barriers reach.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "step/barrier/barrier_system.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kLeastGap = 1e-6;   ///< part of the range below which bodies count as touching

}   // namespace

std::vector<NearPair> BarrierSystem::intersections(const World& world) {
  const auto now = std::span(points_).first(surface().points());
  if (std::ranges::equal(now, free_points_)) return {};
  std::vector<NearPair> met =
      find_intersections(surface(), now, [&](std::uint32_t a, std::uint32_t b) { return surface_.may_meet(world, a, b); });
  if (met.empty()) free_points_.assign(now.begin(), now.end());
  return met;
}

bool BarrierSystem::needs_room(const World& world) {
  double least = std::numeric_limits<double>::infinity();
  for (const ContactSurface::Patch& patch : surface().patches())
    if (patch.range > 0) least = std::min(least, kLeastGap * patch.range);
  return smallest_gap(surface(), near_, points_) < least || !intersections(world).empty();
}

void BarrierSystem::check_start(const World& world) {
  const std::vector<NearPair> met = intersections(world);
  if (met.empty()) return;
  const auto name = [&](std::uint32_t patch) { return world.bodies()[surface().patches()[patch].body].name; };
  throw Error(
      fmt::format("Bodies '{}' and '{}' touch or overlap at t = {} s, and barriers need a distance between all that may "
                  "touch. Move them apart, or use the integrator 'impulse'.",
                  name(met[0].patch_a), name(met[0].patch_b), world.time));
}

std::vector<NearStart> BarrierSystem::near_starts(const World& world) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, NearStart> nearest;
  const auto slots = [&](std::uint32_t patch_a, std::uint32_t patch_b) {
    return std::pair(std::minmax(surface().patches()[patch_a].body, surface().patches()[patch_b].body));
  };
  for_each_pair([&](const ContactPair& p, const PairState& s) {
    const auto [a, b] = slots(p.patch_a, p.patch_b);
    const NearStart start{world.id_of(a), world.id_of(b), s.gap, p.range};
    const auto [at, is_new] = nearest.try_emplace({a, b}, start);
    if (start.gap / start.range < at->second.gap / at->second.range) at->second = start;
  });
  for (const NearPair& met : intersections(world)) nearest.erase(slots(met.patch_a, met.patch_b));
  std::vector<NearStart> out;
  for (const auto& [pair, start] : nearest)
    if (start.gap > kLeastGap * start.range) out.push_back(start);
  std::ranges::stable_sort(out, {}, [](const NearStart& s) { return s.gap / s.range; });
  return out;
}

std::vector<NearStart> find_near_starts(const World& world, const StepOptions& options) {
  BarrierSystem system;
  system.begin(world, options);
  return system.near_starts(world);
}

}   // namespace stickslip
