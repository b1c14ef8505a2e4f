// Makes custom friction sets by name, so that problem files can hold them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "stickslip/friction/law.h"

namespace stickslip {

/// Makes a set from the numbers that ConvexSet::parameters() gave. @throws Error if they do not fit.
using SetMaker = std::function<FrictionSet(std::span<const double> parameters)>;

/// Lets problem files hold sets of this name. Names known from the start: polygon, hull, tresca, full, patch.
/// @throws Error if the name is taken or empty.
void add_set_maker(std::string name, SetMaker);

/// @throws Error with a suggestion if no maker has the name.
FrictionSet make_set(std::string_view name, std::span<const double> parameters);

}   // namespace stickslip
