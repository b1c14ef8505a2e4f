// What goes on inside soft bodies, as values at their nodes: for pictures, replays and exports.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// One value per node. Stress and energy are those of the elements around a node, on the mean by their volumes at rest;
/// elasticity alone, without damping. Pressure is what contacts press on a node along their normals, over its share of the
/// surface as that force sees it, a third of the triangles around it; 0 inside.
struct SoftFields {
  std::vector<double> von_mises;        ///< of Cauchy's stress [Pa]
  std::vector<double> pressure;         ///< of contacts [Pa]
  std::vector<double> energy_density;   ///< elastic energy per volume of the rest shape [J/m³]

  std::array<const std::vector<double>*, 3> all() const { return {&von_mises, &pressure, &energy_density}; }
};

/// Of all bodies of nodes, in their order; empty lists of those that are not soft. @param report of the step that led here
std::vector<SoftFields> soft_fields(const World&, const StepReport& report);

/// Nodes of the surface, ascending: those whose values viewers get.
std::vector<std::uint32_t> surface_nodes(const NodalBody&);

/// Values as viewers get them are whole numbers, k = round(50 log₂(1 + value / from)): right to 0.7 % over all sizes.
std::uint16_t coded_field(double value, double from);
/// The smallest value that counts, of every field.
std::array<double, 3> field_units(const NodalBody&);
/// Name, unit and `from` of every field, for the description of a soft body.
nlohmann::json describe_fields(const NodalBody&);

/// The fields of a run in a replay: docs/viewer-protocol.md.
class FieldTracks {
 public:
  FieldTracks() = default;
  explicit FieldTracks(const World&);

  bool empty() const { return tracks_.empty(); }
  /// Asked for every frame in turn. Bodies that were removed keep their last values.
  void add_frame(const World&, const StepReport&);
  /// Fields are kept in every such frame, from frame 0 on.
  std::size_t stride() const { return stride_; }
  /// For every soft body, for every field, for every node of its surface, for every kept frame: a varint.
  void append_to(std::string& out) const;

 private:
  struct Track {
    BodyId id;
    std::vector<std::uint32_t> nodes;
    std::array<double, 3> units;
    std::vector<std::vector<std::uint16_t>> frames;   ///< field by field, node by node
  };
  void thin_out();

  std::vector<Track> tracks_;
  std::size_t stride_ = 1, seen_ = 0, numbers_ = 0;
};

/// The same for a frame of the live view: u32 count of soft bodies, then for each u32 number, u32 count of nodes, u16 per field
/// and node. @param ids bodies by their numbers
std::string encode_fields(const World&, const StepReport&, const std::vector<BodyId>& ids);

}   // namespace stickslip
