#include "step/projection.h"

#include <limits>

#include "step/body_kinds.h"
#include "step/sizes.h"
#include "step/volumes.h"
#include "stickslip/solve/automatic/automatic.h"
#include "stickslip/solve/prox/prox_gauss_seidel.h"

namespace stickslip {

namespace {

constexpr int kRoundsApart = 10, kSweepsApart = 1000;   ///< in which bodies are moved apart
constexpr double kNegligible = 1e-10;                   ///< error of joints, relative to the size of the bodies

double largest_row_length(const World& world) {
  double largest = 0;
  for (const NodalBody& nodes : world.nodal_bodies())
    if (!nodes.attached.empty())
      largest = std::max(largest, world.colliders()[world.bodies()[nodes.body].colliders.front()].characteristic_length);
  for (const Joint& j : world.joints())
    if (j.acts()) largest = std::max(largest, j.row_length);
  return largest;
}

}   // namespace

double PositionProjection::project(World& world, Detection& detection, const StepOptions& options, bool evenly) {
  StageTimes unused;
  const bool joined = world.joint_count() > 0 || world.has_attachments();
  double error_before = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= options.projection.max_rounds; ++round) {
    if (round == options.projection.max_rounds && !joined) break;
    const DetectionReach reach{0, 0, 2 * clearance_, ContactForm::points, 0};
    const ContactSet& set = detection.detect(world, clearance_ > 0 ? reach : DetectionReach{}, options.threads, unused);
    give_segments(world, options, evenly);
    double deepest = 0;
    if (joined) {
      const double error =
          std::max(joints_.collect_errors({world, options, 0, space_.segments(), {}, {}}, options.projection.fraction),
                   attachments_.collect_errors({world, options, space_}, options.projection.fraction));
      // Bars that are almost in one line meet only if they turn far: a linear step can make that worse.
      if (error > error_before) {
        restore(world);
        break;
      }
      error_before = error;
      if (round == options.projection.max_rounds) break;
      keep(world);
      if (error > kNegligible * largest_row_length(world)) deepest = error;
      write_joints(world, options);
    }
    deepest = std::max(deepest, write_contacts(world, set, options));
    if (!(deepest > 0)) break;
    displace(world, deepest, options);
  }
  return joined ? error_before : 0;
}

void PositionProjection::separate(World& world, Detection& detection, const StepOptions& options, double part) {
  StepOptions thorough = options;
  thorough.projection = {.enabled = true, .max_rounds = kRoundsApart, .iterations = kSweepsApart, .fraction = 1};
  clearance_ = part;
  project(world, detection, thorough);
  clearance_ = 0;
}

void PositionProjection::keep(const World& world) {
  places_.clear();
  for (std::uint32_t i = 0; i < world.mover_count(); ++i) places_.push_back(motion_of(world, i).pose);
}

void PositionProjection::restore(World& world) const {
  auto place = places_.begin();
  for (Body& b : world.mutable_bodies()) {
    b.position = place->position;
    b.orientation = place++->orientation;
  }
  for (NodalBody& nodes : world.mutable_nodal_bodies())
    for (Vec3& x : nodes.positions) x = place++->position;
}

void PositionProjection::give_segments(const World& world, const StepOptions& options, bool evenly) {
  problem_.clear();
  space_.begin(world);
  for (const BodyKindSteps* kind : body_kinds()) kind->append(world, options, 0, space_, problem_, nullptr);
  if (!evenly) return;
  for (VelocitySegment& segment : problem_.segments) {
    const double weight = 1 / segment.inverse_mass;
    segment.inverse_mass *= weight;
    segment.inverse_inertia *= weight;
  }
}

void PositionProjection::write_joints(const World& world, const StepOptions& options) {
  const AttachmentRows::Start after_joints{joints_.block_count(), joints_.row_count(), joints_.jacobian_size()};
  const AttachmentRows::Start all = attachments_.end(after_joints);
  problem_.blocks.resize(all.block);
  problem_.laws.resize(all.block);
  problem_.b.resize(all.row);
  problem_.sigma.resize(all.row);
  if (joints_.has_boxes()) {
    problem_.lower.resize(all.row);
    problem_.upper.resize(all.row);
  }
  problem_.jacobian_values.resize(all.jacobian);
  joints_.write(problem_);
  attachments_.write({world, options, space_}, problem_, after_joints);
}

/// @returns the largest depth [m]
double PositionProjection::write_contacts(const World& world, const ContactSet& set, const StepOptions& options) {
  double deepest = 0;
  for (const Manifold& m : set.manifolds) {
    // Within the band bodies touch, and stay where they are.
    const double thickness = thinner(world.colliders()[m.a], world.colliders()[m.b]);
    const double band = clearance_ > 0 ? 0 : options.contact_band * thickness;
    const double target =
        clearance_ > 0 ? -clearance_ * thickness : target_overlap(world, m.a, m.b, options.contact, options.overlap);
    for (const ContactPoint& point : set.points_of(m)) {
      const double gap = point.gap + target;
      const double beyond = std::abs(gap) <= band ? 0 : gap < 0 ? gap + band : gap;
      const bool moves = write_contact(world, m, point, beyond < 0 ? options.projection.fraction * beyond : beyond);
      if (moves) deepest = std::max(deepest, -beyond);
    }
  }
  if (!problem_.lower.empty()) {   // of contacts, which have no bounds to be read
    problem_.lower.resize(problem_.rows());
    problem_.upper.resize(problem_.rows());
  }
  return deepest;
}

/// A row along the normal. @param distance that may go [m] @returns whether something can move
bool PositionProjection::write_contact(const World& world, const Manifold& m, const ContactPoint& point, double distance) {
  Block block;
  block.dim = 1;
  block.row = static_cast<std::uint32_t>(problem_.b.size());
  block.jacobian = static_cast<std::uint32_t>(problem_.jacobian_values.size());
  Mat3 frame = Mat3::Zero();
  frame.col(0) = point.normal;
  segments_.clear();
  for (const auto& [collider, part, sign] : {std::tuple(m.a, m.parts >> 32, -1.0), std::tuple(m.b, m.parts & 0xffffffffu, 1.0)})
    for (const Stencil::Entry& entry :
         stencil(world, world.colliders()[collider], static_cast<std::uint32_t>(part), point.position)) {
      const std::uint32_t segment = space_.segment_of(entry.mover);
      if (segment == kNoSegment) continue;
      const int size = space_.size_of(segment);
      const std::size_t at = problem_.jacobian_values.size();
      problem_.jacobian_values.resize(at + size);
      write_columns(size, sign * entry.weight, space_.center(segment), point.position, frame, 1,
                    problem_.jacobian_values.data() + at);
      segments_.push_back(segment);
    }
  if (segments_.empty()) return false;
  problem_.set_segments(block, segments_);
  problem_.b.push_back(distance);
  problem_.sigma.push_back(0);
  problem_.laws.emplace_back(CircularFriction{0});
  problem_.blocks.push_back(block);
  return true;
}

void PositionProjection::displace(World& world, double deepest, const StepOptions& options) {
  problem_.finalize();
  displacement_.assign(problem_.rows(), 0.0);
  SolveControl control;
  control.tolerance = 1e-3 * deepest;
  control.max_iterations = options.projection.iterations;
  control.natural_map = false;
  // Long chains take too many sweeps.
  if (world.joint_count() > 0 || !attachments_.empty()) AutomaticSolver({}).solve(problem_, displacement_, workspace_, control);
  else ProxGaussSeidel({}).solve(problem_, displacement_, workspace_, control);
  q_change_.assign(problem_.velocity_size(), 0.0);
  problem_.add_velocity_change(displacement_, q_change_);
  for (const BodyKindSteps* kind : body_kinds()) kind->displace(world, space_, q_change_);
}

}   // namespace stickslip
