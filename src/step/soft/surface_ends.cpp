#include "step/soft/surface_ends.h"

#include <algorithm>

#include "step/body_kinds.h"
#include "step/detection.h"
#include "step/sizes.h"

namespace stickslip {

namespace {

/// Part of the thinner body's thickness: what is told of a motion as too deep, and what a step may add where it is so already.
constexpr double kDeepEnd = 0.01, kDeeper = 0.001;

std::span<const Twist> motion_of_nodes(const World& world, const NodalBody& nodes, std::span<const Twist> motion) {
  return motion.subspan(world.bodies().size() + nodes.first_node, nodes.size());
}

const NodalBody& nodes_of(const World& world, const Collider& c) { return world.nodal_bodies()[world.bodies()[c.body].place]; }

}   // namespace

void SurfaceEnds::begin(const World& world) {
  if (structure_version_ != world.structure_version()) ends_.clear();
  structure_version_ = world.structure_version();
  ends_.resize(world.colliders().size());
  for (End& end : ends_) end.measured = end.placed = false;
}

double SurfaceEnds::spread_of(const World& world, std::uint32_t collider, std::span<const Twist> motion) {
  const Collider& c = world.colliders()[collider];
  if (!c.deforms) return 0;
  End& end = ends_[collider];
  if (!end.measured) {
    end.measured = true;
    end.spread = 0;
    for (const Twist& u : motion_of_nodes(world, nodes_of(world, c), motion))
      end.spread = std::max(end.spread, (u.linear - motion[c.body].linear).norm());
  }
  return end.spread;
}

const MeshSurface& SurfaceEnds::surface_of(const World& world, std::uint32_t collider, std::span<const Twist> motion,
                                           double time) {
  End& end = ends_[collider];
  if (end.placed) return *end.surface;
  end.placed = true;
  const NodalBody& nodes = nodes_of(world, world.colliders()[collider]);
  const std::span<const Twist> of_nodes = motion_of_nodes(world, nodes, motion);
  places_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) places_[i] = nodes.positions[i] + time * of_nodes[i].linear;
  if (!end.surface) end.surface = std::make_unique<MeshSurface>(TriangleMesh{places_, nodes.triangles});
  else end.surface->move(places_);
  return *end.surface;
}

/// @param deepest gap that may be left [m]
bool SurfaceEnds::passes_through_itself(const World& world, std::uint32_t collider, std::span<const Twist> motion, double time,
                                        double deepest) {
  const double thickness = world.colliders()[collider].characteristic_length;
  sink_.clear();
  collide_self(surface_of(world, collider, motion, time), 0, kSelfDepth * thickness, sink_);
  if (std::ranges::any_of(sink_.points(), [&](const ContactPoint& p) { return p.gap < deepest; })) return true;
  const auto depth_at = [&](double t) { return self_crossing_depth(surface_of(world, collider, motion, t)); };
  const double end = depth_at(time);
  if (!(end > -deepest)) return false;
  ends_[collider].placed = false;
  const double start = depth_at(0);
  ends_[collider].placed = false;
  return end > start + kDeeper * thickness;
}

bool SurfaceEnds::are_deep(const World& world, const ContactSet& set, std::span<const Twist> motion, Gyroscopic gyroscopic,
                           double time) {
  if (!std::ranges::all_of(motion, [](const Twist& u) { return u.linear.allFinite(); })) return false;
  begin(world);
  const std::vector<Manifold>& all = set.manifolds;
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    const auto [ia, ib] = std::pair(all[first].a, all[first].b);
    double kept = 0;
    for (; end < all.size() && all[end].a == ia && all[end].b == ib; ++end)
      for (const ContactPoint& p : set.points_of(all[end])) kept = std::min(kept, p.gap);
    const Collider &a = world.colliders()[ia], &b = world.colliders()[ib];
    if (!a.deforms && !b.deforms) continue;
    const double thickness = thinner(a, b), deepest = std::min(-kDeepEnd * thickness, kept - kDeeper * thickness);
    const double speed = closing_speed(a, motion[world.mover_of(a)], b, motion[world.mover_of(b)]) +
                         spread_of(world, ia, motion) + spread_of(world, ib, motion);
    if (!(time * speed > kept - deepest)) continue;
    if (ia == ib) {
      if (passes_through_itself(world, ia, motion, time, deepest)) return true;
      continue;
    }
    const auto pose_of = [&](const Collider& c) {
      const std::uint32_t mover = world.mover_of(c);
      return drifted(world, mover, motion[mover], gyroscopic, time).pose * c.local;
    };
    sink_.clear();
    if (a.deforms && b.deforms)
      collide_surfaces(surface_of(world, ia, motion, time), surface_of(world, ib, motion, time), 0, sink_);
    else if (a.deforms) collide_surface(surface_of(world, ia, motion, time), b.shape, pose_of(b), 0, sink_);
    else collide_surface(surface_of(world, ib, motion, time), a.shape, pose_of(a), 0, sink_);
    const auto is_deep = [&](const ContactPoint& p) { return p.gap < deepest; };
    if (std::ranges::any_of(sink_.points(), is_deep)) return true;
  }
  return false;
}

}   // namespace stickslip
