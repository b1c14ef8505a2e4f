// One instant of the simulation as viewers get to see it, already in the numbers of the wire. Made by the simulation thread,
// read by all.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip::serve {

/// A body in a frame, byte for byte.
struct BodyRecord {
  std::uint32_t body = 0;
  std::array<std::int32_t, 3> position{};      ///< over quantum
  std::array<std::int16_t, 4> orientation{};   ///< w, x, y, z times 32767
  std::uint8_t state = 0;                      ///< 0 awake, 1 asleep, 2 not there
  std::array<std::uint8_t, 3> zero{};
  bool operator==(const BodyRecord&) const = default;
};
static_assert(sizeof(BodyRecord) == 28);

/// Places of the nodes of one body, over the quantum of the body.
using NodePlaces = std::vector<std::array<std::int32_t, 3>>;
struct NodeRecord {
  std::uint32_t body = 0;
  std::shared_ptr<const NodePlaces> places;   ///< shared by all snapshots from one change to the next
};

/// A contact in a frame, byte for byte.
struct ContactRow {
  std::uint32_t a = 0, b = 0;
  std::array<float, 3> position{}, normal{}, force{};
  float gap = 0;
  std::array<float, 3> slip{};
  float friction = 0;
  std::uint32_t facet_a = 0, facet_b = 0;   ///< of meshes: see ContactFeatures
  std::uint16_t shape_a = 0, shape_b = 0;
  std::uint32_t touch = 0;
};
static_assert(sizeof(ContactRow) == 80);

/// Residual [m/s] against iteration of one solve.
struct HistoryPoint {
  std::uint32_t iteration = 0;
  float residual = 0;
};
static_assert(sizeof(HistoryPoint) == 8);
using History = std::vector<HistoryPoint>;

/// At most 2000 points of a history, first and last among them; what is not finite is left out.
History thinned(const std::vector<double>& residuals);

struct Snapshot {
  std::uint64_t number = 0;   ///< counts up with every snapshot
  std::uint64_t scene = 0;    ///< number of the description that it belongs to, from 1
  std::shared_ptr<const std::string> scene_message;
  std::uint64_t step = 0;
  double time = 0;   ///< [s]
  std::vector<BodyRecord> bodies;
  std::vector<NodeRecord> nodes;        ///< of bodies of nodes, in the order of their numbers
  std::vector<std::uint64_t> changed;   ///< for every body the number of the snapshot that saw its record or nodes change last
  std::vector<float> telemetry;
  bool has_contacts = false;
  std::vector<ContactRow> contacts;
  std::string areas;                        ///< outlines of those contacts that stand for areas, as frames have them
  std::string overlaps;                     ///< surfaces of what bodies share at them; empty if nobody wants them
  std::size_t joint_count = 0;              ///< 0 also if nobody wants joints
  std::string joints;                       ///< rows of all joints, as `JointTable` makes them
  std::string fields;                       ///< of soft bodies, as frames have them; empty if nobody wants them
  std::shared_ptr<const History> history;   ///< of the last solve whose history is known; may be null
};

/// Knows the bodies of one scene by the numbers that frames give them, and what of them has changed.
class BodyTable {
 public:
  BodyTable(const World&, double quantum);

  const std::vector<BodyId>& bodies() const { return ids_; }
  /// Number of a body in frames, or -1.
  std::int64_t number_of(BodyId) const;
  double quantum() const { return quantum_; }

  /// Fills the bodies of a snapshot that has its number already.
  void fill(const World&, Snapshot&);

 private:
  BodyRecord record_of(const World&, std::uint32_t number) const;
  bool renew_nodes(const World&, NodeRecord&, double inverse_quantum);

  std::vector<BodyId> ids_;
  std::vector<std::int64_t> number_of_slot_;
  std::vector<BodyRecord> records_;
  std::vector<NodeRecord> nodes_;
  std::vector<double> inverse_node_quantum_;   ///< as nodes_ [1/m]
  std::vector<std::uint64_t> changed_;
  double quantum_, inverse_quantum_;
};

/// Contacts between bodies that the table knows; forces are impulses over h.
std::vector<ContactRow> contact_rows(const BodyTable&, const World&, const StepReport&);
/// Outlines of those that stand for areas; empty if there is none.
std::string contact_areas(const BodyTable&, const StepReport&);

/// Surfaces of what bodies by volume share; empty if there is none.
std::string overlap_rows(const BodyTable&, const World&, const StepReport&);

/// What one viewer gets of a snapshot.
struct FrameChoice {
  std::uint64_t since = 0;   ///< number of the snapshot it was sent last; 0: all bodies
  bool contacts = false, history = false, joints = false, fields = false, overlaps = false;
};

/// The binary message of a frame.
std::string encode_frame(const Snapshot&, const FrameChoice&);

}   // namespace stickslip::serve
