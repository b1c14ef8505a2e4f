#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshes_scene.h"
#include "record/flat_scene.h"
#include "stickslip/math/error.h"
#include "stickslip/record/checkpoint.h"

namespace stickslip {
namespace {

using test::Directory;
using test::mesh_of;
using test::meshes;
using ::testing::HasSubstr;

TEST(MeshCheckpoint, meshes_keep_their_bits_and_equal_ones_are_one) {
  const Directory directory;
  const Scene scene = meshes();
  save_checkpoint(directory / "c.h5", scene);
  const Scene loaded = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(loaded.world.state_hash(), scene.world.state_hash());
  for (const char* body : {"first", "second", "third", "bright", "ball"}) {
    const MeshSolid &before = mesh_of(scene.world, body), &after = mesh_of(loaded.world, body);
    EXPECT_EQ(after.checksum(), before.checksum()) << body;
    EXPECT_EQ(after.mesh().vertices, before.mesh().vertices) << body;
    EXPECT_EQ(after.mesh().triangles, before.mesh().triangles) << body;
    EXPECT_EQ(after.name(), before.name()) << body;
    EXPECT_EQ(after.look(), before.look()) << body;
    EXPECT_EQ(after.thickness(), before.thickness()) << body;
  }
  EXPECT_EQ(&mesh_of(loaded.world, "first"), &mesh_of(loaded.world, "second"));
  EXPECT_EQ(&mesh_of(loaded.world, "first"), &mesh_of(loaded.world, "third"));
  EXPECT_NE(&mesh_of(loaded.world, "first"), &mesh_of(loaded.world, "bright")) << "the same surface, but another look";
  EXPECT_EQ(flatten(scene).meshes.size(), 3u);
}

TEST(MeshCheckpoint, meshes_go_on_to_the_same_bits) {
  const Directory directory;
  Scene through = meshes(), first = meshes();
  test::simulate(through, 60);
  test::simulate(first, 25);
  save_checkpoint(directory / "c.h5", first);
  Scene second = load_checkpoint(directory / "c.h5");
  test::simulate(second, 35);
  EXPECT_EQ(second.world.state_hash(), through.world.state_hash());
}

TEST(MeshCheckpoint, a_removed_mesh_is_not_kept) {
  const Directory directory;
  Scene scene = meshes();
  scene.world.remove(scene.world.find("ball"));
  save_checkpoint(directory / "c.h5", scene);
  EXPECT_EQ(load_checkpoint(directory / "c.h5").world.state_hash(), scene.world.state_hash());
  EXPECT_EQ(flatten(scene).meshes.size(), 2u);
}

/// What restoring says after the tables were changed.
std::string error_after(const std::function<void(FlatScene&)>& change) {
  FlatScene flat = flatten(meshes());
  change(flat);
  try {
    restore(std::move(flat));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MeshCheckpoint, damaged_tables_are_errors) {
  EXPECT_EQ(error_after([](FlatScene&) {}), "");
  EXPECT_THAT(error_after([](FlatScene& s) { s.meshes[0].mesh.triangles[3][1] = 12; }), HasSubstr("'angle' is inconsistent"));
  EXPECT_THAT(error_after([](FlatScene& s) { s.meshes[2].mesh.vertices[0].x() = std::numeric_limits<double>::quiet_NaN(); }),
              HasSubstr("'ball' is inconsistent"));
  EXPECT_THAT(error_after([](FlatScene& s) { s.meshes[0].mesh.triangles.clear(); }), HasSubstr("no triangles"));
  EXPECT_THAT(error_after([](FlatScene& s) { s.meshes[1].look.colours.pop_back(); }), HasSubstr("59 entries"));
  EXPECT_THAT(error_after([](FlatScene& s) { s.meshes[1].look.picture_of[0] = 2; }), HasSubstr("no picture 2"));
  EXPECT_THAT(error_after([](FlatScene& s) { s.meshes.pop_back(); }), HasSubstr("missing mesh"));
  EXPECT_THAT(error_after([](FlatScene& s) { s.shapes.back().name = "mush"; }), HasSubstr("'mush' is no kind of shape"));
}

TEST(MeshCheckpoint, a_checkpoint_of_the_time_before_meshes_is_read_and_runs_on) {
  const Directory directory;
  test::unpack_older_checkpoint("checkpoint-7.h5.gz", directory / "c.h5");
  Scene scene = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(scene.name, "old-hull");
  EXPECT_EQ(scene.world.step_count, 20u);
  const Body& stone = scene.world.body(scene.world.find("stone"));
  EXPECT_EQ(std::get<ConvexHull>(scene.world.colliders()[stone.colliders[0]].shape).polytope->faces.size(), 4u);
  test::simulate(scene, 30);
  save_checkpoint(directory / "d.h5", scene);
  EXPECT_EQ(load_checkpoint(directory / "d.h5").world.state_hash(), scene.world.state_hash());
}

}   // namespace
}   // namespace stickslip
