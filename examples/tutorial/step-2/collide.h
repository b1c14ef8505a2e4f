// Where bodies touch: balls and boxes.
#pragma once

#include <optional>

#include "step-1/body.h"

namespace tutorial {

struct Contact {
  int a = 0, b = 0;   // bodies
  Vec3 point;         // where they touch [m]
  Vec3 normal;        // from a to b, of length 1
  double gap = 0;     // distance of the surfaces [m]; negative: how deep they overlap
  int feature = 0;    // which corner touches, so that a contact can be recognised in the next step
};

/// A ball near a box: the nearest place of the box's surface, and from there to the ball.
inline Contact ball_box(const Vec3& centre, double radius, const Body& box) {
  const Vec3& half = std::get<Box>(box.shape).half;
  const Vec3 p = box.q.conjugate() * (centre - box.x);    // the centre, seen from the box
  const Vec3 inside = p.cwiseMax(-half).cwiseMin(half);   // the nearest place that is not outside
  Vec3 nearest = inside, normal;
  double distance = (p - inside).norm();
  if (distance > 0) {
    normal = (p - inside) / distance;
  } else {   // the centre is inside: the nearest face is the way out
    int axis = 0;
    distance = -(half - p.cwiseAbs()).minCoeff(&axis);
    normal = Vec3::Unit(axis) * (p[axis] < 0 ? -1 : 1);
    nearest[axis] = normal[axis] * half[axis];
  }
  return {.point = box.x + box.q * nearest, .normal = box.q * normal, .gap = distance - radius};
}

inline Contact ball_ball(const Body& a, const Body& b) {
  const double ra = std::get<Sphere>(a.shape).radius, rb = std::get<Sphere>(b.shape).radius;
  const Vec3 normal = (b.x - a.x).normalized();
  return {.point = a.x + ra * normal, .normal = normal, .gap = (b.x - a.x).norm() - ra - rb};
}

/// All contacts of bodies that are nearer than `near` [m].
inline std::vector<Contact> collide(const Bodies& bodies, double near) {
  std::vector<Contact> contacts;
  const auto add = [&](Contact c, std::size_t a, std::size_t b, int feature) {
    c.a = static_cast<int>(a), c.b = static_cast<int>(b), c.feature = feature;
    if (c.gap < near) contacts.push_back(c);
  };
  // A box touches another with its corners: balls of radius 0.
  const auto corners_of = [&](std::size_t b, std::size_t on) {
    for (int k = 0; k < 8; ++k) {
      const Vec3 sign(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
      const Vec3 corner = bodies[b].x + bodies[b].q * sign.cwiseProduct(std::get<Box>(bodies[b].shape).half);
      add(ball_box(corner, 0, bodies[on]), on, b, k);
    }
  };
  const auto is_ball = [&](std::size_t i) { return std::holds_alternative<Sphere>(bodies[i].shape); };
  const auto ball_on_box = [&](std::size_t ball, std::size_t box) {
    add(ball_box(bodies[ball].x, std::get<Sphere>(bodies[ball].shape).radius, bodies[box]), box, ball, 0);
  };
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      if (bodies[i].fixed && bodies[j].fixed) continue;
      if (is_ball(i) && is_ball(j)) add(ball_ball(bodies[i], bodies[j]), i, j, 0);
      else if (is_ball(i)) ball_on_box(i, j);
      else if (is_ball(j)) ball_on_box(j, i);
      else corners_of(i, j), corners_of(j, i);
    }
  return contacts;
}

}   // namespace tutorial
