// The directions in which the surfaces of two solids face each other across an overlap, grouped.
#pragma once

#include <array>
#include <span>

#include "stickslip/volume/overlap.h"
#include "volume/ray_memory.h"

namespace stickslip {

class SegmentBins {
 public:
  /// @param frame of the rays; @param centroid of the overlap, in the world
  SegmentBins(const Pose& frame, const Vec3& centroid) : frame_(frame), rotation_(frame.rotation()), centroid_(centroid) {}

  /// A stretch between the two surfaces counts with the volume that it stands for, weighted by the square of what its direction
  /// has along the rays: the weights of the three axes then add up to one. @param least cosine between its direction and the
  /// rays: one that grazes a wedge is long and says nothing about its depth, unless there are enough others
  void add(const SharedStretch&, int axis, double cell, const Vec3& middle, double least);
  /// A convex piece counts as a whole, with the direction of its own gradient; its origin as seen from the origin of the world.
  void add_piece(const MomentSums&);
  /// Groups directions: all are one group if one of the surfaces is flat, or nearly all are within 40° of their mean; else the
  /// largest bin takes those within 40° of it, and so on. @post places can be added
  void group();
  void add_place(const SharedStretch&, const Vec3& middle);
  void add_places_of_piece(const MomentSums&, std::span<const Vec3> places);
  /// Appends the segments, largest first. @param swapped whether the solids are to change their roles
  void finish(OverlapVolume&, bool swapped, std::vector<OverlapSegment>&);

 private:
  static constexpr int kSide = 5, kBins = 6 * kSide * kSide, kMaxSegments = 8;
  struct Bin {
    Vec3 normal = Vec3::Zero();   ///< Σ normal · area
    double area = 0, volume = 0;
    Vec3 area_first = Vec3::Zero();
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    int segment = -1;
  };
  bool is_flat()
      const;   ///< whether one of the surfaces is: then the two come apart along its normal, however bent the other is
  static Vec3 facing(const SharedStretch&);   ///< unit, from A to B; zero if the stretch does not go from one to the other
  static int bin_of(const Vec3& direction);
  Vec3 mean_around(const Vec3& axis) const;
  bool is_near(const Bin&, const Vec3& axis) const;
  Vec3 next_axis(double all) const;
  void reach_to(int segment, const Vec3& from_centroid);

  Pose frame_;
  Mat3 rotation_;
  Vec3 centroid_;
  std::array<Bin, kBins> bins_;
  std::array<OverlapSegment, kMaxSegments> segments_;
  int count_ = 0;
  Vec3 of_a_ = Vec3::Zero(), of_b_ = Vec3::Zero();   ///< Σ normal · area of the two surfaces, in the frame of the rays
  double area_ = 0;                                  ///< of the same stretches
};

}   // namespace stickslip
