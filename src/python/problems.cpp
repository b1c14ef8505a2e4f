// Contact problems in Python: arrays out, arrays in, files.
#include <fmt/format.h>

#include "python/module.h"
#include "stickslip/problem/coupled_mass.h"
#include "stickslip/problem/files.h"

namespace stickslip::python {

namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

py::object sparse(const char* kind, const py::object& entries, py::ssize_t rows, py::ssize_t columns) {
  const py::object shape = py::make_tuple(rows, columns);
  return py::module_::import("scipy.sparse").attr(kind)(entries, py::arg("shape") = shape);
}

/// As a SciPy matrix in compressed rows.
py::object to_scipy(const Triplets& entries, std::size_t rows, std::size_t columns) {
  const auto count = static_cast<py::ssize_t>(entries.size());
  py::array_t<double> values(count);
  py::array_t<std::int32_t> row(count), column(count);
  for (py::ssize_t i = 0; i < count; ++i) {
    const auto& entry = entries[static_cast<std::size_t>(i)];
    values.mutable_data()[i] = entry.value(), row.mutable_data()[i] = entry.row(), column.mutable_data()[i] = entry.col();
  }
  const py::object where = py::make_tuple(row, column);
  return sparse("coo_matrix", py::make_tuple(values, where), static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns))
      .attr("tocsr")();
}

py::object matrix_of(const ProblemPointer& p) {
  const Eigen::SparseMatrix<double> w = delassus(*p->problem).sparse();
  py::array_t<double> values(w.nonZeros(), w.valuePtr());
  py::array_t<int> inner(w.nonZeros(), w.innerIndexPtr()), outer(w.outerSize() + 1, w.outerIndexPtr());
  return sparse("csc_matrix", py::make_tuple(values, inner, outer), w.rows(), w.cols()).attr("tocsr")();
}

const ContactProblem& factored(const ProblemPointer& p, const char* what) {
  if (!p->problem->is_factored()) throw Error(fmt::format("This problem has W as a matrix, and no {}.", what));
  return *p->problem;
}

py::object jacobian_of(const ProblemPointer& handle) {
  const ContactProblem& p = factored(handle, "J");
  Triplets entries;
  for (const Block& block : p.blocks) {
    const double* value = p.jacobian_values.data() + block.jacobian;
    for (const std::uint32_t s : p.segments_of(block))
      for (std::uint32_t k = 0; k < block.dim; ++k)
        for (std::uint32_t c = 0; c < p.segments[s].size; ++c)
          entries.emplace_back(static_cast<int>(block.row + k), static_cast<int>(p.offset(s) + c), *value++);
  }
  return to_scipy(entries, p.rows(), p.velocity_size());
}

bool is_coupled(const ContactProblem& p, std::uint32_t segment) { return !p.coupled.empty() && p.coupled[segment]; }

/// Entries of M or of its inverse, for the segments that belong to no carrier.
void add_masses(const ContactProblem& p, bool inverse, Triplets& entries) {
  for (std::uint32_t s = 0; s < p.segments.size(); ++s) {
    if (is_coupled(p, s)) continue;
    const VelocitySegment& segment = p.segments[s];
    const int at = static_cast<int>(p.offset(s)), linear = std::min<int>(segment.size, 3);
    if (!inverse && !(segment.inverse_mass > 0))
      throw Error(fmt::format("Segment {} cannot be moved, so that M is infinite. Use M_inverse.", s));
    for (int c = 0; c < linear; ++c)
      entries.emplace_back(at + c, at + c, inverse ? segment.inverse_mass : 1 / segment.inverse_mass);
    if (!segment.is_rigid()) continue;
    const Mat3 inertia = inverse ? segment.inverse_inertia : Mat3(segment.inverse_inertia.inverse());
    if (!inertia.allFinite()) throw Error(fmt::format("Segment {} cannot be turned, so that M is infinite. Use M_inverse.", s));
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) entries.emplace_back(at + 3 + i, at + 3 + k, inertia(i, k));
  }
}

py::object mass_of(const ProblemPointer& handle) {
  const ContactProblem& p = factored(handle, "M");
  Triplets entries;
  add_masses(p, false, entries);
  for (const Carrier& carrier : p.carriers) {
    const int at = static_cast<int>(p.offset(carrier.first));
    const CoupledMass::Matrix& a = carrier.mass->matrix();
    for (int k = 0; k < a.outerSize(); ++k)
      for (CoupledMass::Matrix::InnerIterator it(a, k); it; ++it)
        entries.emplace_back(at + static_cast<int>(it.row()), at + static_cast<int>(it.col()), it.value());
  }
  return to_scipy(entries, p.velocity_size(), p.velocity_size());
}

py::object inverse_mass_of(const ProblemPointer& handle) {
  const ContactProblem& p = factored(handle, "M");
  if (p.is_coupled()) throw Error("The inverse mass of soft bodies is full. Use M, or W = J M⁻¹ Jᵀ + Σ.");
  Triplets entries;
  add_masses(p, true, entries);
  return to_scipy(entries, p.velocity_size(), p.velocity_size());
}

/// A read-only view on numbers of the problem.
py::array numbers(const py::object& self, const std::vector<double>& list) {
  py::array array(py::dtype::of<double>(), {static_cast<py::ssize_t>(list.size())}, {py::ssize_t{sizeof(double)}}, list.data(),
                  self);
  array.attr("flags").attr("writeable") = false;
  return array;
}

constexpr std::array kKinds = {"contact", "bilateral", "box"};   // in the order of BlockKind

BlockKind kind_from_name(const std::string& name) {
  const std::vector<std::string> names(kKinds.begin(), kKinds.end());
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) throw Error(fmt::format("There is no kind of block '{}'. {}", name, suggest(name, names)));
  return static_cast<BlockKind>(at - names.begin());
}

/// The entries of a SciPy matrix, or of anything that can become one.
Triplets to_triplets(const py::object& given, std::size_t& rows, std::size_t& columns) {
  const py::object matrix = py::module_::import("scipy.sparse").attr("coo_matrix")(given);
  const auto shape = matrix.attr("shape").cast<std::pair<std::size_t, std::size_t>>();
  rows = shape.first, columns = shape.second;
  const Array values = Array::ensure(matrix.attr("data"));
  const auto row = matrix.attr("row").cast<py::array_t<std::int64_t, py::array::forcecast>>();
  const auto column = matrix.attr("col").cast<py::array_t<std::int64_t, py::array::forcecast>>();
  if (!values) throw py::error_already_set();
  Triplets entries;
  for (py::ssize_t i = 0; i < values.size(); ++i)
    entries.emplace_back(static_cast<int>(row.at(i)), static_cast<int>(column.at(i)), values.at(i));
  return entries;
}

/// What a problem made of arrays says about its blocks.
struct BlockList {
  std::vector<std::uint32_t> dims;
  std::vector<BlockKind> kinds;
  std::vector<std::uint32_t> offsets;   ///< first row of every block, then the number of rows
};

BlockList read_blocks(std::size_t rows, const py::object& dims, const py::object& kinds) {
  BlockList list;
  if (dims.is_none()) {
    if (rows % 3 != 0)
      throw Error(fmt::format("{} rows are not contacts of three each. Give the numbers of rows as `dims`.", rows));
    list.dims.assign(rows / 3, 3);
  } else {
    for (const double d : to_numbers(dims, "a list of rows")) {
      if (!(d >= 1 && d <= 6) || d != std::floor(d))
        throw Error(fmt::format("{} is not a number of rows. A block has 1 to 6.", d));
      list.dims.push_back(static_cast<std::uint32_t>(d));
    }
  }
  list.offsets.push_back(0);
  for (const std::uint32_t d : list.dims) list.offsets.push_back(list.offsets.back() + d);
  if (list.offsets.back() != rows)
    throw Error(fmt::format("`dims` add up to {} rows, and there are {}.", list.offsets.back(), rows));
  if (kinds.is_none()) {
    list.kinds.assign(list.dims.size(), BlockKind::contact);
  } else if (py::isinstance<py::str>(kinds)) {
    list.kinds.assign(list.dims.size(), kind_from_name(py::str(kinds)));
  } else {
    for (const py::handle& kind : py::reinterpret_borrow<py::sequence>(kinds))
      list.kinds.push_back(kind_from_name(py::str(kind)));
  }
  if (list.kinds.size() != list.dims.size())
    throw Error(fmt::format("{} kinds for {} blocks.", list.kinds.size(), list.dims.size()));
  return list;
}

/// A number or set for all contacts, or one for each block.
void set_laws(ContactProblem& p, const py::object& friction) {
  const bool many =
      (py::isinstance<py::sequence>(friction) && !py::isinstance<py::str>(friction)) || py::isinstance<py::array>(friction);
  const py::ssize_t count = many ? static_cast<py::ssize_t>(py::len(friction)) : 0;
  if (many && static_cast<std::size_t>(count) != p.blocks.size())
    throw Error(
        fmt::format("{} numbers of friction for {} blocks. Give one for each, or one for all.", count, p.blocks.size()));
  const py::object items = many ? py::module_::import("builtins").attr("list")(friction) : friction;
  for (std::size_t i = 0; i < p.blocks.size(); ++i)
    if (p.blocks[i].kind == BlockKind::contact)
      p.laws[i] = set_from_python(many ? py::object(items[py::int_(i)]) : items, p.blocks[i].dim - 1);
}

void set_rows(std::vector<double>& into, const py::object& given, std::size_t rows, const char* what) {
  if (given.is_none()) return;
  into = to_numbers(given, what);
  if (into.size() != rows) throw Error(fmt::format("{} has {} numbers, and there are {} rows.", what, into.size(), rows));
}

ContactProblem from_matrix(const py::object& w, const py::object& dims, const py::object& kinds) {
  std::size_t rows = 0, columns = 0;
  const Triplets entries = to_triplets(w, rows, columns);
  if (rows != columns) throw Error(fmt::format("W has {} rows and {} columns. It must be square.", rows, columns));
  const BlockList list = read_blocks(rows, dims, kinds);
  ContactProblem p = matrix_problem(block_matrix(list.offsets, entries), BlockKind::contact);
  for (std::size_t i = 0; i < list.kinds.size(); ++i) p.blocks[i].kind = list.kinds[i];
  return p;
}

/// From J and M: all velocities are those of one carrier, whose mass is M.
ContactProblem from_factors(const py::object& j, const py::object& m, const py::object& dims, const py::object& kinds) {
  std::size_t rows = 0, columns = 0, mass_rows = 0, mass_columns = 0;
  const Triplets jacobian = to_triplets(j, rows, columns), mass = to_triplets(m, mass_rows, mass_columns);
  if (mass_rows != columns || mass_columns != columns)
    throw Error(fmt::format("J has {} columns, and M is {} × {}. M must be square with a row for each.", columns, mass_rows,
                            mass_columns));
  if (columns == 0) throw Error("J has no columns. Give W for a problem without velocities.");
  const BlockList list = read_blocks(rows, dims, kinds);
  const std::uint8_t width = columns % 3 == 0 ? 3 : 1;
  Eigen::SparseMatrix<double, Eigen::RowMajor> dense_rows(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  dense_rows.setFromTriplets(jacobian.begin(), jacobian.end());
  CoupledMass::Matrix a(static_cast<Eigen::Index>(columns), static_cast<Eigen::Index>(columns));
  a.setFromTriplets(mass.begin(), mass.end());
  ContactProblem p;
  VelocitySegment segment;
  segment.size = width;
  p.segments.assign(columns / width, segment);
  p.carriers.push_back({0, static_cast<std::uint32_t>(p.segments.size()), std::make_shared<CoupledMass>(std::move(a))});
  for (std::size_t i = 0; i < list.dims.size(); ++i) {
    std::map<std::uint32_t, std::vector<double>> parts;   // per segment that it acts on: dim × width numbers
    for (std::uint32_t k = 0; k < list.dims[i]; ++k)
      for (decltype(dense_rows)::InnerIterator it(dense_rows, list.offsets[i] + k); it; ++it) {
        std::vector<double>& part = parts[static_cast<std::uint32_t>(it.col()) / width];
        part.resize(std::size_t{list.dims[i]} * width);
        part[k * width + static_cast<std::uint32_t>(it.col()) % width] += it.value();
      }
    if (parts.empty()) parts[0].assign(std::size_t{list.dims[i]} * width, 0.0);
    if (parts.size() > 60000)
      throw Error(fmt::format("Block {} acts on {} velocities. At most 60000 are possible.", i, parts.size()));
    Block block;
    block.kind = list.kinds[i], block.dim = static_cast<std::uint8_t>(list.dims[i]), block.row = list.offsets[i];
    block.jacobian = static_cast<std::uint32_t>(p.jacobian_values.size());
    std::vector<std::uint32_t> segments;
    for (const auto& [s, part] : parts)
      segments.push_back(s), p.jacobian_values.insert(p.jacobian_values.end(), part.begin(), part.end());
    p.set_segments(block, segments);
    p.blocks.push_back(block);
  }
  p.laws.resize(p.blocks.size());
  p.b.assign(rows, 0.0), p.sigma.assign(rows, 0.0);
  return p;
}

struct ProblemArguments {
  py::object w, b, friction, j, m, dims, kinds, sigma, lower, upper;
  double h;
};

ProblemHandle make_problem(const ProblemArguments& given) {
  if (given.w.is_none() == (given.j.is_none() || given.m.is_none())) throw Error("Give either W, or J and M.");
  ContactProblem p = given.w.is_none() ? from_factors(given.j, given.m, given.dims, given.kinds)
                                       : from_matrix(given.w, given.dims, given.kinds);
  const std::size_t rows = p.rows();
  set_rows(p.b, given.b, rows, "b");
  set_rows(p.sigma, given.sigma, rows, "sigma");
  set_laws(p, given.friction);
  const double far = std::numeric_limits<double>::infinity();
  if (std::ranges::any_of(p.blocks, [](const Block& block) { return block.kind == BlockKind::box; }) ||
      !given.lower.is_none() || !given.upper.is_none())
    p.lower.assign(rows, -far), p.upper.assign(rows, far);
  set_rows(p.lower, given.lower, rows, "lower");
  set_rows(p.upper, given.upper, rows, "upper");
  if (!(given.h >= 0) || !std::isfinite(given.h))
    throw Error(fmt::format("{} is not a step. Give seconds, or 0 if it is unknown.", given.h));
  p.h = given.h;
  p.finalize();
  return {std::make_shared<ContactProblem>(std::move(p)), {}, {}};
}

std::vector<double> checked_impulses(const ProblemPointer& p, const py::object& given) {
  std::vector<double> impulses = to_numbers(given, "a list of impulses");
  if (impulses.size() != p->problem->rows())
    throw Error(fmt::format("{} impulses for {} rows.", impulses.size(), p->problem->rows()));
  return impulses;
}

py::list blocks_of(const ProblemPointer& p) {
  py::list list;
  for (std::size_t i = 0; i < p->problem->blocks.size(); ++i) {
    const Block& block = p->problem->blocks[i];
    py::dict entry;
    entry["kind"] = kKinds[static_cast<std::size_t>(block.kind)];
    entry["row"] = block.row;
    entry["dim"] = static_cast<int>(block.dim);
    entry["friction"] =
        block.kind == BlockKind::contact && block.dim > 1 ? set_to_python(p->problem->laws[i]) : py::object(py::none());
    list.append(entry);
  }
  return list;
}

void bind_residual(py::module_& m) {
  using R = Residual;
  py::class_<R> c(m, "Residual",
                  "How wrong a set of impulses is: the one residual, recomputed outside every solver, by its parts [m/s].");
  for (const auto& [name, member] : {std::pair{"gap_velocity", &R::gap_velocity},
                                     {"complementarity", &R::complementarity},
                                     {"cone", &R::cone},
                                     {"dissipation", &R::dissipation},
                                     {"bilateral", &R::bilateral},
                                     {"box", &R::box}})
    c.def_property_readonly(
        name, [member = member](const R& r) { return r.*member; }, "[m/s]");
  c.def_property_readonly("total", &R::total, doc("Residual::total"));
  c.def("__float__", &R::total);
  c.def("__repr__", [](const R& r) { return fmt::format("<stickslip.Residual: {:.3g} m/s>", r.total()); });
}

void bind_arrays(py::class_<ProblemHandle, ProblemPointer>& c) {
  c.def_property_readonly("W", &matrix_of, "W = J M⁻¹ Jᵀ + Σ, a SciPy matrix in compressed rows.");
  c.def_property_readonly(
      "J", &jacobian_of,
      "J: velocities of the segments to those of the rows, a SciPy matrix. Raises Error if W was given as a matrix.");
  c.def_property_readonly("M", &mass_of, "M, a SciPy matrix. Raises Error if something cannot be moved.");
  c.def_property_readonly("M_inverse", &inverse_mass_of,
                          "M⁻¹, a SciPy matrix. Raises Error for soft bodies, whose inverse is full.");
  const auto list = [&](const char* name, std::vector<double> ContactProblem::*member) {
    c.def_property_readonly(
        name, [member](const py::object& self) { return numbers(self, (*self.cast<ProblemPointer>()->problem).*member); },
        doc(std::string("ContactProblem::") + name));
  };
  list("b", &ContactProblem::b);
  list("sigma", &ContactProblem::sigma);
  list("lower", &ContactProblem::lower);
  c.def_property_readonly(
      "upper", [](const py::object& self) { return numbers(self, self.cast<ProblemPointer>()->problem->upper); }, "As lower.");
  c.def_property_readonly(
      "guess", [](const ProblemPointer& p) { return to_array(p->guess); },
      "Impulses that the step started from [N s]; empty if unknown.");
  c.def_property_readonly(
      "impulses", [](const ProblemPointer& p) { return to_array(p->impulses); },
      "Impulses that the step found [N s]; empty if unknown.");
  c.def_property_readonly("blocks", &blocks_of, "The blocks of rows: a list of dictionaries with kind, row, dim and friction.");
}

void bind_evaluations(py::class_<ProblemHandle, ProblemPointer>& c) {
  c.def(
      "velocity",
      [](const ProblemPointer& p, const py::object& given) {
        std::vector<double> v(p->problem->rows()), scratch;
        p->problem->contact_velocity(checked_impulses(p, given), v, scratch);
        return to_array(v);
      },
      py::arg("impulses"), "v = W λ + b [m/s].");
  c.def(
      "residual",
      [](const ProblemPointer& p, const py::object& given) {
        ResidualWorkspace work;
        return residual(*p->problem, checked_impulses(p, given), work);
      },
      py::arg("impulses"), "How wrong impulses are.");
  c.def(
      "natural_map_error",
      [](const ProblemPointer& p, const py::object& given) {
        ResidualWorkspace work;
        return natural_map_error(*p->problem, checked_impulses(p, given), work);
      },
      py::arg("impulses"), doc("natural_map_error"));
  c.def(
      "save",
      [](const ProblemPointer& p, const py::object& path, const std::string& format) {
        ProblemFile file;
        file.problem = *p->problem, file.guess = p->guess, file.solution = p->impulses;
        save_problem(std::string(py::str(py::module_::import("os").attr("fspath")(path))), file, format);
      },
      py::arg("path"), py::arg("format") = "", doc("save_problem"));
}

}   // namespace

void bind_problems(py::module_& m) {
  bind_residual(m);
  py::class_<ProblemHandle, ProblemPointer> c(
      m, "Problem",
      "The contact problem of one step, v = W λ + b, W = J M⁻¹ Jᵀ + Σ. It does not change.\n\n"
      "Made by `Stepper.problem`, `load_problem`, or of arrays: W and b, or J, M and b. Rows lie in blocks, of three for a "
      "contact in\n"
      "space: normal, tangent t, tangent b. `dims` gives other numbers of rows, `kinds` 'contact', 'bilateral' or 'box' for "
      "all or each,\n"
      "`friction` a coefficient or a friction set for all or each.\n\n"
      "    problem = ss.Problem(W, b, friction=0.5)");
  c.def(py::init([](py::object w, py::object b, py::object friction, py::object j, py::object mass, py::object dims,
                    py::object kinds, py::object sigma, py::object lower, py::object upper, double h) {
          return std::make_shared<ProblemHandle>(make_problem({w, b, friction, j, mass, dims, kinds, sigma, lower, upper, h}));
        }),
        py::arg("W") = py::none(), py::arg("b") = py::none(), py::arg("friction") = 0.0, py::kw_only(),
        py::arg("J") = py::none(), py::arg("M") = py::none(), py::arg("dims") = py::none(), py::arg("kinds") = py::none(),
        py::arg("sigma") = py::none(), py::arg("lower") = py::none(), py::arg("upper") = py::none(), py::arg("h") = 0.0);
  bind_arrays(c);
  c.def_property_readonly(
      "rows", [](const ProblemPointer& p) { return p->problem->rows(); }, "How many rows.");
  c.def_property_readonly(
      "contact_count", [](const ProblemPointer& p) { return p->problem->contact_count(); }, "How many blocks are contacts.");
  c.def_property_readonly(
      "h", [](const ProblemPointer& p) { return p->problem->h; }, doc("ContactProblem::h"));
  bind_evaluations(c);
  c.def("__repr__", [](const ProblemPointer& p) {
    return fmt::format("<stickslip.Problem: {} contacts, {} rows>", p->problem->contact_count(), p->problem->rows());
  });
  m.def(
      "load_problem",
      [](const py::object& path) {
        ProblemFile file = load_problem(std::string(py::str(py::module_::import("os").attr("fspath")(path))));
        return std::make_shared<ProblemHandle>(ProblemHandle{std::make_shared<ContactProblem>(std::move(file.problem)),
                                                             std::move(file.guess), std::move(file.solution)});
      },
      py::arg("path"), doc("load_problem"));
}

}   // namespace stickslip::python
