// Pictures of scenes on drawn meshes.
#pragma once

#include "record/shape_mesh.h"
#include "stickslip/world/texture.h"

namespace stickslip {

/// Lays a picture on a mesh, as `Texture` says, in place of colours and pictures that it brings. Vertices are doubled where
/// triangles around them show different sides.
void put_on(const Texture&, DrawnMesh&);

}   // namespace stickslip
