#include "stickslip/friction/set_maker.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

/// The numbers as points of this many coordinates. @throws Error if they do not divide.
template <int Rows>
std::vector<Eigen::Matrix<double, Rows, 1>> as_points(std::span<const double> numbers) {
  if (numbers.empty() || numbers.size() % Rows != 0)
    throw Error(
        fmt::format("{} numbers are not points of {} coordinates. The number of numbers must be a positive multiple of {}.",
                    numbers.size(), Rows, Rows));
  std::vector<Eigen::Matrix<double, Rows, 1>> points;
  for (std::size_t i = 0; i < numbers.size(); i += Rows)
    points.emplace_back(Eigen::Map<const Eigen::Matrix<double, Rows, 1>>(&numbers[i]));
  return points;
}

void expect_count(std::span<const double> numbers, std::size_t count, std::string_view meaning) {
  if (numbers.size() != count)
    throw Error(fmt::format("{} numbers do not make this set. It takes {}: {}.", numbers.size(), count, meaning));
}

FrictionSet make_polygon(std::span<const double> p) { return CustomFriction<2>{std::make_shared<PolygonSet>(as_points<2>(p))}; }

FrictionSet make_hull(std::span<const double> p) { return CustomFriction<3>{std::make_shared<HullSet>(as_points<3>(p))}; }

FrictionSet make_tresca(std::span<const double> p) {
  expect_count(p, 1, "bound");
  return CustomFriction<2>{std::make_shared<TrescaSet>(p[0])};
}

FrictionSet make_full(std::span<const double> p) {
  expect_count(p, 4, "mu_t, mu_b, mu_torsion, mu_rolling");
  return CustomFriction<5>{std::make_shared<FullSet>(EllipsoidFriction{p[0], p[1], p[2]}, p[3])};
}

FrictionSet make_patch(std::span<const double> p) {
  return PatchFriction{std::make_shared<PatchSet>(PatchSet::of_parameters(p))};
}

/// All makers. Files are read by several threads, so that every access holds the lock.
struct Makers {
  std::mutex lock;
  std::map<std::string, SetMaker, std::less<>> by_name{
      {"polygon", make_polygon}, {"hull", make_hull}, {"tresca", make_tresca}, {"full", make_full}, {"patch", make_patch}};
};

Makers& makers() {
  static Makers all;
  return all;
}

}   // namespace

void add_set_maker(std::string name, SetMaker maker) {
  if (name.empty()) throw Error("A friction set needs a name that is not empty.");
  if (!maker) throw Error(fmt::format("The maker of the friction set '{}' is empty. Give a function.", name));
  Makers& all = makers();
  const std::lock_guard guard(all.lock);
  if (!all.by_name.emplace(name, std::move(maker)).second)
    throw Error(fmt::format("The name '{}' of a friction set is taken. Choose another.", name));
}

FrictionSet make_set(std::string_view name, std::span<const double> parameters) {
  SetMaker maker;
  {
    Makers& all = makers();
    const std::lock_guard guard(all.lock);
    if (const auto found = all.by_name.find(name); found != all.by_name.end()) maker = found->second;
    else {
      std::vector<std::string> names;
      for (const auto& entry : all.by_name) names.push_back(entry.first);
      throw Error(fmt::format("'{}' is not a friction set. {} A set of one's own needs add_set_maker first.", name,
                              suggest(name, names)));
    }
  }
  // Outside the lock: a maker may itself make sets.
  try {
    return maker(parameters);
  } catch (Error& error) {
    throw error.at(name);
  }
}

}   // namespace stickslip
