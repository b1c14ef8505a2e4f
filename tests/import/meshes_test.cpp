// Meshes and height fields of robot files in the scenes that they become.
#include <gmock/gmock.h>

#include "imported.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::import_meshes_test {
namespace {

using Kind = ImportFinding::Kind;
using test::found;
using test::import_text;
using test::Mujoco;
using test::OneFile;
using ::testing::HasSubstr;

/// An L of three unit cubes.
std::string l_shape() {
  std::string text;
  for (const int z : {0, 1})
    for (const auto& [x, y] : {std::pair{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}})
      text += fmt::format("v {} {} {}\n", x, y, z);
  text += "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n";
  for (int i = 1; i <= 6; ++i) text += fmt::format("f {} {} {} {}\n", i, i % 6 + 1, i % 6 + 7, i + 6);
  return text;
}

std::string urdf(const std::string& scale) {
  std::string links, joints;
  for (int i = 0; i < 2; ++i)
    links += fmt::format(
        "<link name='l{}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        "<collision><geometry><mesh filename='part.obj' scale='{}'/></geometry></collision></link>",
        i, scale);
  return "<robot name='r'>" + links +
         "<joint name='j' type='prismatic'><parent link='l0'/><child link='l1'/><axis xyz='0 0 1'/>"
         "<origin xyz='0 0 9'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";
}

struct Robot {
  explicit Robot(const std::string& text, const std::string& ending = "urdf") : mesh("part.obj", l_shape()) {
    file = mesh.path().parent_path() / ("robot." + ending);
    std::ofstream(file) << text;
  }
  Scene scene(const ImportOptions& options) const { return scene(import_robot(file, options), file.parent_path()); }
  static Scene scene(const ImportedScene& imported, const std::filesystem::path& folder) {
    return parse_scene(imported.document, (folder / "scene.json").string());
  }
  OneFile mesh;
  std::filesystem::path file;
};

TEST(ImportedMeshes, true_ones_are_shared_by_file_and_checksum) {
  const Robot robot(urdf("1 -2 1"));
  ImportOptions options;
  options.meshes = MeshImport::mesh;
  const ImportedScene imported = import_robot(robot.file, options);
  EXPECT_FALSE(found(imported, Kind::approximated, "", "<mesh>"));
  const Scene scene = Robot::scene(imported, robot.file.parent_path());
  ASSERT_EQ(scene.world.colliders().size(), 2u);
  const auto& first = std::get<Mesh>(scene.world.colliders()[0].shape);
  EXPECT_EQ(first.solid, std::get<Mesh>(scene.world.colliders()[1].shape).solid);
  EXPECT_NEAR(first.solid->solid()->mass, 6, 1e-9);   // mirrored and stretched, and not inside out
  EXPECT_THAT(imported.document, HasSubstr("\"file\": \"part.obj\""));
  EXPECT_THAT(imported.document, HasSubstr("\"checksum\": \"" + checksum_text(first.solid->checksum())));
}

TEST(ImportedMeshes, files_are_named_from_where_the_document_will_be) {
  const Robot robot(urdf("1 1 1"));
  ImportOptions options;
  options.meshes = MeshImport::mesh;
  options.document_folder = robot.file.parent_path() / "scenes/robots";
  const ImportedScene imported = import_robot(robot.file, options);
  EXPECT_THAT(imported.document, HasSubstr("\"file\": \"../../part.obj\""));
}

TEST(ImportedMeshes, a_cover_of_hulls_has_the_volume_of_the_mesh) {
  const Robot robot(urdf("1 1 1"));
  ImportOptions options;
  options.meshes = MeshImport::hulls;
  EXPECT_TRUE(found(import_robot(robot.file, options), Kind::approximated, "link 'l0'", "convex hulls cover it"));
  const Scene scene = robot.scene(options);
  ASSERT_EQ(scene.world.colliders().size(), 4u);
  double volume = 0;
  for (const Collider& c : scene.world.colliders()) volume += mass_properties(c.shape, 1).mass;
  EXPECT_NEAR(volume, 6, 1e-3);
}

TEST(ImportedMeshes, those_that_are_not_there_are_left_out_and_named_unless_they_are_asked_for) {
  const std::string text = urdf("1 1 1");
  const ImportedScene imported = import_text("urdf", text);
  EXPECT_TRUE(found(imported, Kind::not_supported, "link 'l0'", "<mesh>: left out: There is no mesh"));
  ImportOptions options;
  options.meshes = MeshImport::mesh;
  EXPECT_THAT(test::refusal("urdf", text, options), HasSubstr("There is no mesh"));
}

TEST(ImportedMeshes, true_meshes_lie_and_weigh_as_in_mujoco) {
  for (const char* scale : {"1 1 1", "0.5 0.5 0.5", "0.5 1 2"})
    for (const char* turn : {"1 0 0 0", "0.8 0.6 0 0", "0.5 0.5 -0.5 0.5"}) {
      const Robot robot(
          fmt::format("<mujoco><compiler exactmeshinertia='true'/><asset><mesh name='part' file='part.obj' scale='{}' "
                      "refpos='0.1 0.2 0.3' refquat='{}'/></asset><worldbody><body name='b' pos='1 2 3'><freejoint/>"
                      "<geom type='mesh' mesh='part' density='600' pos='1 0 0' quat='0.6 0 0.8 0'/></body>"
                      "</worldbody></mujoco>",
                      scale, turn),
          "xml");
      ImportOptions options;
      options.meshes = MeshImport::mesh;
      const Scene scene = robot.scene(options);
      const Body& body = scene.world.body(scene.world.find("b"));
      const Mujoco mujoco(robot.file);
      const int id = mj_name2id(mujoco.model, mjOBJ_BODY, "b");
      EXPECT_NEAR(body.mass.mass, mujoco.model->body_mass[id], 1e-4 * body.mass.mass) << scale << ", " << turn;
      EXPECT_LT((body.position - Vec3(mujoco.data->xipos + 3 * id)).norm(), 1e-4) << scale << ", " << turn;
      // The mesh is where its mass is.
      const Collider& c = scene.world.colliders()[0];
      EXPECT_LT((c.local * std::get<Mesh>(c.shape).solid->solid()->center).norm(), 1e-9) << scale << ", " << turn;
    }
}

/// Height of the only collider at a place seen from above.
double height_at(const Scene& scene, double x, double y) {
  const Collider& c = scene.world.colliders()[0];
  const MeshSolid& solid = *std::get<Mesh>(c.shape).solid;
  const Body& ground = scene.world.bodies()[c.body];
  const Pose pose = Pose{ground.position, ground.orientation} * c.local;
  const double within = 1 - 1e-9;
  const auto hit = first_hit(solid.mesh(), solid.surface().tree(), pose.to_local({within * x, within * y, 10}), -Vec3::UnitZ());
  return hit ? 10 - hit->t : -1;
}

TEST(ImportedMeshes, a_height_field_lies_as_in_mujoco) {
  const OneFile file("h.xml",
                     "<mujoco><asset><hfield name='h' file='h.bin' size='2 1 0.5 0.1'/></asset>"
                     "<worldbody><geom type='hfield' hfield='h' pos='0 0 1'/></worldbody></mujoco>");
  {
    std::ofstream out(file.path().parent_path() / "h.bin", std::ios::binary);
    const std::int32_t counts[2] = {3, 4};
    const float samples[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12};
    out.write(reinterpret_cast<const char*>(counts), sizeof counts);
    out.write(reinterpret_cast<const char*>(samples), sizeof samples);
  }
  const Mujoco mujoco(file.path());
  const Scene scene = test::scene_of(import_mjcf(file.path()));
  ASSERT_EQ(scene.world.colliders().size(), 1u);
  const mjtNum down[3] = {0, 0, -1};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c) {
      const double x = 0.999 * (-2 + 4.0 * c / 3), y = 0.999 * (-1 + 1.0 * r);
      const mjtNum from[3] = {x, y, 10};
      int geom = -1;
      const double expected = 10 - mj_ray(mujoco.model, mujoco.data, from, down, nullptr, 1, -1, &geom);
      EXPECT_NEAR(height_at(scene, x, y), expected, 1e-5) << r << " " << c;
    }
  EXPECT_NEAR(height_at(scene, 2, 1), 1.5, 1e-6);
}

TEST(ImportedMeshes, elevations_in_a_model_are_rows_of_a_map) {
  const std::string text =
      "<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='2 1 0.5 0.1' elevation='10 20 30  10 10 10'/></asset>"
      "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>";
  const Scene scene = test::scene_of(import_text("xml", text));
  EXPECT_NEAR(height_at(scene, 2, 1), 0.5, 1e-6);
  EXPECT_NEAR(height_at(scene, 0, 1), 0.25, 1e-6);
  EXPECT_NEAR(height_at(scene, 2, -1), 0, 1e-6);
  EXPECT_THAT(test::refusal("xml",
                            "<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='2 1 0.5 0.1' elevation='1 2'/></asset>"
                            "<worldbody/></mujoco>"),
              HasSubstr("elevation"));
}

}   // namespace
}   // namespace stickslip::import_meshes_test
