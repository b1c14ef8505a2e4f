// Large soft bodies keep the factors of their matrix while it changes little.
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"
#include "worlds.h"

namespace stickslip::testing {
namespace soft_factors_test {
namespace {

/// A cube of rubber of 20 cm and 2744 nodes that slides over the ground.
struct LargeCube {
  World world;
  BodyId cube;

  explicit LargeCube(SoftModel model = SoftModel::neo_hookean) {
    const TetMesh mesh = soft_box(Vec3::Constant(0.1), 0.2 / 13);
    const MaterialId m = material(world, 0.3);
    add_ground(world, m);
    SoftDescription d;
    d.solid = std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra,
                                                   SoftMaterial{.model = model, .young = 1e5, .stiffness_damping = 0.02});
    d.pose.position = {0, 0, 0.1001};
    d.velocity = {0.3, 0, 0};
    d.material = m;
    cube = world.add(d);
  }
};

double farthest_apart(const World& a, const World& b, BodyId id) {
  double largest = 0;
  for (std::size_t i = 0; i < a.nodal_body(id).size(); ++i)
    largest = std::max(largest, (a.nodal_body(id).positions[i] - b.nodal_body(id).positions[i]).norm());
  return largest;
}

TEST(SoftFactors, serve_many_steps_and_the_motion_is_the_same) {
  LargeCube reusing, factoring;
  Stepper reuses(options(0.01)), factors(options(0.01));
  int of_reusing = 0, of_factoring = 0;
  for (int k = 0; k < 12; ++k) {
    const StepReport& report = reuses.step(reusing.world);
    EXPECT_EQ(report.outcome.status, SolveStatus::converged) << report.outcome.reason;
    EXPECT_LE(report.outcome.error, report.outcome.tolerance);
    of_reusing += report.factorisations;
    factoring.world.mutable_nodal_bodies()[0].memory = {};
    of_factoring += factors.step(factoring.world).factorisations;
  }
  EXPECT_EQ(of_factoring, 12);
  EXPECT_LE(of_reusing, 8);
  EXPECT_LT(farthest_apart(reusing.world, factoring.world, reusing.cube), 1e-8);
}

TEST(SoftFactors, of_a_linear_solid_are_found_once) {
  LargeCube linear(SoftModel::linear);
  Stepper stepper(options(0.01));
  int factorisations = 0;
  for (int k = 0; k < 10; ++k) factorisations += stepper.step(linear.world).factorisations;
  EXPECT_EQ(factorisations, 1);
}

TEST(SoftFactors, belong_to_the_state_of_a_world) {
  LargeCube scene;
  Stepper stepper(options(0.01));
  bool reused = false;
  for (int k = 0; k < 8; ++k) {
    // A new stepper knows nothing of the factors; one that has stepped another world knows others.
    World copy = scene.world, other = LargeCube().world;
    Stepper fresh(options(0.01)), confused(options(0.01));
    confused.step(other);
    World again = copy;
    reused = stepper.step(scene.world).factorisations == 0 || reused;
    fresh.step(copy);
    confused.step(again);
    ASSERT_EQ(copy.state_hash(), scene.world.state_hash()) << "step " << k;
    ASSERT_EQ(again.state_hash(), scene.world.state_hash()) << "step " << k;
  }
  EXPECT_TRUE(reused);
}

TEST(SoftFactors, are_the_same_whether_a_problem_is_kept_or_not) {
  LargeCube kept, free;
  Stepper keeps(options(0.01)), frees(options(0.01));
  std::vector<ContactProblem> problems;
  for (int k = 0; k < 5; ++k) {
    keeps.step(kept.world);
    problems.push_back(keeps.problem());
    frees.step(free.world);
  }
  EXPECT_EQ(kept.world.state_hash(), free.world.state_hash());
}

}   // namespace
}   // namespace soft_factors_test
}   // namespace stickslip::testing
