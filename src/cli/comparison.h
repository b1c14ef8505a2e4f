// One scene by several integrators or solvers, or several trajectories: what each run did, and how far it is from the first.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate.h"

namespace stickslip::cli {

/// A step of a run. Differences are NaN where the first run has no state at that time.
struct ComparedStep {
  double time = 0;                  ///< [s]
  double farthest = 0;              ///< of a body's centre from where the first run has it [m]
  double rms = 0;                   ///< the same, root of the mean square over all bodies that move by forces [m]
  double turn = 0;                  ///< largest angle of a body to that of the first run [rad]
  double ground_force = 0;          ///< size of the sum of contact forces on all bodies that forces do not move [N]
  double force = 0;                 ///< largest along a normal [N]
  double energy = 0;                ///< kinetic and potential [J]
  double penetration = 0;           ///< largest [m]
  std::optional<double> distance;   ///< smallest, negative for penetration [m]; none: nothing came near
  double milliseconds = 0;          ///< of work
};

struct ComparedRun {
  std::string name;   ///< of the integrator, solver or file
  std::vector<ComparedStep> steps;
  std::string farthest_body;                ///< the one that was ever farthest
  double farthest = 0, farthest_time = 0;   ///< [m], [s]
  double energy_start = 0;                  ///< kinetic and potential [J]
  SimulateResult result;                    ///< empty if the run ended with an error
  std::string error;                        ///< why it ended before its time; empty: it did not
  std::string picture;                      ///< of its end, as a data URL; empty: none
  std::size_t steps_with_findings = 0;      ///< about the motion, of a trajectory, which does not say which
};

struct Comparison {
  std::string scene, kind;   ///< kind: "integrator", "solver" or "trajectory"
  double h = 0;
  std::size_t bodies = 0;
  std::uint64_t steps = 0;   ///< asked for; of trajectories the most that one has
  std::vector<ComparedRun> runs;

  bool of_files() const { return kind == "trajectory"; }
};

/// What a person wants to see of a run, label and value, in one order for all runs.
std::vector<std::pair<std::string, std::string>> facts(const Comparison&, const ComparedRun&);

/// "wall by 2 solvers: 82 bodies, 300 steps of 10 ms"
std::string title_of(const Comparison&);
std::string to_text(const Comparison&);
nlohmann::ordered_json to_json(const Comparison&);
std::string to_csv(const Comparison&);
/// A page that needs nothing beside itself: pictures, table, plots.
std::string to_html(const Comparison&);

/// A curve of a plot.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};
/// Curves between two axes, as SVG. @param logarithmic y; what is not above 0 is left out. Empty if no curve has points.
std::string svg_plot(const std::string& title, const std::string& unit, const std::vector<Curve>&, bool logarithmic);

/// Text that HTML and SVG show as it is.
std::string escaped(std::string_view);

}   // namespace stickslip::cli
