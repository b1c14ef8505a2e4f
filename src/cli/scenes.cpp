// stickslip scenes
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"

namespace stickslip::cli {

namespace {

void print_json(const std::vector<const BuiltInScene*>& scenes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BuiltInScene* scene : scenes) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const auto& p : scene->parameters)
      parameters.push_back({{"name", p.name}, {"default", p.default_value}, {"help", p.help}});
    list.push_back({{"name", scene->name}, {"look_for", scene->look_for}, {"parameters", parameters}});
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"scenes", list}}.dump(2));
}

void print_text(const std::vector<const BuiltInScene*>& scenes) {
  for (const BuiltInScene* scene : scenes) {
    fmt::print("{}\n    {}\n", scene->name, wrapped(scene->look_for, 4));
    for (const auto& p : scene->parameters)
      fmt::print("      {:<34} {}\n", fmt::format("--set /parameters/{}={}", p.name, p.default_value), wrapped(p.help, 41));
  }
}

/// All scenes, or the named ones as they are named.
std::vector<const BuiltInScene*> chosen_scenes(const std::vector<std::string>& names) {
  std::vector<const BuiltInScene*> list;
  for (const std::string& name : names) list.push_back(&built_in_scene(name));
  if (names.empty())
    for (const BuiltInScene& scene : built_in_scenes()) list.push_back(&scene);
  return list;
}

}   // namespace

void add_scenes(CLI::App& app) {
  CLI::App* command = app.add_subcommand("scenes", "List the built-in scenes, what to look for in them, and their parameters");
  struct Arguments {
    std::vector<std::string> names;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("name", arguments->names, "Only these");
  command->add_flag("--json", arguments->json, "Print one JSON document: {\"scenes\": […]}");
  command->callback([arguments] {
    const std::vector<const BuiltInScene*> scenes = chosen_scenes(arguments->names);
    arguments->json ? print_json(scenes) : print_text(scenes);
  });
}

}   // namespace stickslip::cli
