// The boundary of ball ∩ polyhedron consists of flat regions, bounded by chords and arcs, and of a part of the sphere,
// bounded by
// the same arcs. With y = x − o from any point o,
//     V = ⅓ ∮ y·n dA,   ∫ y dV = ¼ ∮ y (y·n) dA,   ∫ yyᵀ dV = ⅕ ∮ yyᵀ (y·n) dA,
// and both kinds of surface are swept by lines from a point to their boundary, so that everything is an integral along
// chords and
// arcs. o lies on the sphere near the overlap: shallow caps keep their digits.
#include "volume/ball.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

/// Gauss–Legendre on [0, 1].
template <int N>
struct GaussRule {
  std::array<double, N> at, weight;
};
constexpr GaussRule<8> gauss8() {
  constexpr double x[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  constexpr double w[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  GaussRule<8> rule{};
  for (int k = 0; k < 4; ++k) {
    rule.at[2 * k] = 0.5 - 0.5 * x[k], rule.at[2 * k + 1] = 0.5 + 0.5 * x[k];
    rule.weight[2 * k] = rule.weight[2 * k + 1] = 0.5 * w[k];
  }
  return rule;
}
constexpr GaussRule<8> kGauss8 = gauss8();
/// Exact for polynomials of degree five.
constexpr GaussRule<3> kGauss3 = {{0.1127016653792583, 0.5, 0.8872983346207417}, {5.0 / 18, 8.0 / 18, 5.0 / 18}};

/// Longest stretch of an arc for eight points [rad].
constexpr double kArcPiece = 1.1;

/// Integrals of 1, y, yyᵀ over a surface.
struct SurfaceSums {
  double area = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};

/// Adds what lines from `base` to a stretch of the boundary sweep in a plane; `swept` is n · ((x − base) × dx).
void add_flat(SurfaceSums& sums, const Vec3& base, const Vec3& to, double swept) {
  sums.area += swept / 2;
  sums.first += swept * (base / 2 + to / 3);
  sums.second += swept * (0.5 * base * base.transpose() + (base * to.transpose() + to * base.transpose()) / 3 +
                          0.25 * to * to.transpose());
}

/// Adds ∫ (1 − u·m) {1, m − u, (m − u)(m − u)ᵀ} over what lines from the pole u to the point n sweep on the unit sphere:
/// m = w/|w|, w = u + t (n − u), of which dΩ = t det(u, n, dn)/|w|³ dt.
void add_swept(SurfaceSums& sums, const Vec3& u, const Vec3& n, double determinant) {
  const double c = u.dot(n);
  const int panels = c > 0.7 ? 1 : c > -0.2 ? 2 : 4;   // poles of the integrand come near as n goes round to −u
  for (int panel = 0; panel < panels; ++panel)
    for (int k = 0; k < 8; ++k) {
      const double t = (panel + kGauss8.at[k]) / panels;
      const Vec3 w = u + t * (n - u);
      const double length = w.norm();
      const Vec3 from_pole = w / length - u;
      const double lowered = 0.5 * from_pole.squaredNorm();   // 1 − u·m without cancellation
      const double weight = kGauss8.weight[k] / panels * t * determinant / (length * length * length) * lowered;
      sums.area += weight;
      sums.first += weight * from_pole;
      sums.second += weight * from_pole * from_pole.transpose();
    }
}

/// The same over the whole sphere.
void add_whole_sphere(SurfaceSums& sums, const Vec3& u) {
  constexpr double pi = std::numbers::pi;
  sums.area += 4 * pi;
  sums.first -= 16 * pi / 3 * u;
  sums.second += 4 * pi / 3 * (Mat3::Identity() + 5 * u * u.transpose());
}

/// Parameters at which |p + t e|² = ρ², without cancellation; both where it is least if it is nowhere less than ρ².
std::array<double, 2> rim_parameters(const Vec3& p, const Vec3& e, double rho_squared) {
  const double a = e.squaredNorm(), b = p.dot(e), c = p.squaredNorm() - rho_squared;
  const double discriminant = b * b - a * c;
  if (!(a > 0)) return {0, 0};
  if (!(discriminant > 0)) return {-b / a, -b / a};
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  const double one = q / a, other = q != 0 ? c / q : 0;
  return {std::min(one, other), std::max(one, other)};
}

/// Chords of a face within the ball, in order. Every corner is inside or outside for both of its edges, so that each end on the
/// rim has its partner. @returns whether the centre of the disc lies within the face
bool find_chords(const Polyhedron& p, const Polyhedron::Face& face, const Vec3& middle, double rho_squared,
                 BallScratch& scratch) {
  scratch.chords.clear(), scratch.on_rim.clear(), scratch.edge.clear();
  bool inside = true;
  double area = 0;
  for (int k = 0; k < face.count; ++k) {
    const Vec3 from = p.corner(face, k) - middle, to = p.corner(face, (k + 1) % face.count) - middle, e = to - from;
    const double swept = face.normal.dot(from.cross(to));
    inside &= swept >= 0, area += swept / 2;
    const bool from_in = from.squaredNorm() <= rho_squared, to_in = to.squaredNorm() <= rho_squared;
    double low = 0, high = 1;
    if (!from_in || !to_in) {
      const auto [enter, leave] = rim_parameters(from, e, rho_squared);
      // Between two ends outside the edge comes in only if its nearest place lies between them.
      const double nearest = 0.5 * (enter + leave);
      if (!from_in && !to_in && !(enter < leave && nearest > 0 && nearest < 1)) continue;
      if (!from_in) low = std::clamp(enter, 0.0, 1.0);
      if (!to_in) high = std::clamp(leave, 0.0, 1.0);
    }
    scratch.chords.push_back({middle + from + low * e, middle + from + high * e});
    scratch.on_rim.push_back({!from_in, !to_in});
    scratch.edge.push_back(k);
  }
  return inside && area > 3 * rho_squared;   // faces without an area hold no disc, whatever rounding says of their edges
}

/// Whether an arc runs within a face, but for rounding.
bool within_face(const Polyhedron& p, const Polyhedron::Face& face, const RimArc& arc) {
  const double slack = 1e-7 * arc.across.norm();
  for (const double part : {0.25, 0.5, 0.75}) {
    const Vec3 x = arc.at(arc.from + part * arc.sweep);
    for (int k = 0; k < face.count; ++k) {
      const Vec3 from = p.corner(face, k), e = p.corner(face, (k + 1) % face.count) - from;
      if (face.normal.dot(e.cross(x - from)) < -slack * e.norm()) return false;
    }
  }
  return true;
}

/// Arcs of the rim between the chords.
void find_arcs(const Polyhedron& p, const Polyhedron::Face& face, const RimArc& rim, bool middle_inside, BallScratch& scratch) {
  const std::size_t count = scratch.chords.size();
  if (count == 0) {
    if (middle_inside) scratch.arcs.push_back(rim);
    return;
  }
  const double rho = rim.across.norm();
  const auto angle = [&](const Vec3& x) {
    return std::atan2((x - rim.middle).dot(rim.along), (x - rim.middle).dot(rim.across));
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!scratch.on_rim[i][1]) continue;
    RimArc arc = rim;
    const auto& [start, end] = scratch.chords[i];
    arc.from = angle(end);
    if (count == 1) {   // of one chord the side tells which of the two arcs it is, even if it only touches
      const Vec3 half = 0.5 * (end - start), to_middle = rim.middle - 0.5 * (start + end);
      const double to_left = rim.normal.dot(half.normalized().cross(to_middle));
      arc.sweep = kTurn - 2 * std::atan2(half.norm(), to_left);
    } else {
      arc.sweep = angle(scratch.chords[(i + 1) % count][0]) - arc.from;
      if (arc.sweep < 0) arc.sweep += kTurn;
      // Ends that are one place but for rounding may seem to have the whole rim between them. Around a corner between two edges
      // an arc turns by less than half.
      const bool around_corner = scratch.edge[(i + 1) % count] == (scratch.edge[i] + 1) % face.count;
      if (arc.sweep > kTurn / 2 && (around_corner || !within_face(p, face, arc))) arc.sweep = 0;
    }
    if (arc.sweep > 0 && rho > 0) scratch.arcs.push_back(arc);
  }
}

template <class Each>
void along_arc(const RimArc& arc, const Each& each) {
  const int pieces = static_cast<int>(std::ceil(arc.sweep / kArcPiece));
  const double step = arc.sweep / pieces;
  for (int piece = 0; piece < pieces; ++piece)
    for (int k = 0; k < 8; ++k) {
      const double tau = arc.from + (piece + kGauss8.at[k]) * step;
      const Vec3 out = std::cos(tau) * arc.across + std::sin(tau) * arc.along;
      const Vec3 on = std::cos(tau) * arc.along - std::sin(tau) * arc.across;
      each(arc.middle + out, Vec3(kGauss8.weight[k] * step * on));
    }
}

/// A flat region that the ball cuts out of a face, y from `o`; chords and arcs are those of this face.
SurfaceSums flat_region(const BallScratch& scratch, std::size_t first_arc, const Vec3& normal, const Vec3& o) {
  SurfaceSums sums;
  const Vec3 start = scratch.chords.empty() ? scratch.arcs[first_arc].at(scratch.arcs[first_arc].from) : scratch.chords[0][0];
  const Vec3 base = start - o;
  for (const auto& [from, to] : scratch.chords) {
    const double swept = normal.dot((from - start).cross(to - from));
    for (int k = 0; k < 3; ++k) add_flat(sums, base, from + kGauss3.at[k] * (to - from) - start, kGauss3.weight[k] * swept);
  }
  for (std::size_t i = first_arc; i < scratch.arcs.size(); ++i)
    along_arc(scratch.arcs[i],
              [&](const Vec3& x, const Vec3& dx) { add_flat(sums, base, x - start, normal.dot((x - start).cross(dx))); });
  return sums;
}

bool contains_point(const Polyhedron& p, const Vec3& x) {
  return std::all_of(p.faces().begin(), p.faces().end(), [&](const auto& f) { return f.normal.dot(x) <= f.offset; });
}

/// Smallest 1 + u·n over the arcs: how far they keep from the point opposite to the pole u; given up below `enough`.
double clearance_of(const Vec3& pole, const std::vector<RimArc>& arcs, const Ball& ball, double enough) {
  double clearance = 2;
  for (const RimArc& arc : arcs)
    for (int k = 0; k <= 8 && clearance > enough; ++k)
      clearance = std::min(clearance, 1 + pole.dot(arc.at(arc.from + k / 8.0 * arc.sweep) - ball.center) / ball.radius);
  return clearance;
}

/// The pole to sweep the sphere from: one of which no arc comes near the opposite point.
Vec3 best_pole(const std::vector<RimArc>& arcs, const Ball& ball) {
  Vec3 best = Vec3::UnitZ();
  double best_clearance = -1;
  for (const RimArc& candidate : arcs)
    for (const double sign : {-1.0, 1.0}) {
      const double clearance = clearance_of(sign * candidate.normal, arcs, ball, best_clearance);
      if (clearance > best_clearance) best_clearance = clearance, best = sign * candidate.normal;
      if (clearance > 1.2) return best;
    }
  return best;
}

void add_solid(MomentSums& sums, const Vec3& o, double height, const SurfaceSums& s) {
  sums.add_volume(o, height / 3 * s.area, height / 4 * s.first, height / 5 * s.second);
}

/// Part of the sphere in the polyhedron, from all arcs.
void add_sphere_part(const Polyhedron& p, const Ball& ball, const Vec3& pole, const std::vector<RimArc>& arcs,
                     MomentSums& sums) {
  SurfaceSums s;
  for (const RimArc& arc : arcs)
    along_arc(arc, [&](const Vec3& x, const Vec3& dx) {
      const Vec3 n = (x - ball.center) / ball.radius;
      // Arcs run round the flat regions, the other way round the sphere's.
      add_swept(s, pole, n, -pole.dot(n.cross(dx)) / ball.radius);
    });
  if (contains_point(p, ball.center - ball.radius * pole)) add_whole_sphere(s, pole);
  const double r = ball.radius, r3 = r * r * r;
  sums.add_volume(ball.center + r * pole, r3 / 3 * s.area, r3 * r / 4 * s.first, r3 * r * r / 5 * s.second);
}

void add_whole_ball(const Ball& ball, MomentSums& sums) {
  const double r = ball.radius, volume = 4 * std::numbers::pi / 3 * r * r * r;
  sums.start(ball.center);
  sums.add_volume(ball.center, volume, Vec3::Zero(), volume * r * r / 5 * Mat3::Identity());
  sums.of_a |= ball.owner == FaceOwner::a, sums.of_b |= ball.owner == FaceOwner::b;
}

void add_arc_points(const std::vector<RimArc>& arcs, std::vector<Vec3>& points) {
  for (const RimArc& arc : arcs)
    for (int k = 0, n = 1 + static_cast<int>(arc.sweep / (kTurn / 16)); k <= n; ++k)
      points.push_back(arc.at(arc.from + k * arc.sweep / n));
}

struct RimOfFace {
  RimArc rim;
  double rho_squared;
};

/// The circle in which the plane of a face cuts the ball.
RimOfFace rim_of(const Polyhedron::Face& face, const Ball& ball) {
  const double height = face.normal.dot(ball.center) - face.offset;
  const double rho_squared = (ball.radius - height) * (ball.radius + height), rho = std::sqrt(std::max(rho_squared, 0.0));
  const Mat3 frame = frame_from_normal(face.normal);
  return {{face.normal, ball.center - height * face.normal, rho * frame.col(1), rho * frame.col(2), 0, kTurn}, rho_squared};
}

/// No rim lies in a face: one is inside the other, or they are apart.
bool add_whole(const Polyhedron& p, const Ball& ball, MomentSums& sums, std::vector<Vec3>& points) {
  const auto holds = [&](const Vec3& v) { return (v - ball.center).squaredNorm() <= ball.radius * ball.radius; };
  if (std::all_of(p.vertices().begin(), p.vertices().end(), holds)) {
    add_moments(p, sums);
    points.insert(points.end(), p.vertices().begin(), p.vertices().end());
    return true;
  }
  if (!contains_point(p, ball.center)) return false;
  add_whole_ball(ball, sums);
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) points.push_back(ball.center + sign * ball.radius * Vec3::Unit(axis));
  return true;
}

}   // namespace

bool add_ball_moments(const Polyhedron& p, const Ball& ball, MomentSums& sums, std::vector<Vec3>& points,
                      BallScratch& scratch) {
  if (p.empty()) return false;
  scratch.arcs.clear();
  for (const auto& face : p.faces()) {
    if (face.normal.dot(ball.center) - face.offset >= ball.radius) return false;
    const RimOfFace r = rim_of(face, ball);
    if (!(r.rho_squared > 0) || face.count < 3) continue;
    const bool inside = find_chords(p, face, r.rim.middle, r.rho_squared, scratch);
    find_arcs(p, face, r.rim, inside, scratch);
  }
  if (scratch.arcs.empty()) return add_whole(p, ball, sums, points);

  const Vec3 pole = best_pole(scratch.arcs, ball), o = ball.center + ball.radius * pole;
  sums.start(o);
  add_sphere_part(p, ball, pole, scratch.arcs, sums);
  add_arc_points(scratch.arcs, points);
  Vec3 flat = Vec3::Zero();
  scratch.arcs.clear();
  for (const auto& face : p.faces()) {
    const RimOfFace r = rim_of(face, ball);
    if (!(r.rho_squared > 0) || face.count < 3) continue;
    const bool inside = find_chords(p, face, r.rim.middle, r.rho_squared, scratch);
    const std::size_t first_arc = scratch.arcs.size();
    find_arcs(p, face, r.rim, inside, scratch);
    if (scratch.chords.empty() && scratch.arcs.size() == first_arc) continue;
    for (const auto& chord : scratch.chords) points.push_back(chord[0]), points.push_back(chord[1]);
    const SurfaceSums region = flat_region(scratch, first_arc, face.normal, o);
    add_solid(sums, o, face.normal.dot(r.rim.middle - o), region);
    if (region.area > 0) sums.add_surface(face.owner, region.area * face.normal, o + region.first / region.area);
    flat += region.area * face.normal;
  }
  // The pressure of the sphere goes through its centre.
  sums.add_surface(ball.owner, -flat, ball.center);
  if (flat.norm() > 0 && contains_point(p, ball.center - ball.radius * flat.normalized()))
    points.push_back(ball.center - ball.radius * flat.normalized());
  return true;
}

void add_cap(const Ball& ball, const Vec3& direction, double depth, FaceOwner flat_owner, MomentSums& sums) {
  if (!(depth > 0)) return;
  if (depth >= 2 * ball.radius) return add_whole_ball(ball, sums);
  constexpr double pi = std::numbers::pi;
  const double r = ball.radius, d = depth, d2 = d * d, d3 = d2 * d;
  const Vec3 top = ball.center + r * direction;
  sums.start(top);
  // With w from the top down, discs have the area π (2 r w − w²).
  const double volume = pi * d2 * (r - d / 3), first = pi * d3 * (2 * r / 3 - d / 4), along = pi * d3 * d * (r / 2 - d / 5);
  const double across = pi / 4 * d3 * (4 * r * r / 3 - r * d + d2 / 5);
  const Mat3 axial = direction * direction.transpose();
  sums.add_volume(top, volume, -first * direction, along * axial + across * (Mat3::Identity() - axial));
  const Vec3 area = pi * d * (2 * r - d) * direction;
  sums.add_surface(flat_owner, -area, top - d * direction);
  sums.add_surface(ball.owner, area, top);
}

}   // namespace stickslip
