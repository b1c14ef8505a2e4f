#include "cli/sample_law.h"

#include <cmath>
#include <map>
#include <numbers>

namespace stickslip::cli {

namespace {

using Given = std::vector<std::pair<std::string, double>>;

/// Example value of a parameter that must be given and is not.
double example_value(const LawParameter& parameter, const Given& given) {
  // The coefficient while sliding must not exceed that at rest.
  for (const auto& [name, value] : given) {
    if (name == "static" && parameter.name == "kinetic") return value * 2 / 3;
    if (name == "kinetic" && parameter.name == "static") return value * 3 / 2;
  }
  static const std::map<std::string_view, double> values = {
      {"friction", 0.5}, {"along", 0.6},   {"across", 0.3},   {"torsion", 0.02}, {"rolling", 0.01},
      {"static", 0.6},   {"kinetic", 0.4}, {"velocity", 0.1}, {"force", 10},     {"patch", 0.01},
  };
  const auto found = values.find(parameter.name);
  return found != values.end() ? found->second : std::max(parameter.minimum, 0.5);
}

/// A limit surface with more friction forward than back.
std::vector<Vec3> example_points() {
  return {{0.6, 0, 0}, {-0.3, 0, 0}, {0, 0.4, 0}, {0, -0.4, 0}, {0.2, 0, 0.04}, {0.2, 0, -0.04}};
}

constexpr double kDegree = std::numbers::pi / 180;

}   // namespace

const SurfaceLawInfo& find_law(std::string_view name) {
  for (const SurfaceLawInfo& info : surface_laws())
    if (info.name == name) return info;
  for (const SurfaceLawInfo& info : surface_laws())
    if (law_name(example_set(example_law(info)).set) == name) return info;
  return surface_law_info(name);   // says what is wrong
}

SurfaceLaw example_law(const SurfaceLawInfo& info, const Given& given, std::vector<Vec3> points) {
  Given all = given;
  for (const LawParameter& parameter : info.parameters) {
    const auto same = [&](const auto& pair) { return pair.first == parameter.name; };
    if (std::isnan(parameter.standard) && std::none_of(given.begin(), given.end(), same))
      all.emplace_back(parameter.name, example_value(parameter, given));
  }
  if (info.takes_points && points.empty()) points = example_points();
  return make_surface_law(info.name, all, std::move(points));
}

ExampleContact::ExampleContact(const SurfaceLaw& law, double size) : length(size) {
  if (law.name == "tensor") {
    a.tensor << 0.4, 0, 0, 0.15;
    b.tensor << 0.2, 0, 0, 0.1;
  }
  if (law.name == "texture") {
    const std::size_t patch = surface_law_info("texture").parameter("patch");
    a.normal_map = {std::make_shared<const Picture>(sawtooth_normals(256, 4, 10 * kDegree, 60 * kDegree)), law.numbers[patch]};
  }
}

ContactSite ExampleContact::site(double turn, const Vec3& slip) const {
  ContactSite site;
  site.h = 1;   // then impulses are forces
  site.length = length;
  site.slip = slip;
  site.a.surface = &a;
  site.b.surface = &b;
  site.b.pose.orientation = Quat(Eigen::AngleAxisd(turn, Vec3::UnitZ()));
  return site;
}

LocalFriction example_set(const SurfaceLaw& law) { return local_friction(law, ExampleContact(law).site()); }

}   // namespace stickslip::cli
