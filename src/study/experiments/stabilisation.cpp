// How penetration is taken out: error reduction, springs, projection [course §1.9, §3.5].
#include <algorithm>
#include <cmath>

#include "stickslip/step/stepper.h"
#include "study/experiments/captured.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace stabilisation_study {

constexpr double kDepth = 0.01;   ///< that a box of 0.2 m is in the ground at the start [m]

struct Method {
  std::string key, label;
  std::vector<Override> overrides;
  double reduction;   ///< υ; NaN: not of that kind
};

std::vector<Method> methods() {
  std::vector<Method> list = {{"none", "none", {{"/step/stabilisation", R"({"method": "none"})"}}, 0}};
  for (const double part : {0.05, 0.2, 0.5, 1.0})
    list.push_back({fmt::format("reduction-{:g}", part),
                    fmt::format("υ = {:g}", part),
                    {{"/step/stabilisation", fmt::format(R"({{"method": "baumgarte", "error_reduction": {}}})", part)}},
                    part});
  // 8 kg on four springs: k for a period of 0.05 s, with critical and a tenth of critical damping.
  for (const double damping : {1.0, 0.1}) {
    const double k = 8.0 / 4 * std::pow(2 * std::numbers::pi / 0.05, 2), b = damping * 2 * std::sqrt(k * 8.0 / 4);
    list.push_back(
        {fmt::format("spring-{:g}", damping),
         fmt::format("spring, damping {:g}", damping),
         {{"/step/stabilisation", fmt::format(R"({{"method": "spring", "stiffness": {:.17g}, "damping": {:.17g}}})", k, b)}},
         std::nan("")});
  }
  list.push_back({"projection",
                  "projection",
                  {{"/step/stabilisation", R"({"method": "none"})"}, {"/step/projection", "true"}},
                  std::nan("")});
  return list;
}

void run_sunk_box(CaseRun& run, const Method& method, double h, double seconds) {
  Scene scene = run.parse(
      fmt::format(R"({{"allow_overlap": true, "step": {{"h": {}}}, "materials": [{{"name": "default", "density": 1000}}],
      "bodies": [{{"name": "ground", "motion": "fixed", "shape": {{"type": "half-space"}}}},
                 {{"name": "box", "shape": {{"type": "box", "half_extents": [0.1, 0.1, 0.1]}}, "position": [0, 0, {}]}}]}})",
                  h, 0.1 - kDepth),
      "sunk box", method.overrides);
  Stepper stepper(scene.step);
  const BodyId box = scene.world.find("box");
  double highest = 0, fastest = 0, added = 0, half = std::nan("");
  double first = std::nan("");
  const int steps = static_cast<int>(seconds / h + 0.5);
  for (int i = 0; i < steps; ++i) {
    run.check_cancelled();
    const StepReport& report = stepper.step(scene.world);
    const double height = scene.world.body(box).position.z() - 0.1;
    if (i == 0) first = -height / kDepth;
    if (std::isnan(half) && height > -0.5 * kDepth) half = report.time;
    highest = std::max(highest, height), fastest = std::max(fastest, scene.world.body(box).velocity.z());
    added += report.energy.stabilisation;
    run.table("depths").add({method.label, fmt::format("h = {:g} ms", 1e3 * h), report.time, 1e3 * std::max(-height, 1e-9)});
  }
  run.table("ends").add({method.label, 1e3 * h, method.reduction, first, 1e3 * half, 1e3 * highest, fastest, added,
                         1e3 * std::max(0.0, 0.1 - scene.world.body(box).position.z())});
}

/// What compliance does to W and to sweeps: it fills the null space of redundant contacts.
void run_compliance(CaseRun& run, double relative, int limit) {
  ContactProblem problem = captured_problem(run, "stack", {{"/parameters/count", "5"}}, 3).problem;
  double diagonal = 0;
  for (const Block& block : problem.blocks)
    diagonal += problem.diagonal(block)(0, 0) / static_cast<double>(problem.blocks.size());
  for (const Block& block : problem.blocks) problem.sigma[block.row] += relative * diagonal;
  problem.finalize();
  std::vector<double> impulses(problem.rows(), 0.0);
  SolveControl control;
  control.cancel = run.cancel_flag();
  control.tolerance = 1e-6, control.max_iterations = limit, control.keep_history = true, control.natural_map = false;
  Workspace workspace;
  const SolveReport report = make_solver("nsgs")->solve(problem, impulses, workspace, control);
  run.table("compliance")
      .add({std::max(relative, 1e-7), report.status == SolveStatus::converged ? report.iterations : std::nan(""),
            report.residual.total()});
}

std::vector<Claim> claims() {
  const auto row = [](const Data& data, const std::string& label, double h, const char* column) {
    return data.table("ends").where("method", label).where("h", h).numbers(column).at(0);
  };
  return {
      {"full-reduction-takes-one-step", "With υ = 1 a penetration is gone after one step.",
       "\"𝜐 = 1 will encourage the feedback rule to produce a constraint velocity that reduces all of the constraint error in "
       "a single step\" (§1.9).",
       [=](const Data& data) {
         const double left = row(data, "υ = 1", 10, "first");
         return judged(left < 0.02, fmt::format("{:.1f} % of it is left after the first step", 100 * left));
       }},
      {"reduction-is-geometric", "With υ each step leaves 1 − υ of the penetration.", "",
       [=](const Data& data) {
         bool all = true;
         std::string evidence;
         for (const double part : {0.05, 0.2, 0.5}) {
           const double left = row(data, fmt::format("υ = {:g}", part), 10, "first");
           all = all && std::abs(left - (1 - part)) < 0.02;
           evidence += fmt::format("{}υ = {:g}: {:.3f}", evidence.empty() ? "" : ", ", part, left);
         }
         return judged(all, "left after the first step: " + evidence);
       }},
      {"springs-keep-their-time", "Springs take the same time at every step length; a part per step does not.",
       "\"Parameters 𝑘 and 𝑏 may be tuned independent of the time step ℎ\" (§1.9).",
       [=](const Data& data) {
         const double spring = row(data, "spring, damping 1", 10, "half") / row(data, "spring, damping 1", 2.5, "half"),
                      reduction = row(data, "υ = 0.2", 10, "half") / row(data, "υ = 0.2", 2.5, "half");
         return judged(
             spring < 2 && reduction > 2,
             fmt::format("time to half the depth at 10 ms over that at 2.5 ms: {:.2f} of the spring, {:.2f} of υ = 0.2", spring,
                         reduction));
       }},
      {"reduction-leaves-speed",
       "What is pushed out by its velocity keeps it: fast recovery throws the box up; projection does not.", "",
       [=](const Data& data) {
         const double thrown = row(data, "υ = 1", 10, "highest"), projected = row(data, "projection", 10, "highest");
         return judged(thrown > 10 * std::max(projected, 0.01),
                       fmt::format("{:.3g} mm above the ground with υ = 1, {:.2g} mm with υ = 0.2, {:.2g} mm with projection",
                                   thrown, row(data, "υ = 0.2", 10, "highest"), projected));
       }},
      {"compliance-helps-sweeps", "Enough compliance makes sweeps converge faster.",
       "\"This has the added benefit of improving the conditioning of the matrix\" (§1.9).",
       [](const Data& data) {
         const std::vector<double>& sweeps = data.table("compliance").numbers("sweeps");
         return judged(sweeps.back() < sweeps.front(),
                       fmt::format("{:g} sweeps without, {:g} with a tenth of W_nn", sweeps.front(), sweeps.back()));
       }},
      {"little-compliance-hinders",
       "A little compliance makes them slower: it asks for one of many ways to share the load, and sweeps find it slowly.", "",
       [](const Data& data) {
         const std::vector<double>& sweeps = data.table("compliance").numbers("sweeps");
         double most = 0;
         bool none = false;
         for (const double each : sweeps) none = none || std::isnan(each), most = std::max(most, std::isnan(each) ? 0 : each);
         return judged(none || most > 2 * sweeps.front(),
                       fmt::format("{:g} without, up to {} between", sweeps.front(),
                                   none ? "more than the limit" : fmt::format("{:g}", most)));
       }}};
}

Plan plan(const Setting& setting) {
  Plan plan;
  plan.tables = {
      Table("ends", "A box of 0.2 m that is 10 mm in the ground",
            {text("method", "method"), number("h", "ms", "step"), number("reduction", "", "υ"),
             number("first", "", "part of the depth that is left after the first step"),
             number("half", "ms", "time to half the depth"), number("highest", "mm", "largest height above the ground"),
             number("fastest", "m/s", "largest speed upwards"), number("added", "J", "energy that stabilisation added"),
             number("left", "mm", "depth at the end")}),
      Table("depths", "Depth after every step",
            {text("method", "method"), text("h", "step"), number("time", "s", "time"), number("depth", "mm", "depth")}),
      Table("compliance", "Sweeps of nsgs on a stack of five to 1e-6 m/s",
            {number("compliance", "", "Σ over the mean of W_nn; 1e-7 stands for none"),
             number("sweeps", "", "sweeps; none: more than the limit"), number("residual", "m/s", "residual at the end")})};
  plan.claims = claims();
  plan.figures = {{.name = "depths",
                   .title = "Depth of a box that starts 10 mm in the ground",
                   .caption = "υ is a part per step, springs are in seconds: with short steps they differ.",
                   .table = "depths",
                   .x = "time",
                   .y = {"depth"},
                   .series = "method",
                   .panels = "h",
                   .log_y = true},
                  {.name = "compliance",
                   .title = "Compliance and sweeps",
                   .caption = "Sweeps of nsgs on a stack of five boxes, whose contacts are redundant.",
                   .table = "compliance",
                   .x = "compliance",
                   .y = {"sweeps"},
                   .log_x = true,
                   .log_y = true}};
  for (const Method& method : methods())
    for (const double h : {0.01, 0.0025})
      plan.cases.push_back({fmt::format("{} {}", method.key, h),
                            [=](CaseRun& run) { run_sunk_box(run, method, h, setting.pick(0.3, 0.5, 1.0)); }});
  for (const double relative : {0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1})
    plan.cases.push_back({fmt::format("compliance {:g}", relative),
                          [=](CaseRun& run) { run_compliance(run, relative, setting.pick(3000, 20000, 100000)); }, 3});
  return plan;
}

}   // namespace stabilisation_study

Study stabilisation() {
  return {.name = "stabilisation",
          .title = "Taking penetration out",
          .paper = "course §1.9",
          .about =
              "A box of 8 kg starts 10 mm inside the ground. Baumgarte's terms take a part υ of the depth out per step, or are "
              "given as springs; projection moves bodies after the step and leaves velocities alone.\n\n"
              "Beside that, compliance on the diagonal of W and what it does to sweeps.",
          .paper_says = {"υ = 1 reduces all of the error in a single step; springs k and b do not depend on the step (§1.9).",
                         "Compliance improves the conditioning of the matrix (§1.9)."},
          .plan = stabilisation_study::plan};
}

}   // namespace stickslip::study
