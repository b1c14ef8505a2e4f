// Pictures of scenes on drawn meshes.
#pragma once

#include "record/shape_mesh.h"
#include "stickslip/world/nodal_body.h"
#include "stickslip/world/texture.h"

namespace stickslip {

/// Lays a picture on a mesh, as `Texture` says, in place of colours and pictures that it brings. Vertices are doubled where
/// triangles around them show different sides.
void put_on(const Texture&, DrawnMesh&);

/// The surface of a soft body on a picture. Nodes stand there as often as sides of the picture meet in them.
struct LaidSurface {
  std::vector<std::uint32_t> node;                       ///< of every vertex
  std::vector<std::array<float, 2>> on_picture;          ///< of every vertex, from the lower left corner
  std::vector<std::array<std::uint32_t, 3>> triangles;   ///< of vertices, in the order of those of the body
};
/// Lays a picture on a soft body as it lies at rest. @pre it is soft
LaidSurface lay_on_rest_surface(const Texture&, const NodalBody&);

}   // namespace stickslip
