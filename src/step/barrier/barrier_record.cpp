// What contacts of a step by barriers are called, and the records that are left of them.
#include <algorithm>
#include <limits>

#include "step/barrier/barrier_system.h"
#include "stickslip/geometry/mesh_names.h"
#include "stickslip/geometry/surface_part.h"

namespace stickslip {

/// The part of a surface that deforms which a point, edge or triangle is; 0 of others.
std::uint32_t BarrierSystem::part_of(std::uint32_t patch_number, SurfacePartKind kind, std::uint32_t feature) const {
  const ContactSurface::Patch& patch = surface().patches()[patch_number];
  if (!patch.deforms) return 0;
  switch (kind) {
    case SurfacePartKind::triangle:
      return SurfacePart{kind, feature - patch.first_triangle}.number();
    case SurfacePartKind::edge:
      return SurfacePart{kind, surface().edges()[feature].place}.number();
    case SurfacePartKind::vertex: {
      const NodalBody& nodes = world_->nodal_bodies()[world_->bodies()[patch.body].place];
      return SurfacePart{kind, surface_.owner(feature).node - nodes.first_node}.number();
    }
  }
  return 0;
}

bool BarrierSystem::turned(const ContactPair& p) const {
  return surface().patches()[p.patch_a].collider > surface().patches()[p.patch_b].collider;
}

ContactKey BarrierSystem::key_without_parts(const ContactPair& p, std::uint32_t feature_a, std::uint32_t feature_b) const {
  const ContactSurface::Patch &pa = surface().patches()[p.patch_a], &pb = surface().patches()[p.patch_b];
  ContactKey key;
  key.a = pa.collider;
  key.b = pb.collider;
  // A point that looks at a surface keeps its name wherever it stands over it.
  key.feature = p.of_edges ? mesh_feature(MeshFeature::edges, feature_a - pa.first_edge, feature_b - pb.first_edge)
                           : mesh_feature(MeshFeature::vertex_on_face, feature_a - pa.first_point, 0);
  if (turned(p)) {
    std::swap(key.a, key.b);
    key.feature = exchanged_feature(key.feature);
  }
  return key;
}

ContactKey BarrierSystem::key_of(const ContactPair& p, std::uint32_t feature_a, std::uint32_t feature_b) const {
  ContactKey key = key_without_parts(p, feature_a, feature_b);
  constexpr SurfacePartKind kinds[] = {SurfacePartKind::vertex, SurfacePartKind::vertex, SurfacePartKind::edge,
                                       SurfacePartKind::triangle, SurfacePartKind::edge};
  const SurfacePartKind kind_b = p.of_edges ? SurfacePartKind::edge : kinds[static_cast<std::size_t>(p.kind)];
  std::uint32_t part_a = part_of(p.patch_a, p.of_edges ? SurfacePartKind::edge : SurfacePartKind::vertex, feature_a);
  std::uint32_t part_b = part_of(p.patch_b, kind_b, feature_b);
  if (turned(p)) std::swap(part_a, part_b);
  key.parts = pair_of_parts(part_a, part_b);
  return key;
}

/// Adds a part of a pair to the sum of a name.
void BarrierSystem::add_to_sum(const ContactPair& p, const PairState& s, double part, const ContactKey& key, ContactSum& sum) {
  const double force = part * force_of(p, s), size = std::abs(force);
  if (sum.weight == 0 || size > sum.largest) sum.key = key, sum.largest = size;
  sum.gap = sum.weight == 0 ? s.gap : std::min(sum.gap, s.gap);
  sum.push += (turned(p) ? -force : force) * s.place.normal;
  sum.place += size * 0.5 * (s.place.on_a + s.place.on_b);
  sum.weight += size;
  sum.mu = friction_between(*world_, p.patch_a, p.patch_b);
}

/// Forces add up, and where they act is a mean by their sizes.
void BarrierSystem::sum_contacts(StepReport& report) {
  sums_.clear();
  for_each_pair([&](const ContactPair& p, const PairState& s) {
    if (force_of(p, s) == 0) return;
    if (p.members == 0) {
      const ContactKey key = key_of(p, p.feature_a, p.feature_b);
      add_to_sum(p, s, 1, key, sums_[without_parts(key)]);
    }
    for (const PairMember& m : contacts_.members_of(p)) {
      const ContactKey key = key_of(p, m.feature_a, m.feature_b);
      add_to_sum(p, s, m.part, key, sums_[without_parts(key)]);
    }
  });
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const FrictionTerm& f = friction_[k];
    const ContactPair& p = friction_pairs_[k];
    const Vec3 on_a = f.force_on_a(start_, points_), way = f.tangents * (f.way(start_, points_) - f.anchor);
    const double sign = turned(p) ? 1 : -1, pressed = f.limit / friction_between(*world_, p.patch_a, p.patch_b);
    report.energy.friction -= on_a.dot(way);
    for (const FrictionName& name : names_of(k)) {
      if (!sums_.find(without_parts(name.key))) continue;
      ContactSum& sum = sums_[without_parts(name.key)];
      sum.rub += sign * name.part * on_a;
      sum.slip += sign * name.part * pressed / options_.h * way;
    }
  }
}

void BarrierSystem::record(World& world, StepReport& report) {
  joints_.record(world, bodies_, report);
  attachments_.record(world, bodies_, report);
  report.energy.springs += stored_at_start_ - stored();
  sum_contacts(report);
  const double h = options_.h;
  report.contacts.clear();
  world.memory.impulses.clear();
  world.memory.h = h;
  report.distance_min = std::numeric_limits<double>::infinity();
  sums_.for_each([&](const ContactSum& sum) {
    report.distance_min = std::min(report.distance_min, sum.gap);
    const double pressed = sum.push.norm();
    if (!(pressed > 0)) return;
    const Collider &a = world.colliders()[sum.key.a], &b = world.colliders()[sum.key.b];
    const Vec3 normal = sum.push / pressed, position = sum.place / sum.weight, impulse = h * (sum.push + sum.rub);
    report.contacts.push_back({world.id_of(a.body), world.id_of(b.body), sum.key, position, normal, sum.gap, impulse,
                               impulse.dot(normal), sum.mu, sum.slip / sum.weight, Vec3::Zero(), nullptr});
    world.memory.impulses.push_back({sum.key, impulse, Vec3::Zero(), position});
  });
  std::ranges::sort(report.contacts, {}, &ContactRecord::key);
  std::ranges::sort(world.memory.impulses, {}, &RememberedImpulse::key);
}

}   // namespace stickslip
