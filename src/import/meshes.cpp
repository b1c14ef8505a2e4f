#include "import/meshes.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <assimp/Importer.hpp>
#include <numbers>

#include "stickslip/math/error.h"

namespace stickslip::robot {

namespace {

void collect(const aiScene& scene, const aiNode& node, const aiMatrix4x4& above, std::vector<Vec3>& vertices) {
  const aiMatrix4x4 placed = above * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D p = placed * mesh.mVertices[v];
      vertices.emplace_back(p.x, p.y, p.z);
    }
  }
  for (unsigned c = 0; c < node.mNumChildren; ++c) collect(scene, *node.mChildren[c], placed, vertices);
}

}  // namespace

std::vector<Vec3> mesh_vertices(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw Error(fmt::format("There is no mesh '{}'. Put it there, or import without hulls.", path.string()));
  Assimp::Importer importer;
  // A file says in its own way which axis is up; robot files mean the numbers as they stand.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFile(path.string(), aiProcess_JoinIdenticalVertices);
  if (!scene || !scene->mRootNode) throw Error(fmt::format("The mesh '{}' cannot be read: {}.", path.string(), importer.GetErrorString()));
  std::vector<Vec3> vertices;
  collect(*scene, *scene->mRootNode, aiMatrix4x4(), vertices);
  if (vertices.empty()) throw Error(fmt::format("The mesh '{}' has no vertices.", path.string()));
  return vertices;
}

ConvexHull mesh_hull(const std::filesystem::path& path, const Vec3& scale) {
  std::vector<Vec3> vertices = mesh_vertices(path);
  for (Vec3& v : vertices) v = v.cwiseProduct(scale);
  try {
    return make_convex_hull(vertices);
  } catch (const Error& e) {
    throw Error(fmt::format("The mesh '{}' has no convex hull: {}", path.string(), e.what()));
  }
}

ConvexHull ellipsoid_hull(const Vec3& half_axes) {
  constexpr int kRings = 9, kAround = 16;
  std::vector<Vec3> points = {Vec3::UnitZ(), -Vec3::UnitZ()};
  for (int i = 1; i < kRings; ++i)
    for (int j = 0; j < kAround; ++j) {
      const double down = std::numbers::pi * i / kRings, round = 2 * std::numbers::pi * j / kAround;
      points.emplace_back(std::sin(down) * std::cos(round), std::sin(down) * std::sin(round), std::cos(down));
    }
  for (Vec3& p : points) p = p.cwiseProduct(half_axes);
  return make_convex_hull(points);
}

}  // namespace stickslip::robot
