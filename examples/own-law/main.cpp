// A friction law that Stickslip does not have: the climbing skin under a ski, which glides forward and holds backward.
//
// The set: F(n) = { λ : ‖λ‖ ≤ μ n, λ_t ≥ 0 }, half of Coulomb's disc. Sliding along +t would need friction along −t, of which
// there is none.
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>

#include "stickslip/friction/set_maker.h"
#include "stickslip/friction/surface_law.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/files.h"
#include "stickslip/solve/registry.h"
#include "stickslip/step/stepper.h"
#include "stickslip/world/world.h"

using namespace stickslip;

/// The set as solvers see it. Two functions are enough; derivatives and boxes have defaults made from them.
class HalfDisc final : public ConvexSet<2> {
 public:
  explicit HalfDisc(double mu) : mu_(mu) {}
  std::string_view name() const override { return "half-disc"; }
  std::vector<double> parameters() const override { return {mu_}; }

  Vec2 project(double normal, const Vec2& trial) const override {
    const Vec2 half(std::max(trial.x(), 0.0), trial.y());   // on the half-plane, then on the disc around its edge
    const double radius = mu_ * std::max(normal, 0.0), size = half.norm();
    return size > radius ? Vec2(half * (radius / size)) : half;
  }
  Vec2 support_point(const Vec2& direction) const override {
    const Vec2 half(std::max(direction.x(), 0.0), direction.y());
    return half.norm() > 0 ? Vec2(mu_ * half.normalized()) : Vec2(0, 0);
  }

 private:
  double mu_;
};

/// The law as materials and scenes state it: {"law": "climbing-skin", "friction": 0.5}.
void add_climbing_skin() {
  SurfaceLawInfo info;
  info.name = "climbing-skin";
  info.summary = "Glides along the structure, holds in every other direction";
  info.rows = 2;
  info.parameters = {{"friction", "", "coefficient of friction μ backward and aside", 0.5, 0, true}};
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    const CustomFriction<2> set{std::make_shared<HalfDisc>(law.numbers[0])};   // once for all contacts
    // The impulse of a contact acts on body B. The skin shall treat alike what slides over it, whether that is A or B.
    return [set](const ContactSite& site) {
      return LocalFriction{(site.frame_of_b ? -1.0 : 1.0) * site.material_direction(), set};
    };
  };
  add_surface_law(info);
  // So that problem files can hold the set.
  add_set_maker("half-disc", [](std::span<const double> numbers) -> FrictionSet {
    if (numbers.size() != 1) throw Error("A half-disc takes one number, its radius.");
    return CustomFriction<2>{std::make_shared<HalfDisc>(numbers[0])};
  });
}

int main() try {
  add_climbing_skin();
  const double mu = 0.5, speed = 2, g = 9.81;
  World world;
  Material skin, snow;
  skin.name = "skin";
  snow.name = "snow";
  skin.surface.structure = FixedStructure{Vec3::UnitX()};
  const MaterialId skin_id = world.materials.add(skin), snow_id = world.materials.add(snow);
  SurfacePair pair;
  pair.law = std::make_shared<const SurfaceLaw>(make_surface_law("climbing-skin", {{"friction", mu}}));
  pair.fixed_to = skin_id;
  world.materials.set_pair(skin_id, snow_id, pair);

  BodyDescription ground;
  ground.motion = MotionType::fixed;
  ground.parts = {{HalfSpace{}, {}, skin_id}};
  world.add(ground);
  BodyId blocks[2];
  for (const int i : {0, 1}) {
    BodyDescription block;
    block.parts = {{Box{{0.2, 0.2, 0.02}}, {}, snow_id}};
    block.pose.position = {0, double(i), 0.02};
    block.velocity = {i == 0 ? speed : -speed, 0, 0};
    blocks[i] = world.add(block);
  }

  StepOptions options;
  options.h = 0.001;
  Stepper stepper(options);
  for (int i = 0; i < 100; ++i) stepper.step(world);

  // The contact problem of a step, with the set in it, goes to a file and back.
  ProblemFile file;
  file.problem = stepper.problem();
  save_problem("own-law.hdf5", file, "stickslip");
  const ProblemFile again = load_problem("own-law.hdf5");
  std::remove("own-law.hdf5");
  for (const char* name : {"prox-gs", "alart-curnier", "coulomb-newton"}) {
    std::vector<double> impulses(again.problem.rows());
    Workspace workspace;
    const SolveReport report = make_solver(name)->solve(again.problem, impulses, workspace);
    std::printf("%-14s %s, residual %.1e m/s\n", name, std::string(status_name(report.status)).c_str(),
                report.residual.total());
  }

  for (int i = 100; i < 1000; ++i) stepper.step(world);
  const double forward = world.body(blocks[0]).position.x(), backward = -world.body(blocks[1]).position.x();
  std::printf("forward %.3f m: free gliding is %.3f m\n", forward, speed * world.time);
  std::printf("backward %.3f m: v²/(2 μ g) is %.3f m\n", backward, speed * speed / (2 * mu * g));
  return std::abs(forward - speed * world.time) < 1e-3 && std::abs(backward - speed * speed / (2 * mu * g)) < 2e-3 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
