// Polyhedral, boxed, exact and convex friction on one sliding box [course §1.6–1.8].
#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/problem/views.h"
#include "stickslip/solve/registry.h"
#include "stickslip/step/stepper.h"
#include "study/experiments/captured.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace contact_models_study {

struct Model {
  const char* key;
  const char* label;
  const char* solver;   ///< as a scene has it
  const char* name;
  OptionList options;
};

std::vector<Model> models() {
  return {{"lcp-4", "LCP, k = 4", R"({"name": "lemke", "directions": 4})", "lemke", {{"directions", 4.0}}},
          {"lcp-8", "LCP, k = 8", R"({"name": "lemke", "directions": 8})", "lemke", {{"directions", 8.0}}},
          {"lcp-16", "LCP, k = 16", R"({"name": "lemke", "directions": 16})", "lemke", {{"directions", 16.0}}},
          {"boxed", "boxed", R"({"name": "dantzig"})", "dantzig", {}},
          {"exact", "exact (NCP)", R"({"name": "alart-curnier"})", "alart-curnier", {}},
          {"convex", "convex (CCP)", R"({"name": "admm", "shift": "none"})", "admm", {{"shift", std::string("none")}}}};
}

constexpr double kFriction = 0.5, kSpeed = 2.0, kGravity = 9.81;

/// A flat box on the ground that slides at an angle to its tangents, or is pulled with a force.
Scene sliding_box(const CaseRun& run, const Model& model, double degrees, double h, double speed = kSpeed, double pull = 0) {
  const double angle = degrees / 180 * std::numbers::pi;
  return run.parse(fmt::format(R"({{"materials": [{{"name": "default", "density": 1000, "friction": {}}}],
      "step": {{"solver": {}, "h": {}, "max_iterations": 20000, "tolerance": 1e-9}},
      "bodies": [{{"name": "ground", "motion": "fixed", "shape": {{"type": "half-space"}}}},
                 {{"name": "box", "shape": {{"type": "box", "half_extents": [0.1, 0.1, 0.02]}}, "position": [0, 0, 0.02],
                   "velocity": [{:.17g}, {:.17g}, 0], "force": [{:.17g}, 0, 0]}}]}})",
                               kFriction, model.solver, h, speed * std::cos(angle), speed * std::sin(angle), pull),
                   "sliding box");
}

/// Friction of one step by the direction of the slide.
void run_directions(CaseRun& run, const Model& model, double step_degrees) {
  for (double degrees = 0; degrees <= 90; degrees += step_degrees) {
    Scene scene = sliding_box(run, model, degrees, 0.01);
    Stepper stepper(scene.step);
    const StepReport& report = stepper.step(scene.world);
    Vec3 impulse = Vec3::Zero();
    for (const ContactRecord& contact : report.contacts) impulse += contact.impulse * (contact.normal.z() > 0 ? 1 : -1);
    const double angle = degrees / 180 * std::numbers::pi, normal = std::abs(impulse.z());
    const Vec2 against(-std::cos(angle), -std::sin(angle));
    Vec2 friction = impulse.head<2>();
    if (friction.dot(against) < 0) friction = -friction;
    const double along = friction.dot(against);
    const double turn = std::atan2(std::abs(friction.x() * against.y() - friction.y() * against.x()), along);
    const Body& box = scene.world.body(scene.world.find("box"));
    const double slip = box.velocity.head<2>().norm();
    run.table("directions")
        .add({model.label, degrees, friction.norm() / (kFriction * normal), along / (kFriction * normal),
              turn * 180 / std::numbers::pi, box.velocity.z() / (kFriction * slip)});
  }
}

/// Until it rests: how far, how straight, how high.
void run_slide(CaseRun& run, const Model& model, double h) {
  const double degrees = 15;
  Scene scene = sliding_box(run, model, degrees, h);
  Stepper stepper(scene.step);
  double highest = 0;
  const int steps = static_cast<int>(1.2 * kSpeed / (kFriction * kGravity) / h);
  const Vec3 start = scene.world.body(scene.world.find("box")).position;
  for (int i = 0; i < steps; ++i) {
    run.check_cancelled();
    stepper.step(scene.world);
    const Body& box = scene.world.body(scene.world.find("box"));
    highest = std::max(highest, box.position.z() - start.z());
    if (i % 4 == 3)
      run.table("height").add(
          {model.label, fmt::format("h = {:g} ms", 1e3 * h), (i + 1) * h, 1e3 * (box.position.z() - start.z())});
  }
  const Vec3 way = scene.world.body(scene.world.find("box")).position - start;
  const double angle = degrees / 180 * std::numbers::pi;
  const double along = way.x() * std::cos(angle) + way.y() * std::sin(angle),
               aside = -way.x() * std::sin(angle) + way.y() * std::cos(angle);
  run.table("slides").add({model.label, 1e3 * h, along / (kSpeed * kSpeed / (2 * kFriction * kGravity)),
                           100 * std::abs(aside) / along, 1e3 * highest});
}

void run_pull(CaseRun& run, const Model& model, double h) {
  const double mass = 1000 * 0.2 * 0.2 * 0.04;
  Scene scene = sliding_box(run, model, 0, h, 0, 1.5 * kFriction * mass * kGravity);
  Stepper stepper(scene.step);
  for (int i = 0; i < static_cast<int>(0.5 / h + 0.5); ++i) run.check_cancelled(), stepper.step(scene.world);
  const Body& box = scene.world.body(scene.world.find("box"));
  const double speed = box.velocity.head<2>().norm();
  run.table("pulls").add({model.label, 1e3 * h, speed, 1e3 * (box.position.z() - 0.02), 1e3 * h * kFriction * speed});
}

/// What the models cost, and how far from Coulomb's law their answers are, where there are many contacts.
void run_cost(CaseRun& run, const Model& model, const char* rows) {
  const ContactProblem problem = captured_problem(run, "pyramid", {{"/parameters/rows", rows}}, 3).problem;
  SolveControl control;
  control.cancel = run.cancel_flag();
  control.tolerance = 1e-9;
  control.max_iterations = 20000;
  control.time_limit = 60;
  std::vector<double> impulses(problem.rows(), 0.0);
  Workspace workspace;
  const double start = processor_seconds();
  const SolveReport report = make_solver(model.name, model.options)->solve(problem, impulses, workspace, control);
  const double seconds = processor_seconds() - start;
  double unknowns = static_cast<double>(problem.rows());
  if (std::string(model.name) == "lemke")
    unknowns = static_cast<double>(lcp_size(problem, static_cast<int>(std::get<double>(model.options[0].second))));
  run.table("costs").add({model.label, problem.contact_count(), unknowns, report.iterations, report.model_residual,
                          report.residual.total(), 1e3 * seconds});
}

double extreme(const Data& data, const char* model, const char* column, bool largest_one) {
  const std::vector<double> values = data.table("directions").where("model", model).numbers(column);
  return largest_one ? largest(values) : smallest(values);
}

/// About what the convex relaxation lifts.
std::vector<Claim> lift_claims() {
  return {
      {"relaxation-lifts", "The convex relaxation lifts what slides, with μ times the speed of the slide.",
       "\"As the tangential sliding velocity grows large the model will gain a positive normal component\" [course §1.8, "
       "figure 9].",
       [](const Data& data) {
         const double least = extreme(data, "convex (CCP)", "lift", false), most = extreme(data, "convex (CCP)", "lift", true);
         return judged(std::abs(least - 1) < 0.02 && std::abs(most - 1) < 0.02,
                       fmt::format("{:.4f} to {:.4f} times μ v", least, most));
       }},
      {"relaxation-throws", "A box that is set down sliding hops by (μ v / (1 + μ²))² / 2g, however short the step.", "",
       [](const Data& data) {
         const Table rows = data.table("slides").where("model", "convex (CCP)");
         const double speed = kFriction * kSpeed / (1 + kFriction * kFriction), height = 1e3 * speed * speed / (2 * kGravity);
         std::string evidence;
         for (std::size_t i = 0; i < rows.rows(); ++i)
           evidence += fmt::format("{:g} ms: {:.3g} mm; ", rows.numbers("h")[i], rows.numbers("highest")[i]);
         return judged(std::abs(rows.numbers("highest").back() / height - 1) < 0.1,
                       fmt::format("{}expected {:.3g} mm", evidence, height));
       }},
      {"relaxation-floats", "A box that is pulled floats at h μ v.", "",
       [](const Data& data) {
         const Table rows = data.table("pulls").where("model", "convex (CCP)");
         bool all = true;
         std::string evidence;
         for (std::size_t i = 0; i < rows.rows(); ++i) {
           all = all && std::abs(rows.numbers("height")[i] / rows.numbers("expected")[i] - 1) < 0.1;
           evidence += fmt::format("{}{:g} ms: {:.3g} mm, h μ v = {:.3g} mm", i ? "; " : "", rows.numbers("h")[i],
                                   rows.numbers("height")[i], rows.numbers("expected")[i]);
         }
         return judged(all, evidence);
       }},
      {"others-do-not-lift", "No other model lifts anything.", "", [](const Data& data) {
         double most = 0;
         for (const Model& model : models())
           if (std::string(model.name) != "admm")
             most = std::max(most, largest(data.table("slides").where("model", model.label).numbers("highest")));
         return judged(most < 1e-3, fmt::format("{:.1e} mm at most", most));
       }}};
}

std::vector<Claim> claims() {
  return {
      {"boxed-is-too-strong", "Boxed friction is up to √2 too strong, along the diagonals of the tangents.",
       "The two rows are two one-dimensional laws: an outer pyramid [thesis A §2; course §1.7].",
       [](const Data& data) {
         const double most = extreme(data, "boxed", "magnitude", true);
         return judged(std::abs(most - std::sqrt(2.0)) < 0.01, fmt::format("up to {:.4f} of μ λₙ", most));
       }},
      {"polygons-turn-friction",
       "A polygon of k directions turns friction by up to 180°/k from the slide and dissipates cos(π/k) of what it should.",
       "As many directions as wanted give a better approximation of the cone [course §1.6].",
       [](const Data& data) {
         bool all = true;
         std::string evidence;
         for (const int k : {4, 8, 16}) {
           const std::string model = fmt::format("LCP, k = {}", k);
           const double turn = extreme(data, model.c_str(), "turn", true), least = extreme(data, model.c_str(), "along", false);
           all = all && turn <= 180.0 / k + 0.1 && least >= std::cos(std::numbers::pi / k) - 0.005;
           evidence += fmt::format("{}k = {}: {:.1f}°, {:.3f}", evidence.empty() ? "" : "; ", k, turn, least);
         }
         return judged(all, evidence);
       }},
      {"exact-is-round", "Coulomb's cone gives the same friction in all directions.", "", [](const Data& data) {
         const double least = extreme(data, "exact (NCP)", "along", false), turn = extreme(data, "exact (NCP)", "turn", true);
         return judged(least > 1 - 1e-6 && turn < 0.01,
                       fmt::format("at least {:.7f} of μ λₙ against the slide, turned by at most {:.1e}°", least, turn));
       }}};
}

std::vector<Table> tables() {
  const Column model = text("model", "model");
  return {Table("directions", "Friction of one step by the direction of the slide",
                {model, number("angle", "°", "direction of the slide"), number("magnitude", "", "friction over μ λₙ"),
                 number("along", "", "its part against the slide, over μ λₙ"),
                 number("turn", "°", "angle between friction and the slide"),
                 number("lift", "", "normal velocity over μ times the slip")}),
          Table("slides", "Slides at 15° until the box rests",
                {model, number("h", "ms", "step"), number("distance", "", "way over v²/2μg"),
                 number("aside", "%", "deviation from the straight way"),
                 number("highest", "mm", "largest height above the ground")}),
          Table("pulls", "Half a second of a pull with one and a half times the friction",
                {model, number("h", "ms", "step"), number("speed", "m/s", "speed at the end"),
                 number("height", "mm", "height above the ground then"), number("expected", "mm", "h μ v")}),
          Table("height", "Height of the box while it slides",
                {model, text("h", "step"), number("time", "s", "time"), number("height", "mm", "height above the ground")}),
          Table("costs", "A pyramid by all models",
                {model, number("contacts", "", "contacts"), number("unknowns", "", "unknowns"),
                 number("iterations", "", "iterations or pivots"), number("own", "m/s", "residual by the model itself"),
                 number("coulomb", "m/s", "residual by Coulomb's law"), timing("time", "ms", "processor time")})};
}

Plan plan(const Setting& setting) {
  Plan plan;
  plan.tables = tables();
  plan.claims = claims();
  for (Claim& claim : lift_claims()) plan.claims.push_back(std::move(claim));
  plan.figures = {{.name = "directions",
                   .title = "Friction against the slide",
                   .caption = "Over μ λₙ, by the direction of the slide. The circle is 1; boxed friction is up to √2, polygons "
                              "give what their nearest corner has.",
                   .table = "directions",
                   .x = "angle",
                   .y = {"along"},
                   .series = "model"},
                  {.name = "turn",
                   .title = "How far friction is turned from the slide",
                   .caption = "A box whose friction is turned drifts off its way.",
                   .table = "directions",
                   .x = "angle",
                   .y = {"turn"},
                   .series = "model"},
                  {.name = "height",
                   .title = "What the relaxation lifts",
                   .caption = "Height of the sliding box. The convex model throws it up, and lifts it again whenever it lands "
                              "while it slides; all others keep it on the ground.",
                   .table = "height",
                   .x = "time",
                   .y = {"height"},
                   .series = "model",
                   .panels = "h"}};
  for (const Model& model : models()) {
    plan.cases.push_back({fmt::format("{} directions", model.key),
                          [=](CaseRun& run) { run_directions(run, model, setting.pick(15.0, 5.0, 1.0)); }});
    for (const double h : {0.01, 0.005, 0.0025})
      plan.cases.push_back(
          {fmt::format("{} slide {}", model.key, h), [=](CaseRun& run) { run_slide(run, model, h); }, 0.01 / h}),
          plan.cases.push_back(
              {fmt::format("{} pull {}", model.key, h), [=](CaseRun& run) { run_pull(run, model, h); }, 0.01 / h});
    plan.cases.push_back({fmt::format("{} cost", model.key),
                          [=](CaseRun& run) { run_cost(run, model, setting.pick<const char*>("3", "5", "7")); }, 5});
  }
  return plan;
}

}   // namespace contact_models_study

Study contact_models() {
  return {
      .name = "contact-models",
      .title = "Linear, boxed, exact and convex friction",
      .paper = "course §1.6–1.8",
      .about =
          "One flat box slides over the ground at 2 m/s with μ = 0.5, in all directions between its two tangents, by the "
          "models of the course: a polygon of k directions (an LCP), "
          "a box (a boxed LCP), Coulomb's cone (an NCP), and its convex relaxation (a CCP).",
      .paper_says =
          {"As many directions as wanted approximate the cone (§1.6).",
           "Friction rows with bounds of their own overestimate friction, an inner diamond underestimates it [thesis A §2].",
           "In the CCP the velocity of a slide gains a normal component: what is pushed fast lifts off (§1.8, figure 9)."},
      .plan = contact_models_study::plan};
}

}   // namespace stickslip::study
