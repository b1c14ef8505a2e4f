// Signed distance to a closed mesh, exactly, by a tree of boxes.
#pragma once

#include <functional>
#include <memory>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

/// Distance to the nearest point of the surface [m], negative inside. The sign is that of the side of the nearest point, judged
/// by the normal
/// there: of the face, or the mean weighted by angles around an edge or a vertex [Bærentzen, Aanæs 2005]. Copies share the
/// tree.
class MeshDistance {
 public:
  /// @throws Error if the mesh is not closed: then it has no inside
  explicit MeshDistance(const TriangleMesh&);

  double operator()(const Vec3&) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}   // namespace stickslip
