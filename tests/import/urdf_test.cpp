// URDF: where links stand, what they weigh, how they move.
#include <gmock/gmock.h>
#include <tinyxml2.h>

#include "imported.h"
#include "stickslip/world/joint.h"

namespace stickslip::urdf_test {
namespace {

using test::example;
using test::found;
using test::import_text;
using test::model;
using test::scene_of;
using Kind = ImportFinding::Kind;
using Matrix = Eigen::Matrix4d;

std::vector<double> numbers(const char* text) {
  std::vector<double> result;
  std::istringstream in(text ? text : "");
  for (double x; in >> x;) result.push_back(x);
  result.resize(3, 0);
  return result;
}

/// Rz(yaw) Ry(pitch) Rx(roll) and the shift, written out.
Matrix origin_of(const tinyxml2::XMLElement* element) {
  const auto* origin = element->FirstChildElement("origin");
  const auto p = numbers(origin ? origin->Attribute("xyz") : nullptr), r = numbers(origin ? origin->Attribute("rpy") : nullptr);
  const double cr = std::cos(r[0]), sr = std::sin(r[0]), cp = std::cos(r[1]), sp = std::sin(r[1]), cy = std::cos(r[2]),
               sy = std::sin(r[2]);
  Matrix m;
  m.row(0) << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, p[0];
  m.row(1) << sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, p[1];
  m.row(2) << -sp, cp * sr, cp * cr, p[2];
  m.row(3) << 0, 0, 0, 1;
  return m;
}

/// World frames of all links with all joints at 0: the product of the origins from the root on.
std::map<std::string, Matrix> chain_products(const std::filesystem::path& file) {
  tinyxml2::XMLDocument document;
  EXPECT_EQ(document.LoadFile(file.c_str()), tinyxml2::XML_SUCCESS);
  std::map<std::string, std::pair<std::string, Matrix>> above;
  const auto* robot = document.RootElement();
  for (const auto* j = robot->FirstChildElement("joint"); j; j = j->NextSiblingElement("joint"))
    above[j->FirstChildElement("child")->Attribute("link")] = {j->FirstChildElement("parent")->Attribute("link"), origin_of(j)};
  std::map<std::string, Matrix> frames;
  for (const auto* l = robot->FirstChildElement("link"); l; l = l->NextSiblingElement("link")) {
    Matrix m = Matrix::Identity();
    for (std::string link = l->Attribute("name"); above.contains(link); link = above[link].first) m = above[link].second * m;
    frames[l->Attribute("name")] = m;
  }
  return frames;
}

Pose pose_of(const Matrix& m) { return {m.topRightCorner<3, 1>(), Quat(Mat3(m.topLeftCorner<3, 3>()))}; }

/// Pose of a body's frame in the world, and its mass properties.
Pose frame(const Scene& scene, const std::string& name) { return scene.world.body(scene.world.find(name)).frame(); }
const Joint& joint(const Scene& scene, const std::string& name) { return scene.world.joint(scene.world.find_joint(name)); }

TEST(UrdfFrames, every_link_stands_where_the_chain_of_joints_puts_it) {
  for (const auto& file : {model("twisted.urdf"), example("arm.urdf")}) {
    const Scene scene = scene_of(import_urdf(file));
    std::size_t compared = 0;
    for (const auto& [name, matrix] : chain_products(file)) {
      const auto bodies = scene.world.bodies();
      if (std::none_of(bodies.begin(), bodies.end(), [&](const Body& b) { return b.name == name; }))
        continue;   // became part of another
      test::expect_pose(frame(scene, name), pose_of(matrix), name);
      ++compared;
    }
    EXPECT_EQ(compared, scene.world.body_count());
  }
}

TEST(UrdfFrames, mujoco_reads_the_same_poses_masses_and_inertias) {
  for (const auto& file : {model("twisted.urdf"), example("arm.urdf")}) {
    std::ifstream in(file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    // MuJoCo would merge what is bolted together; it knows no planar joint, no floating one below a link, and no link without
    // mass that moves.
    text.insert(text.rfind("</robot>"), "<mujoco><compiler fusestatic=\"false\" balanceinertia=\"false\"/></mujoco>");
    const auto replace = [&](const std::string& what, const std::string& by) {
      if (const auto at = text.find(what); at != text.npos) text.replace(at, what.size(), by);
    };
    replace("type=\"planar\"", "type=\"fixed\"");
    replace("type=\"floating\"", "type=\"fixed\"");
    replace("<link name=\"cross\"/>",
            "<link name=\"cross\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
            "iyz=\"0\"/></inertial></link>");
    const test::OneFile changed("model.urdf", text);
    const test::Mujoco mujoco(changed.path());
    const Scene scene = scene_of(import_urdf(file));
    std::size_t compared = 0;
    for (int i = 1; i < mujoco.model->nbody; ++i) {
      const auto bodies = scene.world.bodies();
      const auto body =
          std::find_if(bodies.begin(), bodies.end(), [&](const Body& b) { return b.name == mujoco.body_name(i); });
      if (body == bodies.end() || body->motion != MotionType::dynamic) continue;
      test::expect_pose(body->frame(), mujoco.body_pose(i), body->name, 1e-10);
      const MassProperties mass = mujoco.body_mass(i);
      if (body->name != "lower") {   // carries the tool, which MuJoCo weighs by its density
        EXPECT_NEAR(body->mass.mass, mass.mass, 1e-12) << body->name;
        EXPECT_LT((body->mass.center - mass.center).norm(), 1e-12) << body->name;
        EXPECT_LT((body->mass.inertia - mass.inertia).norm(), 1e-10) << body->name;
      }
      ++compared;
    }
    EXPECT_GE(compared, 2u);
  }
}

TEST(UrdfFrames, the_joint_frame_has_z_along_the_axis_and_its_coordinate_starts_at_zero) {
  const Scene scene = scene_of(import_urdf(model("twisted.urdf")));
  const auto frames = chain_products(model("twisted.urdf"));
  const struct {
    const char *name, *child;
    Vec3 axis;
    JointType type;
    int coordinate;
  } expected[] = {{"turn", "turned", {1, 2, -2}, JointType::hinge, joint_turn_z},
                  {"slide", "slid", {0, -3, 4}, JointType::prismatic, joint_z}};
  for (const auto& e : expected) {
    const Joint& j = joint(scene, e.name);
    EXPECT_EQ(j.description.type, e.type);
    const JointPlace place = locate(scene.world, j);
    const Pose child = pose_of(frames.at(e.child));
    EXPECT_LT((place.frame_a.orientation * Vec3::UnitZ() - child.orientation * e.axis.normalized()).norm(), 1e-12) << e.name;
    EXPECT_LT((place.frame_a.position - child.position).norm(), 1e-12) << e.name;
    for (const double position : place.position) EXPECT_NEAR(position, 0, 1e-12) << e.name;
  }
  const JointAxis& turn = joint(scene, "turn").description.axes[joint_turn_z];
  EXPECT_EQ(turn.lower, -0.5);
  EXPECT_EQ(turn.upper, 1.5);
  EXPECT_EQ(turn.friction, 0.75);
  ASSERT_TRUE(turn.spring);
  EXPECT_EQ(turn.spring->damping, 0.25);
  EXPECT_EQ(turn.spring->stiffness, 0);
  EXPECT_FALSE(turn.servo || turn.motor);
}

TEST(UrdfFrames, the_axis_of_a_planar_joint_is_the_normal_of_its_plane) {
  const Scene scene = scene_of(import_urdf(model("twisted.urdf")));
  const Joint& plane = joint(scene, "plane-x+plane-y+plane-turn");
  EXPECT_EQ(plane.description.type, JointType::planar);
  const Pose child = pose_of(chain_products(model("twisted.urdf")).at("puck"));
  EXPECT_LT(
      (locate(scene.world, plane).frame_a.orientation * Vec3::UnitZ() - child.orientation * Vec3(0, 1, 1).normalized()).norm(),
      1e-12);
}

TEST(UrdfLinks, shapes_of_one_link_are_parts_of_one_body) {
  const Scene scene = scene_of(import_urdf(model("twisted.urdf")));
  const Body& root = scene.world.body(scene.world.find("root"));
  ASSERT_EQ(root.colliders.size(), 2u);
  const Collider& block = scene.world.colliders()[root.colliders[0]];
  EXPECT_EQ(std::get<Box>(block.shape).half_extents, Vec3(0.1, 0.2, 0.05));
  EXPECT_EQ(std::get<Sphere>(scene.world.colliders()[root.colliders[1]].shape).radius, 0.05);
  const Body& bolted = scene.world.body(scene.world.find("bolted"));
  EXPECT_EQ(std::get<Cylinder>(scene.world.colliders()[bolted.colliders[0]].shape).half_height, 0.1);
}

TEST(UrdfLinks, the_root_is_held_by_the_world_unless_asked_otherwise) {
  EXPECT_EQ(scene_of(import_urdf(model("twisted.urdf"))).world.bodies()[0].motion, MotionType::fixed);
  ImportOptions options;
  options.fixed_base = false;
  const Scene scene = scene_of(import_urdf(model("twisted.urdf"), options));
  const Body& root = scene.world.body(scene.world.find("root"));
  EXPECT_EQ(root.motion, MotionType::dynamic);
  EXPECT_EQ(root.mass.mass, 4);
  EXPECT_LT((root.mass.center - Vec3(0.1, -0.2, 0.3)).norm(), 1e-15);
  // Inertia is given in the turned frame of <inertial>.
  const Mat3 turn = Mat3(Eigen::AngleAxisd(0.5, Vec3::UnitZ()) * Eigen::AngleAxisd(-0.4, Vec3::UnitY()) *
                         Eigen::AngleAxisd(0.3, Vec3::UnitX()));
  Mat3 given;
  given << 0.2, 0.01, -0.02, 0.01, 0.25, 0.03, -0.02, 0.03, 0.3;
  EXPECT_LT((root.mass.inertia - turn * given * turn.transpose()).norm(), 1e-14);
}

TEST(UrdfLinks, a_link_without_mass_between_two_hinges_makes_them_one_joint) {
  const Scene scene = scene_of(import_urdf(model("twisted.urdf")));
  const Joint& both = joint(scene, "first_hinge+second_hinge");
  EXPECT_EQ(both.description.type, JointType::universal);
  const auto frames = chain_products(model("twisted.urdf"));
  const JointPlace place = locate(scene.world, both);
  EXPECT_LT((place.frame_a.orientation * Vec3::UnitX() - pose_of(frames.at("cross")).orientation * Vec3::UnitX()).norm(),
            1e-12);
  EXPECT_LT((place.frame_b.orientation * Vec3::UnitZ() - pose_of(frames.at("hung")).orientation * Vec3::UnitY()).norm(), 1e-12);
  EXPECT_EQ(both.description.axes[joint_turn_z].upper, 1);
  EXPECT_FALSE(both.description.axes[joint_turn_x].has_upper());
}

TEST(UrdfLinks, a_link_without_mass_becomes_part_of_what_it_is_bolted_to) {
  const Scene scene = scene_of(import_urdf(example("arm.urdf")));
  EXPECT_THROW(scene.world.find("tool"), Error);
  const Body& lower = scene.world.body(scene.world.find("lower"));
  ASSERT_EQ(lower.colliders.size(), 2u);
  const Collider& tool = scene.world.colliders()[lower.colliders[1]];
  EXPECT_LT((tool.local.position + lower.mass.center - Vec3(0, 0, 0.32)).norm(), 1e-15);
}

TEST(UrdfLinks, merging_keeps_mass_and_inertia_of_the_whole) {
  ImportOptions merge;
  merge.merge_fixed = true;
  const Scene apart = scene_of(import_urdf(model("twisted.urdf"))),
              merged = scene_of(import_urdf(model("twisted.urdf"), merge));
  EXPECT_THROW(merged.world.find("bolted"), Error);
  MassProperties sum;
  for (const char* name : {"slid", "bolted"}) {
    const Body& b = apart.world.body(apart.world.find(name));
    const MassProperties placed = b.mass.placed(b.frame());
    if (sum.mass == 0) sum = placed;
    else sum += placed;
  }
  const Body& slid = merged.world.body(merged.world.find("slid"));
  const MassProperties whole = slid.mass.placed(slid.frame());
  EXPECT_NEAR(whole.mass, sum.mass, 1e-14);
  EXPECT_LT((whole.center - sum.center).norm(), 1e-13);
  EXPECT_LT((whole.inertia - sum.inertia).norm(), 1e-13);
}

TEST(UrdfMimic, a_joint_that_follows_another_is_a_gear_and_starts_where_that_asks) {
  const ImportedScene imported = import_urdf(example("gripper.urdf"));
  const Scene scene = scene_of(imported);
  const Joint& gear = joint(scene, "right-mimic");
  EXPECT_EQ(gear.description.type, JointType::gear);
  EXPECT_EQ(gear.description.ratio, 1);
  EXPECT_EQ(scene.world.joint(gear.description.first.joint).description.name, "left");
  EXPECT_EQ(scene.world.joint(gear.description.second.joint).description.name, "right");
  // 0 is outside the limits of the left finger: it starts at 0.01, and the right one 0.002 farther.
  EXPECT_NEAR(scene.world.joint_position(scene.world.find_joint("left"), joint_z), 0.01, 1e-15);
  EXPECT_NEAR(scene.world.joint_position(scene.world.find_joint("right"), joint_z), 0.012, 1e-15);
  EXPECT_TRUE(found(imported, Kind::approximated, "joint 'left'", "starts at 0.01"));
  // The palm hangs upside down at 0.5 m, so that y points the other way.
  EXPECT_LT((frame(scene, "left_finger").position - Vec3(0, -0.02, 0.5)).norm(), 1e-12);
  EXPECT_LT((frame(scene, "right_finger").position - Vec3(0, 0.022, 0.5)).norm(), 1e-12);
}

TEST(UrdfDrive, servos_that_hold_are_as_strong_as_the_effort) {
  ImportOptions options;
  options.hold = HoldingServo{300, 10};
  const Scene scene = scene_of(import_urdf(example("gripper.urdf"), options));
  const JointAxis& left = joint(scene, "left").description.axes[joint_z];
  ASSERT_TRUE(left.servo);
  EXPECT_EQ(left.servo->target, 0.01);
  EXPECT_EQ(left.servo->stiffness, 300);
  EXPECT_EQ(left.servo->damping, 10);
  EXPECT_EQ(left.servo->max_force, 20);
  EXPECT_FALSE(joint(scene, "right").description.axes[joint_z].servo) << "it follows";
}

TEST(UrdfContacts, links_that_overlap_at_the_start_do_not_touch_and_it_is_said) {
  const auto link = [](const char* name) {
    return fmt::format(
        "<link name='{}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        "<collision><geometry><sphere radius='0.5'/></geometry></collision></link>",
        name);
  };
  const auto hinge = [](const char* parent, const char* child) {
    return fmt::format(
        "<joint name='{1}_hinge' type='continuous'><parent link='{0}'/><child link='{1}'/><origin xyz='0.3 0 0'/></joint>",
        parent, child);
  };
  const ImportedScene imported = import_text("urdf", "<robot name='r'>" + link("one") + link("two") + link("three") +
                                                         hinge("one", "two") + hinge("two", "three") + "</robot>");
  const Scene scene = scene_of(imported);
  const auto slot = [&](const char* name) { return scene.world.find(name).index; };
  EXPECT_FALSE(scene.world.may_touch(slot("one"), slot("two"))) << "joined";
  EXPECT_FALSE(scene.world.may_touch(slot("one"), slot("three"))) << "overlap by 0.4 m";
  EXPECT_TRUE(found(imported, Kind::approximated, "link 'three'", "'one' and 'three' overlap by 400 mm"));
  EXPECT_TRUE(scene.warnings.empty());
}

TEST(UrdfGround, the_floor_touches_the_lowest_point) {
  ImportOptions options;
  options.ground = true;
  options.fixed_base = false;
  const Scene scene = scene_of(import_text(
      "urdf",
      "<robot name='ball'><link name='ball'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/>"
      "</inertial><collision><origin xyz='0 0 0.2'/><geometry><sphere radius='0.5'/></geometry></collision></link></robot>",
      options));
  EXPECT_NEAR(frame(scene, "ground").position.z(), -0.3, 1e-15);
}

}   // namespace
}   // namespace stickslip::urdf_test
