// Nothing goes through thin boards: bodies of every shape, thrown at random or struck while they lie on the board.
#include <array>
#include <random>

#include "physics/worlds.h"
#include "stickslip/geometry/shape.h"

namespace stickslip::testing {
namespace {

class Thrower {
 public:
  explicit Thrower(unsigned seed) : random_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return Vec3(normal(random_), normal(random_), normal(random_)).normalized();
  }
  Quat rotation() { return rotation_from_vector(uniform(0, M_PI) * direction()); }
  Shape shape(std::size_t kind, double size) {
    switch (kind) {
      case 0:
        return Sphere{size * uniform(0.2, 0.6)};
      case 1:
        return Box{size * Vec3(uniform(0.05, 0.5), uniform(0.05, 0.5), 1)};
      case 2:
        return Capsule{size * uniform(0.1, 0.3), size * uniform(0.3, 1)};
      case 3:
        return Cylinder{size * uniform(0.1, 1), size * uniform(0.1, 1)};
      default: {
        std::vector<Vec3> points;
        const Vec3 extents(uniform(0.2, 1), uniform(0.2, 1), uniform(0.2, 1));
        for (int i = 0; i < 14; ++i) points.push_back(size * direction().cwiseProduct(extents));
        return make_convex_hull(points);
      }
    }
  }

 private:
  std::mt19937 random_;
};

Shape board(bool hull, double size, double thickness) {
  const Vec3 half(20 * size, 20 * size, thickness / 2);
  if (!hull) return Box{half};
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) corners.push_back(half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  return make_convex_hull(corners);
}

double lowest(const Shape& shape, const Quat& q) { return (q * support(shape, q.conjugate() * Vec3(0, 0, -1))).z(); }
double highest(const Shape& shape, const Quat& q) { return (q * support(shape, q.conjugate() * Vec3(0, 0, 1))).z(); }

struct Trial {
  std::size_t kind;
  bool hull;          // the board is a hull
  double speed;       // [√(g · size)]
  double thickness;   // of the board [size]
  unsigned seed;
};

// The centre of a body of size 0.1 m, times the scale, stays above the middle of the board for half a second, times √scale.
void expect_stays_above(const Trial& t, const Scale& scale, bool struck) {
  Thrower thrower(t.seed);
  const double size = 0.1 * scale.size, speed = t.speed * std::sqrt(kGravity * size);
  World world;
  const MaterialId m = material(world, thrower.uniform(0, 0.8));
  BodyDescription d;
  d.motion = MotionType::fixed;
  d.parts = {{board(t.hull, size, t.thickness * size), {}, m}};
  d.pose.position.z() = -0.5 * t.thickness * size;
  world.add(d);

  const Shape shape = thrower.shape(t.kind, size);
  const Quat q = thrower.rotation();
  BodyId body;
  if (struck) {
    const double bottom = 0.01 * size - lowest(shape, q);
    body = add_body(world, shape, Vec3(0, 0, bottom), m, Vec3::Zero(), Vec3::Zero(), q);
    BodyDescription hammer;
    hammer.parts = {{Sphere{size}, {}, m}};
    hammer.mass = 100 * world.body(body).mass.mass;
    hammer.pose.position = size * Vec3(thrower.uniform(-0.2, 0.2), thrower.uniform(-0.2, 0.2), 1.05);
    hammer.pose.position.z() += bottom + highest(shape, q) + 0.01 * scale.time() * speed * thrower.uniform(0, 1);
    hammer.velocity.z() = -speed;
    world.add(hammer);
  } else {
    const Vec3 velocity = speed * Vec3(thrower.uniform(-0.3, 0.3), thrower.uniform(-0.3, 0.3), -1);
    const Vec3 spin = thrower.uniform(0, 30) / scale.time() * thrower.direction();
    body = add_body(world, shape, Vec3(0, 0, thrower.uniform(0, 1) * size - lowest(shape, q)), m, velocity, spin, q);
  }
  Stepper stepper(options(0.01 * scale.time()));
  for (int step = 0; step < 50; ++step) {
    stepper.step(world);
    const Vec3 at = world.body(body).position;
    if (std::max(std::abs(at.x()), std::abs(at.y())) > 18 * size) return;   // over the edge
    ASSERT_GT(at.z(), -0.5 * t.thickness * size) << shape_name(t.kind) << (t.hull ? " on a hull" : " on a box") << ", speed "
                                                 << t.speed << ", seed " << t.seed << ", step " << step;
  }
}

class Tunnelling : public AtScale {};

// Speeds are about m/s for bodies of 0.1 m. What a hundred times its mass strikes at 30 m/s may turn by several radians within
// the step.
void expect_all_stay_above(const Scale& scale, bool struck) {
  const std::array<double, 4> speeds = struck ? std::array{1.0, 3.0, 10.0, 30.0} : std::array{1.0, 5.0, 15.0, 30.0};
  for (const std::size_t kind : {0, 1, 2, 3, 5})
    for (const bool hull : {false, true})
      for (const double speed : speeds)
        for (unsigned seed = 0; seed < 8; ++seed)
          expect_stays_above({kind, hull, speed, seed % 2 ? 0.05 : 0.2, seed}, scale, struck);
}

TEST_P(Tunnelling, no_thrown_body_goes_through_a_board) { expect_all_stay_above(GetParam(), false); }
TEST_P(Tunnelling, no_body_is_struck_through_a_board) { expect_all_stay_above(GetParam(), true); }
INSTANTIATE_TEST_SUITE_P(Scales, Tunnelling, kScales, scale_name);

// A square rod that stands on its edge at 30° to the vertical tips over and comes to lie flat. Its thickness is a hundredth
// of its length.
TEST(Tumbling, a_rod_that_tips_over_does_not_sink_into_what_it_falls_on) {
  const double half = 0.005;
  const Quat q = rotation_from_vector(Vec3(0, M_PI / 3, 0));
  for (int ground = 0; ground < 3; ++ground) {
    World world;
    const MaterialId m = material(world, 0.5);
    if (ground == 0) {
      add_ground(world, m);
    } else {
      BodyDescription d;
      d.motion = MotionType::fixed;
      d.parts = {{board(ground == 2, 0.1, 0.1), {}, m}};
      d.pose.position.z() = -0.05;
      world.add(d);
    }
    const Shape rod = Box{Vec3(half, half, 0.5)};
    const BodyId body = add_body(world, rod, Vec3(0, 0, 1e-4 - lowest(rod, q)), m, Vec3::Zero(), Vec3::Zero(), q);
    Stepper stepper(options(0.01));
    double deepest = 0;
    simulate(world, stepper, 2, [&](const StepReport&) {
      const Body& b = world.body(body);
      deepest = std::max(deepest, -b.position.z() - lowest(rod, b.orientation));
    });
    EXPECT_LT(deepest, 0.03 * 2 * half) << ground;
    EXPECT_NEAR(world.body(body).position.z(), half, 0.01 * half) << ground;
    EXPECT_LT(world.body(body).angular_velocity.norm(), 0.01) << ground;
  }
}

// Corners of boxes that tumble onto each other fly on arcs, and come down where no contact was when the step began.
TEST(Tumbling, boxes_that_fall_onto_each_other_sink_in_by_less_than_a_fiftieth) {
  for (const unsigned seed : {1u, 2u}) {
    Thrower thrower(seed);
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    for (int i = 0; i < 45; ++i) {
      const Vec3 place(0.36 * (i % 3), 0.36 * (i / 3 % 3), 0.3 + 0.36 * (i / 9));
      add_body(world, Box{Vec3::Constant(0.1)}, place, m, Vec3::Zero(), 10 * thrower.direction(), thrower.rotation());
    }
    Stepper stepper(options(0.01, 200));
    double deepest = 0;
    simulate(world, stepper, 0.8, [&](const StepReport& r) { deepest = std::max(deepest, r.penetration_max); });
    EXPECT_LT(deepest, 0.02 * 0.2) << seed;
  }
}

}   // namespace
}   // namespace stickslip::testing
