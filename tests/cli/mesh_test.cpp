// Meshes on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../record/record_scenes.h"
#include "program.h"

namespace stickslip::mesh_cli_test {
namespace {

using nlohmann::json;
using test::Directory;
using test::Finished;
using test::stickslip;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A cube of edge 2 around the origin, without its last triangle if `open`.
std::string cube(bool open = false) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += fmt::format("v {} {} {}\n", i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  text += "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8\n";
  return open ? text : text + "f 2 8 6\n";
}

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

TEST(MeshCommand, check_tells_measures_and_fitness_and_its_exit_code_follows) {
  const Directory directory;
  const std::string good = directory / "cube.obj", open = directory / "open.obj";
  test::write_content(good, cube());
  test::write_content(open, cube(true));
  const Finished fit = stickslip("mesh check " + good);
  EXPECT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_THAT(fit.out, AllOf(HasSubstr("12 triangles, 8 vertices, 1 piece, Euler number 2"), HasSubstr("volume    8 m³"),
                             HasSubstr("nothing found wrong"), HasSubstr("mass         yes")));
  EXPECT_THAT(fit.err, IsEmpty());
  const Finished unfit = stickslip("mesh check " + open);
  EXPECT_EQ(unfit.exit_code, 1);
  EXPECT_THAT(unfit.out, AllOf(HasSubstr("open edges: 3 around 1 hole"), HasSubstr("--repair fill"),
                               HasSubstr("mass         no: open edges")));
  EXPECT_EQ(stickslip("mesh check --for static " + open).exit_code, 0);
  const Finished mended = stickslip("mesh check --repair fill,orient " + open);
  EXPECT_EQ(mended.exit_code, 0);
  EXPECT_THAT(mended.out, HasSubstr("fill: 1 holes filled with 1 triangles"));
}

TEST(MeshCommand, check_prints_one_json_document) {
  const Directory directory;
  test::write_content(directory / "open.obj", cube(true));
  const Finished run = stickslip("mesh check --json --scale 0.001 " + std::string(directory / "open.obj"));
  EXPECT_EQ(run.exit_code, 1);
  const json j = json::parse(run.out);
  EXPECT_EQ(j.at("triangles"), 11);
  EXPECT_EQ(j.at("holes"), 1);
  EXPECT_FALSE(j.at("closed").get<bool>());
  EXPECT_TRUE(j.at("volume").is_null());
  EXPECT_NEAR(j.at("box").at("upper").at(0).get<double>(), 0.001, 1e-15);
  EXPECT_EQ(j.at("findings").at(0).at("fault"), "open edges");
  EXPECT_FALSE(j.at("fit").at("mass").at("fit").get<bool>());
  EXPECT_TRUE(j.at("fit").at("static").at("fit").get<bool>());
}

TEST(MeshCommand, convert_scales_turns_and_mends) {
  const Directory directory;
  test::write_content(directory / "l.obj", l_shape());
  const std::string stl = directory / "l.stl";
  const Finished run = stickslip("mesh convert --scale 0.01 --up y " + std::string(directory / "l.obj") + " -o " + stl);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const json j = json::parse(stickslip("mesh check --json " + stl).out);
  EXPECT_NEAR(j.at("volume").get<double>(), 3e-6, 1e-11);
  EXPECT_NEAR(j.at("box").at("upper").at(2).get<double>(), 0.02, 1e-8);
}

TEST(MeshCommand, sdf_writes_the_field_that_a_scene_reads) {
  const Directory directory;
  const std::string good = directory / "cube.obj", scene = directory / "s.json";
  test::write_content(good, cube());
  const Finished made = stickslip("mesh sdf " + good + " --resolution 16");
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("cube.obj.field: "), HasSubstr("16 cells along the longest side")));
  const auto written = std::filesystem::last_write_time(good + ".field");
  test::write_content(scene, R"({"bodies": [{"shape": {"type": "sdf", "file": "cube.obj", "resolution": 16}}]})");
  EXPECT_EQ(stickslip("validate " + scene).exit_code, 0);
  EXPECT_EQ(std::filesystem::last_write_time(good + ".field"), written);
  const Finished coarse =
      stickslip("mesh sdf " + good + " --resolution 8 --tolerance 1e-6 --json -o " + std::string(directory / "c.sdf"));
  EXPECT_EQ(coarse.exit_code, 1);
  EXPECT_FALSE(json::parse(coarse.out)["reached"]);
  EXPECT_EQ(stickslip("mesh sdf " + good + " --sign wind").exit_code, 2);
}

TEST(MeshCommand, check_prints_the_checksum_that_a_scene_takes) {
  const Directory directory;
  const std::string good = directory / "cube.obj", scene = directory / "s.json";
  test::write_content(good, cube());
  const std::string sum = json::parse(stickslip("mesh check --json --scale 0.01 " + good).out)["checksum"];
  const auto with = [&](const std::string& text) {
    test::write_content(
        scene, R"({"bodies": [{"shape": {"type": "mesh", "file": "cube.obj", "scale": 0.01, "checksum": ")" + text + "\"}}]}");
    return stickslip("validate " + scene);
  };
  EXPECT_EQ(with(sum).exit_code, 0);
  const Finished other = with("0000000000000000");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr(sum), HasSubstr("0000000000000000"), HasSubstr("/bodies/0/shape/checksum")));
}

TEST(MeshCommand, tet_hulls_and_simplify_write_what_they_say) {
  const Directory directory;
  const std::string l = directory / "l.obj", tets = directory / "l.msh", parts = directory / "l.json",
                    few = directory / "few.ply";
  test::write_content(l, l_shape());
  const json t = json::parse(stickslip("mesh tet --json " + l + " --size 0.25 -o " + tets).out);
  EXPECT_GT(t.at("tetrahedra"), 100);
  EXPECT_GT(t.at("dihedral_degrees").at("min"), 10.7);
  EXPECT_LT(t.at("dihedral_degrees").at("max"), 164.8);
  const json again = json::parse(stickslip("mesh check --json " + tets).out);
  EXPECT_NEAR(again.at("volume").get<double>(), t.at("volume").get<double>(), 1e-9);
  EXPECT_EQ(stickslip("mesh convert " + tets + " -o " + std::string(directory / "l.vtk")).exit_code, 0);

  const Finished hulls = stickslip("mesh hulls --concavity 0.01 " + l + " -o " + parts);
  EXPECT_EQ(hulls.exit_code, 0) << hulls.err;
  EXPECT_THAT(hulls.out, HasSubstr("2 hulls"));
  const json body = json::parse(test::content_of(parts));
  test::write_content(directory / "scene.json", json{{"bodies", {{{"name", "l"}, {"parts", body.at("parts")}}}}}.dump());
  const Finished valid = stickslip("validate " + std::string(directory / "scene.json"));
  EXPECT_EQ(valid.exit_code, 0) << valid.err;
  EXPECT_EQ(stickslip("mesh hulls --parts 1 " + l + " -o " + std::string(directory / "one.obj")).exit_code, 1);

  const json s = json::parse(stickslip("mesh simplify --json " + tets + " --triangles 60 -o " + few).out);
  EXPECT_LE(s.at("triangles").at("after"), 60);
  EXPECT_EQ(json::parse(stickslip("mesh check --json " + few).out).at("triangles"), s.at("triangles").at("after"));
}

TEST(MeshCommand, what_is_wrong_ends_with_exit_code_2_and_one_line) {
  const Directory directory;
  const std::string good = directory / "cube.obj", open = directory / "open.obj", out = directory / "out";
  test::write_content(good, cube());
  test::write_content(open, cube(true));
  test::write_content(directory / "nan.obj", "v 0 0 0\nv nan 0 0\n");
  const struct {
    std::string arguments, part;
  } cases[] = {{"mesh", "needs a command. Valid are: check"},
               {"mesh chek", "Did you mean 'check'?"},
               {"mesh check", "needs a mesh"},
               {"mesh check " + good + " more", "one argument too many for 'mesh check'"},
               {"mesh check --jsn " + good, "'mesh check' has no option '--jsn'"},
               {"mesh check " + std::string(directory / "none.stl"), "no such mesh file"},
               {"mesh check " + std::string(directory / "nan.obj"), "nan.obj: line 2: (nan, 0, 0) is not a point"},
               {"mesh check --for flying " + good, "no such use"},
               {"mesh check --up x " + good, "'x' is not an axis"},
               {"mesh check --scale -1 " + good, "-1 is not a scale"},
               {"mesh check --repair glue " + good, "no repair 'glue'"},
               {"mesh convert " + good, "needs a file to write"},
               {"mesh convert " + good + " -o " + out + ".gltf", "'.gltf'"},
               {"mesh tet " + good + " -o " + out + ".msh", "--size"},
               {"mesh tet " + good + " --size 0 -o " + out + ".msh", "0 is not a size"},
               {"mesh tet " + open + " --size 0.1 -o " + out + ".msh", "open.obj: The mesh is not closed"},
               {"mesh hulls " + open + " -o " + out + ".obj", "open.obj: The mesh is not closed"},
               {"mesh hulls " + good + " -o " + out + ".stl", "'.stl'"},
               {"mesh simplify " + good + " -o " + out + ".stl", "--triangles N"}};
  for (const auto& c : cases) test::expect_refused(c.arguments, c.part);
}

}   // namespace
}   // namespace stickslip::mesh_cli_test
