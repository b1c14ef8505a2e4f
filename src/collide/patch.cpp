#include "collide/patch.h"

#include <algorithm>
#include <cmath>

#include "collide/tolerances.h"

namespace stickslip::narrow {
namespace {

constexpr double kSteepBesideEdge = 0.5;   // cosine of the tilt from which on a face beside an edge does not come next

// A feature in the plane across the normal. Polygons are counter-clockwise seen against the normal of A.
struct Flat {
  int count;
  std::array<Vec2, kMaxFeaturePoints> points;
  std::array<double, kMaxFeaturePoints> heights;
  std::array<std::uint32_t, kMaxFeaturePoints> ids;
  Vec2 slope = Vec2::Zero();   // gradient of the height
  double base = 0;             // height over the origin of the plane

  double height(const Vec2& q) const { return base + slope.dot(q); }
};

struct AcrossPlane {
  Vec3 n, t, b;

  explicit AcrossPlane(const Vec3& normal) : n(normal) {
    const Mat3 frame = frame_from_normal(normal);
    t = frame.col(1);
    b = frame.col(2);
  }
  Vec2 flat(const Vec3& p) const { return {t.dot(p), b.dot(p)}; }
  Vec3 lift(const Vec2& q, double height) const { return q.x() * t + q.y() * b + height * n; }
};

// `reversed`: the feature looks against the plane's normal, so its loop runs the other way round.
Flat flatten(const Feature& feature, const AcrossPlane& plane, bool reversed) {
  Flat flat;
  flat.count = feature.count;
  for (int k = 0; k < feature.count; ++k) {
    const int source = reversed ? feature.count - 1 - k : k;
    flat.points[k] = plane.flat(feature.points[source]);
    flat.heights[k] = plane.n.dot(feature.points[source]);
    flat.ids[k] = feature.ids[source];
  }
  if (feature.count >= 3) {
    const double along = feature.normal.dot(plane.n);
    flat.slope = -plane.flat(feature.normal) / along;
  } else if (feature.count == 2) {
    const Vec2 d = flat.points[1] - flat.points[0];
    const double squared = d.squaredNorm();
    if (squared > 0) flat.slope = d * ((flat.heights[1] - flat.heights[0]) / squared);
  }
  flat.base = flat.heights[0] - flat.slope.dot(flat.points[0]);
  return flat;
}

double size(const Flat& f) {
  double largest = 0;
  for (int k = 1; k < f.count; ++k) largest = std::max(largest, (f.points[k] - f.points[0]).squaredNorm());
  return std::sqrt(largest);
}

// Collects the points of one patch.
struct Writer {
  const Flat& a;
  const Flat& b;
  const AcrossPlane& plane;
  const Vec3& origin;
  double margin;
  ContactSink& sink;
  int added = 0;

  void add(const Vec2& q, std::uint64_t feature) {
    const double height_a = a.height(q), gap = b.height(q) - height_a;
    if (gap > margin) return;
    // A second patch of the same pair may share corners with the first.
    for (const ContactPoint& known : sink.points())
      if (known.feature == feature) return;
    sink.add(origin + plane.lift(q, height_a + 0.5 * gap), plane.n, gap, feature);
    ++added;
  }
};

double cross(const Vec2& p, const Vec2& q) { return p.x() * q.y() - p.y() * q.x(); }

// Edge k of A is labelled k, edge k of B is labelled count_a + k; edges are named by the vertex they leave.
struct LabelledPoint {
  Vec2 q;
  int edge;
  std::uint64_t feature;
};

void intersect_polygons(const Flat& a, const Flat& b, std::uint32_t face_a, std::uint32_t face_b, Writer& writer) {
  // Each cut adds one point in exact arithmetic; the spare room covers corners that lie on the cut to rounding.
  constexpr int capacity = 3 * kMaxFeaturePoints;
  std::array<LabelledPoint, capacity> buffers[2];
  int count = a.count;
  for (int k = 0; k < count; ++k) buffers[0][k] = {a.points[k], k, patch_feature(PatchPoint::corner_of_a, a.ids[k], face_b)};
  const double tolerance = kClipTolerance * std::min(size(a), size(b));

  int from = 0;
  for (int side = 0; side < b.count && count > 0; ++side) {
    const auto& in = buffers[from];
    auto& out = buffers[1 - from];
    const Vec2& corner = b.points[side];
    const Vec2 edge = b.points[(side + 1) % b.count] - corner;
    const double length = edge.norm();
    if (length <= tolerance) continue;
    const Vec2 outward(edge.y() / length, -edge.x() / length);
    int kept = 0;
    const LabelledPoint* p = &in[count - 1];
    double d = outward.dot(p->q - corner);
    for (int k = 0; k < count && kept + 2 <= capacity; ++k) {
      const LabelledPoint* q = &in[k];
      const double e = outward.dot(q->q - corner);
      const bool p_inside = d <= tolerance, q_inside = e <= tolerance;
      if (p_inside != q_inside) {
        LabelledPoint& x = out[kept++];
        x.q = p->q + std::clamp(d / (d - e), 0.0, 1.0) * (q->q - p->q);
        x.edge = p_inside ? a.count + side : p->edge;
        if (p->edge < a.count) {
          x.feature = patch_feature(PatchPoint::crossing, a.ids[p->edge], b.ids[side]);
        } else {   // both borders belong to B: its corner between them
          const int other = p->edge - a.count;
          const int corner_index = (other + 1) % b.count == side ? side : other;
          x.feature = patch_feature(PatchPoint::corner_of_b, face_a, b.ids[corner_index]);
        }
      }
      if (q_inside) out[kept++] = *q;
      p = q;
      d = e;
    }
    count = kept;
    from = 1 - from;
  }
  for (int k = 0; k < count; ++k) writer.add(buffers[from][k].q, buffers[from][k].feature);
}

// The stretch of a segment inside a polygon. `segment_is_a` decides the order within names.
void intersect_segment(const Flat& segment, const Flat& polygon, std::uint32_t face, bool segment_is_a, Writer& writer) {
  const Vec2 start = segment.points[0], d = segment.points[1] - start;
  const double tolerance = kClipTolerance * std::min(size(segment), size(polygon));
  const auto name = [&](PatchPoint kind, std::uint32_t on_segment, std::uint32_t on_polygon) {
    return segment_is_a ? patch_feature(kind, on_segment, on_polygon) : patch_feature(kind, on_polygon, on_segment);
  };
  const PatchPoint corner = segment_is_a ? PatchPoint::corner_of_a : PatchPoint::corner_of_b;
  double low = 0, high = 1;
  std::uint64_t low_name = name(corner, segment.ids[0], face), high_name = name(corner, segment.ids[1], face);
  for (int side = 0; side < polygon.count; ++side) {
    const Vec2& p = polygon.points[side];
    const Vec2 edge = polygon.points[(side + 1) % polygon.count] - p;
    const double length = edge.norm();
    if (length <= tolerance) continue;
    const Vec2 outward(edge.y() / length, -edge.x() / length);
    const double at_start = outward.dot(start - p), rate = outward.dot(d), at_end = at_start + rate;
    if (at_start > tolerance && at_end > tolerance) return;
    if (at_end > tolerance) {
      const double cut = -at_start / rate;
      if (cut < high) high = cut, high_name = name(PatchPoint::crossing, segment.ids[1], polygon.ids[side]);
    } else if (at_start > tolerance) {
      const double cut = -at_start / rate;
      if (cut > low) low = cut, low_name = name(PatchPoint::crossing, segment.ids[0], polygon.ids[side]);
    }
  }
  // A segment that only grazes the polygon touches it in one point.
  const double stretch = (high - low) * d.norm();
  if (stretch < -tolerance) return;
  writer.add(start + low * d, low_name);
  if (stretch > tolerance) writer.add(start + high * d, high_name);
}

void intersect_segments(const Flat& a, const Flat& b, Writer& writer) {
  const Vec2 da = a.points[1] - a.points[0], db = b.points[1] - b.points[0];
  const double la = da.norm(), lb = db.norm();
  const double turn = cross(da, db);
  if (std::abs(turn) > kSegmentsParallel * la * lb) {
    const Vec2 between = b.points[0] - a.points[0];
    const double s = cross(between, db) / turn, u = cross(between, da) / turn;
    // The end of a capsule on a roller is a crossing to within what iterations leave of the normal.
    const auto within = [](double x) { return x >= -1e-3 && x <= 1 + 1e-3; };
    if (within(s) && within(u))
      writer.add(a.points[0] + std::clamp(s, 0.0, 1.0) * da, patch_feature(PatchPoint::crossing, a.ids[0], b.ids[0]));
    return;
  }
  // Side by side: the common stretch, measured along A, halfway between the lines.
  const Vec2 along = da / la;
  const double b0 = along.dot(b.points[0] - a.points[0]), b1 = along.dot(b.points[1] - a.points[0]);
  const int b_low = b0 <= b1 ? 0 : 1;
  const double low = std::max(0.0, std::min(b0, b1)), high = std::min(la, std::max(b0, b1));
  const double tolerance = kClipTolerance * std::min(la, lb);
  if (low > high + tolerance) return;
  const auto halfway = [&](double s) {
    const double f = std::clamp((s - b0) / (b1 - b0), 0.0, 1.0);
    return Vec2(0.5 * (a.points[0] + s * along + b.points[0] + f * db));
  };
  const auto name = [&](bool from_a, int end_a, int end_b) {
    return patch_feature(from_a ? PatchPoint::corner_of_a : PatchPoint::corner_of_b, a.ids[end_a], b.ids[end_b]);
  };
  writer.add(halfway(low), name(low > std::min(b0, b1) + tolerance, 0, b_low));
  if (high > low + tolerance) writer.add(halfway(high), name(high < std::max(b0, b1) - tolerance, 1, 1 - b_low));
}

}   // namespace

void add_face(const PolytopeView& view, int index, Feature& out) {
  const Polytope::Face& face = view.faces[index];
  const int count = std::min(face.count, kMaxFeaturePoints);
  for (int k = 0; k < count; ++k) {
    const int vertex = view.loops[face.first + static_cast<int>(static_cast<long>(k) * face.count / count)];
    out.add(view.vertices[vertex], static_cast<std::uint32_t>(vertex));
  }
  out.normal = face.normal;
  out.id = static_cast<std::uint32_t>(index);
}

void place_face(const PolytopeView& view, int face, const Mat3& rotation, const Vec3& position, Feature& out) {
  add_face(view, face, out);
  for (int k = 0; k < out.count; ++k) out.points[k] = position + rotation * out.points[k];
  out.normal = rotation * out.normal;
}

bool add_edge_patch(const EdgePair& pair, const Vec3& n, double separation, const Vec3& origin, double margin,
                    ContactSink& sink) {
  const auto facing = [](const PolytopeView& view, const int(&faces)[2], const Vec3& direction) {
    return view.faces[faces[0]].normal.dot(direction) >= view.faces[faces[1]].normal.dot(direction) ? faces[0] : faces[1];
  };
  const Vec3 in_a = pair.rotation_a.transpose() * n, in_b = pair.rotation_b.transpose() * Vec3(-n);
  const int face_a = facing(pair.a, pair.faces_a, in_a), face_b = facing(pair.b, pair.faces_b, in_b);
  if (pair.a.faces[face_a].normal.dot(in_a) < kSteepBesideEdge) return false;
  if (pair.b.faces[face_b].normal.dot(in_b) < kSteepBesideEdge) return false;
  Feature a, b;
  place_face(pair.a, face_a, pair.rotation_a, Vec3::Zero(), a);
  place_face(pair.b, face_b, pair.rotation_b, pair.between, b);
  const std::size_t before = sink.points().size();
  add_patch(a, b, n, origin, margin, sink);
  bool crossing = false;
  for (std::size_t k = before; k < sink.points().size(); ++k) {
    ContactPoint& p = sink.points()[k];
    p.feature |= kEdgePatch;
    crossing = crossing || p.gap <= separation + kCrossing * std::min(pair.a.radius, pair.b.radius);
  }
  return crossing;
}

int add_patch(const Feature& a, const Feature& b, const Vec3& n, const Vec3& origin, double margin, ContactSink& sink) {
  const AcrossPlane plane(n);
  const Flat flat_a = flatten(a, plane, false), flat_b = flatten(b, plane, true);
  Writer writer{flat_a, flat_b, plane, origin, margin, sink};
  if (a.count >= 3 && b.count >= 3) {
    intersect_polygons(flat_a, flat_b, a.id, b.id, writer);
  } else if (a.count >= 3 && b.count == 2) {
    intersect_segment(flat_b, flat_a, a.id, false, writer);
  } else if (a.count == 2 && b.count >= 3) {
    intersect_segment(flat_a, flat_b, b.id, true, writer);
  } else if (a.count == 2 && b.count == 2) {
    intersect_segments(flat_a, flat_b, writer);
  }
  return writer.added;
}

}   // namespace stickslip::narrow
