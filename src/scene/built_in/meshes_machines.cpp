#include <cmath>

#include "scene/built_in/families.h"
#include "scene/built_in/mesh_pieces.h"

namespace stickslip::document {

namespace {

/// Two wheels on upright axles; a motor turns the first, friction in its axle holds the second back.
Json gears_document(const Parameters& p) {
  const int teeth[2] = {p.count("teeth"), p.count("teeth_driven")};
  const double module = 0.01, backlash = 0.02 * module, apart = 0.5 * module * (teeth[0] + teeth[1]);
  Json meshes = Json::array(), bodies = Json::array();
  const char* names[2] = {"driver", "driven"};
  for (int i = 0; i < 2; ++i) {
    meshes.push_back(
        made(names[i], "gear",
             {{"teeth", teeth[i]}, {"module", module}, {"half_height", 0.01}, {"backlash", backlash}, {"bore", 0.01}}));
    bodies.push_back(body(names[i], mesh(names[i]), {i * apart, 0, 0}));
  }
  bodies[1]["rotation"] = rotation({0, 0, 1}, 180 + 180.0 / teeth[1]);   // a gap faces the first tooth of the driver
  Json joints = Json::array();
  for (int i = 0; i < 2; ++i)
    joints.push_back({{"name", fmt::format("{}-axle", names[i])},
                      {"type", "hinge"},
                      {"b", names[i]},
                      {"anchor", vector({i * apart, 0, 0})},
                      {"axis", vector({0, 0, 1})}});
  joints[0]["motor"] = {{"speed", p["speed"]}, {"max_force", 5}};
  joints[1]["friction"] = p["load"];
  Json document = compose_meshes(4, 0.002, one_material(7800, p["mu"]), std::move(meshes), std::move(bodies));
  document["joints"] = std::move(joints);
  return document;
}

/// Sheets of 1 mm across the way of a bullet, in the air; the last is fixed.
Json bullet_document(const Parameters& p) {
  const int sheets = p.count("sheets");
  const double thickness = p["thickness"];
  const Polygon profile = {{0, -0.02},      {0.0045, -0.02}, {0.0045, 0}, {0.004, 0.006},
                           {0.0025, 0.012}, {0.001, 0.015},  {0, 0.0155}};
  Json meshes = Json::array({revolved("bullet", profile, 16),
                             made("sheet", "box", {{"half_extents", vector({0.5 * thickness, 0.15, 0.1})}, {"divisions", 4}})});
  Json bullet = body("bullet", mesh("bullet"), {-0.5, 0.004, 1.003});
  bullet["rotation"] = rotation({0, 1, 0}, 90);
  bullet["velocity"] = vector({p["speed"], 0, 0});
  bullet["material"] = "lead";
  Json bodies = Json::array({std::move(bullet)});
  for (int i = 0; i < sheets; ++i) {
    Json sheet = body(fmt::format("sheet-{}", i), mesh("sheet"), {0.1 * i, 0, 1});
    bodies.push_back(i + 1 < sheets ? std::move(sheet) : fixed(std::move(sheet)));
  }
  const Json materials = Json::array({Json{{"name", "default"}, {"density", 800}, {"friction", 0.4}, {"restitution", 0}},
                                      Json{{"name", "lead"}, {"density", 11300}, {"friction", 0.4}, {"restitution", 0}}});
  return compose_meshes(0.1, 0.01, materials, std::move(meshes), std::move(bodies));
}

/// A gutter wound down around z with a level run at its end; marbles start one behind the other at its top.
Json marble_run_document(const Parameters& p) {
  const double ball = 0.02, inside = 0.035, outside = 0.045, turn_radius = 0.5, drop = p["slope"];
  const int turns = p.count("turns"), per_turn = 120, count = p.count("count");
  Polygon section;
  const int arcs = 12;
  for (int i = 0; i <= arcs; ++i)
    section.push_back(outside * Vec2(-std::cos(180 * kDegree * i / arcs), -std::sin(180 * kDegree * i / arcs)));
  for (int i = arcs; i >= 0; --i)
    section.push_back(inside * Vec2(-std::cos(180 * kDegree * i / arcs), -std::sin(180 * kDegree * i / arcs)));
  std::vector<Vec3> path;
  const double step = 2 * std::numbers::pi / per_turn, bottom = 0.1,
               top = bottom + drop * turn_radius * step * per_turn * turns;
  for (int i = 0; i <= turns * per_turn; ++i)
    path.push_back({turn_radius * std::cos(step * i), turn_radius * std::sin(step * i), top - drop * turn_radius * step * i});
  for (const double along : {0.1, 0.4, 0.8, 1.2}) path.push_back({turn_radius, along, bottom});
  Json meshes =
      Json::array({made("track", "sweep", {{"path", points(path)}, {"section", corners(section)}, {"up", vector({0, 0, 1})}})});
  Json bodies = Json::array({ground(), fixed(body("track", mesh("track"), Vec3::Zero()))});
  for (int i = 0; i < count; ++i) {
    const double angle = (0.5 + 1.2 * i) * 2 * ball / turn_radius + 0.05;
    const double z = top - drop * turn_radius * angle - (inside - ball) + 0.15 * ball;
    bodies.push_back(
        body(fmt::format("marble-{}", i), sphere(ball), {turn_radius * std::cos(angle), turn_radius * std::sin(angle), z}));
  }
  return compose_meshes(8, 0.005, one_material(2500, p["mu"]), std::move(meshes), std::move(bodies));
}

/// A hook that hangs from above, and rings that hang in it and in each other, each across the one above.
Json hook_document(const Parameters& p) {
  const double tube = 0.008, bend = 0.04, ring = 0.05, ring_tube = 0.007;
  std::vector<Vec3> path = {{0, 0, 0.3}, {0, 0, 0.15}};
  for (int i = 1; i <= 20; ++i) {   // round below the shank's end, up to where it points up again
    const double angle = 210.0 * i / 20 * kDegree;
    path.push_back({bend * (1 - std::cos(angle)), 0, 0.15 - bend * std::sin(angle)});
  }
  Json meshes = Json::array({made("hook", "sweep", {{"path", points(path)}, {"radius", tube}, {"segments", 16}}),
                             made("ring", "torus", {{"radius", ring}, {"tube", ring_tube}, {"segments", 40}, {"around", 16}})});
  Json bodies = Json::array({fixed(body("hook", mesh("hook"), Vec3::Zero()))});
  // The first ring stands across the hook (in the plane of y and z), the next along it, and so on.
  double inner_bottom = 0.15 - bend + tube;   // where the next ring rests on what it hangs in
  for (int i = 0; i < p.count("rings"); ++i) {
    const double z = inner_bottom + ring_tube - ring + p["slack"];
    Json link = body(fmt::format("ring-{}", i), mesh("ring"), {bend, 0, z});
    link["rotation"] = i % 2 ? rotation({1, 0, 0}, 90) : rotation({0, 1, 0}, 90);
    if (i + 1 == p.count("rings")) link["velocity"] = vector({0, p["push"], 0});
    bodies.push_back(std::move(link));
    inner_bottom = z - ring + ring_tube;
  }
  return compose_meshes(5, 0.002, one_material(7800, p["mu"]), std::move(meshes), std::move(bodies));
}

/// Bolts that stand on their heads on the ground, each with a nut near its tip.
Json nut_document(const Parameters& p) {
  const double pitch = 0.0015, length = 0.02, start = 0.016;
  const Json thread = {{"radius", 0.003},   {"pitch", pitch},      {"depth", 0.0007},
                       {"clearance", 6e-5}, {"flank_degrees", 20}, {"segments", 32}};
  Json bolt = thread, nut = thread;
  bolt.update({{"length", length}, {"head_radius", 0.006}, {"head_height", 0.004}});
  nut.update({{"half_height", 0.0025}, {"outer_radius", 0.006}});
  Json meshes = Json::array({made("bolt", "bolt", bolt), made("nut", "nut", nut)});
  Json bodies = Json::array();
  for (int i = 0; i < p.count("count"); ++i) {
    const double x = 0.02 * i;
    bodies.push_back(fixed(body(fmt::format("bolt-{}", i), mesh("bolt"), {x, 0, 0.004})));
    Json one = body(fmt::format("nut-{}", i), mesh("nut"), {x, 0, 0.004 + start});
    one["rotation"] = rotation({0, 0, 1}, 360 * start / pitch);
    one["torque"] = vector({0, 0, -p["torque"]});
    bodies.push_back(std::move(one));
  }
  return compose_meshes(3, 0.002, one_material(7800, p["mu"]), std::move(meshes), std::move(bodies));
}

}   // namespace

BuiltIn gears() {
  return {"gears",
          "The driver turns the other wheel by its teeth alone, the other way and slower by the ratio of the teeth.",
          {{"teeth", 18, 6, 200, true, "of the driver"},
           {"teeth_driven", 27, 6, 200, true, "of the driven wheel"},
           {"speed", 2, -20, 20, false, "of the motor [rad/s]"},
           {"load", 0.05, 0, 10, false, "friction in the axle of the driven wheel [N m]"},
           {"mu", 0.1, 0, 10, false, "coefficient of friction"}},
          gears_document};
}

BuiltIn bullet_through_paper() {
  return {"bullet-through-paper",
          "The bullet would fly ten metres within one step; it must push every sheet before it, and end at the last, which is "
          "fixed.",
          {{"sheets", 5, 1, 100, true, "sheets; the last is fixed"},
           {"speed", 1000, 0, 1e5, false, "of the bullet [m/s]"},
           {"thickness", 0.001, 1e-5, 0.05, false, "of a sheet [m]"}},
          bullet_document};
}

BuiltIn marble_run() {
  return {"marble-run",
          "Marbles roll down the winding gutter, a swept mesh, and none leaves it before its end.",
          {{"count", 12, 1, 100, true, "marbles"},
           {"turns", 3, 1, 20, true, "of the gutter"},
           {"slope", 0.06, 0.01, 0.5, false, "drop over way"},
           {"mu", 0.4, 0, 10, false, "coefficient of friction"}},
          marble_run_document};
}

BuiltIn hook_and_ring() {
  return {"hook-and-ring",
          "Rings hang in a hook and in each other; the push makes the chain swing, and no ring comes free.",
          {{"rings", 3, 1, 20, true, "rings"},
           {"slack", 0.002, 1e-4, 0.01, false, "by which each starts above its rest [m]"},
           {"push", 0.3, -5, 5, false, "velocity of the last ring across the hook [m/s]"},
           {"mu", 0.3, 0, 10, false, "coefficient of friction"}},
          hook_document};
}

BuiltIn nut_and_bolt() {
  return {"nut-and-bolt",
          "Nuts of a few millimetres turn down their bolts by their own weight, one turn for each pitch; with mu above 0.08 "
          "they stay.",
          {{"count", 3, 1, 1000, true, "bolts"},
           {"torque", 0, -1, 1, false, "that turns each nut on [N m]"},
           {"mu", 0.02, 0, 10, false, "coefficient of friction"}},
          nut_document};
}

}   // namespace stickslip::document
