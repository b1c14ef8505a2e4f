// Everything of a scene that a checkpoint keeps, as plain tables.
#pragma once

#include "record/texture_pool.h"
#include "stickslip/geometry/triangle_mesh.h"
#include "stickslip/scene/scene.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip {

/// A shape as numbers; hulls and meshes stand in pools, because bodies share them.
struct FlatShape {
  std::string name;           ///< of the shape; empty in files that have `kind`
  std::uint32_t kind = 0;     ///< its number in files of versions that had no names
  Vec3 size = Vec3::Zero();   ///< radius or half extents; half height second
  std::uint32_t hull = 0;     ///< index in the pool; 0 if it is none
  std::uint32_t mesh = 0;     ///< the same for meshes
};

struct FlatMesh {
  std::string name;
  TriangleMesh mesh;
  MeshLook look;
  std::string field;   ///< what its distance field is made of; empty: it has none
};

struct FlatScript {
  std::uint32_t kind = 0;   ///< index of the alternative in `MotionScript`
  Oscillation oscillation;
  std::vector<Keyframes::Key> keys;
};

struct FlatStabilisation {
  std::uint32_t kind = 0;   ///< index of the alternative in `Stabilisation`
  double first = 0, second = 0;
};

struct FlatOption {
  std::string name, text;
  std::uint32_t kind = 0;   ///< index of the alternative in `OptionValue`
  double number = 0;
};

struct FlatPair {
  std::uint32_t a = 0, b = 0;
  SurfacePair surface;
};

/// A friction law; without a name it is Coulomb's with the coefficient of the material or pair.
struct FlatLaw {
  std::string name;
  std::vector<double> numbers;
  std::vector<Vec3> points;
};

/// Pictures stand in a pool, because surfaces share them.
struct FlatPicture {
  std::int32_t width = 0, height = 0;
  std::vector<float> rgb;
};

/// A surface as numbers.
struct FlatSurface {
  std::uint32_t kind = 0;                                 ///< index of the alternative in `Structure`
  Vec3 center = Vec3::Zero(), direction = Vec3::Zero();   ///< direction or axis
  double size = 0;                                        ///< radius of a flow, side of a picture
  std::uint32_t picture = 0, normal_map = 0;              ///< place in the pool from 1; 0: none
  double normal_map_size = 1;
  Mat2 tensor = Mat2::Identity();
};

/// One coordinate of a joint as numbers.
struct FlatAxis {
  JointAxis axis;   ///< what drives it apart, below
  bool has_effort = false, has_motor = false, has_servo = false, has_spring = false;
  JointEffort effort;
  JointMotor motor;
  JointServo servo;
  JointSpring spring;
};

/// The solid of a soft body; without tetrahedra there is none.
struct FlatSolid {
  std::vector<Vec3> rest;
  std::vector<Tetrahedron> tetrahedra;
  SoftMaterial material;
};

/// Bodies, by their slots, that do not touch each other.
struct FlatIgnoredPair {
  std::uint32_t a = 0, b = 0;
};

struct FlatText {
  std::string text;
};

/// Textures stand in a pool too.
struct FlatTexture {
  std::uint32_t number = 0;   ///< place in the pool from 1; 0: none
};

struct FlatScene {
  std::string name, description, document, sensors;
  double seconds = 0;
  std::vector<FlatText> warnings;

  Vec3 gravity = Vec3::Zero();
  double time = 0;
  std::uint64_t step_count = 0;
  std::vector<Body> bodies;              ///< scripts apart, below
  std::vector<FlatScript> scripts;       ///< one per body
  std::vector<Collider> colliders;       ///< shapes apart, below
  std::vector<FlatShape> shapes;         ///< one per collider
  std::vector<NodalBody> nodal_bodies;   ///< solids apart, below
  std::vector<FlatSolid> solids;         ///< one per body of nodes
  std::vector<Polytope> hulls;
  std::vector<FlatMesh> meshes;
  std::vector<Joint> joints;    ///< coordinates apart, below
  std::vector<FlatAxis> axes;   ///< six per joint
  std::vector<FlatIgnoredPair> ignored_pairs;
  std::vector<Material> materials;
  std::vector<FlatPair> pairs;
  std::vector<FlatLaw> laws;           ///< one per material, then one per pair
  std::vector<FlatSurface> surfaces;   ///< one per material
  std::vector<FlatPicture> pictures;
  std::vector<Texture> textures;
  std::vector<FlatTexture> collider_textures, material_textures;   ///< one per collider or material; none in older files
  CombineRule friction_rule{}, restitution_rule{};
  ContactMemory memory;

  StepOptions step;   ///< stabilisation and solver options apart, below
  FlatStabilisation stabilisation;
  std::vector<FlatOption> solver_options;
};

/// @param about everything of the scene but its world
/// @param elsewhere textures whose pictures are left out; they are the first
FlatScene flatten(const Scene& about, const World&, const TexturePool& elsewhere = {});

/// @throws Error if indices or kinds are out of range, or options are invalid.
Scene restore(FlatScene&&);

}   // namespace stickslip
