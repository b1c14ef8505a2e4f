#include "collide/mesh_pairs.h"

#include <algorithm>

namespace stickslip::narrow {
namespace {

// The trees are asked for what comes near within so many looks that move the meshes as far as the last one did,
constexpr double kLooksAhead = 8;
// but for no more than this part of the reach beyond it, or too many triangles would have to be looked at in vain; and for this
// part at least.
constexpr double kMostBeyond = 0.5, kLeastBeyond = 0.05;

bool are_apart(const Aabb& a, const Aabb& b, double reach) {
  return ((a.lower - b.upper).array() > reach).any() || ((b.lower - a.upper).array() > reach).any();
}

}   // namespace

void PlacedMesh::place(const TriangleMesh& mesh, const Mat3& rotation, const Vec3& position) {
  mesh_ = &mesh;
  rotation_ = rotation;
  position_ = position;
  if (points_.size() < mesh.vertices.size()) points_.resize(mesh.vertices.size(), {Vec3::Zero(), stamp_});
  if (boxes_.size() < mesh.triangles.size()) boxes_.resize(mesh.triangles.size(), {Aabb{}, stamp_});
  if (++stamp_ != 0) return;
  // All numbers are used up: what was placed with them must not be taken for new.
  for (Point& p : points_) p.stamp = 0;
  for (Box& b : boxes_) b.stamp = 0;
  stamp_ = 1;
}

void PlacedMesh::enclose(std::uint32_t triangle) {
  const auto& t = mesh_->triangles[triangle];
  const Vec3 &x = vertex(t[0]), &y = vertex(t[1]), &z = vertex(t[2]);
  boxes_[triangle] = {{x.cwiseMin(y).cwiseMin(z), x.cwiseMax(y).cwiseMax(z)}, stamp_};
}

void MeshPairs::begin(const MeshSolid& a, const MeshSolid& b, const Pose& b_in_a) {
  a_ = &a;
  b_ = &b;
  pose_ = b_in_a;
  const Mat3 rotation = b_in_a.rotation();
  b_in_a_.place(b.mesh(), rotation, b_in_a.position);
  a_in_b_.place(a.mesh(), rotation.transpose(), -(rotation.transpose() * b_in_a.position));
  size_ = std::max(b.radius(), a.radius() + b_in_a.position.norm());
}

/// How far points of one mesh have moved in the frame of the other one, either way, at most.
double MeshPairs::travel_since(const PairMemory& memory) const {
  // The norm of a difference of rotations is that of Frobenius over √2.
  const double turn = (pose_.rotation() - memory.b_in_a.rotation()).norm() / std::sqrt(2.0);
  const Vec3 shift = pose_.position - memory.b_in_a.position;
  return shift.norm() + turn * (size_ + shift.norm());
}

bool MeshPairs::are_near(std::uint32_t of_a, std::uint32_t of_b, double reach) {
  return !are_apart(triangle_box(a_->mesh(), of_a), b_in_a_.box(of_b), reach) &&
         !are_apart(a_in_b_.box(of_a), triangle_box(b_->mesh(), of_b), reach);
}

double MeshPairs::boxes_apart(std::uint32_t of_a, std::uint32_t of_b) {
  const auto distance = [](const Aabb& a, const Aabb& b) { return (a.lower - b.upper).cwiseMax(b.lower - a.upper).maxCoeff(); };
  return std::max(distance(triangle_box(a_->mesh(), of_a), b_in_a_.box(of_b)),
                  distance(a_in_b_.box(of_a), triangle_box(b_->mesh(), of_b)));
}

void MeshPairs::ask_trees(double reach, List& found, double& reach_of_found) {
  reach_of_found =
      overlapping_pairs(a_->mesh(), a_->surface().tree(), b_->mesh(), b_->surface().tree(), pose_, reach, descent_, found);
}

const MeshPairs::List& MeshPairs::within(double reach, PairMemory* memory) {
  near_.clear();
  const List* list = &candidates_;
  if (memory) {
    const bool known = memory->a == a_ && memory->b == b_ && memory->reach >= 0;
    const double travel = known ? travel_since(*memory) : 0;
    if (!known || !(memory->reach >= (reach + travel) * (1 + 1e-9))) {
      const double ahead = kLooksAhead * travel;
      const double beyond = known && ahead < kMostBeyond * reach ? std::max(ahead, kLeastBeyond * reach) : 0;
      ask_trees(reach + beyond, memory->pairs, memory->reach);
      memory->a = a_;
      memory->b = b_;
      memory->b_in_a = pose_;
    }
    list = &memory->pairs;
  } else {
    double all;
    ask_trees(reach, candidates_, all);
  }
  for (const auto& [of_a, of_b] : *list)
    if (are_near(of_a, of_b, reach)) near_.push_back({of_a, of_b});
  return near_;
}

}   // namespace stickslip::narrow
