// Names of the parts of a surface that deforms: its triangles, the edges of them, its vertices.
//
// A contact on such a surface moves with the vertices of its part, by weights that follow from the place (world/stencil.h).
#pragma once

#include <cstdint>

namespace stickslip {

enum class SurfacePartKind : std::uint8_t { triangle, edge, vertex };

/// One number: the kind in the two highest bits. As parts of contact keys they sort by kind, then by index.
struct SurfacePart {
  SurfacePartKind kind = SurfacePartKind::triangle;
  std::uint32_t index = 0;   ///< triangle; 3 × triangle + the corner that an edge begins at; vertex. Below 2³⁰

  constexpr std::uint32_t number() const { return static_cast<std::uint32_t>(kind) << 30 | index; }
  static constexpr SurfacePart of(std::uint32_t number) {
    return {static_cast<SurfacePartKind>(number >> 30), number & 0x3fffffffu};
  }
  bool operator==(const SurfacePart&) const = default;
};

}   // namespace stickslip
