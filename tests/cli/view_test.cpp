// stickslip view
#include <gtest/gtest.h>

#include "program.h"

namespace stickslip {
namespace {

using test::Finished;

TEST(View, a_bad_port_and_a_missing_token_are_named_before_anything_runs) {
  const Finished port = test::stickslip("view tower --no-browser --port 70000");
  const Finished token = test::stickslip("view tower --no-browser --address 0.0.0.0");
  if (port.err.find("built without the viewer") != std::string::npos) GTEST_SKIP() << port.err;
  EXPECT_EQ(port.exit_code, 2);
  EXPECT_NE(port.err.find("--port 70000 is not a port"), std::string::npos) << port.err;
  EXPECT_EQ(token.exit_code, 2);
  EXPECT_NE(token.err.find("Give a token"), std::string::npos) << token.err;
}

TEST(View, it_prints_where_it_is_and_ends_by_ctrl_c) {
  // The shell becomes the program; its watchdog plays the user.
  const Finished view = test::stickslip("view tower --no-browser", "(sleep 1; kill -INT $$) & ");
  if (view.err.find("built without the viewer") != std::string::npos) GTEST_SKIP() << view.err;
  EXPECT_EQ(view.exit_code, 0);
  EXPECT_NE(view.out.find("tower is at http://127.0.0.1:"), std::string::npos) << view.out << view.err;
}

}   // namespace
}   // namespace stickslip
