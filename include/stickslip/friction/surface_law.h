// Friction as scenes and materials state it: a law by name with its numbers, which turns the state of a contact into a friction
// set and the tangents that the set is aligned with.
//
// A law of one's own: fill a SurfaceLawInfo and add it with add_surface_law. Scenes, schema, checkpoints and `stickslip laws`
// then know it like the built-in ones.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/friction/law.h"
#include "stickslip/friction/surface.h"

namespace stickslip {

/// A contact as a law sees it, at the start of the step.
struct ContactSite {
  Vec3 position = Vec3::Zero();   ///< world frame [m]
  Vec3 normal = Vec3::UnitZ();    ///< unit, from A to B
  Vec3 slip = Vec3::Zero();       ///< tangential velocity of B against A before the step, world frame [m/s]
  double gap = 0;                 ///< [m]; negative where the bodies overlap
  double h = 0;                   ///< step [s]
  double length = 1;              ///< torsion and rolling rows are impulses of angular momentum over this length:
                                  ///< coefficients in metres are to be divided by it [m]
  double slack = 0;               ///< gap up to which the bodies count as touching [m], a small part of |g| h²
  SurfaceSide a, b;
  bool frame_of_b = false;   ///< whether the law is fixed to B's surface rather than A's

  /// Structure direction of the surface that the law is fixed to.
  Vec3 material_direction() const {
    return frame_of_b ? b.structure_direction(position, -normal) : a.structure_direction(position, normal);
  }
};

/// What a law makes of a site.
struct LocalFriction {
  Vec3 tangent = Vec3::Zero();   ///< unit vector t of the contact frame, b = normal × t; zero: the set does not care
  FrictionSet set;
};

/// A law made ready for many contacts: its numbers read, its shared sets built. Threads may share it.
using PreparedLaw = std::function<LocalFriction(const ContactSite&)>;

/// A law with its numbers.
struct SurfaceLaw {
  std::string name = "coulomb";
  std::vector<double> numbers;   ///< one per parameter of its SurfaceLawInfo
  std::vector<Vec3> points;      ///< of a limit surface
  bool operator==(const SurfaceLaw&) const = default;
};

struct LawParameter {
  std::string name;   ///< as in scene files
  std::string unit;   ///< "" if dimensionless
  std::string help;
  double standard = 0;        ///< value if none is given; NaN: it must be given
  double minimum = 0;         ///< the least allowed value
  bool coefficient = false;   ///< whether combine rules act on it as on a coefficient of friction
};

/// Where a law is that of a whole area of contact (docs/patches.md), too, and not of points only. An area can take discs,
/// ellipses and ellipsoids, alone or beside a disc of rolling, and has one law: that of its middle.
enum class OverAreas {
  no,
  where_straight,   ///< where no structure turns within an area: those of both surfaces are fixed directions
  yes
};

struct SurfaceLawInfo {
  std::string name, summary;
  std::string source;   ///< where it is described
  int rows = 2;         ///< friction rows of the sets it makes
  std::vector<LawParameter> parameters;
  bool takes_points = false;   ///< a limit surface
  /// Reads numbers that `check` has passed; what it returns must not refer to the SurfaceLaw, which may be gone by then.
  std::function<PreparedLaw(const SurfaceLaw&)> prepare;
  /// Further conditions on the numbers. @throws Error. May be empty.
  std::function<void(const SurfaceLaw&)> check;
  /// A sentence if the law is used with surfaces for which it does something that
  /// its user should know; empty otherwise. May be empty.
  std::function<std::string(const SurfaceLaw&, const Surface& a, const Surface& b)> warn;
  OverAreas over_areas = OverAreas::no;

  /// @throws Error with a suggestion for an unknown name.
  std::size_t parameter(std::string_view name) const;
};

/// All laws, in the order in which they were added.
std::vector<std::reference_wrapper<const SurfaceLawInfo>> surface_laws();
/// Adds a law, before scenes and worlds use it; other threads may read laws meanwhile. @throws Error if the name is empty or
/// taken, rows are not 1…5, or `prepare` is missing.
void add_surface_law(SurfaceLawInfo);
/// Valid for ever: laws are never removed or changed. @throws Error with a suggestion for an unknown name.
const SurfaceLawInfo& surface_law_info(std::string_view name);

/// A law with standard numbers where `given` (name, value) does not say otherwise. @throws Error for an unknown or missing
/// parameter or a value out of range, naming it.
SurfaceLaw make_surface_law(std::string_view name, const std::vector<std::pair<std::string, double>>& given,
                            std::vector<Vec3> points = {});
/// @throws Error if the law does not exist or its numbers are out of range.
void check_surface_law(const SurfaceLaw&);

/// Whether areas where these two surfaces touch have the law; else their contacts stay points.
/// @throws Error if it does not exist
bool acts_over_areas(const SurfaceLaw&, const Surface& a, const Surface& b);

/// Once for a law, before its contacts are visited. @throws Error as check_surface_law does
PreparedLaw prepare_surface_law(const SurfaceLaw&);
/// The set that a law makes at one contact; where there are many, prepare the law. @throws Error if the law does not exist
LocalFriction local_friction(const SurfaceLaw&, const ContactSite&);

/// A coefficient of friction from the literature.
struct PublishedFriction {
  std::string name;               ///< for example "steel-on-steel"
  double mu_static, mu_kinetic;   ///< NaN where not published
  std::string source;
};
const std::vector<PublishedFriction>& published_friction();
/// The static–kinetic law with the published numbers; Coulomb's if only one is
/// known. @throws Error with a suggestion for an unknown name.
SurfaceLaw published_law(std::string_view name);

}   // namespace stickslip
