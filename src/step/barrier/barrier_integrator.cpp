// Contact as a potential that is infinite where surfaces touch: a step minimises it with inertia and elasticity, along paths on
// which nothing is passed, so that no step ends with an intersection [Li et al. 2020; course §5.3].

#include <utility>

#include "step/barrier/barrier_system.h"
#include "step/body_kinds.h"
#include "step/clock.h"
#include "step/free_motion.h"
#include "step/motion_judge.h"
#include "step/projection.h"
#include "step/refusals.h"
#include "step/soft/attachment_rows.h"
#include "stickslip/step/barrier_observer.h"

namespace stickslip {

class BarrierIntegrator final : public Integrator {
 public:
  using Observer = std::function<void(const BarrierIteration&)>;
  explicit BarrierIntegrator(const StepOptions& options, Observer observer = {})
      : options_(options), observer_(std::move(observer)) {}

  const StepReport& step(World&) override;

 private:
  void begin(World&);
  void make_room(World&);
  void solve(const World&);
  void tell(const World&, int round, bool coupled, const MinimiseStep&);
  void finish(World&);

  StepOptions options_;
  Observer observer_;
  BarrierSystem system_;
  Minimiser minimiser_;
  PositionProjection apart_;
  Detection detection_;
  MotionJudge judge_;
  StepReport report_;
};

namespace {

constexpr int kBluntIterations = 4;      ///< with friction that is not yet as sharp as it is to be
constexpr double kBluntEnough = 0.05;    ///< of the first direction with such friction: sharper one will change more than that
constexpr int kPatience = 8;             ///< iterations in which the error has to come to half of what it was
constexpr double kNoWay = 1e-3;          ///< part of a direction that is as good as none
constexpr double kLeadsOn = 0.5;         ///< part of the first direction of the last minimum
constexpr double kProductError = 1e-4;   ///< of directions: less than an iteration leaves
constexpr double kLeastPart = 0.125;     ///< of directions where friction does not settle
constexpr int kStalledIterations = 15;   ///< with forces of friction that stay, where it did not

/// What is done where friction does not settle: first its planes are held, then minima with forces that stay are looked for, of
/// which every time there are twice as many, and more where each of them finds less to change than the last.
class FrictionPatience {
 public:
  void look(BarrierSystem& system) {
    if (since_best_ <= kPatience) return;
    ++stalls_;
    since_best_ = 0;
    best_ = std::numeric_limits<double>::infinity();
    holds_planes_ = !holds_planes_;
    if (holds_planes_) {
      system.hold_planes();
    } else {
      system.release_planes();
      end();
    }
  }
  /// Whether the next minimum is one with forces that stay.
  bool has_ended() const { return frozen_rounds_ > 0; }
  void add(const Minimum& minimum, bool coupled) {
    if (has_ended()) {
      best_ = std::numeric_limits<double>::infinity();
      if (!(minimum.first < kLeadsOn * last_first_)) --frozen_rounds_;   // as long as each finds less to change, they lead on
      last_first_ = minimum.first;
    }
    // A direction by a matrix that is not symmetric need not lead downhill.
    if (coupled && minimum.taken < kNoWay) end();
    since_best_ = !coupled || minimum.size < 0.5 * best_ ? 0 : since_best_ + 1;
    if (coupled) best_ = std::min(best_, minimum.size);
    if (minimum.free < 1) part_ = 1;
    else if (coupled && stalls_ > 0)
      part_ = minimum.size > last_ ? std::max(kLeastPart, 0.5 * part_) : std::min(1.0, 2 * part_);
    if (coupled) last_ = minimum.size;
  }
  /// Of directions that is gone: where nothing cuts them and they lead to and fro, less of them settles.
  double part() const { return part_; }

 private:
  void end() {
    frozen_rounds_ = std::exchange(next_rounds_, 2 * next_rounds_);
    last_first_ = 0;
  }

  double best_ = std::numeric_limits<double>::infinity();
  double last_first_ = 0;   ///< size of the first direction of the last such minimum
  int since_best_ = 0, frozen_rounds_ = 0, next_rounds_ = 1;
  int stalls_ = 0;
  double part_ = 1, last_ = 0;   ///< the second: size of the last direction
  bool holds_planes_ = false;
};

/// Says when ranges are longer for a while. Bodies that lie on each other and turn are on arcs: by a turn θ a gap changes by
/// θ²r/2 more than a direction foresees, which may be a thousand ranges; and contacts beyond the range are not foreseen at all.
/// So directions are cut to a hundredth, again and again, by the same pairs. With a longer range iterations go as much farther,
/// and from where they end the true range has only its gaps left to find, which takes no turns to speak of. But what is within
/// a longer range of each other goes equally far: large heaps then stop where any two of their bodies meet.
class RangeWatch {
 public:
  explicit RangeWatch(const StepOptions& options)
      : factor_(takes_hessian(options.barrier.method) ? std::min(kLonger, kLongest / options.barrier.range) : 1),
        last_(static_cast<int>(kInTime * options.max_iterations)) {}

  double factor() const { return factor_; }
  bool are_wide() const { return wide_; }
  /// Whether they become so now. @param iterations since the step began
  bool widens(int iterations, const BarrierSystem& system) {
    if (wide_ || !(factor_ > 1) || times_ >= kMostTimes || iterations >= last_ || cut_ < (times_ > 0 ? kCutAgain : kCut))
      return false;
    if (system.bodies() > kMostBodies) return false;
    ++times_;
    rounds_ = 0;
    return wide_ = true;
  }
  /// Whether they are as they are to be from now on.
  bool narrows(const Minimum& minimum) {
    if (minimum.free < kCutTo) cut_ += minimum.iterations;
    if (!wide_) return false;
    const bool is_cut = minimum.free <= kFree;
    if (is_cut && ++rounds_ < kWideRounds) return false;
    if (is_cut) times_ = kMostTimes;   // it does not help here
    cut_ = 0;
    wide_ = false;
    return true;
  }

 private:
  static constexpr double kLonger = 100;                   ///< factor of ranges
  static constexpr double kLongest = 0.1;                  ///< and what they have at most, of thicknesses
  static constexpr std::size_t kMostBodies = 100;          ///< that move: heaps of 500 take longer with it
  static constexpr double kCutTo = 0.1;                    ///< part of a direction that is free, below which it is cut
  static constexpr double kFree = 0.5;                     ///< and above which nothing is in the way
  static constexpr int kCut = 28, kCutAgain = 8;           ///< iterations that are cut before that, the first time and later
  static constexpr int kWideRounds = 10, kMostTimes = 4;   ///< of friction with them; times in a step
  static constexpr double kInTime = 0.7;   ///< of all iterations that a step has: later the rest would not suffice

  double factor_;
  int last_, cut_ = 0, times_ = 0, rounds_ = 0;
  bool wide_ = false;
};

}   // namespace

void BarrierIntegrator::begin(World& world) {
  for (const BodyKindSteps* kind : body_kinds()) kind->check(world);
  refuse_tangential_restitution(world, "barrier");
  for (Body& b : world.mutable_bodies()) b.asleep = false;
  judge_.begin(world, options_);
  report_.energy = {};
  report_.energy.kinetic_start = world.kinetic_energy();
  report_.energy.potential_start = world.potential_energy();
  aim_kinematic_bodies(world, options_.h);
  system_.begin(world, options_);
  make_room(world);
}

/// Scenes begin with bodies that touch, and end so where other integrators left them. They are moved apart by half the range.
void BarrierIntegrator::make_room(World& world) {
  if (!system_.needs_room(world)) return;
  apart_.separate(world, detection_, options_, 0.5 * options_.barrier.range);
  report_.energy.potential_start = world.potential_energy();
  system_.begin(world, options_);
  system_.check_start(world);
}

/// Friction takes its normal forces from where the last iterations led. At first a few of them share the same; once it is as
/// sharp as it is to be, every iteration has its own and knows how they depend on places. Where that leads nowhere, its planes
/// are held; where that does not help, a minimum with forces that stay is looked for, and then on from there; where that leads
/// back, twice as many such minima one after the other, each with the forces of the last [course §5.3.4].
void BarrierIntegrator::solve(const World& world) {
  const double fall = world.gravity.norm() * options_.h;
  StepOutcome& outcome = report_.outcome;
  outcome = {};
  outcome.tolerance = options_.tolerance * (fall > 0 ? fall : 1);
  MinimiseOptions how;
  how.method = options_.barrier.method;
  how.tolerance = outcome.tolerance;
  how.cancel = options_.cancel;
  how.product_error = kProductError;
  ProjectionRule rule;
  how.rule = &rule;
  FrictionPatience patience;
  RangeWatch ranges(options_);
  int round = 0;
  for (int lag = 0; lag < options_.barrier.max_lags && outcome.iterations < options_.max_iterations; ++lag) {
    patience.look(system_);
    if (ranges.widens(outcome.iterations, system_)) {
      system_.widen(world, ranges.factor());
      round = 0;
    }
    const bool stalled = patience.has_ended() && !ranges.are_wide();
    const bool sharp = system_.lag_friction(world, round++, stalled) && !ranges.are_wide();
    how.coupled = takes_hessian(how.method) && sharp && system_.rubs() && !stalled;
    int most = options_.max_iterations - outcome.iterations;
    if (how.coupled) most = 1;
    else if (!sharp && takes_hessian(how.method)) most = std::min(most, kBluntIterations);
    else if (stalled) most = std::min(most, kStalledIterations);
    how.max_iterations = most;
    how.part = patience.part();
    if (observer_) how.observer = [&](const MinimiseStep& s) { tell(world, lag, how.coupled, s); };
    how.enough = sharp || !takes_hessian(how.method) ? 0 : kBluntEnough;
    const Minimum minimum = minimiser_.minimise(system_, how);
    end_if_cancelled(options_.cancel);
    outcome.iterations += minimum.iterations;
    if (ranges.narrows(minimum)) system_.narrow(ranges.factor());
    outcome.error = minimum.size;
    // A minimum with the friction that it has itself: found with it coupled, or again at the first look.
    const bool settled = minimum.converged && sharp && (how.coupled || minimum.iterations == 1 || !system_.rubs());
    outcome.status = settled ? SolveStatus::converged : SolveStatus::iteration_limit;
    if (settled) break;
    patience.add(minimum, how.coupled);
  }
  if (ranges.are_wide()) system_.narrow(ranges.factor());
  if (!system_.intersections(world).empty()) {   // paths should not have led here
    outcome.status = SolveStatus::failed;
    outcome.reason = "The step ended with an intersection.";
  } else if (outcome.status != SolveStatus::converged) {
    outcome.reason = "Friction or the minimisation did not settle; the step is free of intersections all the same.";
  }
}

void BarrierIntegrator::tell(const World& world, int round, bool coupled, const MinimiseStep& s) {
  observer_({static_cast<long>(world.step_count), round, report_.outcome.iterations + s.iteration, s.value, s.gradient, s.size,
             s.free, s.taken, coupled, system_.pairs().size()});
}

const StepReport& BarrierIntegrator::step(World& world) {
  Clock clock;
  report_.seconds = {};
  begin(world);
  const double searched = system_.search_seconds;
  report_.seconds.assembly = std::max(0.0, clock.lap() - searched);
  solve(world);
  report_.seconds.broad = system_.search_seconds;
  report_.seconds.narrow = system_.ccd_seconds;
  report_.seconds.solve = std::max(0.0, clock.lap() - (system_.search_seconds - searched) - system_.ccd_seconds);
  system_.record(world, report_);
  system_.write(world, report_.energy, report_.outcome.status == SolveStatus::converged);
  world.time += options_.h;
  ++world.step_count;
  finish(world);
  report_.seconds.bookkeeping = clock.lap();
  return report_;
}

void BarrierIntegrator::finish(World& world) {
  report_.tell_of(world, options_.h);
  report_.force_time = options_.h;
  report_.penetration_max = 0;
  for (std::uint32_t i = 0; i < world.bodies().size(); ++i) {
    const Body& b = world.bodies()[i];
    if (!b.alive || b.motion != MotionType::dynamic) continue;
    judge_.see_fall(world, b.mass.mass, b.velocity, options_.h);
    if (b.is_rigid()) judge_.see_spin(world, i, b.angular_velocity.norm(), options_.h);
  }
  JointRows{}.finish(world, report_);
  AttachmentRows::finish(world, report_);
  break_joints(world, report_);
  report_.energy.close(world.kinetic_energy(), world.potential_energy());
  judge_.finish(world, report_);
}

std::unique_ptr<Integrator> make_barrier_integrator(const StepOptions& options) {
  return std::make_unique<BarrierIntegrator>(options);
}

std::unique_ptr<Integrator> make_observed_barrier(const StepOptions& options,
                                                  std::function<void(const BarrierIteration&)> observer) {
  return std::make_unique<BarrierIntegrator>(options, std::move(observer));
}

}   // namespace stickslip
