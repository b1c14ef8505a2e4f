// Contact sites and what to ask of the laws there, for tests of surfaces and surface laws.
#pragma once

#include <random>

#include "stickslip/friction/surface_law.h"

namespace stickslip::testing_sites {

inline Vec3 random_unit(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Vec3(normal(random), normal(random), normal(random)).normalized();
}
inline Pose random_pose(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return {Vec3(normal(random), normal(random), normal(random)),
          Quat(normal(random), normal(random), normal(random), normal(random)).normalized()};
}

/// The same contact with the bodies' names exchanged.
inline ContactSite swapped(ContactSite site) {
  std::swap(site.a, site.b);
  site.normal = -site.normal;
  site.slip = -site.slip;
  site.frame_of_b = !site.frame_of_b;
  return site;
}

/// The same contact, moved as a whole.
inline ContactSite moved(ContactSite site, const Pose& by) {
  site.position = by * site.position;
  site.normal = by.orientation * site.normal;
  site.slip = by.orientation * site.slip;
  site.a.pose = by * site.a.pose;
  site.b.pose = by * site.b.pose;
  return site;
}

/// How far the set reaches along a motion of B against A: velocity and spin, world frame. In this form sets can be compared
/// whatever tangents they have.
inline double reach(const LocalFriction& local, const ContactSite& site, const Vec3& velocity, const Vec3& spin) {
  const Vec3 n = site.normal, t = local.tangent.isZero(0) ? Vec3(frame_from_normal(n).col(1)) : local.tangent, b = n.cross(t);
  return std::visit(
      [&](const auto& set) {
        using Set = std::decay_t<decltype(set)>;
        typename Set::Vector d;
        d[0] = velocity.dot(t);
        if constexpr (Set::rows >= 2) d[1] = velocity.dot(b);
        if constexpr (Set::rows == 3 || Set::rows == 5) d[2] = spin.dot(n);
        if constexpr (Set::rows >= 4) {
          d[Set::rows - 2] = spin.dot(t);
          d[Set::rows - 1] = spin.dot(b);
        }
        return set.support(d);
      },
      local.set);
}

/// The coefficient of friction with which B slides over A along d: the largest impulse against it.
inline double resistance(const LocalFriction& local, const ContactSite& site, const Vec3& d) {
  return reach(local, site, -d, Vec3::Zero());
}

}   // namespace stickslip::testing_sites
