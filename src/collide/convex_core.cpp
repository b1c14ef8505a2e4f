#include "collide/convex_core.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::narrow {
namespace {

constexpr double kFaceTilt = 0.995;   // cosine between normal and face up to which the face touches as a face (6°)
constexpr double kEdgeTilt = 0.1;     // sine up to which an edge or generatrix touches along its length
constexpr double kSteep = 0.95;       // sine of the tilt from which on an edge touches with its end only, whatever the reach
constexpr double kSteepFace = 0.5;    // cosine of the tilt from which on a face does not touch as a face, whatever the reach
constexpr double kFlat = 1e-4;        // sine of the tilt below which a cap has no lowest point
constexpr double kSnap = 5e-13;       // 1 − cosine of a millionth
constexpr int kCapPoints = 12;        // vertex names of a cylinder: lower cap, upper cap, each from its outermost point on

}   // namespace

double inner_radius(const Box& box) { return box.half_extents.minCoeff(); }
double inner_radius(const Cylinder& cylinder) { return std::min(cylinder.radius, cylinder.half_height); }
double inner_radius(const Capsule& capsule) { return capsule.radius; }
double inner_radius(const ConvexHull& hull) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Polytope::Face& face : hull.polytope->faces)
    nearest = std::min(nearest, face.offset - face.normal.dot(hull.polytope->interior_point));
  return nearest;
}

ConvexCore::ConvexCore(const Box& shape, const Mat3& rotation, const Vec3& position, double inset)
    : kind_(Kind::box), rotation_(rotation), position_(position), box_(shape), view_(box_.view()) {
  core_half_extents_ = shape.half_extents.array() - inset;
  slack_ = std::sqrt(3.0) * inset;
  size_ = view_.radius;
}

ConvexCore::ConvexCore(const Cylinder& shape, const Mat3& rotation, const Vec3& position, double inset)
    : kind_(Kind::cylinder), rotation_(rotation), position_(position), radius_(shape.radius), half_height_(shape.half_height) {
  core_radius_ = shape.radius - inset;
  core_half_height_ = shape.half_height - inset;
  slack_ = std::sqrt(2.0) * inset;
  size_ = std::hypot(shape.radius, shape.half_height);
}

ConvexCore::ConvexCore(const Capsule& shape, const Mat3& rotation, const Vec3& position, double)
    : kind_(Kind::capsule),
      rotation_(rotation),
      position_(position),
      radius_(shape.radius),
      half_height_(shape.half_height),
      core_half_height_(shape.half_height),
      slack_(shape.radius),
      size_(shape.radius + shape.half_height) {}

ConvexCore::ConvexCore(const ConvexHull& shape, const Mat3& rotation, const Vec3& position, double inset)
    : kind_(Kind::hull), rotation_(rotation), position_(position), view_(view(shape)), size_(view_.radius) {
  if (inset == 0) return;
  // Scaling about the interior point keeps all faces parallel. The farthest vertex moves by `inset`, everything else by less.
  double farthest_squared = 0;
  for (const Vec3& v : view_.vertices) farthest_squared = std::max(farthest_squared, (v - view_.interior_point).squaredNorm());
  slack_ = inset;
  core_scale_ = 1 - inset / std::sqrt(farthest_squared);
}

ConvexCore::ConvexCore(const std::array<Vec3, 3>& triangle)
    : kind_(Kind::triangle),
      rotation_(Mat3::Identity()),
      position_((triangle[0] + triangle[1] + triangle[2]) / 3),
      corners_(triangle) {
  for (Vec3& corner : corners_) {
    corner -= position_;
    size_ = std::max(size_, corner.norm());
  }
}

Vec3 ConvexCore::support(const Vec3& direction) const {
  const Vec3 d = rotation_.transpose() * direction;
  Vec3 local = Vec3::Zero();
  switch (kind_) {
    case Kind::box:
      for (int k = 0; k < 3; ++k) local[k] = d[k] >= 0 ? core_half_extents_[k] : -core_half_extents_[k];
      break;
    case Kind::hull: {
      const Vec3& v = view_.vertices[view_.support_index(d)];
      local = view_.interior_point + core_scale_ * (v - view_.interior_point);
      break;
    }
    case Kind::cylinder: {
      // Along the axis the whole cap is farthest; its centre stands for it.
      const double radial = std::hypot(d.x(), d.y());
      const double r = radial > 1e-14 * std::abs(d.z()) ? core_radius_ / radial : 0.0;
      local = Vec3(r * d.x(), r * d.y(), d.z() >= 0 ? core_half_height_ : -core_half_height_);
      break;
    }
    case Kind::capsule:
      local = Vec3(0, 0, d.z() >= 0 ? core_half_height_ : -core_half_height_);
      break;
    case Kind::triangle:
      local = farthest_corner(d);
      break;
  }
  return position_ + rotation_ * local;
}

const Vec3& ConvexCore::farthest_corner(const Vec3& local) const {
  return *std::max_element(corners_.begin(), corners_.end(),
                           [&](const Vec3& x, const Vec3& y) { return local.dot(x) < local.dot(y); });
}

double ConvexCore::extent(const Vec3& unit) const {
  const Vec3 d = rotation_.transpose() * unit;
  const double center = unit.dot(position_);
  switch (kind_) {
    case Kind::box:
    case Kind::hull:
      return center + d.dot(view_.vertices[view_.support_index(d)]);
    case Kind::cylinder:
      return center + radius_ * std::hypot(d.x(), d.y()) + half_height_ * std::abs(d.z());
    case Kind::triangle:
      return center + d.dot(farthest_corner(d));
    default:
      return center + radius_ + half_height_ * std::abs(d.z());
  }
}

Vec3 ConvexCore::aligned_face(const Vec3& unit) const {
  const Vec3 d = rotation_.transpose() * unit;
  if (kind_ == Kind::box || kind_ == Kind::hull) {
    for (const Polytope::Face& face : view_.faces)
      if (face.normal.dot(d) > 1 - kSnap) return rotation_ * face.normal;
  } else if (kind_ == Kind::cylinder && std::abs(d.z()) > 1 - kSnap) {
    return d.z() > 0 ? rotation_.col(2) : Vec3(-rotation_.col(2));
  }
  return unit;
}

void ConvexCore::place(Feature& out) const {
  for (int k = 0; k < out.count; ++k) out.points[k] = position_ + rotation_ * out.points[k];
  out.normal = rotation_ * out.normal;
}

void ConvexCore::feature(const Vec3& unit, double reach, Feature& out) const {
  const Vec3 d = rotation_.transpose() * unit;
  out.count = 0;
  out.id = 0;
  switch (kind_) {
    case Kind::box:
    case Kind::hull:
      polytope_feature(d, reach, out);
      break;
    case Kind::cylinder:
      cylinder_feature(d, reach, out);
      break;
    case Kind::capsule:
      if (half_height_ > 0 && side_touches(d, reach)) {
        out.add(Vec3(0, 0, -half_height_) + radius_ * d, 0);
        out.add(Vec3(0, 0, half_height_) + radius_ * d, 1);
      } else {
        out.add(Vec3(0, 0, d.z() >= 0 ? half_height_ : -half_height_) + radius_ * d, d.z() >= 0);
      }
      break;
    case Kind::triangle:
      break;
  }
  place(out);
}

bool ConvexCore::second_feature(const Vec3& unit, double reach, Feature& out) const {
  if (kind_ != Kind::cylinder) return false;
  const Vec3 d = rotation_.transpose() * unit;
  if (!cap_touches(d, reach) || !side_touches(d, reach)) return false;
  out.count = 0;
  out.normal.setZero();
  add_side(d, out);
  place(out);
  return true;
}

void ConvexCore::polytope_feature(const Vec3& d, double reach, Feature& out) const {
  const int vertex = view_.support_index(d);
  const double top = view_.vertices[vertex].dot(d);
  const auto within_reach = [&](int v) { return top - view_.vertices[v].dot(d) <= reach; };
  const int face = view_.face_through(vertex, d);
  if (face >= 0 && view_.faces[face].normal.dot(d) > kSteepFace) {
    const Polytope::Face& f = view_.faces[face];
    bool touches = f.normal.dot(d) > kFaceTilt;
    int reached = 0;
    for (int k = 0; k < f.count && !touches; ++k) touches = within_reach(view_.loops[f.first + k]) && ++reached > 2;
    if (touches) {
      add_face(view_, face, out);
      return;
    }
  }
  int best = -1;
  double least = kSteep;
  for (int e = 0; e < static_cast<int>(view_.edges.size()); ++e) {
    const Polytope::Edge& edge = view_.edges[e];
    if (edge.vertex[0] != vertex && edge.vertex[1] != vertex) continue;
    const Vec3 along = view_.vertices[edge.vertex[1]] - view_.vertices[edge.vertex[0]];
    const double tilt = std::abs(along.dot(d)) / along.norm();
    if (tilt < least) least = tilt, best = e;
  }
  if (best >= 0 && least >= kEdgeTilt &&
      !(within_reach(view_.edges[best].vertex[0]) && within_reach(view_.edges[best].vertex[1])))
    best = -1;
  if (best < 0) {
    out.add(view_.vertices[vertex], vertex);
    return;
  }
  for (const int v : view_.edges[best].vertex) out.add(view_.vertices[v], v);
  out.id = best;
}

bool ConvexCore::cap_touches(const Vec3& d, double reach) const {
  const double upright = std::abs(d.z());
  return upright > kFaceTilt || (upright > kSteepFace && radius_ * std::hypot(d.x(), d.y()) <= reach);
}

bool ConvexCore::side_touches(const Vec3& d, double reach) const {
  const double tilt = std::abs(d.z());
  return tilt < kEdgeTilt || (tilt < kSteep && 2 * half_height_ * tilt <= reach);
}

void ConvexCore::add_side(const Vec3& d, Feature& out) const {
  const double radial = std::hypot(d.x(), d.y());
  const Vec3 side(radius_ * d.x() / radial, radius_ * d.y() / radial, 0);
  out.add(side - Vec3(0, 0, half_height_), 0);
  out.add(side + Vec3(0, 0, half_height_), kCapPoints);
  out.id = 2;
}

void ConvexCore::cylinder_feature(const Vec3& d, double reach, Feature& out) const {
  const double radial = std::hypot(d.x(), d.y());
  const double z = d.z() >= 0 ? half_height_ : -half_height_;
  const std::uint32_t cap = d.z() >= 0 ? 1 : 0;
  if (cap_touches(d, reach)) {
    // The rim as a polygon with a corner at the point that lies farthest out; flat to rounding, with the body's axes.
    const Vec2 first = radial > kFlat ? Vec2(d.x() / radial, d.y() / radial) : Vec2(1, 0);
    for (int k = 0; k < kCapPoints; ++k) {
      const double angle = (cap ? 2.0 : -2.0) * M_PI * k / kCapPoints;
      const double c = std::cos(angle), s = std::sin(angle);
      out.add(Vec3(radius_ * (c * first.x() - s * first.y()), radius_ * (s * first.x() + c * first.y()), z),
              cap * kCapPoints + k);
    }
    out.id = cap;
    out.normal = Vec3(0, 0, cap ? 1 : -1);
    return;
  }
  if (side_touches(d, reach)) {
    add_side(d, out);
    return;
  }
  out.add(Vec3(radius_ * d.x() / radial, radius_ * d.y() / radial, z), cap * kCapPoints);
  out.id = 3;
}

}   // namespace stickslip::narrow
