// Where a step takes surfaces that deform.
//
// Rows of contacts keep a vertex off the plane of the triangle that it was nearest to. Where it slides or is swept around a
// bend of a coarse surface within the step, it ends inside by what the bend leaves that plane: with the square of the way. So
// pairs that move far are looked at where the solved motion ends, and a step after which one is deep is taken in pieces.
#pragma once

#include <memory>

#include "stickslip/collide/surface.h"
#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip {

class SurfaceEnds {
 public:
  /// Whether pairs of the set of which one deforms end deeper in each other than they are, and than what is told of a motion as
  /// too deep (docs/motion.md). @param motion of every mover @param time that it takes [s]
  bool are_deep(const World&, const ContactSet&, std::span<const Twist> motion, Gyroscopic, double time);

 private:
  /// Of a collider that deforms.
  struct End {
    std::unique_ptr<MeshSurface> surface;
    double spread = 0;   ///< speed of its nodes against their mean, at most [m/s]
    bool measured = false, placed = false;
  };
  void begin(const World&);
  double spread_of(const World&, std::uint32_t collider, std::span<const Twist> motion);
  const MeshSurface& surface_of(const World&, std::uint32_t collider, std::span<const Twist> motion, double time);

  bool passes_through_itself(const World&, std::uint32_t collider, std::span<const Twist> motion, double time, double deepest);

  std::vector<End> ends_;   ///< by collider
  std::vector<Vec3> places_;
  ContactSink sink_;
  std::uint64_t structure_version_ = ~std::uint64_t{0};
};

}   // namespace stickslip
