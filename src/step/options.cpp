#include "stickslip/step/options.h"

#include <fmt/format.h>
#include <bit>

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/error.h"
#include "stickslip/step/integrator.h"

namespace stickslip {

namespace {

const std::array<std::string, 2> kSchemeNames = {"semi-implicit-euler", "moreau-midpoint"};
const std::array<std::string, 4> kGyroscopicNames = {"none", "explicit", "implicit", "conserving"};

template <class Enum, std::size_t N>
Enum from_name(std::string_view name, const std::array<std::string, N>& names, const char* what) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  throw Error(fmt::format("'{}' is not a {}. {}", name, what, suggest(name, names)));
}

void require(bool ok, double value, const char* rule, const char* field) {
  if (!ok) throw Error(fmt::format("{} is out of range. It must be {}.", value, rule)).at(field);
}

void check(const SoftOptions& o) {
  require(o.max_linearisations >= 1 && o.max_linearisations <= 100, o.max_linearisations, "between 1 and 100",
          "max_linearisations");
  if (o.solution == SoftSolution::minimisation && o.max_linearisations == 1)
    throw Error("A minimum is not found by one linearisation. Allow more by max_linearisations, 20 say.").at("solution");
  require(o.max_pieces >= 1 && o.max_pieces <= 256 && std::has_single_bit(static_cast<unsigned>(o.max_pieces)), o.max_pieces,
          "a power of two between 1 and 256", "max_pieces");
}

void check(const PenaltyOptions& p) {
  const auto at_least_0 = [](double value, const char* field) {
    require(std::isfinite(value) && value >= 0, value, "finite and at least 0", field);
  };
  require(p.depth > 0 && p.depth <= 0.1, p.depth, "greater than 0 and at most 0.1", "depth");
  require(p.exponent >= 1 && p.exponent <= 10, p.exponent, "between 1 and 10", "exponent");
  require(p.substeps >= 0 && p.substeps <= 1'000'000, p.substeps, "between 0 and 1000000", "substeps");
  at_least_0(p.stiffness, "stiffness");
  at_least_0(p.damping, "damping");
  at_least_0(p.friction_damping, "friction_damping");
}

void check(const BarrierOptions& b) {
  require(b.range > 0 && b.range <= 0.1, b.range, "greater than 0 and at most 0.1", "range");
  require(std::isfinite(b.stiffness) && b.stiffness > 0, b.stiffness, "finite and greater than 0", "stiffness");
  require(b.slip > 0 && b.slip <= 1, b.slip, "greater than 0 and at most 1", "slip");
  require(b.max_lags >= 1, b.max_lags, "at least 1", "max_lags");
}
void check(const NoStabilisation&) {}
void check(const Baumgarte& s) {
  require(s.error_reduction >= 0 && s.error_reduction <= 1, s.error_reduction, "between 0 and 1", "error_reduction");
  require(std::isfinite(s.compliance) && s.compliance >= 0, s.compliance, "finite and at least 0", "compliance");
}
void check(const SpringDamper& s) {
  require(std::isfinite(s.stiffness) && s.stiffness > 0, s.stiffness, "finite and greater than 0 N/m", "stiffness");
  require(std::isfinite(s.damping) && s.damping >= 0, s.damping, "finite and at least 0 N s/m", "damping");
}

}   // namespace

std::string_view scheme_name(Scheme scheme) { return kSchemeNames[static_cast<std::size_t>(scheme)]; }
std::string_view gyroscopic_name(Gyroscopic g) { return kGyroscopicNames[static_cast<std::size_t>(g)]; }
Scheme scheme_from_name(std::string_view name) { return from_name<Scheme>(name, kSchemeNames, "time-stepping scheme"); }
Gyroscopic gyroscopic_from_name(std::string_view name) {
  return from_name<Gyroscopic>(name, kGyroscopicNames, "treatment of the gyroscopic torque");
}

const std::vector<std::string>& soft_operator_names() {
  static const std::vector<std::string> names{"automatic", "lumped", "assembled", "factored", "partial", "splitting"};
  return names;
}
const std::vector<std::string>& soft_solution_names() {
  static const std::vector<std::string> names{"newton", "minimisation"};
  return names;
}

const std::vector<std::string>& barrier_form_names() {
  static const std::vector<std::string> names{"area", "plain"};
  return names;
}
const std::vector<std::string>& penalty_law_names() {
  static const std::vector<std::string> names{"linear", "exponential", "power", "receding", "layered"};
  return names;
}
const std::vector<std::string>& penalty_friction_names() {
  static const std::vector<std::string> names{"anchored", "damping"};
  return names;
}
const std::vector<std::string>& penalty_stepping_names() {
  static const std::vector<std::string> names{"automatic", "explicit", "implicit"};
  return names;
}

void validate(const StepOptions& o) {
  std::vector<std::string> names;
  for (const IntegratorInfo& info : integrators()) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), o.integrator) == names.end())
    throw Error(fmt::format("There is no integrator '{}'. {}", o.integrator, suggest(o.integrator, names))).at("integrator");
  require(std::isfinite(o.h) && o.h > 0, o.h, "finite and greater than 0 s", "h");
  require(std::isfinite(o.tolerance) && o.tolerance > 0, o.tolerance, "finite and greater than 0", "tolerance");
  require(o.max_iterations >= 1, o.max_iterations, "at least 1", "max_iterations");
  require(o.restitution_threshold >= 0, o.restitution_threshold, "at least 0", "restitution_threshold");
  require(std::isfinite(o.margin) && o.margin >= 0, o.margin, "finite and at least 0", "margin");
  require(std::isfinite(o.contact_band) && o.contact_band >= 0 && o.contact_band <= 0.1, o.contact_band, "between 0 and 0.1",
          "contact_band");
  require(std::isfinite(o.contact_elasticity) && o.contact_elasticity >= 0, o.contact_elasticity, "finite and at least 0",
          "contact_elasticity");
  require(o.overlap > 0 && o.overlap <= 0.5, o.overlap, "greater than 0 and at most 0.5", "overlap");
  require(o.threads >= 1 && o.threads <= 1024, o.threads, "between 1 and 1024", "threads");
  try {
    std::visit([](const auto& s) { check(s); }, o.stabilisation);
  } catch (Error& e) {
    throw e.at("stabilisation");
  }
  try {
    require(o.projection.max_rounds >= 1, o.projection.max_rounds, "at least 1", "max_rounds");
    require(o.projection.iterations >= 1, o.projection.iterations, "at least 1", "iterations");
    require(o.projection.fraction > 0 && o.projection.fraction <= 1, o.projection.fraction, "greater than 0 and at most 1",
            "fraction");
  } catch (Error& e) {
    throw e.at("projection");
  }
  const auto check_part = [](const auto& part, const char* name) {
    try {
      check(part);
    } catch (Error& e) {
      throw e.at(name);
    }
  };
  check_part(o.soft, "soft");
  check_part(o.merit, "merit");
  check_part(o.barrier, "barrier");
  check_part(o.penalty, "penalty");
  try {
    require(o.sleep.time >= 0, o.sleep.time, "at least 0 s", "time");
    require(o.sleep.speed >= 0, o.sleep.speed, "at least 0", "speed");
  } catch (Error& e) {
    throw e.at("sleep");
  }
  try {
    make_solver(o.solver, o.solver_options);
  } catch (Error& e) {
    throw e.at("solver");
  }
}

}   // namespace stickslip
