// What the steps of a run found about the motion, added up; what only many steps can tell; and the end of runs that have blown
// up.
#pragma once

#include <optional>
#include <vector>

#include "stickslip/step/report.h"

namespace stickslip {

/// What a run found of one kind.
struct MotionRecord {
  MotionFinding worst;
  std::string where;         ///< names of body, pair or joint; empty if it is not of any
  std::uint64_t steps = 0;   ///< in which it was found
  std::uint64_t first_step = 0, worst_step = 0;
  double first_time = 0;   ///< at the end of that step [s]
  double h = 0;            ///< of the worst step [s]
};
/// "'rod' turns by 3 rad in a step (300 rad/s); in 40 steps from step 2 (t = 0.02 s) on, worst in step 7."
std::string statement(const MotionRecord&);

/// Sees every step of a run from its start on. Holds nothing that a step depends on.
class MotionWatch {
 public:
  /// @param world where the run starts from
  explicit MotionWatch(const World& world);

  /// @throws Error naming body, speed, time and remedy, if a body is faster than anything in the scene explains.
  void add(const World&, const StepReport&);

  /// By kind; only those that were found.
  std::vector<MotionRecord> records() const;

 private:
  void count(const MotionFinding&, const World&, const StepReport&);
  void follow_energy(const World&, const StepReport&);
  void follow_momentum(const World&, const StepReport&);
  void follow_contacts(const World&, const StepReport&);
  void check_speeds(const World&, const StepReport&);
  /// Counts what began some steps ago.
  void count_since(const MotionFinding&, const World&, const StepReport&, std::uint64_t first_step, double first_time);

  std::array<std::optional<MotionRecord>, kMotionKinds> records_;

  // Energy that came from nowhere: its sum so far, where that was lowest, and the largest energy of the scene [J].
  std::array<double, kEnergySources> created_ = {}, lowest_ = {};
  std::uint64_t lowest_step_ = 0;
  double lowest_time_ = 0, energy_scale_ = 0;

  // Momentum since the last step in which something acted from outside [kg m/s, kg m²/s].
  Vec3 momentum_ = Vec3::Zero(), angular_momentum_ = Vec3::Zero();
  double momentum_scale_ = 0, angular_scale_ = 0;   ///< largest sums over the bodies without their signs
  std::uint64_t alone_step_ = 0;
  double alone_time_ = 0;

  // Pairs of colliders that stick to each other face to face.
  struct Stuck {
    std::uint32_t collider_a, collider_b;
    std::uint32_t count;              ///< of the points
    std::array<Vec3, 4> on_a, on_b;   ///< points that lay on each other at the start, seen from the bodies
    double slipped;                   ///< what was reported since [m]
    std::uint64_t first_step;
    double first_time;
  };
  static bool has_rolled(const Stuck&, const ContactRecord&, const World&);
  void follow_stuck(Stuck&, std::span<const ContactRecord> pair, const World&, const StepReport&);
  std::vector<Stuck> stuck_, next_;   ///< sorted by pair

  // What explains speed.
  double start_speed_ = 0;   ///< fastest point of a body at the start, or of a scripted body at any time [m/s]
  double extent_ = 0;        ///< of all bodies that move by forces, at the start [m]
  double top_ = 0;           ///< height against gravity of the highest of them at the start [m]
  double work_ = 0;          ///< that motors, scripts, springs and applied forces have done [J]
};

}   // namespace stickslip
