#include "stickslip/field/sampled_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "field/field_builder.h"
#include "stickslip/math/error.h"

namespace stickslip {

FieldOptions field_options(double side, std::optional<int> resolution, std::optional<double> tolerance) {
  constexpr double kUsual = 64, kFinest = 512;
  FieldOptions options;
  options.resolution = static_cast<int>(kUsual);
  if (tolerance) {
    if (!(std::isfinite(*tolerance) && *tolerance > 0))
      throw Error(fmt::format("{} is not a length. The tolerance must be finite and greater than 0 m.", *tolerance))
          .at("tolerance");
    options.error = *tolerance;
    options.resolution = static_cast<int>(std::clamp(std::ceil(0.5 * side / *tolerance), kUsual, kFinest));
  }
  if (resolution) options.resolution = *resolution;
  return completed(options, side);
}

namespace {

constexpr double kHalfDiagonal = 0.8660254037844387;   // √3/2, of a unit cube

/// Trilinear interpolation between eight samples: x, y, z in [0, 1], `step_x`, `step_y` samples apart, z neighbours adjacent.
struct Trilinear {
  double c00, c01, c10, c11, d00, d01, d10, d11;   // first digit x, second y; c at lower z, d at upper z

  Trilinear(const float* s, std::size_t step_x, std::size_t step_y)
      : c00(s[0]),
        c01(s[step_y]),
        c10(s[step_x]),
        c11(s[step_x + step_y]),
        d00(s[1]),
        d01(s[step_y + 1]),
        d10(s[step_x + 1]),
        d11(s[step_x + step_y + 1]) {}

  static double mix(double a, double b, double t) { return a + t * (b - a); }

  double value(double x, double y, double z) const {
    const double e00 = mix(c00, d00, z), e01 = mix(c01, d01, z), e10 = mix(c10, d10, z), e11 = mix(c11, d11, z);
    return mix(mix(e00, e01, y), mix(e10, e11, y), x);
  }

  /// Gradient per cell.
  FieldSample sample(double x, double y, double z) const {
    const double e00 = mix(c00, d00, z), e01 = mix(c01, d01, z), e10 = mix(c10, d10, z), e11 = mix(c11, d11, z);
    const double f0 = mix(e00, e01, y), f1 = mix(e10, e11, y);
    const double g0 = mix(d00 - c00, d01 - c01, y), g1 = mix(d10 - c10, d11 - c11, y);
    return {mix(f0, f1, x), Vec3(f1 - f0, mix(e01 - e00, e11 - e10, x), mix(g0, g1, x))};
  }
};

/// Cell and place in it along one axis of a block.
struct LatticePlace {
  int cell;
  double t;
  explicit LatticePlace(double u) : cell(std::min(std::max(static_cast<int>(u), 0), FieldArrays::kCells - 1)), t(u - cell) {}
};

/// What is said for an interpolated value: itself in the band, beyond it a lower bound; far places have a side that is known.
/// Without branches: which of these it is cannot be foreseen.
double bounded(double interpolated, std::uint32_t entry, double band, double inverse_cell) {
  const bool far = (entry & FieldArrays::kFar) != 0;
  const double known = (entry & FieldArrays::kInside) != 0 ? -1.0 : 1.0, side = far ? known : std::copysign(1.0, interpolated);
  const double size = side * interpolated, least = std::max(band, size - kHalfDiagonal / inverse_cell);
  return side * (far ? least : std::min(size, least));
}

/// Cube of the index or of the octree below it that a place of the domain lies in. @param u place in cubes of the index
std::uint32_t cube_at(const FieldArrays& a, const Vec3& u) {
  const int x = static_cast<int>(u.x()), y = static_cast<int>(u.y()), z = static_cast<int>(u.z());
  std::uint32_t entry = a.index[(static_cast<std::size_t>(x) * a.dims[1] + y) * a.dims[2] + z];
  if (entry < FieldArrays::kNode) return entry;
  Vec3 rest = u - Vec3(x, y, z);
  while (entry >= FieldArrays::kNode) {
    rest *= 2;
    const int i = rest.x() >= 1, j = rest.y() >= 1, k = rest.z() >= 1;
    rest -= Vec3(i, j, k);
    entry = a.nodes[entry & FieldArrays::kNumber][i + 2 * j + 4 * k];
  }
  return entry;
}

/// A place in a block: where its cell stands in memory, and where the place is in the cell.
struct PlaceInBlock {
  const float* first;
  double x, y, z, inverse_cell;
  std::uint32_t entry;

  Trilinear cell() const { return {first, kStepX, kStepY}; }
  double value(double band) const { return bounded(cell().value(x, y, z), entry, band, inverse_cell); }
  FieldSample sample(double band) const {
    const FieldSample s = cell().sample(x, y, z);
    return {bounded(s.value, entry, band, inverse_cell), s.gradient * inverse_cell};
  }
  /// Asks for the memory before it is needed.
  void prefetch() const {
    __builtin_prefetch(first), __builtin_prefetch(first + kStepY + 1);
    __builtin_prefetch(first + kStepX), __builtin_prefetch(first + kStepX + kStepY + 1);
  }

  static constexpr std::size_t kStepX = FieldArrays::kSide * FieldArrays::kSide, kStepY = FieldArrays::kSide;
};

/// @pre the place is in the domain; u in cubes of the index
PlaceInBlock place_at(const FieldArrays& a, const Vec3& at, const Vec3& u) {
  const std::uint32_t entry = cube_at(a, u), number = entry & FieldArrays::kNumber;
  const FieldArrays::Block& block = a.blocks[number];
  const Vec3 v = (at - block.lower) * block.inverse_cell;
  const LatticePlace x(v.x()), y(v.y()), z(v.z());
  const int in_block = (x.cell * FieldArrays::kSide + y.cell) * FieldArrays::kSide + z.cell;
  const float* block_samples = a.float_samples.data() + static_cast<std::size_t>(number) * FieldArrays::kBlockSize;
  return {block_samples + in_block, x.t, y.t, z.t, block.inverse_cell, entry};
}

/// Outside the domain D, with q the nearest point of D: the solid lies in the convex D, so |p − s|² ≥ |p − q|² + |q − s|² for
/// all its points s.
FieldSample outside_domain(const FieldArrays& a, const Vec3& at) {
  const Vec3 dims(a.dims[0], a.dims[1], a.dims[2]);
  const Vec3 q = at.cwiseMax(a.lower).cwiseMin(a.lower + a.index_cell * dims);
  const Vec3 u = ((q - a.lower) / a.index_cell).cwiseMax(0).cwiseMin((dims.array() * (1 - 1e-12)).matrix());
  const FieldSample edge = place_at(a, q, u).sample(a.band);
  const Vec3 away = at - q;
  const double value = std::sqrt(away.squaredNorm() + edge.value * edge.value);
  Vec3 gradient = away;
  for (int axis = 0; axis < 3; ++axis)
    if (away[axis] == 0) gradient[axis] = edge.value * edge.gradient[axis];
  return {value, Vec3(gradient / value)};
}

bool in_domain(const FieldArrays& a, const Vec3& u) {
  return u.x() >= 0 && u.y() >= 0 && u.z() >= 0 && u.x() < a.dims[0] && u.y() < a.dims[1] && u.z() < a.dims[2];
}

/// Many at once: all places of a group are found before the first is evaluated, so that memory is waited for once.
template <class Result, class Inside, class Outside>
void in_groups(const FieldArrays& a, std::span<const Vec3> at, std::span<Result> out, Inside&& inside, Outside&& outside) {
  constexpr std::size_t kGroup = 16;
  const double inverse = 1 / a.index_cell;
  std::array<PlaceInBlock, kGroup> places;
  for (std::size_t begin = 0; begin < at.size(); begin += kGroup) {
    const std::size_t count = std::min(kGroup, at.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 u = (at[begin + i] - a.lower) * inverse;
      places[i].first = nullptr;
      if (in_domain(a, u)) places[i] = place_at(a, at[begin + i], u), places[i].prefetch();
    }
    for (std::size_t i = 0; i < count; ++i)
      out[begin + i] = places[i].first != nullptr ? inside(places[i]) : outside(at[begin + i]);
  }
}

}   // namespace

SampledField::SampledField(const MeshSurface& surface, const FieldOptions& options) : a_(build_field(surface, options)) {}

SampledField::SampledField(const DistanceField& exact, const Aabb& bounds, const FieldOptions& options)
    : a_(build_field([&](const Vec3& p) { return exact.value(p); }, bounds, options)) {}

double SampledField::value(const Vec3& at) const {
  const Vec3 u = (at - a_.lower) * (1 / a_.index_cell);
  return in_domain(a_, u) ? place_at(a_, at, u).value(a_.band) : outside_domain(a_, at).value;
}

FieldSample SampledField::sample(const Vec3& at) const {
  const Vec3 u = (at - a_.lower) * (1 / a_.index_cell);
  return in_domain(a_, u) ? place_at(a_, at, u).sample(a_.band) : outside_domain(a_, at);
}

void SampledField::values(std::span<const Vec3> at, std::span<double> out) const {
  in_groups(
      a_, at, out, [&](const PlaceInBlock& p) { return p.value(a_.band); },
      [&](const Vec3& p) { return outside_domain(a_, p).value; });
}

void SampledField::samples(std::span<const Vec3> at, std::span<FieldSample> out) const {
  in_groups(
      a_, at, out, [&](const PlaceInBlock& p) { return p.sample(a_.band); },
      [&](const Vec3& p) { return outside_domain(a_, p); });
}

std::size_t SampledField::bytes() const {
  return a_.index.size() * 4 + a_.nodes.size() * 32 + a_.blocks.size() * sizeof(FieldArrays::Block) +
         a_.float_samples.size() * 4;
}

}   // namespace stickslip
