// Files that are cut off, damaged or not what they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "geometry/triangle_meshes.h"
#include "mesh_files.h"
#include "stickslip/mesh/write_mesh.h"

namespace stickslip::mesh_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(MeshTrouble, a_message_names_file_place_value_and_remedy) {
  const Folder folder;
  const std::string tet = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  const struct {
    const char *name, *bytes;
    std::vector<std::string> parts;
  } cases[] = {
      {"a.obj", "v 0 0 0\nv 0 nan 1\nf 1 2 1\n", {"line 2", "(0, nan, 1) is not a point", "finite"}},
      {"b.obj", "v 0 0 0\nv 1 0 0\nf 1 2 4\n", {"line 3", "no vertex 4", "there are 2"}},
      {"c.obj", "v 0 0 0\nf 0 1 1\n", {"line 2", "no vertex 0", "counted from 1"}},
      {"d.obj", "v 0 0 zero\n", {"line 1", "'zero' is not a number"}},
      {"e.obj", "v 0 0 0\nv 1 0 0\n", {"no triangles", "2 vertices"}},
      {"f.obj", "v 0 0\n", {"line 1", "ends where"}},
      {"g.obj", "\xff\xfev", {"UTF-16", "Save it as"}},
      {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", {"line", "within a facet"}},
      {"b.stl", "short", {"5 bytes are too few", "84"}},
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999\n", {"line 3", "99999999999", "cut off"}},
      {"b.ply",
       "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 inf\n",
       {"line 8", "inf"}},
      {"c.ply", "plx\n", {"no PLY"}},
      {"a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", {"line 6", "no vertex 3"}},
      {"a.gltf", "{\"asset\":{\"version\":\"2.0\"}}", {"Assimp cannot read"}},
      {"a.dae", "<COLLADA>", {"line", "not XML"}},
      {"b.dae", "<COLLADA><scene><instance_visual_scene url='#s'/></scene></COLLADA>", {"line 1", "#s", "no <visual_scene>"}},
      {"c.dae",
       "<COLLADA><scene><instance_visual_scene url='#s'/></scene><visual_scene id='s'><node id='n'><instance_node "
       "url='#n'/></node></visual_scene></COLLADA>",
       {"holds itself"}},
      {"a.xyz", "1 2 3\n", {"'.xyz'", ".stl"}},
      {"a.msh", "$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", {"line 2", "version 3", "2.2 and 4.1"}},
      {"b.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n", {"without $Elements"}},
      {"c.msh",
       "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 2\n$EndElements\n",
       {"line 10", "no node 2"}},
      {"a.vtk", "# vtk DataFile Version 3.0\nx\nBINARY\n", {"0 cells", "cut off"}},
      {"b.vtk", "# vtk DataFile Version 3.0\nx\nHEX\n", {"line 3", "ASCII or BINARY"}},
      {"a.vtu", "<VTKFile><UnstructuredGrid>", {"not XML"}},
      {"a.node", "2 3 0 0\n1 0 0 0\n", {"a.ele", "no such mesh file"}},
  };
  for (const auto& c : cases) {
    const std::string said = trouble(folder.put(c.name, c.bytes));
    EXPECT_THAT(said, StartsWith((folder / c.name).string().substr(0, 20)));
    for (const std::string& part : c.parts) EXPECT_THAT(said, HasSubstr(part)) << c.name;
  }
  EXPECT_THAT(trouble(folder / "none.stl"), AllOf(HasSubstr("none.stl"), HasSubstr("no such mesh file")));
  EXPECT_THAT(trouble(folder.put("empty.obj", "")), HasSubstr("empty"));
  EXPECT_THAT(trouble(folder.put("s.obj", tet + "f 1 3 2\n"), {0}), HasSubstr("0 is not a scale"));
  EXPECT_THAT(trouble(folder / "s.obj", {1e308 * 10}), HasSubstr("inf is not a scale"));
}

TEST(MeshTrouble, a_file_cut_off_anywhere_is_refused_or_read_in_part_but_never_breaks) {
  const Folder folder;
  for (const char* name : {"box.stl", "box.ply", "box.obj", "box.vtk"}) {
    write_mesh(folder / name, box_mesh({1, 1, 1}));
    const std::string bytes = folder.get(name);
    int refused = 0;
    for (std::size_t size = 1; size < bytes.size(); size += 11)
      refused +=
          trouble(folder.put("cut" + std::filesystem::path(name).extension().string(), bytes.substr(0, size))) != "no error";
    EXPECT_GT(refused, 0) << name;
    const bool knows_its_size = std::string(name) == "box.stl" || std::string(name) == "box.ply";
    EXPECT_TRUE(!knows_its_size || refused == static_cast<int>((bytes.size() + 9) / 11)) << name;
  }
}

TEST(MeshTrouble, a_binary_stl_that_lies_about_its_size_is_refused_before_memory_is_taken) {
  const Folder folder;
  std::string bytes(84 + 50, '\0');
  bytes[80] = bytes[81] = bytes[82] = '\xff', bytes[83] = '\x7f';
  EXPECT_THAT(trouble(folder.put("lie.stl", bytes)), AllOf(HasSubstr("2147483647 triangles"), HasSubstr("134 bytes hold 1")));
}

TEST(MeshTrouble, more_elements_than_allowed_are_refused) {
  const Folder folder;
  MeshFileOptions few;
  few.max_elements = 11;
  for (const char* name : {"box.stl", "box.obj", "box.ply"}) {
    write_mesh(folder / name, box_mesh({1, 1, 1}));
    EXPECT_THAT(trouble(folder / name, few), AllOf(HasSubstr("12 triangles"), HasSubstr("limit is 11"))) << name;
  }
}

TEST(MeshTrouble, what_cannot_be_written_says_why) {
  const Folder folder;
  const auto said = [](auto&& f) {
    try {
      f();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(said([&] {
                write_mesh(folder / "a.gltf", box_mesh({1, 1, 1}));
              }),
              AllOf(HasSubstr("'.gltf'"), HasSubstr(".stl")));
  EXPECT_THAT(said([&] { write_mesh(folder / "a.stl", TetMesh{}); }), HasSubstr(".msh"));
  EXPECT_THAT(said([&] { write_mesh(folder / "no/a.stl", box_mesh({1, 1, 1})); }), HasSubstr("no"));
}

}   // namespace
}   // namespace stickslip::mesh_test
