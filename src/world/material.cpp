#include "stickslip/world/material.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

const std::array<std::string, 5> kRuleNames = {"average", "minimum", "maximum", "multiply", "geometric-mean"};

void check_friction(double mu) {
  if (!(std::isfinite(mu) && mu >= 0))
    throw Error(fmt::format("{} is not a coefficient of friction. It must be finite and at least 0.", mu)).at("friction");
}

void check_restitution(double e) {
  if (!(e >= 0 && e <= 1))
    throw Error(fmt::format("{} is not a coefficient of restitution. It must be between 0 and 1.", e)).at("restitution");
}

void check(const Material& m) {
  if (m.name.empty()) throw Error("A material needs a name.").at("name");
  if (!(std::isfinite(m.density) && m.density > 0))
    throw Error(fmt::format("{} is not a density. It must be finite and greater than 0 kg/m³.", m.density)).at("density");
  check_friction(m.friction);
  check_restitution(m.restitution);
}

double combine(CombineRule rule, double a, double b) {
  switch (rule) {
    case CombineRule::average: return 0.5 * (a + b);
    case CombineRule::minimum: return std::min(a, b);
    case CombineRule::maximum: return std::max(a, b);
    case CombineRule::multiply: return a * b;
    case CombineRule::geometric_mean: return std::sqrt(a * b);
  }
  return 0;
}

}  // namespace

std::string_view combine_rule_name(CombineRule rule) { return kRuleNames[static_cast<std::size_t>(rule)]; }

CombineRule combine_rule_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kRuleNames.size(); ++i)
    if (kRuleNames[i] == name) return static_cast<CombineRule>(i);
  throw Error(fmt::format("'{}' is not a combine rule. {}", name, suggest(name, kRuleNames)));
}

MaterialTable::MaterialTable() { materials_.push_back({.name = "default"}); }

MaterialId MaterialTable::add(Material material) {
  check(material);
  for (const Material& m : materials_)
    if (m.name == material.name)
      throw Error(fmt::format("There is already a material '{}'. Material names must differ.", material.name)).at("name");
  materials_.push_back(std::move(material));
  return {static_cast<std::uint32_t>(materials_.size() - 1)};
}

void MaterialTable::set(MaterialId id, Material material) {
  check(material);
  materials_.at(id.index) = std::move(material);
}

MaterialId MaterialTable::find(std::string_view name) const {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < materials_.size(); ++i) {
    if (materials_[i].name == name) return {i};
    names.push_back(materials_[i].name);
  }
  throw Error(fmt::format("There is no material '{}'. {}", name, suggest(name, names)));
}

void MaterialTable::set_pair(MaterialId a, MaterialId b, SurfacePair pair) {
  check_friction(pair.friction);
  check_restitution(pair.restitution);
  pairs_[std::minmax(a.index, b.index)] = pair;
}

SurfacePair MaterialTable::between(MaterialId a, MaterialId b) const {
  if (!pairs_.empty())
    if (const auto found = pairs_.find(std::minmax(a.index, b.index)); found != pairs_.end()) return found->second;
  const Material &ma = materials_[a.index], &mb = materials_[b.index];
  return {combine(friction_rule, ma.friction, mb.friction), combine(restitution_rule, ma.restitution, mb.restitution)};
}

}  // namespace stickslip
