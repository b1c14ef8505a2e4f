// What `stickslip solve` tells: tables for people, JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "stickslip/problem/files.h"
#include "stickslip/solve/registry.h"

namespace stickslip::cli {

/// One solver on one problem.
struct SolveResult {
  std::string problem;   ///< name of the file
  std::size_t contacts = 0;
  std::string solver, model;   ///< model that it solves with its options
  SolveReport report;
  double rounding = 0;    ///< that rounding alone may leave of the residual (problem/accuracy.h) [m/s]
  double tolerance = 0;   ///< that was asked for [m/s]
};

/// Name and size of the largest part of a residual.
std::string_view largest_part(const Residual&);

/// The results of one problem: converged ones by time, the others by residual, those that cannot at the end.
void sort_results(std::vector<SolveResult>&);

nlohmann::ordered_json to_json(const SolveResult&);

/// One line per solver (or per problem), reasons and stories below. @param history also show the residual on the way
std::string table_of(const std::vector<SolveResult>&, bool by_problem, bool history);

/// How many problems each solver solved, best first.
std::string scores_of(const std::vector<SolveResult>&);

}   // namespace stickslip::cli
