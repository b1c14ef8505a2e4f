// Meshes that are written and read again, and files as other programs write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "geometry/triangle_meshes.h"
#include "mesh_files.h"
#include "stickslip/mesh/write_mesh.h"

namespace stickslip::mesh_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MeshFiles, text_and_ply_keep_every_bit_of_a_mesh) {
  const Folder folder;
  const TriangleMesh mesh = torus_mesh(1, 0.3, 20, 10);
  for (const char* name : {"torus.obj", "torus.ply", "torus.vtk"}) {
    write_mesh(folder / name, mesh);
    const ImportedMesh again = read_triangle_mesh(folder / name);
    EXPECT_EQ(again.mesh.vertices, mesh.vertices) << name;
    EXPECT_EQ(again.mesh.triangles, mesh.triangles) << name;
  }
}

TEST(MeshFiles, stl_keeps_places_in_single_precision_and_neighbours_by_equal_places) {
  const Folder folder;
  const TriangleMesh mesh = torus_mesh(1, 0.3, 20, 10);
  write_mesh(folder / "torus.stl", mesh);
  const ImportedMesh again = read_triangle_mesh(folder / "torus.stl");
  EXPECT_EQ(again.mesh.vertices.size(), mesh.vertices.size());
  EXPECT_EQ(again.mesh.triangles.size(), mesh.triangles.size());
  EXPECT_TRUE(is_closed(again.mesh));
  EXPECT_NEAR(volume(again.mesh), volume(mesh), 1e-6);
  EXPECT_THAT(again.notes, ElementsAre(HasSubstr("200 of 1200 stay")));
}

TEST(MeshFiles, stl_as_text_is_read_too) {
  const Folder folder;
  std::string text = "solid part name with facet\n";
  const TriangleMesh mesh = box_mesh({1, 2, 3});
  for (const auto& t : mesh.triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const auto v : t)
      text += fmt::format("  vertex {} {} {:e}\n", mesh.vertices[v].x(), mesh.vertices[v].y(), mesh.vertices[v].z());
    text += " endloop\nendfacet\n";
  }
  EXPECT_NEAR(volume(read_triangle_mesh(folder.put("box.STL", text + "endsolid part\n")).mesh), 48, 1e-12);
}

TEST(MeshFiles, obj_has_polygons_negative_indices_normals_and_colours) {
  const Folder folder;
  // An arrow head: the fan from its first corner would leave it, ears do not. Its area is 3.
  const auto path = folder.put(
      "arrow.obj",
      "\xEF\xBB\xBF# arrow\nmtllib x.mtl\nv 2 -1 0 1 0 0\nv 2 3 0 1 0 0\nv 1 1 0 0 1 0\nv -2 1 0 0 0 1\nvn 0 0 1\nusemtl m\n"
      "f -4//1 -3//1 \\\n -2//1 -1//-1 # all\nl 1 2\n");
  MeshFileOptions options;
  options.look = true;
  const ImportedMesh arrow = read_triangle_mesh(path, options);
  ASSERT_EQ(arrow.mesh.triangles.size(), 2u);
  const double outline =
      0.5 * std::abs(2 * 3 - 2 * -1 + 2 * 1 - 1 * 3 + 1 * 1 - -2 * 1 + -2 * -1 - 2 * 1);   // by the shoelace formula
  EXPECT_NEAR(area(arrow.mesh), outline, 1e-15);
  ASSERT_EQ(arrow.look.normals.size(), 6u);
  EXPECT_THAT(arrow.look.normals[0], ElementsAre(0, 0, 1));
  ASSERT_EQ(arrow.look.colours.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(arrow.look.colours[k][0], arrow.mesh.triangles[k / 3][k % 3] < 2 ? 1 : 0);
}

TEST(MeshFiles, ply_is_read_in_both_byte_orders_and_as_text) {
  const Folder folder;
  const std::string header =
      "element vertex 4\nproperty float x\nproperty uchar red\nproperty double y\nproperty short z\nelement edge 1\nproperty "
      "list "
      "uchar int nodes\nelement face 4\nproperty list uchar int vertex_index\nend_header\n";
  const std::array<double, 3> points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 2}};
  const std::array<int, 3> faces[] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  std::string text = "ply\nformat ascii 1.0\n" + header, big = "ply\r\nformat binary_big_endian 1.0\n" + header;
  const auto put = [&](auto value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    big.append(std::make_reverse_iterator(bytes + sizeof value), std::make_reverse_iterator(bytes));
  };
  for (const auto& [x, y, z] : points) {
    text += fmt::format("{} 7 {} {}\n", x, y, z);
    put(static_cast<float>(x)), put(std::uint8_t{7}), put(y), put(static_cast<std::int16_t>(z));
  }
  text += "2 0 1\n";
  put(std::uint8_t{2}), put(0), put(1);
  for (const auto& [a, b, c] : faces) {
    text += fmt::format("3 {} {} {}\n", a, b, c);
    put(std::uint8_t{3}), put(a), put(b), put(c);
  }
  EXPECT_NEAR(volume(read_triangle_mesh(folder.put("text.ply", text)).mesh), 1.0 / 3, 1e-15);
  EXPECT_NEAR(volume(read_triangle_mesh(folder.put("big.ply", big)).mesh), 1.0 / 3, 1e-15);
}

constexpr const char* kGltf =
    R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"translation":[0,5,0]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,
 "type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,
"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})";

TEST(MeshFiles, gltf_is_placed_by_its_nodes_and_stands_up) {
  const Folder folder;
  const auto path = folder.put("one.gltf", kGltf);
  const TriangleMesh upright = read_triangle_mesh(path).mesh;   // y is up in glTF: (x, y, z) → (x, −z, y)
  EXPECT_THAT(upright.vertices, ElementsAre(Vec3(0, 0, 5), Vec3(1, 0, 5), Vec3(0, 0, 6)));
  MeshFileOptions as_it_stands{0.5, UpAxis::z};
  EXPECT_THAT(read_triangle_mesh(path, as_it_stands).mesh.vertices,
              ElementsAre(Vec3(0, 2.5, 0), Vec3(0.5, 2.5, 0), Vec3(0, 3, 0)));
}

std::string collada(const std::string& up) {
  return "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset><up_axis>" +
         up +
         "</up_axis></asset><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='9'>0 0 0 1 0 "
         "0 0 1 7</float_array>"
         "<technique_common><accessor source='#a' count='3' stride='3'><param name='X' type='float'/><param name='Y' "
         "type='float'/><param name='Z' "
         "type='float'/></accessor></technique_common></source><vertices id='v'><input semantic='POSITION' "
         "source='#p'/></vertices><triangles count='1'>"
         "<input semantic='VERTEX' source='#v' offset='0'/><p>0 1 "
         "2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes>"
         "<visual_scene id='s'><node id='n'><instance_geometry url='#g'/></node></visual_scene></library_visual_scenes><scene>"
         "<instance_visual_scene url='#s'/></scene></COLLADA>";
}

/// The beginning of a picture: all that is asked of it here.
const std::string kPicture = "\x89PNG and so on";

TEST(MeshFiles, obj_takes_colours_and_pictures_of_its_materials) {
  const Folder folder;
  folder.put("wood grain.png", kPicture);
  folder.put("looks.mtl",
             "newmtl red\nKd 1 0.5 0\nnewmtl wood\nKd 0.1 0.1 0.1\nmap_Kd wood grain.png\nnewmtl gone\nKd 0 0 1\nmap_Kd -s 1 "
             "1 1 no.png\nnewmtl odd\nKd spectral x\n");
  const auto path = folder.put(
      "o.obj",
      "mtllib looks.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0.5\nvt 0.25\nf 1 2 3\nusemtl red\nf 1/1 2/2 3/3\nusemtl "
      "wood\nf 1/1 2/2 3/3\nf 1 2 3\nusemtl gone\nf 1/1 2/2 3/3\nusemtl odd\nf 1 2 3\n");
  MeshFileOptions options;
  options.look = true;
  const ImportedMesh read = read_triangle_mesh(path, options);
  EXPECT_NO_THROW(validate(read.look, read.mesh.triangles.size()));
  EXPECT_THAT(read.look.pictures, ElementsAre(kPicture));
  EXPECT_THAT(read.look.picture_of, ElementsAre(0, 0, 1, 0, 0, 0)) << "only where all corners have a place on it";
  const auto colour = [&](std::size_t triangle) { return read.look.colours[3 * triangle]; };
  EXPECT_THAT(colour(0), ElementsAre(1, 1, 1, 1)) << "no material yet";
  EXPECT_THAT(colour(1), ElementsAre(1, 0.5f, 0, 1));
  EXPECT_THAT(colour(2), ElementsAre(1, 1, 1, 1)) << "the picture alone";
  EXPECT_THAT(colour(4), ElementsAre(0, 0, 1, 1)) << "its picture is missing";
  EXPECT_THAT(read.look.on_picture[7], ElementsAre(1, 0.5f));
  EXPECT_THAT(read.look.on_picture[8], ElementsAre(0.25f, 0));
  EXPECT_THAT(read.notes, ElementsAre(HasSubstr("no.png")));
  EXPECT_TRUE(read_triangle_mesh(path).look == MeshLook{}) << "nobody asked";
  folder.put("wood grain.png", "GIF89a");
  EXPECT_THAT(read_triangle_mesh(path, options).notes, ::testing::Contains(HasSubstr("neither PNG nor JPEG")));
}

TEST(MeshFiles, gltf_brings_colours_as_screens_show_them_and_pictures) {
  const Folder folder;
  const std::string picture =
      "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR42mP4z8DA8J8BAAf/Af+4BDXgAAAAAElFTkSuQmCC";
  const std::string numbers = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAIA/AACAPwAAgD4AAAAA";
  const std::string document = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},"material":0},
 {"attributes":{"POSITION":0},"material":1}]}],
"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}},
 {"pbrMetallicRoughness":{"baseColorFactor":[0.2140411,0,1,1]}}],
"textures":[{"source":0}],"images":[{"uri":"data:image/png;base64,)" +
                               picture +
                               R"("}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
 {"bufferView":1,"componentType":5126,"count":3,"type":"VEC2"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":24}],"buffers":[{"byteLength":60,
"uri":"data:application/octet-stream;base64,)" +
                               numbers + R"("}]})";
  MeshFileOptions options;
  options.look = true;
  const ImportedMesh read = read_triangle_mesh(folder.put("p.gltf", document), options);
  ASSERT_EQ(read.look.pictures.size(), 1u);
  EXPECT_THAT(read.look.pictures[0], ::testing::StartsWith("\x89PNG"));
  EXPECT_THAT(read.look.picture_of, ElementsAre(1, 0));
  EXPECT_THAT(read.look.on_picture[0], ElementsAre(0, 0)) << "the lower left corner, which glTF counts from the top";
  EXPECT_THAT(read.look.on_picture[2], ElementsAre(0.25f, 1));
  EXPECT_NEAR(read.look.colours[3][0], 0.5f, 1e-5);
  EXPECT_THAT(read.look.colours[0], ElementsAre(1, 1, 1, 1));
}

TEST(MeshFiles, collada_finds_the_picture_of_a_material) {
  const Folder folder;
  folder.put("bark 1.png", kPicture);
  const auto material = [](const std::string& name) {
    return "<material id='" + name + "-id'><instance_effect url='#" + name + "-fx'/></material>";
  };
  const auto effect = [](const std::string& name, const std::string& parameters, const std::string& diffuse) {
    return "<effect id='" + name + "-fx'><profile_COMMON>" + parameters + "<technique><lambert><diffuse>" + diffuse +
           "</diffuse></lambert></technique></profile_COMMON></effect>";
  };
  const std::string triangles =
      "<input semantic='VERTEX' source='#v' offset='0'/><input semantic='TEXCOORD' source='#t' offset='1'/><p>0 2 1 1 2 "
      "0</p></triangles>";
  std::string text = collada("Z_UP");
  const auto put = [&](const std::string& where, const std::string& what, bool after) {
    text.insert(text.find(where) + (after ? where.size() : 0), what);
  };
  put("<library_geometries>",
      "<library_images><image id='img'><init_from>file:///pictures/bark%201.png</init_from></image></library_images>"
      "<library_materials>" +
          material("bark") + material("blue") + "</library_materials><library_effects>" +
          effect("bark",
                 "<newparam sid='s'><surface><init_from>img</init_from></surface></newparam><newparam "
                 "sid='m'><sampler2D><source>s</source></sampler2D></newparam>",
                 "<texture texture='m' texcoord='UV'/>") +
          effect("blue", "", "<color>0 0.25 1 1</color>") + "</library_effects>",
      false);
  put("<vertices id='v'>",
      "<source id='t'><float_array id='ta' count='6'>0 0 1 0 0.5 1</float_array><technique_common><accessor source='#ta' "
      "count='3' stride='2'/></technique_common></source>",
      false);
  put("</triangles>", "<triangles count='1' material='B'>" + triangles + "<triangles count='1' material='C'>" + triangles,
      true);
  text.replace(text.find("<instance_geometry url='#g'/>"), 29,
               "<instance_geometry url='#g'><bind_material><technique_common><instance_material symbol='B' "
               "target='#bark-id'/><instance_material symbol='C' "
               "target='#blue-id'/></technique_common></bind_material></instance_geometry>");
  MeshFileOptions options;
  options.look = true;
  const ImportedMesh read = read_triangle_mesh(folder.put("tree.dae", text), options);
  EXPECT_THAT(read.look.pictures, ElementsAre(kPicture));
  EXPECT_THAT(read.look.picture_of, ElementsAre(0, 1, 0));
  EXPECT_THAT(read.look.on_picture[3], ElementsAre(0.5f, 1));
  EXPECT_THAT(read.look.colours[0], ElementsAre(1, 1, 1, 1)) << "no material";
  EXPECT_THAT(read.look.colours[6], ElementsAre(0, 0.25f, 1, 1));
  EXPECT_THAT(read.notes, ::testing::Not(::testing::Contains(HasSubstr("picture"))));
}

TEST(MeshFiles, collada_says_itself_which_axis_is_up) {
  const Folder folder;
  EXPECT_NEAR((read_triangle_mesh(folder.put("z.dae", collada("Z_UP"))).mesh.vertices[2] - Vec3(0, 1, 7)).norm(), 0, 1e-6);
  EXPECT_NEAR((read_triangle_mesh(folder.put("y.dae", collada("Y_UP"))).mesh.vertices[2] - Vec3(0, -7, 1)).norm(), 0, 1e-6);
  EXPECT_EQ(read_triangle_mesh(folder / "y.dae", {1, UpAxis::z}).mesh.vertices[2], Vec3(0, 1, 7));
}

TEST(MeshFiles, collada_has_units_nodes_polygons_and_strips) {
  const Folder folder;
  std::string text = collada("Z_UP");
  const auto replace = [&](const std::string& from, const std::string& to) { text.replace(text.find(from), from.size(), to); };
  replace("<up_axis>", "<unit meter='0.5'/><up_axis>");
  replace("count='9'>0 0 0 1 0 0 0 1 7", "count='12'>0 0 0 2 0 0 2 2 0 0 2 0");
  replace(
      "<triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles>",
      "<polylist count='1'><input semantic='VERTEX' source='#v' offset='1'/><vcount>4</vcount><p>9 0 9 1 9 2 9 3</p></polylist>"
      "<tristrips count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 3 2</p></tristrips>");
  replace("<instance_geometry url='#g'/>",
          "<translate>0 0 4</translate><rotate>0 0 1 90</rotate><node><matrix>1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 "
          "1</matrix><instance_geometry url='#g'/></node>");
  const TriangleMesh mesh = read_triangle_mesh(folder.put("a.dae", text)).mesh;
  ASSERT_EQ(mesh.triangles.size(), 4u);
  EXPECT_NEAR(area(mesh), 2, 1e-12);   // the square of edge 1 m twice
  EXPECT_NEAR((bounding_box(mesh).lower - Vec3(-1, 0.5, 2)).norm(), 0, 1e-12);
  EXPECT_NEAR((bounding_box(mesh).upper - Vec3(0, 1.5, 2)).norm(), 0, 1e-12);
  for (const auto& [a, b, c] : mesh.triangles)
    EXPECT_GT((mesh.vertices[b] - mesh.vertices[a]).cross(mesh.vertices[c] - mesh.vertices[a]).z(), 0);
}

TEST(MeshFiles, scale_and_axis_change_the_places_and_nothing_else) {
  const Folder folder;
  write_mesh(folder / "l.obj", l_mesh());
  const TriangleMesh mesh = read_triangle_mesh(folder / "l.obj", {0.001, UpAxis::y}).mesh;
  EXPECT_NEAR(volume(mesh), 3e-9, 1e-21);
  EXPECT_NEAR(bounding_box(mesh).upper.z(), 0.002, 1e-15);
  EXPECT_NEAR(bounding_box(mesh).lower.y(), -0.001, 1e-15);
}

TetMesh two_tetrahedra() { return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{0, 1, 2, 3}, {1, 2, 3, 4}}}; }

TEST(TetFiles, tetrahedra_come_back_to_the_bit) {
  const Folder folder;
  TetMesh mesh = two_tetrahedra();
  mesh.vertices[4] = {0.1, 1.0 / 3, 1e-7 + 1};
  for (const char* name : {"two.msh", "two.vtk", "two.node", "two.ele"}) {
    write_mesh(folder / name, mesh);
    const ImportedTets again = read_tet_mesh(folder / name);
    EXPECT_EQ(again.mesh.vertices, mesh.vertices) << name;
    EXPECT_EQ(again.mesh.tetrahedra, mesh.tetrahedra) << name;
    EXPECT_TRUE(is_closed(read_triangle_mesh(folder / name).mesh)) << name;
  }
}

TEST(TetFiles, gmsh_4_is_read_and_what_is_no_tetrahedron_is_told) {
  const Folder folder;
  const auto path = folder.put("four.msh",
                               "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a $ "
                               "b\"\n$EndPhysicalNames\n$Nodes\n2 4 3 9\n3 1 0 3\n3\n7\n9\n"
                               "0 0 0\n1 0 0\n0 1 0\n3 2 0 1\n4\n0 0 1\n$EndNodes\n$Elements\n2 3 1 3\n3 1 4 1\n1 3 7 4 9\n1 1 "
                               "1 2\n2 3 7\n3 7 9\n$EndElements\n");
  const ImportedTets tets = read_tet_mesh(path, {2});
  ASSERT_EQ(tets.mesh.tetrahedra.size(), 1u);
  EXPECT_NEAR(volume(tets.mesh), 8.0 / 6, 1e-15);
  EXPECT_THAT(tets.notes, ElementsAre(HasSubstr("2 elements of other kinds"), HasSubstr("1 tetrahedra of negative volume")));
}

TEST(TetFiles, binary_gmsh_2_and_second_order_are_read) {
  const Folder folder;
  std::string bytes = "$MeshFormat\n2.2 1 8\n";
  const auto put = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(1);
  bytes += "\n$EndMeshFormat\n$Nodes\n10\n";
  for (int i = 0; i < 10; ++i) {
    put(i + 1);
    for (int k = 0; k < 3; ++k) put(i == k + 1 ? 1.0 : i < 4 ? 0.0 : 0.5);
  }
  bytes += "\n$EndNodes\n$Elements\n1\n";
  for (const int header : {11, 1, 2, 1, 5, 5}) put(header);
  for (int i = 0; i < 10; ++i) put(i + 1);
  const ImportedTets tets = read_tet_mesh(folder.put("ten.msh", bytes + "\n$EndElements\n"));
  EXPECT_NEAR(volume(tets.mesh), 1.0 / 6, 1e-15);
  EXPECT_THAT(tets.notes, ElementsAre(HasSubstr("1 elements of second order")));
}

TEST(TetFiles, vtu_and_the_newer_vtk_are_read) {
  const Folder folder;
  const auto vtu = folder.put(
      "a.vtu",
      "<VTKFile type='UnstructuredGrid'><UnstructuredGrid><Piece><Points><DataArray format='ascii'>0 0 0 1 0 0 0 1 0 0 0 "
      "1</DataArray></Points><Cells><DataArray Name='connectivity' format='ascii'>0 1 2 3 0 1</DataArray><DataArray "
      "Name='offsets' "
      "format='ascii'>4 6</DataArray><DataArray Name='types' format='ascii'>10 "
      "3</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>");
  EXPECT_NEAR(volume(read_tet_mesh(vtu).mesh), 1.0 / 6, 1e-15);
  const auto vtk = folder.put("a.vtk",
                              "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 "
                              "1 0 0 0 1\nCELLS 2 4\nOFFSETS "
                              "vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n");
  EXPECT_NEAR(volume(read_tet_mesh(vtk).mesh), 1.0 / 6, 1e-15);
}

}   // namespace
}   // namespace stickslip::mesh_test
