#include "solve/automatic/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/infinity.h"
#include "solve/automatic/cost_model.h"
#include "solve/cone/admm_engine.h"
#include "solve/exact/exact_sweep.h"
#include "solve/newton/full_rank_newton.h"
#include "solve/newton/interior_point.h"
#include "solve/newton/newton_engine.h"

namespace stickslip {

namespace {

/// Newton steps that a finish usually takes until contacts know whether they stick, slide or part,
constexpr double kFirstSteps = 3;
constexpr double kStepsPerDecade = 2;   ///< and from there on
/// times the root of the number of contacts that slide: which of them do is found out contact by contact
constexpr double kStepsOfSliding = 4;
/// share of the price of a Newton finish that sweeps may cost before they are compared with it
constexpr double kTrial = 0.25;
constexpr double kFromMemory = 0.5;   ///< share of both that is left where Newton steps begin at impulses of the last step
/// Newton steps without progress before they are left, two references λ̄ at their longest;
constexpr int kNewtonPatience = 50;
constexpr int kTrialPatience = 5;   ///< the same where interior points are to follow
/// residual over the velocities of the problem below which a start counts as no nearer
constexpr double kNearestStart = 1e-2;
constexpr double kFarGuess = 1e-3;      ///< the same, from which on a guess is of another motion, and Newton steps begin at it
                                        ///< rather than at what sweeps made of it
constexpr double kAtRest = 1e-4;        ///< the same, below which contacts go on as they are: sticking, or open
constexpr double kNearCone = 0.99;      ///< of what friction can hold, below which a contact sticks beyond doubt
constexpr double kFullAlpha = 0.3;      ///< first regularisation of a full W, from impulses of 0
constexpr double kLinearAlpha = 1e-8;   ///< regularisation of a problem that is linear: as little as rounding allows
constexpr int kLinearSteps = 2;         ///< that solve it, or else it is not linear
constexpr int kFullRankPatience = 6;    ///< steps at a W of full rank in which the residual must have halved, or they are left
constexpr double kInteriorSteps = 20;   ///< of an interior point that a finish usually takes, whatever the guess
constexpr int kInteriorTrial = 4;       ///< of these, before they are judged
constexpr int kInteriorPatience = 6;    ///< of these without a residual that has halved, before they are left
constexpr double kMorePatience = 0.5;   ///< and at least this share of all steps taken so far: who came far may rest longer
constexpr int kAdmmWindow = 120;        ///< ADMM steps between two looks at the progress: five searches for its penalty
constexpr double kAdmmSteps = 100;      ///< that a finish usually takes, with
constexpr double kFactorisations = 5;   ///< this many factorisations
constexpr double kHelped = 0.5;         ///< share of the best residual below which a stage or round helped
constexpr std::size_t kShared = 120;    ///< rows up to which Newton steps find how new contacts share a load
constexpr double kNewLoad = 0.1;        ///< residual of a guess over the velocities of the contacts: more is a new load
constexpr int kMendEvery = 10;          ///< sweeps: what the borders of the mended were given has then been taken up
constexpr int kLongSweeps = 50000;      ///< before sweeps that nothing follows are given up: impulses may travel that long
                                        ///< along the self-stresses of a structure

/// Where sweeps were before something was mended.
struct MendMemory {
  std::vector<double> impulses, velocity;
};

}   // namespace

Stages::Stages(const ProblemForm& form, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor,
               const AutomaticSolver::Options& options)
    : form_(form), impulses_(impulses), work_(workspace), monitor_(monitor), options_(options) {
  sweep_cost_ = cost::sweep(form_.swept);
  if (form_.joints != nullptr) sweep_cost_ += cost::kOperation * form_.joints->work();
  for (const double b : form_.whole.b) fastest_ = std::max(fastest_, std::abs(b));
  guess_residual_ = monitor_.best_total();
  const bool from_memory = std::any_of(impulses_.begin(), impulses_.end(), [](double x) { return x != 0; });
  const bool may_factor = options_.direct_rows > 0;   // only Newton steps begin there
  if (may_factor && form_.condensation == nullptr && from_memory && guess_residual_ > kFarGuess * fastest_)
    guess_.assign(impulses_.begin(), impulses_.end());
}

void Stages::run(const Plan& plan) {
  expand(true);
  const bool direct = plan.stages.size() > 1;
  goes_inside_ = direct && is_full() && InteriorPoint::fits(form_.whole);
  if (direct && chooses_share() && run(Method::newton) == Outcome::done) return;
  if (direct && is_full() && full_rank_steps() == Outcome::done) return;
  if (direct && is_linear() && linear_steps() == Outcome::done) return;
  double before = kInfinity;
  while (direct && monitor_.best_total() < kHelped * before) {
    before = monitor_.best_total();
    for (const Method method : plan.stages)
      if (run(method) == Outcome::done) return;
    patience_ *= 2;
  }
  if (sweeps(false) == Outcome::done) return;
  monitor_.give_up(impulses_, SolveStatus::stalled, "Sweeps, Newton steps and ADMM all stopped making progress.");
}

Stages::Outcome Stages::run(Method method) {
  switch (method) {
    case Method::sweeps:
      return sweeps(true);
    case Method::newton:
      if (goes_inside_ && try_newton() == Outcome::done) return Outcome::done;
      if (goes_inside_ && can_afford(interior_price()) && interior() == Outcome::done) return Outcome::done;
      if (admm_is_cheaper() && admm() == Outcome::done) return Outcome::done;
      return can_afford(newton_price()) ? newton(false) : Outcome::slow;
    case Method::admm:
      return admm_fits_ ? admm() : Outcome::slow;
  }
  return Outcome::slow;
}

/// Whether this solve decides how contacts share a load that they can share in many ways: there are more of them than the
/// bodies have freedoms, and most have just begun or the load is a new one. Sweeps would give the most to those that they
/// visit first, and the solves of later steps keep to it. Newton steps treat all alike and stay close to the smallest
/// impulses: what is symmetric stays so.
bool Stages::chooses_share() const {
  const ContactProblem &p = form_.swept, &whole = form_.whole;
  if (form_.excuse || !whole.is_factored() || whole.rows() > kShared || whole.rows() <= whole.velocity_size()) return false;
  std::size_t contacts = 0, fresh = 0;
  double fastest = 0;
  for (const Block& b : p.blocks) {
    if (b.kind != BlockKind::contact) continue;
    ++contacts;
    fresh += impulses_[b.row] == 0;
    for (std::uint32_t k = 0; k < b.dim; ++k) fastest = std::max(fastest, std::abs(p.b[b.row + k]));
  }
  return contacts > 0 && (2 * fresh >= contacts || monitor_.best_total() > kNewLoad * fastest);
}

/// Whether the problem is linear around its guess: it is nearly solved and no contact slides or is about to. A Newton step
/// then is the solution, where sweeps remove what stands or leans as a whole contact by contact.
bool Stages::is_linear() const {
  const ContactProblem& p = form_.whole;
  const bool plain = form_.condensation == nullptr && form_.joints == nullptr;
  if (!plain || !(guess_residual_ < kAtRest * fastest_)) return false;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& b = p.blocks[i];
    if (b.kind != BlockKind::contact || b.dim == 1) continue;
    const auto* law = std::get_if<CircularFriction>(&p.laws[i]);
    if (law == nullptr) return false;
    const double* impulse = impulses_.data() + b.row;
    if (impulse[0] > 0 && !(std::hypot(impulse[1], impulse[2]) < kNearCone * law->mu * impulse[0])) return false;
  }
  return true;
}

/// Contacts that touch and slip, both beyond doubt, at the iterate judged last.
std::size_t Stages::sliding_contacts() const {
  const ContactProblem& p = form_.whole;
  const std::vector<double>& v = work_.residual.v;
  const double doubt = monitor_.best_total();
  std::size_t count = 0;
  for (const Block& b : p.blocks) {
    if (b.kind != BlockKind::contact || v[b.row] > doubt) continue;
    double slip_squared = 0;
    for (std::uint32_t k = 1; k < b.dim; ++k) slip_squared += v[b.row + k] * v[b.row + k];
    count += slip_squared > 100 * doubt * doubt;
  }
  return count;
}

double Stages::discount() const { return guess_.empty() ? 1 : kFromMemory; }

/// Of a usual finish by Newton steps [ns].
double Stages::newton_price() {
  const ContactProblem& p = form_.whole;
  const double steps = kFirstSteps + kStepsPerDecade * decades_left() +
                       discount() * kStepsOfSliding * std::sqrt(static_cast<double>(sliding_contacts()));
  if (newton_cost_ > 0) return steps * newton_cost_;
  const double least = cost::newton_step(p, 0);
  if (!can_afford(steps * least)) return steps * least;
  if (!p.is_factored()) {
    newton_cost_ = cost::newton_step(p, cost::impulse_factorisation(p));
  } else {
    ProximalNewton::Settings settings;
    settings.linear.kind = LinearSolver::Kind::velocities;
    engine().set(settings);
    engine().prepare(p, alart_curnier_system);
    newton_cost_ = cost::newton_step(p, engine().step_work());
    monitor_.add_work(least);
  }
  return steps * newton_cost_;
}

/// Of a usual finish by ADMM steps, without its factorisations [ns].
double Stages::admm_price() const { return kAdmmSteps * cost::admm_step(form_.whole, 0); }

/// Whether ADMM comes before Newton steps: where W is a large matrix of which much is zero, as that of stacks of soft bodies, a
/// Newton step factors as much as all of ADMM's, and without symmetry.
bool Stages::admm_is_cheaper() {
  if (admm_began_ || !admm_fits_ || form_.condensation != nullptr || form_.joints != nullptr) return false;
  return !form_.whole.is_factored() && !FullRankNewton::fits(form_.whole) && admm_price() < newton_price();
}

/// Whether the monitor is handed impulses of the condensed problem.
void Stages::expand(bool on) {
  if (form_.condensation == nullptr) return;
  if (on)
    monitor_.expand_with([this](std::span<const double> impulses) {
      const std::span<const double> whole = form_.condensation->expand(impulses);
      if (form_.excuse) form_.excuse();
      return whole;
    });
  else monitor_.expand_with({});
}

/// Decades between the best residual and the tolerance.
double Stages::decades_left() const { return std::max(std::log10(monitor_.best_total() / monitor_.control().tolerance), 0.1); }

void Stages::tell(std::string_view method, int steps, double before) {
  monitor_.note([&] {
    return fmt::format("{} {} took the residual from {:.1e} to {:.1e} m/s.", steps, method, before, monitor_.best_total());
  });
}

void Stages::go_back_to_best() {
  if (form_.condensation == nullptr) start_from(work_.best);
  else form_.condensation->restrict_to(work_.best, impulses_);
}

/// Sweeps go on where they left, which may be far along though not better than the best; unless others did much better.
void Stages::continue_sweeps() {
  const bool others_helped = monitor_.best_total() < kHelped * best_when_swept_;
  if (swept_.empty() || others_helped) go_back_to_best();
  else start_from(swept_);
}

void Stages::start_from(std::span<const double> impulses) {
  std::copy(impulses.begin(), impulses.end(), impulses_.begin());
  find_velocity();
}

void Stages::find_velocity() {
  std::fill(work_.velocity.begin(), work_.velocity.end(), 0.0);
  form_.swept.add_scaled_velocity(impulses_, work_.velocity);
}

/// Accelerated sweeps, until they stand still or, where others follow, are the dearer way.
Stages::Outcome Stages::sweeps(bool others_follow) {
  const ContactProblem& p = form_.swept;
  ExactBlocks& blocks = work_.scratch<ExactBlocks>();
  blocks.prepare(p, options_.proximal, ManyRows::proximal_step);
  if (step_ > 0) continue_sweeps();
  Acceleration acceleration(p, impulses_, work_, true);
  const double start = monitor_.best_total();
  int window = options_.window * patience_, next_look = window;
  double at_last_look = start;
  for (int k = 1;; ++k) {
    Momentum& momentum = acceleration.next();
    double change = exact_sweep(p, blocks, form_.joints != nullptr ? form_.joints->others() : p.batches, impulses_,
                                work_.velocity, momentum);
    if (form_.joints != nullptr) change = std::max(change, form_.joints->visit(impulses_, work_.velocity, momentum));
    acceleration.restart_if_opposed();
    monitor_.add_work(sweep_cost_);
    ++step_;
    const bool look = k == next_look, judges = mender_ && k % kMendEvery == 0 && can_afford(kMendEvery * sweep_cost_);
    if (look || judges ? monitor_.done(step_, impulses_) : monitor_.done(step_, impulses_, change)) {
      tell("accelerated sweeps", k, start);
      return Outcome::done;
    }
    if (judges) mend(acceleration);
    if (!look) continue;
    const double gained = std::log10(at_last_look / monitor_.best_total());
    if (others_follow ? leaves_sweeps(k, window, gained) : k > kLongSweeps && gained < 0.01) {
      tell(gained < 0.1 ? "accelerated sweeps, which then stood still," : "accelerated sweeps, which then were too slow,", k,
           start);
      swept_.assign(impulses_.begin(), impulses_.end());
      best_when_swept_ = monitor_.best_total();
      return Outcome::slow;
    }
    at_last_look = monitor_.best_total();
    window = others_follow ? window + window / 2 : std::min(2 * window, kLongSweeps);
    next_look = k + window;
  }
}

/// Solves what sweeps are slow at. Momentum goes on.
void Stages::mend(Acceleration& acceleration) {
  MendMemory& before = work_.scratch<MendMemory>();
  before.impulses.assign(impulses_.begin(), impulses_.end());
  if (!mend_worst(form_.swept, impulses_, work_, monitor_, mender_)) return;
  before.velocity = work_.velocity;
  find_velocity();
  acceleration.shift(before.impulses, before.velocity);
}

/// @param gained decades within the last window of sweeps
bool Stages::leaves_sweeps(int sweeps, int window, double gained) {
  const double price = goes_inside_ ? interior_price() : admm_is_cheaper() ? admm_price() : newton_price();
  if (goes_inside_ && can_afford(price) && sweeps * sweep_cost_ > price) return true;   // what it costs is known
  if (!can_afford(price) || sweeps * sweep_cost_ < discount() * kTrial * price) return false;
  const double predicted = gained > 0 ? window * decades_left() / gained : kInfinity;
  return predicted * sweep_cost_ > price;
}

/// The best impulses of the problem that factorisations work on.
std::span<double> Stages::start_whole() {
  expand(false);
  whole_impulses_.assign(work_.best.begin(), work_.best.end());
  return whole_impulses_;
}

/// The first Newton steps begin at the guess, if it is far off: it shares loads among redundant contacts as the last step
/// did, where sweeps leave shares that no solution has. Others begin at the best. The nearer the start, the less it needs to
/// be held back: α follows the error down as it does within a solve. Contacts of soft bodies, whose W is full, share no
/// loads at will: there nothing is a better start than a guess of another motion.
void Stages::start_newton(std::span<double> iterate, bool trial) {
  const ContactProblem& p = form_.whole;
  double residual = monitor_.best_total();
  const bool from_guess = !guess_.empty();
  if (from_guess) {
    std::copy(guess_.begin(), guess_.end(), iterate.begin());
    residual = guess_residual_;
    if (!trial) guess_.clear();
  }
  ProximalNewton::Settings settings;
  settings.linear.kind = LinearSolver::Kind::velocities;
  settings.alpha *= std::clamp(residual / fastest_, kNearestStart, 1.0);
  settings.near = kNearSolution * monitor_.control().tolerance;
  if (from_guess && !trial && form_.condensation == nullptr && !p.is_factored()) {
    std::fill(iterate.begin(), iterate.end(), 0.0);
    settings.alpha = kFullAlpha;
  }
  engine().set(settings);
  if (p.is_factored()) engine().start(iterate);
  else engine().start(p, iterate);
}

/// A few Newton steps before interior points, from the guess as it is: where they get on at all they need a third of the steps.
Stages::Outcome Stages::try_newton() {
  if (!can_afford(newton_price() + interior_price())) return Outcome::slow;
  const Outcome outcome = newton(true);
  newton_steps_ = 0;
  return outcome;
}

/// @param trial whether interior points are to follow
Stages::Outcome Stages::newton(bool trial) {
  const double start = monitor_.best_total();
  const std::span<double> iterate = start_whole();
  // Goes on where it left, which may be far along though not better than the best; unless others did much better.
  if (newton_steps_ == 0 || start < kHelped * best_of_newton_) {
    start_newton(iterate, trial);
    newton_steps_ = 0;
  }
  best_of_newton_ = start;
  int progress = newton_steps_;   // the step that last helped
  Outcome outcome = Outcome::slow;
  for (int k = 1;; ++k) {
    const bool alive = engine().step(iterate);
    ++newton_steps_;
    monitor_.add_work(newton_cost_);
    if (monitor_.done(++step_, iterate)) {
      tell("Newton steps", k, start);
      outcome = Outcome::done;
      break;
    }
    if (!alive) {
      tell("Newton steps, which then broke down,", k, start);
      newton_steps_ = 0;
      break;
    }
    if (monitor_.best_total() <= kHelped * best_of_newton_) {
      best_of_newton_ = monitor_.best_total();
      progress = newton_steps_;
    }
    if (newton_steps_ - progress >
        patience_ * std::max<double>(trial ? kTrialPatience : kNewtonPatience, kMorePatience * newton_steps_)) {
      tell("Newton steps, which then stood still,", k, start);
      break;
    }
  }
  expand(true);
  return outcome;
}

/// A few Newton steps with next to no regularisation. Nothing is lost if they do not help but their work.
Stages::Outcome Stages::linear_steps() {
  if (!can_afford(newton_price())) return Outcome::slow;
  const double start = monitor_.best_total();
  const std::span<double> iterate = start_whole();
  ProximalNewton::Settings settings;
  settings.linear.kind = LinearSolver::Kind::velocities;
  settings.alpha = kLinearAlpha;
  settings.near = kNearSolution * monitor_.control().tolerance;
  engine().set(settings);
  if (form_.whole.is_factored()) engine().start(iterate);
  else engine().start(form_.whole, iterate);
  for (int k = 1; k <= kLinearSteps; ++k) {
    const bool alive = engine().step(iterate);
    monitor_.add_work(newton_cost_);
    if (monitor_.done(++step_, iterate)) {
      tell("linear steps", k, start);
      return Outcome::done;
    }
    if (!alive || monitor_.last_total() > kHelped * start) break;
  }
  return Outcome::slow;
}

/// Whether W is full, as that of soft bodies is: then a factorisation is the price of a few sweeps, and Newton steps beside it
/// need no regularisation unless bodies are nearly rigid.
bool Stages::is_full() const {
  return form_.condensation == nullptr && form_.joints == nullptr && FullRankNewton::fits(form_.whole);
}

Stages::Outcome Stages::full_rank_steps() {
  const ContactProblem& p = form_.whole;
  FullRankNewton& full = work_.scratch<FullRankNewton>();
  const double price = cost::kDenseOperation * FullRankNewton::factor_work(p);
  if (!can_afford(price)) return Outcome::slow;
  monitor_.add_work(price);
  if (!full.prepare(p, work_.scratch<MatrixSeries>())) return Outcome::slow;
  const double start = monitor_.best_total();
  const std::span<double> iterate = start_whole();
  const std::vector<double>& v = work_.residual.v;   // the guess was judged just now, as every iterate will be
  double halved = start;
  for (int k = 1, progress = 0; k - progress <= kFullRankPatience; ++k) {
    const bool alive = full.step(p, iterate, v);
    monitor_.add_work(cost::kDenseOperation * full.step_work());
    if (monitor_.done(++step_, iterate)) {
      tell("Newton steps by the factors of W", k, start);
      return Outcome::done;
    }
    if (!alive) break;
    if (monitor_.best_total() <= kHelped * halved) halved = monitor_.best_total(), progress = k;
  }
  tell("Newton steps by the factors of W, which then stood still,", step_, start);
  return Outcome::slow;
}

double Stages::interior_price() const {
  return kInteriorSteps * cost::kDenseOperation * InteriorPoint::step_work(form_.whole, false);
}

/// Where W is full, but not of full rank, or contacts change between sticking and sliding too often for Newton's method: steps
/// that begin far from all that contacts could do, whatever the guess. First by the cheap ones for as long as they get on;
/// where these ran into a face, exactly from the start.
Stages::Outcome Stages::interior() {
  goes_inside_ = false;
  const double start = monitor_.best_total();
  if (interior(false) == Outcome::done) return Outcome::done;
  if (can_afford(interior_price()) && interior(true) == Outcome::done) return Outcome::done;
  // Cones cost half of the digits. What is left is small, and Newton's method has it from here.
  if (monitor_.best_total() < kHelped * start) guess_.clear();
  return Outcome::slow;
}

Stages::Outcome Stages::interior(bool exact) {
  const double start = monitor_.best_total();
  const std::span<double> iterate = start_whole();
  InteriorPoint& inside = work_.scratch<InteriorPoint>();
  if (!inside.start(form_.whole, !exact)) return Outcome::slow;
  const int patience = exact ? 2 * kInteriorPatience : kInteriorPatience;   // nothing is left to go over to
  double halved = kInfinity, closed = kInfinity, before[2] = {kInfinity, kInfinity};
  int steps = 0;
  for (int progress = 0; steps - progress <= patience;) {
    monitor_.add_work(cost::kDenseOperation * InteriorPoint::step_work(form_.whole, exact));
    if (!inside.step(iterate, exact)) break;
    ++steps;
    if (monitor_.done(++step_, iterate)) {
      tell("interior point steps", steps, start);
      return Outcome::done;
    }
    const double now = monitor_.last_total();
    if (now <= kHelped * halved) halved = now, progress = steps;
    if (inside.gap() <= kHelped * closed) closed = inside.gap(), progress = steps;
    // Where the shift feeds back, steps without its derivative go to and fro.
    exact = exact || (steps >= kInteriorTrial && now > kHelped * before[steps % 2]);
    before[steps % 2] = now;
  }
  tell("interior point steps, which then stood still,", steps, start);
  return Outcome::slow;
}

Stages::Outcome Stages::admm() {
  AdmmEngine& engine = work_.scratch<AdmmEngine>();
  const ContactProblem& p = form_.whole;
  const double start = monitor_.best_total();
  if (!can_afford(admm_price())) return Outcome::slow;
  admm_began_ = true;
  const std::span<double> iterate = start_whole();
  AdmmEngine::Settings settings;
  settings.most_work = monitor_.work_left() / (kFactorisations * cost::kOperation);
  if (!engine.setup(p, settings, iterate)) {
    tell("ADMM steps, because the problem cannot be factorised at a fair price,", 0, start);
    admm_fits_ = false;
    expand(true);
    return Outcome::slow;
  }
  const double step_cost = cost::admm_step(p, engine.solve_work());
  int factorisations = 0;
  double at_last_look = start;
  Outcome outcome = Outcome::slow;
  for (int k = 1;; ++k) {
    const bool intact = engine.iterate();
    monitor_.add_work(step_cost + cost::kOperation * engine.factor_work() * (engine.factorisations() - factorisations));
    factorisations = engine.factorisations();
    std::copy(engine.impulses().begin(), engine.impulses().end(), iterate.begin());
    if (monitor_.done(++step_, iterate, std::max(engine.primal(), engine.dual()))) {
      tell("ADMM steps", k, start);
      outcome = Outcome::done;
      break;
    }
    if (!intact) {
      tell("ADMM steps, which then broke down,", k, start);
      break;
    }
    if (k % (kAdmmWindow * patience_) != 0) continue;
    if (monitor_.best_total() > kHelped * at_last_look) {
      tell("ADMM steps, which then stood still,", k, start);
      break;
    }
    at_last_look = monitor_.best_total();
  }
  expand(true);
  return outcome;
}

}   // namespace stickslip
