#include "step/joined_areas.h"

#include <algorithm>
#include <cmath>

#include "step/sizes.h"

namespace stickslip {

namespace {

constexpr double kOneFace = 1e-4;      ///< by which normals of one plane may differ
constexpr double kOneGap = 0.5;        ///< part of the band by which gaps of one plane may differ
constexpr double kTouchAside = 1e-6;   ///< of the reach of the smaller area, within which two touch

/// How far two convex outlines are apart along the normals of the sides of the first, at most; below 0 if they overlap there.
double widest_gap(std::span<const Vec2> p, std::span<const Vec2> q) {
  double widest = -std::numeric_limits<double>::infinity(), turn = 0;
  for (std::size_t i = 1; i + 1 < p.size(); ++i) {
    const Vec2 u = p[i] - p[0], v = p[i + 1] - p[0];
    turn += u.x() * v.y() - u.y() * v.x();
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec2 side = p[(i + 1) % p.size()] - p[i];
    if (!(side.norm() > 0)) continue;
    const Vec2 out = (turn > 0 ? 1 : -1) * Vec2(side.y(), -side.x()) / side.norm();
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec2& x : q) nearest = std::min(nearest, out.dot(x - p[i]));
    widest = std::max(widest, nearest);
  }
  return widest;
}

/// The corners of an area as another one sees them, in its t and b from its place.
void see_corners(const ContactPatch& from, const ContactPoint& at, const ContactPatch& seen, const ContactPoint& seen_at,
                 std::vector<Vec2>& places) {
  const Vec3 b = at.normal.cross(from.t), seen_b = seen_at.normal.cross(seen.t);
  for (const Vec2& corner : seen.outline()) {
    const Vec3 to = seen_at.position + corner.x() * seen.t + corner.y() * seen_b - at.position;
    places.push_back({from.t.dot(to), b.dot(to)});
  }
}

/// Whether the gaps of two areas are one linear function over one plane.
bool are_in_one_plane(const ContactPatch& p, const ContactPoint& at, const ContactPatch& q, const ContactPoint& other,
                      std::span<const Vec2> corners_of_q, double slack) {
  if ((at.normal - other.normal).norm() > kOneFace) return false;
  if (std::abs(at.normal.dot(other.position - at.position)) > slack + kOneFace * (other.position - at.position).norm())
    return false;
  for (std::size_t k = 0; k < corners_of_q.size(); ++k)
    if (std::abs(p.gap_at(corners_of_q[k]) - q.gap_at(q.corners[k])) > slack) return false;
  return true;
}

}   // namespace

/// A set that was joined before has no areas of the members any more, at most points that were added.
void AreaJoiner::forget_old(const ContactSet& set) {
  std::erase_if(joined_, [&](const JoinedArea& j) { return !set.patch_of(j.owner) || set.patch_of(j.member); });
}

void AreaJoiner::collect(const World& world, double band, const ContactSet& set) {
  candidates_.clear();
  for (std::uint32_t k = 0; k < set.manifolds.size(); ++k) {
    const Manifold& m = set.manifolds[k];
    const Collider &a = world.colliders()[m.a], &b = world.colliders()[m.b];
    if (world.bodies()[a.body].colliders.size() == 1 && world.bodies()[b.body].colliders.size() == 1) continue;
    if (m.count != 1 || set.points[m.first].feature != kPatchFeature) continue;
    const ContactPatch* const patch = set.patch_of(m);
    if (patch->corner_count < 3 || patch->is_ellipse() || !patch->rolling.isZero(0)) continue;
    candidates_.push_back(
        {a.body, b.body, k, static_cast<std::size_t>(patch - set.patches.data()), kOneGap * band * thinner(a, b), false});
  }
  std::ranges::stable_sort(candidates_, {}, [](const Candidate& c) { return std::pair(c.body_a, c.body_b); });
}

/// Makes one area of two, if they are. @returns whether
bool AreaJoiner::absorb(const World& world, ContactSet& set, const Candidate& owner, const Candidate& member) {
  const Manifold &m = set.manifolds[owner.manifold], &n = set.manifolds[member.manifold];
  const auto material = [&](std::uint32_t c) { return world.colliders()[c].material; };
  if (material(m.a) != material(n.a) || material(m.b) != material(n.b)) return false;
  ContactPatch& area = set.patches[owner.patch];
  const ContactPatch& other = set.patches[member.patch];
  ContactPoint &at = set.points[m.first], &other_at = set.points[n.first];
  if ((area.volume > 0) != (other.volume > 0)) return false;
  places_.clear();
  see_corners(area, at, other, other_at, places_);
  const double slack = std::min(owner.slack, member.slack);
  if (!are_in_one_plane(area, at, other, other_at, places_, slack)) return false;
  const double near = kTouchAside * std::min(area.radius(), other.radius());
  if (widest_gap(area.outline(), places_) > near || widest_gap(places_, area.outline()) > near) return false;
  places_.insert(places_.end(), area.outline().begin(), area.outline().end());
  hull_.become_polygon(places_);
  const std::vector<Vec2>& corners = hull_.corners();
  if (corners.size() > ContactPatch::kMaxCorners) return false;
  const Vec2 middle = hull_.center();
  area.gap = area.gap_at(middle);
  area.corner_count = 0;
  for (const Vec2& corner : corners) area.corners[area.corner_count++] = corner - middle;
  area.volume += other.volume;
  at.position += middle.x() * area.t + middle.y() * at.normal.cross(area.t);
  at.gap = std::min(at.gap, other_at.gap);
  return true;
}

void AreaJoiner::drop_members(ContactSet& set) {
  kept_.clear();
  for (std::uint32_t k = 0; k < set.manifolds.size(); ++k) {
    if (dropped_[k]) continue;
    Manifold m = set.manifolds[k];
    const auto points = set.points_of(m);
    if (const ContactPatch* const patch = set.patch_of(m)) kept_.patches.push_back(*patch);
    m.first = static_cast<std::uint32_t>(kept_.points.size());
    kept_.points.insert(kept_.points.end(), points.begin(), points.end());
    kept_.manifolds.push_back(m);
  }
  std::swap(set, kept_);
}

void AreaJoiner::join(const World& world, double band, ContactSet& set) {
  forget_old(set);
  collect(world, band, set);
  dropped_.assign(set.manifolds.size(), false);
  bool any = false;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    Candidate& owner = candidates_[i];
    // What grows may come to touch what it did not touch before.
    for (bool grew = !owner.is_member; grew;) {
      grew = false;
      for (std::size_t j = i + 1; j < candidates_.size(); ++j) {
        Candidate& member = candidates_[j];
        if (std::pair(member.body_a, member.body_b) != std::pair(owner.body_a, owner.body_b)) break;
        if (member.is_member || !absorb(world, set, owner, member)) continue;
        joined_.push_back({set.manifolds[owner.manifold], set.manifolds[member.manifold]});
        member.is_member = dropped_[member.manifold] = grew = any = true;
      }
    }
  }
  if (any) drop_members(set);
}

}   // namespace stickslip
