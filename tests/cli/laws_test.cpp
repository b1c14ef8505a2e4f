// `stickslip laws`: lists, snippets that run, pictures.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "../record/record_scenes.h"
#include "places.h"
#include "program.h"
#include "stickslip/friction/surface_law.h"

namespace stickslip {
namespace {

using nlohmann::json;
using test::content_of;
using test::Directory;
using test::Finished;
using test::stickslip;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

json listed(const std::string& arguments = "") { return json::parse(stickslip("laws --json " + arguments).out); }

json law_named(const json& list, const std::string& name) {
  for (const json& law : list.at("laws"))
    if (law.at("name") == name) return law;
  ADD_FAILURE() << "no law " << name;
  return {};
}

std::string one_line(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

TEST(Laws, every_law_of_the_library_is_listed_with_its_parameters) {
  const json list = listed();
  const std::string text = one_line(stickslip("laws").out);
  ASSERT_EQ(list.at("laws").size(), surface_laws().size());
  for (const SurfaceLawInfo& info : surface_laws()) {
    const json law = law_named(list, info.name);
    EXPECT_EQ(law.at("summary"), info.summary);
    EXPECT_EQ(law.at("source"), info.source);
    EXPECT_EQ(law.at("rows"), info.rows);
    EXPECT_EQ(law.at("points"), info.takes_points);
    EXPECT_THAT(text, AllOf(HasSubstr(" " + info.name + " " + info.summary), HasSubstr("source: " + info.source)));
    ASSERT_EQ(law.at("parameters").size(), info.parameters.size()) << info.name;
    const std::string detail = one_line(stickslip("laws " + info.name).out);
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
      const json& parameter = law.at("parameters")[i];
      EXPECT_EQ(parameter.at("name"), info.parameters[i].name);
      EXPECT_EQ(parameter.at("unit"), info.parameters[i].unit);
      EXPECT_EQ(parameter.at("minimum"), info.parameters[i].minimum);
      EXPECT_EQ(parameter.at("default").is_null(), std::isnan(info.parameters[i].standard));
      EXPECT_THAT(detail, HasSubstr(info.parameters[i].help)) << info.name;
    }
  }
}

TEST(Laws, solvers_that_honour_a_law_are_named_by_the_model_they_solve) {
  const json list = listed();
  const json all = json::parse(stickslip("solvers --json").out).at("solvers");
  const auto names = [](const json& law) { return law.at("solvers").get<std::set<std::string>>(); };
  EXPECT_EQ(names(law_named(list, "coulomb")).size(), all.size()) << "every solver takes the circle";
  EXPECT_FALSE(names(law_named(list, "contensou")).contains("lemke")) << "no polygon stands for three rows";
  EXPECT_TRUE(names(law_named(list, "polyhedral")).contains("lemke"));
  for (const json& law : list.at("laws")) {
    std::set<std::string> joined;
    for (const json& model : law.at("solvers_by_model"))
      for (const json& name : model) EXPECT_TRUE(joined.insert(name).second) << name << " twice for " << law.at("name");
    EXPECT_EQ(joined, names(law)) << law.at("name");
    EXPECT_THAT(law.at("solvers_by_model").at("exact"), ::testing::Contains("auto"));
    EXPECT_THAT(law.at("solvers_by_model").at("boxed"), ::testing::Contains("pgs"));
  }
  EXPECT_THAT(stickslip("laws contensou").out,
              AllOf(HasSubstr("all but lemke"), HasSubstr("by the boxed model"), Not(HasSubstr("polyhedral model"))));
}

TEST(Laws, one_law_is_shown_alone_and_by_the_name_of_its_set) {
  EXPECT_EQ(listed("stribeck").at("laws").size(), 1u);
  EXPECT_EQ(listed("tensor ellipse").at("laws").size(), 2u);
  EXPECT_EQ(listed("ellipsoid").at("laws")[0].at("name"), "contensou");
  EXPECT_EQ(listed("contensou").at("laws")[0].at("set"), "ellipsoid");
  const Finished wrong = stickslip("laws elipse");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("elipse"), HasSubstr("Did you mean 'ellipse'?")));
}

TEST(Laws, published_coefficients_come_with_their_source) {
  const json published = listed("coulomb").at("published");
  ASSERT_EQ(published.size(), published_friction().size());
  const std::string text = one_line(stickslip("laws --published").out);
  for (const json& entry : published) {
    EXPECT_THAT(text, HasSubstr(entry.at("name").get<std::string>()));
    EXPECT_FALSE(entry.at("source").get<std::string>().empty());
    EXPECT_TRUE(entry.at("static").is_number() || entry.at("kinetic").is_number());
  }
  EXPECT_THAT(text, HasSubstr("steel-on-steel 0.74 0.57 [1]"));
}

TEST(Laws, every_example_is_a_material_that_scenes_take) {
  const Directory directory;
  for (const json& law : listed().at("laws")) {
    const std::string file = directory / "scene.json";
    const json scene = {{"materials", {law.at("example")}},
                        {"bodies",
                         {{{"name", "ground"}, {"motion", "fixed"}, {"shape", {{"type", "half-space"}}}, {"material", "mine"}},
                          {{"name", "box"},
                           {"shape", {{"type", "box"}, {"half_extents", {0.1, 0.1, 0.1}}}},
                           {"position", {0, 0, 0.1}},
                           {"material", "mine"}}}}};
    test::write_content(file, scene.dump());
    const Finished run = stickslip("run " + file + " --steps 2 --quiet");
    EXPECT_EQ(run.exit_code, 0) << law.at("name") << ": " << run.err;
  }
}

TEST(Laws, every_scene_in_the_manual_runs) {
  const Directory directory;
  const std::string manual = content_of(std::string(places::kSourceDir) + "/docs/friction.md");
  int scenes = 0;
  for (std::size_t begin = manual.find("```json"); begin != std::string::npos; begin = manual.find("```json", begin + 1)) {
    const std::size_t start = begin + 8, end = manual.find("```", start);
    const std::string file = directory / fmt::format("scene-{}.json", ++scenes);
    test::write_content(file, manual.substr(start, end - start));
    const Finished run = stickslip("run " + file + " --steps 10 --quiet --strict");
    EXPECT_EQ(run.exit_code, 0) << "scene " << scenes << ": " << run.err;
  }
  EXPECT_GE(scenes, 4);
}

/// Without spaces: versions of the drawing library write "rgb(0%, 40%, 80%)" differently.
std::string squeezed(const std::string& svg) { return std::regex_replace(svg, std::regex("\\s+"), ""); }

/// Colours of the boundary of F, of projections.
constexpr const char* kSetColor = "rgb(0%,40%,80%)";
constexpr const char* kProjectionColor = "rgb(80%,20%,0%)";

TEST(LawPictures, every_law_is_drawn_with_its_set_and_projections) {
  const Directory directory;
  for (const SurfaceLawInfo& info : surface_laws()) {
    const std::string svg = directory / (info.name + ".svg");
    const Finished run = stickslip("laws --plot " + info.name + " -o " + svg);
    ASSERT_EQ(run.exit_code, 0) << info.name << ": " << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr(svg), HasSubstr(info.name + ": ")));
    EXPECT_THAT(run.err, IsEmpty());
    const std::string content = content_of(svg), tight = squeezed(content);
    EXPECT_THAT(content, AllOf(HasSubstr("<svg"), HasSubstr("</svg>"))) << info.name;
    EXPECT_THAT(content, Not(HasSubstr("nan"))) << info.name;
    EXPECT_THAT(tight, AllOf(HasSubstr(kSetColor), HasSubstr(kProjectionColor))) << info.name;
  }
}

/// Pixels of this colour.
int pixels_of(const Picture& picture, const Vec3& color) {
  int count = 0;
  for (std::size_t i = 0; i + 2 < picture.rgb().size(); i += 3)
    if ((Vec3(picture.rgb()[i], picture.rgb()[i + 1], picture.rgb()[i + 2]) - color).norm() < 0.01) ++count;
  return count;
}

TEST(LawPictures, a_png_shows_boundary_projections_and_paper) {
  const Directory directory;
  const std::string png = directory / "law.png";
  const json result =
      json::parse(stickslip("laws --plot ellipsoid --set along=0.5 --set across=0.2 --set torsion=0.03 --json -o " + png).out);
  EXPECT_EQ(result.at("law"), "contensou");
  EXPECT_EQ(result.at("file"), png);
  EXPECT_EQ(result.at("bytes"), std::filesystem::file_size(png));
  EXPECT_EQ(result.at("parameters"), json({{"along", 0.5}, {"across", 0.2}, {"torsion", 0.03}}));
  const Picture picture = Picture::read_png(png);
  EXPECT_GT(picture.width(), 3 * 300) << "three sections side by side";
  const int all = picture.width() * picture.height();
  EXPECT_GT(pixels_of(picture, {1, 1, 1}), all / 2);
  EXPECT_GT(pixels_of(picture, {0, 0.4, 0.8}), 500);
  EXPECT_GT(pixels_of(picture, {0.8, 0.2, 0}), 500);
  EXPECT_GT(pixels_of(picture, {0.2, 0.2, 0.2}), 500) << "words and numbers";
}

TEST(LawPictures, numbers_change_the_picture_and_the_scale_of_both_axes_is_the_same) {
  const Directory directory;
  // The blue rim of a circle is as wide as it is high; that of an ellipse of axes 2 : 1 twice as wide.
  const auto aspect = [&](const std::string& arguments) {
    const std::string png = directory / "law.png";
    EXPECT_EQ(stickslip("laws --plot " + arguments + " -o " + png).exit_code, 0) << arguments;
    const Picture picture = Picture::read_png(png);
    int left = picture.width(), right = 0, top = picture.height(), bottom = 0;
    const int chart = picture.width() * 6 / 10;   // the legend stands to the right of it
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < chart; ++x) {
        const float* rgb = &picture.rgb()[3 * (std::size_t(y) * picture.width() + x)];
        if (std::abs(rgb[0]) > 0.01 || std::abs(rgb[1] - 0.4) > 0.01 || std::abs(rgb[2] - 0.8) > 0.01) continue;
        left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
      }
    return double(right - left) / double(bottom - top);
  };
  EXPECT_NEAR(aspect("coulomb"), 1, 0.02);
  EXPECT_NEAR(aspect("ellipse --set along=0.6 --set across=0.3"), 2, 0.05);
  EXPECT_NEAR(aspect("ellipse --set along=300 --set across=600"), 0.5, 0.02);
  EXPECT_NEAR(aspect("box --set along=0.001 --set across=0.001"), 1, 0.02);
}

TEST(LawPictures, a_law_without_friction_is_drawn_too) {
  const Directory directory;
  for (const char* law : {"coulomb --set friction=0", "contensou --set along=0 --set torsion=0", "rolling --set rolling=0",
                          "tensor --set scale=0", "tresca --set force=0"}) {
    const std::string svg = directory / "law.svg";
    const Finished run = stickslip(std::string("laws --plot ") + law + " -o " + svg);
    EXPECT_EQ(run.exit_code, 0) << law << ": " << run.err;
    EXPECT_THAT(content_of(svg), AllOf(HasSubstr("</svg>"), Not(HasSubstr("nan")))) << law;
  }
}

TEST(LawPictures, numbers_that_are_not_given_fit_those_that_are) {
  const Directory directory;
  const std::string svg = directory / "law.svg";
  for (const char* law : {"static-kinetic --set static=0.2", "static-kinetic --set kinetic=0.9", "stribeck --set static=0.1"})
    EXPECT_EQ(stickslip(std::string("laws --plot ") + law + " -o " + svg).exit_code, 0) << law;
  EXPECT_EQ(stickslip("laws --plot stribeck --set static=0.1 --set kinetic=0.2 -o " + svg).exit_code, 2);
}

TEST(LawPictures, the_default_name_tells_the_law) {
  const Directory directory;
  const Finished run = stickslip("laws --plot circle", "cd " + directory.path().string() + " && ");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("law-coulomb.svg"));
  EXPECT_TRUE(std::filesystem::exists(directory / "law-coulomb.svg"));
}

TEST(LawPictures, points_of_a_limit_surface_may_be_given) {
  const Directory directory;
  const std::string svg = directory / "law.svg";
  EXPECT_THAT(stickslip("laws --plot limit-surface --set 'points=[[1,0,0],[-1,0,0],[0,1,0],[0,-1,0]]' -o " + svg).out,
              HasSubstr("4 points"));
  for (const char* wrong : {"[[1,0]]", "7", "[]", "[[1,0,\"x\"]]"}) {
    const Finished run = stickslip(std::string("laws --plot limit-surface --set 'points=") + wrong + "' -o " + svg);
    EXPECT_EQ(run.exit_code, 2) << wrong;
    EXPECT_THAT(run.err, HasSubstr("points")) << wrong;
  }
}

TEST(LawPictures, mistakes_are_named_and_nothing_is_written) {
  const Directory directory;
  const std::string good = directory / "law.svg";
  struct Mistake {
    std::string arguments;
    std::vector<std::string> words;
  };
  const Mistake mistakes[] = {
      {"--plot nonsense -o " + good, {"nonsense", "coulomb"}},
      {"--plot ellipse --set allong=0.5 -o " + good, {"allong", "Did you mean 'along'?"}},
      {"--plot ellipse --set along=-1 -o " + good, {"/along", "-1", "at least 0"}},
      {"--plot ellipse --set along=much -o " + good, {"/along", "much", "number"}},
      {"--plot ellipse --set along -o " + good, {"name=value"}},
      {"--plot ellipse --set along=1 --set along=2 -o " + good, {"along", "twice"}},
      {"--plot contensou --length 0 -o " + good, {"--length 0"}},
      {"--plot ellipse --published -o " + good, {"--plot"}},
      {"ellipse -o " + good, {"-o", "--plot NAME"}},
      {"--set along=1", {"--set", "--plot NAME"}},
      {"--plot ellipse -o " + (directory / "law.pdf").string(), {"law.pdf", ".svg or .png"}},
      {"--plot ellipse -o " + (directory / "law").string(), {".svg or .png"}},
      {"--plot ellipse -o " + (directory / "no-such-folder/law.svg").string(), {"no-such-folder", "does not exist"}},
      {"--plto ellipse", {"--plto", "--plot"}},
  };
  for (const Mistake& mistake : mistakes) {
    const Finished run = stickslip("laws " + mistake.arguments);
    EXPECT_EQ(run.exit_code, 2) << mistake.arguments;
    EXPECT_THAT(run.out, IsEmpty()) << mistake.arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    for (const std::string& word : mistake.words) EXPECT_THAT(run.err, HasSubstr(word)) << mistake.arguments;
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(LawPictures, a_disk_that_is_full_is_an_error_and_leaves_the_older_picture) {
  const Directory directory;
  const std::string svg = directory / "law.svg";
  ASSERT_EQ(stickslip("laws --plot coulomb -o " + svg).exit_code, 0);
  const std::string before = content_of(svg);
  const Finished run = stickslip("laws --plot ellipse -o " + svg, "ulimit -f 1; ");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr(svg));
  EXPECT_EQ(content_of(svg), before);
}

}   // namespace
}   // namespace stickslip
