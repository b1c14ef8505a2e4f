// MJCF, the format of MuJoCo: what the parts of its reader share.
#pragma once

#include <set>

#include "import/tree.h"
#include "import/xml.h"

namespace stickslip::robot::mjcf {

/// The <compiler> settings that change the meaning of numbers.
struct Compiler {
  bool degrees = true;
  std::string euler_sequence = "xyz";   ///< lower case: about the axes as they turn; upper case: about those of the parent
  bool autolimits = true;
  enum class InertiaFromGeom { no, yes, automatic } inertia_from_geom = InertiaFromGeom::automatic;
  std::string mesh_folder, texture_folder;
  double total_mass = 0;   ///< [kg]; 0: as it comes

  double angle(double given) const { return degrees ? given * EIGEN_PI / 180 : given; }   ///< [rad]
};

/// An element together with the defaults of its class: an attribute that it does not have itself is looked up there.
class Element {
 public:
  Element(const XmlNode& node, std::vector<const XmlNode*> defaults, std::set<std::pair<std::string, std::string>>* asked)
      : node_(node), defaults_(std::move(defaults)), asked_(asked) {}

  const XmlNode& node() const { return node_; }
  Source source() const { return {node_.line, node_.place()}; }

  /// The value, and the element that it stands in. Counts as read wherever it stands.
  const std::string* find(std::string_view attribute, const XmlNode** where = nullptr) const;
  bool has(std::string_view attribute) const;
  std::string word(std::string_view attribute, const std::string& fallback) const;
  std::optional<std::vector<double>> numbers(std::string_view attribute, std::size_t least, std::size_t most) const;
  double number(std::string_view attribute, double fallback) const;
  Vec3 vector(std::string_view attribute, const Vec3& fallback) const;
  /// "true", "false" or "auto": the last is `automatic`
  bool truth(std::string_view attribute, bool automatic) const;
  /// @throws Error where the attribute stands
  [[noreturn]] void fail(std::string_view attribute, const std::string& message) const;

  /// Passes over attributes, each with a finding where it stands.
  void pass_over(std::initializer_list<std::string_view> attributes, Kind, const std::string& why, Findings&) const;

 private:
  const XmlNode& node_;
  std::vector<const XmlNode*> defaults_;   ///< nearest first
  std::set<std::pair<std::string, std::string>>* asked_;
};

/// The <default> classes.
class Defaults {
 public:
  /// @throws Error for a class that is named twice
  void read(const XmlNode& default_node, const std::string& parent, Findings&);

  /// @param kinds of the elements whose defaults count: the element's own, for actuators several
  /// @throws Error for an unknown class
  Element element(const XmlNode&, const std::string& child_class, std::initializer_list<std::string_view> kinds = {});

  /// Marks defaults that somebody would have read, and reports the others.
  void finish(Findings&) const;

 private:
  struct Class {
    std::string parent;
    std::vector<const XmlNode*> elements;
  };
  std::map<std::string, Class> classes_ = {{"main", {}}};
  std::set<std::pair<std::string, std::string>> asked_;   ///< kind of element and attribute
};

/// Where something is placed: pos and one of quat, axisangle, euler, xyaxes, zaxis.
Pose read_pose(const Element&, const Compiler&);

/// The rotation of the attribute euler; none without it.
Quat euler_rotation(const Element&, const Compiler&);

/// A tendon whose length is Σ coef q.
struct FixedTendon {
  std::vector<std::pair<std::string, double>> joints = {};   ///< names, coefficients
};

/// Colour and picture of a material of the file, which only looks.
struct Look {
  std::optional<Colour> colour;
  std::shared_ptr<const TreeTexture> texture;
};

/// A marked place.
struct Site {
  int body = kWorld;
  Pose pose;   ///< in the frame of the body
};

/// Everything that the parts of the reader work on.
struct Model {
  std::filesystem::path file;
  const ImportOptions& options;
  Findings& findings;
  Compiler compiler;
  Defaults defaults;
  Tree tree;
  std::map<std::string, const XmlNode*> meshes;
  std::map<std::string, std::shared_ptr<const HeightField>> heights;
  std::map<std::string, std::shared_ptr<const TreeTexture>> textures;
  std::map<std::string, Look> looks;   ///< by the names of materials
  struct SurfaceMaterial {
    double friction;
    int condim, priority;
    auto operator<=>(const SurfaceMaterial&) const = default;
  };
  std::map<SurfaceMaterial, int> materials;     ///< to indices of tree.materials
  std::map<std::string, int> body_index;        ///< by the name in the file
  int ground = kWorld;                          ///< the body of the geoms of the world, if it has any
  std::map<std::string, double> reference;      ///< joint → its value in the pose of the file (ref)
  std::set<std::string> disabled;               ///< what <flag> switches off
  std::map<std::string, FixedTendon> tendons;   ///< by name, those that are kept
  std::map<std::string, Site> sites;
  std::map<std::string, std::string> driven;   ///< actuator → joint, or `tendon_key`, that it acts on

  Source source(const XmlNode& node) const { return {node.line, node.place()}; }
  TreeJoint* joint(const std::string& name);
  TreeLine* line(const std::string& name);
};

/// An element of a body, with the pose of the <frame>s around it and the class that they give it.
struct PlacedChild {
  const XmlNode* node;
  Pose frame;
  std::string child_class;
};
/// Adds the elements of a body, those in <frame>s too.
void add_children(const Model&, const XmlNode&, const Pose& frame, const std::string& child_class, std::vector<PlacedChild>&);
/// Writes every <replicate> out as <frame>s, and what refers to its elements as often.
void expand_replicates(const Model&, XmlNode& root);

void read_geom(Model&, const PlacedChild&, TreeBody&, std::optional<MassProperties>& mass);
void read_joint(Model&, const PlacedChild&, TreeBody&);
void read_mesh_asset(Model&, const XmlNode&);
void read_height_asset(Model&, const XmlNode&);
void read_texture_asset(Model&, const XmlNode&);
void read_look_asset(Model&, const XmlNode&);
/// Colour and picture of a geom: its own, or those of its material.
void give_look(Model&, const Element&, TreePart&);
void read_site(Model&, const PlacedChild&, int body);
void read_sensors(Model&, const XmlNode&);
/// The body that an attribute names, or `fallback` where it stands; "world" is the world. @throws Error with the nearest name
int body_named(const Model&, const Element&, std::string_view attribute, const char* fallback = nullptr);
void read_world(Model&, const XmlNode& worldbody);
void read_tendons(Model&, const XmlNode&);
/// A spatial tendon.
void read_line(Model&, const XmlNode&);
void read_tendon_equality(Model&, const Element&);
void read_actuators(Model&, const XmlNode&);
void read_equality(Model&, const XmlNode&);
void read_contact(Model&, const XmlNode&);
/// Friction of the pairs of materials: the larger coefficient, unless condim or priority say otherwise.
void pair_materials(Model&);

}   // namespace stickslip::robot::mjcf
