// Problem files that are wrong: the message names file, line or dataset, value and remedy.
#include <sys/resource.h>

#include <csignal>

#include "problem_files.h"
#include "store/hdf5.h"
#include "store/memory_file.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using stickslip::testing::everything;
using stickslip::testing::Files;
using stickslip::testing::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kGood = "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 2 0\n0 0 2\n-1 0.5 0\n0.7\n";

TEST_F(Files, a_good_text_with_a_flag_and_a_remark_reads) {
  EXPECT_EQ(error_of(kGood), "no error");
  EXPECT_EQ(error_of(kGood + "1\n"), "no error");
  EXPECT_EQ(error_of(kGood + "# 3 remarks 4 5\n"), "no error");
}

TEST_F(Files, malformed_texts_name_file_line_value_and_remedy) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kGood;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(error_of(kGood.substr(0, 30)),
              AllOf(HasSubstr("bad.dat: line 7"), HasSubstr("3 × 3 numbers"), HasSubstr("truncated")));
  EXPECT_THAT(error_of(kGood.substr(0, kGood.find("0.5"))),
              AllOf(HasSubstr("after 1 of the 3 numbers of q"), HasSubstr("truncated")));
  EXPECT_THAT(error_of(kGood.substr(0, kGood.find("0.7"))),
              AllOf(HasSubstr("ends where the friction coefficients"), HasSubstr("truncated")));
  EXPECT_THAT(error_of(kGood + "0.5\n"), AllOf(HasSubstr("line 12"), HasSubstr("0.5 stands after the end")));
  EXPECT_THAT(error_of(changed("3\n3\n3 3", "4\n4\n4 4")),
              AllOf(HasSubstr("13 of the 16 numbers of the matrix"), HasSubstr("sizes in its first lines are wrong")))
      << "read as a global problem";
  EXPECT_THAT(error_of(changed("3\n3\n3 3", "4\n5\n4 5")),
              AllOf(HasSubstr("line 1"), HasSubstr("3 × 1 = 3, not 4 and 5"), HasSubstr("LCP")));
  EXPECT_THAT(error_of(changed("3 3\n", "3 4\n")), AllOf(HasSubstr("line 6"), HasSubstr("is 4"), HasSubstr("ask for 3")));
  EXPECT_THAT(error_of(changed("0.7", "-0.7")), AllOf(HasSubstr("line 11"), HasSubstr("-0.7"), HasSubstr("at least 0")));
  EXPECT_THAT(error_of(changed("0.5", "nan")), AllOf(HasSubstr("line 10"), HasSubstr("number 2 of q is nan")));
  EXPECT_THAT(error_of(changed("0.5", "1e999")), AllOf(HasSubstr("line 10"), HasSubstr("finite")));
  EXPECT_THAT(error_of(changed("2 0 0", "2 x0 0")),
              AllOf(HasSubstr("line 7"), HasSubstr("'x0'"), HasSubstr("number 2 of the matrix")));
  EXPECT_THAT(error_of("hello world"), AllOf(HasSubstr("'hello'"), HasSubstr("HDF5")));
  EXPECT_THAT(error_of(" \n "), HasSubstr("empty"));
  EXPECT_THAT(error_of("3 300000000 0 900000000 900000000 900000000 900000000 1 2"), HasSubstr("truncated"))
      << "and no memory is asked for";
  EXPECT_THAT(error_of("3 2 4 6 6 6"), HasSubstr("storage"));
  EXPECT_THAT(error_of("3 1 2 3 3 3"), HasSubstr("no kind of sparse matrix"));
  EXPECT_THAT(error_of("3 1 2 3 3 2 CSparse 3-by-3, nzmax: 2 nnz: 2, 1-norm: 1 col 0 : locations 0 to 1 0 : 1 7 : 1"),
              HasSubstr("a row is 7"));
  EXPECT_THAT(error_of("3 1 2 3 3 2 CSparse 3-by-3, nzmax: 2 nnz: 2, 1-norm: 1 col 0 : locations 0 to 1 0 : 1 row"),
              HasSubstr("'row'"));
  EXPECT_THAT(error_of("boxed-lcp 1 0 1 1 1 1 2 -1 3 0"), AllOf(HasSubstr("upper bound 0"), HasSubstr("lower bound 3")));
  EXPECT_THAT(message_of([&] { load_problem(path("absent.dat")); }), AllOf(HasSubstr("absent.dat"), HasSubstr("No such file")));
  EXPECT_THAT(message_of([&] { load_problem(directory_); }), HasSubstr("directory"));
}

TEST_F(Files, sparse_matrices_are_read_as_csparse_prints_them) {
  // Column 1 is empty.
  const std::string columns =
      "3\n1\n2\n3\n3\n2\nCSparse Version 3.1.9\n3-by-3, nzmax: 3 nnz: 3, 1-norm: 2\n    col 0 : locations 0 to 1\n      0 : "
      "2\n      2 : 0.5\n"
      "    col 1 : locations 2 to 1\n    col 2 : locations 2 to 2\n      2 : 1\n-1 0 0\n0.5\n";
  const std::string triplets =
      "3\n1\n2\n3\n3\n1\nCSparse Version 3.1.9\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n    0 0 : 2\n    2 0 : 0.5\n    2 2 : 1\n-1 "
      "0 0\n0.5\n";
  Eigen::Matrix3d expected;
  expected << 2, 0, 0, 0, 0, 0, 0.5, 0, 1;
  for (const std::string& text : {columns, triplets}) {
    ASSERT_EQ(error_of(text), "no error");
    EXPECT_EQ(Eigen::MatrixXd(delassus(load_problem(path("bad.dat")).problem).dense()), Eigen::MatrixXd(expected));
  }
}

TEST_F(Files, malformed_blocks_are_named) {
  // Two contacts in the plane, three blocks: (0,0), (0,1), (1,1).
  const auto text = [](const std::string& ends, const std::string& first, const std::string& columns,
                       const std::string& number = "2") {
    return "2\n2\n1\n4\n4\n3\n2\n2\n" + ends + "\n2 4\n3\n3\n" + first + "\n" + columns + "\n0\n1 0 0 1\n1\n0 0.1 0.2 0\n" +
           number + "\n1 0 0 1\n-1 0 -1 0\n0.5 0.5\n";
  };
  EXPECT_EQ(error_of(text("2 4", "0 2 3", "0 1 1")), "no error");
  // Column by column: 0.1 is below the diagonal of its block.
  EXPECT_EQ(delassus(load_problem(path("bad.dat")).problem).dense()(1, 2), 0.1);
  EXPECT_THAT(error_of(text("2 5", "0 2 3", "0 1 1")), AllOf(HasSubstr("line 9"), HasSubstr("row 5")));
  EXPECT_THAT(error_of(text("3 2", "0 2 3", "0 1 1")), HasSubstr("increase"));
  EXPECT_THAT(error_of(text("2 4", "0 4 3", "0 1 1")), AllOf(HasSubstr("line 13"), HasSubstr("block 4")));
  EXPECT_THAT(error_of(text("2 4", "0 2 3", "0 7 1")), AllOf(HasSubstr("line 14"), HasSubstr("column 7 of 2")));
  EXPECT_THAT(error_of(text("2 4", "0 2 3", "0 1 1", "9")), HasSubstr("number of the block is 9"));
}

/// Saves a stack, lets `change` replace one dataset, and tells how reading fails.
std::string error_after(const std::string& file, const std::string& format, const std::string& dataset, auto&& values,
                        const h5::Extent& extent = {}) {
  ProblemFile stack;
  stack.problem = testing::two_box_stack(2);
  stack.solution.assign(24, 1.0);
  save_problem(file, stack, format);
  {
    const h5::Quiet quiet;
    const h5::Handle f(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    EXPECT_GE(H5Ldelete(f.get(), dataset.c_str(), H5P_DEFAULT), 0) << dataset;
    using T = typename std::decay_t<decltype(values)>::value_type;
    if (!values.empty())
      h5::write_values(f.get(), dataset, h5::native_type<T>(), values.data(),
                       extent.empty() ? h5::Extent{values.size()} : extent);
  }
  return message_of([&] { load_problem(file); });
}
using Ints = std::vector<std::int32_t>;
using Doubles = std::vector<double>;

TEST_F(Files, malformed_fclib_files_name_file_dataset_and_value) {
  const std::string f = path("bad.hdf5"), w = "fclib_local/W/", v = "fclib_local/vectors/";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_after(f, "fclib", v + "mu", Doubles(8, -0.5)),
              AllOf(HasSubstr("bad.hdf5: /fclib_local/vectors/mu: -0.5"), HasSubstr("at least 0")));
  EXPECT_THAT(error_after(f, "fclib", v + "mu", Doubles(7, 0.5)), HasSubstr("mu: 7 numbers stand here, and there must be 8"));
  EXPECT_THAT(error_after(f, "fclib", v + "q", Doubles(24, nan)), HasSubstr("q: number 0 is nan"));
  EXPECT_THAT(error_after(f, "fclib", v + "q", Doubles{}), HasSubstr("q: This dataset is missing"));
  EXPECT_THAT(error_after(f, "fclib", w + "m", Ints{23}), HasSubstr("W"));
  EXPECT_THAT(error_after(f, "fclib", w + "n", Ints{27}), HasSubstr("24 × 27"));
  EXPECT_THAT(error_after(f, "fclib", w + "m", Ints{-3}), HasSubstr("-3 is not a size"));
  EXPECT_THAT(error_after(f, "fclib", w + "nz", Ints{-7}), HasSubstr("-7"));
  EXPECT_THAT(error_after(f, "fclib", w + "p", Ints(25, 1000000)), HasSubstr("/W/p"));
  EXPECT_THAT(error_after(f, "fclib", w + "p", Doubles(25, 0.5)), HasSubstr("whole numbers"));
  EXPECT_THAT(error_after(f, "fclib", "fclib_local/spacedim", Ints{4}), HasSubstr("2 or 3"));
  EXPECT_THAT(error_after(f, "fclib", "fclib_local/W", Ints{}), HasSubstr("/fclib_local/W: This matrix is missing"));
  EXPECT_THAT(error_after(f, "fclib", "solution/r", Doubles(5, 0.0)), HasSubstr("/solution/r: 5 numbers"));
  EXPECT_THAT(error_after(f, "fclib", "fclib_local", Ints{}), HasSubstr("holds no contact problem"));
  EXPECT_THAT(error_after(f, "fclib-global", "fclib_global/H/i", Ints(10000, -1)), HasSubstr("/fclib_global/H"));
  EXPECT_THAT(error_after(f, "fclib-global", "fclib_global/M/x", Doubles(24, 0.0)), HasSubstr("singular"));
}

TEST_F(Files, malformed_files_of_our_own_name_file_dataset_and_value) {
  const std::string f = path("own.hdf5"), root = "stickslip_problem/";
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_THAT(error_after(f, "stickslip", root + "version", std::vector<std::uint64_t>{99}),
              AllOf(HasSubstr("version 99"), HasSubstr("reads version 1")));
  EXPECT_THAT(error_after(f, "stickslip", root + "b", Doubles(3, 0.0)), HasSubstr("/stickslip_problem/b: 3 numbers"));
  EXPECT_THAT(error_after(f, "stickslip", root + "blocks/kind", Bytes(8, 9)), HasSubstr("kind 9"));
  EXPECT_THAT(error_after(f, "stickslip", root + "blocks/dim", Bytes(8, 0)), HasSubstr("0 rows"));
  EXPECT_THAT(error_after(f, "stickslip", root + "blocks/law", Bytes(8, 5)), HasSubstr("law 5"));
  EXPECT_THAT(error_after(f, "stickslip", root + "blocks/law_parameters", Doubles(24, -1)), HasSubstr("coefficient -1"));
  EXPECT_THAT(error_after(f, "stickslip", root + "blocks/segment", std::vector<std::uint32_t>(16, 77)),
              HasSubstr("does not exist"));
  EXPECT_THAT(error_after(f, "stickslip", root + "blocks/jacobian", std::vector<std::uint32_t>(8, 4000000000u)),
              HasSubstr("not stored"));
  EXPECT_THAT(error_after(f, "stickslip", root + "segments/inverse_mass", Doubles(2, -1)), HasSubstr("inverse mass -1"));
  EXPECT_THAT(error_after(f, "stickslip", root + "sigma", Doubles(24, -1)), HasSubstr("compliance"));
}

TEST_F(Files, truncated_and_foreign_hdf5_files_are_refused) {
  save_problem(path("good"), everything(), "stickslip");
  const std::string bytes = read_bytes(path("good"));
  for (const double part : {0.01, 0.3, 0.9, 0.999})
    EXPECT_THAT(
        message_of([&] {
          load_problem(write("cut", bytes.substr(0, static_cast<std::size_t>(part * static_cast<double>(bytes.size())))));
        }),
        HasSubstr("cut: "));
}

TEST_F(Files, a_write_that_fails_leaves_the_older_file_alone) {
  ProblemFile file;
  file.problem = testing::two_box_stack(1);
  save_problem(path("a.hdf5"), file);
  const std::string before = read_bytes(path("a.hdf5"));
  // No file may grow beyond 100 bytes.
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{100, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  file.problem = testing::two_box_stack(2);
  const std::string message = message_of([&] { save_problem(path("a.hdf5"), file); });
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(message, AllOf(HasSubstr("a.hdf5"), HasSubstr("Cannot write")));
  EXPECT_EQ(read_bytes(path("a.hdf5")), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1) << "no temporary file stays";
}

}   // namespace
}   // namespace stickslip
