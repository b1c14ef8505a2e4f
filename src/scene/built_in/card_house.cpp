// A house of cards: frames of two cards that lean against each other, floors of one card between neighbouring frames.
#include <cmath>
#include <numbers>

#include "scene/built_in/compose.h"
#include "scene/built_in/families.h"

namespace stickslip::document {

namespace {

/// Cross-section in the x-z plane. A card of length l and thickness t that leans by θ reaches
/// X = ½(l sin θ + t cos θ) to either side of its centre and Z = ½(l cos θ + t sin θ) up and down. The two cards of a frame
/// touch in the plane above its middle; each has its ridge, the highest edge, t cos θ away from that plane, and its foot,
/// the lowest edge, l sin θ away. Frames stand s = l + t cos θ apart, so that each floor ends half-way between the middle
/// and the ridge and lies on one ridge of either frame, clear of the next floor.
Json card_house_document(const Parameters& p) {
  const int levels = p.count("levels");
  const double degrees = p["lean_degrees"], theta = degrees / 180 * std::numbers::pi;
  const double l = 0.088, w = 0.063, t = p["thickness"];
  const double c = std::cos(theta), s = std::sin(theta);
  const double reach = 0.5 * (l * s + t * c), rise = 0.5 * (l * c + t * s), spacing = l + t * c;
  const Json leaning = box({0.5 * t, 0.5 * w, 0.5 * l}), lying = box({0.5 * l, 0.5 * w, 0.5 * t});

  Json bodies = Json::array({ground()});
  double foot = 0;
  for (int level = 0; level < levels; ++level) {
    const int frames = levels - level;
    for (int i = 0; i < frames; ++i) {
      const double middle = (i - 0.5 * (frames - 1)) * spacing;
      for (const int side : {-1, 1}) {
        Json card = body(fmt::format("card-{}-{}-{}", level, i, side < 0 ? "left" : "right"), leaning,
                         {middle + side * reach, 0, foot + rise});
        card["rotation"] = rotation(Vec3::UnitY(), -side * degrees);
        bodies.push_back(std::move(card));
      }
    }
    foot += 2 * rise;
    for (int i = 0; i + 1 < frames; ++i) {
      bodies.push_back(
          body(fmt::format("floor-{}-{}", level, i), lying, {(i - 0.5 * (frames - 2)) * spacing, 0, foot + 0.5 * t}));
    }
    foot += t;
  }
  return compose(5, 0.005, one_material(700, p["mu"]), std::move(bodies));
}

}   // namespace

BuiltIn card_house() {
  return {"card-house",
          "Friction alone holds the leaning cards; with mu below about 0.4 the house collapses.",
          {{"levels", 3, 1, 20, true, "storeys"},
           {"lean_degrees", 20, 5, 28, false, "angle of the cards from the vertical [°]"},
           {"thickness", 0.001, 0.0003, 0.004, false, "of a card [m]"},
           {"mu", 0.8, 0, 10, false, "coefficient of friction"}},
          card_house_document};
}

}   // namespace stickslip::document
