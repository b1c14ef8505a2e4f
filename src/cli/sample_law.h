// Laws with example numbers at an example contact: what lists, snippets and pictures of laws look at.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stickslip/friction/surface_law.h"

namespace stickslip::cli {

/// A law by its name, or by that of the set it makes ("ellipsoid" for
/// contensou). @throws Error with a suggestion for an unknown name
const SurfaceLawInfo& find_law(std::string_view name);

/// A law with the numbers given, and example numbers where a parameter has no default. @throws Error as make_surface_law does
SurfaceLaw example_law(const SurfaceLawInfo&, const std::vector<std::pair<std::string, double>>& given = {},
                       std::vector<Vec3> points = {});

/// Two surfaces that touch: normal z, A's structure along x, no slip.
struct ExampleContact {
  /// of the bodies [m]: torsion and rolling rows are impulses of angular momentum over it
  double length = 0.1;
  Surface a, b;

  /// @param law what it reads of surfaces the two then have: tensors, normal maps
  explicit ExampleContact(const SurfaceLaw& law, double size = 0.1);

  /// @param turn angle of B's structure against A's [rad]
  ContactSite site(double turn = 0, const Vec3& slip = Vec3::Zero()) const;
};

/// The set that a law makes at its example contact, at rest.
LocalFriction example_set(const SurfaceLaw&);

}   // namespace stickslip::cli
