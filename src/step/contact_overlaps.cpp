#include "stickslip/step/contact_overlaps.h"

#include <algorithm>
#include <map>

#include "stickslip/world/stencil.h"

namespace stickslip {

namespace {

/// Fewer planes than contacts are found with: a picture shows no more.
constexpr OverlapOptions kDrawn = {.round_facets = 16};

bool is_of_volume(const World& world, const ContactRecord& c) {
  return c.outline && c.outline->volume > 0 && world.contains(c.body_a) && world.contains(c.body_b);
}

Vec3 middle_of(const OverlapSurface& surface) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& vertex : surface.vertices) sum += vertex;
  return sum / static_cast<double>(surface.vertices.size());
}

}   // namespace

std::vector<ContactOverlap> contact_overlaps(const World& world, std::span<const ContactRecord> contacts) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> of_pair;
  for (std::uint32_t i = 0; i < contacts.size(); ++i)
    if (const ContactRecord& c = contacts[i]; is_of_volume(world, c)) of_pair[{c.body_a.index, c.body_b.index}].push_back(i);
  std::vector<ContactOverlap> overlaps;
  OverlapScratch scratch;
  std::vector<OverlapSurface> found;
  for (const auto& [bodies, numbers] : of_pair)
    for (const std::uint32_t i : world.bodies()[bodies.first].colliders)
      for (const std::uint32_t j : world.bodies()[bodies.second].colliders) {
        const Collider &a = world.colliders()[i], &b = world.colliders()[j];
        overlap_surfaces(a.shape, motion_of(world, a).pose * a.local, b.shape, motion_of(world, b).pose * b.local, scratch,
                         found, kDrawn);
        for (OverlapSurface& surface : found) {
          const auto away = [&, middle = middle_of(surface)](std::uint32_t k) {
            return (contacts[k].position - middle).squaredNorm();
          };
          overlaps.push_back({*std::ranges::min_element(numbers, {}, away), std::move(surface)});
        }
      }
  return overlaps;
}

}   // namespace stickslip
