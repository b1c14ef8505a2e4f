// A scene with bodies of nodes for the tests of records.
#pragma once

#include "record_scenes.h"

namespace stickslip::test {

/// Beads that fall onto the ground beside a ball, 3 × 4 × 2 of radius 2 cm.
inline NodalDescription cloud() {
  NodalDescription d;
  d.name = "cloud";
  d.radius = 0.02;
  for (int i = 0; i < 24; ++i) d.positions.push_back({0.05 * (i % 3), 0.05 * (i / 3 % 4), 0.03 + 0.05 * (i / 12) + 0.001 * i});
  d.velocity = {0.4, 0, 0};
  return d;
}

/// Two triangles and a node that belongs to none.
inline NodalDescription kite() {
  NodalDescription d;
  d.name = "kite";
  d.radius = 0.01;
  d.positions = {{1, 0, 0.3}, {1.2, 0, 0.3}, {1.2, 0.2, 0.35}, {1, 0.2, 0.3}, {1.1, 0.1, 0.6}};
  d.triangles = {{0, 1, 2}, {0, 2, 3}};
  return d;
}

inline Scene beads() {
  Scene scene;
  scene.name = "beads";
  scene.document = "{}";
  scene.world.add(ground());
  scene.world.add(body_of(Sphere{0.1}, {-0.5, 0, 0.1}, "ball"));
  scene.world.add(cloud());
  scene.world.add(kite());
  scene.step.h = 0.005;
  return scene;
}

/// What nodes did, frame by frame, as the world had it.
struct NodeHistory {
  std::vector<std::vector<NodalBody>> frames;
  void keep(const World& world) { frames.emplace_back(world.nodal_bodies().begin(), world.nodal_bodies().end()); }
};

}   // namespace stickslip::test
