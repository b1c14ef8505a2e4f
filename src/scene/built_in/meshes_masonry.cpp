#include <cmath>
#include <map>

#include "scene/built_in/families.h"
#include "scene/built_in/mesh_pieces.h"

namespace stickslip::document {

namespace {

constexpr double kJoint = 1e-3;   ///< between stones side by side [m]
constexpr double kBed = 2e-5;     ///< between stones on top of each other: less than counts as touching [m]

/// Stones and their meshes; one mesh for all stones of one form.
struct Masonry {
  Json meshes = Json::array(), bodies = Json::array({ground()});
  std::map<std::string, std::string> names;   ///< of meshes, by their numbers

  void stone(const std::string& name, Json numbers, const std::string& make, const Vec3& position, Json turn = nullptr) {
    const auto [found, is_new] = names.try_emplace(make + numbers.dump(), fmt::format("{}-{}", make, names.size()));
    if (is_new) meshes.push_back(made(found->second, make, std::move(numbers)));
    Json one = body(fmt::format("{}-{}", name, bodies.size()), mesh(found->second), position);
    if (!turn.is_null()) one["rotation"] = std::move(turn);
    bodies.push_back(std::move(one));
  }

  /// A box between two corners, less the joints.
  void box_stone(const std::string& name, const Vec3& lower, const Vec3& upper) {
    const Vec3 half = 0.5 * (upper - lower - Vec3(kJoint, kJoint, kBed));
    stone(name, {{"half_extents", vector((half * 1e6).array().round().matrix() / 1e6)}}, "box", 0.5 * (lower + upper));
  }
};

/// Sizes of the temple [m].
struct Temple {
  int columns_x, columns_y, drums;
  double spacing = 3, step = 0.4, tread = 0.4, drum = 1, foot_radius = 0.75, neck_radius = 0.62;

  double half_x() const { return 0.5 * spacing * (columns_x - 1); }   ///< of the axes of the corner columns
  double half_y() const { return 0.5 * spacing * (columns_y - 1); }
};

/// Three steps of blocks, each smaller than the one below. @returns the height of the floor
double add_steps(Masonry& m, const Temple& t) {
  const int blocks_x = t.columns_x + 1, blocks_y = (t.columns_y * 4 + 2) / 3;
  for (int level = 0; level < 3; ++level) {
    const double x = t.half_x() + 1.2 + t.tread * (2 - level), y = t.half_y() + 1.2 + t.tread * (2 - level);
    for (int i = 0; i < blocks_x; ++i)
      for (int k = 0; k < blocks_y; ++k)
        m.box_stone("step", {x * (2.0 * i / blocks_x - 1), y * (2.0 * k / blocks_y - 1), level * t.step},
                    {x * (2.0 * (i + 1) / blocks_x - 1), y * (2.0 * (k + 1) / blocks_y - 1), (level + 1) * t.step});
  }
  return 3 * t.step;
}

/// Drums that taper, and a capital of two stones.
void add_column(Masonry& m, const Temple& t, double x, double y, double z) {
  const auto radius = [&](int i) { return t.foot_radius + (t.neck_radius - t.foot_radius) * i / t.drums; };
  for (int i = 0; i < t.drums; ++i, z += t.drum) {
    const Polygon profile = {{0, 0}, {radius(i), 0}, {radius(i + 1), t.drum - kBed}, {0, t.drum - kBed}};
    m.stone("drum", {{"profile", corners(profile)}, {"segments", 16}}, "revolve", {x, y, z + 0.5 * kBed});
  }
  const Polygon echinus = {{0, 0}, {t.neck_radius, 0}, {0.9, 0.3 - kBed}, {0, 0.3 - kBed}};
  m.stone("echinus", {{"profile", corners(echinus)}, {"segments", 16}}, "revolve", {x, y, z + 0.5 * kBed});
  m.box_stone("abacus", {x - 0.95, y - 0.95, z + 0.3}, {x + 0.95, y + 0.95, z + 0.7});
}

/// A course of stones over the columns, around the temple: along x to the outer edges, along y between those.
/// @param pieces stones per bay
void add_course(Masonry& m, const Temple& t, const std::string& name, double z, double height, double width, int pieces) {
  for (const int axis : {0, 1})
    for (const int side : {-1, 1}) {
      const int count = pieces * ((axis == 0 ? t.columns_x : t.columns_y) - 1);
      const double half = axis == 0 ? t.half_x() : t.half_y(), across = side * (axis == 0 ? t.half_y() : t.half_x());
      const double ends = axis == 0 ? half + 0.5 * width : half - 0.5 * width;
      for (int i = 0; i < count; ++i) {
        Vec3 lower(0, 0, z), upper(0, 0, z + height);
        lower[axis] = i == 0 ? -ends : -half + 2 * half * i / count;
        upper[axis] = i + 1 == count ? ends : -half + 2 * half * (i + 1) / count;
        lower[1 - axis] = across - 0.5 * width, upper[1 - axis] = across + 0.5 * width;
        m.box_stone(name, lower, upper);
      }
    }
}

/// A gable of three rows over the front or the back: blocks between two wedges.
void add_pediment(Masonry& m, const Temple& t, int side, double z) {
  const double half = t.half_x() + 0.5, row = 1, y = side * t.half_y(), depth = 1;
  const int blocks[3] = {2 * t.columns_x, t.columns_x, 0};
  for (int k = 0; k < 3; ++k, z += row) {
    const double bottom = half * (3 - k) / 3, top = half * (2 - k) / 3;
    for (int i = 0; i < blocks[k]; ++i)
      m.box_stone("gable", {top * (2.0 * i / blocks[k] - 1), y - 0.5 * depth, z},
                  {top * (2.0 * (i + 1) / blocks[k] - 1), y + 0.5 * depth, z + row});
    for (const int end : {-1, 1}) {
      const double high = row - kBed, inner = 0.5 * kJoint, outer = bottom - top;
      // The outline lies in x and z: turned about x, what was y points up.
      const Polygon wedge =
          end > 0 ? Polygon{{inner, 0}, {outer, 0}, {inner, high}} : Polygon{{-inner, 0}, {-inner, high}, {-outer, 0}};
      m.stone("wedge", {{"outline", corners(wedge)}, {"half_height", 0.5 * (depth - kJoint)}}, "extrude",
              {end * top, y, z + 0.5 * kBed}, rotation({1, 0, 0}, 90));
    }
  }
}

Json temple_document(const Parameters& p) {
  const Temple t{p.count("columns_x"), p.count("columns_y"), p.count("drums")};
  Masonry m;
  const double floor = add_steps(m, t);
  for (int i = 0; i < t.columns_x; ++i)
    for (int k = 0; k < t.columns_y; ++k)
      if (i == 0 || k == 0 || i + 1 == t.columns_x || k + 1 == t.columns_y)
        add_column(m, t, t.spacing * i - t.half_x(), t.spacing * k - t.half_y(), floor);
  double z = floor + t.drums * t.drum + 0.7;
  add_course(m, t, "architrave", z, 0.8, 1, 1);
  add_course(m, t, "frieze", z + 0.8, 0.8, 1, 2);
  add_course(m, t, "cornice", z + 1.6, 0.5, 1.3, 2);
  for (const int side : {-1, 1}) add_pediment(m, t, side, z + 2.1);
  return compose_meshes(5, 0.01, one_material(2500, p["mu"]), std::move(m.meshes), std::move(m.bodies));
}

/// An ellipse by the way along it.
class EllipseWay {
 public:
  /// @param length of the whole way [m] @param flat b over a
  EllipseWay(double length, double flat) : way_(kSteps + 1, 0.0) {
    const auto place = [&](int i) { return Vec2(std::cos(angle(i)), flat * std::sin(angle(i))); };
    for (int i = 0; i < kSteps; ++i)
      way_[static_cast<std::size_t>(i) + 1] = way_[static_cast<std::size_t>(i)] + (place(i + 1) - place(i)).norm();
    a_ = length / way_.back(), b_ = flat * a_;
  }

  double a() const { return a_; }
  double b() const { return b_; }

  /// Parameter t at a way from t = 0 [°]; goes on beyond a turn.
  double degrees(double at) const {
    const double turns = std::floor(at / (a_ * way_.back())), rest = at / a_ - turns * way_.back();
    const auto next = std::clamp<std::ptrdiff_t>(std::upper_bound(way_.begin(), way_.end(), rest) - way_.begin(), 1, kSteps);
    const auto i = static_cast<std::size_t>(next) - 1;
    const double share = (rest - way_[i]) / (way_[i + 1] - way_[i]);
    return 360 * turns + (angle(static_cast<int>(i)) + share * (angle(1) - angle(0))) / kDegree;
  }

  Vec3 place(double at, double z) const {
    const double t = degrees(at) * kDegree;
    return {a_ * std::cos(t), b_ * std::sin(t), z};
  }

 private:
  static constexpr int kSteps = 7200;
  static double angle(int i) { return 2 * std::numbers::pi * i / kSteps; }
  std::vector<double> way_;   ///< up to each step, for a = 1
  double a_ = 1, b_ = 1;
};

/// Sizes of the colosseum [m].
struct Arcade {
  double bay = 4, pier = 1.6, pier_block = 0.8, arch = 2, course = 0.7, thickness = 1.6;
  double opening() const { return 0.5 * (bay - pier); }   ///< radius of the arch
  double storey() const { return 3 * pier_block + arch + course; }
};

/// A stone between two lines (way, z) on the wall.
void add_wall_stone(Masonry& m, const EllipseWay& way, const Arcade& arcade, const std::string& name, const Polygon& lower,
                    const Polygon& upper) {
  const Vec2 middle = 0.25 * (lower.front() + lower.back() + upper.front() + upper.back());
  const auto unrolled = [&](const Polygon& line) {
    Polygon result;
    for (const Vec2& p : line) result.push_back({way.degrees(p.x()), p.y()});
    return corners(result);
  };
  m.stone(name,
          {{"a", way.a()},
           {"b", way.b()},
           {"thickness", arcade.thickness},
           {"lower", unrolled(lower)},
           {"upper", unrolled(upper)},
           {"divisions", lower.size() > 2 ? 1 : 4},
           {"origin", Json::array({way.degrees(middle.x()), middle.y()})}},
          "wall-stone", way.place(middle.x(), middle.y()));
}

void add_wall_block(Masonry& m, const EllipseWay& way, const Arcade& arcade, const std::string& name, const Vec2& lower,
                    const Vec2& upper) {
  const double left = lower.x() + 0.5 * kJoint, right = upper.x() - 0.5 * kJoint, low = lower.y() + 0.5 * kBed,
               high = upper.y() - 0.5 * kBed;
  add_wall_stone(m, way, arcade, name, {{left, low}, {right, low}}, {{left, high}, {right, high}});
}

/// Seven stones with radial joints between the round opening and the straight edges of the bay.
void add_arch(Masonry& m, const EllipseWay& way, const Arcade& arcade, double middle, double z) {
  const double half = 0.5 * arcade.bay - 0.5 * kBed, top = arcade.arch - kBed, corner = std::atan2(half, top),
               r = arcade.opening();
  const auto outer = [&](double angle) -> Vec2 {   // where the ray from the middle leaves the bay
    const double reach = std::abs(angle) <= corner ? top / std::cos(angle) : half / std::abs(std::sin(angle));
    return reach * Vec2(std::sin(angle), std::cos(angle));
  };
  const double play = 0.5 * kBed / r;   // joints of an arch carry: they are as tight as beds
  for (int i = 0; i < 7; ++i) {
    const double from = (-90 + 180.0 * i / 7) * kDegree + play, to = (-90 + 180.0 * (i + 1) / 7) * kDegree - play;
    std::vector<double> angles;
    for (int k = 0; k <= 4; ++k) angles.push_back(from + (to - from) * k / 4);
    for (const double bend : {-corner, corner})
      if (bend > from && bend < to) {   // the nearest of those between moves to the corner of the bay
        const auto nearest = std::clamp<std::ptrdiff_t>(std::lround((bend - from) / (to - from) * 4), 1, 3);
        angles[static_cast<std::size_t>(nearest)] = bend;
      }
    Polygon lower, upper;
    const Vec2 spring(middle, z + 0.5 * kBed);
    for (const double angle : angles) {
      lower.push_back(spring + r * Vec2(std::sin(angle), std::cos(angle)));
      upper.push_back(spring + outer(angle));
    }
    add_wall_stone(m, way, arcade, "voussoir", lower, upper);
  }
}

Json colosseum_document(const Parameters& p) {
  const int bays = p.count("bays");
  const Arcade arcade;
  const EllipseWay way(bays * arcade.bay, p["flat"]);
  Masonry m;
  for (int storey = 0; storey < p.count("storeys"); ++storey)
    for (int bay = 0; bay < bays; ++bay) {
      double z = storey * arcade.storey();
      const double left = bay * arcade.bay, middle = left + 0.5 * arcade.bay;
      for (int i = 0; i < 3; ++i, z += arcade.pier_block)
        add_wall_block(m, way, arcade, "pier", {left - 0.5 * arcade.pier, z},
                       {left + 0.5 * arcade.pier, z + arcade.pier_block});
      add_arch(m, way, arcade, middle, z);
      z += arcade.arch;
      for (const double from : {0.25, 0.75})   // no joint over the keystone, none over the joints of the bays
        add_wall_block(m, way, arcade, "course", {left + from * arcade.bay, z},
                       {left + (from + 0.5) * arcade.bay, z + arcade.course});
    }
  return compose_meshes(5, 0.01, one_material(2500, p["mu"]), std::move(m.meshes), std::move(m.bodies));
}

}   // namespace

BuiltIn temple() {
  return {"temple",
          "The temple of 638 dry stones stands: drums, beams and gables stay where they were set.",
          {{"columns_x", 6, 2, 20, true, "columns across the front"},
           {"columns_y", 9, 2, 40, true, "columns along the side"},
           {"drums", 6, 1, 20, true, "stones in the shaft of a column"},
           {"mu", 0.75, 0, 10, false, "coefficient of friction"}},
          temple_document};
}

BuiltIn colosseum() {
  return {"colosseum",
          "Three storeys of arches on an ellipse, 648 stones without mortar: each arch pushes against the next, all around, "
          "and stays.",
          {{"bays", 18, 8, 200, true, "arches in each storey"},
           {"storeys", 3, 1, 10, true, "storeys"},
           {"flat", 0.8, 0.5, 1, false, "the shorter half axis over the longer"},
           {"mu", 0.75, 0, 10, false, "coefficient of friction"}},
          colosseum_document};
}

}   // namespace stickslip::document
