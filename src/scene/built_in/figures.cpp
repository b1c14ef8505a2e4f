#include <cmath>
#include <numbers>

#include "scene/built_in/compose.h"
#include "scene/built_in/families.h"
#include "scene/built_in/figure.h"
#include "scene/built_in/joints.h"

namespace stickslip::document {

namespace {

constexpr double kPi = std::numbers::pi;

Json fixed(Json body) {
  body["motion"] = "fixed";
  return body;
}

void append(Json& list, const Json& more) { list.insert(list.end(), more.begin(), more.end()); }

/// A ball joint that resists turning. @param along the limb @param resistance settings of each of its three angles
Json strap(std::string name, std::string a, std::string b, const Vec3& anchor, const Vec3& along, const Json& resistance) {
  Json strap = joint(std::move(name), "ball", std::move(a), std::move(b), anchor, along);
  for (const char* axis : {"turn_x", "turn_y", "turn_z"}) strap["axes"][axis] = resistance;
  return strap;
}

Json compose_with_joints(double seconds, double h, Json materials, Json bodies, Json joints) {
  Json document = compose(seconds, h, std::move(materials), std::move(bodies));
  document["joints"] = std::move(joints);
  return document;
}

/// Agony [thesis §6.1]: arms up, legs down, everything in one plane, so that the figure hangs in equilibrium from the start.
/// The ball is of lead.
Json agony_document(const Parameters& p) {
  const double mass = p["ratio"] * Figure::kMass, radius = std::cbrt(mass / (4.0 / 3 * kPi * 11340)), thick = 0.05;
  const double soles = 0.3 + 2 * radius + 0.01;
  Figure figure;
  figure.turn_both("upper-arm", Vec3::UnitY(), -180);
  figure.place({Vec3(0, 0, soles), Quat::Identity()});
  const double hands = figure.point("left-hand", Figure::kFingertips).z();
  Json bodies = Json::array({ground(), fixed(body("beam", box({thick, 0.6, thick}), {0, 0, hands + thick}))});
  append(bodies, figure.bodies());
  bodies.push_back(body("ball", sphere(radius), {0, 0, soles - 0.01 - radius}));
  bodies.back()["mass"] = mass;
  Json joints = figure.joints();
  const Json damped{{"spring", {{"damping", 1}}}};
  for (const std::string side : {"left", "right"}) {
    const Vec3 fingertips = figure.point(side + "-hand", Figure::on_side(side, Figure::kFingertips));
    const Vec3 sole = figure.point(side + "-foot", Figure::on_side(side, Figure::kSole));
    joints.push_back(strap(side + "-grip", "beam", side + "-hand", fingertips, Vec3::UnitZ(), damped));
    joints.push_back(strap(side + "-shackle", side + "-foot", "ball", sole, Vec3::UnitZ(), damped));
  }
  return compose_with_joints(5, 0.01, one_material(1000, 0.5), std::move(bodies), std::move(joints));
}

/// Pain [thesis §6.1]: face up, tied by hands and feet to the tops of four pillars, which stand where the limbs end.
Json pain_document(const Parameters& p) {
  const double slope = 40, spread = 20, radius = 0.06, edge = 0.35, mass = p["ratio"] * Figure::kMass;
  // Joints and straps resist turning in proportion to the load, so that its sway comes to an end.
  const double damping = 0.05 * (mass + Figure::kMass);
  const Json resisting{{"spring", {{"damping", damping}}}};
  Figure figure("", damping);
  figure.turn_both("upper-arm", Vec3::UnitY(), -180 + slope);
  figure.turn_both("upper-arm", Vec3::UnitX(), -spread);
  figure.turn_both("thigh", Vec3::UnitX(), spread);
  figure.turn_both("thigh", Vec3::UnitY(), -slope);
  // Face up, head towards +x, the back at a height from which the loaded figure does not reach the ground.
  const Quat face_up = Quat(Eigen::AngleAxisd(kPi, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(-kPi / 2, Vec3::UnitY()));
  figure.place({Vec3(-1.1, 0, 0.9), face_up});
  Json bodies = Json::array({ground()}), joints = figure.joints();
  append(bodies, figure.bodies());
  for (const std::string side : {"left", "right"})
    for (const std::string limb : {"hand", "foot"}) {
      const bool arm = limb == "hand";
      const std::string part = side + "-" + limb;
      const Vec3 end = figure.point(part, Figure::on_side(side, arm ? Figure::kFingertips : Figure::kSole));
      const Vec3 root =
          figure.point(side + (arm ? "-upper-arm" : "-thigh"), Figure::on_side(side, arm ? Figure::kShoulder : Figure::kHip));
      const Vec3 outwards = Vec3(end.x(), end.y(), 0).normalized();
      Json pillar{{"type", "cylinder"}, {"radius", radius}, {"half_height", end.z() / 2}};
      bodies.push_back(
          fixed(body(part + "-pillar", std::move(pillar), Vec3(end.x(), end.y(), end.z() / 2) + (radius + 0.02) * outwards)));
      joints.push_back(strap(part + "-strap", part + "-pillar", part, end, end - root, resisting));
    }
  const Vec3 belly = figure.point("abdomen", {0.1, 0, 1.155});
  bodies.push_back(body("box", box(Vec3::Constant(edge / 2)), belly + Vec3(0, 0, p["height"] + edge / 2)));
  bodies.back()["mass"] = mass;
  return compose_with_joints(8, 0.005, one_material(1000, p["mu"]), std::move(bodies), std::move(joints));
}

/// Figures side by side on a landing, pushed over its edge, each with its knees, hips and back bent a little differently.
Json ragdolls_document(const Parameters& p) {
  const int count = p.count("count"), stairs = p.count("stairs");
  const double rise = 0.17, tread = 0.3, landing = 1.2, lane = 1.6, width = count * lane / 2;
  Json parts = Json::array();
  for (int i = 0; i < stairs; ++i) {
    const double top = (stairs - i) * rise, half = i == 0 ? landing / 2 : tread / 2;
    const double middle = i == 0 ? -landing / 2 : (i - 0.5) * tread;
    parts.push_back(Json{{"shape", box({half, width, top / 2})}, {"position", vector({middle, 0, top / 2})}});
  }
  Json bodies = Json::array({ground(), Json{{"name", "stairs"}, {"motion", "fixed"}, {"parts", std::move(parts)}}}),
       joints = Json::array();
  Random random(static_cast<std::uint64_t>(p["seed"]));
  for (int i = 0; i < count; ++i) {
    Figure figure(fmt::format("figure-{}-", i));
    const double knees = random.uniform(5, 30);
    figure.turn_both("shin", Vec3::UnitY(), knees);
    figure.turn_both("thigh", Vec3::UnitY(), -knees / 2);
    figure.turn_both("upper-arm", Vec3::UnitX(), random.uniform(10, 50));
    figure.turn_both("forearm", Vec3::UnitY(), -random.uniform(5, 40));
    figure.turn("abdomen", Vec3::UnitY(), random.uniform(0, 15));
    const double heading = random.uniform(-0.5, 0.5), lean = random.uniform(0.1, 0.4);   // [rad]
    figure.place({Vec3(-0.35, (i + 0.5) * lane - width, stairs * rise + 0.1),
                  Quat(Eigen::AngleAxisd(heading, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(lean, Vec3::UnitY()))});
    Json own = figure.bodies();
    for (Json& part : own) part["velocity"] = vector({p["push"], 0, 0});
    append(bodies, own);
    append(joints, figure.joints());
  }
  return compose_with_joints(6, 0.005, one_material(1000, p["mu"]), std::move(bodies), std::move(joints));
}

}   // namespace

BuiltIn agony() {
  return {"agony",
          "The figure hangs still by its hands although a ball of 1000 times its mass hangs on its feet: no joint opens and no "
          "part trembles.",
          {{"ratio", 1000, 0.01, 1e5, false, "mass of the ball over that of the figure, which has 70 kg"}},
          agony_document};
}

BuiltIn pain() {
  return {"pain",
          "The heavy box drops onto the figure that hangs between four pillars, stretches it and comes to rest on it: no joint "
          "opens, nothing "
          "reaches the floor.",
          {{"ratio", 100, 0.01, 1e4, false, "mass of the box over that of the figure, which has 70 kg"},
           {"height", 0.1, 0.001, 2, false, "of the fall of the box [m]"},
           {"mu", 0.6, 0, 10, false, "coefficient of friction"}},
          pain_document};
}

BuiltIn ragdolls() {
  return {"ragdolls",
          "The figures tumble down the stairs and come to rest: their joints stay together and bend no further than those of "
          "people.",
          {{"count", 4, 1, 100, true, "figures"},
           {"stairs", 10, 1, 100, true, "steps of 17 cm"},
           {"push", 2.5, 0, 10, false, "speed at the start [m/s]"},
           {"mu", 0.4, 0, 10, false, "coefficient of friction"},
           {"seed", 1, 0, 1e9, true, "of the random poses"}},
          ragdolls_document};
}

}   // namespace stickslip::document
