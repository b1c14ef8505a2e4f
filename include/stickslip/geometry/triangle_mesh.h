// Surfaces made of triangles.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

struct TriangleMesh { std::vector<Vec3> vertices; /*[m]*/ std::vector<std::array<std::uint32_t, 3>> triangles; /* counter-clockwise seen from outside */ };

}  // namespace stickslip
