#include "stickslip/solve/cone/projected_gradient.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "solve/cone/cone_set.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr int kEnergyMemory = 10;   // energies that a Barzilai–Borwein step is compared with
constexpr int kRenewal = 50;        // iterations after which v, summed up step by step, is computed anew
constexpr double kLongest = 1e4;    // Barzilai–Borwein steps between one over this and this, times 1/L

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

struct GradientScratch {
  std::vector<double> r, v, gradient, trial, step, product, segment;

  void resize(std::size_t n) {
    for (std::vector<double>* x : {&v, &gradient, &trial, &step, &product}) x->resize(n);
  }
};

/// step = P_K(λ − t R (v + s)) − λ. Returns its length over t [m/s].
double find_step(const ContactProblem& p, std::span<const double> impulses, bool coulomb, double t, GradientScratch& m) {
  m.gradient = m.v;
  if (coulomb) cone::add_shift(p, m.gradient);
  for (std::size_t k = 0; k < impulses.size(); ++k) m.trial[k] = impulses[k] - t * m.r[k] * m.gradient[k];
  cone::project(p, m.trial);
  const double length = cone::distance(m.trial, impulses, m.r) / t;
  for (std::size_t k = 0; k < impulses.size(); ++k) m.step[k] = m.trial[k] - impulses[k];
  return length;
}

/// product = W step.
void multiply(const ContactProblem& p, GradientScratch& m) {
  p.contact_velocity(m.step, m.product, m.segment);
  for (std::size_t k = 0; k < m.product.size(); ++k) m.product[k] -= p.b[k];
}

void advance(double length, std::span<double> impulses, GradientScratch& m) {
  for (std::size_t k = 0; k < impulses.size(); ++k) {
    impulses[k] = length == 1 ? m.trial[k] : impulses[k] + length * m.step[k];
    m.v[k] += length * m.product[k];
  }
}

void run_safe(const ContactProblem& p, std::span<double> impulses, bool coulomb, double largest, GradientScratch& m,
              SolveMonitor& monitor) {
  double t = 1 / largest;
  for (int k = 1;; ++k) {
    const double change = find_step(p, impulses, coulomb, t, m);
    multiply(p, m);
    const double curvature = dot(m.step, m.product), size = cone::product(m.step, m.step, m.r);
    // Power iteration estimates L from below. The energy still falls up to twice the curvature expected.
    const bool falls = t * curvature < 2 * size || !(size > 0);
    if (falls) advance(1, impulses, m);
    if (t * curvature > 1.001 * size && size > 0) t = size / curvature;
    if (k % kRenewal == 0) p.contact_velocity(impulses, m.v, m.segment);
    if (monitor.done(k, impulses, change)) return;
  }
}

void run_barzilai_borwein(const ContactProblem& p, std::span<double> impulses, bool coulomb, double largest, GradientScratch& m,
                          SolveMonitor& monitor) {
  std::array<double, kEnergyMemory> energies;
  energies.fill(0);
  double energy = 0, t = 1 / largest;
  for (int k = 1;; ++k) {
    const double change = find_step(p, impulses, coulomb, t, m);
    multiply(p, m);
    const double slope = dot(m.gradient, m.step), curvature = dot(m.step, m.product);
    double length = 1;
    const double highest = *std::max_element(energies.begin(), energies.end());
    if (energy + slope + 0.5 * curvature > highest + 1e-4 * slope && curvature > 0)
      length = std::clamp(-slope / curvature, 1e-3, 1.0);
    advance(length, impulses, m);
    energy += length * slope + 0.5 * length * length * curvature;
    energies[static_cast<std::size_t>(k % kEnergyMemory)] = energy;

    // The two Barzilai–Borwein steps in turn.
    double image = 0;
    for (std::size_t i = 0; i < impulses.size(); ++i) image += m.r[i] * m.product[i] * m.product[i];
    const double next = k % 2 == 0 ? cone::product(m.step, m.step, m.r) / curvature : curvature / image;
    t = curvature > 0 && std::isfinite(next) ? std::clamp(next, 1 / (kLongest * largest), kLongest / largest) : 1 / largest;
    if (k % kRenewal == 0) p.contact_velocity(impulses, m.v, m.segment);
    if (monitor.done(k, impulses, change)) return;
  }
}

bool wants_barzilai_borwein(const std::string& step) {
  if (step == "bb") return true;
  if (step == "safe") return false;
  throw Error(fmt::format("There is no step '{}'. {}", step, suggest(step, std::array<std::string, 2>{"bb", "safe"})))
      .at("step");
}

}   // namespace

ProjectedGradient::ProjectedGradient(Options options)
    : options_(std::move(options)),
      coulomb_(cone::wants_coulomb(options_.shift)),
      barzilai_borwein_(wants_barzilai_borwein(options_.step)) {}

void ProjectedGradient::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                SolveMonitor& monitor) const {
  GradientScratch& m = workspace.scratch<GradientScratch>();
  cone::metric(problem, m.r);
  m.resize(problem.rows());
  const double largest = std::max(cone::largest_eigenvalue(problem, m.r, 20, m.trial, m.product, m.segment), 1e-3);
  cone::project(problem, impulses);
  problem.contact_velocity(impulses, m.v, m.segment);
  (barzilai_borwein_ ? run_barzilai_borwein : run_safe)(problem, impulses, coulomb_, largest, m, monitor);
}

}   // namespace stickslip
