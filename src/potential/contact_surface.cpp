#include "stickslip/potential/contact_surface.h"

#include <algorithm>
#include <numbers>
#include <numeric>

#include "stickslip/geometry/mesh_edges.h"

namespace stickslip {

namespace {

constexpr double kLeastShare = 0.05;   ///< of the area of a rigid surface that a point or edge stands for

/// Halves elements along the longest side of the box around their middles until one is left.
/// @param elements are permuted @param first added to their numbers
void halve(std::span<std::uint32_t> elements, std::span<const Vec3> middles, std::uint32_t first,
           std::vector<ContactSurface::TreeNode>& out) {
  const std::size_t at = out.size();
  out.emplace_back();
  if (elements.size() == 1) {
    out[at].element = first + elements[0];
    return;
  }
  Aabb box;
  for (const std::uint32_t e : elements) box = box.merged({middles[e], middles[e]});
  int axis = 0;
  (box.upper - box.lower).maxCoeff(&axis);
  const std::size_t half = elements.size() / 2;
  std::nth_element(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(half), elements.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return middles[a][axis] < middles[b][axis]; });
  halve(elements.first(half), middles, first, out);
  out[at].second = static_cast<std::uint32_t>(out.size());
  halve(elements.subspan(half), middles, first, out);
}

}   // namespace

void ContactSurface::add_elements(std::uint32_t number, std::uint8_t corners, std::uint32_t first,
                                  std::span<const Vec3> middles) {
  Patch& patch = patches_[number];
  patch.corners = corners;
  patch.first_node = static_cast<std::uint32_t>(nodes_.size());
  std::vector<std::uint32_t> elements(middles.size());
  std::iota(elements.begin(), elements.end(), 0u);
  if (!elements.empty()) halve(elements, middles, first, nodes_);
  patch.nodes = static_cast<std::uint32_t>(nodes_.size()) - patch.first_node;
}

std::uint32_t ContactSurface::add(Patch patch, const Vec3& normal, double offset) {
  const auto number = static_cast<std::uint32_t>(patches_.size());
  patch.first_point = static_cast<std::uint32_t>(points());
  patch.reach = patch.range;
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
  patch.reach = patch.range;
  patches_.push_back(patch);
  patch_of_point_.resize(first + rest.vertices.size(), number);
  holder_of_point_.resize(points(), kNone);
  area_of_point_.resize(points(), 0.0);
  inner_.resize(points(), true);
  const double ball = 4 * std::numbers::pi * patch.radius * patch.radius;
  if (rest.triangles.empty()) {
    for (std::uint32_t i = first; i < points(); ++i) area_of_point_[i] = ball / static_cast<double>(rest.vertices.size());
    if (rest.vertices.size() != 2) {
      add_elements(number, 1, first, rest.vertices);
      return number;
    }
    const double squared = (rest.vertices[1] - rest.vertices[0]).squaredNorm();
    add_elements(number, 2, patch.first_edge, std::span(rest.vertices).first(1));
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
    patches_.back().mean_edge += std::sqrt(edges_.back().squared_length) / static_cast<double>(mesh_edges.size());
  }
  std::vector<bool> taken_point(rest.vertices.size()), taken_edge(mesh_edges.size());
  std::vector<Vec3> middles;
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
    middles.push_back((rest.vertices[corners[0]] + rest.vertices[corners[1]] + rest.vertices[corners[2]]) / 3);
  }
  add_elements(number, 3, patch.first_triangle, middles);
  if (!patch.deforms) {   // all that it carries may rest on a few of its corners
    const double least = kLeastShare * stickslip::area(rest);
    for (std::uint32_t p = first; p < points(); ++p) area_of_point_[p] = std::max(area_of_point_[p], least);
    for (std::uint32_t e = first_edge; e < edges_.size(); ++e) edges_[e].area = std::max(edges_[e].area, least);
  }
  return number;
}

namespace {

double of_two(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

}   // namespace

double ContactSurface::range_of(std::uint32_t a, std::uint32_t b) const { return of_two(patches_[a].range, patches_[b].range); }

double ContactSurface::reach_of(std::uint32_t a, std::uint32_t b) const { return of_two(patches_[a].reach, patches_[b].reach); }

double ContactSurface::pressure_of(std::uint32_t a, std::uint32_t b) const {
  return std::max(patches_[a].load, patches_[b].load) * std::max(patches_[a].acceleration, patches_[b].acceleration);
}

}   // namespace stickslip
