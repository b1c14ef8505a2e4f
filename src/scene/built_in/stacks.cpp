#include <cmath>
#include <numbers>

#include "scene/built_in/compose.h"
#include "scene/built_in/families.h"

namespace stickslip::document {

namespace {

/// Bricks of 240 × 115 × 71 mm with open joints of 10 mm. Rows are shifted by a third of a brick to and fro, so that the
/// ends stand safely without half bricks.
Json wall_document(const Parameters& p) {
  const Vec3 half(0.120, 0.0575, 0.0355);
  const double pitch = 2 * half.x() + 0.010;
  Json bodies = Json::array({ground()});
  for (int row = 0; row < p.count("rows"); ++row)
    for (int i = 0; i < p.count("bricks_per_row"); ++i) {
      const double x = (i - 0.5 * (p.count("bricks_per_row") - 1)) * pitch + (row % 2 == 0 ? -1 : 1) * pitch / 6;
      bodies.push_back(body(fmt::format("brick-{}-{}", row, i), box(half), {x, 0, (2 * row + 1) * half.z()}));
    }
  return compose(5, 0.01, one_material(1800, p["mu"]), std::move(bodies));
}

/// Rings of blocks, each block bridging the joint of two below it.
Json tower_document(const Parameters& p) {
  const int blocks = p.count("blocks_per_layer");
  const double radius = 0.5, sector = std::numbers::pi / blocks;
  // Neighbours of a ring meet at their inner edges; 5 % of the length is left open.
  const double half_width = 0.075, half_length = 0.95 * (radius - half_width) * std::tan(sector);
  const Vec3 half(half_width, half_length, 0.075);
  Json bodies = Json::array({ground()});
  for (int layer = 0; layer < p.count("layers"); ++layer)
    for (int i = 0; i < blocks; ++i) {
      const double angle = (2 * i + layer % 2) * sector;
      Json block = body(fmt::format("block-{}-{}", layer, i), box(half),
                        {radius * std::cos(angle), radius * std::sin(angle), (2 * layer + 1) * half.z()});
      block["rotation"] = rotation(Vec3::UnitZ(), angle * 180 / std::numbers::pi);
      bodies.push_back(std::move(block));
    }
  return compose(5, 0.01, one_material(2000, p["mu"]), std::move(bodies));
}

Json stack_document(const Parameters& p) {
  const double half = p["size"] / 2;
  Json bodies = Json::array({ground()});
  for (int i = 0; i < p.count("count"); ++i)
    bodies.push_back(body(fmt::format("box-{}", i), box(Vec3::Constant(half)), {0, 0, (2 * i + 1) * half}));
  return compose(10, 0.01, one_material(1000, p["mu"]), std::move(bodies));
}

Json pyramid_document(const Parameters& p) {
  const double half = p["size"] / 2, pitch = 2.2 * half;
  Json bodies = Json::array({ground()});
  for (int row = 0; row < p.count("rows"); ++row) {
    const int boxes_in_row = p.count("rows") - row;
    for (int i = 0; i < boxes_in_row; ++i) {
      bodies.push_back(body(fmt::format("box-{}-{}", row, i), box(Vec3::Constant(half)),
                            {(i - 0.5 * (boxes_in_row - 1)) * pitch, 0, (2 * row + 1) * half}));
    }
  }
  return compose(5, 0.01, one_material(1000, p["mu"]), std::move(bodies));
}

Json mass_ratio_document(const Parameters& p) {
  const double half = 0.25;
  Json light = body("light", box(Vec3::Constant(half)), {0, 0, half});
  Json heavy = body("heavy", box(Vec3::Constant(half)), {0, 0, 3 * half});
  light["mass"] = 1.0;
  heavy["mass"] = p["ratio"];
  return compose(5, 0.01, one_material(1000, 0.5), Json::array({ground(), std::move(light), std::move(heavy)}));
}

}   // namespace

BuiltIn wall() {
  return {"wall",
          "The wall of 81 dry bricks stands still: no brick creeps, and the ground carries the whole weight.",
          {{"rows", 9, 1, 100, true, "rows of bricks"},
           {"bricks_per_row", 9, 1, 1000, true, "bricks in a row"},
           {"mu", 0.6, 0, 10, false, "coefficient of friction"}},
          wall_document};
}

BuiltIn tower() {
  return {"tower",
          "The ring tower of 49 blocks keeps its shape: no block slides outwards.",
          {{"layers", 7, 1, 100, true, "rings above each other"},
           {"blocks_per_layer", 7, 5, 100, true, "blocks in a ring"},
           {"mu", 0.75, 0, 10, false, "coefficient of friction"}},
          tower_document};
}

BuiltIn stack() {
  return {"stack",
          "The stack stays upright and in place, and each contact carries exactly the weight above it.",
          {{"count", 10, 1, 10000, true, "boxes"},
           {"size", 0.5, 1e-6, 1e6, false, "edge of a box [m]"},
           {"mu", 0.5, 0, 10, false, "coefficient of friction"}},
          stack_document};
}

BuiltIn pyramid() {
  return {"pyramid",
          "Each box rests on two, and the weight spreads down to the ground without any box moving.",
          {{"rows", 10, 1, 200, true, "boxes in the bottom row; each row above has one less"},
           {"size", 0.5, 1e-6, 1e6, false, "edge of a box [m]"},
           {"mu", 0.5, 0, 10, false, "coefficient of friction"}},
          pyramid_document};
}

BuiltIn mass_ratio() {
  return {"mass-ratio",
          "A heavy box rests on a light one without sinking in, although solvers converge slowly here.",
          {{"ratio", 1000, 1e-3, 1e6, false, "mass of the upper box over that of the lower, which has 1 kg"}},
          mass_ratio_document};
}

}   // namespace stickslip::document
