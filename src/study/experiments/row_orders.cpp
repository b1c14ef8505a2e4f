// All orders of the rows of small problems, and what orders give on larger ones [reordering].
#include "study/experiments/order_census.h"

#include <algorithm>

#include "stickslip/math/error.h"
#include "stickslip/solve/registry.h"
#include "stickslip/step/stepper.h"
#include "study/experiments/captured.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace row_order_study {

constexpr double kOrderTolerance = 1e-4;   ///< of the paper, here on the residual of the boxed model [m/s]
constexpr int kOrderSweeps = 25;           ///< shown in the paper
constexpr int kOrderLimit = 100;           ///< sweeps after which an order counts as one that does not get there

/// A problem that is swept in all orders. The paper gives mass, speeds and friction, but no sizes and no tangents: with the
/// first tangent along the slide, as here, bodies as broad as they are long show what it shows ("shapes" has others).
struct OrderedBody {
  const char* name;
  const char* scene;
  std::vector<Override> overrides;
  int rows_per_contact;
  bool of_the_paper;
};

std::vector<OrderedBody> ordered_bodies() {
  const double reach = 0.2 / std::sqrt(3.0);   // of the centres of three spheres of 0.1 m that touch each other
  std::vector<Override> touching;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2 * std::numbers::pi * i / 3;
    touching.push_back({fmt::format("/bodies/1/parts/{}/position", i),
                        fmt::format("[{:.17g}, {:.17g}, 0]", reach * std::cos(angle), reach * std::sin(angle))});
  }
  return {
      {"capsule", "sliding-capsule", {{"/parameters/heading_degrees", "-45"}, {"/bodies/1/shape/half_height", "0.1"}}, 3, true},
      {"three spheres", "sliding-three-spheres", touching, 3, true},
      {"two boxes", "stack", {{"/parameters/count", "2"}, {"/parameters/mu", "0"}}, 1, false}};
}

/// The first step of a body that is set down, so that every contact presses.
ContactProblem ordered_problem(const CaseRun& run, const OrderedBody& body) {
  return captured_problem(run, body.scene, body.overrides, 1).problem;
}

/// Sweeps of a solver, judged after each by the boxed model; limit + 1 if they do not get there.
int sweeps_of(const ContactProblem& problem, const char* solver, const OptionList& options, double tolerance, int limit) {
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = limit;
  control.keep_history = true;
  control.natural_map = false;
  std::vector<double> impulses(problem.rows(), 0.0);
  Workspace workspace;
  const SolveReport report = make_solver(solver, options)->solve(problem, impulses, workspace, control);
  return report.model_residual <= tolerance ? report.iterations : limit + 1;
}

void add_curves(CaseRun& run, const OrderedBody& body, const SmallBoxedProblem& small, const OrderCensus& census) {
  for (const auto& [label, order] : {std::pair("as listed", SmallBoxedProblem::as_listed()),
                                     std::pair("best", census.best_order), std::pair("worst", census.worst_order)}) {
    const std::vector<double> curve = small.curve(order, kOrderSweeps);
    for (std::size_t k = 0; k < curve.size(); ++k) run.table("curves").add({body.name, label, k, std::max(curve[k], 1e-16)});
  }
}

/// The orders that solvers make by themselves. Rows of all names but the last few are sorted one by one.
void add_named(CaseRun& run, const OrderedBody& body, const ContactProblem& problem, const OrderCensus& census) {
  const auto add = [&](const std::string& name, int sweeps) {
    run.table("named").add({body.name, name, sweeps, 100 * census.part_within(sweeps - 1)});
  };
  for (const std::string name : {"given", "random", "random-sweep", "propagation", "effective-mass", "complementarity"})
    for (const bool rows : {false, true}) {
      if (rows && (name == "given" || body.rows_per_contact == 1)) continue;
      OptionList options = {{"ordering", name}, {"ordering_refresh", 1.0}};
      if (rows) options.push_back({"order_rows", true});
      add(name + (rows ? ", rows" : ""), sweeps_of(problem, "pgs", options, kOrderTolerance, kOrderLimit));
    }
  add("given, backwards", sweeps_of(problem, "pgs", {{"reverse_order", true}}, kOrderTolerance, kOrderLimit));
  if (body.rows_per_contact > 1) {
    add("grouped", sweeps_of(problem, "pgs", {{"ordering", "grouped"}}, kOrderTolerance, kOrderLimit));
    add("contacts solved whole", sweeps_of(problem, "bgs", {{"block", "contact"}}, kOrderTolerance, kOrderLimit));
  }
}

void run_census(CaseRun& run, const OrderedBody& body, std::uint64_t samples, std::uint64_t seed) {
  const ContactProblem problem = ordered_problem(run, body);
  const SmallBoxedProblem small(problem);
  const double start = processor_seconds();
  const OrderCensus census =
      take_census(small, {.tolerance = kOrderTolerance, .limit = kOrderLimit, .samples = samples, .seed = seed, .stop = [&] {
                            return run.cancelled();
                          }});
  const double seconds = processor_seconds() - start;
  run.check_cancelled();
  const int listed = small.sweep(SmallBoxedProblem::as_listed(), kOrderTolerance, kOrderLimit).sweeps;
  int median = 0;
  while (census.part_within(median) < 0.5) ++median;
  run.table("orders").add({body.name, small.rows(), static_cast<double>(census.orders), census.best.sweeps, listed, median,
                           census.worst.sweeps, small.curve(census.worst_order, kOrderSweeps).back(),
                           100 * (1 - census.part_within(kOrderSweeps)), 100 * (1 - census.part_within(kOrderLimit)),
                           order_text(census.best_order, small.rows(), body.rows_per_contact),
                           order_text(census.worst_order, small.rows(), body.rows_per_contact), seconds});
  for (int k = 1; k <= kOrderSweeps + 1; ++k) {
    const double part = k > kOrderSweeps ? 1 - census.part_within(kOrderSweeps)
                                         : static_cast<double>(census.by_sweeps[k]) / static_cast<double>(census.orders);
    run.table("histogram").add({body.name, k, 100 * part});
  }
  add_curves(run, body, small, census);
  add_named(run, body, problem, census);
}

/// How much of the spread is left when only the row that a sweep begins with changes.
void run_rotations(CaseRun& run, const OrderedBody& body, std::uint64_t samples, std::uint64_t seed) {
  const SmallBoxedProblem small(ordered_problem(run, body));
  std::vector<double> spreads, sweeps;
  std::uint64_t lots = seed;
  SmallBoxedProblem::Order order = SmallBoxedProblem::as_listed();
  for (std::uint64_t k = 0; k < samples; ++k) {
    shuffle_order(order, small.rows(), lots);
    int least = kOrderLimit + 1, most = 0;
    for (int turn = 0; turn < small.rows(); ++turn) {
      const int needed = small.sweep(order, kOrderTolerance, kOrderLimit).sweeps;
      least = std::min(least, needed), most = std::max(most, needed);
      sweeps.push_back(needed);
      std::rotate(order.begin(), order.begin() + 1, order.begin() + small.rows());
    }
    spreads.push_back(most - least);
  }
  run.table("rotations")
      .add({body.name, quantile(spreads, 0.5), quantile(spreads, 0.9), quantile(sweeps, 0.05), quantile(sweeps, 0.95)});
}

/// The capsule in other shapes and directions.
void run_shapes(CaseRun& run, double half_height, int heading) {
  const ContactProblem problem = captured_problem(run, "sliding-capsule",
                                                  {{"/parameters/heading_degrees", std::to_string(heading)},
                                                   {"/bodies/1/shape/half_height", fmt::format("{}", half_height)}},
                                                  1)
                                     .problem;
  const SmallBoxedProblem small(problem);
  const OrderCensus census = take_census(small, {.tolerance = kOrderTolerance, .limit = kOrderLimit});
  run.table("shapes").add({fmt::format("{:g}", half_height / 0.1), heading, census.best.sweeps,
                           small.sweep(SmallBoxedProblem::as_listed(), kOrderTolerance, kOrderLimit).sweeps,
                           census.worst.sweeps, 100 * (1 - census.part_within(kOrderSweeps))});
}

/// What orders of whole contacts give where there are many.
struct OrderedScene {
  const char* label;
  const char* scene;
  std::vector<Override> overrides;
  int step;
};

std::vector<OrderedScene> ordered_scenes(const Setting& setting) {
  const auto count = [&](const char* quick, const char* standard, const char* full) {
    return setting.pick(quick, standard, full);
  };
  return {
      {"stack", "stack", {{"/parameters/count", count("3", "5", "10")}}, 3},
      {"wall", "wall", {{"/parameters/rows", count("3", "5", "9")}, {"/parameters/bricks_per_row", count("2", "5", "9")}}, 3},
      {"pyramid", "pyramid", {{"/parameters/rows", count("3", "5", "10")}}, 3},
      {"heap", "boxes", {{"/parameters/count", count("5", "30", "100")}}, 80}};
}

struct SceneOrder {
  const char* key;
  const char* label;
  const char* solver;
  const char* ordering;
  bool reverse = false;
  int seed = 1;
};

constexpr int kSceneLimit = 20000;

std::vector<SceneOrder> scene_orders() {
  return {{"given", "given", "pgs", "given"},
          {"backwards", "given, backwards", "pgs", "given", true},
          {"upwards", "by height", "pgs", "coordinate"},
          {"across", "across (y)", "pgs", "coordinate-y"},
          {"layers", "layers", "pgs", "layers"},
          {"propagation", "propagation", "pgs", "propagation"},
          {"mass", "effective mass", "pgs", "effective-mass"},
          {"error", "complementarity", "pgs", "complementarity"},
          {"random-1", "random, seed 1", "pgs", "random", false, 1},
          {"random-2", "random, seed 2", "pgs", "random", false, 2},
          {"random-3", "random, seed 3", "pgs", "random", false, 3},
          {"random-sweep", "new shuffle every sweep", "pgs", "random-sweep"},
          {"exact", "exact sweeps, given", "nsgs", "given"},
          {"exact-random", "exact sweeps, new shuffle every sweep", "nsgs", "random-sweep"},
          {"accelerated", "accelerated exact sweeps, given", "accelerated-nsgs", "given"}};
}

void run_scene_order(CaseRun& run, const OrderedScene& scene, const SceneOrder& order) {
  const ContactProblem problem = captured_problem(run, scene.scene, scene.overrides, scene.step).problem;
  const OptionList options = {
      {"ordering", std::string(order.ordering)}, {"reverse_order", order.reverse}, {"seed", static_cast<double>(order.seed)}};
  run.table("larger").add({scene.label, order.label, problem.contact_count(),
                           sweeps_of(problem, order.solver, options, kOrderTolerance, kSceneLimit)});
}

std::vector<Table> order_tables() {
  const Column body = text("body", "problem");
  return {
      Table("orders", "All orders of the rows",
            {body, number("rows", "", "rows"), number("orders", "", "orders tried"), number("best", "", "sweeps of the best"),
             number("listed", "", "sweeps as listed"), number("median", "", "sweeps of the order in the middle"),
             number("worst", "", "sweeps of the worst; 101: more than 100"),
             number("error_of_worst", "m/s", "error of the worst after 25 sweeps"),
             number("beyond_25", "%", "orders that need more than 25 sweeps"),
             number("beyond_100", "%", "orders that need more than 100"),
             text("best_order", "the best: contact and normal, t or b"), text("worst_order", "the worst"),
             timing("seconds", "s", "processor time of all orders")}),
      Table(
          "curves", "Error after every sweep",
          {body, text("order", "order"), number("sweep", "", "sweeps"), number("error", "m/s", "residual of the boxed model")}),
      Table("histogram", "Sweeps to an error of 1e-4 m/s",
            {body, number("sweeps", "", "sweeps; 26: more than 25"), number("part", "%", "part of all orders")}),
      Table("named", "Orders that solvers make by themselves",
            {body, text("ordering", "ordering"), number("sweeps", "", "sweeps; 101: more than 100"),
             number("beaten_by", "%", "of all orders that need fewer sweeps")}),
      Table("rotations", "The same order begun at every row",
            {body, number("median_spread", "", "largest less smallest number of sweeps, median over orders"),
             number("spread_90", "", "the same, 90th percentile"),
             number("fewest", "", "5th percentile of the sweeps of all of them"), number("most", "", "95th percentile")}),
      Table("shapes", "Capsules of other shapes and headings",
            {text("length", "half length of the cylinder over the radius"),
             number("heading", "°", "angle from the velocity to the axis"), number("best", "", "sweeps of the best order"),
             number("listed", "", "as listed"), number("worst", "", "of the worst; 101: more than 100"),
             number("beyond_25", "%", "orders that need more than 25 sweeps")}),
      Table("larger", "Orders of contacts in larger problems",
            {text("scene", "scene"), text("ordering", "ordering"), number("contacts", "", "contacts"),
             number("sweeps", "", "sweeps to 1e-4 m/s; 20001: more")}),
      Table("choice", "Some of them",
            {text("scene", "scene"), text("ordering", "ordering"), number("sweeps", "", "sweeps to 1e-4 m/s")})};
}

std::vector<Figure> order_figures() {
  return {
      {.name = "curves",
       .title = "Convergence by order",
       .caption = "Error of the boxed model after every sweep of projected Gauss–Seidel: rows as they are listed, in the best "
                  "and in the worst of all orders (the paper's figure 2).",
       .table = "curves",
       .x = "sweep",
       .y = {"error"},
       .series = "order",
       .panels = "body",
       .log_y = true,
       .levels = {{"1e-4", kOrderTolerance}}},
      {.name = "histogram",
       .title = "Sweeps to 1e-4 m/s",
       .caption = "How many of all orders need so many sweeps (the paper's figure 3); at 26 all that need more than 25.",
       .kind = FigureKind::steps,
       .table = "histogram",
       .x = "sweeps",
       .y = {"part"},
       .panels = "body",
       .share_y = false},
      {.name = "named",
       .title = "Orders that solvers make by themselves",
       .caption = "Which part of all orders is better than each.",
       .kind = FigureKind::bars,
       .table = "named",
       .x = "ordering",
       .y = {"beaten_by"},
       .series = "body"},
      {.name = "shapes",
       .title = "Best and worst order of capsules",
       .caption = "Slender capsules do not care; short ones that slide askew do.",
       .table = "shapes",
       .x = "heading",
       .y = {"best", "listed", "worst"},
       .panels = "length",
       .log_y = true},
      {.name = "choice",
       .title = "Orders of contacts in larger problems",
       .caption = "Sweeps until the solver's model holds to 1e-4 m/s. The table \"larger\" has more orders.",
       .kind = FigureKind::bars,
       .table = "choice",
       .x = "scene",
       .y = {"sweeps"},
       .series = "ordering",
       .log_y = true}};
}

/// Of the orders on larger problems those that the figure shows.
void choose(Data& data) {
  for (const char* label : {"given", "across (y)", "propagation", "complementarity", "new shuffle every sweep",
                            "accelerated exact sweeps, given"}) {
    const Table rows = data.table("larger").where("ordering", label);
    for (std::size_t i = 0; i < rows.rows(); ++i)
      data.table("choice").add({rows.texts("scene")[i], label, rows.numbers("sweeps")[i]});
  }
}

Finding both_of_paper(const Data& data, const char* column, bool (*holds)(double)) {
  bool all = true;
  std::string evidence;
  const Table& table = data.table("orders");
  for (const char* body : {"capsule", "three spheres"}) {
    const double value = table.where("body", body).numbers(column).at(0);
    all = all && holds(value);
    evidence += fmt::format("{}{}: {:g}{}", evidence.empty() ? "" : ", ", body, value,
                            table.column(column).unit.empty() ? " sweeps" : " m/s");
  }
  return judged(all, evidence);
}

/// About orders of contacts in larger problems.
std::vector<Claim> larger_claims() {
  return {{"shuffling-helps-structures",
           "In stacks, walls and pyramids a new shuffle in every sweep is the order to choose: it needs the fewest plain "
           "sweeps, or nearly.",
           "",
           [](const Data& data) {
             bool all = true;
             std::string evidence;
             for (const char* scene : {"stack", "wall", "pyramid"}) {
               const Table rows = data.table("larger").where("scene", scene);
               const auto sweeps = [&](const char* order) { return rows.where("ordering", order).numbers("sweeps").at(0); };
               all = all && sweeps("new shuffle every sweep") < 0.75 * sweeps("given");
               evidence += fmt::format("{}{}: {:g} against {:g} as given", evidence.empty() ? "" : "; ", scene,
                                       sweeps("new shuffle every sweep"), sweeps("given"));
             }
             return judged(all, evidence);
           }},
          {"acceleration-beats-order", "Acceleration in the order as given beats every order of plain sweeps.", "",
           [](const Data& data) {
             bool all = true;
             std::string evidence;
             for (const std::string& scene : data.table("larger").distinct("scene")) {
               const Table rows = data.table("larger").where("scene", scene);
               double best = 1e300, accelerated = 0;
               for (std::size_t i = 0; i < rows.rows(); ++i)
                 if (rows.texts("ordering")[i].starts_with("accelerated")) accelerated = rows.numbers("sweeps")[i];
                 else best = std::min(best, rows.numbers("sweeps")[i]);
               all = all && accelerated < best;
               evidence += fmt::format("{}{}: {:g} sweeps, the best order {:g}", evidence.empty() ? "" : "; ", scene,
                                       accelerated, best);
             }
             return judged(all, evidence);
           }}};
}

std::vector<Claim> order_claims() {
  return {{"best-under-20", "The best order needs fewer than 20 sweeps.",
           "\"The best ordering converges in less than 20 iterations for both examples.\"",
           [](const Data& data) { return both_of_paper(data, "best", [](double sweeps) { return sweeps < 20; }); }},
          {"worst-beyond-25", "The worst order is above 1e-4 after 25 sweeps.",
           "\"For the worst ordering, the error remains high even after 25 iterations.\"",
           [](const Data& data) {
             return both_of_paper(data, "error_of_worst", [](double error) { return error > kOrderTolerance; });
           }},
          {"order-is-cyclic", "Which row a sweep begins with hardly matters: what counts is which row follows which.", "",
           [](const Data& data) {
             const Table& t = data.table("rotations");
             bool all = true;
             std::string evidence;
             for (std::size_t i = 0; i < t.rows(); ++i) {
               const double spread = t.numbers("median_spread")[i], range = t.numbers("most")[i] - t.numbers("fewest")[i];
               all = all && 3 * spread <= range;
               evidence += fmt::format("{}{}: {:g} sweeps between the beginnings of one order, {:g} between orders",
                                       i ? "; " : "", t.texts("body")[i], spread, range);
             }
             return judged(all, evidence);
           }},
          {"slender-capsules-do-not-care",
           "Of capsules two and a half times as long as wide or more, no order needs more than 25 sweeps unless they slide "
           "sideways.",
           "", [](const Data& data) {
             const Table& shapes = data.table("shapes");
             double worst = 0, short_ones = 0;
             for (std::size_t i = 0; i < shapes.rows(); ++i) {
               if (std::abs(shapes.numbers("heading")[i]) == 90) continue;
               double& most = std::stod(shapes.texts("length")[i]) >= 2.5 ? worst : short_ones;
               most = std::max(most, shapes.numbers("worst")[i]);
             }
             return judged(worst <= kOrderSweeps,
                           fmt::format("at most {:g} sweeps; shorter ones up to {}", worst,
                                       short_ones > kOrderLimit ? "more than 100" : fmt::format("{:g}", short_ones)));
           }}};
}

Plan plan(const Setting& setting) {
  Plan plan;
  plan.tables = order_tables();
  plan.figures = order_figures();
  plan.claims = order_claims();
  for (Claim& claim : larger_claims()) plan.claims.push_back(std::move(claim));
  plan.summarise = choose;
  const bool quick = setting.size == Size::quick;
  for (const OrderedBody& body : ordered_bodies()) {
    const std::uint64_t samples = quick && std::string(body.name) != "capsule" ? 3000 : 0;
    plan.cases.push_back({std::string(body.name), [=](CaseRun& run) { run_census(run, body, samples, setting.seed); }, 20});
    plan.cases.push_back({fmt::format("rotations of {}", body.name),
                          [=](CaseRun& run) { run_rotations(run, body, quick ? 100 : 1000, setting.seed); }});
  }
  for (const double half : quick ? std::vector<double>{0.1, 0.25} : std::vector<double>{0.05, 0.1, 0.15, 0.25, 0.5})
    for (int heading = -90; heading <= 75; heading += quick ? 45 : 15)
      plan.cases.push_back({fmt::format("shape {} {}", half, heading), [=](CaseRun& run) { run_shapes(run, half, heading); }});
  for (const OrderedScene& scene : ordered_scenes(setting))
    for (const SceneOrder& order : scene_orders())
      plan.cases.push_back(
          {fmt::format("{} {}", scene.label, order.key), [=](CaseRun& run) { run_scene_order(run, scene, order); }, 3});
  return plan;
}

}   // namespace row_order_study

Study row_orders() {
  return {.name = "row-orders",
          .title = "Does the order of the rows matter?",
          .paper = "reordering",
          .about =
              "A Gauss–Seidel sweep uses every new impulse at once, so the order of the rows is part of the method. Small "
              "problems are swept in all orders "
              "there are: 720 of a capsule on two contacts, 362,880 of a body of three spheres, 40,320 of the normals of two "
              "boxes. Then the orders that "
              "solvers make by themselves take their place among them, and orders of contacts are tried on larger problems.\n\n"
              "Mass (10 kg), speed (10 m/s), spin (1 rad/s) and friction (1) are the paper's. It does not say how large the "
              "bodies are, in which "
              "direction they slide, or what its error is; here it is the residual of the boxed model, and the tangents lie "
              "along and across the slide. Capsule and spheres are as short as they can be, and the capsule slides askew: "
              "with these the paper's figures come out. The table of shapes has others, and most of them do not care much "
              "about the order.",
          .paper_says = {"The best order converges in less than 20 iterations for both bodies.",
                         "With the worst one the error remains high even after 25 iterations.",
                         "There is a large variation in the number of iterations to an error below 1e-4 (its figure 3)."},
          .plan = row_order_study::plan};
}

}   // namespace stickslip::study
