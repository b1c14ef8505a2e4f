#include "step/area_laws.h"

#include <cmath>
#include <numbers>

#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"

#include <fmt/format.h>

namespace stickslip {

namespace {

constexpr int kRollingCorners = 32;   ///< of the disc by which the rolling part of a law widens a polygon

/// What an area takes of a law: an ellipsoid, and the radius of a disc of rolling.
struct EllipsoidAndDisc {
  EllipsoidFriction sliding;
  double rolling = 0;
};

EllipsoidAndDisc parts_of(const FrictionSet& law) {
  if (const auto* circle = std::get_if<CircularFriction>(&law)) return {{circle->mu, circle->mu, 0}, 0};
  if (const auto* ellipse = std::get_if<EllipseFriction>(&law)) return {{ellipse->mu_t, ellipse->mu_b, 0}, 0};
  if (const auto* ellipsoid = std::get_if<EllipsoidFriction>(&law)) return {*ellipsoid, 0};
  if (const auto* rolling = std::get_if<RollingFriction>(&law)) return {{rolling->mu, rolling->mu, 0}, rolling->mu_rolling};
  if (const auto* custom = std::get_if<CustomFriction<5>>(&law))
    if (const auto* full = dynamic_cast<const FullSet*>(custom->set.get())) return {full->sliding(), full->mu_rolling()};
  throw Error(fmt::format("The friction set '{}' is not one of an area. Let its law say so: over_areas = OverAreas::no.",
                          law_name(law)));
}

/// A polygon of everything within a distance of one. A regular polygon stands for the disc, as much too large as too small.
void widen(std::vector<Vec2>& places, double by) {
  const std::size_t count = places.size();
  const double radius = 2 * by / (1 + std::cos(std::numbers::pi / kRollingCorners));
  for (std::size_t i = 0; i < count; ++i)
    for (int k = 0; k < kRollingCorners; ++k) {
      const double turn = 2 * std::numbers::pi * k / kRollingCorners;
      places.emplace_back(places[i] + radius * Vec2(std::cos(turn), std::sin(turn)));
    }
}

}   // namespace

Mat2 turned_into(const Mat3& frame, const ContactPatch& patch) {
  if (frame.col(1) == patch.t) return Mat2::Identity();   // without rounding
  const Vec3 b = frame.col(0).cross(patch.t);
  Mat2 turn;
  turn << frame.col(1).dot(patch.t), frame.col(1).dot(b), frame.col(2).dot(patch.t), frame.col(2).dot(b);
  return turn;
}

double rolling_reach(const FrictionSet& local, double length) { return parts_of(local).rolling * length; }

/// The places of an area, turned, in rows of a length. @param wider by this, in units of it
void AreaLaws::cover(PressurePatch& pressed, const ContactPatch& patch, const Mat2& turn, double length, double wider) {
  if (patch.is_ellipse()) {
    // Of an ellipse that is no disc, this is exact along its axes.
    const Vec2 half = rolling_place(turn.col(0) * patch.half_axes.x(), length);
    const Vec2 half_axis = wider > 0 ? Vec2((half.norm() + wider) * half.normalized()) : half;
    return pressed.become_ellipse(Vec2::Zero(), half_axis, patch.half_axes.y() / length + wider);
  }
  places_.clear();
  for (const Vec2& corner : patch.outline()) places_.push_back(rolling_place(turn * corner, length));
  if (wider > 0) widen(places_, wider);
  pressed.become_polygon(places_);
}

// The rolling rows are in units of the area's radius: in those of a thin body the corners of a wide area would be far away, and
// small errors of the rows large there.
LocalFriction AreaLaws::over(const ContactPatch& patch, const Vec3& normal, const LocalFriction& local, double length) {
  const std::shared_ptr<PatchSet> law =
      laws_.take([] { return std::make_shared<PatchSet>(PressurePatch::polygon({Vec2::Zero()}), EllipsoidFriction{}); });
  PressurePatch& pressed = law->patch_to_change();
  const EllipsoidAndDisc parts = parts_of(local.set);
  const double radius = patch.radius(), rolling = parts.rolling * length / radius;
  const Vec3 t = local.tangent.isZero(0) ? patch.t : local.tangent;
  Mat3 frame;
  frame << normal, t, normal.cross(t);
  const Mat2 turn = turned_into(frame, patch);
  cover(pressed, patch, turn, radius, 0);
  const EllipsoidFriction& f = parts.sliding;
  // Rows of rolling have places (y, −x): what slides along t when it spins is at a distance along b, the first of them.
  const double of_area = f.mu_t == f.mu_b ? f.mu_t * pressed.mean_arm() : pressed.mean_arm({f.mu_t, f.mu_b});
  const double of_places = f.mu_torsion * length / radius;
  law->set_friction({f.mu_t, f.mu_b, of_places > 0 ? std::hypot(of_area, of_places) : of_area});
  if (rolling > 0) cover(pressed, patch, turn, radius, rolling);
  return {t, PatchFriction{law}};
}

Vec3 AreaLaws::mean_slip(const ContactPatch& patch, const Vec3& slip, double spin) {
  if (spin == 0) return slip;
  cover(area_, patch, Mat2::Identity(), 1, 0);
  const double speed = slip.norm();
  const Vec3 direction = speed > 0 ? Vec3(slip / speed) : patch.t;
  return std::hypot(speed, spin * area_.mean_arm()) * direction;
}

}   // namespace stickslip
