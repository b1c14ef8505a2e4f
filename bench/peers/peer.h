// Other engines on the worlds of Stickslip, judged by Stickslip's residual.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stickslip/problem/contact_problem.h"
#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip::bench {

/// The same for all engines. Everything else is an engine's default, but for what its `settings` say.
struct PeerSettings {
  double h = 1.0 / 60;     ///< [s]
  double friction = 0.5;   ///< of every pair
  int sweeps = 20;         ///< of engines that sweep a given number of times
};

/// The problem that an engine solved in its last step and its answer, in our form. Each is judged by its own contacts and its
/// own demands:
///  - unknowns: the impulses of its contacts, as it reports them;
///  - Jacobians: its points and normals;
///  - b and Σ: velocities before the step plus h g, plus what it asks of the contact beyond them (recovery, softness).
struct Answer {
  ContactProblem problem;
  std::vector<double> impulses;
  Vec3 force_on_fixed = Vec3::Zero();   ///< of all contacts on what does not move [N]
  double velocity_mismatch =
      0;   ///< largest difference between its new velocities and those that follow from the impulses [m/s]:
           ///< shows that problem and answer belong together
};

/// State of a body, of its centre of mass.
struct PeerState {
  Vec3 position, velocity, angular_velocity;
  Quat orientation;
};

/// One engine, one thread, no sleeping. Bodies are those of the world, by their slots.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual void step() = 0;
  /// Call before a step whose answer is wanted; such steps are not timed.
  virtual void remember() = 0;
  virtual Answer answer() = 0;
  virtual PeerState state(std::size_t slot) const = 0;
  virtual std::size_t contact_count() const = 0;

  std::string name, settings;   ///< settings: what is set, in words
};

std::unique_ptr<Peer> make_stickslip(const World&, const PeerSettings&, const StepOptions&);
/// @param directions of friction: 1 is Bullet's default; 2 span the tangent plane, as Coulomb's law asks
std::unique_ptr<Peer> make_bullet(const World&, const PeerSettings&, int directions);
std::unique_ptr<Peer> make_ode(const World&, const PeerSettings&);
std::unique_ptr<Peer> make_mujoco(const World&, const PeerSettings&);
/// Names and versions of all, for the head of the report.
std::string bullet_version(), ode_version(), mujoco_version();

/// The one shape of a body and where that is. @throws Error for bodies of several shapes, of which the comparison knows none
struct PeerShape {
  const Shape& shape;
  Pose pose;
};
PeerShape shape_of(const World&, const Body&, const char* engine);
[[noreturn]] void unknown_shape(const Shape&, const char* engine);

/// Collects an `Answer`.
class AnswerMaker {
 public:
  /// States before the step, and masses in the frame of the world. @param gravity [m/s²]
  AnswerMaker(std::vector<PeerState> before, std::vector<VelocitySegment> segments, const Vec3& gravity, double h);

  struct Point {
    std::size_t a, b;             ///< slots
    Vec3 on_a, on_b;              ///< where impulses act [m]
    Vec3 normal;                  ///< from a to b
    Vec3 demand = Vec3::Zero();   ///< what the engine adds to b, along the columns of `frame` [m/s]
    Vec3 sigma = Vec3::Zero();    ///< its compliance [m/(s N s)]
    Mat3 frame;                   ///< columns: normal and tangents
    double friction = 0;
    Vec3 impulse;   ///< on b, world frame [N s]
  };
  void add(const Point&);
  /// @param after states after the step
  Answer finish(const std::vector<PeerState>& after);

 private:
  std::vector<PeerState> before_;
  Vec3 gravity_;
  double h_;
  Answer answer_;
};

}   // namespace stickslip::bench
