#include <set>

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "error_message.h"
#include "geometry/meshes.h"
#include "geometry/shapes.h"
#include "stickslip/geometry/mesh_distance.h"

namespace stickslip::tree_test {
namespace {

using namespace test_meshes;

/// Nearest point of a triangle by brute force over its plane, edges and corners, independent of the library.
double distance_to_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  double best = std::min({(p - a).norm(), (p - b).norm(), (p - c).norm()});
  for (const auto& [u, v] : {std::pair{a, b}, {b, c}, {c, a}}) {
    const double length = (v - u).norm();
    if (length == 0) continue;
    const Vec3 along = (v - u) / length;
    const double s = (p - u).dot(along);
    if (s > 0 && s < length) best = std::min(best, (p - u - s * along).norm());
  }
  const Vec3 n = (b - a).cross(c - a);
  if (n.norm() <= 1e-12 * std::max((b - a).squaredNorm(), (c - a).squaredNorm())) return best;
  const Vec3 unit = n.normalized(), q = p - unit * unit.dot(p - a);
  const bool inside = (b - a).cross(q - a).dot(n) >= 0 && (c - b).cross(q - b).dot(n) >= 0 && (a - c).cross(q - c).dot(n) >= 0;
  return inside ? std::min(best, std::abs(unit.dot(p - a))) : best;
}

double brute_distance(const TriangleMesh& mesh, const Vec3& p) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& t : mesh.triangles)
    best = std::min(best, distance_to_triangle(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], p));
  return best;
}

/// Meshes of every kind: none, one, many at one place, soups with triangles without area, closed surfaces.
std::vector<TriangleMesh> all_meshes(double scale) {
  std::mt19937 random(11);
  TriangleMesh one, pile;
  one.vertices = {scale * Vec3(0, 0, 0), scale * Vec3(1, 0, 0), scale * Vec3(0, 2, 0)};
  one.triangles = {{0, 1, 2}};
  pile = one;
  for (int i = 0; i < 50; ++i) pile.triangles.push_back({0, 1, 2});
  TriangleMesh far = random_soup(100, scale, random);
  for (Vec3& x : far.vertices) x += scale * Vec3(1e4, -1e4, 3e3);
  return {TriangleMesh{},
          one,
          pile,
          random_soup(300, scale, random),
          far,
          torus_mesh(scale, 0.3 * scale, 20, 12),
          box_mesh(scale * Vec3(1, 0.5, 2))};
}

Vec3 random_point(const TriangleTree& tree, double scale, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const Aabb box = tree.empty() ? Aabb{Vec3::Zero(), Vec3::Zero()} : tree.bounds();
  const Vec3 at(uniform(random), uniform(random), uniform(random));
  return box.lower + (box.upper - box.lower).cwiseProduct(at) +
         scale * std::pow(10, 3 * uniform(random) - 2) * random_direction(random);
}

TEST(TriangleTree, finds_the_nearest_point_that_brute_force_finds) {
  std::mt19937 random(1);
  for (double scale : kScales)
    for (const TriangleMesh& mesh : all_meshes(scale)) {
      const TriangleTree tree(mesh);
      const double size = tree.empty() ? scale : tree.bounds().upper.cwiseAbs().cwiseMax(tree.bounds().lower.cwiseAbs()).norm();
      for (int i = 0; i < 200; ++i) {
        const Vec3 p = random_point(tree, scale, random);
        const double expected = brute_distance(mesh, p);
        const auto found = closest_point(mesh, tree, p);
        ASSERT_EQ(found.has_value(), !mesh.triangles.empty());
        if (!found) continue;
        const double tolerance = 1e-13 * (size + expected);
        ASSERT_NEAR(found->distance, expected, tolerance);
        EXPECT_NEAR((found->point - p).norm(), expected, tolerance);
        EXPECT_NEAR(found->weights.sum(), 1, 1e-14);
        EXPECT_GE(found->weights.minCoeff(), 0);
        EXPECT_FALSE(closest_point(mesh, tree, p, 0.999 * expected - tolerance));
        const auto near =
            closest_point(mesh, tree, p, 1.001 * expected + tolerance, static_cast<std::uint32_t>(mesh.triangles.size() / 2));
        ASSERT_TRUE(near);
        EXPECT_EQ(near->triangle, found->triangle) << "neither reach nor hint changes the answer";
      }
    }
}

TEST(TriangleTree, names_the_feature_that_the_nearest_point_lies_on) {
  const TriangleMesh mesh = box_mesh(Vec3::Ones());
  const TriangleTree tree(mesh);
  const auto corner = closest_point(mesh, tree, {2, 3, 4});
  EXPECT_EQ(corner->feature, Feature::vertex);
  EXPECT_EQ(mesh.triangles[corner->triangle][corner->corner], 7u);
  const auto ridge = closest_point(mesh, tree, {2, 3, 0.25});
  EXPECT_EQ(ridge->feature, Feature::edge);
  const MeshEdges edges(mesh);
  const auto ends = edges.vertices(edges.edges_of_face(ridge->triangle)[ridge->corner]);
  EXPECT_EQ(std::set<std::uint32_t>(ends.begin(), ends.end()), (std::set<std::uint32_t>{3, 7}));
  EXPECT_EQ(closest_point(mesh, tree, {0.1, 0.2, 4})->feature, Feature::face);
}

TEST(TriangleTree, finds_the_triangles_in_a_box_that_brute_force_finds) {
  std::mt19937 random(2);
  std::vector<std::uint32_t> found;
  for (double scale : kScales)
    for (const TriangleMesh& mesh : all_meshes(scale)) {
      const TriangleTree tree(mesh);
      for (int i = 0; i < 100; ++i) {
        Vec3 a = random_point(tree, scale, random), b = a + 0.5 * scale * random_direction(random);
        if (i % 3 == 0 && !mesh.triangles.empty()) b = triangle_box(mesh, 0).lower;   // boxes that touch count
        const Aabb box{a.cwiseMin(b), a.cwiseMax(b)};
        std::vector<std::uint32_t> expected;
        for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
          if (triangle_box(mesh, t).overlaps(box)) expected.push_back(t);
        overlapping(mesh, tree, box, found);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected);
      }
    }
}

Aabb box_at(const TriangleMesh& mesh, std::uint32_t triangle, auto&& place) {
  Aabb box;
  for (const auto v : mesh.triangles[triangle]) {
    const Vec3 x = place(mesh.vertices[v]);
    box = box.merged({x, x});
  }
  return box;
}

TEST(TriangleTree, finds_the_pairs_of_two_meshes_that_brute_force_finds) {
  std::mt19937 random(4);
  PairScratch scratch;
  std::vector<std::array<std::uint32_t, 2>> found;
  std::size_t total = 0;
  for (double scale : kScales) {
    const std::vector<TriangleMesh> meshes = all_meshes(scale);
    for (std::size_t i = 0; i < meshes.size(); ++i)
      for (std::size_t j = 0; j < meshes.size(); ++j) {
        const TriangleMesh &a = meshes[i], &b = meshes[j];
        const TriangleTree tree_a(a), tree_b(b);
        Pose pose{Vec3::Zero(), random_rotation(random)};
        // B is placed so that the middles of the boxes are near one another.
        pose.position = random_point(tree_a, 0.1 * scale, random) - pose.orientation * tree_b.origin();
        const double margin = (i + j) % 2 == 0 ? 0 : 0.02 * scale;
        std::vector<std::array<std::uint32_t, 2>> expected;
        for (std::uint32_t s = 0; s < a.triangles.size(); ++s)
          for (std::uint32_t t = 0; t < b.triangles.size(); ++t)
            if (triangle_box(a, s).grown(margin).overlaps(box_at(b, t, [&](const Vec3& x) { return pose * x; })) &&
                box_at(a, s, [&](const Vec3& x) { return pose.to_local(x); }).grown(margin).overlaps(triangle_box(b, t)))
              expected.push_back({s, t});
        const double others = overlapping_pairs(a, tree_a, b, tree_b, pose, margin, scratch, found);
        std::vector<std::array<std::uint32_t, 2>> farther;
        EXPECT_GE(others, margin);
        overlapping_pairs(a, tree_a, b, tree_b, pose, others * (1 - 1e-3) + margin * 1e-3, scratch, farther);
        std::sort(farther.begin(), farther.end());
        std::sort(found.begin(), found.end());
        EXPECT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end())) << i << " " << j;
        // What is nearer than the others is found.
        const auto within_others = [&](std::uint32_t s, std::uint32_t t) {
          const double reach = others * (1 - 1e-5);
          return triangle_box(a, s).grown(reach).overlaps(box_at(b, t, [&](const Vec3& x) { return pose * x; })) &&
                 box_at(a, s, [&](const Vec3& x) { return pose.to_local(x); }).grown(reach).overlaps(triangle_box(b, t));
        };
        for (const auto& [s, t] : farther)
          EXPECT_TRUE(std::binary_search(found.begin(), found.end(), std::array{s, t}) || !within_others(s, t))
              << i << " " << j;
        // Boxes in single precision are a little larger: by 1e-5 of the scene, so that few more are found.
        const double slack = 1e-4 * (tree_a.bounds().upper - tree_a.bounds().lower + tree_b.bounds().upper -
                                     tree_b.bounds().lower + pose.position.cwiseAbs())
                                        .norm();
        for (const auto& [s, t] : found)
          EXPECT_TRUE(triangle_box(a, s).grown(margin + slack).overlaps(box_at(b, t, [&](const Vec3& x) { return pose * x; })));
        total += expected.size();
      }
  }
  EXPECT_GT(total, 10000u);
}

TEST(TriangleTree, rays_hit_what_brute_force_hits) {
  std::mt19937 random(5);
  int hits = 0;
  for (double scale : kScales)
    for (const TriangleMesh& mesh : all_meshes(scale)) {
      const TriangleTree tree(mesh);
      for (int i = 0; i < 100; ++i) {
        const Vec3 from = random_point(tree, scale, random), toward = random_point(tree, 0.01 * scale, random) - from;
        double expected = std::numeric_limits<double>::infinity();
        for (const auto& t : mesh.triangles) {   // Cramer's rule
          const Vec3 a = mesh.vertices[t[0]], u = mesh.vertices[t[1]] - a, v = mesh.vertices[t[2]] - a, n = u.cross(v);
          if (n.norm() <= 1e-12 * u.norm() * v.norm()) continue;
          const double s = (a - from).dot(n) / toward.dot(n);
          const Vec3 at = from + s * toward - a;
          const double beta = at.cross(v).dot(n) / n.squaredNorm(), gamma = u.cross(at).dot(n) / n.squaredNorm();
          if (s >= 0 && beta >= 0 && gamma >= 0 && beta + gamma <= 1) expected = std::min(expected, s);
        }
        const auto hit = first_hit(mesh, tree, from, toward);
        ASSERT_EQ(hit.has_value(), std::isfinite(expected));
        if (!hit) continue;
        ++hits;
        EXPECT_NEAR(hit->t, expected, 1e-9 * (1 + expected));
        EXPECT_FALSE(first_hit(mesh, tree, from, toward, 0.999 * hit->t));
      }
    }
  EXPECT_GT(hits, 300);
}

TEST(TriangleTree, no_ray_from_inside_slips_out_through_vertices_or_edges) {
  const TriangleMesh mesh = sphere_mesh(1, 12, 8);
  const TriangleTree tree(mesh);
  const Vec3 from(0.1, -0.05, 0.03);
  for (const Vec3& x : mesh.vertices) EXPECT_TRUE(first_hit(mesh, tree, from, x - from));
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k)
      EXPECT_TRUE(first_hit(mesh, tree, from, 0.3 * mesh.vertices[t[k]] + 0.7 * mesh.vertices[t[(k + 1) % 3]] - from));
  for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(first_hit(mesh, tree, Vec3::Zero(), Vec3::Unit(axis)));
  EXPECT_FALSE(first_hit(mesh, tree, from, Vec3::Zero()));
}

TEST(TriangleTree, refitted_it_answers_as_a_new_one) {
  std::mt19937 random(6);
  for (TriangleMesh mesh : all_meshes(1)) {
    TriangleTree refitted(mesh);
    for (Vec3& x : mesh.vertices) x = 2 * x + 0.3 * random_direction(random);
    std::vector<TriangleTree::AreaMoments> memory;
    refitted.refit(mesh, memory);
    const TriangleTree anew(mesh);
    EXPECT_EQ(refitted.bounds().lower, anew.bounds().lower);
    std::vector<std::uint32_t> one, other;
    for (int i = 0; i < 100; ++i) {
      const Vec3 p = random_point(anew, 1, random), direction = random_direction(random);
      const auto near = closest_point(mesh, refitted, p), nearest = closest_point(mesh, anew, p);
      ASSERT_EQ(near.has_value(), nearest.has_value());
      const auto hit = first_hit(mesh, refitted, p, direction), first = first_hit(mesh, anew, p, direction);
      ASSERT_EQ(hit.has_value(), first.has_value());
      if (near) {
        EXPECT_EQ(near->distance, nearest->distance);
        EXPECT_EQ(near->triangle, nearest->triangle);
      }
      if (hit) {
        EXPECT_EQ(hit->t, first->t);
        EXPECT_EQ(hit->triangle, first->triangle);
      }
      overlapping(mesh, refitted, {p, p + Vec3::Ones()}, one);
      overlapping(mesh, anew, {p, p + Vec3::Ones()}, other);
      std::sort(one.begin(), one.end()), std::sort(other.begin(), other.end());
      EXPECT_EQ(one, other);
      EXPECT_NEAR(winding_number(mesh, refitted, p, 1e9), winding_number(mesh, anew, p, 1e9), 1e-5);
    }
  }
}

TEST(TriangleTree, winds_once_around_the_inside_of_a_closed_surface) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  const double ring = 1, tube = 0.4;
  for (double scale : kScales) {
    const TriangleMesh mesh = torus_mesh(scale * ring, scale * tube, 60, 40);
    const TriangleTree tree(mesh);
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p(uniform(random), uniform(random), 0.5 * uniform(random));
      const double depth = tube - std::hypot(std::hypot(p.x(), p.y()) - ring, p.z());
      if (std::abs(depth) < 0.02) continue;   // between the torus and its mesh
      const double expected = depth > 0 ? 1 : 0;
      EXPECT_NEAR(winding_number(mesh, tree, scale * p), expected, 0.1);
      EXPECT_NEAR(winding_number(mesh, tree, scale * p, 4), expected, 0.02);
      EXPECT_NEAR(winding_number(mesh, tree, scale * p, 1e9), expected, 1e-12) << "a sum of all solid angles is whole";
    }
  }
}

TEST(TriangleTree, a_hole_leaves_inside_and_outside_where_they_were) {
  TriangleMesh mesh = sphere_mesh(1, 40, 30);
  std::mt19937 random(8);
  std::shuffle(mesh.triangles.begin(), mesh.triangles.end(), random);
  mesh.triangles.resize(mesh.triangles.size() * 97 / 100);
  const MeshSurface surface(mesh);
  EXPECT_FALSE(surface.edges().closed());
  for (int i = 0; i < 1000; ++i) {
    const double r = i % 2 == 0 ? 0.8 : 1.2;
    const auto d = signed_distance(surface, r * random_direction(random));
    EXPECT_EQ(d->distance < 0, r < 1);
  }
}

TEST(SignedDistance, to_a_box_has_the_right_sign_and_size_everywhere) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double scale : kScales) {
    const Vec3 half = scale * Vec3(1, 0.5, 0.05);
    const MeshSurface surface(box_mesh(half));
    for (int i = 0; i < 5000; ++i) {
      Vec3 p = 1.5 * half.cwiseProduct(Vec3(uniform(random), uniform(random), uniform(random)));
      // Near faces, edges and corners: some coordinates hardly off the surface.
      for (int axis = 0; axis < 3; ++axis)
        if (random() % 2 == 0) p[axis] = std::copysign(half[axis] * (1 + 1e-7 * uniform(random)), p[axis]);
      const Vec3 out = p.cwiseAbs() - half;
      const double expected = out.cwiseMax(0).norm() + std::min(0.0, out.maxCoeff());
      for (const SignRule rule : {SignRule::automatic, SignRule::winding}) {
        if (rule == SignRule::winding && std::abs(expected) < 1e-6 * scale) continue;
        const auto found = signed_distance(surface, p, rule);
        ASSERT_NEAR(found->distance, expected, 1e-15 * scale) << p.transpose() / scale;
        const Vec3 step = 1e-9 * scale * found->gradient;
        EXPECT_GT(signed_distance(surface, p + step, rule)->distance, signed_distance(surface, p - step, rule)->distance);
      }
    }
  }
}

TEST(SignedDistance, near_a_sharp_spike_takes_the_side_of_the_weighted_normal) {
  // A thin needle of a pyramid: plain sums of face normals at the tip depend on how its base is cut into triangles.
  TriangleMesh mesh;
  const int n = 7;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i * i / (n * n);   // faces of very different widths
    mesh.vertices.push_back({0.1 * std::cos(angle), 0.1 * std::sin(angle), 0});
  }
  mesh.vertices.push_back({0, 0, 2});
  for (std::uint32_t i = 0; i < n; ++i) mesh.triangles.push_back({i, (i + 1) % n, n});
  for (std::uint32_t i = 1; i + 1 < n; ++i) mesh.triangles.push_back({0, i + 1, i});
  const MeshSurface surface(mesh);
  ASSERT_TRUE(surface.edges().closed());
  std::mt19937 random(10);
  for (int i = 0; i < 5000; ++i) {
    const Vec3 near =
        mesh.vertices[random() % mesh.vertices.size()] + std::pow(10.0, -1.0 * (i % 6)) * random_direction(random);
    const auto d = signed_distance(surface, near, SignRule::normals);
    const double winds = winding_number(mesh, surface.tree(), near, 1e9);
    EXPECT_EQ(d->distance<0, winds> 0.5) << near.transpose();
  }
}

TEST(MeshSurface, takes_less_than_200_bytes_per_triangle) {
  for (const TriangleMesh& mesh : {torus_mesh(1, 0.3, 200, 100), sphere_mesh(1, 100, 100)}) {
    const MeshSurface surface(mesh);
    EXPECT_LT(surface.bytes(), 200 * mesh.triangles.size());
  }
}

TEST(MeshSurface, moves_with_its_vertices_and_refuses_other_numbers_of_them) {
  MeshSurface surface(box_mesh(Vec3::Ones()));
  std::vector<Vec3> places = surface.mesh().vertices;
  for (Vec3& x : places) x += Vec3(5, 0, 0);
  surface.move(places);
  EXPECT_NEAR(signed_distance(surface, {5, 0, 0.5})->distance, -0.5, 1e-15);
  places.pop_back();
  EXPECT_EQ(testing::message_of([&] { surface.move(places); }), "7 places are given for 8 vertices. Give one for each.");
  places.push_back({0, std::nan(""), 0});
  EXPECT_EQ(testing::message_of([&] { surface.move(places); }),
            "/vertices/7: (0, nan, 0) is not a point. Vertices of triangles must be finite.");
  EXPECT_NEAR(signed_distance(surface, {5, 0, 0.5})->distance, -0.5, 1e-15) << "nothing has moved";
}

TEST(TriangleTree, queries_allocate_nothing_once_their_memory_has_grown) {
  const MeshSurface surface(torus_mesh(1, 0.3, 30, 20));
  const TriangleMesh& mesh = surface.mesh();
  const TriangleTree& tree = surface.tree();
  PairScratch scratch;
  std::vector<std::array<std::uint32_t, 2>> pairs;
  std::vector<std::uint32_t> found;
  double sum = 0;
  const auto ask = [&] {
    const Pose pose{Vec3(1.2, 0.2, 0.1), rotation_from_vector({0.3, 0.2, 0})};
    overlapping_pairs(mesh, tree, mesh, tree, pose, 0.01, scratch, pairs);
    overlapping(mesh, tree, {Vec3::Zero(), Vec3::Ones()}, found);
    sum += signed_distance(surface, {0.3, 0.3, 0.3})->distance + winding_number(mesh, tree, {1, 0, 0});
    sum += first_hit(mesh, tree, {1, 0, 0}, {0, 0, 1})->t;
  };
  ask();
  const long before = testing::allocations;
  ask();
  EXPECT_EQ(testing::allocations, before);
  EXPECT_GT(pairs.size(), 0u);
  EXPECT_GT(sum, 0);
}

TEST(TriangleTree, bad_meshes_are_named) {
  TriangleMesh mesh = box_mesh(Vec3::Ones());
  mesh.vertices[3].x() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(testing::message_of([&] { TriangleTree{mesh}; }),
            "/vertices/3: (inf, 1, -1) is not a point. Vertices of triangles must be finite.");
}

}   // namespace
}   // namespace stickslip::tree_test
