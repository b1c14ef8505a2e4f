#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <charconv>
#include <cstring>
#include <set>

#include "meshes_scene.h"
#include "nodes_scene.h"
#include "record_scenes.h"
#include "stickslip/math/error.h"
#include "stickslip/record/recorder.h"

namespace stickslip::vtk_test {
namespace {

using test::Directory;
using ::testing::HasSubstr;

using Attributes = std::map<std::string, std::string>;

/// The tags of an XML text in their order; `_` holds the name of the tag. Knows as much of XML as these files need.
std::vector<Attributes> tags_of(std::string_view xml) {
  std::vector<Attributes> tags;
  for (std::size_t at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string_view::npos) throw std::runtime_error("a tag without end");
    std::string_view tag = xml.substr(at + 1, end - at - 1);
    Attributes attributes{{"_", std::string(tag.substr(0, tag.find_first_of(" /?", 1)))}};
    for (std::size_t quote = tag.find("=\""); quote != std::string_view::npos; quote = tag.find("=\"", quote + 2)) {
      const std::size_t name = tag.rfind(' ', quote) + 1, close = tag.find('"', quote + 2);
      attributes[std::string(tag.substr(name, quote - name))] = tag.substr(quote + 2, close - quote - 2);
    }
    tags.push_back(std::move(attributes));
    at = end;
  }
  return tags;
}

/// A frame taken apart: the numbers of its pieces and all arrays, decompressed.
struct VtkFrame {
  Attributes piece;
  std::map<std::string, std::vector<double>> arrays;
  std::map<std::string, std::size_t> components;

  Vec3 vector(const std::string& name, std::size_t i) const { return Eigen::Map<const Vec3>(&arrays.at(name).at(3 * i)); }
};

template <class Number>
std::vector<double> decoded(const std::string& bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return {numbers.begin(), numbers.end()};
}

/// One compressed array. @param end where its last byte ended
std::string inflated(std::string_view data, std::size_t offset, std::size_t& end) {
  const auto word = [&](std::size_t i) {
    std::uint64_t value;
    if (offset + 8 * i + 8 > data.size()) throw std::runtime_error("an array beyond the end");
    std::memcpy(&value, data.data() + offset + 8 * i, 8);
    return value;
  };
  const std::size_t blocks = word(0), block_bytes = word(1), last_bytes = word(2);
  std::string result;
  end = offset + 8 * (3 + blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    std::string block(i + 1 == blocks && last_bytes > 0 ? last_bytes : block_bytes, '\0');
    uLongf size = static_cast<uLongf>(block.size());
    EXPECT_LE(end + word(3 + i), data.size());
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(block.data()), &size, reinterpret_cast<const Bytef*>(data.data() + end),
                         static_cast<uLong>(word(3 + i))),
              Z_OK);
    EXPECT_EQ(size, block.size());
    end += word(3 + i);
    result += block;
  }
  return result;
}

VtkFrame read(const std::filesystem::path& path) {
  const std::string content = test::content_of(path);
  const std::string mark = "<AppendedData encoding=\"raw\">\n_", tail = "\n</AppendedData>\n</VTKFile>\n";
  const std::size_t split = content.find(mark);
  if (split == std::string::npos || !content.ends_with(tail)) throw std::runtime_error("not whole: " + path.string());
  const std::string_view data =
      std::string_view(content).substr(split + mark.size(), content.size() - split - mark.size() - tail.size());
  VtkFrame frame;
  std::size_t end = 0;
  std::string section;
  for (const Attributes& tag : tags_of(std::string_view(content).substr(0, split))) {
    if (tag.at("_") == "VTKFile") {
      EXPECT_EQ(tag.at("header_type"), "UInt64");
    }
    if (tag.at("_") == "Piece") frame.piece = tag;
    if (tag.at("_") == "Polys" || tag.at("_") == "Verts") section = tag.at("_") + " ";
    if (tag.at("_") != "DataArray" || tag.at("format") != "appended") continue;
    EXPECT_EQ(std::stoull(tag.at("offset")), end) << "arrays follow each other";
    const std::string bytes = inflated(data, std::stoull(tag.at("offset")), end);
    const std::string& type = tag.at("type");
    const std::string name = section + tag.at("Name");
    frame.components[name] = std::stoull(tag.at("NumberOfComponents"));
    frame.arrays[name] = type == "Float32"   ? decoded<float>(bytes)
                         : type == "Float64" ? decoded<double>(bytes)
                         : type == "Int32"   ? decoded<std::int32_t>(bytes)
                                             : decoded<std::uint8_t>(bytes);
  }
  EXPECT_EQ(end, data.size()) << "nothing behind the arrays";
  const std::size_t points = std::stoull(frame.piece.at("NumberOfPoints"));
  for (const auto& [name, values] : frame.arrays)
    if (!name.ends_with("connectivity") && !name.ends_with("offsets") && name != "types" && name != "picture") {
      EXPECT_EQ(values.size(), points * frame.components[name]) << name;
    }
  for (const auto& [name, values] : frame.arrays)
    if (name.ends_with("connectivity")) {
      for (const double corner : values) EXPECT_LT(corner, static_cast<double>(points));
    }
  return frame;
}

struct Listed {
  double time;
  std::string file;
};
std::vector<Listed> collection(const std::filesystem::path& path) {
  std::vector<Listed> listed;
  for (const Attributes& tag : tags_of(test::content_of(path)))
    if (tag.at("_") == "DataSet") listed.push_back({std::stod(tag.at("timestep")), tag.at("file")});
  return listed;
}

/// Records and hands back the report of the last step.
StepReport record(Scene& scene, const std::filesystem::path& path, int steps, RecordOptions options = {}) {
  const auto recorder = make_recorder(path, options);
  recorder->begin(scene);
  Stepper stepper(scene.step);
  StepReport last;
  for (int i = 0; i < steps; ++i) {
    last = stepper.step(scene.world);
    recorder->record(scene.world, last);
  }
  recorder->finish();
  return last;
}

TEST(Vtk, no_point_lies_outside_its_body_and_every_point_moves_with_it) {
  const Directory directory;
  Scene scene = test::everything();
  record(scene, directory / "t.pvd", 30);
  const VtkFrame frame = read(directory / "t/bodies_000030.vtu");
  // Columns are given in the order of slots; none came or went.
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < scene.world.bodies().size(); ++slot)
    if (scene.world.bodies()[slot].alive) slots.push_back(slot);
  const std::vector<double>& number = frame.arrays.at("body");
  EXPECT_EQ(std::set<double>(number.begin(), number.end()).size(), slots.size());
  for (std::size_t i = 0; i < number.size(); ++i) {
    const Body& body = scene.world.bodies()[slots.at(static_cast<std::size_t>(number[i]))];
    const Vec3 point = frame.vector("position_m", i), velocity = frame.vector("velocity_m_per_s", i);
    double outside = std::numeric_limits<double>::infinity();   // along the line from the middle of a part
    for (const std::uint32_t index : body.colliders) {
      const Collider& collider = scene.world.colliders()[index];
      const Vec3 local = (Pose{body.position, body.orientation} * collider.local).to_local(point);
      outside =
          std::min(outside, std::holds_alternative<HalfSpace>(collider.shape)
                                ? std::abs(local.z())
                                : local.dot(local) / local.norm() - support(collider.shape, local).dot(local) / local.norm());
    }
    EXPECT_LT(outside, 1e-6) << body.name;
    EXPECT_LT((velocity - body.velocity_at(point)).norm(), 1e-5) << body.name;
    EXPECT_NEAR(frame.arrays.at("speed_m_per_s")[i], velocity.norm(), 1e-6);
    EXPECT_LT((frame.vector("angular_velocity_rad_per_s", i) - body.angular_velocity).norm(), 1e-5);
    EXPECT_FLOAT_EQ(static_cast<float>(frame.arrays.at("mass_kg")[i]), static_cast<float>(body.mass.mass));
    EXPECT_EQ(frame.arrays.at("asleep")[i], body.asleep);
  }
  const std::vector<double>& offsets = frame.arrays.at("offsets");
  EXPECT_EQ(offsets.size(), std::stoull(frame.piece.at("NumberOfCells")));
  for (std::size_t i = 0; i < offsets.size(); ++i) EXPECT_EQ(offsets[i], 3 * static_cast<double>(i + 1)) << "triangles";
  EXPECT_EQ(offsets.back(), static_cast<double>(frame.arrays.at("connectivity").size()));
  for (const double type : frame.arrays.at("types")) EXPECT_EQ(type, 5);
}

TEST(Vtk, nodes_of_soft_bodies_have_stress_pressure_and_energy) {
  const Directory directory;
  Scene scene = parse_scene(R"({"seconds": 0.2, "bodies": [
    {"name": "beads", "nodes": {"positions": [[1, 0, 0.1]], "radius": 0.1}},
    {"name": "cube", "position": [0, 0, 0.1], "soft": {"shape": {"type": "box", "half_extents": [0.1, 0.1, 0.1]}, "size": 0.1,
     "material": {"model": "linear", "young": 1e5, "poisson": 0}}}]})",
                            "soft.json");
  NodalBody& cube = scene.world.mutable_nodal_bodies()[1];
  for (Vec3& x : cube.positions) x.z() *= 1.01;
  make_recorder(directory / "t.pvd", {})->begin(scene);
  const VtkFrame frame = read(directory / "t/nodes_000000.vtp");
  const auto& stress = frame.arrays.at("von_mises_Pa");
  ASSERT_EQ(stress.size(), 1 + cube.size());
  EXPECT_EQ(stress[0], 0);
  for (std::size_t i = 1; i < stress.size(); ++i) {
    EXPECT_NEAR(stress[i], 1e5 * 0.01, 1e-6);
    EXPECT_NEAR(frame.arrays.at("energy_density_J_per_m3")[i], 0.5 * 1e5 * 1e-4, 1e-8);
    EXPECT_EQ(frame.arrays.at("contact_pressure_Pa")[i], 0);
  }
}

TEST(Vtk, a_soft_body_with_a_picture_has_a_point_for_every_place_on_it) {
  const Directory directory;
  Scene scene = parse_scene(R"({"materials": [{"name": "paper", "texture": {"pattern": "checker", "size": 0.05}}], "bodies": [
    {"name": "beads", "nodes": {"positions": [[1, 0, 0.1]], "radius": 0.1}},
    {"name": "cube", "position": [0, 0, 0.2], "material": "paper", "color": "#00ff00",
     "soft": {"shape": {"type": "box", "half_extents": [0.1, 0.1, 0.1]}, "size": 0.1}}]})",
                            "soft.json");
  record(scene, directory / "t.pvd", 1);
  const VtkFrame frame = read(directory / "t/nodes_000001.vtp");
  const NodalBody& cube = scene.world.nodal_bodies()[1];
  const std::size_t points = frame.arrays.at("node").size();
  EXPECT_GT(points, 1 + cube.size()) << "corners of the cube are on three sides of the picture";
  double mass = 0;
  for (std::size_t i = 1; i < points; ++i) {
    EXPECT_EQ(frame.vector("position_m", i), cube.positions[static_cast<std::size_t>(frame.arrays.at("node")[i])]);
    EXPECT_EQ(frame.arrays.at("colour")[3 * i], 0);
    mass += frame.arrays.at("mass_kg")[i];
  }
  EXPECT_NEAR(mass, scene.world.body(scene.world.find("cube")).mass.mass, 1e-9) << "copies have none";
  const auto &corners = frame.arrays.at("Polys connectivity"), &on = frame.arrays.at("on_picture");
  ASSERT_EQ(corners.size(), 3 * cube.triangles.size());
  for (std::size_t i = 0; i < corners.size(); i += 3)
    for (std::size_t k = 1; k < 3; ++k) {
      const auto a = static_cast<std::size_t>(corners[i]), b = static_cast<std::size_t>(corners[i + k]);
      const auto rest = [&](std::size_t p) { return cube.solid->rest()[static_cast<std::size_t>(frame.arrays.at("node")[p])]; };
      EXPECT_NEAR(0.05 * std::hypot(on[2 * b] - on[2 * a], on[2 * b + 1] - on[2 * a + 1]), (rest(b) - rest(a)).norm(), 1e-6);
    }
  const std::vector<double>& picture = frame.arrays.at("picture");
  ASSERT_EQ(picture.size(), 1 + cube.triangles.size());
  EXPECT_EQ(picture.front(), 0) << "the bead";
  EXPECT_EQ(std::count(picture.begin(), picture.end(), 1), std::ssize(cube.triangles));
  EXPECT_TRUE(std::filesystem::exists(directory / "t/picture_1.png"));
}

TEST(Vtk, nodes_are_points_with_velocities_and_triangles_are_cells) {
  const Directory directory;
  Scene scene = test::beads();
  record(scene, directory / "t.pvd", 20);
  const VtkFrame frame = read(directory / "t/nodes_000020.vtp");
  std::size_t at = 0;
  for (const NodalBody& nodes : scene.world.nodal_bodies())
    for (std::size_t i = 0; i < nodes.size(); ++i, ++at) {
      EXPECT_EQ(frame.vector("position_m", at), nodes.positions[i]);
      EXPECT_EQ(frame.vector("velocity_m_per_s", at), nodes.velocities[i]);
      EXPECT_EQ(frame.arrays.at("radius_m")[at], nodes.radius);
      EXPECT_EQ(frame.arrays.at("mass_kg")[at], nodes.masses[i]);
      EXPECT_EQ(frame.arrays.at("body")[at], nodes.body);
      EXPECT_EQ(frame.arrays.at("node")[at], static_cast<double>(i));
    }
  EXPECT_EQ(at, 29u);
  EXPECT_EQ(frame.piece.at("NumberOfPolys"), "2");
  EXPECT_EQ(frame.arrays.at("Polys connectivity"), (std::vector<double>{24, 25, 26, 24, 26, 27}));
  EXPECT_EQ(frame.arrays.at("Polys offsets"), (std::vector<double>{3, 6}));
  ASSERT_EQ(frame.arrays.at("Verts connectivity").size(), 25u) << "all beads, and the node that no triangle touches";
  EXPECT_EQ(frame.arrays.at("Verts connectivity").back(), 28);
  const std::vector<double> number = read(directory / "t/bodies_000020.vtu").arrays.at("body");
  EXPECT_EQ(std::set<double>(number.begin(), number.end()), (std::set<double>{0, 1})) << "beads are not drawn twice";
}

TEST(Vtk, nodes_are_listed_from_the_frame_that_has_some) {
  const Directory directory;
  Scene scene = test::falling_ball();
  const auto recorder = make_recorder(directory / "t.pvd");
  recorder->begin(scene);
  Stepper stepper(scene.step);
  for (int i = 0; i < 4; ++i) {
    if (i == 2) scene.world.add(test::cloud());
    recorder->record(scene.world, stepper.step(scene.world));
  }
  recorder->finish();
  int listed = 0;
  for (const Listed& entry : collection(directory / "t.pvd"))
    if (entry.file.find("nodes_") != std::string::npos) {
      EXPECT_GE(entry.time, 0.025);
      EXPECT_TRUE(std::filesystem::exists(directory / entry.file));
      ++listed;
    }
  EXPECT_EQ(listed, 2);
}

TEST(Vtk, the_corners_of_a_box_are_its_corners) {
  const Directory directory;
  Scene scene = test::resting_box();
  record(scene, directory / "t.pvd", 0);
  const VtkFrame frame = read(directory / "t/bodies_000000.vtu");
  std::set<std::array<double, 3>> corners;
  for (std::size_t i = 0; i < frame.arrays.at("body").size(); ++i)
    if (frame.arrays.at("body")[i] == 1) {
      const Vec3 p = frame.vector("position_m", i);
      corners.insert({p.x(), p.y(), p.z()});
    }
  EXPECT_EQ(corners.size(), 8u);
  for (const auto& [x, y, z] : corners) {
    EXPECT_EQ(std::abs(x), 0.25);
    EXPECT_EQ(std::abs(y), 0.25);
    EXPECT_TRUE(z == 0 || z == 0.5) << z;
  }
}

TEST(Vtk, meshes_bring_normals_colours_and_pictures) {
  const Directory directory;
  Scene scene = test::meshes();
  record(scene, directory / "t.pvd", 3);
  const VtkFrame frame = read(directory / "t/bodies_000003.vtu");
  const Body& ball = scene.world.body(scene.world.find("ball"));
  const Vec3 middle = ball.position + ball.orientation * scene.world.colliders()[ball.colliders[0]].local.position;
  const std::size_t points = frame.arrays.at("body").size();
  for (std::size_t i = 0; i < points; ++i) {
    const double number = frame.arrays.at("body")[i];
    const Vec3 normal = frame.vector("normal", i), out = frame.vector("position_m", i) - middle;
    EXPECT_NEAR(normal.norm(), 1, 1e-5);
    if (number == 5 && std::abs(out.norm() - 0.5) < 1e-3) {
      EXPECT_GT(normal.dot(out), 0.49) << "turned with its body";
    }
    EXPECT_EQ(frame.arrays.at("colour")[3 * i + 1], number == 4 ? 128 : 255);
  }
  EXPECT_EQ(frame.components.at("on_picture"), 2u);
  const std::vector<double>& picture = frame.arrays.at("picture");
  EXPECT_EQ(picture.size(), std::stoull(frame.piece.at("NumberOfCells")));
  EXPECT_EQ(std::count(picture.begin(), picture.end(), 1), 10) << "every other triangle of the L";
  EXPECT_EQ(test::content_of(directory / "t/picture_1.png"), test::two_pixels());

  Scene plain = test::resting_box();
  record(plain, directory / "p.pvd", 1);
  const VtkFrame before = read(directory / "p/bodies_000001.vtu");
  EXPECT_FALSE(before.arrays.contains("normal") || before.arrays.contains("colour") || before.arrays.contains("picture"));
}

TEST(Vtk, contact_forces_carry_the_weight) {
  const Directory directory;
  Scene scene = test::resting_box();
  const StepReport report = record(scene, directory / "t.pvd", 100);
  EXPECT_EQ(read(directory / "t/contacts_000000.vtp").piece.at("NumberOfPoints"), "0");
  const VtkFrame frame = read(directory / "t/contacts_000100.vtp");
  ASSERT_EQ(frame.piece.at("NumberOfPoints"), std::to_string(report.contacts.size()));
  EXPECT_EQ(frame.piece.at("NumberOfVerts"), frame.piece.at("NumberOfPoints"));
  double sum = 0;
  for (std::size_t i = 0; i < report.contacts.size(); ++i) {
    const ContactRecord& contact = report.contacts[i];
    EXPECT_EQ(frame.vector("position_m", i), contact.position);
    EXPECT_EQ(frame.vector("normal", i), contact.normal);
    EXPECT_EQ(frame.vector("slip_velocity_m_per_s", i), contact.slip_velocity);
    EXPECT_EQ(frame.arrays.at("gap_m")[i], contact.gap);
    EXPECT_EQ(frame.arrays.at("friction")[i], contact.friction);
    EXPECT_EQ(frame.arrays.at("sliding")[i], 0) << "it rests";
    EXPECT_NEAR(frame.arrays.at("normal_force_N")[i], frame.vector("force_N", i).dot(contact.normal), 1e-6);
    EXPECT_EQ(frame.arrays.at("body_a")[i] + frame.arrays.at("body_b")[i], 1);
    sum += (frame.arrays.at("body_b")[i] == 1 ? 1 : -1) * frame.vector("force_N", i).z();
  }
  const double weight = scene.world.bodies()[1].mass.mass * 9.81;
  EXPECT_NEAR(sum, weight, 1e-4 * weight);
}

TEST(Vtk, a_box_that_is_pushed_over_the_ground_slides) {
  const Directory directory;
  Scene scene = test::resting_box();
  scene.world.set_velocity(scene.world.id_of(1), {2, 0, 0}, Vec3::Zero());
  record(scene, directory / "t.pvd", 5);
  const VtkFrame frame = read(directory / "t/contacts_000005.vtp");
  ASSERT_GT(frame.arrays.at("sliding").size(), 0u);
  for (std::size_t i = 0; i < frame.arrays.at("sliding").size(); ++i)
    EXPECT_EQ(frame.arrays.at("sliding")[i], frame.arrays.at("normal_force_N")[i] > 0);
}

TEST(Vtk, the_collection_lists_every_frame_with_its_time) {
  const Directory directory;
  Scene scene = test::falling_ball();   // h = 10 ms
  record(scene, directory / "a run & more.pvd", 100, {.frames_per_second = 25});
  const std::vector<Listed> listed = collection(directory / "a run & more.pvd");
  ASSERT_EQ(listed.size(), 2u * 26);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    EXPECT_NEAR(listed[i].time, 0.04 * static_cast<double>(i / 2), 1e-9);
    std::string file = listed[i].file;
    EXPECT_THAT(file, HasSubstr("&amp;"));
    file.replace(file.find("&amp;"), 5, "&");
    read(directory / file);
  }
}

TEST(Vtk, a_shorter_record_leaves_no_frames_of_a_longer_one_and_touches_nothing_else) {
  const Directory directory;
  Scene scene = test::falling_ball();
  record(scene, directory / "t.pvd", 10);
  for (const char* mine : {"notes.txt", "bodies_x.vtu", "bodies_7.vtu.bak"})
    test::write_content(directory / "t" / mine, "mine");
  record(scene, directory / "t.pvd", 3);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "t")) names.insert(entry.path().filename());
  EXPECT_EQ(names.size(), 2u * 4 + 3);
  EXPECT_TRUE(names.contains("notes.txt") && names.contains("bodies_x.vtu") && names.contains("bodies_7.vtu.bak"));
  EXPECT_FALSE(names.contains("bodies_000004.vtu"));
}

TEST(Vtk, a_recorder_that_is_destroyed_unfinished_lists_what_it_wrote) {
  const Directory directory;
  Scene scene = test::falling_ball();
  {
    const auto recorder = make_recorder(directory / "t.pvd", {.flush_interval = 1000});
    recorder->begin(scene);
    EXPECT_EQ(collection(directory / "t.pvd").size(), 2u) << "readable from the start";
    Stepper stepper(scene.step);
    for (int i = 0; i < 5; ++i) recorder->record(scene.world, stepper.step(scene.world));
  }
  EXPECT_EQ(collection(directory / "t.pvd").size(), 2u * 6);
}

TEST(Vtk, bodies_that_come_late_get_numbers_of_their_own) {
  const Directory directory;
  Scene scene = test::falling_ball();
  const auto recorder = make_recorder(directory / "t.pvd");
  recorder->begin(scene);
  Stepper stepper(scene.step);
  recorder->record(scene.world, stepper.step(scene.world));
  scene.world.remove(scene.world.id_of(0));
  scene.world.add(test::body_of(Box{{0.1, 0.2, 0.3}}, {1, 2, 3}, "late"));
  recorder->record(scene.world, stepper.step(scene.world));
  recorder->finish();
  const VtkFrame before = read(directory / "t/bodies_000001.vtu"), after = read(directory / "t/bodies_000002.vtu");
  EXPECT_THAT(before.arrays.at("body"), ::testing::Each(0));
  EXPECT_THAT(after.arrays.at("body"), ::testing::Each(1));
}

TEST(Vtk, bad_places_and_full_disks_are_errors_that_name_the_file) {
  const Directory directory;
  Scene scene = test::falling_ball();
  EXPECT_THROW(make_recorder(directory / "missing/x.pvd")->begin(scene), Error);
  test::write_content(directory / "t", "a file where the frames would go");
  try {
    make_recorder(directory / "t.pvd")->begin(scene);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.pvd"));
    EXPECT_THAT(error.what(), HasSubstr("Give another name"));
  }
  std::filesystem::create_symlink("/dev/full", directory / "full.pvd");
  try {
    make_recorder(directory / "full.pvd")->begin(scene);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("full.pvd"));
    EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
  }
}

}   // namespace
}   // namespace stickslip::vtk_test
