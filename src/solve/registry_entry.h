// How a solver gets into the table: one line in the table of its family.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "stickslip/math/error.h"
#include "stickslip/solve/registry.h"

namespace stickslip {

/// Lists the options of a solver with their defaults, from the one place that names them: Options::visit.
struct OptionLister {
  std::vector<OptionInfo>& list;
  template <class T>
  [[gnu::noinline]] void operator()(const char* name, T& value, const char* help) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) list.push_back({name, static_cast<double>(value), help});
    else list.push_back({name, value, help});
  }
};

/// Sets one named option.
struct OptionSetter {
  const std::string& wanted;
  const OptionValue& given;
  bool found = false;
  std::vector<std::string> names;

  template <class T>
  [[gnu::noinline]] void operator()(const char* name, T& value, const char* help) {
    names.emplace_back(name);
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

/// What only the table says of a solver: see SolverInfo.
struct SolverText {
  const char *family, *needs, *paper, *advice;
};

/// An option by which a solver solves another model than by default.
struct ModelSetting {
  const char *option, *value;
};

/// A line of the table. The model is asked of solvers once all are known: some are made of others.
struct SolverEntry {
  SolverInfo info;
  std::unique_ptr<ContactSolver> (*make)(const OptionList&);
  std::vector<ModelSetting> other_models;
};
using SolverTable = std::vector<SolverEntry>;

template <class Solver>
std::unique_ptr<ContactSolver> make_from_options(const OptionList& list) {
  typename Solver::Options options;
  for (const auto& [name, value] : list) {
    OptionSetter setter{name, value, false, {}};
    options.visit(setter);
    if (!setter.found) throw Error(fmt::format("There is no option '{}'. {}", name, suggest(name, setter.names))).at(name);
  }
  return std::make_unique<Solver>(options);
}

/// Adds a solver, under its own name.
template <class Solver>
void add_solver(SolverTable& table, const SolverText& text, std::vector<ModelSetting> other_models = {}) {
  typename Solver::Options defaults;
  SolverInfo info{std::string(Solver(defaults).name()), "", text.family, text.needs, text.paper, text.advice, {}};
  defaults.visit(OptionLister{info.options});
  table.push_back({std::move(info), &make_from_options<Solver>, std::move(other_models)});
}

// The families, each with its own table in src/solve/<family>/table.cpp.
void add_automatic_solvers(SolverTable&);
void add_exact_solvers(SolverTable&);
void add_proximal_solvers(SolverTable&);
void add_splitting_solvers(SolverTable&);
void add_accelerated_solvers(SolverTable&);
void add_newton_solvers(SolverTable&);
void add_cone_solvers(SolverTable&);
void add_pivoting_solvers(SolverTable&);

}   // namespace stickslip
