// Files that cannot be imported: the message names file, line, value and remedy.
#include <gmock/gmock.h>

#include <random>

#include "imported.h"

namespace stickslip {
namespace {

using test::example;
using test::model;
using test::refusal;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string robot(const std::string& content) { return "<robot name='r'>\n" + content + "\n</robot>"; }
std::string mujoco(const std::string& content) { return "<mujoco>\n<worldbody>\n" + content + "\n</worldbody>\n</mujoco>"; }
const std::string kInertial =
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
std::string joined(const char* name, const char* parent, const char* child) {
  return fmt::format("<joint name='{}' type='fixed'><parent link='{}'/><child link='{}'/></joint>\n", name, parent, child);
}

TEST(Refusals, broken_files_name_the_line) {
  EXPECT_THAT(refusal("urdf", "<robot name='r'>\n<link name='a'>\n</robot>"),
              AllOf(HasSubstr("model.urdf: line"), HasSubstr("this is not XML"), HasSubstr("mismatched element")));
  EXPECT_THAT(refusal("xml", ""), HasSubstr("this is not XML"));
  EXPECT_THAT(refusal("xml", "<sdf/>"), HasSubstr("<sdf> is not the root of a robot file"));
  EXPECT_THROW(import_robot("no/such/file.urdf"), Error);
  EXPECT_THAT(refusal("urdf", robot("<link name='a'/><link name='a'/>")),
              AllOf(HasSubstr("line 2, link 'a'"), HasSubstr("Names must differ")));
  EXPECT_THAT(refusal("urdf", robot("<xacro:macro/>")), HasSubstr("Run `xacro"));
}

TEST(Refusals, links_that_are_no_tree) {
  const std::string three = "<link name='a'/><link name='b'/><link name='c'/>\n";
  EXPECT_THAT(refusal("urdf", robot(three + joined("1", "a", "b") + joined("2", "b", "c") + joined("3", "c", "b"))),
              AllOf(HasSubstr("line 5"), HasSubstr("already the child of the joint '1'")));
  EXPECT_THAT(refusal("urdf", robot(three + joined("1", "b", "c") + joined("2", "c", "b"))),
              AllOf(HasSubstr("link 'b'"), HasSubstr("run in a circle")));
  EXPECT_THAT(refusal("urdf", robot(three + joined("1", "a", "b"))),
              AllOf(HasSubstr("Neither 'c' nor 'a'"), HasSubstr("one root link")));
  EXPECT_THAT(refusal("urdf", robot(three + joined("1", "a", "d"))), HasSubstr("There is no link 'd'"));
  EXPECT_THAT(refusal("urdf", robot("")), HasSubstr("has no link"));
}

TEST(Refusals, numbers_that_no_body_can_have) {
  const auto link = [](const std::string& inertial) { return robot("<link name='a'>\n" + inertial + "</link>"); };
  EXPECT_THAT(
      refusal("urdf",
              link("<inertial><mass value='-1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>")),
      AllOf(HasSubstr("line 3, link 'a'"), HasSubstr("-1")));
  EXPECT_THAT(refusal("urdf", link("<inertial><mass value='heavy'/></inertial>")),
              AllOf(HasSubstr("line 3"), HasSubstr("'heavy' is not a finite number")));
  EXPECT_THAT(refusal("urdf", link("<inertial><mass value='inf'/></inertial>")), HasSubstr("'inf' is not a finite number"));
  EXPECT_THAT(
      refusal("urdf", link("<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='9' ixy='0' ixz='0' iyz='0'/></inertial>")),
      AllOf(HasSubstr("line 3"), HasSubstr("1, 1, 9. No solid")));
  EXPECT_THAT(refusal("urdf", link("<collision><geometry><box size='1 2'/></geometry></collision>")),
              HasSubstr("2 numbers instead of 3"));
  EXPECT_THAT(refusal("urdf", link("<collision><geometry><sphere radius='-2'/></geometry></collision>")),
              AllOf(HasSubstr("line 3"), HasSubstr("-2")));
  EXPECT_THAT(refusal("urdf", link("<collision><geometry><cone/></geometry></collision>")),
              HasSubstr("<cone> is not a shape of URDF"));
  EXPECT_THAT(refusal("xml", mujoco("<body name='b'><freejoint/><geom size='-0.1'/></body>")),
              AllOf(HasSubstr("line 3"), HasSubstr("-0.1 is not a length")));
  EXPECT_THAT(refusal("xml", mujoco("<body name='b'><joint range='2 1'/><geom size='0.1'/></body>")),
              AllOf(HasSubstr("line 3"), HasSubstr("range=\"2 1\"")));
  EXPECT_THAT(refusal("xml", mujoco("<body name='b'><freejoint/><geom size='0.1' mass='-3'/></body>")),
              HasSubstr("-3 is not a mass"));
}

TEST(Refusals, bodies_that_move_without_mass) {
  const std::string turning = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>";
  EXPECT_THAT(
      refusal("urdf",
              robot("<link name='a'/>\n<link name='b'><collision><geometry><sphere radius='1'/></geometry></collision></link>" +
                    turning)),
      AllOf(HasSubstr("line 3, link 'b'"), HasSubstr("moves and has no mass"), HasSubstr("<inertial>")));
  EXPECT_THAT(refusal("xml", mujoco("<body name='b'><freejoint/></body>")), HasSubstr("'b' moves and has no mass"));
}

TEST(Refusals, meshes_that_are_not_there) {
  ImportOptions hulls;
  hulls.meshes = MeshImport::hull;
  const std::string mesh = robot(
      "<link name='a'>\n<collision><geometry><mesh filename='package://nowhere/part.stl'/></geometry></collision></link>");
  EXPECT_THAT(refusal("urdf", mesh, hulls),
              AllOf(HasSubstr("line 3, link 'a'"), HasSubstr("package://nowhere/part.stl"), HasSubstr("without meshes")));
  EXPECT_EQ(refusal("urdf", mesh), "");
  EXPECT_THAT(
      refusal("xml",
              "<mujoco><asset><mesh file='part.stl'/></asset>\n<worldbody><geom type='mesh' mesh='part'/></worldbody></mujoco>",
              hulls),
      HasSubstr("There is no mesh"));
}

TEST(Refusals, names_that_mean_nothing_get_a_suggestion) {
  EXPECT_THAT(refusal("xml", mujoco("<body name='b'><geom size='1' class='nine'/></body>")),
              HasSubstr("no default class 'nine'"));
  EXPECT_THAT(refusal("xml", mujoco("<geom type='sphre' size='1'/>")), HasSubstr("Did you mean 'sphere'?"));
  EXPECT_THAT(
      refusal("xml",
              "<mujoco><worldbody><body name='trunk'><geom size='1'/></body></worldbody><contact><exclude body1='trunk' "
              "body2='trnk'/></contact></mujoco>"),
      HasSubstr("Did you mean 'trunk'?"));
  EXPECT_THAT(
      refusal(
          "urdf",
          robot("<link name='a'/><link name='b'>" + kInertial +
                "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n<mimic joint='k'/></joint>")),
      AllOf(HasSubstr("line 3"), HasSubstr("There is no joint 'k'")));
}

/// Whatever is done to a file, the import ends with a scene or an Error, and says where.
TEST(Refusals, damaged_files_never_end_in_anything_but_an_error) {
  std::mt19937 random(11);
  std::size_t refused = 0, read = 0;
  for (const auto& file : {model("twisted.urdf"), model("classes.xml"), example("gripper.urdf")}) {
    std::ifstream in(file);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    for (int round = 0; round < 80; ++round) {
      std::string text = whole;
      const std::size_t at = random() % text.size();
      switch (round % 4) {
        case 0:
          text.erase(at, 1 + random() % 12);
          break;
        case 1:
          text[at] = static_cast<char>(random() % 96 + 32);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
          break;
        default: {   // a number becomes another one
          const std::size_t digit = text.find_first_of("123456789", at);
          if (digit != text.npos)
            text.replace(digit, 1, std::vector<std::string>{"-", "0", "1e9", "x", "1e400", "nan"}[random() % 6]);
        }
      }
      try {
        const test::OneFile damaged("damaged" + file.extension().string(), text);
        test::scene_of(import_robot(damaged.path()));
        ++read;
      } catch (const Error& e) {
        EXPECT_THAT(e.what(), ::testing::AnyOf(HasSubstr("damaged"), HasSubstr("imported"))) << text;
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 50u);
  EXPECT_GT(refused, 25u);
}

}   // namespace
}   // namespace stickslip
