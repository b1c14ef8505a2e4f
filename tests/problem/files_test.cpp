// Problem files: what is written reads back to the same numbers, and what others published means what they mean.
#include <bit>

#include "mixed_problems.h"
#include "places.h"
#include "problem_files.h"
#include "stickslip/friction/sets.h"
#include "stickslip/problem/residual.h"
#include "store/hdf5.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using stickslip::testing::everything;
using stickslip::testing::Files;
using stickslip::testing::message_of;
using stickslip::testing::random_numbers;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A problem with an explicit, nonsymmetric W of blocks of this size.
ContactProblem matrix_of(std::size_t blocks, std::uint32_t dim, unsigned seed) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto n = static_cast<int>(blocks * dim);
  const std::vector<double> x = random_numbers(static_cast<std::size_t>(n) * n, seed);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if ((i / static_cast<int>(dim) + j / static_cast<int>(dim)) % 3 != 1)
        entries.emplace_back(i, j, i == j ? 3 + x[n * i + j] : 0.1 * x[n * i + j]);
  std::vector<std::uint32_t> offset;
  for (std::uint32_t i = 0; i <= blocks; ++i) offset.push_back(dim * i);
  ContactProblem p = matrix_problem(block_matrix(offset, entries), BlockKind::contact);
  p.b = random_numbers(p.rows(), seed + 1);
  return p;
}

ContactProblem with_law(ContactProblem p, auto&& law) {
  for (std::size_t i = 0; i < p.laws.size(); ++i) p.laws[i] = law(0.1 * static_cast<double>(i + 1));
  p.finalize();
  return p;
}

/// The same bits: −0 and 0 differ.
void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << what << " " << i;
}

void expect_same_numbers(const ContactProblem& a, const ContactProblem& b) {
  ASSERT_EQ(a.rows(), b.rows());
  EXPECT_EQ(delassus(a).dense(), delassus(b).dense());
  EXPECT_EQ(a.b, b.b);
  ASSERT_EQ(a.laws.size(), b.laws.size());
  ResidualWorkspace work;
  // The laws show in the natural map of any impulses.
  const std::vector<double> impulses = random_numbers(a.rows(), 7);
  EXPECT_EQ(natural_map_error(a, impulses, work), natural_map_error(b, impulses, work));
}

TEST_F(Files, our_own_format_keeps_every_bit_of_everything) {
  const ProblemFile a = everything(), b = again(a, "stickslip");
  expect_same_bits(a.problem.b, b.problem.b, "b");
  expect_same_bits(a.problem.sigma, b.problem.sigma, "sigma");
  expect_same_bits(a.problem.lower, b.problem.lower, "lower");
  expect_same_bits(a.problem.upper, b.problem.upper, "upper");
  expect_same_bits(a.problem.jacobian_values, b.problem.jacobian_values, "jacobian");
  expect_same_bits(a.problem.scaled_jacobian, b.problem.scaled_jacobian, "scaled jacobian");
  expect_same_bits(a.problem.diagonal_values, b.problem.diagonal_values, "diagonal");
  expect_same_bits(a.guess, b.guess, "guess");
  expect_same_bits(a.solution, b.solution, "solution");
  EXPECT_EQ(a.problem.h, b.problem.h);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.description, b.description);
  for (std::size_t i = 0; i < a.problem.segments.size(); ++i)
    EXPECT_EQ(a.problem.segments[i].inverse_inertia, b.problem.segments[i].inverse_inertia);
  for (std::size_t i = 0; i < a.problem.blocks.size(); ++i) {
    EXPECT_EQ(a.problem.blocks[i].kind, b.problem.blocks[i].kind);
    EXPECT_EQ(a.problem.blocks[i].segment[1], b.problem.blocks[i].segment[1]);
    EXPECT_EQ(a.problem.laws[i].index(), b.problem.laws[i].index());
  }
  expect_same_numbers(a.problem, b.problem);
}

TEST_F(Files, our_own_format_keeps_a_matrix) {
  ProblemFile a;
  a.problem = with_law(matrix_of(4, 4, 3), [](double mu) { return EllipsoidFriction{mu, 2 * mu, 0.1 * mu}; });
  const ProblemFile b = again(a, "stickslip");
  EXPECT_FALSE(b.problem.is_factored());
  expect_same_numbers(a.problem, b.problem);
  EXPECT_TRUE(b.guess.empty() && b.solution.empty());
}

TEST_F(Files, siconos_text_reads_back_to_the_same_numbers) {
  const auto circle = [](double mu) { return CircularFriction{mu}; };
  for (const std::size_t contacts : {1u, 2u, 12u}) {
    ProblemFile space, plane, rolling, lcp;
    space.problem = with_law(matrix_of(contacts, 3, 3), circle);
    plane.problem = with_law(matrix_of(contacts, 2, 4), [](double mu) { return PlanarFriction{mu}; });
    rolling.problem = with_law(matrix_of(contacts, 5, 5), [](double mu) { return RollingFriction{mu, 0.3 * mu}; });
    lcp.problem = with_law(matrix_of(contacts, 1, 6), circle);
    space.title = "a stack";
    for (const ProblemFile* file : {&space, &plane, &rolling, &lcp}) {
      const ProblemFile read = again(*file, "siconos");
      expect_same_numbers(file->problem, read.problem);
      EXPECT_EQ(read.description, file->title);
    }
  }
}

TEST_F(Files, our_own_format_keeps_sets_of_the_open_slot_and_stores_shared_ones_once) {
  const auto square = std::make_shared<const PolygonSet>(PolygonSet::box({-0.1, -0.2}, {0.3, 0.4}));
  ProblemFile flat, spatial, full;
  flat.problem = with_law(matrix_of(4, 3, 11), [&](double mu) -> FrictionSet {
    if (mu < 0.25) return CustomFriction<2>{square};
    if (mu < 0.35) return CustomFriction<2>{std::make_shared<const TrescaSet>(mu)};
    return EllipseFriction{mu, 2 * mu};
  });
  spatial.problem = with_law(matrix_of(3, 4, 12), [](double mu) {
    return CustomFriction<3>{
        std::make_shared<const HullSet>(std::vector<Vec3>{{mu, 0, 0}, {-mu, 0.1, 0}, {0, -mu, 0}, {0, 0, 0.3}, {0, 0, -0.2}})};
  });
  full.problem = with_law(matrix_of(3, 6, 13), [](double mu) {
    return CustomFriction<5>{std::make_shared<const FullSet>(EllipsoidFriction{mu, 0.2, 0.1}, 0.05)};
  });
  ProblemFile patches;
  patches.problem = with_law(matrix_of(3, 6, 14), [](double mu) {
    const PressurePatch patch = mu < 0.3 ? PressurePatch::polygon({{-mu, 0.1}, {0.7, -1.0 / 3}, {0.2, 0.9}})
                                         : PressurePatch::ellipse({0.1, mu}, {0.3, -0.1}, 1.0 / 7);
    return PatchFriction{std::make_shared<const PatchSet>(patch, EllipsoidFriction{mu, 0.2, 0.1})};
  });
  for (std::size_t i = 0; i < 3; ++i) {
    const ProblemFile read = again(patches, "stickslip");
    EXPECT_EQ(std::get<PatchFriction>(read.problem.laws[i]).set->parameters(),
              std::get<PatchFriction>(patches.problem.laws[i]).set->parameters());
  }
  for (const char* format : {"fclib", "siconos"}) EXPECT_NE(cannot_save(patches.problem, format), "") << format;
  for (const ProblemFile* file : {&flat, &spatial, &full, &patches}) {
    const ProblemFile read = again(*file, "stickslip");
    expect_same_numbers(file->problem, read.problem);
    for (std::size_t i = 0; i < read.problem.laws.size(); ++i)
      EXPECT_EQ(law_name(read.problem.laws[i]), law_name(file->problem.laws[i]));
  }
  const ProblemFile read = again(flat, "stickslip");
  EXPECT_EQ(std::get<CustomFriction<2>>(read.problem.laws[0]).set, std::get<CustomFriction<2>>(read.problem.laws[1]).set);
}

TEST_F(Files, other_formats_refuse_laws_that_they_do_not_know) {
  ProblemFile file;
  file.problem = with_law(matrix_of(3, 3, 11), [](double mu) { return EllipseFriction{mu, 2 * mu}; });
  EXPECT_THAT(message_of([&] { again(file, "siconos"); }), HasSubstr("ellipse"));
  EXPECT_THAT(message_of([&] { again(file, "fclib"); }), HasSubstr("Coulomb"));
}

TEST_F(Files, a_problem_of_a_scene_becomes_its_matrix_in_siconos_and_fclib) {
  ProblemFile file;
  file.problem = testing::two_box_stack(2);
  file.guess = random_numbers(file.problem.rows(), 1);
  file.solution = random_numbers(file.problem.rows(), 2);
  for (const char* format : {"siconos", "fclib"}) {
    const ProblemFile read = again(file, format);
    EXPECT_FALSE(read.problem.is_factored());
    EXPECT_EQ(delassus(read.problem).dense(), delassus(file.problem).dense()) << format;
    EXPECT_EQ(read.problem.b, file.problem.b);
  }
  EXPECT_EQ(again(file, "fclib").guess, file.guess);
  EXPECT_EQ(again(file, "fclib").solution, file.solution);
}

TEST_F(Files, a_boxed_lcp_keeps_its_bounds) {
  ProblemFile file;
  file.problem = matrix_of(5, 1, 8);
  for (Block& block : file.problem.blocks) block.kind = BlockKind::box;
  file.problem.lower = {-1, -std::numeric_limits<double>::infinity(), 0, 0, -2};
  file.problem.upper = {1, std::numeric_limits<double>::infinity(), 3, std::numeric_limits<double>::infinity(), -1};
  file.problem.finalize();
  for (const char* format : {"siconos", "stickslip"}) {
    const ProblemFile read = again(file, format);
    EXPECT_EQ(read.problem.lower, file.problem.lower);
    EXPECT_EQ(read.problem.upper, file.problem.upper);
    EXPECT_EQ(read.problem.blocks[2].kind, BlockKind::box);
    EXPECT_EQ(delassus(read.problem).dense(), delassus(file.problem).dense());
  }
}

TEST_F(Files, a_global_file_gives_the_matrix_of_the_masses_and_jacobians_it_was_written_from) {
  ProblemFile file;
  file.problem = testing::two_box_stack(3, 7);
  file.solution = random_numbers(file.problem.rows(), 4);
  const ProblemFile read = again(file, "fclib-global");
  const Eigen::MatrixXd expected = delassus(file.problem).dense();
  EXPECT_LT((delassus(read.problem).dense() - expected).norm(), 1e-14 * expected.norm());
  EXPECT_TRUE(read.problem.is_factored() && !read.problem.is_coupled()) << "rigid bodies are recognised";
  EXPECT_EQ(read.problem.b, file.problem.b);
  EXPECT_EQ(read.solution, file.solution);
}

TEST_F(Files, nodes_and_coupled_carriers_pass_through_our_own_format_to_the_bit_and_through_the_global_one) {
  ProblemFile file;
  file.problem = testing::problem_of_all_segments(true);
  const std::vector<double> impulses = random_numbers(file.problem.rows(), 3);
  std::vector<double> expected(file.problem.rows()), v(file.problem.rows()), scratch;
  file.problem.contact_velocity(impulses, expected, scratch);
  const ProblemFile own = again(file, "stickslip");
  ASSERT_TRUE(own.problem.is_coupled());
  own.problem.contact_velocity(impulses, v, scratch);
  EXPECT_EQ(v, expected);

  std::fill(file.problem.sigma.begin(), file.problem.sigma.end(), 0.0);
  file.problem.finalize();
  file.problem.contact_velocity(impulses, expected, scratch);
  const ProblemFile global = again(file, "fclib-global");
  ASSERT_TRUE(global.problem.is_coupled()) << "M is not multiplied out";
  global.problem.contact_velocity(impulses, v, scratch);
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(v[k], expected[k], 1e-12);
}

TEST_F(Files, joints_pass_through_both_forms_of_fclib) {
  ProblemFile file;
  ContactProblem& p = file.problem;
  p = testing::two_box_stack(2);
  // The two boxes are hinged: five rows without freedom.
  Block joint{BlockKind::bilateral,
              5,
              2,
              static_cast<std::uint32_t>(p.rows()),
              static_cast<std::uint32_t>(p.jacobian_values.size()),
              0,
              {0, 1}};
  for (const double x : random_numbers(60, 5)) p.jacobian_values.push_back(x);
  for (const double x : random_numbers(5, 6)) p.b.push_back(x), p.sigma.push_back(0);
  p.laws.emplace_back();
  p.blocks.push_back(joint);
  p.finalize();
  file.solution = random_numbers(p.rows(), 9);
  const Eigen::MatrixXd expected = delassus(p).dense();
  for (const char* format : {"fclib", "fclib-global"}) {
    const ProblemFile read = again(file, format);
    EXPECT_LT((delassus(read.problem).dense() - expected).norm(), 1e-14 * expected.norm()) << format;
    EXPECT_EQ(read.problem.b, p.b);
    EXPECT_EQ(read.solution, file.solution);
    EXPECT_EQ(read.problem.contact_count(), 8u);
    EXPECT_EQ(read.problem.blocks.size(), 8u + 5u) << "a joint becomes single bilateral rows";
  }
}

/// Two bodies, and contacts that slide and roll between them.
ContactProblem rolling_contacts() {
  ContactProblem p;
  p.segments = {testing::box_segment(1.7), testing::box_segment(0.3, 0.2)};
  for (std::uint32_t i = 0; i < 3; ++i) {
    Block block{BlockKind::contact, 5, 2, 5 * i, 60 * i, 0, {0, 1}};
    p.blocks.push_back(block);
    p.laws.emplace_back(RollingFriction{0.3 + 0.1 * i, 0.02 * (i + 1)});
  }
  p.jacobian_values = random_numbers(180, 11);
  p.b = random_numbers(15, 12);
  p.sigma.assign(15, 0.0);
  p.finalize();
  return p;
}

TEST_F(Files, fclib_keeps_problems_with_rolling_in_their_global_form) {
  ProblemFile file;
  file.problem = rolling_contacts();
  file.solution = random_numbers(15, 13);
  EXPECT_THAT(cannot_save(file.problem, "fclib"), HasSubstr("fclib-global"));
  const ProblemFile read = again(file, "fclib-global");
  const Eigen::MatrixXd w = delassus(file.problem).dense();
  EXPECT_LT((delassus(read.problem).dense() - w).norm(), 1e-13 * w.norm());
  EXPECT_EQ(read.problem.b, file.problem.b);
  EXPECT_EQ(read.solution, file.solution);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto &before = std::get<RollingFriction>(file.problem.laws[i]),
               &after = std::get<RollingFriction>(read.problem.laws[i]);
    EXPECT_EQ(before.mu, after.mu);
    EXPECT_EQ(before.mu_rolling, after.mu_rolling);
  }
  // As the library itself names things.
  const h5::Handle f = h5::open_file(path("x.fclib-global"));
  for (const char* name : {"M/x", "H/x", "vectors/mu", "vectors/mu_r", "vectors/f", "vectors/w", "spacedim"})
    EXPECT_TRUE(h5::exists(f.get(), std::string("fclib_global_rolling/") + name)) << name;
}

TEST_F(Files, a_problem_without_contacts_passes_through_every_format) {
  ProblemFile file;
  file.problem.finalize();
  for (const std::string& format : problem_formats()) EXPECT_EQ(again(file, format).problem.rows(), 0u) << format;
}

TEST_F(Files, the_format_follows_from_name_and_problem) {
  const ContactProblem stack = testing::two_box_stack(1);
  EXPECT_EQ(default_format("a.hdf5", stack), "fclib");
  EXPECT_EQ(default_format("a.dat", stack), "siconos");
  EXPECT_EQ(default_format("a.hdf5", everything().problem), "stickslip");
  EXPECT_THAT(message_of([&] { save_problem(path("a.dat"), everything()); }),
              AllOf(HasSubstr("a.dat"), HasSubstr("siconos"), HasSubstr("Use ")));
  EXPECT_THAT(message_of([&] { cannot_save(stack, "fclip"); }), HasSubstr("Did you mean 'fclib'?"));
  EXPECT_FALSE(fs::exists(path("a.dat")));
}

TEST_F(Files, a_written_fclib_file_has_the_names_types_and_ranks_of_fclib) {
  ProblemFile file;
  file.problem = testing::two_box_stack(2);
  file.guess = file.solution = std::vector<double>(24, 0.5);
  save_problem(path("l"), file, "fclib");
  save_problem(path("g"), file, "fclib-global");
  const auto layout = [](const std::string& name, const std::string& dataset) -> std::string {
    const h5::Handle f = h5::open_file(name);
    if (!h5::exists(f.get(), dataset)) return "missing";
    const h5::Handle d = h5::open_dataset(f.get(), dataset), type(H5Dget_type(d.get()), H5Tclose);
    const char* kind = H5Tequal(type.get(), H5T_NATIVE_INT) > 0      ? "int"
                       : H5Tequal(type.get(), H5T_NATIVE_DOUBLE) > 0 ? "double"
                                                                     : "text";
    return fmt::format("{} [{}]", kind, fmt::join(h5::extent_of(d.get()), ","));
  };
  for (const char* name : {"nzmax", "m", "n", "nz"}) {
    EXPECT_EQ(layout(path("l"), std::string("fclib_local/W/") + name), "int [1]");
    EXPECT_EQ(layout(path("g"), std::string("fclib_global/M/") + name), "int [1]");
  }
  EXPECT_EQ(layout(path("l"), "fclib_local/W/p"), "int [25]") << "compressed rows";
  EXPECT_EQ(layout(path("l"), "fclib_local/spacedim"), "int [1]");
  EXPECT_EQ(layout(path("l"), "fclib_local/vectors/q"), "double [24]");
  EXPECT_EQ(layout(path("l"), "fclib_local/vectors/mu"), "double [8]");
  EXPECT_EQ(layout(path("l"), "solution/r"), "double [24]");
  EXPECT_EQ(layout(path("l"), "solution/u"), "double [24]");
  EXPECT_EQ(layout(path("l"), "guesses/number_of_guesses"), "int [1]");
  EXPECT_EQ(layout(path("l"), "guesses/1/r"), "double [24]");
  EXPECT_EQ(layout(path("g"), "fclib_global/vectors/f"), "double [12]");
  EXPECT_EQ(layout(path("g"), "fclib_global/vectors/w"), "double [24]");
  EXPECT_EQ(layout(path("g"), "solution/v"), "double [12]");
  for (const char* name : {"title", "description", "math_info"})
    EXPECT_EQ(layout(path("l"), std::string("fclib_local/info/") + name), "text []");
}

class Published : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(data_)) GTEST_SKIP() << "no published problems at " << data_;
  }
  const fs::path data_ = fs::path(places::kSourceDir) / "../shared/data";
};

TEST_F(Published, every_file_reads_and_friction_problems_are_almost_symmetric_and_semi_definite) {
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data_)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
    SCOPED_TRACE(entry.path());
    const ProblemFile file = load_problem(entry.path());
    ++count;
    ASSERT_GT(file.problem.rows(), 0u);
    if (entry.path().parent_path().filename() == "lcp") continue;
    const Eigen::MatrixXd w = delassus(file.problem).dense();
    EXPECT_LT((w - w.transpose()).norm(), 1e-3 * w.norm());
    const std::vector<double> x = random_numbers(file.problem.rows(), 3);
    const Eigen::Map<const Eigen::VectorXd> y(x.data(), w.rows());
    EXPECT_GT(y.dot(w * y), -1e-8 * w.norm() * y.squaredNorm());
  }
  EXPECT_GE(count, 20);
}

TEST_F(Published, dense_numbers_stand_column_by_column) {
  // A quadratic program with the constraint Σz ≥ 6 as an LCP: read row by row the last row would ask for Σz ≤ −6.
  const Eigen::MatrixXd m = delassus(load_problem(data_ / "lcp/lcp_CPS_4.dat").problem).dense();
  EXPECT_EQ(Eigen::RowVectorXd(m.row(3)), Eigen::RowVector4d(1, 1, 1, 0));
  // Murty's exponential example, with its indices reversed.
  const Eigen::MatrixXd murty = delassus(load_problem(data_ / "lcp/lcp_exp_murty.dat").problem).dense();
  EXPECT_TRUE(murty.isUpperTriangular());
  EXPECT_EQ(murty(0, 5), 2);
}

TEST_F(Published, rolling_problems_have_two_coefficients) {
  const ProblemFile file = load_problem(data_ / "rolling/RFC3D_sphere_1.dat");
  ASSERT_EQ(file.problem.contact_count(), 1u);
  const auto& law = std::get<RollingFriction>(file.problem.laws[0]);
  EXPECT_NEAR(law.mu, 0.6, 1e-15);
  EXPECT_NEAR(law.mu_rolling, 0.5, 1e-15);
}

TEST_F(Published, a_global_problem_is_the_one_that_its_authors_condensed) {
  const ContactProblem p = load_problem(data_ / "gfc3d/GFC3D_TwoRods1.dat").problem;
  EXPECT_TRUE(p.is_factored()) << "it stays global";
  const ContactProblem q = load_problem(data_ / "gfc3d/GFC3D_TwoRods1-condensed.dat").problem;
  const Eigen::MatrixXd w = delassus(p).dense(), condensed = delassus(q).dense();
  ASSERT_EQ(w.rows(), condensed.rows());
  EXPECT_LT((w - condensed).norm(), 1e-5 * condensed.norm()) << "numbers of the file have seven digits";
  for (std::size_t k = 0; k < p.b.size(); ++k) EXPECT_NEAR(p.b[k], q.b[k], 1e-5);
}

/// Proximal sweeps in plain code: good enough to see the velocities of a solution.
std::vector<double> solved_velocity(const ContactProblem& p, int sweeps) {
  const BlockMatrix w = delassus(p);
  std::vector<double> r(p.rows(), 0.0), v(p.rows());
  for (int k = 0; k < sweeps; ++k)
    for (std::size_t i = 0; i < p.blocks.size(); ++i) {
      Vec3 u = Eigen::Map<const Vec3>(p.b.data() + 3 * i);
      for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e)
        u += w.entry(i, e) * Eigen::Map<const Vec3>(r.data() + 3 * w.column[e]);
      Eigen::Map<Vec3> x(r.data() + 3 * i);
      x[0] = std::max(0.0, x[0] - p.scales[i].normal_mass * u[0]);
      x.tail<2>() = std::get<CircularFriction>(p.laws[i]).project(x[0], x.tail<2>() - p.scales[i].friction_mass * u.tail<2>());
    }
  std::vector<double> scratch;
  p.contact_velocity(r, v, scratch);
  return v;
}

TEST_F(Published, fclib_problems_have_the_velocities_that_are_stored_as_their_solution) {
  // The published solutions hold velocities and zeros for impulses.
  for (const char* name : {"fc3d/Box_Stacks-i0122-82-5.hdf5", "fc3d/Capsules-i125-1213.hdf5"}) {
    SCOPED_TRACE(name);
    const ProblemFile file = load_problem(data_ / name);
    EXPECT_TRUE(file.solution.empty());
    ASSERT_EQ(file.solution_velocity.size(), file.problem.rows());
    EXPECT_FALSE(file.guess.empty());
    EXPECT_FALSE(file.title.empty());
    const std::vector<double> v = solved_velocity(file.problem, 2000);
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      largest = std::max(largest, std::abs(file.problem.b[i]));
      difference = std::max(difference, std::abs(v[i] - file.solution_velocity[i]));
    }
    EXPECT_LT(difference, 1e-3 * largest);
  }
}

}   // namespace
}   // namespace stickslip
