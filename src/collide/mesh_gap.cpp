#include "collide/mesh_gap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stickslip/distance/triangles.h"

namespace stickslip::narrow {
namespace {

/// By which the distance at a likely place may be less than what is found there in the end, as part of the sizes.
constexpr double kByRounding = 1e-12;

using Corners = NearestTriangles::Corners;

double nearest_within(const MeshSolid& a, const MeshSolid& b, const Pose& b_in_a, double reach, const NearestPlace* likely) {
  if (likely == nullptr) return reach;
  const Corners in_a = corners_of(a.mesh(), likely->triangle_a), in_b = corners_of(b.mesh(), likely->triangle_b);
  const Corners b_moved{b_in_a * in_b[0], b_in_a * in_b[1], b_in_a * in_b[2]};
  const double distance = std::sqrt(closest_of_triangles(in_a, b_moved).squared_distance);
  return std::min(reach, distance + kByRounding * (a.radius() + b.radius() + distance));
}

/// Middle and half extents of a box in the frame of its tree, relative to the tree's origin.
struct TreeBox {
  Eigen::Vector3f middle, half;
};

TreeBox box_of_child(const TriangleTree::Node& node, int lane) {
  TreeBox box;
  for (int axis = 0; axis < 3; ++axis) {
    box.middle[axis] = 0.5f * (node.lower[axis][lane] + node.upper[axis][lane]);
    box.half[axis] = 0.5f * (node.upper[axis][lane] - node.lower[axis][lane]);
  }
  return box;
}

/// Both trees are descended at once, the nearest boxes first.
class GapSearch {
 public:
  GapSearch(const MeshSolid& a, const MeshSolid& b, const Pose& b_in_a, double reach, const NearestPlace* likely)
      : a_(a), b_(b), b_in_a_(b_in_a), rotation_(b_in_a.rotation()), best_(nearest_within(a, b, b_in_a, reach, likely)) {
    const Vec3 shift = b_in_a * tree_b().origin() - tree_a().origin();
    rotation_f_ = rotation_.cast<float>();
    magnitude_ = rotation_.cwiseAbs().cast<float>();
    shift_ = shift.cast<float>();
    slack_ = static_cast<float>(4e-6 * (a.radius() + b.radius() + shift.norm()));
  }

  std::optional<MeshGap> run() {
    waiting_.push_back({0, 0, 0, whole(tree_a()), whole(tree_b())});
    while (!waiting_.empty()) {
      const Pair pair = waiting_.back();
      waiting_.pop_back();
      if (!(pair.distance < best_.distance()) && best_.any()) continue;
      if (TriangleTree::is_leaf(pair.a) && TriangleTree::is_leaf(pair.b)) compare(pair.a, pair.b);
      else expand(pair);
      if (best_.any() && best_.distance() == 0) break;
    }
    return best_.found();
  }

 private:
  struct Pair {
    float distance;   ///< lower bound [m]
    std::uint32_t a, b;
    TreeBox box_a, box_b;
  };
  const TriangleTree& tree_a() const { return a_.surface().tree(); }
  const TriangleTree& tree_b() const { return b_.surface().tree(); }

  static TreeBox whole(const TriangleTree& tree) {
    const Aabb& box = tree.bounds();
    return {(0.5 * (box.lower + box.upper) - tree.origin()).cast<float>(), (0.5 * (box.upper - box.lower)).cast<float>()};
  }

  float distance(const TreeBox& a, const TreeBox& b) const {
    const Eigen::Vector3f along_a = rotation_f_ * b.middle + shift_ - a.middle;
    const Eigen::Vector3f apart = (along_a.cwiseAbs() - a.half - magnitude_ * b.half).cwiseMax(0.0f);
    const Eigen::Vector3f other =
        ((rotation_f_.transpose() * along_a).cwiseAbs() - b.half - magnitude_.transpose() * a.half).cwiseMax(0.0f);
    return std::sqrt(std::max(apart.squaredNorm(), other.squaredNorm())) - slack_;
  }

  /// The children of the larger box against the other one.
  void expand(const Pair& pair) {
    const bool open_a = TriangleTree::is_leaf(pair.b) ||
                        (!TriangleTree::is_leaf(pair.a) && pair.box_a.half.squaredNorm() >= pair.box_b.half.squaredNorm());
    const TriangleTree::Node& node = open_a ? tree_a().nodes()[pair.a] : tree_b().nodes()[pair.b];
    std::array<Pair, TriangleTree::kWidth> children;
    int count = 0;
    for (int k = 0; k < TriangleTree::kWidth && node.children[k] != TriangleTree::kNone; ++k) {
      Pair child = pair;
      (open_a ? child.a : child.b) = node.children[k];
      (open_a ? child.box_a : child.box_b) = box_of_child(node, k);
      child.distance = distance(child.box_a, child.box_b);
      if (!(child.distance < best_.distance())) continue;
      int place = count++;   // the farthest first
      for (; place > 0 && children[place - 1].distance < child.distance; --place) children[place] = children[place - 1];
      children[place] = child;
    }
    waiting_.insert(waiting_.end(), children.begin(), children.begin() + count);
  }

  void compare(std::uint32_t leaf_a, std::uint32_t leaf_b) {
    for (std::uint32_t j = 0; j < TriangleTree::leaf_count(leaf_b); ++j) {
      const std::uint32_t tb = tree_b().order()[TriangleTree::leaf_first(leaf_b) + j];
      Corners b = corners_of(b_.mesh(), tb);
      for (Vec3& corner : b) corner = b_in_a_.position + rotation_ * corner;
      for (std::uint32_t i = 0; i < TriangleTree::leaf_count(leaf_a); ++i) {
        const std::uint32_t ta = tree_a().order()[TriangleTree::leaf_first(leaf_a) + i];
        if (kept_apart(a_.facets()[a_.facet_of(ta)], b[0], b[1], b[2]) < best_.distance())
          best_.note(corners_of(a_.mesh(), ta), ta, b, tb);
      }
    }
  }

  const MeshSolid &a_, &b_;
  const Pose& b_in_a_;
  Mat3 rotation_;
  Eigen::Matrix3f rotation_f_, magnitude_;
  Eigen::Vector3f shift_;
  float slack_;
  NearestTriangles best_;
  std::vector<Pair> waiting_;
};

}   // namespace

void NearestTriangles::note(const Corners& a, std::uint32_t ta, const Corners& b, std::uint32_t tb) {
  const Vec3 ma = (a[0] + a[1] + a[2]) / 3, mb = (b[0] + b[1] + b[2]) / 3;
  double ra = 0, rb = 0;
  for (int k = 0; k < 3; ++k) ra = std::max(ra, (a[k] - ma).squaredNorm()), rb = std::max(rb, (b[k] - mb).squaredNorm());
  const double far = best_.distance + std::sqrt(ra) + std::sqrt(rb);
  if ((mb - ma).squaredNorm() > far * far) return;
  const ClosestOfTriangles closest = closest_of_triangles(a, b);
  const double distance = std::sqrt(closest.squared_distance);
  if (any_ ? distance >= best_.distance : distance > best_.distance) return;
  any_ = true;
  best_.distance = distance;
  best_.on_a = closest.weights_a[0] * a[0] + closest.weights_a[1] * a[1] + closest.weights_a[2] * a[2];
  best_.on_b = closest.weights_b[0] * b[0] + closest.weights_b[1] * b[1] + closest.weights_b[2] * b[2];
  best_.triangle_a = ta;
  best_.triangle_b = tb;
  const auto inside = [](const Vec3& w) { return (w.array() > 0).count(); };
  best_.generic = inside(closest.weights_a) + inside(closest.weights_b) >= 4;
}

std::optional<MeshGap> gap_of(const MeshSolid& a, const MeshSolid& b, const Pose& b_in_a, double reach,
                              const NearestPlace* likely) {
  return GapSearch(a, b, b_in_a, reach, likely).run();
}

}   // namespace stickslip::narrow
