// From a world and its contacts to the contact problem: the only place where bodies become rows.
#pragma once

#include "stickslip/collide/contact.h"
#include "stickslip/problem/contact_problem.h"
#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip {

inline constexpr std::uint32_t kNoSegment = ~0u;

/// What the builder knows about one contact point beside its rows.
struct BuiltContact {
  std::uint32_t block;          ///< its block in the problem
  Mat3 frame;                   ///< columns normal, t, b
  Vec3 before;                  ///< relative velocity of B against A before the step, contact frame [m/s]
  Vec3 driven;                  ///< part of the relative velocity that kinematic bodies prescribe, contact frame [m/s]
  double recovery_speed;        ///< separation speed that stabilisation asks for, ≥ 0 [m/s]
  double friction;              ///< μ
};

class ProblemBuilder {
 public:
  /// Gives every body that moves by forces a velocity segment, and computes its velocity before and without contacts.
  void begin(const World&, const StepOptions&);

  /// Fills the problem and the guess from the contacts.
  /// @param drift_time positions move this long with the new velocity: a gap φ > 0 may close at φ / drift_time
  void build(const World&, const ContactSet&, const StepOptions&, double drift_time);

  const ContactProblem& problem() const { return problem_; }
  std::span<const double> guess() const { return guess_; }
  const std::vector<BuiltContact>& contacts() const { return contacts_; }   ///< as in ContactSet::points
  std::uint32_t segment_of(std::uint32_t body) const { return segment_of_body_[body]; }
  /// 6 numbers per segment, linear then angular [m/s, rad/s].
  const std::vector<double>& velocity_before() const { return before_; }
  const std::vector<double>& velocity_free() const { return free_; }
  /// Centre of mass of a segment's body [m]. Bodies are large; loops over contacts read this instead.
  const Vec3& center(std::uint32_t segment) const { return centers_[segment]; }

 private:
  void number_contacts(const World&, const ContactSet&);
  void fill_contact(const World&, const Manifold&, const ContactPoint&, const SurfacePair&, const StepOptions&, double drift_time,
                    BuiltContact&);
  void fill_guess(const World&, const ContactSet&, const StepOptions&);

  ContactProblem problem_;
  std::vector<double> guess_, before_, free_;
  std::vector<Vec3> centers_;
  std::vector<std::uint32_t> segment_of_body_;
  std::vector<BuiltContact> contacts_;
};

/// Rows of a Jacobian block: relative velocity at `point` along the columns of `frame`, times `sign` (+1 for body B, −1
/// for body A) [course eq. 61]. @param center centre of mass of the body [m]
void write_contact_jacobian(const Vec3& center, const Vec3& point, const Mat3& frame, int rows, double sign, double* out);

}  // namespace stickslip
