#include <cmath>

#include "scene/built_in/families.h"
#include "scene/built_in/mesh_pieces.h"

namespace stickslip::document {

namespace {

/// A vessel of even wall with a rounded rim. @param outside corners (r, z) upwards, from the axis to the rim
/// @param floor height of the inner one, above which the inside keeps `wall` from the outside [m]
Polygon vessel(const Polygon& outside, double wall, double floor) {
  Polygon profile = outside;
  for (const double angle : {45.0, 90.0, 135.0})
    profile.push_back(outside.back() + 0.5 * wall * Vec2(std::cos(angle * kDegree) - 1, std::sin(angle * kDegree)));
  for (std::size_t i = outside.size(); i-- > 0;) {
    if (outside[i].y() > floor) {
      profile.push_back(outside[i] - Vec2(wall, 0));
      continue;
    }
    const Vec2 &below = outside[i], &above = outside[i + 1];
    profile.push_back({below.x() + (above.x() - below.x()) * (floor - below.y()) / (above.y() - below.y()) - wall, floor});
    break;
  }
  profile.push_back({0, floor});
  return profile;
}

/// A tumbler that widens towards its rim, 0.6 m high: 91 kg of glass.
Json glass_mesh() {
  const double height = 0.6;
  Polygon outside = {{0, 0}, {0.17, 0}, {0.19, 0.01}};
  for (int i = 1; i <= 14; ++i) {
    const double z = 0.01 + (height - 0.01) * i / 14;
    outside.push_back({0.2 + 0.06 * (z / height) * (z / height), z});
  }
  return revolved("glass", vessel(outside, 0.04, 0.06), 48);
}

/// Foot, stem with a knot, and cup; 0.32 m high.
Json chalice_mesh() {
  Polygon outside = {{0, 0}, {0.09, 0}, {0.085, 0.012}, {0.02, 0.03}, {0.015, 0.08}, {0.03, 0.1}, {0.015, 0.12}, {0.02, 0.15}};
  for (int i = 1; i <= 4; ++i)
    outside.push_back({0.02 + 0.07 * std::sin(22.5 * i * kDegree), 0.15 + 0.17 * (1 - std::cos(22.5 * i * kDegree))});
  return revolved("chalice", vessel(outside, 0.012, 0.17), 14);
}

/// Three crossed sticks with balls at their ends.
Json jack_mesh() {
  const double arm = 0.25;
  Json sticks = Json::array();
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 end = arm * Vec3::Unit(axis);
    sticks.push_back({{"from", vector(-end)}, {"to", vector(end)}, {"radius", 0.06}});
    for (const Vec3& at : {end, Vec3(-end)}) sticks.push_back({{"from", vector(at)}, {"radius", 0.095}});
  }
  return made("jack", "sticks", {{"sticks", sticks}, {"blend", 0.05}, {"size", 0.0332}});
}

/// Bodies of one mesh, turned at random, on a grid. @param middle of the ball around the mesh, in its own frame
void add_turned(Json& bodies, const Grid& grid, const std::string& name, const Vec3& middle, double mass, Random& random) {
  for (int i = 0; i < grid.count; ++i) {
    const Quat turn = random.rotation();
    Json one = body(fmt::format("{}-{}", name, i), mesh(name), grid.place(i) - turn * middle);
    one["orientation_wxyz"] = wxyz(turn);
    if (mass > 0) one["mass"] = mass;
    bodies.push_back(std::move(one));
  }
}

/// A heap on the open ground: the arms interlock.
Json jacks_document(const Parameters& p) {
  Random random(static_cast<std::uint64_t>(p["seed"]));
  Json bodies = Json::array({ground()});
  add_turned(bodies, Grid(p.count("count"), 2.02 * 0.345), "jack", Vec3::Zero(), 35, random);
  return compose_meshes(5, 0.01, one_material(1080, p["mu"]), Json::array({jack_mesh()}), std::move(bodies));
}

/// Into an open box, as high as the grid that they fall from.
Json in_a_box(const Parameters& p, Json meshes, const std::string& name, const Vec3& middle, double reach, double density,
              double mass) {
  const Grid grid(p.count("count"), 2.02 * reach);
  Random random(static_cast<std::uint64_t>(p["seed"]));
  Json bodies = Json::array({ground()});
  add_walls(bodies, 0.5 * grid.width(), 0.5 * grid.layers() * grid.spacing, reach);
  add_turned(bodies, grid, name, middle, mass, random);
  return compose_meshes(5, 0.01, one_material(density, p["mu"]), std::move(meshes), std::move(bodies));
}

Json glasses_document(const Parameters& p) {
  return in_a_box(p, Json::array({glass_mesh()}), "glass", {0, 0, 0.315}, 0.42, 2500, 91);
}

Json chalices_document(const Parameters& p) {
  return in_a_box(p, Json::array({chalice_mesh()}), "chalice", {0, 0, 0.17}, 0.2, 2500, 0);
}

/// A funnel with a high collar, over the ground; balls and rings stand in the collar on a grid.
Json funnel_document(const Parameters& p) {
  const double radius = 0.05, outlet = p["outlet"], wall = 0.03, ground_clear = 1.2;
  const int count = p.count("count"), side = std::max(1, static_cast<int>(std::lround(std::cbrt(3.0 * count))));
  const Grid grid(count, side, 2.25 * radius);
  const double mouth = std::max(grid.width() / std::sqrt(2.0) + radius, 1.5 * outlet), slope = std::tan(55 * kDegree);
  const double throat = ground_clear + 0.3, rim = throat + slope * (mouth - outlet), top = rim + grid.layers() * grid.spacing;
  const Polygon profile = {{outlet, ground_clear},
                           {outlet, throat},
                           {mouth, rim},
                           {mouth, top},
                           {mouth + wall, top},
                           {mouth + wall, rim - 0.5 * wall},
                           {outlet + wall, throat - 0.5 * wall},
                           {outlet + wall, ground_clear}};
  Json meshes = Json::array(
      {revolved("funnel", profile, 64), made("ball", "sphere", {{"radius", radius}, {"divisions", 9}}),
       made("ring", "torus", {{"radius", 0.7 * radius}, {"tube", 0.3 * radius}, {"segments", 28}, {"around", 28}})});
  Json bodies = Json::array({ground(), fixed(body("funnel", mesh("funnel"), Vec3::Zero()))});
  Random random(static_cast<std::uint64_t>(p["seed"]));
  for (int i = 0; i < count; ++i) {
    const char* name = i % 2 ? "ring" : "ball";
    Json one = body(fmt::format("{}-{}", name, i), mesh(name), grid.place(i) + Vec3(0, 0, rim));
    one["orientation_wxyz"] = wxyz(random.rotation());
    bodies.push_back(std::move(one));
  }
  return compose_meshes(5, 0.005, one_material(1000, p["mu"]), std::move(meshes), std::move(bodies));
}

/// Places on a sphere about the origin from an angle to its lowest point up, in rings; those that find no room below its
/// middle are above it. @param reach radius of the sphere [m]
std::vector<Vec3> places_in_bowl(int count, double ball, double reach, double start) {
  const double apart = 2.1 * ball;
  std::vector<Vec3> places;
  for (double angle = start; angle < 85 * kDegree && std::ssize(places) < count; angle += apart / reach) {
    const double chord = 0.5 * apart / (reach * std::sin(angle));   // half of it, over the radius of the ring
    const int room = chord < 1 ? static_cast<int>(std::numbers::pi / std::asin(chord)) : 1;
    const int here = std::min(room, count - static_cast<int>(places.size()));
    for (int i = 0; i < here; ++i) {
      const double around = 2 * std::numbers::pi * i / here;
      places.push_back(reach * Vec3(std::sin(angle) * std::cos(around), std::sin(angle) * std::sin(around), -std::cos(angle)));
    }
  }
  for (int i = 1; std::ssize(places) < count; ++i) places.push_back({0, 0, reach + i * apart});
  return places;
}

/// A bowl whose inside is a part of a sphere about the origin; balls start on its wall, evenly around.
Json bowl_document(const Parameters& p) {
  const double inside = 1, outside = 1.05, ball = p["radius"];
  const int arcs = 40;
  Polygon profile;
  for (int i = 0; i <= arcs; ++i)
    profile.push_back(outside * Vec2(std::sin(90 * kDegree * i / arcs), -std::cos(90 * kDegree * i / arcs)));
  for (int i = arcs; i >= 0; --i)
    profile.push_back(inside * Vec2(std::sin(90 * kDegree * i / arcs), -std::cos(90 * kDegree * i / arcs)));
  profile.front().x() = profile.back().x() = 0;
  Json bodies = Json::array({fixed(body("bowl", mesh("bowl"), Vec3::Zero()))});
  for (const Vec3& place : places_in_bowl(p.count("count"), ball, 0.995 * (inside - ball), p["start_degrees"] * kDegree))
    bodies.push_back(body(fmt::format("ball-{}", bodies.size() - 1), sphere(ball), place));
  return compose_meshes(6, 0.005, one_material(2000, p["mu"]), Json::array({revolved("bowl", profile, 160)}),
                        std::move(bodies));
}

}   // namespace

BuiltIn jacks() {
  return {"jacks",
          "Jacks of six arms, meshes of about 1600 vertices, fall into a heap and hook into each other: it stands steeper than "
          "a heap of "
          "boxes, and nothing passes through anything.",
          {{"count", 362, 1, 100000, true, "jacks, of 35 kg each"},
           {"mu", 0.75, 0, 10, false, "coefficient of friction"},
           {"seed", 1, 0, 1e9, true, "of the random orientations"}},
          jacks_document};
}

BuiltIn glasses() {
  return {"glasses",
          "Tumblers fall into a box; some come to stand in others or lie over rims: they are hollow, not hulls.",
          {{"count", 362, 1, 100000, true, "glasses, of 91 kg each"},
           {"mu", 0.75, 0, 10, false, "coefficient of friction"},
           {"seed", 1, 0, 1e9, true, "of the random orientations"}},
          glasses_document};
}

BuiltIn chalices() {
  return {"chalices",
          "Thousands of chalices fall into a box; feet catch in cups and stems cross, and the heap comes to rest.",
          {{"count", 4004, 1, 100000, true, "chalices"},
           {"mu", 0.75, 0, 10, false, "coefficient of friction"},
           {"seed", 1, 0, 1e9, true, "of the random orientations"}},
          chalices_document};
}

BuiltIn funnel() {
  return {"funnel",
          "Balls and rings, all of them meshes, run through a funnel onto a heap; none leaks through its wall.",
          {{"count", 2002, 1, 100000, true, "balls and rings"},
           {"outlet", 0.35, 0.1, 10, false, "radius of the hole [m]"},
           {"mu", 0.3, 0, 10, false, "coefficient of friction"},
           {"seed", 1, 0, 1e9, true, "of the random orientations"}},
          funnel_document};
}

BuiltIn bowl() {
  return {"bowl",
          "A ball swings through the bowl like a pendulum of the length 7/5 (R - r), since it rolls; the facets of the mesh do "
          "not stop it.",
          {{"count", 1, 1, 100, true, "balls, in rings around the lowest point"},
           {"radius", 0.1, 0.01, 0.3, false, "of a ball [m]; that of the bowl is 1 m"},
           {"start_degrees", 20, 0, 80, false, "from the lowest point at the start [°]"},
           {"mu", 0.5, 0, 10, false, "coefficient of friction"}},
          bowl_document};
}

}   // namespace stickslip::document
