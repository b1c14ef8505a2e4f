#include "study/experiments/own_scene.h"

#include "scene/json.h"
#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {
namespace own_scene {

namespace {

/// What a run does differently from the scene as it stands.
struct Variant {
  std::string run;        ///< its name: "h/4", "pgs at 1e-4"
  std::string sweep;      ///< "step" or "solver"
  std::string solver;     ///< empty: the scene's
  double tolerance = 0;   ///< 0: the scene's
  double factor = 1;      ///< of the step h
  double seconds = 0;     ///< simulated
  double sample = 0;      ///< time between two looks at the bodies [s]
};

/// How large a scene is, and what is to be done with it: found when the study is planned.
struct Subject {
  std::string name, document, file;
  double h = 0, tolerance = 0;
  int bodies = 0;        ///< that forces move
  bool solves = false;   ///< whether steps solve a contact problem, so that solvers can be compared
};

constexpr int kFollowed = 200;        ///< bodies whose places are compared, at most
constexpr double kStuckPart = 0.99;   ///< a contact holds if its friction is at most this part of what it may be
constexpr int kMostIterations = 500;

const std::vector<std::string> kSolvers = {"auto", "nsgs", "accelerated-nsgs", "prox-gs", "pgs", "nncg", "alart-curnier",
                                           "admm", "apgd"};
const std::vector<std::string> kLimited = {"creep",          "penetration",    "residual",
                                           "energy_created", "position_error", "force_error"};

Subject subject_of(const Setting& setting) {
  if (setting.document.empty())
    throw Error("This study needs a scene: give stickslip study the name of a built-in scene or a .json file.");
  const Scene scene = parse_scene(setting.document, setting.scene);
  Subject subject{scene.name.empty() ? setting.scene : scene.name, setting.document, setting.scene, scene.step.h,
                  scene.step.tolerance};
  for (const Body& body : scene.world.bodies()) subject.bodies += body.alive && body.motion == MotionType::dynamic;
  if (subject.bodies == 0)
    throw Error("Nothing in this scene moves by forces, so there is nothing to study.").in(setting.scene);
  subject.solves = scene.step.integrator == "impulse";
  return subject;
}

std::vector<Override> overrides_of(const Variant& v, double h) {
  std::vector<Override> list = {{"/step/h", fmt::format("{}", h * v.factor)}};
  if (!v.solver.empty()) list.push_back({"/step/solver", nlohmann::json{{"name", v.solver}}.dump()});
  if (v.tolerance > 0) list.push_back({"/step/tolerance", fmt::format("{}", v.tolerance)});
  list.push_back({"/step/max_iterations", fmt::format("{}", v.sweep == "step" ? 4 * kMostIterations : kMostIterations)});
  return list;
}

/// Adds up what the steps of a run say.
class RunSums {
 public:
  void add(const World& world, const StepReport& report, double seconds, bool late) {
    ++steps_;
    missed_ += report.outcome.status != SolveStatus::converged;
    iterations_ += report.outcome.iterations;
    residual_max_ = std::max(residual_max_, report.outcome.error);
    residual_log_ += std::log(std::max(report.outcome.error, 1e-300));
    penetration_ = std::max(penetration_, report.penetration_max);
    for (const double created : report.motion.energy_created) energy_ += std::max(0.0, created);
    scale_ = std::max(scale_, report.motion.energy_scale);
    milliseconds_ += 1e3 * seconds;
    if (late) add_late(world, report);
  }
  void write(Table& runs, const Variant& v, double h, const std::string& end) const {
    const double n = std::max(1, steps_), late = std::max(1, late_steps_);
    runs.add({v.run, v.sweep, v.solver.empty() ? "the scene's" : v.solver, v.tolerance, h * v.factor, end, steps_, missed_ / n,
              iterations_ / n, std::exp(residual_log_ / n), residual_max_, creep_ / late, penetration_,
              scale_ > 0 ? energy_ / scale_ : 0, ground_.x() / late, ground_.y() / late, ground_.z() / late, milliseconds_ / n,
              milliseconds_ / std::max(1e-9, n * h * v.factor)});
  }

 private:
  /// Creep and force, in the second half of the run.
  void add_late(const World& world, const StepReport& report) {
    ++late_steps_;
    double fastest = 0, strongest = 0;
    for (const ContactRecord& c : report.contacts) strongest = std::max(strongest, c.normal_impulse);
    const auto moves = [&](BodyId id) { return world.contains(id) && world.body(id).motion == MotionType::dynamic; };
    for (const ContactRecord& c : report.contacts) {
      const double tangential = (c.impulse - c.normal_impulse * c.normal).norm();
      const bool holds = c.normal_impulse > 1e-3 * strongest && tangential < kStuckPart * c.friction * c.normal_impulse;
      if (holds) fastest = std::max(fastest, c.slip_velocity.norm());
      if (!moves(c.body_a)) ground_ -= c.impulse / report.force_time;
      if (!moves(c.body_b)) ground_ += c.impulse / report.force_time;
    }
    creep_ += fastest;
  }

  int steps_ = 0, late_steps_ = 0, missed_ = 0;
  double iterations_ = 0, residual_max_ = 0, residual_log_ = 0, creep_ = 0, penetration_ = 0, energy_ = 0, scale_ = 0,
         milliseconds_ = 0;
  Vec3 ground_ = Vec3::Zero();
};

void follow(Table& places, const std::string& run, const World& world, int sample, int bodies) {
  int number = 0;
  const int every = (bodies + kFollowed - 1) / kFollowed;
  for (const Body& body : world.bodies()) {
    if (!body.alive || body.motion != MotionType::dynamic) continue;
    if (number++ % every == 0) places.add({run, sample, number - 1, body.position.x(), body.position.y(), body.position.z()});
  }
}

void run_variant(const Subject& subject, const Variant& v, CaseRun& run) {
  Scene scene = run.parse(subject.document, subject.file, overrides_of(v, subject.h));
  Stepper stepper(scene.step);
  const int steps = static_cast<int>(std::lround(v.seconds / scene.step.h)),
            every = static_cast<int>(std::lround(v.sample / scene.step.h));
  RunSums sums;
  std::string end = "whole";
  try {
    for (int i = 1; i <= steps; ++i) {
      run.check_cancelled();
      const double start = processor_seconds();
      const StepReport& report = stepper.step(scene.world);
      const double seconds = processor_seconds() - start;
      if (report.outcome.status == SolveStatus::unsupported) {
        end = "not for this solver";
        break;
      }
      sums.add(scene.world, report, seconds, 2 * i > steps);
      if (i % every == 0) follow(run.table("places"), v.run, scene.world, i / every, subject.bodies);
    }
  } catch (const Error&) {
    end = "blew up";   // positions that are not finite, or a pair of bodies far too fast
  }
  sums.write(run.table("runs"), v, subject.h, end);
}

std::string factor_name(double factor) {
  return factor == 1 ? "h" : factor > 1 ? fmt::format("{:g}h", factor) : fmt::format("h/{:g}", 1 / factor);
}

/// Step lengths 4h … h/4 with h/16 to compare with, and every solver at several tolerances with one solved as well as can be.
std::vector<Variant> variants_of(const Subject& subject, const Setting& setting) {
  const int steps =
      std::clamp(setting.pick(1000, 12'000, 120'000) / subject.bodies, setting.pick(16, 48, 200), setting.pick(32, 160, 1000));
  const double seconds = subject.h * 16 * std::max(1, steps / 16),
               sample = seconds / 4 >= 4 * subject.h ? seconds / 4 : 4 * subject.h;
  std::vector<Variant> variants;
  const auto add = [&](const std::string& name, const char* sweep, const std::string& solver, double tolerance, double factor) {
    variants.push_back({name, sweep, solver, tolerance, factor, seconds, sample});
  };
  const std::string tight_solver = subject.solves ? "auto" : "";
  for (const double factor : setting.pick<std::vector<double>>({2, 1, 0.5, 0.125}, {4, 2, 1, 0.5, 0.25, 0.0625},
                                                               {4, 2, 1, 0.5, 0.25, 0.125, 0.03125}))
    add(factor_name(factor), "step", tight_solver, subject.solves ? std::min(subject.tolerance, 1e-6) : 0, factor);
  if (!subject.solves) return variants;
  add("reference", "solver", "auto", 1e-9, 1);
  for (const std::string& solver : setting.solvers.empty() ? kSolvers : setting.solvers) {
    make_solver(solver);   // names an unknown one
    for (const double tolerance :
         setting.pick<std::vector<double>>({1e-2, 1e-4}, {1e-1, 1e-2, 1e-4, 1e-6}, {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8}))
      add(fmt::format("{} at {:g}", solver, tolerance), "solver", solver, tolerance, 1);
  }
  return variants;
}

std::vector<Table> tables_of() {
  return {Table("runs", "Every run",
                {text("run", "run"), text("sweep", "what is varied"), text("solver", "solver"),
                 number("tolerance", "", "tolerance"), number("h", "s", "step"), text("end", "how it ended"),
                 number("steps", "", "steps"), number("missed", "", "part of the steps that missed the tolerance"),
                 number("iterations", "", "iterations a step"), number("residual", "m/s", "residual, geometric mean"),
                 number("residual_max", "m/s", "largest residual"), number("creep", "m/s", "creep of contacts that hold"),
                 number("penetration", "m", "largest penetration"),
                 number("energy_created", "", "energy from nowhere, as part of the scene's"),
                 number("ground_x", "N", "force on the ground, x"), number("ground_y", "N", "force on the ground, y"),
                 number("ground_z", "N", "force on the ground, z"), timing("step_time", "ms", "time of a step"),
                 timing("real_time", "ms/s", "time for a second of motion")}),
          Table("places", "Where bodies were",
                {text("run", "run"), number("sample", "", "look"), number("body", "", "body"), number("x", "m", "x"),
                 number("y", "m", "y"), number("z", "m", "z")}),
          Table("errors", "Against the reference",
                {text("run", "run"), text("sweep", "what is varied"), text("solver", "solver"),
                 number("tolerance", "", "tolerance"), number("h", "s", "step"),
                 number("position_error", "m", "distance from the reference, root mean square"),
                 number("position_error_max", "m", "distance from the reference, largest"),
                 number("force_error", "", "error of the force on the ground, relative"),
                 number("residual", "m/s", "residual, geometric mean"), number("creep", "m/s", "creep of contacts that hold"),
                 timing("step_time", "ms", "time of a step")})};
}

/// Distances between the same bodies at the same looks. @returns root mean square and largest; NaN if one has none
std::pair<double, double> distance(const Table& a, const Table& b) {
  double squares = 0, most = 0;
  if (a.rows() != b.rows() || a.rows() == 0) return {std::nan(""), std::nan("")};
  for (std::size_t i = 0; i < a.rows(); ++i) {
    double square = 0;
    for (const char* axis : {"x", "y", "z"}) square += std::pow(a.numbers(axis)[i] - b.numbers(axis)[i], 2);
    squares += square;
    most = std::max(most, std::sqrt(square));
  }
  return {std::sqrt(squares / static_cast<double>(a.rows())), most};
}

Vec3 ground_force(const Table& runs, std::size_t i) {
  return {runs.numbers("ground_x")[i], runs.numbers("ground_y")[i], runs.numbers("ground_z")[i]};
}

void compare_runs(Data& data) {
  const Table& runs = data.table("runs");
  for (const char* sweep : {"step", "solver"}) {
    std::size_t reference = runs.rows();
    for (std::size_t i = 0; i < runs.rows();
         ++i)   // the last step length is the shortest; the first solver run is the reference
      if (runs.texts("sweep")[i] == sweep && (std::string_view(sweep) == "step" || reference == runs.rows())) reference = i;
    if (reference == runs.rows()) continue;
    const Table there = data.table("places").where("run", runs.texts("run")[reference]);
    const Vec3 force = ground_force(runs, reference);
    for (std::size_t i = 0; i < runs.rows(); ++i) {
      if (runs.texts("sweep")[i] != sweep || i == reference || runs.texts("end")[i] == "not for this solver") continue;
      const auto [rms, most] = distance(data.table("places").where("run", runs.texts("run")[i]), there);
      const double force_error = force.norm() > 0 ? (ground_force(runs, i) - force).norm() / force.norm() : std::nan("");
      data.table("errors").add({runs.texts("run")[i], sweep, runs.texts("solver")[i], runs.numbers("tolerance")[i],
                                runs.numbers("h")[i], rms, most, force_error, runs.numbers("residual")[i],
                                runs.numbers("creep")[i], runs.numbers("step_time")[i]});
    }
  }
}

double value_at(const Data& data, const std::string& run, const std::string& column) {
  const bool in_errors = column == "position_error" || column == "force_error";
  const Table rows = data.table(in_errors ? "errors" : "runs").where("run", run);
  return rows.rows() ? rows.numbers(column)[0] : std::nan("");
}

std::string unit_of(const Data& data, const std::string& column) {
  const Table& table = data.table(column == "position_error" || column == "force_error" ? "errors" : "runs");
  return table.column(column).unit;
}

std::string limits_text(const Data& data, const std::vector<Limit>& limits) {
  std::vector<std::string> parts;
  for (const Limit& l : limits) {
    std::string name = l.column;
    std::ranges::replace(name, '_', ' ');
    const std::string unit = unit_of(data, l.column);
    parts.push_back(l.column == "creep" && l.value == 1e-6
                        ? "creep under 1 µm/s"
                        : fmt::format("{} under {:g}{}{}", name, l.value, unit.empty() ? "" : " ", unit));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

/// The cheapest run of the solvers that keeps all limits.
std::string recommendation(const Data& data, const std::vector<Limit>& limits) {
  const Table runs = data.table("runs").where("sweep", "solver");
  std::optional<std::size_t> best, closest;
  for (std::size_t i = 0; i < runs.rows(); ++i) {
    if (runs.texts("run")[i] == "reference" || runs.texts("end")[i] != "whole") continue;
    const auto keeps = [&](const Limit& l) { return value_at(data, runs.texts("run")[i], l.column) < l.value; };
    if (std::ranges::all_of(limits, keeps) && (!best || runs.numbers("step_time")[i] < runs.numbers("step_time")[*best]))
      best = i;
    if (!closest || value_at(data, runs.texts("run")[i], limits.front().column) <
                        value_at(data, runs.texts("run")[*closest], limits.front().column))
      closest = i;
  }
  const std::string wish = limits_text(data, limits);
  if (best)
    return fmt::format(
        "To hold {} use solver {} at tolerance {:g}: the cheapest of {} runs that did, at {:.3g} ms a step ({:.1f} iterations, "
        "largest penetration {:.2g} m, creep {:.2g} m/s). On the command line: --solver {} --set /step/tolerance={:g}",
        wish, runs.texts("solver")[*best], runs.numbers("tolerance")[*best], runs.rows() - 1, runs.numbers("step_time")[*best],
        runs.numbers("iterations")[*best], runs.numbers("penetration")[*best], runs.numbers("creep")[*best],
        runs.texts("solver")[*best], runs.numbers("tolerance")[*best]);
  if (!closest) return fmt::format("No solver ran to the end, so nothing can be said about how to hold {}.", wish);
  return fmt::format(
      "None of {} runs held {}. The nearest was {}, with a {} of {:.2g}{}{}. Try a shorter step, or a limit that this scene "
      "can keep.",
      runs.rows() - 1, wish, runs.texts("run")[*closest], limits.front().column,
      value_at(data, runs.texts("run")[*closest], limits.front().column),
      unit_of(data, limits.front().column).empty() ? "" : " ", unit_of(data, limits.front().column));
}

/// How the motion converges as the step becomes shorter.
std::string about_step(const Data& data) {
  const Table steps = data.table("errors").where("sweep", "step");
  const std::vector<double>&h = steps.numbers("h"), &error = steps.numbers("position_error");
  const double order = order_of(h, error, smallest(data.table("runs").where("sweep", "step").numbers("h")));
  if (std::isnan(order)) return "The motion is the same for every step length, or no run went to its end.";
  std::string text =
      fmt::format("With shorter steps the motion approaches that of the shortest one with order {:.2f}: ", order);
  for (std::size_t i = 0; i < h.size(); ++i) text += fmt::format("{}{:.2g} m at h = {:g} s", i ? ", " : "", error[i], h[i]);
  if (order < 0.3)
    text +=
        ". That is no convergence: the motion is chaotic (every small difference grows), and single trajectories mean little "
        "here.";
  else text += ".";
  return text;
}

std::vector<Figure> figures_of(bool solves) {
  std::vector<Figure> figures = {
      {.name = "order",
       .title = "Distance from the run with the shortest step",
       .caption = "Root mean square over bodies and times. First order falls by half when the step is halved.",
       .table = "errors",
       .x = "h",
       .y = {"position_error", "position_error_max"},
       .y_label = "distance [m]",
       .log_x = true,
       .log_y = true,
       .where = {{"sweep", "step"}}}};
  if (!solves) return figures;
  const auto pareto = [](const char* name, const char* title, const char* y, const char* caption) {
    return Figure{.name = name,
                  .title = title,
                  .caption = caption,
                  .kind = FigureKind::scatter,
                  .table = "errors",
                  .x = "step_time",
                  .y = {y},
                  .series = "solver",
                  .point_label = "tolerance",
                  .log_x = true,
                  .log_y = true,
                  .pareto = true,
                  .where = {{"sweep", "solver"}}};
  };
  figures.push_back(pareto("residual-cost", "What a residual costs", "residual",
                           "Every point is a run, labelled with the tolerance that was asked for; left and low is good. The "
                           "grey line joins the runs that "
                           "none beats in both."));
  figures.push_back(pareto("creep-cost", "What it costs to hold still", "creep",
                           "Slip of contacts whose friction is inside its limit and so should hold, mean over the second half "
                           "of the run of the fastest."));
  figures.push_back(pareto(
      "position-cost", "What it costs to move right", "position_error",
      "Distance of the bodies from the same run solved as well as can be. Runs that agree to the last bit are not shown."));
  return figures;
}

Plan plan(const Setting& setting) {
  const Subject subject = subject_of(setting);
  const std::vector<Limit> limits = parse_limits(setting.criterion);
  Plan plan;
  plan.tables = tables_of();
  for (const Variant& v : variants_of(subject, setting))
    plan.cases.push_back({v.sweep + " " + (v.sweep == "step" ? fmt::format("{}", plan.cases.size()) : v.run),
                          [=](CaseRun& run) { run_variant(subject, v, run); }, 1 / v.factor});
  plan.figures = figures_of(subject.solves);
  plan.summarise = compare_runs;
  plan.conclusion = [limits, solves = subject.solves](const Data& data) {
    std::vector<std::string> text;
    if (solves) text.push_back(recommendation(data, limits));
    text.push_back(about_step(data));
    return text;
  };
  return plan;
}

}   // namespace

std::vector<Limit> parse_limits(const std::string& text) {
  if (text.empty()) return {{"creep", 1e-6}};
  std::vector<Limit> limits;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    const std::size_t equals = part.find('=');
    Limit limit{part.substr(0, equals), 0};
    if (std::ranges::find(kLimited, limit.column) == kLimited.end())
      throw Error(fmt::format("'{}' cannot be held to a limit. {}", limit.column, suggest(limit.column, kLimited)));
    char* end = nullptr;
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    limit.value = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0' || !(limit.value > 0))
      throw Error(fmt::format("'{}' is no limit. Give a name and a number greater than 0, such as creep=1e-6.", part));
    limits.push_back(limit);
    from = comma + 1;
  }
  return limits;
}

namespace {

/// How far errors are from C (hᵖ − h₀ᵖ) for the best C: the variance of their logarithms.
double misfit(const std::vector<double>& h, const std::vector<double>& error, double reference, double order) {
  double n = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (!(error[i] > 0) || !std::isfinite(error[i])) continue;
    const double x = std::log(error[i] / (std::pow(h[i], order) - std::pow(reference, order)));
    n += 1, sum += x, squares += x * x;
  }
  return n < 2 ? std::nan("") : squares / n - sum * sum / (n * n);
}

}   // namespace

double order_of(const std::vector<double>& h, const std::vector<double>& error, double reference) {
  constexpr double step = 0.01, most = 4;
  double best = std::nan(""), least = std::numeric_limits<double>::infinity();
  for (double order = step; order <= most; order += step)
    if (const double m = misfit(h, error, reference, order); m < least) {
      least = m;
      best = order;
    }
  return best;
}

}   // namespace own_scene

Study own_scene_study() {
  return {.name = "own-scene",
          .title = "A scene of one's own: step, tolerance, solver",
          .paper = "",
          .about =
              "The scene is run with several step lengths, and its bodies are compared with where the shortest step takes "
              "them. Then it is run with its own "
              "step by every solver at several tolerances, and compared with a run that is solved as well as can be (auto at "
              "1e-9).\n\n"
              "Creep is the slip of contacts whose friction is well inside its limit and which therefore should hold: in every "
              "step of the second half the "
              "fastest of them, then the mean. Energy from nowhere is what stabilisation, integration and impact laws added in "
              "steps that gained, as part of the "
              "energy of the scene. The force on the ground is the mean over the second half. Times are processor times of "
              "whole steps, one thread.",
          .plan = own_scene::plan};
}

}   // namespace stickslip::study
