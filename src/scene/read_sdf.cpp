// Solids given by signed distance fields.
#include "scene/read_meshes.h"
#include "scene/read_parts.h"
#include "stickslip/field/field_cache.h"
#include "stickslip/geometry/shape_fields.h"
#include "stickslip/mesh/make_mesh.h"
#include "stickslip/scene/make_field.h"

namespace stickslip::document {

namespace {

const std::vector<std::string> kSignRules = {"automatic", "normals", "winding"};   // in the order of SignRule

/// "resolution", "tolerance" and "sign". @param side the longest of the solid's box [m]
FieldOptions read_field_options(Fields& fields, double side) {
  constexpr int kResolution = 64, kFinest = 512;
  FieldOptions options;
  options.resolution = kResolution;
  if (fields.optional("tolerance", options.error)) {
    if (!(std::isfinite(options.error) && options.error > 0))
      fields.get("tolerance")
          .fail(fmt::format("{} is not a length. The tolerance must be finite and greater than 0 m.", options.error));
    // At sharp edges the error is about half a cell.
    options.resolution = static_cast<int>(std::clamp(std::ceil(0.5 * side / options.error), 1.0 * kResolution, 1.0 * kFinest));
  }
  fields.optional("resolution", options.resolution);
  if (const auto sign = fields.find("sign")) options.sign = static_cast<SignRule>(read_choice(*sign, kSignRules));
  return options;
}

Json json_of(const FieldOptions& options) {
  return {{"resolution", options.resolution},
          {"error", options.error},
          {"band", options.band},
          {"sign", kSignRules[static_cast<std::size_t>(options.sign)]}};
}

Json numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json json_of(const std::vector<Vec3>& points) {
  Json list = Json::array();
  for (const Vec3& p : points) list.push_back(numbers(p));
  return list;
}

/// A shape in words of its own, without names and files.
Json json_of(const Shape& shape) {
  Json json = {{"type", shape_name(shape)}};
  std::visit(
      [&](const auto& s) {
        for_each_field(s, [&]<class Number>(std::string_view name, const Number& x) {
          if constexpr (std::is_same_v<Number, Vec3>) json[std::string(name)] = numbers(x);
          else json[std::string(name)] = x;
        });
      },
      shape);
  if (const auto* hull = std::get_if<ConvexHull>(&shape)) json["points"] = json_of(hull->polytope->vertices);
  if (const auto* mesh = std::get_if<Mesh>(&shape)) {
    json["vertices"] = json_of(mesh->solid->mesh().vertices);
    for (const auto& t : mesh->solid->mesh().triangles) json["triangles"].push_back(Json(t));
  }
  return json;
}

struct UnionPart {
  Shape shape;
  Pose pose;
};

struct ShapeUnion {
  std::vector<UnionPart> parts;
  double smooth = 0;

  std::shared_ptr<const DistanceField> field() const {
    std::vector<std::shared_ptr<const DistanceField>> fields;
    for (const UnionPart& part : parts) fields.push_back(std::make_shared<ShapeField>(part.shape, part.pose));
    return std::make_shared<SmoothUnion>(std::move(fields), smooth);
  }

  std::string text() const {
    Json list = Json::array();
    for (const auto& [shape, pose] : parts) {
      const Quat& q = pose.orientation;
      list.push_back({{"shape", json_of(shape)},
                      {"position", numbers(pose.position)},
                      {"orientation_wxyz", {q.w(), q.x(), q.y(), q.z()}}});
    }
    return Json{{"union", list}, {"smooth", smooth}}.dump();
  }
};

ShapeUnion read_union(Fields& fields, SceneMeshes& meshes) {
  ShapeUnion result;
  const Place list = fields.get("union");
  if (!list.value().is_array() || list.value().empty()) list.wrong_type("Give an array of at least one shape with its place.");
  std::size_t index = 0;
  for (const Json& value : list.value())
    read_object(Place(value, list, std::to_string(index++)), "a part of a union", [&](Fields& part) {
      const Place place = part.get("shape");
      const Pose pose = read_pose(part);
      for (const Shape& shape : read_shape(place, meshes)) {
        if (std::holds_alternative<HalfSpace>(shape))
          place.fail("A half-space has no end, and so no mass and no surface to draw. Use a box.");
        result.parts.push_back({shape, pose});
      }
    });
  fields.optional("smooth", result.smooth);
  if (!(std::isfinite(result.smooth) && result.smooth >= 0))
    fields.get("smooth").fail(fmt::format("{} is not a width. It must be finite and not negative [m].", result.smooth));
  return result;
}

double longest_side(const Aabb& box) { return (box.upper - box.lower).maxCoeff(); }

}   // namespace

std::shared_ptr<const MeshSolid> SceneMeshes::with_sampled_field(Fields& fields) {
  const Made made = find(fields);
  const FieldOptions options = read_field_options(fields, longest_side(made.solid->surface().tree().bounds()));
  const auto solid = std::make_shared<MeshSolid>(*made.solid);
  const SampledField field = fields.place().within([&] {
    return made.file.empty() ? SampledField(solid->surface(), options)
                             : cached_field(solid->surface(), made.file, options).field;
  });
  if (options.error > 0 && field.error_bound() > options.error)
    warnings_.push_back(
        fmt::format("{}: the field is off by up to {:.3g} m at sharp edges, not {:.3g} m. Give a higher resolution.",
                    fields.place().pointer(), field.error_bound(), options.error));
  solid->set_field(std::make_shared<const SampledField>(field), Json{{"sampled", json_of(options)}}.dump());
  return solid;
}

std::shared_ptr<const MeshSolid> SceneMeshes::make_union(Fields& fields) {
  constexpr double kDrawnSize = 1.0 / 32;   // of the longest side
  const ShapeUnion shapes = read_union(fields, *this);
  const std::shared_ptr<const DistanceField> field = shapes.field();
  double size = kDrawnSize * longest_side(field->bounds());
  fields.optional("size", size);
  const auto solid = std::make_shared<MeshSolid>(fields.place().within([&] { return surface_of(*field, size); }), "sdf");
  solid->set_field(field, shapes.text());
  return solid;
}

Shape SceneMeshes::read_sdf(Fields& fields) {
  const Json& value = fields.place().value();
  const std::string words = value.dump();
  if (const auto found = shapes_.find(words); found != shapes_.end()) {
    for (const auto& item : value.items()) fields.find(item.key());
    return found->second.front();
  }
  for (const auto other : {"mesh", "file", "vertices", "make"}) fields.not_both("union", other);
  const Mesh mesh{fields.find("union") ? make_union(fields) : with_sampled_field(fields)};
  shapes_.emplace(words, std::vector<Shape>{mesh});
  return mesh;
}

}   // namespace stickslip::document

namespace stickslip {

std::shared_ptr<const DistanceField> make_field(const MeshSolid& solid, std::string_view text) {
  using namespace document;
  const Json json = parse_json(text, "the description of a distance field");
  const Place place(json);
  std::shared_ptr<const DistanceField> field;
  read_object(place, "a distance field", [&](Fields& fields) {
    if (const auto sampled = fields.find("sampled")) {
      FieldOptions options;
      read_object(*sampled, "the options of a field", [&](Fields& given) {
        options.resolution = given.required<int>("resolution");
        options.error = given.required<double>("error");
        options.band = given.required<double>("band");
        options.sign = static_cast<SignRule>(read_choice(given.get("sign"), kSignRules));
      });
      field = std::make_shared<const SampledField>(solid.surface(), options);
      return;
    }
    std::vector<std::string> warnings;
    SceneMeshes meshes({}, warnings);
    field = read_union(fields, meshes).field();
  });
  return field;
}

}   // namespace stickslip
