// Joints that are closed where the step ends, without work, however light the bodies between heavy ones.
//
// A step is a kick at q followed by a drift, q⁺ = q ⊕ h u⁺. Three things make joints keep their pieces, their energy and
// their momentum in it:
//
// 1. Closed at the end. The rows ask for g(q ⊕ h u⁺) = 0, not for a linear piece of it: with
//    κ = (g(q ⊕ h u) − g(q))/h − J(q) u the row J u⁺ + κ = 0 is exact if κ is that of u⁺. It is found by solving again with
//    the κ of the solution just found. With the directions J(q) for the impulses this is the scheme SHAKE [Ryckaert,
//    Ciccotti, Berendsen 1977]: symmetric in time, so that swings keep their energy, and stabilisation finds nothing to do.
//
// 2. Averaged arms. A force f at the arm r turns with its body: r × f changes by −K θ under a small rotation θ,
//    K = (f·r) 1 − r fᵀ summed over the joints of a body. For a light link in a taut chain that is a stiff spring, and a kick
//    at q makes it unstable where ω h > 2, ω² = eig I⁻¹K. So impulses λ of such joints act not at p(q) but at the mean of
//    where the joint is before and after,
//
//      p̄ = ½ (p(q⁻) + p(q⁺)) = p + ½ (p⁺ − 2 p + p⁻).
//
//    Both velocities u⁻ and u⁺ lead from q⁻ to q⁺, where the joint is closed, so that λ does no work on their mean but for
//    terms of third order in the turn of a body: no step is unstable, and nothing is damped. λ acts on both bodies at one
//    point: momentum and angular momentum are exact. q⁻ follows from u⁻ by drifting back; nothing has to be remembered.
//    To first order the shift of p is ½ h (Δω × r), which adds
//
//      A = ½ h Σ ((λ·r) 1 − ½ (r λᵀ + λ rᵀ))
//
//    to the inertia of a body against *changes* of its spin: (I + A)(ω⁺ − ω⁻) = torques. A is in the matrix of the problem;
//    the rest is on the right-hand side and follows from the solution before, together with κ.
//
// 3. A little friction. Chains that go slack and snap taut set their links trembling faster than a step can follow; under a
//    heavy end it takes little for that to be no spring any more. Where (ω h)² > 8, bodies whose arms to the joint have
//    lengths s feel a couple against their relative spin across λ, −ε h |λ| s_a s_b / (s_a + s_b) (ω_b − ω_a). ε = ¼ damps
//    what trembles from link to link in a few steps, and what swings together hardly at all.
//
// 4. Pieces. All that is right to some order in the turns of bodies within a step, and worthless where these are not small: a
//    step in which joined bodies turn far, or whose joints cannot be closed, is taken in pieces (step/pieces.h). Links that
//    pieces can follow are not rubbed any more.
//
// The repeated solves are a fixed-point iteration x ← F(x) for x = (κ, right-hand sides), made faster by Anderson's mixing of
// the last iterates. If it does not come to an end even in the shortest piece, that is solved without κ and with A as inertia
// at rest, which takes energy and never gives any (`JointCare`).
#pragma once

#include "step/anderson.h"
#include "step/joints/joint_rows.h"

namespace stickslip {

/// Whether joints are closed at the end of the step, or only kept from getting worse and projected after it.
enum class JointCare { closed, braked };

class JointClosing {
 public:
  struct Setting {
    const World& world;
    const StepOptions& options;
    std::span<const std::uint32_t> segment_of_body;   ///< kNoSegment for bodies that forces do not move
    std::span<const double> before;                   ///< velocities before the step, 6 numbers per segment
  };

  /// Finds the joints, and what the forces of the last step make of them. Changes the inertias of the segments and their
  /// free velocities. @param free velocities after the step without contacts and joints, 6 numbers per segment
  void begin(const Setting&, JointCare, std::span<VelocitySegment> segments, std::span<double> free);
  /// Where bodies would end the drift with the velocities before the step, by slot; empty where rows should have no κ. Valid
  /// until `look`.
  std::span<const Pose> ends() const { return care_ == JointCare::braked ? std::span<const Pose>() : ends_; }

  /// How far the joints are from where a solve should have brought them, relative to their size.
  /// @param velocity of the solve, 6 numbers per segment
  double look(const Setting&, const JointRows::Setting&, JointRows&, std::span<const double> impulses,
              std::span<const double> velocity);
  /// Prepares the next solve after `look`: κ of the rows, free velocities, and the inertias of the segments if need be.
  /// Changes b of the problem for all blocks. @returns whether inertias have changed and the problem must be finalized
  bool correct(JointRows&, ContactProblem&, std::span<double> free);
  /// Work of what joints do beside their rows, in the last solve [J].
  double work(std::span<const double> before, std::span<const double> free, std::span<const double> velocity) const;
  /// What the iteration left open of the balance of angular momentum, in mechanisms that no joint ties to the world, goes into
  /// a rotation of the whole, so that it does not depend on how far the iteration went.
  void balance(const World&, std::span<const std::uint32_t> segment_of_body, std::span<const double> free,
               std::span<double> velocity);
  bool averages() const { return averages_; }   ///< whether any arm is averaged

 private:
  /// A joint that holds two bodies together in a point; 0 is A, 1 is B.
  struct Held {
    std::uint32_t joint;
    std::uint32_t body[2], segment[2];   ///< body ~0 for the world
    Vec3 local[2];                       ///< the point, in the frame of the centre of mass
    Vec3 here[2], back[2];               ///< the point now, and a step ago
    Vec3 arm[2];                         ///< from the centre of mass to where impulses act
    bool averaged = false;
    bool follows = true;           ///< whether its bodies turn by less than 1 rad in the step
    double friction = 0;           ///< ε h |λ| s_a s_b / (s_a + s_b) [N m s²]
    double last = 0;               ///< |λ| of the last step [N s]
    Vec3 impulse = Vec3::Zero();   ///< λ on B [N s]
    Vec3 couple = Vec3::Zero();    ///< angular impulse on B beside that of λ at the arm [N m s]

    Vec3 impulse_on(int side) const { return side == 0 ? Vec3(-impulse) : impulse; }
  };
  /// What the joints of a body do to it.
  struct Load {
    Mat3 inertia, added = Mat3::Zero();   ///< I; A and the friction [kg m²]
    Vec3 spin = Vec3::Zero();             ///< after the step without contacts and joints [rad/s]
    Vec3 lag = Vec3::Zero();              ///< angular impulse on the right-hand side [N m s]
    Mat3 arms = Mat3::Zero();             ///< Σ r rᵀ [m²]
    bool loaded = false;
  };

  /// A mechanism that no joint ties to the world.
  struct Float {
    double mass = 0;               ///< [kg]
    Vec3 center = Vec3::Zero();    ///< of mass, times mass [kg m]
    Mat3 inertia = Mat3::Zero();   ///< about it [kg m²]
    Vec3 couple = Vec3::Zero();    ///< what is open [N m s]
  };

  void connect(const Setting&);
  std::uint32_t root(std::uint32_t segment) const;
  void add_turns(ContactProblem&, const Block&) const;
  Vec3 couple_used(std::uint32_t segment, std::span<const double> free, std::span<const double> velocity) const;
  void find_ends(const Setting&, std::span<const double> velocity);
  void hold(const Setting&, std::uint32_t slot, std::span<const double> free);
  void add_stiffness(double part, bool of_all);
  void choose(const Setting&);
  void weigh(const Setting&);
  void weigh_again(const Setting&);
  void find_couples(std::span<const double> velocity);
  void find_lags(std::span<const double> velocity);
  bool inertias_moved() const;
  void pack(std::span<const double> kappa, std::vector<double>& x) const;
  Mat3 inverse_inertia(const Load& load) const { return (load.inertia + load.added).inverse(); }

  JointCare care_ = JointCare::closed;
  double h_ = 0;
  bool averages_ = false, moved_ = false;
  int weighed_ = 0;   ///< how often the matrix was made anew in this step
  std::vector<Held> held_, kept_;
  std::vector<Load> loads_;             ///< by segment
  std::vector<std::uint32_t> loaded_;   ///< segments with a load
  std::vector<Mat3> added_before_;      ///< by segment: A in the matrix of the problem
  std::vector<std::uint32_t> parent_;   ///< by segment: another of the same mechanism, or itself
  std::vector<char> anchored_;          ///< by segment that is its own parent: whether its mechanism is tied to the world
  std::vector<Float> floats_;           ///< likewise
  std::vector<Pose> ends_;              ///< by body slot
  std::vector<Vec3> forces_;            ///< by joint slot
  std::vector<double> used_, found_, kappa_, sizes_, change_;
  Anderson mixing_;
};

}   // namespace stickslip
