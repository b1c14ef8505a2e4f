// Built-in scenes of meshes: what they are made of, and that they start apart.
#include <gtest/gtest.h>

#include <set>

#include "scene/scene_text.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/mesh/health.h"

namespace stickslip::mesh_scenes_test {
namespace {

Scene small(const std::string& name) {
  const std::map<std::string, std::vector<Override>> fewer = {{"jacks", {{"/parameters/count", "8"}}},
                                                              {"glasses", {{"/parameters/count", "8"}}},
                                                              {"chalices", {{"/parameters/count", "27"}}},
                                                              {"funnel", {{"/parameters/count", "27"}}},
                                                              {"nut-and-bolt", {{"/parameters/count", "1"}}}};
  const auto found = fewer.find(name);
  return load_scene(name, found == fewer.end() ? std::vector<Override>() : found->second);
}

std::set<std::shared_ptr<const MeshSolid>> solids(const Scene& scene) {
  std::set<std::shared_ptr<const MeshSolid>> all;
  for (const Collider& c : scene.world.colliders())
    if (const auto* mesh = std::get_if<Mesh>(&c.shape)) all.insert(mesh->solid);
  return all;
}

/// All meshes of a scene where they start, as one.
TriangleMesh whole(const Scene& scene) {
  TriangleMesh all;
  for (const Collider& c : scene.world.colliders()) {
    const auto* mesh = std::get_if<Mesh>(&c.shape);
    if (!mesh) continue;
    const Body& body = scene.world.bodies()[c.body];
    const auto first = static_cast<std::uint32_t>(all.vertices.size());
    const Pose pose = Pose{body.position, body.orientation} * c.local;
    for (const Vec3& v : mesh->solid->mesh().vertices) all.vertices.push_back(pose * v);
    for (const auto& t : mesh->solid->mesh().triangles) all.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return all;
}

const char* const kScenes[] = {
    "jacks",      "glasses",       "chalices",    "funnel", "bowl", "temple", "colosseum", "gears", "bullet-through-paper",
    "marble-run", "hook-and-ring", "nut-and-bolt"};

class MeshScene : public ::testing::TestWithParam<const char*> {};

TEST_P(MeshScene, has_meshes_that_are_fit_for_contact_and_start_apart) {
  const Scene scene = small(GetParam());
  EXPECT_FALSE(solids(scene).empty());
  for (const auto& solid : solids(scene)) {
    const MeshHealth health = check(solid->mesh());
    EXPECT_TRUE(health.findings.empty()) << solid->name();
    EXPECT_EQ(health.pieces, 1u) << solid->name();
  }
  EXPECT_EQ(check(whole(scene)).count(MeshFault::self_intersection), 0u);
}

INSTANTIATE_TEST_SUITE_P(all, MeshScene, ::testing::ValuesIn(kScenes), [](const auto& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(MeshScenes, nothing_reaches_below_the_ground) {
  for (const char* name : {"jacks", "glasses", "chalices", "funnel", "temple", "colosseum", "marble-run"})
    EXPECT_GE(bounding_box(whole(small(name))).lower.z(), 0) << name;
}

TEST(MeshScenes, bodies_have_the_masses_and_sizes_of_the_paper) {
  const Scene jacks = small("jacks"), glasses = small("glasses");
  EXPECT_EQ(named(jacks, "jack-0").mass.mass, 35);
  EXPECT_EQ(named(glasses, "glass-0").mass.mass, 91);
  for (const Scene* scene : {&jacks, &glasses}) EXPECT_NEAR((*solids(*scene).begin())->mesh().vertices.size(), 1600, 40);
  // Their own densities would make nearly the same of them.
  EXPECT_NEAR(1080 * volume((*solids(jacks).begin())->mesh()), 35, 2);
  EXPECT_NEAR(2500 * volume((*solids(glasses).begin())->mesh()), 91, 5);
  for (const char* name : {"temple", "colosseum"}) {
    double mass = 0;
    int stones = 0;
    for (const Body& b : load_scene(name).world.bodies())
      if (b.motion == MotionType::dynamic) mass += b.mass.mass, ++stones;
    EXPECT_EQ(stones + 1, std::string(name) == "temple" ? 639 : 649);   // with the ground
    EXPECT_NEAR(mass / stones, 4000, 1000) << name;
  }
}

TEST(MeshScenes, balls_start_apart_in_the_bowl_however_many_and_large_they_are) {
  for (const char* radius : {"0.01", "0.1", "0.3"})
    for (const char* start : {"0", "20", "80"})
      EXPECT_EQ(
          load_error("bowl",
                     {{"/parameters/count", "100"}, {"/parameters/radius", radius}, {"/parameters/start_degrees", start}}),
          "");
}

TEST(MeshScenes, a_nut_and_its_bolt_share_a_thread) {
  const Scene scene = small("nut-and-bolt");
  const Body &nut = named(scene, "nut-0"), &bolt = named(scene, "bolt-0");
  const double turned = Eigen::AngleAxisd(nut.orientation).angle() * Eigen::AngleAxisd(nut.orientation).axis().z();
  const double lifted = nut.frame().position.z() - bolt.frame().position.z();
  EXPECT_NEAR(std::remainder(turned - 2 * std::numbers::pi * lifted / 0.0015, 2 * std::numbers::pi), 0, 1e-9);
}

}   // namespace
}   // namespace stickslip::mesh_scenes_test
