// What a step says about its own motion. The residual certifies the solve; a solve can be exact and the motion wrong all the
// same, because the step is too long, an impact law gives energy away, or bodies started inside each other. Every step
// therefore judges what came of it, with measures that do not depend on the size of the scene, and names what a person should
// know (docs/motion.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "stickslip/world/ids.h"

namespace stickslip {

class World;

enum class MotionKind : std::uint8_t {
  energy_created,   ///< in one step, by nothing that gives energy; value: part of the energy of the scene, amount [J]
  rebound_missed,   ///< impacts that arose within a step and so had no rebound; value: the energy lost as part of the scene's,
                    ///< amount [J]
  deep_overlap,     ///< value: depth over the thickness of the thinner body, beyond the contact band; amount: depth [m]
  joint_open,       ///< value: error over the size of the bodies; amount: error [m]
  fast_spin,        ///< value: turn within the step [rad]; amount: angular speed [rad/s]
  jam,   ///< Painlevé's paradox; value: speed that the contact gave over that of a fall of one step; amount: impulse [N s]
  unstable,   ///< substeps of the penalty integrator are too long for its springs; value: over the longest stable one;
              ///< amount: that one [s]
  // Over many steps, each of them fine: known to a MotionWatch only.
  energy_drift,    ///< value and amount as energy_created
  momentum_lost,   ///< where nothing acts from outside; value: change over the momenta of the bodies without their signs;
                   ///< amount: change of the angular momentum [kg m²/s]
  creep,           ///< of bodies whose contacts stick; value: way over the thickness of the thinner body;
                   ///< amount: way beyond the slip reported [m]
};
inline constexpr std::size_t kMotionKinds = 10;
inline constexpr std::size_t kStepMotionKinds = 7;   ///< those that one step can tell
std::string_view motion_kind_name(MotionKind);       ///< "energy-created"

/// Where energy came from.
enum class EnergySource : std::uint8_t { stabilisation, integration, impact_law, friction };
inline constexpr std::size_t kEnergySources = 4;
std::string_view energy_source_name(EnergySource);   ///< "impact law"

/// The worst of its kind in a step.
struct MotionFinding {
  MotionKind kind = MotionKind::energy_created;
  EnergySource source = EnergySource::integration;   ///< the largest, where the kind is about energy
  BodyId body_a = {}, body_b = {};                   ///< of the contact, or the one body in body_a; may be none
  JointId joint = {};                                ///< joint_open only
  double value = 0, limit = 0;                       ///< as the kind says; value > limit
  double amount = 0;                                 ///< the same with its unit
};

/// The measures of a step, whether beyond their limits or not.
struct MotionMeasures {
  std::array<double, kStepMotionKinds> value = {};          ///< largest, by MotionKind
  std::array<double, kEnergySources> energy_created = {};   ///< by EnergySource, negative: lost; friction only what it gave [J]
  double energy_scale = 0;   ///< kinetic energy and work of the step, and what lifts every body by its size [J]

  double operator[](MotionKind kind) const { return value[static_cast<std::size_t>(kind)]; }
};

/// "'rod' and 'ground'", "joint 'hip'", or nothing.
std::string where(const MotionFinding&, const World&);
/// What is wrong and how much: "2.2 m open, 13 times the size of its bodies".
std::string what(const MotionFinding&);
/// What to do about it. @param h the step that it happened with [s]
std::string remedy(const MotionFinding&, double h);

}   // namespace stickslip
