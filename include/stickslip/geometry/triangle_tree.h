// A hierarchy of boxes over the triangles of a mesh, and what can be asked of it.
//
// Nodes have up to four children whose boxes lie in lanes, so that one instruction looks at all of them. Boxes are floats
// relative to the middle of the mesh, rounded outwards: they only sort out, what is answered is computed with the vertices in
// double.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "stickslip/geometry/aabb.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

class TriangleTree {
 public:
  static constexpr int kWidth = 4;
  static constexpr int kLeafSize = 4;   ///< triangles at most
  using Lanes = Eigen::Array<float, kWidth, 1>;

  /// A child is a node by its index, or a leaf: `kLeaf` | (count − 1) << 29 | first place in `order()`.
  static constexpr std::uint32_t kLeaf = 1u << 31, kNone = 0xffffffffu;
  static bool is_leaf(std::uint32_t child) { return (child & kLeaf) != 0; }
  static std::uint32_t leaf_first(std::uint32_t child) { return child & 0x1fffffffu; }
  static std::uint32_t leaf_count(std::uint32_t child) { return ((child >> 29) & 3u) + 1; }

  struct Node {
    Lanes lower[3], upper[3];                     ///< relative to `origin()` [m]; empty lanes have lower = ∞, upper = −∞
    std::array<std::uint32_t, kWidth> children;   ///< lanes in use come first; `kNone` after them
  };
  /// What a child looks like from afar: ∫n dA [m²] at the mean of its area, and the radius around that which holds it [m].
  struct Dipoles {
    Lanes center[3], area[3], radius;
  };

  /// Of a part of the surface, relative to `origin()`: area [m²], its first moment [m³], and ∫n dA [m²].
  struct AreaMoments {
    double area = 0;
    Vec3 moment = Vec3::Zero(), vector = Vec3::Zero();

    void add(const AreaMoments& o) { area += o.area, moment += o.moment, vector += o.vector; }
  };

  TriangleTree() = default;
  /// Splits by the surface-area heuristic over 16 bins, beyond a depth by the median: O(n log n). Equal meshes give equal
  /// trees.
  /// @throws Error if a triangle names a vertex that is not there or not finite, or there are more than 2²⁹ − 1 triangles.
  explicit TriangleTree(const TriangleMesh&);

  /// Boxes anew after vertices have moved, O(n); answers are those of a new tree, the cost of queries grows with the
  /// distortion. @pre the same triangles. @throws Error if a vertex is not finite
  /// @param memory that refits may reuse: then nothing is allocated
  void refit(const TriangleMesh&, std::vector<AreaMoments>& memory);

  bool empty() const { return order_.empty(); }
  const Aabb& bounds() const { return bounds_; }              ///< of the triangles, tight; empty (lower > upper) without any
  const Vec3& origin() const { return origin_; }              ///< [m]
  const std::vector<Node>& nodes() const { return nodes_; }   ///< the root first, every node before its children
  const std::vector<Dipoles>& dipoles() const { return dipoles_; }     ///< of the node of the same index
  const std::vector<std::uint32_t>& order() const { return order_; }   ///< triangles, leaf after leaf
  std::size_t bytes() const;                                           ///< of memory

 private:
  Vec3 origin_ = Vec3::Zero();
  Aabb bounds_;
  std::vector<Node> nodes_;
  std::vector<Dipoles> dipoles_;
  std::vector<std::uint32_t> order_;
};

/// Tight box of one triangle.
Aabb triangle_box(const TriangleMesh&, std::uint32_t triangle);

/// The triangles whose boxes overlap `box` (touching counts), in an order that is the tree's. `found` is cleared first; nothing
/// else is allocated. This and all queries below: @pre the tree was built from, or refitted to, this mesh.
void overlapping(const TriangleMesh&, const TriangleTree&, const Aabb& box, std::vector<std::uint32_t>& found);

/// Memory that `overlapping_pairs` uses and keeps for the next call.
struct PairScratch {
  /// The boxes of a node's children or of a leaf's triangles, as their middles and half extents, along both meshes' axes.
  struct Boxes {
    TriangleTree::Lanes middle[3], half[3], turned_middle[3], turned_half[3];
    std::uint32_t child;   ///< the node or leaf
    int count;             ///< lanes in use
  };
  /// Those of one tree that were looked at.
  struct Side {
    std::vector<std::uint32_t> places;   ///< in `boxes`, if what is there has the right name
    std::vector<Boxes> boxes;
  };
  Side a, b;
  std::vector<std::array<std::uint32_t, 2>> stack;
};

/// The pairs {triangle of A, triangle of B at `b_in_a`} whose boxes are nowhere farther apart than `margin` [m], neither along
/// an axis of A nor along one of B, up to rounding to single precision: all pairs within the margin are among them. Both
/// trees are descended at once. `found` is cleared first; its order is the trees', whatever the margin.
/// @returns a distance ≥ `margin` that all other pairs keep along one of these axes [m]; ∞ if there are none
double overlapping_pairs(const TriangleMesh& a, const TriangleTree& tree_a, const TriangleMesh& b, const TriangleTree& tree_b,
                         const Pose& b_in_a, double margin, PairScratch& scratch,
                         std::vector<std::array<std::uint32_t, 2>>& found);

enum class Feature : std::uint8_t { vertex, edge, face };

/// A point of the surface.
struct MeshPoint {
  std::uint32_t triangle = 0;
  Feature feature = Feature::face;
  std::uint8_t corner =
      0;   ///< of a vertex: which of the triangle's; of an edge: that from this corner to the next; 0 of a face
  Vec3 weights = Vec3::Zero();   ///< of the three vertices, sum 1
  Vec3 point = Vec3::Zero();     ///< [m]
  double distance = 0;           ///< from the point asked for, ≥ 0 [m]
};

/// The point of the surface nearest to `from`, of equally near ones that of the triangle of lowest index; none beyond `reach`
/// [m].
/// @param hint a triangle that is likely near: speeds up, does not change the answer
std::optional<MeshPoint> closest_point(const TriangleMesh&, const TriangleTree&, const Vec3& from,
                                       double reach = std::numeric_limits<double>::infinity(),
                                       std::uint32_t hint = TriangleTree::kNone);

struct RayHit {
  double t = 0;   ///< the hit is at origin + t direction
  std::uint32_t triangle = 0;
  Vec3 weights = Vec3::Zero();   ///< of the three vertices
};

/// The first hit with 0 ≤ t ≤ `t_max`, from either side; of equal ones that of lowest index. Rays do not slip through between
/// triangles that share an edge [Woop, Benthin, Wald 2013].
std::optional<RayHit> first_hit(const TriangleMesh&, const TriangleTree&, const Vec3& origin, const Vec3& direction,
                                double t_max = std::numeric_limits<double>::infinity());

/// How often the surface winds around a point: 1 inside, 0 outside a closed one, in between near holes; the sum of the solid
/// angles of all triangles over 4π. What is farther than `accuracy` times its radius counts as a dipole [Barill et al. 2018].
/// @param accuracy ≥ 1; the error is below 0.1 at 2, 0.02 at 4 (docs/distance-fields.md); ∞ sums all triangles
double winding_number(const TriangleMesh&, const TriangleTree&, const Vec3& at, double accuracy = 2);

}   // namespace stickslip
