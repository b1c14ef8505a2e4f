#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "math/infinity.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/views.h"

namespace stickslip {

namespace {

void check_directions(int directions) {
  if (directions < 4 || directions % 2 != 0)
    throw Error(
        fmt::format("{} directions do not make a friction polygon. Their number must be even and at least 4.", directions))
        .at("directions");
}

/// Collects the unknowns block by block.
struct Unknowns {
  Lcp& lcp;

  void add(Lcp::Role role, std::uint32_t row, double first = 0, double second = 0, double mu = 0) {
    lcp.variables.push_back({role, row, {first, second}});
    lcp.mu.push_back(mu);
  }
  void add_split(std::uint32_t row) {
    add(Lcp::Role::positive, row, 1);
    add(Lcp::Role::negative, row, -1);
  }
  /// The corners of the polygon over the largest of them, in the order of their angles.
  template <class Law>
  void add_friction(const Law& law, std::uint32_t row, int directions) {
    if constexpr (Law::rows <= 2) {
      const std::vector<typename Law::Vector> corners = polyhedron(law, directions);
      double largest = 0;
      for (const auto& corner : corners) largest = std::max(largest, corner.norm());
      if (!(largest > 0)) return;
      for (const auto& corner : corners)
        if (!corner.isZero(0))
          add(Lcp::Role::friction, row, corner[0] / largest, Law::rows > 1 ? corner[Law::rows - 1] / largest : 0);
      add(Lcp::Role::slack, row, 0, 0, largest);
    }
  }

  void add_box(std::uint32_t row, double lower, double upper) {
    if (lower == upper) {
      lcp.offset[row] = lower;
    } else if (lower > -kInfinity) {
      lcp.offset[row] = lower;
      add(Lcp::Role::above, row, 1);
      if (upper < kInfinity) add(Lcp::Role::excess, row);
    } else if (upper < kInfinity) {
      lcp.offset[row] = upper;
      add(Lcp::Role::below, row, -1);
    } else {
      add_split(row);
    }
  }

  void add_block(const ContactProblem& p, std::size_t index, int directions) {
    const Block& block = p.blocks[index];
    if (block.kind == BlockKind::contact) {
      add(Lcp::Role::normal, block.row, 1);
      if (block.dim == 1) return;
      std::visit([&](const auto& law) { add_friction(law, block.row + 1, directions); }, p.laws[index]);
      return;
    }
    for (std::uint32_t row = block.row; row < block.row + block.dim; ++row) {
      if (block.kind == BlockKind::bilateral) add_split(row);
      else add_box(row, p.lower[row], p.upper[row]);
    }
  }
};

/// Adds what is not Sᵀ W S: the links between a contact's friction and its slack, and between a box row and its excess.
void add_links(Lcp& lcp, const std::vector<double>& lower, const std::vector<double>& upper) {
  Eigen::Index normal = 0, first_friction = 0;
  for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(lcp.size()); ++j) {
    const Lcp::Variable& variable = lcp.variables[j];
    switch (variable.role) {
      case Lcp::Role::normal:
        normal = j;
        first_friction = j + 1;
        break;
      case Lcp::Role::slack:
        lcp.M.col(j).segment(first_friction, j - first_friction).setOnes();
        lcp.M.row(j).segment(first_friction, j - first_friction).setConstant(-1);
        lcp.M(j, normal) = lcp.mu[j];
        break;
      case Lcp::Role::excess:
        lcp.M(j - 1, j) = 1;
        lcp.M(j, j - 1) = -1;
        lcp.q[j] = upper[variable.row] - lower[variable.row];
        break;
      default:
        break;
    }
  }
}

}   // namespace

std::string_view no_polygon_because(const FrictionSet& law) {
  if (law_rows(law) > 2)
    return "Friction with torsion or rolling has no polygon: the linear model takes friction in the tangents only.";
  if (!std::visit([](const auto& l) { return l.scales_with_normal(); }, law))
    return "A friction bound that does not depend on the normal impulse has no place in the linear model.";
  return {};
}

std::string_view no_lcp_because(const ContactProblem& p) {
  for (std::size_t i = 0; i < p.blocks.size(); ++i)
    if (p.blocks[i].kind == BlockKind::contact && p.blocks[i].dim > 1)
      if (const std::string_view reason = no_polygon_because(p.laws[i]); !reason.empty()) return reason;
  return {};
}

std::size_t lcp_size(const ContactProblem& p, int directions) {
  check_directions(directions);
  Lcp counted;
  counted.offset.resize(p.rows());
  Unknowns unknowns{counted};
  for (std::size_t i = 0; i < p.blocks.size(); ++i) unknowns.add_block(p, i, directions);
  return counted.size();
}

Lcp as_lcp(const ContactProblem& p, int directions) {
  check_directions(directions);
  if (const std::string_view reason = no_lcp_because(p); !reason.empty()) throw Error(std::string(reason));
  Lcp lcp;
  lcp.offset.assign(p.rows(), 0.0);
  Unknowns unknowns{lcp};
  std::vector<Eigen::Index> start;   // first unknown of every block
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    start.push_back(static_cast<Eigen::Index>(lcp.size()));
    unknowns.add_block(p, i, directions);
  }
  const auto size = static_cast<Eigen::Index>(lcp.size());
  start.push_back(size);

  // S of one block.
  const auto columns = [&](std::size_t block) {
    Eigen::MatrixXd s = Eigen::MatrixXd::Zero(p.blocks[block].dim, start[block + 1] - start[block]);
    for (Eigen::Index j = start[block]; j < start[block + 1]; ++j) {
      const Eigen::Index row = lcp.variables[j].row - p.blocks[block].row;
      for (Eigen::Index k = 0; k < 2 && row + k < s.rows(); ++k) s(row + k, j - start[block]) = lcp.variables[j].weight[k];
    }
    return s;
  };
  const BlockMatrix w = delassus(p);
  std::vector<Eigen::MatrixXd> s;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) s.push_back(columns(i));
  lcp.M = Eigen::MatrixXd::Zero(size, size);
  lcp.q = Eigen::VectorXd::Zero(size);
  for (std::size_t i = 0; i < w.blocks(); ++i) {
    const Eigen::Index count = start[i + 1] - start[i];
    Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(p.b.data() + p.blocks[i].row, p.blocks[i].dim);
    for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) {
      const std::uint32_t j = w.column[e];
      const Eigen::MatrixXd left = s[i].transpose() * w.entry(i, e);
      lcp.M.block(start[i], start[j], count, start[j + 1] - start[j]) = left * s[j];
      v += w.entry(i, e) * Eigen::Map<const Eigen::VectorXd>(lcp.offset.data() + p.blocks[j].row, p.blocks[j].dim);
    }
    lcp.q.segment(start[i], count) = s[i].transpose() * v;
  }
  add_links(lcp, p.lower, p.upper);
  return lcp;
}

void Lcp::impulses(std::span<const double> z, std::span<double> impulses) const {
  std::copy(offset.begin(), offset.end(), impulses.begin());
  for (std::size_t j = 0; j < variables.size(); ++j)
    for (int k = 0; k < 2; ++k)
      if (variables[j].weight[k] != 0) impulses[variables[j].row + k] += variables[j].weight[k] * z[j];
}

namespace {

/// Unknowns of the fan of a contact whose first direction is variable j, its slack among them. @returns the place of the slack
std::size_t set_fan(const Lcp& lcp, std::size_t j, std::span<const double> impulses, std::span<const double> velocity,
                    Eigen::VectorXd& z) {
  const std::uint32_t row = lcp.variables[j].row;
  // The whole fan of this contact at once: directions j … end − 1, slack at end.
  std::size_t end = j;
  while (lcp.variables[end].role == Lcp::Role::friction) ++end;
  const std::size_t count = end - j;
  double slip = 0;
  for (std::size_t i = j; i < end; ++i) {
    double along = lcp.variables[i].weight[0] * velocity[row];
    if (lcp.variables[i].weight[1] != 0) along += lcp.variables[i].weight[1] * velocity[row + 1];
    slip = std::max(slip, -along);
  }
  z[end] = slip;
  if (count == 2 && lcp.variables[j].weight[1] == 0 && lcp.variables[j + 1].weight[1] == 0) {
    z[j] = std::max(impulses[row], 0.0);
    z[j + 1] = std::max(-impulses[row], 0.0);
  } else {
    const Vec2 friction(impulses[row], impulses[row + 1]);
    for (std::size_t i = 0; i < count; ++i) {
      const Lcp::Variable &a = lcp.variables[j + i], &b = lcp.variables[j + (i + 1) % count];
      // friction = x a + y b, with both weights of one sign in the sector between a and b alone.
      const double determinant = a.weight[0] * b.weight[1] - a.weight[1] * b.weight[0];
      const double x = (friction[0] * b.weight[1] - friction[1] * b.weight[0]) / determinant;
      const double y = (a.weight[0] * friction[1] - a.weight[1] * friction[0]) / determinant;
      if (x > 0 && y >= 0) {
        z[j + i] = x;
        z[j + (i + 1) % count] = y;
        break;
      }
    }
  }
  return end;
}

}   // namespace

Eigen::VectorXd Lcp::unknowns(std::span<const double> impulses, std::span<const double> velocity) const {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(size()));
  for (std::size_t j = 0; j < size(); ++j) {
    const Variable& variable = variables[j];
    const std::uint32_t row = variable.row;
    switch (variable.role) {
      case Role::normal:
        z[j] = impulses[row];
        break;
      case Role::positive:
        z[j] = std::max(impulses[row], 0.0);
        break;
      case Role::negative:
        z[j] = std::max(-impulses[row], 0.0);
        break;
      case Role::above:
        z[j] = impulses[row] - offset[row];
        break;
      case Role::below:
        z[j] = offset[row] - impulses[row];
        break;
      case Role::excess:
        z[j] = std::max(-velocity[row], 0.0);
        break;
      case Role::slack:
        break;
      case Role::friction:
        j = set_fan(*this, j, impulses, velocity, z);
        break;
    }
  }
  return z;
}

}   // namespace stickslip
