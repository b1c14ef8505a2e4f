// Projected Gauss–Seidel with subspace minimisation on the cases of its paper [thesis C].
#include <algorithm>
#include <cmath>

#include "study/experiments/captured.h"
#include "study/experiments/convergence.h"
#include "study/experiments/experiments.h"

namespace stickslip::study {

namespace subspace_study {

/// The thesis' figure 2.
struct Setup {
  const char* label;
  const char* scene;
  std::vector<Override> overrides;
  int step;
  bool small;   ///< or with joints: where the paper finds the method better
};

std::vector<Setup> setups(const Setting& setting) {
  const auto size = [&](const char* quick, const char* standard, const char* full) {
    return setting.pick(quick, standard, full);
  };
  return {{"(a) arched snake", "arched-snake", {}, 3, true},
          {"(b) heavy on snake", "heavy-on-snake", {}, 3, true},
          {"(c) large stack", "stack", {{"/parameters/count", size("4", "10", "20")}}, 3, false},
          {"(d) heavy on light", "mass-ratio", {{"/parameters/ratio", "100"}}, 3, true},
          {"(e) incline", "incline", {}, 3, true},
          {"(f) small pile of jacks", "jacks", {{"/parameters/count", size("2", "6", "6")}}, 80, false},
          {"(g) pile of jacks", "jacks", {{"/parameters/count", size("3", "15", "30")}}, 80, false},
          {"(h) wall",
           "wall",
           {{"/parameters/rows", size("2", "5", "9")}, {"/parameters/bricks_per_row", size("2", "5", "9")}},
           3,
           false}};
}

void run_setup(CaseRun& run, const Setup& setup, int sweeps) {
  add_convergence(
      run, captured_problem(run, setup.scene, setup.overrides, setup.step).problem, setup.label, sweeps,
      {{"PGS", "pgs"},
       {"PGS-SM", "pgs-sm-paper"},
       {"lazy bounds", "pgs-sm-paper", {{"bounds", std::string("lazy")}}},
       {"regularised friction", "pgs-sm-paper", {{"regularisation", 1e-3}, {"regularise", std::string("friction")}}},
       {"ours", "pgs-sm"}});
}

struct Comparison {
  double pgs, subspace;   ///< least merits for the same cost
};

Comparison compare(const Data& data, const std::string& problem, const char* method = "PGS-SM") {
  return {least_merit(data, problem, "PGS"), least_merit(data, problem, method)};
}

std::vector<Claim> claims(const std::vector<Setup>& setups) {
  const auto list = [=](const Data& data, bool small) {
    std::string text;
    for (const Setup& setup : setups)
      if (setup.small == small) {
        const Comparison c = compare(data, setup.label);
        text += fmt::format("{}{}: {:.1e} against {:.1e}", text.empty() ? "" : "; ", setup.label, c.subspace, c.pgs);
      }
    return text;
  };
  return {
      {"better-where-small-or-jointed", "On small setups and on those with joints PGS-SM gets far below PGS for the same cost.",
       "\"The PGS–SM method behaves rather well for small configurations and configuration with joints\" (§5).",
       [=](const Data& data) {
         bool all = true;
         for (const Setup& setup : setups)
           if (setup.small) {
             const Comparison c = compare(data, setup.label);
             all = all && c.subspace < 1e-2 * std::max(c.pgs, 1e-28);
           }
         return judged(all, list(data, true));
       }},
      {"like-pgs-where-large", "On larger setups PGS-SM is about as good as PGS.",
       "\"For larger configurations, we obtain convergences similar to the PGS method\" (§5).",
       [=](const Data& data) {
         bool all = true;
         for (const Setup& setup : setups)
           if (!setup.small) {
             const Comparison c = compare(data, setup.label);
             all = all && c.subspace <= 100 * c.pgs && c.subspace >= 1e-2 * c.pgs;
           }
         return judged(all, list(data, false));
       }},
      {"wrong-sets-are-spikes", "The merit rises where PGS-SM guesses a wrong set.",
       "The spikes of its curves are wrong active sets [course figure 21].",
       [=](const Data& data) {
         std::size_t spikes = 0, curves = 0;
         for (const Setup& setup : setups) {
           const Table curve = data.table("convergence").where("problem", setup.label).where("method", "PGS-SM");
           const std::vector<double>& merit = curve.numbers("total");
           std::size_t rises = 0;
           for (std::size_t k = 1; k < merit.size(); ++k) rises += merit[k] > 10 * merit[k - 1];
           spikes += rises, curves += rises > 0;
         }
         return judged(spikes > 0,
                       fmt::format("{} rises by a factor of ten or more, in {} of {} setups", spikes, curves, setups.size()));
       }},
      {"ours-is-no-worse",
       "Our PGS-SM, with direct solves, extrapolated sweeps and rows that are let go, is at least as good as the paper's.", "",
       [=](const Data& data) {
         bool all = true;
         std::string evidence;
         for (const Setup& setup : setups) {
           const double ours = least_merit(data, setup.label, "ours"), theirs = least_merit(data, setup.label, "PGS-SM");
           all = all && ours <= 10 * std::max(theirs, 1e-20);
           evidence += fmt::format("{}{}: {:.1e} against {:.1e}", evidence.empty() ? "" : "; ", setup.label, ours, theirs);
         }
         return judged(all, evidence);
       }}};
}

Plan plan(const Setting& setting) {
  Plan plan;
  const int sweeps = setting.pick(200, 1000, 3000);
  plan.tables = {convergence_table("convergence", "Merit after every iteration"), convergence_ends()};
  plan.claims = claims(setups(setting));
  plan.figures = {
      {.name = "convergence",
       .title = "PGS and PGS-SM on the cases of the paper",
       .caption = "Ψ of Fischer's function against cost in sweeps of PGS (the paper's figure 3). Jacks stand for its gears.",
       .table = "convergence",
       .x = "cost",
       .y = {"total"},
       .series = "method",
       .panels = "problem",
       .log_y = true}};
  for (const Setup& setup : setups(setting))
    plan.cases.push_back({setup.scene + fmt::format("-{}", setup.label[1]),
                          [=](CaseRun& run) { run_setup(run, setup, sweeps); }, setup.small ? 1.0 : 5.0});
  return plan;
}

}   // namespace subspace_study

Study subspace() {
  return {.name = "subspace",
          .title = "Projected Gauss–Seidel with subspace minimisation",
          .paper = "thesis C",
          .about =
              "Sweeps guess which rows stand at a bound, conjugate gradients solve for the others. k_pgs = 25, k_sm = 5, as "
              "many iterations of CG as rows, tolerances of 1e-15: all as in the paper. "
              "Beside it stand its two remedies against blow-ups, lazy bounds and regularised friction, and our version.",
          .paper_says =
              {"PGS-SM behaves well for small configurations and those with joints, and like PGS for larger ones (figure 3).",
               "Simulations blow up now and then, however accurately the subproblem is solved; regularising friction or lazy "
               "bounds help (§5.1)."},
          .plan = subspace_study::plan};
}

}   // namespace stickslip::study
