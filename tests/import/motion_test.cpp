// The whole way: a model swings as MuJoCo lets it swing.
#include "imported.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

using test::model;
using test::Mujoco;

/// Largest distance of a body's centre of mass from where MuJoCo has it after half a second, both with steps of h [m].
double distance_after_half_a_second(const std::filesystem::path& file, double h) {
  Mujoco mujoco(file);
  mujoco.model->opt.timestep = h;
  Scene scene = test::scene_of(import_mjcf(file));
  scene.step.h = h;
  scene.step.tolerance = 1e-9;
  Stepper stepper(scene.step);
  for (int i = 0; i < std::lround(0.5 / h); ++i) {
    mj_step(mujoco.model, mujoco.data);
    stepper.step(scene.world);
  }
  mj_forward(mujoco.model, mujoco.data);
  double farthest = 0;
  for (int i = 1; i < mujoco.model->nbody; ++i) {
    const Body& body = scene.world.body(scene.world.find(mujoco.body_name(i)));
    farthest = std::max(farthest, (body.position - Vec3(mujoco.data->xipos + 3 * i)).norm());
  }
  return farthest;
}

TEST(Motion, a_model_swings_as_in_mujoco_up_to_the_length_of_the_step) {
  const double coarse = distance_after_half_a_second(model("mobile.xml"), 0.001),
               fine = distance_after_half_a_second(model("mobile.xml"), 0.0005);
  EXPECT_LT(coarse, 0.01);
  EXPECT_LT(fine, 0.6 * coarse) << "first order, as both are: what remains is not the model";
}

using Places = std::vector<std::pair<std::string, Vec3>>;   ///< centres of mass by name

/// Where MuJoCo has the bodies after a second.
Places mujoco_after_a_second(const std::filesystem::path& file, double h, mjtIntegrator integrator) {
  Mujoco mujoco(file);
  mujoco.model->opt.timestep = h;
  mujoco.model->opt.integrator = integrator;
  for (int i = 0; i < std::lround(1 / h); ++i) mj_step(mujoco.model, mujoco.data);
  mj_forward(mujoco.model, mujoco.data);
  Places places;
  for (int i = 1; i < mujoco.model->nbody; ++i) places.emplace_back(mujoco.body_name(i), Vec3(mujoco.data->xipos + 3 * i));
  return places;
}

/// Where this library has those of the list. The first step can be divided into steps of which each is half as long as the
/// next: a step takes the velocity at the start as the mean over a step before it, as if all had begun half a step earlier.
Places after_a_second(const std::filesystem::path& file, double h, const Places& list, int first_steps = 1) {
  Scene scene = test::scene_of(import_mjcf(file));
  Stepper stepper(scene.step);
  const auto step = [&](double length) {
    scene.step.h = length;
    stepper.set_options(scene.step);
    stepper.step(scene.world);
  };
  for (int i = first_steps; i > 0; --i) step(std::ldexp(h, i == first_steps ? 1 - i : -i));
  for (int i = 1; i < std::lround(1 / h); ++i) step(h);
  Places places;
  for (const auto& [name, place] : list) places.emplace_back(name, scene.world.body(scene.world.find(name)).position);
  return places;
}

double largest_distance(const Places& a, const Places& b) {
  double farthest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) farthest = std::max(farthest, (a[i].second - b[i].second).norm());
  return farthest;
}

TEST(Motion, mechanisms_with_dampers_springs_stops_and_servos_go_where_mujoco_takes_them_but_for_an_error_of_first_order) {
  // Of the step of 1 ms. Runge and Kutta's method in steps of 0.2 ms says where they go, to a micrometre. What is of first
  // order comes from the start alone: begun in short steps, all are where they should be to second order. MuJoCo's own step of
  // 1 ms, semi-implicit Euler, is off as well: of the ball by more, of the others by about as much or less. What is left of the
  // stop is how soft MuJoCo has it.
  struct Mechanism {
    std::string name;
    double off, begun_softly, euler_off;   ///< at most [m]; MuJoCo by at least
  };
  const Mechanism mechanisms[] = {{"arm", 3e-4, 1e-5, 1e-4},
                                  {"ball", 1.7e-3, 1e-4, 8e-3},
                                  {"legs", 6e-4, 1e-5, 4e-4},
                                  {"limits", 1e-5, 1e-5, 0},
                                  {"slider", 1.2e-4, 5e-6, 5e-5}};
  for (const Mechanism& m : mechanisms) {
    const auto file = model(fmt::format("mechanism_{}.xml", m.name));
    const Places exact = mujoco_after_a_second(file, 2e-4, mjINT_RK4);
    EXPECT_LT(largest_distance(exact, mujoco_after_a_second(file, 1e-4, mjINT_RK4)), 1e-6) << m.name;
    EXPECT_GE(largest_distance(exact, mujoco_after_a_second(file, 1e-3, mjINT_EULER)), m.euler_off) << m.name;
    const double coarse = largest_distance(exact, after_a_second(file, 1e-3, exact));
    const double fine = largest_distance(exact, after_a_second(file, 5e-4, exact));
    EXPECT_LT(coarse, m.off) << m.name;
    EXPECT_LT(fine, std::max(0.55 * coarse, 1e-5)) << m.name;
    EXPECT_LT(largest_distance(exact, after_a_second(file, 1e-3, exact, 8)), m.begun_softly) << m.name;
  }
}

/// It sinks to its knees, where the springs of its joints hold it.
TEST(Motion, a_humanoid_that_nobody_controls_comes_to_rest_where_mujoco_has_it) {
  Mujoco mujoco(test::sample("humanoid/humanoid.xml"));
  Scene scene = test::scene_of(import_mjcf(test::sample("humanoid/humanoid.xml")));
  Stepper stepper(scene.step);
  while (scene.world.time < 3) {
    stepper.step(scene.world);
    mj_step(mujoco.model, mujoco.data);
  }
  for (int i = 1; i < mujoco.model->nbody; ++i) {
    const Body& body = scene.world.body(scene.world.find(mujoco.body_name(i)));
    EXPECT_LT(body.velocity.norm(), 1e-3) << body.name;
    EXPECT_LT((body.position - Vec3(mujoco.data->xipos + 3 * i)).norm(), 0.1) << body.name;
  }
  for (const Joint& joint : scene.world.joints()) {
    const JointPlace place = locate(scene.world, joint);
    for (std::size_t k = 0; k < kJointCoordinates; ++k)
      if (joint.description.axes[k].locked) {
        EXPECT_NEAR(place.position[k], 0, 1e-6) << joint.description.name;
      }
  }
}

}   // namespace
}   // namespace stickslip
