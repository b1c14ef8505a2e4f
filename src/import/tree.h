// What URDF and MJCF have in common: a tree of bodies, each placed in its parent and moved against it by joints one after the
// other.
//
// The frame of a body at the start is  parent frame · in_parent · m₁(q₁) · m₂(q₂) …,  with m(q) the motion of a joint: a slide
// by q along its axis, or a turn by q about the line through its anchor. Axes and anchors are given in the frame of the body
// with all joints at 0.
#pragma once

#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include "import/findings.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/geometry/shape.h"
#include "stickslip/math/types.h"
#include "stickslip/mesh/height_field.h"
#include "stickslip/world/colour.h"

namespace stickslip::robot {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();
inline constexpr int kWorld = -1;

/// Where something stands in the file.
struct Source {
  int line = 0;
  std::string place;
};

struct TreeServo {
  double target = 0, stiffness = 0, damping = 0, max_force = kNoLimit;
};

/// A force that whoever steers may set; 0 until then.
struct TreeEffort {
  double force = 0, max_force = kNoLimit;
};

enum class Freedom { slide, hinge, ball, free };

struct TreeJoint {
  std::string name;
  Freedom kind = Freedom::hinge;
  Vec3 axis = Vec3::UnitZ(), anchor = Vec3::Zero();   ///< body frame; the axis is a unit vector [m]
  double start = 0;                                   ///< value at the start; 0 is the pose of the file [m or rad]
  double lower = -kNoLimit, upper = kNoLimit;
  double swing = kNoLimit;   ///< ball [rad]
  double friction = 0;       ///< [N or N m]
  double rest = 0, stiffness = 0, damping = 0;
  double armature = 0;   ///< [kg or kg m²]
  std::optional<TreeServo> servo;
  std::optional<TreeEffort> effort;
  Source source;
};

/// A mesh that parts of the scene share.
struct TreeMesh {
  std::string name;
  std::filesystem::path file;               ///< or, if it has none, the numbers below
  Vec3 scale = Vec3::Ones();                ///< of the file
  std::shared_ptr<const MeshSolid> solid;   ///< scaled
};

/// A picture on a part: a file or a pattern.
struct TreeTexture {
  std::filesystem::path file;
  std::string pattern;
  std::array<Colour, 2> colours = {};                     ///< of the pattern
  std::array<double, 2> size = {0, 0}, repeat = {1, 1};   ///< as of Texture
  bool is_flat = false;                                   ///< MJCF: "2d", of which copies are counted
};

struct TreePart {
  Shape shape;
  int mesh = -1;                                          ///< index in Tree::meshes that the shape is made of, if it is a mesh
  bool as_hulls = false;                                  ///< that mesh is to be covered with hulls
  std::shared_ptr<const HeightField> heights = nullptr;   ///< that the shape is made of
  Pose pose;
  int material = -1;   ///< index in Tree::materials; −1: the default
  std::optional<Colour> colour = {};
  std::shared_ptr<const TreeTexture> texture = nullptr;
  std::uint32_t contact_type = 1,
                contact_affinity = 1;   ///< two parts touch if one's type and the other's affinity share a bit
};

struct TreeBody {
  std::string name;
  int parent = kWorld;
  Pose in_parent;
  std::vector<TreeJoint> joints;        ///< none: rigidly connected to the parent
  std::optional<MassProperties> mass;   ///< none: massless
  std::vector<TreePart> parts;
  Source source;

  bool alive = true;   ///< false: became a part of `parent`, placed by `in_parent`; or left out
  bool is_free() const { return joints.size() == 1 && joints.front().kind == Freedom::free; }
};

/// A joint that closes a loop: `b` is held to `a` at a frame.
struct TreeLoop {
  std::string name;
  bool ball = false;   ///< keeps a point; otherwise everything
  int a = kWorld, b = kWorld;
  Pose frame_a, frame_b;   ///< in the frames of the bodies; with `frame_b_at_start` b's follows from where the bodies start
  bool frame_b_at_start = true;
  Source source;
};

/// A line between a point of each of two bodies, whose length is a coordinate. The tendon that it stands for may be longer by
/// what does not change.
struct TreeLine {
  std::string name;
  std::array<int, 2> body = {kWorld, kWorld};
  std::array<Vec3, 2> point = {Vec3::Zero(), Vec3::Zero()};   ///< in the frames of the bodies [m]
  double beside = 0;                                          ///< length of the tendon less that of the line [m]
  TreeJoint settings;   ///< of the length of the line; a rest below 0 is the length at the start
  Source source;
};

/// What coordinates of lines are called beside those of joints, which may have the same names.
inline std::string tendon_key(const std::string& name) { return "tendon " + name; }

struct TreeSensor {
  enum Kind { joint_state, contact, inertial, ray, frame_state, load } kind = joint_state;
  std::string name;
  std::string joint;   ///< or `tendon_key`
  int body = kWorld;
  Pose frame;                ///< in that of the body; rays go along its z
  double range = kNoLimit;   ///< of a ray [m]
  int from = kWorld;         ///< body that a frame is seen from
  Pose from_frame;           ///< in that of the body
  bool own_axes = false;     ///< velocities of a frame are in its own axes
  Source source;
};

/// second = ratio · first + constant, between two joints of the tree.
struct TreeGear {
  std::string name, first, second;
  double ratio = 1;
  Source source;
};

struct TreeMaterial {
  std::string name;
  double friction = 0.5;
};

struct Tree {
  std::string name, description;
  std::filesystem::path folder;   ///< of the robot file
  std::vector<TreeMesh> meshes;
  Vec3 gravity = {0, 0, -9.81};   ///< [m/s²]
  std::optional<double> h;        ///< step [s]
  std::vector<TreeBody> bodies;   ///< parents come before their children
  std::vector<TreeLoop> loops;
  std::vector<TreeGear> gears;
  std::vector<TreeLine> lines;
  std::vector<TreeSensor> sensors;
  std::vector<TreeMaterial> materials;
  bool maximum_friction = false;                         ///< materials combine by the larger coefficient
  std::map<std::pair<int, int>, double> pair_friction;   ///< of materials (smaller, larger index) where the rule does not hold
  std::vector<std::pair<int, int>> apart;                ///< bodies that do not touch
  /// MJCF: rigidly connected bodies count as one, bodies do not touch those that the parent is part of, and do touch what is
  /// held by the world.
  bool mujoco_contacts = false;

  bool is_static(int body) const;   ///< held by the world; so is the world itself
  /// The body that `body` became part of, and where its frame is in that body.
  std::pair<int, Pose> owner(int body) const;
};

/// Pose after the motion of a joint by `value`, seen from before.
Pose motion_of(const TreeJoint&, double value);
/// Frames of all bodies in the world, with joints at their start.
std::vector<Pose> poses_at_start(const Tree&);

/// Rids the tree of bodies without mass: they become part of what they are rigidly connected to, or hand their joints on to
/// their only child.
/// @param merge_all does the same with all bodies that are rigidly connected to a moving one
/// @throws Error naming a body that moves, has no mass, and cannot be helped
void remove_massless(Tree&, bool merge_all, Findings&);

/// The document of the tree, JSON text. @throws Error
std::string write_document(Tree, const ImportOptions&, Findings&);

}   // namespace stickslip::robot
