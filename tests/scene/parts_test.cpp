// Parts of scene documents by themselves.
#include "stickslip/scene/parts.h"
#include "error_message.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::parts_test {
namespace {

TEST(StepOptionsAsText, read_back_what_was_written_of_every_built_in_scene) {
  for (const char* name : {"wall", "car", "soft-stack", "chain-mail", "pinch-grasp"}) {
    const Scene scene = load_scene(name);
    StepOptions again;
    read_step_options(write_step_options(scene.step), again);
    EXPECT_EQ(write_step_options(again), write_step_options(scene.step)) << name;
  }
}

/// Whatever the schema says a step may have is written, and a change of it survives.
TEST(StepOptionsAsText, hold_changes_of_every_kind) {
  StepOptions o;
  read_step_options(R"({"h": 0.25, "scheme": "moreau-midpoint", "gyroscopic": "implicit", "stabilisation": {"method": "spring",
    "stiffness": 7, "damping": 3}, "projection": {"iterations": 9}, "sleep": true, "contact": "patch", "overlap": 0.125,
    "integrator": "penalty", "penalty": {"law": "power", "exponent": 2.5}, "barrier": {"form": "plain", "method": "lbfgs"},
    "soft": {"operator": "partial"}, "solver": {"name": "prox-gs", "accelerate": false}, "threads": 3})",
                    o);
  StepOptions again;
  read_step_options(write_step_options(o), again);
  EXPECT_EQ(again.h, 0.25);
  EXPECT_EQ(again.scheme, Scheme::moreau_midpoint);
  EXPECT_EQ(again.gyroscopic, Gyroscopic::implicit);
  EXPECT_EQ(std::get<SpringDamper>(again.stabilisation).damping, 3);
  EXPECT_TRUE(again.projection.enabled && again.sleep.enabled);
  EXPECT_EQ(again.projection.iterations, 9);
  EXPECT_EQ(again.contact, ContactForm::patch);
  EXPECT_EQ(again.overlap, 0.125);
  EXPECT_EQ(again.penalty.law, PenaltyLaw::power);
  EXPECT_EQ(again.penalty.exponent, 2.5);
  EXPECT_EQ(again.barrier.form, BarrierForm::plain);
  EXPECT_EQ(again.barrier.method, MinimiseMethod::lbfgs);
  EXPECT_EQ(again.soft.operator_, SoftOperator::partial);
  EXPECT_EQ(again.solver_options, o.solver_options);
  EXPECT_EQ(again.threads, 3);
  read_step_options(R"({"solver": "pgs"})", again);
  EXPECT_TRUE(again.solver_options.empty());
}

TEST(StepOptionsAsText, that_are_wrong_change_nothing) {
  StepOptions o;
  EXPECT_NE(testing::message_of([&] { read_step_options(R"({"h": 0.5, "slep": true})", o); }).find("'sleep'"),
            std::string::npos);
  EXPECT_NE(testing::message_of([&] { read_step_options(R"({"h": -0.5})", o); }).find("/h: -0.5"), std::string::npos);
  EXPECT_EQ(o.h, StepOptions{}.h);
}

TEST(AddParts, builds_the_world_of_a_whole_document_piece_by_piece) {
  const std::string
      materials = R"("materials": [{"name": "wood", "friction": 0.4}])",
      ground = R"({"name": "ground", "motion": "fixed", "material": "wood", "shape": {"type": "half-space"}})",
      box =
          R"({"name": "box", "material": "wood", "shape": {"type": "box", "half_extents": [1, 1, 1]}, "position": [0, 0, 1]})",
      joint = R"({"type": "hinge", "name": "hinge", "b": "box", "anchor": [0, 0, 1]})";
  const Scene whole =
      parse_scene("{" + materials + R"(, "bodies": [)" + ground + "," + box + R"(], "joints": [)" + joint + "]}", "");
  World world;
  add_parts(world, "{" + materials + "}");
  EXPECT_EQ(add_parts(world, R"({"bodies": [)" + ground + "]}").bodies.size(), 1u);
  const AddedParts boxes = add_parts(world, R"({"bodies": [)" + box + "]}");
  EXPECT_EQ(boxes.bodies.at(0), world.find("box"));
  const AddedParts joints = add_parts(world, R"({"joints": [)" + joint + "]}");
  EXPECT_EQ(joints.joints.at(0), world.find_joint("hinge"));
  EXPECT_EQ(world.state_hash(), whole.world.state_hash());
}

TEST(AddParts, that_fail_leave_the_world_alone) {
  World world;
  add_parts(world, R"({"bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 1}}]})");
  const std::uint64_t before = world.state_hash();
  const std::string message = testing::message_of([&] {
    add_parts(world, R"({"materials": [{"name": "new", "friction": 1}], "bodies": [{"shape": {"type": "sphere", "radius": 1}},
      {"name": "ball", "shape": {"type": "sphere", "radius": 1}}]})");
  });
  EXPECT_NE(message.find("/bodies/1"), std::string::npos) << message;
  EXPECT_EQ(world.body_count(), 1u);
  EXPECT_EQ(world.materials.size(), 1u);
  EXPECT_EQ(world.state_hash(), before);
  EXPECT_NE(testing::message_of([&] { add_parts(world, R"({"boddies": []})"); }).find("'bodies'"), std::string::npos);
}

}   // namespace
}   // namespace stickslip::parts_test
