// Our own format: the fields of a ContactProblem under /stickslip_problem, every double with its bits.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

#include "problem/files/formats.h"
#include "stickslip/friction/set_maker.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip::files {

namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kParameters = 3;   ///< numbers a law has at most
const std::string kRoot = "stickslip_problem/";

[[noreturn]] void fail_here(const std::string& name, const std::string& message) { fail_at(kRoot + name, message); }

// Laws: the index of the alternative in FrictionSet, and its numbers; of a
// custom set kCustomSet, and its place in the list of sets.
constexpr std::uint8_t kCustomSet = 255;

/// The custom sets of a problem, each once.
class SetList {
 public:
  /// The place of a set in the list.
  template <class Law>
  double place(const Law& law) {
    const auto [found, is_new] = places_.try_emplace(law.set.get(), first_.size());
    if (is_new) {
      const std::vector<double> numbers = law.set->parameters();
      names_ += std::string(law.set->name()) + "\n";
      first_.push_back(static_cast<std::uint32_t>(parameters_.size()));
      parameters_.insert(parameters_.end(), numbers.begin(), numbers.end());
    }
    return static_cast<double>(found->second);
  }
  bool empty() const { return first_.empty(); }
  const std::string& names() const { return names_; }
  std::vector<std::uint32_t> first() const {
    std::vector<std::uint32_t> first = first_;
    first.push_back(static_cast<std::uint32_t>(parameters_.size()));
    return first;
  }
  const std::vector<double>& parameters() const { return parameters_; }

 private:
  std::map<const void*, std::size_t> places_;
  std::string names_;
  std::vector<std::uint32_t> first_;
  std::vector<double> parameters_;
};

/// The numbers of a law; a custom set is put in the list.
struct ParametersOf {
  using Numbers = std::array<double, kParameters>;
  SetList& sets;
  Numbers operator()(const CircularFriction& f) { return {f.mu, 0, 0}; }
  Numbers operator()(const PlanarFriction& f) { return {f.mu, 0, 0}; }
  Numbers operator()(const EllipsoidFriction& f) { return {f.mu_t, f.mu_b, f.mu_torsion}; }
  Numbers operator()(const RollingFriction& f) { return {f.mu, f.mu_rolling, 0}; }
  Numbers operator()(const EllipseFriction& f) { return {f.mu_t, f.mu_b, 0}; }
  template <int Rows>
  Numbers operator()(const CustomFriction<Rows>& f) {
    return {sets.place(f), 0, 0};
  }
  Numbers operator()(const PatchFriction& f) { return {sets.place(f), 0, 0}; }
};

std::uint8_t number_of(const FrictionSet& law) {
  return std::visit(
      [&](const auto& l) {
        return requires { l.set; }
        ? kCustomSet : static_cast<std::uint8_t>(law.index());
      },
      law);
}

FrictionSet make_law(std::uint8_t index, const double* x, std::size_t block, const std::vector<FrictionSet>& sets) {
  if (index == kCustomSet) {
    if (!(x[0] < static_cast<double>(sets.size())))
      fail_here("blocks/law_parameters",
                fmt::format("block {} has the set {}, and there are {} in sets/names.", block, x[0], sets.size()));
    return sets[static_cast<std::size_t>(x[0])];
  }
  switch (index) {
    case 0:
      return CircularFriction{x[0]};
    case 1:
      return PlanarFriction{x[0]};
    case 2:
      return EllipsoidFriction{x[0], x[1], x[2]};
    case 3:
      return RollingFriction{x[0], x[1]};
    case 4:
      return EllipseFriction{x[0], x[1]};
  }
  fail_here("blocks/law",
            fmt::format("block {} has the friction law {}. Laws are 0 (circle) to 4 (ellipse) and 255 (a set of its own).",
                        block, index));
}

class Writer {
 public:
  explicit Writer(hid_t file) : file_(file) {}

  template <class T>
  void list(const std::string& name, const std::vector<T>& values, h5::Extent inner = {}) {
    std::size_t width = 1;
    for (const hsize_t n : inner) width *= n;
    inner.insert(inner.begin(), values.size() / width);
    h5::write_values(file_, kRoot + name, h5::native_type<T>(), values.data(), inner);
  }
  void text(const std::string& name, const std::string& value) { h5::write_c_text(file_, kRoot + name, value); }
  /// One number per element.
  template <class T, class Elements, class F>
  void column(const std::string& name, const Elements& elements, F&& field) {
    std::vector<T> values;
    for (const auto& element : elements) values.push_back(static_cast<T>(field(element)));
    list(name, values);
  }

 private:
  hid_t file_;
};

class Reader {
 public:
  explicit Reader(hid_t file) : file_(file) {}

  bool has(const std::string& name) const { return h5::exists(file_, kRoot + name); }
  template <class T>
  std::vector<T> list(const std::string& name) const {
    try {
      return h5::read_list<T>(file_, kRoot + name);
    } catch (const Error& error) {
      throw at_place(error, kRoot + name);
    }
  }
  template <class T>
  std::vector<T> list(const std::string& name, std::size_t size) const {
    std::vector<T> values = list<T>(name);
    if (values.size() != size)
      fail_here(name, fmt::format("{} numbers stand here, and there must be {}.", values.size(), size));
    return values;
  }
  std::vector<double> finite(const std::string& name, std::size_t size) const {
    std::vector<double> values = list<double>(name, size);
    for (std::size_t k = 0; k < size; ++k)
      if (!std::isfinite(values[k])) fail_here(name, fmt::format("number {} is {}. It must be finite.", k, values[k]));
    return values;
  }
  std::string text(const std::string& name) const {
    try {
      return h5::read_text(file_, kRoot + name);
    } catch (const Error& error) {
      throw at_place(error, kRoot + name);
    }
  }

 private:
  hid_t file_;
};

void write_blocks(Writer& w, const ContactProblem& p) {
  w.column<std::uint8_t>("blocks/kind", p.blocks, [](const Block& b) { return b.kind; });
  w.column<std::uint8_t>("blocks/dim", p.blocks, [](const Block& b) { return b.dim; });
  // Up to 255 segments fit what programs before nodes wrote; more are told apart.
  if (std::any_of(p.blocks.begin(), p.blocks.end(), [](const Block& b) { return b.arity > 255; }))
    w.column<std::uint32_t>("blocks/arity", p.blocks, [](const Block& b) { return b.arity; });
  else w.column<std::uint8_t>("blocks/arity", p.blocks, [](const Block& b) { return b.arity; });
  w.column<std::uint32_t>("blocks/jacobian", p.blocks, [](const Block& b) { return b.jacobian; });
  std::vector<std::uint32_t> segments;
  for (const Block& b : p.blocks) segments.insert(segments.end(), b.segment, b.segment + kInlineSegments);
  w.list("blocks/segment", segments, {kInlineSegments});
  if (!p.stencils.empty()) w.list("blocks/stencils", p.stencils);
  w.column<std::uint8_t>("blocks/law", p.laws, [](const FrictionSet& law) { return number_of(law); });
  std::vector<double> parameters;
  SetList sets;
  for (const FrictionSet& law : p.laws)
    for (const double x : std::visit(ParametersOf{sets}, law)) parameters.push_back(x);
  w.list("blocks/law_parameters", parameters, {kParameters});
  if (sets.empty()) return;
  w.text("sets/names", sets.names());
  w.list("sets/first", sets.first());
  w.list("sets/parameters", sets.parameters());
}

std::vector<FrictionSet> read_sets(const Reader& r) {
  std::vector<FrictionSet> sets;
  if (!r.has("sets")) return sets;
  std::istringstream names(r.text("sets/names"));
  const auto first = r.list<std::uint32_t>("sets/first");
  const auto parameters = r.finite("sets/parameters", r.list<double>("sets/parameters").size());
  for (std::string name; std::getline(names, name);) {
    const std::size_t i = sets.size();
    if (i + 1 >= first.size() || first[i] > first[i + 1] || first[i + 1] > parameters.size())
      fail_here("sets/first", fmt::format("the numbers of set {} ('{}') lie outside of sets/parameters.", i, name));
    try {
      sets.push_back(make_set(name, {parameters.data() + first[i], parameters.data() + first[i + 1]}));
    } catch (const Error& error) {
      throw at_place(error, kRoot + "sets/names");
    }
  }
  return sets;
}

void read_blocks(const Reader& r, ContactProblem& p) {
  const std::vector<FrictionSet> sets = read_sets(r);
  const std::vector<std::uint8_t> kind = r.list<std::uint8_t>("blocks/kind");
  const std::size_t n = kind.size();
  const auto dim = r.list<std::uint8_t>("blocks/dim", n), law = r.list<std::uint8_t>("blocks/law", n);
  const auto arity = r.list<std::uint32_t>("blocks/arity", n);
  const auto jacobian = r.list<std::uint32_t>("blocks/jacobian", n), segment = r.list<std::uint32_t>("blocks/segment");
  const std::size_t width = n > 0 ? segment.size() / n : kInlineSegments;   // older files have two
  if (segment.size() != width * n || width < 2 || width > kInlineSegments)
    fail_here("blocks/segment",
              fmt::format("{} numbers for {} blocks. There must be 2 to {} per block.", segment.size(), n, kInlineSegments));
  if (r.has("blocks/stencils")) p.stencils = r.list<std::uint32_t>("blocks/stencils");
  const auto parameters = r.finite("blocks/law_parameters", kParameters * n);
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (parameters[k] < 0)
      fail_here("blocks/law_parameters",
                fmt::format("block {} has the coefficient {}. It must be at least 0.", k / kParameters, parameters[k]));
  std::uint32_t row = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (kind[i] > 2)
      fail_here("blocks/kind",
                fmt::format("block {} is of kind {}. Kinds are 0 (contact), 1 (bilateral) and 2 (box).", i, kind[i]));
    if (dim[i] < 1 || dim[i] > 6) fail_here("blocks/dim", fmt::format("block {} has {} rows. It must have 1 to 6.", i, dim[i]));
    if (arity[i] > std::numeric_limits<std::uint16_t>::max())
      fail_here("blocks/arity", fmt::format("block {} acts on {} segments. There must be fewer than 65536.", i, arity[i]));
    p.blocks.push_back(
        {static_cast<BlockKind>(kind[i]), dim[i], static_cast<std::uint16_t>(arity[i]), row, jacobian[i], 0, {}});
    std::copy_n(segment.begin() + static_cast<std::ptrdiff_t>(width * i), width, p.blocks.back().segment);
    p.laws.push_back(make_law(law[i], parameters.data() + kParameters * i, i, sets));
    row += dim[i];
  }
}

void read_segments(const Reader& r, ContactProblem& p) {
  const std::size_t n = r.list<double>("segments/inverse_mass").size();
  const auto mass = r.finite("segments/inverse_mass", n), inertia = r.finite("segments/inverse_inertia", 9 * n);
  for (std::size_t i = 0; i < n; ++i) {
    if (mass[i] < 0)
      fail_here("segments/inverse_mass", fmt::format("body {} has the inverse mass {}. It must be at least 0.", i, mass[i]));
    p.segments.push_back({mass[i], Eigen::Map<const Mat3>(inertia.data() + 9 * i)});
  }
  if (!r.has("segments/size")) return;   // all are rigid bodies
  const auto size = r.list<std::uint8_t>("segments/size", n);
  for (std::size_t i = 0; i < n; ++i) p.segments[i].size = size[i];
}

void write_carriers(Writer& w, const ContactProblem& p) {
  if (!p.is_coupled()) return;
  std::vector<std::uint32_t> first, count, row, column, entries;
  std::vector<double> values;
  for (const Carrier& carrier : p.carriers) {
    const CoupledMass::Matrix& a = carrier.mass->matrix();
    first.push_back(carrier.first);
    count.push_back(carrier.count);
    entries.push_back(static_cast<std::uint32_t>(a.nonZeros()));
    for (Eigen::Index c = 0; c < a.outerSize(); ++c)
      for (CoupledMass::Matrix::InnerIterator e(a, c); e; ++e) {
        row.push_back(static_cast<std::uint32_t>(e.row()));
        column.push_back(static_cast<std::uint32_t>(c));
        values.push_back(e.value());
      }
  }
  w.list("carriers/first", first);
  w.list("carriers/count", count);
  w.list("carriers/entries", entries);
  w.list("carriers/row", row);
  w.list("carriers/column", column);
  w.list("carriers/values", values);
}

void read_carriers(const Reader& r, ContactProblem& p) {
  if (!r.has("carriers")) return;
  const auto first = r.list<std::uint32_t>("carriers/first");
  const auto count = r.list<std::uint32_t>("carriers/count", first.size()),
             entries = r.list<std::uint32_t>("carriers/entries", first.size());
  const std::size_t all = std::accumulate(entries.begin(), entries.end(), std::size_t{0});
  const auto row = r.list<std::uint32_t>("carriers/row", all), column = r.list<std::uint32_t>("carriers/column", all);
  const auto values = r.finite("carriers/values", all);
  std::size_t next = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::size_t{first[i]} + count[i] > p.segments.size())
      fail_here("carriers/count", fmt::format("carrier {} has segments beyond the {} that there are.", i, p.segments.size()));
    std::uint32_t size = 0;
    for (std::uint32_t s = first[i]; s < first[i] + count[i]; ++s) size += p.segments[s].size;
    std::vector<Eigen::Triplet<double>> triplets;
    for (std::size_t k = 0; k < entries[i]; ++k, ++next) {
      if (row[next] >= size || column[next] >= size)
        fail_here("carriers/row",
                  fmt::format("number {} lies at {}, {} of a matrix of {} rows.", next, row[next], column[next], size));
      triplets.emplace_back(static_cast<int>(row[next]), static_cast<int>(column[next]), values[next]);
    }
    CoupledMass::Matrix a(size, size);
    a.setFromTriplets(triplets.begin(), triplets.end());
    try {
      p.carriers.push_back({first[i], count[i], std::make_shared<CoupledMass>(std::move(a))});
    } catch (const Error& error) {
      throw at_place(error, kRoot + "carriers/values");
    }
  }
}

void read_matrix(const Reader& r, ContactProblem& p) {
  BlockMatrix& w = p.matrix;
  w.offset = r.list<std::uint32_t>("matrix/offset", p.blocks.size() + 1);
  for (std::size_t i = 0; i < p.blocks.size(); ++i)
    if (w.offset[i] != p.blocks[i].row || w.offset[i + 1] != w.offset[i] + p.blocks[i].dim)
      fail_here("matrix/offset",
                fmt::format("block {} of the matrix does not have the rows of block {} of the problem.", i, i));
  w.first = r.list<std::uint32_t>("matrix/first", p.blocks.size() + 1);
  w.column = r.list<std::uint32_t>("matrix/column");
  if (w.first.front() != 0 || w.first.back() != w.column.size())
    fail_here("matrix/first", fmt::format("the numbers go from {} to {}, and must go from 0 to {}.", w.first.front(),
                                          w.first.back(), w.column.size()));
  std::size_t size = 0;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    if (w.first[i] > w.first[i + 1]) fail_here("matrix/first", fmt::format("number {} is less than the one before it.", i + 1));
    for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) {
      if (w.column[e] >= p.blocks.size() || (e > w.first[i] && w.column[e] <= w.column[e - 1]))
        fail_here("matrix/column", fmt::format("number {} is {}. Columns must increase within a row and be less than {}.", e,
                                               w.column[e], p.blocks.size()));
      w.position.push_back(static_cast<std::uint32_t>(size));
      size += std::size_t{p.blocks[i].dim} * p.blocks[w.column[e]].dim;
    }
  }
  w.values = r.finite("matrix/values", size);
}

}   // namespace

void write_own(hid_t h, const ProblemFile& file) {
  const ContactProblem& p = file.problem;
  Writer w(h);
  {
    const h5::Handle root = h5::create_group(h, kRoot.substr(0, kRoot.size() - 1));
    h5::write_attribute(root.get(), "kinds", "0 contact, 1 bilateral, 2 box");
    h5::write_attribute(root.get(), "laws",
                        "0 circle (mu), 1 plane (mu), 2 ellipsoid (mu_t, mu_b, mu_torsion), 3 rolling (mu, mu_rolling), 4 "
                        "ellipse (mu_t, mu_b), "
                        "255 a set of its own (place in sets/)");
  }
  h5::write_c_text(h, kRoot + "title", file.title);
  h5::write_c_text(h, kRoot + "description", file.description);
  w.list("version", std::vector<std::uint64_t>{kVersion});
  w.list("h", std::vector<double>{p.h});
  write_blocks(w, p);
  w.list("b", p.b);
  w.list("sigma", p.sigma);
  if (!p.lower.empty()) w.list("lower", p.lower), w.list("upper", p.upper);
  w.column<double>("segments/inverse_mass", p.segments, [](const VelocitySegment& s) { return s.inverse_mass; });
  std::vector<double> inertia;
  for (const VelocitySegment& s : p.segments)
    inertia.insert(inertia.end(), s.inverse_inertia.data(), s.inverse_inertia.data() + 9);
  w.list("segments/inverse_inertia", inertia, {3, 3});
  if (std::any_of(p.segments.begin(), p.segments.end(), [](const VelocitySegment& s) { return !s.is_rigid(); }))
    w.column<std::uint8_t>("segments/size", p.segments, [](const VelocitySegment& s) { return s.size; });
  write_carriers(w, p);
  w.list("jacobian_values", p.jacobian_values);
  if (!p.is_factored()) {
    w.list("matrix/offset", p.matrix.offset);
    w.list("matrix/first", p.matrix.first);
    w.list("matrix/column", p.matrix.column);
    w.list("matrix/values", p.matrix.values);
  }
  if (!file.guess.empty()) w.list("guess", file.guess);
  if (!file.solution.empty()) w.list("solution", file.solution);
}

ProblemFile read_own(hid_t h) {
  const Reader r(h);
  if (const std::uint64_t version = r.list<std::uint64_t>("version", 1).front(); version != kVersion)
    fail_here("version",
              fmt::format("The problem has version {}, and this program reads version {}. Use the program that wrote it.",
                          version, kVersion));
  ProblemFile file;
  ContactProblem& p = file.problem;
  file.title = r.text("title");
  file.description = r.text("description");
  p.h = r.finite("h", 1).front();
  read_blocks(r, p);
  const std::size_t rows = p.blocks.empty() ? 0 : p.blocks.back().row + p.blocks.back().dim;
  p.b = r.finite("b", rows);
  p.sigma = r.finite("sigma", rows);
  if (r.has("lower") || r.has("upper")) {
    p.lower = r.list<double>("lower", rows);
    p.upper = r.list<double>("upper", rows);
    for (std::size_t i = 0; i < rows; ++i)
      if (!(p.lower[i] <= p.upper[i]))
        fail_here("upper", fmt::format("row {} has the bounds {} and {}. The lower must not exceed the upper.", i, p.lower[i],
                                       p.upper[i]));
  }
  read_segments(r, p);
  read_carriers(r, p);
  p.jacobian_values = r.finite("jacobian_values", r.list<double>("jacobian_values").size());
  if (r.has("matrix")) read_matrix(r, p);
  if (r.has("guess")) file.guess = r.list<double>("guess", rows);
  if (r.has("solution")) file.solution = r.list<double>("solution", rows);
  file.format = "stickslip";
  return file;
}

}   // namespace stickslip::files
