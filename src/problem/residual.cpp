#include "stickslip/problem/residual.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problem/judgement.h"
#include "problem/kernels.h"
#include "problem/patch_parts.h"
#include "stickslip/friction/cone.h"
#include "stickslip/friction/sets.h"

namespace stickslip {

namespace {

/// Largest of two that lets NaN through.
[[gnu::always_inline]] inline double max_or_nan(double a, double b) { return a < b || std::isnan(b) ? b : a; }

[[gnu::always_inline]] inline double largest_part(const Residual& r) {
  const double sum = r.gap_velocity + r.complementarity + (r.cone + r.dissipation) + (r.bilateral + r.box);
  if (std::isnan(sum)) return sum;   // none is negative
  return std::max(std::max(std::max(r.gap_velocity, r.complementarity), std::max(r.cone, r.dissipation)),
                  std::max(r.bilateral, r.box));
}

/// The larger of a speed and a change of impulse over a mass, given by its square; lets NaN through.
[[gnu::always_inline]] inline double max_speed(double speed, double squared_impulse, double mass) {
  const double impulse = speed * mass;
  return squared_impulse <= impulse * impulse ? speed : max_or_nan(speed, std::sqrt(squared_impulse) / mass);
}

/// Nearly every contact is better than the worst before it: divisions and roots only where one is worse. @param mass 1 / W_nn
[[gnu::always_inline]] inline void add_normal(Residual& r, double mass, double v, double impulse) {
  r.gap_velocity = max_or_nan(r.gap_velocity, std::max(-v, 0.0) + 0 * v);
  if (v > r.complementarity && impulse > 0) r.complementarity = std::max(r.complementarity, std::min(v, impulse / mass));
  if (!(impulse >= 0)) r.cone = max_or_nan(r.cone, -impulse / mass);
}

/// Closest point of the regular polygon with k corners at this radius, the first on the x axis.
Vec2 project_on_polygon(int k, double radius, const Vec2& trial) {
  const double half = std::numbers::pi / k;   // half the angle that an edge is seen under
  const double middle = half * (2 * std::floor(std::atan2(trial.y(), trial.x()) / (2 * half)) + 1);
  // In the frame of the edge that the point looks through.
  const Vec2 normal(std::cos(middle), std::sin(middle)), along(-normal.y(), normal.x());
  const double apothem = radius * std::cos(half), reach = radius * std::sin(half);
  if (trial.dot(normal) <= apothem) return trial;
  return apothem * normal + std::clamp(trial.dot(along), -reach, reach) * along;
}

/// The polyhedral model; more than two friction rows have none.
template <class Law, class Vector>
[[gnu::noinline]] Vector project_on_polyhedron(const Law& law, int directions, double normal, const Vector& trial) {
  if constexpr (std::is_same_v<Law, CircularFriction>)
    return project_on_polygon(directions, law.mu * std::max(normal, 0.0), trial);
  else if constexpr (Law::rows == 2) return PolygonSet(polyhedron(law, directions)).project(normal, trial);
  else return law.project(normal, trial);
}

/// F(λₙ) of the model: projection on the law's own set, on the box around it or on a polygon inside.
template <class Law, class Vector>
[[gnu::always_inline]] inline Vector project(FrictionModel model, const Law& law, double normal, const Vector& trial) {
  if (model.kind == FrictionModel::Kind::boxed) {
    return law.box(normal).clamp(trial);
  }
  if (model.kind == FrictionModel::Kind::polyhedral) return project_on_polyhedron(law, model.directions, normal, trial);
  return law.project(normal, trial);
}

/// Distance from λ ∈ K ⊥ v ∈ K*.
template <int D, class Law>
void add_convex(Residual& r, const Law& law, double scale, const kernels::BlockVector<D>& v,
                const kernels::BlockVector<D>& impulse) {
  const kernels::BlockVector<D> trial = impulse - v / scale;
  r.dissipation = max_or_nan(r.dissipation, scale * (impulse - project_on_cone(law, trial)).norm());
}

template <int D, class Law>
[[gnu::always_inline]] inline void add_friction(Residual& r, FrictionModel model, const Law& law, double mass,
                                                const kernels::BlockVector<D>& v, const kernels::BlockVector<D>& impulse) {
  if (!(mass > 0 && std::isfinite(mass))) return;   // nothing can move
  if constexpr (std::is_same_v<Law, CircularFriction>)
    if (impulse[0] == 0 && impulse[1] == 0 && impulse[2] == 0) return;   // F(0) = {0}: as it must be
  const kernels::BlockVector<D - 1> friction = impulse.template tail<D - 1>();
  const kernels::BlockVector<D - 1> trial = friction - mass * v.template tail<D - 1>();
  r.cone = max_speed(r.cone, (friction - project(model, law, impulse[0], friction)).squaredNorm(), mass);
  r.dissipation = max_speed(r.dissipation, (friction - project(model, law, impulse[0], trial)).squaredNorm(), mass);
}

void add_patch(Residual& r, FrictionModel model, const PatchFriction& law, const ContactScale& scale,
               const PatchFriction::Block& v, const PatchFriction::Block& impulse) {
  if (model.kind == FrictionModel::Kind::convex) {
    const double mass = std::min(scale.normal_mass, scale.friction_mass), usable = std::isfinite(mass) ? mass : 1;
    const PatchFriction::Block trial = impulse - usable * v;
    r.dissipation = max_or_nan(r.dissipation, (impulse - project_on_cone(law, trial)).norm() / usable);
    return;
  }
  const PatchParts parts =
      patch_parts(law.patch(), scale.normal_mass, PatchFriction::unilateral(v), PatchFriction::unilateral(impulse));
  r.gap_velocity = max_or_nan(r.gap_velocity, parts.gap_velocity);
  r.complementarity = max_or_nan(r.complementarity, parts.complementarity);
  r.cone = max_or_nan(r.cone, parts.cone);
  add_friction<4>(r, model, law.friction(), scale.friction_mass, v.head<4>(), impulse.head<4>());
}

/// v = Wλ + b. Where W is a matrix and nothing pushes, as in most guesses from files, that is b.
void find_velocities(const ContactProblem& p, std::span<const double> impulses, ResidualWorkspace& work) {
  work.v.resize(p.rows());
  if (!p.is_factored() && std::all_of(impulses.begin(), impulses.end(), [](double x) { return x == 0; })) {
    std::copy(p.b.begin(), p.b.end(), work.v.begin());
    work.segment_velocity.clear();
    return;
  }
  p.contact_velocity(impulses, work.v, work.segment_velocity);
}

/// Sums of squares over contacts.
struct NaturalMap {
  double error_squared = 0, b_squared = 0, impulse_squared = 0, v_squared = 0;

  void add(double error, double b, double impulse, double v) {
    error_squared += error * error;
    b_squared += b * b;
    impulse_squared += impulse * impulse;
    v_squared += v * v;
  }
  double scale_squared() const {
    return std::max(std::max(b_squared, impulse_squared), std::max(v_squared, std::numeric_limits<double>::min()));
  }
};

NaturalMap natural_map(const ContactProblem& p, std::span<const double> impulses, std::span<const double> velocities) {
  NaturalMap map;
  kernels::visit_rows(p, [&](const Batch& batch, auto rows) {
    constexpr int D = rows;
    using Vector = kernels::BlockVector<D>;
    if (batch.kind != BlockKind::contact) return;
    const auto each = [&](auto&& project) {
      for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
        const std::uint32_t row = p.blocks[i].row;
        const Vector v = Eigen::Map<const Vector>(velocities.data() + row),
                     impulse = Eigen::Map<const Vector>(impulses.data() + row);
        map.error_squared += (impulse - project(i, v, impulse)).squaredNorm();
        map.impulse_squared += impulse.squaredNorm();
        map.v_squared += v.squaredNorm();
        map.b_squared += Eigen::Map<const Vector>(p.b.data() + row).squaredNorm();
      }
    };
    if constexpr (D == 1) {
      each([](auto, const Vector& v, const Vector& impulse) { return Vector(std::max(impulse[0] - v[0], 0.0)); });
    } else {
      kernels::with_law(batch.law, [&]<class Law>(std::in_place_type_t<Law>) {
        if constexpr (Law::rows == D - 1)
          each([&](auto i, const Vector& v, const Vector& impulse) -> Vector {
            const Law& law = std::get<Law>(p.laws[i]);
            if constexpr (std::is_same_v<Law, CircularFriction>)
              if (v[0] >= 0 && impulse[0] == 0 && impulse[1] == 0 && impulse[2] == 0) return impulse;   // it parts
            Vector shifted = impulse - v;
            shifted[0] -= normal_shift(law, v.template tail<D - 1>());
            return project_on_cone(law, shifted);
          });
      });
    }
  });
  return map;
}

struct JudgedParts {
  Residual residual;
  NaturalMap map;
};

/// Both of a problem whose rows all are contacts without friction. Everything is read through pointers and added up in
/// registers: what is written may not be taken for what is read.
[[gnu::always_inline]] inline JudgedParts judge_lcp(const ContactProblem& p, std::span<const double> impulses,
                                                    ResidualWorkspace& work) {
  const std::size_t n = p.rows();
  work.v.resize(n);
  work.segment_velocity.clear();
  const double *const b = p.b.data(), *const sigma = p.sigma.data(), *const impulse = impulses.data();
  double* const v = work.v.data();
  Residual r;
  NaturalMap sums;
  if (std::none_of(impulse, impulse + n, [](double x) { return x != 0; })) {   // as in most guesses: W is not asked
    for (std::size_t i = 0; i < n; ++i) {
      v[i] = b[i];
      add_normal(r, 1, b[i], 0);
      sums.add(b[i] < 0 ? b[i] : 0, b[i], 0, b[i]);
    }
    return {r, sums};
  }
  const ContactScale* const scales = p.scales.data();
  const double* value = p.matrix.values.data();
  const std::uint32_t *const first = p.matrix.first.data(), *const column = p.matrix.column.data();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::uint32_t e = first[i], end = first[i + 1]; e < end; ++e) sum += *value++ * impulse[column[e]];
    const double own = impulse[i], velocity = sum + b[i] + sigma[i] * own;
    v[i] = velocity;
    add_normal(r, scales[i].normal_mass, velocity, own);
    sums.add(own - std::max(own - velocity, 0.0), b[i], own, velocity);
  }
  return {r, sums};
}

}   // namespace

std::string_view model_name(FrictionModel model) {
  switch (model.kind) {
    case FrictionModel::Kind::exact:
      return "exact";
    case FrictionModel::Kind::boxed:
      return "boxed";
    case FrictionModel::Kind::polyhedral:
      return "polyhedral";
    case FrictionModel::Kind::convex:
      return "convex";
  }
  return "?";
}

double Residual::total() const { return largest_part(*this); }

Residual residual(const ContactProblem& p, std::span<const double> impulses, ResidualWorkspace& work, FrictionModel model) {
  if (is_lcp(p)) return judge_lcp(p, impulses, work).residual;   // all models are one
  find_velocities(p, impulses, work);
  Residual r;
  kernels::visit_rows(p, [&](const Batch& batch, auto rows) {
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
            add_normal(r, p.scales[i].normal_mass, v[0], impulse[0]);
          });
        } else {
          kernels::with_law(batch.law, [&]<class Law>(std::in_place_type_t<Law>) {
            if constexpr (std::is_same_v<Law, PatchFriction>) {
              if constexpr (Law::rows == D - 1)
                each([&](auto i, const Block&, const auto&, const Vector& v, const Vector& impulse) {
                  add_patch(r, model, std::get<Law>(p.laws[i]), p.scales[i], v, impulse);
                });
            } else if constexpr (Law::rows == D - 1)
              each([&](auto i, const Block&, const auto&, const Vector& v, const Vector& impulse) {
                if (model.kind == FrictionModel::Kind::convex) {
                  const double scale = 1 / std::min(p.scales[i].normal_mass, p.scales[i].friction_mass);
                  add_convex<D>(r, std::get<Law>(p.laws[i]), scale > 0 ? scale : 1, v, impulse);
                  return;
                }
                add_normal(r, p.scales[i].normal_mass, v[0], impulse[0]);
                add_friction<D>(r, model, std::get<Law>(p.laws[i]), p.scales[i].friction_mass, v, impulse);
              });
          });
        }
        break;
    }
  });
  return r;
}

double natural_map_error(const ContactProblem& p, std::span<const double> impulses, ResidualWorkspace& work) {
  find_velocities(p, impulses, work);
  return natural_map_error(p, impulses, work.v);
}

double natural_map_error(const ContactProblem& p, std::span<const double> impulses, std::span<const double> velocities) {
  const NaturalMap map = natural_map(p, impulses, velocities);
  return std::sqrt(map.error_squared) / std::sqrt(map.scale_squared());
}

Judgement judge(const ContactProblem& p, std::span<const double> impulses, ResidualWorkspace& work, double tolerance) {
  const bool asks_for_map = tolerance < std::numeric_limits<double>::infinity();
  const auto found = [&]() -> JudgedParts {
    if (is_lcp(p)) return judge_lcp(p, impulses, work);
    const Residual r = residual(p, impulses, work);
    return {r, asks_for_map ? natural_map(p, impulses, work.v) : NaturalMap{}};
  };
  const JudgedParts parts = found();
  const bool meets = !asks_for_map || parts.map.error_squared <= tolerance * tolerance * parts.map.scale_squared();
  return {parts.residual, largest_part(parts.residual), meets};
}

}   // namespace stickslip
