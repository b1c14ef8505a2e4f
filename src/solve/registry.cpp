#include "stickslip/solve/registry.h"

#include <deque>
#include <mutex>

#include "solve/registry_entry.h"
#include "stickslip/solve/add_solver.h"

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

/// As in "exact (shift=none: convex)".
std::string models_of(const SolverEntry& entry) {
  std::vector<std::string> others;
  for (const auto& [option, value] : entry.other_models)
    others.push_back(fmt::format("{}={}: {}", option, value, model_name(entry.make({{option, std::string(value)}})->model())));
  const std::string_view usual = model_name(entry.make({})->model());
  return others.empty() ? std::string(usual) : fmt::format("{} ({})", usual, fmt::join(others, ", "));
}

struct AddedSolver {
  SolverInfo info;
  SolverMaker make;
};

/// What programs have added. Lists that were handed out stay as they are.
struct AddedSolvers {
  std::mutex lock;
  std::deque<AddedSolver> entries;
  std::deque<std::vector<SolverInfo>> lists;   ///< of all solvers; the last is the one in force

  AddedSolvers() {
    std::vector<SolverInfo>& list = lists.emplace_back();
    for (const SolverEntry& e : table()) {
      list.push_back(e.info);
      list.back().model = models_of(e);
    }
  }
};

AddedSolvers& added_solvers() {
  static AddedSolvers added;
  return added;
}

/// Null if there is none. Entries never move or change.
const AddedSolver* find_added(std::string_view name) {
  AddedSolvers& added = added_solvers();
  const std::lock_guard guard(added.lock);
  const auto at = std::ranges::find_if(added.entries, [&](const AddedSolver& s) { return s.info.name == name; });
  return at == added.entries.end() ? nullptr : &*at;
}

}   // namespace

const std::vector<SolverInfo>& solvers() {
  AddedSolvers& added = added_solvers();
  const std::lock_guard guard(added.lock);
  return added.lists.back();
}

void add_solver(SolverInfo info, SolverMaker make) {
  if (info.name.empty()) throw Error("A solver needs a name.");
  if (!make) throw Error(fmt::format("Solver '{}' cannot be made: its function is missing.", info.name));
  info.model = model_name(make({})->model());
  AddedSolvers& added = added_solvers();
  const std::lock_guard guard(added.lock);
  std::vector<SolverInfo> list = added.lists.back();
  for (const SolverInfo& known : list)
    if (known.name == info.name) throw Error(fmt::format("There is a solver '{}' already.", info.name));
  list.push_back(info);
  added.lists.push_back(std::move(list));
  added.entries.push_back({std::move(info), std::move(make)});
}

std::unique_ptr<ContactSolver> make_solver(std::string_view name, const OptionList& options) {
  for (const SolverEntry& e : table())
    if (e.info.name == name) return e.make(options);
  if (const AddedSolver* added = find_added(name)) return added->make(options);
  std::vector<std::string> names;
  for (const SolverInfo& info : solvers()) names.push_back(info.name);
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
