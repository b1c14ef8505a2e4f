// Hull against hull and box against hull by separating axes: the face normals of both, and the cross products of those edge
// pairs whose arcs cross on the Gauss map, since only they are faces of the Minkowski difference [Gregorius 2013].
//
// Works in the frame of A. As for boxes, ties within kFaceBias go to A's faces, then B's, then edges, and an edge pair within
// acos(kNearFace) of the best face gives way to the face.
#include <algorithm>
#include <cmath>
#include <limits>

#include "collide/pairs.h"
#include "collide/patch.h"
#include "collide/polytope_view.h"
#include "collide/tolerances.h"

namespace stickslip::narrow {
namespace {

constexpr int kMaxCandidates = 1024;   // edges of A kept after culling; with more, none is culled

struct Placed {
  Mat3 r;   // B in the frame of A
  Vec3 t;
  Vec3 operator*(const Vec3& x) const { return r * x + t; }
};

struct FaceAxis {
  double separation;
  int face;
  int vertex;   // of the other polytope, nearest to the face's plane or farthest behind it
};

// The face of `p` that separates it best from `q`; stops at the first that separates by more than `margin`. `q` is given
// with its placement in the frame of `p`. No face separates by more than the height of q's interior point over it: most faces
// are passed over for that, once the face that point is highest over has set the mark.
FaceAxis best_face(const PolytopeView& p, const PolytopeView& q, const Placed& q_in_p, double margin) {
  const Vec3 inside = q_in_p * q.interior_point;
  const auto height = [&](int f) { return p.faces[f].normal.dot(inside) - p.faces[f].offset; };
  const auto axis = [&](int f) {
    const Vec3 down = q_in_p.r.transpose() * Vec3(-p.faces[f].normal);
    const int v = q.support_index(down);
    return FaceAxis{p.faces[f].normal.dot(q_in_p.t) - down.dot(q.vertices[v]) - p.faces[f].offset, f, v};
  };
  const int count = static_cast<int>(p.faces.size());
  int highest = 0;
  double greatest = height(0);
  for (int f = 1; f < count; ++f) {
    const double h = height(f);
    if (h > greatest) greatest = h, highest = f;
  }
  FaceAxis best = axis(highest);
  for (int f = 0; f < count && best.separation <= margin; ++f) {
    if (f == highest || height(f) <= best.separation) continue;
    const FaceAxis next = axis(f);
    if (next.separation > best.separation) best = next;
  }
  return best;
}

struct EdgeAxis {
  double separation = -std::numeric_limits<double>::infinity();
  int edge_a = -1, edge_b = -1;
  Vec3 normal = Vec3::Zero();   // unit, out of A, in the frame of A
};

// Whether the arc from a to b on the unit sphere crosses the arc from c to d. Most arcs fail the first test, which needs no
// cross product of its own.
bool arcs_cross(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& d_cross_c) {
  const double adc = a.dot(d_cross_c), bdc = b.dot(d_cross_c);
  if (adc * bdc >= 0) return false;
  const Vec3 b_cross_a = b.cross(a);
  const double cba = c.dot(b_cross_a), dba = d.dot(b_cross_a);
  return cba * dba < 0 && cba * bdc > 0;
}

// An axis n in the arc of an edge at v separates by no more than n · (x − v) for any point x of the other polytope. If x lies
// behind both faces of the edge by `least` or more, and not in front of them, then every axis of the arc separates less.
bool can_separate(const PolytopeView& p, const Polytope::Edge& edge, const Vec3& x, double least) {
  const double mark = std::min(least, 0.0);
  const Polytope::Face &f = p.faces[edge.face[0]], &g = p.faces[edge.face[1]];
  return f.normal.dot(x) - f.offset > mark || g.normal.dot(x) - g.offset > mark;
}

// `of_b`, `of_a`: the vertices nearest to the other polytope's best face, the sharpest points to cull edges with.
EdgeAxis best_edge_pair(const PolytopeView& a, const PolytopeView& b, const Placed& b_in_a, int of_b, int of_a, double least,
                        double margin) {
  int candidates[kMaxCandidates];
  int count = 0;
  const Vec3 near_b = b_in_a * b.vertices[of_b];
  const Vec3 near_a = b_in_a.r.transpose() * (a.vertices[of_a] - b_in_a.t);
  for (int e = 0; e < static_cast<int>(a.edges.size()) && count <= kMaxCandidates; ++e) {
    if (!can_separate(a, a.edges[e], near_b, least)) continue;
    if (count < kMaxCandidates) candidates[count] = e;
    ++count;
  }
  const bool culled = count <= kMaxCandidates;
  if (!culled) count = static_cast<int>(a.edges.size());

  EdgeAxis best;
  for (int eb = 0; eb < static_cast<int>(b.edges.size()); ++eb) {
    const Polytope::Edge& edge_b = b.edges[eb];
    if (!can_separate(b, edge_b, near_a, least)) continue;
    const Vec3 c = b_in_a.r * Vec3(-b.faces[edge_b.face[0]].normal), d = b_in_a.r * Vec3(-b.faces[edge_b.face[1]].normal);
    const Vec3 d_cross_c = d.cross(c);
    const Vec3 q = b_in_a * b.vertices[edge_b.vertex[0]];
    const Vec3 along_b = b_in_a.r * Vec3(b.vertices[edge_b.vertex[1]] - b.vertices[edge_b.vertex[0]]);
    for (int k = 0; k < count; ++k) {
      const int ea = culled ? candidates[k] : k;
      const Polytope::Edge& edge_a = a.edges[ea];
      const Vec3 &na = a.faces[edge_a.face[0]].normal, &nb = a.faces[edge_a.face[1]].normal;
      if (!arcs_cross(na, nb, c, d, d_cross_c)) continue;
      const Vec3& p = a.vertices[edge_a.vertex[0]];
      const Vec3 along_a = a.vertices[edge_a.vertex[1]] - p;
      Vec3 n = along_a.cross(along_b);
      const double squared = n.squaredNorm();
      if (squared < kEdgesParallel * along_a.squaredNorm() * along_b.squaredNorm()) continue;
      n /= std::sqrt(squared);
      if (n.dot(na + nb) < 0) n = -n;
      const double separation = n.dot(q - p);
      if (separation > best.separation) best = {separation, ea, eb, n};
      if (separation > margin) return best;
    }
  }
  return best;
}

// The crossing of the edges, and what lies behind it.
void add_edge_contact(const PolytopeView& a, const PolytopeView& b, const Placed& b_in_a, const EdgeAxis& axis,
                      const EdgePair& pair, const Pose& pose_a, double margin, ContactSink& sink) {
  if (add_edge_patch(pair, pose_a.orientation * axis.normal, axis.separation, pose_a.position, margin, sink)) return;
  const Polytope::Edge &ea = a.edges[axis.edge_a], &eb = b.edges[axis.edge_b];
  const Vec3 p = a.vertices[ea.vertex[0]], u = a.vertices[ea.vertex[1]] - p;
  const Vec3 q = b_in_a * b.vertices[eb.vertex[0]], v = b_in_a * b.vertices[eb.vertex[1]] - q;
  const Vec3 d = q - p;
  const double uu = u.dot(u), vv = v.dot(v), uv = u.dot(v), ud = u.dot(d), vd = v.dot(d);
  const double determinant = uu * vv - uv * uv;
  const double s = std::clamp((ud * vv - uv * vd) / determinant, 0.0, 1.0);
  const double t = std::clamp((ud * uv - vd * uu) / determinant, 0.0, 1.0);
  const Vec3 middle = 0.5 * (p + s * u + q + t * v);
  sink.add(pose_a * middle, pose_a.orientation * axis.normal, axis.separation,
           patch_feature(PatchPoint::lone, axis.edge_a, axis.edge_b));
}

// The face of `p` that touches a plane across `direction`, world axes, relative to the origin of A.
void supporting_face(const PolytopeView& p, const Mat3& rotation, const Vec3& position, const Vec3& direction, Feature& out) {
  const Vec3 local = rotation.transpose() * direction;
  place_face(p, p.face_through(p.support_index(local), local), rotation, position, out);
}

// Adds the vertices of `p` within the margin of the face `reference` of the other polytope and over it, beside those of the
// face `incident` of p: they are next to touch when p is far tilted or turns fast. `towards`: from p to the reference face.
template <class Name>
void add_other_vertices(const Feature& reference, const PolytopeView& p, const Mat3& rotation, const Vec3& position,
                        int incident, const Vec3& towards, const Vec3& normal, const Vec3& origin, double margin, Name name,
                        ContactSink& sink) {
  const Vec3 local = rotation.transpose() * towards;
  const double face_at = towards.dot(reference.points[0]) - towards.dot(position);
  const Polytope::Face& face = p.faces[incident];
  const auto is_over_reference = [&](const Vec3& x) {
    for (int k = 0; k < reference.count; ++k) {
      const Vec3& corner = reference.points[k];
      const Vec3& next = reference.points[k + 1 < reference.count ? k + 1 : 0];
      if ((next - corner).cross(x - corner).dot(reference.normal) < 0) return false;
    }
    return true;
  };
  for (int v = 0; v < static_cast<int>(p.vertices.size()); ++v) {
    const double gap = face_at - local.dot(p.vertices[v]);
    if (gap > margin) continue;
    const auto loop = p.loops.subspan(face.first, face.count);
    if (std::find(loop.begin(), loop.end(), v) != loop.end()) continue;
    const Vec3 x = position + rotation * p.vertices[v];
    if (is_over_reference(x)) sink.add(origin + x + 0.5 * gap * towards, normal, gap, name(v));
  }
}

/// Returns false if the two come within the margin, apart, though no faces or edges that face each other do.
bool collide_polytopes(const PolytopeView& a, const Pose& pose_a, const PolytopeView& b, const Pose& pose_b, double margin,
                       ContactSink& sink) {
  const Mat3 rotation_a = pose_a.rotation(), rotation_b = pose_b.rotation();
  const Vec3 between = pose_b.position - pose_a.position;
  const Placed b_in_a{rotation_a.transpose() * rotation_b, rotation_a.transpose() * between};
  const Placed a_in_b{b_in_a.r.transpose(), -(b_in_a.r.transpose() * b_in_a.t)};

  const FaceAxis face_a = best_face(a, b, b_in_a, margin);
  if (face_a.separation > margin) return true;
  const FaceAxis face_b = best_face(b, a, a_in_b, margin);
  if (face_b.separation > margin) return true;
  const double bias = kFaceBias * std::min(a.radius, b.radius);
  const bool b_is_reference = face_b.separation > face_a.separation + bias;
  const double best = b_is_reference ? face_b.separation : face_a.separation;
  const EdgeAxis edges = best_edge_pair(a, b, b_in_a, face_a.vertex, face_b.vertex, best, margin);
  if (edges.separation > margin) return true;

  const Vec3 n =
      b_is_reference ? Vec3(-(rotation_b * b.faces[face_b.face].normal)) : Vec3(rotation_a * a.faces[face_a.face].normal);
  if (edges.separation > best + bias && n.dot(rotation_a * edges.normal) < kNearFace) {
    const Polytope::Edge &ea = a.edges[edges.edge_a], &eb = b.edges[edges.edge_b];
    const EdgePair pair{a, b, rotation_a, rotation_b, between, {ea.face[0], ea.face[1]}, {eb.face[0], eb.face[1]}};
    add_edge_contact(a, b, b_in_a, edges, pair, pose_a, margin, sink);
    return true;
  }

  Feature feature_a, feature_b;
  supporting_face(a, rotation_a, Vec3::Zero(), n, feature_a);
  supporting_face(b, rotation_b, between, -n, feature_b);
  if (add_patch(feature_a, feature_b, n, pose_a.position, margin, sink) > 0) {
    if (b_is_reference) {
      add_other_vertices(
          feature_b, a, rotation_a, Vec3::Zero(), feature_a.id, n, n, pose_a.position, margin,
          [&](int v) { return patch_feature(PatchPoint::corner_of_a, v, feature_b.id); }, sink);
    } else {
      add_other_vertices(
          feature_a, b, rotation_b, between, feature_b.id, -n, n, pose_a.position, margin,
          [&](int v) { return patch_feature(PatchPoint::corner_of_b, feature_a.id, v); }, sink);
    }
    return true;
  }
  // Faces that tie within the bias may share nothing. Overlap must not go unreported.
  if (std::max(best, edges.separation) >= 0) return false;
  const int lowest =
      b_is_reference ? a.support_index(rotation_a.transpose() * n) : b.support_index(rotation_b.transpose() * Vec3(-n));
  const Vec3 point =
      b_is_reference ? Vec3(pose_a * a.vertices[lowest] - 0.5 * best * -n) : Vec3(pose_b * b.vertices[lowest] - 0.5 * best * n);
  sink.add(point, n, best,
           b_is_reference ? patch_feature(PatchPoint::corner_of_a, lowest, face_b.face)
                          : patch_feature(PatchPoint::corner_of_b, face_a.face, lowest));
  return true;
}

}   // namespace

void collide(const Box& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double margin, ContactSink& sink) {
  const BoxPolytope box(a);
  if (!collide_polytopes(box.view(), pose_a, view(b), pose_b, margin, sink)) collide_apart(a, pose_a, b, pose_b, margin, sink);
}

void collide(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double margin,
             ContactSink& sink) {
  if (!collide_polytopes(view(a), pose_a, view(b), pose_b, margin, sink)) collide_apart(a, pose_a, b, pose_b, margin, sink);
}

}   // namespace stickslip::narrow
