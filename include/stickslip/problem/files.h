// Contact problems as files: those that other projects publish, and our own.
//
//   name           what it holds                                                        file
//   stickslip      everything a ContactProblem is, to the bit, with guess and solution   HDF5, /stickslip_problem
//   fclib          W, q, μ and bilateral rows, with solution and guess                   HDF5, /fclib_local
//   fclib-global   M, H, f, w, μ and bilateral rows, with solution and guess             HDF5, /fclib_global
//   siconos        friction problems in space, in the plane, with rolling; LCP           text
//
// The layouts stand in docs/problem-files.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

struct ProblemFile {
  ContactProblem problem;                  ///< finalized
  std::vector<double> guess;               ///< impulses a solver started from [N s]; empty if none
  std::vector<double> solution;            ///< impulses found [N s]; empty if none
  std::vector<double> solution_velocity;   ///< of the contact rows, as an FCLIB file stores it [m/s]; empty if none
  std::string title, description;
  std::string format;   ///< the one it was read from
};

/// The names of all formats.
const std::vector<std::string>& problem_formats();

/// Reads a file of any format, which its content tells. A global problem M v = H r + f, u = Hᵀ v + w becomes
/// W = Hᵀ M⁻¹ H and b = w + Hᵀ M⁻¹ f. Published FCLIB files may store the velocities of a solution with zeros for its
/// impulses: then `solution` is empty.
/// @throws Error naming the file, the line or dataset, the value and what would be valid.
ProblemFile load_problem(const std::filesystem::path& path);

/// Why a format cannot hold the problem, in one sentence; empty if it can.
/// @throws Error if there is no such format.
std::string cannot_save(const ContactProblem&, std::string_view format);

/// The format that a file is saved in unless told otherwise: siconos for names that end in .dat or .txt; else fclib if that
/// can hold the problem, and stickslip if not.
std::string default_format(const std::filesystem::path& path, const ContactProblem&);

/// Saves a finalized problem; an older file is replaced only when the new one is complete. An empty format is the default.
/// `fclib` and `siconos` hold W itself with Σ inside; `siconos` holds neither guess nor solution.
/// @throws Error if the format cannot hold the problem, a size does not fit, or the file cannot be written.
void save_problem(const std::filesystem::path& path, const ProblemFile&, std::string_view format = {});

}   // namespace stickslip
