#include "stickslip/scene/parts.h"

#include "scene/read_joints.h"
#include "scene/read_meshes.h"
#include "scene/read_parts.h"

namespace stickslip {

using document::Fields;
using document::Json;
using document::Place;

namespace {

Json stabilisation_json(const Stabilisation& stabilisation) {
  if (const auto* b = std::get_if<Baumgarte>(&stabilisation))
    return {{"method", "baumgarte"}, {"error_reduction", b->error_reduction}, {"compliance", b->compliance}};
  if (const auto* s = std::get_if<SpringDamper>(&stabilisation))
    return {{"method", "spring"}, {"stiffness", s->stiffness}, {"damping", s->damping}};
  return {{"method", "none"}};
}

Json penalty_json(const PenaltyOptions& p) {
  return {{"law", penalty_law_names()[static_cast<std::size_t>(p.law)]},
          {"friction", penalty_friction_names()[static_cast<std::size_t>(p.friction)]},
          {"stepping", penalty_stepping_names()[static_cast<std::size_t>(p.stepping)]},
          {"depth", p.depth},
          {"stiffness", p.stiffness},
          {"damping", p.damping},
          {"friction_damping", p.friction_damping},
          {"exponent", p.exponent},
          {"substeps", p.substeps}};
}

Json barrier_json(const BarrierOptions& b) {
  return {{"range", b.range},
          {"stiffness", b.stiffness},
          {"slip", b.slip},
          {"anchored", b.anchored},
          {"max_lags", b.max_lags},
          {"form", barrier_form_names()[static_cast<std::size_t>(b.form)]},
          {"method", minimise_method_names()[static_cast<std::size_t>(b.method)]}};
}

Json solver_json(const StepOptions& step) {
  Json solver = {{"name", step.solver}};
  for (const auto& [name, value] : step.solver_options) std::visit([&](const auto& v) { solver[name] = v; }, value);
  return solver;
}

/// Which slots are taken, and by whom: generations, 0 where there is nobody.
template <class Slots>
std::vector<std::uint32_t> taken(const Slots& slots) {
  std::vector<std::uint32_t> generations;
  generations.reserve(slots.size());
  for (const auto& slot : slots) generations.push_back(slot.alive ? slot.generation : 0);
  return generations;
}

/// Those who were not there before.
template <class Id, class Slots>
std::vector<Id> newcomers(const Slots& slots, const std::vector<std::uint32_t>& before) {
  std::vector<Id> ids;
  for (std::uint32_t i = 0; i < slots.size(); ++i)
    if (slots[i].alive && (i >= before.size() || before[i] != slots[i].generation)) ids.push_back({i, slots[i].generation});
  return ids;
}

}   // namespace

void read_step_options(std::string_view json_text, StepOptions& options) {
  const Json json = document::parse_json(json_text, "");
  StepOptions changed = options;
  if (json.is_object() && json.contains("solver")) changed.solver_options.clear();
  read(Place(json), changed);
  options = std::move(changed);
}

std::string write_step_options(const StepOptions& step) {
  const ProjectionOptions& projection = step.projection;
  const SleepOptions& sleep = step.sleep;
  const Json json = {
      {"integrator", step.integrator},
      {"h", step.h},
      {"scheme", scheme_name(step.scheme)},
      {"gyroscopic", gyroscopic_name(step.gyroscopic)},
      {"stabilisation", stabilisation_json(step.stabilisation)},
      {"projection",
       {{"enabled", projection.enabled},
        {"max_rounds", projection.max_rounds},
        {"iterations", projection.iterations},
        {"fraction", projection.fraction}}},
      {"sleep", {{"enabled", sleep.enabled}, {"time", sleep.time}, {"speed", sleep.speed}}},
      {"warm_start", step.warm_start},
      {"geometric_stiffness", step.geometric_stiffness},
      {"restitution_threshold", step.restitution_threshold},
      {"margin", step.margin},
      {"contact_band", step.contact_band},
      {"contact_elasticity", step.contact_elasticity},
      {"turning_contacts", step.turning_contacts},
      {"contact", document::kContactForms[static_cast<std::size_t>(step.contact)]},
      {"overlap", step.overlap},
      {"soft",
       {{"operator", soft_operator_names()[static_cast<std::size_t>(step.soft.operator_)]},
        {"solution", soft_solution_names()[static_cast<std::size_t>(step.soft.solution)]},
        {"max_linearisations", step.soft.max_linearisations},
        {"max_pieces", step.soft.max_pieces}}},
      {"barrier", barrier_json(step.barrier)},
      {"penalty", penalty_json(step.penalty)},
      {"solver", solver_json(step)},
      {"tolerance", step.tolerance},
      {"max_iterations", step.max_iterations},
      {"keep_history", step.keep_history},
      {"threads", step.threads},
  };
  return document::write_json(json);
}

AddedParts add_parts(World& world, std::string_view json_text, const std::filesystem::path& folder) {
  const Json json = document::parse_json(json_text, "");
  const Place place(json);
  const std::vector<std::uint32_t> bodies_before = taken(world.bodies()), joints_before = taken(world.joints());
  const MaterialTable materials_before = world.materials;
  AddedParts added;
  try {
    document::read_object(place, "what is added to a world", [&](Fields& fields) {
      read_materials(fields, world.materials, folder);
      document::SceneMeshes meshes(folder, added.warnings);
      meshes.read_list(fields);
      if (const auto bodies = fields.find("bodies")) {
        if (!bodies->value().is_array()) bodies->wrong_type("Give an array of bodies.");
        std::size_t index = 0;
        for (const Json& body : bodies->value())
          add_bodies(Place(body, *bodies, std::to_string(index++)), world, meshes, added.warnings);
      }
      read_joints(fields, world, added.warnings);
    });
  } catch (...) {
    for (const JointId id : newcomers<JointId>(world.joints(), joints_before)) world.remove(id);
    for (const BodyId id : newcomers<BodyId>(world.bodies(), bodies_before)) world.remove(id);
    world.materials = materials_before;
    throw;
  }
  added.bodies = newcomers<BodyId>(world.bodies(), bodies_before);
  added.joints = newcomers<JointId>(world.joints(), joints_before);
  return added;
}

}   // namespace stickslip
