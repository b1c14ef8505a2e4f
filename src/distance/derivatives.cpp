#include "stickslip/distance/derivatives.h"
#include "distance/mirror.h"

namespace stickslip {
namespace {

/// The formula at the head of derivatives.h for P points and K free directions.
template <int P, int K>
struct MinimisedSquare {
  Eigen::Matrix<double, P, 1> w;              ///< weights of the points in r
  Vec3 r;                                     ///< [m]
  Eigen::Matrix<double, P, K> b;              ///< e_k = Σ b_ki xᵢ
  Eigen::Matrix<double, 3, K> dual;           ///< ê_k [1/m]
  Eigen::Matrix<double, K, K> inverse_gram;   ///< G⁻¹ [1/m²]
  Mat3 projector;                             ///< onto what is orthogonal to all e_k

  WithDerivatives<3 * P> evaluate() const {
    WithDerivatives<3 * P> out;
    out.value = r.squaredNorm();
    const Mat3 rr = r * r.transpose();
    for (int i = 0; i < P; ++i) {
      out.gradient.template segment<3>(3 * i) = 2 * w[i] * r;
      for (int j = 0; j <= i; ++j) {
        Vec3 right = Vec3::Zero(), left = Vec3::Zero();
        double curvature = 0;
        for (int k = 0; k < K; ++k) {
          right += b(i, k) * w[j] * dual.col(k);
          left += w[i] * b(j, k) * dual.col(k);
          for (int l = 0; l < K; ++l) curvature += inverse_gram(k, l) * b(i, k) * b(j, l);
        }
        const Mat3 block = 2 * (w[i] * w[j] * projector - r * right.transpose() - left * r.transpose() - curvature * rr);
        out.hessian.template block<3, 3>(3 * i, 3 * j) = block;
      }
    }
    mirror_lower(out.hessian);
    return out;
  }
};

/// Two free directions e₁, e₂ with normal n = e₁ × e₂: r is along n.
template <int P>
WithDerivatives<3 * P> across_normal(const Eigen::Matrix<double, P, 1>& w, const Eigen::Matrix<double, P, 2>& b, const Vec3& e1,
                                     const Vec3& e2, const Vec3& n, const Vec3& between) {
  const double nn = n.squaredNorm();
  MinimisedSquare<P, 2> square;
  square.w = w;
  square.b = b;
  square.r = n.dot(between) / nn * n;
  square.dual.col(0) = e2.cross(n) / nn;
  square.dual.col(1) = n.cross(e1) / nn;
  square.inverse_gram << e2.squaredNorm(), -e1.dot(e2), -e1.dot(e2), e1.squaredNorm();
  square.inverse_gram /= nn;
  square.projector = n / nn * n.transpose();
  return square.evaluate();
}

/// Puts a function of some of P points where those stand among all of them.
template <int N, int M>
WithDerivatives<N> scattered(const WithDerivatives<M>& part, const std::array<int, M / 3>& points) {
  WithDerivatives<N> out;
  out.value = part.value;
  for (int i = 0; i < M / 3; ++i) {
    out.gradient.template segment<3>(3 * points[i]) = part.gradient.template segment<3>(3 * i);
    for (int j = 0; j < M / 3; ++j)
      out.hessian.template block<3, 3>(3 * points[i], 3 * points[j]) = part.hessian.template block<3, 3>(3 * i, 3 * j);
  }
  return out;
}

}   // namespace

WithDerivatives<6> squared_point_point(const Vec3& p, const Vec3& q) {
  WithDerivatives<6> out;
  const Vec3 r = p - q;
  out.value = r.squaredNorm();
  out.gradient.head<3>() = 2 * r;
  out.gradient.tail<3>() = -2 * r;
  for (int i = 0; i < 6; ++i) {
    out.hessian(i, i) = 2;
    out.hessian(i, (i + 3) % 6) = -2;
  }
  return out;
}

WithDerivatives<9> squared_point_line(const Vec3& p, const Vec3& x0, const Vec3& x1) {
  const Vec3 e = x0 - x1;
  const double ee = e.squaredNorm();
  if (!(ee > 0)) return scattered<9, 6>(squared_point_point(p, x0), {0, 1});
  const ClosestOnEdge closest = closest_on_line(p, x0, x1);
  // Both ends of a line say the same about its distance; the nearer one with less rounding.
  const bool near_0 = closest.weight <= 0.5;
  const Vec3 d = near_0 ? Vec3(p - x0) : Vec3(p - x1);
  MinimisedSquare<3, 1> square;
  square.w << 1, closest.weight - 1, -closest.weight;
  square.r = d - d.dot(e) / ee * e;
  square.b << 0, 1, -1;
  square.dual = e / ee;
  square.inverse_gram << 1 / ee;
  square.projector = Mat3::Identity() - e / ee * e.transpose();
  return square.evaluate();
}

WithDerivatives<12> squared_point_plane(const Vec3& p, const Vec3& x0, const Vec3& x1, const Vec3& x2) {
  const Vec3 e1 = x0 - x1, e2 = x0 - x2, n = e1.cross(e2);
  const double e11 = e1.squaredNorm(), e22 = e2.squaredNorm(), e12 = (x2 - x1).squaredNorm();
  if (!(n.squaredNorm() > closest_detail::kFlat * e11 * e22)) {
    if (e12 > e11 && e12 > e22) return scattered<12, 9>(squared_point_line(p, x1, x2), {0, 2, 3});
    if (e22 > e11) return scattered<12, 9>(squared_point_line(p, x0, x2), {0, 1, 3});
    return scattered<12, 9>(squared_point_line(p, x0, x1), {0, 1, 2});
  }
  const Vec3 weights = closest_on_plane(p, x0, x1, x2).weights;
  Eigen::Matrix<double, 4, 2> b;
  b << 0, 0, 1, 1, -1, 0, 0, -1;
  return across_normal<4>(Vec4(1, -weights[0], -weights[1], -weights[2]), b, e1, e2, n, p - x0);
}

WithDerivatives<12> squared_line_line(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const ClosestOfEdges closest = closest_of_lines(a0, a1, b0, b1);
  if (closest.parallel)
    return (b1 - b0).squaredNorm() > 0 ? scattered<12, 9>(squared_point_line(a0, b0, b1), {0, 2, 3})
                                       : scattered<12, 9>(squared_point_line(b0, a0, a1), {2, 0, 1});
  const double s = closest.weight_a, t = closest.weight_b;
  const Vec3 e1 = a1 - a0, e2 = b0 - b1;
  Eigen::Matrix<double, 4, 2> b;
  b << -1, 0, 1, 0, 0, 1, 0, -1;
  return across_normal<4>(Vec4(1 - s, s, t - 1, -t), b, e1, e2, e1.cross(e2), a0 - b0);
}

WithDerivatives<9> squared_point_edge(const Vec3& p, const Vec3& x0, const Vec3& x1, OnEdge on) {
  switch (on) {
    case OnEdge::vertex_0:
      return scattered<9, 6>(squared_point_point(p, x0), {0, 1});
    case OnEdge::vertex_1:
      return scattered<9, 6>(squared_point_point(p, x1), {0, 2});
    case OnEdge::inside:
      break;
  }
  return squared_point_line(p, x0, x1);
}

WithDerivatives<9> squared_point_edge(const Vec3& p, const Vec3& x0, const Vec3& x1) {
  return squared_point_edge(p, x0, x1, closest_on_edge(p, x0, x1).on);
}

WithDerivatives<12> squared_point_triangle(const Vec3& p, const Vec3& x0, const Vec3& x1, const Vec3& x2, OnTriangle on) {
  switch (on) {
    case OnTriangle::vertex_0:
      return scattered<12, 6>(squared_point_point(p, x0), {0, 1});
    case OnTriangle::vertex_1:
      return scattered<12, 6>(squared_point_point(p, x1), {0, 2});
    case OnTriangle::vertex_2:
      return scattered<12, 6>(squared_point_point(p, x2), {0, 3});
    case OnTriangle::edge_01:
      return scattered<12, 9>(squared_point_line(p, x0, x1), {0, 1, 2});
    case OnTriangle::edge_12:
      return scattered<12, 9>(squared_point_line(p, x1, x2), {0, 2, 3});
    case OnTriangle::edge_20:
      return scattered<12, 9>(squared_point_line(p, x2, x0), {0, 3, 1});
    case OnTriangle::inside:
      break;
  }
  return squared_point_plane(p, x0, x1, x2);
}

WithDerivatives<12> squared_point_triangle(const Vec3& p, const Vec3& x0, const Vec3& x1, const Vec3& x2) {
  return squared_point_triangle(p, x0, x1, x2, closest_on_triangle(p, x0, x1, x2).on);
}

WithDerivatives<12> squared_edge_edge(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, OnEdge on_a,
                                      OnEdge on_b) {
  if (on_a == OnEdge::inside && on_b == OnEdge::inside) return squared_line_line(a0, a1, b0, b1);
  const int a = on_a == OnEdge::vertex_1 ? 1 : 0, b = on_b == OnEdge::vertex_1 ? 3 : 2;
  const Vec3& end_a = a == 1 ? a1 : a0;
  const Vec3& end_b = b == 3 ? b1 : b0;
  if (on_a == OnEdge::inside) return scattered<12, 9>(squared_point_line(end_b, a0, a1), {b, 0, 1});
  if (on_b == OnEdge::inside) return scattered<12, 9>(squared_point_line(end_a, b0, b1), {a, 2, 3});
  return scattered<12, 6>(squared_point_point(end_a, end_b), {a, b});
}

WithDerivatives<12> squared_edge_edge(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const ClosestOfEdges closest = closest_of_edges(a0, a1, b0, b1);
  return squared_edge_edge(a0, a1, b0, b1, closest.on_a, closest.on_b);
}

WithDerivatives<3> squared_point_half_space(const Vec3& p, const Vec3& normal, double offset) {
  const double d = signed_distance_to_half_space(p, normal, offset);
  return {d * d, 2 * d * normal, 2 * normal * normal.transpose()};
}

}   // namespace stickslip
