#include "step/projection.h"

#include <limits>

#include "step/builder.h"
#include "step/sizes.h"
#include "stickslip/solve/automatic/automatic.h"
#include "stickslip/solve/prox/prox_gauss_seidel.h"

namespace stickslip {

namespace {

constexpr double kNegligible = 1e-10;   ///< error of joints, relative to the size of the bodies

double largest_row_length(const World& world) {
  double largest = 0;
  for (const Joint& j : world.joints())
    if (j.acts()) largest = std::max(largest, j.row_length);
  return largest;
}

}  // namespace

void PositionProjection::keep(const World& world) {
  poses_.clear();
  for (const Body& b : world.bodies()) poses_.push_back({b.position, b.orientation});
}

void PositionProjection::restore(World& world) const {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    world.mutable_bodies()[i].position = poses_[i].position;
    world.mutable_bodies()[i].orientation = poses_[i].orientation;
  }
}

double PositionProjection::project(World& world, Detection& detection, const StepOptions& options, bool evenly) {
  const ProxGaussSeidel sweeps({});
  const AutomaticSolver direct({});
  StageTimes unused;
  auto& bodies = world.mutable_bodies();
  double error_before = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= options.projection.max_rounds; ++round) {
    if (round == options.projection.max_rounds && world.joint_count() == 0) break;
    const ContactSet& set = detection.detect(world, {}, options.threads, unused);
    problem_.clear();
    segment_of_body_.assign(bodies.size(), kNoSegment);
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      if (!bodies[i].alive || !bodies[i].moves_by_forces()) continue;
      segment_of_body_[i] = static_cast<std::uint32_t>(problem_.segments.size());
      const double weight = evenly ? 1 / bodies[i].inverse_mass : 1;
      problem_.segments.push_back({weight * bodies[i].inverse_mass, weight * bodies[i].world_inverse_inertia()});
    }
    double deepest = 0;
    if (world.joint_count() > 0) {
      const double error = joints_.collect_errors({world, options, 0, segment_of_body_, {}, {}}, options.projection.fraction);
      // Bars that are almost in one line meet only if they turn far: a linear step can make that worse.
      if (error > error_before) {
        restore(world);
        break;
      }
      error_before = error;
      if (round == options.projection.max_rounds) break;
      keep(world);
      if (error > kNegligible * largest_row_length(world)) deepest = error;
      problem_.blocks.resize(joints_.block_count());
      problem_.laws.resize(joints_.block_count());
      problem_.b.resize(joints_.row_count());
      problem_.sigma.resize(joints_.row_count());
      if (joints_.has_boxes()) {
        problem_.lower.resize(joints_.row_count());
        problem_.upper.resize(joints_.row_count());
      }
      problem_.jacobian_values.resize(joints_.jacobian_size());
      joints_.write(problem_);
    }
    for (const Manifold& m : set.manifolds)
      for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
        const ContactPoint& point = set.points[i];
        Block block;
        block.dim = 1;
        block.row = static_cast<std::uint32_t>(problem_.b.size());
        block.jacobian = static_cast<std::uint32_t>(problem_.jacobian_values.size());
        block.arity = 0;
        Mat3 frame = Mat3::Zero();
        frame.col(0) = point.normal;
        for (const auto& [collider, sign] : {std::pair(m.a, -1.0), std::pair(m.b, 1.0)}) {
          const std::uint32_t slot = world.colliders()[collider].body;
          if (segment_of_body_[slot] == kNoSegment) continue;
          const std::size_t at = problem_.jacobian_values.size();
          problem_.jacobian_values.resize(at + 6);
          write_contact_jacobian(bodies[slot].position, point.position, frame, 1, sign, problem_.jacobian_values.data() + at);
          block.segment[block.arity++] = segment_of_body_[slot];
        }
        if (block.arity == 0) {
          problem_.jacobian_values.resize(block.jacobian);
          continue;
        }
        // Within the band bodies touch, and stay where they are.
        const double band = options.contact_band * thinner(world.colliders()[m.a], world.colliders()[m.b]);
        const double beyond = std::abs(point.gap) <= band ? 0 : point.gap < 0 ? point.gap + band : point.gap;
        deepest = std::max(deepest, -beyond);
        problem_.b.push_back(beyond < 0 ? options.projection.fraction * beyond : beyond);
        problem_.sigma.push_back(0);
        problem_.laws.emplace_back(CircularFriction{0});
        problem_.blocks.push_back(block);
      }
    if (!(deepest > 0)) break;
    if (!problem_.lower.empty()) {   // of contacts, which have no bounds to be read
      problem_.lower.resize(problem_.rows());
      problem_.upper.resize(problem_.rows());
    }
    problem_.finalize();
    displacement_.assign(problem_.rows(), 0.0);
    SolveControl control;
    control.tolerance = 1e-3 * deepest;
    control.max_iterations = options.projection.iterations;
    control.natural_map = false;
    // Long chains take too many sweeps.
    if (world.joint_count() > 0) direct.solve(problem_, displacement_, workspace_, control);
    else sweeps.solve(problem_, displacement_, workspace_, control);
    q_change_.assign(6 * problem_.segments.size(), 0.0);
    problem_.add_velocity_change(displacement_, q_change_);
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      if (segment_of_body_[i] == kNoSegment) continue;
      const double* dq = q_change_.data() + 6 * segment_of_body_[i];
      const Eigen::Map<const Vec3> turn(dq + 3);
      bodies[i].position += Eigen::Map<const Vec3>(dq);
      if (!turn.isZero(0)) bodies[i].orientation = (rotation_from_vector(turn) * bodies[i].orientation).normalized();
    }
  }
  return world.joint_count() > 0 ? error_before : 0;
}

}  // namespace stickslip
