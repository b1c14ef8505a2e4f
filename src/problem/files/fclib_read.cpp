// FCLIB: the frictional contact library's HDF5 files [Acary, Brémond, Koziara, Pérignon 2014].
//
//   local:   u = W r + V l + q,  0 = Vᵀ r + R l + s
//   global:  M v = H r + G l + f,  u = Hᵀ v + w,  0 = Gᵀ v + b
//
// with Coulomb's law between r and u, normal first. V, R, s and G, b are optional; l are the multipliers of bilateral rows.
// Groups whose name ends in _rolling have two rolling rows more in every contact, and a second coefficient of friction, mu_r.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/sparse_lu.h"
#include "problem/files/fclib_matrix.h"

namespace stickslip::files {

namespace {

constexpr int kRollingRows = 5;

bool is_rolling(std::string_view root) { return root.ends_with("_rolling"); }

void check_shape(const std::string& path, const FclibMatrix& a, std::size_t rows, std::size_t columns) {
  if (a.rows != rows || a.columns != columns)
    fail_at(path, fmt::format("The matrix is {} × {}, and it must be {} × {}.", a.rows, a.columns, rows, columns));
}

/// Rows of a contact. With rolling there are five, and both that and the dimension of space are found in files.
int read_dimension(hid_t file, const std::string& root) {
  const int dimension = read_integer(file, root + "/spacedim");
  if (is_rolling(root)) {
    if (dimension != 3 && dimension != kRollingRows)
      fail_at(root + "/spacedim", fmt::format("{} is not a dimension of contacts that roll. It must be 5 or 3.", dimension));
    return kRollingRows;
  }
  if (dimension != 2 && dimension != 3)
    fail_at(root + "/spacedim", fmt::format("{} is not a dimension of space. It must be 2 or 3.", dimension));
  return dimension;
}

std::size_t contacts_of(const std::string& path, std::size_t rows, int dimension) {
  if (rows % static_cast<std::size_t>(dimension) != 0)
    fail_at(path, fmt::format("{} rows do not make contacts of {} rows.", rows, dimension));
  return rows / static_cast<std::size_t>(dimension);
}

std::vector<double> read_coefficients(hid_t file, const std::string& path, std::size_t contacts) {
  std::vector<double> values = read_vector(file, path, contacts);
  try {
    for (std::size_t i = 0; i < contacts; ++i) checked_coefficient(values[i], i);
  } catch (const Error& error) {
    throw at_place(error, path);
  }
  return values;
}

void read_friction(hid_t file, const std::string& root, int dimension, std::size_t contacts, ContactProblem& p) {
  const std::vector<double> mu = read_coefficients(file, root + "/vectors/mu", contacts),
                            rolling = is_rolling(root) ? read_coefficients(file, root + "/vectors/mu_r", contacts)
                                                       : std::vector<double>(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    if (dimension == 2) p.laws[i] = PlanarFriction{mu[i]};
    else if (dimension == kRollingRows) p.laws[i] = RollingFriction{mu[i], rolling[i]};
    else p.laws[i] = CircularFriction{mu[i]};
  }
}

/// r and, where there are bilateral rows, l of a solution or guess; empty if there is none.
std::vector<double> read_impulses(hid_t file, const std::string& path, std::size_t contact_rows, std::size_t bilateral) {
  if (!h5::exists(file, path + "/r")) return {};
  std::vector<double> impulses = read_vector(file, path + "/r", contact_rows);
  if (bilateral > 0) {
    if (!h5::exists(file, path + "/l")) return {};
    const std::vector<double> l = read_vector(file, path + "/l", bilateral);
    impulses.insert(impulses.end(), l.begin(), l.end());
  }
  return impulses;
}

/// Whether all impulses of the solution are 0 although its velocities are not those without impulses.
bool velocities_without_impulses(const ProblemFile& file) {
  if (file.solution_velocity.empty() ||
      std::any_of(file.solution.begin(), file.solution.end(), [](double r) { return r != 0; }))
    return false;
  double largest = 0, difference = 0;
  for (std::size_t k = 0; k < file.solution_velocity.size(); ++k) {
    largest = std::max(largest, std::abs(file.problem.b[k]));
    difference = std::max(difference, std::abs(file.problem.b[k] - file.solution_velocity[k]));
  }
  return difference > 1e-6 * largest;
}

void read_texts_and_impulses(hid_t h, const std::string& root, std::size_t contact_rows, std::size_t bilateral,
                             ProblemFile& file) {
  const auto text = [&](const char* name) {
    const std::string path = root + "/info/" + name;
    try {
      return h5::exists(h, path) ? h5::read_text(h, path) : std::string();
    } catch (const Error& error) {
      throw at_place(error, path);
    }
  };
  file.title = text("title");
  file.description = text("description");
  file.solution = read_impulses(h, "solution", contact_rows, bilateral);
  file.guess = read_impulses(h, "guesses/1", contact_rows, bilateral);
  if (h5::exists(h, "solution/u")) file.solution_velocity = read_vector(h, "solution/u", contact_rows);
  if (velocities_without_impulses(file)) file.solution.clear();
}

void append(Entries& to, const Entries& from, int row, int column, bool transposed = false) {
  for (const auto& t : from)
    to.emplace_back(row + (transposed ? t.col() : t.row()), column + (transposed ? t.row() : t.col()), t.value());
}

}   // namespace

ProblemFile read_fclib_local(hid_t h, const std::string& root) {
  const int dimension = read_dimension(h, root);
  FclibMatrix w = read_matrix(h, root + "/W");
  check_shape(root + "/W", w, w.rows, w.rows);
  const std::size_t contacts = contacts_of(root + "/W", w.rows, dimension);
  std::vector<double> b = read_vector(h, root + "/vectors/q", w.rows);
  std::size_t bilateral = 0;
  const int rows = static_cast<int>(w.rows);
  if (h5::exists(h, root + "/V")) {
    const FclibMatrix v = read_matrix(h, root + "/V");
    bilateral = v.columns;
    check_shape(root + "/V", v, w.rows, bilateral);
    append(w.entries, v.entries, 0, rows);
    append(w.entries, v.entries, rows, 0, true);
    if (h5::exists(h, root + "/R")) {
      const FclibMatrix r = read_matrix(h, root + "/R");
      check_shape(root + "/R", r, bilateral, bilateral);
      append(w.entries, r.entries, rows, rows);
    }
    const std::vector<double> s = read_vector(h, root + "/vectors/s", bilateral);
    b.insert(b.end(), s.begin(), s.end());
  }
  ProblemFile file = from_matrix(dimension, contacts, bilateral, w.entries, std::move(b));
  read_friction(h, root, dimension, contacts, file.problem);
  read_texts_and_impulses(h, root, w.rows, bilateral, file);
  file.format = "fclib";
  return file;
}

ProblemFile read_fclib_global(hid_t h, const std::string& root) {
  const int dimension = read_dimension(h, root);
  const FclibMatrix m = read_matrix(h, root + "/M");
  check_shape(root + "/M", m, m.rows, m.rows);
  FclibMatrix jacobian = read_matrix(h, root + "/H");   // H, then G beside it
  check_shape(root + "/H", jacobian, m.rows, jacobian.columns);
  const std::size_t contact_rows = jacobian.columns, contacts = contacts_of(root + "/H", contact_rows, dimension);
  const std::vector<double> f = read_vector(h, root + "/vectors/f", m.rows);
  std::vector<double> b = read_vector(h, root + "/vectors/w", contact_rows);
  std::size_t bilateral = 0;
  if (h5::exists(h, root + "/G")) {
    const FclibMatrix g = read_matrix(h, root + "/G");
    bilateral = g.columns;
    check_shape(root + "/G", g, m.rows, bilateral);
    append(jacobian.entries, g.entries, 0, static_cast<int>(contact_rows));
    const std::vector<double> offset = read_vector(h, root + "/vectors/b", bilateral);
    b.insert(b.end(), offset.begin(), offset.end());
  }
  ProblemFile file;
  try {
    file = from_global(dimension, contacts, bilateral, m.entries, jacobian.entries, f, std::move(b));
  } catch (const Error& error) {
    throw at_place(error, root + "/M");
  }
  read_friction(h, root, dimension, contacts, file.problem);
  read_texts_and_impulses(h, root, contact_rows, bilateral, file);
  file.format = "fclib-global";
  return file;
}

}   // namespace stickslip::files
