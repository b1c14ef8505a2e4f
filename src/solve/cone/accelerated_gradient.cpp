#include "stickslip/solve/cone/accelerated_gradient.h"

#include <fmt/format.h>

#include <cmath>

#include "solve/cone/cone_set.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

struct AcceleratedScratch {
  std::vector<double> r, v, v_previous, v_ahead, gradient;   ///< v = Wλ + b of λ, of λ_previous, of y
  std::vector<double> impulses, previous, ahead, segment;    ///< λ, λ_previous, y

  void resize(std::size_t n) {
    for (std::vector<double>* x : {&v, &v_previous, &v_ahead, &gradient, &impulses, &previous, &ahead}) x->resize(n);
  }
};

}   // namespace

AcceleratedGradient::AcceleratedGradient(Options options)
    : options_(std::move(options)), coulomb_(cone::wants_coulomb(options_.shift)) {
  if (!(options_.decay > 0 && options_.decay <= 1))
    throw Error(fmt::format("{} is not a decay. It must be greater than 0 and at most 1.", options_.decay)).at("decay");
}

void AcceleratedGradient::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                  SolveMonitor& monitor) const {
  AcceleratedScratch& m = workspace.scratch<AcceleratedScratch>();
  const std::size_t n = problem.rows();
  cone::metric(problem, m.r);
  m.resize(n);
  double bound = std::max(cone::largest_eigenvalue(problem, m.r, 10, m.impulses, m.v, m.segment), 1e-3);
  const double most = 16 * bound, least = 1e-6 * bound;
  m.impulses.assign(impulses.begin(), impulses.end());
  cone::project(problem, m.impulses);
  problem.contact_velocity(m.impulses, m.v, m.segment);
  m.previous = m.impulses;
  m.v_previous = m.v;
  int momentum = 0;
  for (int k = 1;; ++k) {
    ++momentum;
    const double beta = (momentum - 1.0) / (momentum + 2.0);
    for (std::size_t i = 0; i < n; ++i) {
      m.ahead[i] = m.impulses[i] + beta * (m.impulses[i] - m.previous[i]);
      m.v_ahead[i] = m.v[i] + beta * (m.v[i] - m.v_previous[i]);
    }
    m.gradient = m.v_ahead;
    if (coulomb_) cone::add_shift(problem, m.gradient);
    m.previous.swap(m.impulses);
    m.v_previous.swap(m.v);
    for (;;) {
      for (std::size_t i = 0; i < n; ++i) m.impulses[i] = m.ahead[i] - m.r[i] * m.gradient[i] / bound;
      cone::project(problem, m.impulses);
      problem.contact_velocity(m.impulses, m.v, m.segment);
      double curvature = 0, size = 0, scale = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double d = m.impulses[i] - m.ahead[i];
        curvature += d * (m.v[i] - m.v_ahead[i]);
        scale += std::abs(d) * (std::abs(m.v[i]) + std::abs(m.v_ahead[i]) + std::abs(problem.b[i]));
        size += d * d / m.r[i];
      }
      // What rounding leaves of v does not count as curvature.
      if (!(curvature > bound * size + 1e-13 * scale) || bound >= most) break;
      bound = std::min(2 * bound, most);
    }
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) along += (m.impulses[i] - m.ahead[i]) * (m.impulses[i] - m.previous[i]) / m.r[i];
    const double change = bound * cone::distance(m.impulses, m.ahead, m.r);
    if (along < 0) momentum = 0;
    bound = std::max(options_.decay * bound, least);
    std::copy(m.impulses.begin(), m.impulses.end(), impulses.begin());
    if (monitor.done(k, impulses, change)) return;
  }
}

}   // namespace stickslip
