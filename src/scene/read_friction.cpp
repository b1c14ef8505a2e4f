#include "scene/read_friction.h"

#include <numbers>

#include "scene/reader.h"

namespace stickslip::document {

namespace {

SurfaceLaw read_law(const Place& place) {
  SurfaceLaw law;
  read_object(place, "a friction law", [&](Fields& fields) {
    const Place name_place = fields.get("law");
    std::string name;
    read(name_place, name);
    const SurfaceLawInfo& info = name_place.within([&]() -> const SurfaceLawInfo& { return surface_law_info(name); });
    std::vector<std::pair<std::string, double>> given;
    for (const LawParameter& parameter : info.parameters) {
      double number = 0;
      if (fields.optional(parameter.name, number)) given.emplace_back(parameter.name, number);
    }
    std::vector<Vec3> points;
    if (info.takes_points) read(fields.get("points"), points);
    law = place.within([&] { return make_surface_law(name, given, std::move(points)); });
  });
  return law;
}

double read_angle(Fields& fields, std::string_view key, double standard) {
  double degrees = standard;
  fields.optional(key, degrees);
  return degrees * std::numbers::pi / 180;
}

double read_size(Fields& fields) {
  const double size = fields.required<double>("size");
  if (!(size > 0)) fields.get("size").fail(fmt::format("{} is not the side of a tile. It must be greater than 0 m.", size));
  return size;
}

std::shared_ptr<const Picture> read_picture(const Place& place, const std::filesystem::path& folder) {
  std::string file;
  read(place, file);
  return place.within([&] { return std::make_shared<const Picture>(Picture::read_png(folder / file)); });
}

void read_axis(Fields& fields, std::string_view key, Vec3& axis) {
  if (fields.optional(key, axis) && !(axis.norm() > 0))
    fields.get(key).fail("A direction of length 0 points nowhere. Give another vector.");
}

Structure read_structure(const Place& place, const std::filesystem::path& folder) {
  Structure structure;
  read_object(place, "a structure", [&](Fields& fields) {
    const auto axial = [&](auto type) {
      fields.optional("center", type.center);
      read_axis(fields, "axis", type.axis);
      structure = type;
    };
    switch (read_choice(fields.get("type"), {"fixed", "circular", "radial", "flow", "picture"})) {
      case 0: {
        FixedStructure fixed;
        read_axis(fields, "direction", fixed.direction);
        structure = fixed;
        break;
      }
      case 1:
        axial(CircularStructure{});
        break;
      case 2:
        axial(RadialStructure{});
        break;
      case 3: {
        FlowStructure flow;
        fields.optional("center", flow.center);
        read_axis(fields, "direction", flow.direction);
        flow.radius = fields.required<double>("radius");
        if (!(flow.radius > 0))
          fields.get("radius").fail(fmt::format("{} is not a radius. It must be greater than 0 m.", flow.radius));
        structure = flow;
        break;
      }
      default:
        structure = PictureStructure{read_picture(fields.get("file"), folder), read_size(fields)};
    }
  });
  return structure;
}

NormalMap read_normal_map(const Place& place, const std::filesystem::path& folder) {
  NormalMap map;
  read_object(place, "a normal map", [&](Fields& fields) {
    map.size = read_size(fields);
    fields.not_both("file", "pattern");
    if (const auto file = fields.find("file")) {
      map.picture = read_picture(*file, folder);
      return;
    }
    const std::size_t pattern = read_choice(fields.get("pattern"), {"sawtooth", "bumps"});
    int pixels = 64, count = 4;
    fields.optional("pixels", pixels);
    fields.optional("count", count);
    map.picture = place.within([&] {
      return std::make_shared<const Picture>(
          pattern == 0
              ? sawtooth_normals(pixels, count, read_angle(fields, "ramp_degrees", 10), read_angle(fields, "cliff_degrees", 80))
              : bumpy_normals(pixels, count, read_angle(fields, "slope_degrees", 45)));
    });
  });
  return map;
}

Mat2 read_tensor(const Place& place) {
  std::vector<std::vector<double>> rows;
  read(place, rows);
  if (rows.size() != 2 || rows[0].size() != 2 || rows[1].size() != 2)
    place.fail("This is not a friction tensor. Give two rows of two numbers.");
  Mat2 tensor;
  tensor << rows[0][0], rows[0][1], rows[1][0], rows[1][1];
  return tensor;
}

}   // namespace

void read_friction(const Place& place, double& friction, std::shared_ptr<const SurfaceLaw>& law) {
  law = nullptr;
  if (place.value().is_number()) return read(place, friction);
  SurfaceLaw found;
  if (place.value().is_string()) {
    std::string name;
    read(place, name);
    found = place.within([&] { return published_law(name); });
  } else if (place.value().is_object()) {
    found = read_law(place);
  } else {
    place.wrong_type("Give a coefficient, the name of a published one, or an object with a \"law\".");
  }
  const std::vector<LawParameter>& parameters = surface_law_info(found.name).parameters;
  for (std::size_t i = parameters.size(); i-- > 0;)
    if (parameters[i].coefficient) friction = found.numbers[i];
  if (found.name != "coulomb") law = std::make_shared<const SurfaceLaw>(std::move(found));
}

void read_surface(Fields& fields, Surface& surface, const std::filesystem::path& folder) {
  if (const auto place = fields.find("structure")) surface.structure = read_structure(*place, folder);
  if (const auto place = fields.find("tensor")) surface.tensor = read_tensor(*place);
  if (const auto place = fields.find("normal_map")) surface.normal_map = read_normal_map(*place, folder);
}

}   // namespace stickslip::document
