// The triangles of two meshes that are near each other, seen from both of them.
#pragma once

#include "stickslip/collide/pair_memory.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::narrow {

/// A mesh as it lies in the frame of another one. What is asked for is placed when it is asked for the first time, and once.
class PlacedMesh {
 public:
  void place(const TriangleMesh&, const Mat3& rotation, const Vec3& position);

  const Vec3& vertex(std::uint32_t v) {
    if (points_[v].stamp != stamp_) points_[v] = {position_ + rotation_ * mesh_->vertices[v], stamp_};
    return points_[v].at;
  }
  const Aabb& box(std::uint32_t triangle) {
    if (boxes_[triangle].stamp != stamp_) enclose(triangle);
    return boxes_[triangle].box;
  }

 private:
  void enclose(std::uint32_t triangle);
  struct Point {
    Vec3 at;
    std::uint32_t stamp;
  };
  struct Box {
    Aabb box;
    std::uint32_t stamp;
  };
  const TriangleMesh* mesh_ = nullptr;
  Mat3 rotation_;
  Vec3 position_;
  std::vector<Point> points_;
  std::vector<Box> boxes_;
  std::uint32_t stamp_ = 0;   ///< of what is placed now
};

/// Keeps its memory between uses.
class MeshPairs {
 public:
  using List = std::vector<std::array<std::uint32_t, 2>>;

  void begin(const MeshSolid& a, const MeshSolid& b, const Pose& b_in_a);

  /// The pairs {triangle of A, triangle of B} whose boxes are nowhere farther apart than `reach`, neither along an axis of A
  /// nor along one of B, in the order of the trees. The answer is the same with a memory, without, and with one of another
  /// pose.
  const List& within(double reach, PairMemory*);

  /// How far the boxes of two triangles are apart, along the axes of either [m]; negative if they overlap.
  double boxes_apart(std::uint32_t of_a, std::uint32_t of_b);

  const Vec3& vertex_of_b(std::uint32_t v) { return b_in_a_.vertex(v); }   ///< in the frame of A
  const Vec3& vertex_of_a(std::uint32_t v) { return a_in_b_.vertex(v); }   ///< in the frame of B

 private:
  void ask_trees(double reach, List& found, double& reach_of_found);
  double travel_since(const PairMemory&) const;
  bool are_near(std::uint32_t of_a, std::uint32_t of_b, double reach);

  const MeshSolid *a_ = nullptr, *b_ = nullptr;
  Pose pose_;         ///< of B in the frame of A
  double size_ = 0;   ///< how far points of either are from the middle of B, at most [m]
  PlacedMesh a_in_b_, b_in_a_;
  PairScratch descent_;
  List candidates_, near_;
};

}   // namespace stickslip::narrow
