// Meshes in scene documents: where they come from, who shares them, what is refused and in which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "scene/scene_text.h"
#include "stickslip/field/sampled_field.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/mesh/make_mesh.h"
#include "stickslip/mesh/write_mesh.h"
#include "stickslip/scene/make_field.h"

namespace stickslip::scene_meshes_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A folder of its own for files, gone at the end.
class SceneMeshFiles : public testing::Test {
 protected:
  SceneMeshFiles() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("stickslip_meshes_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SceneMeshFiles() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  Scene parse(const std::string& text) const { return parse_scene(text, file("s.json")); }
  /// The message without the name of the folder.
  std::string refusal(const std::string& text) const {
    try {
      parse(text);
      return "no error";
    } catch (const Error& e) {
      std::string what = e.what();
      const std::string prefix = folder_.string() + "/";
      for (std::size_t at; (at = what.find(prefix)) != std::string::npos;) what.erase(at, prefix.size());
      return what;
    }
  }

  std::filesystem::path folder_;
};

const Shape& shape_of(const Scene& scene, std::string_view body, std::size_t part = 0) {
  return scene.world.colliders()[named(scene, body).colliders.at(part)].shape;
}
const MeshSolid& solid_of(const Scene& scene, std::string_view body) { return *std::get<Mesh>(shape_of(scene, body)).solid; }

std::string body(const std::string& name, const std::string& shape, const std::string& more = "") {
  return fmt::format(R"({{"name": "{}", "shape": {}{}}})", name, shape, more);
}

/// Some bodies, far from each other.
std::string with_bodies(const std::vector<std::string>& shapes, const std::string& before = "", const std::string& more = "") {
  std::string list;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    list +=
        (i ? ", " : "") + body(fmt::format("b{}", i), shapes[i], fmt::format(R"(, "position": [{}, 0, 0]{})", 100 * i, more));
  return fmt::format(R"({{{}"bodies": [{}]}})", before, list);
}

const std::string kTetrahedron =
    R"("vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])";
const std::string kOpen =
    R"("vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3]])";

TEST_F(SceneMeshFiles, a_file_is_read_once_and_shared_by_all_that_name_it) {
  write_mesh(file("part.stl"), triangle_mesh(Box{{1, 2, 3}}));
  const Scene scene =
      parse(with_bodies({R"({"type": "mesh", "file": "part.stl"})", R"({"type": "mesh", "mesh": "part"})",
                         R"({"type": "mesh", "file": "part.stl", "scale": 2})", R"({"file": "part.stl", "type": "mesh"})"},
                        R"("meshes": [{"name": "part", "file": "part.stl"}], )"));
  EXPECT_EQ(&solid_of(scene, "b0"), &solid_of(scene, "b1"));
  EXPECT_EQ(&solid_of(scene, "b0"), &solid_of(scene, "b3"));
  EXPECT_NE(&solid_of(scene, "b0"), &solid_of(scene, "b2"));
  EXPECT_EQ(solid_of(scene, "b0").name(), "part");
  EXPECT_NEAR(named(scene, "b0").mass.mass, 48e3, 1e-9 * 48e3);
  EXPECT_NEAR(named(scene, "b2").mass.mass, 8 * 48e3, 1e-9 * 8 * 48e3);
}

TEST_F(SceneMeshFiles, scale_and_up_place_the_mesh) {
  write_mesh(file("box.obj"), triangle_mesh(Box{{1, 2, 3}}));
  const Scene scene = parse(with_bodies({R"({"type": "mesh", "file": "box.obj", "scale": 0.001})",
                                         R"({"type": "mesh", "file": "box.obj", "up": "y"})",
                                         R"({"type": "mesh", "file": "box.obj", "scale": [1, -2, 3]})"}));
  EXPECT_TRUE(solid_of(scene, "b0").surface().tree().bounds().upper.isApprox(Vec3(0.001, 0.002, 0.003), 1e-12));
  EXPECT_TRUE(solid_of(scene, "b1").surface().tree().bounds().upper.isApprox(Vec3(1, 3, 2), 1e-12));
  EXPECT_TRUE(solid_of(scene, "b2").surface().tree().bounds().upper.isApprox(Vec3(1, 4, 9), 1e-12));
  EXPECT_NEAR(solid_of(scene, "b2").solid()->mass, 48.0 * 6, 1e-9);   // a mirror turns no solid inside out
}

TEST(SceneMeshes, numbers_make_a_mesh_with_its_mass) {
  const Scene scene = parse_scene(with_bodies({"{\"type\": \"mesh\", " + kTetrahedron + "}"}), "s.json");
  const Body& body = named(scene, "b0");
  EXPECT_NEAR(body.mass.mass, 1000.0 / 6, 1e-9);
  EXPECT_TRUE(body.mass.center.isApprox(Vec3::Constant(0.25), 1e-12));
}

TEST(SceneMeshes, what_lies_in_a_hollow_does_not_overlap_and_what_does_is_named) {
  for (const char* type : {"mesh", "sdf"}) {
    const auto ball_at = [&](double x) {
      return fmt::format(R"({{"bodies": [
        {{"name": "ring", "shape": {{"type": "{}", "make": "torus", "radius": 1, "tube": 0.3, "segments": 48, "around": 24}}}},
        {{"name": "ball", "shape": {{"type": "sphere", "radius": 0.2}}, "position": [{}, 0, 0]}},
        {{"name": "link", "shape": {{"type": "{}", "make": "torus", "radius": 1, "tube": 0.3, "segments": 48, "around": 24}},
          "position": [-1.1, 0, 0], "rotation": {{"axis": [1, 0, 0], "degrees": 90}}}}]}})",
                         type, x, type);
    };
    EXPECT_EQ(error_of(ball_at(0.45)), "") << type;
    const std::string message = error_of(ball_at(0.55));
    EXPECT_THAT(message, StartsWith("s.json: 'ring' and 'ball' overlap by 50.3 mm at the start. Move them apart")) << type;
  }
}

TEST(SceneMeshes, a_formula_makes_a_mesh) {
  const Scene scene =
      parse_scene(with_bodies({R"({"type": "mesh", "make": "torus", "radius": 1, "tube": 0.25, "segments": 40})"}), "s.json");
  EXPECT_EQ(solid_of(scene, "b0").checksum(), checksum_of(torus(1, 0.25, 40, 16)));
}

TEST_F(SceneMeshFiles, repairs_close_what_is_open) {
  const std::string open = "{\"type\": \"mesh\", " + kOpen + "}",
                    mended = "{\"type\": \"mesh\", " + kOpen + ", \"repair\": \"all,fill\"}";
  EXPECT_NEAR(named(parse(with_bodies({mended})), "b0").mass.mass, 1000.0 / 6, 1e-9);
  EXPECT_EQ(
      refusal(with_bodies({open})),
      "s.json: /bodies/0: The mesh is not closed around a positive volume, so it has no mass. `stickslip mesh check` names "
      "its holes and faults; mend it (\"repair\": \"all,fill\"), give mass_properties, or make the body fixed.");
  EXPECT_EQ(refusal(with_bodies({open}, "", R"(, "motion": "fixed")")), "no error");
  EXPECT_EQ(refusal(with_bodies({open}, "", R"(, "mass_properties": {"mass": 1, "inertia": [1, 1, 1]})")), "no error");
  EXPECT_THAT(refusal(with_bodies({"{\"type\": \"mesh\", " + kOpen + ", \"repair\": \"al\"}"})),
              StartsWith("s.json: /bodies/0/shape/repair: There is no repair 'al'. Did you mean 'all'?"));
}

TEST_F(SceneMeshFiles, a_solid_that_runs_through_itself_and_moves_is_told) {
  TriangleMesh two = triangle_mesh(Box{{1, 1, 1}});
  write_mesh(file("one.stl"), two);
  const auto count = static_cast<std::uint32_t>(two.vertices.size());
  for (std::uint32_t v = 0; v < count; ++v) two.vertices.push_back(two.vertices[v] + Vec3(0.5, 0.3, 0.2));
  for (std::size_t t = 0, most = two.triangles.size(); t < most; ++t) {
    const auto [a, b, c] = two.triangles[t];
    two.triangles.push_back({a + count, b + count, c + count});
  }
  write_mesh(file("two.stl"), two);
  const std::string one = R"({"type": "mesh", "file": "one.stl"})", both = R"({"type": "mesh", "file": "two.stl"})";
  const Scene moving = parse(with_bodies({one, both, both}));
  ASSERT_EQ(moving.warnings.size(), 1u) << "once for all that share it";
  EXPECT_THAT(moving.warnings.front(), StartsWith("The mesh two.stl of 'b1' runs through itself (triangles "));
  EXPECT_TRUE(parse(with_bodies({one, both}, "", R"(, "motion": "fixed")")).warnings.empty());
}

TEST_F(SceneMeshFiles, a_mesh_that_has_changed_is_refused_by_its_checksum) {
  write_mesh(file("part.stl"), triangle_mesh(Box{{1, 1, 1}}));
  const std::string right = checksum_text(checksum_of(triangle_mesh(Box{{1, 1, 1}})));
  const auto with_sum = [](const std::string& sum) {
    return with_bodies({R"({"type": "mesh", "file": "part.stl", "checksum": ")" + sum + "\"}"});
  };
  const std::string found =
      checksum_text(solid_of(parse(with_bodies({R"({"type": "mesh", "file": "part.stl"})"})), "b0").checksum());
  EXPECT_EQ(refusal(with_sum(found)), "no error");
  EXPECT_EQ(refusal(with_sum("0123456789abcdef")),
            "s.json: /bodies/0/shape/checksum: The mesh 'part.stl' has the checksum " + found +
                ", not 0123456789abcdef: it is not the one that this scene was made with. Bring that one back, or give the new "
                "checksum.");
  EXPECT_EQ(right.size(), 16u);
}

TEST_F(SceneMeshFiles, mistakes_name_scene_place_mesh_file_value_and_remedy) {
  write("bad.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n");
  write("empty.obj", "v 0 0 0\n");
  const auto shape = [](const std::string& fields) { return with_bodies({"{\"type\": \"mesh\"" + fields + "}"}); };
  EXPECT_EQ(refusal(shape("")),
            "s.json: /bodies/0/shape: A mesh has no triangles. Give a \"file\", \"vertices\" and \"triangles\", or what to "
            "\"make\".");
  EXPECT_THAT(refusal(shape(R"(, "file": "none.stl")")),
              StartsWith("s.json: /bodies/0/shape/file: none.stl: There is no such mesh file"));
  EXPECT_THAT(refusal(shape(R"(, "file": "bad.stl")")), StartsWith("s.json: /bodies/0/shape/file: bad.stl: "));
  EXPECT_THAT(refusal(shape(R"(, "file": "bad.stl")")), HasSubstr("line 4"));
  EXPECT_THAT(refusal(shape(R"(, "file": "empty.obj")")), StartsWith("s.json: /bodies/0/shape/file: empty.obj: "));
  EXPECT_EQ(refusal(shape(R"(, "mesh": "part")")),
            "s.json: /bodies/0/shape/mesh: There is no mesh 'part': the scene has no list of \"meshes\".");
  EXPECT_EQ(refusal(shape(R"(, "vertices": [[0, 0, 0]], "triangles": [])")),
            "s.json: /bodies/0/shape: The mesh has no triangles. A shape needs a surface.");
  EXPECT_EQ(refusal(shape(R"(, "vertices": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "triangles": [[0, 1, 2]])")),
            "s.json: /bodies/0/shape: None of the 1 triangles of the mesh has an area. A shape needs a surface.");
  EXPECT_THAT(refusal(shape(R"(, "vertices": [[0, 0, 0]], "triangles": [[0, 1, 2]])")),
              StartsWith("s.json: /bodies/0/shape/triangles/0: There is no vertex 1"));
  EXPECT_EQ(refusal(shape(R"(, "make": "box", "half_extents": [1e308, 1, 1])")),
            "s.json: /bodies/0/shape/vertices/0: (-1e+308, -1, -1) is too far away. Coordinates must stay within 1e+30 m.");
  EXPECT_EQ(refusal(shape(R"(, "vertices": [[0, 0, 0]], "triangles": [[0, 1]])")),
            "s.json: /bodies/0/shape/triangles/0: [0, 1] is not a triangle. Give three numbers of vertices.");
  EXPECT_EQ(refusal(shape(R"(, "file": "a.stl", "make": "box")")),
            "s.json: /bodies/0/shape: 'file' and 'make' are both given. Keep one of them.");
  EXPECT_EQ(
      refusal(shape(R"(, "file": "a.stl", "scale": 0)")),
      "s.json: /bodies/0/shape/scale: 0 is not a scale. Give metres per unit of the file, greater than 0, such as 0.001 for "
      "millimetres; or three numbers for the axes, none of them 0.");
  EXPECT_EQ(
      refusal(with_bodies({R"({"type": "mesh", "mesh": "prat"})"}, R"("meshes": [{"name": "part", )" + kTetrahedron + "}], ")),
      "s.json: /bodies/0/shape/mesh: There is no mesh 'prat'. Did you mean 'part'?");
  EXPECT_EQ(
      refusal(with_bodies({}, R"("meshes": [{"name": "part", )" + kTetrahedron + R"(}, {"name": "part", "make": "box"}], )")),
      "s.json: /meshes/1/name: There are two meshes named 'part'. Names must be unique.");
}

/// An L of three unit cubes.
const std::string kAngle =
    R"("make": "extrude", "outline": [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], "half_height": 0.5)";

TEST(SceneMeshes, hulls_are_parts_of_the_body) {
  const Scene scene = parse_scene(with_bodies({"{\"type\": \"mesh\", \"as\": \"hulls\", " + kAngle + "}",
                                               "{\"type\": \"mesh\", \"as\": \"hull\", " + kAngle + "}",
                                               "{\"type\": \"mesh\", \"as\": \"hulls\", \"max_parts\": 1, " + kAngle + "}"}),
                                  "s.json");
  EXPECT_EQ(named(scene, "b0").colliders.size(), 2u);
  EXPECT_NEAR(named(scene, "b0").mass.mass, 3000, 0.1);
  EXPECT_EQ(named(scene, "b1").colliders.size(), 1u);
  EXPECT_NEAR(named(scene, "b1").mass.mass, 3500, 1e-6);
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_EQ(
      scene.warnings[0],
      "/bodies/2/shape: 1 hulls do not cover the mesh as closely as asked for: their concavity is 0.14, not 0.05. Allow more "
      "max_parts, or simplify the mesh.");
}

TEST(SceneMeshes, rows_of_heights_lie_as_on_a_map) {
  const Scene scene = parse_scene(
      with_bodies({R"({"type": "height-field", "size": [4, 2], "base": 0.5, "heights": [[3, 0, 0], [0, 0, 1]]})"}), "s.json");
  const MeshSolid& solid = solid_of(scene, "b0");
  ASSERT_TRUE(solid.closed());
  // The first row is that of the largest y, and x grows along it.
  const auto height = [&](double x, double y) {
    return first_hit(solid.mesh(), solid.surface().tree(), Vec3(x, y, 10), -Vec3::UnitZ())->t;
  };
  EXPECT_NEAR(10 - height(-2 + 1e-9, 1 - 1e-9), 3, 1e-6);
  EXPECT_NEAR(10 - height(2 - 1e-9, -1 + 1e-9), 1, 1e-6);
  EXPECT_NEAR(10 - height(2 - 1e-9, 1 - 1e-9), 0, 1e-6);
  EXPECT_NEAR(solid.surface().tree().bounds().lower.z(), -0.5, 1e-12);
  // A corner of height h that belongs to one of two triangles of a cell adds h A/6, to both h A/3.
  EXPECT_NEAR(solid.solid()->mass, 4 * 2 * 0.5 + 3 * 4.0 / 6 + 1 * 4.0 / 6, 1e-9);
}

TEST_F(SceneMeshFiles, heights_come_from_tables_samples_and_pictures) {
  write("h.csv", "# a hill\n0, 1, 0\n\n0; 2; 0\r\n");
  write("h.raw", std::string("\x00\x00\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00", 12));
  const Scene scene = parse(
      with_bodies({R"({"type": "height-field", "size": [2, 1], "file": "h.csv", "scale": 0.5})",
                   R"({"type": "height-field", "size": [2, 1], "file": "h.raw", "rows": 2, "columns": 3, "sample": "uint16",
           "scale": 4})"}));
  EXPECT_NEAR(solid_of(scene, "b0").surface().tree().bounds().upper.z(), 1, 1e-12);
  EXPECT_NEAR(solid_of(scene, "b0").surface().tree().bounds().lower.z(), -0.1, 1e-12);
  EXPECT_NEAR(solid_of(scene, "b1").surface().tree().bounds().upper.z(), 4, 1e-12);
  const auto field = [](const std::string& more) {
    return with_bodies({"{\"type\": \"height-field\", \"size\": [2, 1]" + more + "}"});
  };
  write("bad.csv", "0, 1\n0, x\n");
  write("long.csv", "0, 1\n0, 1, 2\n");
  EXPECT_EQ(refusal(field(R"(, "file": "bad.csv")")),
            "s.json: /bodies/0/shape/file: bad.csv: line 2: 'x' is not a height. Give finite numbers, separated by commas.");
  EXPECT_EQ(
      refusal(field(R"(, "file": "long.csv")")),
      "s.json: /bodies/0/shape/file: long.csv: line 2: 3 heights, but 2 in the rows before. All rows must be equally long.");
  EXPECT_EQ(refusal(field(R"(, "file": "none.csv")")), "s.json: /bodies/0/shape/file: none.csv: There is no such file.");
  EXPECT_EQ(refusal(field(R"(, "file": "h.raw", "rows": 2, "columns": 2, "sample": "uint16")")),
            "s.json: /bodies/0/shape/file: h.raw: The file has 12 bytes, not 8: 2 rows of 2 samples of 2 bytes.");
  EXPECT_EQ(refusal(field(R"(, "file": "h.jpg")")),
            "s.json: /bodies/0/shape/file: 'h.jpg' is not a file of heights. Give a picture (.png), a table (.csv, .txt) or "
            "samples (.raw).");
  EXPECT_EQ(refusal(field(R"(, "heights": [[1, 2], [3]])")),
            "s.json: /bodies/0/shape/heights/1: This row has 1 heights, the first has 2. All rows must be equally long.");
  EXPECT_EQ(refusal(field(R"(, "heights": [[1, 2]])")),
            "s.json: /bodies/0/shape/heights: 1 × 2 heights make no surface. Give at least 2 rows of 2 heights.");
  EXPECT_THAT(refusal(field(R"(, "heights": [[1, 2], [1, 2]], "base": 0)")),
              StartsWith("s.json: /bodies/0/shape/base: 0 is not a thickness."));
}

TEST_F(SceneMeshFiles, the_field_of_a_mesh_is_kept_beside_its_file) {
  write_mesh(file("ball.stl"), triangle_mesh(Sphere{1}, 6));
  const std::string text = with_bodies({R"({"type": "sdf", "file": "ball.stl", "resolution": 24})"});
  const Scene scene = parse(text);
  EXPECT_TRUE(std::filesystem::exists(file("ball.stl.field")));
  const MeshSolid& solid = solid_of(scene, "b0");
  ASSERT_TRUE(solid.field());
  const FieldSample s = solid.field()->sample({0, 0, 1.1});
  EXPECT_NEAR(s.value, 0.1, solid.field()->error_bound() + 0.02);   // and what the triangles cut off the ball
  EXPECT_GT(s.gradient.z(), 0.9);
  // What stands in the file is read again, and what the text says makes the same field.
  EXPECT_EQ(solid_of(parse(text), "b0").field()->value({0.3, 0.4, 0.9}), solid.field()->value({0.3, 0.4, 0.9}));
  EXPECT_EQ(make_field(solid, solid.field_text())->value({0.3, 0.4, 0.9}), solid.field()->value({0.3, 0.4, 0.9}));
}

TEST(SceneMeshes, a_union_of_shapes_has_field_surface_and_mass) {
  const std::string dumbbell = R"({"type": "sdf", "smooth": 0.1, "size": 0.08, "union": [
      {"shape": {"type": "sphere", "radius": 0.5}, "position": [0, 0, 1]},
      {"shape": {"type": "sphere", "radius": 0.5}, "position": [0, 0, -1]},
      {"shape": {"type": "cylinder", "radius": 0.2, "half_height": 0.8}, "rotation": {"axis": [0, 0, 1], "degrees": 30}}]})";
  const Scene scene = parse_scene(with_bodies({dumbbell, dumbbell}), "s.json");
  const MeshSolid& solid = solid_of(scene, "b0");
  EXPECT_EQ(&solid, &solid_of(scene, "b1"));
  ASSERT_TRUE(solid.field());
  EXPECT_NEAR(solid.field()->value({0, 0, 1.7}), 0.2, 1e-12);
  for (const Vec3& v : solid.mesh().vertices) EXPECT_NEAR(solid.field()->value(v), 0, 1e-6);
  const double balls = 2 * 4.0 / 3 * std::numbers::pi * 0.125, rod = std::numbers::pi * 0.04 * 2 * (1 - std::sqrt(0.21));
  EXPECT_NEAR(solid.solid()->mass, balls + rod, 0.03 * (balls + rod));
  const auto again = make_field(solid, solid.field_text());
  for (const Vec3& at : {Vec3(0.1, 0.2, 0.3), Vec3(0.3, 0, 0.6), Vec3(0, 0, -2)})
    EXPECT_EQ(again->value(at), solid.field()->value(at));
  EXPECT_EQ(
      error_of(with_bodies({R"({"type": "sdf", "union": [{"shape": {"type": "half-space"}}]})"})),
      "s.json: /bodies/0/shape/union/0/shape: A half-space has no end, and so no mass and no surface to draw. Use a box.");
  EXPECT_EQ(error_of(with_bodies({R"({"type": "sdf", "union": []})"})).substr(0, 36), "s.json: /bodies/0/shape/union: [] is");
}

TEST(SceneMeshes, meshes_inside_a_union_stand_in_the_text_of_its_field) {
  const Scene scene = parse_scene(
      with_bodies(
          {R"({"type": "sdf", "size": 0.3, "union": [{"shape": {"type": "mesh", "make": "box", "half_extents": [1, 1, 1]}},
      {"shape": {"type": "hull", "points": [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]]}, "position": [1, 0, 0]}]})"}),
      "s.json");
  const MeshSolid& solid = solid_of(scene, "b0");
  const auto again = make_field(solid, solid.field_text());
  for (const Vec3& at : {Vec3(0.1, 0.2, 0.3), Vec3(1.3, 0, 1.6), Vec3(0, 0, -2)})
    EXPECT_EQ(again->value(at), solid.field()->value(at));
}

}   // namespace
}   // namespace stickslip::scene_meshes_test
