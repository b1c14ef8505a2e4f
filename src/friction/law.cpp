#include "stickslip/friction/law.h"

namespace stickslip {
namespace {

std::string_view name_of(const CircularFriction&) { return "circle"; }
std::string_view name_of(const PlanarFriction&) { return "plane"; }
std::string_view name_of(const EllipseFriction&) { return "ellipse"; }
std::string_view name_of(const EllipsoidFriction&) { return "ellipsoid"; }
std::string_view name_of(const RollingFriction&) { return "rolling"; }
std::string_view name_of(const PatchFriction& law) { return law.set->name(); }
template <int Rows>
std::string_view name_of(const CustomFriction<Rows>& law) {
  return law.set->name();
}

}   // namespace

int law_rows(const FrictionSet& law) {
  return std::visit([](const auto& l) { return std::decay_t<decltype(l)>::rows; }, law);
}

std::string_view law_name(const FrictionSet& law) {
  return std::visit([](const auto& l) { return name_of(l); }, law);
}

}   // namespace stickslip
