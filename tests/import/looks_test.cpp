// Colours that robots bring along.
#include "imported.h"

namespace stickslip::looks_test {
namespace {

using test::example;
using test::import_text;
using test::scene_of;

TEST(Looks, colours_of_mjcf_geoms_and_materials_come_along) {
  const Scene scene = scene_of(import_text("xml", R"(<mujoco><asset><material name="gold" rgba="1 0.8 0 0.5"/></asset>
    <default><default class="red"><geom rgba="1 0 0 1"/></default></default>
    <worldbody><geom type="plane" size="1 1 1"/>
      <body pos="0 0 1"><freejoint/><geom name="g" size="0.1" material="gold"/></body>
      <body pos="0 0 2"><freejoint/><geom size="0.1" class="red"/></body>
      <body pos="0 0 3"><freejoint/><geom size="0.1" material="gold" rgba="0 0 1 1"/></body>
      <body pos="0 0 4"><freejoint/><geom size="0.1" rgba="0 0 1 0"/></body></worldbody></mujoco>)"));
  std::vector<std::string> shown;
  for (const Collider& c : scene.world.colliders()) shown.push_back(c.colour ? colour_name(*c.colour) : "none");
  EXPECT_EQ(shown, (std::vector<std::string>{"none", "#ffcc0080", "#ff0000", "#0000ff", "none"}));
}

TEST(Looks, textures_of_mjcf_materials_lie_on_the_geoms_that_wear_them) {
  const test::OneFile file("model.xml", R"(<mujoco><compiler texturedir="pictures"/><asset>
      <material name="tiles" texture="check" texrepeat="4 2" texuniform="true"/>
      <material name="wood" texture="oak" texrepeat="3 1" rgba="0.5 0.5 0.5 1"/>
      <material name="sky" texture="far"/>
      <texture name="check" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="64" height="64"/>
      <texture name="oak" type="2d" file="oak.png"/>
      <texture name="far" type="skybox" builtin="gradient"/></asset>
    <worldbody><geom type="plane" size="5 5 1" material="tiles"/>
      <body pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3" material="wood"/></body>
      <body pos="0 0 2"><freejoint/><geom size="0.1" material="sky"/></body></worldbody></mujoco>)");
  std::filesystem::create_directory(file.path().parent_path() / "pictures");
  const std::string oak = pattern_picture(TexturePattern::flat, {120, 80, 40}, {});
  std::ofstream(file.path().parent_path() / "pictures/oak.png", std::ios::binary) << oak;
  const ImportedScene imported = import_robot(file.path());
  const Scene scene = parse_scene(imported.document, file.path().parent_path() / "scene.json");
  const auto texture = [&](std::size_t collider) { return scene.world.colliders()[collider].texture; };
  ASSERT_TRUE(texture(0) && texture(1));
  EXPECT_EQ(texture(0)->picture, pattern_picture(TexturePattern::checker, {255, 0, 0}, {0, 0, 255}));
  EXPECT_EQ(texture(0)->size, (std::array{0.25, 0.5})) << "copies in a metre";
  EXPECT_EQ(texture(1)->picture, oak);
  EXPECT_EQ(texture(1)->repeat, (std::array{3.0, 1.0})) << "copies on a side";
  EXPECT_EQ(colour_name(*scene.world.colliders()[1].colour), "#808080") << "multiplies the picture";
  EXPECT_FALSE(texture(2));
  EXPECT_TRUE(test::found(imported, ImportFinding::Kind::ignored, "material", "no texture 'far'"));
  EXPECT_NE(test::refusal("xml", R"(<mujoco><asset><texture name="a" file="none.png"/></asset><worldbody/></mujoco>)")
                .find("none.png"),
            std::string::npos);
}

TEST(Looks, a_texture_of_a_urdf_visual_is_shown_and_one_that_is_missing_is_told) {
  const auto robot = [](const char* picture) {
    return fmt::format(R"(<robot name="r"><link name="base"><visual><geometry><box size="1 1 1"/></geometry>
      <material name="m"><texture filename="{}"/></material></visual>
      <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>)",
                       picture);
  };
  const test::OneFile file("r.urdf", robot("skin.png"));
  std::ofstream(file.path().parent_path() / "skin.png", std::ios::binary)
      << pattern_picture(TexturePattern::flat, {120, 80, 40}, {});
  const Scene scene = parse_scene(import_robot(file.path()).document, file.path().parent_path() / "scene.json");
  ASSERT_TRUE(scene.world.colliders()[0].texture);
  EXPECT_FALSE(scene.world.colliders()[0].colour) << "nothing tints it";
  const ImportedScene without = import_text("urdf", robot("nowhere.png"));
  EXPECT_TRUE(test::found(without, ImportFinding::Kind::ignored, "link", "nowhere.png"));
  EXPECT_FALSE(scene_of(without).world.colliders()[0].texture);
}

TEST(Looks, shapes_of_urdf_links_have_the_colour_of_their_visual) {
  const Scene scene = scene_of(import_robot(example("arm.urdf")));
  const Body& base = scene.world.body(scene.world.find("base"));
  EXPECT_EQ(scene.world.colliders()[base.colliders[0]].colour, colour_from_name("#3366cc"));
}

}   // namespace
}   // namespace stickslip::looks_test
