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
constexpr int kStalledIterations = 15;   ///< with forces of friction that stay, where it did not

/// What is done where friction does not settle: first its planes are held, then minima with forces that stay are looked for, of
/// which every time there are twice as many, and more where each of them finds less to change than the last.
class FrictionPatience {
 public:
  void look(BarrierSystem& system) {
    if (since_best_ <= kPatience) return;
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
  }

 private:
  void end() {
    frozen_rounds_ = std::exchange(next_rounds_, 2 * next_rounds_);
    last_first_ = 0;
  }

  double best_ = std::numeric_limits<double>::infinity();
  double last_first_ = 0;   ///< size of the first direction of the last such minimum
  int since_best_ = 0, frozen_rounds_ = 0, next_rounds_ = 1;
  bool holds_planes_ = false;
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
  for (int lag = 0; lag < options_.barrier.max_lags && outcome.iterations < options_.max_iterations; ++lag) {
    patience.look(system_);
    const bool stalled = patience.has_ended(), sharp = system_.lag_friction(world, lag, stalled);
    how.coupled = takes_hessian(how.method) && sharp && system_.rubs() && !stalled;
    int most = options_.max_iterations - outcome.iterations;
    if (how.coupled) most = 1;
    else if (!sharp && takes_hessian(how.method)) most = std::min(most, kBluntIterations);
    else if (stalled) most = std::min(most, kStalledIterations);
    how.max_iterations = most;
    if (observer_) how.observer = [&](const MinimiseStep& s) { tell(world, lag, how.coupled, s); };
    how.enough = sharp || !takes_hessian(how.method) ? 0 : kBluntEnough;
    const Minimum minimum = minimiser_.minimise(system_, how);
    end_if_cancelled(options_.cancel);
    outcome.iterations += minimum.iterations;
    outcome.error = minimum.size;
    // A minimum with the friction that it has itself: found with it coupled, or again at the first look.
    const bool settled = minimum.converged && sharp && (how.coupled || minimum.iterations == 1 || !system_.rubs());
    outcome.status = settled ? SolveStatus::converged : SolveStatus::iteration_limit;
    if (settled) break;
    patience.add(minimum, how.coupled);
  }
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
