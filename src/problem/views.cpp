#include "stickslip/problem/views.h"

#include "math/infinity.h"
#include "problem/kernels.h"
#include "stickslip/friction/cone.h"

namespace stickslip {

namespace {

/// Calls f(law, index, block, dimension) for every contact with friction, with the law and the dimension as types.
template <class F>
void for_friction_contacts(const ContactProblem& p, F&& f) {
  kernels::visit_rows(p, [&](const Batch& batch, auto rows) {
    constexpr int D = rows;
    if constexpr (D > 1) {
      if (batch.kind != BlockKind::contact) return;
      kernels::with_law(batch.law, [&]<class Law>(std::in_place_type_t<Law>) {
        if constexpr (Law::rows == D - 1)
          for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) f(std::get<Law>(p.laws[i]), i, p.blocks[i]);
      });
    }
  });
}

}   // namespace

BoxedLcp as_blcp(const ContactProblem& p) {
  BoxedLcp view;
  view.W = delassus(p);
  view.b = p.b;
  view.lower.assign(p.rows(), 0.0);
  view.upper.assign(p.rows(), 0.0);
  view.normal_row.assign(p.rows(), -1);
  view.coefficient_lower.assign(p.rows(), 0.0);
  view.coefficient_upper.assign(p.rows(), 0.0);
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    for (std::uint32_t k = 0, row = block.row; k < block.dim; ++k, ++row) {
      if (block.kind == BlockKind::box) {
        view.lower[row] = p.lower[row];
        view.upper[row] = p.upper[row];
      } else if (block.kind == BlockKind::bilateral) {
        view.lower[row] = -kInfinity;
        view.upper[row] = kInfinity;
      } else if (k == 0) {
        view.upper[row] = kInfinity;
      } else {
        std::visit(
            [&](const auto& law) {
              const auto box = law.box(1.0);
              if (!law.scales_with_normal()) {
                view.lower[row] = box.lower[k - 1];
                view.upper[row] = box.upper[k - 1];
                return;
              }
              view.normal_row[row] = static_cast<std::int32_t>(block.row);
              view.coefficient_lower[row] = -box.lower[k - 1];
              view.coefficient_upper[row] = box.upper[k - 1];
              view.has_friction |= view.coefficient_lower[row] > 0 || view.coefficient_upper[row] > 0;
            },
            p.laws[i]);
      }
    }
  }
  return view;
}

void BoxedLcp::bounds(std::span<const double> impulses, std::span<double> low, std::span<double> high) const {
  for (std::size_t i = 0; i < rows(); ++i) {
    const double normal = normal_row[i] >= 0 ? std::max(impulses[normal_row[i]], 0.0) : 0;
    low[i] = lower[i] - coefficient_lower[i] * normal;
    high[i] = upper[i] + coefficient_upper[i] * normal;
  }
}

void ConeProblem::project(std::span<double> impulses) const {
  for (const Block& block : problem_.blocks) {
    if (block.kind == BlockKind::contact && block.dim == 1) impulses[block.row] = std::max(impulses[block.row], 0.0);
    if (block.kind == BlockKind::box)
      for (std::uint32_t row = block.row; row < block.row + block.dim; ++row)
        impulses[row] = std::min(std::max(impulses[row], problem_.lower[row]), problem_.upper[row]);
  }
  for_friction_contacts(problem_, [&]<class Law>(const Law& law, std::uint32_t, const Block& block) {
    Eigen::Map<ConeVector<Law>> impulse(impulses.data() + block.row);
    impulse = project_on_cone(law, ConeVector<Law>(impulse));
  });
}

double ConeProblem::dual_distance(std::span<const double> velocity) const {
  double largest = 0;
  for (const Block& block : problem_.blocks) {
    const Eigen::Map<const Eigen::VectorXd> v(velocity.data() + block.row, block.dim);
    if (block.kind == BlockKind::bilateral) largest = std::max(largest, v.norm());
    if (block.kind == BlockKind::contact && block.dim == 1) largest = std::max(largest, -v[0]);
  }
  for_friction_contacts(problem_, [&]<class Law>(const Law& law, std::uint32_t, const Block& block) {
    const Eigen::Map<const ConeVector<Law>> v(velocity.data() + block.row);
    largest = std::max(largest, project_on_cone(law, ConeVector<Law>(-v)).norm());
  });
  return largest;
}

void ConeProblem::shift(std::span<const double> velocity, std::span<double> shift) const {
  std::fill(shift.begin(), shift.end(), 0.0);
  for_friction_contacts(problem_, [&]<class Law>(const Law& law, std::uint32_t, const Block& block) {
    shift[block.row] =
        normal_shift(law, typename Law::Vector(Eigen::Map<const typename Law::Vector>(velocity.data() + block.row + 1)));
  });
}

double ConeProblem::distance_from_coulomb(std::span<const double> impulses, std::span<const double> velocity) const {
  double largest = 0;
  for_friction_contacts(problem_, [&]<class Law>(const Law& law, std::uint32_t index, const Block& block) {
    const typename Law::Vector slip = Eigen::Map<const typename Law::Vector>(velocity.data() + block.row + 1);
    const double pushed = std::max(impulses[block.row], 0.0) / problem_.scales[index].normal_mass;
    largest = std::max(largest, std::min(normal_shift(law, slip), pushed));
  });
  return largest;
}

}   // namespace stickslip
