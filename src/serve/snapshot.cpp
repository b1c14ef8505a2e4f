#include "serve/snapshot.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "record/contact_features.h"
#include "record/description.h"
#include "stickslip/step/contact_overlaps.h"

namespace stickslip::serve {

namespace {

enum Flag : std::uint8_t {
  all_bodies = 1,
  with_contacts = 2,
  with_history = 4,
  with_joints = 8,
  with_nodes = 16,
  with_areas = 32,
  with_fields = 64,
  with_overlaps = 128
};

static_assert(std::endian::native == std::endian::little, "records go to the wire as they lie in memory");

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
void put_all(std::string& out, const std::vector<T>& values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// Nearest whole number; what is too large ends at the border.
std::int32_t rounded(double x, double border) {
  return static_cast<std::int32_t>(std::lrint(std::isnan(x) ? 0 : std::clamp(x, -border, border)));
}

std::array<float, 3> floats(const Vec3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

}   // namespace

History thinned(const std::vector<double>& residuals) {
  constexpr std::size_t most = 2000;
  const std::size_t last = residuals.empty() ? 0 : residuals.size() - 1, stride = last / most + 1;
  History history;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if ((i % stride != 0 && i != last) || !std::isfinite(static_cast<float>(residuals[i]))) continue;
    history.push_back({static_cast<std::uint32_t>(i), static_cast<float>(residuals[i])});
  }
  return history;
}

BodyTable::BodyTable(const World& world, double quantum)
    : ids_(described_bodies(world)),
      number_of_slot_(world.bodies().size(), -1),
      quantum_(quantum),
      inverse_quantum_(1 / quantum) {
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    number_of_slot_[ids_[i].index] = static_cast<std::int64_t>(i);
    if (world.body(ids_[i]).is_rigid()) continue;
    nodes_.push_back({static_cast<std::uint32_t>(i), std::make_shared<const NodePlaces>()});
    inverse_node_quantum_.push_back(1 / node_quantum(world.nodal_body(ids_[i])));
  }
}

std::int64_t BodyTable::number_of(BodyId id) const {
  if (id.index >= number_of_slot_.size()) return -1;
  const std::int64_t number = number_of_slot_[id.index];
  return number >= 0 && ids_[static_cast<std::size_t>(number)] == id ? number : -1;
}

BodyRecord BodyTable::record_of(const World& world, std::uint32_t number) const {
  BodyRecord r;
  r.body = number;
  if (!world.contains(ids_[number])) {
    if (number < records_.size()) r = records_[number];
    r.state = 2;
    return r;
  }
  const Body& b = world.bodies()[ids_[number].index];
  for (int k = 0; k < 3; ++k) r.position[static_cast<std::size_t>(k)] = rounded(b.position[k] * inverse_quantum_, 2e9);
  const double wxyz[4] = {b.orientation.w(), b.orientation.x(), b.orientation.y(), b.orientation.z()};
  for (std::size_t k = 0; k < 4; ++k) r.orientation[k] = static_cast<std::int16_t>(rounded(wxyz[k] * 32767, 32767));
  r.state = b.asleep ? 1 : 0;
  return r;
}

/// @returns whether something is elsewhere than it was. What is gone stays where it was.
bool BodyTable::renew_nodes(const World& world, NodeRecord& record, double inverse_quantum) {
  const BodyId id = ids_[record.body];
  if (!world.contains(id)) return false;
  const std::vector<Vec3>& positions = world.nodal_body(id).positions;
  NodePlaces now(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (int k = 0; k < 3; ++k) now[i][static_cast<std::size_t>(k)] = rounded(positions[i][k] * inverse_quantum, 2e9);
  if (now == *record.places) return false;
  record.places = std::make_shared<const NodePlaces>(std::move(now));
  return true;
}

void BodyTable::fill(const World& world, Snapshot& snapshot) {
  const bool first = records_.empty();
  records_.resize(ids_.size());
  changed_.resize(ids_.size());
  for (std::uint32_t i = 0; i < ids_.size(); ++i) {
    const BodyRecord now = record_of(world, i);
    if (!first && now == records_[i]) continue;
    records_[i] = now;
    changed_[i] = snapshot.number;
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (renew_nodes(world, nodes_[n], inverse_node_quantum_[n])) changed_[nodes_[n].body] = snapshot.number;
  snapshot.bodies = records_;
  snapshot.nodes = nodes_;
  snapshot.changed = changed_;
}

std::vector<ContactRow> contact_rows(const BodyTable& table, const World& world, const StepReport& report) {
  std::vector<ContactRow> rows;
  rows.reserve(report.contacts.size());
  for (const ContactRecord& c : report.contacts) {
    const std::int64_t a = table.number_of(c.body_a), b = table.number_of(c.body_b);
    if (a < 0 || b < 0) continue;
    const Vec3 force = c.impulse / report.force_time;
    const ContactFeatures f = features_of(world, c);
    rows.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), floats(c.position), floats(c.normal),
                    floats(force), static_cast<float>(c.gap), floats(c.slip_velocity), static_cast<float>(c.friction),
                    f.facet_a, f.facet_b, static_cast<std::uint16_t>(f.shape_a), static_cast<std::uint16_t>(f.shape_b),
                    static_cast<std::uint32_t>(f.touch)});
  }
  return rows;
}

std::string contact_areas(const BodyTable& table, const StepReport& report) {
  std::string out;
  std::uint32_t number = 0, count = 0;
  for (const ContactRecord& c : report.contacts) {
    if (table.number_of(c.body_a) < 0 || table.number_of(c.body_b) < 0) continue;
    if (c.outline) {
      ++count;
      put(out, number);
      put(out, static_cast<std::uint32_t>(c.outline->corners.size()));
      put(out, static_cast<float>(mean_depth(*c.outline)));
      put(out, floats(c.center_of_pressure()));
      for (const Vec3& corner : c.outline->corners) put(out, floats(corner));
    }
    ++number;
  }
  if (count == 0) return out;
  std::string head;
  put(head, count);
  return head + out;
}

std::string overlap_rows(const BodyTable& table, const World& world, const StepReport& report) {
  std::vector<ContactRecord> told;
  for (const ContactRecord& c : report.contacts)
    if (table.number_of(c.body_a) >= 0 && table.number_of(c.body_b) >= 0) told.push_back(c);
  const std::vector<ContactOverlap> overlaps = contact_overlaps(world, told);
  std::string out;
  if (overlaps.empty()) return out;
  put(out, static_cast<std::uint32_t>(overlaps.size()));
  for (const auto& [contact, surface] : overlaps) {
    put(out, contact);
    put(out, static_cast<std::uint32_t>(surface.vertices.size()));
    put(out, static_cast<std::uint32_t>(surface.triangles.size()));
    for (const Vec3& x : surface.vertices) put(out, floats(Vec3(x - told[contact].position)));
    put_all(out, surface.triangles);
  }
  return out;
}

namespace {

/// Those that the viewer has not seen since they changed.
void put_bodies(std::string& out, const Snapshot& s, std::uint64_t since) {
  const std::size_t count_at = out.size();
  put(out, std::uint32_t{0});
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (since > 0 && s.changed[i] <= since) continue;
    put(out, s.bodies[i]);
    ++count;
  }
  std::memcpy(out.data() + count_at, &count, sizeof count);
}

std::vector<const NodeRecord*> news_of_nodes(const Snapshot& s, std::uint64_t since) {
  std::vector<const NodeRecord*> news;
  for (const NodeRecord& record : s.nodes)
    if (since == 0 || s.changed[record.body] > since) news.push_back(&record);
  return news;
}

void put_nodes(std::string& out, const std::vector<const NodeRecord*>& news) {
  put(out, static_cast<std::uint32_t>(news.size()));
  for (const NodeRecord* record : news) {
    put(out, record->body);
    put(out, static_cast<std::uint32_t>(record->places->size()));
    put_all(out, *record->places);
  }
}

}   // namespace

std::string encode_frame(const Snapshot& s, const FrameChoice& choice) {
  const bool all = choice.since == 0, contacts = choice.contacts && s.has_contacts, history = choice.history && s.history,
             joints = choice.joints && s.joint_count > 0, areas = contacts && !s.areas.empty(),
             fields = choice.fields && !s.fields.empty(), overlaps = contacts && choice.overlaps && !s.overlaps.empty();
  const std::vector<const NodeRecord*> nodes = news_of_nodes(s, choice.since);
  std::size_t size = 64 + s.bodies.size() * sizeof(BodyRecord) + s.telemetry.size() * 4;
  if (contacts) size += s.contacts.size() * sizeof(ContactRow) + s.areas.size();
  if (history) size += s.history->size() * sizeof(HistoryPoint);
  if (joints) size += s.joints.size();
  if (fields) size += s.fields.size();
  if (overlaps) size += s.overlaps.size();
  for (const NodeRecord* record : nodes) size += 8 + 12 * record->places->size();
  std::string out;
  out.reserve(size);
  put(out, std::uint8_t{1});
  put(out, static_cast<std::uint8_t>((all ? all_bodies : 0) | (contacts ? with_contacts : 0) | (history ? with_history : 0) |
                                     (joints ? with_joints : 0) | (nodes.empty() ? 0 : with_nodes) | (areas ? with_areas : 0) |
                                     (fields ? with_fields : 0) | (overlaps ? with_overlaps : 0)));
  put(out, std::uint16_t{0});
  put(out, static_cast<std::uint32_t>(s.step));
  put(out, s.time);
  put_bodies(out, s, choice.since);
  put(out, static_cast<std::uint16_t>(s.telemetry.size()));
  put(out, std::uint16_t{0});
  put_all(out, s.telemetry);
  if (contacts) {
    put(out, static_cast<std::uint32_t>(s.contacts.size()));
    put_all(out, s.contacts);
  }
  if (history) {
    put(out, static_cast<std::uint32_t>(s.history->size()));
    put_all(out, *s.history);
  }
  if (joints) {
    put(out, static_cast<std::uint32_t>(s.joint_count));
    out += s.joints;
  }
  if (!nodes.empty()) put_nodes(out, nodes);
  if (areas) out += s.areas;
  if (fields) out += s.fields;
  if (overlaps) out += s.overlaps;
  return out;
}

}   // namespace stickslip::serve
