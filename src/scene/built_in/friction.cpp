#include <cmath>
#include <numbers>

#include "scene/built_in/compose.h"
#include "scene/built_in/families.h"

namespace stickslip::document {

namespace {

Json material(std::string name, double density, Json friction) {
  return Json{{"name", std::move(name)}, {"density", density}, {"friction", std::move(friction)}};
}
Json fixed_structure(const Vec3& direction) { return Json{{"type", "fixed"}, {"direction", vector(direction)}}; }
Json pair_law(std::string first, std::string second, Json friction) {
  return Json{{"between", Json::array({std::move(first), std::move(second)})}, {"friction", std::move(friction)}};
}

/// The ground turned about y, so that x points downhill.
Json slope(double degrees, std::string material_name) {
  Json slope = ground();
  slope["name"] = "slope";
  slope["material"] = std::move(material_name);
  slope["rotation"] = rotation(Vec3::UnitY(), degrees);
  return slope;
}

/// A place on the slope, `height` above it.
Vec3 on_slope(double degrees, double down, double across, double height) {
  const double angle = degrees * kDegree;
  return Vec3(down * std::cos(angle) + height * std::sin(angle), across, height * std::cos(angle) - down * std::sin(angle));
}

/// Blocks side by side, each with its grain turned a little further.
Json anisotropic_slope_document(const Parameters& p) {
  const double degrees = p["angle_degrees"];
  const int count = p.count("count");
  const Json law{{"law", "ellipse"}, {"along", p["along"]}, {"across", p["across"]}};
  Json materials = Json::array({material("slope", 1000, 0.5)}), pairs = Json::array(),
       bodies = Json::array({slope(degrees, "slope")});
  for (int i = 0; i < count; ++i) {
    const double grain = count > 1 ? 90.0 * i / (count - 1) : 45;
    const std::string name = fmt::format("grain-{:.0f}", grain);
    materials.push_back(material(name, 700, law));
    materials.back()["structure"] = fixed_structure({std::cos(grain * kDegree), std::sin(grain * kDegree), 0});
    pairs.push_back(pair_law(name, "slope", law));
    const Vec3 half(0.15, 0.15, 0.05);
    Json block = body(fmt::format("block-{:.0f}", grain), box(half), on_slope(degrees, 0, i - 0.5 * (count - 1), half.z()));
    block["rotation"] = rotation(Vec3::UnitY(), degrees);
    block["material"] = name;
    bodies.push_back(std::move(block));
  }
  Json document = compose(2, 0.005, std::move(materials), std::move(bodies));
  document["material_pairs"] = std::move(pairs);
  return document;
}

/// Beams slide down a combed slope whose grooves lead around a house.
Json log_slide_document(const Parameters& p) {
  const double degrees = p["angle_degrees"], radius = 2.5;
  const int count = p.count("count");
  Json ground_material = material("slope", 1000, 0.5);
  ground_material["structure"] =
      Json{{"type", "flow"}, {"center", vector({0, 0, 0})}, {"radius", radius}, {"direction", vector({1, 0, 0})}};
  Json wood = material("wood", 700, 0.5);
  wood["structure"] = fixed_structure({1, 0, 0});
  Json bodies = Json::array({slope(degrees, "slope")});
  Json house = body("house", box({1, 1, 1.5}), on_slope(degrees, 0, 0, 0));
  house["motion"] = "fixed";
  house["rotation"] = rotation(Vec3::UnitY(), degrees);
  house["material"] = "slope";
  bodies.push_back(std::move(house));
  const Vec3 half(0.5, 0.1, 0.1);
  for (int i = 0; i < count; ++i) {
    // On both sides of the line that ends at the house.
    const double across = (i % 2 == 0 ? 1 : -1) * (0.8 + 0.5 * (i / 2));
    Json log = body(fmt::format("log-{}", i), box(half), on_slope(degrees, -6, across, half.z()));
    log["rotation"] = rotation(Vec3::UnitY(), degrees);
    log["material"] = "wood";
    bodies.push_back(std::move(log));
  }
  Json document = compose(3.5, 0.005, Json::array({std::move(ground_material), std::move(wood)}), std::move(bodies));
  const Json law{{"law", "matchstick"}, {"friction", p["mu"]}, {"along", p["along"]}, {"across", p["across"]}};
  document["material_pairs"] = Json::array({pair_law("wood", "slope", law)});
  return document;
}

/// Four slabs make a funnel; capsules with grooves along their axes fall into it and through its mouth.
Json hopper_document(const Parameters& p) {
  const double radius = 0.05, half_height = 0.1, mouth = 0.5 * p["mouth"], tilt = 50;
  const double length = 1.2, thickness = 0.05, lift = 0.6;
  const int count = p.count("count");
  Json bodies = Json::array({ground()});
  for (int i = 0; i < 4; ++i) {
    // A slab that rises outwards from the mouth, then turned about the vertical.
    const Quat tilted(Eigen::AngleAxisd(-tilt * kDegree, Vec3::UnitY())),
        turn(Eigen::AngleAxisd(90 * i * kDegree, Vec3::UnitZ()));
    const Vec3 middle = Vec3(mouth, 0, lift) + tilted * Vec3(0.5 * length, 0, -thickness);
    Json slab = body(fmt::format("slab-{}", i), box({0.5 * length, 1.5, thickness}), turn * middle);
    slab["motion"] = "fixed";
    slab["orientation_wxyz"] = wxyz(turn * tilted);
    bodies.push_back(std::move(slab));
  }
  Random random(static_cast<std::uint64_t>(p["seed"]));
  const double spacing = 2.1 * (half_height + radius);
  for (int i = 0; i < count; ++i) {
    const Vec3 place(spacing * (i % 4 - 1.5), spacing * (i / 4 % 4 - 1.5), lift + 1.1 + spacing * (i / 16));
    Json capsule =
        body(fmt::format("capsule-{}", i), Json{{"type", "capsule"}, {"radius", radius}, {"half_height", half_height}}, place);
    capsule["orientation_wxyz"] = wxyz(random.rotation());
    capsule["material"] = "capsule";
    bodies.push_back(std::move(capsule));
  }
  const Json law{{"law", "matchstick"}, {"friction", p["mu"]}, {"along", p["along"]}, {"across", p["across"]}};
  Json capsule = material("capsule", 1000, law);
  capsule["structure"] = fixed_structure({0, 0, 1});
  Json document = compose(4, 0.005, Json::array({std::move(capsule)}), std::move(bodies));
  document["allow_overlap"] = true;   // the slabs cross each other
  return document;
}

/// Discs that start with one speed and different spins.
Json polisher_document(const Parameters& p) {
  const double radius = 0.15, half_height = 0.03;
  const Json law{{"law", "contensou"}, {"along", p["mu"]}, {"across", p["mu"]}, {"torsion", p["torsion"]}};
  Json bodies = Json::array({ground()});
  for (int i = 0; i < 4; ++i) {
    Json disc = body(fmt::format("disc-{}", i), Json{{"type", "cylinder"}, {"radius", radius}, {"half_height", half_height}},
                     {0, 0.5 * i, half_height});
    disc["velocity"] = vector({p["speed"], 0, 0});
    disc["angular_velocity"] = vector({0, 0, p["spin"] * i});
    disc["material"] = "disc";
    bodies.push_back(std::move(disc));
  }
  Json document = compose(3, 0.0025, Json::array({material("disc", 1000, law)}), std::move(bodies));
  document["material_pairs"] = Json::array({pair_law("disc", "default", law)});
  return document;
}

/// Stones of the same size that roll off together; the rougher they are, the sooner they stop.
Json rolling_stones_document(const Parameters& p) {
  const double radius = p["radius"], speed = p["speed"];
  Json materials = Json::array(), pairs = Json::array(), bodies = Json::array({ground()});
  for (int i = 1; i <= 5; ++i) {
    const std::string name = fmt::format("stone-{}", i);
    const Json law{{"law", "rolling"}, {"friction", p["mu"]}, {"rolling", p["rolling"] * i}};
    materials.push_back(material(name, 2600, law));
    pairs.push_back(pair_law(name, "default", law));
    Json stone = body(name, sphere(radius), {0, 4 * radius * i, radius});
    stone["velocity"] = vector({speed, 0, 0});
    stone["angular_velocity"] = vector({0, speed / radius, 0});
    stone["material"] = name;
    bodies.push_back(std::move(stone));
  }
  Json document = compose(5, 0.005, std::move(materials), std::move(bodies));
  document["material_pairs"] = std::move(pairs);
  return document;
}

/// Two equal blocks on one toothed floor are pulled with equal force, one with the grain and one against it.
Json sawtooth_document(const Parameters& p) {
  const Json law{{"law", "texture"}, {"friction", p["mu"]}, {"scale", p["scale"]}, {"patch", 0.1}, {"directions", 4}};
  Json floor = material("floor", 1000, 0.5);
  floor["normal_map"] = Json{{"pattern", "sawtooth"},
                             {"size", 0.1},
                             {"count", 4},
                             {"pixels", 256},
                             {"ramp_degrees", p["ramp_degrees"]},
                             {"cliff_degrees", p["cliff_degrees"]}};
  Json floor_body = ground();
  floor_body["material"] = "floor";
  Json bodies = Json::array({std::move(floor_body)});
  const Vec3 half(0.2, 0.2, 0.1);
  const double mass = 10;
  for (const int side : {-1, 1}) {
    Json block = body(side > 0 ? "pulled-along-x" : "pulled-against-x", box(half), {side * 0.5, side * 0.5, half.z()});
    block["mass"] = mass;
    block["material"] = "block";
    block["force"] = vector({side * p["pull"] * mass * 9.81, 0, 0});
    bodies.push_back(std::move(block));
  }
  Json document = compose(1.5, 0.005, Json::array({std::move(floor), material("block", 1000, 0.5)}), std::move(bodies));
  document["material_pairs"] = Json::array({pair_law("floor", "block", law)});
  return document;
}

}   // namespace

BuiltIn anisotropic_slope() {
  return {"anisotropic-slope",
          "Blocks with grain at 0 to 90 degrees to the slope: each drifts aside, toward the direction of least friction.",
          {{"angle_degrees", 30, 0, 60, false, "slope of the plane [°]"},
           {"count", 7, 1, 100, true, "blocks, their grain turned from 0° to 90°"},
           {"along", 0.2, 0, 10, false, "coefficient along the grain"},
           {"across", 0.5, 0, 10, false, "coefficient across the grain"}},
          anisotropic_slope_document};
}

BuiltIn log_slide() {
  return {"log-slide",
          "Grooves in the slope lead the logs around the house; with mu = along = across they run into it.",
          {{"angle_degrees", 25, 0, 60, false, "slope of the plane [°]"},
           {"count", 8, 1, 100, true, "logs"},
           {"mu", 0.5, 0, 10, false, "coefficient where grooves and grain cross"},
           {"along", 0.2, 0, 10, false, "coefficient along parallel grooves and grain"},
           {"across", 1.5, 0, 10, false, "coefficient across parallel grooves and grain"}},
          log_slide_document};
}

BuiltIn hopper() {
  return {
      "hopper",
      "Capsules with grooves along their axes run through a funnel: parallel ones slide along each other, crossed ones do not.",
      {{"count", 64, 1, 10'000, true, "capsules"},
       {"mouth", 0.5, 0.1, 2, false, "width of the opening [m]"},
       {"mu", 0.4, 0, 10, false, "coefficient where grooves cross"},
       {"along", 0.1, 0, 10, false, "coefficient along parallel grooves"},
       {"across", 0.8, 0, 10, false, "coefficient across parallel grooves"},
       {"seed", 1, 0, 1e9, true, "of the random rotations"}},
      hopper_document};
}

BuiltIn polisher() {
  return {"polisher",
          "Discs with equal speed: the faster one spins the farther it slides, and each stops spinning and sliding at the same "
          "instant.",
          {{"mu", 0.3, 0, 10, false, "coefficient of sliding"},
           {"torsion", 0.02, 0, 10, false, "coefficient of torsion of each contact [m]"},
           {"speed", 2, -100, 100, false, "along x at the start [m/s]"},
           {"spin", 15, -1000, 1000, false, "about the vertical, times 0, 1, 2, 3 [rad/s]"}},
          polisher_document};
}

BuiltIn rolling_stones() {
  return {"rolling-stones",
          "Five stones roll off together; the one with k times the rolling resistance stops after 1/k of the way.",
          {{"radius", 0.1, 0.001, 10, false, "of the stones [m]"},
           {"speed", 2, 0, 100, false, "at the start, rolling [m/s]"},
           {"mu", 0.6, 0, 10, false, "coefficient of sliding"},
           {"rolling", 0.008, 0, 1, false, "coefficient of rolling resistance, times 1 to 5 [m]"}},
          rolling_stones_document};
}

BuiltIn sawtooth() {
  return {
      "sawtooth",
      "Two blocks are pulled with equal force over a toothed floor: one slides with the grain, the other sticks against it.",
      {{"pull", 0.3, 0, 10, false, "force over weight"},
       {"mu", 0.1, 0, 10, false, "coefficient of the smooth material"},
       {"scale", 6, 0, 1000, false, "of the coefficients that the plowing model gives"},
       {"ramp_degrees", 10, 0.1, 89, false, "slope of the gentle faces [°]"},
       {"cliff_degrees", 49, 0.1, 89, false, "slope of the steep faces [°]"}},
      sawtooth_document};
}

}   // namespace stickslip::document
