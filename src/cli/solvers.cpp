// stickslip solvers
#include <algorithm>
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

void print_json(const std::vector<const SolverInfo*>& solvers) {
  Json list = Json::array();
  for (const SolverInfo* solver : solvers) {
    Json options = Json::array();
    for (const OptionInfo& o : solver->options)
      options.push_back({{"name", o.name}, {"default", to_json(o.default_value)}, {"help", o.help}});
    list.push_back({{"name", solver->name},
                    {"model", solver->model},
                    {"family", solver->family},
                    {"needs", solver->needs},
                    {"paper", solver->paper},
                    {"advice", solver->advice},
                    {"options", options}});
  }
  fmt::print("{}\n", Json{{"solvers", list}}.dump(2));
}

std::string value_text(const OptionValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);   // 1.0 as 1
}

void print_options(const SolverInfo& solver) {
  for (const OptionInfo& o : solver.options)
    fmt::print("{:6}{:<28} {}\n", "", fmt::format("{}={}", o.name, value_text(o.default_value)), wrapped(o.help, 35));
}

void print_text(const std::vector<const SolverInfo*>& list, bool options) {
  std::size_t width = 0;
  for (const SolverInfo* solver : list) width = std::max(width, solver->name.size());
  const std::size_t indent = width + 4;
  std::string_view family;
  for (const SolverInfo* solver : list) {
    if (solver->family != family) fmt::print("{}{}\n", family.empty() ? "" : "\n", solver->family);
    family = solver->family;
    fmt::print("  {:<{}}  {}\n", solver->name, width, wrapped(solver->advice, indent));
    fmt::print("  {:<{}}  {}\n", "", width,
               wrapped(fmt::format("model: {}. needs: {}. paper: {}.", solver->model, solver->needs, solver->paper), indent));
    if (options) print_options(*solver);
  }
  fmt::print("\n{}\n",
             options
                 ? "`stickslip solve FILE --solver NAME --option name=value`, `stickslip run SCENE --solver NAME --set "
                   "/step/solver/name=value`"
                 : "`stickslip solvers NAME` or --options shows the options; `stickslip solve FILE --solver all` compares.");
}

/// All solvers, or the named ones, in the order of the table.
std::vector<const SolverInfo*> chosen(const std::vector<std::string>& names) {
  for (const std::string& name : names) make_solver(name);   // names an unknown one
  std::vector<const SolverInfo*> list;
  for (const SolverInfo& solver : solvers())
    if (names.empty() || std::find(names.begin(), names.end(), solver.name) != names.end()) list.push_back(&solver);
  return list;
}

}   // namespace

void add_solvers(CLI::App& app) {
  CLI::App* command = app.add_subcommand("solvers", "List the contact solvers, when to use which, and their options");
  struct Arguments {
    std::vector<std::string> names;
    bool json = false, options = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("name", arguments->names, "Only these, with their options");
  command->add_flag("--options", arguments->options, "Show the options of every solver");
  command->add_flag("--json", arguments->json, "Print one JSON document: {\"solvers\": […]}");
  command->callback([arguments] {
    const std::vector<const SolverInfo*> list = chosen(arguments->names);
    arguments->json ? print_json(list) : print_text(list, arguments->options || !arguments->names.empty());
  });
}

}   // namespace stickslip::cli
