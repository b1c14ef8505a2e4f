#include "record/mesh_drawing.h"

#include "record/textured_mesh.h"

#include <cmath>
#include <numeric>

namespace stickslip {

namespace {

using Corner3 = std::array<float, 3>;

/// Sets of corners, each with one normal. Corner k of triangle t has number 3 t + k.
class SmoothCorners {
 public:
  explicit SmoothCorners(const MeshSolid& solid) : mesh_(solid.mesh()), parent_(3 * mesh_.triangles.size()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    join_across_edges(solid.surface().edges());
    sum_normals();
  }

  Corner3 normal(std::uint32_t corner) {
    const Vec3& sum = sums_[root(corner)];
    const double length = sum.norm();
    const Vec3 unit = length > 0 ? Vec3(sum / length) : Vec3(Vec3::UnitZ());   // only of triangles without an area
    return {static_cast<float>(unit.x()), static_cast<float>(unit.y()), static_cast<float>(unit.z())};
  }

 private:
  std::uint32_t root(std::uint32_t corner) {
    while (parent_[corner] != corner) corner = parent_[corner] = parent_[parent_[corner]];
    return corner;
  }
  std::uint32_t corner_of(std::uint32_t face, std::uint32_t vertex) const {
    const auto& t = mesh_.triangles[face];
    return 3 * face + (t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2);
  }

  void join_across_edges(const MeshEdges& edges) {
    const double smooth = std::cos(kCrease);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges.kind(e) == EdgeKind::boundary || edges.kind(e) == EdgeKind::irregular) continue;
      const auto& [left, right] = edges.faces(e);
      if (face_normal(mesh_, left).dot(face_normal(mesh_, right)) < smooth) continue;
      for (const std::uint32_t v : edges.vertices(e)) parent_[root(corner_of(left, v))] = root(corner_of(right, v));
    }
  }

  /// Σ α n over the corners of a set, with the angles α there.
  void sum_normals() {
    sums_.assign(parent_.size(), Vec3::Zero());
    for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
      const Vec3 normal = face_normal(mesh_, t);
      for (std::uint32_t k = 0; k < 3; ++k) {
        const Vec3& at = mesh_.vertices[mesh_.triangles[t][k]];
        const Vec3 u = mesh_.vertices[mesh_.triangles[t][(k + 1) % 3]] - at,
                   v = mesh_.vertices[mesh_.triangles[t][(k + 2) % 3]] - at;
        sums_[root(3 * t + k)] += std::atan2(u.cross(v).norm(), u.dot(v)) * normal;
      }
    }
  }

  const TriangleMesh& mesh_;
  std::vector<std::uint32_t> parent_;
  std::vector<Vec3> sums_;   ///< at the roots
};

struct DrawnCorner {
  Corner3 normal{};
  std::array<float, 4> colour{};
  std::array<float, 2> on_picture{};

  bool operator==(const DrawnCorner&) const = default;
};

/// Numbers that a file got wrong must not reach a graphics card.
template <std::size_t N>
std::array<float, N> finite(std::array<float, N> values, float low, float high) {
  for (float& x : values) x = std::isfinite(x) ? std::clamp(x, low, high) : low;
  return values;
}

bool is_unit(const Corner3& n) {
  const float squared = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  return squared > 0.9f && squared < 1.1f;
}

/// Corners of a vertex that look the same become one vertex of the picture.
class CornerJoiner {
 public:
  CornerJoiner(const TriangleMesh& mesh, bool colours, bool pictures, DrawnMesh& drawn)
      : mesh_(mesh), colours_(colours), pictures_(pictures), drawn_(drawn), newest_(mesh.vertices.size(), kNone) {}

  std::uint32_t find_or_add(std::uint32_t vertex, const DrawnCorner& corner) {
    for (std::uint32_t i = newest_[vertex]; i != kNone; i = before_[i])
      if (corners_[i] == corner) return i;
    const auto number = static_cast<std::uint32_t>(corners_.size());
    before_.push_back(std::exchange(newest_[vertex], number));
    corners_.push_back(corner);
    drawn_.vertices.push_back(mesh_.vertices[vertex]);
    drawn_.normals.push_back(Vec3(corner.normal[0], corner.normal[1], corner.normal[2]).normalized());
    drawn_.shades.push_back(1);
    if (colours_) drawn_.colours.push_back(corner.colour);
    if (pictures_) drawn_.on_picture.push_back(corner.on_picture);
    return number;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  const TriangleMesh& mesh_;
  bool colours_, pictures_;
  DrawnMesh& drawn_;
  std::vector<std::uint32_t> newest_, before_;   ///< of a vertex, of a corner: the chain of its corners
  std::vector<DrawnCorner> corners_;
};

}   // namespace

DrawnMesh drawn_mesh(const MeshSolid& solid, const Texture* texture) {
  const TriangleMesh& mesh = solid.mesh();
  const MeshLook& look = solid.look();
  const bool own = !look.picture_of.empty() && !look.pictures.empty();
  const bool colours = !look.colours.empty() && !texture;
  const bool pictures = !look.on_picture.empty() && (own || texture);
  DrawnMesh drawn;
  drawn.open = !solid.closed();
  SmoothCorners smooth(solid);
  CornerJoiner joiner(mesh, colours, pictures, drawn);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<std::uint32_t, 3> triangle;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t c = 3 * t + k;
      DrawnCorner corner;
      corner.normal = !look.normals.empty() && is_unit(look.normals[c]) ? look.normals[c] : smooth.normal(c);
      if (colours) corner.colour = finite(look.colours[c], 0, 1);
      if (pictures) corner.on_picture = finite(look.on_picture[c], -1e6f, 1e6f);
      triangle[k] = joiner.find_or_add(mesh.triangles[t][k], corner);
    }
    drawn.triangles.push_back(triangle);
  }
  if (texture) put_on(*texture, drawn);
  else if (own) drawn.picture_of = look.picture_of, drawn.pictures = look.pictures;
  return drawn;
}

namespace {

bool brings_colours(const Collider& collider) {
  const auto* mesh = std::get_if<Mesh>(&collider.shape);
  return mesh && (!mesh->solid->look().colours.empty() || !mesh->solid->look().pictures.empty());
}

}   // namespace

SharedTexture shown_texture(const World& world, const Collider& collider) {
  if (collider.texture) return collider.texture;
  return brings_colours(collider) ? nullptr : world.materials[collider.material].texture;
}

std::optional<Colour> shown_colour(const World& world, const Collider& collider) {
  if (collider.colour) return collider.colour;
  return brings_colours(collider) && !collider.texture ? std::nullopt : world.materials[collider.material].colour;
}

}   // namespace stickslip
