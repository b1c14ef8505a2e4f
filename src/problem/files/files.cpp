#include "stickslip/problem/files.h"

#include <fmt/format.h>

#include <cmath>
#include <new>
#include <stdexcept>

#include "problem/files/formats.h"
#include "store/memory_file.h"
#include "store/staged_file.h"

namespace stickslip {

namespace fs = std::filesystem;

namespace files {

UniformContacts uniform_contacts(const ContactProblem& p) {
  UniformContacts u;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    if (block.kind == BlockKind::bilateral) u.has_bilateral = true;
    if (block.kind == BlockKind::box) u.has_box = true;
    if (block.kind != BlockKind::contact) continue;
    const std::size_t law = block.dim > 1 ? p.laws[i].index() : 0;
    if (u.dim == 0) u.dim = block.dim, u.law = law;
    if (u.dim != block.dim || u.law != law) u.uniform = false;
  }
  return u;
}

FrictionSet usual_law(int dim) {
  return dim == 2 ? FrictionSet(PlanarFriction{}) : dim == 5 ? FrictionSet(RollingFriction{}) : CircularFriction{};
}

ProblemFile from_matrix(int dim, std::size_t contacts, std::size_t bilateral,
                        const std::vector<Eigen::Triplet<double>>& entries, std::vector<double> b) {
  std::vector<std::uint32_t> offset;
  for (std::size_t i = 0; i <= contacts; ++i) offset.push_back(static_cast<std::uint32_t>(dim * i));
  for (std::size_t i = 0; i < bilateral; ++i) offset.push_back(offset.back() + 1);
  ProblemFile file;
  file.problem = matrix_problem(block_matrix(std::move(offset), entries), BlockKind::contact, usual_law(dim));
  file.problem.b = std::move(b);
  for (std::size_t i = contacts; i < contacts + bilateral; ++i) file.problem.blocks[i].kind = BlockKind::bilateral;
  return file;
}

double checked_coefficient(double value, std::size_t contact) {
  if (!(std::isfinite(value) && value >= 0))
    throw Error(
        fmt::format("{} is not the friction coefficient of contact {}. It must be finite and at least 0.", value, contact));
  return value;
}

Error at_place(Error error, std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return error.at(path);
    error.at(path.substr(slash + 1));
    path = path.substr(0, slash);
  }
  return error;
}

namespace {

bool has_group(hid_t file, const char* name) { return H5Lexists(file, name, H5P_DEFAULT) > 0; }

ProblemFile read_hdf5(std::string_view bytes) {
  const h5::Quiet quiet;
  const h5::MemoryFile file(bytes);
  if (has_group(file.id(), "stickslip_problem")) return read_own(file.id());
  for (const char* root : {"fclib_local", "fclib_local_rolling"})
    if (has_group(file.id(), root)) return read_fclib_local(file.id(), root);
  for (const char* root : {"fclib_global", "fclib_global_rolling"})
    if (has_group(file.id(), root)) return read_fclib_global(file.id(), root);
  throw Error(
      "This HDF5 file holds no contact problem: none of the groups stickslip_problem, fclib_local and fclib_global (or these "
      "two with _rolling behind) is in it. `stickslip capture` saves the problem of a step.");
}

std::string written(const ProblemFile& file, std::string_view format) {
  if (format == "siconos") return write_siconos(file);
  const h5::Quiet quiet;
  const h5::MemoryFile memory;
  if (format == "fclib") write_fclib_local(memory.id(), file);
  else if (format == "fclib-global") write_fclib_global(memory.id(), file);
  else write_own(memory.id(), file);
  return memory.bytes();
}

void check_size(const std::vector<double>& values, std::size_t rows, const char* what) {
  if (!values.empty() && values.size() != rows)
    throw Error(fmt::format("The {} has {} numbers for a problem of {} rows.", what, values.size(), rows));
}

}   // namespace

}   // namespace files

const std::vector<std::string>& problem_formats() {
  static const std::vector<std::string> names = {"stickslip", "fclib", "fclib-global", "siconos"};
  return names;
}

ProblemFile load_problem(const fs::path& path) {
  try {
    const std::string bytes = read_bytes(path);
    if (bytes.empty()) throw Error("The file is empty.");
    if (bytes.starts_with("stickslip-checkpoint"))
      throw Error(
          "This is a checkpoint, not a contact problem. `stickslip capture FILE --step N` saves the problem of a step.");
    ProblemFile file = h5::has_signature(bytes) ? files::read_hdf5(bytes) : files::read_siconos(bytes);
    file.problem.finalize();
    return file;
  } catch (Error& error) {
    throw error.in(path.string());
  } catch (const std::bad_alloc&) {
    throw Error("The file asks for more memory than there is. It is damaged, or too large for this machine.").in(path.string());
  } catch (const std::length_error&) {
    throw Error("The file asks for more memory than there can be. It is damaged.").in(path.string());
  }
}

std::string cannot_save(const ContactProblem& problem, std::string_view format) {
  if (format == "stickslip") return {};
  if (format == "fclib") return files::fclib_cannot(problem);
  if (format == "fclib-global") return files::fclib_global_cannot(problem);
  if (format == "siconos") return files::siconos_cannot(problem);
  throw Error(fmt::format("There is no problem format '{}'. {}", format, suggest(format, problem_formats())));
}

std::string default_format(const fs::path& path, const ContactProblem& problem) {
  if (path.extension() == ".dat" || path.extension() == ".txt") return "siconos";
  return files::fclib_cannot(problem).empty() ? "fclib" : "stickslip";
}

void save_problem(const fs::path& path, const ProblemFile& file, std::string_view format) {
  try {
    const std::string chosen = format.empty() ? default_format(path, file.problem) : std::string(format);
    if (const std::string reason = cannot_save(file.problem, chosen); !reason.empty())
      throw Error(fmt::format("The format {} cannot hold this problem: {}", chosen, reason));
    files::check_size(file.guess, file.problem.rows(), "guess");
    files::check_size(file.solution, file.problem.rows(), "solution");
    StagedFile staged(path);
    write_bytes(staged.path(), files::written(file, chosen));
    staged.commit();
  } catch (Error& error) {
    throw error.in(path.string());
  }
}

}   // namespace stickslip
