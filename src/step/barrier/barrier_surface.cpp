#include "step/barrier/barrier_surface.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "step/detection.h"
#include "step/sizes.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr int kAround = 32;   ///< sides of a cylinder
constexpr double kStopped =
    0.1;                       ///< part of its speed that a body may lose in a step without coming very near to what stops it
constexpr double kSides = 6;   ///< of a body, one of which carries it

TriangleMesh mesh_of_polytope(const std::vector<Vec3>& vertices, const std::vector<std::vector<std::uint32_t>>& faces) {
  TriangleMesh mesh{vertices, {}};
  for (const auto& face : faces)
    for (std::size_t k = 1; k + 1 < face.size(); ++k) mesh.triangles.push_back({face[0], face[k], face[k + 1]});
  return mesh;
}

struct SurfaceOfShape {
  TriangleMesh operator()(const Sphere&) const { return {{Vec3::Zero()}, {}}; }
  TriangleMesh operator()(const Capsule& c) const {
    if (c.half_height == 0) return {{Vec3::Zero()}, {}};
    return {{Vec3(0, 0, -c.half_height), Vec3(0, 0, c.half_height)}, {}};
  }
  TriangleMesh operator()(const Box& b) const {
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k)
      corners.push_back(b.half_extents.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
    return mesh_of_polytope(corners, {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
  }
  TriangleMesh operator()(const Cylinder& c) const {
    std::vector<Vec3> corners;
    std::vector<std::vector<std::uint32_t>> faces(2);
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAround;
      for (const double z : {-c.half_height, c.half_height})
        corners.emplace_back(c.radius * std::cos(angle), c.radius * std::sin(angle), z);
    }
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const std::uint32_t next = (k + 1) % kAround;
      faces.push_back({2 * k, 2 * next, 2 * next + 1, 2 * k + 1});
      faces[0].insert(faces[0].begin(), 2 * k);
      faces[1].push_back(2 * k + 1);
    }
    return mesh_of_polytope(corners, faces);
  }
  TriangleMesh operator()(const ConvexHull& h) const {
    std::vector<std::vector<std::uint32_t>> faces;
    for (const Polytope::Face& f : h.polytope->faces) {
      auto& face = faces.emplace_back();
      for (int k = 0; k < f.count; ++k) face.push_back(static_cast<std::uint32_t>(h.polytope->loops[f.first + k]));
    }
    return mesh_of_polytope(h.polytope->vertices, faces);
  }
  TriangleMesh operator()(const Mesh& m) const { return m.solid->mesh(); }
  TriangleMesh operator()(const HalfSpace&) const { return {}; }
};

double radius_of(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* c = std::get_if<Capsule>(&shape)) return c->radius;
  return 0;
}

double surface_area(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return 4 * std::numbers::pi * s->radius * s->radius;
  if (const auto* c = std::get_if<Capsule>(&shape)) return 4 * std::numbers::pi * c->radius * (c->radius + c->half_height);
  return area(std::visit(SurfaceOfShape{}, shape));
}

/// A body that barriers push apart in its rest shape would never be at rest in it.
void check_own_gaps(const ContactSurface::Patch& patch, const TriangleMesh& rest, const std::string& name, double range) {
  ContactSurface own;
  own.add(patch, rest);
  ContactCandidates candidates;
  candidates.find(own, rest.vertices, rest.vertices, {}, [](std::uint32_t, std::uint32_t) { return true; });
  const double gap = smallest_gap(own, candidates, rest.vertices);
  if (!(gap < patch.range)) return;
  throw Error(
      fmt::format("Barriers reach {:.3g} m about body '{}', and points and edges of its own are {:.3g} m apart at rest: "
                  "they would push it out of shape. Take a range (/step/barrier/range) of {:.1g} or less, or a coarser "
                  "mesh.",
                  patch.range, name, gap, 0.9 * range * gap / patch.range));
}

}   // namespace

void BarrierSurface::begin(const World& world, const StepOptions& options) {
  if (world_ != &world || version_ != world.structure_version() || range_ != options.barrier.range) build(world, options);
  widen(1, 1);
  // What weight asks for, what moves a body by the range within a step, and a part of what stops it within one.
  for (std::uint32_t k = 0; k < surface_.patches().size(); ++k) {
    const ContactSurface::Patch& patch = surface_.patches()[k];
    const Body& body = world.bodies()[patch.body];
    double speed = body.velocity.norm();
    if (body.is_rigid() && body.motion != MotionType::fixed) {
      const double reach = reach_of(world, body);   // infinite of a half-space
      speed += (std::isfinite(reach) ? reach : reach_of_half_space(world, body)) * body.angular_velocity.norm();
    }
    surface_.set_fixed(k, body.is_rigid() && body.motion == MotionType::fixed);
    const double h = options.h;
    surface_.set_acceleration(k, std::max({world.gravity.norm(), patch.range / (h * h), kStopped * speed / h}));
  }
}

void BarrierSurface::widen(double ranges, double reaches) {
  for (std::uint32_t k = 0; k < ranges_.size(); ++k)
    if (!surface_.patches()[k].deforms) surface_.set_range(k, ranges * ranges_[k], reaches * ranges_[k]);
}

void BarrierSurface::build(const World& world, const StepOptions& options) {
  world_ = &world;
  version_ = world.structure_version();
  range_ = options.barrier.range;
  surface_ = {};
  owners_.clear();
  fixed_.clear();
  for (std::uint32_t i = 0; i < world.bodies().size(); ++i) {
    const Body& body = world.bodies()[i];
    if (!body.alive) continue;
    double whole = 0;
    for (const std::uint32_t c : body.colliders) whole += surface_area(world.colliders()[c].shape);
    for (const std::uint32_t k : body.colliders) {
      const Collider& c = world.colliders()[k];
      ContactSurface::Patch patch;
      patch.deforms = c.deforms;
      patch.radius = radius_of(c.shape);
      patch.range = range_ * c.characteristic_length;
      patch.body = i;
      patch.collider = k;
      if (body.motion == MotionType::dynamic && whole > 0) patch.load = kSides * body.mass.mass / whole;
      c.deforms ? add_surface_of_nodes(world, k, patch) : add_rigid(world, k, patch);
    }
  }
  ranges_.clear();
  for (const ContactSurface::Patch& patch : surface_.patches()) ranges_.push_back(patch.range);
}

void BarrierSurface::add_rigid(const World& world, std::uint32_t number, const ContactSurface::Patch& patch) {
  const Collider& c = world.colliders()[number];
  const Body& body = world.bodies()[c.body];
  if (std::holds_alternative<HalfSpace>(c.shape)) {
    if (body.motion != MotionType::fixed) return add_moving_half_space(world, number, patch);
    const Pose pose = Pose{body.position, body.orientation} * c.local;
    const Vec3 normal = pose.orientation * Vec3::UnitZ();
    surface_.add(patch, normal, normal.dot(pose.position));
    return;
  }
  const TriangleMesh mesh = std::visit(SurfaceOfShape{}, c.shape);
  const std::uint32_t first = surface_.patches()[surface_.add(patch, mesh)].first_point;
  for (const Vec3& v : mesh.vertices) {
    Owner owner;
    owner.local = c.local * v;
    if (!body.is_rigid()) {
      const NodalBody& nodes = world.nodal_bodies()[body.place];
      owner.node = nodes.first_node + c.node;
      owner.local = Vec3::Zero();
      set_holders(nodes, [&](std::uint32_t node) { return node == c.node ? first : kNoBlock; });
    } else {
      owner.slot = c.body;
    }
    owners_.push_back(owner);
    fixed_.push_back(Pose{body.position, body.orientation} * owner.local);
  }
}

/// Three points in the plane, about as far out as what may touch it.
void BarrierSurface::add_moving_half_space(const World& world, std::uint32_t number, const ContactSurface::Patch& patch) {
  const Collider& c = world.colliders()[number];
  const double size = reach_of_half_space(world, world.bodies()[c.body]);
  surface_.add_moving_half_space(patch);
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * std::numbers::pi * k / 3;
    Owner owner;
    owner.slot = c.body;
    owner.local = c.local * Vec3(size * std::cos(angle), size * std::sin(angle), 0);
    owners_.push_back(owner);
    fixed_.push_back(Pose{world.bodies()[c.body].position, world.bodies()[c.body].orientation} * owner.local);
  }
}

void BarrierSurface::add_surface_of_nodes(const World& world, std::uint32_t number, const ContactSurface::Patch& patch) {
  const NodalBody& nodes = world.nodal_bodies()[world.bodies()[world.colliders()[number].body].place];
  // Corners of the surface only: nodes inside touch nothing.
  TriangleMesh mesh;
  std::vector<std::uint32_t> place(nodes.size(), kNoBlock);
  const std::vector<Vec3>& rest = nodes.is_soft() ? nodes.solid->rest() : nodes.positions;
  for (std::array<std::uint32_t, 3> corners : nodes.triangles) {
    for (std::uint32_t& node : corners) {
      if (place[node] == kNoBlock) {
        place[node] = static_cast<std::uint32_t>(mesh.vertices.size());
        mesh.vertices.push_back(rest[node]);
        owners_.push_back({kNoBlock, nodes.first_node + node, Vec3::Zero()});
        fixed_.push_back(nodes.positions[node]);
      }
      node = place[node];
    }
    mesh.triangles.push_back(corners);
  }
  check_own_gaps(patch, mesh, world.bodies()[patch.body].name, range_);
  const std::uint32_t first = surface_.patches()[surface_.add(patch, mesh)].first_point;
  set_holders(nodes, [&](std::uint32_t node) { return place[node] != kNoBlock ? first + place[node] : kNoBlock; });
}

/// @param point_of of a node the number of its point, or kNoBlock
void BarrierSurface::set_holders(const NodalBody& nodes, const auto& point_of) {
  const auto hold = [&](std::uint32_t node, std::uint32_t body) {
    if (const std::uint32_t point = point_of(node); point != kNoBlock) surface_.set_holder(point, body);
  };
  for (const HeldNode& held : nodes.held)
    if (held.body != HeldNode::kWorld) hold(held.node, held.body);
  for (const AttachedNode& attached : nodes.attached) hold(attached.node, attached.body);
}

bool BarrierSurface::may_meet(const World& world, std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t body_a = surface_.patches()[a].body, body_b = surface_.patches()[b].body;
  if (body_a == body_b) return !world.bodies()[body_a].is_rigid();
  const auto moves = [&](std::uint32_t slot) { return world.bodies()[slot].motion == MotionType::dynamic; };
  return (moves(body_a) || moves(body_b)) && world.may_touch(body_a, body_b);
}

void BarrierSurface::place(const BarrierBodies& bodies, std::vector<Vec3>& out) const {
  out.resize(owners_.size());
  for (std::size_t p = 0; p < owners_.size(); ++p) {
    const Owner& o = owners_[p];
    if (o.node != kNoBlock) out[p] = bodies.nodes()[o.node];
    else if (const std::uint32_t r = bodies.rigid_of(o.slot); r != kNoBlock) out[p] = bodies.rigid()[r].now * o.local;
    else out[p] = fixed_[p];
  }
}

void BarrierSurface::place_targets(const BarrierBodies& bodies, std::vector<Vec3>& out) const {
  out.resize(owners_.size());
  for (std::size_t p = 0; p < owners_.size(); ++p) {
    const Owner& o = owners_[p];
    if (o.node != kNoBlock) out[p] = bodies.target_of_node(o.node);
    else if (const std::uint32_t r = bodies.rigid_of(o.slot); r != kNoBlock) out[p] = bodies.rigid()[r].target * o.local;
    else out[p] = fixed_[p];
  }
}

void BarrierSurface::place_ends(const BarrierBodies& bodies, std::span<const double> direction, std::vector<Vec3>& ends,
                                std::vector<double>& bends) const {
  ends.resize(owners_.size());
  bends.assign(owners_.size(), 0.0);
  std::vector<Pose> poses;
  std::vector<double> turns;
  for (std::uint32_t r = 0; r < bodies.rigid().size(); ++r) {
    poses.push_back(BarrierBodies::moved(bodies.rigid()[r], direction, r, 1));
    turns.push_back(Eigen::Map<const Vec3>(direction.data() + 6 * std::size_t{r} + 3).squaredNorm());
  }
  for (std::size_t p = 0; p < owners_.size(); ++p) {
    const Owner& o = owners_[p];
    if (o.node != kNoBlock) {
      const std::uint32_t at = bodies.block_of_node(o.node);
      ends[p] = bodies.nodes()[o.node];
      if (at != kNoBlock) ends[p] += Eigen::Map<const Vec3>(direction.data() + 3 * std::size_t{at});
    } else if (const std::uint32_t r = bodies.rigid_of(o.slot); r != kNoBlock) {
      ends[p] = poses[r] * o.local;
      bends[p] = turns[r] * o.local.norm();
    } else {
      ends[p] = fixed_[p];
    }
  }
}

Vec3 BarrierSurface::on_way(const BarrierBodies& bodies, std::span<const double> direction, std::uint32_t point,
                            double time) const {
  const Owner& o = owners_[point];
  const std::uint32_t r = bodies.rigid_of(o.slot);
  return BarrierBodies::moved(bodies.rigid()[r], direction, r, time) * o.local;
}

}   // namespace stickslip
