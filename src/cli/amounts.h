// Numbers and files that users give: what cannot be meant is refused before anything is simulated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stickslip::cli {

/// A whole number of steps, in decimal digits. @throws Error naming the option for anything else: a sign, a fraction, an
/// exponent, a leading zero (which other programs take for octal), or more steps than can ever be simulated
std::uint64_t count_of_steps(std::string_view option, const std::string& text);

/// @returns the seconds. @throws Error naming the option unless they are finite and not negative
double checked_seconds(std::string_view option, double seconds);

/// Steps that cover a time; a part of a step counts as one unless it is rounding error. @throws Error if they are too many
std::uint64_t steps_for(double seconds, double h);

/// @throws Error if a file of this name cannot be written. Leaves one that is there as it is; what killed
/// programs have left of writing it is removed
void check_writable(const std::string& file);

}   // namespace stickslip::cli
