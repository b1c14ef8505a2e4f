// The document of a scene while somebody edits the scene that runs: it stays one that makes the scene as it was edited.
#pragma once

#include <filesystem>
#include <functional>

#include "scene/json.h"
#include "stickslip/scene/scene.h"

namespace stickslip::document {

/// Numbers of a material or pair that somebody changes; what is empty stays.
struct Coefficients {
  std::optional<double> friction, restitution, tangential_restitution;

  bool empty() const { return !friction && !restitution && !tangential_restitution; }
};

class EditedDocument {
 public:
  /// @throws Error if the scene has no document, or one that does not make its bodies and joints
  explicit EditedDocument(const Scene&);

  void set_gravity(const Vec3&);
  void set_step(double h, const std::string& solver, const std::string& solver_at_start);
  /// A friction law becomes Coulomb's with the coefficient.
  void set_material(const std::string& name, const Coefficients&);
  /// @pre the pair stands in the pair table
  void set_pair(const std::string& a, const std::string& b, const Coefficients&);
  /// What a coordinate of a joint does: bounds, speed of its motor, target of its servo.
  void set_joint(const std::string& name, int coordinate, const JointAxis&);

  void move_body(const std::string& name, const Vec3& by);   ///< [m]
  void set_velocity(const std::string& name, const Vec3&);   ///< [m/s]
  /// @param factor of mass and inertia @param mass after it [kg]
  void scale_mass(const std::string& name, double factor, double mass);
  /// Where all bodies are now, and how they move: the document starts there. Broken joints are left out.
  /// @throws Error if something of it depends on time or is made of nodes, which a document cannot tell
  void set_state(const World&);
  /// With its joints, gears that couple these, and pins of soft bodies on it.
  void remove_body(const std::string& name);
  /// @param pose of the frame of the copy, which rests
  /// @returns the document of the copy by itself, for `add_parts`
  std::string copy_body(const std::string& name, const std::string& copy, const Pose& pose);

  const std::filesystem::path& folder() const { return folder_; }
  /// The whole, with names of files that hold wherever it is kept. @param allow_overlap says so in the document
  std::string text(bool allow_overlap = false) const;

 private:
  Json& entry_of(const std::string& body);
  std::size_t take_apart(std::size_t entry, const std::string& body);
  void name_all();
  bool is_of_body(const Json& joint, const std::string& body) const;
  void remove_joints(const std::function<bool(const Json&)>&);

  Json json_;
  std::filesystem::path folder_;
  std::vector<std::vector<std::string>> made_;   ///< names of the bodies that each entry of "bodies" makes
  std::vector<std::string> joints_;              ///< names of the joints, entry by entry
};

}   // namespace stickslip::document
