#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "meshes_scene.h"
#include "record/contact_features.h"
#include "record/description.h"
#include "record/flat_scene.h"
#include "record/mesh_drawing.h"
#include "replay_reader.h"
#include "stickslip/field/distance_field.h"
#include "stickslip/geometry/mesh_names.h"
#include "stickslip/math/error.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/recorder.h"
#include "stickslip/world/stencil.h"
#include "store/hdf5.h"

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
  EXPECT_EQ(flatten(scene, scene.world).meshes.size(), 3u);
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

TEST(MeshCheckpoint, distance_fields_are_made_again) {
  const Directory directory;
  const Scene scene = parse_scene(R"({"name": "fields", "bodies": [
    {"name": "blob", "position": [0, 0, 1], "shape": {"type": "sdf", "smooth": 0.1, "union": [
      {"shape": {"type": "sphere", "radius": 0.3}}, {"shape": {"type": "box", "half_extents": [0.1, 0.1, 0.5]}}]}},
    {"name": "cube", "position": [2, 0, 1], "shape": {"type": "sdf", "resolution": 12,
      "vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "triangles": [[0,2,1],[0,1,3],[1,2,3],[2,0,3]]}}]})",
                                  "fields.json");
  save_checkpoint(directory / "c.h5", scene);
  const Scene loaded = load_checkpoint(directory / "c.h5");
  for (const char* body : {"blob", "cube"}) {
    const MeshSolid &before = mesh_of(scene.world, body), &after = mesh_of(loaded.world, body);
    ASSERT_TRUE(before.field() && after.field()) << body;
    EXPECT_EQ(after.field_text(), before.field_text());
    for (double x = -0.4; x < 0.5; x += 0.07)
      EXPECT_EQ(after.field()->value({x, 0.1, 0.2}), before.field()->value({x, 0.1, 0.2})) << body;
  }
  Scene strange;
  const auto solid = std::make_shared<MeshSolid>(l_mesh(), "odd");
  solid->set_field(std::make_shared<const ShapeField>(Sphere{1}));
  strange.world.add(test::body_of(Mesh{solid}, {0, 0, 1}));
  EXPECT_THROW(save_checkpoint(directory / "d.h5", strange), Error) << "nothing says how to make it";
}

TEST(MeshCheckpoint, a_removed_mesh_is_not_kept) {
  const Directory directory;
  Scene scene = meshes();
  scene.world.remove(scene.world.find("ball"));
  save_checkpoint(directory / "c.h5", scene);
  EXPECT_EQ(load_checkpoint(directory / "c.h5").world.state_hash(), scene.world.state_hash());
  EXPECT_EQ(flatten(scene, scene.world).meshes.size(), 2u);
}

/// What restoring says after the tables were changed.
std::string error_after(const std::function<void(FlatScene&)>& change) {
  const Scene scene = meshes();
  FlatScene flat = flatten(scene, scene.world);
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

std::vector<double> numbers_in(hid_t file, const std::string& name, const h5::Extent& extent) {
  std::size_t count = 1;
  for (const hsize_t n : extent) count *= n;
  std::vector<double> values(count);
  h5::read_values(file, name, H5T_NATIVE_DOUBLE, values.data(), extent);
  return values;
}

/// A contact of the ground with a body of one mesh. @param part of the mesh, with its name
ContactRecord touching(const World& world, const char* body, std::uint32_t part, std::uint64_t feature) {
  ContactRecord contact{};
  contact.body_a = world.find("ground"), contact.body_b = world.find(body);
  contact.key.a = world.body(contact.body_a).colliders[0], contact.key.b = world.body(contact.body_b).colliders[0];
  contact.key.parts = pair_of_parts(0, part);
  contact.key.feature = feature;
  contact.position = {1, 2, 0};
  contact.normal = Vec3::UnitZ();
  return contact;
}

StepReport one_step(const World& world) {
  StepReport report;
  report.step = 1, report.time = report.h = report.force_time = 0.01;
  report.contacts = {touching(world, "first", facet_part(2), mesh_feature(MeshFeature::face_under_vertex, 0, 1)),
                     touching(world, "bright", facet_part(4), mesh_feature(MeshFeature::edges, 0, 1)),
                     touching(world, "ball", facet_part(0), mesh_feature(MeshFeature::vertex_on_face, 0, 1)),
                     touching(world, "ball", 0, 0)};
  report.contacts.back().key.b = world.body(world.find("ball")).colliders[1];   // its box
  return report;
}

TEST(MeshTrajectory, every_mesh_stands_there_once_and_contacts_tell_what_touches) {
  const Directory directory;
  Scene scene = meshes();
  const auto recorder = make_recorder(directory / "t.h5");
  recorder->begin(scene);
  scene.world.add(test::body_of(make_mesh(cross_mesh(), "late"), {0, 0, 9}, "late"));
  recorder->record(scene.world, one_step(scene.world));
  recorder->finish();
  const h5::Handle file = h5::open_file(directory / "t.h5");
  // Ground, four Ls, the mesh and the box of the ball, the late cross.
  EXPECT_THAT(numbers_in(file.get(), "shapes/mesh", {8}), ::testing::ElementsAre(-1, 0, 0, 0, 1, 2, -1, 3));
  const TriangleMesh parts[] = {l_mesh(), l_mesh(), sphere_mesh(0.5, 16), cross_mesh()};
  std::vector<double> first_vertex{0}, first_triangle{0}, vertices, triangles;
  for (const TriangleMesh& mesh : parts) {
    for (const Vec3& v : mesh.vertices) vertices.insert(vertices.end(), v.begin(), v.end());
    for (const auto& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    first_vertex.push_back(static_cast<double>(vertices.size() / 3));
    first_triangle.push_back(static_cast<double>(triangles.size() / 3));
  }
  EXPECT_EQ(numbers_in(file.get(), "meshes/first_vertex", {5}), first_vertex);
  EXPECT_EQ(numbers_in(file.get(), "meshes/first_triangle", {5}), first_triangle);
  EXPECT_EQ(numbers_in(file.get(), "meshes/vertices", {vertices.size() / 3, 3}), vertices);
  EXPECT_EQ(numbers_in(file.get(), "meshes/triangles", {triangles.size() / 3, 3}), triangles);
  const std::vector<double> facet = numbers_in(file.get(), "meshes/facet", {triangles.size() / 3});
  EXPECT_EQ(*std::max_element(facet.begin(), facet.begin() + 20), 7) << "an L has eight faces";
  EXPECT_THAT(numbers_in(file.get(), "contacts/touch", {4}), ::testing::ElementsAre(2, 3, 1, 0));
  EXPECT_THAT(numbers_in(file.get(), "contacts/facet_b", {4}), ::testing::ElementsAre(3, 5, 1, 0));
  EXPECT_THAT(numbers_in(file.get(), "contacts/facet_a", {4}), ::testing::Each(0));
}

/// The names of what meshes of the contacts of a step touch with.
std::set<Touch> touches_between(Scene& scene, const char* a, const char* b) {
  Stepper stepper(scene.step);
  const StepReport report = stepper.step(scene.world);
  std::set<Touch> touches;
  for (const ContactRecord& contact : report.contacts) {
    if (contact.normal_impulse <= 0) continue;
    const bool straight = contact.body_a == scene.world.find(a) && contact.body_b == scene.world.find(b);
    const bool exchanged = contact.body_a == scene.world.find(b) && contact.body_b == scene.world.find(a);
    if (!straight && !exchanged) continue;
    const ContactFeatures features = features_of(scene.world, contact);
    Touch touch = features.touch;
    if (exchanged && touch == Touch::vertex_face) touch = Touch::face_vertex;
    else if (exchanged && touch == Touch::face_vertex) touch = Touch::vertex_face;
    touches.insert(touch);
    // The facet that is named has the contact on it.
    for (const auto& [collider, facet] : {std::pair{contact.key.a, features.facet_a}, {contact.key.b, features.facet_b}}) {
      const auto* mesh = std::get_if<Mesh>(&scene.world.colliders()[collider].shape);
      if (!mesh) continue;
      EXPECT_GT(facet, 0u);
      EXPECT_LE(facet, mesh->solid->facets().size());
      const MeshFacet& plane = mesh->solid->facets()[facet - 1];
      const Vec3 local = motion_of(scene.world, scene.world.colliders()[collider]).pose.to_local(contact.position);
      EXPECT_NEAR(plane.normal.dot(local), plane.offset, 0.01) << contact.key.feature;
    }
  }
  return touches;
}

/// A fixed plate, and above it a body that just touches it.
Scene on_a_plate(const Shape& plate, const Shape& body, const Vec3& position, const Quat& turned, bool body_first) {
  Scene scene;
  BodyDescription below = test::body_of(plate, Vec3::Zero(), "plate"), above = test::body_of(body, position, "body");
  below.motion = MotionType::fixed;
  above.pose.orientation = turned;
  if (body_first) scene.world.add(above), scene.world.add(below);
  else scene.world.add(below), scene.world.add(above);
  return scene;
}

TEST(MeshFeatures, say_what_touches_whichever_body_is_a) {
  const Mesh cube = make_mesh(box_mesh(Vec3::Constant(0.5)), "cube"), slab = make_mesh(box_mesh({2, 2, 0.25}), "slab");
  const Mesh dart = make_mesh(box_mesh({0.1, 0.1, 3}), "dart");   // reaches farther than the slab
  const Quat on_corner = Quat::FromTwoVectors(Vec3(1, 1, 1), -Vec3::UnitZ());
  const double corner = 0.5 * std::sqrt(3.0), edge = 0.5 * std::sqrt(2.0);
  for (const bool first : {false, true}) {
    Scene scene = on_a_plate(slab, cube, {0, 0, 0.25 + corner}, on_corner, first);
    EXPECT_THAT(touches_between(scene, "body", "plate"), ::testing::ElementsAre(Touch::vertex_face)) << first;
    scene = on_a_plate(HalfSpace{}, cube, {0, 0, corner}, on_corner, first);
    EXPECT_THAT(touches_between(scene, "body", "plate"), ::testing::ElementsAre(Touch::vertex_face)) << first;
    scene = on_a_plate(slab, Sphere{0.3}, {0, 0, 0.55}, Quat::Identity(), first);
    EXPECT_THAT(touches_between(scene, "body", "plate"), ::testing::ElementsAre(Touch::vertex_face)) << first;
    // A beam across another, edge on edge.
    const Mesh beam = make_mesh(box_mesh({2, 0.5, 0.5}), "beam");
    const Quat across = Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX()));
    scene = on_a_plate(beam, beam, {0, 0, 2 * edge}, across, first);
    scene.world.set_frame(scene.world.find("plate"), {Vec3::Zero(), Quat(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX()))});
    EXPECT_THAT(touches_between(scene, "body", "plate"), ::testing::ElementsAre(Touch::edge_edge)) << first;
    // The larger mesh comes first in the pair function: here it is the one with the vertex.
    scene = on_a_plate(slab, dart, {0, 0, 0.25 + 3}, Quat::Identity(), first);
    EXPECT_THAT(touches_between(scene, "body", "plate"), ::testing::ElementsAre(Touch::vertex_face)) << first;
  }
}

template <class Number>
std::vector<Number> unpacked(const nlohmann::json& text) {
  const std::string bytes = test::base64_decoded(text.get<std::string>());
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

TEST(MeshDescription, a_mesh_comes_once_as_arrays_with_its_look) {
  const Scene scene = meshes();
  const nlohmann::json description = describe_scene(scene, 1e-6);
  ASSERT_EQ(description["meshes"].size(), 3u);
  const auto number_of = [&](std::size_t body) { return description["bodies"][body]["parts"][0]["shape"]["mesh"]; };
  EXPECT_EQ(number_of(1), number_of(3));
  EXPECT_NE(number_of(1), number_of(4));
  const nlohmann::json &plain = description["meshes"][0], &bright = description["meshes"][1];
  EXPECT_EQ(plain["name"], "angle");
  const auto positions = unpacked<float>(plain["positions"]);
  const auto normals = unpacked<std::int16_t>(plain["normals"]);
  const auto corners = unpacked<std::uint32_t>(plain["corners"]), facets = unpacked<std::uint32_t>(plain["facets"]);
  const MeshSolid& solid = mesh_of(scene.world, "first");
  ASSERT_EQ(corners.size(), 3 * solid.mesh().triangles.size());
  for (std::size_t t = 0; t < facets.size(); ++t) {
    EXPECT_EQ(facets[t], solid.facet_of(t));
    for (std::size_t k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(positions[3 * corners[3 * t + k] + i], solid.mesh().vertices[solid.mesh().triangles[t][k]][i]);
        EXPECT_NEAR(normals[3 * corners[3 * t + k] + i] / 32767.0, solid.facets()[facets[t]].normal[i], 1e-4) << "sharp";
      }
  }
  EXPECT_EQ(positions.size(), 3u * 36) << "six corners of either end, each with three normals";
  EXPECT_FALSE(plain.contains("colours") || plain.contains("pictures"));
  EXPECT_EQ(unpacked<std::uint8_t>(bright["colours"])[1], 128);
  EXPECT_EQ(unpacked<std::uint32_t>(bright["picture_of"])[1], 1u);
  const std::string address = description["pictures"][bright["pictures"][0].get<std::size_t>()];
  EXPECT_THAT(address, ::testing::StartsWith("data:image/png;base64,"));
  EXPECT_EQ(test::base64_decoded(address.substr(22)), test::two_pixels());
}

TEST(MeshDescription, a_surface_without_an_inside_is_seen_from_both_sides) {
  TriangleMesh sheet = box_mesh({1, 1, 1});
  sheet.triangles.resize(2);
  Scene scene;
  BodyDescription d = test::body_of(make_mesh(sheet, "sheet"), Vec3::Zero());
  d.motion = MotionType::fixed;
  scene.world.add(d);
  scene.world.add(test::body_of(make_mesh(l_mesh(), "angle"), {0, 0, 3}));
  const nlohmann::json description = describe_scene(scene, 1e-6);
  EXPECT_EQ(description["meshes"][0].value("open", false), true);
  EXPECT_FALSE(description["meshes"][1].contains("open"));
  const Directory directory;
  const auto recorder = make_recorder(directory / "t.glb");
  recorder->begin(scene);
  recorder->finish();
  const std::string file = test::content_of(directory / "t.glb");
  const auto document = nlohmann::json::parse(file.substr(20, file.find("BIN") - 24));
  EXPECT_EQ(document["materials"][0].value("doubleSided", false), true);
  EXPECT_EQ(document["materials"][1].value("doubleSided", false), false);
}

TEST(MeshDrawing, a_ball_is_smooth_and_its_vertices_stay_one) {
  const DrawnMesh drawn = drawn_mesh(MeshSolid(sphere_mesh(0.5, 32)));
  EXPECT_EQ(drawn.vertices.size(), sphere_mesh(0.5, 32).vertices.size());
  for (std::size_t i = 0; i < drawn.vertices.size(); ++i)
    EXPECT_GT(drawn.normals[i].dot(drawn.vertices[i].normalized()), 0.998) << i;
}

TEST(MeshDrawing, edges_at_more_than_thirty_degrees_are_sharp) {
  for (const int sides : {10, 14}) {   // bends of 36° and 25.7°
    std::vector<Vec2> outline;
    for (int i = 0; i < sides; ++i) outline.push_back({std::cos(2 * M_PI * i / sides), std::sin(2 * M_PI * i / sides)});
    std::vector<std::array<std::uint32_t, 3>> cap;
    for (std::uint32_t i = 1; i + 1 < static_cast<std::uint32_t>(sides); ++i) cap.push_back({0, i, i + 1});
    const DrawnMesh drawn = drawn_mesh(MeshSolid(prism_mesh(outline, cap, 1)));
    EXPECT_EQ(drawn.vertices.size(), static_cast<std::size_t>(2 * sides * (sides == 10 ? 3 : 2)));
  }
}

TEST(MeshDrawing, normals_of_the_file_are_taken_and_bad_numbers_are_not) {
  const TriangleMesh box = box_mesh({1, 1, 1});
  MeshLook look;
  for (const auto& t : box.triangles)
    for (const std::uint32_t v : t) {
      const Vec3 n = box.vertices[v].normalized();
      look.normals.push_back({static_cast<float>(n.x()), static_cast<float>(n.y()), static_cast<float>(n.z())});
      look.colours.push_back({0.5f, 2, -1, 1});
    }
  EXPECT_EQ(drawn_mesh(MeshSolid(box, "", look)).vertices.size(), 8u) << "as round as the file wants it";
  look.normals[0] = {0, 0, 0};
  look.normals[4][1] = look.colours[7][0] = std::numeric_limits<float>::quiet_NaN();
  const DrawnMesh drawn = drawn_mesh(MeshSolid(box, "", look));
  for (const Vec3& n : drawn.normals) EXPECT_NEAR(n.norm(), 1, 1e-6);
  for (const auto& colour : drawn.colours)
    for (const float x : colour) EXPECT_TRUE(x >= 0 && x <= 1);
}

TEST(MeshReplay, contacts_bring_their_features) {
  const Directory directory;
  const Scene scene = meshes();
  const auto recorder = make_recorder(directory / "r.html");
  recorder->begin(scene);
  recorder->record(scene.world, one_step(scene.world));
  recorder->finish();
  test::ReplayReader r = test::replay_of(directory / "r.html");
  r.at = 12;
  const auto length = r.number<std::uint32_t>();
  const auto head = nlohmann::json::parse(r.data.substr(r.at, length));
  EXPECT_EQ(head.at("contact_features"), true);
  r.at += length;
  for (std::size_t i = 0; i < 8 * 2 * head.at("bodies").size(); ++i) r.varint();   // poses
  EXPECT_EQ(r.varint(), 0);
  EXPECT_EQ(r.varint(), 4);
  for (int i = 0; i < 16 * 4; ++i) r.varint();
  const auto channel = [&] { return std::array{r.varint(), r.varint(), r.varint(), r.varint()}; };
  EXPECT_THAT(channel(), ::testing::ElementsAre(2, 3, 1, 0));
  EXPECT_THAT(channel(), ::testing::Each(0)) << "the ground has no facets";
  EXPECT_THAT(channel(), ::testing::ElementsAre(3, 5, 1, 0));
  EXPECT_THAT(channel(), ::testing::Each(0));
  EXPECT_THAT(channel(), ::testing::Each(0)) << "the box touches, but a contact without a mesh says nothing";
}

}   // namespace
}   // namespace stickslip
