// stickslip scenes
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"

namespace stickslip::cli {

namespace {

void print_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BuiltInScene& scene : built_in_scenes()) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const auto& p : scene.parameters)
      parameters.push_back({{"name", p.name}, {"default", p.default_value}, {"help", p.help}});
    list.push_back({{"name", scene.name}, {"look_for", scene.look_for}, {"parameters", parameters}});
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"scenes", list}}.dump(2));
}

void print_text() {
  for (const BuiltInScene& scene : built_in_scenes()) {
    fmt::print("{}\n    {}\n", scene.name, wrapped(scene.look_for, 4));
    for (const auto& p : scene.parameters)
      fmt::print("      {:<34} {}\n", fmt::format("--set /parameters/{}={}", p.name, p.default_value), wrapped(p.help, 41));
  }
}

}   // namespace

void add_scenes(CLI::App& app) {
  CLI::App* command = app.add_subcommand("scenes", "List the built-in scenes, what to look for in them, and their parameters");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON document: {\"scenes\": […]}");
  command->callback([json] { *json ? print_json() : print_text(); });
}

}   // namespace stickslip::cli
