// Friction sets of every kind, for tests that hold for all of them: the laws of the variant, the built-in custom sets, and sets
// that a user could write, thin and empty ones included.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "stickslip/friction/sets.h"

namespace stickslip::testing {

template <int Rows>
using Vector = Eigen::Matrix<double, Rows, 1>;

/// A law of the variant behind the interface of custom sets.
template <class Law>
class Wrapped final : public ConvexSet<Law::rows> {
 public:
  explicit Wrapped(const Law& law) : law_(law) {}
  std::string_view name() const override { return "wrapped"; }
  std::vector<double> parameters() const override { return {}; }
  typename Law::Vector project(double n, const typename Law::Vector& z) const override { return law_.project(n, z); }
  typename Law::Vector support_point(const typename Law::Vector& d) const override { return law_.support_point(d); }
  double support(const typename Law::Vector& d) const override { return law_.support(d); }
  FrictionBox<Law::rows> box(double n) const override { return law_.box(n); }
  ProjectionDerivative<Law::rows> differentiate(double n, const typename Law::Vector& z) const override {
    return law_.differentiate(n, z);
  }
  ImplicitValue<Law::rows> implicit(double n, const typename Law::Vector& x) const override { return law_.implicit(n, x); }

 private:
  Law law_;
};

/// A set with only what must be written: all points at most `radius` from the segment between two points; grows with n or not.
template <int Rows>
class Stadium final : public ConvexSet<Rows> {
 public:
  Stadium(const Vector<Rows>& start, const Vector<Rows>& end, double radius, bool scales)
      : start_(start), along_(end - start), radius_(radius), scales_(scales) {}
  std::string_view name() const override { return "stadium"; }
  std::vector<double> parameters() const override { return {}; }
  Vector<Rows> project(double normal, const Vector<Rows>& z) const override {
    const double n = scales_ ? std::max(normal, 0.0) : 1;
    const double t = n > 0 ? std::clamp((z - n * start_).dot(along_) / (n * along_.squaredNorm()), 0.0, 1.0) : 0;
    const Vector<Rows> spine = n * start_ + n * t * along_, off = z - spine;
    return off.norm() <= n * radius_ ? z : Vector<Rows>(spine + off * (n * radius_ / off.norm()));
  }
  Vector<Rows> support_point(const Vector<Rows>& d) const override {
    const Vector<Rows> end = d.dot(along_) > 0 ? start_ + along_ : start_;
    return d.isZero(0) ? end : Vector<Rows>(end + d * (radius_ / d.norm()));
  }
  bool scales_with_normal() const override { return scales_; }

 private:
  Vector<Rows> start_, along_;
  double radius_;
  bool scales_;
};

template <int Rows>
struct Sample {
  std::string name;
  std::shared_ptr<const ConvexSet<Rows>> set;
};

template <class Law>
Sample<Law::rows> wrap(std::string name, const Law& law) {
  return {std::move(name), std::make_shared<Wrapped<Law>>(law)};
}

/// Points all over a flattened ball: a limit surface with many facets.
inline std::vector<Vec3> limit_surface(int count) {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i)
    points.push_back(Vec3(0.6, 0.4, 0.1).cwiseProduct(Vec3(normal(random), normal(random), normal(random)).normalized()));
  return points;
}

template <int Rows>
std::vector<Sample<Rows>> sample_sets() {
  const auto polygon = [](std::string name, const PolygonSet& set) {
    return Sample<2>{std::move(name), std::make_shared<PolygonSet>(set)};
  };
  const auto hull = [](std::string name, std::vector<Vec3> points) {
    return Sample<3>{std::move(name), std::make_shared<HullSet>(std::move(points))};
  };
  if constexpr (Rows == 1) {
    using V = Vector<1>;
    return {wrap("plane", PlanarFriction{0.6}),
            wrap("plane without friction", PlanarFriction{0}),
            {"one-sided interval", std::make_shared<Stadium<1>>(V(-0.1), V(0.6), 0.1, true)}};
  } else if constexpr (Rows == 2) {
    return {wrap("circle", CircularFriction{0.7}),
            wrap("circle without friction", CircularFriction{0}),
            wrap("ellipse", EllipseFriction{0.8, 0.2}),
            wrap("thin ellipse", EllipseFriction{0.5, 1e-3}),
            wrap("ellipse without one axis", EllipseFriction{0, 0.5}),
            polygon("regular polygon", PolygonSet::regular(0.5, 8)),
            polygon("box", PolygonSet::box({-0.2, -0.5}, {0.9, 0.1})),
            polygon("polygon with the origin at a corner", PolygonSet({{0.5, 0.1}, {0.3, 0.6}})),
            polygon("segment", PolygonSet({{-0.2, -0.1}, {0.6, 0.3}})),
            polygon("one corner", PolygonSet({{0, 0}})),
            {"tresca", std::make_shared<TrescaSet>(0.8)},
            {"stadium", std::make_shared<Stadium<2>>(Vec2(-0.2, 0), Vec2(0.6, 0.2), 0.3, true)},
            {"stadium that does not scale", std::make_shared<Stadium<2>>(Vec2(-0.3, 0), Vec2(0.5, 0.2), 0.4, false)}};
  } else if constexpr (Rows == 3) {
    return {wrap("ellipsoid", EllipsoidFriction{0.7, 0.4, 0.05}),
            wrap("ellipsoid without torsion", EllipsoidFriction{0.7, 0.4, 0}),
            wrap("needle", EllipsoidFriction{1e-3, 0.5, 1e-2}),
            hull("limit surface", limit_surface(60)),
            hull("octahedron", {{0.5, 0, 0}, {-0.5, 0, 0}, {0, 0.4, 0}, {0, -0.4, 0}, {0, 0, 0.1}, {0, 0, -0.1}}),
            hull("block", {{1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}, {1, 1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}}),
            hull("flat hull", {{0.5, 0.1, 0}, {-0.5, 0.2, 0}, {0.1, -0.6, 0}}),
            hull("hull of one point", {{0.3, 0.2, 0.1}}),
            hull("hull of the origin", {{0, 0, 0}})};
  } else if constexpr (Rows == 4) {
    return {wrap("rolling", RollingFriction{0.6, 0.02}),
            wrap("rolling without resistance", RollingFriction{0.6, 0}),
            {"stadium of four rows", std::make_shared<Stadium<4>>(Vec4(-0.1, 0, 0.1, 0), Vec4(0.2, 0.1, 0, 0.1), 0.3, true)}};
  } else {
    return {{"full", std::make_shared<FullSet>(EllipsoidFriction{0.7, 0.4, 0.05}, 0.02)},
            {"full without torsion", std::make_shared<FullSet>(EllipsoidFriction{0.7, 0.4, 0}, 0.02)},
            {"stadium of five rows",
             std::make_shared<Stadium<5>>(-0.2 * Vector<5>::Unit(4), 0.3 * Vector<5>::Unit(0), 0.25, true)}};
  }
}

template <class Check>
void for_all_sets(const Check& check) {
  const auto visit = [&]<int Rows>() {
    for (const Sample<Rows>& sample : sample_sets<Rows>()) {
      SCOPED_TRACE(sample.name);
      check.template operator()<Rows>(*sample.set);
    }
  };
  visit.template operator()<1>();
  visit.template operator()<2>();
  visit.template operator()<3>();
  visit.template operator()<4>();
  visit.template operator()<5>();
}

/// Random normal impulses and points about a set: near it, far from it, some with rows that are zero.
template <int Rows>
class Points {
 public:
  explicit Points(const ConvexSet<Rows>& set, unsigned seed = 1) : random_(seed) {
    const FrictionBox<Rows> box = set.box(1);
    widths_ = 0.5 * (box.upper - box.lower);
    size_ = std::max({box.upper.norm(), box.lower.norm(), 1e-3});
    for (double& width : widths_) width = std::max(width, 1e-2 * size_);
  }
  double size() const { return size_; }                    ///< about the largest norm in F(1)
  const Vector<Rows>& widths() const { return widths_; }   ///< about those of F(1), none zero
  double normal() { return 1.6 + 1.4 * uniform(); }
  Vector<Rows> direction() {
    Vector<Rows> d;
    for (double& number : d) number = uniform();
    return d.normalized();
  }
  Vector<Rows> point(double n) {
    static constexpr double scales[] = {0.3, 0.8, 1, 1, 1.5, 3, 100};
    Vector<Rows> z = n * scales[random_() % 7] * std::sqrt(static_cast<double>(Rows)) * widths_.cwiseProduct(direction());
    if (random_() % 8 == 0) z[random_() % Rows] = 0;
    return z;
  }

 private:
  double uniform() { return 0x1p-31 * random_() - 1; }   // −1 … 1

  std::mt19937 random_;
  Vector<Rows> widths_;
  double size_;
};

/// The largest of many numbers, and where it was.
class Largest {
 public:
  template <class... Where>
  void add(double value, const Where&... where) {
    if (value <= value_) return;
    value_ = value;
    at_.clear();
    ((at_ += text(where)), ...);
  }
  double value() const { return value_; }
  const std::string& at() const { return at_; }

 private:
  static std::string text(double number) { return fmt::format("{} ", number); }
  template <class Numbers>
  static std::string text(const Numbers& numbers) {
    std::string s = "(";
    for (const double number : numbers) s += fmt::format("{} ", number);
    return s + ") ";
  }
  double value_ = -std::numeric_limits<double>::infinity();
  std::string at_ = "nowhere";
};

}   // namespace stickslip::testing
