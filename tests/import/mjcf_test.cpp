// MJCF: numbers of our own model, worked out by hand.
#include <gmock/gmock.h>

#include "imported.h"
#include "stickslip/world/joint.h"

namespace stickslip::mjcf_test {
namespace {

using test::found;
using test::import_text;
using test::model;
using test::scene_of;
using Kind = ImportFinding::Kind;

const Body& body(const Scene& scene, const std::string& name) { return scene.world.body(scene.world.find(name)); }
const JointDescription& joint(const Scene& scene, const std::string& name) {
  return scene.world.joint(scene.world.find_joint(name)).description;
}
SurfacePair between(const Scene& scene, const std::string& a, const std::string& b) {
  const auto material = [&](const std::string& name) {
    return scene.world.colliders()[body(scene, name).colliders.front()].material;
  };
  return scene.world.materials.between(material(a), material(b));
}

TEST(MjcfOptions, step_and_gravity_are_those_of_the_file) {
  const Scene scene = scene_of(import_mjcf(model("classes.xml")));
  EXPECT_EQ(scene.name, "classes");
  EXPECT_EQ(scene.step.h, 0.004);
  EXPECT_EQ(scene.world.gravity, Vec3(0, 0, -9.5));
  EXPECT_TRUE(found(import_mjcf(model("classes.xml")), Kind::ignored, "line 4", "<option iterations>"));
  EXPECT_TRUE(
      scene_of(import_text("xml", "<mujoco><option><flag gravity='disable'/></option></mujoco>")).world.gravity.isZero());
  EXPECT_EQ(scene_of(import_text("xml", "<mujoco/>")).step.h, 0.002) << "MuJoCo's own";
}

TEST(MjcfClasses, an_attribute_comes_from_the_nearest_class) {
  const Scene scene = scene_of(import_mjcf(model("classes.xml")));
  const double ball = 4.0 / 3 * EIGEN_PI * std::pow(0.05, 3);
  EXPECT_NEAR(body(scene, "bob").mass.mass, 2000 * ball, 1e-12) << "heavy, by childclass";
  EXPECT_NEAR(body(scene, "door").mass.mass, 500 * 8 * 0.3 * 0.02 * 0.4, 1e-12) << "main";
  EXPECT_EQ(body(scene, "cart").mass.mass, 2) << "a mass of its own";
  const JointDescription& hip = joint(scene, "hip_1+hip_2+hip_3");
  EXPECT_EQ(hip.axes[joint_turn_x].spring->damping, 0.1) << "main";
  EXPECT_EQ(hip.axes[joint_turn_z].spring->damping, 0.4) << "heavier, by class";
  EXPECT_EQ(hip.axes[joint_turn_z].spring->stiffness, 3);
  EXPECT_EQ(hip.axes[joint_turn_z].spring->rest, 0.2);
}

TEST(MjcfBodies, an_inertia_in_full_is_taken_as_it_stands) {
  const Scene scene = scene_of(import_mjcf(model("classes.xml")));
  Mat3 given;
  given << 0.02, 0.001, 0.002, 0.001, 0.03, 0.003, 0.002, 0.003, 0.04;
  EXPECT_EQ(body(scene, "shin").mass.inertia, given);
  EXPECT_EQ(body(scene, "shin").mass.mass, 1.25);
  EXPECT_EQ(body(scene, "shin").mass.center, Vec3(0, 0, -0.1));
}

TEST(MjcfBodies, joints_in_two_places_get_a_small_body_between_and_keep_the_mass) {
  const ImportedScene imported = import_mjcf(model("classes.xml"));
  const Scene scene = scene_of(imported);
  EXPECT_TRUE(found(imported, Kind::approximated, "body 'foot'", "a small body stands with 1 % of its mass"));
  EXPECT_NEAR(body(scene, "foot-between").mass.mass, 0.005, 1e-15);
  EXPECT_NEAR(body(scene, "foot").mass.mass, 0.495, 1e-15);
  EXPECT_TRUE(body(scene, "foot-between").colliders.empty());
  EXPECT_EQ(joint(scene, "ankle_1").b, scene.world.find("foot-between"));
  EXPECT_EQ(joint(scene, "ankle_2").a, scene.world.find("foot-between"));
  EXPECT_EQ(joint(scene, "ankle_2").axes[joint_turn_z].friction, 0.3);
}

TEST(MjcfBodies, several_joints_become_the_type_that_moves_like_them) {
  const Scene scene = scene_of(import_mjcf(model("classes.xml")));
  EXPECT_EQ(joint(scene, "hip_1+hip_2+hip_3").type, JointType::six_dof);
  EXPECT_EQ(joint(scene, "knee_1+knee_2").type, JointType::universal);
  EXPECT_EQ(joint(scene, "cart_x+cart_z+cart_turn").type, JointType::planar);
  EXPECT_EQ(joint(scene, "bob_ball").type, JointType::ball);
  EXPECT_EQ(joint(scene, "bob_ball").swing_limit, 1.2);
  EXPECT_EQ(joint(scene, "door_hinge").type, JointType::hinge);
}

TEST(MjcfContacts, friction_is_the_larger_one_and_frictionless_only_against_its_like) {
  const Scene scene = scene_of(import_mjcf(model("classes.xml")));
  EXPECT_EQ(between(scene, "ground", "door").friction, 0.6);
  EXPECT_EQ(between(scene, "torso", "cart").friction, 0) << "condim 1 on both sides";
  EXPECT_EQ(between(scene, "torso", "ground").friction, 0.6) << "condim 3 on one side";
  EXPECT_EQ(between(scene, "hip", "ground").friction, 0.9);
  EXPECT_EQ(between(scene, "hip", "torso").friction, 0);
  const Scene priority =
      scene_of(import_text("xml",
                           "<mujoco><worldbody><geom name='floor' type='plane' friction='0.3' priority='1'/>"
                           "<body name='b' pos='0 0 1'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"));
  EXPECT_EQ(between(priority, "floor", "b").friction, 0.3) << "the higher priority decides";
}

TEST(MjcfContacts, a_geom_that_touches_nothing_still_weighs) {
  const Scene scene =
      scene_of(import_text("xml",
                           "<mujoco><worldbody><body name='b'><freejoint/><geom size='0.1' mass='2'/>"
                           "<geom size='0.2' mass='3' contype='0' conaffinity='0'/></body></worldbody></mujoco>"));
  EXPECT_EQ(body(scene, "b").mass.mass, 5);
  EXPECT_EQ(body(scene, "b").colliders.size(), 1u);
}

TEST(MjcfEquality, connect_is_a_ball_joint_and_joint_a_gear) {
  const ImportedScene imported = import_mjcf(model("classes.xml"));
  const Scene scene = scene_of(imported);
  const Joint& pin = scene.world.joint(scene.world.find_joint("pin"));
  EXPECT_EQ(pin.description.type, JointType::ball);
  EXPECT_TRUE(pin.description.collide);
  EXPECT_LT((locate(scene.world, pin).frame_a.position - body(scene, "bob").frame() * Vec3(0, 0, -0.2)).norm(), 1e-12);
  const JointDescription& gear = joint(scene, "together");
  EXPECT_EQ(gear.type, JointType::gear);
  EXPECT_EQ(gear.ratio, 0.5);
  EXPECT_EQ(scene.world.joint(gear.second.joint).description.name, "knee_1+knee_2");
  EXPECT_EQ(gear.second.coordinate, joint_turn_z);
  EXPECT_TRUE(found(imported, Kind::ignored, "weld 'clamp'", "not active"));
}

TEST(MjcfEquality, a_weld_holds_two_bodies_in_the_pose_it_names) {
  const auto with = [](const std::string& pose) {
    return scene_of(import_text(
        "xml", fmt::format("<mujoco><worldbody><body name='a' pos='1 0 0' zaxis='1 0 0'><freejoint/><geom size='0.1'/></body>"
                           "<body name='b' pos='0 1 0'><freejoint/><geom size='0.1'/></body></worldbody>"
                           "<equality><weld name='w' body1='a' body2='b' {}/></equality></mujoco>",
                           pose)));
  };
  const Scene here = with("");
  const Joint& as_they_are = here.world.joint(here.world.find_joint("w"));
  EXPECT_EQ(as_they_are.description.type, JointType::fixed);
  const JointPlace place = locate(here.world, as_they_are);
  for (const double position : place.position) EXPECT_NEAR(position, 0, 1e-12);
  const JointDescription elsewhere = joint(with("relpose='0 0 0.5 1 0 0 0'"), "w");
  EXPECT_LT((elsewhere.frame_a.position - Vec3(0, 0, 0.5)).norm(), 1e-15);
  EXPECT_TRUE(elsewhere.frame_b.position.isZero());
}

TEST(MjcfMeshes, an_inline_mesh_becomes_its_hull) {
  ImportOptions hulls;
  hulls.meshes = MeshImport::hull;
  const std::string text =
      "<mujoco><asset><mesh name='wedge' scale='2 1 1' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
      "<worldbody><body name='b'><freejoint/><geom type='mesh' mesh='wedge' density='600'/></body></worldbody></mujoco>";
  const Scene scene = scene_of(import_text("xml", text, hulls));
  EXPECT_NEAR(body(scene, "b").mass.mass, 600 * 2.0 / 6, 1e-9);
  EXPECT_LT((body(scene, "b").mass.center - Vec3(0.5, 0.25, 0.25)).norm(), 1e-12);
  hulls.meshes = MeshImport::none;
  EXPECT_THAT(test::refusal("xml", text, hulls), ::testing::HasSubstr("moves and has no mass"));
}

}   // namespace
}   // namespace stickslip::mjcf_test
