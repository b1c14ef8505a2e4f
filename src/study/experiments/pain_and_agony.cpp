// Two articulated figures that projected Gauss–Seidel makes writhe [thesis §6.1].
#include <algorithm>

#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace pain_and_agony_study {

void run_figure(CaseRun& run, const char* scene_name, const char* label, const std::string& solver, double seconds) {
  Scene scene = run.load(scene_name, {{"/step/solver", solver}, {"/step/max_iterations", "200"}});
  Stepper stepper(scene.step);
  const int steps = static_cast<int>(seconds / scene.step.h + 0.5);
  double error = 0, gained = 0, start = std::nan(""), lowest = 0, highest = 0;
  int missed = 0, done = 0;
  std::string end = "to the end";
  for (; done < steps; ++done) {
    run.check_cancelled();
    try {
      const StepReport& report = stepper.step(scene.world);
      const double energy = report.energy.kinetic_end + report.energy.potential_end;
      if (done == 0) start = report.energy.kinetic_start + report.energy.potential_start, lowest = start;
      lowest = std::min(lowest, energy);
      gained = std::max(gained, energy - lowest);
      for (const JointRecord& joint : report.joints) error = std::max(error, joint.error);
      highest = report.energy.kinetic_end;
      missed += report.outcome.status != SolveStatus::converged;
      if (done % 2 == 1)
        run.table("motion").add(
            {scene_name, label, report.time, std::max(report.energy.kinetic_end, 1e-12), 1e3 * std::max(error, 1e-9)});
    } catch (const Error&) {
      end = "blew up";
      break;
    }
  }
  run.table("figures").add({scene_name, label, done, missed, 1e3 * error, highest, gained, end});
}

std::vector<Claim> claims() {
  const auto value = [](const Data& data, const char* scene, const char* method, const char* column) {
    return data.table("figures").where("scene", scene).where("method", method).numbers(column).at(0);
  };
  return {{"pgs-tears", "With projected Gauss–Seidel joints open by centimetres and the figures do not come to rest.",
           "\"The inaccuracy of the PGS method introduces energy in the system making it look like the figures are writhing "
           "with pain\" (§6.1).",
           [=](const Data& data) {
             const double agony = value(data, "agony", "PGS", "error"), pain = value(data, "pain", "PGS", "error");
             return judged(
                 agony > 10 && pain > 10,
                 fmt::format(
                     "joints open by {:.3g} mm in agony and {:.3g} mm in pain; energy is gained up to {:.3g} J and {:.3g} J",
                     agony, pain, value(data, "agony", "PGS", "gained"), value(data, "pain", "PGS", "gained")));
           }},
          {"newton-fails-in-pain", "Fischer–Newton fails once the heavy box lies on the figure.",
           "\"Once the heavy box is placed on top of the articulated figure, the simulation fails completely\" (figure 12).",
           [=](const Data& data) {
             const double error = value(data, "pain", "Fischer–Newton", "error");
             return judged(error > 10, fmt::format("joints open by {:.3g} mm; {} of {} steps miss their tolerance", error,
                                                   value(data, "pain", "Fischer–Newton", "missed"),
                                                   value(data, "pain", "Fischer–Newton", "steps")));
           }},
          {"auto-holds", "The default solver holds both: no joint opens by a millimetre and no step misses its tolerance.", "",
           [=](const Data& data) {
             double error = 0, missed = 0;
             for (const char* scene : {"agony", "pain"})
               error = std::max(error, value(data, scene, "auto", "error")), missed += value(data, scene, "auto", "missed");
             return judged(error < 1 && missed == 0, fmt::format("{:.2g} mm at most, {} steps", error, missed));
           }}};
}

Plan plan(const Setting& setting) {
  Plan plan;
  plan.tables = {
      Table("figures", "What becomes of the figures",
            {text("scene", "scene"), text("method", "solver"), number("steps", "", "steps done"),
             number("missed", "", "steps that missed their tolerance"), number("error", "mm", "largest error of a joint"),
             number("kinetic", "J", "kinetic energy at the end"),
             number("gained", "J", "largest rise of the energy above its lowest before"), text("end", "how far it came")}),
      Table("motion", "Every other step",
            {text("scene", "scene"), text("method", "solver"), number("time", "s", "time"),
             number("kinetic", "J", "kinetic energy"), number("error", "mm", "largest error of a joint so far")})};
  plan.claims = claims();
  for (const char* column : {"kinetic", "error"})
    plan.figures.push_back({.name = column,
                            .title = std::string(column) == "error" ? "Joints that open" : "Kinetic energy",
                            .caption = "Both figures should come to rest. 200 iterations a step at most.",
                            .table = "motion",
                            .x = "time",
                            .y = {column},
                            .series = "method",
                            .panels = "scene",
                            .log_y = true});
  const double seconds = setting.pick(0.1, 1.0, 5.0);
  for (const char* scene : {"agony", "pain"})
    for (const auto& [label, solver, cost] :
         {std::tuple("PGS", "\"pgs\"", 1.0), std::tuple("PGS-SM", "\"pgs-sm-paper\"", 5.0),
          std::tuple("Fischer–Newton", "\"newton-paper\"", 5.0), std::tuple("our Fischer", "\"fischer\"", 5.0),
          std::tuple("auto", "\"auto\"", 1.0)})
      plan.cases.push_back(
          {fmt::format("{} {}", scene, std::string(solver).substr(1, std::string(solver).size() - 2)),
           [=, label = label, solver = solver](CaseRun& run) { run_figure(run, scene, label, solver, seconds); }, cost});
  return plan;
}

}   // namespace pain_and_agony_study

Study pain_and_agony() {
  return {.name = "pain-and-agony",
          .title = "Pain and Agony",
          .paper = "thesis §6.1",
          .about =
              "In agony a figure hangs from a beam with a ball of 1000 times its mass at its feet; in pain one hangs between "
              "four pillars and a box of 100 times its mass drops onto it. "
              "Both should come to rest. `./stickslip view agony` and `./stickslip view pain` show them; docs/joints.md has a "
              "table of all solvers.",
          .paper_says =
              {"With PGS the figures writhe: its inaccuracy adds energy.",
               "Fischer–Newton let box and figure fall through the floor once the box lay on the figure (figures 11 and 12)."},
          .plan = pain_and_agony_study::plan};
}

}   // namespace stickslip::study
