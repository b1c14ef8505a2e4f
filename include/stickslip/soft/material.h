// What a soft body is made of: a model of elasticity, its moduli, and damping.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stickslip {

/// How the energy depends on the deformation gradient (energy.h has the formulas, docs/soft.md says what each is good for).
enum class SoftModel : std::uint8_t {
  linear,      ///< small strains: a constant stiffness matrix; rotations of more than a few degrees store false energy
  corotated,   ///< linear in the stretch: any rotation, moderate strains
  st_venant_kirchhoff,   ///< linear in Green's strain: any rotation, gives way under strong compression
  neo_hookean            ///< stable under any deformation, inverted elements included [Smith et al. 2018]
};

struct SoftMaterial {
  SoftModel model = SoftModel::neo_hookean;
  double young = 1e5;             ///< Young's modulus at rest [Pa]
  double poisson = 0.4;           ///< Poisson's ratio at rest
  double density = 1000;          ///< of the rest shape [kg/m³]
  double mass_damping = 0;        ///< Rayleigh's, of the mass: brakes every motion, rigid ones too [1/s]
  double stiffness_damping = 0;   ///< Rayleigh's, of the stiffness: brakes rates of strain [s]
  double viscosity = 0;           ///< brakes rates of strain, whatever the stiffness [Pa s]

  bool operator==(const SoftMaterial&) const = default;
};

/// @throws Error naming field, value and range: Young's modulus 1 … 1e13 Pa, −1 < ν < ½, density > 0, dampings ≥ 0
void validate(const SoftMaterial&);

/// What is allowed but will not behave as one may hope, such as ν near ½, where linear tetrahedra lock; empty if nothing is.
std::string warning(const SoftMaterial&);

std::string_view name(SoftModel);                        ///< "linear", "corotated", "st-venant-kirchhoff", "neo-hookean"
std::optional<SoftModel> soft_model(std::string_view);   ///< by that name

/// Lamé's parameters of small strains.
struct Lame {
  double mu = 0;       ///< E / (2 (1 + ν)) [Pa]
  double lambda = 0;   ///< E ν / ((1 + ν)(1 − 2ν)) [Pa]; negative for ν < 0
};
Lame lame(double young, double poisson);

}   // namespace stickslip
