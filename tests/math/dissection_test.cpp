// Orders of elimination by planes: separators separate, halves are fair, and factors become smaller by it.
#include "math/dissection.h"

#include <map>

#include <gtest/gtest.h>

#include "stickslip/math/sparse_factor.h"

namespace stickslip {
namespace {

struct Grid {
  NodeGraph graph;
  std::vector<Vec3> places;
  SparseFactor::Matrix matrix;   ///< three rows a node, diagonally dominant
};

/// A cube of cells that are five tetrahedra each, to and fro, as soft boxes are.
Grid tetrahedral_grid(int side) {
  const auto at = [&](int x, int y, int z) { return (x * side + y) * side + z; };
  std::vector<std::vector<bool>> met(static_cast<std::size_t>(side) * side * side);
  for (auto& row : met) row.assign(met.size(), false);
  Grid g;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z) g.places.push_back(Vec3(x, y, z));
  const int tetrahedra[5][4] = {{0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}, {1, 2, 4, 7}};
  for (int x = 0; x + 1 < side; ++x)
    for (int y = 0; y + 1 < side; ++y)
      for (int z = 0; z + 1 < side; ++z)
        for (const auto& t : tetrahedra)
          for (const int i : t)
            for (const int k : t) {
              const int flip = (x + y + z) % 2;
              const auto corner = [&](int c) { return at(x + ((c ^ flip) & 1), y + (c >> 1 & 1), z + (c >> 2)); };
              met[corner(i)][corner(k)] = true;
            }
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < met.size(); ++i) {
    g.graph.first.push_back(static_cast<int>(g.graph.neighbour.size()));
    for (std::size_t k = 0; k < met.size(); ++k) {
      if (!met[i][k]) continue;
      if (i != k) g.graph.neighbour.push_back(static_cast<int>(k));
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          entries.emplace_back(3 * i + r, 3 * k + c, i == k ? (r == c ? 100 : 1) : -1.0 / static_cast<double>(1 + r + c));
    }
  }
  g.graph.first.push_back(static_cast<int>(g.graph.neighbour.size()));
  g.matrix.resize(static_cast<Eigen::Index>(3 * met.size()), static_cast<Eigen::Index>(3 * met.size()));
  g.matrix.setFromTriplets(entries.begin(), entries.end());
  return g;
}

/// Sizes of what hangs together among the nodes of parts before `part`.
std::vector<std::size_t> components_before(const NodeGraph& graph, const std::vector<int>& parts, int part) {
  std::vector<bool> seen(parts.size(), false);
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (seen[i] || parts[i] >= part) continue;
    std::vector<std::size_t> stack{i};
    seen[i] = true;
    sizes.push_back(0);
    while (!stack.empty()) {
      const std::size_t node = stack.back();
      stack.pop_back();
      ++sizes.back();
      for (int k = graph.first[node]; k < graph.first[node + 1]; ++k) {
        const auto other = static_cast<std::size_t>(graph.neighbour[k]);
        if (seen[other] || parts[other] >= part) continue;
        seen[other] = true;
        stack.push_back(other);
      }
    }
  }
  return sizes;
}

TEST(Dissection, what_is_eliminated_last_leaves_two_halves_that_do_not_touch) {
  for (const int side : {6, 9, 12}) {
    const Grid g = tetrahedral_grid(side);
    const std::vector<int> parts = dissect(g.graph, g.places);
    const int last = *std::max_element(parts.begin(), parts.end());
    const std::vector<std::size_t> halves = components_before(g.graph, parts, last);
    EXPECT_GE(halves.size(), 2u) << side;
    EXPECT_LE(*std::max_element(halves.begin(), halves.end()), 0.6 * static_cast<double>(parts.size())) << side;
    // A section across an axis has side² nodes; the smallest separator of these cells has three quarters of that.
    const auto separator = static_cast<double>(std::count(parts.begin(), parts.end(), last));
    EXPECT_LE(separator, 0.8 * side * side) << side;
  }
}

TEST(Dissection, parts_stay_small_and_every_node_is_in_one) {
  const Grid g = tetrahedral_grid(10);
  std::map<int, int> count;
  for (const int part : dissect(g.graph, g.places)) ++count[part];
  EXPECT_EQ(count.begin()->first, 0);
  EXPECT_EQ(count.rbegin()->first, static_cast<int>(count.size()) - 1);
  for (const auto& [part, nodes] : count) EXPECT_LE(nodes, 100) << part;
}

TEST(Dissection, nodes_in_one_place_or_of_no_edges_are_no_trouble) {
  Grid g = tetrahedral_grid(6);
  for (Vec3& x : g.places) x.setZero();
  EXPECT_EQ(dissect(g.graph, g.places).size(), g.places.size());
  NodeGraph lonely;
  lonely.first.assign(201, 0);
  std::vector<Vec3> places;
  for (int i = 0; i < 200; ++i) places.push_back(Vec3(i, 0, 0));
  EXPECT_EQ(dissect(lonely, places).size(), 200u);
}

TEST(Dissection, factors_take_less_work_by_places_and_solve_the_same) {
  const Grid g = tetrahedral_grid(12);
  SparseFactor plain, placed;
  plain.analyze(g.matrix, true);
  placed.analyze(g.matrix, true, g.places);
  EXPECT_LT(placed.factor_work(), 0.8 * plain.factor_work());
  ASSERT_TRUE(plain.factor(g.matrix) && placed.factor(g.matrix));
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(g.matrix.rows(), -1, 2);
  Eigen::VectorXd x(b.size()), y(b.size());
  plain.solve(b.data(), x.data());
  placed.solve(b.data(), y.data());
  EXPECT_LT((x - y).norm(), 1e-12 * x.norm());
}

}   // namespace
}   // namespace stickslip
