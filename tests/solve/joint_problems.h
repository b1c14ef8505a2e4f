// Mechanisms as contact problems, built by hand: bodies in the world frame, joints, motors, couplings, contacts.
#pragma once

#include <cmath>

#include "../problem/problems.h"

namespace stickslip::testing {

/// Of the impulses of box rows [N s].
struct Bounds {
  double lower = -INFINITY, upper = INFINITY;
};

/// Builds a problem from bodies with positions and velocities; gravity over one step of h is part of every b.
class MechanismBuilder {
 public:
  explicit MechanismBuilder(double h = 0.01) : h_(h) { problem_.h = h; }

  /// A box body. @return its number
  int body(double mass, const Vec3& center, const Vec3& u = Vec3::Zero(), const Vec3& omega = Vec3::Zero(), double half = 0.5) {
    problem_.segments.push_back(box_segment(mass, half));
    centers_.push_back(center);
    velocities_.push_back(u - h_ * 9.81 * Vec3::UnitZ());
    spins_.push_back(omega);
    return static_cast<int>(centers_.size()) - 1;
  }

  /// Rows of one block: (direction, point) is the velocity of b relative to a
  /// at the point along it; a turning row has no point.
  struct Row {
    Vec3 direction;
    Vec3 point;
    bool turns = false;
  };
  void rows(BlockKind kind, int a, int b, std::initializer_list<Row> list, double extra = 0, double sigma = 0,
            Bounds bounds = {}) {
    begin(kind, static_cast<int>(list.size()));
    for (const auto& [number, sign] : {std::pair(a, -1.0), std::pair(b, 1.0)}) {
      if (number < 0) continue;
      act_on(number);
      for (const Row& row : list) add_jacobian(number, row, sign);
    }
    for (const Row& row : list) add_row(velocity(b, row) - velocity(a, row) + extra, sigma, bounds);
  }

  void ball(int a, int b, const Vec3& point, double sigma = 0) {
    rows(BlockKind::bilateral, a, b, {{Vec3::UnitX(), point}, {Vec3::UnitY(), point}, {Vec3::UnitZ(), point}}, 0, sigma);
  }
  /// About y.
  void hinge(int a, int b, const Vec3& point, double sigma = 0) {
    rows(BlockKind::bilateral, a, b,
         {{Vec3::UnitX(), point},
          {Vec3::UnitY(), point},
          {Vec3::UnitZ(), point},
          {Vec3::UnitX(), {}, true},
          {Vec3::UnitZ(), {}, true}},
         0, sigma);
  }
  void fixed(int a, int b, const Vec3& point, double extra = 0) {
    rows(BlockKind::bilateral, a, b,
         {{Vec3::UnitX(), point},
          {Vec3::UnitY(), point},
          {Vec3::UnitZ(), point},
          {Vec3::UnitX(), {}, true},
          {Vec3::UnitY(), {}, true},
          {Vec3::UnitZ(), {}, true}},
         extra);
  }
  /// Turns b against a about y at this speed [rad/s], as far as its impulse allows [N m s].
  void motor(int a, int b, double speed, double bound, double sigma = 0) {
    rows(BlockKind::box, a, b, {{Vec3::UnitY(), {}, true}}, -speed, sigma, {-bound, bound});
  }
  /// A limit of the turn about y that is reached: it pushes towards larger angles only.
  void limit(int a, int b) { rows(BlockKind::box, a, b, {{Vec3::UnitY(), {}, true}}, 0, 0, {0, INFINITY}); }

  /// Σ gᵢ ω_y,ᵢ = 0: gears between up to four bodies.
  void coupling(std::initializer_list<std::pair<int, double>> gears, double sigma = 0) {
    begin(BlockKind::bilateral, 1);
    double b = 0;
    for (const auto& [number, gear] : gears) {
      act_on(number);
      const Row row{Vec3::UnitY(), {}, true};
      add_jacobian(number, row, gear);
      b += gear * velocity(number, row);
    }
    add_row(b, sigma, {});
  }

  void contact(int a, int b, const Vec3& point, const Vec3& normal, double mu) {
    const Mat3 frame = frame_from_normal(normal);
    const Vec3 v = point_velocity(b, point) - point_velocity(a, point);
    add_contact(problem_, a, center(a), b, center(b), point, normal, mu, frame.transpose() * v);
    problem_.lower.resize(problem_.b.size(), 0.0);
    problem_.upper.resize(problem_.b.size(), 0.0);
  }

  ContactProblem finish() {
    problem_.finalize();
    return problem_;
  }

 private:
  Vec3 center(int i) const { return i < 0 ? Vec3(Vec3::Zero()) : centers_[static_cast<std::size_t>(i)]; }
  Vec3 point_velocity(int i, const Vec3& point) const {
    if (i < 0) return Vec3::Zero();
    return velocities_[static_cast<std::size_t>(i)] + spins_[static_cast<std::size_t>(i)].cross(point - center(i));
  }
  double velocity(int i, const Row& row) const {
    if (i < 0) return 0;
    return row.turns ? row.direction.dot(spins_[static_cast<std::size_t>(i)]) : row.direction.dot(point_velocity(i, row.point));
  }
  void begin(BlockKind kind, int dim) {
    problem_.blocks.push_back({kind,
                               static_cast<std::uint8_t>(dim),
                               0,
                               static_cast<std::uint32_t>(problem_.b.size()),
                               static_cast<std::uint32_t>(problem_.jacobian_values.size()),
                               0,
                               {}});
    problem_.laws.emplace_back(CircularFriction{});
  }
  void act_on(int number) {
    Block& block = problem_.blocks.back();
    block.segment[block.arity++] = static_cast<std::uint32_t>(number);
  }
  void add_jacobian(int number, const Row& row, double sign) {
    const Vec3 linear = row.turns ? Vec3(Vec3::Zero()) : Vec3(sign * row.direction);
    const Vec3 angular =
        row.turns ? Vec3(sign * row.direction) : Vec3(sign * (row.point - center(number)).cross(row.direction));
    problem_.jacobian_values.insert(problem_.jacobian_values.end(),
                                    {linear.x(), linear.y(), linear.z(), angular.x(), angular.y(), angular.z()});
  }
  void add_row(double b, double sigma, Bounds bounds) {
    problem_.b.push_back(b);
    problem_.sigma.push_back(sigma);
    problem_.lower.push_back(bounds.lower);
    problem_.upper.push_back(bounds.upper);
  }

  double h_;
  ContactProblem problem_;
  std::vector<Vec3> centers_, velocities_, spins_;
};

/// A chain of links on ball joints that hangs from the world along x and z, at rest; the last body weighs `ratio` links.
inline ContactProblem hanging_chain(int links, double ratio = 1, double tilt = 0.3) {
  MechanismBuilder m;
  const Vec3 step = Vec3(std::sin(tilt), 0, -std::cos(tilt));
  for (int i = 0; i < links; ++i) {
    m.body(i + 1 < links ? 1.0 : ratio, (i + 0.5) * step);
    m.ball(i - 1, i, i * step);
  }
  return m.finish();
}

/// An arm of three links that lies on the ground with its tip: a shoulder with a motor that is strong enough, an elbow with one
/// that is not, a wrist with soft joint rows that stands at its limit.
inline ContactProblem arm(double mu) {
  MechanismBuilder m;
  const int upper = m.body(2, {0.5, 0, 1}, {0, 0, 0}, {0, 0.3, 0}), lower = m.body(1, {1.5, 0, 0.8}, {0.1, 0, -0.2});
  const int hand = m.body(0.5, {2.5, 0, 0.5}, {0.3, 0.2, 0});
  m.hinge(-1, upper, {0, 0, 1});
  m.motor(-1, upper, 0.4, 100);
  m.hinge(upper, lower, {1, 0, 1});
  m.motor(upper, lower, -2, 0.05);
  m.hinge(lower, hand, {2, 0, 0.6}, 0.02);
  m.limit(lower, hand);
  for (const double y : {-0.4, 0.4}) m.contact(-1, hand, {3, y, 0}, Vec3::UnitZ(), mu);
  return m.finish();
}

/// Three bars and the ground, all hinges about y: in space three of the rows are redundant.
inline ContactProblem four_bar() {
  MechanismBuilder m;
  const int left = m.body(1, {0, 0, 0.5}), middle = m.body(2, {0.5, 0, 1}), right = m.body(1, {1, 0, 0.5});
  m.hinge(-1, left, {0, 0, 0});
  m.hinge(left, middle, {0, 0, 1});
  m.hinge(middle, right, {1, 0, 1});
  m.hinge(right, -1, {1, 0, 0});
  m.motor(-1, left, 3, 0.02);
  m.contact(-1, right, {1.5, 0.2, 0}, Vec3::UnitZ(), 0.5);
  return m.finish();
}

/// Wheels about y that a differential couples, one of them driven.
inline ContactProblem gears(int bodies) {
  MechanismBuilder m;
  for (int i = 0; i < bodies; ++i) {
    m.body(1 + i, {2.0 * i, 0, 1}, {0, 0, 0}, {0.1, 1.0 + i, -0.2});
    m.hinge(-1, i, {2.0 * i, 0, 1});
  }
  if (bodies == 3) m.coupling({{0, 1.0}, {1, -2.0}, {2, 0.5}});
  else m.coupling({{0, 1.0}, {1, 1.0}, {2, -3.0}, {3, 0.25}}, 0.01);
  m.motor(-1, 0, 2, 0.1);
  return m.finish();
}

struct Named {
  const char* name;
  ContactProblem problem;
};

inline std::vector<Named> mechanisms() {
  return {{"arm with friction", arm(0.6)},
          {"arm without friction", arm(0)},
          {"four-bar", four_bar()},
          {"three gears", gears(3)},
          {"four gears", gears(4)}};
}

/// Planks with two ball joints between neighbours, fixed at both ends: redundant.
inline ContactProblem bridge(int planks) {
  MechanismBuilder m;
  for (int i = 0; i < planks; ++i) {
    m.body(1, {static_cast<double>(i), 0, 0});
    for (const double y : {-0.5, 0.5}) m.ball(i - 1, i, {i - 0.5, y, 0});
  }
  for (const double y : {-0.5, 0.5}) m.ball(planks - 1, -1, {planks - 0.5, y, 0});
  return m.finish();
}

/// Boxes in a row on the ground, hinged to each other with joint friction, and a heavy box on two of them.
inline ContactProblem snake(int links, double load) {
  MechanismBuilder m;
  for (int i = 0; i < links; ++i) {
    m.body(1, {static_cast<double>(i), 0, 0.5});
    if (i == 0) continue;
    m.hinge(i - 1, i, {i - 0.5, 0, 0.5});
    m.motor(i - 1, i, 0, 0.05);
  }
  for (int i = 0; i < links; ++i)
    for (const double x : {-0.45, 0.45})
      for (const double y : {-0.45, 0.45}) m.contact(-1, i, {i + x, y, 0}, Vec3::UnitZ(), 0.5);
  const int box = m.body(load, {links / 2 - 0.5, 0, 1.5});
  for (const int side : {-1, 0})
    for (const double y : {-0.4, 0.4})
      m.contact(links / 2 + side, box, {links / 2 - 0.5 + (2 * side + 1) * 0.4, y, 1}, Vec3::UnitZ(), 0.5);
  return m.finish();
}

/// A column of two bodies whose lower one is welded to the ground twice, to rise and not to rise; a pendulum beside it that has
/// nothing to do with it; a box that lies on the ground.
inline ContactProblem quarrel() {
  MechanismBuilder m;
  const int lower = m.body(1, {0, 0, 0.5}), upper = m.body(1, {0, 0, 1.5}), pendulum = m.body(3, {5, 0, 0}),
            box = m.body(2, {9, 0, 0.5}, {0.2, 0, -0.3});
  m.fixed(-1, lower, {0, 0, 0});
  m.fixed(lower, upper, {0, 0, 1});
  m.ball(-1, pendulum, {5, 0, 1});
  m.fixed(-1, lower, {0, 0, 0.2}, 0.5);
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) m.contact(-1, box, {9 + x, y, 0}, Vec3::UnitZ(), 0.4);
  return m.finish();
}

}   // namespace stickslip::testing
