#include "stickslip/geometry/mass_properties.h"

#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "stickslip/math/error.h"

namespace stickslip {

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
