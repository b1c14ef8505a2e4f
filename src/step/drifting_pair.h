// A pair of colliders where the drift of a step begins and where it is looked at: where it ends, or on the way there.
#pragma once

#include <algorithm>

#include "step/velocity_space.h"
#include "stickslip/collide/contact.h"
#include "stickslip/world/world.h"

namespace stickslip {

struct DriftingPair {
  const Manifold& manifold;
  const Motion &a, &b;   ///< before the step
  const Twist &of_a, &of_b;
  const Motion &end_a, &end_b;   ///< where it is looked at
  double thickness;              ///< of the thinner one [m]
  double tolerated;              ///< by which places may end deeper than they were to [m]
  double blow;                   ///< how fast one of the bodies is struck in this step [m/s]
  double turned;                 ///< by how much the bodies turn, both together [rad]
  double looked;                 ///< time from the start to where it is looked at [s]
  double time;                   ///< of the drift [s]

  Vec3 velocity_at(const Vec3& point) const {
    return of_b.linear + of_b.angular.cross(point - b.pose.position) - of_a.linear -
           of_a.angular.cross(point - a.pose.position);
  }
  /// Whether it is looked at where the drift ends.
  bool at_end() const { return looked == time; }
  /// Of a point whose gap becomes `end`. Asked for more than the approach, an impulse would give energy.
  double kappa(const ContactPoint& p, double end, double approach) const {
    const double bend = (end - p.gap) / looked - p.normal.dot(velocity_at(p.position));
    return std::max(bend, -std::max(0.0, p.gap) / time - std::max(approach, blow));
  }
  /// Where a point that turns with a body is at the end, and back.
  static Vec3 forth(const Motion& start, const Motion& end, const Vec3& point) {
    return end.pose * (start.pose.orientation.conjugate() * (point - start.pose.position));
  }
  static Vec3 back(const Motion& start, const Motion& end, const Vec3& point) {
    return start.pose.position + start.pose.orientation * end.pose.to_local(point);
  }
  /// Gap at the end of two points that turn with their bodies.
  double end_of(const ContactPoint& p) const {
    const Vec3 on_a = forth(a, end_a, p.position - 0.5 * p.gap * p.normal);
    const Vec3 on_b = forth(b, end_b, p.position + 0.5 * p.gap * p.normal);
    return (turn() * p.normal).dot(on_b - on_a);
  }
  /// A point of the end taken back to where it is at the start.
  ContactPoint start_of(const ContactPoint& e) const {
    const Vec3 on_a = back(a, end_a, e.position - 0.5 * e.gap * e.normal);
    const Vec3 on_b = back(b, end_b, e.position + 0.5 * e.gap * e.normal);
    const Vec3 normal = turn().conjugate() * e.normal;
    return {0.5 * (on_a + on_b), normal, normal.dot(on_b - on_a), e.feature};
  }
  /// How a normal turns: with the body that turns less.
  Quat turn() const {
    return of_a.angular.squaredNorm() < of_b.angular.squaredNorm() ? end_a.pose.orientation * a.pose.orientation.conjugate()
                                                                   : end_b.pose.orientation * b.pose.orientation.conjugate();
  }
};

}   // namespace stickslip
