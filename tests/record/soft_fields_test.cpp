// Values inside soft bodies against closed forms.
#include "record/soft_fields.h"

#include <gtest/gtest.h>

#include "record_scenes.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip::soft_fields_test {
namespace {

constexpr double kYoung = 1e5, kStrain = 0.02;

/// A cube of 20 cm that a frictionless press squeezes by 2 %.
Scene pressed_cube(const std::string& model, double poisson) {
  const double half = 0.1, way = 2 * half * kStrain;
  const std::string text = fmt::format(
      R"({{"seconds": 1, "gravity": [0, 0, 0], "materials": [{{"name": "m", "friction": 0}}], "step": {{"h": 0.01}}, "bodies": [
      {{"name": "ground", "motion": "fixed", "shape": {{"type": "half-space"}}, "material": "m"}},
      {{"name": "press", "motion": "kinematic", "shape": {{"type": "box", "half_extents": [0.3, 0.3, 0.05]}}, "material": "m",
       "position": [0, 0, 0.25], "script": {{"type": "keyframes",
         "keys": [{{"time": 0, "position": [0, 0, 0.25]}}, {{"time": 0.5, "position": [0, 0, {}]}}]}}}},
      {{"name": "cube", "position": [0, 0, 0.1], "material": "m", "soft": {{"size": 0.05,
       "shape": {{"type": "box", "half_extents": [0.1, 0.1, 0.1]}},
       "material": {{"model": "{}", "young": {}, "poisson": {}, "stiffness_damping": 0.05}}}}}}]}})",
      0.25 - way, model, kYoung, poisson);
  return parse_scene(text, "pressed.json");
}

TEST(SoftFields, of_a_squeezed_cube_are_those_of_uniaxial_stress) {
  for (const double poisson : {0.0, 0.3}) {
    Scene scene = pressed_cube("linear", poisson);
    Stepper stepper(scene.step);
    for (int i = 0; i < 399; ++i) stepper.step(scene.world);
    const StepReport& report = stepper.step(scene.world);
    const NodalBody& cube = scene.world.nodal_bodies()[0];
    const SoftFields fields = soft_fields(scene.world, report)[0];
    for (std::size_t i = 0; i < cube.size(); ++i) {
      EXPECT_NEAR(fields.von_mises[i], kYoung * kStrain, 1e-3 * kYoung * kStrain);
      EXPECT_NEAR(fields.energy_density[i], 0.5 * kYoung * kStrain * kStrain, 2e-3 * 0.5 * kYoung * kStrain * kStrain);
      const double height = cube.solid->rest()[i].z();
      // The face widens by ν ε to both sides, and the force does not.
      const double pressure = kYoung * kStrain / std::pow(1 + poisson * kStrain, 2);
      EXPECT_NEAR(fields.pressure[i], std::abs(height) > 0.0999 ? pressure : 0, 1e-3 * pressure);
    }
  }
}

TEST(SoftFields, agree_between_models_where_strains_are_small) {
  // Cauchy's stress and energy of a slight stretch, whatever the model.
  for (const char* model : {"corotated", "st-venant-kirchhoff", "neo-hookean"}) {
    Scene scene = pressed_cube(model, 0.3);
    NodalBody& cube = scene.world.mutable_nodal_bodies()[0];
    const double strain = 1e-5;
    const Quat turn(Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized()));
    for (std::size_t i = 0; i < cube.size(); ++i)
      cube.positions[i] = turn * cube.solid->rest()[i].cwiseProduct(Vec3(1 - 0.3 * strain, 1 - 0.3 * strain, 1 + strain));
    const SoftFields fields = soft_fields(scene.world, {})[0];
    for (std::size_t i = 0; i < cube.size(); ++i) {
      EXPECT_NEAR(fields.von_mises[i] / (kYoung * strain), 1, 1e-4) << model;
      EXPECT_NEAR(fields.energy_density[i] / (0.5 * kYoung * strain * strain), 1, 1e-4) << model;
      EXPECT_EQ(fields.pressure[i], 0);
    }
  }
}

TEST(SoftFields, of_contacts_add_up_to_their_force) {
  // A ball on the ground: pressure times area as the ground sees it is the weight.
  Scene scene = parse_scene(R"({"seconds": 2, "step": {"h": 0.01}, "bodies": [
    {"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}},
    {"name": "ball", "position": [0, 0, 0.1], "soft": {"shape": {"type": "sphere", "radius": 0.1}, "size": 0.03,
     "material": {"young": 2e4, "stiffness_damping": 0.05}}}]})",
                            "ball.json");
  Stepper stepper(scene.step);
  for (int i = 0; i < 199; ++i) stepper.step(scene.world);
  const StepReport& report = stepper.step(scene.world);
  const NodalBody& ball = scene.world.nodal_bodies()[0];
  const SoftFields fields = soft_fields(scene.world, report)[0];
  double sum = 0;
  for (const auto& [a, b, c] : ball.triangles) {
    const double area = -0.5 * (ball.positions[b] - ball.positions[a]).cross(ball.positions[c] - ball.positions[a]).z();
    for (const std::uint32_t corner : {a, b, c}) sum += fields.pressure[corner] * std::max(area, 0.0) / 3;
  }
  EXPECT_NEAR(sum, ball.solid->mass() * 9.81, 1e-3 * sum);
}

TEST(SoftFields, are_coded_to_a_percent_over_all_sizes) {
  for (double value = 1e-3; value < 1e9; value *= 1.37) {
    const double back = 0.01 * (std::exp2(coded_field(value, 0.01) / 50.0) - 1);
    EXPECT_NEAR(back, value, 0.007 * (value + 0.01));
  }
  EXPECT_EQ(coded_field(0, 0.1), 0);
  EXPECT_EQ(coded_field(std::numeric_limits<double>::quiet_NaN(), 0.1), 0);
}

}   // namespace
}   // namespace stickslip::soft_fields_test
