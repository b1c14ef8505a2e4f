#include "stickslip/field/sampled_field.h"

#include <cmath>

#include "field/field_builder.h"

namespace stickslip {

namespace {

constexpr double kHalfDiagonal = 0.8660254037844387;   // √3/2, of a unit cube

/// Trilinear interpolation between eight samples: x, y, z in [0, 1], `step_x`, `step_y` samples apart, z neighbours adjacent.
struct Trilinear {
  double c00, c01, c10, c11, d00, d01, d10, d11;   // first digit x, second y; c at lower z, d at upper z

  Trilinear(const float* s, std::size_t step_x, std::size_t step_y)
      : c00(s[0]), c01(s[step_y]), c10(s[step_x]), c11(s[step_x + step_y]), d00(s[1]), d01(s[step_y + 1]), d10(s[step_x + 1]),
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

/// Cell and place in it along one axis of a lattice with `cells` cells.
struct LatticePlace {
  int cell;
  double t;
  LatticePlace(double u, int cells) : cell(std::min(std::max(static_cast<int>(u), 0), cells - 1)), t(u - cell) {}
};

/// What a sample of an interpolant says beyond the band: a lower bound on the right side.
double beyond_band(double interpolated, double band, double cell) {
  const double size = std::max(band, std::abs(interpolated) - kHalfDiagonal * cell);
  return interpolated < 0 ? -size : size;
}

/// Cube of the index or of the octree below it that a place of the domain lies in. @param u place in cubes of the index
std::uint32_t cube_at(const FieldArrays& a, const Vec3& u) {
  const int x = static_cast<int>(u.x()), y = static_cast<int>(u.y()), z = static_cast<int>(u.z());
  std::uint32_t entry = a.index[(static_cast<std::size_t>(x) * a.dims[1] + y) * a.dims[2] + z];
  if (entry < FieldArrays::kNode || entry >= FieldArrays::kFarOutside) return entry;
  Vec3 rest = u - Vec3(x, y, z);
  while (entry >= FieldArrays::kNode && entry < FieldArrays::kFarOutside) {
    rest *= 2;
    const int i = rest.x() >= 1, j = rest.y() >= 1, k = rest.z() >= 1;
    rest -= Vec3(i, j, k);
    entry = a.nodes[entry & ~FieldArrays::kNode][i + 2 * j + 4 * k];
  }
  return entry;
}

template <class Result, class Evaluate>
Result in_block(const FieldArrays& a, std::uint32_t number, const Vec3& at, Evaluate&& evaluate) {
  const FieldArrays::Block& block = a.blocks[number];
  const Vec3 u = (at - block.lower) * block.inverse_cell;
  const LatticePlace x(u.x(), FieldArrays::kCells), y(u.y(), FieldArrays::kCells), z(u.z(), FieldArrays::kCells);
  const float* first = a.float_samples.data() + static_cast<std::size_t>(number) * FieldArrays::kBlockSize;
  const Trilinear cell(first + (x.cell * FieldArrays::kSide + y.cell) * FieldArrays::kSide + z.cell, FieldArrays::kSide * FieldArrays::kSide,
                       FieldArrays::kSide);
  return evaluate(cell, x.t, y.t, z.t, block.inverse_cell);
}

double value_in_block(const FieldArrays& a, std::uint32_t number, const Vec3& at) {
  return in_block<double>(a, number, at, [&](const Trilinear& cell, double x, double y, double z, double inverse) {
    const double v = cell.value(x, y, z);
    return std::abs(v) <= a.band ? v : beyond_band(v, a.band, 1 / inverse);
  });
}

FieldSample sample_in_block(const FieldArrays& a, std::uint32_t number, const Vec3& at) {
  return in_block<FieldSample>(a, number, at, [&](const Trilinear& cell, double x, double y, double z, double inverse) {
    FieldSample s = cell.sample(x, y, z);
    s.gradient *= inverse;
    if (std::abs(s.value) > a.band) s.value = beyond_band(s.value, a.band, 1 / inverse);
    return s;
  });
}

template <class Evaluate>
auto in_coarse_cell(const FieldArrays& a, const Vec3& at, Evaluate&& evaluate) {
  const Vec3 u = (at - a.lower) * (1 / a.coarse_cell);
  const LatticePlace x(u.x(), a.coarse_dims[0] - 1), y(u.y(), a.coarse_dims[1] - 1), z(u.z(), a.coarse_dims[2] - 1);
  const std::size_t row = static_cast<std::size_t>(a.coarse_dims[2]), plane = row * a.coarse_dims[1];
  return evaluate(Trilinear(a.coarse_float_samples.data() + x.cell * plane + y.cell * row + z.cell, plane, row), x.t, y.t, z.t);
}

/// Far from the surface on a known side.
double coarse_bound(const FieldArrays& a, double interpolated, bool inside) {
  const double side = inside ? -1 : 1;
  return side * std::max(a.band, side * interpolated - kHalfDiagonal * a.coarse_cell);
}

double coarse_value(const FieldArrays& a, const Vec3& at, bool inside) {
  const auto value = [](const Trilinear& cell, double x, double y, double z) { return cell.value(x, y, z); };
  return coarse_bound(a, in_coarse_cell(a, at, value), inside);
}

FieldSample coarse_sample(const FieldArrays& a, const Vec3& at, bool inside) {
  FieldSample s = in_coarse_cell(a, at, [](const Trilinear& cell, double x, double y, double z) { return cell.sample(x, y, z); });
  s.gradient /= a.coarse_cell;
  s.value = coarse_bound(a, s.value, inside);
  return s;
}

FieldSample sample_in_domain(const FieldArrays& a, const Vec3& at, const Vec3& u) {
  const std::uint32_t cube = cube_at(a, u);
  if (cube < FieldArrays::kNode) return sample_in_block(a, cube, at);
  return coarse_sample(a, at, cube == FieldArrays::kFarInside);
}

/// Outside the domain D, with q the nearest point of D: the solid lies in the convex D, so |p − s|² ≥ |p − q|² + |q − s|² for all its points s.
FieldSample outside_domain(const FieldArrays& a, const Vec3& at) {
  const Vec3 size = a.index_cell * Vec3(a.dims[0], a.dims[1], a.dims[2]);
  const Vec3 q = at.cwiseMax(a.lower).cwiseMin(a.lower + size);
  const Vec3 dims(a.dims[0], a.dims[1], a.dims[2]);
  const Vec3 u = ((q - a.lower) / a.index_cell).cwiseMax(0).cwiseMin((dims.array() * (1 - 1e-12)).matrix());
  const FieldSample edge = sample_in_domain(a, q, u);
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

double value_of(const FieldArrays& a, double inverse_index_cell, const Vec3& at) {
  const Vec3 u = (at - a.lower) * inverse_index_cell;
  if (!in_domain(a, u)) return outside_domain(a, at).value;
  const std::uint32_t cube = cube_at(a, u);
  if (cube < FieldArrays::kNode) return value_in_block(a, cube, at);
  return coarse_value(a, at, cube == FieldArrays::kFarInside);
}

FieldSample sample_of(const FieldArrays& a, double inverse_index_cell, const Vec3& at) {
  const Vec3 u = (at - a.lower) * inverse_index_cell;
  return in_domain(a, u) ? sample_in_domain(a, at, u) : outside_domain(a, at);
}

}  // namespace

SampledField::SampledField(const MeshSurface& surface, const FieldOptions& options) : a_(build_field(surface, options)) {}

SampledField::SampledField(const DistanceField& exact, const Aabb& bounds, const FieldOptions& options)
    : a_(build_field([&](const Vec3& p) { return exact.value(p); }, bounds, options)) {}

double SampledField::value(const Vec3& at) const { return value_of(a_, 1 / a_.index_cell, at); }
FieldSample SampledField::sample(const Vec3& at) const { return sample_of(a_, 1 / a_.index_cell, at); }

void SampledField::values(std::span<const Vec3> at, std::span<double> out) const {
  const double inverse = 1 / a_.index_cell;
  for (std::size_t i = 0; i < at.size(); ++i) out[i] = value_of(a_, inverse, at[i]);
}

void SampledField::samples(std::span<const Vec3> at, std::span<FieldSample> out) const {
  const double inverse = 1 / a_.index_cell;
  for (std::size_t i = 0; i < at.size(); ++i) out[i] = sample_of(a_, inverse, at[i]);
}

std::size_t SampledField::bytes() const {
  return a_.index.size() * 4 + a_.nodes.size() * 32 + a_.blocks.size() * sizeof(FieldArrays::Block) +
         (a_.float_samples.size() + a_.coarse_float_samples.size()) * 4;
}

}  // namespace stickslip
