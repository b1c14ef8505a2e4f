// Joints as potentials of the places at the end of a step, for the barrier integrator. Every coordinate c that a joint locks,
// couples, limits, drives, pulls or rubs has an energy φ(c) of its own; rows of angles are angles times a length, so that all
// are in m and N (docs/barrier.md):
//
//   locked, coupling   ½ k c², k so large that what hangs on the joint pulls it off by a thousandth of its fall in a step;
//                      the coupling of a gear is one of up to four bodies (barrier_gears.cpp)
//   limit              the same, beyond it only
//   spring, servo      ½ k (c − rest)² + ½ d/h (c − c₀)²; of a servo no steeper than its force
//   effort             −F c
//   armature           ½ I/h² (c − c₀ − h c'₀)²
//   motor              ½ k (c − c₀ − h speed)², no steeper than its force; k far beyond that of what is locked, since what a
//                      motor gives way in every step adds up
//   friction           a smooth |c − c₀| that remembers how far it was strained, as of contacts
//
// Forces with a limit turn around within a tiny way. As of contacts they are unknowns of their own over that limit, "pulls"
// (FrictionTerm::stiffness), which begin with what they were in the last step.
//
// Stiff valleys that bend are followed from a softer one: k grows over the first rounds of a step in which joints turn.
#pragma once

#include <functional>

#include "step/barrier/barrier_bodies.h"
#include "step/joints/joint_rows.h"
#include "stickslip/potential/barrier.h"

namespace stickslip {

/// Stiffness of what is locked, over the mass that hangs on it and h².
inline constexpr double kHard = 1e3;
/// Stiffness of motors over that: what they turn may be light, and what hangs on it heavy.
inline constexpr double kMotorHard = 1e3;

class BarrierJoints {
 public:
  void begin(const World&, const BarrierBodies&, const StepOptions&);
  /// @param round from 0 in every step @returns whether joints are as stiff as they are to be
  bool stiffen(int round);

  // At the places that are tried.
  void add_energies(const BarrierBodies&, std::span<const std::uint32_t> piece_of_group,
                    std::span<double> out) const;                         ///< [J]
  void add_gradient(const BarrierBodies&, std::span<double> out) const;   ///< [N, N m]
  void want_blocks(BlockAssembly&) const;
  /// @param projected in a positive form
  void add_hessian(const BarrierBodies&, bool projected, BlockAssembly&) const;

  /// Where the whole of a direction would lead, and that it was gone along.
  void foresee(const BarrierBodies&, std::span<const double> direction);
  void accept();

  /// Rigid bodies that joints hold together, by their places among the rigid ones.
  const std::vector<std::array<std::uint32_t, 2>>& links() const { return links_; }
  /// Adds what joints did, and which bodies they hold to what does not move.
  void add_work(const BarrierBodies&, BarrierIslands&) const;

  /// Forces and the work of the step, and what friction holds with.
  void record(World&, const BarrierBodies&, StepReport&) const;

 private:
  enum class Form : std::uint8_t { quadratic, linear, beyond, capped, friction };
  struct Term {
    JointPart part = JointPart::locked;
    std::uint8_t coordinate = 0;
    Form form = Form::quadratic;
    double hard = 0;        ///< stiffness over that of what is locked, which is of the round; 0: its own
    double scale = 1;       ///< c = scale · coordinate
    double stiffness = 0;   ///< [N/m]
    double rest = 0;        ///< [m]
    double most = 0;        ///< force of linear and capped ones and of friction [N]
    double length = 0;      ///< of friction [m]
    double start = 0;       ///< c at the start of the step [m]
    double pull = 0;        ///< what the slope over `most` is taken for
    double next_pull = 0;   ///< after the direction
  };
  /// Of a term with a limit: its slope over `most` and over the way s from its rest, and the slope of the inverse of that.
  struct Limited {
    double over_way, slope;
  };
  struct Held {
    std::uint32_t slot = 0;                     ///< of the joint
    std::uint32_t a = kNoBlock, b = kNoBlock;   ///< among the rigid bodies
    double hold = 0;                            ///< stiffness of what is hard [N/m]
    std::vector<Term> terms;
  };
  struct Reading {
    double value;
    JointRow row;
  };
  /// A gear: second − ratio · first of two joints, times a length.
  struct Geared {
    struct Side {
      Held held;   ///< of the joint, without terms
      std::size_t coordinate = 0;
      double factor = 0;
    };
    std::uint32_t slot = 0;
    std::array<Side, 2> sides;
    double hold = 0;    ///< stiffness [N/m]
    double start = 0;   ///< c at the start of the step [m]
  };
  /// Where a gear is, and how that grows with its bodies, each once.
  struct GearReading {
    double value = 0;
    int count = 0;
    std::array<std::uint32_t, 4> rigid = {};
    std::array<Eigen::Matrix<double, 6, 1>, 4> rows;
    void add(std::uint32_t rigid, const Eigen::Matrix<double, 6, 1>& row);
  };
  using Vec12 = Eigen::Matrix<double, 12, 1>;
  using Mat12 = Eigen::Matrix<double, 12, 12>;

  Pose pose_of(const BarrierBodies&, BodyId, std::uint32_t rigid) const;
  JointPlace place_of(const BarrierBodies&, const Held&) const;
  Reading read(const Held&, const JointPlace&, const Term&) const;
  double stiffness_now(const Held&, const Term&) const;
  ScalarFunction energy_of(const Held&, const Term&, double c) const;
  static bool is_limited(const Term& t) { return t.form == Form::capped || t.form == Form::friction; }
  Limited limited(const Held&, const Term&, double size) const;
  /// What takes the place of the second derivative of the energy.
  double stiffness_of(const Held&, const Term&, double c) const;
  void add_axis(const JointPlace&, int coordinate, Held&) const;
  void add_drives(const JointPlace&, const Term& of_axis, Held&) const;
  void add_limits(const JointPlace&, const Term& of_axis, Held&) const;
  void add_terms(const JointPlace&, Held&) const;
  void add(const JointPlace&, Held&, Term) const;
  Vec12 gradient_of(const Held&, const JointPlace&) const;
  Mat12 bend_of(const BarrierBodies&, const Held&) const;
  Held held_by(std::uint32_t slot, const BarrierBodies&) const;
  /// @param mass that hangs together with a rigid body
  void add_gear(std::uint32_t slot, const BarrierBodies&, const std::function<double(std::uint32_t)>& mass);
  GearReading read(const BarrierBodies&, const Geared&) const;
  void add_gear_hessians(const BarrierBodies&, BlockAssembly&) const;

  const World* world_ = nullptr;
  StepOptions options_;
  std::vector<Held> held_;
  std::vector<Geared> gears_;
  std::vector<std::array<std::uint32_t, 2>> links_;
  bool turns_ = false;   ///< so much that joints begin softer
  double factor_ = 1;    ///< of hard stiffnesses in this round
};

}   // namespace stickslip
