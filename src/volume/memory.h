// What is kept between calls.
#pragma once

#include "stickslip/volume/surface.h"
#include "volume/ball.h"
#include "volume/polyhedron.h"
#include "volume/ray_memory.h"

namespace stickslip {

struct OverlapScratch::Memory {
  std::array<Polyhedron, 5> solids;   ///< one per depth of branching
  BallScratch ball;
  std::vector<Vec3> points;          ///< of the surface of the overlap at hand
  std::vector<Vec2> outline, hull;   ///< seen along its gradient
  std::vector<std::size_t> corners;
  RayMemory rays;
  std::vector<OverlapSegment> segments;
  std::vector<Polyhedron> pieces;   ///< of convex parts
  std::vector<MomentSums> piece_sums;
  std::vector<Vec3> piece_points;
  std::vector<std::size_t> piece_points_end;
  std::vector<std::uint32_t> group;
  std::vector<OverlapSurface>* surfaces = nullptr;   ///< where the surfaces of what is found go, if somebody wants them
};

}   // namespace stickslip
