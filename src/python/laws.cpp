// Friction laws and friction sets in Python: those of the table, and those that Python objects are.
#include <fmt/format.h>

#include "python/module.h"
#include "stickslip/friction/set_maker.h"
#include "stickslip/friction/surface_law.h"

namespace stickslip::python {

namespace {

/// A set of the library, seen from Python.
struct SetHandle {
  FrictionSet set;
};

std::string name_of(const py::handle& set) {
  if (py::hasattr(set, "name") && py::isinstance<py::str>(set.attr("name"))) return py::str(set.attr("name"));
  return py::str(py::type::of(set).attr("__name__"));
}

/// An object with `project` and `support_point` as a friction set. Calls take the lock of the interpreter.
template <int Rows>
class PythonSet final : public ConvexSet<Rows> {
 public:
  using Vector = typename ConvexSet<Rows>::Vector;

  explicit PythonSet(const py::handle& set)
      : set_(shared_object(py::reinterpret_borrow<py::object>(set))),
        name_(name_of(set)),
        scales_(!py::hasattr(set, "scales_with_normal") || set.attr("scales_with_normal").cast<bool>()) {
    if (py::hasattr(set, "parameters")) parameters_ = to_numbers(set.attr("parameters"), "a list of parameters");
  }

  std::string_view name() const override { return name_; }
  std::vector<double> parameters() const override { return parameters_; }
  bool scales_with_normal() const override { return scales_; }
  Vector project(double normal, const Vector& trial) const override {
    const py::gil_scoped_acquire lock;
    return to_vector(set_->attr("project")(normal, to_array(std::span(trial.data(), Rows))), "project");
  }
  Vector support_point(const Vector& direction) const override {
    const py::gil_scoped_acquire lock;
    return to_vector(set_->attr("support_point")(to_array(std::span(direction.data(), Rows))), "support_point");
  }
  py::object object() const { return *set_; }

 private:
  Vector to_vector(const py::object& given, const char* what) const {
    const std::vector<double> numbers = to_numbers(given, "a list of friction impulses");
    const Vector v = numbers.size() == Rows ? Vector(Eigen::Map<const Vector>(numbers.data())) : Vector::Constant(std::nan(""));
    if (!v.allFinite())
      throw Error(fmt::format("`{}` of the friction set '{}' must return {} finite numbers.", what, name_, Rows));
    return v;
  }

  std::shared_ptr<py::object> set_;
  std::string name_;
  bool scales_;
  std::vector<double> parameters_;
};

template <int Rows>
FrictionSet python_set(const py::handle& set) {
  return CustomFriction<Rows>{std::make_shared<PythonSet<Rows>>(set)};
}

}   // namespace

FrictionSet set_from_python(const py::handle& given, int rows) {
  if (py::isinstance<SetHandle>(given)) return given.cast<const SetHandle&>().set;
  if (py::hasattr(given, "project") && py::hasattr(given, "support_point")) {
    constexpr std::array makers = {&python_set<1>, &python_set<2>, &python_set<3>, &python_set<4>, &python_set<5>};
    if (rows < 1 || rows > 5) throw Error(fmt::format("A friction set has 1 to 5 rows, not {}.", rows));
    return makers[static_cast<std::size_t>(rows - 1)](given);
  }
  if (PyNumber_Check(given.ptr()) == 0 || py::isinstance<py::str>(given))
    throw Error("Friction is a coefficient, or an object with `project` and `support_point`.");
  const double mu = PyFloat_AsDouble(given.ptr());
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (!(mu >= 0) || !std::isfinite(mu))
    throw Error(fmt::format("{} is not a coefficient of friction. It must be at least 0.", mu));
  if (rows == 1) return PlanarFriction{mu};
  if (rows == 3) return EllipsoidFriction{mu, mu, 0};
  if (rows == 4) return RollingFriction{mu, 0};
  if (rows > 4) throw Error("Give a friction set for contacts of six rows.");
  return CircularFriction{mu};
}

py::object set_to_python(const FrictionSet& law) {
  if (const auto* circle = std::get_if<CircularFriction>(&law)) return py::float_(circle->mu);
  if (const auto* plane = std::get_if<PlanarFriction>(&law)) return py::float_(plane->mu);
  const py::object own = std::visit(
      [](const auto& l) -> py::object {
        using Law = std::decay_t<decltype(l)>;
        if constexpr (std::is_same_v<Law, CustomFriction<Law::rows>>)
          if (const auto* set = dynamic_cast<const PythonSet<Law::rows>*>(l.set.get())) return set->object();
        return py::none();
      },
      law);
  return own.is_none() ? py::cast(SetHandle{law}) : own;
}

namespace {

/// A contact as a law in Python sees it, by value.
struct SiteHandle {
  Vec3 position, normal, slip, direction;
  double gap, h, length, slack;
  bool frame_of_b;
};

SiteHandle to_handle(const ContactSite& s) {
  return {s.position, s.normal, s.slip, s.material_direction(), s.gap, s.h, s.length, s.slack, s.frame_of_b};
}

LocalFriction to_local(const py::object& given, int rows) {
  if (py::isinstance<py::tuple>(given) && py::len(given) == 2) {
    const py::tuple pair = given;
    Vec3 tangent = to_vec3(pair[0], "a tangent");
    if (!tangent.allFinite()) throw Error("A tangent must be finite.");
    if (tangent.norm() > 0) tangent.normalize();
    return {tangent, set_from_python(pair[1], rows)};
  }
  return {Vec3::Zero(), set_from_python(given, rows)};
}

/// The numbers of a law by name, as its function gets them.
py::dict named(const SurfaceLaw& law, const std::vector<LawParameter>& parameters) {
  py::dict numbers;
  for (std::size_t i = 0; i < parameters.size(); ++i) numbers[py::str(parameters[i].name)] = law.numbers[i];
  return numbers;
}

/// The set is the same at every contact if the function that makes it does not ask for the site.
void add_python_law(const std::string& name, const py::object& function, const py::dict& parameters, int rows,
                    const std::string& summary, bool at_sites) {
  if (PyCallable_Check(function.ptr()) == 0) throw Error("A law is a function that makes a friction set.");
  SurfaceLawInfo info;
  info.name = name, info.summary = summary, info.rows = rows;
  for (const auto& [key, value] : parameters) {
    LawParameter p;
    p.name = py::str(key);
    p.standard = value.is_none() ? std::nan("") : to_number(value, "a default");
    p.minimum = -std::numeric_limits<double>::infinity();
    p.coefficient = p.name == "friction";
    if (p.coefficient) p.minimum = 0;
    info.parameters.push_back(p);
  }
  const auto kept = shared_object(function);
  info.prepare = [kept, rows, at_sites, parameters = info.parameters](const SurfaceLaw& law) -> PreparedLaw {
    const py::gil_scoped_acquire lock;
    if (!at_sites) {
      const LocalFriction local = to_local((*kept)(**named(law, parameters)), rows);
      return [local](const ContactSite& site) {
        LocalFriction here = local;
        // Tangents follow the structure of the surface that the law is fixed to. The impulse acts on B: a law shall treat alike
        // what slides over that surface, whether it is A or B.
        if (here.tangent.isZero(0)) here.tangent = (site.frame_of_b ? -1.0 : 1.0) * site.material_direction();
        return here;
      };
    }
    const auto numbers = shared_object(named(law, parameters));
    return [kept, numbers, rows](const ContactSite& site) {
      const py::gil_scoped_acquire again;
      return to_local((*kept)(to_handle(site), **py::dict(*numbers)), rows);
    };
  };
  add_surface_law(std::move(info));
}

void add_python_set(const std::string& name, const py::object& make, int rows) {
  if (PyCallable_Check(make.ptr()) == 0) throw Error("A friction set is made by a class or function.");
  if (rows < 1 || rows > 5) throw Error(fmt::format("A friction set has 1 to 5 rows, not {}.", rows));
  const auto kept = shared_object(make);
  add_set_maker(name, [kept, rows](std::span<const double> parameters) {
    const py::gil_scoped_acquire lock;
    py::list numbers;
    for (const double p : parameters) numbers.append(p);
    return set_from_python((*kept)(*numbers), rows);
  });
}

py::list laws_list() {
  py::list list;
  for (const SurfaceLawInfo& info : surface_laws()) {
    py::dict entry, parameters;
    entry["name"] = info.name;
    entry["summary"] = info.summary;
    entry["source"] = info.source;
    entry["rows"] = info.rows;
    for (const LawParameter& p : info.parameters) {
      py::dict parameter;
      parameter["default"] = std::isnan(p.standard) ? py::object(py::none()) : py::float_(p.standard);
      parameter["unit"] = p.unit;
      parameter["help"] = p.help;
      parameters[py::str(p.name)] = parameter;
    }
    entry["parameters"] = parameters;
    list.append(entry);
  }
  return list;
}

void bind_set(py::module_& m) {
  py::class_<SetHandle> c(m, "FrictionSet",
                          "A friction set F(n) of the library: `project` and `support_point` as of those written in Python.");
  c.def_property_readonly(
      "rows", [](const SetHandle& s) { return law_rows(s.set); }, "Friction rows.");
  c.def_property_readonly(
      "name", [](const SetHandle& s) { return std::string(law_name(s.set)); }, "'circle', 'ellipse', …");
  c.def(
      "project",
      [](const SetHandle& s, double normal, const py::object& trial) {
        return std::visit(
            [&](const auto& law) {
              constexpr int kRows = std::decay_t<decltype(law)>::rows;
              using Vector = Eigen::Matrix<double, kRows, 1>;
              const std::vector<double> numbers = to_numbers(trial, "a list of friction impulses");
              if (numbers.size() != kRows) throw Error(fmt::format("{} numbers for a set of {} rows.", numbers.size(), kRows));
              const Vector p = law.project(normal, Vector(Eigen::Map<const Vector>(numbers.data())));
              return to_array(std::span(p.data(), static_cast<std::size_t>(kRows)));
            },
            s.set);
      },
      py::arg("normal"), py::arg("trial"), "Closest point of F(max(normal, 0)) to trial [N s].");
  c.def("__repr__", [](const SetHandle& s) { return fmt::format("<stickslip.FrictionSet '{}'>", law_name(s.set)); });
}

}   // namespace

void bind_laws(py::module_& m) {
  bind_set(m);
  py::class_<SiteHandle> site(m, "ContactSite", doc("ContactSite"));
  const auto vector = [&](const char* name, Vec3 SiteHandle::*member) {
    site.def_property_readonly(
        name, [member](const SiteHandle& s) { return to_array(s.*member); }, doc(std::string("ContactSite::") + name));
  };
  vector("position", &SiteHandle::position);
  vector("normal", &SiteHandle::normal);
  vector("slip", &SiteHandle::slip);
  site.def_property_readonly(
      "material_direction", [](const SiteHandle& s) { return to_array(s.direction); }, doc("ContactSite::material_direction"));
  site.def_readonly("gap", &SiteHandle::gap, doc("ContactSite::gap"));
  site.def_readonly("h", &SiteHandle::h, "Step [s].");
  site.def_readonly("length", &SiteHandle::length, doc("ContactSite::length"));
  site.def_readonly("slack", &SiteHandle::slack, doc("ContactSite::slack"));
  site.def_readonly("frame_of_b", &SiteHandle::frame_of_b, doc("ContactSite::frame_of_b"));
  m.def("laws", &laws_list, "All friction laws: a list of dictionaries with name, summary, rows and parameters.");
  m.def("add_law", &add_python_law, py::arg("name"), py::arg("function"), py::arg("parameters") = py::dict(),
        py::arg("rows") = 2, py::arg("summary") = "", py::arg("at_sites") = false,
        "Adds a friction law that materials and scenes can name: see `law`.");
  m.def(
      "add_set", &add_python_set, py::arg("name"), py::arg("make"), py::arg("rows") = 2,
      "Lets problem files hold friction sets of this name: `make` is called with the numbers that `parameters` of a set gave.");
}

}   // namespace stickslip::python
