// Iterative solvers for the Newton equation H x = Φ [thesis A §3; thesis §4.3]: approximate, without factorising.
#pragma once

#include <functional>

#include "solve/newton/newton_matrix.h"
#include "stickslip/math/gmres.h"

namespace stickslip {

/// How the Newton equation is solved.
struct LinearSolver {
  enum class Kind {
    direct,       ///< H is factored
    velocities,   ///< by velocities of bodies (velocity_system.h); needs W in factors, no slacks and a proximal term, and is
                  ///< `direct` without the first two
    gmres,
    fletcher_reeves
  };
  Kind kind = Kind::direct;
  int iterations = 200;       ///< products with H at most
  double tolerance = 1e-8;    ///< on ‖Φ − H x‖ / ‖Φ‖
  bool precondition = true;   ///< GMRES: by the inverse diagonal blocks of H
};

/// Memory that the solvers reuse.
struct KrylovScratch {
  Gmres gmres;
  std::vector<double> r, p, hp, work;
  std::vector<Eigen::MatrixXd> inverse;   ///< of the diagonal blocks of H
  int products = 0;                       ///< with H; counted on from solve to solve
};

/// Restarted GMRES, preconditioned from the right, with x started at zero. False if the numbers are not finite.
/// @param shape tells where the diagonal blocks of H are.
bool gmres(const NewtonMatrix& h, const Linearisation& shape, std::span<const double> phi, const LinearSolver&, KrylovScratch&,
           std::span<double> x);

/// The quasi Fletcher–Reeves method [thesis Alg. 2]: conjugate gradients as if H were symmetric and positive definite, which it
/// is not; hands back the x of the smallest residual. The paper takes products with H by finite differences of Φ
/// (newton_paper.cpp); here H may be at hand. False if the numbers are not finite.
/// @param multiply y = H x of multiply(x, y)
using HessianProduct = std::function<void(std::span<const double>, std::span<double>)>;
bool fletcher_reeves(const HessianProduct& multiply, std::span<const double> phi, const LinearSolver&, KrylovScratch&,
                     std::span<double> x);
bool fletcher_reeves(const NewtonMatrix& h, std::span<const double> phi, const LinearSolver&, KrylovScratch&,
                     std::span<double> x);

}   // namespace stickslip
