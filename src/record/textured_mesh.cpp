#include "record/textured_mesh.h"

#include <array>
#include <cmath>
#include <map>

#include "stickslip/geometry/shape.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip {

namespace {

/// Right and up of a picture on the side that a normal points to, seen from outside with z, or y on top and bottom, up.
struct PictureAxes {
  int side;   ///< 0 … 5: +x, −x, +y, −y, +z, −z
  Vec3 right, up;
};

PictureAxes axes_of(const Vec3& normal) {
  int axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  const double sign = normal[axis] < 0 ? -1 : 1;
  const Vec3 up = axis == 2 ? Vec3::UnitY() : Vec3::UnitZ();
  return {2 * axis + (sign < 0), up.cross(Vec3(sign * Vec3::Unit(axis))), up};
}

/// Where a point lies along an axis, in copies of the picture.
class Ruler {
 public:
  /// @param size of a copy [m]; 0: `copies` of them from end to end
  Ruler(const DrawnMesh& mesh, const Vec3& axis, double size, double copies) : axis_(axis) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Vec3& v : mesh.vertices) low = std::min(low, axis.dot(v)), high = std::max(high, axis.dot(v));
    // A copy stands in the middle of a side, or a corner of four where the number of copies is even.
    const double extent = mesh.unbounded ? 1 : high > low ? high - low : 1;
    per_metre_ = size > 0 ? 1 / size : copies / extent;
    shift_ = mesh.unbounded ? 0 : size > 0 ? 0.5 - per_metre_ * (low + high) / 2 : -per_metre_ * low;
  }
  float at(const Vec3& point) const { return static_cast<float>(per_metre_ * axis_.dot(point) + shift_); }

 private:
  Vec3 axis_;
  double per_metre_, shift_;
};

}   // namespace

void put_on(const Texture& texture, DrawnMesh& mesh) {
  const bool has_places = !mesh.on_picture.empty();
  mesh.colours.clear();
  mesh.pictures = {texture.picture};
  mesh.picture_of.assign(mesh.triangles.size(), 1);
  mesh.textured = true;
  mesh.shades.assign(mesh.vertices.size(), 1);   // a picture shows how a shape turns
  if (has_places) return;
  std::map<int, std::array<Ruler, 2>> rulers;
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> vertex_on_side;
  DrawnMesh laid;
  for (auto& triangle : mesh.triangles) {
    const Vec3 &a = mesh.vertices[triangle[0]], &b = mesh.vertices[triangle[1]], &c = mesh.vertices[triangle[2]];
    const PictureAxes axes = axes_of((b - a).cross(c - a));
    const auto ruler = rulers.try_emplace(axes.side, std::array{Ruler(mesh, axes.right, texture.size[0], texture.repeat[0]),
                                                                Ruler(mesh, axes.up, texture.size[1], texture.repeat[1])});
    const auto& [right, up] = ruler.first->second;
    for (std::uint32_t& corner : triangle) {
      const auto [place, is_new] =
          vertex_on_side.try_emplace({corner, axes.side}, static_cast<std::uint32_t>(laid.vertices.size()));
      if (is_new) {
        const Vec3& at = mesh.vertices[corner];
        laid.vertices.push_back(at);
        laid.normals.push_back(mesh.normals[corner]);
        laid.on_picture.push_back({right.at(at), up.at(at)});
      }
      corner = place->second;
    }
  }
  mesh.vertices = std::move(laid.vertices);
  mesh.normals = std::move(laid.normals);
  mesh.on_picture = std::move(laid.on_picture);
  mesh.shades.assign(mesh.vertices.size(), 1);
}

LaidSurface lay_on_rest_surface(const Texture& texture, const NodalBody& nodes) {
  DrawnMesh surface;
  surface.vertices = nodes.solid->rest();
  surface.normals.assign(surface.vertices.size(), Vec3::UnitZ());
  surface.triangles = nodes.triangles;
  put_on(texture, surface);
  LaidSurface laid{std::vector<std::uint32_t>(surface.vertices.size()), surface.on_picture, surface.triangles};
  for (std::size_t t = 0; t < laid.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) laid.node[laid.triangles[t][k]] = nodes.triangles[t][k];
  return laid;
}

}   // namespace stickslip
