#include <cmath>

#include "scene/built_in/compose.h"
#include "scene/built_in/families.h"

namespace stickslip::document {

namespace {

/// Spheres dropped into an open box whose walls are as high as the grid they fall from.
Json spheres_document(const Parameters& p) {
  const double radius = 0.25, mass = 68;
  const Grid grid(p.count("count"), 2.2 * radius);
  const double jitter = 0.09 * radius;
  Random random(static_cast<std::uint64_t>(p["seed"]));
  Json bodies = Json::array({ground()});
  const double inner = 0.5 * grid.width(), half_height = 0.5 * grid.layers() * grid.spacing;
  add_walls(bodies, inner, half_height, radius);
  for (int i = 0; i < grid.count; ++i) {
    const double dx = random.uniform(-jitter, jitter), dy = random.uniform(-jitter, jitter);
    Json ball = body(fmt::format("sphere-{}", i), sphere(radius), grid.place(i) + Vec3(dx, dy, 0));
    ball["mass"] = mass;
    bodies.push_back(std::move(ball));
  }
  return compose(5, 0.01, one_material(1000, p["mu"]), std::move(bodies));
}

/// Cubes turned at random, as close as their corners allow, fall onto the open ground.
Json boxes_document(const Parameters& p) {
  const double half = 0.1;
  const Grid grid(p.count("count"), 2.02 * std::sqrt(3.0) * half);
  Random random(static_cast<std::uint64_t>(p["seed"]));
  Json bodies = Json::array({ground()});
  for (int i = 0; i < grid.count; ++i) {
    Json cube = body(fmt::format("box-{}", i), box(Vec3::Constant(half)), grid.place(i));
    cube["orientation_wxyz"] = wxyz(random.rotation());
    bodies.push_back(std::move(cube));
  }
  return compose(4, 0.01, one_material(1000, p["mu"]), std::move(bodies));
}

/// A cube of beads, one body of nodes, falls on a ledge and on the ground; a box lands on the heap.
Json beads_document(const Parameters& p) {
  const int side = p.count("side");
  const double radius = 0.02, spacing = 2.2 * radius, jitter = 0.09 * radius, width = side * spacing;
  const double bottom = 0.4 * width + 2 * radius;   // clear of the ledge, however few they are
  Random random(static_cast<std::uint64_t>(p["seed"]));
  Json places = Json::array();
  for (int i = 0; i < side * side * side; ++i) {
    const int layer = i / (side * side);
    const double shift = 0.25 * (layer % 2 ? 1 : -1);   // every other layer over the gaps of the one below
    const Vec3 cell(i % side + shift, i / side % side + shift, layer);
    const double dx = random.uniform(-jitter, jitter), dy = random.uniform(-jitter, jitter);
    places.push_back(vector(spacing * (cell - Vec3(0.5 * (side - 1), 0.5 * (side - 1), 0)) + Vec3(dx, dy, 0)));
  }
  Json ledge = body("ledge", box({0.3 * width, 0.8 * width, 0.2 * width}), {-0.4 * width, 0, 0.2 * width});
  ledge["motion"] = "fixed";
  Json nodes = {{"positions", std::move(places)}, {"radius", radius}};
  Json cloud = {{"name", "beads"}, {"nodes", std::move(nodes)}, {"position", vector({0, 0, bottom})}};
  Json load = body("box", box(Vec3(0.2, 0.2, 0.05) * width), {-0.2 * width, 0, bottom + 1.4 * width});
  return compose(3, 0.005, one_material(1000, p["mu"]),
                 Json::array({ground(), std::move(ledge), std::move(cloud), std::move(load)}));
}

}   // namespace

BuiltIn spheres() {
  return {"spheres",
          "The falling spheres come to rest in the container; watch penetration and residual as contacts multiply.",
          {{"count", 1730, 1, 100000, true, "spheres, of 68 kg each"},
           {"mu", 0.75, 0, 10, false, "coefficient of friction"},
           {"seed", 1, 0, 1e9, true, "of the random offsets"}},
          spheres_document};
}

BuiltIn boxes() {
  return {"boxes",
          "The boxes fall into a heap whose slope friction holds; the heap then stays as it is.",
          {{"count", 500, 1, 100000, true, "boxes"},
           {"mu", 0.5, 0, 10, false, "coefficient of friction"},
           {"seed", 1, 0, 1e9, true, "of the random orientations"}},
          boxes_document};
}

BuiltIn beads() {
  return {"beads",
          "A cloud of beads, one body of nodes, pours over the ledge and makes a heap that carries a box.",
          {{"side", 9, 1, 60, true, "beads along each edge of the cube"},
           {"mu", 0.3, 0, 10, false, "coefficient of friction"},
           {"seed", 1, 0, 1e9, true, "of the random offsets"}},
          beads_document};
}

}   // namespace stickslip::document
