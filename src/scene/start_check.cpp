#include "scene/start_check.h"

#include <fmt/ranges.h>
#include <cmath>
#include <limits>

#include "stickslip/math/error.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/solve/registry.h"
#include "stickslip/step/barrier_start.h"
#include "stickslip/step/stepper.h"

namespace stickslip::document {

std::string readable_length(double metres) {
  const double size = std::abs(metres);
  if (size >= 1000) return fmt::format("{:.3g} km", metres / 1000);
  if (size >= 1) return fmt::format("{:.3g} m", metres);
  if (size >= 1e-3) return fmt::format("{:.3g} mm", metres * 1e3);
  if (size >= 1e-6) return fmt::format("{:.3g} µm", metres * 1e6);
  return fmt::format("{:.3g} nm", metres * 1e9);
}

namespace {

constexpr double kFarthestFall = 1e6;   ///< in a step, over the size of the largest body

/// A step in which things fall farther than the largest of them is wide is a slip of the pen. One in which they fall so far
/// that nothing of the scene would be seen again is refused: looking for what they meet on the way would take seconds.
void check_step(const World& world, const StepOptions& step, std::vector<std::string>& warnings) {
  const double fall = world.gravity.norm() * step.h * step.h;
  double largest = 0;
  for (const Collider& collider : world.colliders())
    if (world.bodies()[collider.body].motion == MotionType::dynamic)
      largest = std::max(largest, std::isfinite(collider.reach) ? collider.reach : 0.0);
  if (!(largest > 0 && fall > 2 * largest)) return;
  const std::string words = fmt::format(
      "In a step of {:g} s things that start to fall get {} far, and the largest is {} wide: nothing can be held up. "
      "Take a step (/step/h) of {:.1g} s or less.",
      step.h, readable_length(fall), readable_length(2 * largest), 0.1 * std::sqrt(2 * largest / world.gravity.norm()));
  if (fall > kFarthestFall * largest) throw Error(words).at("h").at("step");
  warnings.push_back(words);
}

/// Barriers push what begins within their range.
void check_barriers(const World& world, const StepOptions& step, std::vector<std::string>& warnings) {
  const std::vector<NearStart> starts = find_near_starts(world, step);
  if (starts.empty()) return;
  const NearStart& nearest = starts.front();
  warnings.push_back(fmt::format(
      "'{}' and '{}' begin {} apart, and barriers reach {}: they push each other apart from the start{}. Begin farther "
      "apart, or take a range (/step/barrier/range) of {:.1g} or less.",
      world.body(nearest.a).name, world.body(nearest.b).name, readable_length(nearest.gap), readable_length(nearest.range),
      starts.size() == 1 ? "" : fmt::format(", as {} pairs do", starts.size()),
      0.9 * step.barrier.range * nearest.gap / nearest.range));
}

/// Steps up to which forces at their starts are stable in a soft body, about: a wave must not pass an element, nor damping
/// reverse a rate of strain [s].
double longest_lumped_step(const ElasticSolid& solid) {
  double thinnest = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < solid.elements(); ++e) {
    const auto& corners = solid.tetrahedra()[e];
    double widest = 0;   // twice the area of a face
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3 &a = solid.rest()[corners[k]], &b = solid.rest()[corners[(k + 1) % 4]],
                 &c = solid.rest()[corners[(k + 2) % 4]];
      widest = std::max(widest, (b - a).cross(c - a).norm());
    }
    thinnest = std::min(thinnest, 6 * solid.rest_volume(e) / widest);
  }
  const SoftMaterial& m = solid.material();
  const Lame moduli = lame(m.young, m.poisson);
  const double stiffness = moduli.lambda + 2 * moduli.mu, damping = m.stiffness_damping * stiffness + m.viscosity;
  const double passes = thinnest * std::sqrt(m.density / stiffness);
  return damping > 0 ? std::min(passes, 0.5 * m.density * thinnest * thinnest / damping) : passes;
}

void check_lumped(const World& world, const StepOptions& step, std::vector<std::string>& warnings) {
  if (step.integrator != "impulse" || step.soft.operator_ != SoftOperator::lumped) return;
  const NodalBody* worst = nullptr;
  double longest = step.h;
  for (const NodalBody& nodes : world.nodal_bodies())
    if (const double here = nodes.is_soft() ? longest_lumped_step(*nodes.solid) : longest; here < longest)
      longest = here, worst = &nodes;
  if (!worst) return;
  warnings.push_back(fmt::format(
      "The operator 'lumped' takes forces of soft bodies from the start of a step, which is stable for steps up to about "
      "{:.1g} s in '{}'; with {:g} s it will blow up. Take such a step (/step/h), or another operator.",
      longest, world.bodies()[worst->body].name, step.h));
}

}   // namespace

void check_start(const World& world, const StepOptions& step, bool allow_overlap, std::vector<std::string>& warnings) {
  check_colliders(world);
  check_step(world, step, warnings);
  if (step.integrator == "barrier") check_barriers(world, step, warnings);
  check_lumped(world, step, warnings);
  const std::vector<Overlap> overlaps = find_overlaps(world, step);
  if (overlaps.empty()) return;
  const Overlap& deepest = overlaps.front();
  const std::string name = fmt::format("'{}'", world.body(deepest.a).name);
  const bool one = deepest.a == deepest.b;
  const std::string who =
      one ? name + " overlaps itself" : fmt::format("{} and '{}' overlap", name, world.body(deepest.b).name);
  const std::string text = fmt::format("{} by {} at the start{}.", who, readable_length(deepest.depth),
                                       overlaps.size() == 1 ? "" : fmt::format(", the deepest of {} pairs", overlaps.size()));
  if (!allow_overlap) throw Error(text + " Move them apart, or set \"allow_overlap\" to true.");
  warnings.push_back(text);
}

namespace {

/// Contact over areas needs a solver that takes it, or everything that rests on one would fall.
void check_patches(const World& world, const StepOptions& step) {
  if (!asks_for_areas(world, step)) return;
  const PatchFriction point{
      std::make_shared<const PatchSet>(PressurePatch::polygon({Vec2::Zero()}), EllipsoidFriction{0.5, 0.5, 0.5})};
  const std::string_view reason = make_solver(step.solver, step.solver_options)->cannot_take(point);
  if (reason.empty()) return;
  throw Error(fmt::format("The solver '{}' cannot take contact as patches, which {} asks for. {} Solvers that can: {}.",
                          step.solver, step.contact >= ContactForm::patch ? "the step" : "a body or a pair of materials",
                          reason, fmt::join(solvers_that_honour(point), ", ")))
      .at("solver")
      .at("step");
}

/// Whether contacts of two materials are to be areas, by the pair, the step or a body.
bool wants_areas(const World& world, const StepOptions& step, MaterialId a, MaterialId b) {
  const ContactForm form = world.materials.contact_between(a, b);
  if (form != ContactForm::automatic) return form >= ContactForm::patch;
  const auto asks = [](const Body& body) { return body.alive && body.contact >= ContactForm::patch; };
  return step.contact >= ContactForm::patch || std::ranges::any_of(world.bodies(), asks);
}

}   // namespace

void check_laws(const World& world, const StepOptions& step, std::vector<std::string>& warnings) {
  check_patches(world, step);
  const MaterialTable& materials = world.materials;
  std::vector<bool> is_used(materials.size(), false), moves(materials.size(), false);
  for (const Collider& collider : world.colliders()) {
    if (!collider.alive) continue;
    is_used[collider.material.index] = true;
    if (world.bodies()[collider.body].moves_by_forces()) moves[collider.material.index] = true;
  }
  std::unique_ptr<ContactSolver> solver;
  for (std::uint32_t a = 0; a < materials.size(); ++a)
    for (std::uint32_t b = a; b < materials.size(); ++b) {
      if (!is_used[a] || !is_used[b] || !(moves[a] || moves[b])) continue;
      const SurfacePair pair = materials.between({a}, {b});
      if (!pair.law) continue;
      const Material &ma = materials[{a}], &mb = materials[{b}];
      ContactSite site;
      site.h = step.h;
      site.a.surface = &ma.surface;
      site.b.surface = &mb.surface;
      if (!solver) solver = make_solver(step.solver, step.solver_options);
      // Laws that depend on the state may make sets of different kinds at rest and in motion.
      for (const double speed : {0.0, 1.0}) {
        site.slip = speed * Vec3::UnitX();
        const LocalFriction local = local_friction(*pair.law, site);
        const std::string_view reason = solver->cannot_take(local.set);
        if (reason.empty()) continue;
        throw Error(
            fmt::format("The solver '{}' cannot honour the friction law '{}' between '{}' and '{}'. {} Solvers that can: {}.",
                        step.solver, pair.law->name, ma.name, mb.name, reason, fmt::join(solvers_that_honour(local.set), ", ")))
            .at("solver")
            .at("step");
      }
      const SurfaceLawInfo& info = surface_law_info(pair.law->name);
      if (wants_areas(world, step, {a}, {b}) && !acts_over_areas(*pair.law, ma.surface, mb.surface))
        warnings.push_back(fmt::format(
            "Contacts between '{}' and '{}' stay points: the law '{}' {}.", ma.name, mb.name, pair.law->name,
            info.over_areas == OverAreas::no ? "is about points" : "is one of areas only where structures are straight"));
      if (!info.warn) continue;
      if (const std::string text = info.warn(*pair.law, ma.surface, mb.surface); !text.empty())
        warnings.push_back(fmt::format("Friction between '{}' and '{}': {}", ma.name, mb.name, text));
    }
}

namespace {

/// Whether a joint gives rows of this kind to the contact problem, and why: a word for the message, or empty.
std::string_view reason_for(const JointDescription& joint, BlockKind kind) {
  const bool bilateral = kind == BlockKind::bilateral;
  if (bilateral && (joint.type == JointType::gear || joint.type == JointType::screw)) return "coupling";
  if (!bilateral && joint.swing_limit < std::numeric_limits<double>::infinity()) return "limit";
  const auto is_drive = [&](const auto& drive) { return drive && std::isfinite(drive->max_force) != bilateral; };
  for (const JointAxis& axis : joint.axes) {
    if (is_drive(axis.motor)) return "motor";
    if (is_drive(axis.servo)) return "servo";
    if (bilateral && axis.locked) return "locked coordinate";
    if (bilateral && axis.spring) return "spring";
    if (!bilateral && (axis.has_lower() || axis.has_upper())) return "limit";
    if (!bilateral && axis.friction > 0) return "friction";
  }
  return {};
}

/// "12 mm and 0.3 rad": what is not negligible of an error. @param size of the bodies [m]
std::string readable_error(double length, double angle, double size) {
  constexpr double kRounding = 1e-4;   // of numbers that were written down by hand
  const std::string angle_text = fmt::format("{:.3g} rad", angle);
  if (!(length > kRounding * size)) return angle > kRounding ? angle_text : "";
  return angle > kRounding ? fmt::format("{} and {}", readable_length(length), angle_text) : readable_length(length);
}

void check_placement(const World& world, const Joint& joint, std::vector<std::string>& warnings) {
  const JointDescription& d = joint.description;
  const JointPlace place = locate(world, joint);
  double locked[2] = {0, 0}, beyond[2] = {0, 0};   // squared sums over lengths and angles
  for (int k = 0; k < kJointCoordinates; ++k) {
    const JointAxis& axis = d.axes[static_cast<std::size_t>(k)];
    const double position = place.position[static_cast<std::size_t>(k)];
    const double kept = d.type == JointType::distance ? d.length : 0;
    if (axis.locked) locked[is_turn(k)] += std::pow(position - kept, 2);
    beyond[is_turn(k)] += std::pow(std::max({axis.lower - position, position - axis.upper, 0.0}), 2);
  }
  if (const double swing = swing_of(place).first; swing > d.swing_limit) beyond[1] += std::pow(swing - d.swing_limit, 2);
  const auto warn = [&](const double(&squared)[2], std::string_view what) {
    const std::string error = readable_error(std::sqrt(squared[0]), std::sqrt(squared[1]), joint.row_length);
    if (!error.empty()) warnings.push_back(fmt::format("The joint '{}' {} by {} at the start.", d.name, what, error));
  };
  warn(locked, "is apart");
  warn(beyond, "is beyond its limits");
}

}   // namespace

void check_solver(const World& world, const ContactSolver& solver) {
  for (const BlockKind kind : {BlockKind::bilateral, BlockKind::box}) {
    const std::string_view cannot = solver.cannot_hold(kind);
    if (cannot.empty()) continue;
    for (const Joint& joint : world.joints()) {
      const std::string_view reason = joint.alive ? reason_for(joint.description, kind) : "";
      if (reason.empty()) continue;
      throw Error(fmt::format("The solver '{}' cannot hold the joint '{}' with its {}. {} Solvers that can: {}.", solver.name(),
                              joint.description.name, reason, cannot, fmt::join(solvers_that_hold(kind), ", ")))
          .at("solver")
          .at("step");
    }
  }
}

void check_joints(const World& world, const StepOptions& step, std::vector<std::string>& warnings) {
  if (world.joint_count() == 0) return;
  check_solver(world, *make_solver(step.solver, step.solver_options));
  for (const Joint& joint : world.joints())
    if (joint.alive && joint.description.type != JointType::gear) check_placement(world, joint, warnings);
}

}   // namespace stickslip::document
