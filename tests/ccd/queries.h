// Queries of continuous collision: ordinary ones, and those that are hard.
#pragma once

#include <cstdlib>
#include <random>

#include "stickslip/ccd/impact.h"

namespace stickslip::ccd_test {

/// How many queries, or as many as STICKSLIP_CCD_QUERIES asks for.
inline int query_count(int daily) {
  const char* wanted = std::getenv("STICKSLIP_CCD_QUERIES");
  return wanted != nullptr ? std::atoi(wanted) : daily;
}

struct Query {
  PointsAt<4> start, end;
};

class Queries {
 public:
  static constexpr int kinds = 12;
  explicit Queries(unsigned seed) : random_(seed) {}

  double uniform(double low = -1, double high = 1) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Vec3 vector() { return {uniform(), uniform(), uniform()}; }
  Vec3 grid(int size = 2) { return Vec3(integer(0, size), integer(0, size), integer(0, size)); }
  /// Multiples of 2⁻²⁰: sums of a few products stay exact.
  Vec3 fine_grid() { return (vector() * 1048576).array().round() / 1048576; }

  /// @param vertex_face whether the four points are a vertex and a face, or two edges
  Query query(int kind, bool vertex_face) {
    Query q;
    switch (kind % kinds) {
      case 0:
        fill(q, [&] { return vector(); });
        break;
      case 1:
        fill(q, [&] { return grid(); });
        break;
      case 2: {
        const double noise = std::pow(10, uniform(-17, -5));
        fill(q, [&] { return Vec3(grid() + noise * vector()); });
        break;
      }
      case 3:
        touching(q, vertex_face, false);
        break;
      case 4:
        touching(q, vertex_face, true);
        break;
      case 5: {   // in one plane that stands still
        const Vec3 a = grid(3), b = grid(3), o = grid(3);
        fill(q, [&] { return Vec3(o + integer(-2, 2) * a + integer(-2, 2) * b); });
        break;
      }
      case 6: {   // touching at the start
        touching(q, vertex_face, integer(0, 1) == 1);
        q.start = at(q, time_);
        break;
      }
      case 7:   // points without size, points that stand still
        fill(q, [&] { return fine_grid(); });
        for (int i = integer(1, 3); i > 0; --i) {
          const int from = integer(0, 3), to = integer(0, 3);
          q.start[to] = q.start[from];
          if (integer(0, 1) == 1) q.end[to] = q.end[from];
        }
        for (int i = integer(0, 3); i > 0; --i) {
          const int still = integer(0, 3);
          q.end[still] = q.start[still];
        }
        break;
      case 8: {   // points in pairs on parallel lines, at both ends
        const Vec3 along = grid();
        for (PointsAt<4>* x : {&q.start, &q.end}) {
          const Vec3 a = grid(), b = grid();
          for (int i = 0; i < 4; ++i) (*x)[i] = (i < 2 ? a : b) + integer(-2, 2) * along;
        }
        break;
      }
      case 9: {   // a near miss or a near hit of a translation
        touching(q, vertex_face, true);
        const Vec3 shift = std::pow(10, uniform(-18, -6)) * vector();
        q.start[0] += shift;
        q.end[0] += shift;
        break;
      }
      case 10: {   // everything on one line
        const Vec3 a = grid(), o = grid();
        fill(q, [&] { return Vec3(o + integer(-3, 3) * a); });
        break;
      }
      default: {   // near contact, as in a simulation: small motion, small gaps
        fill(q, [&] { return vector(); });
        touching(q, vertex_face, false);
        const PointsAt<4> x = at(q, time_);
        for (int i = 0; i < 4; ++i) q.start[i] = x[i] + 0.05 * vector(), q.end[i] = x[i] + 0.05 * vector();
      }
    }
    return q;
  }

  static PointsAt<4> at(const Query& q, double time) {
    PointsAt<4> x;
    for (int i = 0; i < 4; ++i) x[i] = (1 - time) * q.start[i] + time * q.end[i];
    return x;
  }

 private:
  template <class Point>
  static void fill(Query& q, const Point& point) {
    for (Vec3& x : q.start) x = point();
    for (Vec3& x : q.end) x = point();
  }

  /// Features that touch exactly at time_, a power of two, with weights that are multiples of 1/8; at an edge or a corner if
  /// `border`.
  void touching(Query& q, bool vertex_face, bool border) {
    fill(q, [&] { return fine_grid(); });
    time_ = std::ldexp(1.0, -integer(0, 3));
    double u = integer(0, 8) / 8.0, v = integer(0, 8) / 8.0;
    if (border) u = integer(0, 1);
    if (vertex_face && u + v > 1) u = 1 - u, v = 1 - v;
    const PointsAt<4> x = at(q, time_);
    // The first point is placed so that F(time, u, v) = 0; of edges by an end that has weight.
    Vec3 wanted;
    int moved = 0;
    if (vertex_face) wanted = (1 - u - v) * x[1] + u * x[2] + v * x[3];
    else if (u == 1) wanted = x[2] + v * (x[3] - x[2]), moved = 1;
    else {   // (1 − u) x₀ = point − u x₁, exact for u = 0 and u = 1/2
      if (u != 0) u = 0.5;
      wanted = (x[2] + v * (x[3] - x[2]) - u * x[1]) / (1 - u);
    }
    q.end[moved] = (wanted - (1 - time_) * q.start[moved]) / time_;
  }

  double time_ = 1;
  std::mt19937 random_;
};

}   // namespace stickslip::ccd_test
