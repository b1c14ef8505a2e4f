#include "step/patches.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/small_matrices.h"
#include "step/sizes.h"
#include "step/volumes.h"
#include "stickslip/friction/patch.h"
#include "stickslip/step/stepper.h"

namespace stickslip {

namespace {

constexpr double kOnePlane = 1e-6;      ///< by which normals of one plane may differ
constexpr double kFlat = 0.5;           ///< part of the band by which gaps may differ from those of a plane
constexpr double kStands = 0.9999;      ///< cosine between the axis of a cylinder and the normal from which on it stands
constexpr double kOnRim = 1e-3;         ///< part of its radius by which points may be off its rim
constexpr double kPointsApart = 1e-6;   ///< part of the thinner body's thickness from which on points are apart

/// Where the axis of a cylinder is, in the plane of the patch from its first point on, if the cylinder touches with the whole
/// face of an end: the points lie around its axis on its rim.
std::optional<Vec2> middle_of_disc(const World& world, const Collider& c, std::span<const ContactPoint> points,
                                   const PressurePatch& area) {
  const auto* const cylinder = std::get_if<Cylinder>(&c.shape);
  const Vec3& n = points.front().normal;
  if (!cylinder || points.size() < 3) return std::nullopt;
  const Pose pose = motion_of(world, c).pose * c.local;
  const Vec3 axis = pose.orientation * Vec3::UnitZ(), &from = points.front().position;
  if (std::abs(axis.dot(n)) < kStands) return std::nullopt;
  const Vec3 middle = pose.position + n.dot(from - pose.position) / n.dot(axis) * axis;
  for (const ContactPoint& p : points)
    if (std::abs((p.position - middle).norm() - cylinder->radius) > kOnRim * cylinder->radius) return std::nullopt;
  // Points on a rim that is cut off lie on one side.
  const Mat3 frame = frame_from_normal(n);
  const Vec2 seen(frame.col(1).dot(middle - from), frame.col(2).dot(middle - from));
  return (seen - area.center()).norm() < 0.1 * cylinder->radius ? std::optional(seen) : std::nullopt;
}

}   // namespace

bool asks_for_areas(const World& world, const StepOptions& options) {
  const auto asks = [](const Body& b) { return b.alive && b.contact >= ContactForm::patch; };
  const auto pair_asks = [](const auto& entry) { return entry.second.contact >= ContactForm::patch; };
  return options.contact >= ContactForm::patch || std::ranges::any_of(world.bodies(), asks) ||
         std::ranges::any_of(world.materials.pairs(), pair_asks);
}

void set_outline(ContactOutline& outline, const ContactPatch& patch, const ContactPoint& point) {
  constexpr int kRound = 16;
  const Vec3 b = point.normal.cross(patch.t);
  outline.corners.clear();
  outline.corners.reserve(kRound);
  const auto add = [&](const Vec2& at) { outline.corners.push_back(point.position + at.x() * patch.t + at.y() * b); };
  outline.volume = patch.volume;
  if (!patch.is_ellipse())
    for (const Vec2& corner : patch.outline()) add(corner);
  for (int k = 0; k < kRound && patch.is_ellipse(); ++k) {
    const double turn = 2 * std::numbers::pi * k / kRound;
    add(patch.half_axes.cwiseProduct(Vec2(std::cos(turn), std::sin(turn))));
  }
}

bool PatchMaker::is_patch(const World& world, const Manifold& m, const StepOptions& options) const {
  return m.count > 1 && form_between(world, m.a, m.b, options.contact) != ContactForm::points;
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
  places_.clear();
  for (const ContactPoint& p : points) places_.push_back({t.dot(p.position - from), b.dot(p.position - from)});
  area_.become_polygon(places_);
  const PressurePatch& area = area_;
  if (area.corners().size() < 2 || area.corners().size() > ContactPatch::kMaxCorners) return false;
  ContactPatch patch;
  static_cast<PartPair&>(patch) = m;
  patch.t = t;
  Vec2 center = area.center();
  for (const std::uint32_t k : {m.a, m.b}) {
    const Collider& c = world.colliders()[k];
    const std::optional<Vec2> middle = middle_of_disc(world, c, points, area);
    if (!middle) continue;
    center = *middle;
    patch.half_axes = Vec2::Constant(std::get<Cylinder>(c.shape).radius);
  }
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
    merged_.manifolds.push_back({m, first, static_cast<std::uint32_t>(merged_.points.size() - first),
                                 target_overlap(world, m.a, m.b, options.contact, options.overlap)});
  }
  joiner_.join(world, options.contact_band, merged_);
  return merged_;
}

}   // namespace stickslip
