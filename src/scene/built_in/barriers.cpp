// Scenes for the integrator by barriers: what is twisted, linked, drawn through and leant so tightly that overlaps would show.
#include "scene/built_in/families.h"
#include "scene/built_in/mesh_pieces.h"
#include "scene/built_in/soft_pieces.h"

namespace stickslip::document {

namespace {

Json by_barriers(Json document) {
  document["step"]["integrator"] = "barrier";
  return document;
}

/// A mat whose two ends turn against each other.
Json mat_twist_document(const Parameters& p) {
  const double half = 0.2, wide = 0.1, thick = 0.01, size = 2 * thick / p.count("cells");
  Json mat = soft("mat", box({half, wide, thick}), size, {p["young"], 0.4, 1000, 0.002}, Vec3::Zero());
  Json bodies = Json::array();
  for (const int side : {-1, 1}) {
    Json keys = Json::array();
    for (int i = 0; i <= 20; ++i) keys.push_back(key(0.25 * i, {side * (half + 0.011), 0, 0}, side * p["turns"] * 9 * i));
    const std::string name = side < 0 ? "left" : "right";
    bodies.push_back(driven(body(name, box({0.01, wide + 0.01, 0.02}), {}), std::move(keys)));
    mat["soft"]["pins"].push_back(pin({side * half, -wide, -thick}, {side * half, wide, thick}, name));
  }
  bodies.push_back(std::move(mat));
  Json document = by_barriers(compose(5, 0.01, one_material(1000, p["mu"]), std::move(bodies)));
  document["gravity"] = vector(Vec3::Zero());
  return document;
}

/// Flat rings, of which each two neighbours hang together by an upright one; the corners are held, and a ball falls in.
Json chain_mail_document(const Parameters& p) {
  const int n = p.count("side");
  const double ring = 0.05, link = 0.03, tube = 0.006, spacing = 0.13, height = 0.5;
  const Json meshes = Json::array({made("ring", "torus", {{"radius", ring}, {"tube", tube}, {"segments", 24}, {"around", 8}}),
                                   made("link", "torus", {{"radius", link}, {"tube", tube}, {"segments", 16}, {"around", 8}})});
  Json bodies = Json::array({ground()});
  const auto place = [&](double i, double j) {
    return Vec3((i - 0.5 * (n - 1)) * spacing, (j - 0.5 * (n - 1)) * spacing, height);
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      Json flat = body(fmt::format("ring-{}-{}", i, j), mesh("ring"), place(i, j));
      const bool corner = (i == 0 || i == n - 1) && (j == 0 || j == n - 1);
      bodies.push_back(corner ? fixed(std::move(flat)) : std::move(flat));
      for (const int along : {0, 1}) {
        if ((along == 0 ? i : j) + 1 == n) continue;
        Json upright = body(fmt::format("link-{}-{}-{}", i, j, "xy"[along]), mesh("link"),
                            along == 0 ? place(i + 0.5, j) : place(i, j + 0.5));
        upright["rotation"] = along == 0 ? rotation(Vec3::UnitX(), 90) : rotation(Vec3::UnitY(), 90);
        bodies.push_back(std::move(upright));
      }
    }
  Json ball = body("ball", sphere(0.07), {0, 0, height + 0.15});
  ball["mass"] = p["mass"];
  bodies.push_back(std::move(ball));
  Json document = by_barriers(compose_meshes(2, 0.01, one_material(7800, p["mu"]), meshes, std::move(bodies)));
  document["step"]["barrier"]["range"] = 0.02;   // of wires of 12 mm that move by most of it in a step
  return document;
}

/// Two rollers draw a soft ball through a gap that is narrower than it.
Json roller_document(const Parameters& p) {
  const double radius = 0.1, ball = 0.08, height = 0.4;
  Json bodies = Json::array({ground()});
  for (const int side : {-1, 1}) {
    Json roller = body(side < 0 ? "left" : "right", cylinder(radius, 0.2), {side * (radius + 0.5 * p["gap"]), 0, height});
    roller["rotation"] = rotation(Vec3::UnitX(), 90);
    roller["motion"] = "kinematic";
    roller["angular_velocity"] = vector({0, -side * p["speed"] / radius, 0});
    bodies.push_back(std::move(roller));
  }
  bodies.push_back(soft("ball", sphere(ball), p["size"], {p["young"], 0.4, 1000, 0.005}, {0, 0, height + radius + 0.04}));
  return by_barriers(compose(4, 0.01, one_material(1000, p["mu"]), std::move(bodies)));
}

/// Frames of two soft cards that lean against each other, one beside the other.
Json soft_cards_document(const Parameters& p) {
  const double half = 0.1, wide = 0.06, thick = 0.004, theta = p["lean_degrees"] * kDegree, size = 2 * thick;
  const double reach = half * std::sin(theta) + thick * std::cos(theta),
               rise = half * std::cos(theta) + thick * std::sin(theta);
  Json bodies = Json::array({ground()});
  for (int i = 0; i < p.count("frames"); ++i)
    for (const int side : {-1, 1}) {
      Json card = soft(fmt::format("card-{}-{}", i, side < 0 ? "left" : "right"), box({thick, wide, half}), 2 * size,
                       {p["young"], 0.3, 700, 0.001}, {0.25 * i + side * (reach + 1e-4), 0, rise + 1e-4});
      card["rotation"] = rotation(Vec3::UnitY(), -side * p["lean_degrees"]);
      bodies.push_back(std::move(card));
    }
  return by_barriers(compose(3, 0.01, one_material(700, p["mu"]), std::move(bodies)));
}

/// Two packs of soft cards, the clamps of whose outer ends come nearer: every card slides between two of the other pack. Then
/// one
/// pack sinks onto the other.
Json card_shuffle_document(const Parameters& p) {
  const double half = 0.1, wide = 0.03, thick = 0.0015, pitch = p["pitch"], apart = 0.02, travel = 0.1;
  const int n = p.count("cards");
  Json bodies = Json::array({ground()});
  for (const int side : {-1, 1}) {
    const std::string name = side < 0 ? "left" : "right";
    const double low = 0.05 + (side < 0 ? 0 : 0.5 * pitch), middle = low + 0.5 * (n - 1) * pitch;
    const double outer = side * (apart + 2 * half + 0.011);
    const double inner = outer - side * (apart + travel), end_height = middle - (side < 0 ? 0 : 1.5 * pitch);
    Json keys = Json::array({key(0, {outer, 0, middle}), key(1, {inner, 0, middle}), key(1.5, {inner, 0, end_height})});
    bodies.push_back(driven(body(name, box({0.01, wide, 0.5 * n * pitch}), {}), std::move(keys)));
    for (int i = 0; i < n; ++i) {
      Json card = soft(fmt::format("{}-{}", name, i), box({half, wide, thick}), 0.02, {p["young"], 0.3, 700, 0.002},
                       {side * (apart + half), 0, low + i * pitch});
      const double end = side * half;
      card["soft"]["pins"].push_back(pin({end - 1e-6, -wide, -thick}, {end + 1e-6, wide, thick}, name));
      bodies.push_back(std::move(card));
    }
  }
  return by_barriers(compose(2, 0.01, one_material(700, p["mu"]), std::move(bodies)));
}

/// Half a ring of wedges without mortar on two fixed feet.
Json arch_document(const Parameters& p) {
  const int n = p.count("stones");
  const double middle = 1, half = 0.5 * p["thickness"] * middle, depth = 0.2;
  Json bodies = Json::array({ground()});
  for (int i = -1; i <= n; ++i) {
    const double from = 180.0 * i / n * kDegree, to = 180.0 * (i + 1) / n * kDegree, at = 0.5 * (from + to);
    const Vec3 center(middle * std::cos(at), 0, middle * std::sin(at) + 0.4);
    Json corners_of_stone = Json::array();
    for (const double angle : {from, to})
      for (const double radius : {middle - half, middle + half})
        for (const double y : {-depth, depth})
          corners_of_stone.push_back(vector(Vec3(radius * std::cos(angle), y, radius * std::sin(angle) + 0.4) - center));
    Json stone = body(fmt::format("stone-{}", i), Json{{"type", "hull"}, {"points", corners_of_stone}}, center);
    bodies.push_back(i < 0 || i == n ? fixed(std::move(stone)) : std::move(stone));
  }
  return compose(3, 0.005, one_material(2400, p["mu"]), std::move(bodies));
}

}   // namespace

BuiltIn mat_twist() {
  return {"mat-twist",
          "Both ends of a mat turn against each other: it winds up, buckles and folds onto itself, and never passes through "
          "itself.",
          {{"turns", 2, 0.1, 20, false, "of the two ends against each other"},
           {"cells", 1, 1, 4, true, "elements across the thickness"},
           {"young", 2e4, 1e3, 1e9, false, "Young's modulus [Pa]"},
           {"mu", 0.3, 0, 10, false, "coefficient of friction"}},
          mat_twist_document};
}

BuiltIn chain_mail() {
  return {"chain-mail",
          "A ball falls into a net of linked rings that hangs by its corners: no ring comes free.",
          {{"side", 3, 2, 20, true, "flat rings along a side"},
           {"mass", 2, 0.01, 1000, false, "of the ball [kg]"},
           {"mu", 0.2, 0, 10, false, "coefficient of friction"}},
          chain_mail_document};
}

BuiltIn ball_through_rollers() {
  return {"ball-through-rollers",
          "Two rollers draw a soft ball through a gap that is narrower than the ball; it takes its shape back below.",
          {{"gap", 0.08, 0.02, 0.3, false, "between the rollers [m]"},
           {"speed", 0.15, 0, 10, false, "of their surfaces [m/s]"},
           {"size", 0.03, 0.005, 0.08, false, "of elements [m]"},
           {"young", 5e4, 1e3, 1e9, false, "Young's modulus [Pa]"},
           {"mu", 0.8, 0, 10, false, "coefficient of friction"}},
          roller_document};
}

BuiltIn soft_cards() {
  return {"soft-cards",
          "Soft cards lean against each other, bend under their weight and stand.",
          {{"frames", 2, 1, 20, true, "pairs of cards"},
           {"lean_degrees", 20, 5, 40, false, "angle of the cards from the vertical [°]"},
           {"young", 2e6, 1e4, 1e10, false, "Young's modulus [Pa]"},
           {"mu", 0.8, 0, 10, false, "coefficient of friction"}},
          soft_cards_document};
}

BuiltIn card_shuffle() {
  return {"card-shuffle",
          "Two packs of soft cards slide into each other, every card between two of the other pack; then one pack sinks onto "
          "the other, and all bend.",
          {{"cards", 4, 1, 40, true, "of a pack"},
           {"pitch", 0.012, 0.005, 0.1, false, "from card to card [m]"},
           {"young", 2e7, 1e5, 1e10, false, "Young's modulus [Pa]"},
           {"mu", 0.2, 0, 10, false, "coefficient of friction"}},
          card_shuffle_document};
}

BuiltIn arch() {
  return {"arch",
          "An arch without mortar stands as long as its line of thrust fits into it: with a thickness below a tenth of the "
          "radius it "
          "falls.",
          {{"stones", 16, 3, 200, true, "wedges between the two fixed ones"},
           {"thickness", 0.16, 0.01, 1, false, "over the middle radius of 1 m"},
           {"mu", 0.6, 0, 10, false, "coefficient of friction"}},
          arch_document};
}

}   // namespace stickslip::document
