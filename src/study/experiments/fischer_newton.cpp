// Fischer–Newton against projected Gauss–Seidel [thesis A].
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "stickslip/step/stepper.h"
#include "study/experiments/captured.h"
#include "study/experiments/convergence.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace fischer_newton_study {

struct Setup {
  const char* label;
  const char* scene;
  std::vector<Override> overrides;
};

std::vector<Setup> setups(const Setting& setting) {
  const auto size = [&](const char* quick, const char* standard, const char* full) {
    return setting.pick(quick, standard, full);
  };
  return {{"mass ratio", "mass-ratio", {{"/parameters/ratio", "100"}}},
          {"stack", "stack", {{"/parameters/count", size("3", "6", "10")}}},
          {"wall", "wall", {{"/parameters/rows", size("3", "5", "9")}, {"/parameters/bricks_per_row", size("2", "5", "9")}}}};
}

/// The step of a scene whose problem is solved, from zero impulses.
ContactProblem problem_of(const CaseRun& run, const Setup& setup) {
  return captured_problem(run, setup.scene, setup.overrides, 3).problem;
}

OptionList options(const char* linear, bool staggered, bool line_search = true) {
  return {{"function", std::string("fischer")},
          {"linear", std::string(linear)},
          {"staggered", staggered},
          {"line_search", std::string(line_search ? "armijo" : "none")}};
}

void run_convergence(CaseRun& run, const Setup& setup, int sweeps) {
  add_convergence(run, problem_of(run, setup), setup.label, sweeps,
                  {{"PGS", "pgs"},
                   {"Fischer–Newton", "newton-paper", options("fletcher-reeves-fd", true)},
                   {"without staggered start", "newton-paper", options("fletcher-reeves-fd", false)},
                   {"exact Newton steps", "newton-paper", options("direct", true)}});
}

void run_line_search(CaseRun& run, const Setup& setup) {
  const ContactProblem problem = problem_of(run, setup);
  for (const bool search : {true, false})
    add_convergence(run, problem,
                    {.problem = setup.label,
                     .method = search ? "line search" : "full steps",
                     .solver = "newton-paper",
                     .options = options("direct", false, search),
                     .iterations = 60,
                     .table = "line-search"});
}

/// The thesis' 6 × 6 problem: two contacts of one body.
void run_small(CaseRun& run) {
  const ContactProblem problem =
      captured_problem(run, "sliding-capsule", {{"/parameters/speed", "0"}, {"/parameters/spin", "0"}}, 1).problem;
  add_convergence(run, problem,
                  {.problem = "two contacts",
                   .method = "exact Newton steps",
                   .solver = "newton-paper",
                   .options = options("direct", false),
                   .iterations = 40,
                   .table = "small"});
}

/// Where W is not zero, and its eigenvalues.
void run_spectrum(CaseRun& run, const Setup& setup) {
  const ContactProblem problem = problem_of(run, setup);
  const Eigen::MatrixXd W = delassus(problem).dense();
  const double largest_entry = W.cwiseAbs().maxCoeff(), n = static_cast<double>(W.rows());
  double filled = 0, zeros = 0;
  for (Eigen::Index i = 0; i < W.rows(); ++i)
    for (Eigen::Index j = 0; j < W.cols(); ++j)
      if (std::abs(W(i, j)) > 1e-12 * largest_entry)
        run.table("fill").add({setup.label, j, i, std::abs(W(i, j)) / largest_entry}), filled += 1;
  const Eigen::VectorXd eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(W, Eigen::EigenvaluesOnly).eigenvalues().reverse();
  double least = eigenvalues[0];
  for (Eigen::Index i = 0; i < W.rows(); ++i) {
    const double part = eigenvalues[i] / eigenvalues[0];
    run.table("spectrum").add({setup.label, i + 1, std::max(part, 1e-17)});
    if (part < 1e-12) zeros += 1;
    else least = eigenvalues[i];
  }
  const bool dominant = (2 * W.diagonal().cwiseAbs() - W.cwiseAbs().rowwise().sum()).minCoeff() >= 0;
  run.table("matrices")
      .add({setup.label, n, problem.contact_count(), 100 * filled / (n * n), 100 * zeros / n, eigenvalues[0] / least,
            (W - W.transpose()).cwiseAbs().maxCoeff() / largest_entry, dominant ? "yes" : "no"});
}

/// The heavy box on the light one with so many iterations a step [thesis A figure 10].
void run_sinking(CaseRun& run, const char* label, const std::string& solver, int iterations, int steps) {
  Scene scene =
      run.load("mass-ratio",
               {{"/parameters/ratio", "100"}, {"/step/solver", solver}, {"/step/max_iterations", std::to_string(iterations)}});
  Stepper stepper(scene.step);
  for (int i = 0; i < steps; ++i) {
    run.check_cancelled();
    const StepReport& report = stepper.step(scene.world);
    run.table("sinking").add({label, report.time, 1e3 * report.penetration_max});
  }
}

std::vector<Table> tables() {
  const Column problem = text("problem", "problem");
  return {convergence_table("convergence", "Merit after every iteration"),
          convergence_table("line-search", "Line search on a pyramid"),
          convergence_table("small", "Two contacts"),
          convergence_ends(),
          Table("fill", "Entries of W that are not zero",
                {problem, number("column", "", "column"), number("row", "", "row"),
                 number("magnitude", "", "part of the largest entry")}),
          Table("spectrum", "Eigenvalues of W",
                {problem, number("number", "", "number of the eigenvalue"),
                 number("eigenvalue", "", "part of the largest eigenvalue")}),
          Table("matrices", "What W is like",
                {problem, number("rows", "", "rows"), number("contacts", "", "contacts"),
                 number("filled", "%", "entries that are not zero"),
                 number("zeros", "%", "eigenvalues that are zero (below 1e-12 of the largest)"),
                 number("condition", "", "largest over smallest of the others"),
                 number("asymmetry", "", "largest difference from the transpose"), text("dominant", "diagonally dominant")}),
          Table("sinking", "A box of 100 kg on one of 1 kg",
                {text("method", "method"), number("time", "s", "time"), number("depth", "mm", "largest penetration")})};
}

std::vector<Figure> figures() {
  std::vector<Figure> figures;
  for (const auto& [part, title] : {std::pair("normal", "Normal rows"), std::pair("friction", "Friction rows")})
    figures.push_back({.name = fmt::format("convergence-{}", part),
                       .title = fmt::format("{}: merit against cost", title),
                       .caption = "Ψ = ½‖Φ‖² of Fischer's function, split as in the thesis' figure 8. Cost in sweeps of PGS.",
                       .table = "convergence",
                       .x = "cost",
                       .y = {part},
                       .series = "method",
                       .panels = "problem",
                       .log_y = true});
  figures.push_back({.name = "line-search",
                     .title = "Line search on a pyramid",
                     .caption = "Merit with a monotone line search and with full steps (the thesis' figure 3).",
                     .table = "line-search",
                     .x = "iteration",
                     .y = {"normal", "friction"},
                     .series = "method",
                     .log_y = true});
  figures.push_back({.name = "fill",
                     .title = "Fill patterns of W",
                     .caption = "Grey is the size of the entry (the thesis' figure 6).",
                     .kind = FigureKind::matrix,
                     .table = "fill",
                     .x = "column",
                     .y = {"row"},
                     .panels = "problem",
                     .value = "magnitude",
                     .share_y = false});
  figures.push_back({.name = "spectrum",
                     .title = "Eigenvalues of W",
                     .caption = "All below 1e-12 are zeros but for rounding (the thesis' figure 7).",
                     .kind = FigureKind::scatter,
                     .table = "spectrum",
                     .x = "number",
                     .y = {"eigenvalue"},
                     .panels = "problem",
                     .log_y = true});
  figures.push_back(
      {.name = "sinking",
       .title = "A box of 100 kg on one of 1 kg",
       .caption = "Largest penetration, 150 sweeps of PGS a step against 10 Newton steps (the thesis' figure 10).",
       .table = "sinking",
       .x = "time",
       .y = {"depth"},
       .series = "method",
       .log_y = true});
  return figures;
}

/// Steps of Newton's method square the error: log Ψ falls ever faster. @returns the largest ratio of two falls in a row
double largest_acceleration(const Table& curve) {
  const std::vector<double>& merit = curve.numbers("total");
  double largest = 0;
  for (std::size_t k = 2; k < merit.size() && merit[k] > 1e-30; ++k)
    if (merit[k - 1] < merit[k - 2])
      largest = std::max(largest, std::log(merit[k] / merit[k - 1]) / std::log(merit[k - 1] / merit[k - 2]));
  return largest;
}

/// How often and how far a curve rises, as the sum of all rises in powers of ten.
double rises(const Table& curve, std::string_view part) {
  double sum = 0;
  const std::vector<double>& merit = curve.numbers(part);
  for (std::size_t k = 1; k < merit.size(); ++k) sum += std::max(0.0, std::log10(merit[k] / merit[k - 1]));
  return sum;
}

Finding compare_parts(const Data& data, const char* problem, bool (*holds)(double newton, double pgs), const char* part) {
  const double newton = last_merit(data, problem, "Fischer–Newton", part), pgs = last_merit(data, problem, "PGS", part);
  return judged(holds(newton, pgs),
                fmt::format("merit of the {} rows after the same cost: {:.1e} by Fischer–Newton, {:.1e} by PGS; exact "
                            "Newton steps end at {:.1e}",
                            part, newton, pgs, last_merit(data, problem, "exact Newton steps", part)));
}

/// About W, and about steps with few iterations.
std::vector<Claim> setting_claims() {
  return {
      {"most-eigenvalues-zero", "More than half of the eigenvalues of W are zero.",
       "\"A large number of zero eigenvalues, roughly 60 % for all three cases\" (figure 7).",
       [](const Data& data) {
         const Table& t = data.table("matrices");
         std::string evidence;
         for (std::size_t i = 0; i < t.rows(); ++i)
           evidence += fmt::format("{}{}: {:.0f} %", i ? ", " : "", t.texts("problem")[i], t.numbers("zeros")[i]);
         return judged(smallest(t.numbers("zeros")) > 40 && largest(t.numbers("zeros")) < 80, evidence);
       }},
      {"pgs-sinks", "With 150 sweeps a step the light box is crushed, with 10 Newton steps it is not.",
       "\"Even with 150 iterations per frame, the Projected Gauss–Seidel method fails to support the upper heavy box\" (figure "
       "10).",
       [](const Data& data) {
         const auto depth = [&](const char* method) {
           return largest(data.table("sinking").where("method", method).numbers("depth"));
         };
         const double pgs = depth("PGS, 150 sweeps"), newton = depth("Fischer–Newton, 10 steps");
         return judged(newton < 0.1 * pgs,
                       fmt::format("deepest {:.3g} mm with PGS, {:.3g} mm with Fischer–Newton", pgs, newton));
       }}};
}

std::vector<Claim> claims() {
  return {
      {"quadratic-on-two-contacts", "On a small problem every Newton step nearly doubles the number of digits.",
       "Quadratic convergence on a 6 × 6 problem (figure 2).",
       [](const Data& data) {
         const double ratio = largest_acceleration(data.table("small"));
         return judged(
             ratio > 1.7,
             fmt::format("the logarithm of Ψ falls up to {:.2f} times as far in a step as in the step before", ratio));
       }},
      {"mass-ratio-orders-better",
       "With a mass ratio of 100 Fischer–Newton is orders of magnitude better than PGS at the same cost.",
       "\"An improvement in both convergence and accuracy in several orders of magnitude\" (figure 8a).",
       [](const Data& data) {
         return compare_parts(
             data, "mass ratio", [](double newton, double pgs) { return newton < 1e-2 * pgs; }, "total");
       }},
      {"stack-friction-better", "On a stack Fischer–Newton is better in the friction rows.",
       "\"The FN method remains superior on both convergence and accuracy for the frictional contribution\" (figure 8b).",
       [](const Data& data) {
         return compare_parts(
             data, "stack", [](double newton, double pgs) { return newton < pgs; }, "friction");
       }},
      {"wall-poorer", "On the wall Fischer–Newton ends at a poorer point than PGS.",
       "\"The minimizer chosen by the FN method is poorer than the one chosen by the PGS method\" (figure 8c).",
       [](const Data& data) {
         return compare_parts(
             data, "wall", [](double newton, double pgs) { return newton > pgs; }, "total");
       }},
      {"line-search-smoother", "A line search makes the convergence smoother and friction more accurate.",
       "\"Using line search, a smoother convergence is achieved. The frictional component has the additional benefit of an "
       "improved accuracy\" (figure 3).",
       [](const Data& data) {
         const Table with = data.table("line-search").where("method", "line search"),
                     without = data.table("line-search").where("method", "full steps");
         if (with.rows() < 5 || without.rows() < 5) return Finding{Verdict::open, "too few iterations at this size"};
         const double best_with = with.numbers("friction").back(), best_without = without.numbers("friction").back();
         return judged(rises(with, "total") <= rises(without, "total") && best_with <= best_without,
                       fmt::format("the merit rises by {:.1f} powers of ten in all with it and by {:.1f} without; friction "
                                   "gets to {:.1e} and {:.1e}",
                                   rises(with, "total"), rises(without, "total"), best_with, best_without));
       }},
      {"staggered-start-helps", "Starting with the normal rows alone makes Fischer–Newton converge better on the mass ratio.",
       "\"Warm starting the Fischer–Newton method provides improved convergence\" (figure 4).", [](const Data& data) {
         const double with = least_merit(data, "mass ratio", "Fischer–Newton"),
                      without = least_merit(data, "mass ratio", "without staggered start");
         return judged(with < without, fmt::format("least merit {:.1e} with the start, {:.1e} without", with, without));
       }}};
}

Plan plan(const Setting& setting) {
  Plan plan;
  plan.tables = tables();
  plan.figures = figures();
  plan.claims = claims();
  for (Claim& claim : setting_claims()) plan.claims.push_back(std::move(claim));
  const int sweeps = setting.pick(150, 600, 1500), steps = setting.pick(30, 200, 500);
  for (const Setup& setup : setups(setting)) {
    plan.cases.push_back(
        {fmt::format("{} convergence", setup.label), [=](CaseRun& run) { run_convergence(run, setup, sweeps); }, 10});
    plan.cases.push_back({fmt::format("{} spectrum", setup.label), [=](CaseRun& run) { run_spectrum(run, setup); }});
  }
  const Setup pyramid{"pyramid", "pyramid", {{"/parameters/rows", setting.pick<const char*>("3", "5", "5")}}};
  plan.cases.push_back({"pyramid", [=](CaseRun& run) { run_line_search(run, pyramid); }, 5});
  plan.cases.push_back({"two contacts", run_small});
  plan.cases.push_back({"sinking pgs", [=](CaseRun& run) { run_sinking(run, "PGS, 150 sweeps", "\"pgs\"", 150, steps); }});
  plan.cases.push_back(
      {"sinking newton", [=](CaseRun& run) {
         run_sinking(run, "Fischer–Newton, 10 steps",
                     R"({"name": "newton-paper", "linear": "fletcher-reeves-fd", "linear_iterations": 15, "halvings": 7})", 10,
                     steps);
       }});
  return plan;
}

}   // namespace fischer_newton_study

Study fischer_newton() {
  return {
      .name = "fischer-newton",
      .title = "Fischer–Newton against projected Gauss–Seidel",
      .paper = "thesis A",
      .about =
          "Friction as two rows with bounds ±μ λₙ becomes a root of Fischer's function, which Newton's method looks for. Three "
          "setups stress W: a heavy box on a "
          "light one, a stack, a wall. The contact problem of one step is solved from zero impulses; the cost of everything is "
          "counted in sweeps of PGS.\n\n"
          "Newton's equation is solved by the thesis' quasi Fletcher–Reeves method with finite differences; \"exact Newton "
          "steps\" have a direct solver instead.",
      .paper_says =
          {"Quadratic convergence on a 6 × 6 problem, in 0.0033 s on average (figure 2).",
           "On the mass ratio several orders of magnitude better than PGS, on the stack better in friction, on the wall poorer "
           "(figure 8).",
           "W is symmetric, not diagonally dominant, sparser the larger the setup, and roughly 60 % of its eigenvalues are "
           "zero (figures 6 and 7).",
           "With 150 iterations a frame PGS fails to support the heavy box; Fischer–Newton with 10 supports it (figure 10)."},
      .plan = fischer_newton_study::plan};
}

}   // namespace stickslip::study
