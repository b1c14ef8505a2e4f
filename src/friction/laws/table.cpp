// The table of surface laws.
#include "friction/laws/laws.h"

#include <cmath>
#include <limits>

#include "stickslip/math/error.h"

#include <fmt/format.h>

namespace stickslip::laws {

// Each in the file of its family.
SurfaceLawInfo coulomb();
SurfaceLawInfo ellipse();
SurfaceLawInfo contensou();
SurfaceLawInfo rolling();
SurfaceLawInfo full();
SurfaceLawInfo box();
SurfaceLawInfo polyhedral();
SurfaceLawInfo limit_surface();
SurfaceLawInfo tresca();
SurfaceLawInfo static_kinetic();
SurfaceLawInfo stribeck();
SurfaceLawInfo matchstick();
SurfaceLawInfo tensor();
SurfaceLawInfo texture();

std::vector<SurfaceLawInfo> built_in() {
  return {coulomb(),       ellipse(), contensou(),      rolling(),  full(),       box(),    polyhedral(),
          limit_surface(), tresca(),  static_kinetic(), stribeck(), matchstick(), tensor(), texture()};
}

LawParameter coefficient(std::string name, std::string help) {
  return {std::move(name), "", std::move(help), std::numeric_limits<double>::quiet_NaN(), 0, true};
}
LawParameter length_coefficient(std::string name, std::string help) {
  return {std::move(name), "m", std::move(help), std::numeric_limits<double>::quiet_NaN(), 0, true};
}

Vec3 tangent_of_owner(const ContactSite& site) {
  const Vec3 direction = site.material_direction();
  return site.frame_of_b ? Vec3(-direction) : direction;
}

PreparedLaw same_everywhere(FrictionSet set) {
  return [set = std::move(set)](const ContactSite&) { return LocalFriction{Vec3::Zero(), set}; };
}
PreparedLaw along_structure(FrictionSet set) {
  return [set = std::move(set)](const ContactSite& site) { return LocalFriction{site.material_direction(), set}; };
}

FrictionSet SetByLength::at(double length) {
  constexpr std::size_t kMost = 1000;   // bodies of ever new sizes must not fill the memory
  const std::lock_guard lock(mutex_);
  if (made_.size() > kMost) made_.clear();
  auto found = made_.find(length);
  if (found == made_.end()) found = made_.emplace(length, make_(length)).first;
  return found->second;
}

void check_whole(const SurfaceLaw& law, std::size_t index, std::string_view name, int least, int most) {
  const double value = law.numbers[index];
  if (value >= least && value <= most && value == std::floor(value)) return;
  throw Error(fmt::format("{} is not a valid '{}'. It must be a whole number from {} to {}.", value, name, least, most))
      .at(name);
}

void check_positive(const SurfaceLaw& law, std::size_t index, std::string_view name) {
  if (law.numbers[index] > 0) return;
  throw Error(fmt::format("{} is not a valid '{}'. It must be greater than 0.", law.numbers[index], name)).at(name);
}

}   // namespace stickslip::laws
