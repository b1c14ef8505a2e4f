#include <gtest/gtest.h>

#include "stickslip/minimise/minimise.h"

namespace stickslip {
namespace {

/// Rosenbrock's valley, (1 − x)² + 100 (y − x²)² times a scale, in as many copies as asked for, each a piece of its own. A wall
/// at `wall` may not be passed by y.
class Valleys : public Objective {
 public:
  Valleys(int copies, double wall) : wall_(wall), base_(2 * copies), now_(2 * copies) {
    for (int k = 0; k < copies; ++k) base_[2 * k] = now_[2 * k] = -1.2 - 0.1 * k, base_[2 * k + 1] = now_[2 * k + 1] = 1;
  }
  std::size_t size() const override { return now_.size(); }
  std::size_t pieces() const override { return now_.size() / 2; }
  void values(std::span<double> out) override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double x = now_[2 * k], y = now_[2 * k + 1];
      out[k] = (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x);
    }
  }
  void gradient(std::span<double> out) override {
    for (std::size_t k = 0; k < out.size() / 2; ++k) {
      const double x = now_[2 * k], y = now_[2 * k + 1];
      out[2 * k] = -2 * (1 - x) - 400 * x * (y - x * x);
      out[2 * k + 1] = 200 * (y - x * x);
    }
  }
  const SparseFactor::Matrix& hessian(bool projected) override {
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < static_cast<int>(now_.size() / 2); ++k) {
      const double x = now_[2 * k], y = now_[2 * k + 1];
      const double bend = projected ? 800 * x * x : 1200 * x * x - 400 * y;
      entries.emplace_back(2 * k, 2 * k, 2 + bend);
      entries.emplace_back(2 * k + 1, 2 * k, -400 * x);
      entries.emplace_back(2 * k + 1, 2 * k + 1, 200);
    }
    matrix_.resize(static_cast<Eigen::Index>(now_.size()), static_cast<Eigen::Index>(now_.size()));
    matrix_.setFromTriplets(entries.begin(), entries.end());
    return matrix_;
  }
  void precondition(std::span<const double> in, std::span<double> out) override {
    for (std::size_t k = 0; k < in.size(); ++k) out[k] = in[k] / 200;
  }
  double shorten(std::span<double> direction) override {
    double least = 1;
    for (std::size_t k = 0; k < direction.size() / 2; ++k) {
      const double way = direction[2 * k + 1];
      if (base_[2 * k + 1] + way <= wall_) continue;
      const double part = 0.9 * (wall_ - base_[2 * k + 1]) / way;
      direction[2 * k] *= part;
      direction[2 * k + 1] *= part;
      least = std::min(least, part);
    }
    return least;
  }
  void slopes(std::span<const double> gradient, std::span<const double> direction, std::span<double> out) override {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = gradient[2 * k] * direction[2 * k] + gradient[2 * k + 1] * direction[2 * k + 1];
  }
  void move(std::span<const double> direction, std::span<const double> steps) override {
    for (std::size_t k = 0; k < now_.size(); ++k) now_[k] = base_[k] + steps[k / 2] * direction[k];
  }
  void accept(std::span<const double>) override { base_ = now_; }
  double size_of(std::span<const double> direction) const override {
    return Eigen::Map<const Eigen::VectorXd>(direction.data(), static_cast<Eigen::Index>(direction.size()))
        .lpNorm<Eigen::Infinity>();
  }

  const std::vector<double>& place() const { return base_; }

 private:
  double wall_;
  std::vector<double> base_, now_;
  SparseFactor::Matrix matrix_;
};

TEST(Minimise, every_method_finds_the_bottom_of_the_valley) {
  for (const MinimiseMethod method :
       {MinimiseMethod::projected_newton, MinimiseMethod::newton, MinimiseMethod::lbfgs, MinimiseMethod::gradient_descent}) {
    Valleys f(1, 1e9);
    MinimiseOptions options;
    options.method = method;
    options.tolerance = method == MinimiseMethod::gradient_descent ? 1e-6 : 1e-9;
    options.max_iterations = method == MinimiseMethod::gradient_descent ? 100'000 : 1000;
    double last = std::numeric_limits<double>::infinity();
    options.observer = [&](const MinimiseStep& s) {
      EXPECT_LE(s.value, last + 1e-12);
      last = s.value;
    };
    const Minimum found = Minimiser().minimise(f, options);
    const std::string& name = minimise_method_names()[static_cast<std::size_t>(method)];
    EXPECT_TRUE(found.converged) << name;
    EXPECT_NEAR(f.place()[0], 1, method == MinimiseMethod::gradient_descent ? 1e-2 : 1e-6) << name;
    EXPECT_NEAR(f.place()[1], 1, method == MinimiseMethod::gradient_descent ? 2e-2 : 1e-6) << name;
    EXPECT_LT(found.iterations, method == MinimiseMethod::newton ? 30 : options.max_iterations);
  }
}

/// Projection makes the Hessian too large by the same factor everywhere.
class StiffValleys final : public Valleys {
 public:
  using Valleys::Valleys;
  const SparseFactor::Matrix& hessian(bool projected) override {
    stiff_ = (projected ? 3 : 1) * Valleys::hessian(projected);
    return stiff_;
  }

 private:
  SparseFactor::Matrix stiff_;
};

TEST(Minimise, Hessians_that_are_positive_by_themselves_are_not_projected_for_long) {
  StiffValleys f(1, 1e9);
  std::vector<double> sizes;
  MinimiseOptions options;
  options.tolerance = 1e-12;
  options.observer = [&](const MinimiseStep& s) { sizes.push_back(s.size); };
  const Minimum found = Minimiser().minimise(f, options);
  EXPECT_TRUE(found.converged);
  ASSERT_GT(sizes.size(), 3u);
  // Of second order in the end; two thirds would be left in every iteration.
  EXPECT_LT(sizes.back(), 1e-3 * sizes[sizes.size() - 2]);
  EXPECT_LT(found.iterations, 30);
}

TEST(Minimise, the_pattern_is_analysed_once) {
  Valleys f(3, 1e9);
  Minimiser minimiser;
  const Minimum first = minimiser.minimise(f, {.tolerance = 1e-9});
  EXPECT_EQ(first.analyses, 1);
  EXPECT_GT(first.factorisations, 5);
  Valleys again(3, 1e9);
  EXPECT_EQ(minimiser.minimise(again, {.tolerance = 1e-9}).analyses, 0);
}

TEST(Minimise, pieces_do_not_hold_each_other_up) {
  Valleys one(1, 1e9), many(20, 1e9);
  const int alone = Minimiser().minimise(one, {.tolerance = 1e-9}).iterations;
  const Minimum together = Minimiser().minimise(many, {.tolerance = 1e-9});
  EXPECT_TRUE(together.converged);
  EXPECT_LT(together.iterations, 3 * alone);
  for (const double number : many.place()) EXPECT_NEAR(number, 1, 1e-6);
}

TEST(Minimise, walls_are_not_passed) {
  Valleys f(1, 0.5);
  const Minimum found = Minimiser().minimise(f, {.tolerance = 1e-9, .max_iterations = 50});
  EXPECT_FALSE(found.converged);
  EXPECT_LE(f.place()[1], 0.5);
}

/// Pressed by n ≥ 0 and rubbed along t with a force that follows the pressure: ½ k (n − 1)² + ½ t² + s t with s = µ n².
class Rubbed final : public Objective {
 public:
  std::size_t size() const override { return 2; }
  void values(std::span<double> out) override {
    out[0] = 5 * (now_[0] - 1) * (now_[0] - 1) + 0.5 * now_[1] * now_[1] + force_ * now_[1];
  }
  void gradient(std::span<double> out) override {
    out[0] = 10 * (now_[0] - 1);
    out[1] = now_[1] + force_;
  }
  const SparseFactor::Matrix& hessian(bool) override { return fill(0); }
  const SparseFactor::Matrix& jacobian(bool) override { return fill(2 * kMu * base_[0]); }
  void foresee(std::span<const double> d) override { force_ = kMu * (base_[0] * base_[0] + 2 * base_[0] * d[0]); }
  void precondition(std::span<const double> in, std::span<double> out) override { std::ranges::copy(in, out.begin()); }
  double shorten(std::span<double>) override { return 1; }
  void slopes(std::span<const double> g, std::span<const double> d, std::span<double> out) override {
    out[0] = g[0] * d[0] + g[1] * d[1];
  }
  void move(std::span<const double> d, std::span<const double> steps) override {
    for (int k = 0; k < 2; ++k) now_[k] = base_[k] + steps[0] * d[k];
  }
  void accept(std::span<const double>) override { base_ = now_; }
  double size_of(std::span<const double> d) const override { return std::max(std::abs(d[0]), std::abs(d[1])); }

  void follow() { force_ = kMu * base_[0] * base_[0]; }
  const std::array<double, 2>& place() const { return base_; }
  static constexpr double kMu = 0.7;

 private:
  const SparseFactor::Matrix& fill(double coupling) {
    const std::vector<Eigen::Triplet<double>> entries{{0, 0, 10}, {1, 0, coupling}, {1, 1, 1}};
    matrix_.resize(2, 2);
    matrix_.setFromTriplets(entries.begin(), entries.end());
    return matrix_;
  }
  std::array<double, 2> base_ = {0.2, 3}, now_ = base_;
  double force_ = 0;
  SparseFactor::Matrix matrix_;
};

TEST(Minimise, forces_that_follow_others_are_found_with_them) {
  Rubbed f;
  Minimiser minimiser;
  std::vector<double> sizes;
  for (int k = 0; k < 6; ++k) {
    f.follow();
    sizes.push_back(minimiser.minimise(f, {.tolerance = 1e-12, .max_iterations = 1, .coupled = true}).size);
  }
  EXPECT_NEAR(f.place()[0], 1, 1e-12);
  EXPECT_NEAR(f.place()[1], -Rubbed::kMu, 1e-12);
  EXPECT_LT(sizes[3], 1e-12);   // n is found at once, t with it but for what is not linear
}

/// A row of points on springs, each rubbed by its neighbour's way: (H + C) x = b, of which C belongs to no function.
class RubbedRow final : public Objective {
 public:
  RubbedRow(int size, double mu, bool by_products)
      : by_products_(by_products), base_(Eigen::VectorXd::Zero(size)), now_(base_) {
    std::vector<Eigen::Triplet<double>> stiff, rub;
    for (int k = 0; k < size; ++k) {
      stiff.emplace_back(k, k, 2.1 + 0.1 * (k % 7));
      if (k > 0) stiff.emplace_back(k, k - 1, -1), stiff.emplace_back(k - 1, k, -1), rub.emplace_back(k, k - 1, mu);
    }
    for (SparseFactor::Matrix* m : {&hessian_, &beyond_}) m->resize(size, size);
    hessian_.setFromTriplets(stiff.begin(), stiff.end());
    beyond_.setFromTriplets(rub.begin(), rub.end());
    whole_ = hessian_ + beyond_;
    load_ = Eigen::VectorXd::LinSpaced(size, -1, 2);
    force_ = Eigen::VectorXd::Zero(size);
  }
  std::size_t size() const override { return static_cast<std::size_t>(base_.size()); }
  void values(std::span<double> out) override { out[0] = now_.dot(0.5 * (hessian_ * now_) - load_ + force_); }
  void gradient(std::span<double> out) override { as_vector(out) = hessian_ * now_ - load_ + force_; }
  const SparseFactor::Matrix& hessian(bool) override { return hessian_; }
  const SparseFactor::Matrix& jacobian(bool) override { return whole_; }
  bool beyond_hessian(std::span<const double> in, std::span<double> out) override {
    as_vector(out) = beyond_ * as_vector(in);
    return by_products_;
  }
  void foresee(std::span<const double> d) override { force_ = beyond_ * (base_ + as_vector(d)); }
  void precondition(std::span<const double> in, std::span<double> out) override { std::ranges::copy(in, out.begin()); }
  double shorten(std::span<double>) override { return 1; }
  void slopes(std::span<const double> g, std::span<const double> d, std::span<double> out) override {
    out[0] = as_vector(g).dot(as_vector(d));
  }
  void move(std::span<const double> d, std::span<const double> steps) override { now_ = base_ + steps[0] * as_vector(d); }
  void accept(std::span<const double>) override { base_ = now_; }
  double size_of(std::span<const double> d) const override { return as_vector(d).lpNorm<Eigen::Infinity>(); }

  double residual() const { return (whole_ * base_ - load_).lpNorm<Eigen::Infinity>(); }
  const Eigen::VectorXd& place() const { return base_; }

 private:
  static Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> v) {
    return {v.data(), static_cast<Eigen::Index>(v.size())};
  }
  static Eigen::Map<Eigen::VectorXd> as_vector(std::span<double> v) { return {v.data(), static_cast<Eigen::Index>(v.size())}; }
  bool by_products_;
  Eigen::VectorXd base_, now_, load_, force_;
  SparseFactor::Matrix hessian_, beyond_, whole_;
};

/// Two stiff springs far from the origin that pull against each other, between a body and one that is held softly:
/// ½ k (c₁ − s)² + ½ k (c₂ + s)² + ½ y² + y⁴ with c = (x + far) − (y + far/3) − ⅔ far as it rounds. Values are worth k s times
/// that rounding, and no more; the Hessian is a little too stiff, so that steps become small slowly.
class FarSprings final : public Objective {
 public:
  std::size_t size() const override { return 2; }
  void values(std::span<double> out) override {
    const double one = stretch(kFar) - kStrain, other = stretch(3 * kFar) + kStrain, y = now_[1];
    out[0] = 0.5 * kStiff * (one * one + other * other) + 0.5 * y * y + y * y * y * y;
  }
  void gradient(std::span<double> out) override {
    const double force = kStiff * (stretch(kFar) + stretch(3 * kFar)), y = now_[1];
    out[0] = force;
    out[1] = -force + y + 4 * y * y * y;
  }
  const SparseFactor::Matrix& hessian(bool) override {
    const std::vector<Eigen::Triplet<double>> entries{
        {0, 0, 2 * kStiff}, {1, 0, -2 * kStiff}, {0, 1, -2 * kStiff}, {1, 1, 2 * kStiff + 4 + 12 * now_[1] * now_[1]}};
    matrix_.resize(2, 2);
    matrix_.setFromTriplets(entries.begin(), entries.end());
    return matrix_;
  }
  void precondition(std::span<const double> in, std::span<double> out) override { std::ranges::copy(in, out.begin()); }
  double shorten(std::span<double>) override { return 1; }
  void slopes(std::span<const double> g, std::span<const double> d, std::span<double> out) override {
    out[0] = g[0] * d[0] + g[1] * d[1];
  }
  void move(std::span<const double> d, std::span<const double> steps) override {
    for (int k = 0; k < 2; ++k) now_[k] = base_[k] + steps[0] * d[k];
  }
  void accept(std::span<const double>) override { base_ = now_; }
  double size_of(std::span<const double> d) const override { return std::abs(d[1]); }
  double place() const { return base_[1]; }

 private:
  static constexpr double kFar = 1e3, kStiff = 1e9, kStrain = 1e-3;
  double stretch(double far) const { return (now_[0] + far) - (now_[1] + far / 3) - (far - far / 3); }
  std::array<double, 2> base_ = {1, 1}, now_ = base_;
  SparseFactor::Matrix matrix_;
};

TEST(Minimise, steps_are_not_cut_where_values_are_lost_in_rounding) {
  FarSprings f;
  int cut = 0;
  const auto see = [&](const MinimiseStep& step) { cut += step.taken < 1; };
  const Minimum found = Minimiser().minimise(f, {.tolerance = 1e-9, .max_iterations = 150, .observer = see});
  EXPECT_TRUE(found.converged) << found.size;
  EXPECT_NEAR(f.place(), 0, 1e-8);
  EXPECT_EQ(cut, 0);
}

TEST(Minimise, a_coupled_direction_is_the_same_by_products_and_by_factors) {
  const MinimiseOptions once{.tolerance = 1e-12, .max_iterations = 1, .coupled = true};
  RubbedRow by_factors(400, 0.8, false), by_products(400, 0.8, true);
  const Minimum factored = Minimiser().minimise(by_factors, once), iterated = Minimiser().minimise(by_products, once);
  EXPECT_LT(by_factors.residual(), 1e-12);
  EXPECT_LT(by_products.residual(), 1e-6);
  EXPECT_LT((by_factors.place() - by_products.place()).norm(), 1e-7 * by_factors.place().norm());
  EXPECT_EQ(factored.products, 0);
  EXPECT_GT(iterated.products, 3);
  EXPECT_LT(iterated.products, 40);
}

TEST(Minimise, products_that_do_not_converge_give_way_to_factors) {
  RubbedRow f(400, 30, true);
  const Minimum found = Minimiser().minimise(f, {.tolerance = 1e-12, .max_iterations = 1, .coupled = true});
  EXPECT_GE(found.products, 50);
  EXPECT_LT(f.residual(), 1e-9 * std::max(1.0, f.place().lpNorm<Eigen::Infinity>()));
}

}   // namespace
}   // namespace stickslip
