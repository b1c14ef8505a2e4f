#include "stickslip/solve/registry.h"

#include "solve/registry_entry.h"

namespace stickslip {

namespace {

const SolverTable& table() {
  static const SolverTable entries = [] {
    SolverTable t;
    add_automatic_solvers(t);
    add_exact_solvers(t);
    add_proximal_solvers(t);
    add_splitting_solvers(t);
    add_accelerated_solvers(t);
    add_newton_solvers(t);
    add_cone_solvers(t);
    add_pivoting_solvers(t);
    return t;
  }();
  return entries;
}

}   // namespace

namespace {

/// As in "exact (shift=none: convex)".
std::string models_of(const SolverEntry& entry) {
  std::vector<std::string> others;
  for (const auto& [option, value] : entry.other_models)
    others.push_back(fmt::format("{}={}: {}", option, value, model_name(entry.make({{option, std::string(value)}})->model())));
  const std::string_view usual = model_name(entry.make({})->model());
  return others.empty() ? std::string(usual) : fmt::format("{} ({})", usual, fmt::join(others, ", "));
}

}   // namespace

const std::vector<SolverInfo>& solvers() {
  static const std::vector<SolverInfo> infos = [] {
    std::vector<SolverInfo> list;
    for (const SolverEntry& e : table()) {
      list.push_back(e.info);
      list.back().model = models_of(e);
    }
    return list;
  }();
  return infos;
}

std::unique_ptr<ContactSolver> make_solver(std::string_view name, const OptionList& options) {
  std::vector<std::string> names;
  for (const SolverEntry& e : table()) {
    if (e.info.name == name) return e.make(options);
    names.push_back(e.info.name);
  }
  throw Error(fmt::format("There is no solver '{}'. {}", name, suggest(name, names)));
}

std::vector<std::string> solvers_that_honour(const FrictionSet& law) {
  std::vector<std::string> names;
  for (const SolverInfo& info : solvers())
    if (make_solver(info.name)->cannot_take(law).empty()) names.push_back(info.name);
  return names;
}

std::vector<std::string> solvers_that_hold(BlockKind kind) {
  std::vector<std::string> names;
  for (const SolverInfo& info : solvers())
    if (make_solver(info.name)->cannot_hold(kind).empty()) names.push_back(info.name);
  return names;
}

}   // namespace stickslip
