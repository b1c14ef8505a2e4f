#include <algorithm>
#include <cmath>
#include <limits>

#include "volume/ray_memory.h"

namespace stickslip {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// Calls visit(triangle, corners in the frame of the grid) for triangles whose boxes meet `box`, in the order of the tree.
template <class Visit>
void visit_triangles(const RaySolid& solid, const Aabb& box, std::vector<std::uint32_t>& stack, const Visit& visit) {
  const MeshSolid& mesh = *std::get<Mesh>(*solid.shape).solid;
  const TriangleTree& tree = mesh.surface().tree();
  const Mat3 size = solid.rotation.cwiseAbs();
  const Vec3 origin = solid.rotation * tree.origin() + solid.pose.position;
  const auto look = [&](std::uint32_t triangle) {
    std::array<Vec3, 3> corners;
    Aabb around;
    for (int k = 0; k < 3; ++k) {
      corners[k] = solid.rotation * mesh.mesh().vertices[mesh.mesh().triangles[triangle][k]] + solid.pose.position;
      around = around.merged({corners[k], corners[k]});
    }
    if (around.overlaps(box)) visit(triangle, corners, around);
  };
  stack.assign(1, 0);
  while (!stack.empty()) {
    const std::uint32_t child = stack.back();
    stack.pop_back();
    if (TriangleTree::is_leaf(child)) {
      for (std::uint32_t i = 0; i < TriangleTree::leaf_count(child); ++i)
        look(tree.order()[TriangleTree::leaf_first(child) + i]);
      continue;
    }
    const TriangleTree::Node& node = tree.nodes()[child];
    for (int k = TriangleTree::kWidth; k-- > 0;) {
      if (node.children[k] == TriangleTree::kNone) continue;
      const Vec3 lower(node.lower[0][k], node.lower[1][k], node.lower[2][k]),
          upper(node.upper[0][k], node.upper[1][k], node.upper[2][k]);
      const Vec3 middle = origin + solid.rotation * (0.5 * (lower + upper)), half = size * (0.5 * (upper - lower));
      if (Aabb{middle - half, middle + half}.overlaps(box)) stack.push_back(node.children[k]);
    }
  }
}

/// Draws one triangle: hits of the rays through it. Which side of an edge a ray is on is found from its ends in the order of
/// their numbers, so that both triangles at an edge agree and every ray goes through exactly one of them.
class TriangleDrawer {
 public:
  TriangleDrawer(const RayGrid& grid, std::vector<RayHit2d>& hits) : grid_(grid), hits_(hits) {}

  void draw(const std::array<std::uint32_t, 3>& names, const std::array<Vec3, 3>& corners, const Aabb& around) {
    const int u = grid_.u(), v = grid_.v();
    const int i0 = cell(around.lower[u] - grid_.lower[u], grid_.step_u, grid_.columns),
              i1 = cell(around.upper[u] - grid_.lower[u], grid_.step_u, grid_.columns);
    const int j0 = cell(around.lower[v] - grid_.lower[v], grid_.step_v, grid_.rows),
              j1 = cell(around.upper[v] - grid_.lower[v], grid_.step_v, grid_.rows);
    for (int j = j0; j <= j1; ++j)
      for (int i = i0; i <= i1; ++i) {
        const Vec2 at = grid_.place(i, j);
        if (at.x() < around.lower[u] || at.x() > around.upper[u] || at.y() < around.lower[v] || at.y() > around.upper[v])
          continue;
        hit(grid_.ray(i, j), at, names, corners);
      }
  }

 private:
  static int cell(double offset, double step, int count) {
    return static_cast<int>(std::clamp(offset / step, 0.0, count - 1.0));
  }

  /// Twice the area between the ray and the edge, positive if the ray is on its left.
  double left_of(const Vec2& at, const std::array<std::uint32_t, 3>& names, const std::array<Vec3, 3>& corners, int k,
                 bool& left) const {
    int low = k, high = (k + 1) % 3;
    const bool turned = names[low] > names[high];
    if (turned) std::swap(low, high);
    const int u = grid_.u(), v = grid_.v();
    const double area = (corners[high][u] - corners[low][u]) * (at.y() - corners[low][v]) -
                        (corners[high][v] - corners[low][v]) * (at.x() - corners[low][u]);
    left = (area >= 0) != turned;
    return std::abs(area);
  }

  void hit(std::uint32_t ray, const Vec2& at, const std::array<std::uint32_t, 3>& names, const std::array<Vec3, 3>& corners) {
    bool left[3];
    double weight[3];
    for (int k = 0; k < 3; ++k) {
      weight[(k + 2) % 3] = left_of(at, names, corners, k, left[k]);
      if (left[k] != left[0]) return;
    }
    const double sum = weight[0] + weight[1] + weight[2];
    if (!(sum > 0)) return;
    double along = 0;
    for (int k = 0; k < 3; ++k) along += weight[k] / sum * corners[k][grid_.axis];
    const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    hits_.push_back({ray, along, left[0], normal / normal.norm()});
  }

  const RayGrid& grid_;
  std::vector<RayHit2d>& hits_;
};

/// Hits of one ray, in order, become stretches. @param from_below whether everything below was seen; else everything above
void join_hits(const RayHit2d* begin, const RayHit2d* end, bool from_below, std::vector<RayStretch>& stretches) {
  const std::size_t before = stretches.size();
  int depth = 0;
  const RayHit2d* start = nullptr;
  for (const RayHit2d* h = begin; h != end; ++h) {
    const bool enters = h->leaves != from_below;
    if (enters && depth++ == 0) start = h;
    if (!enters && --depth == 0) {
      const RayHit2d &low = from_below ? *start : *h, &high = from_below ? *h : *start;
      stretches.push_back({low.at, high.at, low.normal, high.normal});
    }
    if (depth < 0) return stretches.resize(before);   // the surface has a hole here: what this ray sees means nothing
  }
  if (depth > 0) {
    RayStretch open = {-kFar, kFar, Vec3::Zero(), Vec3::Zero()};
    if (from_below) open.from = start->at, open.from_normal = start->normal;
    else open.to = start->at, open.to_normal = start->normal;
    stretches.push_back(open);
  }
  if (!from_below) std::reverse(stretches.begin() + static_cast<std::ptrdiff_t>(before), stretches.end());
}

void stretches_in_mesh(const RaySolid& solid, const RayGrid& grid, const Aabb& reach, RayMemory& memory,
                       std::vector<RayStretch>& stretches, std::vector<std::uint32_t>& first) {
  Aabb column = reach;
  // Where a ray starts is known to be outside beyond the mesh; the nearer of its two sides has less to look through.
  const bool from_below =
      reach.lower[grid.axis] - solid.box.lower[grid.axis] <= solid.box.upper[grid.axis] - reach.upper[grid.axis];
  (from_below ? column.lower : column.upper)[grid.axis] = from_below ? -kFar : kFar;
  memory.hits.clear();
  TriangleDrawer drawer(grid, memory.hits);
  const auto& triangles = std::get<Mesh>(*solid.shape).solid->mesh().triangles;
  visit_triangles(solid, column, memory.stack, [&](std::uint32_t t, const auto& corners, const Aabb& around) {
    drawer.draw(triangles[t], corners, around);
  });
  const double up = from_below ? 1 : -1;
  std::sort(memory.hits.begin(), memory.hits.end(), [&](const RayHit2d& a, const RayHit2d& b) {
    if (a.ray != b.ray) return a.ray < b.ray;
    if (a.at != b.at) return up * a.at < up * b.at;
    return (a.leaves != from_below) > (b.leaves != from_below);   // enters first
  });
  std::size_t at = 0;
  for (std::uint32_t ray = 0; ray < grid.rays(); ++ray) {
    first.push_back(static_cast<std::uint32_t>(stretches.size()));
    const std::size_t begin = at;
    while (at < memory.hits.size() && memory.hits[at].ray == ray) ++at;
    join_hits(memory.hits.data() + begin, memory.hits.data() + at, from_below, stretches);
  }
}

/// The line x + t d in a convex shape, both in its frame.
struct LineClip {
  double from = -kFar, to = kFar;
  Vec3 from_normal = Vec3::Zero(), to_normal = Vec3::Zero();

  bool empty() const { return !(from < to); }
  void by_plane(const Vec3& normal, double offset, const Vec3& x, const Vec3& d) {
    const double speed = normal.dot(d), room = offset - normal.dot(x);
    if (speed == 0) {
      if (room < 0) to = -kFar, from = kFar;
    } else if (speed > 0) {
      if (room / speed < to) to = room / speed, to_normal = normal;
    } else if (room / speed > from) {
      from = room / speed, from_normal = normal;
    }
  }
  /// By the places within `radius` of a centre, as seen across `across` (a projection).
  void by_round(const Vec3& x, const Vec3& d, const Vec3& across, double radius) {
    const Vec3 p = x.cwiseProduct(across), e = d.cwiseProduct(across);
    const double a = e.squaredNorm(), b = p.dot(e), c = p.squaredNorm() - radius * radius;
    if (a < 1e-24 * d.squaredNorm()) {
      if (c > 0) to = -kFar, from = kFar;
      return;
    }
    const double discriminant = b * b - a * c;
    if (!(discriminant > 0)) {
      to = -kFar, from = kFar;
      return;
    }
    const double root = std::sqrt(discriminant), enter = (-b - root) / a, leave = (-b + root) / a;
    if (enter > from) from = enter, from_normal = (p + enter * e) / radius;
    if (leave < to) to = leave, to_normal = (p + leave * e) / radius;
  }
  void join(const LineClip& o) {
    if (o.empty()) return;
    if (empty()) *this = o;
    if (o.from < from) from = o.from, from_normal = o.from_normal;
    if (o.to > to) to = o.to, to_normal = o.to_normal;
  }
};

const Vec3 kAround = Vec3::Ones(), kAcrossZ = Vec3(1, 1, 0);

LineClip line_in(const Sphere& s, const Vec3& x, const Vec3& d) {
  LineClip clip;
  clip.by_round(x, d, kAround, s.radius);
  return clip;
}
LineClip line_in(const Box& b, const Vec3& x, const Vec3& d) {
  LineClip clip;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) clip.by_plane(sign * Vec3::Unit(axis), b.half_extents[axis], x, d);
  return clip;
}
LineClip line_in(const Cylinder& c, const Vec3& x, const Vec3& d) {
  LineClip clip;
  for (const double sign : {-1.0, 1.0}) clip.by_plane(sign * Vec3::UnitZ(), c.half_height, x, d);
  clip.by_round(x, d, kAcrossZ, c.radius);
  return clip;
}
LineClip line_in(const Capsule& c, const Vec3& x, const Vec3& d) {
  LineClip clip;
  clip.from = kFar, clip.to = -kFar;
  if (c.half_height > 0) clip.join(line_in(Cylinder{c.radius, c.half_height}, x, d));
  for (const double sign : {-1.0, 1.0}) clip.join(line_in(Sphere{c.radius}, Vec3(x - sign * c.half_height * Vec3::UnitZ()), d));
  return clip;
}
LineClip line_in(const HalfSpace&, const Vec3& x, const Vec3& d) {
  LineClip clip;
  clip.by_plane(Vec3::UnitZ(), 0, x, d);
  return clip;
}
LineClip line_in(const ConvexHull& h, const Vec3& x, const Vec3& d) {
  LineClip clip;
  for (const Polytope::Face& f : h.polytope->faces) {
    clip.by_plane(f.normal, f.offset, x, d);
    if (clip.empty()) break;
  }
  return clip;
}
LineClip line_in(const Mesh&, const Vec3&, const Vec3&) { return {}; }

}   // namespace

void prepare_shifts(RayMemory& memory, int count) {
  if (memory.shifts_of >= count) return;
  memory.shifts_of = count;
  memory.shifts.clear();
  // Two irrational numbers whose multiples spread evenly over a square.
  constexpr double p = 0.7548776662466927, q = 0.5698402909980532;
  const auto shift = [](double a) { return 0.25 + 0.5 * (a - std::floor(a)); };
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < count; ++i) memory.shifts.push_back({shift(p * i + q * j), shift(q * i - p * j)});
}

void stretches_inside(const RaySolid& solid, const RayGrid& grid, const Aabb& reach, RayMemory& memory,
                      std::vector<RayStretch>& stretches, std::vector<std::uint32_t>& first) {
  stretches.clear(), first.clear();
  if (std::holds_alternative<Mesh>(*solid.shape)) {
    stretches_in_mesh(solid, grid, reach, memory, stretches, first);
  } else {
    const Vec3 direction = solid.rotation.row(grid.axis).transpose();
    for (std::uint32_t ray = 0; ray < grid.rays(); ++ray) {
      first.push_back(static_cast<std::uint32_t>(stretches.size()));
      const Vec2 at = grid.place(ray);
      Vec3 x = Vec3::Zero();
      x[grid.u()] = at.x(), x[grid.v()] = at.y();
      const Vec3 local = solid.rotation.transpose() * (x - solid.pose.position);
      const LineClip clip = std::visit([&](const auto& s) { return line_in(s, local, direction); }, *solid.shape);
      if (!clip.empty())
        stretches.push_back({clip.from, clip.to, solid.rotation * clip.from_normal, solid.rotation * clip.to_normal});
    }
  }
  first.push_back(static_cast<std::uint32_t>(stretches.size()));
}

namespace {

/// Box around the part of a triangle in a box.
Aabb part_within(const std::array<Vec3, 3>& corners, const Aabb& box) {
  std::array<Vec3, 12> polygon, next;
  int count = 3;
  std::copy(corners.begin(), corners.end(), polygon.begin());
  for (int side = 0; side < 6 && count > 0; ++side) {
    const int axis = side / 2;
    const double sign = side % 2 == 0 ? -1 : 1, limit = sign < 0 ? -box.lower[axis] : box.upper[axis];
    if (!std::isfinite(limit)) continue;
    int kept = 0;
    for (int k = 0; k < count; ++k) {
      const Vec3 &from = polygon[k], &to = polygon[(k + 1) % count];
      const double a = sign * from[axis] - limit, b = sign * to[axis] - limit;
      if (a <= 0) next[kept++] = from;
      if ((a <= 0) != (b <= 0)) next[kept++] = from + a / (a - b) * (to - from);
    }
    std::swap(polygon, next), count = kept;
  }
  Aabb around;
  for (int k = 0; k < count; ++k) around = around.merged({polygon[k], polygon[k]});
  return around;
}

}   // namespace

Aabb surface_within(const RaySolid& solid, const Aabb& box, RayMemory& memory) {
  Aabb found;
  visit_triangles(solid, box, memory.stack, [&](std::uint32_t, const auto& corners, const Aabb& around) {
    if (!found.contains(around)) found = found.merged(box.contains(around) ? around : part_within(corners, box));
  });
  return found;
}

}   // namespace stickslip
