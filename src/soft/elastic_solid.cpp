#include "stickslip/soft/elastic_solid.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stickslip/math/error.h"
#include "stickslip/soft/energy.h"

namespace stickslip {

namespace {

/// (b − a, c − a, d − a) of anything that is given per node.
Mat3 differences(const Tetrahedron& t, std::span<const Vec3> x) {
  Mat3 d;
  for (int k = 0; k < 3; ++k) d.col(k) = x[t[k + 1]] - x[t[0]];
  return d;
}

/// f −= forces of an element, given those of its nodes b, c, d as columns; a takes what the sum of all must be zero for.
void subtract(const Tetrahedron& t, const Mat3& forces, std::span<Vec3> f) {
  for (int k = 0; k < 3; ++k) f[t[k + 1]] -= forces.col(k);
  f[t[0]] += forces.rowwise().sum();
}

/// The rate of strain that damping acts on.
Mat3 strain_rate(SoftModel model, const Mat3& f, const Mat3& rate) {
  const Mat3 a = model == SoftModel::linear ? rate : Mat3(f.transpose() * rate);
  return 0.5 * (a + a.transpose());
}

/// "3 (-0.1 m³), 7 (0 m³) …"
std::string list_elements(const std::vector<std::size_t>& elements, const std::vector<double>& volumes) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(elements.size(), 5); ++i)
    text += fmt::format("{}{} ({:.3g} m³)", i == 0 ? "" : ", ", elements[i], volumes[elements[i]]);
  return elements.size() > 5 ? text + " …" : text;
}

}   // namespace

std::vector<std::array<std::uint32_t, 3>> boundary_triangles(std::span<const Tetrahedron> tetrahedra) {
  return boundary(tetrahedra).triangles;
}

ElasticSolid::ElasticSolid(std::vector<Vec3> rest, std::vector<Tetrahedron> tetrahedra, SoftMaterial material)
    : rest_(std::move(rest)), tetrahedra_(std::move(tetrahedra)), material_(material) {
  try {
    validate(material_);
  } catch (Error& e) {
    throw e.at("material");
  }
  lame_ = lame(material_.young, material_.poisson);
  check_nodes();
  measure_elements();
}

void ElasticSolid::check_nodes() const {
  if (tetrahedra_.empty()) throw Error("A soft body needs at least one tetrahedron, and this one has none.").at("tetrahedra");
  for (std::size_t i = 0; i < rest_.size(); ++i)
    if (!rest_[i].allFinite())
      throw Error(
          fmt::format("({}, {}, {}) is not a point. Coordinates must be finite.", rest_[i].x(), rest_[i].y(), rest_[i].z()))
          .at(std::to_string(i))
          .at("nodes");
  std::vector<char> used(rest_.size(), 0);
  for (std::size_t e = 0; e < tetrahedra_.size(); ++e) {
    const auto place = [&](Error&& error) { return error.at(std::to_string(e)).at("tetrahedra"); };
    Tetrahedron sorted = tetrahedra_[e];
    std::sort(sorted.begin(), sorted.end());
    for (int k = 0; k < 4; ++k) {
      if (sorted[k] >= rest_.size())
        throw place(Error(fmt::format("There is no node {}: there are {}, counted from 0.", sorted[k], rest_.size())));
      if (k > 0 && sorted[k] == sorted[k - 1])
        throw place(Error(fmt::format("Node {} stands there twice. A tetrahedron has four different nodes.", sorted[k])));
      used[sorted[k]] = 1;
    }
  }
  const auto unused = std::count(used.begin(), used.end(), 0);
  if (unused > 0)
    throw Error(
        fmt::format("{} of {} nodes belong to no tetrahedron, the first of them is {}. Such a node has no mass; leave it "
                    "out.",
                    unused, rest_.size(), std::find(used.begin(), used.end(), 0) - used.begin()))
        .at("nodes");
}

void ElasticSolid::measure_elements() {
  inverse_shapes_.reserve(elements());
  volumes_.reserve(elements());
  masses_.assign(nodes(), 0);
  std::vector<std::size_t> bad;
  for (std::size_t e = 0; e < elements(); ++e) {
    const Tetrahedron& t = tetrahedra_[e];
    const Mat3 shape = differences(t, rest_);
    volumes_.push_back(tet_volume(rest_[t[0]], rest_[t[1]], rest_[t[2]], rest_[t[3]]));
    const double length = shape.colwise().norm().maxCoeff();
    // Flatter than this the inverse has no digits left.
    if (!(volumes_[e] > 1e-12 * length * length * length)) bad.push_back(e);
    inverse_shapes_.push_back(shape.inverse());
    volume_ += volumes_[e];
    for (const std::uint32_t node : t) masses_[node] += 0.25 * material_.density * volumes_[e];
  }
  if (!bad.empty())
    throw Error(
        fmt::format("{} of {} tetrahedra are inverted or flat: {}. Volumes must be greater than 0; swap two nodes of an "
                    "inverted one, leave out flat ones.",
                    bad.size(), elements(), list_elements(bad, volumes_)))
        .at("tetrahedra");
}

Mat3 ElasticSolid::deformation_gradient(std::size_t e, std::span<const Vec3> x) const {
  return differences(tetrahedra_[e], x) * inverse_shapes_[e];
}

double ElasticSolid::element_energy(std::size_t e, std::span<const Vec3> x) const {
  return volumes_[e] * energy_density(lame_, material_.model, deformation_gradient(e, x));
}

double ElasticSolid::energy(std::span<const Vec3> x) const {
  double sum = 0;
  for (std::size_t e = 0; e < elements(); ++e) sum += element_energy(e, x);
  return sum;
}

void ElasticSolid::add_forces(std::span<const Vec3> x, std::span<Vec3> f) const {
  for (std::size_t e = 0; e < elements(); ++e) {
    const Mat3 p = first_piola(lame_, material_.model, deformation_gradient(e, x));
    subtract(tetrahedra_[e], volumes_[e] * p * inverse_shapes_[e].transpose(), f);
  }
}

void ElasticSolid::add_mass_times(double factor, std::span<const Vec3> v, std::span<Vec3> f, MassMatrix kind) const {
  if (kind == MassMatrix::lumped) {
    for (std::size_t i = 0; i < nodes(); ++i) f[i] += factor * masses_[i] * v[i];
    return;
  }
  for (std::size_t e = 0; e < elements(); ++e) {
    const Tetrahedron& t = tetrahedra_[e];
    const double m = factor * material_.density * volumes_[e] / 20;
    const Vec3 sum = v[t[0]] + v[t[1]] + v[t[2]] + v[t[3]];
    for (const std::uint32_t node : t) f[node] += m * (sum + v[node]);
  }
}

void ElasticSolid::add_damping(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f, MassMatrix kind,
                               double since) const {
  if (material_.mass_damping > 0) add_mass_times(-material_.mass_damping, v, f, kind);
  const double beta = material_.stiffness_damping, l = beta * lame_.lambda, m = 2 * beta * lame_.mu + material_.viscosity;
  if (m == 0) return;
  const bool linear = material_.model == SoftModel::linear;
  for (std::size_t e = 0; e < elements(); ++e) {
    const Mat3 g = deformation_gradient(e, x), rate = differences(tetrahedra_[e], v) * inverse_shapes_[e];
    const Mat3 strain = strain_rate(material_.model, g - since / 2 * rate, rate);
    const Mat3 s = l * strain.trace() * Mat3::Identity() + m * strain;
    const Mat3 p = linear ? s : Mat3(g * s);
    subtract(tetrahedra_[e], volumes_[e] * p * inverse_shapes_[e].transpose(), f);
  }
}

double ElasticSolid::dissipation(std::span<const Vec3> x, std::span<const Vec3> v, MassMatrix kind, double since) const {
  double sum = 0;
  if (material_.mass_damping > 0 && kind == MassMatrix::lumped)
    for (std::size_t i = 0; i < nodes(); ++i) sum += material_.mass_damping * masses_[i] * v[i].squaredNorm();
  const double beta = material_.stiffness_damping, l = beta * lame_.lambda, m = 2 * beta * lame_.mu + material_.viscosity;
  for (std::size_t e = 0; e < elements(); ++e) {
    const Tetrahedron& t = tetrahedra_[e];
    if (material_.mass_damping > 0 && kind == MassMatrix::consistent) {
      const Vec3 total = v[t[0]] + v[t[1]] + v[t[2]] + v[t[3]];
      double squares = total.squaredNorm();
      for (const std::uint32_t node : t) squares += v[node].squaredNorm();
      sum += material_.mass_damping * material_.density * volumes_[e] / 20 * squares;
    }
    if (m == 0) continue;
    const Mat3 rate = differences(t, v) * inverse_shapes_[e];
    const Mat3 strain = strain_rate(material_.model, deformation_gradient(e, x) - since / 2 * rate, rate);
    sum += volumes_[e] * (l * strain.trace() * strain.trace() + m * strain.squaredNorm());
  }
  return sum;
}

Mat3 ElasticSolid::cauchy_stress(std::size_t e, std::span<const Vec3> x) const {
  const Mat3 f = deformation_gradient(e, x), p = first_piola(lame_, material_.model, f);
  if (material_.model == SoftModel::linear) return p;
  return p * f.transpose() / std::max(std::abs(f.determinant()), std::numeric_limits<double>::min());
}

std::array<double, 4> ElasticSolid::rest_weights(std::size_t e, const Vec3& point) const {
  const Vec3 w = inverse_shapes_[e] * (point - rest_[tetrahedra_[e][0]]);
  return {1 - w.sum(), w[0], w[1], w[2]};
}

double von_mises(const Mat3& stress) {
  const Mat3 deviator = stress - stress.trace() / 3 * Mat3::Identity();
  return std::sqrt(1.5) * deviator.norm();
}

}   // namespace stickslip
