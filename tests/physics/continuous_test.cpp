// Bullets: nothing passes through a sheet however fast it is, nothing is deflected by what it misses, and rebounds happen where
// and when bodies touch.
#include <cstdlib>
#include <random>

#include "physics/worlds.h"
#include "stickslip/geometry/mesh_solid.h"
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
  // Newton's impact law with friction can give energy to what is struck beside its centre of mass.
  const MaterialId m = material(world, shot.restitution > 0 ? 0 : gunner.uniform(0, 0.5), shot.restitution);
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
    const Vec3 at = s.frame().to_local(b.position);                   // of the bullet, from the middle of the sheet
    if (std::max(std::abs(at.y()), std::abs(at.z())) > 0.95) break;   // beside it, after it touched
    ASSERT_LT(at.x(), 0) << "kind " << shot.kind << ", " << shot.speed << " m/s, seed " << shot.seed << ", step " << i;
  }
  EXPECT_LT(world.kinetic_energy() + world.potential_energy(), energy * (1 + 1e-6)) << shot.kind << ' ' << shot.seed;
}

TEST(Bullets, never_pass_a_sheet_of_a_millimetre) {
  for (int kind = 0; kind < 5; ++kind)
    for (const double speed : {100.0, 1000.0, 3000.0})
      for (unsigned seed = 0; seed < 12; ++seed)
        expect_stays_before_the_sheet({kind, speed, seed, seed % 3 * 0.4, seed % 4 != 0});
}

/// As many again as STICKSLIP_SHOTS says.
TEST(Bullets, never_pass_a_sheet_in_as_many_shots_as_are_asked_for) {
  const char* asked = std::getenv("STICKSLIP_SHOTS");
  const unsigned shots = asked ? static_cast<unsigned>(std::stoul(asked)) : 20;
  Gunner gunner(77);
  for (unsigned i = 0; i < shots; ++i) {
    const double speed = std::exp(gunner.uniform(std::log(30), std::log(5000)));
    expect_stays_before_the_sheet({static_cast<int>(i % 5), speed, 1000 + i, i % 3 * 0.4, i % 4 != 0});
  }
}

// Beside the sheet, above the upper edge of it, with a clearance of a millimetre at the bullet's largest reach.
TEST(Bullets, that_miss_by_a_millimetre_are_not_deflected) {
  for (int kind = 0; kind < 5; ++kind)
    for (const double speed : {100.0, 1000.0, 3000.0})
      for (const double slope : {0.0, 0.3}) {
        Gunner gunner(static_cast<unsigned>(kind));
        World world;
        world.gravity.setZero();
        const MaterialId m = material(world, 0.5, 0.5);
        add_sheet(world, m);
        const Shape shape = gunner.bullet(kind);
        const Vec3 direction = Vec3(1, slope, 0).normalized();
        // Its way is nearest to the edge z = 1 where it is above the sheet.
        const Vec3 over(0, 0, 1 + bounding_radius(shape) + 0.001);
        const Vec3 spin = kind == 0 ? Vec3(Vec3::Zero()) : Vec3(50 * Vec3::UnitX());
        const BodyId bullet = add_body(world, shape, over - 0.4 * speed * kStep * direction, m, speed * direction, spin);
        Stepper stepper(options(kStep));
        const Vec3 from = world.body(bullet).position;
        const StepReport& report = stepper.step(world);
        const Body& b = world.body(bullet);
        EXPECT_LT((b.velocity - speed * direction).norm(), 1e-12 * speed) << kind << ' ' << speed;
        EXPECT_LT((b.position - from - kStep * speed * direction).norm(), 1e-12 * speed) << kind << ' ' << speed;
        EXPECT_EQ(report.impacts, 0);
        EXPECT_TRUE(report.contacts.empty());
        EXPECT_GT(report.distance_min, 0.0009) << kind;
        if (kind == 0) {
          EXPECT_NEAR(report.distance_min, 0.001, 1e-6) << speed;
        }
      }
}

// The plane of a sheet that a bullet flies past deflects it if contacts are generated ahead.
TEST(Bullets, are_deflected_by_what_they_miss_if_they_only_have_margins) {
  World world;
  world.gravity.setZero();
  const MaterialId m = material(world, 0.5);
  add_sheet(world, m);
  const BodyId bullet = add_body(world, Sphere{0.005}, Vec3(-5, 0, 1.006), m, Vec3(1000, 0, 0));
  world.mutable_bodies()[bullet.index].continuous = Continuous::margin;
  Stepper stepper(options(kStep));
  stepper.step(world);
  EXPECT_GT((world.body(bullet).velocity - Vec3(1000, 0, 0)).norm(), 1);
}

TEST(Bullets, pass_through_what_is_thin_if_they_do_not_look_ahead) {
  World world;
  world.gravity.setZero();
  const MaterialId m = material(world, 0.5);
  add_sheet(world, m);
  const BodyId bullet = add_body(world, Sphere{0.005}, Vec3(-5, 0, 0), m, Vec3(1000, 0, 0));
  world.mutable_bodies()[bullet.index].continuous = Continuous::off;
  Stepper stepper(options(kStep));
  stepper.step(world);
  EXPECT_EQ(world.body(bullet).position.x(), 5);
}

// x(h) = wall − (h − s) e v with s when it arrives; the gap at which impacts are met is 1e-4 of the thickness at most.
TEST(Bullets, rebound_where_and_when_they_touch) {
  for (int kind = 0; kind < 5; ++kind)
    for (const double e : {0.3, 0.8, 1.0}) {
      World world;
      world.gravity.setZero();
      const MaterialId m = material(world, 0, e);
      add_sheet(world, m);
      Gunner gunner(3);
      const Shape shape = gunner.bullet(kind);
      const double front = support(shape, Vec3::UnitX()).x(), speed = 700, way = 3;
      const BodyId bullet = add_body(world, shape, Vec3(-way - front, 0, 0), m, Vec3(speed, 0, 0));
      Stepper stepper(options(kStep));
      const StepReport& report = stepper.step(world);
      const Body& b = world.body(bullet);
      EXPECT_EQ(report.impacts, 1) << kind;
      EXPECT_EQ(report.pieces, 2) << kind;
      if (kind < 4) {   // a hull is struck beside its centre of mass, and turns
        EXPECT_NEAR(b.velocity.x(), -e * speed, 1e-6 * speed) << kind;
        EXPECT_NEAR(b.position.x(), -front - (kStep - way / speed) * e * speed, 1e-6) << kind << ' ' << e;
      }
      const EnergyLedger& ledger = report.energy;
      EXPECT_NEAR(ledger.kinetic_end - ledger.kinetic_start, -ledger.friction - ledger.impact + ledger.integration,
                  1e-9 * ledger.kinetic_start);
      EXPECT_NEAR(ledger.integration, 0, 1e-9 * ledger.kinetic_start) << kind;
      EXPECT_NEAR(report.distance_min, 0, 1e-4 * kSheet);
    }
}

// Under gravity the first touch is where the parabola of mean velocities meets the ground, whatever the steps.
TEST(Bullets, fall_with_the_step_where_it_is_cut) {
  World world;
  const MaterialId m = material(world, 0, 1);
  add_ground(world, m);
  const double radius = 0.005, height = 2, down = 30;
  const BodyId ball = add_body(world, Sphere{radius}, Vec3(0, 0, radius + height), m, Vec3(0, 0, -down));
  world.mutable_bodies()[ball.index].continuous = Continuous::impact;
  Stepper stepper(options(kStep));
  simulate(world, stepper, 0.1);
  // z = h − v t − g t²/2 until it touches, then up with the speed that it has.
  const double speed = std::sqrt(down * down + 2 * kGravity * height), touch = (speed - down) / kGravity, rest = 0.1 - touch;
  EXPECT_NEAR(world.body(ball).position.z(), radius + speed * rest - 0.5 * kGravity * rest * rest, 0.005 * height);
}

TEST(Bullets, that_meet_head_on_collide) {
  for (const double e : {0.0, 0.5, 1.0}) {
    World world;
    world.gravity.setZero();
    const MaterialId m = material(world, 0, e);
    const BodyId a = add_body(world, Sphere{0.005}, Vec3(-4, 0, 0), m, Vec3(1000, 0, 0));
    const BodyId b = add_body(world, Sphere{0.005}, Vec3(4, 0.002, 0), m, Vec3(-1000, 0, 0));
    Stepper stepper(options(kStep));
    for (int i = 0; i < 3; ++i) {
      EXPECT_GT(stepper.step(world).distance_min, -1e-6) << e;
      EXPECT_GT((world.body(b).position - world.body(a).position).norm(), 0.01 - 1e-6) << e;
    }
    // The centres are 2 mm apart across the way: along the line through them at the touch the speed is e of what it was.
    const Vec3 n = Vec3(std::sqrt(0.01 * 0.01 - 0.002 * 0.002), 0.002, 0) / 0.01;
    const Vec3 after = world.body(b).velocity - world.body(a).velocity;
    EXPECT_NEAR(after.dot(n), e * 2000 * n.x(), 1e-3 * 2000) << e;
    EXPECT_NEAR(after.cross(n).norm(), 2000 * n.y(), 1e-3 * 2000) << e;
    EXPECT_LT((world.body(a).velocity + world.body(b).velocity).norm(), 1e-9);
  }
}

// Two posts, 12 mm apart, and a ball of 10 mm: it passes in the middle, and strikes a post if it is 2 mm beside it.
TEST(Bullets, pass_a_gate_that_is_wide_enough_for_them) {
  for (const double beside : {0.0, 0.0009, 0.002}) {
    World world;
    world.gravity.setZero();
    const MaterialId m = material(world, 0, 0.5);
    for (const double side : {-1.0, 1.0}) {
      BodyDescription post;
      post.motion = MotionType::fixed;
      post.parts = {{Cylinder{0.01, 0.5}, {}, m}};
      post.pose.position.y() = side * 0.016;
      world.add(post);
    }
    const BodyId ball = add_body(world, Sphere{0.005}, Vec3(-1.3, beside, 0), m, Vec3(300, 0, 0));
    Stepper stepper(options(kStep));
    int cuts = 0;
    for (int i = 0; i < 2; ++i) cuts += stepper.step(world).impacts;
    const Body& b = world.body(ball);
    if (beside < 0.001) {
      EXPECT_EQ(cuts, 0);
      EXPECT_LT((b.velocity - Vec3(300, 0, 0)).norm(), 1e-9);
      EXPECT_NEAR(b.position.x(), -1.3 + 2 * 300 * kStep, 1e-9);
    } else {
      EXPECT_GT(cuts, 0);
      EXPECT_GT(std::abs(b.velocity.y()), 1);
      EXPECT_LE(b.velocity.norm(), 300 * (1 + 1e-9));
    }
  }
}

TEST(Bullets, fast_driven_plates_take_along_what_they_meet) {
  for (const double speed : {100.0, 1000.0}) {
    World world;
    world.gravity.setZero();
    const MaterialId m = material(world, 0);
    BodyDescription plate;
    plate.motion = MotionType::kinematic;
    plate.parts = {{Box{Vec3(kSheet / 2, 0.2, 0.2)}, {}, m}};
    plate.pose.position.x() = -0.3 * speed * kStep;
    plate.velocity.x() = speed;
    const BodyId driven = world.add(plate);
    const BodyId met = add_body(world, Sphere{0.005}, Vec3::Zero(), m);
    const BodyId missed = add_body(world, Sphere{0.005}, Vec3(0, 0, 0.206), m);
    Stepper stepper(options(kStep));
    for (int i = 0; i < 3; ++i) {
      stepper.step(world);
      EXPECT_GT(world.body(met).position.x(), world.body(driven).position.x()) << speed;
    }
    EXPECT_NEAR(world.body(met).velocity.x(), speed, 1e-6 * speed);
    EXPECT_TRUE(world.body(missed).velocity.isZero(0)) << speed;
  }
}

// Bodies that only touch after a rebound: between two walls, and beside what is behind a wall.
TEST(Bullets, that_rebound_are_followed_through_the_rest_of_the_step) {
  World world;
  world.gravity.setZero();
  const MaterialId m = material(world, 0, 1);
  for (const double x : {-1.0, 1.0}) {
    BodyDescription wall;
    wall.motion = MotionType::fixed;
    wall.parts = {{Box{Vec3(kSheet, 1, 1)}, {}, m}};
    wall.pose.position.x() = x;
    world.add(wall);
  }
  const double radius = 0.005, room = 2 - 2 * kSheet - 2 * radius, speed = 500;
  const BodyId ball = add_body(world, Sphere{radius}, Vec3::Zero(), m, Vec3(speed, 0, 0));
  Stepper stepper(options(kStep));
  const StepReport& report = stepper.step(world);
  EXPECT_EQ(report.impacts, 3);
  // Half the room to the right wall, across to the left one and back to the right one, and then to the left again.
  const double left = speed * kStep - 2.5 * room;
  EXPECT_NEAR(world.body(ball).position.x(), room / 2 - left, 1e-6);
  EXPECT_NEAR(std::abs(world.body(ball).velocity.x()), speed, 1e-6 * speed);
}

TEST(Bullets, have_the_same_bits_for_every_number_of_threads) {
  std::uint64_t hash = 0;
  for (const int threads : {1, 2, 4}) {
    World world;
    const MaterialId m = material(world, 0.3, 0.5);
    add_ground(world, m);
    Gunner gunner(9);
    for (int i = 0; i < 25; ++i)
      add_body(world, gunner.bullet(i % 5), Vec3(0.1 * (i % 5), 0.1 * (i / 5), 1), m, 200 * gunner.direction(),
               100 * gunner.direction(), gunner.rotation());
    StepOptions o = options(kStep);
    o.threads = threads;
    Stepper stepper(o);
    for (int i = 0; i < 5; ++i) stepper.step(world);
    if (threads == 1) hash = world.state_hash();
    EXPECT_EQ(world.state_hash(), hash) << threads;
  }
}

// A ball of 1 kg hits the lower end of a chain that hangs in a corner of its step.
TEST(Bullets, that_hit_a_chain_leave_its_joints_closed) {
  for (const double e : {0.0, 0.5}) {
    World world;
    const MaterialId m = material(world, 0.3, e);
    BodyId above;
    for (int i = 0; i < 6; ++i) {
      const BodyId link = add_body(world, Box{Vec3(0.01, 0.01, 0.05)}, Vec3(0, 0, -0.05 - 0.1 * i), m);
      JointDescription joint;
      joint.type = JointType::ball;
      joint.a = above;
      joint.b = link;
      place_joint(joint, world, Vec3(0, 0, -0.1 * i), Vec3::UnitZ());
      world.add(joint);
      above = link;
    }
    Stepper stepper(options(kStep));
    simulate(world, stepper, 0.1);
    const BodyId ball = add_body(world, Sphere{0.005}, Vec3(-2.2, 0, -0.555), m, Vec3(300, 0, 0));
    const double energy = world.kinetic_energy() + world.potential_energy();
    int cuts = 0;
    double off = 0;
    simulate(world, stepper, 0.2, [&](const StepReport& report) {
      cuts += report.impacts;
      off = std::max(off, report.joint_error_max);
      EXPECT_LT(world.kinetic_energy() + world.potential_energy(), energy * 1.001) << e;
    });
    EXPECT_GT(cuts, 0);
    EXPECT_LT(world.body(ball).velocity.x(), 290);
    EXPECT_LT(off, 1e-5) << e;
  }
}

// Beads are balls that move on their own.
TEST(Bullets, beads_do_not_pass_a_sheet_either) {
  World world;
  world.gravity.setZero();
  const MaterialId m = material(world, 0.3);
  add_sheet(world, m);
  NodalDescription beads;
  for (int i = 0; i < 5; ++i) beads.positions.push_back(Vec3(-1 - i, 0.1 * i, 0));
  beads.radius = 0.003;
  beads.velocity = Vec3(800, 100, 0);
  beads.material = m;
  world.add(beads);
  Stepper stepper(options(kStep));
  for (int i = 0; i < 3; ++i) {
    stepper.step(world);
    for (const Vec3& at : world.nodal_bodies()[0].positions)
      if (std::abs(at.y()) < 0.95) {
        EXPECT_LT(at.x(), 0) << i;
      }
  }
}

TEST(Bullets, that_rest_on_something_are_not_cut_by_it) {
  World world;
  const MaterialId m = material(world, 0.3, 0.5);
  add_ground(world, m);
  const BodyId box = add_body(world, Box{Vec3::Constant(0.05)}, Vec3(0, 0, 0.05), m);
  world.mutable_bodies()[box.index].continuous = Continuous::impact;
  Stepper stepper(options(kStep));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(stepper.step(world).impacts, 0) << i;
  EXPECT_NEAR(world.body(box).position.z(), 0.05, 1e-5);
}

/// Closed surface of a box, each side divided.
Mesh box_mesh(const Vec3& half, int divisions) {
  TriangleMesh mesh;
  const auto vertex = [&](const Vec3& at) {
    for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i)
      if ((mesh.vertices[i] - at).norm() < 1e-12) return i;
    mesh.vertices.push_back(at);
    return static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      for (int i = 0; i < divisions; ++i)
        for (int k = 0; k < divisions; ++k) {
          const auto corner = [&](int u, int v) {
            Vec3 at;
            at[axis] = side;
            at[(axis + 1) % 3] = 2.0 * (i + u) / divisions - 1;
            at[(axis + 2) % 3] = 2.0 * (k + v) / divisions - 1;
            return vertex(half.cwiseProduct(at));
          };
          const std::uint32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          for (std::array<std::uint32_t, 3> triangle : {std::array{a, b, c}, std::array{a, c, d}}) {
            if (side < 0) std::swap(triangle[1], triangle[2]);
            mesh.triangles.push_back(triangle);
          }
        }
  return make_mesh(std::move(mesh));
}

TEST(Bullets, never_pass_a_sheet_that_is_a_mesh) {
  const Mesh sheet = box_mesh(Vec3(kSheet / 2, 1, 1), 4);
  const Mesh block = box_mesh(Vec3(0.003, 0.004, 0.006), 1);
  for (int kind = 0; kind < 6; ++kind)
    for (const double speed : {100.0, 1000.0})
      for (unsigned seed = 0; seed < (kind == 5 ? 20u : 6u); ++seed) {
        Gunner gunner(seed);
        World world;
        world.gravity.setZero();
        const double e = seed % 2 * 0.5;
        const MaterialId m = material(world, e > 0 ? 0 : 0.3, e);
        BodyDescription d;
        d.motion = MotionType::fixed;
        d.parts = {{sheet, {}, m}};
        d.pose.position.x() = kSheet / 2;
        world.add(d);
        const Vec3 direction = Vec3(1, gunner.uniform(-1, 1), gunner.uniform(-1, 1)).normalized();
        const Vec3 start = Vec3(0, gunner.uniform(-0.2, 0.2), gunner.uniform(-0.2, 0.2)) -
                           (speed * kStep * gunner.uniform(0.02, 1.5) + 0.02) * direction;
        const Shape shape = kind == 5 ? Shape(block) : gunner.bullet(kind);
        const BodyId bullet = add_body(world, shape, start, m, speed * direction, 100 * gunner.direction(), gunner.rotation());
        Stepper stepper(options(kStep));
        for (int i = 0; i < 3; ++i) {
          stepper.step(world);
          const Vec3 at = world.body(bullet).position;
          if (std::max(std::abs(at.y()), std::abs(at.z())) > 0.95) break;
          ASSERT_LT(at.x(), kSheet / 2) << "kind " << kind << ", " << speed << " m/s, seed " << seed << ", step " << i;
        }
      }
}

TEST(Bullets, that_miss_a_mesh_are_not_deflected) {
  const Mesh sheet = box_mesh(Vec3(kSheet / 2, 1, 1), 4);
  for (int kind = 0; kind < 5; ++kind) {
    Gunner gunner(static_cast<unsigned>(kind));
    World world;
    world.gravity.setZero();
    const MaterialId m = material(world, 0.5, 0.5);
    BodyDescription d;
    d.motion = MotionType::fixed;
    d.parts = {{sheet, {}, m}};
    world.add(d);
    const Shape shape = gunner.bullet(kind);
    const BodyId bullet = add_body(world, shape, Vec3(-4, 0, 1.001 + bounding_radius(shape)), m, Vec3(1000, 0, 0));
    const double from = world.body(bullet).position.x();
    Stepper stepper(options(kStep));
    const StepReport& report = stepper.step(world);
    EXPECT_LT((world.body(bullet).velocity - Vec3(1000, 0, 0)).norm(), 1e-9) << kind;
    EXPECT_NEAR(world.body(bullet).position.x(), from + 10, 1e-9) << kind;
    EXPECT_EQ(report.impacts, 0) << kind;
  }
}

}   // namespace
}   // namespace stickslip::testing
