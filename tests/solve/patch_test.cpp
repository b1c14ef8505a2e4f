// Contact patches: closed forms of one body, equality with points, and all solvers that take them on piles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "../problem/patches.h"
#include "solve/exact/local_patch.h"
#include "solve/exact/local_set.h"
#include "solve/newton/maps.h"
#include "stickslip/solve/registry.h"

namespace stickslip {
namespace patch_solve_test {

using testing::box_inertia;
using testing::patch_stack;
using testing::PatchScene;
using testing::rectangle_outline;
using testing::upright;

struct Solved {
  SolveReport report;
  std::vector<double> impulses;
};

Solved solve(const ContactProblem& p, std::string_view solver = "nsgs", double tolerance = 1e-12, int iterations = 20000,
             std::vector<double> guess = {}) {
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = iterations;
  Workspace workspace;
  Solved s;
  s.impulses = guess.empty() ? std::vector<double>(p.rows(), 0.0) : std::move(guess);
  s.report = make_solver(solver)->solve(p, s.impulses, workspace, control);
  return s;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << k;
}

/// A box of 2 m × 1 m × 1 m that falls with g h = 0.1 m/s on a ledge that ends at x = `edge`, its centre above x = 0.
PatchScene box_on_ledge(double edge) {
  PatchScene scene;
  scene.add_body(3, box_inertia(3, {2, 1, 1}), {0, 0, 0.5}, {0, 0, -0.1});
  std::vector<Vec2> outline{{-1, -0.5}, {edge, -0.5}, {edge, 0.5}, {-1, 0.5}};
  scene.add_patch(PatchScene::ground, 0, Vec3::Zero(), upright(), outline, 0.5, 0.4, 1);
  scene.problem.finalize();
  return scene;
}

TEST(Patch, a_box_over_a_ledge_tips_exactly_when_its_centre_is_beyond_the_edge) {
  for (const double edge : {-0.6, -0.3, -1e-3, 0.0, 1e-3, 0.3}) {
    const PatchScene scene = box_on_ledge(edge);
    const Solved s = solve(scene.problem);
    ASSERT_EQ(s.report.status, SolveStatus::converged) << s.report.reason;
    const std::vector<double> u = scene.motion(s.impulses);
    if (edge >= 0) {
      EXPECT_NEAR(s.impulses[0], 0.3, 1e-12);
      for (const double number : u) EXPECT_NEAR(number, 0, 1e-11);
      continue;
    }
    // It turns about the edge, which neither parts nor slips: λ (1/m + x²/I_yy) = g h with the edge at x, I about the centre,
    // while friction f along x keeps the edge where it is: with the arm (x, −½) below the centre.
    const double m = 3, inertia = box_inertia(3, {2, 1, 1}).y();
    Mat2 w;   // of (λ, f) at the edge
    w << 1 / m + edge * edge / inertia, 0.5 * edge / inertia, 0.5 * edge / inertia, 1 / m + 0.25 / inertia;
    const Vec2 expected = w.inverse() * Vec2(0.1, 0);
    ASSERT_LE(std::abs(expected[1]), 0.5 * expected[0]);   // it sticks
    EXPECT_NEAR(s.impulses[0], expected[0], 1e-11) << edge;
    EXPECT_NEAR(s.impulses[1], expected[1], 1e-11);
    EXPECT_NEAR(s.impulses[5], -edge * expected[0], 1e-11);   // the centre of pressure is on the edge
    EXPECT_GT(u[4], 1e-5);                                    // it turns over the edge, about +y
    EXPECT_NEAR(u[2] - u[4] * edge, 0, 1e-11);                // which stays where it is
  }
}

TEST(Patch, a_box_on_one_patch_slides_and_sticks_as_on_four_points) {
  for (const double speed : {0.0, 0.02, 0.3, 5.0})
    for (const double angle : {0.0, 0.6}) {
      PatchScene patch, points;
      for (PatchScene* scene : {&patch, &points})
        scene->add_body(2, box_inertia(2, {1, 1, 0.4}), {0, 0, 0.2}, {speed * std::cos(angle), speed * std::sin(angle), -0.1});
      Mat3 frame = upright();
      patch.add_patch(PatchScene::ground, 0, Vec3::Zero(), frame, rectangle_outline(0.5, 0.5), 0.4, 0.38, 0.5);
      for (const Vec2& corner : rectangle_outline(0.5, 0.5))
        points.add_point(PatchScene::ground, 0, {corner.x(), corner.y(), 0}, frame, 0.4);
      patch.problem.finalize();
      points.problem.finalize();
      const Solved one = solve(patch.problem), four = solve(points.problem);
      ASSERT_EQ(one.report.status, SolveStatus::converged);
      ASSERT_EQ(four.report.status, SolveStatus::converged);
      expect_near(patch.motion(one.impulses), points.motion(four.impulses), 1e-9);
      Vec3 sum = Vec3::Zero();
      for (std::size_t k = 0; k < 4; ++k) sum += Eigen::Map<const Vec3>(four.impulses.data() + 3 * k);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(one.impulses[static_cast<std::size_t>(k)], sum[k], 1e-9) << speed;
    }
}

TEST(Patch, without_friction_it_is_its_corners) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> half(0.2, 1);
  for (int trial = 0; trial < 40; ++trial) {
    PatchScene patch, points;
    const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
    const Mat3 frame = frame_from_normal(vector().normalized());
    const Vec3 place = vector(), ca = vector(), cb = vector(), va = vector(), vb = vector(), wa = vector(), wb = vector();
    const Vec3 ia = vector().cwiseAbs() + Vec3::Ones(), ib = vector().cwiseAbs() + Vec3::Ones();
    for (PatchScene* scene : {&patch, &points}) scene->add_body(1.5, ia, ca, va, wa), scene->add_body(40, ib, cb, vb, wb);
    std::vector<Vec2> outline;
    const int corners = 1 + trial % 8;
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * std::numbers::pi * i / corners;
      outline.emplace_back(0.3 + half(random) * 0.05 + std::cos(angle), 0.8 * std::sin(angle));
    }
    patch.add_patch(0, 1, place, frame, outline, 0, 0, 0.7);
    for (const Vec2& corner : outline)
      points.add_point(0, 1, place + frame.col(1) * corner.x() + frame.col(2) * corner.y(), frame, 0);
    patch.problem.finalize();
    points.problem.finalize();
    const Solved one = solve(patch.problem, "nsgs", 1e-13, 50), all = solve(points.problem, "auto", 1e-13);
    ASSERT_EQ(one.report.status, SolveStatus::converged);
    ASSERT_EQ(all.report.status, SolveStatus::converged);
    expect_near(patch.motion(one.impulses), points.motion(all.impulses), 1e-9);
    double sum = 0;
    for (int i = 0; i < corners; ++i) sum += all.impulses[static_cast<std::size_t>(3 * i)];
    EXPECT_NEAR(one.impulses[0], sum, 1e-9);
  }
}

TEST(Patch, that_is_a_point_is_a_point_contact) {
  std::mt19937 random(12);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 60; ++trial) {
    PatchScene patch, point;
    const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
    const Mat3 frame = frame_from_normal(vector().normalized());
    const Vec3 place = vector(), center = vector(), v = vector(), w = vector();
    for (PatchScene* scene : {&patch, &point}) scene->add_body(2, {1, 2, 3}, center, v, w);
    patch.add_patch(PatchScene::ground, 0, place, frame, {{0, 0}}, 0.7, 0, 0.3);
    point.add_point(PatchScene::ground, 0, place, frame, 0.7);
    patch.problem.finalize();
    point.problem.finalize();
    const Solved one = solve(patch.problem), other = solve(point.problem);
    ASSERT_EQ(one.report.status, SolveStatus::converged);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(one.impulses[k], other.impulses[k], 1e-11);
    for (std::size_t k = 3; k < 6; ++k) EXPECT_NEAR(one.impulses[k], 0, 1e-14);
    // The residual is the same number, wherever it is taken.
    const Vec3 pushed = vector();
    const std::vector<double> six{pushed[0], pushed[1], pushed[2], 0, 0, 0}, three{pushed[0], pushed[1], pushed[2]};
    ResidualWorkspace work;
    const Residual a = residual(patch.problem, six, work), b = residual(point.problem, three, work);
    EXPECT_NEAR(a.gap_velocity, b.gap_velocity, 1e-13);
    EXPECT_NEAR(a.complementarity, b.complementarity, 1e-13 * (1 + b.complementarity));
  }
}

TEST(Patch, a_spinning_disc_is_held_by_two_thirds_of_mu_n_r) {
  const double radius = 0.4, mu = 0.3, inertia = 2 * radius * radius / 2;
  PatchScene scene;
  scene.add_body(2, {1, 1, inertia}, {0, 0, 0.1}, {0, 0, -0.1}, {0, 0, 7});
  const PressurePatch disc = PressurePatch::ellipse({0, 0}, {radius, 0}, radius);
  scene.add_patch(PatchScene::ground, 0, Vec3::Zero(), upright(), disc, mu, disc.mean_arm(), 1);
  scene.problem.finalize();
  const Solved s = solve(scene.problem);
  ASSERT_EQ(s.report.status, SolveStatus::converged);
  const double torque = 2.0 / 3 * mu * 0.2 * radius;
  EXPECT_NEAR(s.impulses[0], 0.2, 1e-12);
  EXPECT_NEAR(s.impulses[3], -torque, 1e-13);
  EXPECT_NEAR(scene.motion(s.impulses)[5], 7 - torque / inertia, 1e-11);
}

PatchFriction random_patch(std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1), decades(-2, 0.5);
  const auto size = [&] { return std::pow(10, decades(random)); };
  std::vector<Vec2> corners;
  const Vec2 center(any(random), any(random));
  for (int i = 0, count = 1 + static_cast<int>(random() % 8); i < count; ++i)
    corners.emplace_back(center + Vec2(any(random), any(random)));
  const PressurePatch patch =
      random() % 2 == 0 ? PressurePatch::polygon(corners) : PressurePatch::ellipse(center, {size(), any(random)}, size());
  return {std::make_shared<PatchSet>(patch, EllipsoidFriction{size(), size(), size()})};
}

TEST(LocalPatch, is_solved_to_rounding_from_any_guess) {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> decades(-1.5, 1.5);
  using Matrix = Eigen::Matrix<double, 6, 6>;
  int unsolved = 0, pressing = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const PatchFriction law = random_patch(random);
    Matrix g;
    for (double& number : g.reshaped()) number = normal(random);
    for (int k = 0; k < 6; ++k) g.row(k) *= std::pow(10, 0.5 * decades(random));
    const Matrix a = g * g.transpose() + 1e-3 * g.squaredNorm() * Matrix::Identity();
    Matrix inverse;
    invert_block(6, a.data(), inverse.data());
    PatchBlock q, impulse;
    for (double& number : q) number = normal(random);
    for (double& number : impulse) number = normal(random);
    if (trial % 2 == 0) impulse.setZero();
    unsolved += !solve_patch(law, a.data(), inverse.data(), a * impulse + q, impulse);
    pressing += impulse[0] > 0;
    const PatchBlock v = a * impulse + q;
    const Vec3 u = PatchFriction::unilateral(impulse), w = PatchFriction::unilateral(v), f = PatchFriction::rubbing(impulse),
               slip = PatchFriction::rubbing(v);
    const double scale = 1 + a.norm() * impulse.norm();
    EXPECT_LT((law.patch().project_on_cone(u) - u).norm(), 1e-12 * (1 + u.norm()));
    EXPECT_GT(law.patch().parting_velocity(w), -1e-11 * scale);
    EXPECT_NEAR(u.dot(w), 0, 1e-11 * scale * (1 + u.norm()));
    EXPECT_LT((law.friction().project(u[0], f) - f).norm(), 1e-12 * (1 + f.norm()));
    EXPECT_NEAR(-f.dot(slip), u[0] * law.friction().support(-slip), 1e-10 * scale * (1 + f.norm()));   // dissipates the most
  }
  EXPECT_EQ(unsolved, 0);
  EXPECT_GT(pressing, 1000);
}

TEST(AlartCurnier, has_the_derivatives_of_differences_at_patches) {
  std::mt19937 random(23);
  std::normal_distribution<double> normal;
  int smooth = 0;
  for (int trial = 0; trial < 200; ++trial) {
    ContactProblem p = patch_stack(1, 1, 0.4, 0, 1).problem;
    p.laws[0] = random_patch(random);
    p.finalize();
    const std::vector<double> rho = row_masses(p);
    Linearisation l;
    l.resize(p.blocks, {});
    std::vector<double> x(6), v(6);
    for (double& number : x) number = normal(random);
    for (double& number : v) number = normal(random);
    const auto phi = [&] {
      alart_curnier_system.evaluate(p, rho, x, v, l, false);
      return l.phi;
    };
    alart_curnier_system.evaluate(p, rho, x, v, l, true);
    const Eigen::MatrixXd by_impulse = l.a_block(0), by_velocity = l.b_block(0);
    const std::vector<double> here = phi();
    constexpr double step = 1e-7;
    for (std::vector<double>* moved : {&x, &v})
      for (int k = 0; k < 6; ++k) {
        const std::size_t at = static_cast<std::size_t>(k);
        const double before = (*moved)[at];
        (*moved)[at] = before + step;
        const std::vector<double> ahead = phi();
        (*moved)[at] = before - step;
        const std::vector<double> behind = phi();
        (*moved)[at] = before;
        for (int i = 0; i < 6; ++i) {
          const std::size_t row = static_cast<std::size_t>(i);
          const double forward = (ahead[row] - here[row]) / step, backward = (here[row] - behind[row]) / step;
          if (std::abs(forward - backward) > 1e-5) continue;   // on a kink
          ++smooth;
          EXPECT_NEAR((moved == &x ? by_impulse : by_velocity)(i, k), 0.5 * (forward + backward), 1e-5) << i << k;
        }
      }
  }
  EXPECT_GT(smooth, 12000);
}

void expect_agreement(const PatchScene& scene, std::initializer_list<std::string_view> solvers) {
  const Solved reference = solve(scene.problem, "auto", 1e-13, 100000);
  ASSERT_LT(reference.report.residual.total(), 1e-12);
  const std::vector<double> motion = scene.motion(reference.impulses);
  for (const std::string_view solver : solvers) {
    SCOPED_TRACE(solver);
    const Solved s = solve(scene.problem, solver, 1e-10, 200000);
    EXPECT_EQ(s.report.status, SolveStatus::converged) << s.report.residual.total() << " after " << s.report.iterations;
    expect_near(scene.motion(s.impulses), motion, 1e-7);
  }
}

TEST(Patch, solvers_agree_on_piles_of_every_mass_ratio) {
  for (const bool ellipses : {false, true})
    for (unsigned seed = 0; seed < 2; ++seed) {
      SCOPED_TRACE(seed);
      const double stir = seed == 0 ? 0.0 : 0.3;
      // the heaviest below
      for (const double ratio : {1.0, 1e-3})
        expect_agreement(patch_stack(5, ratio, 0.4, stir, 20 + seed, ellipses),
                         {"nsgs", "accelerated-nsgs", "prox-gs", "alart-curnier", "admm", "pg", "apgd"});
      // and on top, where sweeps and gradients need more than anyone has
      expect_agreement(patch_stack(5, 1e3, 0.4, stir, 20 + seed, ellipses), {"alart-curnier", "admm"});
    }
  expect_agreement(patch_stack(3, 1, 0.4, 0.3, 20), {"prox-jacobi"});
}

TEST(Patch, the_strategies_of_prox_gs_and_prox_jacobi_reach_the_same_solution) {
  const PatchScene scene = patch_stack(3, 1, 0.4, 0.3, 31);
  const std::vector<double> motion = scene.motion(solve(scene.problem, "auto", 1e-13).impulses);
  for (const char* solver : {"prox-gs", "prox-jacobi"})
    for (const char* strategy : {"local", "global", "blocked"}) {
      SCOPED_TRACE(fmt::format("{} {}", solver, strategy));
      SolveControl control;
      control.tolerance = 1e-11;
      control.max_iterations = 100000;
      Workspace workspace;
      std::vector<double> impulses(scene.problem.rows(), 0.0);
      const SolveReport report =
          make_solver(solver, {{"r_factor", std::string(strategy)}})->solve(scene.problem, impulses, workspace, control);
      EXPECT_EQ(report.status, SolveStatus::converged) << report.residual.total();
      expect_near(scene.motion(impulses), motion, 1e-8);
    }
}

/// Cubes of which each has 0.7 of the side of the one below, at rest but for gravity.
double nested_side(int i) { return std::pow(0.7, i); }

PatchScene nested_stack(int count) {
  PatchScene scene;
  double height = 0;
  for (int i = 0; i < count; ++i) {
    const double side = nested_side(i), mass = 1000 * side * side * side;
    scene.add_body(mass, box_inertia(mass, Vec3::Constant(side)), {0, 0, height + 0.5 * side}, {0, 0, -0.0981});
    scene.add_patch(i - 1, i, {0, 0, height}, upright(), rectangle_outline(0.5 * side, 0.5 * side), 0.5, 0.38 * side,
                    0.5 * side);
    height += side;
  }
  scene.problem.finalize();
  return scene;
}

TEST(Patch, a_nested_stack_of_ten_takes_fewer_than_eighty_sweeps) {
  const Solved s = solve(nested_stack(10).problem, "nsgs", 1e-12);
  EXPECT_EQ(s.report.status, SolveStatus::converged);
  EXPECT_LT(s.report.iterations, 80);
}

TEST(Patch, closer_masses_take_fewer_than_eighty_accelerated_sweeps_and_points_that_are_not_reduced_twenty_times_as_many) {
  PatchScene patches, points;
  double height = 0;
  for (int i = 0; i < 10; ++i) {
    const double side = std::pow(0.85, i), mass = 1000 * side * side * side;
    for (PatchScene* scene : {&patches, &points})
      scene->add_body(mass, box_inertia(mass, Vec3::Constant(side)), {0, 0, height + 0.5 * side}, {0, 0, -0.0981});
    patches.add_patch(i - 1, i, {0, 0, height}, upright(), rectangle_outline(0.5 * side, 0.5 * side), 0.5, 0.38 * side,
                      0.5 * side);
    for (int k = 0; k < 25; ++k)   // as a detection that keeps all points of divided faces finds them
      points.add_point(i - 1, i, {side * (k / 5 / 4.0 - 0.5), side * (k % 5 / 4.0 - 0.5), height}, upright(), 0.5);
    height += side;
  }
  patches.problem.finalize();
  points.problem.finalize();
  const Solved one = solve(patches.problem, "accelerated-nsgs", 1e-12), all = solve(points.problem, "accelerated-nsgs", 1e-12);
  EXPECT_EQ(one.report.status, SolveStatus::converged);
  EXPECT_EQ(all.report.status, SolveStatus::converged);
  EXPECT_LT(one.report.iterations, 80);
  EXPECT_GT(all.report.iterations, 20 * one.report.iterations);
}

/// Sweeps of nsgs to 1e-13 for a block with eight sides that slides and turns, on one patch and on points at its corners.
std::pair<int, int> sweeps_of_octagon(double half_height) {
  const double mass = 2, radius = 0.5, lateral = mass * (radius * radius / 4 + half_height * half_height / 3);
  PatchScene patch, points;
  for (PatchScene* scene : {&patch, &points})
    scene->add_body(mass, {lateral, lateral, mass * radius * radius / 2}, {0, 0, half_height}, {1, 0.2, -0.1}, {0, 0, 0.5});
  std::vector<Vec2> outline;
  for (int i = 0; i < 8; ++i) {
    const double angle = std::numbers::pi * (i + 0.5) / 4;
    outline.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
    points.add_point(PatchScene::ground, 0, {outline.back().x(), outline.back().y(), 0}, upright(), 0.3);
  }
  patch.add_patch(PatchScene::ground, 0, Vec3::Zero(), upright(), outline, 0.3, 1.0 / 3, 0.5);
  patch.problem.finalize();
  points.problem.finalize();
  const Solved one = solve(patch.problem, "nsgs", 1e-13), eight = solve(points.problem, "nsgs", 1e-13);
  EXPECT_EQ(one.report.status, SolveStatus::converged);
  EXPECT_EQ(eight.report.status, SolveStatus::converged);
  return {one.report.iterations, eight.report.iterations};
}

TEST(Patch, a_sliding_octagon_is_one_visit_where_points_need_more_than_twenty_sweeps) {
  // A tall block presses on the edge in front.
  for (const double half_height : {0.05, 0.15, 0.4, 1.0}) {
    const auto [patch, points] = sweeps_of_octagon(half_height);
    EXPECT_EQ(patch, 1) << half_height;
    EXPECT_GT(points, 20) << half_height;
  }
}

TEST(Patch, impulses_of_the_last_step_save_sweeps) {
  PatchScene scene = patch_stack(6, 0.1, 0.5, 0.05, 41);
  const Solved cold = solve(scene.problem, "nsgs", 1e-10);
  for (double& number : scene.problem.b) number *= 1 + 1e-3;
  scene.problem.finalize();
  const Solved again = solve(scene.problem, "nsgs", 1e-10), warm = solve(scene.problem, "nsgs", 1e-10, 20000, cold.impulses);
  EXPECT_EQ(warm.report.status, SolveStatus::converged);
  EXPECT_LT(warm.report.iterations, again.report.iterations);
}

TEST(Patch, solvers_that_know_points_only_say_so) {
  const ContactProblem p = patch_stack(2, 1, 0.4, 0, 1).problem;
  const std::vector<std::string> able = solvers_that_honour(p.laws[0]);
  EXPECT_THAT(able, ::testing::UnorderedElementsAre("auto", "nsgs", "accelerated-nsgs", "prox-gs", "prox-jacobi", "six-d",
                                                    "alart-curnier", "pg", "apgd", "admm"));
  for (const SolverInfo& info : solvers()) {
    const bool takes = std::find(able.begin(), able.end(), info.name) != able.end();
    const Solved s = solve(p, info.name, 1e-6, 100);
    EXPECT_EQ(s.report.status == SolveStatus::unsupported, !takes) << info.name;
    EXPECT_EQ(s.report.reason.find("patches") != std::string_view::npos, !takes) << info.name << " " << s.report.reason;
  }
  EXPECT_FALSE(make_solver("prox-gs", {{"friction", std::string("box")}})->takes_patches());
}

TEST(Patch, compliance_and_a_matrix_for_w_make_no_difference) {
  PatchScene scene = patch_stack(3, 1, 0.4, 0.2, 51);
  for (std::size_t k = 0; k < scene.problem.sigma.size(); ++k) scene.problem.sigma[k] = 1e-3 * static_cast<double>(k % 3);
  scene.problem.finalize();
  const ContactProblem matrix = condense(scene.problem);
  const Solved factored = solve(scene.problem, "auto", 1e-13);
  for (const char* solver : {"nsgs", "alart-curnier", "admm", "prox-gs"}) {
    const Solved s = solve(matrix, solver, 1e-12, 100000);
    EXPECT_EQ(s.report.status, SolveStatus::converged) << solver;
    expect_near(s.impulses, factored.impulses, 1e-8);
  }
}

TEST(SixD, solves_what_sticks_and_what_tips_about_an_edge) {
  for (const double edge : {-0.3, 0.3}) {
    const PatchScene scene = box_on_ledge(edge);
    const Solved law = solve(scene.problem), paper = solve(scene.problem, "six-d");
    EXPECT_EQ(paper.report.status, SolveStatus::converged) << edge << " " << paper.report.residual.total();
    expect_near(scene.motion(paper.impulses), scene.motion(law.impulses), 1e-10);
  }
  const PatchScene stack = nested_stack(10);
  const Solved s = solve(stack.problem, "six-d", 1e-12);
  EXPECT_EQ(s.report.status, SolveStatus::converged);
  EXPECT_LT(s.report.iterations, 80);
}

TEST(SixD, says_where_it_stands_still_beside_the_law) {
  // Sliding and spinning at once: Coulomb and Contensou share what a rectangle cuts apart.
  PatchScene scene;
  scene.add_body(2, {0.2, 0.2, 0.3}, {0, 0, 0.15}, {1, 0, -0.1}, {0, 0, 3});
  scene.add_patch(PatchScene::ground, 0, Vec3::Zero(), upright(), rectangle_outline(0.5, 0.5), 0.3, 0.38, 0.5);
  scene.problem.finalize();
  const Solved s = solve(scene.problem, "six-d", 1e-10, 100);
  EXPECT_EQ(s.report.status, SolveStatus::stalled);
  EXPECT_GT(s.report.residual.dissipation, 1e-4);
}

TEST(SixD, cuts_spin_at_the_bound_of_four_corners) {
  // Pressure p of a patch with the corners c_i, wᵢ bilinear: the torsion is at most µ λₙ Σ wᵢ |cᵢ − p| [6d eq. 13].
  const double mu = 0.3, a = 0.5, b = 0.4;
  for (const Vec2& p : {Vec2(0, 0), Vec2(0.2, -0.1)}) {
    PatchScene scene;
    scene.add_body(2, {0.5, 0.5, 0.5}, {p.x(), p.y(), 0}, {0, 0, -0.1}, {0, 0, 9});
    scene.add_patch(PatchScene::ground, 0, Vec3::Zero(), upright(), rectangle_outline(a, b), mu, 0.38, 1);
    scene.problem.finalize();
    std::vector<double> last(6, 0.0), impulses(6, 0.0);
    SolveControl control;
    control.tolerance = 1e-12;
    control.keep_history = true;
    control.observer = [&](int, std::span<const double> x, const Residual&) { last.assign(x.begin(), x.end()); };
    Workspace workspace;
    make_solver("six-d")->solve(scene.problem, impulses, workspace, control);
    double arm = 0;
    for (const double x : {-a, a})
      for (const double y : {-b, b}) arm += (0.5 + 0.5 * p.x() / x) * (0.5 + 0.5 * p.y() / y) * (Vec2(x, y) - p).norm();
    EXPECT_NEAR(last[0], 0.2, 1e-12);
    EXPECT_NEAR(scene.motion(last)[5], 9 - mu * 0.2 * arm / 0.5, 1e-9) << p.transpose();
  }
}

/// What a body does on its patch, by the law and by the paper's projections, for docs/solvers/patches.md: see the properties in
/// the output of the test.
struct Motion {
  const char* name;
  Vec3 center, velocity, spin;
  double mu;
};

TEST(SixD, differences_from_the_law) {
  const Motion motions[] = {{"rests", {0.1, 0, 0.2}, {0, 0, -0.1}, {0, 0, 0}, 0.5},
                            {"tips", {0.7, 0, 0.2}, {0, 0, -0.1}, {0, 0, 0}, 0.5},
                            {"slides", {0, 0, 0.2}, {1, 0, -0.1}, {0, 0, 0}, 0.3},
                            {"slides_aside", {0, 0, 0.2}, {1, 0.4, -0.1}, {0, 0, 0}, 0.3},
                            {"spins", {0, 0, 0.2}, {0, 0, -0.1}, {0, 0, 3}, 0.3},
                            {"slides_and_spins", {0, 0, 0.2}, {1, 0, -0.1}, {0, 0, 3}, 0.3},
                            {"tips_and_slides", {0.7, 0.1, 0.2}, {1, 0, -0.1}, {0, 0, 0}, 0.3},
                            {"lands_turning", {0, 0, 0.2}, {0, 0, -0.1}, {0.5, 1, 0}, 0.3}};
  for (const Motion& m : motions) {
    PatchScene scene;
    scene.add_body(2, box_inertia(2, {1, 0.8, 0.4}), m.center, m.velocity, m.spin);
    const PressurePatch patch = PressurePatch::polygon({{-0.8, -1}, {0.8, -1}, {0.8, 1}, {-0.8, 1}});
    scene.add_patch(PatchScene::ground, 0, Vec3::Zero(), upright(), patch, m.mu, 0.5 * patch.mean_arm(), 0.5);
    scene.problem.finalize();
    const Solved law = solve(scene.problem);
    ASSERT_EQ(law.report.status, SolveStatus::converged) << m.name;
    std::vector<double> last(6, 0.0);
    SolveControl control;
    control.tolerance = 1e-12;
    control.keep_history = true;
    control.observer = [&](int, std::span<const double> x, const Residual&) { last.assign(x.begin(), x.end()); };
    Workspace workspace;
    std::vector<double> impulses(6, 0.0);
    const SolveReport report = make_solver("six-d")->solve(scene.problem, impulses, workspace, control);
    EXPECT_TRUE(report.status == SolveStatus::converged || report.status == SolveStatus::stalled) << m.name;
    const std::vector<double> a = scene.motion(last), b = scene.motion(law.impulses);
    double difference = 0;
    for (std::size_t k = 0; k < 6; ++k) difference = std::max(difference, std::abs(a[k] - b[k]));
    ::testing::Test::RecordProperty(m.name,
                                    fmt::format("{} {:.2g} in {}", status_name(report.status), difference, report.iterations));
    EXPECT_EQ(report.status == SolveStatus::converged, difference < 1e-10) << m.name << " " << difference;
  }
}

TEST(Patch, iterations_of_every_solver) {
  const PatchScene nested = nested_stack(10);
  PatchScene points;
  double height = 0;
  for (int i = 0; i < 10; ++i) {
    const double side = nested_side(i), mass = 1000 * side * side * side;
    points.add_body(mass, box_inertia(mass, Vec3::Constant(side)), {0, 0, height + 0.5 * side}, {0, 0, -0.0981});
    for (const Vec2& corner : rectangle_outline(0.5 * side, 0.5 * side))
      points.add_point(i - 1, i, {corner.x(), corner.y(), height}, upright(), 0.5);
    height += side;
  }
  points.problem.finalize();
  for (const char* solver :
       {"nsgs", "accelerated-nsgs", "prox-gs", "six-d", "alart-curnier", "auto", "admm", "pg", "apgd", "prox-jacobi"}) {
    const Solved one = solve(nested.problem, solver, 1e-10, 100000);
    EXPECT_EQ(one.report.status, SolveStatus::converged) << solver;
    ::testing::Test::RecordProperty(std::string("patches ") + solver, one.report.iterations);
    if (solver == std::string_view("six-d")) continue;
    const Solved four = solve(points.problem, solver, 1e-10, 20000);
    ::testing::Test::RecordProperty(std::string("points ") + solver,
                                    four.report.status == SolveStatus::converged ? four.report.iterations : -1);
  }
}

TEST(SixD, finds_the_pressure_of_the_law_without_friction_where_it_projects_by_mass) {
  // A slab that lands beside its centre.
  PatchScene scene;
  scene.add_body(2, {0.1, 0.9, 0.5}, {0.9, 0.7, 0.2}, {0, 0, -0.1});
  scene.add_patch(PatchScene::ground, 0, Vec3::Zero(), upright(), PressurePatch::ellipse({0, 0}, {0.5, 0}, 0.3), 0, 0, 1);
  scene.problem.finalize();
  const Solved law = solve(scene.problem);
  double difference[2];
  int i = 0;
  for (const char* metric : {"euclidean", "mass"}) {
    Workspace workspace;
    std::vector<double> impulses(6, 0.0);
    make_solver("six-d", {{"metric", std::string(metric)}})->solve(scene.problem, impulses, workspace, {});
    difference[i] = 0;
    const std::vector<double> a = scene.motion(impulses), b = scene.motion(law.impulses);
    for (std::size_t k = 0; k < a.size(); ++k) difference[i] = std::max(difference[i], std::abs(a[k] - b[k]));
    ++i;
  }
  EXPECT_GT(difference[0], 1e-4);
  EXPECT_LT(difference[1], 1e-9);
}

}   // namespace patch_solve_test
}   // namespace stickslip
