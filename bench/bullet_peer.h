// A Stickslip world copied into Bullet, and Bullet's answer judged with our residual.
#pragma once

#include <memory>
#include <vector>

#include "stickslip/problem/contact_problem.h"
#include "stickslip/world/world.h"

namespace stickslip::bench {

/// Everything about Bullet that is not its default is set here.
struct BulletSettings {
  double h = 1.0 / 60;   ///< [s]
  int iterations = 20;
  double friction = 0.5;         ///< of every pair
  int friction_directions = 1;   ///< 1 is Bullet's default; 2 spans the tangent plane, as Coulomb's law asks
};

/// One thread, sequential impulses, dynamic tree, warm start on (Bullet's default factor), no sleeping.
class BulletPeer {
 public:
  /// Copies bodies made of one sphere, box or half-space each, with their mass, pose and velocity.
  /// @throws Error for any other body
  BulletPeer(const World&, const BulletSettings&);
  ~BulletPeer();

  void step();
  /// Call before the step whose answer is wanted; kept apart so that it does not count as Bullet's time.
  void remember_state();

  /// The problem that Bullet solved in the last step, and its answer, in our form:
  ///  - unknowns: the impulses of Bullet's contact points, normal and lateral, as Bullet reports them;
  ///  - Jacobians: Bullet's normals, and its own arm for each body;
  ///  - b: velocities before the step plus h g, plus what Bullet itself asks of the normal velocity: gap/h for points that
  ///    are still apart; for penetrating ones Bullet's error reduction × gap/h down to its split-impulse threshold, and
  ///    nothing below it, where Bullet corrects positions apart from velocities.
  /// So Bullet is judged by its own contacts and its own demands, not by ours.
  struct Answer {
    ContactProblem problem;
    std::vector<double> impulses;
    double velocity_mismatch = 0;   ///< largest difference between Bullet's new velocities and those that follow from the
                                    ///< impulses [m/s]: shows that problem and answer belong together
    double penetration_max = 0;     ///< [m]
  };
  Answer answer() const;

  std::size_t contact_count() const;
  static int scalar_bytes();   ///< 4 if Bullet was built for single precision

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}   // namespace stickslip::bench
