// Cylinders and capsules against each other and against boxes and hulls: one idea, the direction between convex cores, then
// the patch of the supporting features along it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "collide/gjk.h"
#include "collide/pairs.h"
#include "collide/side_ends.h"

namespace stickslip::narrow {
namespace {

// How far sharp cores lie inside, in parts of the thinner shape's inner radius. Overlap by twice as much goes to the
// expanding polytope, which costs more; a larger part rounds the normals near edges more.
constexpr double kInset = 0.1;
constexpr double kEdgeInset = 1e-3;   // against an edge of a mesh

// Patches that miss the nearest points by more than this part of the smaller shape's size do not speak for them.
constexpr double kPatchMisses = 1e-4;

// Cosine of the angle between normal and axis up to which a round body touches with its side.
constexpr double kAcross = 0.3;

// Part of the half height below which points are one place.
constexpr double kTogether = 0.2;

// Features of the ends of sides, which no patch has.
constexpr std::uint32_t kSideEnds = 0xfffffff0;

double lowest_gap(const ContactSink& sink) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const ContactPoint& p : sink.points()) lowest = std::min(lowest, p.gap);
  return lowest;
}

void add_contacts(const ConvexCore& a, const ConvexCore& b, const CoreDirection& cores, const Vec3& origin, double margin,
                  ContactSink& sink) {
  Vec3 n = a.aligned_face(cores.normal);
  if (n == cores.normal) n = -b.aligned_face(-cores.normal);
  const double top_of_a = a.extent(n), bottom_of_b = -b.extent(-n);
  const double gap = bottom_of_b - top_of_a;
  if (gap > margin) return;

  const double reach = margin - std::max(gap, 0.0);
  Feature feature_a, feature_b, second;
  a.feature(n, reach, feature_a);
  b.feature(-n, reach, feature_b);
  add_patch(feature_a, feature_b, n, origin, margin, sink);
  if (feature_b.count >= 3 && a.second_feature(n, reach, second)) add_patch(second, feature_b, n, origin, margin, sink);
  if (feature_a.count >= 3 && b.second_feature(-n, reach, second)) add_patch(feature_a, second, n, origin, margin, sink);
  if (lowest_gap(sink) <= gap + kPatchMisses * std::min(a.size(), b.size())) return;
  // A point touches, or the patch is empty because the normal passes between features: then the cores know where.
  const Vec3 between = feature_a.count == 1   ? feature_a.points[0]
                       : feature_b.count == 1 ? feature_b.points[0]
                                              : Vec3(0.5 * (cores.on_a + cores.on_b));
  const Vec3 middle = between + n * (0.5 * (top_of_a + bottom_of_b) - n.dot(between));
  sink.add(origin + middle, n, gap, patch_feature(PatchPoint::lone, feature_a.ids[0], feature_b.ids[0]));
}

template <class S>
bool is_round(const S& shape) {
  if constexpr (std::is_same_v<S, Capsule>) return shape.radius > 0;
  else return false;
}

/// How far the cores of two sharp shapes lie inside. An edge, which has no inside, would seem to lie beside a rounded rim.
template <class A, class B>
double inset_of(const A& a, const B& b) {
  if constexpr (std::is_same_v<B, Capsule>) return kEdgeInset * inner_radius(a);
  else return kInset * std::min(inner_radius(a), inner_radius(b));
}

template <class A, class B>
void collide_cores(const A& shape_a, const Pose& pose_a, const B& shape_b, const Pose& pose_b, double margin,
                   ContactSink& sink) {
  // A capsule's radius keeps the cores apart already, and its partner can stay sharp, so the distance is exact. The edge of a
  // mesh is a capsule without a radius.
  const bool rounded = is_round(shape_a) || is_round(shape_b);
  const double inset = rounded ? 0.0 : inset_of(shape_a, shape_b);
  const Mat3 rotation_a = pose_a.rotation(), rotation_b = pose_b.rotation();
  const Vec3 between = pose_b.position - pose_a.position;
  const ConvexCore a(shape_a, rotation_a, Vec3::Zero(), inset);
  const ConvexCore b(shape_b, rotation_b, between, inset);
  const CoreDirection cores = core_direction(a, b, margin + a.slack() + b.slack());
  if (cores.state == CoreDirection::State::far) return;
  if (rounded || cores.state == CoreDirection::State::apart) {
    add_contacts(a, b, cores, pose_a.position, margin, sink);
    return;
  }
  // So deep that the overlap of the sharp shapes is far above rounding, and their own shallowest direction is exact.
  const ConvexCore sharp_a(shape_a, rotation_a, Vec3::Zero(), 0);
  const ConvexCore sharp_b(shape_b, rotation_b, between, 0);
  add_contacts(sharp_a, sharp_b, core_direction(sharp_a, sharp_b, margin), pose_a.position, margin, sink);
}

double spread(const ContactSink& sink) {
  double farthest = 0;
  for (const ContactPoint& p : sink.points())
    farthest = std::max(farthest, (p.position - sink.points().front().position).norm());
  return farthest;
}

Roller roller(const Capsule& c, const Pose& pose, const Vec3& origin) {
  return {pose.position - origin, pose.orientation * Vec3::UnitZ(), c.half_height, c.radius, false};
}
Roller roller(const Cylinder& c, const Pose& pose, const Vec3& origin) {
  return {pose.position - origin, pose.orientation * Vec3::UnitZ(), c.half_height, c.radius, true};
}

// Round bodies that touch with their sides, in one point or in two that are close together.
template <class A, class B>
void collide_rollers(const A& shape_a, const Pose& pose_a, const B& shape_b, const Pose& pose_b, double margin,
                     ContactSink& sink) {
  collide_cores(shape_a, pose_a, shape_b, pose_b, margin, sink);
  if (sink.points().empty() || spread(sink) > kTogether * std::min(shape_a.half_height, shape_b.half_height)) return;
  const ContactPoint point = sink.points().front();
  const Roller a = roller(shape_a, pose_a, pose_a.position), b = roller(shape_b, pose_b, pose_a.position);
  if (std::abs(point.normal.dot(a.axis)) > kAcross || std::abs(point.normal.dot(b.axis)) > kAcross) return;
  const Vec3 at = point.position - pose_a.position;
  add_side_ends(a, a.axis.dot(at - a.center), b, b.axis.dot(at - b.center), pose_a.position, margin, kSideEnds, sink);
}

}   // namespace

void collide(const Box& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_cores(a, pose_a, b, pose_b, margin, sink);
}

void collide(const Box& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_cores(a, pose_a, b, pose_b, margin, sink);
}

void collide(const Capsule& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_rollers(a, pose_a, b, pose_b, margin, sink);
}

void collide(const Capsule& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_cores(a, pose_a, b, pose_b, margin, sink);
}

void collide(const Cylinder& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_rollers(a, pose_a, b, pose_b, margin, sink);
}

void collide(const Cylinder& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_cores(a, pose_a, b, pose_b, margin, sink);
}

void collide_edge(const Cylinder& a, const Pose& pose_a, const Capsule& edge, const Pose& pose, double margin,
                  ContactSink& sink) {
  collide_cores(a, pose_a, edge, pose, margin, sink);
}
void collide_apart(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin, ContactSink& sink) {
  collide_cores(a, pose_a, b, pose_b, margin, sink);
}

void collide_apart(const Box& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double margin,
                   ContactSink& sink) {
  collide_cores(a, pose_a, b, pose_b, margin, sink);
}

void collide_apart(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double margin,
                   ContactSink& sink) {
  collide_cores(a, pose_a, b, pose_b, margin, sink);
}

}   // namespace stickslip::narrow
