// Colours that robots bring along.
#include "imported.h"

namespace stickslip::looks_test {
namespace {

using test::example;
using test::import_text;
using test::scene_of;

TEST(Looks, colours_of_mjcf_geoms_and_materials_come_along) {
  const Scene scene =
      scene_of(import_text("xml", R"(<mujoco><asset><material name="gold" rgba="1 0.8 0 0.5" texture="t"/></asset>
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

TEST(Looks, shapes_of_urdf_links_have_the_colour_of_their_visual) {
  const Scene scene = scene_of(import_robot(example("arm.urdf")));
  const Body& base = scene.world.body(scene.world.find("base"));
  EXPECT_EQ(scene.world.colliders()[base.colliders[0]].colour, colour_from_name("#3366cc"));
}

}   // namespace
}   // namespace stickslip::looks_test
