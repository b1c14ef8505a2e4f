// Distance fields sampled on a sparse, adaptive set of blocks.
//
// Space around the surface is cut into cubes of 8³ cells with 9³ samples each; where trilinear interpolation between them is
// off by more than the wanted error the cube is cut into eight of half the size, down to the finest cell. Cubes farther away
// from the surface than the band hold no samples of their own: there the largest cube around them gives a lower bound of the
// right sign.
#pragma once

#include <cstdint>
#include <optional>

#include "stickslip/field/distance_field.h"
#include "stickslip/geometry/mesh_distance.h"

namespace stickslip {

struct FieldOptions {
  int resolution = 128;   ///< finest cells along the longest side of the solid's box, 8 … 2048
  double error = 0;       ///< wanted bound of the error within the band [m]; 0: a thousandth of that side
  double band = 0;        ///< [m]; 0: four finest cells
  SignRule sign = SignRule::automatic;

  bool operator==(const FieldOptions&) const = default;
};

/// What scenes and commands ask for in one number or the other. Without any the resolution is 64; a tolerance, the
/// wanted bound of
/// the error [m], chooses up to 512: at sharp edges the error is about half a cell. Nothing is left open. @param side
/// the longest of the solid's box [m]
FieldOptions field_options(double side, std::optional<int> resolution, std::optional<double> tolerance);

/// The field as plain arrays: what is asked, stored and loaded.
struct FieldArrays {
  static constexpr int kCells = 8, kSide = kCells + 1, kBlockSize = kSide * kSide * kSide;
  /// An entry of `index` or of a node: `kNode` | number of a node, or the number of a block, | `kFar` where that is the coarse
  /// one of a place farther from the surface than the band, | `kInside` where that is inside.
  static constexpr std::uint32_t kNode = 1u << 31, kFar = 1u << 30, kInside = 1u << 29, kNumber = kInside - 1;

  struct Block {
    Vec3 lower;            ///< corner [m]
    double inverse_cell;   ///< [1/m]
  };

  Vec3 lower = Vec3::Zero();                         ///< corner of the domain [m]
  double index_cell = 1;                             ///< side of the cubes of `index` [m]
  std::array<std::int32_t, 3> dims{};                ///< of `index`
  std::vector<std::uint32_t> index;                  ///< z runs fastest
  std::vector<std::array<std::uint32_t, 8>> nodes;   ///< child x + 2 y + 4 z
  std::vector<Block> blocks;
  std::vector<float> float_samples;   ///< `kBlockSize` per block, z runs fastest [m]

  Aabb bounds;              ///< of the solid [m]
  double band = 0;          ///< [m]
  double error_bound = 0;   ///< [m]
};

/// Values are trilinear, continuous within a block; across cubes of different size they jump by at most twice the error bound.
/// The gradient is that of the interpolant. Where the interpolant is beyond the band b, the value is the larger of b and the
/// interpolant less √3/2 cells, which is a lower bound of any distance.
class SampledField final : public DistanceField {
 public:
  /// From the exact distance to a mesh. @throws Error for options out of range or a mesh without triangles
  explicit SampledField(const MeshSurface&, const FieldOptions& = {});
  /// From any field that is 1-Lipschitz. Beyond `bounds` and the band around them nothing is taken to be solid.
  /// @throws Error as above
  SampledField(const DistanceField& exact, const Aabb& bounds, const FieldOptions& = {});
  explicit SampledField(FieldArrays arrays) : a_(std::move(arrays)) {}

  double value(const Vec3& at) const override;
  FieldSample sample(const Vec3& at) const override;
  void values(std::span<const Vec3> at, std::span<double> out) const override;
  void samples(std::span<const Vec3> at, std::span<FieldSample> out) const override;
  Aabb bounds() const override { return a_.bounds; }
  /// Twice the largest error found at points between samples of all blocks; above the wanted one if cells of the finest size do
  /// not reach that.
  double error_bound() const override { return a_.error_bound; }
  double band() const override { return a_.band; }

  const FieldArrays& arrays() const { return a_; }
  std::size_t bytes() const;   ///< of memory

 private:
  FieldArrays a_;
};

}   // namespace stickslip
