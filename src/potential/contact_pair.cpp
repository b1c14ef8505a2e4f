#include "stickslip/potential/contact_pair.h"

#include <limits>

#include "stickslip/distance/mollifier.h"
#include "stickslip/potential/barrier.h"

namespace stickslip {

namespace {

/// Squared distance of a pair with derivatives, in the places of its points.
template <int N>
void take(const WithDerivatives<N>& from, double& value, Vec12& gradient, Mat12& hessian) {
  value = from.value;
  gradient.setZero();
  hessian.setZero();
  gradient.head<N>() = from.gradient;
  hessian.topLeftCorner<N, N>() = from.hessian;
}

void squared_distance(const ContactPair& p, std::span<const Vec3> x, double& value, Vec12& gradient, Mat12& hessian) {
  const auto at = [&](int i) -> const Vec3& { return x[p.points[i]]; };
  switch (p.kind) {
    case PairKind::half_space:
      return take(squared_point_half_space(at(0), p.plane_normal, p.plane_offset), value, gradient, hessian);
    case PairKind::point_point:
      return take(squared_point_point(at(0), at(1)), value, gradient, hessian);
    case PairKind::point_line:
      return take(squared_point_line(at(0), at(1), at(2)), value, gradient, hessian);
    case PairKind::point_plane:
      return take(squared_point_plane(at(0), at(1), at(2), at(3)), value, gradient, hessian);
    case PairKind::edge_edge:
      return take(squared_edge_edge(at(0), at(1), at(2), at(3), p.on_a, p.on_b), value, gradient, hessian);
  }
}

constexpr double kPushChange = 100;   ///< factor by which a push changes at most
constexpr double kLeastSlope = 0.5;   ///< of λ/d: that of a force that grows as 1/√d
constexpr double kParallel = 1e-6;    ///< mollifiers below this are those of parallel edges

/// The nearest positive semidefinite matrix.
template <int N>
void project(Eigen::Ref<Eigen::Matrix<double, N, N>, 0, Eigen::OuterStride<>> m) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, N, N>> eigen(m);
  if (eigen.eigenvalues()[0] >= 0) return;
  m = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
}

/// A Hessian that is the same wherever the pair is moved to as a whole follows from the part of its last points: that is made
/// semidefinite, and the first point balances it.
void project_pair(int points, Mat12& h) {
  switch (points) {
    case 1:
      return project<3>(h.topLeftCorner<3, 3>());
    case 2:
      project<3>(h.block<3, 3>(3, 3));
      break;
    case 3:
      project<6>(h.block<6, 6>(3, 3));
      break;
    default:
      project<9>(h.block<9, 9>(3, 3));
  }
  const int n = 3 * points;
  h.topLeftCorner<3, 3>().setZero();
  for (int j = 3; j < n; j += 3) {
    Mat3 column = Mat3::Zero();
    for (int i = 3; i < n; i += 3) column += h.block<3, 3>(i, j);
    h.block<3, 3>(0, j) = -column;
    h.block<3, 3>(j, 0) = -column.transpose();
    h.topLeftCorner<3, 3>() += column;
  }
}

/// b as a function of the squared distance.
ScalarFunction by_square(const ScalarFunction& b, double distance) {
  const double half = 0.5 / distance;
  return {b.value, b.first * half, (b.second - b.first / distance) * half * half};
}

double mollifier_of(const ContactPair& p, std::span<const Vec3> x) {
  if (p.mollifier <= 0) return 1;
  return edge_mollifier(x[p.points[0]], x[p.points[1]], x[p.points[2]], x[p.points[3]], p.mollifier);
}

}   // namespace

PairPlace place_of(const ContactPair& p, std::span<const Vec3> x) {
  PairPlace place;
  const auto at = [&](int i) -> const Vec3& { return x[p.points[i]]; };
  auto& w = place.weights;
  switch (p.kind) {
    case PairKind::half_space:
      w = {1, 0, 0, 0};
      place.on_a = at(0);
      place.distance = signed_distance_to_half_space(at(0), p.plane_normal, p.plane_offset);
      place.on_b = at(0) - place.distance * p.plane_normal;
      place.normal = -p.plane_normal;
      return place;
    case PairKind::point_point:
      w = {1, -1, 0, 0};
      break;
    case PairKind::point_line: {
      const double t = closest_on_line(at(0), at(1), at(2)).weight;
      w = {1, t - 1, -t, 0};
      break;
    }
    case PairKind::point_plane: {
      const Vec3 t = closest_on_plane(at(0), at(1), at(2), at(3)).weights;
      w = {1, -t[0], -t[1], -t[2]};
      break;
    }
    case PairKind::edge_edge: {
      const ClosestOfEdges c = closest_of_edges(at(0), at(1), at(2), at(3));
      w = {1 - c.weight_a, c.weight_a, c.weight_b - 1, -c.weight_b};
      break;
    }
  }
  for (int i = 0; i < p.size; ++i) (i < p.size_a ? place.on_a : place.on_b) += (i < p.size_a ? w[i] : -w[i]) * at(i);
  const Vec3 apart = place.on_b - place.on_a;
  place.distance = apart.norm();
  if (place.distance > 0) place.normal = apart / place.distance;
  return place;
}

PairState state_of(const ContactPair& p, std::span<const Vec3> x) {
  PairState s;
  s.place = place_of(p, x);
  s.gap = s.place.distance - p.offset;
  s.mollifier = mollifier_of(p, x);
  s.barrier = log_barrier(s.gap, p.range);
  return s;
}

double energy_of(const ContactPair& p, const PairState& s) {
  if (!(s.gap > 0)) return std::numeric_limits<double>::infinity();
  return p.weight * s.mollifier * s.barrier.value;
}

namespace {

Vec12 outer(const std::array<double, 4>& weights, const Vec3& direction) {
  Vec12 v;
  for (int i = 0; i < 4; ++i) v.segment<3>(3 * i) = weights[i] * direction;
  return v;
}

WithDerivatives<12> mollifier_derivatives(const ContactPair& p, std::span<const Vec3> x) {
  return edge_mollifier_with_derivatives(x[p.points[0]], x[p.points[1]], x[p.points[2]], x[p.points[3]], p.mollifier);
}

/// Directions in which the closest points may slide, as combinations of the points, orthonormal.
struct FreeDirections {
  int count = 0;
  std::array<std::array<double, 4>, 2> of;
  std::array<Vec3, 2> along;

  void add(std::array<double, 4> b, const ContactPair& p, std::span<const Vec3> x) {
    Vec3 e = Vec3::Zero();
    for (int i = 0; i < p.size; ++i) e += b[i] * x[p.points[i]];
    if (count == 1) {
      const double part = e.dot(along[0]);
      e -= part * along[0];
      for (int i = 0; i < 4; ++i) b[i] -= part * of[0][i];
    }
    const double length = e.norm();
    if (!(length > 0)) return;
    for (double& number : b) number /= length;
    of[count] = b;
    along[count++] = e / length;
  }
};

FreeDirections free_directions(const ContactPair& p, std::span<const Vec3> x) {
  FreeDirections free;
  if (p.kind == PairKind::point_line || p.kind == PairKind::point_plane) free.add({0, -1, 1, 0}, p, x);
  if (p.kind == PairKind::point_plane) free.add({0, -1, 0, 1}, p, x);
  if (p.kind == PairKind::edge_edge && p.on_a == OnEdge::inside) free.add({-1, 1, 0, 0}, p, x);
  if (p.kind == PairKind::edge_edge && p.on_b == OnEdge::inside) free.add({0, 0, 1, -1}, p, x);
  return free;
}

/// The force of a pair and its slope, as `stiffness_of` takes them.
struct PushAndSlope {
  double push, slope;
};

PushAndSlope push_and_slope(const ContactPair& p, const PairState& s) {
  const double force = -p.weight * s.barrier.first, slope = p.weight * s.barrier.second;
  if (p.push == 0) return {force, slope};
  return {p.push, std::max(slope + (p.push - force) / s.gap, kLeastSlope * p.push / s.gap)};
}

/// Without the mollifier. @pre a positive weight, or not projected
void add_stiffness(const ContactPair& p, const PairState& s, std::span<const Vec3> x, bool projected, PairStiffness& out) {
  const PairPlace& place = s.place;
  const double d = place.distance;
  const auto [push, slope] = push_and_slope(p, s);
  out.add(slope, outer(place.weights, place.normal));
  if (d == 0 || p.kind == PairKind::half_space) return;
  const FreeDirections free = free_directions(p, x);
  for (int k = 0; k < free.count; ++k) {
    const Vec12 u = d * outer(free.of[k], -place.normal), v = outer(place.weights, free.along[k]);
    const double uu = u.squaredNorm(), vv = v.squaredNorm(), root = std::sqrt(uu * uu + 4 * uu * vv);
    if (!(uu > 0) || !(vv > 0)) continue;
    for (const double eigenvalue : {0.5 * (uu + root), 0.5 * (uu - root)}) {
      const Vec12 q = eigenvalue / std::sqrt(uu) * u + std::sqrt(uu) * v;   // (λ, |U||V|) in the axes U/|U|, V/|V|
      out.add(push / d * eigenvalue / q.squaredNorm(), q);
      if (projected) break;
    }
  }
  if (projected || free.count == 2) return;
  // What is neither along the normal nor free.
  const Vec3 one = free.count == 1 ? Vec3(place.normal.cross(free.along[0])) : Vec3(frame_from_normal(place.normal).col(1));
  out.add(-push / d, outer(place.weights, one));
  if (free.count == 0) out.add(-push / d, outer(place.weights, place.normal.cross(one)));
}

/// Edges that are parallel but for rounding have no force, only a stiffness against no longer being so.
void add_parallel_stiffness(const ContactPair& p, const PairState& s, std::span<const Vec3> x, PairStiffness& out) {
  const double factor = 4 * p.weight * s.barrier.value / p.mollifier;
  const Mat3 a = skew(x[p.points[1]] - x[p.points[0]]), b = skew(x[p.points[3]] - x[p.points[2]]);
  for (int k = 0; k < 3; ++k) {
    Vec12 row;   // of the derivative of the cross product of both edges
    row << b.row(k).transpose(), -b.row(k).transpose(), -a.row(k).transpose(), a.row(k).transpose();
    out.add(factor, row);
  }
}

}   // namespace

Vec12 gradient_of(const ContactPair& p, const PairState& s, std::span<const Vec3> x) {
  Vec12 g = outer(s.place.weights, -p.weight * s.barrier.first * s.place.normal);   // moving A towards B costs
  if (is_mollified(s)) {
    const WithDerivatives<12> m = mollifier_derivatives(p, x);
    g = m.value * g + p.weight * s.barrier.value * m.gradient;
  }
  return g;
}

Vec12 gradient_of_push(const ContactPair& p, const PairState& s) { return outer(s.place.weights, p.push * s.place.normal); }

Vec12 gradient_of_force(const ContactPair& p, const PairState& s) {
  return outer(s.place.weights, s.mollifier * push_and_slope(p, s).slope * s.place.normal);
}

bool is_mollified(const ContactPair& p, std::span<const Vec3> x) { return mollifier_of(p, x) < 1; }

double next_push(const ContactPair& p, const PairState& s, double way) {
  const double force = -p.weight * s.barrier.first;
  const auto [push, slope] = push_and_slope(p, s);
  return std::clamp(force - slope * way, push / kPushChange, push * kPushChange);
}

Mat12 hessian_of(const ContactPair& p, std::span<const Vec3> x) {
  Vec12 g;
  Mat12 h;
  double square = 0;
  squared_distance(p, x, square, g, h);
  const double distance = std::sqrt(square);
  const ScalarFunction b = by_square(log_barrier(distance - p.offset, p.range), distance);
  h = (p.weight * (b.second * g * g.transpose() + b.first * h)).eval();
  g *= p.weight * b.first;
  if (p.mollifier > 0) {
    const WithDerivatives<12> m = mollifier_derivatives(p, x);
    h = (m.value * h + g * m.gradient.transpose() + m.gradient * g.transpose() + p.weight * b.value * m.hessian).eval();
  }
  return h;
}

PairStiffness stiffness_of(const ContactPair& p, const PairState& s, std::span<const Vec3> x, bool projected) {
  PairStiffness out;
  if (!is_mollified(s)) {
    if (p.weight > 0 || !projected) add_stiffness(p, s, x, projected, out);
  } else if (s.mollifier < kParallel) {
    add_parallel_stiffness(p, s, x, out);
  } else {
    out.is_full = true;
    out.full = hessian_of(p, x);
    if (projected) project_pair(p.size, out.full);
  }
  return out;
}

Vec2 FrictionTerm::way(std::span<const Vec3> start, std::span<const Vec3> x) const {
  Vec3 moved = Vec3::Zero();
  for (int i = 0; i < size; ++i) moved += weights[i] * (x[points[i]] - start[points[i]]);
  return anchor + tangents.transpose() * moved;
}

double FrictionTerm::energy(std::span<const Vec3> start, std::span<const Vec3> x) const {
  return limit * smooth_friction(way(start, x).norm(), length).value;
}

Vec3 FrictionTerm::force_on_a(std::span<const Vec3> start, std::span<const Vec3> x) const {
  const Vec2 u = way(start, x);
  return tangents * (-limit * smooth_friction_over_way(u.norm(), length) * u);
}

Vec12 FrictionTerm::gradient(std::span<const Vec3> start, std::span<const Vec3> x) const {
  return outer(weights, -force_on_a(start, x));
}

/// µλ/g (1 − g' (p ûᵀ + û pᵀ)/2), whose eigenvectors are p̂ ± û.
PairStiffness FrictionTerm::stiffness(std::span<const Vec3> start, std::span<const Vec3> x) const {
  PairStiffness out;
  const Vec2 u = way(start, x);
  const double s = u.norm(), factor = limit * smooth_friction_over_way(s, length);
  const Vec2 along = s > 0 ? Vec2(u / s) : Vec2(1, 0);
  const Eigen::Matrix2d turn = pull * along.transpose();
  const Eigen::Matrix2d m =
      Eigen::Matrix2d::Identity() - 0.5 * slope_of_way_over_friction(s, length) * (turn + turn.transpose());
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen;
  eigen.computeDirect(m);
  for (int k = 0; k < 2; ++k)
    out.add(factor * std::max(0.0, eigen.eigenvalues()[k]), outer(weights, tangents * eigen.eigenvectors().col(k)));
  return out;
}

Vec2 FrictionTerm::next_pull(const Vec2& from, const Vec2& to) const {
  const double s = from.norm();
  const Vec2 along = s > 0 ? Vec2(from / s) : Vec2::Zero();
  const Vec2 next =
      smooth_friction_over_way(s, length) * (to - slope_of_way_over_friction(s, length) * along.dot(to - from) * pull);
  return next / std::max(1.0, next.norm());
}

}   // namespace stickslip
