// The last part of a Gauss–Seidel sweep in which all joints are one block, solved directly [course §3.2.4].
#pragma once

#include "solve/acceleration.h"
#include "solve/joints/joint_system.h"

namespace stickslip {

class JointSweep {
 public:
  /// For a factored problem; both must outlive the visits.
  void setup(const ContactProblem&, JointSystem&);

  std::span<const Batch> others() const { return others_; }   ///< the runs of contacts and boxes, for the sweep before

  double work() const;   ///< operations of a visit

  /// Extrapolates the impulses of the joints as `momentum` says and solves all of them while contacts and boxes stand still.
  /// Returns how fast they moved before [m/s].
  double visit(std::span<double> impulses, std::span<double> velocity, Momentum& momentum);

 private:
  const ContactProblem* problem_ = nullptr;
  JointSystem* joints_ = nullptr;
  std::vector<Batch> own_, others_;
  std::vector<double> right_, ahead_, change_, by_row_;
};

}   // namespace stickslip
