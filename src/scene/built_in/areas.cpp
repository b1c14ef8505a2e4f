// Contact over areas: bodies on one patch of six rows, after the scenes of the paper on contact in six dimensions.
#include <cmath>
#include <numbers>

#include "scene/built_in/compose.h"
#include "scene/built_in/families.h"

namespace stickslip::document {

namespace {

Json compose_patches(double seconds, double h, Json materials, Json bodies) {
  Json document = compose(seconds, h, std::move(materials), std::move(bodies));
  document["step"]["contact"] = "patch";
  return document;
}

Json prism(int sides, double radius, double half_height) {
  Json points = Json::array();
  for (int i = 0; i < sides; ++i)
    for (const double z : {-half_height, half_height}) {
      const double angle = 2 * std::numbers::pi * i / sides;
      points.push_back(vector({radius * std::cos(angle), radius * std::sin(angle), z}));
    }
  return Json{{"type", "hull"}, {"points", std::move(points)}};
}

/// Cubes side by side over the edge of a table, from well on it to half over it.
Json cubes_on_edge_document(const Parameters& p) {
  const int count = p.count("count");
  const double half = 0.1, least = p["least"], most = p["most"];
  Json table = body("table", box({0.5, 0.2 * count, 0.25}), {-0.5, 0, 0.25});
  table["motion"] = "fixed";
  Json bodies = Json::array({ground(), std::move(table)});
  for (int i = 0; i < count; ++i) {
    const double over = count > 1 ? least + (most - least) * i / (count - 1) : least;
    bodies.push_back(body(fmt::format("over-{:.3g}", over), box({half, half, half}),
                          {2 * half * (over - 0.5), 0.3 * (i - 0.5 * (count - 1)), 0.5 + half}));
  }
  return compose_patches(2, 0.01, one_material(500, p["mu"]), std::move(bodies));
}

/// Boxes on each other, each larger and heavier than the one below.
Json nested_stack_document(const Parameters& p) {
  const int count = p.count("count");
  Json bodies = Json::array({ground()});
  double height = 0, half = 0.2;
  for (int i = 0; i < count; ++i) {
    bodies.push_back(body(fmt::format("cube-{}", i), box({half, half, half}), {0, 0, height + half}));
    height += 2 * half;
    half *= p["taper"];
  }
  return compose_patches(2, 0.01, one_material(500, p["mu"]), std::move(bodies));
}

/// Plates with eight corners that slide and spin on the ground.
Json octagon_slide_document(const Parameters& p) {
  const int count = p.count("count");
  Json bodies = Json::array({ground()});
  for (int i = 0; i < count; ++i) {
    Json plate = body(fmt::format("plate-{}", i), prism(8, 0.2, 0.03), {0, 0.6 * (i - 0.5 * (count - 1)), 0.03});
    plate["velocity"] = vector({p["speed"], 0, 0});
    plate["angular_velocity"] = vector({0, 0, count > 1 ? p["spin"] * i / (count - 1) : p["spin"]});
    bodies.push_back(std::move(plate));
  }
  return compose_patches(3, 0.01, one_material(500, p["mu"]), std::move(bodies));
}

/// Discs of several sizes that spin on their faces.
Json spinning_discs_document(const Parameters& p) {
  const int count = p.count("count");
  Json bodies = Json::array({ground()});
  double at = 0;
  for (int i = 0; i < count; ++i) {
    const double radius = 0.1 * (i + 1);
    at += radius;
    Json disc = body(fmt::format("disc-{}", i), prism(8, radius, 0.02), {0, at, 0.02});
    at += radius + 0.1;
    disc["angular_velocity"] = vector({0, 0, p["spin"]});
    bodies.push_back(std::move(disc));
  }
  return compose_patches(3, 0.01, one_material(500, p["mu"]), std::move(bodies));
}

}   // namespace

BuiltIn cubes_on_edge() {
  return {"cubes-on-edge",
          "Cubes on one patch each over the edge of a table: those with their centre over it stay, the others tip.",
          {{"count", 9, 1, 200, true, "cubes"},
           {"least", 0.3, 0, 1, false, "part of the first cube that is over the edge"},
           {"most", 0.7, 0, 1, false, "part of the last one"},
           {"mu", 0.5, 0, 10, false, "coefficient of friction"}},
          cubes_on_edge_document};
}

BuiltIn nested_stack() {
  return {
      "nested-stack",
      "A tower of cubes, each smaller than the one that it stands on with one patch: it stands still from the first step on.",
      {{"count", 10, 1, 30, true, "cubes"},
       {"taper", 0.85, 0.5, 1.5, false, "side of a cube over that of the one below"},
       {"mu", 0.5, 0, 10, false, "coefficient of friction"}},
      nested_stack_document};
}

BuiltIn octagon_slide() {
  return {"octagon-slide",
          "Plates slide, the last ones spin as well: spinning plates have less friction along their way and slide farther.",
          {{"count", 4, 1, 100, true, "plates"},
           {"speed", 2, 0, 100, false, "of sliding [m/s]"},
           {"spin", 30, 0, 1000, false, "of the last plate [rad/s]"},
           {"mu", 0.3, 0, 10, false, "coefficient of friction"}},
          octagon_slide_document};
}

BuiltIn spinning_discs() {
  return {"spinning-discs",
          "Discs that spin on their faces: the larger the disc, the longer it takes, in proportion to its radius.",
          {{"count", 3, 1, 50, true, "discs"},
           {"spin", 20, 0, 1000, false, "[rad/s]"},
           {"mu", 0.3, 0, 10, false, "coefficient of friction"}},
          spinning_discs_document};
}

}   // namespace stickslip::document
