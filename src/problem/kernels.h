// The inner loops over one block: relative velocity from segment velocities, and back.
//
// Written once as templates over the number of rows and segments; `visit_batches` picks the instance once per batch, so
// that a loop over a batch has all sizes known.
#pragma once

#include <utility>

#include "stickslip/problem/contact_problem.h"

namespace stickslip::kernels {

inline constexpr int kSegmentSize = 6;

template <int D>
using RowJacobian = Eigen::Map<const Eigen::Matrix<double, D, kSegmentSize, Eigen::RowMajor>>;
template <int D>
using BlockVector = Eigen::Matrix<double, D, 1>;
using SegmentVector = Eigen::Matrix<double, kSegmentSize, 1>;

/// J u of one block.
template <int D, int A>
inline BlockVector<D> relative_velocity(const double* jacobian, const std::uint32_t* segment, const double* velocity) {
  BlockVector<D> v = RowJacobian<D>(jacobian) * Eigen::Map<const SegmentVector>(velocity + kSegmentSize * segment[0]);
  if constexpr (A == 2)
    v += RowJacobian<D>(jacobian + kSegmentSize * D) * Eigen::Map<const SegmentVector>(velocity + kSegmentSize * segment[1]);
  return v;
}

/// velocity += M⁻¹ Jᵀ λ for one segment of one block.
template <int D>
inline void push_segment(const double* jacobian, const VelocitySegment& mass, const BlockVector<D>& impulse, double* velocity) {
  const SegmentVector momentum = RowJacobian<D>(jacobian).transpose() * impulse;
  Eigen::Map<SegmentVector> u(velocity);
  u.template head<3>() += mass.inverse_mass * momentum.template head<3>();
  u.template tail<3>().noalias() += mass.inverse_inertia * momentum.template tail<3>();
}

/// velocity += M⁻¹ Jᵀ λ of one block.
template <int D, int A>
inline void push(const double* jacobian, const std::uint32_t* segment, const VelocitySegment* segments,
                 const BlockVector<D>& impulse, double* velocity) {
  push_segment<D>(jacobian, segments[segment[0]], impulse, velocity + kSegmentSize * segment[0]);
  if constexpr (A == 2)
    push_segment<D>(jacobian + kSegmentSize * D, segments[segment[1]], impulse, velocity + kSegmentSize * segment[1]);
}

namespace detail {

template <class F, int D>
void with_arity(int arity, F&& f) {
  if (arity == 1) f(std::integral_constant<int, D>{}, std::integral_constant<int, 1>{});
  else f(std::integral_constant<int, D>{}, std::integral_constant<int, 2>{});
}

}  // namespace detail

/// Calls f(rows, arity) with both as compile-time constants.
template <class F>
void with_sizes(int dim, int arity, F&& f) {
  switch (dim) {
    case 1: return detail::with_arity<F, 1>(arity, std::forward<F>(f));
    case 2: return detail::with_arity<F, 2>(arity, std::forward<F>(f));
    case 3: return detail::with_arity<F, 3>(arity, std::forward<F>(f));
    case 4: return detail::with_arity<F, 4>(arity, std::forward<F>(f));
    case 5: return detail::with_arity<F, 5>(arity, std::forward<F>(f));
    case 6: return detail::with_arity<F, 6>(arity, std::forward<F>(f));
  }
}

/// Calls f(batch, rows, arity) for every batch, in order.
template <class F>
void visit_batches(const ContactProblem& problem, F&& f) {
  for (const Batch& batch : problem.batches)
    with_sizes(batch.dim, batch.arity, [&](auto rows, auto arity) { f(batch, rows, arity); });
}

/// Calls f(law type) with a value of the friction law that the blocks of a contact batch share, as a type tag.
template <class F, std::size_t... I>
void with_law(std::size_t law, F&& f, std::index_sequence<I...>) {
  (void)((law == I ? (f(std::in_place_type<std::variant_alternative_t<I, FrictionLaw>>), true) : false) || ...);
}
template <class F>
void with_law(std::size_t law, F&& f) {
  with_law(law, std::forward<F>(f), std::make_index_sequence<std::variant_size_v<FrictionLaw>>{});
}

}  // namespace stickslip::kernels
