#include "step/joints/joint_closing.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/small_matrices.h"
#include "step/free_motion.h"
#include "step/joints/arm_stiffness.h"

namespace stickslip {

namespace {

constexpr double kTrembles = 8;        ///< (ω h)² from which on there is friction
constexpr double kFullFriction = 32;   ///< (ω h)² from which on there is all of it
constexpr double kFriction = 0.25;     ///< ε
constexpr double kCollinear = 0.02;    ///< part of Σ r rᵀ along its second axis below which all arms lie on a line
constexpr int kWeighings = 3;          ///< after which A of the matrix only grows within a step
constexpr double kMoved = 0.2;         ///< part of its inertia by which A of a body may be off before the matrix is made anew

/// Whether a joint holds two bodies together in a point about which they can turn.
bool holds_a_point(const Joint& joint) {
  const JointDescription& d = joint.description;
  if (!joint.acts() || d.type == JointType::gear || d.type == JointType::distance) return false;
  const auto locked = [&](std::size_t k) { return d.axes[k].locked && d.axes[k + 1].locked && d.axes[k + 2].locked; };
  return locked(joint_x) && !locked(joint_turn_x);
}

}   // namespace

void JointClosing::find_ends(const Setting& s, std::span<const double> velocity) {
  const auto bodies = s.world.bodies();
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    const Body& b = bodies[i];
    const std::uint32_t segment = s.segment_of_body[i];
    if (segment != kNoSegment) {
      ends_[i] = drifted(b, {linear_part(velocity, segment), angular_part(velocity, segment)}, s.options.gyroscopic, h_).pose;
    } else {
      ends_[i] = {b.position, b.orientation};
      if (!b.alive || b.motion != MotionType::kinematic) continue;
      ends_[i] = drifted(b, {b.velocity, b.angular_velocity}, Gyroscopic::none, h_).pose;
    }
  }
}

void JointClosing::begin(const Setting& s, JointCare care, std::span<VelocitySegment> segments, std::span<double> free) {
  care_ = care;
  h_ = s.options.h;
  held_.clear();
  loaded_.clear();
  loads_.assign(segments.size(), {});
  mixing_.forget();
  averages_ = moved_ = false;
  weighed_ = 0;
  if (s.world.joint_count() == 0) return;
  ends_.resize(s.world.bodies().size());
  forces_.assign(s.world.joints().size(), Vec3::Zero());
  find_ends(s, s.before);
  if (!s.options.geometric_stiffness) return;
  for (std::uint32_t slot = 0; slot < s.world.joints().size(); ++slot)
    if (holds_a_point(s.world.joints()[slot])) hold(s, slot, free);
  connect(s);
  weigh(s);
  find_couples(s.before);
  find_lags(s.before);
  added_before_.assign(segments.size(), Mat3::Zero());
  for (const std::uint32_t segment : loaded_) {
    Load& load = loads_[segment];
    added_before_[segment] = load.added;
    if (!averages_) {
      load.lag.setZero();
      continue;
    }
    if (care_ == JointCare::braked) load.lag = -load.added * load.spin;
    segments[segment].inverse_inertia = inverse_inertia(load);
    mutable_angular_part(free, segment) = load.spin + segments[segment].inverse_inertia * load.lag;
  }
}

/// Where a joint holds its bodies, now and a step ago. Bodies that forces do not move stay or follow their scripts.
void JointClosing::hold(const Setting& s, std::uint32_t slot, std::span<const double> free) {
  const Joint& joint = s.world.joints()[slot];
  const JointDescription& d = joint.description;
  Held held;
  held.joint = slot;
  for (const auto& [side, id, frame] : {std::tuple(0, d.a, &d.frame_a), std::tuple(1, d.b, &d.frame_b)}) {
    held.body[side] = id == BodyId{} ? ~0u : id.index;
    held.segment[side] = id == BodyId{} ? kNoSegment : s.segment_of_body[id.index];
    held.local[side] = held.here[side] = held.back[side] = frame->position;
    if (id == BodyId{}) continue;
    const Body& b = s.world.bodies()[id.index];
    held.follows = held.follows && h_ * b.angular_velocity.norm() < 1;
    held.local[side] -= b.mass.center;
    held.here[side] = held.back[side] = Pose{b.position, b.orientation} * held.local[side];
    const bool scripted = b.motion == MotionType::kinematic;
    if (held.segment[side] == kNoSegment && !scripted) continue;
    const Gyroscopic gyroscopic = scripted ? Gyroscopic::none : s.options.gyroscopic;
    held.back[side] = drifted(b, {b.velocity, b.angular_velocity}, gyroscopic, -h_).pose * held.local[side];
  }
  if (held.segment[0] == kNoSegment && held.segment[1] == kNoSegment) return;
  for (const int side : {0, 1}) {
    held.arm[side].setZero();
    if (held.body[side] == ~0u) continue;
    const Body& b = s.world.bodies()[held.body[side]];
    held.arm[side] = held.here[1] - b.position;
    if (held.segment[side] == kNoSegment) continue;
    Load& load = loads_[held.segment[side]];
    load.arms += held.arm[side] * held.arm[side].transpose();
    if (load.loaded) continue;
    load.loaded = true;
    load.inertia = b.world_inertia();
    load.spin = angular_part(free, held.segment[side]);
    loaded_.push_back(held.segment[side]);
  }
  held.impulse = h_ * joint.memory.force;
  held.last = held.impulse.norm();
  held_.push_back(held);
}

/// Adds a part of K h² of joints to their bodies.
void JointClosing::add_stiffness(double part, bool of_all) {
  for (const std::uint32_t segment : loaded_) loads_[segment].added.setZero();
  for (const Held& held : held_)
    for (const int side : {0, 1}) {
      if (held.segment[side] == kNoSegment || !(held.averaged || of_all)) continue;
      loads_[held.segment[side]].added += turning_stiffness(part * h_, held.arm[side], held.impulse_on(side));
    }
}

/// Which arms are averaged and which joints are rubbed, for the impulses as they are.
void JointClosing::choose(const Setting& s) {
  add_stiffness(1, true);
  averages_ = false;
  for (Held& held : held_) {
    double fastest = 0;
    for (const int side : {0, 1}) {
      if (held.segment[side] == kNoSegment) continue;
      const Load& load = loads_[held.segment[side]];
      const Vec3& moments = s.world.bodies()[held.body[side]].principal_moments;
      fastest = std::max(fastest, fastest_turning(load.added, load.inertia, moments));
    }
    held.averaged = held.follows && fastest > kStiffArms;
    averages_ = averages_ || held.averaged;
    held.friction = 0;
    if (!held.averaged || held.segment[0] == kNoSegment || held.segment[1] == kNoSegment) continue;
    const double part = kFriction * std::clamp((fastest - kTrembles) / (kFullFriction - kTrembles), 0.0, 1.0);
    const double force = std::min(held.impulse.norm(), held.last);   // a snap, which is over within a step, is not damped away
    const double a = held.arm[0].norm(), b = held.arm[1].norm();
    if (a + b > 0) held.friction = part * h_ * force * a * b / (a + b);
  }
}

/// What averaged arms and friction add to the inertias.
void JointClosing::weigh(const Setting& s) {
  choose(s);
  add_stiffness(0.5, false);
  if (!averages_) return;
  for (const std::uint32_t segment : loaded_) {
    Load& load = loads_[segment];
    if (load.added.isZero(0)) continue;
    // Turning about a line through all joints changes nothing, although a force across that line makes K of such a body
    // look otherwise where it is made symmetric.
    const Eigen::SelfAdjointEigenSolver<Mat3> lines(load.arms);
    const Vec3 line = lines.eigenvectors().col(2);
    const Mat3 across = Mat3::Identity() - line * line.transpose();
    if (lines.eigenvalues()[1] < kCollinear * lines.eigenvalues()[2]) load.added = across * load.added * across;
    load.added = positive_part(load.added);
  }
  for (const Held& held : held_) {
    if (!(held.friction > 0)) continue;
    const Vec3 along = held.impulse.normalized();
    const Mat3 across = held.friction * (Mat3::Identity() - along * along.transpose());
    for (const int side : {0, 1}) loads_[held.segment[side]].added += across;
  }
}

/// What joints do beside their rows, for a velocity that leads to the ends.
void JointClosing::find_couples(std::span<const double> velocity) {
  for (Held& held : held_) {
    held.couple.setZero();
    if (!held.averaged) continue;
    Vec3 shift = Vec3::Zero();
    for (const int side : {0, 1}) {
      const Vec3 there = held.body[side] == ~0u ? held.here[side] : ends_[held.body[side]] * held.local[side];
      const Vec3 mean = 0.5 * (there - 2 * held.here[side] + held.back[side]);
      // What forces do not move knows best.
      if (held.segment[side] == kNoSegment) {
        shift = mean;
        break;
      }
      shift += 0.5 * mean;
    }
    held.couple = shift.cross(held.impulse);
    if (!(held.friction > 0)) continue;
    const Vec3 relative = angular_part(velocity, held.segment[1]) - angular_part(velocity, held.segment[0]);
    const Vec3 along = held.impulse.normalized();
    held.couple -= held.friction * (relative - along.dot(relative) * along);
  }
}

void JointClosing::find_lags(std::span<const double> velocity) {
  for (const std::uint32_t segment : loaded_) {
    Load& load = loads_[segment];
    load.lag = load.added * (angular_part(velocity, segment) - load.spin);
  }
  for (const Held& held : held_)
    for (const int side : {0, 1})
      if (held.segment[side] != kNoSegment) loads_[held.segment[side]].lag += side == 0 ? Vec3(-held.couple) : held.couple;
}

bool JointClosing::inertias_moved() const {
  return std::any_of(loaded_.begin(), loaded_.end(), [&](std::uint32_t segment) {
    const Load& load = loads_[segment];
    const Mat3& before = added_before_[segment];
    // One that swings to and fro must come to an end: a matrix that is too heavy only takes longer.
    const double change = (load.added - before).trace();
    return (weighed_ < kWeighings ? std::abs(change) : change) > kMoved * (load.inertia + before).trace();
  });
}

/// κ and the free spins that lags make, as lengths in units of the size of joints and bodies.
void JointClosing::pack(std::span<const double> kappa, std::vector<double>& x) const {
  x.clear();
  for (std::size_t i = 0; i < kappa.size(); ++i) x.push_back(h_ * kappa[i] / sizes_[i]);
  for (const std::uint32_t segment : loaded_) {
    const Load& load = loads_[segment];
    const Vec3 turn = averages_ ? Vec3(h_ * (inverse_inertia(load) * load.lag)) : Vec3::Zero();
    x.insert(x.end(), turn.data(), turn.data() + 3);
  }
}

/// Weighs the joints anew where the impulses ask for another matrix.
void JointClosing::weigh_again(const Setting& s) {
  for (const std::uint32_t segment : loaded_) added_before_[segment] = loads_[segment].added;
  kept_ = held_;
  const bool averaged = averages_;
  weigh(s);
  moved_ = inertias_moved();
  if (moved_) {
    ++weighed_;
    mixing_.forget();
    return;
  }
  averages_ = averaged;
  held_.swap(kept_);
  for (const std::uint32_t segment : loaded_) loads_[segment].added = added_before_[segment];
}

double JointClosing::look(const Setting& s, const JointRows::Setting& rows_setting, JointRows& rows,
                          std::span<const double> impulses, std::span<const double> velocity) {
  sizes_.resize(rows.row_count());
  for (std::size_t i = 0; i < sizes_.size(); ++i) sizes_[i] = rows.size_of(s.world, i);
  rows.get_turning(kappa_);
  pack(kappa_, used_);
  find_ends(s, velocity);
  rows.find_turning(rows_setting, ends_, velocity, kappa_);
  rows.sum_forces(impulses, forces_);
  for (Held& held : held_) held.impulse = forces_[held.joint];
  weigh_again(s);
  find_couples(velocity);
  find_lags(velocity);
  pack(kappa_, found_);
  double worst = moved_ ? 1 : 0;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const double change = std::abs(found_[i] - used_[i]);
    if (!std::isfinite(change)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, change);
  }
  return worst;
}

bool JointClosing::correct(JointRows& rows, ContactProblem& p, std::span<double> free) {
  if (!moved_) mixing_.mix(used_, found_);
  for (std::size_t i = 0; i < kappa_.size(); ++i) kappa_[i] = found_[i] * sizes_[i] / h_;
  rows.set_turning(p, kappa_);
  change_.assign(free.size(), 0.0);
  std::size_t at = kappa_.size();
  for (const std::uint32_t segment : loaded_) {
    Load& load = loads_[segment];
    const Vec3 turn = Eigen::Map<const Vec3>(found_.data() + at) / h_;
    at += 3;
    load.lag = (load.inertia + load.added) * turn;
    if (moved_) p.segments[segment].inverse_inertia = inverse_inertia(load);
    Eigen::Map<Vec3> spin = mutable_angular_part(free, segment);
    mutable_angular_part(change_, segment) = load.spin + turn - spin;
    spin = load.spin + turn;
  }
  for (const Block& block : p.blocks) add_turns(p, block);
  return moved_;
}

/// The change of spins, in what the rows of a block ask for.
void JointClosing::add_turns(ContactProblem& p, const Block& block) const {
  const double* row = p.jacobian_values.data() + block.jacobian;
  for (const std::uint32_t segment : p.segments_of(block)) {
    const std::uint32_t size = p.segments[segment].size;
    const bool turns = p.segments[segment].is_rigid();
    for (std::uint32_t k = 0; k < block.dim; ++k, row += size)
      for (std::uint32_t c = 3; c < kRigidSize && turns; ++c) p.b[block.row + k] += row[c] * rigid_part(change_, segment)[c];
  }
}

/// What the last solve did to a body beside the rows of its joints [N m s].
Vec3 JointClosing::couple_used(std::uint32_t segment, std::span<const double> free, std::span<const double> velocity) const {
  const Load& load = loads_[segment];
  const Eigen::Map<const Vec3> free_spin = angular_part(free, segment), spin = angular_part(velocity, segment);
  return (load.inertia + load.added) * (free_spin - load.spin) - load.added * (spin - load.spin);
}

double JointClosing::work(std::span<const double> before, std::span<const double> free,
                          std::span<const double> velocity) const {
  double sum = 0;
  if (!averages_) return sum;
  for (const std::uint32_t segment : loaded_) {
    sum += 0.5 * couple_used(segment, free, velocity).dot(angular_part(before, segment) + angular_part(velocity, segment));
  }
  return sum;
}

void JointClosing::balance(const World& world, std::span<const std::uint32_t> segment_of_body, std::span<const double> free,
                           std::span<double> velocity) {
  if (!averages_) return;
  floats_.assign(loads_.size(), {});
  for (const std::uint32_t segment : loaded_) floats_[root(segment)].couple += couple_used(segment, free, velocity);
  const auto bodies = world.bodies();
  const auto for_each = [&](auto&& f) {
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      const std::uint32_t segment = segment_of_body[i];
      if (segment == kNoSegment || anchored_[root(segment)]) continue;
      if (Float& all = floats_[root(segment)]; !all.couple.isZero(0)) f(bodies[i], velocity.data() + kRigidSize * segment, all);
    }
  };
  for_each([](const Body& b, const double*, Float& all) {
    all.mass += b.mass.mass;
    all.center += b.mass.mass * b.position;
  });
  for_each([](const Body& b, const double*, Float& all) {
    const Vec3 arm = b.position - all.center / all.mass;
    all.inertia += b.world_inertia() + b.mass.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  });
  for_each([](const Body& b, double* u, Float& all) {
    const Vec3 turn = -solve_linear(all.inertia, all.couple);
    Eigen::Map<Vec3>{u} += turn.cross(b.position - all.center / all.mass);
    Eigen::Map<Vec3>{u + 3} += turn;
  });
}

std::uint32_t JointClosing::root(std::uint32_t segment) const {
  while (parent_[segment] != segment) segment = parent_[segment];
  return segment;
}

void JointClosing::connect(const Setting& s) {
  parent_.resize(loads_.size());
  std::iota(parent_.begin(), parent_.end(), 0u);
  anchored_.assign(loads_.size(), 0);
  for (const Joint& joint : s.world.joints()) {
    const JointDescription& d = joint.description;
    if (!joint.acts() || d.type == JointType::gear) continue;
    const std::uint32_t a = d.a == BodyId{} ? kNoSegment : s.segment_of_body[d.a.index], b = s.segment_of_body[d.b.index];
    if (a == kNoSegment && b == kNoSegment) continue;
    if (a == kNoSegment || b == kNoSegment) {
      anchored_[root(a == kNoSegment ? b : a)] = 1;
      continue;
    }
    const std::uint32_t into = std::min(root(a), root(b)), from = std::max(root(a), root(b));
    anchored_[into] = anchored_[into] || anchored_[from];
    parent_[from] = into;
  }
}

}   // namespace stickslip
