// The formats of problem files, one source each. Errors name the place inside the file; the caller adds the file.
#pragma once

#include <string>
#include <string_view>

#include "stickslip/problem/files.h"
#include "store/hdf5.h"

namespace stickslip::files {

// Siconos text.
ProblemFile read_siconos(std::string_view text);
std::string write_siconos(const ProblemFile&);
std::string siconos_cannot(const ContactProblem&);

// FCLIB, local and global. @param root the group of the problem: its kind, with _rolling behind it if contacts roll
ProblemFile read_fclib_local(hid_t file, const std::string& root);
ProblemFile read_fclib_global(hid_t file, const std::string& root);
void write_fclib_local(hid_t file, const ProblemFile&);
void write_fclib_global(hid_t file, const ProblemFile&);
std::string fclib_cannot(const ContactProblem&);
std::string fclib_global_cannot(const ContactProblem&);

// Our own.
ProblemFile read_own(hid_t file);
void write_own(hid_t file, const ProblemFile&);

/// What all contacts have in common, if the problem consists of such contacts and bilateral blocks only.
struct UniformContacts {
  int dim = 0;           ///< rows per contact; 0 if there is none
  std::size_t law = 0;   ///< index of the alternative in FrictionSet
  bool uniform = true;
  bool has_bilateral = false, has_box = false;
};
UniformContacts uniform_contacts(const ContactProblem&);

/// The law, without its numbers, of contacts with so many rows.
FrictionSet usual_law(int dim);

/// A problem of `contacts` equal contacts, then `bilateral` single rows, from the numbers of W.
ProblemFile from_matrix(int dim, std::size_t contacts, std::size_t bilateral,
                        const std::vector<Eigen::Triplet<double>>& entries, std::vector<double> b);

/// M v = H r + f, u = Hᵀ v + b: a problem of contacts and bilateral rows from the numbers of M and H (size × rows of b), scaled
/// if M is that of rigid bodies or diagonal, coupled if it is another symmetric positive definite matrix, else with W
/// multiplied out. @throws Error if M is singular
ProblemFile from_global(int dim, std::size_t contacts, std::size_t bilateral, const std::vector<Eigen::Triplet<double>>& mass,
                        const std::vector<Eigen::Triplet<double>>& jacobian, const std::vector<double>& f,
                        std::vector<double> b);

/// @throws Error unless a coefficient is finite and at least 0.
double checked_coefficient(double value, std::size_t contact);

/// Places an error at a dataset: "a/b" becomes /a/b.
Error at_place(Error error, std::string_view path);
[[noreturn]] inline void fail_at(std::string_view path, const std::string& message) { throw at_place(Error(message), path); }

}   // namespace stickslip::files
