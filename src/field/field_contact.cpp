#include "stickslip/field/field_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// Both fields at one point, in the frame of A.
struct TwoFields {
  const DistanceField &a, &b;
  const Pose& b_in_a;

  struct At {
    Vec3 point;
    FieldSample a, b;
    double larger() const { return std::max(a.value, b.value); }
  };

  At at(const Vec3& p) const {
    At r{p, a.sample(p), b.sample(b_in_a.to_local(p))};
    r.b.gradient = b_in_a.orientation * r.b.gradient;
    return r;
  }
};

/// Linearisations of both fields around the point that a descent has reached: kinks within a field show only in several of
/// them.
class FieldBundle {
 public:
  void add(const TwoFields::At& x) { put({x.point, x.a, true}), put({x.point, x.b, false}); }

  struct Step {
    Vec3 way;       ///< [m]
    double falls;   ///< of the largest linearisation, less |s|²/2τ [m]
    Vec3 across;   ///< Σ λⱼ gⱼ of A less that of B: at a minimum the two cancel, so this is the way from A to B, at kinks too
  };

  /// argmin over s of maxⱼ (αⱼ + gⱼ·s) + |s|²/2τ, αⱼ the linearisations at x: s = −τ Σ λⱼ gⱼ with λ from the dual,
  /// max Σ λⱼ αⱼ − τ/2 |Σ λⱼ gⱼ|² over λ ≥ 0, Σ λ = 1, by exchanges between the best and the worst plane.
  Step step(const TwoFields::At& x, double tau) const {
    std::array<double, kRoom> height, share{};
    int highest = 0;
    for (int j = 0; j < count_; ++j) {
      height[j] = std::min(planes_[j].sample.value + planes_[j].sample.gradient.dot(x.point - planes_[j].at), x.larger());
      if (height[j] > height[highest]) highest = j;
    }
    share[highest] = 1;
    Vec3 sum = planes_[highest].sample.gradient;
    for (int i = 0; i < 40; ++i) {
      int best = -1, worst = -1;
      const auto gain = [&](int j) { return height[j] - tau * planes_[j].sample.gradient.dot(sum); };
      for (int j = 0; j < count_; ++j) {
        if (best < 0 || gain(j) > gain(best)) best = j;
        if (share[j] > 0 && (worst < 0 || gain(j) < gain(worst))) worst = j;
      }
      const Vec3 change = planes_[best].sample.gradient - planes_[worst].sample.gradient;
      const double rise = gain(best) - gain(worst), bends = tau * change.squaredNorm();
      if (rise <= 1e-12 * tau) break;
      const double moved = bends > 0 ? std::min(share[worst], rise / bends) : share[worst];
      share[best] += moved, share[worst] -= moved, sum += moved * change;
    }
    double model = 0;
    Vec3 across = Vec3::Zero();
    for (int j = 0; j < count_; ++j) {
      model += share[j] * height[j];
      across += (planes_[j].of_a ? share[j] : -share[j]) * planes_[j].sample.gradient;
    }
    return {-tau * sum, x.larger() - model + 0.5 * tau * sum.squaredNorm(), across};
  }

 private:
  static constexpr int kRoom = 12;
  struct Plane {
    Vec3 at;
    FieldSample sample;
    bool of_a;
  };
  void put(const Plane& plane) {
    planes_[next_] = plane;
    next_ = (next_ + 1) % kRoom, count_ = std::min(count_ + 1, kRoom);
  }

  std::array<Plane, kRoom> planes_;
  int count_ = 0, next_ = 0;
};

FieldContact followed_down(const TwoFields& fields, TwoFields::At x, const FieldContactOptions& options) {
  double tau = std::abs(x.a.value - x.b.value) + options.margin + options.reach;
  const double smallest = options.tolerance * (options.margin + options.reach);
  FieldBundle bundle;
  bundle.add(x);
  int in_vain = 0;
  for (int i = 0; i < options.max_steps; ++i) {
    const FieldBundle::Step step = bundle.step(x, tau);
    if (step.falls <= smallest) break;
    const TwoFields::At next = fields.at(x.point + step.way);
    bundle.add(next);
    if (next.larger() <= x.larger() - 0.1 * step.falls) {
      x = next, in_vain = 0, tau *= 1.5;
    } else if (++in_vain % 3 == 0) {
      tau *= 0.3;   // what bends too much for planes from so far away
    }
  }
  Vec3 across = bundle.step(x, tau).across;
  if (across.squaredNorm() < 1e-6) across = x.a.gradient - x.b.gradient;
  const double length = across.norm();
  return {x.point, length > 0 ? Vec3(across / length) : x.a.gradient, x.a.value, x.b.value};
}

/// Of seeds in one cube of side merge/2 the deepest goes on: where they lead would be merged.
struct Seed {
  std::array<std::int64_t, 3> cube;
  double larger;
  Vec3 point;
  bool operator<(const Seed& o) const {
    return std::tuple(cube, larger, point.x(), point.y(), point.z()) <
           std::tuple(o.cube, o.larger, o.point.x(), o.point.y(), o.point.z());
  }
};

std::vector<Seed> thinned(const DistanceField& a, const DistanceField& b, const Pose& b_in_a, std::span<const Vec3> points,
                          const FieldContactOptions& options) {
  std::vector<Seed> seeds;
  const double reach = options.margin + options.reach;
  for (const Vec3& p : points) {
    const double first = a.value(p);
    if (first > reach) continue;
    const double larger = std::max(first, b.value(b_in_a.to_local(p)));
    if (larger > reach) continue;
    Seed seed{{}, larger, p};
    for (int axis = 0; options.merge > 0 && axis < 3; ++axis)
      seed.cube[axis] = static_cast<std::int64_t>(std::floor(2 * p[axis] / options.merge));
    seeds.push_back(seed);
  }
  std::sort(seeds.begin(), seeds.end());
  if (options.merge > 0)
    seeds.erase(std::unique(seeds.begin(), seeds.end(), [](const Seed& x, const Seed& y) { return x.cube == y.cube; }),
                seeds.end());
  return seeds;
}

bool deeper(const FieldContact& x, const FieldContact& y) {
  const auto key = [](const FieldContact& c) {
    return std::tuple(std::max(c.value_a, c.value_b), c.point.x(), c.point.y(), c.point.z());
  };
  return key(x) < key(y);
}

}   // namespace

std::vector<FieldContact> field_contacts(const DistanceField& a, const DistanceField& b, const Pose& b_in_a,
                                         std::span<const Vec3> seeds, const FieldContactOptions& options) {
  const TwoFields fields{a, b, b_in_a};
  std::vector<FieldContact> found;
  for (const Seed& seed : thinned(a, b, b_in_a, seeds, options)) {
    const FieldContact end = followed_down(fields, fields.at(seed.point), options);
    if (std::max(end.value_a, end.value_b) <= options.margin) found.push_back(end);
  }
  std::sort(found.begin(), found.end(), deeper);
  std::vector<FieldContact> kept;
  for (const FieldContact& c : found) {
    const auto near = [&](const FieldContact& other) {
      return (other.point - c.point).squaredNorm() <= options.merge * options.merge;
    };
    if (std::none_of(kept.begin(), kept.end(), near)) kept.push_back(c);
  }
  return kept;
}

std::vector<Vec3> surface_seeds(const TriangleMesh& mesh, double spacing) {
  if (!(std::isfinite(spacing) && spacing > 0))
    throw Error(fmt::format("{} is not a length. The spacing of seeds must be finite and greater than 0.", spacing))
        .at("spacing");
  constexpr std::size_t kMost = 10'000'000;
  std::vector<Vec3> seeds = mesh.vertices;
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()}), pieces = std::ceil(longest / spacing);
    if (!(0.5 * pieces * pieces + static_cast<double>(seeds.size()) < static_cast<double>(kMost)))
      throw Error(fmt::format("A spacing of {} m asks for more than {} seeds. Choose a wider one.", spacing, kMost))
          .at("spacing");
    const int n = static_cast<int>(pieces);
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) {
        const int k = n - i - j;
        if (i == n || j == n || k == n) continue;   // the corners
        seeds.push_back((i * a + j * b + k * c) / n);
      }
  }
  return seeds;
}

}   // namespace stickslip
