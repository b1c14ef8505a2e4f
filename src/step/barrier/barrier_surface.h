// The surfaces of a world as contact potentials see them.
#pragma once

#include "step/barrier/barrier_bodies.h"
#include "stickslip/potential/contact_surface.h"

namespace stickslip {

class BarrierSurface {
 public:
  /// Everything of the world that can touch. Looks at shapes anew only if bodies came or went.
  /// @throws Error naming a body with a shape that barriers cannot take
  void begin(const World&, const StepOptions&);

  const ContactSurface& surface() const { return surface_; }
  /// Makes ranges of what does not deform so many times as long as they are to be, and collects pairs so much farther.
  void widen(double ranges, double reaches);
  /// Of the points now, or on a way. @pre `begin` of both with the same world
  void place(const BarrierBodies&, std::vector<Vec3>& out) const;
  /// Where points would end without contacts.
  void place_targets(const BarrierBodies&, std::vector<Vec3>& out) const;
  /// Where points end along a direction, and how much their paths bend.
  void place_ends(const BarrierBodies&, std::span<const double> direction, std::vector<Vec3>& ends,
                  std::vector<double>& bends) const;
  /// A point on its way along a direction.
  Vec3 on_way(const BarrierBodies&, std::span<const double> direction, std::uint32_t point, double time) const;

  /// What moves a point: a rigid body with an arm, or a node.
  struct Owner {
    std::uint32_t slot = kNoBlock;   ///< of a rigid body
    std::uint32_t node = kNoBlock;   ///< among all nodes
    Vec3 local = Vec3::Zero();       ///< of a rigid body: in the frame in its centre of mass [m]
  };
  const Owner& owner(std::uint32_t point) const { return owners_[point]; }

  /// Whether two patches may touch.
  bool may_meet(const World&, std::uint32_t patch_a, std::uint32_t patch_b) const;

 private:
  void build(const World&, const StepOptions&);
  void add_rigid(const World&, std::uint32_t collider, const ContactSurface::Patch&);
  void add_moving_half_space(const World&, std::uint32_t collider, const ContactSurface::Patch&);
  void add_surface_of_nodes(const World&, std::uint32_t collider, const ContactSurface::Patch&);

  void set_holders(const NodalBody&, const auto& point_of);

  ContactSurface surface_;
  std::vector<Owner> owners_;
  std::vector<Vec3> fixed_;   ///< places of points that nothing moves
  const World* world_ = nullptr;
  std::uint64_t version_ = ~std::uint64_t{0};
  double range_ = 0;
  std::vector<double> ranges_;   ///< of patches, as they are to be [m]
};

}   // namespace stickslip
