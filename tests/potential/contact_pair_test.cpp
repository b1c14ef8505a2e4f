#include <gtest/gtest.h>

#include <random>

#include "stickslip/distance/mollifier.h"
#include "stickslip/potential/barrier.h"
#include "stickslip/potential/contact_pair.h"

namespace stickslip {
namespace {

using Places = std::vector<Vec3>;

/// Of a symmetric matrix, the smallest first.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& m) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m, Eigen::EigenvaluesOnly).eigenvalues();
}

/// Central differences of a function of the places of a pair's points.
Vec12 differences(const ContactPair& p, Places x, const auto& f, double step) {
  Vec12 out = Vec12::Zero();
  for (int i = 0; i < p.size; ++i)
    for (int k = 0; k < 3; ++k) {
      double& number = x[p.points[i]][k];
      const double before = number;
      number = before + step;
      const double up = f(x);
      number = before - step;
      out[3 * i + k] = (up - f(x)) / (2 * step);
      number = before;
    }
  return out;
}

struct Sample {
  std::string name;
  ContactPair pair;
  Places x;
};

/// Pairs of all kinds at a distance within range, some of them nearly degenerate.
std::vector<Sample> samples(int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> spread(-1, 1), inside(0.2, 0.8), part(0.1, 0.9);
  const auto vector = [&] { return Vec3(spread(random), spread(random), spread(random)); };
  const double range = 0.05, d = part(random) * range;
  ContactPair pair;
  pair.points = {0, 1, 2, 3};
  pair.weight = 3;
  pair.range = range;
  std::vector<Sample> out;
  const Vec3 a = vector(), b = vector(), c = vector(), n = (b - a).cross(c - a).normalized();
  {
    ContactPair p = pair;
    p.kind = PairKind::half_space;
    p.size = 1;
    p.plane_normal = n;
    p.plane_offset = n.dot(a);
    out.push_back({"half-space", p, {b + d * n}});
  }
  {
    ContactPair p = pair;
    p.kind = PairKind::point_point;
    p.size = 2;
    p.offset = 0.3;
    out.push_back({"balls", p, {a, a + (0.3 + d) * n}});
    p.offset = 0;
    out.push_back({"points", p, {a, a + d * n}});
  }
  {
    ContactPair p = pair;
    p.kind = PairKind::point_line;
    p.size = 3;
    out.push_back({"point and line", p, {a + inside(random) * (b - a) + d * n, a, b}});
  }
  {
    ContactPair p = pair;
    p.kind = PairKind::point_plane;
    p.size = 4;
    const double u = 0.5 * inside(random), v = 0.5 * inside(random);
    out.push_back({"point and plane", p, {a + u * (b - a) + v * (c - a) + d * n, a, b, c}});
    out.push_back({"point and sliver", p, {a + u * (b - a) + d * n, a, b, a + 0.02 * (c - a) + 0.4 * (b - a)}});
  }
  {
    ContactPair p = pair;
    p.kind = PairKind::edge_edge;
    p.size = 4;
    p.size_a = 2;
    const Vec3 on_a = a + inside(random) * (b - a) + d * n, along = (c - a).normalized();
    out.push_back({"edges", p, {a, b, on_a - inside(random) * along, on_a + inside(random) * along}});
    p.mollifier = 10 * (b - a).squaredNorm();   // not 1 at any angle
    out.push_back({"mollified edges", p, {a, b, on_a - inside(random) * along, on_a + inside(random) * along}});
  }
  return out;
}

TEST(ContactPair, forces_are_differences_of_energy) {
  for (int seed = 0; seed < 50; ++seed)
    for (const Sample& s : samples(seed)) {
      const Vec12 g = gradient_of(s.pair, s.x);
      const Vec12 numbers = differences(
          s.pair, s.x, [&](const Places& x) { return energy_of(s.pair, x); }, 1e-7);
      EXPECT_LT((g - numbers).norm(), 1e-5 * g.norm()) << s.name << " " << seed;
    }
}

TEST(ContactPair, Hessians_are_differences_of_forces) {
  for (int seed = 0; seed < 50; ++seed)
    for (const Sample& s : samples(seed)) {
      const Mat12 h = hessian_of(s.pair, s.x);
      for (int k = 0; k < 3 * s.pair.size; ++k) {
        const Vec12 numbers = differences(
            s.pair, s.x, [&](const Places& x) { return gradient_of(s.pair, x)[k]; }, 1e-7);
        EXPECT_LT((h.col(k) - numbers).norm(), 1e-5 * h.norm()) << s.name << " " << seed;
      }
    }
}

Mat12 sum(const PairStiffness& s) {
  Mat12 m = s.is_full ? s.full : Mat12(Mat12::Zero());
  for (int t = 0; t < s.count; ++t) m += s.terms[t].factor * s.terms[t].v * s.terms[t].v.transpose();
  return m;
}

/// The closed form lies above the Hessian, and nowhere above what its own terms are by more than the geometric stiffness: the
/// stiffness along the normal, by far the largest, is exact.
TEST(ContactPair, stiffness_is_positive_and_bounds_the_Hessian) {
  for (int seed = 0; seed < 50; ++seed)
    for (const Sample& s : samples(seed)) {
      const Mat12 h = hessian_of(s.pair, s.x), m = sum(stiffness_of(s.pair, s.x));
      const double size = h.norm();
      EXPECT_GT(eigenvalues(m)[0], -1e-12 * size) << s.name << " " << seed;
      EXPECT_GT(eigenvalues(m - h)[0], -1e-9 * size) << s.name << " " << seed;
      if (s.pair.mollifier > 0) continue;
      const Vec12 g = gradient_of(s.pair, s.x).normalized();
      // ∇d is a combination of w ⊗ n: there both agree.
      EXPECT_NEAR(g.dot(m * g), g.dot(h * g), 0.05 * std::abs(g.dot(h * g))) << s.name << " " << seed;
    }
}

TEST(ContactPair, what_is_not_projected_is_the_Hessian) {
  for (int seed = 0; seed < 50; ++seed)
    for (const Sample& s : samples(seed)) {
      const Mat12 h = hessian_of(s.pair, s.x), m = sum(stiffness_of(s.pair, s.x, false));
      EXPECT_LT((m - h).norm(), 1e-9 * h.norm()) << s.name << " " << seed;
    }
}

TEST(ContactPair, parallel_edges_have_no_force_but_a_stiffness) {
  ContactPair p;
  p.kind = PairKind::edge_edge;
  p.size = 4;
  p.size_a = 2;
  p.points = {0, 1, 2, 3};
  p.weight = 2;
  p.range = 0.1;
  p.mollifier = 1e-3;
  const Places x{{0, 0, 0}, {1, 0, 0}, {0, 0, 0.05}, {1, 0, 0.05}};
  EXPECT_EQ(energy_of(p, x), 0);
  EXPECT_LT(gradient_of(p, x).norm(), 1e-12);
  const Mat12 m = sum(stiffness_of(p, x));
  for (int k = 0; k < 12; ++k) {
    const Vec12 numbers = differences(
        p, x, [&](const Places& y) { return gradient_of(p, y)[k]; }, 1e-6);
    EXPECT_LT((m.col(k) - numbers).norm(), 1e-3 * m.norm());
  }
}

TEST(ContactPair, friction_in_closed_form) {
  FrictionTerm f;
  f.points = {0, 1, 0, 0};
  f.weights = {1, -1, 0, 0};
  f.tangents << 1, 0, 0, 1, 0, 0;
  f.limit = 5;
  f.length = 0.01;
  const Places start{{0, 0, 0}, {0, 0, 1}};
  for (const double way : {0.0, 0.003, 0.0099, 0.02, 1.0}) {
    const Places x{{way, 0, 0}, {0, 0, 1}};
    const double y = std::min(1.0, way / 0.01);
    EXPECT_NEAR(f.force_on_a(start, x).x(), -5 * (2 * y - y * y), 1e-12);
    ContactPair points;
    points.points = f.points;
    const Vec12 numbers = differences(
        points, x, [&](const Places& z) { return f.energy(start, z); }, 1e-7);
    EXPECT_LT((f.gradient(start, x) - numbers).norm(), 1e-5);
    f.pull = {2 * y - y * y, 0};   // what the force is: then it is the Hessian
    const Mat12 h = sum(f.stiffness(start, x));
    EXPECT_LT((f.next_pull({way, 0}, {way, 0}) - f.pull).norm(), 1e-12);
    f.pull.setZero();   // the chord, which is stiffer
    EXPECT_GT(eigenvalues(sum(f.stiffness(start, x)) - h)[0], -1e-9 * (1 + h.norm())) << way;
    if (std::abs(way - 0.0099) < 1e-3) continue;   // at the corner of the slope
    for (int k = 0; k < 6; ++k) {
      const Vec12 column = differences(
          points, x, [&](const Places& z) { return f.gradient(start, z)[k]; }, 1e-7);
      EXPECT_LT((h.col(k) - column).norm(), 1e-3 * (1 + h.norm())) << way;
    }
  }
}

TEST(ContactPair, pulls_stay_within_the_limit_and_stiffness_positive) {
  FrictionTerm f;
  f.points = {0, 1, 0, 0};
  f.weights = {1, -1, 0, 0};
  f.tangents << 1, 0, 0, 1, 0, 0;
  f.limit = 5;
  f.length = 1e-3;
  const Places start{{0, 0, 0}, {0, 0, 1}};
  Vec2 from(0.01, -0.02);
  for (int k = 0; k < 200; ++k) {
    const Vec2 to = 0.02 * Vec2(std::sin(1.7 * k), std::cos(2.3 * k)) * std::pow(0.97, k);
    f.pull = f.next_pull(from, to);
    EXPECT_LE(f.pull.norm(), 1 + 1e-12);
    const Places x{{to.x(), to.y(), 0}, {0, 0, 1}};
    const Eigen::VectorXd values = eigenvalues(sum(f.stiffness(start, x)));
    EXPECT_GT(values[0], -1e-9 * values[11]);
    from = to;
  }
}

TEST(ContactPair, forces_change_as_their_gradient_says) {
  for (int seed = 0; seed < 3; ++seed)
    for (const Sample& s : samples(seed)) {
      if (s.pair.mollifier > 0) continue;   // whose derivative is left out
      const Vec12 numbers = differences(
          s.pair, s.x, [&](const Places& y) { return force_of(s.pair, y); }, 1e-7);
      const Vec12 found = gradient_of_force(s.pair, state_of(s.pair, s.x));
      EXPECT_LT((found - numbers).norm(), 1e-4 * found.norm()) << s.name << " " << seed;
    }
}

/// Iterations of Newton's method, with steps that keep half of the gap, until a pair carries a load to 1e-9.
int iterations_to_carry(double load, double gap, bool pushes) {
  ContactPair p;
  p.kind = PairKind::half_space;
  p.size = p.size_a = 1;
  p.plane_normal = Vec3::UnitZ();
  p.weight = 2;
  p.range = 0.1;
  Places x{{0, 0, gap * p.range}};
  for (int k = 0; k < 100; ++k) {
    const double force = force_of(p, x), step = (force - load) / sum(stiffness_of(p, x))(2, 2);
    if (std::abs(force - load) < 1e-9 * load) {
      EXPECT_NEAR(p.push, pushes ? load : 0, 1e-6 * load);
      return k;
    }
    if (pushes) p.push = next_push(p, state_of(p, x), step);
    x[0].z() += std::max(step, -0.5 * x[0].z());
  }
  return 100;
}

TEST(ContactPair, pushes_find_the_gap_of_a_load_from_wherever_they_begin) {
  for (const double load : {0.1, 10.0, 1000.0, 1e5}) {
    for (const double gap : {1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999})
      EXPECT_LE(iterations_to_carry(load, gap, true), 20) << load << " " << gap;
    EXPECT_GT(iterations_to_carry(load, 1e-9, false), 20) << load;   // by doubling
  }
}

TEST(ContactPair, friction_remembers_by_the_inverse_of_its_force) {
  for (const double part : {0.0, 0.1, 0.5, 0.99, 1.0})
    EXPECT_NEAR(smooth_friction(way_of_friction(part, 0.2), 0.2).first, part, 1e-12);
}

}   // namespace
}   // namespace stickslip
