#include "serve/messages.h"

#include <nlohmann/json.hpp>

#include "record/description.h"
#include "stickslip/solve/registry.h"

namespace stickslip::serve {

using Json = nlohmann::json;

namespace {

/// Names may hold bytes that are not UTF-8; viewers get a mark in their place.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}   // namespace

std::string scene_message(const Scene& scene, double quantum) {
  Json description = describe_scene(scene, quantum);
  Json names = Json::array();
  for (const SolverInfo& info : solvers()) names.push_back(info.name);
  description["solvers"] = std::move(names);
  Json scenes = Json::array();
  for (const BuiltInScene& built_in : built_in_scenes())
    scenes.push_back({{"name", built_in.name}, {"look_for", built_in.look_for}});
  description["scenes"] = std::move(scenes);
  return text_of({{"type", "scene"}, {"description", std::move(description)}});
}

std::string state_message(const State& s) {
  return text_of({{"type", "state"},
                  {"running", s.running},
                  {"speed", s.speed},
                  {"solver", s.solver},
                  {"h", s.h},
                  {"friction", s.friction ? Json(*s.friction) : Json()},
                  {"steps_per_second", s.steps_per_second},
                  {"viewers", s.viewers},
                  {"undo", s.undo},
                  {"redo", s.redo}});
}

std::string comparison_message(std::uint64_t step, const std::vector<ComparedSolver>& compared) {
  Json list = Json::array();
  for (const ComparedSolver& c : compared) {
    Json history = Json::array();
    for (const HistoryPoint& p : c.history) history.push_back({p.iteration, p.residual});
    list.push_back({{"name", c.name},
                    {"status", c.status},
                    {"iterations", c.iterations},
                    {"seconds", c.seconds},
                    {"residual", c.residual},
                    {"history", std::move(history)}});
  }
  return text_of({{"type", "comparison"}, {"step", step}, {"solvers", std::move(list)}});
}

std::string joint_message(const DriveJoint& d, int coordinate) {
  Json message = {{"type", "joint"}, {"name", d.name}, {"coordinate", joint_coordinate_name(coordinate)}};
  if (d.speed) message["speed"] = *d.speed;
  if (d.target) message["target"] = *d.target;
  if (d.effort) message["effort"] = *d.effort;
  if (d.lower) message["lower"] = *d.lower;
  if (d.upper) message["upper"] = *d.upper;
  return text_of(message);
}

std::string surroundings_message(const World& world) {
  Json list = Json::array(), pairs = Json::array();
  const MaterialTable& materials = world.materials;
  const auto entry = [](const auto& of) {
    Json json = {
        {"friction", of.friction}, {"restitution", of.restitution}, {"tangential_restitution", of.tangential_restitution}};
    if (of.law) json["law"] = of.law->name;
    return json;
  };
  for (std::uint32_t i = 0; i < materials.size(); ++i) {
    const Material& m = materials[MaterialId{i}];
    list.push_back(entry(m));
    list.back()["name"] = m.name;
  }
  for (const auto& [key, pair] : materials.pairs()) {
    pairs.push_back(entry(pair));
    pairs.back()["between"] = {materials[MaterialId{key.first}].name, materials[MaterialId{key.second}].name};
  }
  return text_of({{"type", "surroundings"},
                  {"gravity", {world.gravity.x(), world.gravity.y(), world.gravity.z()}},
                  {"materials", std::move(list)},
                  {"pairs", std::move(pairs)}});
}

std::string saved_message(const std::string& file, const std::string& text, const std::string& remark) {
  return text_of({{"type", "saved"}, {"file", file}, {"text", text}, {"remark", remark}});
}

std::string captured_message(const std::string& file) { return text_of({{"type", "captured"}, {"file", file}}); }

std::string error_message(std::string_view of, std::string_view message) {
  return text_of({{"type", "error"}, {"message", message}, {"of", of}});
}

}   // namespace stickslip::serve
