#include "stickslip/solve/registry.h"

#include <fmt/format.h>

#include <cmath>

#include "stickslip/math/error.h"
#include "stickslip/solve/prox/prox_gauss_seidel.h"
#include "stickslip/solve/splitting/projected_sor.h"

namespace stickslip {

namespace {

/// Lists the options of a solver with their defaults, from the one place that names them: Options::visit.
struct Lister {
  std::vector<OptionInfo>& list;
  template <class T>
  void operator()(const char* name, T& value, const char* help) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) list.push_back({name, static_cast<double>(value), help});
    else list.push_back({name, value, help});
  }
};

/// Sets one named option.
struct Setter {
  const std::string& wanted;
  const OptionValue& given;
  bool found = false;
  std::vector<std::string> names;

  template <class T>
  void operator()(const char* name, T& value, const char* help) {
    names.push_back(name);
    if (wanted != name) return;
    found = true;
    if constexpr (std::is_same_v<T, bool>) {
      if (const auto* b = std::get_if<bool>(&given)) value = *b;
      else fail(name, "true or false", help);
    } else if constexpr (std::is_arithmetic_v<T>) {
      const auto* number = std::get_if<double>(&given);
      if (number == nullptr || (std::is_integral_v<T> && *number != std::floor(*number)))
        fail(name, std::is_integral_v<T> ? "a whole number" : "a number", help);
      value = static_cast<T>(*number);
    } else {
      if (const auto* s = std::get_if<std::string>(&given)) value = *s;
      else fail(name, "a string", help);
    }
  }

  [[noreturn]] static void fail(const char* name, const char* type, const char* help) {
    throw Error(fmt::format("This must be {} ({}).", type, help)).at(name);
  }
};

struct Entry {
  SolverInfo info;
  std::unique_ptr<ContactSolver> (*make)(const OptionList&);
};

template <class Solver>
std::unique_ptr<ContactSolver> make(const OptionList& list) {
  typename Solver::Options options;
  for (const auto& [name, value] : list) {
    Setter setter{name, value, false, {}};
    options.visit(setter);
    if (!setter.found) throw Error(fmt::format("There is no option '{}'. {}", name, suggest(name, setter.names))).at(name);
  }
  return std::make_unique<Solver>(options);
}

template <class Solver>
Entry entry(SolverInfo info) {
  typename Solver::Options defaults;
  defaults.visit(Lister{info.options});
  return {std::move(info), &make<Solver>};
}

/// The table: a new solver is one line here and one file beside its family.
const std::vector<Entry>& table() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> t;
    t.push_back(entry<ProxGaussSeidel>({"prox-gs", "exact Coulomb cone (proximal)", "proximal", "prox §4, Alg. 2; course §3.4",
                                        "The default: exact circular cone, robust on redundant contacts, linear convergence.", {}}));
    t.push_back(entry<ProjectedSor>({"pgs", "boxed LCP", "splitting", "course §3.2.1, §1.7",
                                     "The games classic: cheap sweeps, friction up to √2 too strong along the diagonal.", {}}));
    return t;
  }();
  return entries;
}

}  // namespace

const std::vector<SolverInfo>& solvers() {
  static const std::vector<SolverInfo> infos = [] {
    std::vector<SolverInfo> list;
    for (const Entry& e : table()) list.push_back(e.info);
    return list;
  }();
  return infos;
}

std::unique_ptr<ContactSolver> make_solver(std::string_view name, const OptionList& options) {
  std::vector<std::string> names;
  for (const Entry& e : table()) {
    if (e.info.name == name) return e.make(options);
    names.push_back(e.info.name);
  }
  throw Error(fmt::format("There is no solver '{}'. {}", name, suggest(name, names)));
}

}  // namespace stickslip
