// stickslip solvers
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "stickslip/solve/registry.h"

namespace stickslip::cli {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const OptionValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

void print_json() {
  Json list = Json::array();
  for (const SolverInfo& solver : solvers()) {
    Json options = Json::array();
    for (const OptionInfo& o : solver.options)
      options.push_back({{"name", o.name}, {"default", to_json(o.default_value)}, {"help", o.help}});
    list.push_back({{"name", solver.name},
                    {"model", solver.model},
                    {"family", solver.family},
                    {"needs", solver.needs},
                    {"paper", solver.paper},
                    {"advice", solver.advice},
                    {"options", options}});
  }
  fmt::print("{}\n", Json{{"solvers", list}}.dump(2));
}

void print_text() {
  for (const SolverInfo& solver : solvers()) {
    fmt::print("{}\n    {}\n    family: {}; model: {}; {}\n    needs: {}\n", solver.name, wrapped(solver.advice, 4), solver.family,
               solver.model, solver.paper, wrapped(solver.needs, 11));
    for (const OptionInfo& o : solver.options)
      fmt::print("      {:<34} {}\n", fmt::format("--set /step/solver/{}={}", o.name, to_json(o.default_value).dump()),
                 wrapped(o.help, 41));
  }
}

}  // namespace

void add_solvers(CLI::App& app) {
  CLI::App* command = app.add_subcommand("solvers", "List the contact solvers, when to use which, and their options");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON document: {\"solvers\": […]}");
  command->callback([json] { *json ? print_json() : print_text(); });
}

}  // namespace stickslip::cli
