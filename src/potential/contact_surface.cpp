#include "stickslip/potential/contact_surface.h"

#include <algorithm>
#include <numbers>

#include "stickslip/geometry/mesh_edges.h"

namespace stickslip {

namespace {

constexpr double kLeastShare = 0.05;   ///< of the area of a rigid surface that a point or edge stands for

}   // namespace

std::uint32_t ContactSurface::add(Patch patch, const Vec3& normal, double offset) {
  const auto number = static_cast<std::uint32_t>(patches_.size());
  patch.first_point = static_cast<std::uint32_t>(points());
  patches_.push_back(patch);
  planes_.push_back({normal, offset, number});
  return number;
}

std::uint32_t ContactSurface::add_moving_half_space(Patch patch) {
  const std::uint32_t number = add(patch, Vec3::UnitZ(), 0);
  const auto first = static_cast<std::uint32_t>(points());
  planes_.back().points = {first, first + 1, first + 2};
  patches_.back().points = 3;
  patch_of_point_.resize(first + 3, number);
  holder_of_point_.resize(points(), kNone);
  area_of_point_.resize(points(), 0.0);
  inner_.resize(points(), false);
  return number;
}

std::uint32_t ContactSurface::add(Patch patch, const TriangleMesh& rest) {
  const auto number = static_cast<std::uint32_t>(patches_.size());
  const auto first = static_cast<std::uint32_t>(points());
  patch.first_point = first;
  patch.points = static_cast<std::uint32_t>(rest.vertices.size());
  patch.first_triangle = static_cast<std::uint32_t>(triangles_.size());
  patch.first_edge = static_cast<std::uint32_t>(edges_.size());
  patches_.push_back(patch);
  patch_of_point_.resize(first + rest.vertices.size(), number);
  holder_of_point_.resize(points(), kNone);
  area_of_point_.resize(points(), 0.0);
  inner_.resize(points(), true);
  const double ball = 4 * std::numbers::pi * patch.radius * patch.radius;
  if (rest.triangles.empty()) {
    for (std::uint32_t i = first; i < points(); ++i) area_of_point_[i] = ball / static_cast<double>(rest.vertices.size());
    if (rest.vertices.size() != 2) {
      for (std::uint32_t i = first; i < points(); ++i) lone_points_.push_back(i);
      return number;
    }
    const double squared = (rest.vertices[1] - rest.vertices[0]).squaredNorm();
    lone_edges_.push_back(static_cast<std::uint32_t>(edges_.size()));
    edges_.push_back(
        {{first, first + 1}, squared, 2 * std::numbers::pi * patch.radius * std::sqrt(squared) + 0.5 * ball, 0, true, 0});
    return number;
  }
  const MeshEdges mesh_edges(rest);
  const auto first_edge = static_cast<std::uint32_t>(edges_.size());
  for (std::size_t e = 0; e < mesh_edges.size(); ++e) {
    const auto [a, b] = mesh_edges.vertices(e);
    const bool two = mesh_edges.faces(e)[1] != MeshEdges::kNoFace;
    edges_.push_back({{first + a, first + b},
                      (rest.vertices[b] - rest.vertices[a]).squaredNorm(),
                      0,
                      static_cast<std::uint8_t>(two ? 2 : 1),
                      patch.deforms || mesh_edges.active(e),
                      kNone});
    if (!two) inner_[first + a] = inner_[first + b] = false;
  }
  std::vector<bool> taken_point(rest.vertices.size()), taken_edge(mesh_edges.size());
  for (std::size_t t = 0; t < rest.triangles.size(); ++t) {
    const auto& corners = rest.triangles[t];
    const auto& sides = mesh_edges.edges_of_face(t);
    Triangle triangle{{}, {}, 0};
    const double area = 0.5 * (rest.vertices[corners[1]] - rest.vertices[corners[0]])
                                  .cross(rest.vertices[corners[2]] - rest.vertices[corners[0]])
                                  .norm();
    for (int k = 0; k < 3; ++k) {
      triangle.points[k] = first + corners[k];
      triangle.edges[k] = first_edge + sides[k];
      area_of_point_[first + corners[k]] += area / 3;
      edges_[first_edge + sides[k]].area += area / 3;
      if (!taken_point[corners[k]]) triangle.owned |= static_cast<std::uint8_t>(1 << k);
      if (!taken_edge[sides[k]] && edges_[first_edge + sides[k]].active) triangle.owned |= static_cast<std::uint8_t>(8 << k);
      if (!taken_edge[sides[k]]) edges_[first_edge + sides[k]].place = static_cast<std::uint32_t>(3 * t) + k;
      taken_point[corners[k]] = true;
      taken_edge[sides[k]] = true;
    }
    triangles_.push_back(triangle);
  }
  if (!patch.deforms) {   // all that it carries may rest on a few of its corners
    const double least = kLeastShare * stickslip::area(rest);
    for (std::uint32_t p = first; p < points(); ++p) area_of_point_[p] = std::max(area_of_point_[p], least);
    for (std::uint32_t e = first_edge; e < edges_.size(); ++e) edges_[e].area = std::max(edges_[e].area, least);
  }
  return number;
}

double ContactSurface::range_of(std::uint32_t a, std::uint32_t b) const {
  const double ra = patches_[a].range, rb = patches_[b].range;
  return ra > 0 && rb > 0 ? std::min(ra, rb) : std::max(ra, rb);
}

double ContactSurface::pressure_of(std::uint32_t a, std::uint32_t b) const {
  return std::max(patches_[a].load, patches_[b].load) * std::max(patches_[a].acceleration, patches_[b].acceleration);
}

}   // namespace stickslip
