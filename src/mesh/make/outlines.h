// Checks and pieces that the makers of meshes share.
#pragma once

#include <string_view>

#include "stickslip/mesh/make_mesh.h"

namespace stickslip {

/// @throws Error at `name` unless the number is finite and greater than 0.
void require_length(double, const char* name);
/// @throws Error at `name` unless least ≤ number ≤ most.
void require_range(double number, double least, double most, const char* name);

/// The polygon counter-clockwise. @throws Error at `name` if it has fewer than three corners, a coordinate is not finite, or
/// it is not simple
Polygon simple_polygon(const Polygon&, const char* name);

double signed_area(const Polygon&);   ///< [m²]; positive counter-clockwise

/// Two triangles for a quadrilateral that goes round counter-clockwise seen from outside.
void add_quadrilateral(TriangleMesh&, std::size_t a, std::size_t b, std::size_t c, std::size_t d);
void add_triangle(TriangleMesh&, std::size_t a, std::size_t b, std::size_t c);

/// Triangles between loops of vertices in a plane z = const, outer ones counter-clockwise, holes clockwise seen from +z.
/// @param up faces +z, otherwise −z
void add_flat_face(TriangleMesh&, const std::vector<std::vector<std::uint32_t>>& loops, bool up);

}   // namespace stickslip
