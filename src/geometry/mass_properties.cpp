#include "stickslip/geometry/mass_properties.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kPi = std::numbers::pi;

/// Inertia about the centre of a solid with two equal moments across and one along z.
Mat3 axial(double across, double along) { return Vec3(across, across, along).asDiagonal(); }

MassProperties solid(const Sphere& s, double density) {
  const double mass = density * 4.0 / 3.0 * kPi * s.radius * s.radius * s.radius;
  return {mass, Vec3::Zero(), Mat3::Identity() * (0.4 * mass * s.radius * s.radius)};
}

MassProperties solid(const Box& b, double density) {
  const double mass = density * 8 * b.half_extents.prod();
  const Vec3 squared = b.half_extents.cwiseAbs2();
  return {mass, Vec3::Zero(), Mat3((mass / 3 * (Vec3::Constant(squared.sum()) - squared)).asDiagonal())};
}

MassProperties solid(const Cylinder& c, double density) {
  const double r2 = c.radius * c.radius, mass = density * kPi * r2 * 2 * c.half_height;
  return {mass, Vec3::Zero(), axial(mass * (r2 / 4 + c.half_height * c.half_height / 3), mass * r2 / 2)};
}

MassProperties solid(const Capsule& c, double density) {
  const double r = c.radius, l = c.half_height;
  const MassProperties barrel = solid(Cylinder{r, l}, density), caps = solid(Sphere{r}, density);
  // A half ball has its centre of mass 3r/8 above its base: its moments move from there by the parallel-axis theorem
  // to the middle of the capsule, which adds l² + 2 l · 3r/8.
  const double across = caps.inertia(0, 0) + caps.mass * (l * l + 0.75 * l * r);
  return {barrel.mass + caps.mass, Vec3::Zero(), barrel.inertia + axial(across, caps.inertia(2, 2))};
}

/// Sum of the exact integrals of 1, x and xxᵀ over the tetrahedra that an inner point spans with triangles of the faces.
MassProperties solid(const ConvexHull& hull, double density) {
  const Polytope& p = *hull.polytope;
  const Vec3 origin = p.interior_point;
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Polytope::Face& face : p.faces) {
    const int* loop = p.loops.data() + face.first;
    const Vec3 a = p.vertices[loop[0]] - origin;
    for (int i = 2; i < face.count; ++i) {
      const Vec3 b = p.vertices[loop[i - 1]] - origin, c = p.vertices[loop[i]] - origin, sum = a + b + c;
      const double six_volumes = a.dot(b.cross(c));
      volume += six_volumes / 6;
      first += six_volumes / 24 * sum;
      second += six_volumes / 120 * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
    }
  }
  const Vec3 center = first / volume;
  const Mat3 central = second - volume * center * center.transpose();
  return {density * volume, origin + center, density * (central.trace() * Mat3::Identity() - central)};
}

MassProperties solid(const HalfSpace&, double) {
  throw Error("A half-space has no mass: it is unbounded. Put it on a fixed or kinematic body.");
}

}   // namespace

MassProperties& MassProperties::operator+=(const MassProperties& o) {
  const double sum = mass + o.mass;
  if (!(sum > 0)) return *this;
  const Vec3 apart = o.center - center;
  const double reduced = mass * (o.mass / sum);
  inertia += o.inertia + reduced * (apart.squaredNorm() * Mat3::Identity() - apart * apart.transpose());
  center += o.mass / sum * apart;
  mass = sum;
  return *this;
}

MassProperties MassProperties::placed(const Pose& pose) const {
  const Mat3 r = pose.rotation();
  const Mat3 turned = r * inertia * r.transpose();
  return {mass, pose * center, 0.5 * (turned + turned.transpose())};
}

MassProperties mass_properties(const Shape& shape, double density) {
  if (!(std::isfinite(density) && density > 0))
    throw Error(fmt::format("{} is not a density. A density must be finite and greater than 0 kg/m³.", density)).at("density");
  return std::visit([&](const auto& s) { return solid(s, density); }, shape);
}

void validate(const MassProperties& m) {
  if (!(std::isfinite(m.mass) && m.mass > 0))
    throw Error(fmt::format("{} is not a mass. A mass must be finite and greater than 0.", m.mass)).at("mass");
  if (!m.center.allFinite())
    throw Error(
        fmt::format("({}, {}, {}) is not a point. A centre of mass must be finite.", m.center.x(), m.center.y(), m.center.z()))
        .at("center");
  if (!m.inertia.allFinite()) throw Error("The inertia holds a number that is not finite.").at("inertia");
  const double size = m.inertia.cwiseAbs().maxCoeff();
  if (!((m.inertia - m.inertia.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * size))
    throw Error("The inertia is not symmetric. Give the same number on both sides of the diagonal.").at("inertia");
  // Scaled to 1 first: the eigenvalues of very small matrices would underflow.
  const Mat3 scaled = size > 0 ? Mat3(m.inertia / size) : m.inertia;
  const Vec3 principal = size * Eigen::SelfAdjointEigenSolver<Mat3>(scaled, Eigen::EigenvaluesOnly).eigenvalues();
  const auto moments = [&] {
    return fmt::format("The principal moments of inertia are {}, {}, {}.", principal[0], principal[1], principal[2]);
  };
  if (!(principal[0] > 0)) throw Error(moments() + " Each must be greater than 0.").at("inertia");
  // Sorted, so the largest comes last. Rounding of a thin plate must pass.
  if (!(principal[2] <= (principal[0] + principal[1]) * (1 + 1e-6)))
    throw Error(moments() + " No solid has a moment greater than the sum of the other two.").at("inertia");
}

}   // namespace stickslip
