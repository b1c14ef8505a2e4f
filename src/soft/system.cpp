#include <algorithm>
#include <limits>
#include <utility>

#include "soft/principal.h"
#include "stickslip/math/error.h"
#include "stickslip/math/sparse_factor.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip {

namespace {

/// Per node: itself and the nodes that share an element with it, increasing.
std::vector<std::vector<std::uint32_t>> neighbours(std::size_t nodes, std::span<const Tetrahedron> tetrahedra) {
  std::vector<std::vector<std::uint32_t>> near(nodes);
  for (const Tetrahedron& t : tetrahedra)
    for (const std::uint32_t i : t) near[i].insert(near[i].end(), t.begin(), t.end());
  for (auto& list : near) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return near;
}

/// The six blocks K(i, j), i ≤ j, of nodes b, c, d, and what follows for a from their sums being zero: all 16, at 4 j + i.
///
/// With g the gradients of the shape functions in the frame V, the form of dF = dx gᵀ has few terms in the frame U of dx.
void element_blocks(const PrincipalForm& form, const Mat3& inverse_shape, double volume, std::array<Mat3, 16>& blocks) {
  const Mat3 g = volume * inverse_shape * form.frame.v, h = inverse_shape * form.frame.v;   // one row per node
  const Mat3& u = form.frame.u;
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) {
      Mat3 k;
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        k(i, i) = form.stretch(i, i) * g(a, i) * h(b, i) + form.shear(i, j) * g(a, j) * h(b, j) +
                  form.shear(i, l) * g(a, l) * h(b, l);
        k(i, j) = form.stretch(i, j) * g(a, i) * h(b, j) + form.swap(i, j) * g(a, j) * h(b, i);
        k(j, i) = form.stretch(i, j) * g(a, j) * h(b, i) + form.swap(i, j) * g(a, i) * h(b, j);
      }
      const Mat3 block = u * k * u.transpose();
      blocks[4 * (b + 1) + a + 1] = block;
      if (a != b) blocks[4 * (a + 1) + b + 1] = block.transpose();
    }
  for (int b = 1; b < 4; ++b) {
    blocks[4 * b] = -(blocks[4 * b + 1] + blocks[4 * b + 2] + blocks[4 * b + 3]);
    blocks[b] = blocks[4 * b].transpose();
  }
  blocks[0] = -(blocks[4] + blocks[8] + blocks[12]);
  // The matrix is symmetric to the bit.
  for (int a = 0; a < 4; ++a)
    for (const auto& [i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) blocks[5 * a](i, j) = blocks[5 * a](j, i);
}

}   // namespace

ElasticSolid::System::System(const ElasticSolid& solid) : solid_(&solid) {
  const auto near = neighbours(solid.nodes(), solid.tetrahedra());
  const auto n = static_cast<Eigen::Index>(3 * solid.nodes());
  std::size_t numbers = 0;
  for (const auto& list : near) numbers += 9 * list.size();
  if (numbers > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error("A soft body of so many nodes does not fit into one matrix. Use larger tetrahedra.").at("tetrahedra");
  pattern_.resize(n, n);
  pattern_.reserve(static_cast<Eigen::Index>(numbers));
  std::vector<std::uint32_t> start(solid.nodes());
  for (std::size_t j = 0; j < near.size(); ++j) {
    heights_.push_back(static_cast<std::uint32_t>(3 * near[j].size()));
    start[j] = static_cast<std::uint32_t>(pattern_.data().size());
    for (int c = 0; c < 3; ++c) {
      const auto column = static_cast<Eigen::Index>(3 * j) + c;
      pattern_.startVec(column);
      for (const std::uint32_t i : near[j])
        for (int r = 0; r < 3; ++r) pattern_.insertBack(3 * static_cast<Eigen::Index>(i) + r, column) = 0;
    }
  }
  pattern_.finalize();
  const auto place = [&](std::uint32_t i, std::uint32_t j) {
    const auto at = std::lower_bound(near[j].begin(), near[j].end(), i) - near[j].begin();
    return start[j] + 3 * static_cast<std::uint32_t>(at);
  };
  for (std::uint32_t i = 0; i < solid.nodes(); ++i) diagonal_.push_back(place(i, i));
  places_.resize(solid.elements());
  for (std::size_t e = 0; e < solid.elements(); ++e)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) places_[e][4 * j + i] = place(solid.tetrahedra()[e][i], solid.tetrahedra()[e][j]);
}

void ElasticSolid::System::add_element(std::size_t e, std::span<const Vec3> x, const Factors& factors, bool projected,
                                       double* values) const {
  const ElasticSolid& s = *solid_;
  const SoftMaterial& material = s.material_;
  const Mat3 f = s.deformation_gradient(e, x);
  PrincipalForm form = principal_hessian(s.lame_, material.model, f, factors.stiffness, projected);
  const double beta = material.stiffness_damping, l = beta * s.lame_.lambda, m = 2 * beta * s.lame_.mu + material.viscosity;
  if (m > 0 && factors.damping != 0) add_strain_rate_form(l, m, factors.damping, material.model == SoftModel::linear, form);
  std::array<Mat3, 16> blocks;
  element_blocks(form, s.inverse_shapes_[e], s.volumes_[e], blocks);
  if (factors.mass_matrix == MassMatrix::consistent) {
    const double mass = (factors.mass + factors.damping * material.mass_damping) * material.density * s.volumes_[e] / 20;
    for (int k = 0; k < 16; ++k) blocks[k].diagonal().array() += k % 5 == 0 ? 2 * mass : mass;
  }
  for (int j = 0; j < 4; ++j) {
    const std::uint32_t height = heights_[s.tetrahedra_[e][j]];
    for (int i = 0; i < 4; ++i) {
      double* at = values + places_[e][4 * j + i];
      const double* block = blocks[4 * j + i].data();
      for (int c = 0; c < 3; ++c, at += height, block += 3) at[0] += block[0], at[1] += block[1], at[2] += block[2];
    }
  }
}

void ElasticSolid::System::assemble(std::span<const Vec3> x, const Factors& factors, bool projected, Matrix& out) const {
  if (!same_pattern(out, pattern_)) out = pattern_;
  double* values = out.valuePtr();
  std::fill_n(values, out.nonZeros(), 0.0);
  for (std::size_t e = 0; e < solid_->elements(); ++e) add_element(e, x, factors, projected, values);
  if (factors.mass_matrix != MassMatrix::lumped) return;
  const double mass = factors.mass + factors.damping * solid_->material_.mass_damping;
  for (std::size_t i = 0; i < solid_->nodes(); ++i)
    for (int c = 0; c < 3; ++c)
      values[diagonal_[i] + static_cast<std::size_t>(c) * (heights_[i] + 1)] += mass * solid_->masses_[i];
}

}   // namespace stickslip
