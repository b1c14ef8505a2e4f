// The bodies of nodes of a frame as points, and triangles between them, for ParaView.
#pragma once

#include <filesystem>
#include <map>

#include "record/columns.h"
#include "record/textured_mesh.h"
#include "record/vtk_bodies.h"
#include "stickslip/step/report.h"

namespace stickslip {

class VtkNodes {
 public:
  /// Writes a frame. A surface with a texture has further points where sides of the picture meet: a point of VTK lies on one
  /// place of a picture. @throws Error
  void write(const std::filesystem::path&, const World&, const StepReport&, const BodyColumns&, VtkPictures&);

 private:
  /// What never changes of a body.
  struct Look {
    std::optional<LaidSurface> laid;
    std::int32_t picture = 0;   ///< number of the file; 0: none
  };
  const Look& look_of(const World&, const NodalBody&, std::uint32_t number, VtkPictures&);

  std::map<std::uint32_t, Look> looks_;   ///< by the number of the body
};

}   // namespace stickslip
