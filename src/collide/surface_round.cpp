// A surface that deforms against spheres, capsules and cylinders. Where an edge or a face comes nearer to the middle of a ball
// or to an axis than its corners, there is a contact; the rims of a cylinder are corners all around.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "collide/surface_shape.h"

namespace stickslip::narrow {
namespace {

/// Sine of the angle by which rounding may turn the way to a point beside an edge out of the cone of the edge.
constexpr double kOverEdge = 1e-7;
/// Corners that a rim is taken for.
constexpr int kRimCorners = 16;

/// Balls around points and segments against the faces and edges of a surface. Its vertices have had their turn.
class RoundOnSurface {
 public:
  RoundOnSurface(SurfaceNearShape& near, double radius) : near_(near), a_(near.a), radius_(radius) {}

  /// @param inward direction of the axis that the ball ends, unit or zero: where it goes towards the surface, the ball is not
  /// the nearest
  void add_ball(const Vec3& center, std::uint32_t ball, const Vec3& inward) {
    inward_ = inward;
    for (const std::uint32_t t : near_.scratch.triangles) over_face(center, ball, t);
    for (const std::uint32_t e : near_.scratch.edges) at_edge(center, ball, e);
  }

  void add_axis(const Vec3& start, const Vec3& along) {
    inward_ = Vec3::Zero();
    for (const std::uint32_t id : near_.scratch.edges) {
      const MeshEdge e = edge_of(a_, id);
      const ClosestOfEdges on = closest_of_edges(e.start, e.start + e.along, start, start + along);
      if (on.on_a != OnEdge::inside || on.on_b != OnEdge::inside || on.parallel) continue;
      const Vec3 x = e.start + on.weight_a * e.along;
      add_at_edge(e, x, start + on.weight_b * along - x, shape_feature(ShapeFeature::axis, 0));
    }
  }

 private:
  void over_face(const Vec3& center, std::uint32_t ball, std::uint32_t t) {
    const auto& [i, j, k] = a_.mesh().triangles[t];
    const auto& x = a_.mesh().vertices;
    const Vec3 normal = face_normal(a_.mesh(), t);
    const double height = normal.dot(center - x[i]);
    if (normal.isZero(0) || height - radius_ > near_.margin || height < -radius_) return;
    if (inward_.dot(normal) < -kFeatureCone) return;
    const Vec3 foot = center - height * normal;
    const double beside = kOverEdge * std::abs(height);
    for (const auto& [from, to] : {std::pair{i, j}, {j, k}, {k, i}}) {
      const Vec3 along = x[to] - x[from];
      if (normal.cross(along).dot(foot - x[from]) <= beside * along.norm()) return;
    }
    const VertexGaps& gaps = near_.scratch.gaps_a;
    const double gap = height - radius_,
                 nearest = std::min({gaps.along(i, normal), gaps.along(j, normal), gaps.along(k, normal)});
    const SurfacePart part{SurfacePartKind::triangle, t};
    const std::uint64_t feature = shape_feature(ShapeFeature::ball, ball);
    if (gap >= nearest - kInsideNearer * size_of_triangle(a_, t) && !near_.was_loaded(part, feature)) return;
    if (height < 0 && !is_nearest_to(center, -height, t)) return;
    near_.add(part, foot, normal, gap, feature);
  }

  void at_edge(const Vec3& center, std::uint32_t ball, std::uint32_t id) {
    const auto& ends = a_.edges().vertices(id);
    const Vec3 &from = a_.mesh().vertices[ends[0]], &to = a_.mesh().vertices[ends[1]];
    const ClosestOnEdge on = closest_on_edge(center, from, to);
    const double reach = radius_ + near_.margin;
    if (on.on != OnEdge::inside || on.squared_distance > reach * reach) return;
    const Vec3 x = from + on.weight * (to - from);
    add_at_edge(edge_of(a_, id), x, center - x, shape_feature(ShapeFeature::ball, ball));
  }

  /// @param way from the edge to the middle or the axis [m]
  void add_at_edge(const MeshEdge& e, const Vec3& x, const Vec3& way, std::uint64_t feature) {
    const double distance = way.norm();
    const Vec3 mean = (e.normal[0] + e.normal[1]).normalized();
    const bool is_through = way.dot(mean) < 0;
    const double gap = (is_through ? -distance : distance) - radius_;
    if (gap > near_.margin || gap < -2 * radius_) return;
    const Vec3 normal = distance > kSamePlace * radius_ ? Vec3(way / (is_through ? -distance : distance)) : mean;
    const SurfacePart part = part_of_edge(a_, e.id);
    if (gap >= near_.nearest_end(e.id, normal) - kInsideNearer * e.along.norm() && !near_.was_loaded(part, feature)) return;
    if (inward_.dot(normal) < -kFeatureCone) return;
    const bool of_axis = feature == shape_feature(ShapeFeature::axis, 0);
    if (!of_axis && !is_touched_from(e, normal, kOverEdge)) return;
    if (of_axis && !can_be_touched(e, normal)) return;
    if (is_through && !is_nearest_to(x + way, distance, e.facet[0])) return;
    near_.add(part, x, normal, gap, feature);
  }

  bool is_nearest_to(const Vec3& point, double distance, std::uint32_t hint) const {
    return !closest_point(a_.mesh(), a_.tree(), point, (1 - kInsideNearer) * distance, hint);
  }

  SurfaceNearShape& near_;
  const MeshSurface& a_;
  double radius_;
  Vec3 inward_ = Vec3::Zero();
};

void add_vertices(SurfaceNearShape& near, const ShapeField& field) {
  for (const std::uint32_t v : near.scratch.vertices) near.add_vertex(v, field.sample(near.a.mesh().vertices[v]));
}

class CylinderOnSurface {
 public:
  CylinderOnSurface(SurfaceNearShape& near, const Cylinder& c)
      : near_(near), a_(near.a), c_(c), field_(c, near.pose), rotation_(near.pose.rotation()) {}

  void collide_all() {
    for (const std::uint32_t v : near_.scratch.vertices) near_.add_vertex(v, held(v));
    for (const std::uint32_t e : near_.scratch.edges) near_.add_lowest(e, field_);
    for (const int side : {-1, 1}) rim(side);
    near_.add_deepest(field_);
  }

 private:
  /// Inside, cap or side: the nearer one of those that the vertex looks at.
  FieldSample held(std::uint32_t v) const {
    const Vec3 p = near_.pose.to_local(a_.mesh().vertices[v]);
    const double radial = std::hypot(p.x(), p.y()), same = kClipTolerance * c_.radius;
    const double side = radial - c_.radius, cap = std::abs(p.z()) - c_.half_height;
    if (std::max(side, cap) > same || !(radial > 0)) return field_.sample(a_.mesh().vertices[v]);
    const FieldSample of_side{side, rotation_ * Vec3(p.x() / radial, p.y() / radial, 0)};
    const FieldSample of_cap{cap, rotation_.col(2) * std::copysign(1.0, p.z())};
    const FieldSample &nearer = side > cap ? of_side : of_cap, &farther = side > cap ? of_cap : of_side;
    if (nearer.value - farther.value > kAskFarther * size_at_vertex(a_, v)) return nearer;
    const auto look = [&](const FieldSample& s) { return look_of(look_of_vertex(a_, v, -s.gradient)); };
    return look(farther) > look(nearer) ? farther : nearer;
  }

  Vec3 radial_at(double angle) const { return rotation_ * Vec3(std::cos(angle), std::sin(angle), 0); }
  Vec3 rim_at(int side, double angle) const {
    return near_.pose.position + side * c_.half_height * rotation_.col(2) + c_.radius * radial_at(angle);
  }
  double add_rim(int side, double angle, std::uint64_t feature) {
    const Vec3 radial = radial_at(angle), axis = side * rotation_.col(2);
    const auto look = [&](const Vec3& d) { return std::max(radial.dot(d), axis.dot(d)); };
    return near_.add_corner(rim_at(side, angle), feature, look, [](const Vec3&) { return false; });
  }

  void rim(int side) {
    constexpr double kStep = 2 * std::numbers::pi / kRimCorners;
    const std::uint32_t first = side < 0 ? 0 : kRimCorners;
    std::array<double, kRimCorners> gap;
    for (int k = 0; k < kRimCorners; ++k)
      gap[k] = add_rim(side, k * kStep, corner_feature(first + static_cast<std::uint32_t>(k)));
    for (int k = 0; k < kRimCorners; ++k) {
      const double before = gap[(k + kRimCorners - 1) % kRimCorners], after = gap[(k + 1) % kRimCorners];
      const double rise = kInsideNearer * c_.radius;
      if (std::isfinite(gap[k]) && gap[k] <= std::min(before, after) && std::max(before, after) > gap[k] + rise)
        lowest_of_rim(side, k * kStep, kStep, shape_feature(ShapeFeature::rim, first + static_cast<std::uint32_t>(k)));
    }
  }

  /// Between the neighbours of the lowest corner of a rim.
  void lowest_of_rim(int side, double middle, double step, std::uint64_t feature) {
    const auto value = [&](double angle) {
      const auto found = signed_distance(a_, rim_at(side, angle));
      return found ? found->distance : 0.0;
    };
    const double part = (std::sqrt(5.0) - 1) / 2;
    double low = middle - step, high = middle + step, x = high - part * 2 * step, y = low + part * 2 * step;
    double at_x = value(x), at_y = value(y);
    for (int i = 0; i < 20; ++i) {
      if (at_x < at_y) high = y, y = x, at_y = at_x, x = high - part * (high - low), at_x = value(x);
      else low = x, x = y, at_x = at_y, y = low + part * (high - low), at_y = value(y);
    }
    const double angle = 0.5 * (low + high);
    if (std::abs(angle - middle) > 0.1 * step) add_rim(side, angle, feature);
  }

  SurfaceNearShape& near_;
  const MeshSurface& a_;
  const Cylinder& c_;
  ShapeField field_;
  Mat3 rotation_;
};

}   // namespace

void collide_surface_with(SurfaceNearShape& near, const Sphere& s) {
  near.gather(bounding_box(s, near.pose).grown(near.margin));
  if (near.scratch.triangles.empty()) return;
  const ShapeField field(s, near.pose);
  add_vertices(near, field);
  RoundOnSurface(near, s.radius).add_ball(near.pose.position, 0, Vec3::Zero());
  near.add_deepest(field);
}

void collide_surface_with(SurfaceNearShape& near, const Capsule& c) {
  near.gather(bounding_box(c, near.pose).grown(near.margin));
  if (near.scratch.triangles.empty()) return;
  const ShapeField field(c, near.pose);
  add_vertices(near, field);
  RoundOnSurface round(near, c.radius);
  const Vec3 axis = near.pose.orientation * Vec3::UnitZ(), half = c.half_height * axis;
  round.add_ball(near.pose.position - half, 0, c.half_height > 0 ? axis : Vec3(Vec3::Zero()));
  if (c.half_height > 0) {
    round.add_ball(near.pose.position + half, 1, -axis);
    round.add_axis(near.pose.position - half, 2 * half);
  }
  near.add_deepest(field);
}

void collide_surface_with(SurfaceNearShape& near, const Cylinder& c) {
  near.gather(bounding_box(c, near.pose).grown(near.margin));
  if (!near.scratch.triangles.empty()) CylinderOnSurface(near, c).collide_all();
}

}   // namespace stickslip::narrow
