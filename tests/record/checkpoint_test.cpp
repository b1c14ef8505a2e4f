#include "stickslip/record/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <random>

#include "record_scenes.h"
#include "stickslip/math/error.h"
#include "stickslip/record/recorder.h"

namespace stickslip {
namespace {

using test::content_of;
using test::Directory;
using test::everything;
using test::simulate;
using test::write_content;
using ::testing::HasSubstr;

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

std::string error_of(const std::filesystem::path& path) {
  try {
    load_checkpoint(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Checkpoint, a_loaded_world_has_the_same_state) {
  const Directory directory;
  Scene scene = everything();
  simulate(scene, 20);
  save_checkpoint(directory / "c.h5", scene);
  EXPECT_TRUE(is_checkpoint(directory / "c.h5"));
  const Scene loaded = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(loaded.world.state_hash(), scene.world.state_hash());
  EXPECT_EQ(loaded.world.body_count(), scene.world.body_count());
  EXPECT_EQ(loaded.world.bodies().size(), scene.world.bodies().size());
  EXPECT_EQ(loaded.name, scene.name);
  EXPECT_EQ(loaded.description, scene.description);
  EXPECT_EQ(loaded.document, scene.document);
  EXPECT_EQ(loaded.seconds, scene.seconds);
  EXPECT_EQ(loaded.warnings, scene.warnings);
}

TEST(Checkpoint, a_resumed_run_reaches_the_same_bits_as_an_uninterrupted_one) {
  const Directory directory;
  Scene through = everything();
  simulate(through, 120);

  Scene first = everything();
  simulate(first, 50);
  save_checkpoint(directory / "c.h5", first);
  Scene second = load_checkpoint(directory / "c.h5");
  simulate(second, 70);
  EXPECT_EQ(second.world.state_hash(), through.world.state_hash());
}

/// What was looked for before a step may not decide which pairs a step sees, nor in which order.
TEST(Checkpoint, heaps_and_mail_by_barriers_go_on_to_the_same_bits) {
  const Directory directory;
  for (const auto& [name, parameter, before, after] : {std::tuple("boxes", Override{"/parameters/count", "12"}, 22, 8),
                                                       std::tuple("chain-mail", Override{"/parameters/side", "2"}, 8, 8)}) {
    Scene through = load_scene(name, {{parameter, {"/step/integrator", "\"barrier\""}}});
    Scene first = load_scene(name, {{parameter, {"/step/integrator", "\"barrier\""}}});
    Stepper stepper(through.step), other(first.step);
    std::size_t contacts = 0;
    for (int k = 0; k < before + after; ++k) contacts = stepper.step(through.world).contacts.size();
    EXPECT_GT(contacts, 0u) << name;
    for (int k = 0; k < before; ++k) other.step(first.world);
    save_checkpoint(directory / "c.h5", first);
    Scene second = load_checkpoint(directory / "c.h5");
    Stepper next(second.step);
    for (int k = 0; k < after; ++k) {
      other.step(first.world);   // another that goes on, and never looks anew
      next.step(second.world);
      ASSERT_EQ(second.world.state_hash(), first.world.state_hash()) << name << ", step " << k;
    }
    EXPECT_EQ(second.world.state_hash(), through.world.state_hash()) << name;
  }
}

TEST(Checkpoint, bodies_of_nodes_go_on_to_the_same_bits) {
  const Directory directory;
  Scene through = load_scene("beads");
  simulate(through, 60);
  Scene first = load_scene("beads");
  simulate(first, 30);
  save_checkpoint(directory / "c.h5", first);
  Scene second = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(second.world.state_hash(), first.world.state_hash());
  EXPECT_EQ(second.world.nodal_bodies()[0].radius, first.world.nodal_bodies()[0].radius);
  simulate(second, 30);
  EXPECT_EQ(second.world.state_hash(), through.world.state_hash());
}

TEST(Checkpoint, a_body_added_after_resuming_gets_the_same_id_and_the_same_future) {
  const Directory directory;
  Scene through = everything();
  simulate(through, 10);
  save_checkpoint(directory / "c.h5", through);
  Scene resumed = load_checkpoint(directory / "c.h5");
  BodyId ids[2];
  int i = 0;
  for (Scene* scene : {&through, &resumed}) {
    ids[i++] = scene->world.add(test::body_of(Sphere{0.1}, {0.1, 0, 2}, "late"));
    simulate(*scene, 30);
  }
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(resumed.world.state_hash(), through.world.state_hash());
}

TEST(Checkpoint, hulls_keep_their_bits_and_stay_shared) {
  const Directory directory;
  const Scene scene = everything();
  save_checkpoint(directory / "c.h5", scene);
  const Scene loaded = load_checkpoint(directory / "c.h5");
  std::vector<const Polytope*> found;
  for (std::size_t i = 0; i < scene.world.colliders().size(); ++i) {
    const auto* before = std::get_if<ConvexHull>(&scene.world.colliders()[i].shape);
    if (!before) continue;
    const Polytope& a = *before->polytope;
    const Polytope& b = *std::get<ConvexHull>(loaded.world.colliders()[i].shape).polytope;
    EXPECT_TRUE(same_bits(a.vertices, b.vertices));
    EXPECT_EQ(a.loops, b.loops);
    EXPECT_TRUE(same_bits(a.edges, b.edges));
    ASSERT_EQ(a.faces.size(), b.faces.size());
    for (std::size_t f = 0; f < a.faces.size(); ++f) {
      EXPECT_EQ(a.faces[f].normal, b.faces[f].normal);
      EXPECT_EQ(a.faces[f].offset, b.faces[f].offset);
      EXPECT_EQ(a.faces[f].first, b.faces[f].first);
      EXPECT_EQ(a.faces[f].count, b.faces[f].count);
    }
    EXPECT_EQ(a.interior_point, b.interior_point);
    EXPECT_EQ(a.radius, b.radius);
    found.push_back(&b);
  }
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], found[1]);
}

TEST(Checkpoint, anchors_and_options_of_penalty_contacts_go_on_to_the_same_bits) {
  const Directory directory;
  const std::vector<Override> changes = {{"/step/integrator", "\"penalty\""},
                                         {"/step/penalty/law", "\"power\""},
                                         {"/step/penalty/exponent", "1.2"},
                                         {"/step/penalty/depth", "2e-3"},
                                         {"/bodies/3/velocity", "[0.4, 0.1, 0]"}};
  Scene scene = load_scene("stack", changes);
  Stepper stepper(scene.step);
  for (int i = 0; i < 20; ++i) stepper.step(scene.world);
  save_checkpoint(directory / "c.h5", scene);
  Scene loaded = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(loaded.step.penalty.law, PenaltyLaw::power);
  EXPECT_EQ(loaded.step.penalty.exponent, 1.2);
  EXPECT_EQ(loaded.step.penalty.depth, 2e-3);
  Stepper again(loaded.step);
  for (int i = 0; i < 20; ++i) {
    stepper.step(scene.world);
    again.step(loaded.world);
  }
  EXPECT_EQ(loaded.world.state_hash(), scene.world.state_hash());
}

TEST(Checkpoint, step_options_and_materials_survive) {
  const Directory directory;
  const Scene scene = everything();
  save_checkpoint(directory / "c.h5", scene);
  const Scene loaded = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(loaded.step.h, 0.004);
  EXPECT_EQ(loaded.step.scheme, Scheme::moreau_midpoint);
  EXPECT_EQ(std::get<SpringDamper>(loaded.step.stabilisation).stiffness, 4e4);
  EXPECT_EQ(std::get<SpringDamper>(loaded.step.stabilisation).damping, 300);
  EXPECT_TRUE(loaded.step.projection.enabled);
  EXPECT_TRUE(loaded.step.sleep.enabled);
  EXPECT_EQ(loaded.step.sleep.time, 0.1);
  EXPECT_EQ(loaded.step.solver, "pgs");
  EXPECT_EQ(loaded.step.solver_options, scene.step.solver_options);
  EXPECT_EQ(loaded.step.tolerance, 1e-5);
  EXPECT_EQ(loaded.step.max_iterations, 77);
  EXPECT_EQ(loaded.step.merit.function, Merit::step);
  EXPECT_EQ(loaded.step.merit.absolute, 1e-12);
  EXPECT_EQ(loaded.step.merit.relative, 1e-9);
  EXPECT_EQ(loaded.step.merit.divergence, 1e9);
  const MaterialTable& materials = loaded.world.materials;
  const SurfacePair pair = materials.between(materials.find("ice"), materials.find("rubber"));
  EXPECT_EQ(pair.friction, 0.17);
  EXPECT_EQ(pair.restitution, 0.05);
  EXPECT_EQ(pair.tangential_restitution, 0.25);
  EXPECT_EQ(materials.between(materials.find("ice"), materials.find("ice")).friction, 0.02);
  EXPECT_EQ(materials.friction_rule, CombineRule::minimum);
  EXPECT_EQ(materials.restitution_rule, CombineRule::average);
}

TEST(Checkpoint, friction_laws_and_surfaces_survive_and_give_the_same_future) {
  const Directory directory;
  for (const char* name : {"log-slide", "sawtooth", "rolling-stones", "polisher"}) {
    Scene through = load_scene(name), first = load_scene(name);
    simulate(through, 12);
    simulate(first, 5);
    save_checkpoint(directory / "c.h5", first);
    Scene second = load_checkpoint(directory / "c.h5");
    simulate(second, 7);
    EXPECT_EQ(second.world.state_hash(), through.world.state_hash()) << name;
  }
  Scene scene = load_scene("log-slide");
  Material wood = scene.world.materials[scene.world.materials.find("wood")];
  wood.surface.structure =
      PictureStructure{std::make_shared<const Picture>(2, 1, std::vector<float>{1, 0.5f, 0, 0.25f, 1, 0}), 0.5};
  wood.surface.tensor << 1, 2, 3, 4;
  wood.law = std::make_shared<const SurfaceLaw>(make_surface_law("limit-surface", {}, {{0.5, 0, 0}, {0, 0.5, 0.1}}));
  scene.world.materials.set(scene.world.materials.find("wood"), wood);
  save_checkpoint(directory / "c.h5", scene);
  const Scene loaded = load_checkpoint(directory / "c.h5");
  const Material& same = loaded.world.materials[loaded.world.materials.find("wood")];
  EXPECT_EQ(*same.law, *wood.law);
  EXPECT_EQ(same.surface.tensor, wood.surface.tensor);
  EXPECT_EQ(std::get<PictureStructure>(same.surface.structure).picture->rgb(),
            std::get<PictureStructure>(wood.surface.structure).picture->rgb());
  EXPECT_EQ(std::get<FlowStructure>(loaded.world.materials[loaded.world.materials.find("slope")].surface.structure).radius,
            2.5);

  wood.surface.structure = FunctionStructure{[](const Vec3&, const Vec3&) -> Vec3 { return Vec3::UnitX(); }};
  scene.world.materials.set(scene.world.materials.find("wood"), wood);
  EXPECT_THROW(save_checkpoint(directory / "d.h5", scene), Error);
}

TEST(Checkpoint, a_file_cut_at_any_length_is_an_error_that_names_it) {
  const Directory directory;
  save_checkpoint(directory / "c.h5", everything());
  const std::string whole = content_of(directory / "c.h5");
  for (std::size_t length = 0; length < whole.size(); length += length < 600 ? 37 : 997) {
    write_content(directory / "cut.h5", whole.substr(0, length));
    EXPECT_THAT(error_of(directory / "cut.h5"), HasSubstr("cut.h5: ")) << length;
  }
  write_content(directory / "cut.h5", whole.substr(0, whole.size() - 1));
  EXPECT_THAT(error_of(directory / "cut.h5"), HasSubstr("truncated or damaged"));
  write_content(directory / "cut.h5", whole + '\0');
  EXPECT_THAT(error_of(directory / "cut.h5"), HasSubstr("truncated or damaged"));
}

TEST(Checkpoint, a_changed_byte_anywhere_is_an_error) {
  const Directory directory;
  save_checkpoint(directory / "c.h5", test::resting_box());
  const std::string whole = content_of(directory / "c.h5");
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    // Every third flip in the header, where length and checksum stand.
    const std::size_t place = random() % (i % 3 == 0 ? 512 : whole.size());
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << random() % 8));
    write_content(directory / "damaged.h5", damaged);
    EXPECT_THAT(error_of(directory / "damaged.h5"), HasSubstr("damaged.h5: ")) << place;
  }
}

TEST(Checkpoint, other_files_are_refused_with_a_remedy) {
  const Directory directory;
  EXPECT_THAT(error_of(directory / "missing.h5"), HasSubstr("No such file"));
  EXPECT_THAT(error_of(directory.path()), HasSubstr("directory"));
  ASSERT_EQ(::mkfifo((directory / "pipe.h5").c_str(), 0600), 0);
  EXPECT_THAT(error_of(directory / "pipe.h5"), HasSubstr("This is not a file.")) << "and nobody waits for a writer";
  write_content(directory / "text.h5", "hello");
  EXPECT_THAT(error_of(directory / "text.h5"), HasSubstr("not a checkpoint"));
  write_content(directory / "future.h5", "stickslip-checkpoint 99\n");
  EXPECT_THAT(error_of(directory / "future.h5"), HasSubstr("format 99"));
  const auto trajectory = make_recorder(directory / "trajectory.h5");
  trajectory->begin(test::falling_ball());
  trajectory->finish();
  EXPECT_FALSE(is_checkpoint(directory / "trajectory.h5"));
  EXPECT_EQ(load_checkpoint(directory / "trajectory.h5").world.state_hash(), test::falling_ball().world.state_hash());
}

TEST(Checkpoint, a_failed_save_leaves_the_older_checkpoint_and_no_debris) {
  const Directory directory;
  const Scene scene = test::falling_ball();
  EXPECT_THROW(save_checkpoint(directory / "no-such-directory/c.h5", scene), Error);
  std::filesystem::create_symlink("/dev/full", directory / "full.h5");
  EXPECT_THROW(save_checkpoint(directory / "full.h5", scene), Error);
  save_checkpoint(directory / "c.h5", scene);
  Scene broken = test::falling_ball();
  broken.world.mutable_bodies()[0].name = std::string(3, '\0');
  save_checkpoint(directory / "c.h5", broken);
  EXPECT_EQ(load_checkpoint(directory / "c.h5").world.bodies()[0].name, broken.world.bodies()[0].name);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory.path())) ++files;
  EXPECT_EQ(files, 2);
}

}   // namespace
}   // namespace stickslip
