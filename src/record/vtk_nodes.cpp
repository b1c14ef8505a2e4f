#include "record/vtk_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/mesh_drawing.h"
#include "record/nodal_mesh.h"
#include "record/soft_fields.h"
#include "record/vtk_file.h"

namespace stickslip {

namespace {

/// The points of a frame: nodes of all bodies, and copies of some of them.
struct VtkPoints {
  std::vector<double> position, velocity, speed, radius, mass;
  std::vector<std::int32_t> body, node;
  std::vector<std::uint8_t> asleep, colour;
  std::vector<float> on_picture;
  std::array<std::vector<double>, 3> soft;
  bool has_colours = false, has_pictures = false, has_soft = false;

  std::size_t size() const { return node.size(); }

  /// @param copy whether the node is there already: masses add up to those of the bodies
  void add(const World& world, const NodalBody& nodes, std::size_t i, std::uint32_t number, const SoftFields& fields,
           std::array<float, 2> place, bool copy) {
    for (const double x : nodes.positions[i]) position.push_back(x);
    for (const double v : nodes.velocities[i]) velocity.push_back(v);
    speed.push_back(nodes.velocities[i].norm());
    radius.push_back(nodes.radius);
    mass.push_back(copy ? 0 : nodes.masses[i]);
    body.push_back(static_cast<std::int32_t>(number));
    node.push_back(static_cast<std::int32_t>(i));
    asleep.push_back(world.bodies()[nodes.body].asleep);
    on_picture.insert(on_picture.end(), place.begin(), place.end());
    const std::optional<Colour> said = shown_colour(world, world.colliders()[world.bodies()[nodes.body].colliders.front()]);
    has_colours = has_colours || said;
    const Colour shown = said.value_or(Colour{255, 255, 255});
    colour.insert(colour.end(), {shown.red, shown.green, shown.blue});
    for (std::size_t f = 0; f < soft.size(); ++f) {
      const std::vector<double>& values = *fields.all()[f];
      soft[f].push_back(values.empty() ? 0 : values[i]);
    }
  }

  void write(VtkFile& file) const {
    file.array<double>("velocity_m_per_s", 3, velocity);
    file.array<double>("speed_m_per_s", 1, speed);
    file.array<double>("radius_m", 1, radius);
    file.array<double>("mass_kg", 1, mass);
    file.array<std::uint8_t>("asleep", 1, asleep);
    file.array<std::int32_t>("body", 1, body);
    file.array<std::int32_t>("node", 1, node);
    if (has_colours) file.array<std::uint8_t>("colour", 3, colour);
    if (has_pictures) file.array<float>("on_picture", 2, on_picture);
    if (!has_soft) return;
    file.array<double>("von_mises_Pa", 1, soft[0]);
    file.array<double>("contact_pressure_Pa", 1, soft[1]);
    file.array<double>("energy_density_J_per_m3", 1, soft[2]);
  }
};

/// Triangles on a picture, with a point for every place of a node on it. @param first point of the body
void add_laid_triangles(const World& world, const NodalBody& nodes, const LaidSurface& laid, const SoftFields& fields,
                        std::int32_t first, VtkPoints& points, std::vector<std::int32_t>& triangles) {
  const auto number = static_cast<std::uint32_t>(points.body.back());
  std::vector<bool> taken(nodes.size());
  std::vector<std::int32_t> point_of(laid.node.size());
  for (std::size_t v = 0; v < laid.node.size(); ++v) {
    const std::uint32_t node = laid.node[v];
    if (taken[node]) {
      point_of[v] = static_cast<std::int32_t>(points.size());
      points.add(world, nodes, node, number, fields, laid.on_picture[v], true);
    } else {
      taken[node] = true;
      point_of[v] = first + static_cast<std::int32_t>(node);
      std::ranges::copy(laid.on_picture[v], points.on_picture.begin() + 2 * point_of[v]);
    }
  }
  for (const auto& triangle : laid.triangles)
    for (const std::uint32_t corner : triangle) triangles.push_back(point_of[corner]);
}

}   // namespace

const VtkNodes::Look& VtkNodes::look_of(const World& world, const NodalBody& nodes, std::uint32_t number,
                                        VtkPictures& pictures) {
  const auto [place, is_new] = looks_.try_emplace(number);
  const SharedTexture texture = shown_texture(world, world.colliders()[world.bodies()[nodes.body].colliders.front()]);
  if (is_new && texture && nodes.is_soft())
    place->second = {lay_on_rest_surface(*texture, nodes), pictures.of_texture(texture->picture)};
  return place->second;
}

void VtkNodes::write(const std::filesystem::path& path, const World& world, const StepReport& report,
                     const BodyColumns& columns, VtkPictures& pictures) {
  VtkPoints points;
  std::vector<std::int32_t> vertices, triangles, picture;
  const std::vector<SoftFields> fields = soft_fields(world, report);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const NodalBody& nodes = world.nodal_bodies()[k];
    const std::uint32_t number = columns.of_slot(nodes.body);
    const auto first = static_cast<std::int32_t>(points.size());
    const Look& look = look_of(world, nodes, number, pictures);
    points.has_soft = points.has_soft || nodes.is_soft();
    points.has_pictures = points.has_pictures || look.laid;
    for (std::size_t i = 0; i < nodes.size(); ++i) points.add(world, nodes, i, number, fields[k], {0, 0}, false);
    for (const std::uint32_t bare : bare_nodes(nodes)) vertices.push_back(first + static_cast<std::int32_t>(bare));
    if (look.laid) add_laid_triangles(world, nodes, *look.laid, fields[k], first, points, triangles);
    else
      for (const auto& triangle : nodes.triangles)
        for (const std::uint32_t corner : triangle) triangles.push_back(first + static_cast<std::int32_t>(corner));
    picture.resize(triangles.size() / 3, look.picture);
  }
  picture.insert(picture.begin(), vertices.size(), 0);   // cells are the vertices first

  VtkFile file("PolyData", world.time);
  open_points(file, points.size(), vertices.size(), triangles.size() / 3, points.has_pictures ? "on_picture" : "");
  points.write(file);
  file.close("PointData");
  if (points.has_pictures) {
    file.open("CellData");
    file.array<std::int32_t>("picture", 1, picture);
    file.close("CellData");
  }
  write_places(file, points.position);
  write_cells(file, "Verts", vertices, 1);
  write_cells(file, "Polys", triangles, 3);
  file.close("Piece");
  file.write(path);
}

}   // namespace stickslip
