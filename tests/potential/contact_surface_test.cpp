#include <gtest/gtest.h>

#include <random>

#include "stickslip/distance/intersection.h"
#include "stickslip/distance/mollifier.h"
#include "stickslip/distance/triangles.h"
#include "stickslip/potential/contact_surface.h"

namespace stickslip {
namespace {

/// A floor of n × n squares, each cut in two, from −1 to 1.
TriangleMesh floor_mesh(int n) {
  TriangleMesh mesh;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) mesh.vertices.emplace_back(-1 + 2.0 * i / n, -1 + 2.0 * j / n, 0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const auto a = static_cast<std::uint32_t>(j * (n + 1) + i), b = a + 1, c = a + n + 2, d = a + n + 1;
      if ((i + j) % 2 == 0) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
  return mesh;
}

ContactSurface::Patch patch(double range, std::uint32_t body, double radius = 0) {
  ContactSurface::Patch p;
  p.range = range;
  p.load = p.acceleration = 1;
  p.body = body;
  p.radius = radius;
  return p;
}

const ContactCandidates::Filter kAll = [](std::uint32_t, std::uint32_t) { return true; };

double whole_energy(const ContactSurface& s, std::span<const Vec3> x, BarrierForm form) {
  ContactCandidates candidates;
  candidates.find(s, x, x, {}, kAll);
  candidates.sort_pairs();
  NearPairs near;
  collect(s, candidates, x, form, 1, near);
  double sum = 0;
  for (const ContactPair& p : near.pairs) sum += energy_of(p, x);
  return sum;
}

TEST(ContactSurface, a_point_over_a_flat_floor_feels_no_seams) {
  ContactSurface s;
  const TriangleMesh mesh = floor_mesh(6);
  s.add(patch(0.1, 0), mesh);
  s.add(patch(0.1, 1, 0.05), {{Vec3::Zero()}, {}});
  std::vector<Vec3> x = mesh.vertices;
  x.push_back({});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> spread(-0.6, 0.6);
  x.back() = {0.01, 0.02, 0.09};
  const double there = whole_energy(s, x, BarrierForm::area);
  EXPECT_GT(there, 0);
  double plain_least = 1e300, plain_most = 0;
  for (int k = 0; k < 300; ++k) {
    // Over faces, edges and corners alike.
    x.back() = {k % 3 == 0 ? std::round(3 * spread(random)) / 3 : spread(random), k % 5 == 0 ? 0.0 : spread(random), 0.09};
    EXPECT_NEAR(whole_energy(s, x, BarrierForm::area), there, 1e-12 * there) << x.back().transpose();
    const double plain = whole_energy(s, x, BarrierForm::plain);
    plain_least = std::min(plain_least, plain);
    plain_most = std::max(plain_most, plain);
  }
  EXPECT_GT(plain_most, 1.5 * plain_least);   // what counting once is for
}

/// Of all pairs of points and triangles and of edges, each by itself.
double energy_of_all_pairs(const ContactSurface& s, std::span<const Vec3> x) {
  double sum = 0;
  const auto barrier = [&](std::uint32_t p, std::uint32_t q, double area, double squared) {
    const std::uint32_t a = s.patch_number(p), b = s.patch_number(q);
    const double range = s.range_of(a, b);
    return a == b ? 0 : s.pressure_of(a, b) * area * range * log_barrier(std::sqrt(squared), range).value;
  };
  for (std::uint32_t p = 0; p < s.points(); ++p)
    for (const ContactSurface::Triangle& t : s.triangles()) {
      const auto& c = t.points;
      sum += barrier(p, c[0], s.area_of(p), closest_on_triangle(x[p], x[c[0]], x[c[1]], x[c[2]]).squared_distance);
    }
  for (std::size_t i = 0; i < s.edges().size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const ContactSurface::Edge &a = s.edges()[i], &b = s.edges()[j];
      if (!a.active || !b.active) continue;
      const Vec3 &a0 = x[a.points[0]], &a1 = x[a.points[1]], &b0 = x[b.points[0]], &b1 = x[b.points[1]];
      sum += edge_mollifier(a0, a1, b0, b1, 1e-3 * a.squared_length * b.squared_length) *
             barrier(a.points[0], b.points[0], 0.5 * (a.area + b.area), closest_of_edges(a0, a1, b0, b1).squared_distance);
    }
  return sum;
}

struct TwoMeshes {
  ContactSurface surface;
  std::vector<Vec3> x;
  TriangleMesh a, b;
};

/// Two tetrahedra of any form, somewhere near each other.
TwoMeshes random_pair(std::mt19937& random, double range) {
  std::uniform_real_distribution<double> spread(-1, 1);
  const auto tetrahedron = [&](const Vec3& at) {
    TriangleMesh m;
    for (int k = 0; k < 4; ++k) m.vertices.push_back(at + Vec3(spread(random), spread(random), spread(random)));
    m.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    if (volume(m) < 0) std::swap(m.vertices[0], m.vertices[1]);
    return m;
  };
  TwoMeshes out;
  out.a = tetrahedron(Vec3::Zero());
  out.b = tetrahedron(Vec3(spread(random), spread(random), spread(random)));
  out.surface.add(patch(range, 0), out.a);
  out.surface.add(patch(range, 1), out.b);
  out.x = out.a.vertices;
  out.x.insert(out.x.end(), out.b.vertices.begin(), out.b.vertices.end());
  return out;
}

double distance_by_force(const TriangleMesh& a, const TriangleMesh& b) {
  double least = std::numeric_limits<double>::infinity();
  const auto corners = [](const TriangleMesh& m, const auto& t) {
    return std::array<Vec3, 3>{m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]]};
  };
  for (const auto& s : a.triangles)
    for (const auto& t : b.triangles)
      least = std::min(least, closest_of_triangles(corners(a, s), corners(b, t)).squared_distance);
  return std::sqrt(least);
}

TEST(ContactSurface, gaps_and_intersections_agree_with_all_pairs_of_triangles) {
  std::mt19937 random(3);
  int apart = 0, met = 0;
  for (int k = 0; k < 3000; ++k) {
    const TwoMeshes t = random_pair(random, 10);
    const double distance = distance_by_force(t.a, t.b);
    const bool meet = !find_intersections(t.surface, t.x, kAll).empty();
    EXPECT_EQ(meet, distance == 0) << k;
    if (meet) {
      ++met;
      continue;
    }
    ++apart;
    ContactCandidates candidates;
    candidates.find(t.surface, t.x, t.x, {}, kAll);
    EXPECT_NEAR(smallest_gap(t.surface, candidates, t.x), distance, 1e-12) << k;
  }
  EXPECT_GT(apart, 500);
  EXPECT_GT(met, 500);
}

/// Along the free part of random ways nothing meets: looked at in many places, for straight and for turning ways.
TEST(ContactSurface, plain_energies_are_those_of_all_pairs) {
  std::mt19937 random(9);
  int near = 0;
  for (int k = 0; k < 300; ++k) {
    const TwoMeshes m = random_pair(random, 0.5);
    const double whole = energy_of_all_pairs(m.surface, m.x);
    near += whole > 0;
    EXPECT_NEAR(whole_energy(m.surface, m.x, BarrierForm::plain), whole, 1e-9 * whole) << k;
  }
  EXPECT_GT(near, 50);
}

/// Tetrahedra, a floor that deforms, balls and capsules, in a heap.
struct MixedHeap {
  ContactSurface surface;
  std::vector<Vec3> x, to;
};
MixedHeap mixed_heap(std::mt19937& random) {
  std::uniform_real_distribution<double> spread(-1, 1);
  const auto anywhere = [&](double size) { return Vec3(size * Vec3(spread(random), spread(random), spread(random))); };
  MixedHeap heap;
  const auto add = [&](ContactSurface::Patch patch, const TriangleMesh& rest) {
    heap.surface.add(patch, rest);
    const Vec3 at = anywhere(0.8), way = anywhere(0.3);
    for (const Vec3& v : rest.vertices) {
      heap.x.push_back(at + v + (patch.deforms ? anywhere(0.2) : Vec3(Vec3::Zero())));
      heap.to.push_back(heap.x.back() + way);
    }
  };
  for (std::uint32_t k = 0; k < 12; ++k) {
    const TriangleMesh tetrahedron{{anywhere(0.3), anywhere(0.3), anywhere(0.3), anywhere(0.3)},
                                   {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
    ContactSurface::Patch p = patch(0.02, k, k % 4 < 2 ? 0 : 0.1);
    if (k % 4 == 0) {
      p.deforms = true;
      add(p, floor_mesh(4));
    } else {
      add(p, k % 4 == 1 ? tetrahedron
                        : TriangleMesh{{tetrahedron.vertices.begin(), tetrahedron.vertices.begin() + k % 2 + 1}, {}});
    }
  }
  heap.surface.add(patch(0, 99), Vec3::UnitZ(), -0.5);
  return heap;
}

/// Candidates by force: every pair of features of patches that may touch whose boxes do.
struct ByForce {
  const MixedHeap& heap;
  std::vector<Aabb> boxes = std::vector<Aabb>(heap.x.size()), first = {};   ///< the second: before the last change

  /// Whether points go nowhere where they were not looked for.
  bool stays(const ContactSurface::Patch& patch, std::span<const Vec3> to) const {
    for (std::uint32_t p = patch.first_point; p < patch.first_point + patch.points; ++p) {
      const Aabb known = first[p].grown(-patch.range - patch.radius), way{heap.x[p].cwiseMin(to[p]), heap.x[p].cwiseMax(to[p])};
      if ((way.lower.array() < known.lower.array()).any() || (way.upper.array() > known.upper.array()).any()) return false;
    }
    return true;
  }
  /// Where points of some patches may go.
  void set(std::span<const Vec3> to, bool again, double beyond, int every) {
    first = boxes;
    for (std::uint32_t p = 0; p < heap.x.size(); ++p) {   // all points of a patch go the same way
      const ContactSurface::Patch& patch = heap.surface.patch_of(p);
      if (heap.surface.patch_number(p) % every != 0 || (again && stays(patch, to))) continue;
      const double length = (to[p] - heap.x[p]).norm();
      const double ahead = length > 0 ? std::clamp(0.3 * patch.mean_edge / length, 1.0, 8.0) : 8;
      const Vec3 end = again ? to[p] : Vec3(to[p] + ahead * (to[p] - heap.x[p]));
      const Aabb way{heap.x[p].cwiseMin(end), heap.x[p].cwiseMax(end)};
      boxes[p] = way.grown(2 * beyond * length + 0.5 * (ahead - 1) * length + 2 * patch.range + patch.radius);
    }
  }
  bool near(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const {
    const std::uint32_t pa = heap.surface.patch_number(a[0]), pb = heap.surface.patch_number(b[0]);
    if (pa == pb && !heap.surface.patches()[pa].deforms) return false;
    Aabb box_a, box_b;
    for (const std::uint32_t p : a) box_a = box_a.merged(boxes[p]);
    for (const std::uint32_t p : b) box_b = box_b.merged(boxes[p]);
    for (const std::uint32_t p : a)
      if (std::ranges::find(b, p) != b.end()) return false;
    return box_a.overlaps(box_b);
  }
};

ContactCandidates candidates_by_force(const ByForce& force) {
  const ContactSurface& s = force.heap.surface;
  ContactCandidates out;
  const auto is_ball = [&](std::uint32_t p) { return s.patch_of(p).corners == 1; };
  const auto is_capsule = [&](std::uint32_t e) { return s.patch_of(s.edges()[e].points[0]).corners == 2; };
  for (std::uint32_t p = 0; p < s.points(); ++p) {
    for (std::uint32_t t = 0; t < s.triangles().size(); ++t)
      if (force.near({&p, 1}, s.triangles()[t].points)) out.point_triangle.push_back({p, t});
    for (std::uint32_t e = 0; e < s.edges().size(); ++e)
      if (is_ball(p) && is_capsule(e) && force.near({&p, 1}, s.edges()[e].points)) out.point_edge.push_back({p, e});
    for (std::uint32_t q = p + 1; q < s.points(); ++q)
      if (is_ball(p) && is_ball(q) && force.near({&p, 1}, {&q, 1})) out.point_point.push_back({p, q});
    if (force.boxes[p].lower.z() < -0.5) out.point_plane.push_back({p, 0});
  }
  for (std::uint32_t a = 0; a < s.edges().size(); ++a)
    for (std::uint32_t b = a + 1; b < s.edges().size(); ++b)
      if (s.edges()[a].active && s.edges()[b].active && force.near(s.edges()[a].points, s.edges()[b].points))
        out.edge_edge.push_back({a, b});
  return out;
}

/// At once, and where some go farther afterwards.
TEST(ContactSurface, candidates_are_all_pairs_whose_boxes_touch) {
  std::mt19937 random(12);
  std::array<std::size_t, 5> found{};
  for (int k = 0; k < 10; ++k) {
    const MixedHeap heap = mixed_heap(random);
    std::vector<Vec3> farther = heap.to;
    for (std::uint32_t p = 0; p < farther.size(); ++p)
      if (heap.surface.patch_number(p) % 3 == 0) farther[p] += 2 * (heap.to[p] - heap.x[p]);
    ByForce force{heap};
    ContactCandidates candidates;
    for (const bool again : {false, true}) {
      EXPECT_TRUE(candidates.find(heap.surface, heap.x, again ? farther : heap.to, {}, kAll));
      force.set(again ? farther : heap.to, again, again ? 0.25 : 0.1, again ? 3 : 1);
      const ContactCandidates expected = candidates_by_force(force);
      std::size_t at = 0;
      for (const auto list : {&ContactCandidates::point_triangle, &ContactCandidates::edge_edge, &ContactCandidates::point_edge,
                              &ContactCandidates::point_point, &ContactCandidates::point_plane}) {
        ContactCandidates::Pairs pairs = candidates.*list;
        std::ranges::sort(pairs);
        EXPECT_EQ(pairs, expected.*list) << k << ' ' << at << ' ' << again;
        found[at++] += (candidates.*list).size();
      }
    }
    EXPECT_FALSE(candidates.find(heap.surface, heap.x, farther, {}, kAll));
    candidates.begin_step();
    EXPECT_FALSE(candidates.find(heap.surface, heap.to, farther, {}, kAll));
  }
  for (const std::size_t count : found) EXPECT_GT(count, 5u);
}

/// After other ways were looked for than the one that is asked about, and in another order.
TEST(ContactSurface, what_is_near_does_not_depend_on_what_was_looked_for_before) {
  std::mt19937 random(13);
  std::size_t found = 0;
  for (int k = 0; k < 10; ++k) {
    const MixedHeap heap = mixed_heap(random);
    std::vector<Vec3> farther = heap.to;
    for (std::uint32_t p = 0; p < farther.size(); ++p)
      if (heap.surface.patch_number(p) % 2 == 0) farther[p] += 2 * (heap.to[p] - heap.x[p]);
    ContactCandidates fresh, old, near_fresh, near_old;
    fresh.find_at(heap.surface, heap.x, heap.to, kAll);
    old.find(heap.surface, farther, heap.to, {}, kAll);
    old.find(heap.surface, heap.x, farther, {}, kAll);
    EXPECT_FALSE(old.find_at(heap.surface, heap.x, heap.to, kAll));
    find_near(heap.surface, fresh, heap.x, near_fresh);
    find_near(heap.surface, old, heap.x, near_old);
    for (const auto list : {&ContactCandidates::point_triangle, &ContactCandidates::edge_edge, &ContactCandidates::point_edge,
                            &ContactCandidates::point_point, &ContactCandidates::point_plane}) {
      EXPECT_EQ(near_old.*list, near_fresh.*list) << k;
      found += (near_old.*list).size();
    }
  }
  EXPECT_GT(found, 100u);
}

TEST(ContactSurface, nothing_meets_on_the_free_part_of_a_way) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> spread(-1, 1);
  int cut = 0, whole = 0;
  for (int k = 0; k < 3000; ++k) {
    const TwoMeshes t = random_pair(random, 0.01);
    if (distance_by_force(t.a, t.b) == 0) continue;
    const bool turns = k % 2 == 0;
    const Vec3 way = 3 * Vec3(spread(random), spread(random), spread(random)),
               axis(spread(random), spread(random), spread(random));
    const auto place = [&](std::uint32_t p, double time) -> Vec3 {
      if (p >= 4) return t.x[p];
      if (!turns) return t.x[p] + time * (way + 0.3 * p * axis);   // deforms
      return rotation_from_vector(time * 2 * axis) * t.x[p] + time * 0.3 * way;
    };
    std::vector<Vec3> ends;
    std::vector<double> bends;
    for (std::uint32_t p = 0; p < 8; ++p) {
      ends.push_back(place(p, 1));
      bends.push_back(turns && p < 4 ? 4 * axis.squaredNorm() * t.x[p].norm() : 0);
    }
    ContactCandidates candidates;
    candidates.find(t.surface, t.x, ends, bends, kAll);
    const std::vector<std::uint32_t> groups{
        0, 0, 0, 0, ContactSurface::kNone, ContactSurface::kNone, ContactSurface::kNone, ContactSurface::kNone};
    std::vector<double> parts{1};
    std::vector<std::uint32_t> pieces(1);
    ContactCandidates near;
    EXPECT_EQ(find_free_parts(t.surface, candidates, {t.x, ends, bends, place}, groups, {}, parts, pieces, near), 1u);
    (parts[0] < 1 ? cut : whole)++;
    for (int i = 1; i <= 60; ++i) {
      std::vector<Vec3> x;
      for (std::uint32_t p = 0; p < 8; ++p) x.push_back(place(p, parts[0] * i / 60));
      ASSERT_TRUE(find_intersections(t.surface, x, kAll).empty()) << k << " at " << i;
    }
  }
  EXPECT_GT(cut, 50);
  EXPECT_GT(whole, 20);
}

/// A pendulum that ends higher than it starts, and dips below a floor in between.
TEST(ContactSurface, arcs_that_dip_below_their_chords_are_seen) {
  ContactSurface s;
  s.add(patch(0.001, 0), {{{-3, -3, 0}, {3, -3, 0}, {0, 3, 0}}, {{0, 1, 2}}});
  s.add(patch(0.001, 1, 0.01), {{Vec3::Zero()}, {}});
  const double from = -0.5, to = 0.7;
  const auto swing = [&](double time) {
    const double angle = from + time * (to - from);
    return Vec3(std::sin(angle), -1, 0.95 - std::cos(angle));   // lowest at −0.05
  };
  std::vector<Vec3> x{{-3, -3, 0}, {3, -3, 0}, {0, 3, 0}, swing(0)}, ends = x;
  ends[3] = swing(1);
  ASSERT_GT(ends[3].z(), x[3].z());
  const std::vector<double> bends{0, 0, 0, (to - from) * (to - from)};
  ContactCandidates candidates, near;
  candidates.find(s, x, ends, bends, kAll);
  const std::vector<std::uint32_t> groups{ContactSurface::kNone, ContactSurface::kNone, ContactSurface::kNone, 0};
  std::vector<double> parts{1};
  std::vector<std::uint32_t> pieces(1);
  find_free_parts(s, candidates, {x, ends, bends, [&](std::uint32_t, double time) { return swing(time); }}, groups, {}, parts,
                  pieces, near);
  const double low = 0.01 + 0.3 * 0.001;   // of the ball of 1 cm, well within its range
  const double whole = (std::acos(0.95 - low) + from) / (from - to);
  EXPECT_LE(parts[0], whole);
  EXPECT_GT(parts[0], 0.8 * whole);
}

TEST(ContactSurface, groups_that_stay_apart_go_their_own_ways) {
  ContactSurface s;
  std::vector<Vec3> x, ends;
  for (int k = 0; k < 3; ++k) {
    s.add(patch(0.01, static_cast<std::uint32_t>(k), 0.1), {{Vec3::Zero()}, {}});
    x.emplace_back(k, 0, 1);
    ends.emplace_back(k, 0, k == 1 ? -3 : 0.9);
  }
  s.add(patch(0, 9), Vec3::UnitZ(), 0);
  ContactCandidates candidates;
  candidates.find(s, x, ends, {}, kAll);
  const std::vector<std::uint32_t> groups{0, 1, 2};
  std::vector<double> parts{1, 1, 1};
  std::vector<std::uint32_t> pieces(3);
  ContactCandidates near;
  EXPECT_EQ(find_free_parts(s, candidates, {x, ends}, groups, {}, parts, pieces, near), 3u);
  EXPECT_EQ(parts[0], 1);
  EXPECT_EQ(parts[2], 1);
  EXPECT_NEAR(parts[1], (0.9 - 0.3 * 0.01) / 4, 1e-12);   // of the gap of 0.9 m a part of the range stays
}

/// Points that go along with a half-space, away from it or towards it, each of which may be held up anywhere: nothing passes it
/// wherever on their ways the pieces are that go their own way.
TEST(ContactSurface, pieces_never_pass_a_half_space_that_turns_wherever_each_of_them_stops) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> spread(-1, 1), share(0, 1);
  const auto anywhere = [&](double size) { return Vec3(size * Vec3(spread(random), spread(random), spread(random))); };
  std::size_t alone = 0, together = 0;
  for (int k = 0; k < 4000; ++k) {
    constexpr std::uint32_t kBalls = 4;
    const double turn_size = std::pow(10.0, 3 * share(random) - 3.3), far = std::pow(10.0, 3 * share(random) - 2);
    const Vec3 turn = k % 4 == 0 ? Vec3::Zero() : anywhere(turn_size), way = anywhere(1), pivot = anywhere(far);
    const auto carried = [&](const Vec3& x, double time) -> Vec3 {
      return pivot + rotation_from_vector(time * turn) * (x - pivot) + time * way;
    };
    ContactSurface s;
    s.add_moving_half_space(patch(0, 0));   // at first the plane z = 0
    std::vector<Vec3> x{{2, 0, 0}, {-1, 1.7, 0}, {-1, -1.7, 0}};
    std::vector<Vec3> straight;   // ways of balls that are not carried
    std::vector<bool> is_carried;
    for (std::uint32_t i = 0; i < kBalls; ++i) {
      const double radius = 0.1 * share(random);
      s.add(patch(0.001, 1 + i, radius), {{Vec3::Zero()}, {}});
      x.emplace_back(far * spread(random), far * spread(random), radius + std::pow(10.0, 4 * share(random) - 4));
      is_carried.push_back(share(random) < 0.5);
      straight.push_back(share(random) < 0.5 ? Vec3(carried(x.back(), 1) - x.back()) : anywhere(1));
    }
    const auto place = [&](std::uint32_t p, double time) -> Vec3 {
      return p < 3 || is_carried[p - 3] ? carried(x[p], time) : Vec3(x[p] + time * straight[p - 3]);
    };
    std::vector<Vec3> ends;
    std::vector<double> bends;
    for (std::uint32_t p = 0; p < x.size(); ++p) {
      ends.push_back(place(p, 1));
      bends.push_back(p < 3 || is_carried[p - 3] ? turn.squaredNorm() * (x[p] - pivot).norm() : 0);
    }
    ContactCandidates candidates, near;
    candidates.find(s, x, ends, bends, kAll);
    const std::vector<std::uint32_t> groups{0, 0, 0, 1, 2, 3, 4};
    std::vector<double> parts(1 + kBalls, 1.0);
    std::vector<std::uint32_t> pieces(1 + kBalls);
    const std::uint32_t count = find_free_parts(s, candidates, {x, ends, bends, place}, groups, {}, parts, pieces, near);
    for (std::uint32_t i = 1; i <= kBalls; ++i) (pieces[i] == pieces[0] ? together : alone)++;
    for (int stop = 0; stop < 60; ++stop) {
      std::vector<double> step(count);
      for (double& of_piece : step) of_piece = stop % 3 == 0 ? std::round(share(random)) : share(random);
      const auto now = [&](std::uint32_t p) { return place(p, step[pieces[groups[p]]] * parts[groups[p]]); };
      const Vec3 normal = rotation_from_vector(step[pieces[0]] * parts[0] * turn) * Vec3::UnitZ();
      for (std::uint32_t p = 3; p < x.size(); ++p)
        ASSERT_GT(normal.dot(now(p) - now(0)), s.patch_of(p).radius) << k << ", point " << p;
    }
  }
  EXPECT_GT(alone, 500u);
  EXPECT_GT(together, 1000u);
}

}   // namespace
}   // namespace stickslip
