#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stickslip/math/error.h"

namespace stickslip {
namespace {

const std::vector<std::string> kKeys = {"radius", "restitution", "friction"};

TEST(ErrorText, names_file_place_value_and_remedy) {
  try {
    try {
      throw Error("-0.5 is not a length.").at("radius");
    } catch (Error& e) {
      throw e.at("shape").at("3").at("bodies").in("wall.json");
    }
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "wall.json: /bodies/3/shape/radius: -0.5 is not a length.");
    EXPECT_EQ(e.file(), "wall.json");
    EXPECT_EQ(e.pointer(), "/bodies/3/shape/radius");
    EXPECT_EQ(e.message(), "-0.5 is not a length.");
  }
}

TEST(ErrorText, the_first_file_named_stays) { EXPECT_EQ(Error("bad").in("inner.json").in("outer.json").file(), "inner.json"); }

TEST(ErrorText, without_a_place_only_the_message_is_left) { EXPECT_STREQ(Error("bad").what(), "bad"); }

TEST(ErrorText, keys_with_slash_and_tilde_are_escaped_as_rfc_6901_asks) {
  EXPECT_EQ(Error("bad").at("a/b~c").pointer(), "/a~1b~0c");
}

TEST(Suggestion, a_near_miss_gets_the_word_that_was_meant) {
  EXPECT_EQ(suggest("restituton", kKeys), "Did you mean 'restitution'?");
  EXPECT_EQ(suggest("raduis", kKeys), "Did you mean 'radius'?");
}

TEST(Suggestion, a_word_unlike_all_gets_the_list) {
  EXPECT_EQ(suggest("color", kKeys), "Valid are: radius, restitution, friction.");
  EXPECT_EQ(suggest("color", std::vector<std::string>{"friction"}), "Valid is: friction.");
}

TEST(Suggestion, of_a_thousand_names_some_are_told) {
  const std::vector<std::string> names(1000, "body");
  const std::string told = suggest("tetrahedron", names);
  EXPECT_LT(told.size(), 1000u);
  EXPECT_TRUE(told.ends_with("body and 900 more.")) << told;
}

TEST(Suggestion, without_candidates_it_says_so) { EXPECT_EQ(suggest("x", std::vector<std::string>{}), "There are none."); }

}   // namespace
}   // namespace stickslip
