// Pictures of scenes on surfaces: where they lie, and where they arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "record/description.h"
#include "record/textured_mesh.h"
#include "record_scenes.h"
#include "replay_reader.h"
#include "stickslip/friction/surface.h"
#include "stickslip/math/error.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/playback.h"
#include "stickslip/record/recorder.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip::textures_test {
namespace {

using test::Directory;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* kPapered = R"({
  "name": "papered",
  "materials": [{"name": "wood", "texture": {"pattern": "gradient", "colors": ["#804000", "#c08040"]}, "color": "#ff8080"}],
  "bodies": [
    {"name": "floor", "motion": "fixed", "shape": {"type": "half-space"},
     "texture": {"pattern": "checker", "size": [0.5, 0.25]}},
    {"name": "crate", "shape": {"type": "box", "half_extents": [0.1, 0.2, 0.3]}, "position": [0, 0, 0.3], "material": "wood"},
    {"name": "plank", "shape": {"type": "box", "half_extents": [0.3, 0.1, 0.01]}, "position": [1, 0, 0.3], "material": "wood"},
    {"name": "ball", "shape": {"type": "sphere", "radius": 0.2}, "position": [2, 0, 0.3],
     "texture": {"pattern": "checker", "repeat": 2}},
    {"name": "bare", "shape": {"type": "sphere", "radius": 0.2}, "position": [3, 0, 0.3]}
  ]})";

Scene papered() { return parse_scene(kPapered, "papered.json"); }

Texture checker(std::array<double, 2> size, std::array<double, 2> repeat = {1, 1}) {
  return {"checker", pattern_picture(TexturePattern::checker, {255, 255, 255}, {0, 0, 0}), size, repeat};
}

/// ∂place/∂(right, up) of a triangle: how far one goes on the surface per copy of the picture [m].
std::pair<Vec3, Vec3> axes_of(const DrawnMesh& mesh, const std::array<std::uint32_t, 3>& t) {
  const auto uv = [&](int k) { return Vec2(mesh.on_picture[t[k]][0], mesh.on_picture[t[k]][1]); };
  Mat2 on_picture;
  on_picture << uv(1) - uv(0), uv(2) - uv(0);
  Eigen::Matrix<double, 3, 2> edges;
  edges << mesh.vertices[t[1]] - mesh.vertices[t[0]], mesh.vertices[t[2]] - mesh.vertices[t[0]];
  const Eigen::Matrix<double, 3, 2> axes = edges * on_picture.inverse();
  return {axes.col(0), axes.col(1)};
}

TEST(Textures, lie_upright_and_not_mirrored_on_every_side_of_every_shape_in_the_size_that_is_asked_for) {
  for (const Shape& shape :
       {Shape(Box{{0.1, 0.2, 0.3}}), Shape(Sphere{0.5}), Shape(Capsule{0.2, 0.4}), Shape(Cylinder{0.3, 0.2})}) {
    const Texture texture = checker({0.05, 0.04});
    const DrawnMesh mesh = drawn_mesh(shape, 16, 1, &texture);
    ASSERT_EQ(mesh.on_picture.size(), mesh.vertices.size());
    for (const auto& t : mesh.triangles) {
      const Vec3 normal =
          (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).normalized();
      const auto [right, up] = axes_of(mesh, t);
      EXPECT_GT(right.cross(up).dot(normal), 0) << "as seen from outside";
      if (std::abs(normal.z()) < 0.5) {
        EXPECT_GT(up.z(), 0);
      }
      // Laid on from a side: seen from there it has its size.
      int side = 0;
      normal.cwiseAbs().maxCoeff(&side);
      Vec3 flat_right = right, flat_up = up;
      flat_right[side] = flat_up[side] = 0;
      EXPECT_NEAR(flat_right.norm(), 0.05, 1e-6);
      EXPECT_NEAR(flat_up.norm(), 0.04, 1e-6);
    }
  }
}

TEST(Textures, without_a_size_cover_each_side_so_many_times) {
  const Texture texture = checker({0, 0}, {1, 3});
  const DrawnMesh mesh = drawn_mesh(Box{{0.1, 0.2, 0.3}}, 16, 1, &texture);
  for (const auto& [right, up] : mesh.on_picture) {
    EXPECT_LT(std::min(std::abs(right), std::abs(right - 1)), 1e-6);
    EXPECT_LT(std::min(std::abs(up), std::abs(up - 3)), 1e-6);
  }
}

TEST(Textures, stand_once_in_a_description_and_say_what_they_lie_on) {
  const Json description = describe_scene(papered(), 1e-6);
  EXPECT_EQ(description["pictures"].size(), 2u) << "the checker of floor and ball is one";
  const auto part = [&](std::size_t body) { return description["bodies"][body]["parts"][0]; };
  EXPECT_EQ(part(0)["texture"]["size"], Json({0.5, 0.25}));
  EXPECT_EQ(part(1)["skin"], part(2)["skin"]) << "copies that are counted stretch with the boxes";
  EXPECT_EQ(part(1)["skin_scale"], Json({0.1, 0.2, 0.3}));
  EXPECT_EQ(part(1)["colour"], "#ff8080");
  EXPECT_FALSE(part(3).contains("colour"));
  EXPECT_FALSE(part(4).contains("skin"));
  const Json& skin = description["meshes"][part(1)["skin"].get<std::size_t>()];
  EXPECT_EQ(skin["pictures"].size(), 1u);
  EXPECT_EQ(skin["textured"], true);
}

TEST(Textures, of_soft_bodies_lie_on_the_rest_shape_in_the_size_that_is_asked_for) {
  const Scene scene = parse_scene(R"({"materials": [{"name": "paper", "texture": {"pattern": "checker", "size": 0.1}}],
    "bodies": [{"name": "bar", "material": "paper", "position": [0, 0, 1],
                "soft": {"shape": {"type": "box", "half_extents": [0.4, 0.1, 0.1]}, "size": 0.1}},
               {"name": "bare", "position": [0, 2, 1], "soft": {"shape": {"type": "sphere", "radius": 0.1}, "size": 0.1}}]})",
                                  "soft.json");
  const Json description = describe_scene(scene, 1e-6);
  EXPECT_FALSE(description["bodies"][1]["nodes"].contains("texture"));
  const Json nodes = description["bodies"][0]["nodes"];
  ASSERT_LT(nodes["texture"]["picture"].get<std::size_t>(), description["pictures"].size());
  const std::string bytes = test::base64_decoded(nodes["texture"]["corners"].get<std::string>());
  std::vector<float> corners(bytes.size() / sizeof(float));
  std::memcpy(corners.data(), bytes.data(), bytes.size());
  const NodalBody& body = scene.world.nodal_bodies()[0];
  ASSERT_EQ(corners.size(), 6 * body.triangles.size());
  for (std::size_t t = 0; t < body.triangles.size(); ++t)
    for (std::size_t k = 1; k < 3; ++k) {
      const Vec3 edge = body.solid->rest()[body.triangles[t][k]] - body.solid->rest()[body.triangles[t][0]];
      const double across = corners[6 * t + 2 * k] - corners[6 * t], up = corners[6 * t + 2 * k + 1] - corners[6 * t + 1];
      EXPECT_NEAR(0.1 * std::hypot(across, up), edge.norm(), 1e-6) << "sides of a box are seen straight on";
    }
}

TEST(Textures, change_no_motion) {
  Scene with = papered(), without = papered();
  for (Collider& c : without.world.mutable_colliders()) c.texture.reset();
  test::simulate(with, 30), test::simulate(without, 30);
  EXPECT_EQ(with.world.state_hash(), without.world.state_hash());
}

TEST(Textures, survive_checkpoints_and_trajectories_which_hold_their_pictures_once) {
  const Directory directory;
  // A photograph, as far as a file can tell: noise does not shrink.
  std::string photograph = "\xff\xd8\xff";
  std::mt19937 random(1);
  for (int i = 0; i < 300'000; ++i) photograph.push_back(static_cast<char>(random()));
  test::write_content(directory / "photo.jpg", photograph);
  Json document = Json::parse(kPapered);
  document["bodies"][4]["texture"] = "photo.jpg";
  Scene scene = parse_scene(document.dump(), directory / "papered.json");
  const Json shown = describe_scene(scene, 1e-6);
  save_checkpoint(directory / "c.h5", scene);
  EXPECT_EQ(describe_scene(load_checkpoint(directory / "c.h5"), 1e-6), shown);
  const auto recorded = [&](Scene& recorded_scene, const char* name) {
    const auto recorder = make_recorder(directory / name);
    recorder->begin(recorded_scene);
    Stepper stepper(recorded_scene.step);
    for (int i = 0; i < 3; ++i) recorder->record(recorded_scene.world, stepper.step(recorded_scene.world));
    recorder->finish_at(recorded_scene.world);
    return static_cast<double>(std::filesystem::file_size(directory / name));
  };
  Scene bare = papered();
  EXPECT_NEAR(recorded(scene, "t.h5") - recorded(bare, "bare.h5"), static_cast<double>(photograph.size()), 0.3 * 300'000)
      << "the start and the last state share it";
  EXPECT_EQ(describe_scene(Playback(directory / "t.h5").scene(), 1e-6), shown);
  const Scene last = load_checkpoint(directory / "t.h5");
  EXPECT_EQ(last.world.step_count, 3u);
  EXPECT_EQ(describe_scene(last, 1e-6)["pictures"], shown["pictures"]);
}

TEST(Textures, are_missing_in_a_checkpoint_of_the_time_before_them_which_is_read_and_runs_on) {
  const Directory directory;
  test::unpack_older_checkpoint("checkpoint-15.h5.gz", directory / "c.h5");
  Scene scene = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(scene.name, "old-ball");
  EXPECT_EQ(describe_scene(scene, 1e-6)["pictures"].size(), 0u);
  test::simulate(scene, 30);
  EXPECT_NEAR(scene.world.body(scene.world.find("ball")).position.z(), 0.2, 1e-3) << "it fell to the ground";
}

TEST(Textures, of_patterns_have_the_colours_that_are_asked_for_where_they_belong) {
  const Directory directory;
  const Colour red{255, 0, 0}, blue{0, 0, 255};
  const auto pixel = [&](TexturePattern pattern, double right, double up) {
    test::write_content(directory / "p.png", pattern_picture(pattern, red, blue));
    const Picture picture = Picture::read_png(directory / "p.png");
    const int x = static_cast<int>(right * picture.width()), y = static_cast<int>((1 - up) * picture.height());
    const std::size_t at = 3 * static_cast<std::size_t>(y * picture.width() + x);
    return Vec3(double{picture.rgb()[at]}, double{picture.rgb()[at + 1]}, double{picture.rgb()[at + 2]});
  };
  EXPECT_EQ(pixel(TexturePattern::checker, 0.2, 0.2), Vec3(1, 0, 0));
  EXPECT_EQ(pixel(TexturePattern::checker, 0.8, 0.2), Vec3(0, 0, 1));
  EXPECT_EQ(pixel(TexturePattern::checker, 0.8, 0.8), Vec3(1, 0, 0));
  EXPECT_EQ(pixel(TexturePattern::flat, 0.5, 0.5), Vec3(1, 0, 0));
  EXPECT_GT(pixel(TexturePattern::gradient, 0.5, 0.99).x(), 0.98);
  EXPECT_NEAR(pixel(TexturePattern::gradient, 0.5, 0.5).x(), 0.5, 0.01);
}

TEST(Textures, that_cannot_be_shown_are_errors_that_name_place_and_file) {
  const Directory directory;
  test::write_content(directory / "text.png", "no picture");
  const auto refusal = [&](const Json& texture) {
    Json document = Json::parse(kPapered);
    document["bodies"][1]["texture"] = texture;
    try {
      parse_scene(document.dump(), directory / "bad.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(refusal("wood.png"), AllOf(HasSubstr("/bodies/1/texture"), HasSubstr("wood.png"), HasSubstr("no such file")));
  EXPECT_THAT(refusal("text.png"), HasSubstr("/bodies/1/texture: The texture 'text.png' is neither a PNG nor a JPEG"));
  EXPECT_THAT(refusal({{"pattern", "cheker"}}), AllOf(HasSubstr("/bodies/1/texture/pattern"), HasSubstr("checker")));
  EXPECT_THAT(refusal({{"pattern", "flat"}, {"colors", {"red"}}}),
              HasSubstr("/bodies/1/texture/colors/0: 'red' is not a colour"));
  EXPECT_THAT(refusal({{"pattern", "flat"}, {"size", -1}}), HasSubstr("/bodies/1/texture/size: -1 is not greater than 0."));
  EXPECT_THAT(refusal({{"file", "text.png"}, {"pattern", "flat"}}), HasSubstr("pattern"));
  EXPECT_THAT(refusal(3), HasSubstr("Name a picture"));
}

}   // namespace
}   // namespace stickslip::textures_test
