#include "stickslip/problem/residual.h"

#include <cmath>

#include "problem/kernels.h"

namespace stickslip {

namespace {

/// Largest of two that lets NaN through.
[[gnu::always_inline]] inline double max_or_nan(double a, double b) { return a < b || std::isnan(b) ? b : a; }

[[gnu::always_inline]] inline void add_normal(Residual& r, double w, double v, double impulse) {
  r.gap_velocity = max_or_nan(r.gap_velocity, std::max(-v, 0.0) + 0 * v);
  r.complementarity = max_or_nan(r.complementarity, std::min(std::max(v, 0.0), w * std::max(impulse, 0.0)));
  r.cone = max_or_nan(r.cone, w * std::max(-impulse, 0.0) + 0 * impulse);
}

/// F(λₙ) of the model: projection on the law's own set or on the box around it.
template <class Law, class Vector>
[[gnu::always_inline]] inline Vector project(FrictionModel model, const Law& law, double normal, const Vector& trial) {
  if (model == FrictionModel::exact) return law.project(normal, trial);
  const Vector bound = law.box_bounds(normal);
  return trial.cwiseMax(-bound).cwiseMin(bound);
}

template <int D, class Law>
[[gnu::always_inline]] inline void add_friction(Residual& r, FrictionModel model, const Law& law, double scale,
                                                 const kernels::BlockVector<D>& v, const kernels::BlockVector<D>& impulse) {
  const kernels::BlockVector<D - 1> friction = impulse.template tail<D - 1>();
  r.cone = max_or_nan(r.cone, scale * (friction - project(model, law, impulse[0], friction)).norm());
  if (!(scale > 0)) return;
  const kernels::BlockVector<D - 1> trial = friction - v.template tail<D - 1>() / scale;
  r.dissipation = max_or_nan(r.dissipation, scale * (friction - project(model, law, impulse[0], trial)).norm());
}

}  // namespace

double Residual::total() const {
  double largest = 0;
  for (const double part : {gap_velocity, complementarity, cone, dissipation, bilateral, box}) largest = max_or_nan(largest, part);
  return largest;
}

Residual residual(const ContactProblem& p, std::span<const double> impulses, ResidualWorkspace& work, FrictionModel model) {
  work.v.resize(p.rows());
  p.contact_velocity(impulses, work.v, work.segment_velocity);
  Residual r;
  kernels::visit_batches(p, [&](const Batch& batch, auto rows, auto) {
    constexpr int D = rows;
    using Vector = kernels::BlockVector<D>;
    const auto each = [&](auto&& f) {
      for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
        const Block& block = p.blocks[i];
        const Vector v = Eigen::Map<const Vector>(work.v.data() + block.row);
        const Vector impulse = Eigen::Map<const Vector>(impulses.data() + block.row);
        const Eigen::Map<const Eigen::Matrix<double, D, D>> w(p.diagonal_values.data() + block.diagonal);
        f(i, block, w, v, impulse);
      }
    };
    switch (batch.kind) {
      case BlockKind::bilateral:
        each([&](auto, const Block&, const auto&, const Vector& v, const Vector&) {
          r.bilateral = max_or_nan(r.bilateral, v.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>());
        });
        break;
      case BlockKind::box:
        each([&](auto, const Block& block, const auto& w, const Vector& v, const Vector& impulse) {
          for (int k = 0; k < D; ++k) {
            const double scale = w(k, k) > 0 ? w(k, k) : 1;
            const double target = std::clamp(impulse[k] - v[k] / scale, p.lower[block.row + k], p.upper[block.row + k]);
            r.box = max_or_nan(r.box, scale * std::abs(impulse[k] - target));
          }
        });
        break;
      case BlockKind::contact:
        if constexpr (D == 1) {
          each([&](auto i, const Block&, const auto&, const Vector& v, const Vector& impulse) {
            add_normal(r, 1 / p.scales[i].normal_mass, v[0], impulse[0]);
          });
        } else {
          kernels::with_law(batch.law, [&]<class Law>(std::in_place_type_t<Law>) {
            if constexpr (Law::rows == D - 1)
              each([&](auto i, const Block&, const auto&, const Vector& v, const Vector& impulse) {
                add_normal(r, 1 / p.scales[i].normal_mass, v[0], impulse[0]);
                add_friction<D>(r, model, std::get<Law>(p.laws[i]), 1 / p.scales[i].friction_mass, v, impulse);
              });
          });
        }
        break;
    }
  });
  return r;
}

namespace {

/// Projection on the second-order cone { ‖x_T‖ ≤ μ x_N }.
Vec3 project_on_cone(const Vec3& x, double mu) {
  const double tangent = x.tail<2>().norm();
  if (tangent <= mu * x[0]) return x;
  if (mu * tangent <= -x[0]) return Vec3::Zero();
  const double normal = (x[0] + mu * tangent) / (1 + mu * mu);
  Vec3 y;
  y[0] = normal;
  y.tail<2>() = x.tail<2>() * (mu * normal / tangent);
  return y;
}

}  // namespace

double natural_map_error(const ContactProblem& p, std::span<const double> impulses, ResidualWorkspace& work) {
  work.v.resize(p.rows());
  p.contact_velocity(impulses, work.v, work.segment_velocity);
  double error = 0, b_squared = 0, impulse_squared = 0, v_squared = 0;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    const auto* law = std::get_if<CircularFriction>(&p.laws[i]);
    if (block.kind != BlockKind::contact || block.dim != 3 || law == nullptr) continue;
    const Vec3 impulse = Eigen::Map<const Vec3>(impulses.data() + block.row);
    const Vec3 v = Eigen::Map<const Vec3>(work.v.data() + block.row);
    Vec3 shifted = impulse - v;
    shifted[0] -= law->mu * v.tail<2>().norm();
    error += (impulse - project_on_cone(shifted, law->mu)).squaredNorm();
    impulse_squared += impulse.squaredNorm();
    v_squared += v.squaredNorm();
    b_squared += Eigen::Map<const Vec3>(p.b.data() + block.row).squaredNorm();
  }
  const double scale = std::sqrt(std::max({b_squared, impulse_squared, v_squared, std::numeric_limits<double>::min()}));
  return std::sqrt(error) / scale;
}

}  // namespace stickslip
