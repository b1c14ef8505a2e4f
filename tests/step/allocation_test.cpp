// A step in the steady state allocates nothing.
#include "allocation_counter.h"
#include "physics/worlds.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"

namespace stickslip::testing {
namespace {

long allocations_per_100_steps(const Shape& shape, bool projection, ContactForm form = ContactForm::points) {
  World world;
  const MaterialId m = material(world, 0.6);
  add_ground(world, m);
  for (int i = 0; i < 12; ++i) add_body(world, shape, {0.0, 2.0 * (i % 3), 0.5 + 1.001 * (i / 3)}, m);
  StepOptions o = options(0.01, 20);   // runs into its iteration limit: the report of that must not allocate either
  o.tolerance = 1e-13;
  o.solver_options = {{"direct_rows", 0.0}};   // factorisations allocate
  o.projection.enabled = projection;
  o.contact = form;
  Stepper stepper(o);
  simulate(world, stepper, 4);   // until no buffer has to grow any more
  const long before = allocations;
  simulate(world, stepper, 1);
  return allocations - before;
}

TEST(SteadyState, a_step_allocates_nothing) {
  const ConvexHull hull = make_convex_hull({{0.5, 0.5, 0.5},
                                            {-0.5, 0.5, 0.5},
                                            {0.5, -0.5, 0.5},
                                            {-0.5, -0.5, 0.5},
                                            {0.6, 0.6, -0.5},
                                            {-0.6, 0.6, -0.5},
                                            {0.6, -0.6, -0.5},
                                            {-0.6, -0.6, -0.5}});
  for (const Shape& shape : {Shape{Box{{0.5, 0.5, 0.5}}}, Shape{Sphere{0.5}}, Shape{Cylinder{0.5, 0.5}}, Shape{hull}})
    for (const bool projection : {false, true})
      EXPECT_EQ(allocations_per_100_steps(shape, projection), 0) << shape_name(shape) << (projection ? " with projection" : "");
}

TEST(SteadyState, a_step_of_areas_allocates_nothing) {
  for (const Shape& shape : {Shape{Box{{0.5, 0.5, 0.5}}}, Shape{Sphere{0.5}}, Shape{Cylinder{0.5, 0.5}}})
    for (const ContactForm form : {ContactForm::patch, ContactForm::volume})
      EXPECT_EQ(allocations_per_100_steps(shape, false, form), 0)
          << shape_name(shape) << (form == ContactForm::patch ? " on patches" : " by volume");
}

/// Two cubes of rubber on each other. @param cells along an edge
long allocations_of_soft_steps(int cells, long steps) {
  World world;
  const MaterialId m = material(world, 0.6);
  add_ground(world, m);
  const TetMesh mesh = soft_box(Vec3::Constant(0.1), 0.2 / cells);
  const auto solid =
      std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra, SoftMaterial{.stiffness_damping = 0.02});
  for (const double height : {0.1, 0.3}) {
    SoftDescription d;
    d.solid = solid;
    d.pose.position.z() = height;
    d.material = m;
    world.add(d);
  }
  StepOptions o = options(0.01, 20);
  o.tolerance = 1e-13;
  o.solver_options = {{"direct_rows", 0.0}};
  Stepper stepper(o);
  for (int k = 0; k < 150; ++k) stepper.step(world);   // until no buffer has to grow any more
  const long before = allocations;
  for (long k = 0; k < steps; ++k) stepper.step(world);
  return allocations - before;
}

TEST(SteadyState, a_step_of_soft_bodies_allocates_nothing) {
  // Factors and dense products have memory of their own, which operator new does not see.
  EXPECT_EQ(allocations_of_soft_steps(2, 20), 0);
}

}   // namespace
}   // namespace stickslip::testing
