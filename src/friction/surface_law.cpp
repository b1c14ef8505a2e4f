// Surface laws by name: the table, the checks of their numbers, and where a law meets a contact.
#include "stickslip/friction/surface_law.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <mutex>

#include "friction/laws/laws.h"
#include "stickslip/math/error.h"

#include <fmt/format.h>

namespace stickslip {

namespace {

template <class Items>
std::vector<std::string> names(const Items& items) {
  std::vector<std::string> all;
  for (const auto& item : items) all.push_back(item.name);
  return all;
}

/// All laws. Scenes are read and run by several threads while a program may add laws: every access holds the lock, and a law
/// that was added stays where it is and as it is, so that references to it need none.
class Table {
 public:
  void add(SurfaceLawInfo info) {
    const std::lock_guard guard(lock_);
    if (find(info.name)) throw Error(fmt::format("There is a friction law '{}' already. Give yours another name.", info.name));
    laws_.push_back(std::move(info));
  }
  const SurfaceLawInfo& get(std::string_view name) const {
    const std::lock_guard guard(lock_);
    if (const SurfaceLawInfo* info = find(name)) return *info;
    throw Error(fmt::format("There is no friction law '{}'. {}", name, suggest(name, names(laws_))));
  }
  std::vector<std::reference_wrapper<const SurfaceLawInfo>> all() const {
    const std::lock_guard guard(lock_);
    return {laws_.begin(), laws_.end()};
  }

 private:
  const SurfaceLawInfo* find(std::string_view name) const {
    for (const SurfaceLawInfo& info : laws_)
      if (info.name == name) return &info;
    return nullptr;
  }

  static std::deque<SurfaceLawInfo> built_in() {
    const std::vector<SurfaceLawInfo> list = laws::built_in();
    return {list.begin(), list.end()};
  }

  mutable std::mutex lock_;
  std::deque<SurfaceLawInfo> laws_ = built_in();
};

Table& table() {
  static Table laws;
  return laws;
}

void check_value(const SurfaceLawInfo& info, const LawParameter& parameter, double value) {
  if (std::isfinite(value) && value >= parameter.minimum) return;
  throw Error(fmt::format("{}{}{} is not a valid '{}' of friction law '{}'. It must be finite and at least {}.", value,
                          parameter.unit.empty() ? "" : " ", parameter.unit, parameter.name, info.name, parameter.minimum))
      .at(parameter.name);
}

void check_points(const SurfaceLawInfo& info, const std::vector<Vec3>& points) {
  if (!info.takes_points) {
    if (!points.empty())
      throw Error(fmt::format("Friction law '{}' takes no points. Those are for a limit surface.", info.name)).at("points");
    return;
  }
  if (points.empty())
    throw Error(
        fmt::format(
            "Friction law '{}' needs the points of its limit surface: (along, across, torsion) for a normal impulse of 1.",
            info.name))
        .at("points");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      throw Error(fmt::format("({}, {}, {}) is not a point of a limit surface. It must be finite.", points[i].x(),
                              points[i].y(), points[i].z()))
          .at(std::to_string(i))
          .at("points");
}

void check_count(const SurfaceLawInfo& info, const SurfaceLaw& law) {
  if (law.numbers.size() == info.parameters.size()) return;
  throw Error(fmt::format("Friction law '{}' has {} numbers, not {}. Make it with make_surface_law.", law.name,
                          info.parameters.size(), law.numbers.size()));
}

const SurfaceLawInfo& checked(const SurfaceLaw& law) {
  const SurfaceLawInfo& info = surface_law_info(law.name);
  check_count(info, law);
  for (std::size_t i = 0; i < law.numbers.size(); ++i) check_value(info, info.parameters[i], law.numbers[i]);
  check_points(info, law.points);
  if (info.check) info.check(law);
  return info;
}

}   // namespace

std::size_t SurfaceLawInfo::parameter(std::string_view wanted) const {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == wanted) return i;
  throw Error(fmt::format("'{}' is not a parameter of friction law '{}'. {}", wanted, name, suggest(wanted, names(parameters))))
      .at(wanted);
}

std::vector<std::reference_wrapper<const SurfaceLawInfo>> surface_laws() { return table().all(); }

void add_surface_law(SurfaceLawInfo info) {
  if (info.name.empty()) throw Error("A friction law needs a name.");
  if (info.rows < 1 || info.rows > 5)
    throw Error(fmt::format("{} is not a number of friction rows. Law '{}' must have 1 to 5.", info.rows, info.name));
  if (!info.prepare)
    throw Error(fmt::format("Friction law '{}' cannot make sets: its function `prepare` is missing.", info.name));
  table().add(std::move(info));
}

const SurfaceLawInfo& surface_law_info(std::string_view name) { return table().get(name); }

SurfaceLaw make_surface_law(std::string_view name, const std::vector<std::pair<std::string, double>>& given,
                            std::vector<Vec3> points) {
  const SurfaceLawInfo& info = surface_law_info(name);
  SurfaceLaw law{std::string(name), {}, std::move(points)};
  for (const LawParameter& parameter : info.parameters) law.numbers.push_back(parameter.standard);
  std::vector<bool> is_given(info.parameters.size(), false);
  for (const auto& [key, value] : given) {
    const std::size_t index = info.parameter(key);
    if (is_given[index]) throw Error(fmt::format("'{}' of friction law '{}' is given twice.", key, name)).at(key);
    check_value(info, info.parameters[index], value);
    is_given[index] = true;
    law.numbers[index] = value;
  }
  for (std::size_t i = 0; i < law.numbers.size(); ++i)
    if (std::isnan(law.numbers[i])) {
      const LawParameter& missing = info.parameters[i];
      throw Error(fmt::format("Friction law '{}' needs '{}': {}{}.", name, missing.name, missing.help,
                              missing.unit.empty() ? "" : " [" + missing.unit + "]"));
    }
  checked(law);
  return law;
}

void check_surface_law(const SurfaceLaw& law) { checked(law); }

bool acts_over_areas(const SurfaceLaw& law, const Surface& a, const Surface& b) {
  const auto straight = [](const Surface& s) { return std::holds_alternative<FixedStructure>(s.structure); };
  const OverAreas over = surface_law_info(law.name).over_areas;
  return over == OverAreas::yes || (over == OverAreas::where_straight && straight(a) && straight(b));
}

PreparedLaw prepare_surface_law(const SurfaceLaw& law) { return checked(law).prepare(law); }

LocalFriction local_friction(const SurfaceLaw& law, const ContactSite& site) {
  const SurfaceLawInfo& info = surface_law_info(law.name);
  check_count(info, law);
  return info.prepare(law)(site);
}

}   // namespace stickslip
