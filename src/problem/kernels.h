// The inner loops over one block, in mass-scaled velocities.
//
// With a factor L Lᵀ = M⁻¹ of every segment and w = L⁻¹u, the scaled Jacobian G = J L gives W = G Gᵀ + Σ: the same numbers
// take impulses to velocities, w += Gᵀλ, and back, v = G w, and no mass appears in any loop.
//
// Sizes are template parameters; `visit_batches` picks the instance once per batch. One row of G for two segments a and b
// is stored as [a0 a1 a2 a3 | b0 b1 b2 b3 | a4 a5 b4 b5], for one segment as [a0 a1 a2 a3 | a4 a5]: every load of a segment
// has the shape of the store before it, which lets the processor forward it. Blocks on more segments, or on nodes, have their
// segments one after the other.
#pragma once

#include <cstring>
#include <utility>

#include "stickslip/problem/contact_problem.h"

namespace stickslip::kernels {

template <int D>
using BlockVector = Eigen::Matrix<double, D, 1>;

// Everything below runs once per contact and sweep; left to its own judgement the compiler makes calls of it.

// Short vectors of the compiler: one instruction where the machine has it, several where it has not.
using Double4 = double __attribute__((vector_size(32)));
using Double2 = double __attribute__((vector_size(16)));

template <class V>
[[gnu::always_inline]] inline V load(const double* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
[[gnu::always_inline]] inline void store(double* p, const V& v) {
  std::memcpy(p, &v, sizeof v);
}
[[gnu::always_inline]] inline double sum(const Double4& v) {
  const Double2 half = Double2{v[0], v[1]} + Double2{v[2], v[3]};
  return half[0] + half[1];
}

/// The velocities that a block of arity class A sees: of one or two rigid bodies in registers.
template <int A>
struct LocalVelocity;

/// Of any others in their place. These need not be as fast.
template <>
struct LocalVelocity<kAnyArity> {
  const ContactProblem& p;
  std::span<const std::uint32_t> segments;
  const double* from;
  double* to = nullptr;   ///< where `add` writes; none of velocities that are only read

  LocalVelocity(const ContactProblem& problem, const Block& block, const double* velocity)
      : p(problem), segments(problem.segments_of(block)), from(velocity) {}
  LocalVelocity(const ContactProblem& problem, const Block& block, double* velocity)
      : p(problem), segments(problem.segments_of(block)), from(velocity), to(velocity) {}
  std::uint32_t row_size() const {
    std::uint32_t size = 0;
    for (const std::uint32_t s : segments) size += p.segments[s].size;
    return size;
  }
  void write(double*) const {}   // add has done it
  double dot(const double* row) const {
    double v = 0;
    for (const std::uint32_t s : segments) {
      const double* w = from + p.offset(s);
      for (int c = 0; c < p.segments[s].size; ++c) v += *row++ * w[c];
    }
    return v;
  }
  void add(const double* row, double impulse) {
    for (const std::uint32_t s : segments) {
      double* w = to + p.offset(s);
      for (int c = 0; c < p.segments[s].size; ++c) w[c] += *row++ * impulse;
    }
  }
};

template <>
struct LocalVelocity<2> {
  Double4 a, b, rest;
  const std::uint32_t* segment;

  static constexpr std::uint32_t row_size() { return 12; }
  [[gnu::always_inline]] inline LocalVelocity(const ContactProblem&, const Block& block, const double* velocity)
      : segment(block.segment) {
    const double *pa = velocity + kRigidSize * segment[0], *pb = velocity + kRigidSize * segment[1];
    a = load<Double4>(pa);
    b = load<Double4>(pb);
    const Double2 ra = load<Double2>(pa + 4), rb = load<Double2>(pb + 4);
    rest = Double4{ra[0], ra[1], rb[0], rb[1]};
  }
  [[gnu::always_inline]] inline void write(double* velocity) const {
    double *pa = velocity + kRigidSize * segment[0], *pb = velocity + kRigidSize * segment[1];
    store(pa, a);
    store(pb, b);
    store(pa + 4, Double2{rest[0], rest[1]});
    store(pb + 4, Double2{rest[2], rest[3]});
  }
  [[gnu::always_inline]] inline double dot(const double* row) const {
    return sum(load<Double4>(row) * a + load<Double4>(row + 4) * b + load<Double4>(row + 8) * rest);
  }
  [[gnu::always_inline]] inline void add(const double* row, double impulse) {
    a += load<Double4>(row) * impulse;
    b += load<Double4>(row + 4) * impulse;
    rest += load<Double4>(row + 8) * impulse;
  }
};

template <>
struct LocalVelocity<1> {
  Double4 a;
  Double2 rest;
  const std::uint32_t* segment;

  static constexpr std::uint32_t row_size() { return 6; }
  [[gnu::always_inline]] inline LocalVelocity(const ContactProblem&, const Block& block, const double* velocity)
      : segment(block.segment) {
    const double* pa = velocity + kRigidSize * segment[0];
    a = load<Double4>(pa);
    rest = load<Double2>(pa + 4);
  }
  [[gnu::always_inline]] inline void write(double* velocity) const {
    double* pa = velocity + kRigidSize * segment[0];
    store(pa, a);
    store(pa + 4, rest);
  }
  [[gnu::always_inline]] inline double dot(const double* row) const {
    const Double2 r = load<Double2>(row + 4) * rest;
    return sum(load<Double4>(row) * a) + (r[0] + r[1]);
  }
  [[gnu::always_inline]] inline void add(const double* row, double impulse) {
    a += load<Double4>(row) * impulse;
    rest += load<Double2>(row + 4) * impulse;
  }
};

/// Where number `column` (0…5) of body `s` stands in a stored row of a block on `bodies` rigid bodies, one or two.
constexpr std::uint32_t row_position(std::uint32_t bodies, std::uint32_t s, std::uint32_t column) {
  if (bodies == 1) return column;
  return column < 4 ? 4 * s + column : 8 + 2 * s + (column - 4);
}

/// The rows of G of a block by segment, for code that need not be as fast as sweeps: f(slot, segment, place) for every segment,
/// with place(column) where in a row its numbers stand.
template <class F>
void each_segment(const ContactProblem& p, const Block& b, F&& f) {
  const bool rigid = p.arity_class(b) != kAnyArity;
  std::uint32_t first = 0, slot = 0;
  for (const std::uint32_t s : p.segments_of(b)) {
    f(slot, s, [&](std::uint32_t column) { return rigid ? row_position(b.arity, slot, column) : first + column; });
    first += p.segments[s].size;
    ++slot;
  }
}

/// G of a block as one row-major matrix of dim × size after the other, as its Jacobian is stored.
inline void copy_scaled(const ContactProblem& p, const Block& b, double* out) {
  const std::uint32_t width = p.row_width(b);
  each_segment(p, b, [&](std::uint32_t, std::uint32_t s, auto&& place) {
    for (std::uint32_t k = 0; k < b.dim; ++k)
      for (std::uint32_t c = 0; c < p.segments[s].size; ++c) *out++ = p.scaled_jacobian[b.jacobian + width * k + place(c)];
  });
}

/// v plus the velocity along one row of G: for code that need not be fast.
inline double row_velocity(const ContactProblem& p, const Block& b, std::uint32_t row, const double* velocity, double v = 0) {
  const double* const g = p.scaled_jacobian.data() + b.jacobian + p.row_width(b) * row;
  each_segment(p, b, [&](std::uint32_t, std::uint32_t s, auto&& place) {
    for (std::uint32_t c = 0; c < p.segments[s].size; ++c) v += g[place(c)] * velocity[p.offset(s) + c];
  });
  return v;
}
/// velocity += gᵀ impulse for one row g of G.
inline void push_row(const ContactProblem& p, const Block& b, std::uint32_t row, double impulse, double* velocity) {
  const double* const g = p.scaled_jacobian.data() + b.jacobian + p.row_width(b) * row;
  each_segment(p, b, [&](std::uint32_t, std::uint32_t s, auto&& place) {
    for (std::uint32_t c = 0; c < p.segments[s].size; ++c) velocity[p.offset(s) + c] += g[place(c)] * impulse;
  });
}

/// The velocities that one block of a problem given as a matrix sees: Σⱼ W_ij λⱼ, without Σ.
template <int D>
[[gnu::always_inline]] inline BlockVector<D> gathered_velocity(const BlockMatrix& w, std::uint32_t block,
                                                               const double* impulses) {
  BlockVector<D> v = BlockVector<D>::Zero();
  const std::uint32_t end = w.first[block + 1];
  const double* value = w.values.data() + w.position[w.first[block]];
  for (std::uint32_t e = w.first[block]; e < end; ++e) {
    const std::uint32_t j = w.column[e], columns = w.offset[j + 1] - w.offset[j];
    const double* x = impulses + w.offset[j];
    for (std::uint32_t c = 0; c < columns; ++c, value += D)
      for (int k = 0; k < D; ++k) v[k] += value[k] * x[c];
  }
  return v;
}

/// The same of contacts with three rows among others of three. A sum for every column of the blocks, twice: one after the other
/// the additions would wait for each other, which takes four times as long.
template <>
[[gnu::always_inline]] inline BlockVector<3> gathered_velocity<3>(const BlockMatrix& w, std::uint32_t block,
                                                                  const double* impulses) {
  const std::uint32_t *const column = w.column.data(), *const offset = w.offset.data(), end = w.first[block + 1];
  const double* value = w.values.data() + w.position[w.first[block]];
  Double4 sums[2][3] = {};   // the third is of numbers 5 to 8 of a block, its column behind one that is not used
  Vec3 v = Vec3::Zero();
  const auto add = [&](Double4(&sum)[3], std::uint32_t j) __attribute__((always_inline)) {
    const double* const x = impulses + offset[j];
    if (const std::uint32_t columns = offset[j + 1] - offset[j]; columns != 3) [[unlikely]] {
      for (std::uint32_t c = 0; c < columns; ++c, value += 3)
        for (int k = 0; k < 3; ++k) v[k] += value[k] * x[c];
      return;
    }
    sum[0] += load<Double4>(value) * x[0];
    sum[1] += load<Double4>(value + 3) * x[1];
    sum[2] += load<Double4>(value + 5) * x[2];
    value += 9;
  };
  std::uint32_t e = w.first[block];
  for (; e + 1 < end; e += 2) add(sums[0], column[e]), add(sums[1], column[e + 1]);
  if (e < end) add(sums[0], column[e]);
  const Double4 first = sums[0][0] + sums[1][0] + (sums[0][1] + sums[1][1]), last = sums[0][2] + sums[1][2];
  for (int k = 0; k < 3; ++k) v[k] += first[k] + last[k + 1];
  return v;
}

/// G w of one block.
template <int D, int A>
[[gnu::always_inline]] inline BlockVector<D> relative_velocity(const double* scaled, const LocalVelocity<A>& w) {
  BlockVector<D> v;
  const std::uint32_t size = w.row_size();
  for (int k = 0; k < D; ++k) v[k] = w.dot(scaled + size * static_cast<std::uint32_t>(k));
  return v;
}

/// w += Gᵀλ of one block.
template <int D, int A>
[[gnu::always_inline]] inline void push(const double* scaled, const BlockVector<D>& impulse, LocalVelocity<A>& w) {
  const std::uint32_t size = w.row_size();
  for (int k = 0; k < D; ++k) w.add(scaled + size * static_cast<std::uint32_t>(k), impulse[k]);
}

namespace detail {

template <class F, int D>
void with_arity(int arity, F&& f) {
  if (arity == 0) f(std::integral_constant<int, D>{}, std::integral_constant<int, 0>{});
  else if (arity == 1) f(std::integral_constant<int, D>{}, std::integral_constant<int, 1>{});
  else if (arity == 2) f(std::integral_constant<int, D>{}, std::integral_constant<int, 2>{});
  else f(std::integral_constant<int, D>{}, std::integral_constant<int, kAnyArity>{});
}

}   // namespace detail

/// Calls f(rows, arity) with both as compile-time constants; the arity as in Batch.
template <class F>
void with_sizes(int dim, int arity, F&& f) {
  switch (dim) {
    case 1:
      return detail::with_arity<F, 1>(arity, std::forward<F>(f));
    case 2:
      return detail::with_arity<F, 2>(arity, std::forward<F>(f));
    case 3:
      return detail::with_arity<F, 3>(arity, std::forward<F>(f));
    case 4:
      return detail::with_arity<F, 4>(arity, std::forward<F>(f));
    case 5:
      return detail::with_arity<F, 5>(arity, std::forward<F>(f));
    case 6:
      return detail::with_arity<F, 6>(arity, std::forward<F>(f));
  }
}

/// Calls f(rows) with the number of rows as a compile-time constant.
template <class F>
void with_rows(int dim, F&& f) {
  switch (dim) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 3:
      return f(std::integral_constant<int, 3>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 5:
      return f(std::integral_constant<int, 5>{});
    case 6:
      return f(std::integral_constant<int, 6>{});
  }
}

/// Calls f(batch, rows, arity) for every batch, in order. Arity 0: W is a matrix.
template <class F>
void visit_batches(std::span<const Batch> batches, F&& f) {
  for (const Batch& batch : batches) with_sizes(batch.dim, batch.arity, [&](auto rows, auto arity) { f(batch, rows, arity); });
}
template <class F>
void visit_batches(const ContactProblem& problem, F&& f) {
  visit_batches(problem.batches, std::forward<F>(f));
}

/// Calls f(batch, rows) for every batch, in order: for what does not touch velocities, which are all that the arity is about.
template <class F>
void visit_rows(const ContactProblem& problem, F&& f) {
  for (const Batch& batch : problem.batches) with_rows(batch.dim, [&](auto rows) { f(batch, rows); });
}

/// Calls f with the type of the friction law number `law`.
template <class F, std::size_t... I>
void with_law(std::size_t law, F&& f, std::index_sequence<I...>) {
  (void)((law == I ? (f(std::in_place_type<std::variant_alternative_t<I, FrictionSet>>), true) : false) || ...);
}
template <class F>
void with_law(std::size_t law, F&& f) {
  with_law(law, std::forward<F>(f), std::make_index_sequence<std::variant_size_v<FrictionSet>>{});
}

}   // namespace stickslip::kernels
