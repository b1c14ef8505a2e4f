#include "step/patches.h"

#include <algorithm>
#include <cmath>

#include "math/small_matrices.h"
#include "step/sizes.h"
#include "stickslip/friction/patch.h"

namespace stickslip {

namespace {

constexpr double kOnePlane = 1e-6;      ///< by which normals of one plane may differ
constexpr double kFlat = 0.5;           ///< part of the band by which gaps may differ from those of a plane
constexpr double kPointsApart = 1e-6;   ///< part of the thinner body's thickness from which on points are apart

}   // namespace

bool PatchMaker::is_patch(const World& world, const Manifold& m, const StepOptions& options) const {
  const Collider &a = world.colliders()[m.a], &b = world.colliders()[m.b];
  if (m.count < 2 || a.deforms || b.deforms) return false;
  const ContactForm of_a = world.bodies()[a.body].contact, of_b = world.bodies()[b.body].contact;
  if (of_a == ContactForm::points || of_b == ContactForm::points) return false;
  if (of_a != ContactForm::patch && of_b != ContactForm::patch && options.contact != ContactForm::patch) return false;
  return !world.materials.between(a.material, b.material).law;
}

/// The gap as a linear function of the place, nowhere above that of a point. @returns by how much they differ [m]
double PatchMaker::fit_gap(std::span<const ContactPoint> points, const Vec3& origin, ContactPatch& patch) const {
  const Vec3& n = points.front().normal;
  const Vec3 b = n.cross(patch.t);
  const auto place = [&](const ContactPoint& p) { return Vec2(patch.t.dot(p.position - origin), b.dot(p.position - origin)); };
  Vec2 middle = Vec2::Zero();
  double gap = 0;
  for (const ContactPoint& p : points) middle += place(p) / points.size(), gap += p.gap / points.size();
  Mat2 spread = Mat2::Zero();
  Vec2 moment = Vec2::Zero();
  for (const ContactPoint& p : points) {
    const Vec2 from = place(p) - middle;
    spread += from * from.transpose();
    moment += (p.gap - gap) * from;
  }
  // Points on a line say nothing about the slope across it.
  const SymmetricModes<2> axes = symmetric_modes(spread);
  patch.slope.setZero();
  for (int k = 0; k < 2; ++k)
    if (axes.values[k] > 1e-10 * axes.values[1])
      patch.slope += axes.vectors.col(k).dot(moment) / axes.values[k] * axes.vectors.col(k);
  patch.gap = gap - patch.slope.dot(middle);
  double below = 0, worst = 0;
  for (const ContactPoint& p : points) {
    const double off = p.gap - patch.gap_at(place(p));
    below = std::min(below, off);
    worst = std::max(worst, std::abs(off));
  }
  patch.gap += below;
  return worst;
}

bool PatchMaker::make(const World& world, const Manifold& m, std::span<const ContactPoint> points, const StepOptions& options) {
  const double thickness = thinner(world.colliders()[m.a], world.colliders()[m.b]);
  const Vec3& n = points.front().normal;
  for (const ContactPoint& p : points)
    if (p.feature == kPatchFeature || (p.normal - n).norm() > kOnePlane) return false;
  const Mat3 frame = frame_from_normal(n);
  const Vec3 t = frame.col(1), b = frame.col(2);
  // From the first point on: how far the world's origin is must not matter.
  const Vec3& from = points.front().position;
  std::vector<Vec2> places;
  for (const ContactPoint& p : points) places.push_back({t.dot(p.position - from), b.dot(p.position - from)});
  const PressurePatch area = PressurePatch::polygon(std::move(places));
  if (area.corners().size() < 2 || area.corners().size() > ContactPatch::kMaxCorners) return false;
  ContactPatch patch;
  static_cast<PartPair&>(patch) = m;
  patch.t = t;
  const Vec2& center = area.center();
  double height = 0;
  for (const ContactPoint& p : points) height += n.dot(p.position - from) / points.size();
  const Vec3 origin = from + center.x() * t + center.y() * b + height * n;
  if (fit_gap(points, origin, patch) > kFlat * options.contact_band * thickness) return false;
  double lowest = points.front().gap;
  for (const ContactPoint& p : points) lowest = std::min(lowest, p.gap);
  for (const Vec2& corner : area.corners()) patch.corners[patch.corner_count++] = corner - center;
  if (patch.radius() < kPointsApart * thickness) return false;
  merged_.patches.push_back(patch);
  merged_.points.push_back({origin, n, lowest, kPatchFeature});
  return true;
}

const ContactSet& PatchMaker::merge(const World& world, const ContactSet& set, const StepOptions& options) {
  merged_.clear();
  for (const Manifold& m : set.manifolds) {
    const auto first = static_cast<std::uint32_t>(merged_.points.size());
    const auto points = set.points_of(m);
    if (!is_patch(world, m, options) || !make(world, m, points, options)) {
      merged_.points.insert(merged_.points.end(), points.begin(), points.end());
      const auto is_one = [](const ContactPoint& p) { return p.feature == kPatchFeature; };
      if (std::any_of(points.begin(), points.end(), is_one)) merged_.patches.push_back(*set.patch_of(m));
    }
    merged_.manifolds.push_back({m, first, static_cast<std::uint32_t>(merged_.points.size() - first)});
  }
  return merged_;
}

}   // namespace stickslip
