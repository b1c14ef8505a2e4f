#include "volume/polyhedron.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stickslip {

namespace {

constexpr std::array<std::array<int, 4>, 6> kBoxLoops = {
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};

}   // namespace

void Polyhedron::set_box(const Vec3& middle, const Mat3& axes, const Vec3& half, FaceOwner owner) {
  clear();
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    vertices_.push_back(middle + axes * sign.cwiseProduct(half));
  }
  for (int side = 0; side < 6; ++side) {
    const Vec3 normal = side % 2 == 0 ? Vec3(-axes.col(side / 2)) : Vec3(axes.col(side / 2));
    faces_.push_back({normal, normal.dot(middle) + half[side / 2], 4 * side, 4, owner});
    loops_.insert(loops_.end(), kBoxLoops[side].begin(), kBoxLoops[side].end());
  }
}

void Polyhedron::set_tetrahedron(const std::array<Vec3, 4>& corners, FaceOwner owner) {
  constexpr std::array<std::array<int, 3>, 4> loops = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
  clear();
  vertices_.assign(corners.begin(), corners.end());
  for (const auto& [a, b, c] : loops) {
    const Vec3 normal = (corners[b] - corners[a]).cross(corners[c] - corners[a]).stableNormalized();
    faces_.push_back({normal, normal.dot(corners[a]), static_cast<int>(loops_.size()), 3, owner});
    loops_.insert(loops_.end(), {a, b, c});
  }
}

void Polyhedron::set_polytope(const Polytope& polytope, const Pose& pose, FaceOwner owner) {
  clear();
  const Mat3 rotation = pose.rotation();
  for (const Vec3& v : polytope.vertices) vertices_.push_back(rotation * v + pose.position);
  loops_.assign(polytope.loops.begin(), polytope.loops.end());
  for (const Polytope::Face& f : polytope.faces) {
    const Vec3 normal = rotation * f.normal;
    faces_.push_back({normal, f.offset + normal.dot(pose.position), f.first, f.count, owner});
  }
}

bool Polyhedron::has_face_of(FaceOwner owner) const {
  return std::any_of(faces_.begin(), faces_.end(), [&](const Face& f) { return f.owner == owner; });
}

int Polyhedron::cut_edge(int from, int to) {
  const auto [low, high] = std::minmax(from, to);
  for (auto c = cuts_.rbegin(); c != cuts_.rend(); ++c)
    if (c->low == low && c->high == high) return c->vertex;
  const double t = side_[low] / (side_[low] - side_[high]);
  const int vertex = static_cast<int>(new_vertices_.size());
  new_vertices_.push_back(vertices_[low] + t * (vertices_[high] - vertices_[low]));
  cuts_.push_back({low, high, vertex});
  return vertex;
}

void Polyhedron::cut_face(const Face& face) {
  const int first = static_cast<int>(new_loops_.size());
  const int* corners = loop(face);
  int waiting = -1, first_in = -1;   // where the loop left the half-space, and where it came in before it ever left
  for (int k = 0, from = corners[face.count - 1]; k < face.count; from = corners[k++]) {
    const int to = corners[k];
    const bool from_in = side_[from] <= 0, to_in = side_[to] <= 0;
    if (from_in != to_in) {
      const int at = cut_edge(from, to);
      new_loops_.push_back(at);
      next_.resize(new_vertices_.size(), -1);
      if (from_in) waiting = at;
      else if (waiting >= 0) next_[at] = waiting, waiting = -1;
      else first_in = at;
    }
    if (to_in) new_loops_.push_back(new_index_[to]);
  }
  if (waiting >= 0) next_[first_in] = waiting;
  const int count = static_cast<int>(new_loops_.size()) - first;
  if (count > 0) new_faces_.push_back({face.normal, face.offset, first, count, face.owner});
}

/// The cuts of the faces, walked the other way round, are the new face: one loop, or several where rounding bends the surface.
void Polyhedron::close_cut(const CutPlane& plane) {
  for (std::size_t start = 0; start < next_.size(); ++start) {
    if (next_[start] < 0) continue;
    const int first = static_cast<int>(new_loops_.size());
    for (int at = static_cast<int>(start); next_[at] >= 0;) {
      new_loops_.push_back(at);
      at = std::exchange(next_[at], -1);
    }
    new_faces_.push_back({plane.normal, plane.offset, first, static_cast<int>(new_loops_.size()) - first, plane.owner});
  }
}

bool Polyhedron::cut(const CutPlane& plane) {
  side_.resize(vertices_.size());
  bool any_in = false, any_out = false;
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    side_[i] = plane.normal.dot(vertices_[i]) - plane.offset;
    any_in |= side_[i] <= 0, any_out |= side_[i] > 0;
  }
  if (!any_in) clear();
  if (!any_in || !any_out) return any_in;
  new_vertices_.clear(), new_loops_.clear(), new_faces_.clear(), cuts_.clear();
  new_index_.resize(vertices_.size());
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    if (side_[i] > 0) continue;
    new_index_[i] = static_cast<int>(new_vertices_.size());
    new_vertices_.push_back(vertices_[i]);
  }
  next_.assign(new_vertices_.size(), -1);
  for (const Face& face : faces_) cut_face(face);
  next_.resize(new_vertices_.size(), -1);
  close_cut(plane);
  vertices_.swap(new_vertices_), loops_.swap(new_loops_), faces_.swap(new_faces_);
  return true;
}

void MomentSums::add_volume(const Vec3& about, double part, const Vec3& first_of_it, const Mat3& second_of_it) {
  const Vec3 shift = about - origin;
  volume += part;
  first += first_of_it + part * shift;
  second += second_of_it + first_of_it * shift.transpose() + shift * first_of_it.transpose() + part * shift * shift.transpose();
}

void MomentSums::add(const MomentSums& part) {
  start(part.origin);
  add_volume(part.origin, part.volume, part.first, part.second);
  force += part.force, torque += part.torque + (part.origin - origin).cross(part.force);
  of_a |= part.of_a, of_b |= part.of_b;
}

void MomentSums::add_surface(FaceOwner owner, const Vec3& area, const Vec3& middle) {
  of_a |= owner == FaceOwner::a;
  if (owner != FaceOwner::b) return;
  of_b = true;
  force += area;
  torque += (middle - origin).cross(area);
}

void add_moments(const Polyhedron& p, MomentSums& sums) {
  if (p.empty()) return;
  Vec3 apex = Vec3::Zero();
  for (const Vec3& v : p.vertices()) apex += v;
  apex /= static_cast<double>(p.vertices().size());
  sums.start(apex);
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Polyhedron::Face& face : p.faces()) {
    const Vec3 a = p.corner(face, 0) - apex;
    for (int k = 2; k < face.count; ++k) {
      const Vec3 b = p.corner(face, k - 1) - apex, c = p.corner(face, k) - apex, sum = a + b + c;
      const Vec3 area = 0.5 * (b - a).cross(c - a);
      const double six_volumes = 2 * a.dot(area);
      volume += six_volumes / 6;
      first += six_volumes / 24 * sum;
      second += six_volumes / 120 * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
      sums.add_surface(face.owner, area, apex + sum / 3);
    }
  }
  sums.add_volume(apex, volume, first, second);
}

}   // namespace stickslip
