// The second look at bodies that touch by volume.
//
// The rows of an area are about the places where two bodies share volume at the start of a step. The far end of a cylinder that
// falls over, the rim of a coin ahead of where it rolls, the other foot of a body that rocks have none. So such pairs are
// measured again where the drift ends. Corners of areas that are deeper there than they are to be, and than they were, become
// points of the step, at the places where they are at its start, with the bends of their paths.
#include <algorithm>
#include <cmath>
#include <limits>

#include "step/contact_bends.h"

namespace stickslip {

namespace {

/// Features of corners of areas at the end of a drift, which no pair of shapes has: counted from here on.
constexpr std::uint64_t kEndCorner = ~std::uint64_t{0xffff};

/// Cosine of the angle within which areas face one way.
constexpr double kFacesAlike = 0.5;

/// Part of what is tolerated by which places that are deep already may become deeper.
constexpr double kDeeper = 0.1;

/// Whether a place of its plane is in an area, whose corners go once around.
bool is_in(const ContactPatch& area, const Vec2& place) {
  const auto corners = area.outline();
  bool left = true, right = true;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 edge = corners[(i + 1) % corners.size()] - corners[i], to = place - corners[i];
    const double side = edge.x() * to.y() - edge.y() * to.x();
    left = left && side >= 0, right = right && side <= 0;
  }
  return corners.size() > 2 && (left || right);
}

/// Gap of the areas of a pair at a place, the deepest of those that face its way; infinite if it is in none.
double gap_of_areas(const ContactSet& set, const PartPair& pair, const ContactPoint& place) {
  double gap = std::numeric_limits<double>::infinity();
  const auto of_pair = std::ranges::equal_range(set.patches, std::pair(pair.a, pair.b), {},
                                                [](const ContactPatch& p) { return std::pair(p.a, p.b); });
  const auto as_pair = [](const Manifold& x) -> const PartPair& { return x; };
  for (const ContactPatch& area : of_pair)
    for (const ContactPoint& middle :
         set.points_of(*std::ranges::lower_bound(set.manifolds, static_cast<const PartPair&>(area), {}, as_pair))) {
      if (middle.feature != kPatchFeature || middle.normal.dot(place.normal) < kFacesAlike) continue;
      const Vec3 from = place.position - middle.position;
      const Vec2 seen(area.t.dot(from), middle.normal.cross(area.t).dot(from));
      if (is_in(area, seen)) gap = std::min(gap, area.gap_at(seen));
    }
  return gap;
}

}   // namespace

bool ContactBends::look_at_volume(const Solved& solved, const DriftingPair& pair) {
  const Manifold& m = pair.manifold;
  bool any = look_at_corners(solved, pair);
  const std::pair<std::uint32_t, std::uint32_t> colliders(m.a, m.b);
  if (colliders == measured_) return any;
  measured_ = colliders;   // all areas of the pair at once
  const Collider &ca = solved.world.colliders()[m.a], &cb = solved.world.colliders()[m.b];
  // Rays can miss corners of meshes that stick out between them; contact generation does not.
  if (std::holds_alternative<Mesh>(ca.shape) || std::holds_alternative<Mesh>(cb.shape))
    look_at_end(ca, cb, pair, ContactSink::kNone, 0);
  at_end_.clear();
  volumes_.find(solved.world, {m.a, m.b}, pair.end_a.pose * ca.local, pair.end_b.pose * cb.local, m.target, at_end_);
  for (const Manifold& end : at_end_.manifolds) {
    const ContactPatch& area = *at_end_.patch_of(end);
    const ContactPoint& middle = at_end_.points[end.first];
    const Vec3 b = middle.normal.cross(area.t);
    for (const Vec2& corner : area.outline()) {
      const ContactPoint e{middle.position + corner.x() * area.t + corner.y() * b, middle.normal, area.gap_at(corner),
                           kEndCorner + next_corner_};
      if (!(e.gap < -m.target - pair.tolerated)) continue;
      ContactPoint start = pair.start_of(e);
      const double before = gap_of_areas(solved.set, m, start), kept = std::min(-m.target, before);
      note_end(pair, kept, e.gap);
      // What is tolerated is so once: steps on end would add it up.
      if (!(e.gap < std::min(-m.target - pair.tolerated, before - kDeeper * pair.tolerated))) continue;
      // Two places that meet by sliding were never deep, whatever they are along the normal.
      start.gap = std::max(start.gap, kept);
      ++next_corner_;
      add(m, start);
      set_bend(m.key(start), pair.kappa(start, e.gap, 0));
      any = true;
    }
  }
  return any;
}

bool ContactBends::is_measured(const PartPair& pair, const ContactPoint& e) const {
  return measured_ == std::pair(pair.a, pair.b) && std::isfinite(gap_of_areas(at_end_, pair, e));
}

/// Corners that an earlier look found.
bool ContactBends::look_at_corners(const Solved& solved, const DriftingPair& pair) {
  const Manifold& m = pair.manifold;
  bool any = false;
  for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
    const ContactPoint& p = solved.set.points[i];
    const BuiltContact& built = solved.builder.contacts()[i];
    if (p.feature == kPatchFeature || built.rebounds) continue;
    const double end = pair.end_of(p), kept = std::min(-m.target, p.gap);
    const double load = solved.impulses[solved.builder.problem().blocks[built.block].row];
    const bool lifted = load > 0 && end > kept + solved.time * built.recovery_speed + pair.tolerated;
    if (!(end < kept - pair.tolerated) && !lifted) continue;
    any = bend_to(solved, pair, i, end) || any;
  }
  return any;
}

}   // namespace stickslip
