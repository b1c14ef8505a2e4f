#include "geometry/triangle_check.h"

#include <string>

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {

void require_finite_triangles(std::span<const Vec3> vertices, std::span<const std::array<std::uint32_t, 3>> triangles) {
  for (std::size_t face = 0; face < triangles.size(); ++face)
    for (const std::uint32_t vertex : triangles[face]) {
      if (vertex >= vertices.size())
        throw Error(fmt::format("There is no vertex {}. A triangle names vertices 0 to {}.", vertex,
                                static_cast<long>(vertices.size()) - 1))
            .at(std::to_string(face))
            .at("triangles");
      const Vec3& x = vertices[vertex];
      if (!x.allFinite())
        throw Error(fmt::format("({}, {}, {}) is not a point. Vertices of triangles must be finite.", x.x(), x.y(), x.z()))
            .at(std::to_string(vertex))
            .at("vertices");
    }
}

}   // namespace stickslip
