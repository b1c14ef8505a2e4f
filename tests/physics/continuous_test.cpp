// Bullets: nothing passes through a sheet however fast it is, nothing is deflected by what it misses, and rebounds happen where
// and when bodies touch.
#include <random>

#include "physics/worlds.h"
#include "stickslip/geometry/shape.h"

namespace stickslip::testing {
namespace {

class Gunner {
 public:
  explicit Gunner(unsigned seed) : random_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return Vec3(normal(random_), normal(random_), normal(random_)).normalized();
  }
  Quat rotation() { return rotation_from_vector(uniform(0, M_PI) * direction()); }
  /// About a centimetre.
  Shape bullet(int kind) {
    switch (kind) {
      case 0:
        return Sphere{0.005};
      case 1:
        return Capsule{0.003, 0.006};
      case 2:
        return Box{Vec3(0.003, 0.004, 0.008)};
      case 3:
        return Cylinder{0.004, 0.008};
      default: {
        std::vector<Vec3> points;
        for (int i = 0; i < 12; ++i) points.push_back(0.006 * direction());
        return make_convex_hull(points);
      }
    }
  }

 private:
  std::mt19937 random_;
};

constexpr double kSheet = 0.001;   // thickness [m]
constexpr double kStep = 0.01;     // [s]

/// A sheet of 2 m × 2 m across the x axis, its near side at x = 0.
BodyId add_sheet(World& world, MaterialId m, MotionType motion = MotionType::fixed) {
  BodyDescription d;
  d.name = "sheet";
  d.motion = motion;
  d.parts = {{Box{Vec3(kSheet / 2, 1, 1)}, {}, m}};
  d.pose.position.x() = kSheet / 2;
  return world.add(d);
}

struct Shot {
  int kind;
  double speed;
  unsigned seed;
  double restitution;
  bool held;   // the sheet is fixed
};

/// Fires at the sheet from a random place in a random direction, with spin, so that the centre would pass its middle part.
void expect_stays_before_the_sheet(const Shot& shot) {
  Gunner gunner(shot.seed);
  World world;
  world.gravity = gunner.uniform(0, 1) < 0.5 ? Vec3(0, 0, -kGravity) : Vec3(Vec3::Zero());
  const MaterialId m = material(world, gunner.uniform(0, 0.5), shot.restitution);
  const BodyId sheet = add_sheet(world, m, shot.held ? MotionType::fixed : MotionType::dynamic);
  const Vec3 target(0, gunner.uniform(-0.3, 0.3), gunner.uniform(-0.3, 0.3));
  const Vec3 direction = Vec3(1, gunner.uniform(-1, 1), gunner.uniform(-1, 1)).normalized();
  const double flight = gunner.uniform(0.02, 1.7) * kStep;
  const Vec3 start = target - (shot.speed * flight + 0.02) * direction;
  const BodyId bullet = add_body(world, gunner.bullet(shot.kind), start, m, shot.speed * direction,
                                 gunner.uniform(0, 300) * gunner.direction(), gunner.rotation());
  Stepper stepper(options(kStep));
  const double energy = world.kinetic_energy() + world.potential_energy();
  for (int i = 0; i < 4; ++i) {
    stepper.step(world);
    const Body &s = world.body(sheet), &b = world.body(bullet);
    const Vec3 at = s.frame().to_local(b.position);   // of the bullet, from the middle of the sheet
    if (std::max(std::abs(at.y()), std::abs(at.z())) > 0.95) break;   // beside it, after it touched
    ASSERT_LT(at.x(), 0) << "kind " << shot.kind << ", " << shot.speed << " m/s, seed " << shot.seed << ", step " << i;
  }
  EXPECT_LT(world.kinetic_energy() + world.potential_energy(), energy * (1 + 1e-6)) << shot.kind << ' ' << shot.seed;
}

TEST(Bullets, never_pass_a_sheet_of_a_millimetre) {
  for (int kind = 0; kind < 5; ++kind)
    for (const double speed : {100.0, 1000.0, 3000.0})
      for (unsigned seed = 0; seed < 12; ++seed) expect_stays_before_the_sheet({kind, speed, seed, seed % 3 * 0.4, seed % 4 != 0});
}

}   // namespace
}   // namespace stickslip::testing
