#include "serve/snapshot.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "record/description.h"

namespace stickslip::serve {

namespace {

enum Flag : std::uint8_t { all_bodies = 1, with_contacts = 2, with_history = 4, with_joints = 8 };

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

}  // namespace

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
    : ids_(described_bodies(world)), number_of_slot_(world.bodies().size(), -1), quantum_(quantum), inverse_quantum_(1 / quantum) {
  for (std::size_t i = 0; i < ids_.size(); ++i) number_of_slot_[ids_[i].index] = static_cast<std::int64_t>(i);
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
  snapshot.bodies = records_;
  snapshot.changed = changed_;
}

std::vector<ContactRow> contact_rows(const BodyTable& table, const StepReport& report) {
  std::vector<ContactRow> rows;
  rows.reserve(report.contacts.size());
  for (const ContactRecord& c : report.contacts) {
    const std::int64_t a = table.number_of(c.body_a), b = table.number_of(c.body_b);
    if (a < 0 || b < 0) continue;
    const Vec3 force = c.impulse / report.force_time;
    rows.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), floats(c.position), floats(c.normal), floats(force),
                    static_cast<float>(c.gap), floats(c.slip_velocity), static_cast<float>(c.friction)});
  }
  return rows;
}

std::string encode_frame(const Snapshot& s, const FrameChoice& choice) {
  const bool all = choice.since == 0, contacts = choice.contacts && s.has_contacts, history = choice.history && s.history,
             joints = choice.joints && s.joint_count > 0;
  std::string out;
  out.reserve(64 + s.bodies.size() * sizeof(BodyRecord) + s.telemetry.size() * 4 + (contacts ? s.contacts.size() * sizeof(ContactRow) : 0) +
              (history ? s.history->size() * sizeof(HistoryPoint) : 0) + (joints ? s.joints.size() : 0));
  put(out, std::uint8_t{1});
  put(out, static_cast<std::uint8_t>((all ? all_bodies : 0) | (contacts ? with_contacts : 0) | (history ? with_history : 0) | (joints ? with_joints : 0)));
  put(out, std::uint16_t{0});
  put(out, static_cast<std::uint32_t>(s.step));
  put(out, s.time);
  const std::size_t count_at = out.size();
  put(out, std::uint32_t{0});
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    if (!all && s.changed[i] <= choice.since) continue;
    put(out, s.bodies[i]);
    ++count;
  }
  std::memcpy(out.data() + count_at, &count, sizeof count);
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
  return out;
}

}  // namespace stickslip::serve
