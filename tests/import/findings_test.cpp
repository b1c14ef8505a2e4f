// Nothing is lost silently.
#include <gmock/gmock.h>
#include <tinyxml2.h>

#include "imported.h"

namespace stickslip {
namespace {

using test::example;
using test::found;
using test::import_text;
using test::model;
using test::refusal;
using test::sample;
using ::testing::HasSubstr;
using Kind = ImportFinding::Kind;

std::string text_of(const tinyxml2::XMLDocument& document) {
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

void collect(tinyxml2::XMLElement* element, std::vector<tinyxml2::XMLElement*>& elements) {
  elements.push_back(element);
  for (auto* child = element->FirstChildElement(); child; child = child->NextSiblingElement()) collect(child, elements);
}

/// Puts something foreign into every element in turn: it must be found, unless a finding already accounts for the whole
/// element.
void expect_everything_accounted_for(const std::filesystem::path& file) {
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.LoadFile(file.c_str()), tinyxml2::XML_SUCCESS);
  std::vector<tinyxml2::XMLElement*> elements;
  collect(document.RootElement(), elements);
  const std::string ending = file.extension().string().substr(1);
  const ImportedScene before = import_text(ending, text_of(document));
  std::size_t named = 0;
  for (tinyxml2::XMLElement* element : elements) {
    const bool passed_over = [&] {   // the element, or one above it, is accounted for as a whole
      for (const tinyxml2::XMLNode* node = element; node && node->ToElement(); node = node->Parent())
        for (const ImportFinding& f : before.findings)
          if (f.what.starts_with(std::string("<") + node->ToElement()->Name() + ">")) return true;
      return false;
    }();
    element->SetAttribute("foreign", "1");
    EXPECT_EQ(found(import_text(ending, text_of(document)), Kind::not_supported, "line",
                    fmt::format("<{} foreign>: this attribute is not understood", element->Name())),
              !passed_over)
        << element->Name() << " in " << file;
    element->DeleteAttribute("foreign");
    if (passed_over || std::string(element->Name()) == "geometry") continue;   // a shape of its own is refused
    tinyxml2::XMLElement* child = element->InsertNewChildElement("foreign");
    const ImportedScene with_child = import_text(ending, text_of(document));
    EXPECT_TRUE(found(with_child, Kind::not_supported, "line", "<foreign>")) << element->Name() << " in " << file;
    element->DeleteChild(child);
    ++named;
  }
  EXPECT_GT(named, elements.size() / 4);
}

TEST(Findings, a_foreign_attribute_or_element_is_named_wherever_it_stands) {
  expect_everything_accounted_for(model("twisted.urdf"));
  expect_everything_accounted_for(example("arm.urdf"));
  expect_everything_accounted_for(model("classes.xml"));
}

TEST(Findings, what_urdfdom_passes_over_is_listed_with_its_line) {
  const ImportedScene imported = import_urdf(model("twisted.urdf"));
  EXPECT_TRUE(found(imported, Kind::ignored, "line 67, joint 'turn'", "<safety_controller>"));
  EXPECT_TRUE(found(imported, Kind::ignored, "line 68, joint 'turn'", "<calibration>"));
  EXPECT_TRUE(found(imported, Kind::ignored, "line 65, joint 'turn'", "<limit effort velocity>"));
  const ImportedScene arm = import_urdf(example("arm.urdf"));
  EXPECT_TRUE(found(arm, Kind::ignored, "transmission 'shoulder_drive'", "<transmission> and what is in it"));
  EXPECT_TRUE(found(import_text("urdf", "<robot name='r'><link name='l'/><gazebo><static>true</static></gazebo></robot>"),
                    Kind::not_supported, "line 1", "<gazebo>"));
  EXPECT_TRUE(found(
      import_text("urdf",
                  "<robot name='r'><link name='l'><visual><geometry><sphere radius='1'/></geometry></visual></link></robot>"),
      Kind::ignored, "link 'l'", "no <collision>"));
}

TEST(Findings, strict_refuses_what_changes_the_motion_and_counts_the_rest) {
  ImportOptions strict;
  strict.strict = true;
  const std::string gazebo = "<robot name='r'><link name='l'/>\n<gazebo/>\n<link name='m'/><foreign/></robot>";
  try {
    import_mjcf(sample("humanoid/humanoid.xml"), strict);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("humanoid.xml: line 41, default 'body': <geom solref>"));
    EXPECT_THAT(e.what(), HasSubstr("and 4 more."));
  }
  // Looks, sensors and idle motors change nothing.
  EXPECT_FALSE(import_urdf(example("arm.urdf"), strict).findings.empty());
  EXPECT_THAT(refusal("urdf", "<robot name='r'><link name='l'/>\n<gazebo/></robot>", strict), HasSubstr("line 2: <gazebo>"));
}

TEST(Findings, they_come_by_kind_and_then_by_line) {
  const ImportedScene imported = import_mjcf(sample("humanoid/humanoid.xml"));
  EXPECT_TRUE(std::is_sorted(
      imported.findings.begin(), imported.findings.end(),
      [](const ImportFinding& a, const ImportFinding& b) { return std::pair(a.kind, a.line) < std::pair(b.kind, b.line); }));
  const auto warnings = import_warnings(imported.findings);
  ASSERT_EQ(warnings.size(), 5u);
  EXPECT_THAT(warnings.back(), HasSubstr("without influence on the motion"));
}

TEST(Findings, meshes_become_hulls_unless_they_are_to_be_left_out) {
  const std::string tetrahedron =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 2 5\n";
  const test::OneFile mesh("part.obj", tetrahedron);
  const std::string link = fmt::format(
      "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/></inertial>"
      "<collision><geometry><mesh filename='file://{}' scale='2 2 2'/></geometry></collision></link></robot>",
      mesh.path().string());
  ImportOptions options;
  options.fixed_base = false;
  options.meshes = MeshImport::none;
  const ImportedScene without = import_text("urdf", link, options);
  EXPECT_TRUE(found(without, Kind::not_supported, "link 'l'", "left out, as asked for"));
  EXPECT_TRUE(test::scene_of(without).world.colliders().empty());
  options.meshes = std::nullopt;
  const ImportedScene with = import_text("urdf", link, options);
  EXPECT_TRUE(found(with, Kind::approximated, "link 'l'", "convex hull"));
  const Scene scene = test::scene_of(with);
  const auto& hull = std::get<ConvexHull>(scene.world.colliders()[0].shape);
  EXPECT_EQ(hull.polytope->vertices.size(), 4u);
  EXPECT_NEAR(mass_properties(hull, 1).mass, 8.0 / 6, 1e-6) << "the volume of the scaled tetrahedron";
}

}   // namespace
}   // namespace stickslip
