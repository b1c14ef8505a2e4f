#include "scene/read_friction.h"
#include "scene/read_meshes.h"
#include "scene/read_parts.h"
#include "scene/read_repeat.h"
#include "scene/read_texture.h"

namespace stickslip::document {

MaterialId read_material_name(const Place& place, const MaterialTable& materials) {
  std::string name;
  document::read(place, name);
  return place.within([&] { return materials.find(name); });
}

void read_colour(Fields& fields, std::optional<Colour>& colour) {
  const auto place = fields.find("color");
  if (!place) return;
  std::string name;
  document::read(*place, name);
  place->within([&] { colour = colour_from_name(name); });
}

namespace {

constexpr int kMostRepeats = 1'000'000;   ///< copies that one body may ask for

void read(const Place& place, Material& material, const std::filesystem::path& folder) {
  read_object(place, "a material", [&](Fields& fields) {
    material.name = fields.required<std::string>("name");
    fields.optional("density", material.density);
    if (const auto friction = fields.find("friction")) read_friction(*friction, material.friction, material.law);
    fields.optional("restitution", material.restitution);
    fields.optional("tangential_restitution", material.tangential_restitution);
    read_colour(fields, material.colour);
    read_texture(fields, material.texture, folder);
    read_surface(fields, material.surface, folder);
  });
}

void read(const Place& place, CombineRule& rule) {
  std::string name;
  document::read(place, name);
  place.within([&] { rule = combine_rule_from_name(name); });
}

void read_pair(const Place& place, MaterialTable& materials) {
  read_object(place, "a material pair", [&](Fields& fields) {
    const Place between = fields.get("between");
    const Json& names = between.value();
    if (!names.is_array() || names.size() != 2) {
      between.fail(fmt::format("{} is not a pair. Give two materials: [\"one\", \"other\"].", shown(names)));
    }
    const MaterialId a = read_material_name(Place(names[0], between, "0"), materials);
    const MaterialId b = read_material_name(Place(names[1], between, "1"), materials);
    if (materials.pairs().contains(std::minmax(a.index, b.index))) {
      between.fail(fmt::format("The pair {} is given twice. Keep one of them.", shown(names)));
    }
    const auto friction = fields.find("friction");
    // What is not given follows the combine rules; laws that do not combine are no trouble where the pair has its own.
    SurfacePair pair = friction ? materials.coefficients_between(a, b) : place.within([&] { return materials.between(a, b); });
    if (friction) {
      read_friction(*friction, pair.friction, pair.law);
      pair.fixed_to = a;
    }
    fields.optional("restitution", pair.restitution);
    fields.optional("tangential_restitution", pair.tangential_restitution);
    if (const auto form = fields.find("contact")) pair.contact = static_cast<ContactForm>(read_choice(*form, kContactForms));
    place.within([&] { materials.set_pair(a, b, pair); });
  });
}

/// Three numbers for a diagonal, or three rows of three.
Mat3 read_inertia(const Place& place) {
  const Json& v = place.value();
  if (!v.is_array() || v.size() != 3) {
    place.fail(fmt::format("{} is not an inertia. Give the diagonal [xx, yy, zz] or three rows of three numbers.", shown(v)));
  }
  if (v[0].is_number()) {
    Vec3 diagonal;
    document::read(place, diagonal);
    return diagonal.asDiagonal();
  }
  Mat3 inertia;
  for (int i = 0; i < 3; ++i) {
    Vec3 row;
    document::read(Place(v[static_cast<std::size_t>(i)], place, std::to_string(i)), row);
    inertia.row(i) = row.transpose();
  }
  return inertia;
}

MassProperties read_mass_properties(const Place& place) {
  MassProperties mass;
  read_object(place, "mass properties", [&](Fields& fields) {
    mass.mass = fields.required<double>("mass");
    fields.optional("center", mass.center);
    mass.inertia = read_inertia(fields.get("inertia"));
  });
  place.within([&] { validate(mass); });
  return mass;
}

/// The parts of a body, given as one "shape" or as "parts".
std::vector<Part> read_parts(Fields& body, const MaterialTable& materials, SceneMeshes& meshes) {
  MaterialId material;
  if (const auto name = body.find("material")) material = read_material_name(*name, materials);
  std::optional<Colour> colour;
  read_colour(body, colour);
  SharedTexture texture;
  read_texture(body, texture, meshes.folder());
  body.not_both("shape", "parts");
  std::vector<Part> parts;
  const auto list = body.find("parts");
  if (!list) {
    for (Shape& shape : read_shape(body.get("shape"), meshes))
      parts.push_back({std::move(shape), Pose{}, material, colour, texture});
    return parts;
  }
  if (!list->value().is_array()) list->wrong_type("Give an array of parts.");
  if (list->value().empty() && !body.find("mass_properties"))
    list->fail("[] holds no part. A body needs at least one; a dynamic body with \"mass_properties\" can do without.");
  std::size_t index = 0;
  for (const Json& value : list->value()) {
    read_object(Place(value, *list, std::to_string(index++)), "a part", [&](Fields& fields) {
      Part part{Shape{}, Pose{}, material, colour, texture};
      std::vector<Shape> shapes = read_shape(fields.get("shape"), meshes);
      part.pose = read_pose(fields);
      if (const auto name = fields.find("material")) part.material = read_material_name(*name, materials);
      read_colour(fields, part.colour);
      read_texture(fields, part.texture, meshes.folder());
      for (Shape& shape : shapes) {
        part.shape = std::move(shape);
        parts.push_back(part);
      }
    });
  }
  return parts;
}

}   // namespace

void read_materials(Fields& document, MaterialTable& materials, const std::filesystem::path& folder) {
  if (const auto list = document.find("materials")) {
    if (!list->value().is_array()) list->wrong_type("Give an array of materials.");
    bool default_given = false;
    std::size_t index = 0;
    for (const Json& value : list->value()) {
      const Place place(value, *list, std::to_string(index++));
      Material material;
      read(place, material, folder);
      // "default" stands in the table already: naming it the first time changes it.
      const bool change = material.name == "default" && !default_given;
      default_given = default_given || change;
      place.within([&] { change ? materials.set({0}, material) : void(materials.add(material)); });
    }
  }
  if (const auto combine = document.find("combine")) {
    read_object(*combine, "the combine rules", [&](Fields& fields) {
      if (const auto rule = fields.find("friction")) read(*rule, materials.friction_rule);
      if (const auto rule = fields.find("restitution")) read(*rule, materials.restitution_rule);
    });
  }
  if (const auto list = document.find("material_pairs")) {
    if (!list->value().is_array()) list->wrong_type("Give an array of material pairs.");
    std::size_t index = 0;
    for (const Json& value : list->value()) read_pair(Place(value, *list, std::to_string(index++)), materials);
  }
}

Repeat read_repeat(const Place& place) {
  Repeat repeat;
  read_object(place, "a repeat", [&](Fields& fields) {
    const Place count = fields.get("count");
    std::vector<int> counts;
    document::read(count, counts);
    if (counts.size() != 3)
      count.fail(fmt::format("{} has {} entries. Give three counts: [nx, ny, nz].", shown(count.value()), counts.size()));
    double total = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      if (counts[i] < 1)
        Place(count.value()[i], count, std::to_string(i))
            .fail(fmt::format("{} is not a count. It must be at least 1.", counts[i]));
      total *= repeat.count[i] = counts[i];
    }
    if (total > kMostRepeats)
      count.fail(fmt::format("{} makes {:.0f} bodies. At most {} are possible.", shown(count.value()), total, kMostRepeats));
    repeat.step = fields.required<Vec3>("step");
  });
  return repeat;
}

void add_bodies(const Place& place, World& world, SceneMeshes& meshes, std::vector<std::string>& warnings) {
  if (place.value().is_object() && place.value().contains("nodes")) return add_nodal_body(place, world);
  if (place.value().is_object() && place.value().contains("soft")) return add_soft_bodies(place, world, meshes, warnings);
  BodyDescription body;
  std::optional<Repeat> repeat;
  read_object(place, "a body", [&](Fields& fields) {
    const auto no_effect = [&](std::string_view key, std::string_view why) {
      if (const auto field = fields.find(key)) warnings.push_back(fmt::format("{} has no effect: {}.", field->pointer(), why));
    };
    fields.optional("name", body.name);
    if (const auto motion = fields.find("motion")) {
      body.motion = static_cast<MotionType>(read_choice(*motion, {"dynamic", "fixed", "kinematic"}));
    }
    body.parts = read_parts(fields, world.materials, meshes);
    body.pose = read_pose(fields);
    fields.optional("velocity", body.velocity);
    fields.optional("angular_velocity", body.angular_velocity);
    fields.not_both("mass", "mass_properties");
    if (const auto mass = fields.find("mass")) document::read(*mass, body.mass.emplace());
    if (const auto mass = fields.find("mass_properties")) body.mass_properties = read_mass_properties(*mass);
    fields.optional("force", body.force);
    fields.optional("torque", body.torque);
    fields.optional("can_sleep", body.can_sleep);
    if (const auto how = fields.find("continuous"))
      body.continuous = static_cast<Continuous>(read_choice(*how, {"automatic", "margin", "impact", "off"}));
    if (const auto form = fields.find("contact")) body.contact = static_cast<ContactForm>(read_choice(*form, kContactForms));
    fields.optional("overlap", body.overlap);
    const bool scripted = fields.optional("script", body.script);
    if (const auto field = fields.find("repeat")) repeat = read_repeat(*field);

    if (body.motion != MotionType::dynamic) {
      for (const auto key : {"mass", "mass_properties", "force", "torque"}) no_effect(key, "the body is not dynamic");
    }
    if (body.motion != MotionType::kinematic && scripted) {
      fields.get("script").fail("Only a kinematic body follows a script. Set \"motion\" to \"kinematic\".");
    }
    for (const auto key : {"velocity", "angular_velocity"}) {
      if (body.motion == MotionType::fixed && fields.find(key)) {
        fields.get(key).fail("A fixed body has no velocity. Set \"motion\" to \"kinematic\", or leave this out.");
      }
      if (!std::holds_alternative<ConstantVelocity>(body.script)) no_effect(key, "the script says how the body moves");
    }
  });
  for_each_copy(repeat, body, [&](BodyDescription copy) { place.within([&] { world.add(std::move(copy)); }); });
}

}   // namespace stickslip::document
