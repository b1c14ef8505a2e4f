// What a finding says to a person.
#include "stickslip/step/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stickslip/world/world.h"

namespace stickslip {

namespace {

constexpr std::array<std::string_view, kMotionKinds> kKindNames = {
    "energy-created", "rebound-missed", "deep-overlap",  "joint-open", "fast-spin", "jam",
    "unstable",       "energy-drift",   "momentum-lost", "creep"};
constexpr std::array<std::string_view, kEnergySources> kSourceNames = {"stabilisation", "integration", "impact law",
                                                                       "friction"};

std::string body_name(const World& world, BodyId id) {
  return world.contains(id) ? fmt::format("'{}'", world.body(id).name) : fmt::format("'body-{}'", id.index);
}

/// "2.7 % of", "190 % of", or "13 times" where that reads better.
std::string part(double value) {
  if (value >= 10) return fmt::format("{:.0f} times", value);
  return value >= 0.1 ? fmt::format("{:.0f} % of", 100 * value) : fmt::format("{:.2g} % of", 100 * value);
}

std::string remedy_of_energy(EnergySource source, double h) {
  switch (source) {
    case EnergySource::stabilisation:
      return fmt::format("Take a smaller step (--set /step/h={:.2g}), or pull less (/step/stabilisation/error_reduction).",
                         h / 2);
    case EnergySource::impact_law:
      return "Newton's law of impact can give energy where there is friction: lower restitution or friction.";
    case EnergySource::integration:
    case EnergySource::friction:
      break;
  }
  return fmt::format("Take a smaller step (--set /step/h={:.2g}).", h / 2);
}

}   // namespace

std::string_view motion_kind_name(MotionKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }
std::string_view energy_source_name(EnergySource source) { return kSourceNames[static_cast<std::size_t>(source)]; }

std::string where(const MotionFinding& f, const World& world) {
  if (f.joint != JointId{})
    return world.contains(f.joint) ? fmt::format("joint '{}'", world.joint(f.joint).description.name)
                                   : fmt::format("joint-{}", f.joint.index);
  if (f.body_a == BodyId{}) return "";
  if (f.body_b == BodyId{}) return body_name(world, f.body_a);
  const std::string other = f.body_b == f.body_a ? "itself" : body_name(world, f.body_b);
  return fmt::format("{} and {}", body_name(world, f.body_a), other);
}

std::string what(const MotionFinding& f) {
  switch (f.kind) {
    case MotionKind::energy_created:
      return fmt::format("{} gave {:.3g} J in one step, {} the energy of the scene", energy_source_name(f.source), f.amount,
                         part(f.value));
    case MotionKind::energy_drift:
      return fmt::format("{} gave {:.3g} J little by little, {} the energy of the scene", energy_source_name(f.source),
                         f.amount, part(f.value));
    case MotionKind::momentum_lost:
      return fmt::format(
          "momentum changed by {} what the bodies have although nothing acts from outside (angular: {:.3g} kg m²/s)",
          part(f.value), f.amount);
    case MotionKind::creep:
      return fmt::format("moved by {:.3g} m along each other while their contacts stick, {} the thickness of the thinner",
                         f.amount, part(f.value));
    case MotionKind::rebound_missed:
      return fmt::format("impacts passed on within one step do not rebound, which took {:.3g} J, {} the energy of the scene",
                         f.amount, part(f.value));
    case MotionKind::deep_overlap:
      return fmt::format("{:.3g} m inside each other, {} the thickness of the thinner", f.amount, part(f.value));
    case MotionKind::joint_open:
      return fmt::format("{:.3g} m open, {} the size of its bodies", f.amount, part(f.value));
    case MotionKind::fast_spin:
      return fmt::format("turns by {:.3g} rad in one step ({:.3g} rad/s)", f.value, f.amount);
    case MotionKind::jam:
      return fmt::format(
          "sliding stopped at once although nothing was struck (Painlevé's paradox), by {:.3g} N s, {:.2g} times what weight "
          "explains",
          f.amount, f.value);
    case MotionKind::unstable:
      return fmt::format("substeps are {:.2g} times as long as springs of contacts can bear ({:.2g} s)", f.value, f.amount);
  }
  return "";
}

std::string remedy(const MotionFinding& f, double h) {
  switch (f.kind) {
    case MotionKind::energy_created:
    case MotionKind::energy_drift:
      return remedy_of_energy(f.source, h);
    case MotionKind::momentum_lost:
    case MotionKind::creep:
      return fmt::format("Take a smaller step (--set /step/h={:.2g}).", h / 2);
    case MotionKind::rebound_missed:
      return fmt::format("Take steps that part the impacts (--set /step/h={:.2g}), or wider gaps.", h / 10);
    case MotionKind::deep_overlap:
      return fmt::format(
          "Take a smaller step (--set /step/h={:.2g}), slower or thicker bodies, or a smaller /step/penalty/depth where "
          "springs "
          "hold them apart; `stickslip validate` shows overlaps at the start.",
          h / 2);
    case MotionKind::joint_open:
      return fmt::format(
          "Take a smaller step (--set /step/h={:.2g}), masses of like size, or joints that do not contradict each other.",
          h / 2);
    case MotionKind::fast_spin:
      return fmt::format("Take a step of {:.2g} s or less (--set /step/h={:.2g}).", 0.5 * h / f.value, 0.5 * h / f.value);
    case MotionKind::jam:
      return "Rigid bodies have no other answer here: lower the friction, or give the contact compliance "
             "(/step/stabilisation).";
    case MotionKind::unstable:
      return fmt::format(
          "Let the integrator choose (/step/penalty/substeps=0), take {:.0f} or more, or implicit steps "
          "(/step/penalty/stepping=implicit).",
          std::ceil(h / f.amount));
  }
  return "";
}

}   // namespace stickslip
