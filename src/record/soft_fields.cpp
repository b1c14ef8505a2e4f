#include "record/soft_fields.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "record/description.h"
#include "record/varint.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/world/stencil.h"

namespace stickslip {

namespace {

constexpr double kCodesPerOctave = 50;
constexpr std::size_t kMostFieldNumbers = 4'000'000;   ///< of a replay; beyond it every other frame loses them

/// Means over the elements around every node.
void add_inside(const NodalBody& nodes, SoftFields& fields) {
  const ElasticSolid& solid = *nodes.solid;
  std::vector<double> volume(nodes.size(), 0.0);
  fields.von_mises.assign(nodes.size(), 0.0);
  fields.energy_density.assign(nodes.size(), 0.0);
  for (std::size_t e = 0; e < solid.elements(); ++e) {
    const double share = solid.rest_volume(e), energy = solid.element_energy(e, nodes.positions),
                 stress = von_mises(solid.cauchy_stress(e, nodes.positions));
    for (const std::uint32_t node : solid.tetrahedra()[e]) {
      volume[node] += share;
      fields.von_mises[node] += share * stress;
      fields.energy_density[node] += energy;
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    fields.von_mises[i] /= volume[i];
    fields.energy_density[i] /= volume[i];
  }
}

/// Forces of contacts along their normals on the nodes of one body [N].
using NodeForces = std::vector<Vec3>;

/// A force goes to the nodes of the stencil by their weights. @param part of the collider
void press(const World& world, std::uint32_t collider, std::uint64_t part, const Vec3& place, const Vec3& force,
           std::vector<NodeForces>& all) {
  const Collider& side = world.colliders()[collider];
  if (!side.alive || !side.deforms) return;
  const NodalBody& nodes = world.nodal_bodies()[world.bodies()[side.body].place];
  NodeForces& forces = all[world.bodies()[side.body].place];
  forces.resize(nodes.size(), Vec3::Zero());
  const auto first = static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node;
  for (const Stencil::Entry& entry : stencil(world, side, static_cast<std::uint32_t>(part), place))
    forces[entry.mover - first] += entry.weight * force;
}

/// Over the share of the surface as the force sees it: what lies around the rim of a face does not count.
void add_pressure(const NodalBody& nodes, const NodeForces& forces, SoftFields& fields) {
  fields.pressure.assign(nodes.size(), 0.0);
  if (forces.empty()) return;
  std::vector<double> area(nodes.size(), 0.0);
  for (const auto& [a, b, c] : nodes.triangles) {
    const Vec3 twice = (nodes.positions[b] - nodes.positions[a]).cross(nodes.positions[c] - nodes.positions[a]);
    for (const std::uint32_t corner : {a, b, c}) area[corner] += std::max(0.0, -twice.dot(forces[corner].normalized())) / 6;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (area[i] > 0) fields.pressure[i] = forces[i].norm() / area[i];
}

}   // namespace

std::vector<SoftFields> soft_fields(const World& world, const StepReport& report) {
  std::vector<SoftFields> all(world.nodal_bodies().size());
  std::vector<NodeForces> forces(all.size());
  for (const ContactRecord& c : report.contacts) {
    if (!(report.force_time > 0) || !world.contains(c.body_a) || !world.contains(c.body_b)) continue;
    const Vec3 force = c.normal_impulse / report.force_time * c.normal;
    press(world, c.key.a, c.key.parts >> 32, c.position, -force, forces);
    press(world, c.key.b, c.key.parts, c.position, force, forces);
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const NodalBody& nodes = world.nodal_bodies()[k];
    if (!nodes.is_soft()) continue;
    add_inside(nodes, all[k]);
    add_pressure(nodes, forces[k], all[k]);
  }
  return all;
}

std::vector<std::uint32_t> surface_nodes(const NodalBody& nodes) {
  std::vector<bool> outside(nodes.size());
  for (const auto& triangle : nodes.triangles)
    for (const std::uint32_t node : triangle) outside[node] = true;
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (outside[i]) list.push_back(i);
  return list;
}

std::uint16_t coded_field(double value, double from) {
  const double code = kCodesPerOctave * std::log2(1 + std::max(value, 0.0) / from);
  return static_cast<std::uint16_t>(std::lround(std::isfinite(code) ? std::min(code, 65535.0) : 0));
}

std::array<double, 3> field_units(const NodalBody& nodes) {
  const double young = nodes.solid->material().young;
  return {1e-6 * young, 1e-6 * young, 1e-9 * young};
}

nlohmann::json describe_fields(const NodalBody& nodes) {
  const auto units = field_units(nodes);
  return nlohmann::json::array({{{"name", "stress"}, {"unit", "Pa"}, {"from", units[0]}},
                                {{"name", "contact-pressure"}, {"unit", "Pa"}, {"from", units[1]}},
                                {{"name", "energy"}, {"unit", "J/m³"}, {"from", units[2]}}});
}

FieldTracks::FieldTracks(const World& world) {
  for (const BodyId id : described_bodies(world))
    if (!world.body(id).is_rigid() && world.nodal_body(id).is_soft()) {
      const NodalBody& nodes = world.nodal_body(id);
      tracks_.push_back({id, surface_nodes(nodes), field_units(nodes), {}});
    }
}

void FieldTracks::add_frame(const World& world, const StepReport& report) {
  if (empty() || seen_++ % stride_ != 0) return;
  const std::vector<SoftFields> now = soft_fields(world, report);
  for (Track& track : tracks_) {
    std::vector<std::uint16_t> codes;
    if (world.contains(track.id)) {
      const auto all = now[world.body(track.id).place].all();
      for (std::size_t f = 0; f < all.size(); ++f)
        for (const std::uint32_t node : track.nodes) codes.push_back(coded_field((*all[f])[node], track.units[f]));
    } else if (!track.frames.empty()) {
      codes = track.frames.back();
    }
    codes.resize(3 * track.nodes.size());
    numbers_ += codes.size();
    track.frames.push_back(std::move(codes));
  }
  if (numbers_ > kMostFieldNumbers) thin_out();
}

void FieldTracks::thin_out() {
  for (Track& track : tracks_) {
    if (track.frames.size() < 2) return;
    std::vector<std::vector<std::uint16_t>> fewer;
    for (std::size_t i = 0; i < track.frames.size(); i += 2) fewer.push_back(std::move(track.frames[i]));
    track.frames = std::move(fewer);
  }
  stride_ *= 2;
  numbers_ = 0;
  for (const Track& track : tracks_) numbers_ += 3 * track.nodes.size() * track.frames.size();
}

void FieldTracks::append_to(std::string& out) const {
  for (const Track& track : tracks_)
    for (std::size_t k = 0; k < 3 * track.nodes.size(); ++k) {
      std::int64_t before = 0;
      for (const std::vector<std::uint16_t>& codes : track.frames) {
        put_varint(out, codes[k] - before);
        before = codes[k];
      }
    }
}

std::string encode_fields(const World& world, const StepReport& report, const std::vector<BodyId>& ids) {
  static_assert(std::endian::native == std::endian::little);
  std::string out;
  const auto put = [&](auto value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  std::uint32_t count = 0;
  const auto is_there = [&](BodyId id) {
    return world.contains(id) && !world.body(id).is_rigid() && world.nodal_body(id).is_soft();
  };
  for (const BodyId id : ids) count += is_there(id);
  put(count);
  const std::vector<SoftFields> now = soft_fields(world, report);
  for (std::uint32_t number = 0; number < ids.size(); ++number) {
    if (!is_there(ids[number])) continue;
    const NodalBody& nodes = world.nodal_body(ids[number]);
    const std::vector<std::uint32_t> surface = surface_nodes(nodes);
    put(number);
    put(static_cast<std::uint32_t>(surface.size()));
    const auto units = field_units(nodes);
    const auto all = now[world.body(ids[number]).place].all();
    for (std::size_t f = 0; f < all.size(); ++f)
      for (const std::uint32_t node : surface) put(coded_field((*all[f])[node], units[f]));
  }
  return out;
}

}   // namespace stickslip
