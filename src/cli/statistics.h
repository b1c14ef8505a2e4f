// What a run adds up to.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip::cli {

/// Numbers of which mean, median, 95th percentile and maximum are wanted.
class Sample {
 public:
  void add(double value) { values_.push_back(value); }
  std::size_t size() const { return values_.size(); }
  double mean() const;
  double max() const;
  /// Smallest value that at least this part of the sample does not exceed. @param part in (0, 1]
  double quantile(double part) const;

 private:
  std::vector<double> values_;
};

struct Statistics {
  std::uint64_t steps = 0;
  Sample contacts, iterations;
  Sample residual;          ///< [m/s]
  Sample missed_of_speed;   ///< residual of steps that missed, over the speed of what moved: the root mean square [m/s / (m/s)]
  Sample milliseconds;      ///< wall time of a step
  double penetration_max = 0;   ///< [m]
  double distance_min =
      std::numeric_limits<double>::infinity();   ///< smallest between two bodies; infinite: none came near [m]
  std::uint64_t impacts = 0;                     ///< at which steps were cut
  std::uint64_t steps_in_pieces = 0;             ///< because of joints, elements or depths, not of impacts
  int most_pieces = 1;                           ///< of such a step
  double joint_error_max = 0;                    ///< [m]
  std::vector<JointId> broken;                   ///< joints that broke, in the order of time
  std::map<JointId, std::uint64_t> conflicts;    ///< joints that could not be satisfied together, and in how many steps
  std::uint64_t steps_with_conflicts = 0;
  double tolerance = 0;                           ///< largest that was asked for [m/s]
  std::array<std::uint64_t, 8> status_counts{};   ///< by SolveStatus
  EnergyLedger energy;                            ///< start of the first step, end of the last, sums of the rest [J]
  StageTimes seconds;                             ///< sums
  double wall_seconds = 0;                        ///< of the whole run, files included

  void add(const World&, const StepReport&, double step_seconds);
  std::uint64_t missed() const { return steps - status_counts[static_cast<std::size_t>(SolveStatus::converged)]; }

 private:
  double moving_mass_ = 0;   ///< of bodies that forces move, at the first step [kg]
};

/// Name and seconds of each stage, in the order of the pipeline.
std::vector<std::pair<std::string, double>> stages(const StageTimes&);

}   // namespace stickslip::cli
