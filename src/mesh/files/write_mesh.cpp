#include "stickslip/mesh/write_mesh.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "mesh/files/text.h"
#include "stickslip/math/error.h"
#include "store/staged_file.h"

namespace stickslip {

namespace {

/// Text and bytes that become a file when `commit` is called.
class MeshFile {
 public:
  explicit MeshFile(const std::filesystem::path& path)
      : name_(path.string()), staged_(path), file_(std::fopen(staged_.path().c_str(), "wb")) {
    if (!file_) fail();
  }
  ~MeshFile() {
    if (file_) std::fclose(file_);
  }
  MeshFile(const MeshFile&) = delete;
  MeshFile& operator=(const MeshFile&) = delete;

  template <class... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
    if (buffer_.size() > 1 << 16) flush();
  }
  template <class T>
  void bytes(const T& value) {
    const char* at = reinterpret_cast<const char*>(&value);
    buffer_.append(at, at + sizeof value);
    if (buffer_.size() > 1 << 16) flush();
  }
  void commit() {
    flush();
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
    staged_.commit();
  }

 private:
  void flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail();
    buffer_.clear();
  }
  [[noreturn]] void fail() const {
    throw Error(fmt::format("The file cannot be written: {}.", std::strerror(errno))).in(name_);
  }

  std::string name_;
  StagedFile staged_;
  std::FILE* file_;
  fmt::memory_buffer buffer_;
};

void write_stl(MeshFile& file, const TriangleMesh& mesh) {
  char header[80] = "binary STL, metres, z up";
  file.bytes(header);
  file.bytes(static_cast<std::uint32_t>(mesh.triangles.size()));
  const auto put = [&](const Vec3& v) {
    for (int k = 0; k < 3; ++k) file.bytes(static_cast<float>(v[k]));
  };
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    put((b - a).cross(c - a).stableNormalized());
    for (const Vec3* p : {&a, &b, &c}) put(*p);
    file.bytes(std::uint16_t{0});
  }
}

void write_obj_part(MeshFile& file, const TriangleMesh& mesh, std::size_t first) {
  for (const Vec3& v : mesh.vertices) file.print("v {} {} {}\n", v.x(), v.y(), v.z());
  for (const auto& t : mesh.triangles) file.print("f {} {} {}\n", first + t[0], first + t[1], first + t[2]);
}

void write_ply(MeshFile& file, const TriangleMesh& mesh) {
  file.print(
      "ply\nformat binary_little_endian 1.0\ncomment metres, z up\nelement vertex {}\nproperty double x\nproperty double "
      "y\nproperty double z\n"
      "element face {}\nproperty list uchar uint vertex_indices\nend_header\n",
      mesh.vertices.size(), mesh.triangles.size());
  for (const Vec3& v : mesh.vertices)
    for (int k = 0; k < 3; ++k) file.bytes(v[k]);
  for (const auto& t : mesh.triangles) {
    file.bytes(std::uint8_t{3});
    for (const std::uint32_t v : t) file.bytes(v);
  }
}

template <class Cells>
void write_vtk(MeshFile& file, const std::vector<Vec3>& vertices, const Cells& cells, int type) {
  file.print("# vtk DataFile Version 3.0\nmetres, z up\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n", vertices.size());
  for (const Vec3& v : vertices) file.print("{} {} {}\n", v.x(), v.y(), v.z());
  const std::size_t corners = cells.empty() ? 0 : cells.front().size();
  file.print("CELLS {} {}\n", cells.size(), cells.size() * (corners + 1));
  for (const auto& cell : cells) file.print("{} {}\n", corners, fmt::join(cell, " "));
  file.print("CELL_TYPES {}\n", cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) file.print("{}\n", type);
}

void write_msh(MeshFile& file, const TetMesh& mesh) {
  file.print("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", mesh.vertices.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    file.print("{} {} {} {}\n", v + 1, mesh.vertices[v].x(), mesh.vertices[v].y(), mesh.vertices[v].z());
  file.print("$EndNodes\n$Elements\n{}\n", mesh.tetrahedra.size());
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    const auto& [a, b, c, d] = mesh.tetrahedra[t];
    file.print("{} 4 2 1 1 {} {} {} {}\n", t + 1, a + 1, b + 1, c + 1, d + 1);
  }
  file.print("$EndElements\n");
}

void write_tetgen(const std::filesystem::path& path, const TetMesh& mesh) {
  std::filesystem::path name = path;
  MeshFile nodes(name.replace_extension(".node")), elements(name.replace_extension(".ele"));
  nodes.print("{} 3 0 0\n", mesh.vertices.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    nodes.print("{} {} {} {}\n", v, mesh.vertices[v].x(), mesh.vertices[v].y(), mesh.vertices[v].z());
  elements.print("{} 4 0\n", mesh.tetrahedra.size());
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) elements.print("{} {}\n", t, fmt::join(mesh.tetrahedra[t], " "));
  nodes.commit();
  elements.commit();
}

[[noreturn]] void refuse_ending(const std::filesystem::path& path, const char* what, const char* valid) {
  throw Error(fmt::format("{} cannot be written as '{}'. Valid endings are {}.", what, mesh_file::ending(path), valid))
      .in(path.string());
}

}   // namespace

void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh) {
  const std::string end = mesh_file::ending(path);
  if (end != ".stl" && end != ".obj" && end != ".ply" && end != ".vtk")
    refuse_ending(path, "Triangles", ".stl, .obj, .ply, .vtk");
  MeshFile file(path);
  if (end == ".stl") write_stl(file, mesh);
  else if (end == ".obj") write_obj_part(file, mesh, 1);
  else if (end == ".ply") write_ply(file, mesh);
  else write_vtk(file, mesh.vertices, mesh.triangles, 5);
  file.commit();
}

void write_mesh_parts(const std::filesystem::path& path, const std::vector<TriangleMesh>& parts) {
  if (mesh_file::ending(path) != ".obj") refuse_ending(path, "Parts", ".obj");
  MeshFile file(path);
  std::size_t first = 1;
  for (std::size_t i = 0; i < parts.size(); first += parts[i++].vertices.size()) {
    file.print("o part{}\n", i);
    write_obj_part(file, parts[i], first);
  }
  file.commit();
}

void write_mesh(const std::filesystem::path& path, const TetMesh& mesh) {
  const std::string end = mesh_file::ending(path);
  if (end == ".node" || end == ".ele") return write_tetgen(path, mesh);
  if (end != ".msh" && end != ".vtk") refuse_ending(path, "Tetrahedra", ".msh, .vtk, .node (with .ele)");
  MeshFile file(path);
  if (end == ".msh") write_msh(file, mesh);
  else write_vtk(file, mesh.vertices, mesh.tetrahedra, 10);
  file.commit();
}

}   // namespace stickslip
