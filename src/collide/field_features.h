// What a shape can touch a distance field with: points, edges, faces and rims near the other shape.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::narrow {

struct FieldFeatures {
  // Normals are outward, unit, the mean of the faces that meet; zero on cores. Names are numbers of the feature in its shape.
  struct Point {
    Vec3 at, normal;
    std::uint32_t name;
  };
  struct Edge {
    Vec3 a, b, normal;
    std::uint32_t name;
  };
  struct Face {
    std::array<std::uint32_t, 3> corners;   ///< places in `points`
    Vec3 normal;
    std::uint32_t name;
  };
  struct Rim {
    Vec3 center, axis;   ///< axis outward, unit
    double radius;       ///< [m]
    std::uint32_t name;
  };
  std::vector<Point> points;
  std::vector<Edge> edges;
  std::vector<Face> faces;
  std::vector<Rim> rims;
  double radius = 0;    ///< of the balls around points and edges that are a core [m]
  double spacing = 0;   ///< mean length of the edges of a mesh [m]
};

/// @param place of the shape in the frame that features are given in
/// @param other_in_shape where the other shape is, in the frame of this one
FieldFeatures features_near(const Shape&, const Pose& place, const Shape& other, const Pose& other_in_shape, double margin);

}   // namespace stickslip::narrow
