// What drives imported models: motors, servos, rotors; flags; frames and copies.
#include <gmock/gmock.h>

#include "imported.h"
#include "stickslip/step/stepper.h"

namespace stickslip::drives_test {
namespace {

using test::found;
using test::import_text;
using test::model;
using test::Mujoco;
using test::refusal;
using test::scene_of;
using ::testing::HasSubstr;
using Kind = ImportFinding::Kind;

const JointAxis& axis_of(const Scene& scene, const std::string& joint, int coordinate = joint_turn_z) {
  return scene.world.joint(scene.world.find_joint(joint)).description.axes[static_cast<std::size_t>(coordinate)];
}

const Body& body(const Scene& scene, const std::string& name) { return scene.world.body(scene.world.find(name)); }

/// Distance of the tip of the arm from where MuJoCo's Runge–Kutta has it after half a second of constant controls.
double off_after_half_a_second(double h, double lift, double bend) {
  const auto file = model("mechanism_rotors.xml");
  Mujoco mujoco(file);
  mujoco.model->opt.timestep = 2e-4;
  mujoco.model->opt.integrator = mjINT_RK4;
  mujoco.data->ctrl[0] = lift;
  mujoco.data->ctrl[1] = bend;
  for (int i = 0; i < 2500; ++i) mj_step(mujoco.model, mujoco.data);
  mj_forward(mujoco.model, mujoco.data);
  Scene scene = scene_of(import_mjcf(file));
  World& world = scene.world;
  world.set_effort(world.find_joint("shoulder"), joint_turn_z, -10 * lift);
  world.set_target(world.find_joint("elbow"), joint_turn_z, bend / 2);
  scene.step.h = h;
  scene.step.tolerance = 1e-9;
  Stepper stepper(scene.step);
  for (int i = 0; i < std::lround(0.5 / h); ++i) stepper.step(world);
  double farthest = 0;
  for (int i = 1; i < mujoco.model->nbody; ++i)
    farthest = std::max(farthest, (body(scene, mujoco.body_name(i)).position - Vec3(mujoco.data->xipos + 3 * i)).norm());
  return farthest;
}

TEST(Drives, rotors_motors_and_servos_move_an_arm_as_in_mujoco) {
  for (const auto& [lift, bend] : {std::pair(0.0, 0.0), std::pair(0.6, -1.0)}) {
    const double coarse = off_after_half_a_second(1e-3, lift, bend), fine = off_after_half_a_second(5e-4, lift, bend);
    EXPECT_LT(coarse, 2e-3) << lift;
    EXPECT_LT(fine, 0.6 * coarse) << "first order, from the start alone";
  }
}

TEST(Drives, motors_become_efforts_within_their_ranges) {
  const std::string xml =
      "<mujoco><worldbody><body name='b'><joint name='j'/><geom "
      "size='0.1'/></body></worldbody><actuator>{}</actuator></mujoco>";
  const auto effort = [&](const std::string& actuator) {
    return axis_of(scene_of(import_text("xml", fmt::format(fmt::runtime(xml), actuator))), "j").effort;
  };
  EXPECT_EQ(effort("<motor joint='j' gear='5'/>")->max_force, std::numeric_limits<double>::infinity());
  EXPECT_EQ(effort("<motor joint='j' gear='-5' ctrlrange='-2 2'/>")->max_force, 10);
  EXPECT_EQ(effort("<motor joint='j' gear='5' ctrlrange='-2 2' forcerange='-1 1'/>")->max_force, 5);
  EXPECT_EQ(effort("<general joint='j' gear='5' gainprm='3' ctrlrange='-2 2'/>")->max_force, 30);
  EXPECT_EQ(effort("<motor joint='j' ctrlrange='1 2'/>")->force, 1) << "the control nearest to 0";
  EXPECT_EQ(effort("<motor joint='j' ctrlrange='-1 1'/><motor joint='j' gear='2' ctrlrange='-1 1'/>")->max_force, 3);
  EXPECT_TRUE(found(import_text("xml", fmt::format(fmt::runtime(xml), "<motor joint='j' ctrlrange='-1 3'/>")),
                    Kind::approximated, "line 1", "one bound of force holds in both directions"));
  const Scene servo = scene_of(import_text(
      "xml", fmt::format(fmt::runtime(xml), "<general joint='j' gear='2' gainprm='7' biastype='affine' biasprm='0 -7 -1'/>")));
  EXPECT_EQ(axis_of(servo, "j").servo->stiffness, 28);
  EXPECT_EQ(axis_of(servo, "j").servo->damping, 4);
  for (const char* odd :
       {"gainprm='7' biastype='affine' biasprm='0 -6'", "biastype='affine' biasprm='1'", "dyntype='integrator'"})
    EXPECT_TRUE(found(import_text("xml", fmt::format(fmt::runtime(xml), fmt::format("<general joint='j' {}/>", odd))),
                      Kind::not_supported, "line 1", "neither a force nor a servo"))
        << odd;
}

TEST(Drives, a_urdf_transmission_names_a_joint_that_can_be_driven) {
  const ImportedScene arm = import_urdf(test::example("arm.urdf"));
  const Scene scene = scene_of(arm);
  ASSERT_TRUE(axis_of(scene, "shoulder").effort);
  EXPECT_EQ(axis_of(scene, "shoulder").effort->force, 0);
  EXPECT_FALSE(axis_of(scene, "elbow").effort);
}

/// A ball in a box that it would be pushed out of, on a spring with stop, friction and motor.
std::string flagged(const std::string& flag) {
  return fmt::format(
      "<mujoco><option><flag {}/></option><worldbody><body name='a'><freejoint/><geom size='0.1'/></body>"
      "<body name='b' pos='0.05 0 0'><joint name='j' range='-10 10' stiffness='3' frictionloss='2'/><geom size='0.1'/></body>"
      "<body name='c' pos='1 0 0'><joint name='k'/><geom size='0.1'/></body></worldbody>"
      "<equality><joint joint1='j' joint2='k'/></equality><actuator><motor joint='j'/></actuator></mujoco>",
      flag);
}

TEST(Flags, disabled_contact_lets_bodies_pass_through_each_other) {
  const ImportedScene imported = import_text("xml", flagged("contact='disable' gravity='disable'"));
  EXPECT_FALSE(found(imported, Kind::not_supported, "", "<flag"));
  EXPECT_FALSE(found(imported, Kind::approximated, "", "overlap"));
  Scene scene = scene_of(imported);
  Stepper stepper(scene.step);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(stepper.step(scene.world).contacts.empty());
  EXPECT_LT(body(scene, "a").velocity.norm(), 1e-12) << "nothing pushes it out";
}

TEST(Flags, switch_off_what_they_name_and_nothing_else) {
  const auto axis = [](const char* flag) {
    const Scene scene = scene_of(import_text("xml", flagged(flag)));
    return std::pair(axis_of(scene, "j"), scene.world.joint_count());
  };
  const auto [all, joints] = axis("contact='disable'");
  EXPECT_TRUE(all.has_lower() && all.spring && all.friction == 2 && all.effort);
  EXPECT_FALSE(axis("limit='disable'").first.has_lower());
  EXPECT_EQ(axis("frictionloss='disable'").first.friction, 0);
  EXPECT_FALSE(axis("passive='disable'").first.spring);
  EXPECT_FALSE(axis("actuation='disable'").first.effort);
  EXPECT_EQ(axis("equality='disable'").second, joints - 1);
  const auto [free, without] = axis("constraint='disable'");
  EXPECT_TRUE(!free.has_lower() && free.friction == 0 && free.spring && without == joints - 1);
  EXPECT_TRUE(
      found(import_text("xml", flagged("filterparent='disable'")), Kind::not_supported, "line 1", "<flag filterparent"));
  EXPECT_TRUE(import_text("xml", flagged("filterparent='enable' energy='disable'")).findings.size() <
              import_text("xml", flagged("energy='enable'")).findings.size());
  EXPECT_THAT(refusal("xml", flagged("contact='off'")), HasSubstr("<flag contact=\"off\">: Give \"enable\" or \"disable\"."));
}

TEST(Frames, move_what_stands_in_them) {
  const Scene scene =
      scene_of(import_text("xml", R"(<mujoco><default><default class='heavy'><geom density='2000'/></default></default>
    <worldbody><frame pos='1 0 0' euler='0 0 90'><body name='b' pos='1 0 0'>
    <frame pos='0 0 1' euler='90 0 0' childclass='heavy'>
    <joint name='j' axis='0 0 1' pos='0.5 0 0'/><geom type='capsule' fromto='0 0 0 0 0 1' size='0.1'/></frame></body></frame>
    </worldbody></mujoco>)"));
  // By hand: the body is at (1, 1, 0) and turned by 90° about z; in it z of the inner frame points along −y.
  test::expect_pose(body(scene, "b").frame(), {{1, 1, 0}, Quat(Eigen::AngleAxisd(EIGEN_PI / 2, Vec3::UnitZ()))}, "b", 1e-9);
  EXPECT_LT((body(scene, "b").mass.center - Vec3(0, -0.5, 1)).norm(), 1e-9);
  EXPECT_NEAR(body(scene, "b").mass.mass, 2000 * EIGEN_PI * 0.01 * (1 + 4.0 / 3 * 0.1), 1e-6);
  const Joint& joint = scene.world.joint(scene.world.find_joint("j"));
  const JointPlace place = locate(scene.world, joint);
  EXPECT_LT((place.frame_b.position - Vec3(1, 1.5, 1)).norm(), 1e-9);
  EXPECT_LT((place.frame_b.orientation * Vec3::UnitZ() - Vec3::UnitX()).norm(), 1e-9) << "−y of the body is x of the world";
}

TEST(Replicates, are_copies_one_after_the_other_with_names_of_their_own) {
  // The example of MuJoCo's manual, with bodies.
  const Scene scene = scene_of(import_text("xml", R"(<mujoco><worldbody><replicate count='2' offset='0 1 0' euler='90 0 0'>
    <replicate count='2' sep='-' offset='1 0 0' euler='0 90 0'><body name='Alice'><joint name='j'/><geom size='.1'/></body>
    </replicate></replicate></worldbody><actuator><motor name='m' joint='j' gear='3'/></actuator></mujoco>)"));
  test::expect_pose(body(scene, "Alice-00").frame(), {}, "00", 1e-9);
  test::expect_pose(body(scene, "Alice-10").frame(), {{1, 0, 0}, Quat(1, 0, 1, 0).normalized()}, "10", 1e-9);
  test::expect_pose(body(scene, "Alice-01").frame(), {{0, 1, 0}, Quat(1, 1, 0, 0).normalized()}, "01", 1e-9);
  test::expect_pose(body(scene, "Alice-11").frame(), {{1, 1, 0}, Quat(0.5, 0.5, 0.5, 0.5)}, "11", 1e-9);
  for (const char* joint : {"j-00", "j-10", "j-01", "j-11"}) EXPECT_TRUE(axis_of(scene, joint).effort) << joint;
  const Scene many = scene_of(import_text(
      "xml",
      "<mujoco><worldbody><replicate count='11' offset='0 0 1'><geom name='g' size='.1'/></replicate></worldbody></mujoco>"));
  EXPECT_EQ(many.world.colliders().size(), 11u);
  EXPECT_THAT(refusal("xml", "<mujoco><worldbody><replicate count='0'/></worldbody></mujoco>"),
              HasSubstr("Give a whole number"));
  EXPECT_THAT(refusal("xml", "<mujoco><worldbody><body><replicate count='2'><joint/></replicate></body></worldbody></mujoco>"),
              HasSubstr("Put them into a <body>"));
}

/// Two sliders and a hinge, with a tendon along one of them and one along two.
std::string tendons(const std::string& more) {
  return fmt::format(R"(<mujoco><compiler angle='radian'/><worldbody>
    <body name='a'><joint name='p' type='slide' stiffness='2' springref='0.1'/><geom size='0.1'/></body>
    <body name='b' pos='1 0 0'><joint name='q' type='slide' damping='1'/><geom size='0.1'/></body>
    <body name='c' pos='2 0 0'><joint name='r'/><geom size='0.1' pos='0.2 0 0'/></body></worldbody>
    <tendon><fixed name='one' stiffness='3' springlength='0.5' damping='2'><joint joint='p' coef='-2'/></fixed>
    <fixed name='two'><joint joint='p' coef='2'/><joint joint='q' coef='-3'/></fixed>
    <fixed name='three'><joint joint='r' coef='0.5'/></fixed></tendon>{}</mujoco>)",
                     more);
}

TEST(Tendons, of_one_joint_push_as_in_mujoco) {
  const test::OneFile file("model.xml",
                           tendons("<actuator><motor tendon='three' gear='4'/><position tendon='one' kp='5'/></actuator>"));
  Mujoco mujoco(file.path());
  mujoco.data->qpos[0] = 0.3, mujoco.data->qpos[1] = -0.2, mujoco.data->qvel[0] = 0.7, mujoco.data->qvel[1] = 0.4;
  mujoco.data->ctrl[0] = 1.5;
  mj_forward(mujoco.model, mujoco.data);
  const Scene scene = scene_of(import_mjcf(file.path()));
  const JointAxis &p = axis_of(scene, "p", joint_z), &r = axis_of(scene, "r");
  EXPECT_NEAR(p.spring->stiffness * (p.spring->rest - 0.3) - p.spring->damping * 0.7, mujoco.data->qfrc_passive[0], 1e-9);
  EXPECT_NEAR(p.servo->stiffness * (p.servo->target - 0.3) - p.servo->damping * 0.7, mujoco.data->qfrc_actuator[0], 1e-9);
  ASSERT_TRUE(r.effort);
  EXPECT_NEAR(mujoco.data->qfrc_actuator[2], 4 * 0.5 * 1.5, 1e-9) << "gear · coef · control is the effort of r";
}

TEST(Tendons, that_are_kept_are_gears) {
  const auto gear = [](const std::string& equality) {
    const Scene scene = scene_of(import_text("xml", tendons("<equality>" + equality + "</equality>")));
    return scene.world.joint(scene.world.find_joint("kept")).description.ratio;
  };
  EXPECT_NEAR(gear("<tendon name='kept' tendon1='two'/>"), 2.0 / 3, 1e-12) << "2 p − 3 q stays";
  EXPECT_NEAR(gear("<tendon name='kept' tendon1='one' tendon2='three' polycoef='0 4'/>"), 4 * 0.5 / -2, 1e-12);
  const ImportedScene square =
      import_text("xml", tendons("<equality><tendon tendon1='one' tendon2='three' polycoef='0 1 1'/></equality>"));
  EXPECT_TRUE(found(square, Kind::not_supported, "line", "<tendon>"));
  const ImportedScene spatial = import_text(
      "xml", "<mujoco><worldbody/><tendon><spatial><site site='s'/><pulley divisor='2'/></spatial></tendon></mujoco>");
  EXPECT_TRUE(found(spatial, Kind::not_supported, "line 1", "around geoms or over pulleys"));
}

}   // namespace
}   // namespace stickslip::drives_test
