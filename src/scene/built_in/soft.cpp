// Soft bodies: under their own weight, in stacks and heaps, squeezed, twisted, and as what grips.
#include "scene/built_in/families.h"
#include "scene/built_in/mesh_pieces.h"
#include "scene/built_in/soft_pieces.h"

namespace stickslip::document {

namespace {

Json soft_stack_document(const Parameters& p) {
  const double half = 0.1;
  Json bodies = Json::array({ground()});
  for (int i = 0; i < p.count("count"); ++i)
    bodies.push_back(soft(fmt::format("cube-{}", i), box({half, half, half}), 2 * half / p.count("cells"), {p["young"]},
                          {0, 0, (2 * i + 1) * half}));
  return compose(3, 0.01, one_material(1000, p["mu"]), std::move(bodies));
}

/// Slabs over a rigid ball, cylinder and box.
Json soft_on_rigid_document(const Parameters& p) {
  Json bodies = Json::array({ground()});
  const Json shapes[] = {sphere(0.12), cylinder(0.1, 0.2), box({0.08, 0.08, 0.12})};
  for (int i = 0; i < 3; ++i) {
    const double x = 0.7 * (i - 1);
    Json support = fixed(body(fmt::format("support-{}", i), shapes[i], {x, 0, 0.12}));
    if (i == 1) support["rotation"] = rotation(Vec3::UnitX(), 90);
    bodies.push_back(std::move(support));
    bodies.push_back(soft(fmt::format("slab-{}", i), box({0.2, 0.2, 0.03}), 0.03, {p["young"]}, {x, 0, 0.3}));
  }
  return compose(3, 0.01, one_material(1000, p["mu"]), std::move(bodies));
}

/// A ball, a box and a drum on a mattress, the heavier the deeper.
Json rigid_on_soft_document(const Parameters& p) {
  Json bodies = Json::array({ground(), soft("mattress", box({0.6, 0.3, 0.1}), p["size"], {p["young"]}, {0, 0, 0.1})});
  const Json shapes[] = {sphere(0.08), box({0.08, 0.08, 0.08}), cylinder(0.08, 0.08)};
  const char* const names[] = {"ball", "box", "drum"};
  for (int i = 0; i < 3; ++i) {
    Json load = body(names[i], shapes[i], {0.35 * (i - 1), 0, 0.3});
    load["mass"] = p["mass"] * (i + 1);
    bodies.push_back(std::move(load));
  }
  return compose(3, 0.01, one_material(1000, p["mu"]), std::move(bodies));
}

Json cantilever_document(const Parameters& p) {
  const double half = 0.5 * p["length"], thick = 0.05;
  Json bar = soft("bar", box({half, thick, thick}), 2 * thick / p.count("cells"), {p["young"]}, {half, 0, 0.6});
  bar["soft"]["pins"] = Json::array({pin({-half, -thick, -thick}, {-half, thick, thick})});
  return compose(3, 0.01, one_material(1000, 0.5), Json::array({ground(), std::move(bar)}));
}

/// A plate comes down on a ball, rests, and goes up again.
Json squeezed_ball_document(const Parameters& p) {
  const double radius = 0.1, plate = 0.01, top = 2 * radius + plate;
  Json ball = soft("ball", sphere(radius), p["size"], {p["young"], 0.3}, {0, 0, radius});
  Json keys = Json::array({key(0, {0, 0, top}), key(2, {0, 0, top - p["squeeze"]}), key(3, {0, 0, top - p["squeeze"]}),
                           key(4, {0, 0, top + 0.02})});
  Json press = driven(body("press", box({0.15, 0.15, plate}), {0, 0, top}), std::move(keys));
  Json document = compose(5, 0.01, one_material(1000, p["mu"]), Json::array({ground(), std::move(press), std::move(ball)}));
  document["gravity"] = vector(Vec3::Zero());   // its weight would press as well
  return document;
}

/// One end stays, the other turns.
Json twisted_bar_document(const Parameters& p) {
  const double half = 0.3, thick = 0.05, height = 0.4;
  Json keys = Json::array();
  for (int i = 0; i <= 12; ++i) keys.push_back(key(0.5 * i, {half + 0.01, 0, height}, p["turns"] * 30 * i));
  Json chuck = driven(body("chuck", box({0.01, 0.08, 0.08}), {}), std::move(keys));
  Json bar = soft("bar", box({half, thick, thick}), 2 * thick / p.count("cells"), {p["young"], 0.45}, {0, 0, height});
  bar["soft"]["pins"] = Json::array(
      {pin({-half, -thick, -thick}, {-half, thick, thick}), pin({half, -thick, -thick}, {half, thick, thick}, "chuck")});
  return compose(7, 0.01, one_material(1000, 0.5), Json::array({ground(), std::move(chuck), std::move(bar)}));
}

/// Soft fingers close around a mug and lift it. They hang down beside it; knuckles push them against its rim and turn, so that
/// they would meet below it if it were not there: they bend, and lie along its wall.
Json jelly_hand_document(const Parameters& p) {
  const int fingers = p.count("fingers");
  const double radius = 0.014, length = 0.05, rim = 0.036, grip = 0.07, close = p["close"], turn = 24;
  const Polygon profile = {{0, 0}, {0.034, 0}, {0.036, 0.1}, {0.032, 0.1}, {0.03, 0.006}, {0, 0.006}};
  Json mug = body("mug", mesh("mug"), {0, 0, 0});
  mug["mass"] = p["mass"];
  Json bodies = Json::array({ground(), std::move(mug)});
  for (int i = 0; i < fingers; ++i) {
    const Vec3 out(std::cos(360.0 * i / fingers * kDegree), std::sin(360.0 * i / fingers * kDegree), 0);
    const Vec3 open = (rim + radius + 0.01) * out + (grip + length) * Vec3::UnitZ();
    const std::string knuckle = fmt::format("knuckle-{}", i);
    const Vec3 closed = open - (0.01 + close) * out, along = Vec3::UnitZ().cross(out);
    Json keys = Json::array({key(0, open, 0, along), key(1, closed, turn, along), key(1.3, closed, turn, along),
                             key(3, closed + 0.15 * Vec3::UnitZ(), turn, along)});
    bodies.push_back(driven(body(knuckle, sphere(0.55 * radius), {}), std::move(keys)));
    Json finger =
        soft(fmt::format("finger-{}", i), capsule(radius, length), p["size"], {p["young"]}, open - length * Vec3::UnitZ());
    finger["soft"]["pins"] = Json::array({pin({-radius, -radius, 0.8 * length}, {radius, radius, length + radius}, knuckle)});
    bodies.push_back(std::move(finger));
  }
  return compose_meshes(4, 0.005, one_material(1000, p["mu"]), Json::array({revolved("mug", profile, 32)}), std::move(bodies));
}

/// Two pads squeeze a box and lift it.
Json gripper_document(const Parameters& p) {
  const double half = 0.04, pad = 0.015, jaw = 0.01, open = 0.01;
  Json load = body("load", box({half, half, half}), {0, 0, half});
  load["mass"] = p["mass"];
  Json bodies = Json::array({ground(), std::move(load)});
  for (const int side : {-1, 1}) {
    const std::string name = side < 0 ? "left" : "right";
    const auto place = [&](double gap, double lift) { return Vec3(side * (half + gap + 2 * pad + jaw), 0, half + lift); };
    Json keys = Json::array({key(0, place(open, 0)), key(1, place(-p["squeeze"], 0)), key(1.3, place(-p["squeeze"], 0)),
                             key(3, place(-p["squeeze"], 0.1))});
    bodies.push_back(driven(body(name + "-jaw", box({jaw, 0.03, 0.03}), {}), std::move(keys)));
    Json cushion = soft(name + "-pad", box({pad, 0.025, 0.025}), 0.0125, {p["young"]},
                        place(open, 0) - side * (jaw + pad) * Vec3::UnitX());
    const Vec3 face(side * pad, 0.025, 0.025);
    cushion["soft"]["pins"] = Json::array({pin(face.cwiseMin(Vec3(face.x(), -0.025, -0.025)), face, name + "-jaw")});
    bodies.push_back(std::move(cushion));
  }
  return compose(4, 0.005, one_material(1000, p["mu"]), std::move(bodies));
}

/// A soft ring, held all around its hub, rolls over stones that lie fast.
Json tyre_document(const Parameters& p) {
  const double ring = 0.2, tube = 0.07, way = 1.5, height = ring + tube - p["sag"], lowered = 0.5, seconds = 3.5;
  const Polygon profile = {{ring - tube, -0.06}, {ring + tube, -0.06}, {ring + tube, 0.06}, {ring - tube, 0.06}};
  Json keys = Json::array({key(0, {-0.5 * way, 0, ring + tube})});
  for (int i = 0; i <= 24; ++i) {
    const double part = i / 24.0;
    keys.push_back(key(lowered + (seconds - lowered) * part, {way * (part - 0.5), 0, height}, way * part / height / kDegree,
                       Vec3::UnitY()));
  }
  Json drum = {{"shape", cylinder(0.9 * (ring - tube), 0.04)}, {"rotation", rotation(Vec3::UnitX(), 90)}};
  Json hub = driven(Json{{"name", "hub"}, {"parts", Json::array({std::move(drum)})}}, std::move(keys));
  Json tyre = soft("tyre", mesh("ring"), 0.045, {p["young"]}, {-0.5 * way, 0, ring + tube});
  tyre["rotation"] = rotation(Vec3::UnitX(), 90);
  Json pins = Json::array();   // boxes that fill a disc
  for (const double degrees : {10, 27, 45, 63, 80}) {
    const Vec3 corner = (ring - 0.7 * tube) * Vec3(std::cos(degrees * kDegree), std::sin(degrees * kDegree), 0);
    pins.push_back(pin(-corner - Vec3::UnitZ(), corner + Vec3::UnitZ(), "hub"));
  }
  tyre["soft"]["pins"] = std::move(pins);
  Json bodies = Json::array({ground(), std::move(hub), std::move(tyre)});
  Random random(static_cast<std::uint64_t>(p["seed"]));
  for (int i = 0; i < p.count("stones"); ++i) {
    Json stone = fixed(body(fmt::format("stone-{}", i), box({0.03, 0.03, 0.02}),
                            {random.uniform(-0.35, 0.8), random.uniform(-0.06, 0.06), random.uniform(-0.005, 0.01)}));
    stone["orientation_wxyz"] = wxyz(random.rotation());
    bodies.push_back(std::move(stone));
  }
  return compose_meshes(seconds, 0.005, one_material(1000, p["mu"]), Json::array({revolved("ring", profile, 48)}),
                        std::move(bodies));
}

/// Jacks of rubber in a box.
Json soft_jacks_document(const Parameters& p) {
  Json sticks = Json::array();
  for (int axis = 0; axis < 3; ++axis)
    sticks.push_back(Json{{"from", vector(-0.1 * Vec3::Unit(axis))}, {"to", vector(0.1 * Vec3::Unit(axis))}, {"radius", 0.03}});
  Json jack = made("jack", "sticks", {{"sticks", sticks}, {"blend", 0.02}, {"size", 0.012}});
  Json bodies = Json::array({ground()});
  add_walls(bodies, 0.3, 0.3, 0.05);
  const Grid grid(p.count("count"), 2, 0.28);
  Random random(static_cast<std::uint64_t>(p["seed"]));
  for (int i = 0; i < grid.count; ++i) {
    Json body = soft(fmt::format("jack-{}", i), mesh("jack"), 0.035, {p["young"]}, grid.place(i) + 0.05 * Vec3::UnitZ());
    body["orientation_wxyz"] = wxyz(random.rotation());
    bodies.push_back(std::move(body));
  }
  return compose_meshes(3, 0.01, one_material(1000, p["mu"]), Json::array({std::move(jack)}), std::move(bodies));
}

/// A soft fish in a cloth that hangs by its corners and folds around it.
Json fish_in_net_document(const Parameters& p) {
  const double half = 0.4, thick = 0.006, height = 0.8, corner = 0.03;
  Json net =
      soft("net", box({half, half, thick}), 2 * half / p.count("cells"), {p["net_young"], 0.3, 300, 0.02}, {0, 0, height});
  net["soft"]["self_contact"] = true;
  Json bodies = Json::array({ground()}), pins = Json::array();
  for (const int x : {-1, 1})
    for (const int y : {-1, 1}) {
      const std::string hook = fmt::format("hook-{}{}", x < 0 ? '-' : '+', y < 0 ? '-' : '+');
      const Vec3 at(x * half, y * half, 0), reach(corner, corner, thick), open = at + height * Vec3::UnitZ();
      const Vec3 closed = 0.35 * at + (height + 0.2) * Vec3::UnitZ();
      pins.push_back(pin(at - reach, at + reach, hook));
      bodies.push_back(driven(body(hook, sphere(0.01), {}), Json::array({key(0.0, open), key(0.6, open), key(2.5, closed)})));
    }
  net["soft"]["pins"] = std::move(pins);
  net["color"] = "#8a7fd870";   // the fish is seen inside
  Json sticks = Json::array({Json{{"from", vector({-0.1, 0, 0})}, {"to", vector({0.06, 0, 0})}, {"radius", 0.05}},
                             Json{{"from", vector({0.06, 0, 0})}, {"to", vector({0.16, 0, 0.03})}, {"radius", 0.025}}});
  Json fish = soft("fish", mesh("fish"), 0.035, {p["young"]}, {0, 0, height + 0.12});
  fish["color"] = "#e8743b";
  bodies.push_back(std::move(net));
  bodies.push_back(std::move(fish));
  Json entry = made("fish", "sticks", {{"sticks", std::move(sticks)}, {"blend", 0.03}, {"size", 0.02}});
  return compose_meshes(4, 0.01, one_material(1000, p["mu"]), Json::array({std::move(entry)}), std::move(bodies));
}

/// A strap falls over a log and hangs there by two boxes that its ends are attached to.
Json strap_document(const Parameters& p) {
  const double length = 0.6, thick = 0.004, width = 0.03, log = 0.1, height = 0.9, box_half = 0.05, end = 0.05;
  const double up = height + log + thick, cell = length / p.count("cells");
  Json bodies = Json::array({ground()});
  Json beam = fixed(body("log", cylinder(log, 0.15), {0, 0, height}));
  beam["rotation"] = rotation(Vec3::UnitX(), 90);
  bodies.push_back(std::move(beam));
  Json strap = soft("strap", box({length, width, thick}), 2 * cell, {p["young"], 0.3, 1000, 0.02}, {0, 0, up});
  Json pins = Json::array();
  for (const int side : {-1, 1}) {
    const std::string name = side < 0 ? "left" : "right";
    Json load = body(name, box({box_half, box_half, box_half}), {side * (length - box_half), 0, up - thick - box_half});
    load["mass"] = side < 0 ? 1 : p["mass"];
    bodies.push_back(std::move(load));
    const double from = side * (length - end), to = side * length;
    pins.push_back(pin({std::min(from, to), -width, -thick}, {std::max(from, to), width, -thick}, name));
  }
  strap["soft"]["pins"] = std::move(pins);
  bodies.push_back(std::move(strap));
  return compose(4, 0.005, one_material(1000, p["mu"]), std::move(bodies));
}

BuiltIn::Parameter young(double value) { return {"young", value, 1e3, 1e12, false, "Young's modulus [Pa]"}; }
BuiltIn::Parameter friction(double value) { return {"mu", value, 0, 10, false, "coefficient of friction"}; }
BuiltIn::Parameter cells(int value, const char* what) { return {"cells", static_cast<double>(value), 1, 40, true, what}; }

}   // namespace

BuiltIn soft_stack() {
  return {"soft-stack",
          "Cubes of rubber on each other: the lower ones bulge, and the stack comes to rest.",
          {{"count", 10, 1, 100, true, "cubes"}, cells(4, "elements along an edge"), young(1e5), friction(0.5)},
          soft_stack_document};
}
BuiltIn soft_on_rigid() {
  return {"soft-on-rigid",
          "Soft slabs fall on a ball, a log and a post, hang over them and stay.",
          {young(3e4), friction(0.8)},
          soft_on_rigid_document};
}
BuiltIn rigid_on_soft() {
  return {"rigid-on-soft",
          "A ball, a box and a drum fall on a mattress: the heavier, the deeper they rest in it.",
          {young(5e4),
           {"mass", 2, 0.01, 1000, false, "of the ball, the box has twice and the drum three times as much [kg]"},
           {"size", 0.1, 0.02, 0.2, false, "of elements [m]"},
           friction(0.5)},
          rigid_on_soft_document};
}
BuiltIn cantilever() {
  return {"cantilever",
          "A bar that is held at one end sags, swings and comes to rest.",
          {{"length", 1, 0.2, 3, false, "[m]"}, cells(4, "elements across"), young(5e6)},
          cantilever_document};
}
BuiltIn squeezed_ball() {
  return {"squeezed-ball",
          "A press squeezes a ball against the ground: the force grows with the depth to the power 3/2, after Hertz.",
          {{"squeeze", 0.02, 0, 0.1, false, "way of the press [m]"},
           {"size", 0.02, 0.005, 0.1, false, "of elements [m]"},
           young(1e5),
           friction(0.5)},
          squeezed_ball_document};
}
BuiltIn twisted_bar() {
  return {"twisted-bar",
          "A chuck turns one end of a bar: it winds up evenly along its length.",
          {{"turns", 1, 0, 5, false, "of the chuck"}, cells(4, "elements across"), young(1e5)},
          twisted_bar_document};
}
BuiltIn jelly_hand() {
  return {"jelly-hand",
          "Soft fingers bend around a mug and lift it by friction.",
          {{"fingers", 3, 2, 8, true, "around the mug"},
           {"mass", 0.1, 0.001, 10, false, "of the mug [kg]"},
           {"close", 0.006, 0, 0.03, false, "how far knuckles go beyond the touch [m]"},
           {"size", 0.0085, 0.004, 0.02, false, "of elements [m]"},
           young(2e5),
           friction(0.8)},
          jelly_hand_document};
}
BuiltIn gripper() {
  return {"gripper",
          "Jaws with soft pads squeeze a box and lift it: the pads shear a little, and it does not slip.",
          {{"mass", 0.5, 0.001, 100, false, "of the box [kg]"},
           {"squeeze", 0.004, 0, 0.015, false, "of each pad [m]"},
           young(1e5),
           friction(0.6)},
          gripper_document};
}
BuiltIn tyre() {
  return {"tyre",
          "A soft wheel rolls over stones: it wraps around them where they press.",
          {{"stones", 12, 0, 200, true, "in its way"},
           {"sag", 0.015, 0, 0.05, false, "by which the hub is too low for the wheel to be round [m]"},
           {"seed", 1, 0, 1e9, true, "of the stones"},
           young(2e5),
           friction(0.8)},
          tyre_document};
}
BuiltIn soft_jacks() {
  return {"soft-jacks",
          "Jacks of rubber fall into a box, hook into each other and settle.",
          {{"count", 8, 1, 1000, true, "jacks"}, {"seed", 1, 0, 1e9, true, "of the start"}, young(1e5), friction(0.5)},
          soft_jacks_document};
}
BuiltIn fish_in_net() {
  return {"fish-in-net",
          "A soft fish falls into a cloth, whose corners are drawn together: it folds around the fish and touches itself.",
          {cells(24, "elements along the cloth"),
           {"net_young", 1e5, 1e3, 1e12, false, "Young's modulus of the cloth [Pa]"},
           young(5e4),
           friction(0.4)},
          fish_in_net_document};
}
BuiltIn strap_over_log() {
  return {
      "strap-over-log",
      "A strap with boxes at its ends falls over a log: friction around the log holds a box that is heavier than the other.",
      {{"mass", 1.5, 0.1, 20, false, "of the right box, the left has 1 kg [kg]"},
       cells(40, "elements along the strap"),
       young(3e6),
       friction(0.5)},
      strap_document};
}

}   // namespace stickslip::document
