// Contacts and joints as one contact problem over impulses: detect, build, solve, move.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "solve/joint_conflict.h"
#include "step/body_kinds.h"
#include "step/builder.h"
#include "step/clock.h"
#include "step/contact_records.h"
#include "step/detection.h"
#include "step/free_motion.h"
#include "step/hold_back.h"
#include "step/impact_watch.h"
#include "step/look_ahead.h"
#include "step/patches.h"
#include "step/pieces.h"
#include "step/projection.h"
#include "step/rest_balance.h"
#include "step/sleep.h"
#include "step/soft/inversion.h"
#include "step/soft/soft_operators.h"
#include "step/solve_further.h"
#include "step/step_start.h"
#include "stickslip/math/error.h"
#include "stickslip/step/integrator.h"

namespace stickslip {

class ImpulseIntegrator final : public Integrator {
  static constexpr int kMostCuts = 8;       ///< of a step at first touches; the rest of it has contacts ahead
  static constexpr int kMostFollows = 24;   ///< pieces in which bodies are followed that leave meshes
  static constexpr int kMostTries = 4;      ///< to find the first touch of a motion that only a solve knows

 public:
  explicit ImpulseIntegrator(const StepOptions& options)
      : whole_(options), options_(options), solver_(make_solver(options.solver, options.solver_options)) {}

  const StepReport& step(World&) override;
  const ContactProblem* problem() const override { return &builder_.problem(); }
  std::span<const double> guess() const override { return builder_.guess(); }
  std::span<const double> impulses() const override { return impulses_; }

 private:
  void take_pieces(World&);
  bool advance(World&);
  void project(World&);
  void finish(World&);
  /// Until contacts are looked at again positions move for h, in both schemes.
  DetectionReach reach() const {
    return {options_.h, options_.h, options_.margin, options_.contact, options_.overlap, options_.cancel};
  }
  const ContactSet& detect(World&);
  const ContactSet& with_patches(const World&, const ContactSet&);
  const ContactSet* detect_and_solve(World&);
  const ContactSet* solve_and_look(World&, const ContactSet*);
  LookAhead::Solved solved(const ContactSet& set) const { return {builder_, set, velocity_, impulses_, patches_.joined()}; }
  ImpactWatch::Cuts cuts() const {
    if (tries_ >= kMostTries) return ImpactWatch::Cuts::none;
    return report_.impacts < kMostCuts ? ImpactWatch::Cuts::allowed : ImpactWatch::Cuts::spent;
  }
  void cut(World&, double time);
  /// How long positions drift after contacts are taken: Moreau's scheme looks at them half a step ahead [s].
  double drift_time() const { return options_.scheme == Scheme::moreau_midpoint ? options_.h / 2 : options_.h; }
  bool solve(const World&, const ContactSet&, double drift_time);
  bool solve_with_care(const World&, const ContactSet&, double drift_time, JointCare);
  /// What a problem is built from.
  struct Setting {
    const World& world;
    const ContactSet& set;
    double drift_time;
    JointCare care;
  };
  void linearise_again(const Setting&, const SolveControl&);
  SolveControl control() const;
  /// Whether a caller who wants the last iterate got one that is worse than the guess: where it would take bodies says nothing,
  /// and looking along ways that long would take minutes.
  bool blew_up() const {
    return options_.last_iterate && !(report_.solve->residual.total() <= report_.solve->initial_residual.total());
  }
  /// Whether the caller wants to see, or end, a solve by its iterates: then there is one solve.
  bool judges_all() const { return options_.keep_history || options_.merit.function != Merit::none || options_.last_iterate; }
  void begin_roughly(const World&, const ContactSet&);
  bool goes_on();
  bool close_joints(const World&, double drift_time, SolveControl);
  void solve_problem(const SolveControl&);
  void balance();
  void find_conflicts(const World&);
  double velocity_scale(const World&) const;

  StepOptions whole_;     ///< as they were set
  StepOptions options_;   ///< the same for the piece of a step that is taken
  std::unique_ptr<ContactSolver> solver_;
  Detection detection_, projection_detection_;
  PatchMaker patches_;
  ProblemBuilder builder_;
  LookAhead look_ahead_;
  PositionProjection projection_;
  SleepManager sleep_;
  MotionJudge judge_;
  StepPieces pieces_;
  StepStart start_;
  ImpactWatch impacts_;
  HoldBack hold_back_;
  int follows_ = 0;   ///< short pieces of a step in which a body leaves a mesh that it struck
  int tries_ = 0;     ///< solves of a piece whose motion hit something before its end
  RestBalance rest_;
  ContactRecords records_;
  SoftOperators operators_;
  Workspace workspace_;
  std::vector<double> impulses_, next_guess_, velocity_, change_, before_, conflict_velocity_, conflict_scratch_;
  JointRows::Overload overload_;
  JointCare last_care_ = JointCare::closed;   ///< of the last solve
  double rough_ = 0;                          ///< residual at which the first solve of a step may end [m/s]; 0: none
  int spent_ = 0;                             ///< iterations of that solve
  StepReport report_;
};

namespace {

constexpr int kRefinements = 6;     ///< of the time of a first touch
constexpr double kRefined = 1e-9;   ///< part of it that a refinement may change and be the last
constexpr double kNearRest = 100;   ///< tolerances by which the impulses of the last step may miss at rest
/// Contacts from which on a first solve may be rough. A look at a rough motion now and then misses what bends: smaller heaps
/// can afford an exact one.
constexpr std::size_t kManyContacts = 7000;
constexpr double kRoughShare = 0.25;   ///< of the iterations of a step that a rough solve may take
constexpr int kAgreements = 3;         ///< times that loops of joints may find out what they agree on
/// Error of joints at the end of the step, relative to their size, below which they count as closed: without contacts, and
/// with them, where solves are dear and more energy is lost anyway.
constexpr double kClosed = 1e-6, kClosedAmongContacts = 1e-5;
constexpr double kNearlyClosed = 1e-4;   ///< the same, beyond which a piece of a step is not taken
constexpr double kHopeless = 1e3;        ///< the same, beyond which it is not worth going on
constexpr double kJointsAlone = 1e-3;    ///< part of the tolerance for problems without contacts, which are solved directly
constexpr int kRoundsToClose = 6;        ///< of projection
/// Solves of a step that close joints, at most: in general, and where arms are averaged.
constexpr int kFewClosings = 8, kMostClosings = 20;

/// Size of the smallest joint [m].
double smallest_row_length(const World& world) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Joint& j : world.joints())
    if (j.acts()) smallest = std::min(smallest, j.row_length);
  return smallest;
}

}   // namespace

const ContactSet& ImpulseIntegrator::detect(World& world) {
  const DetectionReach reach = this->reach();
  const auto look = [&] {
    impacts_.begin(options_, cuts(), report_.impacts > 0 && follows_ < kMostFollows);
    return &detection_.detect(world, reach, options_.threads, report_.seconds, &impacts_);
  };
  const ContactSet* set = look();
  // Waking a body brings contacts of its own into play, which may wake others.
  while (sleep_.wake_touched(world, *set)) set = look();
  return with_patches(world, *set);
}

/// The contacts, those of areas as one.
const ContactSet& ImpulseIntegrator::with_patches(const World& world, const ContactSet& set) {
  if (!asks_for_areas(world, options_)) return set;
  return patches_.merge(world, set, options_);
}

/// Takes a shorter piece, up to a first touch. How long forces act and what scripts ask for follow from its length, and its
/// length from them.
void ImpulseIntegrator::cut(World& world, double time) {
  for (int k = 0; k < kRefinements; ++k) {
    options_.h = time;
    aim_kinematic_bodies(world, time);
    const double next = std::min(impacts_.refine(world, time), pieces_.length());
    if (std::abs(next - time) <= kRefined * time) return;
    time = next;
  }
}

/// @returns nothing if the motion is too violent for a piece of this length; the world is then as it was
const ContactSet* ImpulseIntegrator::detect_and_solve(World& world) {
  report_.looked_again = 0;
  impacts_.begin_piece(report_.impacts > 0);
  for (tries_ = 0;; ++tries_) {
    look_ahead_.begin_step();
    const ContactSet* set = &detect(world);
    if (impacts_.first() < options_.h) cut(world, impacts_.first());
    builder_.recover_in(pieces_.recovery_time());
    begin_roughly(world, *set);
    set = solve_and_look(world, set);
    if (!set || blew_up() || !(impacts_.watches() || impacts_.nears())) return set;
    const double free = impacts_.first_along(world, look_ahead_.motion(world, solved(*set)), options_.h);
    if (!(free < options_.h)) return set;
    ++report_.looked_again;
    if (cuts() == ImpactWatch::Cuts::spent) continue;
    options_.h = free;
    aim_kinematic_bodies(world, free);
  }
}

/// Solves, and again with what the solved motion meets. @returns the contacts of the last solve, or nothing as above
const ContactSet* ImpulseIntegrator::solve_and_look(World& world, const ContactSet* set) {
  if (!solve(world, *set, drift_time())) return nullptr;
  int rounds = 0;
  while (rounds < LookAhead::kMaxRounds && !blew_up()) {
    const ContactSet* more =
        look_ahead_.find(world, detection_, impacts_, solved(*set), reach(), options_.gyroscopic, report_.seconds);
    if (!more && goes_on()) continue;
    if (!more) break;
    rough_ = 0;
    // A sleeper that is met wakes with all its contacts; the next round meets it again.
    set = sleep_.wake_touched(world, *more) ? &detect(world) : &with_patches(world, *more);
    if (!solve(world, *set, drift_time())) return nullptr;
    ++rounds;
    ++report_.looked_again;
  }
  if (blew_up()) return set;
  // What the last round made of it nobody has looked at yet.
  const bool deep = rounds < LookAhead::kMaxRounds
                        ? look_ahead_.ends_deep()
                        : look_ahead_.ends_deep(world, solved(*set), options_.gyroscopic, drift_time());
  if (deep && pieces_.can_shorten_for_contacts(look_ahead_.turns_deep())) return nullptr;
  if (pieces_.can_shorten_for_soft() && look_ahead_.surfaces_end_deep(world, solved(*set), options_.gyroscopic, drift_time()))
    return nullptr;
  if (rounds == 0 || !look_ahead_.gives_energy(world, solved(*set), options_.h)) return set;
  if (pieces_.can_shorten_for_contacts(false)) return nullptr;
  look_ahead_.give_no_energy(world, solved(*set), options_.gyroscopic, drift_time());
  return solve(world, *set, drift_time()) ? set : nullptr;
}

/// Steps of large problems in which things strike are solved more than once, with contacts that the motion brings. To find
/// those it need not be exact: the first solve is rough, and the others have the work that it leaves.
void ImpulseIntegrator::begin_roughly(const World& world, const ContactSet& set) {
  spent_ = 0;
  const bool large = set.points.size() > kManyContacts && world.joint_count() == 0 && !world.has_attachments() && !judges_all();
  rough_ = large ? ContactBends::speed_that_matters(world, set, options_.h) : 0;
}

/// Makes a rough solution exact. @returns whether it was rough
bool ImpulseIntegrator::goes_on() {
  if (rough_ == 0) return false;
  Clock clock;
  rough_ = 0;
  const SolveReport first = *report_.solve;
  solve_problem(control());
  report_.solve->iterations += first.iterations;
  report_.solve->seconds += first.seconds;
  report_.solve->initial_residual = first.initial_residual;
  report_.seconds.solve += clock.lap();
  return true;
}

SolveControl ImpulseIntegrator::control() const {
  SolveControl control;
  control.cancel = options_.cancel;
  control.tolerance = std::max(report_.outcome.tolerance, rough_);
  control.max_iterations = options_.max_iterations - spent_;
  if (rough_ > 0) control.max_iterations = static_cast<int>(kRoughShare * options_.max_iterations);
  control.natural_map = false;
  control.notes = false;
  control.keep_history = options_.keep_history;
  control.merit = options_.merit;
  control.last_iterate = options_.last_iterate;
  return control;
}

double ImpulseIntegrator::velocity_scale(const World& world) const {
  // Of the whole step: what a solve leaves moves bodies no farther in many pieces than in one.
  if (const double fall = world.gravity.norm() * whole_.h; fall > 0) return fall;
  const ContactProblem& p = builder_.problem();
  double largest = 0;
  for (const Block& block : p.blocks)
    for (std::uint32_t k = 0; k < block.dim; ++k) {
      double speed = std::abs(p.b[block.row + k]);
      // What a motor asks for says nothing; what it can do in one step does.
      if (block.kind == BlockKind::box)
        speed = std::min(speed, p.diagonal_values[block.diagonal + k * (block.dim + 1u)] *
                                    std::max(-p.lower[block.row + k], p.upper[block.row + k]));
      largest = std::max(largest, speed);
    }
  return largest > 0 ? largest : 1;
}

void ImpulseIntegrator::solve_problem(const SolveControl& control) {
  const ContactProblem& problem = builder_.problem();
  const bool coupled = problem.is_coupled();
  report_.soft_operator = options_.soft.operator_;
  if (coupled) {
    report_.soft_operator = SoftOperators::choose(options_.soft.operator_, problem);
    report_.solve = operators_.solve(report_.soft_operator, problem, impulses_, {*solver_, workspace_}, control);
  } else {
    const auto solve = [&](const SolveControl& c) { return solver_->solve(problem, impulses_, workspace_, c); };
    report_.solve = solve_further(solve, control, problem.rows());
  }
  end_if_cancelled(options_.cancel);
  velocity_ = builder_.space().free();
  if (coupled) problem.add_velocity_change(impulses_, velocity_, change_);
  else problem.add_unscaled_velocity(workspace_.solved_velocity(), velocity_);
}

/// Near rest a solve undoes what the guess left unbalanced in the steps before, and its impulses used again would undo it once
/// more. Those that balance are remembered instead.
void ImpulseIntegrator::balance() {
  next_guess_ = impulses_;
  if (report_.solve->iterations == 0 || !(report_.solve->initial_residual.total() < kNearRest * report_.outcome.tolerance))
    return;
  const RestBalance::Velocities velocities{builder_.space().before(), builder_.space().free(), workspace_.solved_velocity()};
  rest_.move(builder_.problem(), velocities, builder_.guess(), next_guess_);
}

/// @returns whether the piece can be taken
bool ImpulseIntegrator::solve(const World& world, const ContactSet& set, double drift_time) {
  const bool brief = world.joint_count() > 0 && pieces_.is_brief(options_.h);
  const bool closed = !brief && solve_with_care(world, set, drift_time, JointCare::closed);
  const auto bends_with = [&](std::span<const double> u) {
    return pieces_.bends_too_far(world, builder_.space().segments(), u);
  };
  // Links that tremble keep the angle by which they do, whatever the piece: a longer one would only make them look slow.
  const auto bends = [&] {
    return bends_with(velocity_) || (builder_.averages_arms() && bends_with(builder_.space().before()));
  };
  if (!brief && pieces_.can_shorten() && (!closed || bends())) return false;
  if (pieces_.can_shorten_for_soft() && inverts_elements(world, builder_.space(), velocity_, options_.h)) return false;
  if (!closed) solve_with_care(world, set, drift_time, JointCare::braked);
  if (world.joint_count() > 0) builder_.balance_joints(world, velocity_);
  return true;
}

/// @returns whether joints are as they should be
bool ImpulseIntegrator::solve_with_care(const World& world, const ContactSet& set, double drift_time, JointCare care) {
  Clock clock;
  last_care_ = care;
  builder_.soft().begin_step();
  builder_.begin(world, options_, care);
  builder_.build(world, set, options_, drift_time);
  look_ahead_.refine(builder_, set);
  const auto guess = builder_.guess();
  impulses_.assign(guess.begin(), guess.end());
  report_.seconds.assembly += clock.lap();

  report_.outcome.tolerance = options_.tolerance * velocity_scale(world);
  const SolveControl control = this->control();
  solve_problem(control);
  if (builder_.problem().is_coupled()) linearise_again({world, set, drift_time, care}, control);
  if (rough_ > 0) spent_ = report_.solve->iterations;
  overload_ = builder_.joints().find_overload(builder_.joint_setting(world, options_, drift_time), builder_.problem(),
                                              impulses_, velocity_);
  bool good = true;
  if (overload_.affordable < 1) {
    builder_.reduce_joint_recovery(overload_.affordable);
    impulses_.assign(guess.begin(), guess.end());
    solve_problem(control);
  } else if (care == JointCare::braked) {
    builder_.reduce_joint_recovery(0);   // projection will do it
    solve_problem(control);
  } else if (world.joint_count() > 0 || !builder_.attachments().empty()) {
    good = close_joints(world, drift_time, control);
  }
  for (int k = 0; k < kAgreements && overload_.affordable == 1 && report_.solve->residual.bilateral > report_.outcome.tolerance;
       ++k) {
    if (!builder_.let_joints_agree(world, options_, drift_time, impulses_, kAim * report_.outcome.tolerance)) break;
    const SolveReport before = *report_.solve;
    solve_problem(control);
    report_.solve->iterations += before.iterations;
    report_.solve->seconds += before.seconds;
    report_.solve->initial_residual = before.initial_residual;
  }
  // Solves that close joints are asked for more than the step is.
  if (report_.solve->residual.total() <= report_.outcome.tolerance) {
    report_.solve->status = SolveStatus::converged;
    report_.solve->reason = {};
  }
  report_.seconds.solve += clock.lap();
  return good;
}

/// Newton's method on implicit Euler: soft bodies are linearised where the last solve takes them, or on the way there, as often
/// as the options allow and as long as that changes velocities.
void ImpulseIntegrator::linearise_again(const Setting& s, const SolveControl& control) {
  report_.linearisations = 1;
  report_.soft_error = 0;
  const bool descends = options_.soft.solution == SoftSolution::minimisation;
  while (report_.linearisations < options_.soft.max_linearisations) {
    before_ = velocity_;
    const double share = descends ? builder_.soft().share_that_descends(s.world, builder_.space(), velocity_) : 1;
    builder_.soft().try_velocities(s.world, builder_.space(), velocity_, share);
    builder_.begin(s.world, options_, s.care);
    builder_.build(s.world, s.set, options_, s.drift_time);
    look_ahead_.refine(builder_, s.set);
    const SolveReport first = *report_.solve;
    solve_problem(control);
    report_.solve->iterations += first.iterations;
    report_.solve->seconds += first.seconds;
    report_.solve->initial_residual = first.initial_residual;
    ++report_.linearisations;
    report_.soft_error = 0;
    for (std::size_t k = 0; k < before_.size(); ++k)
      report_.soft_error = std::max(report_.soft_error, std::abs(velocity_[k] - before_[k]));
    if (share == 1 && report_.soft_error <= report_.outcome.tolerance) return;
  }
}

/// Solves again until joints and attachments are closed where the drift ends (step/joints/joint_closing.h). @returns whether
/// they are
bool ImpulseIntegrator::close_joints(const World& world, double drift_time, SolveControl control) {
  // A solve that starts from the impulses before must see what is left to correct.
  const bool alone = builder_.contacts().empty();
  if (alone) control.tolerance *= kJointsAlone;
  const double closed = alone ? kClosed : kClosedAmongContacts;
  double off = builder_.look_at_joints(world, options_, drift_time, impulses_, velocity_);
  for (int rounds = 0; off > closed && off < kHopeless; ++rounds) {
    if (rounds == (builder_.averages_arms() ? kMostClosings : kFewClosings)) break;
    builder_.correct_joints();
    const SolveReport first = *report_.solve;
    solve_problem(control);
    report_.solve->iterations += first.iterations;
    report_.solve->seconds += first.seconds;
    report_.solve->initial_residual = first.initial_residual;
    off = builder_.look_at_joints(world, options_, drift_time, impulses_, velocity_);
  }
  return off <= kNearlyClosed;
}

void ImpulseIntegrator::find_conflicts(const World& world) {
  report_.conflicts.clear();
  for (const std::uint32_t slot : overload_.joints) report_.conflicts.push_back({world.joint_id_of(slot), overload_.speed});
  if (!report_.conflicts.empty() || report_.solve->residual.bilateral <= report_.outcome.tolerance) return;
  const ContactProblem& p = builder_.problem();
  conflict_velocity_.resize(p.rows());
  p.contact_velocity(impulses_, conflict_velocity_, conflict_scratch_);
  for (const std::uint32_t block : contradicting_blocks(p, impulses_, report_.outcome.tolerance)) {
    if (block >= builder_.joints().block_count()) continue;   // of an attachment, which no joint stands for
    const Eigen::Map<const Eigen::VectorXd> v(conflict_velocity_.data() + p.blocks[block].row, p.blocks[block].dim);
    const JointId joint = world.joint_id_of(builder_.joints().joint_of_block(block));
    const auto known = std::find_if(report_.conflicts.begin(), report_.conflicts.end(),
                                    [&](const JointConflict& c) { return c.joint == joint; });
    if (known == report_.conflicts.end()) report_.conflicts.push_back({joint, v.lpNorm<Eigen::Infinity>()});
    else known->speed = std::max(known->speed, v.lpNorm<Eigen::Infinity>());
  }
  std::stable_sort(report_.conflicts.begin(), report_.conflicts.end(),
                   [](const JointConflict& x, const JointConflict& y) { return x.speed > y.speed; });
}

const StepReport& ImpulseIntegrator::step(World& world) {
  for (const BodyKindSteps* kind : body_kinds()) kind->check(world);
  start_.begin();
  // These change it before they solve: bodies drift, or wake.
  if (whole_.scheme == Scheme::moreau_midpoint || whole_.sleep.enabled) start_.keep(world, whole_.cancel);
  try {
    take_pieces(world);
  } catch (const StepCancelled&) {
    start_.restore(world);
    throw;
  }
  break_joints(world, report_);
  finish(world);
  return report_;
}

void ImpulseIntegrator::take_pieces(World& world) {
  const double start = world.time;
  judge_.begin(world, whole_);
  pieces_.begin(world, whole_);
  report_.impacts = follows_ = 0;
  builder_.soft().recall();
  int cuts = 0;
  while (pieces_.left()) {
    options_.h = pieces_.next(world);
    while (!advance(world)) options_.h = pieces_.shorten();
    if (options_.h < pieces_.length()) ++(impacts_.near_time() > options_.h ? cuts : follows_);
    pieces_.take(world, report_, options_.h);
    report_.impacts = cuts;
  }
  world.time = start + whole_.h;
  ++world.step_count;
  report_.pieces = pieces_.count();
}

/// Takes a piece of a step. @returns whether it could; if not, the world is as it was
bool ImpulseIntegrator::advance(World& world) {
  Clock clock;
  report_.seconds = {};
  report_.energy = {};
  EnergyLedger& energy = report_.energy;
  energy.kinetic_start = world.kinetic_energy();
  energy.potential_start = world.potential_energy();
  aim_kinematic_bodies(world, options_.h);
  world.place_held_nodes();
  if (options_.scheme == Scheme::moreau_midpoint) {
    for (const BodyKindSteps* kind : body_kinds()) kind->drift(world, options_.gyroscopic, drift_time());
    drift_kinematic_bodies(world, drift_time());
  }
  report_.seconds.integration += clock.lap();

  const ContactSet* set = detect_and_solve(world);
  if (!set) return false;
  if (options_.h < whole_.h) start_.keep(world, whole_.cancel);
  const double h = options_.h, drift_time = this->drift_time();
  clock.lap();

  const double kick = report_.force_time = kick_time(world, options_);
  builder_.joints().record(builder_.joint_setting(world, options_, drift_time), impulses_, velocity_, world, report_);
  builder_.attachments().record(builder_.attachment_setting(world, options_), impulses_, velocity_, world, report_);
  energy.impact -= builder_.work_beside_rows(velocity_);
  find_conflicts(world);
  balance();
  records_.write(world, {options_, drift_time, solved(*set), next_guess_}, judge_, report_);
  judge_.see_crossings(world, detection_.self_crossings(), report_);
  if (impacts_.watches() && !blew_up())
    report_.distance_min = impacts_.nearest(world, look_ahead_.motion(world, solved(*set)), options_.h, report_.distance_min);
  hold_back_.clear();
  if (const auto doubtful = impacts_.doubtful(); !doubtful.empty() && !blew_up())
    hold_back_.find(world, impacts_, doubtful, look_ahead_.motion(world, solved(*set)), h, options_.gyroscopic);
  report_.seconds.bookkeeping += clock.lap();

  const Kick step{kick, drift_time, h, options_.gyroscopic};
  for (const BodyKindSteps* kind : body_kinds()) kind->move(world, builder_.space(), velocity_, step, energy, judge_);
  builder_.soft().keep_spin(world);
  drift_kinematic_bodies(world, drift_time);
  world.time += h;
  place_kinematic_bodies(world);
  hold_back_.apply(world);
  world.place_held_nodes();
  report_.seconds.integration += clock.lap();
  project(world);
  clock.lap();

  builder_.joints().finish(world, report_);
  AttachmentRows::finish(world, report_);
  energy.close(world.kinetic_energy(), world.potential_energy());
  report_.seconds.bookkeeping += clock.lap();
  return true;
}

/// Joints that could only be kept from getting worse come back to their places, and whatever the options ask for.
void ImpulseIntegrator::project(World& world) {
  const bool recovers = overload_.affordable == 1;
  const bool left_open = last_care_ == JointCare::braked || (recovers ? builder_.joints().fades() : builder_.averages_arms());
  if (!options_.projection.enabled && !left_open) return;
  Clock clock;
  const double before = world.potential_energy();
  StepOptions thorough;
  if (!options_.projection.enabled) {
    thorough = options_;
    thorough.projection = {.max_rounds = kRoundsToClose, .fraction = 1};
  }
  const StepOptions& how = options_.projection.enabled ? options_ : thorough;
  const double left = projection_.project(world, projection_detection_, how);
  if (left_open && left > kClosed * smallest_row_length(world)) projection_.project(world, projection_detection_, how, true);
  report_.energy.stabilisation += world.potential_energy() - before;
  report_.seconds.projection += clock.lap();
}

/// What is told of a step as a whole.
void ImpulseIntegrator::finish(World& world) {
  Clock clock;
  builder_.soft().remember(world);
  report_.factorisations = builder_.soft().factorisations();
  report_.sleeping_bodies = whole_.sleep.enabled ? sleep_.update(world, report_.contacts, whole_) : 0;
  const SolveReport& solve = *report_.solve;
  report_.outcome = {solve.status, solve.reason, solve.iterations, solve.residual.total(), report_.outcome.tolerance, "m/s"};
  report_.tell_of(world, whole_.h);
  judge_.finish(world, report_);
  report_.seconds.bookkeeping += clock.lap();
}

std::unique_ptr<Integrator> make_impulse_integrator(const StepOptions& options) {
  return std::make_unique<ImpulseIntegrator>(options);
}

}   // namespace stickslip
