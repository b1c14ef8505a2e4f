// What the tests of problem files share: a directory of its own, and a problem that has everything.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "error_message.h"
#include "problems.h"
#include "stickslip/problem/files.h"

namespace stickslip::testing {

namespace fs = std::filesystem;

/// A directory of its own that goes away with the test.
class Files : public ::testing::Test {
 protected:
  Files()
      : directory_(fs::temp_directory_path() / fmt::format("stickslip-files-{}-{}", ::getpid(),
                                                           ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(directory_);
  }
  ~Files() override { fs::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  ProblemFile again(const ProblemFile& file, const std::string& format) const {
    save_problem(path("x." + format), file, format);
    ProblemFile read = load_problem(path("x." + format));
    EXPECT_EQ(read.format, format);
    return read;
  }
  std::string error_of(const std::string& text) const {
    const std::string file = write("bad.dat", text);
    return message_of([&] { load_problem(file); });
  }
  fs::path directory_;
};

inline std::vector<double> random_numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> in(-1, 1);
  std::vector<double> values(n);
  for (double& v : values) v = in(random);
  return values;
}

/// Contacts of every law, a joint, a motor with bounds, compliance: everything a problem can have.
inline ProblemFile everything() {
  ProblemFile file;
  ContactProblem& p = file.problem;
  p.segments = {box_segment(1.7), box_segment(0.3, 0.2)};
  p.segments[1].inverse_inertia(0, 1) = p.segments[1].inverse_inertia(1, 0) = 1e-3;
  const FrictionSet laws[] = {CircularFriction{0.3},      PlanarFriction{0.1}, EllipsoidFriction{0.2, 0.3, 0.01},
                              RollingFriction{0.4, 0.02}, CircularFriction{},  CircularFriction{}};
  const std::uint8_t dims[] = {3, 2, 4, 5, 6, 1};
  const BlockKind kinds[] = {BlockKind::contact, BlockKind::contact,   BlockKind::contact,
                             BlockKind::contact, BlockKind::bilateral, BlockKind::box};
  for (int i = 0; i < 6; ++i) {
    const std::uint8_t arity = i % 2 == 0 ? 2 : 1;
    p.blocks.push_back({kinds[i],
                        dims[i],
                        arity,
                        static_cast<std::uint32_t>(p.b.size()),
                        static_cast<std::uint32_t>(p.jacobian_values.size()),
                        0,
                        {0, arity == 2 ? 1u : 0u}});
    p.laws.push_back(laws[i]);
    for (const double x : random_numbers(6u * arity * dims[i], 10 + i)) p.jacobian_values.push_back(x);
    for (const double x : random_numbers(dims[i], 20 + i)) p.b.push_back(x), p.sigma.push_back(0.01 * std::abs(x));
  }
  p.b[1] = -0.0;
  p.b[2] = 5e-324;
  p.lower.assign(p.rows(), -std::numeric_limits<double>::infinity());
  p.upper.assign(p.rows(), 2.5);
  p.h = 0.1;
  p.finalize();
  file.guess = random_numbers(p.rows(), 1);
  file.solution = random_numbers(p.rows(), 2);
  file.title = "everything";
  file.description = "two bodies,\na joint";
  return file;
}

}   // namespace stickslip::testing
