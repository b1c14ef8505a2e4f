#include <cmath>
#include <numbers>

#include "geometry/tree_stack.h"

namespace stickslip {

namespace {

/// Signed solid angle of a triangle seen from the origin, positive from behind [van Oosterom, Strackee 1983].
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double numerator = a.dot(b.cross(c)), denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  return numerator == 0 ? 0 : 2 * std::atan2(numerator, denominator);
}

}   // namespace

double winding_number(const TriangleMesh& mesh, const TriangleTree& tree, const Vec3& at, double accuracy) {
  if (tree.empty()) return 0;
  using Lanes = TriangleTree::Lanes;
  const Eigen::Vector3f from = (at - tree.origin()).cast<float>();
  const float factor_squared = static_cast<float>(accuracy * accuracy);
  double angle = 0;
  TreeStack<std::uint32_t> stack;
  stack.push(0);
  while (!stack.empty()) {
    const std::uint32_t child = stack.pop();
    if (TriangleTree::is_leaf(child)) {
      for (std::uint32_t i = 0; i < TriangleTree::leaf_count(child); ++i) {
        const auto& t = mesh.triangles[tree.order()[TriangleTree::leaf_first(child) + i]];
        angle += solid_angle(mesh.vertices[t[0]] - at, mesh.vertices[t[1]] - at, mesh.vertices[t[2]] - at);
      }
      continue;
    }
    const TriangleTree::Dipoles& d = tree.dipoles()[child];
    const Lanes x = d.center[0] - from[0], y = d.center[1] - from[1], z = d.center[2] - from[2];
    const Lanes squared = x * x + y * y + z * z;
    const auto far = (squared > factor_squared * d.radius * d.radius).eval();
    const Lanes dipole = (d.area[0] * x + d.area[1] * y + d.area[2] * z) / (squared * squared.sqrt());
    const auto& children = tree.nodes()[child].children;
    for (int k = 0; k < TriangleTree::kWidth && children[k] != TriangleTree::kNone; ++k) {
      if (far[k]) angle += dipole[k];
      else stack.push(children[k]);
    }
  }
  return angle / (4 * std::numbers::pi);
}

}   // namespace stickslip
