#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "meshes_scene.h"
#include "nodes_scene.h"
#include "record_scenes.h"
#include "stickslip/math/error.h"
#include "stickslip/record/recorder.h"

namespace stickslip::gltf_test {
namespace {

using nlohmann::json;
using test::Directory;
using ::testing::HasSubstr;

/// A .glb file taken apart. `read` checks what the specification asks of every file.
struct Glb {
  json document;
  std::string binary;

  std::vector<double> numbers(std::size_t accessor) const {
    const json& a = document["accessors"].at(accessor);
    const json& view = document["bufferViews"].at(a["bufferView"].get<std::size_t>());
    const std::size_t per_element = a["type"] == "SCALAR" ? 1 : a["type"].get<std::string>()[3] - std::size_t{'0'};
    const std::size_t count = a["count"].get<std::size_t>() * per_element, at = a["byteOffset"].get<std::size_t>();
    EXPECT_LE(at + 4 * count, view["byteLength"].get<std::size_t>());
    const char* bytes = binary.data() + view["byteOffset"].get<std::size_t>() + at;
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t word;
      std::memcpy(&word, bytes + 4 * i, 4);
      values.push_back(a["componentType"] == 5126 ? static_cast<double>(std::bit_cast<float>(word))
                                                  : static_cast<double>(word));
    }
    return values;
  }

  /// An array of the document; empty arrays do not stand in a file.
  json list(const char* name) const { return document.value(name, json::array()); }

  const json& node(const std::string& name) const {
    for (const json& n : document["nodes"])
      if (n["name"] == name) return n;
    throw std::runtime_error("no node " + name);
  }

  /// Values of an animated property, or nothing.
  std::vector<double> track(const std::string& name, const std::string& path) const {
    if (!document.contains("animations")) return {};
    const json& animation = document["animations"][0];
    for (const json& channel : animation["channels"]) {
      const json& target = channel["target"];
      if (document["nodes"][target["node"].get<std::size_t>()]["name"] == name && target["path"] == path)
        return numbers(animation["samplers"][channel["sampler"].get<std::size_t>()]["output"].get<std::size_t>());
    }
    return {};
  }
  std::vector<double> times() const { return numbers(document["animations"][0]["samplers"][0]["input"].get<std::size_t>()); }
};

void check_accessors(const Glb& glb) {
  for (std::size_t i = 0; i < glb.list("accessors").size(); ++i) {
    const json& accessor = glb.document["accessors"][i];
    const std::vector<double> values = glb.numbers(i);
    EXPECT_FALSE(values.empty());
    for (const double x : values) EXPECT_TRUE(std::isfinite(x));
    if (!accessor.contains("min")) continue;
    const std::size_t width = accessor["min"].size();
    for (std::size_t k = 0; k < width; ++k) {
      double low = values[k], high = values[k];
      for (std::size_t n = k; n < values.size(); n += width) low = std::min(low, values[n]), high = std::max(high, values[n]);
      EXPECT_EQ(accessor["min"][k].get<float>(), low);
      EXPECT_EQ(accessor["max"][k].get<float>(), high);
    }
  }
}

void check_meshes(const Glb& glb) {
  for (const json& mesh : glb.list("meshes"))
    for (const json& primitive : mesh["primitives"]) {
      const std::size_t positions = primitive["attributes"]["POSITION"];
      EXPECT_TRUE(glb.document["accessors"][positions].contains("min"));
      const std::size_t points = glb.numbers(positions).size();
      EXPECT_EQ(glb.numbers(primitive["attributes"]["NORMAL"]).size(), points);
      const std::vector<double> indices = glb.numbers(primitive["indices"]);
      EXPECT_EQ(indices.size() % 3, 0u);
      for (const double index : indices) EXPECT_LT(3 * index, static_cast<double>(points));
      EXPECT_LT(primitive["material"].get<std::size_t>(), glb.document["materials"].size());
    }
}

void check_animation(const Glb& glb) {
  if (!glb.document.contains("animations")) return;
  ASSERT_EQ(glb.document["animations"].size(), 1u);
  const json& animation = glb.document["animations"][0];
  const std::vector<double> times = glb.times();
  for (std::size_t n = 1; n < times.size(); ++n) EXPECT_GT(times[n], times[n - 1]);
  std::set<std::pair<std::size_t, std::string>> targets;
  for (const json& channel : animation["channels"]) {
    const json& sampler = animation["samplers"].at(channel["sampler"].get<std::size_t>());
    const std::string path = channel["target"]["path"];
    EXPECT_TRUE(targets.emplace(channel["target"]["node"], path).second) << "one channel per property";
    const std::vector<double> values = glb.numbers(sampler["output"]);
    const json& node = glb.document["nodes"].at(channel["target"]["node"].get<std::size_t>());
    const std::size_t width = path == "rotation" ? 4
                              : path != "weights"
                                  ? 3
                                  : glb.document["meshes"][node["mesh"].get<std::size_t>()]["primitives"][0]["targets"].size();
    EXPECT_EQ(values.size(), times.size() * width);
    if (path != "rotation") continue;
    for (std::size_t n = 0; n < values.size(); n += 4) {
      const Eigen::Map<const Vec4> q(values.data() + n);
      EXPECT_NEAR(q.norm(), 1, 1e-6);
      if (n > 0) {
        EXPECT_GE(q.dot(Eigen::Map<const Vec4>(values.data() + n - 4)), 0) << "the short way round";
      }
    }
  }
}

Glb read(const std::filesystem::path& path) {
  const std::string bytes = test::content_of(path);
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  Glb glb;
  if (bytes.size() < 20) throw std::runtime_error("too short");
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(word(4), 2u);
  EXPECT_EQ(word(8), bytes.size());
  const std::uint32_t text = word(12);
  EXPECT_EQ(text % 4, 0u);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  glb.document = json::parse(bytes.substr(20, text));
  if (20 + text < bytes.size()) {
    EXPECT_EQ(word(20 + text) % 4, 0u);
    EXPECT_EQ(bytes.substr(24 + text, 4), std::string("BIN\0", 4));
    glb.binary = bytes.substr(28 + text, word(20 + text));
    EXPECT_EQ(28 + text + glb.binary.size(), bytes.size());
    EXPECT_EQ(glb.document["buffers"][0]["byteLength"], glb.binary.size());
  }
  std::size_t end = 0;
  for (const json& view : glb.list("bufferViews")) {
    EXPECT_EQ(view["byteOffset"], end) << "views follow each other without gaps";
    end += (view["byteLength"].get<std::size_t>() + 3) / 4 * 4;
  }
  EXPECT_EQ(end, glb.binary.size());
  std::vector<int> parents(glb.document["nodes"].size());
  for (const json& node : glb.document["nodes"])
    if (node.contains("children"))
      for (const std::size_t child : node["children"]) ++parents.at(child);
  EXPECT_EQ(std::count(parents.begin() + 1, parents.end(), 1), static_cast<std::ptrdiff_t>(parents.size()) - 1);
  EXPECT_EQ(parents[0], 0);
  check_accessors(glb);
  check_meshes(glb);
  check_animation(glb);
  return glb;
}

template <class Meddle>
void record(Scene& scene, const std::filesystem::path& path, int steps, Meddle meddle, RecordOptions options = {}) {
  const auto recorder = make_recorder(path, options);
  recorder->begin(scene);
  Stepper stepper(scene.step);
  for (int i = 0; i < steps; ++i) {
    const StepReport report = stepper.step(scene.world);
    meddle(scene.world, i);
    recorder->record(scene.world, report);
  }
  recorder->finish();
}
void record(Scene& scene, const std::filesystem::path& path, int steps, RecordOptions options = {}) {
  record(
      scene, path, steps, [](World&, int) {}, options);
}

TEST(Gltf, beads_and_corners_of_surfaces_are_where_their_nodes_were) {
  const Directory directory;
  Scene scene = test::beads();
  test::NodeHistory history;
  const auto keep = [&](const World& world, int) { history.keep(world); };
  keep(scene.world, 0);
  record(scene, directory / "t.glb", 40, keep);
  const Glb glb = read(directory / "t.glb");
  for (const std::size_t bead : {0, 11, 23}) {
    const std::vector<double> places = glb.track(fmt::format("cloud bead {}", bead), "translation");
    ASSERT_EQ(places.size(), 41u * 3);
    for (std::size_t n = 0; n <= 40; ++n)
      EXPECT_LT((Eigen::Map<const Vec3>(&places[3 * n]) - history.frames[n][0].positions[bead]).norm(), 1e-6);
  }
  EXPECT_FALSE(glb.track("kite bead 4", "translation").empty()) << "a node that no triangle touches is a bead";
  EXPECT_TRUE(glb.track("cloud", "translation").empty()) << "the beads move, not their body";

  const json& mesh = glb.document["meshes"].at(glb.node("kite surface")["mesh"].get<std::size_t>());
  const json& primitive = mesh["primitives"][0];
  EXPECT_EQ(glb.numbers(primitive["indices"]), (std::vector<double>{0, 1, 2, 0, 2, 3}));
  EXPECT_EQ(glb.document["materials"].at(primitive["material"].get<std::size_t>())["doubleSided"], true);
  const std::vector<double> base = glb.numbers(primitive["attributes"]["POSITION"]),
                            weights = glb.track("kite surface", "weights");
  const std::size_t targets = primitive["targets"].size();
  ASSERT_EQ(targets, 40u);
  for (const std::size_t n : {0, 1, 17, 40}) {   // x = x₀ + Σ wᵢ dᵢ; the same for normals
    std::vector<double> place = base, normal = glb.numbers(primitive["attributes"]["NORMAL"]);
    for (std::size_t i = 0; i < targets; ++i) {
      const std::vector<double> d = glb.numbers(primitive["targets"][i]["POSITION"]),
                                e = glb.numbers(primitive["targets"][i]["NORMAL"]);
      for (std::size_t k = 0; k < place.size(); ++k)
        place[k] += weights[n * targets + i] * d[k], normal[k] += weights[n * targets + i] * e[k];
    }
    const std::vector<Vec3>& x = history.frames[n][1].positions;
    for (std::size_t i = 0; i < 5; ++i) EXPECT_LT((Eigen::Map<const Vec3>(&place[3 * i]) - x[i]).norm(), 1e-6);
    EXPECT_LT((Eigen::Map<const Vec3>(&normal[3]) - (x[1] - x[0]).cross(x[2] - x[0]).normalized()).norm(), 1e-5)
        << "at corner 1 stands the normal of its only triangle";
  }
}

TEST(Gltf, nodes_that_come_or_go_are_hidden_while_they_are_not_there) {
  const Directory directory;
  Scene scene = test::falling_ball();
  record(scene, directory / "t.glb", 12, [](World& world, int step) {
    if (step == 2) world.add(test::kite());
    if (step == 8) world.remove(world.find("kite"));
  });
  const Glb glb = read(directory / "t.glb");
  const std::vector<double> scale = glb.track("kite", "scale"), weights = glb.track("kite surface", "weights");
  ASSERT_EQ(scale.size(), 13u * 3);
  ASSERT_EQ(weights.size(), 13u * 5) << "six frames: one as it is, five targets";
  for (std::size_t n = 0; n < 13; ++n) {
    EXPECT_EQ(scale[3 * n], n >= 3 && n < 9 ? 1 : 0) << n;
    double sum = 0;
    for (std::size_t i = 0; i < 5; ++i) sum += weights[5 * n + i];
    EXPECT_EQ(sum, n > 3 ? 1 : 0) << n;
  }
}

TEST(Gltf, more_beads_or_frames_of_surfaces_than_viewers_bear_are_refused_with_another_way) {
  const Directory directory;
  Scene scene;
  NodalDescription many;
  for (int i = 0; i < 10'001; ++i) many.positions.push_back({0.1 * i, 0, 0});
  scene.world.add(std::move(many));
  try {
    make_recorder(directory / "many.glb")->begin(scene);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("10001 are more than the 10000"));
    EXPECT_THAT(error.what(), HasSubstr(".pvd"));
  }

  Scene long_run;
  long_run.world.add(test::kite());
  const auto recorder = make_recorder(directory / "long.glb");
  recorder->begin(long_run);
  const auto add = [&] {
    long_run.world.time += 0.01;
    recorder->record(long_run.world, StepReport{});
  };
  for (int i = 0; i < 1000; ++i) add();
  EXPECT_THROW(add(), Error);
  recorder->finish();
  EXPECT_EQ(read(directory / "long.glb").list("nodes").size(), 4u) << "what there was until then is a whole file";
}

TEST(Gltf, the_keyframes_are_the_poses_of_the_run) {
  const Directory directory;
  Scene scene = test::everything();
  std::map<std::string, std::vector<Pose>> poses;
  std::vector<double> times;
  const auto keep = [&](const World& world, int) {
    times.push_back(world.time);
    for (const Body& body : world.bodies())
      if (body.alive) poses[body.name].push_back({body.position, body.orientation});
  };
  keep(scene.world, 0);
  record(scene, directory / "t.glb", 60, keep);
  const Glb glb = read(directory / "t.glb");
  const std::vector<double> recorded = glb.times();
  ASSERT_EQ(recorded.size(), 61u);
  for (std::size_t n = 0; n < times.size(); ++n) EXPECT_NEAR(recorded[n], times[n], 1e-6);
  for (const auto& [name, of_body] : poses) {
    const std::vector<double> p = glb.track(name, "translation"), q = glb.track(name, "rotation");
    EXPECT_EQ(p.empty(), name == "ground") << name << ": only what is fixed has no channels";
    if (p.empty()) continue;
    for (std::size_t n = 0; n < of_body.size(); ++n) {
      EXPECT_LT((Eigen::Map<const Vec3>(&p[3 * n]) - of_body[n].position).norm(), 1e-6);
      if (!q.empty()) {
        EXPECT_NEAR(std::abs(Eigen::Map<const Quat>(&q[4 * n]).dot(of_body[n].orientation)), 1, 1e-6);
      }
    }
  }
}

TEST(Gltf, z_up_becomes_y_up) {
  const Directory directory;
  Scene scene = test::falling_ball();
  record(scene, directory / "t.glb", 10);
  const Glb glb = read(directory / "t.glb");
  const std::vector<double> q = glb.document["nodes"][0]["rotation"];
  const Quat root(Eigen::Map<const Vec4>(q.data()));
  EXPECT_LT((root * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-6);
  EXPECT_LT((root * Vec3::UnitX() - Vec3::UnitX()).norm(), 1e-6);
}

TEST(Gltf, bodies_have_size_zero_while_they_are_not_there) {
  const Directory directory;
  Scene scene = test::falling_ball();
  const BodyId ball = scene.world.id_of(0);
  record(scene, directory / "t.glb", 30, [&](World& world, int step) {
    if (step == 9) world.remove(ball);
    if (step == 19) world.add(test::body_of(Box{{0.1, 0.2, 0.3}}, {1, 2, 3}, "late"));
  });
  const Glb glb = read(directory / "t.glb");
  const std::vector<double> ball_scale = glb.track("ball", "scale"), late_scale = glb.track("late", "scale");
  const std::vector<double> late = glb.track("late", "translation");
  ASSERT_EQ(ball_scale.size(), 31u * 3);
  ASSERT_EQ(late_scale.size(), 31u * 3);
  for (std::size_t n = 0; n <= 30; ++n) {
    EXPECT_EQ(ball_scale[3 * n], n < 10 ? 0.5 : 0) << n;
    EXPECT_FLOAT_EQ(late_scale[3 * n + 2], n >= 20 ? 0.3 : 0) << n;
    if (n <= 20) {
      EXPECT_EQ(late[3 * n + 2], 3) << "it waits where it will appear";
    }
  }
}

TEST(Gltf, equal_forms_share_their_mesh_and_a_part_stands_where_it_belongs) {
  const Directory directory;
  Scene scene = test::everything();
  record(scene, directory / "t.glb", 2);
  const Glb glb = read(directory / "t.glb");
  // Square, ball, box, capsule, cylinder and one tetrahedron for the two hulls.
  std::set<std::size_t> forms;
  for (const json& mesh : glb.list("meshes")) forms.insert(mesh["primitives"][0]["attributes"]["POSITION"].get<std::size_t>());
  EXPECT_EQ(forms.size(), 6u);
  EXPECT_EQ(glb.node("shaker")["mesh"], glb.node("lift")["mesh"]);

  const json& dumbbell = glb.node("dumbbell");
  ASSERT_EQ(dumbbell["children"].size(), 2u);
  const Body& body = scene.world.body(scene.world.find("dumbbell"));
  for (std::size_t i = 0; i < 2; ++i) {
    const json& part = glb.document["nodes"][dumbbell["children"][i].get<std::size_t>()];
    const Collider& collider = scene.world.colliders()[body.colliders[i]];
    EXPECT_FLOAT_EQ(part["translation"][2].get<float>(), static_cast<float>(collider.local.position.z()));
    EXPECT_FLOAT_EQ(part["scale"][0].get<float>(), static_cast<float>(std::get<Sphere>(collider.shape).radius));
  }
}

TEST(Gltf, a_mesh_stands_there_once_in_its_own_colours_and_pictures) {
  const Directory directory;
  Scene scene = test::meshes();
  record(scene, directory / "t.glb", 2);
  const Glb glb = read(directory / "t.glb");
  EXPECT_EQ(glb.node("first part 1")["mesh"], glb.node("third part 1")["mesh"]);
  const json& plain = glb.document["meshes"].at(glb.node("first part 1")["mesh"].get<std::size_t>())["primitives"];
  const json& bright = glb.document["meshes"].at(glb.node("bright part 1")["mesh"].get<std::size_t>())["primitives"];
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_FALSE(plain[0]["attributes"].contains("COLOR_0"));
  ASSERT_EQ(bright.size(), 2u) << "the triangles without a picture, and those with";
  std::size_t corners = 0;
  for (const json& primitive : bright) corners += glb.numbers(primitive["indices"]).size();
  EXPECT_EQ(corners, 3 * l_mesh().triangles.size());
  const std::vector<double> colours = glb.numbers(bright[0]["attributes"]["COLOR_0"]);
  EXPECT_NEAR(colours[1], 0.2140, 1e-4) << "half of sRGB in linear light";
  EXPECT_FALSE(bright[0]["attributes"].contains("TEXCOORD_0"));
  for (const double x : glb.numbers(bright[1]["attributes"]["TEXCOORD_0"])) EXPECT_TRUE(x == 0 || x == 1);

  const json &without = glb.document["materials"][bright[0]["material"].get<std::size_t>()]["pbrMetallicRoughness"],
             &with = glb.document["materials"][bright[1]["material"].get<std::size_t>()]["pbrMetallicRoughness"];
  EXPECT_FALSE(without.contains("baseColorTexture"));
  EXPECT_FALSE(with.contains("baseColorFactor")) << "white: the colours are the mesh's own";
  const json& texture = glb.document["textures"].at(with["baseColorTexture"]["index"].get<std::size_t>());
  const json& image = glb.document["images"].at(texture["source"].get<std::size_t>());
  EXPECT_EQ(image["mimeType"], "image/png");
  const json& view = glb.document["bufferViews"].at(image["bufferView"].get<std::size_t>());
  EXPECT_EQ(glb.binary.substr(view["byteOffset"].get<std::size_t>(), view["byteLength"].get<std::size_t>()),
            test::two_pixels());
}

TEST(Gltf, a_texture_stands_there_once_and_is_tinted_by_the_colour_of_the_part) {
  const Directory directory;
  Scene scene = parse_scene(R"({"bodies": [
    {"name": "floor", "motion": "fixed", "shape": {"type": "half-space"}, "texture": {"pattern": "checker", "size": 0.5}},
    {"name": "crate", "shape": {"type": "box", "half_extents": [0.1, 0.2, 0.3]}, "position": [0, 0, 0.3],
     "texture": {"pattern": "checker", "size": 0.5}, "color": "#ff0000"},
    {"name": "can", "shape": {"type": "cylinder", "radius": 0.1, "half_height": 0.2}, "position": [3, 0, 0.2],
     "texture": {"pattern": "checker", "repeat": 2}}]})",
                            "textures.json");
  record(scene, directory / "t.glb", 2);
  const Glb glb = read(directory / "t.glb");
  EXPECT_EQ(glb.list("images").size(), 1u);
  const auto primitive = [&](const char* name) {
    return glb.document["meshes"].at(glb.node(name)["mesh"].get<std::size_t>())["primitives"].at(0);
  };
  const auto surface = [&](const char* name) {
    return glb.document["materials"].at(primitive(name)["material"].get<std::size_t>())["pbrMetallicRoughness"];
  };
  for (const char* name : {"floor", "crate", "can"}) EXPECT_TRUE(surface(name).contains("baseColorTexture")) << name;
  EXPECT_EQ(surface("crate")["baseColorFactor"], json({1.0, 0.0, 0.0, 1.0}));
  EXPECT_FALSE(surface("can").contains("baseColorFactor"));
  // A copy of the picture is half a metre large on the floor, however far the floor is drawn.
  const std::vector<double> on_picture = glb.numbers(primitive("floor")["attributes"]["TEXCOORD_0"]);
  const auto [low, high] = std::minmax({on_picture[0], on_picture[2], on_picture[4], on_picture[6]});
  EXPECT_NEAR(high - low, glb.node("floor")["scale"][0].get<double>() / 0.5, 1e-5);
}

TEST(Gltf, a_soft_body_wears_its_picture_as_it_lies_at_rest) {
  const Directory directory;
  Scene scene = parse_scene(R"({"materials": [{"name": "paper", "texture": {"pattern": "checker", "size": 0.2}}], "bodies": [
    {"name": "crate", "shape": {"type": "sphere", "radius": 0.1}, "position": [2, 0, 1],
     "material": "paper"},
    {"name": "bar", "position": [0, 0, 1], "material": "paper", "color": "#ff0000",
     "velocity": [0, 0, 1], "soft": {"shape": {"type": "box", "half_extents": [0.4, 0.1, 0.1]}, "size": 0.1}}]})",
                            "soft.json");
  record(scene, directory / "t.glb", 2);
  const Glb glb = read(directory / "t.glb");
  EXPECT_EQ(glb.list("images").size(), 1u) << "one picture for both";
  const json& primitive = glb.document["meshes"].at(glb.node("bar surface")["mesh"].get<std::size_t>())["primitives"].at(0);
  const json& material = glb.document["materials"].at(primitive["material"].get<std::size_t>());
  EXPECT_TRUE(material["pbrMetallicRoughness"].contains("baseColorTexture"));
  EXPECT_EQ(material["pbrMetallicRoughness"]["baseColorFactor"], json({1.0, 0.0, 0.0, 1.0}));
  const std::vector<double> on = glb.numbers(primitive["attributes"]["TEXCOORD_0"]),
                            at = glb.numbers(primitive["attributes"]["POSITION"]), corners = glb.numbers(primitive["indices"]);
  ASSERT_EQ(at.size() / 3, on.size() / 2);
  EXPECT_EQ(primitive["targets"].size(), 2u);
  ASSERT_EQ(corners.size(), 3 * scene.world.nodal_bodies()[0].triangles.size());
  for (std::size_t i = 0; i < corners.size(); i += 3)
    for (std::size_t k = 1; k < 3; ++k) {
      const auto a = static_cast<std::size_t>(corners[i]), b = static_cast<std::size_t>(corners[i + k]);
      const double edge = (Vec3(at.data() + 3 * b) - Vec3(at.data() + 3 * a)).norm();
      EXPECT_NEAR(0.2 * std::hypot(on[2 * b] - on[2 * a], on[2 * b + 1] - on[2 * a + 1]), edge, 1e-6)
          << "sides of a box are seen straight on";
    }
}

TEST(Gltf, frames_per_second_are_kept) {
  const Directory directory;
  Scene scene = test::falling_ball();   // h = 10 ms
  record(scene, directory / "t.glb", 100, {.frames_per_second = 25});
  const std::vector<double> times = read(directory / "t.glb").times();
  ASSERT_EQ(times.size(), 26u);
  for (std::size_t n = 0; n < times.size(); ++n) EXPECT_NEAR(times[n], 0.04 * static_cast<double>(n), 1e-6);
}

TEST(Gltf, an_older_file_is_replaced_only_by_a_whole_one) {
  const Directory directory;
  Scene scene = test::falling_ball();
  test::write_content(directory / "t.glb", "precious");
  {
    const auto recorder = make_recorder(directory / "t.glb");
    recorder->begin(scene);
    Stepper stepper(scene.step);
    for (int i = 0; i < 5; ++i) recorder->record(scene.world, stepper.step(scene.world));
    EXPECT_EQ(test::content_of(directory / "t.glb"), "precious");
  }   // destroyed unfinished
  EXPECT_EQ(read(directory / "t.glb").times().size(), 6u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1) << "nothing is left over";
}

TEST(Gltf, a_run_of_no_steps_and_a_world_of_no_bodies_are_files_too) {
  const Directory directory;
  Scene scene = test::everything(), empty;
  record(scene, directory / "t.glb", 0);
  EXPECT_FALSE(read(directory / "t.glb").document.contains("animations"));
  record(empty, directory / "empty.glb", 2);
  EXPECT_EQ(read(directory / "empty.glb").document["nodes"].size(), 1u);
}

TEST(Gltf, a_pose_that_is_not_a_number_leaves_a_valid_file) {
  const Directory directory;
  Scene scene = test::falling_ball();
  record(scene, directory / "t.glb", 5, [](World& world, int step) {
    if (step == 4) world.mutable_bodies()[0].position.x() = std::numeric_limits<double>::quiet_NaN();
  });
  const std::vector<double> p = read(directory / "t.glb").track("ball", "translation");
  EXPECT_EQ(p[3 * 5 + 2], p[3 * 4 + 2]) << "the last good place is kept";
}

TEST(Gltf, bad_places_and_full_disks_are_errors_that_name_the_file) {
  const Directory directory;
  Scene scene = test::falling_ball();
  EXPECT_THROW(make_recorder(directory / "missing/x.glb")->begin(scene), Error);
  std::filesystem::create_symlink("/dev/full", directory / "full.glb");
  try {
    record(scene, directory / "full.glb", 3);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("full.glb"));
    EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
  }
}

TEST(Gltf, the_validator_of_khronos_finds_nothing) {
  const Directory directory;
  std::vector<std::string> files;
  const auto add = [&](Scene scene, const std::string& name, auto meddle) {
    record(scene, directory / (name + ".glb"), 20, meddle);
    read(directory / (name + ".glb"));
    files.push_back(directory / (name + ".glb"));
  };
  for (const char* name : {"wall", "tower", "boxes", "polisher", "hopper", "log-slide", "rolling-stones"})
    add(load_scene(name), name, [](World&, int) {});
  add(test::everything(), "everything", [](World& world, int step) {
    if (step == 5) world.remove(world.find("dumbbell"));
    if (step == 9) world.add(test::body_of(Sphere{0.1}, {0, 0, 9}, "late"));
  });
  add(test::beads(), "beads", [](World& world, int step) {
    if (step == 5) world.remove(world.find("cloud"));
    if (step == 9) world.remove(world.find("kite"));
  });
  // The build tree has it where the packages of the viewer are.
  const std::filesystem::path validator =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../web/node_modules/gltf-validator";
  if (!std::filesystem::exists(validator)) GTEST_SKIP() << "gltf-validator is not installed; only the structure was checked";
  test::write_content(directory / "validate.cjs", R"(
const fs = require("fs"), [module_, ...files] = process.argv.slice(2), validator = require(module_);
(async () => {
  for (const file of files) {
    const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    if (issues.numErrors + issues.numWarnings + issues.numInfos + issues.numHints > 0) {
      console.error(file, JSON.stringify(issues.messages.slice(0, 5), null, 1));
      process.exitCode = 1;
    }
  }
})().catch((error) => { console.error(error); process.exitCode = 2; });
)");
  std::string command = fmt::format("node '{}' '{}'", (directory / "validate.cjs").string(), validator.string());
  for (const std::string& file : files) command += fmt::format(" '{}'", file);
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}   // namespace
}   // namespace stickslip::gltf_test
