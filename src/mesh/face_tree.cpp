#include "mesh/face_tree.h"

#include <algorithm>

namespace stickslip {

namespace {

constexpr std::uint32_t kLeaf = 4;

/// Every third bit is one of x, 21 bits in all.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

}   // namespace

FaceTree::FaceTree(const TriangleMesh& mesh, const std::vector<bool>& left_out) {
  std::vector<Aabb> boxes(mesh.triangles.size());
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
  keyed.reserve(boxes.size());
  Aabb all;
  for (std::uint32_t t = 0; t < boxes.size(); ++t) {
    if (left_out[t]) continue;
    keyed.emplace_back(0, t);
    for (const std::uint32_t v : mesh.triangles[t])
      boxes[t].lower = boxes[t].lower.cwiseMin(mesh.vertices[v]), boxes[t].upper = boxes[t].upper.cwiseMax(mesh.vertices[v]);
    all = all.merged(boxes[t]);
  }
  if (keyed.empty()) return;
  const double longest = std::max((all.upper - all.lower).maxCoeff(), std::numeric_limits<double>::min());
  for (auto& [key, t] : keyed) {
    const Vec3 unit = ((boxes[t].lower + boxes[t].upper) / 2 - all.lower) / longest * double{(1 << 21) - 1};
    for (int k = 0; k < 3; ++k) key |= spread(static_cast<std::uint64_t>(std::clamp(unit[k], 0.0, double{(1 << 21) - 1}))) << k;
  }
  std::sort(keyed.begin(), keyed.end());
  const auto count = static_cast<std::uint32_t>(keyed.size());
  order_.reserve(count);
  for (const auto& [key, t] : keyed) order_.push_back(t);
  nodes_.reserve(count);
  nodes_.emplace_back();
  build(0, 0, count, boxes);
}

void FaceTree::build(std::uint32_t node, std::uint32_t first, std::uint32_t count, const std::vector<Aabb>& boxes) {
  if (count <= kLeaf) {
    Aabb box;
    for (std::uint32_t i = first; i < first + count; ++i) box = box.merged(boxes[order_[i]]);
    nodes_[node] = {box.lower, box.upper, first, count};
    return;
  }
  const auto child = static_cast<std::uint32_t>(nodes_.size());
  nodes_.resize(child + 2);
  const std::uint32_t half = count / 2;
  build(child, first, half, boxes);
  build(child + 1, first + half, count - half, boxes);
  nodes_[node] = {nodes_[child].lower.cwiseMin(nodes_[child + 1].lower), nodes_[child].upper.cwiseMax(nodes_[child + 1].upper),
                  child, 0};
}

}   // namespace stickslip
