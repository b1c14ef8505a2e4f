// Nothing passes anything, however it turns and moves: soups of all kinds of bodies between half-spaces that scripts turn,
// judged by poses and shapes, without the code of barriers.
#include <cstdlib>
#include <optional>
#include <random>

#include "joint_worlds.h"
#include "scene/exact_judge.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"

namespace stickslip::testing {
namespace {

/// One or two half-spaces that turn about pivots up to 10 m away, and things in front of them. Some of these go with the first
/// half-space, some somewhere else, some are fixed or turned by scripts and hold others up.
class Soup {
 public:
  World world;
  StepOptions options;
  std::vector<BodyId> planes;
  bool holds = false;   ///< whether something is there that the half-spaces cannot push

  enum class Of { driven, still, joined };
  /// @param of joined: chains; but for driven ones what scripts would move is fixed
  explicit Soup(unsigned seed, Of of = Of::driven) : still_(of != Of::driven), random_(seed) {
    options.integrator = "barrier";
    options.h = size_between(1e-4, 0.1);
    options.max_iterations = 30;
    const double speed = size_between(1, 1000), turn = size_between(1e-3, 2.5) / options.h;
    world.gravity = kGravity * (is(0.5) ? Vec3(Vec3::Zero()) : direction());
    const MaterialId m = material(world, between(0, 1));
    add_half_space(m, direction(), 0, speed, turn);
    if (is(0.3)) {
      const Vec3 facing = -(world.body(planes[0]).orientation * Vec3::UnitZ());
      add_half_space(m, (facing + 0.3 * direction()).normalized(), -2, between(0, 1) * speed, turn);
      holds = true;
    }
    for (int k = 0; k < 4; ++k) of == Of::joined ? add_chain(m, speed) : add_something(m, speed);
  }

 private:
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double size_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  bool is(double chance) { return between(0, 1) < chance; }
  Vec3 direction() {
    const Vec3 d(between(-1, 1), between(-1, 1), between(-1, 1));
    return d.norm() > 0.1 ? Vec3(d.normalized()) : direction();
  }

  Pose pose_of(BodyId plane) const {
    const Body& b = world.body(plane);
    return Pose{b.position, b.orientation} * world.colliders()[b.colliders[0]].local;
  }

  void add_half_space(MaterialId m, const Vec3& normal, double offset, double speed, double turn) {
    BodyDescription d;
    d.motion = still_ ? MotionType::fixed : MotionType::kinematic;
    if (is(0.7)) d.pose.position = size_between(0.01, 10) * direction();
    d.pose.orientation = rotation_between(Vec3::UnitZ(), normal);
    d.parts = {{HalfSpace{}, {d.pose.to_local(offset * normal), Quat::Identity()}, m}};
    d.velocity = between(-0.3, 1) * speed * (is(0.5) ? normal : direction());
    if (is(0.8)) d.angular_velocity = between(0.1, 1) * turn * direction();
    if (still_) d.velocity = d.angular_velocity = Vec3::Zero();
    planes.push_back(world.add(d));
  }

  bool is_free(const Vec3& at, double size) const {
    for (const BodyId plane : planes)
      if (pose_of(plane).to_local(at).z() < 1.75 * size) return false;
    for (const auto& [place, other] : taken_)
      if ((place - at).norm() < 1.75 * (size + other)) return false;
    return true;
  }

  /// A place before the first half-space for something of a size.
  std::optional<Vec3> take_place(double size) {
    const Pose plane = pose_of(planes[0]);
    for (int tries = 0; tries < 100; ++tries) {
      const double out = size_between(0.1, 3), gap = tries < 50 ? size_between(1e-4, 1) : size_between(0.01, 10);
      const Vec3 at = plane * Vec3(between(-out, out), between(-out, out), size * (1.75 + gap));
      if (!is_free(at, size)) continue;
      taken_.emplace_back(at, size);
      return at;
    }
    return std::nullopt;
  }

  /// Two to four boxes on hinges or balls, which turn as one.
  void add_chain(MaterialId m, double speed) {
    const int count = 2 + static_cast<int>(between(0, 3));
    const double size = size_between(0.01, 0.3), length = 1.6 * size / count;   // from joint to joint
    const std::optional<Vec3> middle = take_place(size);
    if (!middle) return;
    const Quat turned(Eigen::AngleAxisd(between(0, 3), direction()));
    const Vec3 velocity = speed * direction(), spin = size_between(0.01, 1) / options.h * direction();
    BodyId last;
    for (int k = 0; k < count; ++k) {
      const Vec3 arm = turned * Vec3(length * (k - 0.5 * (count - 1)), 0, 0);
      BodyDescription d;
      d.pose = {*middle + arm, turned};
      d.velocity = velocity + spin.cross(arm);
      d.angular_velocity = spin;
      d.parts = {{Box{{0.45 * length, between(0.05, 0.4) * size, between(0.05, 0.4) * size}}, {}, m}};
      const BodyId id = world.add(d);
      const Vec3 anchor = *middle + arm - turned * Vec3(0.5 * length, 0, 0);
      if (k > 0) join(world, is(0.5) ? JointType::ball : JointType::hinge, last, id, anchor, turned * direction());
      else if (is(0.2)) join(world, JointType::ball, kWorld, id, anchor);
      last = id;
    }
  }

  void add_something(MaterialId m, double speed) {
    const double size = size_between(0.01, 0.3);
    const std::optional<Vec3> place = take_place(size);
    if (!place) return;
    const Vec3 at = *place;
    const Body& carrier = world.body(planes[0]);
    BodyDescription d;
    d.pose = {at, Quat(Eigen::AngleAxisd(between(0, 3), direction()))};
    if (is(0.5)) {
      d.velocity = carrier.velocity_at(at);
      d.angular_velocity = carrier.angular_velocity;
    } else if (is(0.7)) {
      d.velocity = speed * direction();
      d.angular_velocity = size_between(0.01, 1) / options.h * direction();
    }
    if (is(0.15)) return add_soft(d, size, m);
    d.parts = {{shape(size), {}, m}};
    if (is(0.25)) {
      d.motion = still_ || is(0.5) ? MotionType::fixed : MotionType::kinematic;
      if (d.motion == MotionType::fixed) d.velocity = d.angular_velocity = Vec3::Zero();
      holds = true;
    }
    world.add(d);
  }

  /// Within 1.74 times its size.
  Shape shape(double size) {
    switch (static_cast<int>(between(0, 5))) {
      case 0:
        return Sphere{size};
      case 1:
        return Capsule{0.4 * size, size};
      case 2:
        return Cylinder{size, size};
      case 3:
        return Box{{size, size, 0.05 * size}};
      default:
        return Box{Vec3::Constant(size)};
    }
  }

  void add_soft(const BodyDescription& like, double size, MaterialId m) {
    const TetMesh mesh = soft_box(Vec3::Constant(size), 2 * size);
    SoftDescription d;
    d.solid = std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra, SoftMaterial{.young = 1e5});
    d.pose = like.pose;
    d.material = m;
    const BodyId id = world.add(d);
    for (Vec3& v : world.mutable_nodal_bodies()[world.body(id).place].velocities) v = like.velocity;
  }

  bool still_;
  std::mt19937 random_;
  std::vector<std::pair<Vec3, double>> taken_;   ///< places and sizes
};

/// `STICKSLIP_SOUPS=3000` takes as many.
unsigned soups() {
  const char* many = std::getenv("STICKSLIP_SOUPS");
  return many ? static_cast<unsigned>(std::atoi(many)) : 40;
}

TEST(BarrierSoups, nothing_passes_anything_however_it_turns_and_moves) {
  int near = 0, followed = 0;
  for (unsigned seed = 0; seed < soups(); ++seed) {
    Soup soup(seed);
    Stepper stepper(soup.options);
    for (int k = 0; k < 4; ++k) {
      const Body before = soup.world.body(soup.planes[0]);
      const StepReport& report = stepper.step(soup.world);
      near += std::isfinite(report.distance_min);
      EXPECT_EQ(ExactJudge(soup.world).meeting(), std::nullopt)
          << "soup " << seed << ", h " << soup.options.h << ", step " << k;
      EXPECT_NE(report.outcome.status, SolveStatus::failed) << "soup " << seed << ", step " << k;
      if (soup.holds || report.outcome.status != SolveStatus::converged) continue;
      // Where nothing stops it, it goes where its script wants it, as by closed form.
      const Body& after = soup.world.body(soup.planes[0]);
      const double h = soup.options.h;
      const Quat turned = rotation_from_vector(h * before.angular_velocity) * before.orientation;
      const double miss = (after.position - before.position - h * before.velocity).norm(),
                   off = after.orientation.angularDistance(turned);
      EXPECT_LT(miss, 1e-3 * (h * before.velocity.norm() + 1e-3)) << "soup " << seed << ", step " << k;
      EXPECT_LT(off, 1e-3) << "soup " << seed << ", step " << k;
      ++followed;
    }
  }
  EXPECT_GT(near, static_cast<int>(soups()));
  EXPECT_GT(followed, static_cast<int>(soups() / 2));
}

/// Where nothing is driven, of single bodies and of chains. In steps that do not settle forces are not what changed momenta:
/// what friction and blows are said to have taken there, which may be more than there was, does not count.
TEST(BarrierSoups, no_step_adds_a_thousandth_of_the_energy_that_was_there) {
  double struck = 0;   // energy that was lost [J]
  for (const Soup::Of of : {Soup::Of::still, Soup::Of::joined})
    for (unsigned seed = 0; seed < soups(); ++seed) {
      Soup soup(seed, of);
      Stepper stepper(soup.options);
      double whole = 0;   // kinetic energy, at most so far [J]
      for (int k = 0; k < 4; ++k) {
        const StepReport& report = stepper.step(soup.world);
        const EnergyLedger& e = report.energy;
        whole = std::max({whole, e.kinetic_start, e.kinetic_end});
        const bool settled = report.outcome.status == SolveStatus::converged;
        const double gain = e.integration - (settled ? 0.0 : std::max(0.0, e.friction) + std::max(0.0, e.impact));
        EXPECT_LE(gain, 1e-3 * whole + 1e-9)
            << "soup " << seed << (of == Soup::Of::joined ? " of chains" : "") << ", h " << soup.options.h << ", step " << k;
        struck += std::max(0.0, -e.integration);
      }
    }
  EXPECT_GT(struck, 0);
}

}   // namespace
}   // namespace stickslip::testing
