#include "field/field_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr int kSide = FieldArrays::kSide, kCells = FieldArrays::kCells, kBlockSize = FieldArrays::kBlockSize;
constexpr int kIndexSide = 64;     ///< cubes of the index along the longest side at most; smaller cubes stand in nodes
constexpr int kTestedCells = 24;   ///< of a block of the finest cells, those that bend most; of larger ones all are tested
constexpr int kMiddles = 2 * kCells + 1;   ///< samples and the middles between them along a side
constexpr double kErrorSafety = 2;   ///< largest error over that at midpoints: 1 where the field is smooth, below 2 at a kink

using Samples = std::array<double, kBlockSize>;
using Corner = std::array<int, 3>;   ///< of a cube, in finest cells from the corner of the domain

int sample_at(int x, int y, int z) { return (x * kSide + y) * kSide + z; }

/// Octree of blocks over the domain, roots first.
class FieldBuilder {
 public:
  FieldBuilder(const std::function<double(const Vec3&)>& exact, const Aabb& bounds, const FieldOptions& options)
      : exact_(exact), error_(options.error) {
    cell_ = (bounds.upper - bounds.lower).maxCoeff() / options.resolution;
    a_.bounds = bounds, a_.band = options.band;
    const Aabb domain = bounds.grown(options.band + cell_);
    a_.lower = domain.lower;
    place_cubes(domain.upper - domain.lower);
  }

  FieldArrays build() {
    const int root_cells = kCells << levels_;
    for (int x = 0; x < roots_[0]; ++x)
      for (int y = 0; y < roots_[1]; ++y)
        for (int z = 0; z < roots_[2]; ++z) {
          const Corner corner{x * root_cells, y * root_cells, z * root_cells};
          place(levels_, corner, root(corner));
        }
    // Samples are rounded to float.
    a_.error_bound = kErrorSafety * worst_ + 6e-8 * (a_.band + 2 * kCells * cell_);
    return std::move(a_);
  }

 private:
  void place_cubes(const Vec3& extent) {
    const double longest = extent.maxCoeff();
    while ((kCells << (levels_ + 1)) * cell_ <= longest / 3) ++levels_;
    for (int axis = 0; axis < 3; ++axis)
      roots_[axis] = std::max(1, static_cast<int>(std::ceil(extent[axis] / ((kCells << levels_) * cell_) - 1e-9)));
    const int most = *std::max_element(roots_.begin(), roots_.end());
    while (index_level_ < levels_ && (most << (levels_ - index_level_)) > kIndexSide) ++index_level_;
    for (int axis = 0; axis < 3; ++axis) a_.dims[axis] = roots_[axis] << (levels_ - index_level_);
    a_.index_cell = (kCells << index_level_) * cell_;
    a_.index.resize(static_cast<std::size_t>(a_.dims[0]) * a_.dims[1] * a_.dims[2]);
  }

  Vec3 point(int level, const Corner& corner, double x, double y, double z) const {
    const double step = 1 << level;
    return a_.lower + cell_ * Vec3(corner[0] + step * x, corner[1] + step * y, corner[2] + step * z);
  }

  /// A root has samples in any case: for the places around it that are far from the surface.
  std::uint32_t root(const Corner& corner) {
    Samples samples;
    fill(levels_, corner, nullptr, 0, samples);
    coarse_ = static_cast<std::uint32_t>(a_.blocks.size());
    put(levels_, corner, samples);
    if (const std::uint32_t far = far_entry(levels_, samples[sample_at(kCells / 2, kCells / 2, kCells / 2)])) return far;
    return fine_enough(levels_, corner, samples) ? coarse_ : divided(levels_, corner, samples);
  }

  /// The entry of a cube: far, a block, or a node above smaller ones. @param parent samples of the cube around it, octant
  /// `part`
  std::uint32_t cube(int level, const Corner& corner, const Samples& parent, int part) {
    if (const std::uint32_t far = far_entry(level, exact_(point(level, corner, kCells / 2, kCells / 2, kCells / 2))))
      return far;
    Samples samples;
    fill(level, corner, &parent, part, samples);
    if (!fine_enough(level, corner, samples)) return divided(level, corner, samples);
    put(level, corner, samples);
    return static_cast<std::uint32_t>(a_.blocks.size() - 1);
  }

  /// Of a cube whose points are all beyond the band; 0 if some may not be.
  std::uint32_t far_entry(int level, double middle) const {
    const double half_diagonal = 0.8660254037844387 * kCells * (1 << level) * cell_;
    if (std::abs(middle) <= a_.band + half_diagonal) return 0;
    return FieldArrays::kFar | (middle < 0 ? FieldArrays::kInside : 0) | coarse_;
  }

  bool fine_enough(int level, const Corner& corner, const Samples& samples) {
    const double off =
        error_of(level, corner, samples, level > 0 ? error_ / kErrorSafety : std::numeric_limits<double>::infinity());
    if (level > 0 && !(kErrorSafety * off <= error_)) return false;
    worst_ = std::max(worst_, off);
    return true;
  }

  void put(int level, const Corner& corner, const Samples& samples) {
    a_.blocks.push_back({point(level, corner, 0, 0, 0), 1 / ((1 << level) * cell_)});
    for (const double sample : samples) a_.float_samples.push_back(static_cast<float>(sample));
  }

  std::uint32_t divided(int level, const Corner& corner, const Samples& samples) {
    const std::uint32_t node = static_cast<std::uint32_t>(a_.nodes.size());
    const bool in_index = level > index_level_;   // its parts have entries of their own there
    if (!in_index) a_.nodes.emplace_back();
    const int half = (kCells / 2) << level;
    for (int part = 0; part < 8; ++part) {
      const Corner at{corner[0] + half * (part & 1), corner[1] + half * (part >> 1 & 1), corner[2] + half * (part >> 2)};
      const std::uint32_t entry = cube(level - 1, at, samples, part);
      if (in_index) place(level - 1, at, entry);
      else a_.nodes[node][part] = entry;
    }
    return in_index ? kPlaced : FieldArrays::kNode | node;
  }

  /// Writes an entry into all places of the index that the cube covers.
  void place(int level, const Corner& corner, std::uint32_t entry) {
    if (entry == kPlaced) return;
    const int unit = kCells << index_level_, count = 1 << (level - index_level_);
    for (int x = 0; x < count; ++x)
      for (int y = 0; y < count; ++y)
        for (int z = 0; z < count; ++z)
          a_.index[(static_cast<std::size_t>(corner[0] / unit + x) * a_.dims[1] + corner[1] / unit + y) * a_.dims[2] +
                   corner[2] / unit + z] = entry;
  }

  void fill(int level, const Corner& corner, const Samples* parent, int part, Samples& samples) {
    const int from[3] = {(part & 1) * kCells / 2, (part >> 1 & 1) * kCells / 2, (part >> 2) * kCells / 2};
    for (int x = 0; x < kSide; ++x)
      for (int y = 0; y < kSide; ++y)
        for (int i = 0; i < kSide; ++i) {
          const int z = y % 2 == 0 ? i : kCells - i;   // to and fro, so that consecutive points are neighbours
          const bool known = parent != nullptr && x % 2 == 0 && y % 2 == 0 && z % 2 == 0;
          samples[sample_at(x, y, z)] = known ? (*parent)[sample_at(from[0] + x / 2, from[1] + y / 2, from[2] + z / 2)]
                                              : exact_(point(level, corner, x, y, z));
        }
  }

  /// How much the samples bend at the edges of a cell: the sum of second differences.
  static double bend_of_cell(const Samples& s, int x, int y, int z) {
    double sum = 0;
    const int at[3] = {x, y, z};
    constexpr int kStep[3] = {kSide * kSide, kSide, 1};
    for (int axis = 0; axis < 3; ++axis) {
      const int step = kStep[axis], first = sample_at(x, y, z);
      for (int corner = 0; corner < 8; ++corner) {
        const int i = first + (corner & 1) * kStep[0] + (corner >> 1 & 1) * kStep[1] + (corner >> 2) * kStep[2];
        const int along = at[axis] + (axis == 0 ? corner & 1 : axis == 1 ? corner >> 1 & 1 : corner >> 2);
        if (along > 0 && along < kCells) sum += std::abs(s[i - step] - 2 * s[i] + s[i + step]);
      }
    }
    return sum;
  }

  /// Whether a cell may hold a point of the band: no point is farther from all corners than half a diagonal.
  bool reaches_band(const Samples& s, int x, int y, int z, double cell) const {
    for (int corner = 0; corner < 8; ++corner)
      if (std::abs(s[sample_at(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2))]) <= a_.band + 0.87 * cell)
        return true;
    return false;
  }

  /// Largest error at midpoints of cells, faces and edges, in the cells that reach into the band, those that bend most first;
  /// stops above `enough`.
  double error_of(int level, const Corner& corner, const Samples& samples, double enough) {
    const double cell = (1 << level) * cell_;
    std::vector<std::pair<double, int>>& cells = cells_;
    cells.clear();
    for (int i = 0; i < kCells * kCells * kCells; ++i) {
      const int x = i / (kCells * kCells), y = i / kCells % kCells, z = i % kCells;
      if (reaches_band(samples, x, y, z, cell)) cells.emplace_back(-bend_of_cell(samples, x, y, z), i);
    }
    std::sort(cells.begin(), cells.end());
    if (level == 0 && cells.size() > kTestedCells) cells.resize(kTestedCells);
    middles_.assign(kMiddles * kMiddles * kMiddles, std::numeric_limits<double>::quiet_NaN());
    double worst = 0;
    for (std::size_t k = 0; k < cells.size() && worst <= enough; ++k) {
      const int i = cells[k].second, x = i / (kCells * kCells), y = i / kCells % kCells, z = i % kCells;
      worst = std::max(worst, error_in_cell(level, corner, samples, x, y, z));
    }
    return worst;
  }

  double error_in_cell(int level, const Corner& corner, const Samples& s, int x, int y, int z) {
    double worst = 0;
    for (int m = 0; m < 27; ++m) {   // places 0, ½, 1 along each axis, at least one of them ½
      const int p[3] = {m / 9, m / 3 % 3, m % 3};
      if (p[0] != 1 && p[1] != 1 && p[2] != 1) continue;
      double& exact = middles_[((2 * x + p[0]) * kMiddles + 2 * y + p[1]) * kMiddles + 2 * z + p[2]];
      if (!std::isnan(exact)) continue;   // a cell beside this one has looked
      exact = exact_(point(level, corner, x + 0.5 * p[0], y + 0.5 * p[1], z + 0.5 * p[2]));
      // Points of the band have a midpoint or corner within a quarter of a diagonal.
      if (std::abs(exact) > a_.band + 0.44 * (1 << level) * cell_) continue;
      double sum = 0;
      int count = 0;
      for (int i = p[0] / 2; i <= (p[0] + 1) / 2; ++i)
        for (int j = p[1] / 2; j <= (p[1] + 1) / 2; ++j)
          for (int k = p[2] / 2; k <= (p[2] + 1) / 2; ++k) sum += s[sample_at(x + i, y + j, z + k)], ++count;
      worst = std::max(worst, std::abs(sum / count - exact));
    }
    return worst;
  }

  static constexpr std::uint32_t kPlaced = 0xffffffffu;   ///< its parts stand in the index

  const std::function<double(const Vec3&)>& exact_;
  double error_, cell_ = 1;
  double worst_ = 0;   ///< largest error found at midpoints in blocks that stay [m]
  int levels_ = 0, index_level_ = 0;
  std::uint32_t coarse_ = 0;   ///< block of the root that is worked at
  std::array<int, 3> roots_{};
  std::vector<std::pair<double, int>> cells_;   ///< of the block that is tested: less bend first, place
  std::vector<double> middles_;                 ///< exact values between its samples, NaN where none was needed
  FieldArrays a_;
};

}   // namespace

FieldOptions completed(FieldOptions o, double side) {
  if (o.resolution < 8 || o.resolution > 2048)
    throw Error(fmt::format("{} is not a resolution. Give 8 to 2048 cells along the longest side.", o.resolution))
        .at("resolution");
  for (const auto& [value, name] : {std::pair{o.error, "error"}, {o.band, "band"}})
    if (!(std::isfinite(value) && value >= 0))
      throw Error(fmt::format("{} is not a length. It must be finite and not negative; 0 chooses one.", value)).at(name);
  if (o.error == 0) o.error = 1e-3 * side;
  if (o.band == 0) o.band = 4 * side / o.resolution;
  return o;
}

FieldArrays build_field(const std::function<double(const Vec3&)>& exact, const Aabb& bounds, const FieldOptions& options) {
  const double side = (bounds.upper - bounds.lower).maxCoeff();
  if (!(std::isfinite(side) && side > 0))
    throw Error(fmt::format("A box of side {} has no room for a field. Give bounds that are finite and not a point.", side))
        .at("bounds");
  return FieldBuilder(exact, bounds, completed(options, side)).build();
}

FieldArrays build_field(const MeshSurface& surface, const FieldOptions& options) {
  if (surface.mesh().triangles.empty()) throw Error("The mesh has no triangles. A field needs a surface.").at("triangles");
  std::uint32_t near = TriangleTree::kNone;
  return build_field(
      [&](const Vec3& at) {
        const auto found = signed_distance(surface, at, options.sign, std::numeric_limits<double>::infinity(), near);
        near = found->nearest.triangle;
        return found->distance;
      },
      surface.tree().bounds(), options);
}

}   // namespace stickslip
