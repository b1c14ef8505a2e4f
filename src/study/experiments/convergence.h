// How solvers converge on a problem, by a merit function of the papers: what several studies draw.
#pragma once

#include "stickslip/problem/merit.h"
#include "stickslip/solve/registry.h"
#include "stickslip/study/study.h"

namespace stickslip::study {

/// One curve: a solver with its options on a problem, and how the tables call both.
struct ConvergenceCurve {
  std::string problem, method;
  std::string solver;
  OptionList options = {};
  Merit merit = Merit::fischer;
  int iterations = 100;   ///< at most
  double cost = 1e300;    ///< curves end here, in sweeps of pgs
  std::string table = "convergence";
};

/// problem, method, iteration, cost, normal, friction, total, residual of every iterate; the merit not below 1e-32.
Table convergence_table(std::string name, std::string title);
/// "ends": problem, method, contacts, iterations, cost, merits of the best iterate, residual, status, time.
Table convergence_ends();

/// Solves from zero impulses and adds a curve to the one table and its end to the other.
void add_convergence(CaseRun&, const ContactProblem&, const ConvergenceCurve&);

/// A solver with its options, and how tables call it.
struct NamedMethod {
  const char* label;
  const char* solver;
  OptionList options = {};
};
/// A curve by Fischer's function for each, as long as so many sweeps of pgs.
void add_convergence(CaseRun&, const ContactProblem&, const std::string& label, int sweeps, const std::vector<NamedMethod>&);

/// Least cost at which a curve is at most so large; infinite if it never is. @param part "normal", "friction" or "total"
double cost_to(const Data&, std::string_view problem, std::string_view method, double merit, std::string_view part = "total");
/// Least value of a curve up to a cost.
double least_merit(const Data&, std::string_view problem, std::string_view method, double cost = 1e300,
                   std::string_view part = "total");
/// The same at the end. Friction rows begin without an error, as there is no impulse: their least says nothing.
double last_merit(const Data&, std::string_view problem, std::string_view method, std::string_view part);

}   // namespace stickslip::study
