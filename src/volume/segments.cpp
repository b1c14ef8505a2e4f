#include "volume/segments.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

/// Directions within 40° of the mean of a group belong to it.
const double kGroupCosine = std::cos(40 * std::numbers::pi / 180);
/// Length of the mean of unit normals from which on a surface counts as flat: a twentieth of it may lie across.
constexpr double kFlatSurface = 0.95;
/// Groups with less of the area than this are left out: rims and bumps.
constexpr double kSmallGroup = 0.05;

Vec3 corner_direction(const Mat3& frame, int k) {
  const double turn = k * std::numbers::pi / 4;
  return std::cos(turn) * frame.col(1) + std::sin(turn) * frame.col(2);
}

}   // namespace

Vec3 SegmentBins::facing(const SharedStretch& s) {
  if (s.from_owner == s.to_owner || s.from_owner == FaceOwner::none || s.to_owner == FaceOwner::none) return Vec3::Zero();
  const Vec3 n = s.from_owner == FaceOwner::a ? Vec3(s.from_normal - s.to_normal) : Vec3(s.to_normal - s.from_normal);
  const double length = n.norm();
  return length > 1e-6 ? Vec3(n / length) : Vec3(Vec3::Zero());
}

int SegmentBins::bin_of(const Vec3& d) {
  int axis = 0;
  const double most = d.cwiseAbs().maxCoeff(&axis);
  const auto part = [&](double x) { return std::clamp(static_cast<int>((x / most + 1) / 2 * kSide), 0, kSide - 1); };
  return ((2 * axis + (d[axis] < 0)) * kSide + part(d[(axis + 1) % 3])) * kSide + part(d[(axis + 2) % 3]);
}

void SegmentBins::add(const SharedStretch& s, int axis, double cell, const Vec3& middle, double least) {
  const Vec3 local = facing(s);
  if (local.isZero(0) || std::abs(local[axis]) < least) return;
  const Vec3 normal = rotation_ * local, x = rotation_ * middle + frame_.position - centroid_;
  Bin& bin = bins_[bin_of(local)];
  const double along = local[axis] * local[axis], length = s.to - s.from, volume = along * length * cell;
  const double area = std::abs(local[axis]) * cell;
  const bool from_a = s.from_owner == FaceOwner::a;
  of_a_ += area * (from_a ? s.from_normal : s.to_normal), of_b_ += area * (from_a ? s.to_normal : s.from_normal);
  area_ += area;
  bin.normal += area * normal, bin.area += area, bin.volume += volume;
  bin.area_first += area * x;
  bin.first += volume * x;
  bin.second += volume * (x * x.transpose() + length * length / 12 * rotation_.col(axis) * rotation_.col(axis).transpose());
}

bool SegmentBins::is_flat() const { return area_ > 0 && std::max(of_a_.norm(), of_b_.norm()) > kFlatSurface * area_; }

/// The mean direction of bins that are free and within a group around `axis`; zero if there are none.
Vec3 SegmentBins::mean_around(const Vec3& axis) const {
  Vec3 sum = Vec3::Zero();
  for (const Bin& b : bins_)
    if (is_near(b, axis)) sum += b.normal;
  const double length = sum.norm();
  return length > 0 ? Vec3(sum / length) : Vec3(Vec3::Zero());
}

bool SegmentBins::is_near(const Bin& b, const Vec3& axis) const {
  return b.segment < 0 && b.area > 0 && b.normal.dot(axis) > kGroupCosine * b.normal.norm();
}

/// Where to start the next group: the mean of all if nearly all are near it, else the largest bin that is free.
Vec3 SegmentBins::next_axis(double all) const {
  Vec3 sum = Vec3::Zero();
  double near = 0;
  const Bin* largest = nullptr;
  for (const Bin& b : bins_) {
    sum += b.normal;
    if (b.segment < 0 && b.normal.norm() > 0 && (!largest || b.area > largest->area)) largest = &b;
  }
  if (count_ == 0 && sum.norm() > 0) {
    for (const Bin& b : bins_) near += is_near(b, sum.normalized()) ? b.area : 0;
    if (near > (1 - kSmallGroup) * all) return sum.normalized();
  }
  if (!largest) return Vec3::Zero();
  // Twice, as the mean of those near the largest is a better middle than itself.
  const Vec3 start = largest->normal.normalized(), mean = mean_around(start), again = mean_around(mean);
  return is_near(*largest, again) ? again : start;
}

void SegmentBins::group() {
  double all = 0;
  for (const Bin& b : bins_) all += b.area;
  for (double left = all; count_ < kMaxSegments && left > kSmallGroup * all;) {
    const bool whole = is_flat();
    const Vec3 axis = next_axis(all);
    OverlapSegment segment;
    for (Bin& b : bins_) {
      if (whole ? b.area == 0 : !is_near(b, axis)) continue;
      b.segment = count_;
      segment.normal += b.normal, segment.area += b.area, segment.volume += b.volume;
      segment.area_first += b.area_first, segment.first += b.first, segment.second += b.second;
    }
    if (!(segment.area > 0)) return;
    left -= segment.area;
    if (segment.area < kSmallGroup * all || !(segment.volume > 0)) {
      for (Bin& b : bins_)
        if (b.segment == count_) b.segment = kMaxSegments;
      continue;
    }
    segment.normal.normalize();
    segment.reaches.fill(-1);
    segment.corners.fill(Vec3::Zero());
    segments_[count_++] = segment;
  }
}

void SegmentBins::add_piece(const MomentSums& piece) {
  const double area = piece.force.norm();
  if (!(area > 0) || !(piece.volume > 0)) return;
  Bin& bin = bins_[bin_of(rotation_.transpose() * -piece.force)];
  const Vec3 shift = piece.origin - centroid_;
  bin.normal -= piece.force, bin.area += area, bin.volume += piece.volume;
  // Of a flat piece x × n dA, with n against its direction, tells where that is.
  bin.area_first += area * shift - piece.torque.cross(piece.force) / area;
  bin.first += piece.first + piece.volume * shift;
  bin.second += piece.second + piece.first * shift.transpose() + shift * piece.first.transpose() +
                piece.volume * shift * shift.transpose();
}

void SegmentBins::add_places_of_piece(const MomentSums& piece, std::span<const Vec3> places) {
  if (!(piece.force.norm() > 0)) return;
  const int number = bins_[bin_of(rotation_.transpose() * -piece.force)].segment;
  for (const Vec3& x : places) reach_to(number, x - centroid_);
}

void SegmentBins::add_place(const SharedStretch& s, const Vec3& middle) {
  const Vec3 local = facing(s);
  if (!local.isZero(0)) reach_to(bins_[bin_of(local)].segment, rotation_ * middle + frame_.position - centroid_);
}

void SegmentBins::reach_to(int number, const Vec3& x) {
  if (number < 0 || number >= count_) return;
  OverlapSegment& segment = segments_[number];
  const Mat3 frame = frame_from_normal(segment.normal);
  const Vec3 from = segment.volume > 0 ? Vec3(x - segment.first / segment.volume) : x;
  for (int k = 0; k < 8; ++k) {
    const double reach = corner_direction(frame, k).dot(from);
    if (reach > segment.reaches[k]) segment.reaches[k] = reach, segment.corners[k] = x;
  }
}

void SegmentBins::finish(OverlapVolume& o, bool swapped, std::vector<OverlapSegment>& segments) {
  o.first_segment = static_cast<std::uint32_t>(segments.size());
  double all = 0;
  for (int i = 0; i < count_; ++i) all += segments_[i].volume;
  const auto larger = [](const OverlapSegment& x, const OverlapSegment& y) { return x.area > y.area; };
  std::sort(segments_.begin(), segments_.begin() + count_, larger);
  for (int i = 0; i < count_; ++i) {
    OverlapSegment& s = segments_[i];
    if (!(all > 0) || !(s.volume > 0)) continue;
    // What stretches along a surface hold is shared out, unless that is chance.
    const double scale = o.is_seen_by_chance() ? 1 : o.volume / all;
    s.volume *= scale, s.first *= scale, s.second *= scale;
    if (swapped) s.normal = -s.normal;
    segments.push_back(s);
  }
  o.segment_count = static_cast<std::uint32_t>(segments.size()) - o.first_segment;
}

}   // namespace stickslip
