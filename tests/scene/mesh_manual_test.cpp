// The examples of docs/scenes.md are read, satisfy the schema and stay above the ground.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "places.h"
#include "scene/scene_text.h"
#include "scene/schema_validator.h"

namespace stickslip::mesh_manual_test {
namespace {

std::vector<std::string> examples() {
  std::ifstream in(std::filesystem::path(places::kSourceDir) / "docs/scenes.md");
  const std::string manual(std::istreambuf_iterator<char>(in), {}), fence = "```json\n";
  std::vector<std::string> result;
  for (std::size_t at = manual.find(fence); at != std::string::npos; at = manual.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    const std::string text = manual.substr(begin, manual.find("```", begin) - begin);
    if (text.find("\"bodies\"") != std::string::npos) result.push_back(text);
  }
  return result;
}

TEST(SceneManual, every_example_is_a_scene_without_warnings_that_satisfies_the_schema) {
  const SchemaValidator schema(nlohmann::json::parse(scene_schema()));
  const std::vector<std::string> all = examples();
  ASSERT_GE(all.size(), 4u);
  for (const std::string& text : all) {
    EXPECT_EQ(error_of(text), "") << text;
    EXPECT_TRUE(parse_scene(text, "s.json").warnings.empty()) << text;
    EXPECT_TRUE(schema.accepts(nlohmann::json::parse(text))) << text;
  }
}

}   // namespace
}   // namespace stickslip::mesh_manual_test
