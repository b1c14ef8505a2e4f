#include <cmath>
#include <numbers>

#include "mesh/make/outlines.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kMostTurns = 1000;

/// The profile of a thread along z, repeated every pitch: a crest about 0, flanks, a root. Four corners, numbered upwards.
struct ThreadProfile {
  double pitch;
  std::array<double, 4> z, r;   ///< of the corners of turn 0

  double corner_z(int id) const { return pitch * std::floor(id / 4.0) + z[static_cast<std::size_t>((id % 4 + 4) % 4)]; }
  double corner_r(int id) const { return r[static_cast<std::size_t>((id % 4 + 4) % 4)]; }

  double radius(double at) const {
    int id = 4 * static_cast<int>(std::floor((at - z[0]) / pitch));
    while (corner_z(id + 1) < at) ++id;
    const double low = corner_z(id), share = std::clamp((at - low) / (corner_z(id + 1) - low), 0.0, 1.0);
    return (1 - share) * corner_r(id) + share * corner_r(id + 1);
  }
};

/// @param grown by which the profile is moved outwards, across its surface
ThreadProfile profile_of(const Thread& t, double grown) {
  const double slope = t.flank_degrees * std::numbers::pi / 180, rise = t.depth * std::tan(slope);
  const double wider = grown * (1 / std::cos(slope) - std::tan(slope)), half = 0.25 * (t.pitch - 2 * rise);
  const double crest = half + wider, foot = half + rise + wider, high = t.radius + grown, low = t.radius - t.depth + grown;
  return {t.pitch, {-crest, crest, foot, t.pitch - foot}, {high, high, low, low}};
}

/// @param length of the thread along z, checked
void check_thread(const Thread& t, double length) {
  require_length(t.radius, "radius");
  require_length(t.pitch, "pitch");
  require_length(t.depth, "depth");
  require_length(t.clearance, "clearance");
  require_range(t.flank_degrees, 5, 60, "flank_degrees");
  require_range(t.segments, 8, 10000, "segments");
  if (!(t.depth < t.radius)) throw Error(fmt::format("{} m is as deep as the bolt is thick.", t.depth)).at("depth");
  const ThreadProfile nut = profile_of(t, t.clearance);
  if (!(nut.z[1] - nut.z[0] > 0.02 * t.pitch && nut.z[3] - nut.z[2] > 0.02 * t.pitch && profile_of(t, 0).z[1] > 0.01 * t.pitch))
    throw Error(fmt::format("Flanks {} m deep at {}° leave no crest on a pitch of {} m with a clearance of {} m. Give a larger "
                            "pitch, or less of the others.",
                            t.depth, t.flank_degrees, t.pitch, t.clearance))
        .at("pitch");
  if (!(length <= kMostTurns * t.pitch))
    throw Error(fmt::format("{} m make more than {:.0f} turns of {} m. Give a larger pitch.", length, kMostTurns, t.pitch))
        .at("pitch");
}

/// A threaded surface around z between two heights, with the rings of vertices at its ends.
class ThreadSurface {
 public:
  ThreadSurface(TriangleMesh& mesh, const ThreadProfile& profile, int segments, double low, double high, bool inward)
      : mesh_(mesh), profile_(profile), segments_(segments), low_(low), high_(high), inward_(inward) {
    for (int i = 0; i < segments; ++i) add_column(i);
    for (int i = 0; i < segments; ++i) zip(i);
  }

  /// Counter-clockwise seen from +z.
  std::vector<std::uint32_t> lower_ring() const { return ring(true); }
  std::vector<std::uint32_t> upper_ring() const { return ring(false); }

 private:
  /// Vertices upwards: the lower end, the corners of the profile, the upper end.
  struct Column {
    std::size_t first = 0;
    int first_corner = 0, corners = 0;
    std::size_t top() const { return first + static_cast<std::size_t>(corners) + 1; }
  };

  void add_column(int i) {
    const double shift = profile_.pitch * i / segments_, near = 0.25 * profile_.pitch / segments_;
    const Vec2 direction(std::cos(2 * std::numbers::pi * i / segments_), std::sin(2 * std::numbers::pi * i / segments_));
    const auto add = [&](double r, double z) { mesh_.vertices.push_back({r * direction.x(), r * direction.y(), z}); };
    Column column;
    column.first = mesh_.vertices.size();
    int id = 4 * static_cast<int>(std::floor((low_ - shift) / profile_.pitch)) - 4;
    while (profile_.corner_z(id) + shift < low_ + near) ++id;   // corners that nearly touch an end would make slivers
    column.first_corner = id;
    add(profile_.radius(low_ - shift), low_);
    for (; profile_.corner_z(id) + shift < high_ - near; ++id, ++column.corners)
      add(profile_.corner_r(id), profile_.corner_z(id) + shift);
    add(profile_.radius(high_ - shift), high_);
    columns_.push_back(column);
  }

  /// Triangles between a column and the next: corners of one number are joined, others make a triangle each.
  void zip(int i) {
    const Column &a = columns_[static_cast<std::size_t>(i)], &b = columns_[static_cast<std::size_t>((i + 1) % segments_)];
    const int b_first = b.first_corner - (i + 1 == segments_ ? 4 : 0);   // once around is one turn up
    int m = 0, n = 0;                                                    // vertices that are done above the lower end
    const auto next_id = [](int first, int corners, int done) {
      return done < corners    ? first + done
             : done == corners ? std::numeric_limits<int>::max() - 1
                               : std::numeric_limits<int>::max();
    };
    while (m <= a.corners || n <= b.corners) {
      const int of_a = next_id(a.first_corner, a.corners, m), of_b = next_id(b_first, b.corners, n);
      const std::size_t at_a = a.first + static_cast<std::size_t>(m), at_b = b.first + static_cast<std::size_t>(n);
      if (of_b <= of_a) triangle(at_a, at_b, at_b + 1), ++n;
      if (of_a <= of_b) triangle(at_a, b.first + static_cast<std::size_t>(n), at_a + 1), ++m;
    }
  }

  void triangle(std::size_t a, std::size_t b, std::size_t c) {
    if (inward_) std::swap(b, c);
    add_triangle(mesh_, a, b, c);
  }

  std::vector<std::uint32_t> ring(bool lower) const {
    std::vector<std::uint32_t> vertices;
    for (const Column& c : columns_) vertices.push_back(static_cast<std::uint32_t>(lower ? c.first : c.top()));
    return vertices;
  }

  TriangleMesh& mesh_;
  const ThreadProfile& profile_;
  int segments_;
  double low_, high_;
  bool inward_;
  std::vector<Column> columns_;
};

/// Corners of a hexagon at a height.
std::vector<std::uint32_t> add_hexagon(TriangleMesh& mesh, double radius, double z) {
  std::vector<std::uint32_t> vertices;
  for (const Vec2& p : circle(radius, 6)) {
    vertices.push_back(static_cast<std::uint32_t>(mesh.vertices.size()));
    mesh.vertices.push_back({p.x(), p.y(), z});
  }
  return vertices;
}

void add_sides(TriangleMesh& mesh, const std::vector<std::uint32_t>& lower, const std::vector<std::uint32_t>& upper) {
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const std::size_t next = (i + 1) % lower.size();
    add_quadrilateral(mesh, lower[i], lower[next], upper[next], upper[i]);
  }
}

std::vector<std::uint32_t> reversed(std::vector<std::uint32_t> loop) {
  std::reverse(loop.begin(), loop.end());
  return loop;
}

/// A hexagon must leave some wall around what is inside it. @param name of the radius
void check_wall(double hexagon, double inside, const char* name) {
  require_length(hexagon, name);
  if (!(hexagon * std::cos(std::numbers::pi / 6) > 1.01 * inside))
    throw Error(fmt::format("A hexagon with corners at {} m does not enclose a thread of {} m. Give more than {:.4g} m.",
                            hexagon, inside, 1.01 * inside / std::cos(std::numbers::pi / 6)))
        .at(name);
}

}   // namespace

TriangleMesh triangle_mesh(const Bolt& bolt) {
  require_length(bolt.length, "length");
  check_thread(bolt.thread, bolt.length);
  require_length(bolt.head_height, "head_height");
  check_wall(bolt.head_radius, bolt.thread.radius, "head_radius");
  TriangleMesh mesh;
  const ThreadProfile profile = profile_of(bolt.thread, 0);
  const ThreadSurface thread(mesh, profile, bolt.thread.segments, 0, bolt.length, false);
  const auto under = add_hexagon(mesh, bolt.head_radius, -bolt.head_height), head = add_hexagon(mesh, bolt.head_radius, 0);
  add_flat_face(mesh, {under}, false);
  add_sides(mesh, under, head);
  add_flat_face(mesh, {head, reversed(thread.lower_ring())}, true);
  mesh.vertices.push_back({0, 0, bolt.length});
  const auto tip = thread.upper_ring();
  for (std::size_t i = 0; i < tip.size(); ++i) add_triangle(mesh, tip[i], tip[(i + 1) % tip.size()], mesh.vertices.size() - 1);
  return mesh;
}

TriangleMesh triangle_mesh(const Nut& nut) {
  require_length(nut.half_height, "half_height");
  check_thread(nut.thread, 2 * nut.half_height);
  ThreadProfile profile = profile_of(nut.thread, nut.thread.clearance);
  // Sides of the hole, not corners, keep the clearance: a bolt turned by half a segment meets the sides with its corners.
  for (double& r : profile.r) r /= std::cos(std::numbers::pi / nut.thread.segments);
  check_wall(nut.outer_radius, profile.r[0], "outer_radius");
  TriangleMesh mesh;
  const ThreadSurface hole(mesh, profile, nut.thread.segments, -nut.half_height, nut.half_height, true);
  const auto lower = add_hexagon(mesh, nut.outer_radius, -nut.half_height),
             upper = add_hexagon(mesh, nut.outer_radius, nut.half_height);
  add_sides(mesh, lower, upper);
  add_flat_face(mesh, {lower, reversed(hole.lower_ring())}, false);
  add_flat_face(mesh, {upper, reversed(hole.upper_ring())}, true);
  return mesh;
}

}   // namespace stickslip
