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

double energy_of(const ContactPair& p, std::span<const Vec3> x) {
  const double gap = place_of(p, x).distance - p.offset;
  if (!(gap > 0)) return std::numeric_limits<double>::infinity();
  if (gap >= p.range) return 0;
  return p.weight * mollifier_of(p, x) * log_barrier(gap, p.range).value;
}

double force_of(const ContactPair& p, std::span<const Vec3> x) {
  const double gap = place_of(p, x).distance - p.offset;
  return gap >= p.range ? 0 : -p.weight * mollifier_of(p, x) * log_barrier(gap, p.range).first;
}

PairDerivatives derivatives_of(const ContactPair& p, std::span<const Vec3> x, bool projected) {
  PairDerivatives d;
  double square = 0;
  squared_distance(p, x, square, d.gradient, d.hessian);
  const double distance = std::sqrt(square);
  const ScalarFunction b = by_square(log_barrier(distance - p.offset, p.range), distance);
  d.energy = p.weight * b.value;
  d.hessian = p.weight * (b.second * d.gradient * d.gradient.transpose() + b.first * d.hessian);
  d.gradient *= p.weight * b.first;
  if (p.mollifier > 0) {
    const WithDerivatives<12> m = edge_mollifier_with_derivatives(x[p.points[0]], x[p.points[1]], x[p.points[2]],
                                                                  x[p.points[3]], p.mollifier);
    d.hessian = (m.value * d.hessian + d.gradient * m.gradient.transpose() + m.gradient * d.gradient.transpose() +
                 d.energy * m.hessian)
                    .eval();
    d.gradient = m.value * d.gradient + d.energy * m.gradient;
    d.energy *= m.value;
  }
  if (projected) project_pair(p.size, d.hessian);
  return d;
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

PairDerivatives FrictionTerm::derivatives(std::span<const Vec3> start, std::span<const Vec3> x) const {
  PairDerivatives d;
  const Vec2 u = way(start, x);
  const double s = u.norm(), over = smooth_friction_over_way(s, length);
  const ScalarFunction f = smooth_friction(s, length);
  d.energy = limit * f.value;
  // Along the way the force grows by the slope of m, across it the force only turns.
  Mat2 k = limit * over * Mat2::Identity();
  if (s > 0) k += limit * (f.second - over) / (s * s) * (u * u.transpose());
  const Vec3 g = tangents * (limit * over * u);
  const Mat3 h = tangents * k * tangents.transpose();
  d.gradient.setZero();
  d.hessian.setZero();
  for (int i = 0; i < size; ++i) {
    d.gradient.segment<3>(3 * i) = weights[i] * g;
    for (int j = 0; j < size; ++j) d.hessian.block<3, 3>(3 * i, 3 * j) = weights[i] * weights[j] * h;
  }
  return d;
}

}   // namespace stickslip
