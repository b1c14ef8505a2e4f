#include <cmath>
#include <numbers>

#include "scene/built_in/compose.h"
#include "scene/built_in/families.h"
#include "stickslip/geometry/mass_properties.h"

namespace stickslip::document {

namespace {

/// Dominoes of 48 × 24 × 7.5 mm. The first one turns about its lower front edge at the start.
Json dominoes_document(const Parameters& p) {
  const Vec3 half(0.00375, 0.012, 0.024);
  Json bodies = Json::array({ground()});
  for (int i = 0; i < p.count("count"); ++i) {
    bodies.push_back(body(fmt::format("domino-{}", i), box(half), {i * (p["gap"] + 2 * half.x()), 0, half.z()}));
  }
  const Vec3 turning(0, p["push"], 0), from_edge(-half.x(), 0, half.z());
  bodies[1]["velocity"] = vector(turning.cross(from_edge));
  bodies[1]["angular_velocity"] = vector(turning);
  return compose(2, 0.002, one_material(1200, p["mu"]), std::move(bodies));
}

/// Steel balls that slide in a row on a plane without friction. They stand apart, so that blows come one after the
/// other: Newton's impact law passes each on in full only then.
Json newtons_cradle_document(const Parameters& p) {
  const int count = p.count("count"), moving = std::min(p.count("moving"), count);
  const double radius = 0.025, pitch = 2 * radius + p["gap"];
  Json bodies = Json::array({ground()});
  bodies[0]["material"] = "table";
  for (int i = 0; i < count; ++i) {
    const double run_up = i < moving ? 0.1 : 0;
    Json ball = body(fmt::format("ball-{}", i), sphere(radius), {i * pitch - run_up, 0, radius});
    ball["material"] = "steel";
    if (i < moving) ball["velocity"] = vector({p["speed"], 0, 0});
    bodies.push_back(std::move(ball));
  }
  Json document = compose(1, 0.001,
                          Json::array({Json{{"name", "steel"}, {"density", 7800}, {"friction", 0}, {"restitution", 1}},
                                       Json{{"name", "table"}, {"friction", 0}, {"restitution", 0}}}),
                          std::move(bodies));
  document["material_pairs"] = Json::array({Json{{"between", {"steel", "table"}}, {"friction", 0}, {"restitution", 0}}});
  return document;
}

/// A top that stands on its tip, the sharp end of a 16-sided cone under a short prism. It starts in the slow steady
/// precession Ω about the vertical, the smaller root of I₁Ω² cos θ − I₃ωΩ + m g l = 0 with I₁ about the tip and ω the
/// angular velocity about its own axis; Ω ≈ m g l / (I₃ω) if it spins fast. Too slow a top has no such root and starts
/// without precession.
Json spinning_top_document(const Parameters& p) {
  const int sides = 16;
  const double radius = 0.04, shoulder = 0.05, top = 0.06, density = 700, g = 9.81;
  std::vector<Vec3> points = {Vec3::Zero()};
  for (const double z : {shoulder, top})
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * std::numbers::pi * i / sides;
      points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  const MassProperties mass = mass_properties(make_convex_hull(points), density);
  const double l = mass.center.z();
  const Quat tilt(Eigen::AngleAxisd(p["tilt_degrees"] / 180 * std::numbers::pi, Vec3::UnitY()));
  const double cosine = (tilt * Vec3::UnitZ()).z(), torque = mass.mass * g * l;
  const double across = mass.inertia(0, 0) + mass.mass * l * l, spin = mass.inertia(2, 2) * p["spin"];
  const double discriminant = spin * spin - 4 * across * cosine * torque;
  const double precession = discriminant > 0 ? 2 * torque / (spin + std::copysign(std::sqrt(discriminant), spin)) : 0;
  const Vec3 turning = Vec3(0, 0, precession) + tilt * Vec3(0, 0, p["spin"] - precession * cosine);

  Json shape{{"type", "hull"}, {"points", Json::array()}};
  for (const Vec3& point : points) shape["points"].push_back(vector(point));
  Json spinner = body("top", std::move(shape), Vec3::Zero());
  spinner["orientation_wxyz"] = wxyz(tilt);
  spinner["velocity"] = vector(turning.cross(tilt * mass.center));
  spinner["angular_velocity"] = vector(turning);
  return compose(3, 0.0005, one_material(density, p["mu"]), Json::array({ground(), std::move(spinner)}));
}

}   // namespace

BuiltIn dominoes() {
  return {"dominoes",
          "The wave of falling dominoes runs along the row at a steady speed.",
          {{"count", 30, 1, 1000, true, "dominoes"},
           {"gap", 0.018, 0.002, 0.04, false, "between two dominoes [m]"},
           {"push", 6, 0, 50, false, "angular velocity of the first one at the start [rad/s]"},
           {"mu", 0.4, 0, 10, false, "coefficient of friction"}},
          dominoes_document};
}

BuiltIn newtons_cradle() {
  return {"newtons-cradle",
          "As many balls leave at one end as arrive at the other, at the same speed (they slide without friction: there are no "
          "strings).",
          {{"count", 5, 2, 100, true, "balls"},
           {"moving", 1, 1, 100, true, "balls that arrive; all of them move if there are fewer"},
           {"speed", 1, 0.1, 10, false, "of the arriving balls [m/s]"},
           {"gap", 0.005, 0.001, 0.1, false, "between two balls [m]"}},
          newtons_cradle_document};
}

BuiltIn spinning_top() {
  return {"spinning-top",
          "The top does not fall but precesses about the vertical, slower the faster it spins, while its tip stays in place.",
          {{"spin", 150, -1000, 1000, false, "about its own axis [rad/s]"},
           {"tilt_degrees", 20, 0, 35, false, "of its axis from the vertical [°]"},
           {"mu", 1, 0, 10, false, "coefficient of friction; it holds the tip"}},
          spinning_top_document};
}

}   // namespace stickslip::document
