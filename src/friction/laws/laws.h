// What the files of this folder share: the built-in surface laws, one function each, joined by table.cpp.
#pragma once

#include <map>
#include <mutex>

#include "stickslip/friction/surface_law.h"

namespace stickslip::laws {

/// All of them, in the order in which they are listed.
std::vector<SurfaceLawInfo> built_in();

/// A coefficient of friction, which must be given.
LawParameter coefficient(std::string name, std::string help);
/// A coefficient with the unit of a length, which must be given.
LawParameter length_coefficient(std::string name, std::string help);

/// Tangent for sets that are not their own mirror image. Such a set is meant for the impulse on the body that slides over the
/// surface to which the law is fixed, in the frame (structure s, outward normal × s, outward normal) of that surface: then it
/// does not matter which body is called A. Where the surface is A's, that is the frame of the contact. Where it is B's, the
/// impulse of the contact is the opposite one and the outward normal is −n; with the tangent −s the first and the third
/// component stay as they are and the second changes its sign.
Vec3 tangent_of_owner(const ContactSite&);

/// The same set at every contact, in whatever tangents.
PreparedLaw same_everywhere(FrictionSet set);
/// The same set at every contact, along the structure of the surface that the law is fixed to.
PreparedLaw along_structure(FrictionSet set);

/// Sets that depend on the length by which torsion and rolling rows are scaled, each made once. Threads may share it.
class SetByLength {
 public:
  explicit SetByLength(std::function<FrictionSet(double length)> make) : make_(std::move(make)) {}
  FrictionSet at(double length);

 private:
  std::function<FrictionSet(double)> make_;
  std::mutex mutex_;
  std::map<double, FrictionSet> made_;
};

/// @throws Error at the parameter unless it is a whole number from least to most.
void check_whole(const SurfaceLaw&, std::size_t index, std::string_view name, int least, int most);
/// @throws Error at the parameter unless it is greater than 0.
void check_positive(const SurfaceLaw&, std::size_t index, std::string_view name);

}   // namespace stickslip::laws
