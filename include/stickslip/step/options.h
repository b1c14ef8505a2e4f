// How time advances: every choice of a step, with units and defaults. Defaults that are lengths or speeds are given
// relative to the scene (gravity, step, size of the bodies), so that a scene scaled to 1 mm or 100 m behaves the same.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stickslip/minimise/method.h"
#include "stickslip/potential/barrier.h"
#include "stickslip/solve/registry.h"
#include "stickslip/world/body.h"

namespace stickslip {

enum class Scheme {
  semi_implicit_euler,   ///< contacts at q; u⁺ from the solve; q⁺ = q ⊕ h u⁺   [course §1.2]
  moreau_midpoint,       ///< contacts at q + h/2 u; q⁺ = q½ ⊕ h/2 u⁺           [prox §4.3]
};

/// How the gyroscopic torque −ω × Iω enters.
enum class Gyroscopic {
  none,         ///< left out
  explicit_,    ///< forward Euler: blows up for a fast spinning plate
  implicit,     ///< one Newton step of backward Euler in the body frame: stable, loses energy
  conserving,   ///< symmetric splitting of the free rotation: stable, keeps angular momentum exactly
};

/// No stabilisation: drift stays.
struct NoStabilisation {};

/// Baumgarte: vₙ + ε λₙ ≥ −υ φ / h while φ < 0 [course §1.9].
struct Baumgarte {
  double error_reduction = 0.2;   ///< υ in [0, 1]: part of the penetration removed per step
  double compliance = 0;          ///< ε ≥ 0 [m/(s·N s)]
};

/// The same as a spring and damper in parallel: ε = 1/(h²k + hb), υ = hk/(hk + b) [course eq. 59].
struct SpringDamper {
  double stiffness = 0;   ///< k > 0 [N/m]
  double damping = 0;     ///< b ≥ 0 [N s/m]
};

using Stabilisation = std::variant<NoStabilisation, Baumgarte, SpringDamper>;

/// Position projection after the step: removes penetration without touching velocities [course §3.4.6; prox §4.4].
struct ProjectionOptions {
  bool enabled = false;
  int max_rounds = 2;      ///< contact detections and linear solves per step
  int iterations = 30;     ///< sweeps per round
  double fraction = 0.8;   ///< part of the penetration removed per round, in (0, 1]
};

struct SleepOptions {
  bool enabled = false;
  double time = 0.5;    ///< an island sleeps when all its bodies were slow this long [s]
  double speed = 0.5;   ///< "slow": below this times |g| h, with angular speed times reach counted as speed
};

/// How the elasticity of soft bodies enters the contact problem: what stands for A⁻¹ in W = J A⁻¹ Jᵀ, A = M + hB + h²K
/// [course §4.3, Table 4].
enum class SoftOperator : std::uint8_t {
  automatic,   ///< chosen by the numbers of nodes and contacts
  lumped,      ///< M⁻¹: forces act at the start of the step, which must be short
  assembled,   ///< W with A⁻¹ as a matrix
  factored,    ///< W, its columns by factors of A
  partial,     ///< never W: solvers go through the factors of A
  splitting    ///< a sequence of problems with a diagonal matrix in place of A
};

/// How linearisations of a step follow each other where there are several [course §4.2].
enum class SoftSolution : std::uint8_t {
  newton,        ///< each about the velocities that the one before led to: Newton's method on the equations of motion
  minimisation   ///< no farther than the objective of the step falls: minimisation over velocities
};

struct SoftOptions {
  SoftOperator operator_ = SoftOperator::automatic;
  SoftSolution solution = SoftSolution::newton;
  /// Linearisations of a step, at most: 1 is one step of Newton's method from where a rigid body would be.
  int max_linearisations = 1;
  /// Pieces that a step may be taken in, at most, where it would turn elements inside out or end with soft surfaces deep in
  /// what they meet; a power of two. 1: it never is. Not with the lumped operator.
  int max_pieces = 8;
};

/// Of the integrator `barrier` (docs/barrier.md).
struct BarrierOptions {
  /// Distance at which surfaces begin to repel each other, as a part of the thinner body's thickness.
  double range = 1e-3;
  double stiffness = 1;   ///< factor of all repelling energies
  double slip = 0.01;     ///< way over which friction grows to its limit, as a part of the range
  /// Whether friction remembers how far it was strained: contacts that hold then do not creep. False: it starts anew in every
  /// step [Li et al. 2020].
  bool anchored = true;
  int max_lags = 100;   ///< times that friction may take over normal forces within a step
  BarrierForm form = BarrierForm::area;
  MinimiseMethod method = MinimiseMethod::projected_newton;
};
const std::vector<std::string>& barrier_form_names();   ///< "area", "plain"

/// How the force of a contact grows with depth in the integrator "penalty" (src/step/penalty/penalty_law.h).
enum class PenaltyLaw : std::uint8_t { linear, exponential, power, receding, layered };
enum class PenaltyFriction : std::uint8_t {
  anchored,   ///< springs to places where contacts stuck last, up to Coulomb's limit
  damping     ///< against the velocity of slip, up to Coulomb's limit: creeps at rest
};
enum class PenaltyStepping : std::uint8_t {
  automatic,   ///< implicit where there are soft bodies
  explicit_,   ///< symplectic Euler in substeps that are short enough for the springs
  implicit     ///< backward Euler, by Newton's method
};

/// Of the integrator "penalty": contacts as springs and dampers (docs/penalty.md).
struct PenaltyOptions {
  PenaltyLaw law = PenaltyLaw::linear;
  PenaltyFriction friction = PenaltyFriction::anchored;
  PenaltyStepping stepping = PenaltyStepping::automatic;
  double depth = 3e-4;           ///< to which weight presses a contact, as a part of the thinner body's thickness, > 0
  double stiffness = 0;          ///< of a contact at that depth [N/m]; 0: from the weight that it may have to carry
  double damping = 1;            ///< along normals, over that of critical damping; what rebounds has less
  double friction_damping = 0;   ///< of `damping` friction that sticks [N s/m]; 0: the same as along the normal, critical
  double exponent = 1.5;         ///< of the law `power`, ≥ 1
  int substeps = 0;              ///< of a step; 0: as many as are stable when explicit, one when implicit
};

struct StepOptions {
  std::string integrator = "impulse";   ///< see step/integrator.h
  double h = 0.01;                      ///< [s], > 0
  Scheme scheme = Scheme::semi_implicit_euler;
  Gyroscopic gyroscopic = Gyroscopic::conserving;
  Stabilisation stabilisation = Baumgarte{};
  ProjectionOptions projection = {};
  SleepOptions sleep = {};
  bool warm_start = true;
  /// Light bodies between heavy ones: forces of joints act on the mean of the arms before and after the step where those at
  /// its start would make bodies oscillate faster than the step can follow (src/step/joints/joint_closing.h).
  bool geometric_stiffness = true;

  /// Newton's impact law acts where the approach is faster than this times |g| h (two steps of free fall).
  double restitution_threshold = 2;
  /// Contacts are generated up to this part of the smaller body's thickness ahead, beside the distance the pair can
  /// close within the step.
  double margin = 0.01;

  /// Touching: contacts whose gap is within ± this part of the thinner body's thickness neither may close nor are pushed apart,
  /// and stabilisation acts beyond it only. So a body at rest asks for nothing, and last step's impulses are the answer
  /// (docs/stepping.md). The same part of the bodies' size for limits of joints, and for what projection leaves.
  double contact_band = 1e-4;
  /// Elasticity along the normal of contacts beyond the band: one that carried the weight of all that its bodies touch,
  /// directly or not, would give way by this part of the band per step. Keeps recovery of what is wedged in from asking for
  /// endless forces. 0: rigid
  double contact_elasticity = 0.01;
  /// Whether rows of contacts know how contact points and bodies turn within the step (src/step/turning.h): second order
  /// instead of first.
  bool turning_contacts = true;

  /// How contacts of bodies that do not say become rows; automatic: as points.
  ContactForm contact = ContactForm::automatic;
  /// Mean depth of the overlaps that contact by volume keeps, as a part of the thinner body's thickness, where bodies do not
  /// say.
  double overlap = 1e-3;

  SoftOptions soft = {};
  BarrierOptions barrier = {};
  PenaltyOptions penalty = {};

  std::string solver = "auto";
  OptionList solver_options = {};   ///< options of that solver
  double tolerance = 1e-6;          ///< on the shared residual, relative to |g| h (or to the largest |b| without gravity)
  int max_iterations = 200;
  /// A merit function of the papers, which may end solves as well (problem/merit.h). A tiny tolerance leaves the end to it.
  MeritRule merit = {};
  bool last_iterate = false;   ///< take the last iterate of a solve, as the papers do, instead of the best
  bool keep_history = false;   ///< record the residual at every iteration in the report; solves may then stop earlier, as all
                               ///< iterates are judged
  int threads = 1;             ///< the result is the same for every number
  /// A step that finds it set ends by `StepCancelled` (step/integrator.h), soon and in the middle of whatever it does.
  const std::atomic<bool>* cancel = nullptr;
};

/// "automatic", "lumped", "assembled", "factored", "partial", "splitting", in the order of the enumeration.
const std::vector<std::string>& soft_operator_names();
const std::vector<std::string>& soft_solution_names();   ///< "newton", "minimisation"
// The same of the enumerations of `PenaltyOptions`.
const std::vector<std::string>& penalty_law_names();
const std::vector<std::string>& penalty_friction_names();
const std::vector<std::string>& penalty_stepping_names();

std::string_view scheme_name(Scheme);
std::string_view gyroscopic_name(Gyroscopic);
Scheme scheme_from_name(std::string_view);           ///< @throws Error with a suggestion
Gyroscopic gyroscopic_from_name(std::string_view);   ///< @throws Error with a suggestion

/// @throws Error naming the option (as the scene file spells it), its value and what is valid.
void validate(const StepOptions&);

}   // namespace stickslip
