// Contact problems over every kind of velocity segment: rigid bodies, lumped nodes and nodes that a matrix couples.
#pragma once

#include <random>

#include "stickslip/problem/contact_problem.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip::testing {

/// A chain of nodes with masses, each tied to the next one by a spring: A = m I
/// + k L, in as many dimensions as a node has numbers.
inline CoupledMass::Matrix chain_mass(int nodes, int size, double mass, double stiffness) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < nodes; ++i)
    for (int c = 0; c < size; ++c) {
      const int at = size * i + c;
      entries.emplace_back(at, at, mass + stiffness * ((i > 0) + (i + 1 < nodes)));
      if (i + 1 < nodes) entries.emplace_back(at, at + size, -stiffness), entries.emplace_back(at + size, at, -stiffness);
    }
  CoupledMass::Matrix a(size * nodes, size * nodes);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

/// Adds a contact of Coulomb's law with a Jacobian of random numbers on these segments.
inline void add_random_contact(ContactProblem& p, const std::vector<std::uint32_t>& segments, double mu, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  Block block;
  block.row = static_cast<std::uint32_t>(p.b.size());
  block.jacobian = static_cast<std::uint32_t>(p.jacobian_values.size());
  p.set_segments(block, segments);
  for (const std::uint32_t s : segments)
    for (int k = 0; k < 3 * p.segments[s].size; ++k) p.jacobian_values.push_back(number(random));
  for (int k = 0; k < 3; ++k) p.b.push_back(k == 0 ? -1 : number(random)), p.sigma.push_back(0);
  p.laws.emplace_back(CircularFriction{mu});
  p.blocks.push_back(block);
}

/// Two rigid bodies, three lumped nodes and, if asked for, two chains of four nodes, with contacts of one to seven segments.
inline ContactProblem problem_of_all_segments(bool coupled, unsigned seed = 1) {
  std::mt19937 random(seed);
  ContactProblem p;
  const Mat3 inertia = Vec3(1, 2, 4).asDiagonal();
  p.segments = {{0.5, inertia}, {2, 0.1 * inertia}, {1, Mat3::Zero(), 3}, {4, Mat3::Zero(), 3}, {0.25, Mat3::Zero(), 2}};
  if (coupled)
    for (const int size : {3, 1}) {
      const auto first = static_cast<std::uint32_t>(p.segments.size());
      for (int i = 0; i < 4; ++i) p.segments.push_back({0, Mat3::Zero(), static_cast<std::uint8_t>(size)});
      p.carriers.push_back({first, 4, std::make_shared<CoupledMass>(chain_mass(4, size, 1, 3))});
    }
  std::vector<std::vector<std::uint32_t>> stencils = {{0}, {0, 1}, {1, 2}, {2, 3}, {4}, {0, 2, 3}, {0, 1, 2, 3, 4}};
  if (coupled) stencils.insert(stencils.end(), {{5, 6}, {0, 8}, {1, 2, 5, 6, 7, 9, 12}, {10, 11}});
  for (const auto& stencil : stencils) add_random_contact(p, stencil, 0.4, random);
  p.sigma[4] = 0.01;
  p.finalize();
  return p;
}

/// J as a dense matrix, from its definition.
inline Eigen::MatrixXd dense_jacobian(const ContactProblem& p) {
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(p.rows()), static_cast<Eigen::Index>(p.velocity_size()));
  for (const Block& block : p.blocks) {
    const double* value = p.jacobian_values.data() + block.jacobian;
    for (const std::uint32_t s : p.segments_of(block))
      for (std::uint32_t k = 0; k < block.dim; ++k)
        for (std::uint32_t c = 0; c < p.segments[s].size; ++c) j(block.row + k, p.offset(s) + c) = *value++;
  }
  return j;
}

/// M⁻¹ as a dense matrix, from its definition.
inline Eigen::MatrixXd dense_inverse_mass(const ContactProblem& p) {
  const auto n = static_cast<Eigen::Index>(p.velocity_size());
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
  for (std::uint32_t s = 0; s < p.segments.size(); ++s) {
    const int size = p.segments[s].size, translations = std::min(size, 3);
    m.block(p.offset(s), p.offset(s), translations, translations) =
        p.segments[s].inverse_mass * Eigen::MatrixXd::Identity(translations, translations);
    if (size == kRigidSize) m.block(p.offset(s) + 3, p.offset(s) + 3, 3, 3) = p.segments[s].inverse_inertia;
  }
  for (const Carrier& carrier : p.carriers) {
    const auto size = static_cast<Eigen::Index>(carrier.mass->size());
    m.block(p.offset(carrier.first), p.offset(carrier.first), size, size) = carrier.mass->matrix().toDense().inverse();
  }
  return m;
}

}   // namespace stickslip::testing
