// Meshes of scenes that are made by formulas.
#include "scene/make_mesh.h"

#include <gtest/gtest.h>

#include "scene/scene_text.h"
#include "stickslip/mesh/health.h"
#include "stickslip/mesh/make_mesh.h"

namespace stickslip::scene_make_mesh_test {
namespace {

using namespace document;

/// The mesh that an object describes, in the list of meshes of a document.
TriangleMesh made(const std::string& text) {
  const Json document = parse_json("{\"meshes\": [" + text + "]}", "s.json");
  const Place root(document), list(document["meshes"], root, "meshes"), place(document["meshes"][0], list, "0");
  TriangleMesh mesh;
  read_object(place, "a mesh", [&](Fields& fields) { mesh = document::make_mesh(place, fields); });
  return mesh;
}

std::string refusal(const std::string& text) {
  try {
    made(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

/// The same vertices, bit by bit, and the same triangles.
void expect_same(const TriangleMesh& a, const TriangleMesh& b, const char* what) {
  EXPECT_EQ(a.vertices, b.vertices) << what;
  EXPECT_EQ(a.triangles, b.triangles) << what;
}

const std::string kThread = R"("radius": 0.003, "pitch": 0.001, "depth": 0.0006, "clearance": 5e-5)";

TEST(MadeMeshes, numbers_of_a_document_go_to_the_makers) {
  expect_same(made(R"({"make": "box", "half_extents": [1, 2, 3], "divisions": 2})"), triangle_mesh(Box{{1, 2, 3}}, 2), "box");
  expect_same(made(R"({"make": "sphere", "radius": 2, "divisions": 3})"), triangle_mesh(Sphere{2}, 3), "sphere");
  expect_same(made(R"({"make": "box", "half_extents": [1, 2, 3], "divisions": 4, "bumps": 0.1, "waves": 2})"),
              with_bumps(triangle_mesh(Box{{1, 2, 3}}, 4), {1, 2, 3}, 0.1, 2), "bumpy box");
  expect_same(made(R"({"make": "cylinder", "radius": 2, "half_height": 3, "segments": 5})"), triangle_mesh(Cylinder{2, 3}, 5),
              "cylinder");
  expect_same(made(R"({"make": "capsule", "radius": 2, "half_height": 3, "segments": 8})"), triangle_mesh(Capsule{2, 3}, 8),
              "capsule");
  expect_same(made(R"({"make": "torus", "radius": 2, "tube": 0.5, "segments": 7, "around": 5})"), torus(2, 0.5, 7, 5), "torus");
  expect_same(made(R"({"make": "revolve", "profile": [[1, 0], [2, 0], [2, 1]], "segments": 9})"),
              revolve({{1, 0}, {2, 0}, {2, 1}}, 9), "revolve");
  expect_same(made(R"({"make": "extrude", "outline": [[0, 0], [3, 0], [0, 3]], "half_height": 1,
                       "holes": [[[0.5, 0.5], [1, 0.5], [0.5, 1]]]})"),
              extrude({{0, 0}, {3, 0}, {0, 3}}, 1, {{{0.5, 0.5}, {1, 0.5}, {0.5, 1}}}), "extrude");
  expect_same(made(R"({"make": "gear", "teeth": 12, "module": 0.1, "half_height": 0.2, "pressure_degrees": 25,
                       "backlash": 0.01, "flank_points": 3, "bore": 0.2})"),
              extrude(gear_outline({12, 0.1, 25, 0.01, 3}), 0.2, {circle(0.2, 24)}), "gear");
  const std::vector<Vec3> path = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
  expect_same(made(R"({"make": "sweep", "path": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "radius": 0.1, "segments": 6})"),
              sweep(path, circle(0.1, 6)), "pipe");
  expect_same(made(R"({"make": "sweep", "path": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "section": [[0, 0], [0.1, 0], [0, 0.1]],
                       "up": [0, 0, 1], "closed": true})"),
              sweep(path, {{0, 0}, {0.1, 0}, {0, 0.1}}, {true, Vec3::UnitZ()}), "bent bar");
  expect_same(made("{\"make\": \"bolt\", " + kThread + R"(, "length": 0.01, "head_radius": 0.005, "head_height": 0.003,
                       "segments": 12})"),
              triangle_mesh(Bolt{{.segments = 12}, 0.01, 0.005, 0.003}), "bolt");
  expect_same(made("{\"make\": \"nut\", " + kThread + R"(, "half_height": 0.002, "outer_radius": 0.006, "segments": 12})"),
              triangle_mesh(Nut{{.segments = 12}, 0.002, 0.006}), "nut");
  expect_same(made(R"({"make": "sticks", "sticks": [{"from": [0, 0, 0], "to": [1, 0, 0], "radius": 0.3},
                       {"from": [1, 0, 0], "radius": 0.5}], "blend": 0.1, "size": 0.3})"),
              joined_sticks({{{0, 0, 0}, {1, 0, 0}, 0.3}, {{1, 0, 0}, {1, 0, 0}, 0.5}}, 0.1, 0.3), "sticks");
  expect_same(made(R"({"make": "voussoir", "inner": 1, "outer": 2, "from_degrees": -5, "to_degrees": 10, "half_depth": 0.3,
                       "divisions": 2})"),
              triangle_mesh(Voussoir{1, 2, -5, 10, 0.3, 2}), "voussoir");
  expect_same(made(R"({"make": "wall-stone", "a": 10, "b": 8, "thickness": 1, "lower": [[0, 0], [5, 1]],
                       "upper": [[0, 2], [5, 2]], "divisions": 3, "origin": [2, 1]})"),
              triangle_mesh(WallStone{10, 8, 1, {{0, 0}, {5, 1}}, {{0, 2}, {5, 2}}, 3, {2, 1}}), "wall-stone");
}

TEST(MadeMeshes, a_block_lies_between_its_corners) {
  const TriangleMesh wedge = made(R"({"make": "block", "corners": [[0, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0],
                                       [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]], "divisions": 2})");
  EXPECT_TRUE(check(wedge).is_fit(MeshUse::contact));
  EXPECT_NEAR(volume(wedge), 1.5, 1e-15);
}

TEST(MadeMeshes, mistakes_name_their_places) {
  EXPECT_EQ(refusal(R"({"make": "spere", "radius": 1})"), "/meshes/0/make: There is no 'spere' here. Did you mean 'sphere'?");
  EXPECT_EQ(refusal(R"({"make": "sphere", "raduis": 1})"),
            "/meshes/0/raduis: Unknown key 'raduis' for a mesh. Did you mean 'radius'?");
  EXPECT_EQ(refusal(R"({"make": "sphere", "radius": -1})"),
            "/meshes/0/radius: -1 is not a length. A sphere radius must be finite and greater than 0.");
  EXPECT_EQ(refusal(R"({"make": "revolve", "profile": [[0, 1], [1, 2, 3]]})"),
            "/meshes/0/profile/1: [1, 2, 3] has 3 entries. Give two numbers.");
  EXPECT_EQ(refusal(R"({"make": "revolve", "profile": [[0, 1], [-1, 2], [0, 2]]})"),
            "/meshes/0/profile/1: The radius -1 lies behind the axis. Give (r, z) with r ≥ 0.");
  EXPECT_EQ(refusal(R"({"make": "gear", "teeth": 20, "module": 0.1, "half_height": 1, "bore": 5})"),
            "/meshes/0/bore: 5 is no radius of a hole: the teeth stand on 0.875 m. Give less, or 0 for none.");
  EXPECT_EQ(refusal(R"({"make": "sweep", "path": [[0, 0, 0], [1, 0, 0]], "radius": 1, "section": []})"),
            "/meshes/0: 'section' and 'radius' are both given. Keep one of them.");
  EXPECT_EQ(refusal(R"({"make": "sticks", "sticks": [{"from": [0, 0, 0], "radius": "big"}], "size": 1})"),
            "/meshes/0/sticks/0/radius: \"big\" is a string. Give a number.");
  EXPECT_EQ(refusal(R"({"make": "sticks", "sticks": [{"from": [0, 0, 0], "radius": 0}], "size": 1})"),
            "/meshes/0/sticks/0/radius: 0 is not a length. A capsule radius must be finite and greater than 0.");
  EXPECT_EQ(refusal(R"({"make": "block", "corners": [[0, 0, 0]]})"),
            "/meshes/0/corners: 1 corners make no block. Give 8: (−,−,−), (+,−,−), (−,+,−), (+,+,−), and the same for +z.");
}

}   // namespace
}   // namespace stickslip::scene_make_mesh_test
