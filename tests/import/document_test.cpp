// What the importer writes is a scene document like any other.
#include <nlohmann/json.hpp>

#include "imported.h"
#include "places.h"
#include "scene/schema_validator.h"

namespace stickslip {
namespace {

using nlohmann::json;

TEST(Documents, every_import_satisfies_the_schema_of_scenes) {
  std::ifstream file(std::filesystem::path(places::kSourceDir) / "scenes/scene.schema.json");
  const SchemaValidator schema(json::parse(file));
  for (const auto& robot : {test::model("twisted.urdf"), test::model("classes.xml"), test::model("mobile.xml"),
                            test::example("arm.urdf"), test::example("gripper.urdf"), test::example("walker.xml"),
                            test::sample("humanoid/humanoid.xml"), test::sample("hammock/hammock.xml")}) {
    ImportOptions options;
    options.ground = true;
    options.hold = HoldingServo{10, 1};
    EXPECT_TRUE(schema.accepts(json::parse(import_robot(robot, options).document))) << robot;
  }
}

TEST(Documents, the_example_robots_start_without_a_complaint_of_the_scene_reader) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::example(""))) {
    ASSERT_TRUE(names_robot(entry.path())) << entry.path();
    EXPECT_TRUE(test::scene_of(import_robot(entry.path())).warnings.empty()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 3u);
}

TEST(Documents, the_same_file_gives_the_same_text) {
  EXPECT_EQ(import_robot(test::sample("humanoid/humanoid.xml")).document,
            import_robot(test::sample("humanoid/humanoid.xml")).document);
}

}   // namespace
}   // namespace stickslip
