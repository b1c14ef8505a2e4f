// How a mesh is drawn: which corners share a normal, a colour and a place on a picture.
#pragma once

#include "record/shape_mesh.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Faces that meet at less than this share their normals there: the surface looks smooth [rad].
inline constexpr double kCrease = 0.5235987755982988;   // 30°

/// The surface of a mesh in the look of its file; where that gives no normals, smooth but for edges sharper than `kCrease`.
/// Triangles are in the order of the mesh. @param texture that lies on it in place of what its file says; null: none
DrawnMesh drawn_mesh(const MeshSolid&, const Texture* texture = nullptr);

/// The picture that lies on a part: its own, or that of its material where its mesh brings no colours; null: none.
SharedTexture shown_texture(const World&, const Collider&);

/// The one colour that a part is shown in: its own, or that of its material. None where its mesh brings colours, and where the
/// scene says nothing.
std::optional<Colour> shown_colour(const World&, const Collider&);

}   // namespace stickslip
