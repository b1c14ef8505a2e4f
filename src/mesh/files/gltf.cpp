// glTF and GLB, through Assimp, placed by their scene graphs.
#include <assimp/material.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <assimp/Importer.hpp>

#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

constexpr unsigned kDeepestNode = 256;

void add_faces(const aiMesh& mesh, std::uint32_t first, std::int64_t first_normal, std::int64_t first_colour,
               Builder& builder) {
  std::vector<Corner> corners;
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    corners.clear();
    for (unsigned k = 0; k < face.mNumIndices; ++k) {
      const unsigned i = face.mIndices[k];
      if (i >= mesh.mNumVertices)
        throw Error(fmt::format(
            "face {} of mesh '{}' (counted from 0): there is no vertex {}, only {}. The file is damaged: get it again.", f,
            mesh.mName.C_Str(), i, mesh.mNumVertices));
      corners.push_back({first + i, first_normal < 0 ? -1 : first_normal + i, first_colour < 0 ? -1 : first_colour + i});
    }
    builder.add_polygon(corners);   // nothing of points and lines
  }
}

void add_mesh(const aiScene& scene, const aiMesh& mesh, const aiMatrix4x4& placed, Builder& builder) {
  const auto first = static_cast<std::uint32_t>(builder.vertices.size());
  for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
    const aiVector3D p = placed * mesh.mVertices[v];
    const Vec3 at(p.x, p.y, p.z);
    if (!at.allFinite())
      throw Error(fmt::format("vertex {} of mesh '{}' (counted from 0): {}", v, mesh.mName.C_Str(), not_a_point(at)));
    builder.add_vertex(at);
  }
  std::int64_t first_normal = -1, first_colour = -1;
  if (builder.wants_look() && mesh.HasNormals()) {
    first_normal = static_cast<std::int64_t>(builder.normals.size());
    const aiMatrix3x3 turned = aiMatrix3x3(placed).Inverse().Transpose();
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D n = (turned * mesh.mNormals[v]).NormalizeSafe();
      builder.normals.push_back({n.x, n.y, n.z});
    }
  }
  aiColor4D plain(1, 1, 1, 1);
  const bool has_material =
      mesh.mMaterialIndex < scene.mNumMaterials &&
      aiGetMaterialColor(scene.mMaterials[mesh.mMaterialIndex], AI_MATKEY_COLOR_DIFFUSE, &plain) == aiReturn_SUCCESS;
  if (builder.wants_look() && (has_material || mesh.HasVertexColors(0))) {
    first_colour = static_cast<std::int64_t>(builder.colours.size());
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiColor4D c = mesh.HasVertexColors(0) ? mesh.mColors[0][v] : plain;
      builder.colours.push_back({c.r, c.g, c.b, c.a});
    }
  }
  add_faces(mesh, first, first_normal, first_colour, builder);
}

void add_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& above, unsigned depth, Builder& builder) {
  if (depth > kDeepestNode)
    throw Error(fmt::format("The scene graph is deeper than {} nodes. The file is damaged: get it again.", kDeepestNode));
  const aiMatrix4x4 placed = above * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) add_mesh(scene, *scene.mMeshes[node.mMeshes[m]], placed, builder);
  for (unsigned c = 0; c < node.mNumChildren; ++c) add_node(scene, *node.mChildren[c], placed, depth + 1, builder);
}

}   // namespace

void read_gltf(const std::filesystem::path& path, Builder& builder) {
  Assimp::Importer importer;
  const aiScene* scene = nullptr;
  std::string why;
  try {
    scene = importer.ReadFile(path.string(), 0);   // no further processing: polygons are cut by the builder
    why = importer.GetErrorString();
  } catch (const std::exception& e) {
    why = e.what();
  }
  while (!why.empty() && (why.back() == '\n' || why.back() == '.' || why.back() == ' ')) why.pop_back();
  if (!scene || !scene->mRootNode)
    throw Error(
        fmt::format("Assimp cannot read this: {}. The file is damaged or not what its ending says: export it again.", why));
  add_node(*scene, *scene->mRootNode, aiMatrix4x4(), 0, builder);
}

}   // namespace stickslip::mesh_file
