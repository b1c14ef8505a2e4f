// What anisotropic friction laws read of one surface: the direction of its structure, its friction tensor, its normal map.
//
// Everything is fixed to the shape: places and directions are in the frame of the collider. A flat picture covers a curved
// shape by projection along the axis of the shape that the outward normal is nearest to (box mapping): +x shows (y, z), +y (z,
// x), +z (x, y) as (u, v); the opposite sides show the same picture from behind.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

class Picture;

/// Grooves, fibres or brush strokes in one direction. To the structure, d and −d are the same; only sets without that symmetry,
/// such as limit surfaces, tell them apart.
struct FixedStructure {
  Vec3 direction = Vec3::UnitX();   ///< need not be a unit vector
};

/// Turned on a lathe: circles around an axis.
struct CircularStructure {
  Vec3 center = Vec3::Zero();   ///< [m]
  Vec3 axis = Vec3::UnitZ();
};

/// Rays from an axis.
struct RadialStructure {
  Vec3 center = Vec3::Zero();   ///< [m]
  Vec3 axis = Vec3::UnitZ();
};

/// Stream lines of an ideal flow along x past a cylinder that stands along z.
struct FlowStructure {
  Vec3 center = Vec3::Zero();       ///< of the cylinder [m]
  double radius = 1;                ///< [m] > 0; inside, the direction is that of the rim
  Vec3 direction = Vec3::UnitX();   ///< of the undisturbed flow
};

/// Directions from a picture: red and green are the components along u and v, 0 … 1 standing for −1 … 1.
struct PictureStructure {
  std::shared_ptr<const Picture> picture;
  double size = 1;   ///< side of the tile, along u [m] > 0
};

/// From a function of place and outward normal, in the frame of the collider. It cannot be saved in a checkpoint.
struct FunctionStructure {
  std::function<Vec3(const Vec3& place, const Vec3& normal)> direction;
};

using Structure =
    std::variant<FixedStructure, CircularStructure, RadialStructure, FlowStructure, PictureStructure, FunctionStructure>;

/// A picture in memory, RGB, 0 … 1, row 0 on top. Immutable and shared.
class Picture {
 public:
  /// @throws Error if the size does not fit the pixels.
  Picture(int width, int height, std::vector<float> rgb);
  /// Reads a PNG of 8 or 16 bits; grey becomes RGB, transparency is ignored. @throws Error naming file, fault and remedy.
  static Picture read_png(const std::filesystem::path&);
  /// Writes a PNG of 8 bits per colour. @throws Error naming the file.
  void write_png(const std::filesystem::path&) const;

  int width() const { return width_; }
  int height() const { return height_; }
  const std::vector<float>& rgb() const { return rgb_; }
  /// Bilinear, the picture repeats. (u, v) = (0, 0) is the lower left corner of the tile, (1, height/width) the upper right.
  Vec3 sample(double u, double v) const;

 private:
  int width_, height_;
  std::vector<float> rgb_;
};

/// Facets of a surface from a picture: red, green, blue 0 … 1 are normal
/// components −1 … 1 along u, v and outward, as in rendering.
struct NormalMap {
  std::shared_ptr<const Picture> picture;   ///< null: a smooth surface
  double size = 1;                          ///< side of the tile, along u [m] > 0
};

/// Normal maps made here, tile for tile, for scenes and tests.
/// Sawtooth: `teeth` teeth along u, each a ramp that climbs slowly along +u and falls off steeply. What slides over it along +u
/// slides with the grain, up the ramps; along −u it runs into the cliffs. @param ramp, cliff angles of the two faces against
/// the surface [rad], both in (0, π/2). @throws Error naming the argument that is out of range, as for all here
Picture sawtooth_normals(int pixels, int teeth, double ramp, double cliff);
/// Round bumps, `bumps` × `bumps` to the tile. @param slope of the steepest facet [rad]
Picture bumpy_normals(int pixels, int bumps, double slope);

/// One surface.
struct Surface {
  Structure structure = FixedStructure{};
  /// friction tensor Q in the basis (structure direction, outward normal × structure direction)
  Mat2 tensor = Mat2::Identity();
  NormalMap normal_map;
};

/// @throws Error naming what is not finite, not positive or missing.
void check_surface(const Surface&);

/// Where on a flat picture a place of a shape lies, and how the picture stands there.
struct PicturePlace {
  Vec2 uv;     ///< [m]
  Vec3 u, v;   ///< directions of the picture, in the frame of the collider
};
/// Box mapping as said above. @param outward need not be a unit vector
PicturePlace box_mapping(const Vec3& place, const Vec3& outward);

/// One of the two surfaces at a contact.
struct SurfaceSide {
  const Surface* surface = nullptr;   ///< null: as Surface{}
  Pose pose;                          ///< of the collider: its frame to the world's

  /// Direction of the structure in the tangent plane, world frame, unit length. Where the structure has none there (it stands
  /// along the normal), any fixed tangent. @param outward normal of this surface, world frame, unit length
  Vec3 structure_direction(const Vec3& position, const Vec3& outward) const;
  /// Normal of the facet at this place, world frame, unit length.
  Vec3 facet_normal(const Vec3& position, const Vec3& outward) const;
};

}   // namespace stickslip
