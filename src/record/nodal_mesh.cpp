#include "record/nodal_mesh.h"

namespace stickslip {

std::vector<std::uint32_t> bare_nodes(const NodalBody& nodes) {
  if (nodes.is_soft()) return {};   // the others are inside
  std::vector<bool> covered(nodes.size());
  for (const auto& triangle : nodes.triangles)
    for (const std::uint32_t node : triangle) covered[node] = true;
  std::vector<std::uint32_t> bare;
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (!covered[i]) bare.push_back(i);
  return bare;
}

std::vector<float> corner_normals(std::span<const float> positions, std::span<const std::array<std::uint32_t, 3>> triangles) {
  const auto point = [&](std::uint32_t i) { return Vec3(Eigen::Map<const Eigen::Vector3f>(&positions[3 * i]).cast<double>()); };
  std::vector<Vec3> sums(positions.size() / 3, Vec3::Zero());
  for (const auto& [a, b, c] : triangles) {
    const Vec3 twice_area = (point(b) - point(a)).cross(point(c) - point(a));
    for (const std::uint32_t corner : {a, b, c}) sums[corner] += twice_area;
  }
  std::vector<float> normals;
  normals.reserve(positions.size());
  for (const Vec3& sum : sums) {
    const double length = sum.norm();
    const Vec3 normal = length > 0 ? Vec3(sum / length) : Vec3(Vec3::UnitZ());
    for (const double x : normal) normals.push_back(static_cast<float>(x));
  }
  return normals;
}

}   // namespace stickslip
