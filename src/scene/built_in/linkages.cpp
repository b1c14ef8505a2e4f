#include <cmath>
#include <numbers>

#include "scene/built_in/families.h"
#include "scene/built_in/joints.h"

namespace stickslip::document {

namespace {

/// The rotation about y that takes x to a direction in the x-z plane.
Quat along(const Vec3& direction) { return Quat(Eigen::AngleAxisd(-std::atan2(direction.z(), direction.x()), Vec3::UnitY())); }

Json fixed_body(std::string name, Json shape, const Vec3& position) {
  Json made = body(std::move(name), std::move(shape), position);
  made["motion"] = "fixed";
  return made;
}

/// Light links and a heavy ball, all in one line that leans from the vertical.
Json heavy_chain_document(const Parameters& p) {
  const int links = p.count("links");
  const double length = 0.2, radius = 0.03, lean = p["lean_degrees"] * kDegree, density = 7800;
  const double ball_radius = std::cbrt(p["weight"] / density * 3 / (4 * std::numbers::pi));
  const Vec3 down(std::sin(lean), 0, -std::cos(lean)), top(0, 0, 1 + links * length + 2 * ball_radius);
  const Quat turn = rotation_between(Vec3::UnitZ(), down);
  Json bodies = Json::array({ground(), fixed_body("beam", box({0.5, 0.1, 0.1}), top + 0.1 * Vec3::UnitZ())}),
       joints = Json::array();
  std::string above = "beam";
  for (int i = 0; i < links; ++i) {
    const std::string name = fmt::format("link-{}", i);
    Json link = body(name, Json{{"type", "capsule"}, {"radius", radius}, {"half_height", 0.5 * length - radius}},
                     top + (i + 0.5) * length * down);
    link["mass"] = 1;
    link["orientation_wxyz"] = wxyz(turn);
    bodies.push_back(std::move(link));
    joints.push_back(joint(fmt::format("joint-{}", i), "ball", above, name, top + i * length * down));
    above = name;
  }
  const Vec3 end = top + links * length * down;
  Json ball = body("weight", sphere(ball_radius), end + ball_radius * down);
  ball["mass"] = p["weight"];
  bodies.push_back(std::move(ball));
  joints.push_back(joint("eye", "ball", above, "weight", end));
  Json document = compose(10, 0.01, one_material(density, 0.5), std::move(bodies));
  document["joints"] = std::move(joints);
  return document;
}

/// Planks with kerbs from bank to bank, each hinged to the next, on an arc that hangs down; things fall onto it.
Json rope_bridge_document(const Parameters& p) {
  const int planks = p.count("planks"), loads = p.count("loads");
  const double length = 0.4, thickness = 0.05, width = 1.2, kerb = 0.05, slope = p["slope_degrees"] * kDegree;
  std::vector<Vec3> ends = {Vec3::Zero()};
  for (int i = 0; i < planks; ++i) {
    const double angle = slope * ((2.0 * i + 1) / planks - 1);
    ends.push_back(ends.back() + length * Vec3(std::cos(angle), 0, std::sin(angle)));
  }
  // The arc ends where it began: at the height of the banks.
  double lowest = 0;
  for (const Vec3& e : ends) lowest = std::min(lowest, e.z());
  const double span = ends.back().x(), height = 1 - lowest + 0.5 * thickness;
  for (Vec3& e : ends) e += Vec3(-0.5 * span, 0, height);
  const Vec3 bank(1, 0.5 * width, 0.5 * height);
  Json bodies = Json::array({ground(), fixed_body("left-bank", box(bank), {-0.5 * span - bank.x(), 0, bank.z()}),
                             fixed_body("right-bank", box(bank), {0.5 * span + bank.x(), 0, bank.z()})});
  Json joints = Json::array();
  std::string before = "left-bank";
  for (int i = 0; i <= planks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string name = i < planks ? fmt::format("plank-{}", i) : "right-bank";
    if (i < planks) {
      Json plank{{"name", name},
                 {"position", vector(0.5 * (ends[at] + ends[at + 1]))},
                 {"orientation_wxyz", wxyz(along(ends[at + 1] - ends[at]))}};
      plank["parts"] = Json::array({Json{{"shape", box({0.5 * length, 0.5 * width, 0.5 * thickness})}}});
      for (const double side : {-1, 1})
        plank["parts"].push_back(Json{{"shape", box({0.5 * length, kerb, kerb})},
                                      {"position", vector({0, side * (0.5 * width - kerb), 0.5 * thickness + kerb})}});
      bodies.push_back(std::move(plank));
    }
    joints.push_back(joint(fmt::format("hinge-{}", i), "hinge", before, name, ends[at], Vec3::UnitY()));
    joints.back()["friction"] = p["hinge_friction"];
    before = name;
  }
  // In rows above each other, as many in a row as the bridge has room for.
  Random random(static_cast<std::uint64_t>(p["seed"]));
  const double size = 0.2;   // half
  const int per_row = std::max(1, static_cast<int>(span / (2.5 * size)) - 1);
  for (int i = 0; i < loads; ++i) {
    const int row = i / per_row, in_row = std::min(per_row, loads - row * per_row);
    const double x = span * ((i % per_row + 1.0) / (in_row + 1) - 0.5);
    double below = 0;
    for (const Vec3& e : ends)
      if (std::abs(e.x() - x) < size + length) below = std::max(below, e.z());
    const Vec3 place(x, random.uniform(-0.2, 0.2), below + 1.5 * size + 4 * size * row + random.uniform(0, size));
    Json load = body(fmt::format("load-{}", i), i % 2 == 0 ? box(Vec3::Constant(size)) : sphere(size), place);
    load["mass"] = p["load_mass"];
    bodies.push_back(std::move(load));
  }
  Json document = compose(10, 0.005, one_material(600, 0.6), std::move(bodies));
  document["joints"] = std::move(joints);
  return document;
}

/// A bar in a plane of constant y between two points, with round ends.
Json bar(std::string name, const Vec3& from, const Vec3& to, double mass) {
  const double thickness = 0.02, half_width = 0.02;
  Json made =
      body(std::move(name), box({0.5 * (to - from).norm() + half_width, 0.5 * thickness, half_width}), 0.5 * (from + to));
  made["orientation_wxyz"] = wxyz(along(to - from));
  made["mass"] = mass;
  return made;
}

/// Bars lie in layers one beside the other, so that they pass each other.
Vec3 in_layer(const Vec3& point, double layer) { return point + 0.025 * layer * Vec3::UnitY(); }

/// Crank-rocker: the shortest bar turns round, the one opposite swings (Grashof: shortest + longest < sum of the other two).
Json four_bar_document(const Parameters& p) {
  const double crank = p["crank"], coupler = 0.5, rocker = 0.45, ground_length = 0.55, start = 60 * kDegree;
  const Vec3 left(0, 0, 0.6), right(ground_length, 0, 0.6);
  const Vec3 pin = left + crank * Vec3(std::cos(start), 0, std::sin(start));
  // The upper of the two points at the lengths of coupler and rocker from the pin and the right pivot.
  const Vec3 across = right - pin;
  const double distance = across.norm(), foot = (coupler * coupler - rocker * rocker + distance * distance) / (2 * distance);
  const Vec3 upward = across.cross(Vec3::UnitY()).normalized() * (across.x() > 0 ? 1 : -1);
  const Vec3 elbow = pin + foot / distance * across + std::sqrt(coupler * coupler - foot * foot) * upward;
  Json bodies = Json::array({ground(), fixed_body("left-stand", box({0.04, 0.01, 0.3}), in_layer({0, 0, 0.3}, -1)),
                             fixed_body("right-stand", box({0.04, 0.01, 0.3}), in_layer({ground_length, 0, 0.3}, 3)),
                             bar("crank", in_layer(left, 0), in_layer(pin, 0), 1),
                             bar("coupler", in_layer(pin, 1), in_layer(elbow, 1), 1),
                             bar("rocker", in_layer(elbow, 2), in_layer(right, 2), 1)});
  Json joints = Json::array({joint("motor", "hinge", "left-stand", "crank", left, Vec3::UnitY()),
                             joint("pin", "hinge", "crank", "coupler", pin, Vec3::UnitY()),
                             joint("elbow", "hinge", "coupler", "rocker", elbow, Vec3::UnitY()),
                             joint("pivot", "hinge", "right-stand", "rocker", right, Vec3::UnitY())});
  joints[0]["motor"] = motor(p["speed"], p["torque"]);
  Json document = compose(6, 0.002, one_material(7800, 0.3), std::move(bodies));
  document["joints"] = std::move(joints);
  return document;
}

/// Crank, connecting rod and a slider on a straight guide through the axis of the crank.
Json slider_crank_document(const Parameters& p) {
  const double crank = p["crank"], rod = p["rod"], start = 60 * kDegree, height = 0.6;
  const Vec3 axis(0, 0, height), pin = axis + crank * Vec3(std::cos(start), 0, std::sin(start));
  const Vec3 slider =
      axis + (crank * std::cos(start) + std::sqrt(rod * rod - std::pow(crank * std::sin(start), 2))) * Vec3::UnitX();
  const Vec3 half(0.06, 0.04, 0.04), block = in_layer(slider, 1) + Vec3(0, 0.01 + half.y() + 0.005, 0);
  const double farthest = crank + rod + half.x(), nearest = rod - crank - half.x();
  const Vec3 rail(0.5 * (farthest - nearest) + 0.05, half.y(), 0.02);
  Json bodies = Json::array(
      {ground(), fixed_body("stand", box({0.04, 0.01, 0.5 * height}), in_layer({0, 0, 0.5 * height}, -1)),
       fixed_body("guide", box(rail), {0.5 * (farthest + nearest), block.y(), height - half.z() - 0.005 - rail.z()}),
       bar("crank", in_layer(axis, 0), in_layer(pin, 0), 1), bar("rod", in_layer(pin, 1), in_layer(slider, 1), 0.5),
       body("slider", box(half), block)});
  bodies.back()["mass"] = p["slider_mass"];
  Json joints = Json::array({joint("motor", "hinge", "stand", "crank", axis, Vec3::UnitY()),
                             joint("pin", "hinge", "crank", "rod", pin, Vec3::UnitY()),
                             joint("wrist", "hinge", "rod", "slider", slider, Vec3::UnitY()),
                             joint("guide", "prismatic", "guide", "slider", slider, Vec3::UnitX())});
  joints[0]["motor"] = motor(p["speed"], p["torque"]);
  Json document = compose(6, 0.002, one_material(7800, 0.3), std::move(bodies));
  document["joints"] = std::move(joints);
  return document;
}

/// A stone with the corners of a crooked box.
Json stone(Random& random, double size) {
  Json points = Json::array();
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5})
        points.push_back(
            vector(size * Vec3(x * random.uniform(0.6, 1.2), y * random.uniform(0.6, 1.2), z * random.uniform(0.6, 1))));
  return Json{{"type", "hull"}, {"points", std::move(points)}};
}

/// Four driven wheels on springs, and loose stones between the start and the far side.
Json car_document(const Parameters& p) {
  const double wheel_radius = 0.25, half_wheel = 0.08, axle = 0.6, track = 0.45, ride = 0.35;
  Json bodies = Json::array({ground()}), joints = Json::array();
  Json chassis = body("chassis", box({0.8, 0.3, 0.12}), {0, 0, ride + 0.12});
  chassis["mass"] = p["mass"];
  bodies.push_back(std::move(chassis));
  const double stiffness = p["mass"] * 9.81 / 4 / p["sag"], damping = 0.6 * std::sqrt(stiffness * p["mass"] / 4);
  const Quat on_side(Eigen::AngleAxisd(-90 * kDegree, Vec3::UnitX()));   // the axis of a cylinder, z, to y
  for (const auto& [name, x, y] : {std::tuple("front-left", axle, track), std::tuple("front-right", axle, -track),
                                   std::tuple("rear-left", -axle, track), std::tuple("rear-right", -axle, -track)}) {
    const std::string wheel_name = fmt::format("{}-wheel", name);
    const Vec3 place(x, y, wheel_radius);
    Json wheel = body(wheel_name, Json{{"type", "cylinder"}, {"radius", wheel_radius}, {"half_height", half_wheel}}, place);
    wheel["orientation_wxyz"] = wxyz(on_side);
    wheel["mass"] = 15;
    wheel["material"] = "tyre";
    bodies.push_back(std::move(wheel));
    // x of the joint frame is the strut, z the axle. The strut starts in balance with the weight.
    Json strut = joint(name, "six-dof", "chassis", wheel_name, place, Vec3::UnitY());
    strut["x_axis"] = vector(Vec3::UnitZ());
    for (const char* coordinate : {"y", "z", "turn_x", "turn_y"}) strut["axes"][coordinate]["locked"] = true;
    strut["axes"]["x"] = Json{
        {"lower", -0.12}, {"upper", 0.12}, {"spring", {{"rest", -p["sag"]}, {"stiffness", stiffness}, {"damping", damping}}}};
    strut["axes"]["turn_z"]["motor"] = motor(p["speed"] / wheel_radius, p["torque"]);
    joints.push_back(std::move(strut));
  }
  // One stone in each cell of a grid, so that none overlap.
  Random random(static_cast<std::uint64_t>(p["seed"]));
  const double size = p["stone"], cell = 1.8 * size, start = 1.3, length = 2, width = 1.3;
  const int across = static_cast<int>(width / cell), ahead = static_cast<int>(length / cell);
  for (int i = 0; i < ahead * across; ++i) {
    const double wander = 0.05 * size;
    const Vec3 place(start + cell * (i / across + 0.5) + random.uniform(-wander, wander),
                     cell * (i % across + 0.5 - 0.5 * across) + random.uniform(-wander, wander), 0.75 * size);
    Json made = body(fmt::format("stone-{}", i), i % 2 == 0 ? stone(random, size) : box(size * Vec3(0.5, 0.35, 0.3)), place);
    made["rotation"] = rotation(Vec3::UnitZ(), random.uniform(0, 360));
    bodies.push_back(std::move(made));
  }
  Json materials =
      Json::array({Json{{"name", "default"}, {"density", 2600}, {"friction", 0.6}}, Json{{"name", "tyre"}, {"friction", 0.9}}});
  Json document = compose(6, 0.005, std::move(materials), std::move(bodies));
  document["joints"] = std::move(joints);
  return document;
}

}   // namespace

BuiltIn heavy_chain() {
  return {"heavy-chain",
          "The ball of 10 t swings on links of 1 kg: no link stretches, shakes or turns out of line.",
          {{"links", 20, 1, 10000, true, "links of 0.2 m and 1 kg"},
           {"weight", 10'000, 1, 1e6, false, "mass of the ball [kg]"},
           {"lean_degrees", 5, 0, 60, false, "angle of the chain from the vertical at the start [°]"}},
          heavy_chain_document};
}

BuiltIn rope_bridge() {
  return {"rope-bridge",
          "The bridge sways under what falls on it and comes to rest in a new shape; nothing falls through.",
          {{"planks", 16, 2, 400, true, "planks of 0.4 m"},
           {"slope_degrees", 20, 5, 60, false, "slope of the bridge at the banks at the start [°]"},
           {"loads", 6, 0, 50, true, "boxes and balls that fall onto it"},
           {"load_mass", 60, 0.1, 1e5, false, "of each [kg]"},
           {"hinge_friction", 2, 0, 1000, false, "largest moment of friction in a hinge [N m]"},
           {"seed", 1, 0, 1e9, true, "of the places they fall from"}},
          rope_bridge_document};
}

BuiltIn four_bar() {
  return {"four-bar",
          "The crank turns round and round while the rocker swings to and fro between two fixed angles.",
          {{"crank", 0.2, 0.05, 0.39, false, "length of the crank; coupler 0.5, rocker 0.45, ground 0.55 [m]"},
           {"speed", 6, -50, 50, false, "of the crank [rad/s]"},
           {"torque", 100, 0, 1e6, false, "largest of the motor [N m]"}},
          four_bar_document};
}

BuiltIn slider_crank() {
  return {"slider-crank",
          "The crank turns evenly and the slider does not quite move as a sine: it lingers at the near end of its way.",
          {{"crank", 0.15, 0.05, 0.2, false, "length of the crank [m]"},
           {"rod", 0.45, 0.3, 1, false, "length of the connecting rod [m]"},
           {"slider_mass", 2, 0.01, 1000, false, "of the slider [kg]"},
           {"speed", 6, -50, 50, false, "of the crank [rad/s]"},
           {"torque", 100, 0, 1e6, false, "largest of the motor [N m]"}},
          slider_crank_document};
}

BuiltIn car() {
  return {
      "car",
      "The car drives across loose stones on four sprung wheels; the wheels follow the ground and the body stays nearly level.",
      {{"speed", 1.5, -10, 10, false, "that the motors aim at [m/s]"},
       {"torque", 150, 0, 1e5, false, "largest of each of the four motors [N m]"},
       {"mass", 240, 10, 1e5, false, "of the body without wheels [kg]"},
       {"sag", 0.06, 0.005, 0.11, false, "of the springs under the weight [m]"},
       {"stone", 0.12, 0.05, 0.4, false, "size of the stones [m]"},
       {"seed", 1, 0, 1e9, true, "of the stones"}},
      car_document};
}

}   // namespace stickslip::document
