// Siconos text; the layout stands in siconos_read.cpp. 17 digits: every double reads back to its bits.
#include <fmt/format.h>

#include <iterator>

#include "problem/files/formats.h"

namespace stickslip::files {

namespace {

using Text = fmt::memory_buffer;

template <class... T>
void put(Text& text, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<T>(values)...);
}

void put_dense(Text& text, const BlockMatrix& w) {
  const Eigen::MatrixXd a = w.dense();
  put(text, "{}\t{}\n", a.rows(), a.cols());
  for (Eigen::Index c = 0; c < a.cols(); ++c) {
    for (Eigen::Index r = 0; r < a.rows(); ++r) put(text, "{:.16e} ", a(r, c));
    put(text, "\n");
  }
}

void put_blocks(Text& text, const BlockMatrix& w) {
  const std::size_t blocks = w.blocks();
  put(text, "{}\n{}\n{}\n", w.column.size(), blocks, blocks);
  for (int direction = 0; direction < 2; ++direction)
    put(text, "{}\n", fmt::join(w.offset.begin() + (blocks > 0 ? 1 : 0), w.offset.end() - (blocks > 0 ? 0 : 1), "\t"));
  put(text, "{}\n{}\n{}\n{}\n", w.first.size(), w.column.size(), fmt::join(w.first, "\t"), fmt::join(w.column, "\t"));
  for (std::size_t e = 0; e < w.column.size(); ++e) {
    const std::size_t end = e + 1 < w.position.size() ? w.position[e + 1] : w.values.size();
    put(text, "{}\n", e);
    for (std::size_t k = w.position[e]; k < end; ++k) put(text, "{:.16e}\n", w.values[k]);
  }
}

template <class Values>
void put_line(Text& text, const Values& values) {
  for (const double v : values) put(text, "{:.16e} ", v);
  put(text, "\n");
}

std::vector<double> coefficients(const ContactProblem& p, bool rolling) {
  std::vector<double> values;
  for (const FrictionSet& law : p.laws) {
    if (const auto* circle = std::get_if<CircularFriction>(&law)) values.push_back(circle->mu);
    else if (const auto* plane = std::get_if<PlanarFriction>(&law)) values.push_back(plane->mu);
    else if (const auto* roll = std::get_if<RollingFriction>(&law)) values.push_back(rolling ? roll->mu_rolling : roll->mu);
  }
  return values;
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

}   // namespace

std::string siconos_cannot(const ContactProblem& p) {
  const UniformContacts u = uniform_contacts(p);
  if (u.has_bilateral) return "Siconos text has no bilateral rows. Use fclib or stickslip.";
  if (u.has_box && u.dim != 0) return "Siconos text has no boxed rows beside contacts. Use stickslip.";
  if (!u.uniform) return "the contacts differ in law or number of rows. Use stickslip.";
  if (u.dim > 1 && !std::holds_alternative<CircularFriction>(p.laws.front()) &&
      !std::holds_alternative<PlanarFriction>(p.laws.front()) && !std::holds_alternative<RollingFriction>(p.laws.front()))
    return fmt::format("Siconos text has no friction of the kind '{}'. Use stickslip.", law_name(p.laws.front()));
  return {};
}

std::string write_siconos(const ProblemFile& file) {
  const ContactProblem& p = file.problem;
  const UniformContacts u = uniform_contacts(p);
  const BlockMatrix w = delassus(p);
  const bool friction = !u.has_box && u.dim != 1, dense = w.values.size() * 3 > p.rows() * p.rows();
  Text text;
  if (u.has_box) put(text, "boxed-lcp\n");
  if (friction) put(text, "{}\n", u.dim == 0 ? 3 : u.dim);
  put(text, "{}\n{}\n{}\n{}\n", friction ? p.blocks.size() : p.rows(), dense ? 0 : 1, p.rows(), p.rows());
  if (dense) put_dense(text, w);
  else put_blocks(text, w);
  put_line(text, p.b);
  if (friction) put_line(text, coefficients(p, false));
  if (u.dim == 5) put_line(text, coefficients(p, true));
  if (u.has_box) put_line(text, p.lower), put_line(text, p.upper);
  const std::string remark = one_line(file.title.empty() || file.description.empty() ? file.title + file.description
                                                                                     : file.title + ": " + file.description);
  if (!remark.empty()) put(text, "\n# {}\n", remark);
  return fmt::to_string(text);
}

}   // namespace stickslip::files
