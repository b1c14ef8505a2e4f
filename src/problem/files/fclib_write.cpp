// Writes FCLIB files; the equations stand in fclib_read.cpp.
#include <fmt/format.h>

#include <cmath>

#include "problem/files/fclib_matrix.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip::files {

namespace {

constexpr int kRollingDimension = 5;   ///< rows of a contact that slides and rolls

/// Where the rows of a problem go: contact rows first, bilateral rows after them, each in order.
struct RowOrder {
  std::vector<std::uint32_t> contact, bilateral;
  std::vector<std::uint32_t> place;   ///< per row: its number among its kind
  std::vector<bool> is_contact;

  explicit RowOrder(const ContactProblem& p) : place(p.rows()), is_contact(p.rows()) {
    for (const Block& block : p.blocks)
      for (std::uint32_t row = block.row; row < block.row + block.dim; ++row) {
        is_contact[row] = block.kind == BlockKind::contact;
        auto& list = is_contact[row] ? contact : bilateral;
        place[row] = static_cast<std::uint32_t>(list.size());
        list.push_back(row);
      }
  }
  std::vector<double> gather(std::span<const double> values, const std::vector<std::uint32_t>& rows) const {
    std::vector<double> result;
    for (const std::uint32_t row : rows) result.push_back(values[row]);
    return result;
  }
};

template <class F>
void for_each_number(const BlockMatrix& w, F&& f) {
  for (std::size_t i = 0; i < w.blocks(); ++i)
    for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) {
      const auto block = w.entry(i, e);
      for (int r = 0; r < block.rows(); ++r)
        for (int c = 0; c < block.cols(); ++c) f(w.offset[i] + r, w.offset[w.column[e]] + c, block(r, c));
    }
}

/// FCLIB stores the coupling V of contact and bilateral rows once.
bool coupling_is_symmetric(const ContactProblem& p) {
  if (p.is_factored()) return true;
  const Eigen::SparseMatrix<double> w = p.matrix.sparse(), difference = w - Eigen::SparseMatrix<double>(w.transpose());
  const RowOrder order(p);
  double scale = 0, largest = 0;
  for (const double x : p.matrix.values) scale = std::max(scale, std::abs(x));
  for (Eigen::Index c = 0; c < difference.outerSize(); ++c)
    for (Eigen::SparseMatrix<double>::InnerIterator e(difference, c); e; ++e)
      if (order.is_contact[e.row()] != order.is_contact[e.col()]) largest = std::max(largest, std::abs(e.value()));
  return largest <= 1e-14 * scale;
}

/// Coefficients of slip, or of rolling.
std::vector<double> friction(const ContactProblem& p, bool rolling = false) {
  std::vector<double> mu;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    if (p.blocks[i].kind != BlockKind::contact) continue;
    if (const auto* plane = std::get_if<PlanarFriction>(&p.laws[i])) mu.push_back(plane->mu);
    else if (const auto* roll = std::get_if<RollingFriction>(&p.laws[i])) mu.push_back(rolling ? roll->mu_rolling : roll->mu);
    else mu.push_back(std::get<CircularFriction>(p.laws[i]).mu);
  }
  return mu;
}

void write_head(hid_t h, const std::string& root, const ProblemFile& file) {
  const int dim = uniform_contacts(file.problem).dim;
  write_integer(h, root + "/spacedim", dim == 0 ? 3 : dim);
  h5::write_c_text(h, root + "/info/title", file.title);
  h5::write_c_text(h, root + "/info/description", file.description);
  h5::write_c_text(h, root + "/info/math_info", "");
  write_vector(h, root + "/vectors/mu", friction(file.problem));
  if (dim == kRollingDimension) write_vector(h, root + "/vectors/mu_r", friction(file.problem, true));
}

/// r, l, u and, of a global problem, v of one set of impulses.
void write_impulses(hid_t h, const std::string& path, const ContactProblem& p, const RowOrder& order,
                    const std::vector<double>& impulses, bool global) {
  std::vector<double> u(p.rows()), scratch;
  p.contact_velocity(impulses, u, scratch);
  write_vector(h, path + "/u", order.gather(u, order.contact));
  write_vector(h, path + "/r", order.gather(impulses, order.contact));
  if (!order.bilateral.empty()) write_vector(h, path + "/l", order.gather(impulses, order.bilateral));
  if (global) {
    std::vector<double> v(p.velocity_size(), 0.0);
    p.add_velocity_change(impulses, v);
    write_vector(h, path + "/v", v);
  }
}

void write_solution_and_guess(hid_t h, const ProblemFile& file, const RowOrder& order, bool global) {
  if (!file.solution.empty()) write_impulses(h, "solution", file.problem, order, file.solution, global);
  if (!file.guess.empty()) {
    write_integer(h, "guesses/number_of_guesses", 1);
    write_impulses(h, "guesses/1", file.problem, order, file.guess, global);
  }
}

/// M of the velocities of a factored problem.
Entries mass_entries(const ContactProblem& p) {
  Entries entries;
  const std::vector<bool>& coupled = p.coupled;
  for (std::uint32_t s = 0; s < p.segments.size(); ++s) {
    if (p.is_coupled() && coupled[s]) continue;
    const int at = static_cast<int>(p.offset(s));
    const VelocitySegment& segment = p.segments[s];
    for (int k = 0; k < (segment.is_rigid() ? 3 : segment.size); ++k)
      entries.emplace_back(at + k, at + k, 1 / segment.inverse_mass);
    if (!segment.is_rigid()) continue;
    const Mat3 inertia = segment.inverse_inertia.inverse();
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k) entries.emplace_back(at + 3 + k, at + 3 + c, inertia(k, c));
  }
  for (const Carrier& carrier : p.carriers) {
    const int at = static_cast<int>(p.offset(carrier.first));
    const CoupledMass::Matrix& a = carrier.mass->matrix();
    for (Eigen::Index c = 0; c < a.outerSize(); ++c)
      for (CoupledMass::Matrix::InnerIterator e(a, c); e; ++e)
        entries.emplace_back(at + static_cast<int>(e.row()), at + static_cast<int>(c), e.value());
  }
  return entries;
}

bool rolls(const ContactProblem& p) { return uniform_contacts(p).dim == kRollingDimension; }

std::string contacts_cannot(const ContactProblem& p) {
  const UniformContacts u = uniform_contacts(p);
  if (u.has_box) return "FCLIB has no boxed rows. Use stickslip.";
  if (!u.uniform) return "the contacts differ in law or number of rows. Use stickslip.";
  for (std::size_t i = 0; i < p.blocks.size(); ++i)
    if (p.blocks[i].kind == BlockKind::contact &&
        !(p.blocks[i].dim == 3 && std::holds_alternative<CircularFriction>(p.laws[i])) &&
        !(p.blocks[i].dim == 2 && std::holds_alternative<PlanarFriction>(p.laws[i])) &&
        !(p.blocks[i].dim == kRollingDimension && std::holds_alternative<RollingFriction>(p.laws[i])))
      return fmt::format(
          "contact {} is not one of Coulomb's law with 2 or 3 rows, or 5 with rolling. Use stickslip, or siconos for LCP.", i);
  if (u.has_bilateral && !coupling_is_symmetric(p))
    return "W is not symmetric between contact and bilateral rows. Use stickslip.";
  return {};
}

}   // namespace

std::string fclib_cannot(const ContactProblem& p) {
  const std::string reason = contacts_cannot(p);
  if (!reason.empty() || !rolls(p)) return reason;
  return "FCLIB has problems with rolling in their global form only. Use fclib-global, siconos or stickslip.";
}

std::string fclib_global_cannot(const ContactProblem& p) {
  if (const std::string reason = contacts_cannot(p); !reason.empty()) return reason;
  const std::string_view without_masses = rolls(p) ? "Use siconos or stickslip." : "Use fclib.";
  if (!p.is_factored()) return fmt::format("it has no masses, only W. {}", without_masses);
  if (p.has_compliance) return fmt::format("FCLIB's global form has no compliance. {}", without_masses);
  const std::vector<bool>& coupled = p.coupled;
  for (std::size_t i = 0; i < p.segments.size(); ++i)
    if (!(p.is_coupled() && coupled[i]) &&
        (!(p.segments[i].inverse_mass > 0) ||
         (p.segments[i].is_rigid() && !(std::abs(p.segments[i].inverse_inertia.determinant()) > 0))))
      return fmt::format("body {} has an infinite mass or inertia. {}", i, without_masses);
  return {};
}

void write_fclib_local(hid_t h, const ProblemFile& file) {
  const std::string root = "fclib_local";
  const ContactProblem& p = file.problem;
  const RowOrder order(p);
  const std::size_t contacts = order.contact.size(), bilateral = order.bilateral.size();
  FclibMatrix w{contacts, contacts, {}}, v{contacts, bilateral, {}}, r{bilateral, bilateral, {}};
  for_each_number(delassus(p), [&](std::uint32_t row, std::uint32_t column, double value) {
    if (value == 0) return;
    FclibMatrix* const to =
        order.is_contact[row] ? (order.is_contact[column] ? &w : &v) : (order.is_contact[column] ? nullptr : &r);
    if (to != nullptr)
      to->entries.emplace_back(static_cast<int>(order.place[row]), static_cast<int>(order.place[column]), value);
  });
  write_head(h, root, file);
  write_matrix(h, root + "/W", w, true);
  write_vector(h, root + "/vectors/q", order.gather(p.b, order.contact));
  if (bilateral > 0) {
    write_matrix(h, root + "/V", v, true);
    write_matrix(h, root + "/R", r, true);
    write_vector(h, root + "/vectors/s", order.gather(p.b, order.bilateral));
  }
  write_solution_and_guess(h, file, order, false);
}

void write_fclib_global(hid_t h, const ProblemFile& file) {
  const std::string root = rolls(file.problem) ? "fclib_global_rolling" : "fclib_global";
  const ContactProblem& p = file.problem;
  const RowOrder order(p);
  const std::size_t size = p.velocity_size();
  FclibMatrix m{size, size, mass_entries(p)}, contact{size, order.contact.size(), {}},
      bilateral{size, order.bilateral.size(), {}};
  for (const Block& block : p.blocks) {
    Entries& to = block.kind == BlockKind::contact ? contact.entries : bilateral.entries;
    const double* j = p.jacobian_values.data() + block.jacobian;
    for (const std::uint32_t s : p.segments_of(block))
      for (std::uint32_t k = 0; k < block.dim; ++k)
        for (std::uint32_t c = 0; c < p.segments[s].size; ++c, ++j)
          if (*j != 0) to.emplace_back(static_cast<int>(p.offset(s) + c), static_cast<int>(order.place[block.row + k]), *j);
  }
  write_head(h, root, file);
  write_matrix(h, root + "/M", m, false);
  write_matrix(h, root + "/H", contact, false);
  write_vector(h, root + "/vectors/f", std::vector<double>(size, 0.0));
  write_vector(h, root + "/vectors/w", order.gather(p.b, order.contact));
  if (!order.bilateral.empty()) {
    write_matrix(h, root + "/G", bilateral, false);
    write_vector(h, root + "/vectors/b", order.gather(p.b, order.bilateral));
  }
  write_solution_and_guess(h, file, order, true);
}

}   // namespace stickslip::files
