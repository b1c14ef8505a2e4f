// Friction laws and surfaces in scene documents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "scene_text.h"

namespace stickslip {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kTwo =
    R"("bodies": [{"name": "ball", "material": "a", "shape": {"type": "sphere", "radius": 1}, "position": [0, 0, 1]},
  {"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}}])";

std::string with_friction(const std::string& friction, const std::string& step = "") {
  return R"({"materials": [{"name": "a", "friction": )" + friction + "}], " + step + kTwo + "}";
}

TEST(SceneFriction, is_a_number_a_published_name_or_a_law) {
  const auto material = [](const std::string& friction) {
    const Scene scene = parse_scene(with_friction(friction), "s.json");
    return scene.world.materials[scene.world.materials.find("a")];
  };
  EXPECT_EQ(material("0.3").friction, 0.3);
  EXPECT_EQ(material("0.3").law, nullptr);
  const Material steel = material(R"("steel-on-steel")");
  EXPECT_EQ(steel.law->name, "static-kinetic");
  EXPECT_EQ(steel.friction, 0.74);
  const Material wood = material(R"({"law": "ellipse", "along": 0.2, "across": 0.6})");
  EXPECT_EQ(wood.law->numbers, (std::vector<double>{0.2, 0.6}));
  EXPECT_EQ(material(R"({"law": "coulomb", "friction": 0.7})").friction, 0.7);
  EXPECT_EQ(material(R"({"law": "coulomb", "friction": 0.7})").law, nullptr);
  EXPECT_EQ(material(R"({"law": "limit-surface", "points": [[0.5, 0, 0], [0, 0.5, 0.1]]})").law->points.size(), 2u);
}

TEST(SceneFriction, a_pair_is_fixed_to_the_first_material_that_it_names) {
  const Scene scene =
      parse_scene(R"({"materials": [{"name": "a"}, {"name": "b", "structure": {"type": "fixed", "direction": [0, 1, 0]}}],
    "material_pairs": [{"between": ["b", "a"], "friction": {"law": "ellipse", "along": 0.1, "across": 0.2}}], "bodies": []})",
                  "s.json");
  const MaterialTable& m = scene.world.materials;
  EXPECT_EQ(m.between(m.find("a"), m.find("b")).fixed_to, m.find("b"));
  EXPECT_EQ(std::get<FixedStructure>(m[m.find("b")].surface.structure).direction, Vec3(0, 1, 0));
}

TEST(SceneFriction, surfaces_are_read_from_patterns_and_pictures) {
  const auto folder = std::filesystem::temp_directory_path() / "stickslip_scene_friction";
  std::filesystem::create_directories(folder);
  sawtooth_normals(32, 2, 0.3, 1.2).write_png(folder / "teeth.png");
  const Scene scene = parse_scene(R"({"bodies": [], "materials": [
    {"name": "a", "normal_map": {"pattern": "sawtooth", "size": 0.2, "pixels": 32, "count": 2, "ramp_degrees": 20,
     "cliff_degrees": 60}, "tensor": [[1, 0.5], [0.5, 2]]},
    {"name": "b", "normal_map": {"file": "teeth.png", "size": 0.1}, "structure": {"type": "picture",
     "file": "teeth.png", "size": 0.3}},
    {"name": "c", "normal_map": {"pattern": "bumps", "size": 0.2}, "structure": {"type": "flow", "radius": 2}},
    {"name": "d", "structure": {"type": "circular", "center": [1, 2, 3]}}]})",
                                  (folder / "s.json").string());
  const MaterialTable& m = scene.world.materials;
  EXPECT_EQ(m[m.find("a")].surface.normal_map.picture->width(), 32);
  EXPECT_EQ(m[m.find("a")].surface.tensor(0, 1), 0.5);
  EXPECT_EQ(m[m.find("b")].surface.normal_map.picture->width(), 32);
  EXPECT_EQ(std::get<PictureStructure>(m[m.find("b")].surface.structure).size, 0.3);
  EXPECT_EQ(std::get<FlowStructure>(m[m.find("c")].surface.structure).radius, 2);
  EXPECT_EQ(std::get<CircularStructure>(m[m.find("d")].surface.structure).center, Vec3(1, 2, 3));
  std::filesystem::remove_all(folder);
}

TEST(SceneFriction, mistakes_are_named_with_place_value_and_remedy) {
  EXPECT_THAT(error_of(with_friction(R"({"law": "elipse", "along": 0.2, "across": 0.6})")),
              AllOf(HasSubstr("/materials/0/friction/law"), HasSubstr("'elipse'"), HasSubstr("'ellipse'")));
  EXPECT_THAT(error_of(with_friction(R"({"law": "ellipse", "along": 0.2})")),
              AllOf(HasSubstr("/materials/0/friction"), HasSubstr("across")));
  EXPECT_THAT(error_of(with_friction(R"({"law": "ellipse", "along": -0.2, "across": 0.6})")),
              AllOf(HasSubstr("/materials/0/friction"), HasSubstr("along"), HasSubstr("-0.2")));
  EXPECT_THAT(error_of(with_friction(R"({"law": "ellipse", "along": 0.2, "acros": 0.6})")), HasSubstr("acros"));
  EXPECT_THAT(error_of(with_friction(R"("steel-on-stele")")),
              AllOf(HasSubstr("/materials/0/friction"), HasSubstr("steel-on-steel")));
  EXPECT_THAT(error_of(with_friction("[1, 2]")), HasSubstr("/materials/0/friction"));
  EXPECT_THAT(error_of(R"({"bodies": [], "materials": [{"name": "a", "normal_map": {"file": "no-such.png", "size": 1}}]})"),
              AllOf(HasSubstr("/materials/0/normal_map/file"), HasSubstr("no-such.png")));
  EXPECT_THAT(error_of(R"({"bodies": [], "materials": [{"name": "a", "normal_map": {"pattern": "bumps", "size": 0}}]})"),
              AllOf(HasSubstr("/materials/0/normal_map/size"), HasSubstr("0")));
}

TEST(SceneFriction, a_solver_that_cannot_honour_a_law_is_refused_at_load_and_others_are_named) {
  const std::string contensou = R"({"law": "contensou", "along": 0.2, "across": 0.6, "torsion": 0.1})";
  EXPECT_THAT(error_of(with_friction(contensou, R"("step": {"solver": "lemke"}, )")),
              AllOf(HasSubstr("/step/solver"), HasSubstr("'lemke'"), HasSubstr("'contensou'"), HasSubstr("prox-gs")));
  EXPECT_EQ(error_of(with_friction(contensou, R"("step": {"solver": "prox-gs"}, )")), "");
  EXPECT_THAT(
      error_of(with_friction(R"({"law": "box", "along": 0.2, "across": 0.6})", R"("step": {"solver": "coulomb-newton"}, )")),
      AllOf(HasSubstr("/step/solver"), HasSubstr("'box'")));
}

TEST(SceneFriction, laws_that_do_not_combine_are_refused_at_load) {
  const std::string text =
      R"({"materials": [{"name": "default", "friction": {"law": "rolling", "friction": 0.5, "rolling": 0.01}},
    {"name": "a", "friction": {"law": "ellipse", "along": 0.2, "across": 0.6}}], )" +
      kTwo + "}";
  EXPECT_THAT(error_of(text), AllOf(HasSubstr("'rolling'"), HasSubstr("'ellipse'"), HasSubstr("pair")));
}

TEST(SceneFriction, a_tensor_that_does_not_dissipate_most_gives_a_warning) {
  const Scene scene = parse_scene(
      R"({"materials": [{"name": "default", "tensor": [[0.5, 0], [0, 0.2]]}, {"name": "a", "friction": {"law": "tensor",
       "scale": 1}}], )" +
          kTwo + "}",
      "s.json");
  ASSERT_FALSE(scene.warnings.empty());
  EXPECT_THAT(scene.warnings.front(), AllOf(HasSubstr("'a'"), HasSubstr("dissipat")));
}

}   // namespace
}   // namespace stickslip
