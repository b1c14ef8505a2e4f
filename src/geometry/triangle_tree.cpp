#include "stickslip/geometry/triangle_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "geometry/outward.h"
#include "geometry/triangle_check.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr int kBins = 16;
constexpr int kDeepest = 24;   ///< below, ranges are halved: then 2²⁹ triangles need at most 32 levels more

struct BuildItem {
  Aabb box;
  Vec3 center;
};

struct BuildRange {
  std::uint32_t first, count;
  Aabb box;
};

/// Cuts ranges of triangles into children, node by node, parents before children.
class TreeBuilder {
 public:
  TreeBuilder(const TriangleMesh& mesh, std::vector<std::uint32_t>& order, std::vector<TriangleTree::Node>& nodes)
      : order_(order), nodes_(nodes) {
    items_.reserve(mesh.triangles.size());
    order_.resize(mesh.triangles.size());
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
      const Aabb box = triangle_box(mesh, i);
      items_.push_back({box, 0.5 * box.lower + 0.5 * box.upper});
      order_[i] = i;
    }
    spare_.resize(order_.size());
  }

  void build() {
    if (!order_.empty()) node(range(0, static_cast<std::uint32_t>(order_.size())), 0);
  }

 private:
  BuildRange range(std::uint32_t first, std::uint32_t count) const {
    BuildRange r{first, count, {}};
    for (std::uint32_t i = first; i < first + count; ++i) r.box = r.box.merged(items_[order_[i]].box);
    return r;
  }

  std::uint32_t node(const BuildRange& whole, int depth) {
    const std::uint32_t index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    std::array<BuildRange, TriangleTree::kWidth> parts{whole};
    int count = 1;
    while (count < TriangleTree::kWidth) {
      const int widest = widest_of(parts, count);
      if (widest < 0) break;
      const BuildRange part = parts[widest];
      const std::uint32_t left = split(part, depth);
      parts[widest] = range(part.first, left);
      parts[count++] = range(part.first + left, part.count - left);
    }
    std::sort(parts.begin(), parts.begin() + count, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::array<std::uint32_t, TriangleTree::kWidth> children;
    children.fill(TriangleTree::kNone);
    for (int k = 0; k < count; ++k)
      children[k] = parts[k].count <= TriangleTree::kLeafSize
                        ? TriangleTree::kLeaf | (parts[k].count - 1) << 29 | parts[k].first
                        : node(parts[k], depth + 1);
    nodes_[index].children = children;
    return index;
  }

  /// The part that is most expensive to search; −1 if all are leaves.
  static int widest_of(const std::array<BuildRange, TriangleTree::kWidth>& parts, int count) {
    int best = -1;
    double best_cost = -1;
    for (int k = 0; k < count; ++k) {
      if (parts[k].count <= TriangleTree::kLeafSize) continue;
      const double cost = parts[k].box.half_area() * parts[k].count;
      if (cost > best_cost) best_cost = cost, best = k;
    }
    return best;
  }

  /// Reorders a range and returns how many go to the left, at least one and not all.
  std::uint32_t split(const BuildRange& r, int depth) {
    Aabb centers;
    for (std::uint32_t i = r.first; i < r.first + r.count; ++i) {
      const Vec3& c = items_[order_[i]].center;
      centers = centers.merged({c, c});
    }
    if (depth < kDeepest) {
      const auto [axis, bin] = best_cut(r, centers);
      if (axis >= 0) return partition(r, [&](std::uint32_t t) { return bin_of(items_[t].center, centers, axis) <= bin; });
    }
    int axis;
    (centers.upper - centers.lower).maxCoeff(&axis);
    const auto begin = order_.begin() + r.first;
    std::nth_element(begin, begin + r.count / 2, begin + r.count, [&](std::uint32_t a, std::uint32_t b) {
      const double x = items_[a].center[axis], y = items_[b].center[axis];
      return x != y ? x < y : a < b;
    });
    return r.count / 2;
  }

  static int bin_of(const Vec3& center, const Aabb& centers, int axis) {
    const double part = (center[axis] - centers.lower[axis]) / (centers.upper[axis] - centers.lower[axis]);
    return std::min(kBins - 1, static_cast<int>(part * kBins));
  }

  /// Axis and last bin on the left of the cut with the smallest Σ area × count; axis −1 if all centres are one point.
  std::pair<int, int> best_cut(const BuildRange& r, const Aabb& centers) const {
    std::pair<int, int> best{-1, 0};
    double best_cost = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
      if (!(centers.upper[axis] > centers.lower[axis])) continue;
      std::array<Aabb, kBins> boxes;
      std::array<std::uint32_t, kBins> counts{};
      for (std::uint32_t i = r.first; i < r.first + r.count; ++i) {
        const BuildItem& item = items_[order_[i]];
        const int bin = bin_of(item.center, centers, axis);
        boxes[bin] = boxes[bin].merged(item.box), ++counts[bin];
      }
      std::array<double, kBins> right_cost;
      Aabb right;
      std::uint32_t right_count = 0;
      for (int bin = kBins - 1; bin > 0; --bin) {
        right = right.merged(boxes[bin]), right_count += counts[bin];
        right_cost[bin] = right_count > 0 ? right.half_area() * right_count : 0;
      }
      Aabb left;
      std::uint32_t left_count = 0;
      for (int bin = 0; bin + 1 < kBins; ++bin) {
        left = left.merged(boxes[bin]), left_count += counts[bin];
        if (left_count == 0 || left_count == r.count) continue;
        const double cost = left.half_area() * left_count + right_cost[bin + 1];
        if (cost < best_cost) best_cost = cost, best = {axis, bin};
      }
    }
    return best;
  }

  std::uint32_t partition(const BuildRange& r, auto&& on_left) {
    std::uint32_t left = 0, right = 0;
    for (std::uint32_t i = r.first; i < r.first + r.count; ++i) {
      const std::uint32_t triangle = order_[i];
      if (on_left(triangle)) order_[r.first + left++] = triangle;
      else spare_[right++] = triangle;
    }
    std::copy_n(spare_.begin(), right, order_.begin() + r.first + left);
    return left;
  }

  std::vector<BuildItem> items_;
  std::vector<std::uint32_t>& order_;
  std::vector<std::uint32_t> spare_;
  std::vector<TriangleTree::Node>& nodes_;
};

using AreaMoments = TriangleTree::AreaMoments;

AreaMoments leaf_moments(const TriangleMesh& mesh, const TriangleTree& tree, std::uint32_t leaf) {
  AreaMoments sum;
  for (std::uint32_t i = 0; i < TriangleTree::leaf_count(leaf); ++i) {
    const auto& t = mesh.triangles[tree.order()[TriangleTree::leaf_first(leaf) + i]];
    const Vec3 a = mesh.vertices[t[0]] - tree.origin(), b = mesh.vertices[t[1]] - tree.origin(),
               c = mesh.vertices[t[2]] - tree.origin();
    const Vec3 vector = 0.5 * (b - a).cross(c - a);
    const double area = vector.norm();
    sum.add({area, area * (a + b + c) / 3, vector});
  }
  return sum;
}

}   // namespace

Aabb triangle_box(const TriangleMesh& mesh, std::uint32_t triangle) {
  const auto& t = mesh.triangles[triangle];
  const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
  return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
}

TriangleTree::TriangleTree(const TriangleMesh& mesh) {
  require_finite_triangles(mesh);
  if (mesh.triangles.size() >= (1u << 29))
    throw Error(fmt::format("{} triangles are too many for one tree. Split the mesh; a tree holds less than 2^29.",
                            mesh.triangles.size()));
  TreeBuilder(mesh, order_, nodes_).build();
  nodes_.shrink_to_fit();
  dipoles_.resize(nodes_.size());
  std::vector<AreaMoments> moments;
  refit(mesh, moments);
}

void TriangleTree::refit(const TriangleMesh& mesh, std::vector<AreaMoments>& moments) {
  require_finite_triangles(mesh);
  bounds_ = {};
  for (const std::uint32_t triangle : order_) bounds_ = bounds_.merged(triangle_box(mesh, triangle));
  origin_ = order_.empty() ? Vec3(Vec3::Zero()) : Vec3(0.5 * bounds_.lower + 0.5 * bounds_.upper);
  moments.assign(nodes_.size(), {});
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    Node& node = nodes_[n];
    Dipoles& dipoles = dipoles_[n];
    for (int k = 0; k < kWidth; ++k) {
      const std::uint32_t child = node.children[k];
      Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
      AreaMoments part;
      if (child != kNone && is_leaf(child)) {
        Aabb box;
        for (std::uint32_t i = 0; i < leaf_count(child); ++i)
          box = box.merged(triangle_box(mesh, order_[leaf_first(child) + i]));
        lower = box.lower - origin_, upper = box.upper - origin_;
        part = leaf_moments(mesh, *this, child);
      } else if (child != kNone) {
        for (int axis = 0; axis < 3; ++axis) {
          lower[axis] = nodes_[child].lower[axis].minCoeff();
          upper[axis] = nodes_[child].upper[axis].maxCoeff();
        }
        part = moments[child];
      }
      const Vec3 middle = child == kNone ? Vec3(Vec3::Zero()) : Vec3(0.5 * lower + 0.5 * upper);
      const Vec3 center = part.area > 0 ? Vec3(part.moment / part.area) : middle;
      const Vec3 farthest = (upper - center).cwiseMax(center - lower);
      for (int axis = 0; axis < 3; ++axis) {
        node.lower[axis][k] = float_below(lower[axis]), node.upper[axis][k] = float_above(upper[axis]);
        dipoles.center[axis][k] = static_cast<float>(center[axis]);
        dipoles.area[axis][k] = static_cast<float>(part.vector[axis]);
      }
      dipoles.radius[k] = child == kNone ? 0.0f : static_cast<float>(farthest.norm());
      moments[n].add(part);
    }
  }
}

std::size_t TriangleTree::bytes() const {
  return nodes_.capacity() * sizeof(Node) + dipoles_.capacity() * sizeof(Dipoles) + order_.capacity() * sizeof(order_[0]);
}

}   // namespace stickslip
