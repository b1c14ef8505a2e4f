// The velocities of everything that moves by forces: one segment per mover (world/stencil.h), rigid bodies first.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "stickslip/problem/contact_problem.h"
#include "stickslip/step/options.h"
#include "stickslip/world/stencil.h"

namespace stickslip {

inline constexpr std::uint32_t kNoSegment = ~0u;
inline constexpr int kNodeSize = 3;   ///< numbers of a node's segment

/// Velocity of a mover [m/s, rad/s].
struct Twist {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};

/// Parts of the segment of a rigid body in a vector of velocities.
inline Eigen::Map<const Vec3> linear_part(std::span<const double> u, std::uint32_t rigid) {
  return Eigen::Map<const Vec3>(u.data() + std::size_t{kRigidSize} * rigid);
}
inline Eigen::Map<const Vec3> angular_part(std::span<const double> u, std::uint32_t rigid) {
  return Eigen::Map<const Vec3>(u.data() + std::size_t{kRigidSize} * rigid + 3);
}
inline Eigen::Map<Vec3> mutable_linear_part(std::span<double> u, std::uint32_t rigid) {
  return Eigen::Map<Vec3>(u.data() + std::size_t{kRigidSize} * rigid);
}
inline Eigen::Map<Vec3> mutable_angular_part(std::span<double> u, std::uint32_t rigid) {
  return Eigen::Map<Vec3>(u.data() + std::size_t{kRigidSize} * rigid + 3);
}
/// All numbers of it, linear then angular.
inline std::span<const double, kRigidSize> rigid_part(std::span<const double> u, std::uint32_t rigid) {
  return u.subspan(std::size_t{kRigidSize} * rigid).first<kRigidSize>();
}

/// Which mover has which segment, and their velocities around a step.
class VelocitySpace {
 public:
  void begin(const World& world) {
    segment_of_.assign(world.mover_count(), kNoSegment);
    before_.clear();
    free_.clear();
    centers_.clear();
    rigid_ = count_ = 0;
  }
  /// Gives a rigid body or a node the next segment. @pre rigid bodies come first. @param before, free velocity before the step,
  /// and after it without contacts
  void add_rigid(std::uint32_t mover, const Vec3& center, const Twist& before, const Twist& free) {
    segment_of_[mover] = count_++;
    ++rigid_;
    centers_.push_back(center);
    for (const auto& [list, twist] : {std::pair(&before_, &before), std::pair(&free_, &free)}) {
      list->insert(list->end(), twist->linear.data(), twist->linear.data() + 3);
      list->insert(list->end(), twist->angular.data(), twist->angular.data() + 3);
    }
  }
  void add_node(std::uint32_t mover, const Vec3& place, const Vec3& before, const Vec3& free) {
    segment_of_[mover] = count_++;
    centers_.push_back(place);
    before_.insert(before_.end(), before.data(), before.data() + 3);
    free_.insert(free_.end(), free.data(), free.data() + 3);
  }
  /// A segment of a node that forces do not move: no mover has it.
  void add_held_node(const Vec3& place, const Vec3& velocity) {
    ++count_;
    centers_.push_back(place);
    before_.insert(before_.end(), velocity.data(), velocity.data() + 3);
    free_.insert(free_.end(), velocity.data(), velocity.data() + 3);
  }

  std::uint32_t segment_of(std::uint32_t mover) const { return segment_of_[mover]; }
  /// By mover, so that body slots come first.
  std::span<const std::uint32_t> segments() const { return segment_of_; }
  bool is_rigid(std::uint32_t segment) const { return segment < rigid_; }
  int size_of(std::uint32_t segment) const { return is_rigid(segment) ? kRigidSize : kNodeSize; }
  /// Where a segment begins in a vector of velocities.
  std::size_t offset(std::uint32_t segment) const {
    return is_rigid(segment) ? std::size_t{kRigidSize} * segment
                             : std::size_t{kRigidSize} * rigid_ + std::size_t{kNodeSize} * (segment - rigid_);
  }
  std::size_t size() const { return offset(count_); }   ///< numbers of a vector of velocities
  Twist twist(std::span<const double> u, std::uint32_t segment) const {
    const double* at = u.data() + offset(segment);
    return {Eigen::Map<const Vec3>(at), is_rigid(segment) ? Vec3(Eigen::Map<const Vec3>(at + 3)) : Vec3::Zero()};
  }
  /// Velocity of a point of what has the segment. @param arm from its centre to the point [m]
  Vec3 velocity_at(std::span<const double> u, std::uint32_t segment, const Vec3& arm) const {
    const double* at = u.data() + offset(segment);
    const Eigen::Map<const Vec3> linear(at);
    if (!is_rigid(segment)) return linear;
    const Eigen::Map<const Vec3> angular(at + 3);
    return linear + angular.cross(arm);
  }
  /// Centre of mass of a segment's body, or place of its node [m]. Bodies are large; loops over contacts read this instead.
  const Vec3& center(std::uint32_t segment) const { return centers_[segment]; }
  const std::vector<double>& before() const { return before_; }
  std::vector<double>& free() { return free_; }
  const std::vector<double>& free() const { return free_; }

 private:
  std::vector<std::uint32_t> segment_of_;
  std::vector<double> before_, free_;
  std::vector<Vec3> centers_;
  std::uint32_t rigid_ = 0, count_ = 0;
};

/// Rows of the relative velocity at a material point along the columns of `frame`, at most three, as columns of one mover
/// [course eq. 61]: of a rigid body `weight` × (direction, arm × direction), of a node `weight` × direction.
/// @param weight of the mover, negative on the side of body A @param center of the mover [m]
inline void write_columns(int size, double weight, const Vec3& center, const Vec3& point, const Mat3& frame, int rows,
                          double* out) {
  const Vec3 arm = point - center;
  for (int k = 0; k < rows; ++k, out += size) {
    const Vec3 direction = weight * frame.col(k);
    std::copy_n(direction.data(), 3, out);
    if (size == kRigidSize) Eigen::Map<Vec3>(out + 3) = arm.cross(direction);
  }
}

}   // namespace stickslip
