// Box against box [course §2.1.3]: separating axes, then face clipping or an edge–edge point.
//
// Everything is done in the frame of box A, where B has the rotation R and the centre t. Of the 15 axes the one with the
// largest separation gives the normal. Two rules keep the choice from flickering when axes tie, as they do for any box that
// rests flat on another:
//  - a face of B replaces a face of A only if it separates better by kFaceBias of the thinnest half extent; if B had the
//    reference face when the pair was last looked at, a face of A replaces it only if it separates better by as much,
//  - an edge pair replaces a face only if it separates better by as much and its axis is tilted by more than
//    acos(kNearFace) from the face's. Clipping keeps only what lies between the boxes, so the face of such a nearly
//    parallel pair reports a gap that differs in second order, and it carries a patch where the edges carry a point.
#include <algorithm>
#include <cmath>
#include <limits>

#include "collide/pairs.h"
#include "collide/tolerances.h"

namespace stickslip::narrow {
namespace {

constexpr double kWorthwhile =
    0.25;   // of the thinnest half extent: a patch behind crossing edges that reaches farther is kept

struct Relative {
  Mat3 r;   // axes of B in the frame of A
  Mat3 abs_r;
  Vec3 t;      // centre of B in the frame of A
  Vec3 a, b;   // half extents
};

double sign(double x) { return x < 0 ? -1.0 : 1.0; }

// The four sides of a reference face are numbered 0: −u, 1: +u, 2: −v, 3: +v. An edge of the clipped polygon carries the
// number of the side it lies on, or 4 + k for the k-th edge of the incident face.
struct ClipPoint {
  double u, v, w;          // where the reference face sees the point along the normal, and the gap
  int edge;                // label of the edge that leaves this point
  std::uint32_t feature;   // see the codes below
};

struct ClipPolygon {
  ClipPoint point[20];   // 8 for exact arithmetic; each cut of n points leaves at most 3n/2 for any
  int count = 0;
};

constexpr std::uint32_t kFlippedCode = 1u << 16, kEdgeCode = 1u << 17;
std::uint32_t corner_code(int k) { return static_cast<std::uint32_t>(k); }
std::uint32_t far_corner_code(int k) { return 128u + static_cast<std::uint32_t>(k); }
std::uint32_t crossing_code(int side, int edge) { return 4u + static_cast<std::uint32_t>(8 * side + edge); }

// Keeps the part of the polygon with s·x ≤ limit, where x is u or v.
template <double ClipPoint::*coordinate>
void clip(const ClipPolygon& in, ClipPolygon& out, double s, double limit, double tolerance, int side) {
  out.count = 0;
  double d = s * in.point[in.count - 1].*coordinate - limit;
  const ClipPoint* p = &in.point[in.count - 1];
  for (int k = 0; k < in.count; ++k) {
    const ClipPoint* q = &in.point[k];
    const double e = s * q->*coordinate - limit;
    const bool p_inside = d <= tolerance, q_inside = e <= tolerance;
    if (p_inside != q_inside) {
      const double f = std::clamp(d / (d - e), 0.0, 1.0);
      ClipPoint& x = out.point[out.count++];
      x.u = p->u + f * (q->u - p->u);
      x.v = p->v + f * (q->v - p->v);
      x.w = p->w + f * (q->w - p->w);
      x.feature = crossing_code(std::max(side, p->edge), std::min(side, p->edge));
      x.edge = p_inside ? side : p->edge;   // leaving the side's half plane, the border follows the side
    }
    if (q_inside) out.point[out.count++] = *q;
    p = q;
    d = e;
  }
}

// What lies over a face of these half extents.
void clip_to_face(ClipPolygon& polygon, double u, double v, double tolerance) {
  ClipPolygon other;
  clip<&ClipPoint::u>(polygon, other, -1, u, tolerance, 0);
  if (other.count) clip<&ClipPoint::u>(other, polygon, 1, u, tolerance, 1);
  else polygon.count = 0;
  if (polygon.count) clip<&ClipPoint::v>(polygon, other, -1, v, tolerance, 2);
  else other.count = 0;
  if (other.count) clip<&ClipPoint::v>(other, polygon, 1, v, tolerance, 3);
  else polygon.count = 0;
}

// The face of the other box that faces the normal n most squarely.
struct IncidentFace {
  int axis;
  double sign;         // of its outward normal along the axis
  double squareness;   // cosine between its normal and n
  Vec3 corner[4];
};
IncidentFace incident_face(const Relative& rel, const Vec3& n) {
  IncidentFace face;
  const Vec3 along = rel.r.transpose() * n;
  face.squareness = along.cwiseAbs().maxCoeff(&face.axis);
  face.sign = -sign(along[face.axis]);
  const int jp = (face.axis + 1) % 3, jq = (face.axis + 2) % 3;
  const Vec3 middle = rel.t + rel.r.col(face.axis) * (face.sign * rel.b[face.axis]);
  const Vec3 p = rel.r.col(jp) * rel.b[jp], q = rel.r.col(jq) * rel.b[jq];
  const Vec3 corners[4] = {middle - p - q, middle + p - q, middle + p + q, middle - p + q};
  std::copy(corners, corners + 4, face.corner);
  return face;
}

// A face of the reference box against the box `other`, seen along the unit vector `n` from the reference box to the other:
// the normal of the face, or that of two crossing edges beside it, when the patch is what comes next behind the crossing.
// `rel` and `n` are seen from the reference box, whose face on `axis` looks along n. `flipped`: the reference box is B.
void add_face_contacts(const Relative& rel, int axis, const Vec3& n, bool flipped, const Pose& pose_ref, double margin,
                       double deepest, ContactSink& sink) {
  const int iu = (axis + 1) % 3, iv = (axis + 2) % 3;
  const double facing = sign(n[axis]), along_axis = std::abs(n[axis]);
  const IncidentFace incident = incident_face(rel, n);
  ClipPolygon first;
  first.count = 4;
  const double top = rel.a[axis];
  // Where the face sees a point of the other box, along n.
  const auto seen = [&](const Vec3& x, int edge, std::uint32_t feature) {
    const double gap = (facing * x[axis] - top) / along_axis;
    return ClipPoint{x[iu] - gap * n[iu], x[iv] - gap * n[iv], gap, edge, feature};
  };
  const double tolerance = kClipTolerance * (rel.a[iu] + rel.a[iv]);
  const auto inside = [&](const ClipPoint& c, double slack) {
    return std::abs(c.u) <= rel.a[iu] + slack && std::abs(c.v) <= rel.a[iv] + slack;
  };
  bool all_inside = true;
  double lowest = std::numeric_limits<double>::infinity();
  int lowest_corner = 0;
  for (int k = 0; k < 4; ++k) {
    first.point[k] = seen(incident.corner[k], 4 + k, corner_code(k));
    all_inside = all_inside && inside(first.point[k], tolerance);
    if (first.point[k].w < lowest) lowest = first.point[k].w, lowest_corner = k;
  }
  const ClipPoint lowest_point = first.point[lowest_corner];
  if (!all_inside) clip_to_face(first, rel.a[iu], rel.a[iv], tolerance);

  const Mat3 rotation = pose_ref.rotation();
  const Vec3 normal = rotation * (flipped ? Vec3(-n) : n);
  const std::uint32_t faces = (flipped ? kFlippedCode : 0u) | static_cast<std::uint32_t>(2 * axis + (facing > 0)) << 12 |
                              static_cast<std::uint32_t>(2 * incident.axis + (incident.sign > 0)) << 8;
  const auto add = [&](const ClipPoint& c) {
    Vec3 local = 0.5 * c.w * n;
    local[axis] += facing * top;
    local[iu] += c.u;
    local[iv] += c.v;
    sink.add(pose_ref.position + rotation * local, normal, c.w, faces | c.feature);
  };
  const std::size_t before = sink.points().size();
  for (int k = 0; k < first.count; ++k)
    if (first.point[k].w <= margin) add(first.point[k]);
  if (sink.points().size() == before) {
    // Of two faces that tie within the bias, the worse may hold nothing of the other box. Overlap must not go unreported.
    if (deepest < 0) add(lowest_point);
    return;
  }
  // The corners behind the incident face are next to touch when the boxes are far tilted or turn fast.
  if (lowest + 2 * rel.b[incident.axis] * incident.squareness > margin) return;
  const Vec3 back = rel.r.col(incident.axis) * (-2 * incident.sign * rel.b[incident.axis]);
  for (int k = 0; k < 4; ++k) {
    const ClipPoint c = seen(incident.corner[k] + back, 0, far_corner_code(k));
    if (c.w <= margin && inside(c, 0)) add(c);
  }
}

// Whether the faces behind the crossing of edges i of A and j of B come within `reach` of each other farther from the
// crossing than kWorthwhile of the thinnest half extent. Along either edge the gap grows with the tilt of the other box's
// face against the normal n.
bool patch_matters(const Relative& rel, int i, int j, int axis_a, const Vec3& n, double reach) {
  int axis_b;
  const Vec3 along = rel.r.transpose() * n;
  along.cwiseAbs().maxCoeff(&axis_b);
  const double least = kWorthwhile * std::min(rel.a.minCoeff(), rel.b.minCoeff());
  return least * rel.abs_r(i, axis_b) <= reach * std::abs(along[axis_b]) ||
         least * rel.abs_r(axis_a, j) <= reach * std::abs(n[axis_a]);
}

// The crossing of edge direction i of A and j of B, with the unit axis `n` from A to B in the frame of A.
void add_edge_contact(const Relative& rel, int i, int j, const Vec3& n, double separation, const Pose& pose_a,
                      ContactSink& sink) {
  const Vec3 n_in_b = rel.r.transpose() * n;
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  std::uint32_t which_a = 0, which_b = 0;
  for (int k = 0; k < 3; ++k) {
    const bool up_a = n[k] >= 0, up_b = n_in_b[k] < 0;
    on_a[k] = k == i ? 0 : up_a ? rel.a[k] : -rel.a[k];
    on_b[k] = k == j ? 0 : up_b ? rel.b[k] : -rel.b[k];
    if (k != i && up_a) which_a |= 1u << k;
    if (k != j && up_b) which_b |= 1u << k;
  }
  // Nearest points of the lines on_a + s eᵢ and q + τ Rⱼ.
  const Vec3 q = rel.t + rel.r * on_b;
  const Vec3 d = q - on_a;
  const double cosine = rel.r(i, j), along_b = rel.r.col(j).dot(d);
  const double determinant = 1 - cosine * cosine;
  const double s = std::clamp((d[i] - cosine * along_b) / determinant, -rel.a[i], rel.a[i]);
  const double tau = std::clamp((cosine * d[i] - along_b) / determinant, -rel.b[j], rel.b[j]);
  on_a[i] += s;
  const Vec3 middle = 0.5 * (on_a + q + tau * rel.r.col(j));
  const std::uint32_t feature =
      kEdgeCode | static_cast<std::uint32_t>(i) << 10 | static_cast<std::uint32_t>(j) << 8 | which_a << 4 | which_b;
  sink.add(pose_a * middle, pose_a.orientation * n, separation, feature);
}

// Edges i of A and j of B along whose common normal the boxes are farthest apart.
struct CrossingEdges {
  double separation = -std::numeric_limits<double>::infinity();
  int i = -1, j = -1;
};

// Edge i of A against edge j of B: the axis eᵢ × Rⱼ has the length √(1 − R²ᵢⱼ). Ends at the first axis that parts the boxes by
// more than the margin.
CrossingEdges farthest_edges(const Relative& rel, double margin) {
  CrossingEdges best;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double squared = 1 - rel.r(i, j) * rel.r(i, j);
      if (squared < kEdgesParallel) continue;
      const double center = rel.t[i2] * rel.r(i1, j) - rel.t[i1] * rel.r(i2, j);
      const double overlap = std::abs(center) - rel.a[i1] * rel.abs_r(i2, j) - rel.a[i2] * rel.abs_r(i1, j) -
                             rel.b[j1] * rel.abs_r(i, j2) - rel.b[j2] * rel.abs_r(i, j1);
      const double separation = overlap / std::sqrt(squared);
      if (separation > best.separation) best = {separation, i, j};
      if (separation > margin) return best;
    }
  }
  return best;
}

// Common normal of two edges, unit, from A to B in the frame of A.
Vec3 crossing_normal(const Relative& rel, const CrossingEdges& edges) {
  const int i1 = (edges.i + 1) % 3, i2 = (edges.i + 2) % 3;
  Vec3 n = Vec3::Zero();   // eᵢ × Rⱼ
  n[i1] = -rel.r(i2, edges.j);
  n[i2] = rel.r(i1, edges.j);
  n /= std::sqrt(n.squaredNorm());
  if (n.dot(rel.t) < 0) n = -n;
  return n;
}

// Two edges that cross, and what lies behind the crossing.
void add_crossing(const Relative& rel, const CrossingEdges& edges, const Vec3& n, const Pose& pose_a, double margin,
                  ContactSink& sink) {
  int axis;
  n.cwiseAbs().maxCoeff(&axis);
  if (patch_matters(rel, edges.i, edges.j, axis, n, margin - edges.separation))
    add_face_contacts(rel, axis, n, false, pose_a, margin, 1, sink);
  const double missed = edges.separation + kCrossing * std::min(rel.a.minCoeff(), rel.b.minCoeff());
  const auto& points = sink.points();
  if (std::none_of(points.begin(), points.end(), [&](const ContactPoint& p) { return p.gap <= missed; }))
    add_edge_contact(rel, edges.i, edges.j, n, edges.separation, pose_a, sink);
}

}   // namespace

void collide(const Box& box_a, const Pose& pose_a, const Box& box_b, const Pose& pose_b, double margin, ContactSink& sink) {
  Relative rel;
  rel.a = box_a.half_extents;
  rel.b = box_b.half_extents;
  const Mat3 rotation_a = pose_a.rotation();
  rel.t = rotation_a.transpose() * (pose_b.position - pose_a.position);
  rel.r = rotation_a.transpose() * pose_b.rotation();
  rel.abs_r = rel.r.cwiseAbs();

  const Vec3 in_a = rel.t.cwiseAbs() - rel.a - rel.abs_r * rel.b;
  int face_a, face_b;
  const double best_a = in_a.maxCoeff(&face_a);
  if (best_a > margin) return;
  const Vec3 t_in_b = rel.r.transpose() * rel.t;
  const Vec3 in_b = t_in_b.cwiseAbs() - rel.b - rel.abs_r.transpose() * rel.a;
  const double best_b = in_b.maxCoeff(&face_b);
  if (best_b > margin) return;

  const double bias = kFaceBias * std::min(rel.a.minCoeff(), rel.b.minCoeff());
  const bool b_was_reference =
      sink.expected() != ContactSink::kNone && !(sink.expected() & kEdgeCode) && (sink.expected() & kFlippedCode);
  const bool b_is_reference = best_b > best_a + (b_was_reference ? -bias : bias);
  const double best_face = b_is_reference ? best_b : best_a;

  const CrossingEdges edges = farthest_edges(rel, margin);
  if (edges.separation > margin) return;
  if (edges.separation > best_face + bias) {
    const Vec3 n = crossing_normal(rel, edges);
    const double to_face = b_is_reference ? std::abs(rel.r.col(face_b).dot(n)) : std::abs(n[face_a]);
    if (to_face < kNearFace) return add_crossing(rel, edges, n, pose_a, margin, sink);
  }
  const double deepest = std::max(best_face, edges.separation);
  if (!b_is_reference) {
    add_face_contacts(rel, face_a, Vec3(sign(rel.t[face_a]) * Vec3::Unit(face_a)), false, pose_a, margin, deepest, sink);
  } else {
    const Relative seen_from_b{rel.r.transpose(), rel.abs_r.transpose(), -t_in_b, rel.b, rel.a};
    const Vec3 n = -sign(t_in_b[face_b]) * Vec3::Unit(face_b);
    add_face_contacts(seen_from_b, face_b, n, true, pose_b, margin, deepest, sink);
  }
  if (sink.points().empty()) collide_apart(box_a, pose_a, box_b, pose_b, margin, sink);
}

}   // namespace stickslip::narrow
