// What stands for A⁻¹ of soft bodies in the contact problem [course §4.3, table 4].
#include <algorithm>
#include <cmath>

#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace soft_operators_study {

constexpr double kShortStep = 2e-4;   ///< in which no wave crosses an element [s]

/// A cube of rubber that lands on the ground with the whole of its bottom.
Scene landing_cube(const CaseRun& run, const std::string& soft_operator, double h, double size, double young) {
  constexpr const char* kDocument = R"({{"step": {{"h": {}, "soft": {{"operator": "{}"}}, "max_iterations": 20000}},
      "bodies": [
        {{"name": "ground", "motion": "fixed", "position": [0, 0, -0.1],
          "shape": {{"type": "box", "half_extents": [1, 1, 0.1]}}}},
        {{"name": "cube", "position": [0, 0, 0.102],
          "soft": {{"shape": {{"type": "box", "half_extents": [0.1, 0.1, 0.1]}}, "size": {},
                    "material": {{"young": {}, "poisson": 0.35, "density": 1000, "stiffness_damping": 0.0002}}}}}}]}})";
  return run.parse(fmt::format(kDocument, h, soft_operator, size, young), "landing cube");
}

/// Until the time is over or a step more than doubles the energy.
void run_operator(CaseRun& run, const char* soft_operator, double h, double size, double young, double seconds) {
  Scene scene = landing_cube(run, soft_operator, h, size, young);
  Stepper stepper(scene.step);
  const BodyId cube = scene.world.find("cube");
  double iterations = 0, contacts = 0, assembly = 0, solve = 0;
  std::string end = "to the end";
  const int steps = static_cast<int>(seconds / h + 0.5);
  int done = 0, missed = 0;
  for (; done < steps; ++done) {
    run.check_cancelled();
    try {
      const StepReport& report = stepper.step(scene.world);
      iterations += report.outcome.iterations, assembly += report.seconds.assembly, solve += report.seconds.solve;
      contacts = std::max(contacts, static_cast<double>(report.contacts.size()));
      missed += report.outcome.status != SolveStatus::converged;
      if (!(report.energy.integration <= report.energy.kinetic_start + report.energy.potential_start)) end = "blew up";
    } catch (const Error&) {
      end = "blew up";
    }
    if (end == "blew up") break;
  }
  const NodalBody& nodes = scene.world.nodal_body(cube);
  const double height = end == "blew up" ? std::nan("") : scene.world.body(cube).position.z();
  const double each = 1e3 / std::max(done, 1);
  run.table("operators")
      .add({soft_operator, 1e3 * h, young, nodes.positions.size(), contacts, iterations / std::max(done, 1), missed,
            1e3 * height, end, each * assembly, each * solve});
}

std::vector<Claim> claims(double soft_young, double stiff_young) {
  const auto row = [](const Data& data, const char* soft_operator, double h, double young) {
    return data.table("operators").where("operator", soft_operator).where("h", h).where("young", young);
  };
  return {
      {"lumped-needs-small-steps", "The lumped operator blows up at long steps where the others hold.",
       "W_M: \"small time-steps, sensitive to instabilities\" (table 4).",
       [=](const Data& data) {
         const std::string lumped = row(data, "lumped", 10, stiff_young).texts("end").at(0),
                           factored = row(data, "factored", 10, stiff_young).texts("end").at(0);
         return judged(lumped == "blew up" && factored == "to the end",
                       fmt::format("h = 10 ms, {:g} Pa: lumped {}, factored {}; h = 0.2 ms: lumped {}", stiff_young, lumped,
                                   factored, row(data, "lumped", 1e3 * kShortStep, stiff_young).texts("end").at(0)));
       }},
      {"others-agree", "All others solve the same problem: they end at the same height.", "",
       [=](const Data& data) {
         double least = 1e300, most = 0;
         for (const char* name : {"assembled", "factored", "partial", "splitting"}) {
           const double height = row(data, name, 10, soft_young).numbers("height").at(0);
           least = std::min(least, height), most = std::max(most, height);
         }
         return judged(most - least < 1e-3, fmt::format("heights differ by {:.1e} mm", most - least));
       }},
      {"splitting-is-slow-where-stiff", "Splitting needs more iterations the stiffer the cube; the factored operator does not.",
       "W_D: \"convergence rate is linear, no proof of convergence\" (table 4).",
       [=](const Data& data) {
         const auto grow = [&](const char* name) {
           return row(data, name, 10, stiff_young).numbers("iterations").at(0) /
                  row(data, name, 10, soft_young).numbers("iterations").at(0);
         };
         return judged(
             grow("splitting") > 2 * grow("factored"),
             fmt::format("iterations grow {:.1f} times with splitting, {:.1f} times factored; {:g} steps by splitting miss "
                         "their tolerance",
                         grow("splitting"), grow("factored"), row(data, "splitting", 10, stiff_young).numbers("missed").at(0)));
       }},
      {"partial-needs-more-work",
       "Solving with the factors in every product costs more than taking what contacts need out of them.",
       "Partial evaluation is too expensive (table 4).", [=](const Data& data) {
         const auto time = [&](const char* name) {
           const Table t = row(data, name, 10, soft_young);
           return t.numbers("assembly").at(0) + t.numbers("solve").at(0);
         };
         return judged(time("partial") > time("factored"),
                       fmt::format("{:.2f} ms a step against {:.2f} ms; assembled {:.2f} ms", time("partial"), time("factored"),
                                   time("assembled")));
       }}};
}

Plan plan(const Setting& setting) {
  Plan plan;
  const double size = setting.pick(0.1, 0.05, 0.033), soft_young = 2e4, stiff_young = 1e6,
               seconds = setting.pick(0.1, 0.4, 1.0);
  plan.tables = {
      Table("operators", "A soft cube lands on the ground",
            {text("operator", "operator"), number("h", "ms", "step"), number("young", "Pa", "modulus"),
             number("nodes", "", "nodes"), number("contacts", "", "contacts at most"),
             number("iterations", "", "iterations a step"), number("missed", "", "steps that missed their tolerance"),
             number("height", "mm", "height of the middle at the end"), text("end", "how far it came"),
             timing("assembly", "ms", "assembly of a step"), timing("solve", "ms", "solve of a step")}),
      Table("bars", "The same for the figure",
            {text("operator", "operator"), text("cube", "cube"), number("iterations", "", "iterations a step")})};
  plan.claims = claims(soft_young, stiff_young);
  plan.summarise = [=](Data& data) {
    const Table all = data.table("operators").where("h", 10.0);
    for (std::size_t i = 0; i < all.rows(); ++i)
      data.table("bars").add(
          {all.texts("operator")[i], fmt::format("{:g} Pa", all.numbers("young")[i]), all.numbers("iterations")[i]});
  };
  plan.figures = {{.name = "iterations",
                   .title = "Iterations of a step",
                   .caption = "h = 10 ms. The lumped operator solves another problem, with forces at the start of the step.",
                   .kind = FigureKind::bars,
                   .table = "bars",
                   .x = "operator",
                   .y = {"iterations"},
                   .series = "cube",
                   .log_y = true}};
  for (const char* name : {"lumped", "assembled", "factored", "partial", "splitting"})
    for (const double young : {soft_young, stiff_young})
      plan.cases.push_back({fmt::format("{} {}", name, young == soft_young ? "soft" : "stiff"),
                            [=](CaseRun& run) { run_operator(run, name, 0.01, size, young, seconds); },
                            std::string(name) == "splitting" ? 10.0 : 2.0});
  plan.cases.push_back(
      {"lumped short steps", [=](CaseRun& run) { run_operator(run, "lumped", kShortStep, size, stiff_young, seconds); }, 5});
  return plan;
}

}   // namespace soft_operators_study

Study soft_operators() {
  return {.name = "soft-operators",
          .title = "What stands for the inverse of a soft body's matrix",
          .paper = "course §4.3",
          .about =
              "Contacts of a soft body need J A⁻¹ Jᵀ with A = M + hB + h²K. The course lists what may stand for A⁻¹: lumped "
              "masses, the inverse itself, its factors (multiplied out, or used in every product), a diagonal with "
              "the rest moved to the right-hand side. A cube lands on the ground by each of them.",
          .paper_says = {"W_M: very fast; small time steps, sensitive to instabilities (table 4).",
                         "W_A: large time steps; the inversion is expensive.",
                         "Factors: parallel building; partial evaluation is too expensive.",
                         "W_D: easy, large time steps; linear convergence, no proof of it."},
          .plan = soft_operators_study::plan};
}

}   // namespace stickslip::study
