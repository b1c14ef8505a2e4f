#include "stickslip/world/material.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

const std::array<std::string, 5> kRuleNames = {"average", "minimum", "maximum", "multiply", "geometric-mean"};

/// Beyond it the forces along and across a contact have no digit in common, and solvers lose both.
constexpr double kMostFriction = 1e6;

void check_friction(double mu) {
  if (!(mu >= 0 && mu <= kMostFriction))
    throw Error(
        fmt::format("{} is not a coefficient of friction. It must be at least 0 and at most {:g}; what never slips has 100.",
                    mu, kMostFriction))
        .at("friction");
}

void check_restitution(double e, const char* key) {
  if (!(e >= 0 && e <= 1))
    throw Error(fmt::format("{} is not a coefficient of restitution. It must be between 0 and 1.", e)).at(key);
}

void check_law(const std::shared_ptr<const SurfaceLaw>& law) {
  if (!law) return;
  try {
    check_surface_law(*law);
  } catch (Error& error) {
    throw error.at("friction");
  }
}

void check(const Material& m) {
  if (m.name.empty()) throw Error("A material needs a name.").at("name");
  if (!(std::isfinite(m.density) && m.density > 0))
    throw Error(fmt::format("{} is not a density. It must be finite and greater than 0 kg/m³.", m.density)).at("density");
  check_friction(m.friction);
  check_restitution(m.restitution, "restitution");
  check_restitution(m.tangential_restitution, "tangential_restitution");
  check_law(m.law);
  check_surface(m.surface);
  if (m.texture) validate(*m.texture);
}

double combine(CombineRule rule, double a, double b) {
  switch (rule) {
    case CombineRule::average:
      return 0.5 * (a + b);
    case CombineRule::minimum:
      return std::min(a, b);
    case CombineRule::maximum:
      return std::max(a, b);
    case CombineRule::multiply:
      return a * b;
    case CombineRule::geometric_mean:
      return std::sqrt(a * b);
  }
  return 0;
}

}   // namespace

std::string_view combine_rule_name(CombineRule rule) { return kRuleNames[static_cast<std::size_t>(rule)]; }

CombineRule combine_rule_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kRuleNames.size(); ++i)
    if (kRuleNames[i] == name) return static_cast<CombineRule>(i);
  throw Error(fmt::format("'{}' is not a combine rule. {}", name, suggest(name, kRuleNames)));
}

MaterialTable::MaterialTable() { materials_.emplace_back().name = "default"; }

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
  check_restitution(pair.restitution, "restitution");
  check_restitution(pair.tangential_restitution, "tangential_restitution");
  check_law(pair.law);
  if (pair.fixed_to != a && pair.fixed_to != b) pair.fixed_to = a;
  pairs_[std::minmax(a.index, b.index)] = pair;
}

SurfacePair MaterialTable::coefficients_between(MaterialId a, MaterialId b) const {
  const Material &ma = materials_[a.index], &mb = materials_[b.index];
  return {combine(friction_rule, ma.friction, mb.friction),
          combine(restitution_rule, ma.restitution, mb.restitution),
          nullptr,
          a,
          ContactForm::automatic,
          combine(restitution_rule, ma.tangential_restitution, mb.tangential_restitution)};
}

ContactForm MaterialTable::contact_between(MaterialId a, MaterialId b) const {
  if (pairs_.empty()) return ContactForm::automatic;
  const auto found = pairs_.find(std::minmax(a.index, b.index));
  return found == pairs_.end() ? ContactForm::automatic : found->second.contact;
}

SurfacePair MaterialTable::between(MaterialId a, MaterialId b) const {
  if (!pairs_.empty())
    if (const auto found = pairs_.find(std::minmax(a.index, b.index)); found != pairs_.end()) return found->second;
  const Material &ma = materials_[a.index], &mb = materials_[b.index];
  SurfacePair pair = coefficients_between(a, b);
  if (!ma.law && !mb.law) return pair;
  if (ma.law && mb.law && ma.law->name != mb.law->name)
    throw Error(
        fmt::format("The materials '{}' and '{}' have the friction laws '{}' and '{}', which do not combine. Give their pair a "
                    "law of its own.",
                    ma.name, mb.name, ma.law->name, mb.law->name));
  pair.fixed_to = ma.law && mb.law ? MaterialId{std::min(a.index, b.index)} : ma.law ? a : b;
  if (a == b || (ma.law && mb.law && *ma.law == *mb.law)) {
    pair.law = ma.law;
    return pair;
  }
  const Material &with = ma.law ? ma : mb, &other = ma.law ? mb : ma;
  auto law = std::make_shared<SurfaceLaw>(*with.law);
  const std::vector<LawParameter>& parameters = surface_law_info(law->name).parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    double& number = law->numbers[i];
    if (parameters[i].coefficient && other.law) number = combine(friction_rule, number, other.law->numbers[i]);
    else if (parameters[i].coefficient && parameters[i].unit.empty()) number = combine(friction_rule, number, other.friction);
    else if (other.law) number = 0.5 * (number + other.law->numbers[i]);
  }
  pair.law = std::move(law);
  return pair;
}

}   // namespace stickslip
