// Bodies of nodes in a scene document.
#include "scene/read_parts.h"

namespace stickslip::document {

namespace {

constexpr double kMostNodes = 1'000'000;

/// Nodes at the points of a grid: {"count": [nx, ny, nz], "spacing": d}, the first at the body's position.
std::vector<Vec3> read_grid(const Place& place) {
  std::vector<Vec3> positions;
  read_object(place, "a grid of nodes", [&](Fields& fields) {
    const Place count = fields.get("count");
    std::vector<int> n;
    document::read(count, n);
    const auto fits = [](int k) { return k >= 1; };
    if (n.size() != 3 || !std::all_of(n.begin(), n.end(), fits) || 1.0 * n[0] * n[1] * n[2] > kMostNodes)
      count.fail(fmt::format("{} is not a size of a grid. Give three counts of at least 1, and at most {} nodes.",
                             shown(count.value()), kMostNodes));
    const double spacing = fields.required<double>("spacing");
    if (!(spacing > 0)) fields.get("spacing").fail(fmt::format("{} is not a length. It must be greater than 0 m.", spacing));
    for (int z = 0; z < n[2]; ++z)
      for (int y = 0; y < n[1]; ++y)
        for (int x = 0; x < n[0]; ++x) positions.push_back(spacing * Vec3(x, y, z));
  });
  return positions;
}

void read_nodes(const Place& place, NodalDescription& body) {
  read_object(place, "a list of nodes", [&](Fields& fields) {
    fields.not_both("positions", "grid");
    if (const auto grid = fields.find("grid")) body.positions = read_grid(*grid);
    else body.positions = fields.required<std::vector<Vec3>>("positions");
    body.radius = fields.required<double>("radius");
    if (const auto mass = fields.find("mass")) document::read(*mass, body.mass.emplace());
    if (const auto triangles = fields.find("triangles")) read_triangles(*triangles, body.triangles, "nodes");
  });
  place.within([&] { validate_nodes(body); });
}

}   // namespace

void read_triangles(const Place& place, std::vector<std::array<std::uint32_t, 3>>& triangles, std::string_view corners) {
  std::vector<std::vector<int>> lists;
  document::read(place, lists);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto is_index = [](int k) { return k >= 0; };
    if (lists[i].size() != 3 || !std::all_of(lists[i].begin(), lists[i].end(), is_index))
      Place(place.value()[i], place, std::to_string(i))
          .fail(fmt::format("{} is not a triangle. Give three numbers of {}.", shown(place.value()[i]), corners));
    triangles.push_back({static_cast<std::uint32_t>(lists[i][0]), static_cast<std::uint32_t>(lists[i][1]),
                         static_cast<std::uint32_t>(lists[i][2])});
  }
}

void add_nodal_body(const Place& place, World& world) {
  NodalDescription body;
  read_object(place, "a body of nodes", [&](Fields& fields) {
    fields.optional("name", body.name);
    read_nodes(fields.get("nodes"), body);
    Vec3 position = Vec3::Zero();
    if (fields.optional("position", position))
      for (Vec3& x : body.positions) x += position;
    if (const auto material = fields.find("material")) body.material = read_material_name(*material, world.materials);
    read_colour(fields, body.colour);
    fields.optional("velocity", body.velocity);
    fields.optional("force", body.force);
    fields.optional("can_sleep", body.can_sleep);
  });
  place.within([&] { world.add(std::move(body)); });
}

}   // namespace stickslip::document
