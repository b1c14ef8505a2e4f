#include "volume/clipping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "volume/round.h"

namespace stickslip {

namespace {

/// Rounds in which all bodies narrow down where the overlap can be. Four find one that is a millionth of the radius deep.
constexpr int kNarrowings = 4;

/// A shape with a bent surface, placed.
struct RoundBody {
  enum class Kind { ball, tube, cylinder, capsule } kind;
  Vec3 center;
  Mat3 frame;
  double radius, half_height;
  FaceOwner owner;

  Ball end(double sign) const { return {center + sign * half_height * frame.col(2), radius, owner}; }
  Ball ball() const { return {center, radius, owner}; }
  Tube tube() const { return {center, frame, radius, owner}; }
  CutPlane across(double sign, double height, FaceOwner of) const {
    const Vec3 normal = sign * frame.col(2);
    return {normal, normal.dot(center) + height, of};
  }
};

struct RoundList {
  std::array<RoundBody, 2> bodies;
  int count = 0;
};

class ConvexClipper {
 public:
  ConvexClipper(OverlapScratch::Memory& memory, MomentSums& sums, int facets) : memory_(memory), sums_(sums), facets_(facets) {}

  /// Measures what the bodies of the list leave of the solid at `level`, which is used up.
  bool measure(int level, RoundList list) {
    Polyhedron& solid = memory_.solids[level];
    for (int i = 0; i < list.count; ++i) {
      RoundBody& body = list.bodies[i];
      if (body.kind == RoundBody::Kind::capsule) return measure_capsule(level, i, list);
      if (body.kind != RoundBody::Kind::cylinder) continue;
      if (!cut_across(solid, body, body.owner)) return false;
      body.kind = RoundBody::Kind::tube;
    }
    return measure_simple(solid, list);
  }

 private:
  static bool cut_across(Polyhedron& solid, const RoundBody& body, FaceOwner owner) {
    return solid.cut(body.across(1, body.half_height, owner)) && solid.cut(body.across(-1, body.half_height, owner));
  }

  /// Barrel and two ends, cut apart by planes that are nobody's surface.
  bool measure_capsule(int level, int place, RoundList list) {
    bool any = false;
    const RoundBody body = list.bodies[place];
    for (const double sign : {-1.0, 1.0}) {
      memory_.solids[level + 1] = memory_.solids[level];
      if (!memory_.solids[level + 1].cut(body.across(-sign, -body.half_height, FaceOwner::none))) continue;
      list.bodies[place] = {RoundBody::Kind::ball, body.end(sign).center, body.frame, body.radius, 0, body.owner};
      any |= measure(level + 1, list);
    }
    if (!(body.half_height > 0) || !cut_across(memory_.solids[level], body, FaceOwner::none)) return any;
    list.bodies[place].kind = RoundBody::Kind::tube, list.bodies[place].center = body.center;
    return measure(level, list) || any;
  }

  /// Balls and tubes only.
  bool measure_simple(Polyhedron& solid, RoundList list) {
    if (solid.empty()) return false;
    const auto is_ball = [&](int i) { return list.bodies[i].kind == RoundBody::Kind::ball; };
    // A ball at the end needs no planes.
    if (list.count == 2 && is_ball(0)) std::swap(list.bodies[0], list.bodies[1]);
    const bool exact = list.count > 0 && is_ball(list.count - 1) && !memory_.surfaces;   // what is drawn has planes
    for (int round = 0; round < kNarrowings && !(exact && list.count == 1); ++round)
      for (int i = 0; i < list.count; ++i)
        if (!(is_ball(i) ? narrow_to_ball(solid, list.bodies[i].ball(), facets_)
                         : narrow_to_tube(solid, list.bodies[i].tube(), facets_)))
          return false;
    for (int i = 0; i < list.count - exact; ++i) {
      const RoundBody& body = list.bodies[i];
      if (!(is_ball(i) ? cut_by_ball(solid, body.ball(), body.frame, facets_) : cut_by_tube(solid, body.tube(), facets_)))
        return false;
    }
    if (exact) return measure_ball(solid, list.bodies[list.count - 1]);
    if (memory_.surfaces) append_surface(solid);
    add_moments(solid, sums_);
    memory_.points.insert(memory_.points.end(), solid.vertices().begin(), solid.vertices().end());
    return true;
  }

  void append_surface(const Polyhedron& solid) const {
    OverlapSurface& surface = memory_.surfaces->emplace_back();
    surface.vertices = solid.vertices();
    for (const Polyhedron::Face& face : solid.faces()) {
      const int* const loop = solid.loop(face);
      const auto corner = [&](int k) { return static_cast<std::uint32_t>(loop[k]); };
      for (int k = 2; k < face.count; ++k) surface.triangles.push_back({corner(0), corner(k - 1), corner(k)});
    }
  }

  /// A solid and a ball. Where faces of the solid coincide but for rounding, as where a capsule is cut apart in the plane of a
  /// face, rims may not close: then there is next to nothing between the faces, or planes do in place of the ball.
  bool measure_ball(Polyhedron& solid, const RoundBody& body) {
    MomentSums whole, part;
    add_moments(solid, whole);
    double widest = 0;
    for (const Vec3& v : solid.vertices()) widest = std::max(widest, (v - solid.vertices()[0]).squaredNorm());
    if (whole.volume < 1e-13 * body.radius * widest) return false;
    const std::size_t points = memory_.points.size();
    if (!add_ball_moments(solid, body.ball(), part, memory_.points, memory_.ball)) return false;
    const double slack = 1e-9 * body.radius * body.radius * body.radius;
    if (part.volume < -slack || part.volume > whole.volume * (1 + 1e-9) + slack) {
      memory_.points.resize(points);
      if (!cut_by_ball(solid, body.ball(), body.frame, facets_)) return false;
      part = {};
      add_moments(solid, part);
      memory_.points.insert(memory_.points.end(), solid.vertices().begin(), solid.vertices().end());
    }
    sums_.add(part);
    return true;
  }

  OverlapScratch::Memory& memory_;
  MomentSums& sums_;
  int facets_;
};

bool is_polytope(const Shape& s) { return std::holds_alternative<Box>(s) || std::holds_alternative<ConvexHull>(s); }
bool is_half_space(const Shape& s) { return std::holds_alternative<HalfSpace>(s); }

RoundBody round_body(const Shape& shape, const Pose& pose, FaceOwner owner) {
  const Mat3 frame = pose.rotation();
  if (const auto* s = std::get_if<Sphere>(&shape)) return {RoundBody::Kind::ball, pose.position, frame, s->radius, 0, owner};
  if (const auto* c = std::get_if<Cylinder>(&shape))
    return {RoundBody::Kind::cylinder, pose.position, frame, c->radius, c->half_height, owner};
  const auto& c = std::get<Capsule>(shape);
  return {RoundBody::Kind::capsule, pose.position, frame, c.radius, c.half_height, owner};
}

CutPlane plane_of_half_space(const Pose& pose, FaceOwner owner) {
  const Vec3 normal = pose.orientation * Vec3::UnitZ();
  return {normal, normal.dot(pose.position), owner};
}

void set_solid(Polyhedron& solid, const Shape& shape, const Pose& pose, FaceOwner owner) {
  if (const auto* box = std::get_if<Box>(&shape)) solid.set_box(pose.position, pose.rotation(), box->half_extents, owner);
  else solid.set_polytope(*std::get<ConvexHull>(shape).polytope, pose, owner);
}

/// Half the sides of a box around a round body along its own axes, larger by a tenth, so that none of its faces stays.
Vec3 half_sides(const RoundBody& body) {
  const double along = body.half_height + (body.kind == RoundBody::Kind::cylinder ? 0 : body.radius);
  return 1.1 * Vec3(body.radius, body.radius, along);
}

bool cut_by_box_around(Polyhedron& solid, const RoundBody& body) {
  const Vec3 half = half_sides(body);
  for (int side = 0; side < 6; ++side) {
    const Vec3 normal = (side % 2 == 0 ? -1.0 : 1.0) * body.frame.col(side / 2);
    if (!solid.cut({normal, normal.dot(body.center) + half[side / 2], FaceOwner::none})) return false;
  }
  return true;
}

bool cut_by_solid(Polyhedron& solid, const Shape& shape, const Pose& pose, FaceOwner owner) {
  if (is_half_space(shape)) return solid.cut(plane_of_half_space(pose, owner));
  const Mat3 rotation = pose.rotation();
  if (const auto* box = std::get_if<Box>(&shape)) {
    for (int side = 0; side < 6; ++side) {
      const Vec3 normal = (side % 2 == 0 ? -1.0 : 1.0) * rotation.col(side / 2);
      if (!solid.cut({normal, normal.dot(pose.position) + box->half_extents[side / 2], owner})) return false;
    }
    return true;
  }
  for (const Polytope::Face& f : std::get<ConvexHull>(shape).polytope->faces) {
    const Vec3 normal = rotation * f.normal;
    if (!solid.cut({normal, f.offset + normal.dot(pose.position), owner})) return false;
  }
  return true;
}

bool clip_sphere_half_space(const Ball& ball, const CutPlane& plane, MomentSums& sums) {
  const double depth = plane.offset - plane.normal.dot(ball.center) + ball.radius;
  if (!(depth > 0)) return false;
  add_cap(ball, -plane.normal, depth, plane.owner, sums);
  return true;
}

bool clip_spheres(const Ball& a, const Ball& b, MomentSums& sums) {
  const Vec3 apart = b.center - a.center;
  const double distance = apart.norm();
  if (distance >= a.radius + b.radius) return false;
  if (distance <= std::abs(a.radius - b.radius)) {
    add_cap(a.radius < b.radius ? a : b, Vec3::UnitZ(), 3 * a.radius + 3 * b.radius, FaceOwner::none, sums);
    return true;
  }
  // The common plane cuts a cap off each; its sides belong to nobody.
  const double closing = a.radius + b.radius - distance;
  const Vec3 direction = apart / distance;
  add_cap(a, direction, closing * (b.radius + distance - a.radius) / (2 * distance), FaceOwner::none, sums);
  add_cap(b, -direction, closing * (a.radius + distance - b.radius) / (2 * distance), FaceOwner::none, sums);
  return true;
}

/// Points of the surface of an overlap that is round about a direction, by its sums.
void add_points_of_lens(const Vec3& direction, double rim_area, const Vec3& rim_middle, const Vec3& low, const Vec3& high,
                        std::vector<Vec3>& points) {
  const Mat3 frame = frame_from_normal(direction);
  const double rho = std::sqrt(std::max(rim_area, 0.0) / std::numbers::pi);
  for (int k = 0; k < 8; ++k) {
    const double turn = k * std::numbers::pi / 4;
    points.push_back(rim_middle + rho * (std::cos(turn) * frame.col(1) + std::sin(turn) * frame.col(2)));
  }
  points.push_back(low), points.push_back(high);
}

/// A sphere and a half-space or another sphere.
bool clip_round_pair(const RoundBody& sphere, const Shape& other, const Pose& pose, FaceOwner owner, MomentSums& sums,
                     std::vector<Vec3>& points) {
  const Ball ball = sphere.end(0);
  if (is_half_space(other)) {
    const CutPlane plane = plane_of_half_space(pose, owner);
    if (!clip_sphere_half_space(ball, plane, sums)) return false;
    const double height = plane.normal.dot(ball.center) - plane.offset, cut = std::max(-ball.radius, height);
    const double area = height > -ball.radius ? sums.force.norm() : std::numbers::pi * ball.radius * ball.radius;
    const Vec3 middle = ball.center - (height > -ball.radius ? height : 0.0) * plane.normal;
    add_points_of_lens(plane.normal, area, middle, ball.center - ball.radius * plane.normal, ball.center - cut * plane.normal,
                       points);
    return true;
  }
  const Ball second = {pose.position, std::get<Sphere>(other).radius, owner};
  if (!clip_spheres(ball, second, sums)) return false;
  const Vec3 apart = second.center - ball.center;
  const double distance = apart.norm();
  const Ball& small = ball.radius < second.radius ? ball : second;
  const bool inside = distance <= std::abs(ball.radius - second.radius);
  const Vec3 direction = distance > 0 ? Vec3(apart / distance) : Vec3::UnitZ();
  const double to_rim = (distance * distance + ball.radius * ball.radius - second.radius * second.radius) / (2 * distance);
  const Vec3 middle = inside ? small.center : Vec3(ball.center + to_rim * direction);
  const double area = inside ? std::numbers::pi * small.radius * small.radius : sums.force.norm();
  const Vec3 low = inside ? Vec3(small.center - small.radius * direction) : Vec3(second.center - second.radius * direction);
  const Vec3 high = inside ? Vec3(small.center + small.radius * direction) : Vec3(ball.center + ball.radius * direction);
  add_points_of_lens(direction, area, middle, low, high, points);
  return true;
}

/// One shape is a polytope or a half-space, the other is round.
bool clip_flat_and_round(const Shape& flat, const Pose& flat_pose, FaceOwner flat_owner, const RoundBody& body, int facets,
                         OverlapScratch::Memory& memory, MomentSums& sums) {
  Polyhedron& solid = memory.solids[0];
  if (is_half_space(flat)) {
    solid.set_box(body.center, body.frame, half_sides(body), FaceOwner::none);
    if (!cut_by_solid(solid, flat, flat_pose, flat_owner)) return false;
  } else {
    set_solid(solid, flat, flat_pose, flat_owner);
    if (body.kind != RoundBody::Kind::ball && !cut_by_box_around(solid, body)) return false;
  }
  return ConvexClipper(memory, sums, facets).measure(0, RoundList{{body, body}, 1});
}

bool clip_polytopes(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch::Memory& memory,
                    MomentSums& sums) {
  const auto faces = [](const Shape& s) {
    return is_half_space(s)                 ? std::size_t{1}
           : std::holds_alternative<Box>(s) ? std::size_t{6}
                                            : std::get<ConvexHull>(s).polytope->faces.size();
  };
  Polyhedron& solid = memory.solids[0];
  const bool a_cuts = faces(a) < faces(b);   // the one with fewer faces has less to cut with
  if (a_cuts) set_solid(solid, b, pose_b, FaceOwner::b);
  else set_solid(solid, a, pose_a, FaceOwner::a);
  if (!(a_cuts ? cut_by_solid(solid, a, pose_a, FaceOwner::a) : cut_by_solid(solid, b, pose_b, FaceOwner::b))) return false;
  return ConvexClipper(memory, sums, 0).measure(0, {});
}

}   // namespace

bool clip_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, int facets,
                 OverlapScratch::Memory& memory, MomentSums& sums) {
  memory.points.clear();
  const bool flat_a = is_polytope(a) || is_half_space(a), flat_b = is_polytope(b) || is_half_space(b);
  if (flat_a && flat_b) return clip_polytopes(a, pose_a, b, pose_b, memory, sums);
  const bool exact = !memory.surfaces;
  const bool sphere_a = exact && std::holds_alternative<Sphere>(a), sphere_b = exact && std::holds_alternative<Sphere>(b);
  if (sphere_a && (sphere_b || is_half_space(b)))
    return clip_round_pair(round_body(a, pose_a, FaceOwner::a), b, pose_b, FaceOwner::b, sums, memory.points);
  if (sphere_b && is_half_space(a))
    return clip_round_pair(round_body(b, pose_b, FaceOwner::b), a, pose_a, FaceOwner::a, sums, memory.points);
  if (flat_a) return clip_flat_and_round(a, pose_a, FaceOwner::a, round_body(b, pose_b, FaceOwner::b), facets, memory, sums);
  if (flat_b) return clip_flat_and_round(b, pose_b, FaceOwner::b, round_body(a, pose_a, FaceOwner::a), facets, memory, sums);
  const RoundBody first = round_body(a, pose_a, FaceOwner::a), second = round_body(b, pose_b, FaceOwner::b);
  Polyhedron& solid = memory.solids[0];
  solid.set_box(first.center, first.frame, half_sides(first), FaceOwner::none);
  if (!cut_by_box_around(solid, second)) return false;
  return ConvexClipper(memory, sums, facets).measure(0, RoundList{{first, second}, 2});
}

bool clip_tetrahedron(const std::array<Vec3, 4>& corners, const Shape& b, const Pose& pose_b, int facets,
                      OverlapScratch::Memory& memory, MomentSums& sums) {
  memory.points.clear();
  Polyhedron& solid = memory.solids[0];
  solid.set_tetrahedron(corners, FaceOwner::a);
  if (is_polytope(b) || is_half_space(b))
    return cut_by_solid(solid, b, pose_b, FaceOwner::b) && ConvexClipper(memory, sums, facets).measure(0, {});
  const RoundBody body = round_body(b, pose_b, FaceOwner::b);
  if (!cut_by_box_around(solid, body)) return false;
  memory.solids.back() = solid;   // a capsule leaves only its barrel behind
  const bool any = ConvexClipper(memory, sums, facets).measure(0, RoundList{{body, body}, 1});
  solid = memory.solids.back();
  return any;
}

}   // namespace stickslip
