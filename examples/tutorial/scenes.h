// Scenes that several steps of the tutorial use.
#pragma once

#include "step-1/body.h"

namespace tutorial {

/// A floor whose top is at z = 0.
inline Body floor_of(double half) {
  Body floor{Box{{half, half, 0.5}}, 1, true};
  floor.x.z() = -0.5;
  return floor;
}

/// A floor and a flat block on it that slides with velocity v.
inline Bodies sliding_block(const Vec3& v) {
  Bodies bodies = {floor_of(4), Body{Box{{0.2, 0.2, 0.05}}, 2}};
  bodies[1].x.z() = 0.05;
  bodies[1].v = v;
  return bodies;
}

/// A floor and boxes on top of each other, each a little smaller than the one below. The last one weighs `heavy` kg, the others
/// 1.
inline Bodies tower(int count, double heavy) {
  Bodies bodies = {floor_of(2)};
  for (int i = 0; i < count; ++i) {
    const double half = 0.4 - 0.03 * i;
    Body box{Box{{half, half, 0.1}}, i + 1 == count ? heavy : 1};
    box.x.z() = 0.1 + 0.2 * i;
    bodies.push_back(box);
  }
  return bodies;
}

}   // namespace tutorial
