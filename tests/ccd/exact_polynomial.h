// Polynomials with integer coefficients and their real roots in [0, 1], exactly: isolated by Sturm's theorem, with signs of
// other polynomials at them.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

namespace stickslip::ccd_test {

using Integer = boost::multiprecision::cpp_int;

/// k / 2^m.
struct Dyadic {
  Integer k = 0;
  unsigned m = 0;
  double value() const { return std::ldexp(k.convert_to<double>(), -static_cast<int>(m)); }
};

inline Dyadic midpoint(const Dyadic& a, const Dyadic& b) {
  const unsigned m = std::max(a.m, b.m) + 1;
  return {(a.k << (m - 1 - a.m)) + (b.k << (m - 1 - b.m)), m};
}

class Polynomial {
 public:
  Polynomial() = default;
  explicit Polynomial(std::vector<Integer> ascending) : c_(std::move(ascending)) { trim(); }

  bool is_zero() const { return c_.empty(); }
  int degree() const { return static_cast<int>(c_.size()) - 1; }
  const Integer& coefficient(int i) const { return c_[i]; }

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b) {
    Polynomial out = a;
    if (out.c_.size() < b.c_.size()) out.c_.resize(b.c_.size());
    for (std::size_t i = 0; i < b.c_.size(); ++i) out.c_[i] += b.c_[i];
    out.trim();
    return out;
  }
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b) {
    Polynomial out = a;
    if (out.c_.size() < b.c_.size()) out.c_.resize(b.c_.size());
    for (std::size_t i = 0; i < b.c_.size(); ++i) out.c_[i] -= b.c_[i];
    out.trim();
    return out;
  }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    Polynomial out;
    if (a.is_zero() || b.is_zero()) return out;
    out.c_.resize(a.c_.size() + b.c_.size() - 1);
    for (std::size_t i = 0; i < a.c_.size(); ++i)
      for (std::size_t j = 0; j < b.c_.size(); ++j) out.c_[i + j] += a.c_[i] * b.c_[j];
    return out;
  }

  Polynomial derivative() const {
    Polynomial out;
    for (std::size_t i = 1; i < c_.size(); ++i) out.c_.push_back(c_[i] * static_cast<int>(i));
    return out;
  }

  /// Sign at k / 2^m.
  int sign_at(const Dyadic& t) const { return scaled_value(t).sign(); }

  /// The sign at every point within 2⁻ʷ of t in [0, 1], if the slope there cannot change it.
  std::optional<int> certain_sign(const Dyadic& t, unsigned w) const {
    if (is_zero()) return 0;
    Integer slope = 0;
    for (std::size_t i = 1; i < c_.size(); ++i) slope += abs(c_[i]) * static_cast<int>(i);
    const Integer value = scaled_value(t);   // 2^(m n) times the value
    if ((Integer(abs(value)) << w) > (slope << (t.m * degree()))) return value.sign();
    return std::nullopt;
  }

  /// Divided by the common divisor of its coefficients.
  Polynomial primitive() const {
    if (is_zero()) return {};
    Integer divisor = 0;
    for (const Integer& c : c_) divisor = gcd(divisor, c);
    Polynomial out = *this;
    for (Integer& c : out.c_) c /= divisor;
    return out;
  }

  /// A positive multiple of the remainder of a / b.
  friend Polynomial remainder(Polynomial a, const Polynomial& b) {
    while (!a.is_zero() && a.degree() >= b.degree()) {
      const Integer lead = a.c_.back(), by = b.c_.back();
      const int shift = a.degree() - b.degree();
      const Integer factor = abs(by), subtract = by.sign() > 0 ? lead : Integer(-lead);
      for (Integer& c : a.c_) c *= factor;
      for (std::size_t i = 0; i < b.c_.size(); ++i) a.c_[i + shift] -= subtract * b.c_[i];
      a.trim();
    }
    return a;
  }

  /// a / b where that is without remainder, up to a factor.
  friend Polynomial quotient(Polynomial a, const Polynomial& b) {
    Polynomial out;
    out.c_.resize(a.degree() - b.degree() + 1);
    while (!a.is_zero() && a.degree() >= b.degree()) {
      const Integer lead = a.c_.back(), by = b.c_.back();
      const int shift = a.degree() - b.degree();
      for (Integer& c : a.c_) c *= by;
      for (Integer& c : out.c_) c *= by;
      out.c_[shift] += lead;
      for (std::size_t i = 0; i < b.c_.size(); ++i) a.c_[i + shift] -= lead * b.c_[i];
      a.trim();
    }
    return out.primitive();
  }

  friend Polynomial common_divisor(Polynomial a, Polynomial b) {
    while (!b.is_zero()) {
      Polynomial r = remainder(a, b).primitive();
      a = std::move(b);
      b = std::move(r);
    }
    return a.primitive();
  }

 private:
  Integer scaled_value(const Dyadic& t) const {
    Integer value = 0;
    for (int i = degree(); i >= 0; --i) value = value * t.k + (c_[i] << (t.m * (degree() - i)));
    return value;
  }

  void trim() {
    while (!c_.empty() && c_.back().is_zero()) c_.pop_back();
  }

  std::vector<Integer> c_;
};

/// Numbers of different roots in intervals.
class Sturm {
 public:
  explicit Sturm(const Polynomial& squarefree) {
    sequence_.push_back(squarefree);
    Polynomial next = squarefree.derivative();
    while (!next.is_zero()) {
      sequence_.push_back(next);
      next = Polynomial() - remainder(sequence_[sequence_.size() - 2], sequence_.back()).primitive();
    }
  }

  const Polynomial& polynomial() const { return sequence_[0]; }

  /// In (low, high].
  int roots(const Dyadic& low, const Dyadic& high) const { return changes(low) - changes(high); }

 private:
  int changes(const Dyadic& t) const {
    int last = 0, count = 0;
    for (const Polynomial& p : sequence_) {
      const int sign = p.sign_at(t);
      if (sign == 0) continue;
      if (last != 0 && sign != last) ++count;
      last = sign;
    }
    return count;
  }

  std::vector<Polynomial> sequence_;
};

/// A root of a polynomial: the only one in (low, high], or low itself if both are the same.
class Root {
 public:
  explicit Root(const Dyadic& exact) : low_(exact), high_(exact) {}
  Root(const Sturm& sturm, const Dyadic& low, const Dyadic& high) : sturm_(sturm), low_(low), high_(high) {}

  /// Until the interval is no wider than 2⁻ʷ; it starts as one of width 2⁻ⁿ.
  void refine(unsigned w) {
    while (sturm_ && high_.m < w) {
      const Dyadic middle = midpoint(low_, high_);
      const Dyadic low = {low_.k << (middle.m - low_.m), middle.m}, high = {high_.k << (middle.m - high_.m), middle.m};
      if (sturm_->polynomial().sign_at(middle) == 0) {
        if (sturm_->roots(low, middle) == 1) {
          low_ = high_ = middle;
          sturm_.reset();
          return;
        }
      }
      if (sturm_->roots(low, middle) == 1) low_ = low, high_ = middle;
      else low_ = middle, high_ = high;
    }
  }

  int sign_of(const Polynomial& g) {
    if (g.is_zero()) return 0;
    if (!sturm_) return g.sign_at(low_);
    refine(40);
    if (sturm_)
      if (const auto sign = g.certain_sign(high_, high_.m)) return *sign;
    if (!sturm_) return g.sign_at(low_);
    const Polynomial common = common_divisor(sturm_->polynomial(), g);
    if (common.degree() >= 1 && Sturm(common).roots(low_, high_) == 1) return 0;
    for (unsigned w = 80;; w *= 2) {
      refine(w);
      if (!sturm_) return g.sign_at(low_);
      if (const auto sign = g.certain_sign(high_, high_.m)) return *sign;
    }
  }

  double low() const { return low_.value(); }
  double high() const { return high_.value(); }

 private:
  std::optional<Sturm> sturm_;
  Dyadic low_, high_;
};

/// Roots in [0, 1] of a polynomial that is not zero, in order.
inline std::vector<Root> roots_in_unit_interval(const Polynomial& f) {
  std::vector<Root> roots;
  if (f.degree() < 1) return roots;
  const Polynomial divisor = common_divisor(f, f.derivative());
  const Sturm sturm(divisor.degree() >= 1 ? quotient(f, divisor) : f.primitive());
  if (f.sign_at({0, 0}) == 0) roots.emplace_back(Dyadic{0, 0});
  const auto isolate = [&](const auto& self, const Dyadic& low, const Dyadic& high, int count) -> void {
    if (count == 0) return;
    if (count == 1) {
      roots.emplace_back(sturm, low, high);
      return;
    }
    const Dyadic middle = midpoint(low, high);
    const Dyadic finer_low{low.k << 1, low.m + 1}, finer_high{high.k << 1, high.m + 1};
    const int first = sturm.roots(finer_low, middle);
    self(self, finer_low, middle, first);
    self(self, middle, finer_high, count - first);
  };
  isolate(isolate, {0, 0}, {1, 0}, sturm.roots({0, 0}, {1, 0}));
  return roots;
}

}   // namespace stickslip::ccd_test
