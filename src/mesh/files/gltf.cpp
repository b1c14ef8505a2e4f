// glTF and GLB, through Assimp, placed by their scene graphs.
#include <assimp/material.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <assimp/Importer.hpp>
#include <cmath>

#include "mesh/files/formats.h"
#include "mesh/files/surface_look.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

constexpr unsigned kDeepestNode = 256;

/// Where the first normal, colour and place on a picture of a mesh stand in the builder; −1: it has none.
struct FirstOf {
  std::int64_t normal = -1, colour = -1, on_picture = -1;
};

void add_faces(const aiMesh& mesh, std::uint32_t first, const FirstOf& look, Builder& builder) {
  const auto at = [](std::int64_t start, unsigned i) { return start < 0 ? start : start + i; };
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
      corners.push_back({first + i, at(look.normal, i), at(look.colour, i), at(look.on_picture, i)});
    }
    builder.add_polygon(corners);   // nothing of points and lines
  }
}

/// Linear light as screens show it (sRGB).
float shown_light(double x) { return static_cast<float>(x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055); }

/// The picture of a material, within the file or beside it; 0: none.
std::uint32_t picture_of(const aiScene& scene, const aiMaterial& material, const std::filesystem::path& folder,
                         Builder& builder) {
  aiString name;
  if (material.GetTexture(aiTextureType_DIFFUSE, 0, &name) != aiReturn_SUCCESS || name.length == 0) return 0;
  const aiTexture* inside = scene.GetEmbeddedTexture(name.C_Str());
  if (!inside) return builder.add_picture(beside(folder, name.C_Str()));
  if (inside->mHeight != 0) return 0;   // pixels, which glTF does not have
  return builder.add_picture(name.C_Str(), std::string(reinterpret_cast<const char*>(inside->pcData), inside->mWidth));
}

void add_colours(const aiMesh& mesh, const aiMaterial* material, Builder& builder, FirstOf& first) {
  aiColor4D plain(1, 1, 1, 1);
  const bool has_material = material && aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &plain) == aiReturn_SUCCESS;
  if (!has_material && !mesh.HasVertexColors(0)) return;
  first.colour = static_cast<std::int64_t>(builder.colours.size());
  for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
    const aiColor4D c = mesh.HasVertexColors(0) ? mesh.mColors[0][v] : plain;
    builder.colours.push_back({shown_light(c.r), shown_light(c.g), shown_light(c.b), c.a});
  }
}

FirstOf add_look(const aiScene& scene, const aiMesh& mesh, const aiMatrix4x4& placed, const std::filesystem::path& folder,
                 Builder& builder) {
  FirstOf first;
  if (mesh.HasNormals()) {
    first.normal = static_cast<std::int64_t>(builder.normals.size());
    const aiMatrix3x3 turned = aiMatrix3x3(placed).Inverse().Transpose();
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D n = (turned * mesh.mNormals[v]).NormalizeSafe();
      builder.normals.push_back({n.x, n.y, n.z});
    }
  }
  const aiMaterial* material = mesh.mMaterialIndex < scene.mNumMaterials ? scene.mMaterials[mesh.mMaterialIndex] : nullptr;
  add_colours(mesh, material, builder, first);
  builder.picture = material && mesh.HasTextureCoords(0) ? picture_of(scene, *material, folder, builder) : 0;
  if (builder.picture == 0) return first;
  first.on_picture = static_cast<std::int64_t>(builder.on_picture.size());
  for (unsigned v = 0; v < mesh.mNumVertices; ++v)   // Assimp has turned v to point up
    builder.on_picture.push_back({mesh.mTextureCoords[0][v].x, mesh.mTextureCoords[0][v].y});
  return first;
}

void add_mesh(const aiScene& scene, const aiMesh& mesh, const aiMatrix4x4& placed, const std::filesystem::path& folder,
              Builder& builder) {
  const auto first = static_cast<std::uint32_t>(builder.vertices.size());
  for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
    const aiVector3D p = placed * mesh.mVertices[v];
    const Vec3 at(p.x, p.y, p.z);
    if (!at.allFinite())
      throw Error(fmt::format("vertex {} of mesh '{}' (counted from 0): {}", v, mesh.mName.C_Str(), not_a_point(at)));
    builder.add_vertex(at);
  }
  const FirstOf look = builder.wants_look() ? add_look(scene, mesh, placed, folder, builder) : FirstOf{};
  add_faces(mesh, first, look, builder);
}

void add_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& above, unsigned depth,
              const std::filesystem::path& folder, Builder& builder) {
  if (depth > kDeepestNode)
    throw Error(fmt::format("The scene graph is deeper than {} nodes. The file is damaged: get it again.", kDeepestNode));
  const aiMatrix4x4 placed = above * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) add_mesh(scene, *scene.mMeshes[node.mMeshes[m]], placed, folder, builder);
  for (unsigned c = 0; c < node.mNumChildren; ++c) add_node(scene, *node.mChildren[c], placed, depth + 1, folder, builder);
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
  add_node(*scene, *scene->mRootNode, aiMatrix4x4(), 0, path.parent_path(), builder);
}

}   // namespace stickslip::mesh_file
