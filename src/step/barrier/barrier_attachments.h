// Nodes of soft bodies that are attached to rigid bodies which forces move, as potentials of the barrier integrator: a spring
// from every node to its place on the body, all of them together as stiff as a joint of the two.
#pragma once

#include "step/barrier/barrier_bodies.h"

namespace stickslip {

class BarrierAttachments {
 public:
  void begin(const World&, const BarrierBodies&, const StepOptions&);

  // At the places that are tried.
  void add_energies(const BarrierBodies&, std::span<const std::uint32_t> piece_of_group,
                    std::span<double> out) const;                         ///< [J]
  void add_gradient(const BarrierBodies&, std::span<double> out) const;   ///< [N, N m]
  void want_blocks(const BarrierBodies&, BlockAssembly&) const;
  /// @param turns as of BarrierBodies::add_hessian
  void add_hessian(const BarrierBodies&, std::span<Mat3> turns, BlockAssembly&) const;

  /// Groups that they hold together.
  const std::vector<std::array<std::uint32_t, 2>>& links() const { return links_; }

  /// Adds their work to that of the rigid bodies.
  void add_work(const BarrierBodies&, std::span<double> out) const;
  /// Forces and their work.
  void record(World&, const BarrierBodies&, StepReport&) const;

 private:
  struct Tie {
    std::uint32_t soft = 0, number = 0;   ///< among the bodies of nodes, and in its list
    std::uint32_t node = 0, rigid = 0;    ///< among all nodes and rigid bodies
    Vec3 local = Vec3::Zero();            ///< in the frame of the body [m]
    double stiffness = 0;                 ///< [N/m]
    Vec3 start = Vec3::Zero();            ///< from its place to the node at the start of the step [m]
  };
  static Vec3 arm(const BarrierBodies&, const Tie&);
  static Vec3 apart(const BarrierBodies&, const Tie&);   ///< from its place on the body to the node [m]

  double h_ = 0;
  std::vector<Tie> ties_;
  std::vector<std::array<std::uint32_t, 2>> links_;
};

}   // namespace stickslip
