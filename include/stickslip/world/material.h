// Materials and what happens where two of them touch.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/friction/surface_law.h"
#include "stickslip/world/colour.h"
#include "stickslip/world/contact_form.h"
#include "stickslip/world/ids.h"
#include "stickslip/world/texture.h"

namespace stickslip {

struct Material {
  std::string name;
  double density = 1000;                        ///< [kg/m³], > 0
  double friction = 0.5;                        ///< coefficient of friction μ against itself, ≥ 0
  double restitution = 0;                       ///< Newton's coefficient e against itself, in [0, 1]
  std::shared_ptr<const SurfaceLaw> law = {};   ///< friction law against itself; null: Coulomb's with `friction`
  Surface surface = {};                         ///< what anisotropic laws read, in the frame of the collider
  std::optional<Colour> colour = {};            ///< what parts are shown in that have none of their own
  SharedTexture texture = {};                   ///< the same of pictures; null: none
  double tangential_restitution = 0;            ///< e_T of impacts against itself, in [0, 1]: see SurfacePair
};

/// What a pair of materials does.
struct SurfacePair {
  double friction = 0.5;                          ///< μ ≥ 0
  double restitution = 0;                         ///< e in [0, 1]
  std::shared_ptr<const SurfaceLaw> law = {};     ///< null: Coulomb's with `friction`
  MaterialId fixed_to = {};                       ///< whose surface gives the tangents of a law that is fixed to one of the two
  ContactForm contact = ContactForm::automatic;   ///< goes before what bodies and the step say
  /// e_T in [0, 1]: where friction can, an impact turns the slip v_T into −e_T v_T, as a rubber ball turns back that was thrown
  /// with a spin [course §3.4.1; prox §3.1]
  double tangential_restitution = 0;

  bool rebounds() const { return restitution > 0 || tangential_restitution > 0; }
};

/// How the coefficients of two materials become one, where the pair table is silent.
enum class CombineRule { average, minimum, maximum, multiply, geometric_mean };

std::string_view combine_rule_name(CombineRule);
/// @throws Error with a suggestion for an unknown name.
CombineRule combine_rule_from_name(std::string_view);

class MaterialTable {
 public:
  MaterialTable();   ///< holds the default material, named "default"

  /// @throws Error if a value is out of range or the name is taken.
  MaterialId add(Material);
  /// Replaces the numbers of a material (the default one included). @throws Error if a value is out of range.
  void set(MaterialId, Material);
  const Material& operator[](MaterialId id) const { return materials_[id.index]; }
  std::size_t size() const { return materials_.size(); }

  /// @throws Error with a suggestion for an unknown name.
  MaterialId find(std::string_view name) const;

  /// Fixes friction and restitution of a pair, in either order, whatever the combine rules say. @throws Error if a value is out
  /// of range.
  void set_pair(MaterialId a, MaterialId b, SurfacePair);
  const std::map<std::pair<std::uint32_t, std::uint32_t>, SurfacePair>& pairs() const { return pairs_; }

  CombineRule friction_rule = CombineRule::geometric_mean;
  CombineRule restitution_rule = CombineRule::maximum;   ///< of both kinds

  /// The pair table first. Else coefficients are combined by the rules: of a law and a plain material every coefficient of the
  /// law without a unit with that of the material, of two laws of one name number by number, what is not a coefficient by its
  /// mean.
  /// @throws Error if the materials have laws of different names and the pair table is silent.
  SurfacePair between(MaterialId a, MaterialId b) const;
  /// What the pair table says about contacts of two materials; automatic where it is silent.
  ContactForm contact_between(MaterialId a, MaterialId b) const;
  /// Friction and restitution by the rules, without pair table and laws.
  SurfacePair coefficients_between(MaterialId a, MaterialId b) const;

 private:
  std::vector<Material> materials_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, SurfacePair> pairs_;   ///< key ordered (smaller, larger)
};

}   // namespace stickslip
