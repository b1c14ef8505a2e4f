// Numbers as sums of doubles that do not overlap: sums and products without rounding [Shewchuk 1997].
#pragma once

#include <array>
#include <cmath>

namespace stickslip {

/// At most N terms, of increasing size, none of them 0; no term has bits where another one has.
template <int N>
class Expansion {
 public:
  Expansion() = default;

  /// a − b.
  static Expansion difference(double a, double b) {
    Expansion out;
    out.add(a);
    out.add(-b);
    return out;
  }

  /// Adds a number: every term keeps what the next larger one cannot hold.
  void add(double b) {
    int kept = 0;
    for (int i = 0; i < size_; ++i) {
      const double a = terms_[i], sum = a + b, from_b = sum - a;
      const double rest = (a - (sum - from_b)) + (b - from_b);
      if (rest != 0) terms_[kept++] = rest;
      b = sum;
    }
    if (b != 0) terms_[kept++] = b;
    size_ = kept;
  }

  template <int M>
  Expansion<N + M> plus(const Expansion<M>& other, double sign = 1) const {
    Expansion<N + M> out;
    for (int i = 0; i < size_; ++i) out.add(terms_[i]);
    for (int i = 0; i < other.size(); ++i) out.add(sign * other.term(i));
    return out;
  }

  template <int M>
  Expansion<2 * N * M> times(const Expansion<M>& other) const {
    Expansion<2 * N * M> out;
    for (int i = 0; i < size_; ++i)
      for (int j = 0; j < other.size(); ++j) {
        // The sum with 0 keeps the compiler from drawing the product into a later sum without rounding it.
        const double product = std::fma(terms_[i], other.term(j), 0.0);
        out.add(std::fma(terms_[i], other.term(j), -product));
        out.add(product);
      }
    return out;
  }

  int sign() const { return size_ == 0 ? 0 : terms_[size_ - 1] > 0 ? 1 : -1; }
  int size() const { return size_; }
  double term(int i) const { return terms_[i]; }

 private:
  std::array<double, N> terms_;
  int size_ = 0;
};

}   // namespace stickslip
