// Contact by volume: bodies that sink in a little and are held by one block for all that they share, after the scenes of the
// paper on contact in six dimensions.
#include <algorithm>
#include <cmath>

#include "scene/built_in/families.h"
#include "scene/built_in/joints.h"
#include "scene/built_in/mesh_pieces.h"

namespace stickslip::document {

namespace {

Json by_volume(Json document, double overlap) {
  document["step"]["contact"] = "volume";
  document["step"]["overlap"] = overlap;
  return document;
}

/// How deep a ball is whose mean depth is this: V = π d² (3r − d)/3 over an area of π d (2r − d).
double depth_of_ball(double radius, double mean) {
  double d = 2 * mean;
  for (int k = 0; k < 30; ++k) d = 3 * mean * (2 * radius - d) / (3 * radius - d);
  return d;
}

/// Balls on the ground side by side, from hard to soft. @param push what sets one moving, with the radius that it rolls on [m]
template <class Push>
Json ball_row(const Parameters& p, Push&& push) {
  const int count = p.count("count");
  const double radius = 0.1, hardest = std::min(1e-3, p["softest"]);
  Json bodies = Json::array({ground()});
  for (int i = 0; i < count; ++i) {
    const double part = count > 1 ? static_cast<double>(i) / (count - 1) : 1;
    const double overlap = hardest * std::pow(p["softest"] / hardest, part),
                 depth = depth_of_ball(radius, 2 * radius * overlap);
    Json ball = body(fmt::format("ball-{}", i), sphere(radius), {0, 0.3 * (i - 0.5 * (count - 1)), radius - depth});
    ball["overlap"] = overlap;
    push(ball, radius - 2.0 / 3 * depth);
    bodies.push_back(std::move(ball));
  }
  return by_volume(compose(3, 0.01, one_material(300, p["mu"]), std::move(bodies)), hardest);
}

Json deflated_balls_document(const Parameters& p) {
  return ball_row(p, [&](Json& ball, double radius) {
    ball["velocity"] = vector({p["speed"], 0, 0});
    ball["angular_velocity"] = vector({0, p["mu"] > 0 ? p["speed"] / radius : 0, 0});
  });
}

Json spinning_balls_document(const Parameters& p) {
  return ball_row(p, [&](Json& ball, double) { ball["angular_velocity"] = vector({0, 0, p["spin"]}); });
}

/// Upright cylinders that are pushed at their middle, the last one hardest.
Json tumbling_cylinders_document(const Parameters& p) {
  const int count = p.count("count");
  Json bodies = Json::array({ground()});
  for (int i = 0; i < count; ++i) {
    Json cylinder = body(fmt::format("cylinder-{}", i), Json{{"type", "cylinder"}, {"radius", 0.1}, {"half_height", 0.2}},
                         {0, 0.5 * (i - 0.5 * (count - 1)), 0.2 * (1 - p["overlap"])});
    cylinder["velocity"] = vector({p["push"] * (i + 1) / count, 0, 0});
    bodies.push_back(std::move(cylinder));
  }
  return by_volume(compose(4, 0.005, one_material(500, p["mu"]), std::move(bodies)), p["overlap"]);
}

/// A coin that leans by 20° and goes round on its rim about its middle: steady, if the rim were a line.
Json spinning_coin_document(const Parameters& p) {
  Json coin =
      body("coin", Json{{"type", "cylinder"}, {"radius", 0.0375}, {"half_height", 0.00635}}, {0, 0, 0.018792803516703094});
  coin["rotation"] = rotation(Vec3::UnitY(), 20);
  coin["angular_velocity"] = vector({-16.89341151135256, 0, 9.601051443636823});
  return by_volume(compose(2, 0.001, one_material(7800, p["mu"]), Json::array({ground(), std::move(coin)})), p["overlap"]);
}

/// Boxes on each other, none straight above the one below.
Json sloppy_stack_document(const Parameters& p) {
  const double half = 0.1;
  Json bodies = Json::array({ground()});
  Random random(1);
  for (int i = 0; i < p.count("count"); ++i) {
    const double step = 2 * half * (1 - p["overlap"]), off = p["askew"] * half;
    Json block = body(fmt::format("box-{}", i), box({half, half, half}),
                      {random.uniform(-off, off), random.uniform(-off, off), step * (i + 1) - half});
    block["rotation"] = rotation(Vec3::UnitZ(), random.uniform(-20, 20));
    bodies.push_back(std::move(block));
  }
  return by_volume(compose(2, 0.01, one_material(500, p["mu"]), std::move(bodies)), p["overlap"]);
}

/// A ruler between two round tips, off its middle. What keeps it from turning is the friction of the patches about the pinch.
Json soft_grasp_document(const Parameters& p) {
  const Vec3 ruler_half(0.15, 0.002, 0.015);
  const double mass = 0.05, tip = 0.012, height = 0.3, reach = ruler_half.y() + tip;
  Json ruler = body("ruler", box(ruler_half), {-p["offset"], 0, height});
  ruler["mass"] = mass;
  Json bodies = Json::array({std::move(ruler)}), joints = Json::array();
  for (const int side : {-1, 1}) {
    const std::string name = side < 0 ? "left" : "right";
    // The tips start apart from the ruler by nothing: the press brings them in.
    Json ball = body(name + "-tip", sphere(tip), {0, side * reach, height});
    ball["mass"] = 0.05;
    ball["overlap"] = p["overlap"];
    bodies.push_back(std::move(ball));
    Json slide = joint(name + "-slide", "prismatic", "world", name + "-tip", {0, side * reach, height}, -side * Vec3::UnitY());
    Json path = Json::array();
    rest_at(path, 0, side < 0 ? 0 : 0.1);
    slide["servo"] =
        side < 0 ? servo(1e4, 100, 1000, std::move(path)) : servo(200, 5, p["pinch"] * mass * 9.81, std::move(path));
    joints.push_back(std::move(slide));
  }
  Json document = by_volume(compose(3, 0.005, one_material(1200, p["mu"]), std::move(bodies)), 1e-3);
  document["joints"] = std::move(joints);
  return document;
}

/// A cube of 197,000 triangles with bumps on all sides that lands on the ground and slides.
Json bumpy_cube_document(const Parameters& p) {
  const double half = 0.2;
  Json cube = body("cube", mesh("bumpy"), {0, 0, 1.05 * half});
  cube["velocity"] = vector({p["speed"], 0, 0});
  Json meshes = Json::array({made(
      "bumpy", "box",
      {{"half_extents", vector(Vec3::Constant(half))}, {"divisions", p.count("divisions")}, {"bumps", 0.01}, {"waves", 6}})});
  return by_volume(
      compose_meshes(1, 0.01, one_material(500, p["mu"]), std::move(meshes), Json::array({ground(), std::move(cube)})),
      p["overlap"]);
}

/// Eight rough bodies of 102,000 triangles together that fall into a crate.
Json salad_document(const Parameters& p) {
  const double size = 0.1;
  Json meshes = Json::array(
      {made("cube", "box",
            {{"half_extents", vector(Vec3::Constant(0.8 * size))}, {"divisions", 33}, {"bumps", 0.03}, {"waves", 4}}),
       made("ball", "sphere", {{"radius", size}, {"divisions", 25}, {"bumps", 0.05}, {"waves", 4}}),
       made("ring", "torus", {{"radius", 0.75 * size}, {"tube", 0.35 * size}, {"segments", 80}, {"around", 80}})});
  const char* const kinds[] = {"cube", "ball", "ring", "cube", "ball", "ring", "cube", "ball"};
  Json bodies = Json::array({ground()});
  add_walls(bodies, 3 * size, 2 * size, 0.3 * size);
  Random random(static_cast<std::uint64_t>(p["seed"]));
  for (int i = 0; i < 8; ++i) {
    const Vec3 place(size * 1.5 * (i & 1 ? 1 : -1), size * 1.5 * (i & 2 ? 1 : -1), size * (i & 4 ? 4.6 : 1.6));
    Json one = body(fmt::format("{}-{}", kinds[i], i), mesh(kinds[i]), place);
    one["orientation_wxyz"] = wxyz(random.rotation());
    bodies.push_back(std::move(one));
  }
  return by_volume(compose_meshes(2, 0.01, one_material(500, p["mu"]), std::move(meshes), std::move(bodies)), p["overlap"]);
}

BuiltIn::Parameter overlap_parameter(double standard) {
  return {"overlap", standard, 1e-5, 0.5, false, "mean depth that contacts keep, over the thickness of the thinner body"};
}
BuiltIn::Parameter friction_parameter(double standard) { return {"mu", standard, 0, 10, false, "coefficient of friction"}; }

}   // namespace

BuiltIn deflated_balls() {
  return {"deflated-balls",
          "Balls roll side by side, each softer than the one before: the softer, the sooner it stops.",
          {{"count", 4, 1, 100, true, "balls"},
           {"speed", 1, 0, 100, false, "of rolling [m/s]"},
           {"softest", 0.03, 1e-5, 0.2, false, "mean depth of the last ball over its diameter; that of the first is 0.001"},
           friction_parameter(0.8)},
          deflated_balls_document};
}

BuiltIn spinning_balls() {
  return {"spinning-balls",
          "Balls spin on the spot, each softer than the one before: the softer, the larger its patch, and the sooner it stops.",
          {{"count", 4, 1, 100, true, "balls"},
           {"spin", 20, 0, 1000, false, "[rad/s]"},
           {"softest", 0.03, 1e-5, 0.2, false, "mean depth of the last ball over its diameter; that of the first is 0.001"},
           friction_parameter(0.5)},
          spinning_balls_document};
}

BuiltIn tumbling_cylinders() {
  return {
      "tumbling-cylinders",
      "Upright cylinders are pushed, the last one hardest: the first rock and come to stand again, the last tip over and lie.",
      {{"count", 3, 1, 50, true, "cylinders"},
       {"push", 1.2, 0, 10, false, "speed of the last one [m/s]"},
       overlap_parameter(1e-3),
       friction_parameter(1)},
      tumbling_cylinders_document};
}

BuiltIn spinning_coin() {
  return {"spinning-coin",
          "A coin goes round on its rim, leans more and more, faster and faster, and lies still at last.",
          {overlap_parameter(1e-3), friction_parameter(0.8)},
          spinning_coin_document};
}

BuiltIn sloppy_stack() {
  return {"sloppy-stack",
          "Boxes stand askew on each other, each on the volume that it shares with the one below: nothing moves.",
          {{"count", 8, 1, 100, true, "boxes"},
           {"askew", 0.3, 0, 0.9, false, "how far boxes are off the middle, over half a side"},
           overlap_parameter(1e-3),
           friction_parameter(0.5)},
          sloppy_stack_document};
}

BuiltIn soft_grasp() {
  return {"soft-grasp",
          "Two soft round tips hold a ruler off its middle by two patches: it stays level, and turns if the tips are hard.",
          {{"offset", 0.01, 0, 0.1, false, "of the middle of the ruler from the pinch [m]"},
           {"pinch", 10, 0.1, 1000, false, "force of the tips over the weight of the ruler"},
           {"overlap", 0.1, 1e-5, 0.5, false, "mean depth of the tips over the thickness of the ruler"},
           friction_parameter(0.6)},
          soft_grasp_document};
}

BuiltIn bumpy_cube() {
  return {"bumpy-cube",
          "A cube of 197,000 triangles with bumps lands and slides on one block of six rows, as a smooth one would.",
          {{"speed", 1, 0, 100, false, "along the ground [m/s]"},
           {"divisions", 128, 1, 256, true, "of an edge of the cube"},
           overlap_parameter(0.01),
           friction_parameter(0.5)},
          bumpy_cube_document};
}

BuiltIn salad() {
  return {"salad",
          "Eight rough bodies of 102,000 triangles together fall into a crate, on fewer patches than they would have points.",
          {overlap_parameter(0.005), friction_parameter(0.5), {"seed", 1, 0, 1e9, true, "of the orientations"}},
          salad_document};
}

}   // namespace stickslip::document
