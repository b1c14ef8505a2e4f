// Files of tetrahedra whose numbers are bytes, as Gmsh, ParaView and others write them.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh_files.h"
#include "stickslip/geometry/tet_mesh.h"

namespace stickslip::mesh_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Number>
void append_raw(std::string& bytes, Number value, bool largest_first) {
  std::array<char, sizeof value> raw;
  std::memcpy(raw.data(), &value, sizeof value);
  if (largest_first) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

TEST(TetFiles, binary_gmsh_4_is_read) {
  const Folder folder;
  std::string bytes = "$MeshFormat\n4.1 1 8\n";
  const auto ints = [&](std::initializer_list<std::int32_t> values) {
    for (const std::int32_t v : values) append_raw(bytes, v, false);
  };
  const auto longs = [&](std::initializer_list<std::uint64_t> values) {
    for (const std::uint64_t v : values) append_raw(bytes, v, false);
  };
  ints({1});
  bytes += "\n$EndMeshFormat\n$Entities\n\n $ \n$EndEntities\n$Nodes\n";
  longs({1, 4, 3, 9}), ints({3, 1, 0}), longs({4, 3, 7, 9, 4});
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) append_raw(bytes, i == k + 1 ? 1.0 : 0.0, false);
  bytes += "\n$EndNodes\n$Elements\n";
  longs({2, 2, 1, 2}), ints({1, 1, 1}), longs({1, 1, 3, 7}), ints({3, 1, 4}), longs({1, 2, 3, 7, 9, 4});
  const ImportedTets tets = read_tet_mesh(folder.put("four.msh", bytes + "\n$EndElements\n"));
  ASSERT_EQ(tets.mesh.tetrahedra.size(), 1u);
  EXPECT_NEAR(volume(tets.mesh), 1.0 / 6, 1e-15);
  EXPECT_THAT(tets.notes, ElementsAre(HasSubstr("1 elements of other kinds")));
  for (std::size_t size = 60; size < bytes.size(); size += 7)
    EXPECT_NE(trouble(folder.put("cut.msh", bytes.substr(0, size))), "no error") << size;
}

/// A tetrahedron, or a square, in a legacy file with the largest byte first.
std::string binary_vtk(bool newer, bool polygons) {
  std::string bytes = fmt::format("# vtk DataFile Version {}\nt\nBINARY\nDATASET {}\nFIELD FieldData 1\nTIME 1 1 double\n",
                                  newer ? "5.1" : "3.0", polygons ? "POLYDATA" : "UNSTRUCTURED_GRID");
  const auto number = [&](auto value) { append_raw(bytes, value, true); };
  number(0.5);
  bytes += newer ? "\nPOINTS 4 float\n" : "\nPOINTS 4 double\n";
  for (const double x : {0., 0., 0., 1., 0., 0., polygons ? 1. : 0., 1., 0., 0., polygons ? 1. : 0., polygons ? 0. : 1.})
    newer ? number(static_cast<float>(x)) : number(x);
  bytes += fmt::format("\n{} ", polygons ? "POLYGONS" : "CELLS");
  if (newer) {
    bytes += "2 4\nOFFSETS vtktypeint64\n";
    for (const std::int64_t i : {0, 4}) number(i);
    bytes += "\nCONNECTIVITY vtktypeint64\n";
    for (const std::int64_t i : {0, 1, 2, 3}) number(i);
  } else {
    bytes += "1 5\n";
    for (const std::int32_t i : {4, 0, 1, 2, 3}) number(i);
  }
  if (polygons) return bytes + "\n";
  bytes += "\nCELL_TYPES 1\n";
  number(std::int32_t{10});
  return bytes + "\n";
}

TEST(TetFiles, binary_vtk_is_read) {
  const Folder folder;
  for (const bool newer : {false, true}) {
    const std::string bytes = binary_vtk(newer, false);
    EXPECT_NEAR(volume(read_tet_mesh(folder.put("a.vtk", bytes)).mesh), 1.0 / 6, 1e-15);
    EXPECT_NEAR(area(read_triangle_mesh(folder.put("p.vtk", binary_vtk(newer, true))).mesh), 1, 1e-15);
    for (std::size_t size = 30; size + 3 < bytes.size(); size += 5)
      EXPECT_NE(trouble(folder.put("cut.vtk", bytes.substr(0, size))), "no error") << size;
  }
}

/// @param texts of places, corners, ends and kinds: within the elements, or with `appended` their places behind them
std::string vtu(const std::string& format, const std::array<std::string, 4>& texts, const std::string& of_file,
                const std::string& appended = "") {
  const auto array = [&](int i, const char* name, const char* type) {
    return format == "appended"
               ? fmt::format("<DataArray type='{}' Name='{}' format='appended' offset='{}'/>", type, name, texts[i])
               : fmt::format("<DataArray type='{}' Name='{}' format='{}'>\n {}\n</DataArray>", type, name, format, texts[i]);
  };
  return fmt::format(
      "<VTKFile type='UnstructuredGrid' {}><UnstructuredGrid><Piece><Points>{}</Points><Cells>{}{}{}</Cells></Piece>"
      "</UnstructuredGrid>{}</VTKFile>",
      of_file, array(0, "Points", "Float64"), array(1, "connectivity", "Int64"), array(2, "offsets", "Int64"),
      array(3, "types", "UInt8"), appended);
}

TEST(TetFiles, vtu_as_bytes_is_read_in_base64_and_raw_compressed_and_not) {
  const Folder folder;
  // Made with Python's zlib and base64: blocks of 40 bytes, whose header is base64 of its own.
  const std::array<std::string, 4> packed = {
      "AwAAACgAAAAQAAAADwAAABAAAAANAAAAeNpjYMAHPtjDWAALvwEweNpjYMAGPtijiwAAFTcBMHjaY2BABh/sAQIvATA=",
      "AgAAACgAAAAIAAAAFAAAAAsAAAA=eNpjYIAARijNBKWZGVABAACoAAd42mNkgAAAABAAAg==",
      "AQAAACgAAAAQAAAADgAAAA==eNpjYYAANigNAACAAAs=", "AQAAACgAAAACAAAACgAAAA==eNrjYgYAABkADg=="};
  const std::string zlib = "header_type='UInt32' compressor='vtkZLibDataCompressor'";
  const auto whole = folder.put("c.vtu", vtu("binary", packed, zlib));
  EXPECT_NEAR(volume(read_tet_mesh(whole).mesh), 1.0 / 6, 1e-15);
  std::string all, raw;
  std::array<std::string, 4> places, raw_places;
  for (int i = 0; i < 4; ++i) places[i] = std::to_string(all.size()), all += packed[i];
  const auto behind = [](const std::string& encoding, const std::string& bytes) {
    return fmt::format("<AppendedData encoding='{}'>\n  _{}\n</AppendedData>", encoding, bytes);
  };
  EXPECT_NEAR(volume(read_tet_mesh(folder.put("a.vtu", vtu("appended", places, zlib, behind("base64", all)))).mesh), 1.0 / 6,
              1e-15);
  const auto begin = [&](int i, std::uint64_t bytes) {
    raw_places[i] = std::to_string(raw.size()), append_raw(raw, bytes, false);
  };
  begin(0, 96);
  for (const double x : {0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.}) append_raw(raw, x, false);
  begin(1, 32);
  for (const std::int64_t x : {0, 1, 2, 3}) append_raw(raw, x, false);
  begin(2, 8), append_raw(raw, std::int64_t{4}, false);
  begin(3, 1), raw += '\n';   // of the kind 10
  const std::string wide = "header_type='UInt64'";
  EXPECT_NEAR(volume(read_tet_mesh(folder.put("r.vtu", vtu("appended", raw_places, wide, behind("raw", raw)))).mesh), 1.0 / 6,
              1e-15);

  EXPECT_THAT(trouble(folder.put("cut.vtu", vtu("appended", raw_places, wide, behind("raw", raw.substr(0, 50))))),
              HasSubstr("bytes"));
  raw[7] = '\x10';   // a length beyond all memory
  EXPECT_THAT(trouble(folder.put("lie.vtu", vtu("appended", raw_places, wide, behind("raw", raw)))),
              HasSubstr("cut off or damaged"));
  std::array<std::string, 4> damaged = packed;
  damaged[0].replace(damaged[0].size() - 20, 4, "AAAA");
  EXPECT_THAT(trouble(folder.put("d.vtu", vtu("binary", damaged, zlib))), HasSubstr("compressed block is damaged"));
  EXPECT_THAT(trouble(folder.put("e.vtu", vtu("binary", packed, "compressor='vtkLZ4DataCompressor'"))),
              HasSubstr("vtkLZ4DataCompressor"));
}

}   // namespace
}   // namespace stickslip::mesh_test
