// Fits the constants of src/solve/automatic/cost_model.h: runs every kind of step that `auto` takes on problems of many kinds
// and sizes and prints nanoseconds per count.
//
//   bench_cost_model
//
// Every line shows a problem, the time of a step and what the constants in use predict. At the end the fitted constants, by
// least squares on relative errors. Times are processor times; only ratios between the constants matter.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Dense>

#include "bench/captured.h"
#include "bench/statistics.h"
#include "solve/automatic/cost_model.h"
#include "solve/cone/admm_engine.h"
#include "solve/exact/exact_sweep.h"
#include "solve/newton/newton_engine.h"

namespace stickslip::bench {
namespace {

ContactProblem as_matrix(const ContactProblem& p) {
  ContactProblem m;
  m.matrix = delassus(p);
  m.blocks = p.blocks;
  for (Block& b : m.blocks) b.arity = 0, b.jacobian = 0;
  m.laws = p.laws;
  m.b = p.b;
  m.sigma.assign(p.rows(), 0.0);
  m.finalize();
  return m;
}

/// time ≈ Σ constant × count.
struct Fit {
  std::vector<Eigen::VectorXd> counts;
  std::vector<double> times;   ///< [ns]

  void add(std::initializer_list<double> count, double time) {
    counts.push_back(Eigen::Map<const Eigen::VectorXd>(count.begin(), static_cast<Eigen::Index>(count.size())));
    times.push_back(time);
  }
  Eigen::VectorXd constants() const {
    Eigen::MatrixXd a(static_cast<Eigen::Index>(times.size()), counts.front().size());
    for (std::size_t i = 0; i < times.size(); ++i) a.row(static_cast<Eigen::Index>(i)) = counts[i].transpose() / times[i];
    return a.colPivHouseholderQr().solve(Eigen::VectorXd::Ones(a.rows()));
  }
};

double numbers(const ContactProblem& p) {
  return static_cast<double>(p.is_factored() ? p.scaled_jacobian.size() : p.matrix.values.size());
}

void line(const std::string& what, const std::string& problem, double time, double predicted) {
  fmt::print("{:<18} {:<28} {:>12.0f} ns {:>12.0f} predicted\n", what, problem, time, predicted);
  std::fflush(stdout);
}

/// Nanoseconds of one call, of as many as fill a few hundredths of a second.
template <class F>
double nanoseconds(F&& f) {
  f();
  int calls = 0;
  const double start = processor_seconds();
  double now = start;
  while (now - start < 0.05 || calls < 3) {
    f();
    ++calls;
    now = processor_seconds();
  }
  return 1e9 * (now - start) / calls;
}

void measure_sweeps(const std::string& name, const ContactProblem& p, Fit& fit) {
  std::vector<double> impulses(p.rows());
  Workspace work;
  work.velocity.assign(6 * p.segments.size(), 0.0);
  ExactBlocks blocks;
  blocks.prepare(p, 0.1);
  Acceleration acceleration(p, impulses, work, true);
  const double time = nanoseconds([&] {
    exact_sweep(p, blocks, p.batches, impulses, work.velocity, acceleration.next());
    acceleration.restart_if_opposed();
  });
  const auto rows = static_cast<double>(p.rows());
  if (p.is_factored()) fit.add({rows}, time);
  else fit.add({rows, numbers(p)}, time);
  line("sweep", name, time, cost::sweep(p));
}

void measure_newton(const std::string& name, const ContactProblem& p, Fit& fit) {
  std::vector<double> impulses(p.rows()), v, scratch;
  ResidualWorkspace judged;
  ProximalNewton newton;
  ProximalNewton::Settings settings;
  settings.linear.kind = LinearSolver::Kind::velocities;
  newton.set(settings);
  newton.start(p, impulses);
  const double time = nanoseconds([&] {
    newton.step(impulses);
    residual(p, impulses, judged);
  });
  const double operations = p.is_factored() ? newton.step_work() : cost::impulse_factorisation(p);
  fit.add({numbers(p), operations}, time);
  line("Newton step", name, time, cost::newton_step(p, operations));
}

void measure_admm(const std::string& name, const ContactProblem& p, Fit& fit) {
  std::vector<double> impulses(p.rows());
  AdmmEngine engine;
  AdmmEngine::Settings settings;
  settings.adapt = false;
  if (!engine.setup(p, settings, impulses)) return;
  const double time = nanoseconds([&] { engine.iterate(); });
  fit.add({numbers(p), engine.solve_work()}, time);
  line("ADMM step", name, time, cost::admm_step(p, engine.solve_work()));
}

}   // namespace
}   // namespace stickslip::bench

int main() {
  using namespace stickslip;
  using namespace stickslip::bench;
  std::vector<Captured> problems;
  for (const int count : {5, 20, 60}) problems.push_back(capture("stack", "count", count, 3));
  for (const int rows : {5, 9, 14}) problems.push_back(capture("wall", "rows", rows, 3));
  problems.push_back(capture("pyramid", "rows", 12, 3));
  for (const int count : {60, 250, 500, 1000}) problems.push_back(capture("boxes", "count", count, 80));
  problems.push_back(capture("spheres", "count", 400, 100));
  Fit sweeps, matrix_sweeps, newton, matrix_newton, admm;
  for (const Captured& c : problems) measure_sweeps(c.name, c.problem, sweeps);
  for (const Captured& c : problems)
    if (c.problem.rows() < 4000) measure_sweeps(c.name + ", matrix", as_matrix(c.problem), matrix_sweeps);
  for (const Captured& c : problems) measure_newton(c.name, c.problem, newton);
  for (const Captured& c : problems)
    if (c.problem.rows() < 1500) measure_newton(c.name + ", matrix", as_matrix(c.problem), matrix_newton);
  for (const Captured& c : problems) measure_admm(c.name, c.problem, admm);
  fmt::print(
      "\nkSweepRow {:.1f}, {:.1f} (matrix)\nkMatrixSweepNumber {:.2f}\nkNewtonNumber {:.1f}\nkBodyOperation "
      "{:.3f}\nkAdmmNumber {:.1f}\nkOperation {:.2f} (ADMM), {:.3f} (Newton steps in impulses)\n",
      sweeps.constants()[0], matrix_sweeps.constants()[0], matrix_sweeps.constants()[1], newton.constants()[0],
      newton.constants()[1], admm.constants()[0], admm.constants()[1], matrix_newton.constants()[1]);
}
