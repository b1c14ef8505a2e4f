// A convex polyhedron that is cut by one plane after the other. Every vertex is put on one side of a plane once, and every cut
// of an edge is one vertex for both of its faces, so that the surface stays closed whatever rounding does.
#pragma once

#include <array>
#include <vector>

#include "stickslip/geometry/shape.h"

namespace stickslip {

/// Whose surface a face belongs to.
enum class FaceOwner : int { a, b, none };

/// The half-space normal · x ≤ offset.
struct CutPlane {
  Vec3 normal;
  double offset;
  FaceOwner owner = FaceOwner::none;
};

class Polyhedron {
 public:
  struct Face {
    Vec3 normal;
    double offset;
    int first, count;   ///< loop, counter-clockwise seen from outside
    FaceOwner owner;
  };

  /// A box with this middle, edges along the columns of `axes`.
  void set_box(const Vec3& middle, const Mat3& axes, const Vec3& half, FaceOwner owner);
  /// @pre of positive volume (`tet_volume`)
  void set_tetrahedron(const std::array<Vec3, 4>& corners, FaceOwner owner);
  void set_polytope(const Polytope&, const Pose&, FaceOwner owner);
  void clear() { vertices_.clear(), loops_.clear(), faces_.clear(); }

  /// Leaves what lies in the half-space. @returns whether anything does
  bool cut(const CutPlane&);

  bool empty() const { return faces_.empty(); }
  const std::vector<Vec3>& vertices() const { return vertices_; }
  const std::vector<Face>& faces() const { return faces_; }
  const int* loop(const Face& f) const { return loops_.data() + f.first; }
  const Vec3& corner(const Face& f, int k) const { return vertices_[loop(f)[k]]; }
  bool has_face_of(FaceOwner owner) const;

 private:
  int cut_edge(int from, int to);
  void cut_face(const Face&);
  void close_cut(const CutPlane&);

  struct CutEdge {
    int low, high, vertex;
  };
  std::vector<Vec3> vertices_, new_vertices_;
  std::vector<int> loops_, new_loops_, new_index_, next_;
  std::vector<Face> faces_, new_faces_;
  std::vector<double> side_;
  std::vector<CutEdge> cuts_;
};

/// Sums over a volume and its surface, about `origin`: a point near the first part that is added, because about one far
/// away small
/// volumes would drown.
struct MomentSums {
  bool started = false;
  Vec3 origin = Vec3::Zero();
  double volume = 0;
  Vec3 first = Vec3::Zero();         ///< ∫ x dV
  Mat3 second = Mat3::Zero();        ///< ∫ xxᵀ dV
  Vec3 force = Vec3::Zero();         ///< ∫ n dA over the surface of B
  Vec3 torque = Vec3::Zero();        ///< ∫ x × n dA over it
  bool of_a = false, of_b = false;   ///< whether the surface of either takes part

  void start(const Vec3& near) {
    if (!started) origin = near;
    started = true;
  }
  /// A part of the volume by its integrals of 1, y and yyᵀ, y = x − about.
  void add_volume(const Vec3& about, double volume_of_it, const Vec3& first_of_it, const Mat3& second_of_it);
  /// All of another part.
  void add(const MomentSums& part);
  /// A flat part of the surface of `owner`: its vector of area, and its middle.
  void add_surface(FaceOwner owner, const Vec3& area, const Vec3& middle);
};

void add_moments(const Polyhedron&, MomentSums&);

}   // namespace stickslip
