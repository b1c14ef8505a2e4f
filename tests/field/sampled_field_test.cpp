#include <gtest/gtest.h>

#include "error_message.h"
#include "field/fields.h"
#include "stickslip/field/sampled_field.h"

namespace stickslip::sampled_field_test {
namespace {

using namespace test_meshes;

TEST(SampledField, is_exact_where_the_distance_is_linear) {
  std::mt19937 random(1);
  for (double scale : kScales) {
    const ShapeField plane(HalfSpace{}, {scale * Vec3(0.1, 0.2, 0.3), random_rotation(random)});
    FieldOptions options;
    options.band = 3 * scale;   // all of the box
    const SampledField field(plane, {scale * Vec3(-1, -1, -1), scale * Vec3(1, 1, 1)}, options);
    EXPECT_LT(field.error_bound(), 2e-6 * scale);
    for (int i = 0; i < 3000; ++i) {
      const Vec3 p = point_in(field.bounds(), random);
      EXPECT_NEAR(field.value(p), plane.value(p), 4e-7 * scale) << "but for samples in float";
      EXPECT_LT((field.sample(p).gradient - plane.sample(p).gradient).norm(), 1e-5);
    }
    EXPECT_LT(field.arrays().blocks.size(), 300u) << "nothing is refined without need";
  }
}

/// Exact distances for one of the surfaces below.
struct Example {
  std::string name;
  TriangleMesh mesh;
  FieldOptions options;
};

std::vector<Example> examples(double scale) {
  FieldOptions coarse, fine, wide;
  coarse.resolution = 32;
  fine.resolution = 64, fine.error = 4e-3 * scale;
  wide.resolution = 64, wide.error = 0.02 * scale, wide.band = 0.25 * scale;
  std::mt19937 random(7);
  TriangleMesh sheet = box_mesh(scale * Vec3(0.5, 0.4, 0.003));   // thinner than a cell
  const Quat turn = random_rotation(random);
  for (Vec3& x : sheet.vertices) x = turn * x;
  return {{"sheet", sheet, coarse},
          {"sphere", sphere_mesh(0.5 * scale, 24, 16), coarse},
          {"torus", torus_mesh(0.4 * scale, 0.1 * scale, 40, 20), fine},
          {"box", box_mesh(scale * Vec3(0.5, 0.3, 0.1)), coarse},
          {"box in a wide band", box_mesh(scale * Vec3(0.5, 0.3, 0.2)), wide}};
}

TEST(SampledField, keeps_its_error_bound_in_the_band_and_sign_and_lower_bound_beyond) {
  std::mt19937 random(2);
  for (double scale : kScales)
    for (const Example& example : examples(scale)) {
      if (scale != 1 && example.options.resolution > 32) continue;   // sizes matter alike for all
      const MeshSurface surface(example.mesh);
      const SampledField field(surface, example.options);
      const Aabb box = field.bounds().grown(3 * field.band());
      const int points = scale == 1 ? 100'000 / 5 : 2000;
      int in_band = 0;
      for (int i = 0; i < points; ++i) {
        Vec3 p = point_in(box, random);
        if (i % 2 == 0) {   // near the surface, where few random points are
          const auto near = signed_distance(surface, p);
          p = near->nearest.point + std::uniform_real_distribution<double>(-1, 1)(random) * field.band() * near->gradient;
        }
        const double exact = signed_distance(surface, p)->distance, value = field.value(p);
        EXPECT_EQ(value, field.sample(p).value);
        if (std::abs(exact) <= field.band()) {
          ++in_band;
          ASSERT_LE(std::abs(value - exact), field.error_bound()) << example.name << " at " << p.transpose() / scale;
        } else {
          ASSERT_GT(value * exact, 0) << example.name << " at " << p.transpose() / scale;
          ASSERT_LE(std::abs(value), std::abs(exact) + 1e-6 * scale);
          ASSERT_GE(std::abs(value), field.band() - field.error_bound());
        }
      }
      EXPECT_GT(in_band, points / 3);
    }
}

/// A spiky ball, a turned plate or bar, a turned ring of few corners, a tetrahedron.
TriangleMesh random_solid(int kind, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0.02, 1);
  TriangleMesh mesh;
  if (kind == 0) {
    mesh = sphere_mesh(0.5, 8, 6);
    for (Vec3& x : mesh.vertices) x *= 0.3 + uniform(random);
    return mesh;
  }
  if (kind == 1) mesh = box_mesh(0.5 * Vec3(uniform(random), uniform(random), uniform(random)));
  if (kind == 2) mesh = torus_mesh(0.4, 0.3 * uniform(random), 7, 5);
  if (kind == 3) {
    mesh.vertices = {
        {0, 0, 0}, {1, 0, 0}, {uniform(random), uniform(random), 0}, {uniform(random), uniform(random), uniform(random)}};
    mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  }
  const Quat turn = random_rotation(random);
  for (Vec3& x : mesh.vertices) x = turn * x;
  return mesh;
}

TEST(SampledField, keeps_its_error_bound_for_solids_and_options_of_any_kind) {
  std::mt19937 random(6);
  for (int i = 0; i < 16; ++i) {
    const MeshSurface surface(random_solid(i % 4, random));
    ASSERT_TRUE(surface.edges().closed());
    FieldOptions options;
    options.resolution = 8 + 7 * (i % 5);
    options.error = i % 3 == 0 ? 0 : 0.001 * (1 << i % 5);
    options.band = i % 2 == 0 ? 0 : 0.05 * (1 + i % 7);
    const SampledField field(surface, options);
    for (int k = 0; k < 2000; ++k) {
      Vec3 p = point_in(field.bounds().grown(2 * field.band()), random);
      if (k % 2 == 0)
        p = signed_distance(surface, p)->nearest.point + field.band() * point_in({-Vec3::Ones(), Vec3::Ones()}, random);
      const double exact = signed_distance(surface, p)->distance, value = field.value(p);
      if (std::abs(exact) <= field.band()) {
        ASSERT_LE(std::abs(value - exact), field.error_bound()) << i;
      } else {
        ASSERT_GT(value * exact, 0) << i;
        ASSERT_LE(std::abs(value), std::abs(exact) + 1e-6) << i;
      }
    }
  }
}

TEST(SampledField, reaches_the_error_that_is_asked_for_where_cells_are_small_enough) {
  for (double error : {4e-3, 1e-3, 2.5e-4}) {
    FieldOptions options;
    options.resolution = 256, options.error = error, options.band = 0.02;
    const SampledField field(ShapeField(Sphere{0.5}), {Vec3::Constant(-0.5), Vec3::Constant(0.5)}, options);
    EXPECT_LE(field.error_bound(), error * 1.001);
  }
  FieldOptions rough;
  rough.resolution = 8, rough.error = 1e-5;
  const SampledField field(ShapeField(Box{Vec3::Constant(0.5)}), {Vec3::Constant(-0.5), Vec3::Constant(0.5)}, rough);
  EXPECT_GT(field.error_bound(), 1e-5) << "else it says what it has reached";
}

TEST(SampledField, spends_blocks_where_the_surface_bends) {
  FieldOptions options;
  options.resolution = 128, options.error = 1e-3, options.band = 0.05;
  const Aabb bounds{Vec3::Constant(-0.5), Vec3::Constant(0.5)};
  const SampledField box(ShapeField(Box{Vec3::Constant(0.5)}), bounds, options);
  // Sides are flat: large blocks; small ones stand along the edges only.
  int small_on_sides = 0, large_on_sides = 0;
  for (const auto& block : box.arrays().blocks) {
    const double cell = 1 / block.inverse_cell;
    const Vec3 middle = (block.lower + Vec3::Constant(4 * cell)).cwiseAbs();
    const int near_planes = (middle.array() > 0.5 - 0.25).count();
    if (near_planes < 2) ++(cell < 1.5 / 128 ? small_on_sides : large_on_sides);
  }
  EXPECT_EQ(small_on_sides, 0);
  EXPECT_GT(large_on_sides, 0);
}

TEST(SampledField, the_gradient_is_that_of_its_own_values) {
  std::mt19937 random(3);
  const MeshSurface surface(torus_mesh(0.4, 0.1, 40, 20));
  FieldOptions options;
  options.resolution = 48;
  const SampledField field(surface, options);
  const double step = 1e-7;
  int compared = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto near = signed_distance(surface, point_in(field.bounds(), random));
    const Vec3 p = near->nearest.point + 0.5 * field.band() * random_direction(random);
    const FieldSample s = field.sample(p);
    if (std::abs(s.value) > 0.99 * field.band()) continue;
    EXPECT_NEAR(s.gradient.norm(), 1, 0.2);
    // A trilinear function is linear along an axis within a cell; a step across a face of cells is left out.
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 shift = step * Vec3::Unit(axis);
      const double ahead = (field.value(p + shift) - s.value) / step, behind = (s.value - field.value(p - shift)) / step;
      if (std::abs(ahead - behind) > 1e-6) continue;
      ++compared;
      EXPECT_NEAR(s.gradient[axis], 0.5 * (ahead + behind), 1e-6);
    }
  }
  EXPECT_GT(compared, 5000);
}

TEST(SampledField, many_answers_are_the_answers_one_by_one) {
  std::mt19937 random(4);
  const SampledField field(*barbell(1, 0.2), {Vec3(-0.7, -0.7, -1.7), Vec3(0.7, 0.7, 1.7)});
  std::vector<Vec3> points;
  for (int i = 0; i < 1000; ++i) points.push_back(point_in(field.bounds().grown(1), random));
  std::vector<double> values(points.size());
  std::vector<FieldSample> samples(points.size());
  field.values(points, values), field.samples(points, samples);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(values[i], field.value(points[i]));
    EXPECT_EQ(samples[i].value, values[i]);
    EXPECT_EQ(samples[i].gradient, field.sample(points[i]).gradient);
  }
}

TEST(SampledField, an_open_mesh_has_an_inside_by_winding) {
  TriangleMesh mesh = sphere_mesh(0.5, 24, 16);
  mesh.triangles.erase(mesh.triangles.begin() + 100);
  FieldOptions options;
  options.resolution = 24;
  const MeshSurface surface(mesh);
  const SampledField field(surface, options);
  std::mt19937 random(5);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 direction = random_direction(random);
    EXPECT_LT(field.value(0.3 * direction), 0);
    EXPECT_GT(field.value(0.7 * direction), 0);
  }
}

TEST(SampledField, equal_meshes_give_equal_bits) {
  const MeshSurface surface(torus_mesh(0.4, 0.1, 20, 10));
  FieldOptions options;
  options.resolution = 32;
  const SampledField one(surface, options), other(surface, options);
  EXPECT_EQ(one.arrays().index, other.arrays().index);
  EXPECT_EQ(one.arrays().float_samples, other.arrays().float_samples);
}

TEST(SampledField, refuses_what_it_cannot_sample) {
  EXPECT_EQ(testing::message_of([] { SampledField(MeshSurface(TriangleMesh{})); }),
            "/triangles: The mesh has no triangles. A field needs a surface.");
  const MeshSurface box(box_mesh(Vec3::Ones()));
  FieldOptions options;
  options.resolution = 4;
  EXPECT_EQ(testing::message_of([&] { SampledField(box, options); }),
            "/resolution: 4 is not a resolution. Give 8 to 2048 cells along the longest side.");
  options = {}, options.band = -1;
  EXPECT_EQ(testing::message_of([&] { SampledField(box, options); }),
            "/band: -1 is not a length. It must be finite and not negative; 0 chooses one.");
}

}   // namespace
}   // namespace stickslip::sampled_field_test
