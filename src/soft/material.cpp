#include "stickslip/soft/material.h"

#include <cmath>

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr std::string_view kSoftModelNames[] = {"linear", "corotated", "st-venant-kirchhoff", "neo-hookean"};

void check_damping(const char* field, double value, const char* unit) {
  if (!(value >= 0) || !std::isfinite(value))
    throw Error(fmt::format("{} is not a damping. It must be finite and at least 0 {}.", value, unit)).at(field);
}

}   // namespace

std::string_view name(SoftModel model) { return kSoftModelNames[static_cast<std::size_t>(model)]; }

std::optional<SoftModel> soft_model(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kSoftModelNames); ++i)
    if (name == kSoftModelNames[i]) return static_cast<SoftModel>(i);
  return std::nullopt;
}

void validate(const SoftMaterial& m) {
  if (!(m.young >= 1 && m.young <= 1e13))
    throw Error(fmt::format("{} Pa is not a Young's modulus. It must lie between 1 and 1e13 Pa: jelly has 1e4, rubber 1e6 to "
                            "1e8, wood 1e10, steel 2e11.",
                            m.young))
        .at("young");
  if (!(m.poisson > -1 && m.poisson < 0.5))
    throw Error(fmt::format("{} is not a Poisson's ratio. It must be greater than -1 and less than 0.5: cork has 0, steel 0.3, "
                            "rubber 0.48.",
                            m.poisson))
        .at("poisson");
  if (!(m.density > 0) || !std::isfinite(m.density))
    throw Error(fmt::format("{} kg/m³ is not a density. It must be finite and greater than 0.", m.density)).at("density");
  check_damping("mass_damping", m.mass_damping, "1/s");
  check_damping("stiffness_damping", m.stiffness_damping, "s");
  check_damping("viscosity", m.viscosity, "Pa s");
}

std::string warning(const SoftMaterial& m) {
  if (m.poisson > 0.49)
    return fmt::format(
        "Poisson's ratio {}: tetrahedra with four nodes lock as it goes to 0.5, bending comes out too stiff and matrices are "
        "ill-conditioned. Up to 0.49 is better.",
        m.poisson);
  return {};
}

Lame lame(double young, double poisson) {
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

}   // namespace stickslip
