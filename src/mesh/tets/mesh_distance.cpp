#include "stickslip/mesh/mesh_distance.h"

#include "mesh/edges.h"
#include "stickslip/geometry/mesh_distance.h"
#include "stickslip/math/error.h"

namespace stickslip {

struct MeshDistance::Impl {
  MeshSurface surface;
};

MeshDistance::MeshDistance(const TriangleMesh& mesh) {
  validate(mesh);
  if (mesh.triangles.empty() || !is_closed(mesh))
    throw Error("The mesh is not closed, so it has no inside. Close it: `stickslip mesh check` shows where it is open.");
  TriangleMesh solid = mesh;
  std::erase_if(solid.triangles, [](const auto& t) { return is_collapsed(t); });
  impl_ = std::make_shared<const Impl>(Impl{MeshSurface(std::move(solid))});
}

double MeshDistance::operator()(const Vec3& p) const { return signed_distance(impl_->surface, p, SignRule::normals)->distance; }

}   // namespace stickslip
