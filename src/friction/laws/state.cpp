// Laws that look at the state of the contact at the start of the step: touching or not, at rest or sliding. The speed is that
// before the step, so within one step the set does not change and every solver can take it.
#include "friction/laws/laws.h"

#include <cmath>
#include <limits>

#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"

#include <fmt/format.h>

namespace stickslip::laws {

namespace {

void check_static_above_kinetic(const SurfaceLaw& law) {
  const double at_rest = law.numbers[0], sliding = law.numbers[1];
  if (at_rest >= sliding) return;
  throw Error(fmt::format("{} is less than the coefficient of kinetic friction, {}. A body at rest must be held at least as "
                          "fast as one that slides.",
                          at_rest, sliding))
      .at("static");
}

}   // namespace

SurfaceLawInfo static_kinetic() {
  SurfaceLawInfo info;
  info.name = "static-kinetic";
  info.over_areas = OverAreas::yes;
  info.summary = "Coulomb friction with one coefficient at rest and another, lower one while sliding";
  info.source = "course §1.5.1";
  info.parameters = {coefficient("static", "coefficient up to the threshold"),
                     coefficient("kinetic", "coefficient beyond it"),
                     {"velocity", "m/s", "threshold: a contact that slips no faster counts as at rest", 1e-3, 0, false}};
  info.check = check_static_above_kinetic;
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    return [at_rest = law.numbers[0], sliding = law.numbers[1], threshold = law.numbers[2]](const ContactSite& site) {
      return LocalFriction{Vec3::Zero(), CircularFriction{site.slip.norm() > threshold ? sliding : at_rest}};
    };
  };
  return info;
}

SurfaceLawInfo stribeck() {
  SurfaceLawInfo info;
  info.name = "stribeck";
  info.over_areas = OverAreas::yes;
  info.summary = "Coulomb friction that falls smoothly with speed: μ(v) = μₖ + (μₛ − μₖ) exp(−(v/vₛ)^δ)";
  info.source = "course §1.5.1; Armstrong-Hélouvry, Dupont, Canudas de Wit, Automatica 30 (1994) 1083";
  info.parameters = {coefficient("static", "coefficient μₛ at rest"),
                     coefficient("kinetic", "coefficient μₖ far beyond the velocity"),
                     {"velocity", "m/s", "Stribeck velocity vₛ", std::numeric_limits<double>::quiet_NaN(), 0, false},
                     {"exponent", "", "exponent δ: 1 is an exponential, 2 a Gaussian", 2, 0, false}};
  info.check = [](const SurfaceLaw& law) {
    check_static_above_kinetic(law);
    check_positive(law, 2, "velocity");
    check_positive(law, 3, "exponent");
  };
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    return [at_rest = law.numbers[0], sliding = law.numbers[1], velocity = law.numbers[2],
            exponent = law.numbers[3]](const ContactSite& site) {
      const double fall = std::exp(-std::pow(site.slip.norm() / velocity, exponent));
      return LocalFriction{Vec3::Zero(), CircularFriction{sliding + (at_rest - sliding) * fall}};
    };
  };
  return info;
}

// The bound does not ask for a normal impulse, so the law must say itself that bodies apart do not rub: contacts are also
// reported where a pair might close within the step. Touching is a gap of at most `slack`, which is small against the fall |g|
// h² of one step but large against what solvers leave of the gap of a resting contact.
// A body that arrives within the step rubs from the next one on.
SurfaceLawInfo tresca() {
  SurfaceLawInfo info;
  info.name = "tresca";
  info.summary = "A constant bound on the friction force where the bodies touch, whatever the normal force";
  info.source = "course §1.5.1";
  info.parameters = {
      {"force", "N", "largest friction force of a contact point", std::numeric_limits<double>::quiet_NaN(), 0, false}};
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    return [force = law.numbers[0]](const ContactSite& site) {
      const double bound = site.gap <= site.slack ? force * site.h : 0;
      return LocalFriction{Vec3::Zero(), CustomFriction<2>{std::make_shared<TrescaSet>(bound)}};
    };
  };
  return info;
}

}   // namespace stickslip::laws
