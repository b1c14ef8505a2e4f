// The Python module stickslip._core: errors, conversions, and what the other files add.
#include "python/module.h"
#include "python/interrupts.h"

#include <fmt/format.h>

#include <cmath>

#include "generated/docstrings.h"

namespace stickslip::python {

const char* doc(std::string_view name) {
  const auto at = std::lower_bound(std::begin(kDocstrings), std::end(kDocstrings), name,
                                   [](const Docstring& d, std::string_view n) { return d.name < n; });
  if (at == std::end(kDocstrings) || at->name != name) throw Error(fmt::format("No header says what '{}' is.", name));
  return at->text;
}

namespace {

/// What was given, shortened, for messages.
std::string shown(const py::handle& given) {
  std::string text = py::repr(given);
  if (text.size() > 60) text = text.substr(0, 57) + "…";
  return text;
}

template <std::size_t N>
std::array<double, N> to_fixed(const py::handle& given, const char* what) {
  std::array<double, N> numbers{};
  const auto fail = [&] { throw Error(fmt::format("{} is not {}. Give {} numbers.", shown(given), what, N)); };
  if (!PySequence_Check(given.ptr()) || PyUnicode_Check(given.ptr())) fail();
  const Array array = Array::ensure(given);
  if (!array) PyErr_Clear(), fail();
  if (array.ndim() != 1 || array.size() != N) fail();
  for (std::size_t i = 0; i < N; ++i) numbers[i] = array.data()[i];
  return numbers;
}

}   // namespace

double to_number(const py::handle& given, const char* what) {
  const double number = PyUnicode_Check(given.ptr()) ? NAN : PyFloat_AsDouble(given.ptr());
  if (PyErr_Occurred() != nullptr || PyUnicode_Check(given.ptr())) {
    PyErr_Clear();
    throw Error(fmt::format("{} is not a number, as {} must be.", shown(given), what));
  }
  return number;
}

Vec3 to_vec3(const py::handle& given, const char* what) {
  const auto n = to_fixed<3>(given, what);
  return {n[0], n[1], n[2]};
}

Quat to_quat(const py::handle& given, const char* what) {
  const auto n = to_fixed<4>(given, what);
  const Quat q(n[0], n[1], n[2], n[3]);
  if (!(q.norm() > 0) || !std::isfinite(q.norm()))
    throw Error(fmt::format("{} is not a rotation. Give a quaternion w, x, y, z that is not 0.", shown(given)));
  return q;
}

py::array to_array(const Vec3& v) { return py::array_t<double>(3, v.data()); }

py::array to_array(const Quat& q) {
  const double numbers[] = {q.w(), q.x(), q.y(), q.z()};
  return py::array_t<double>(4, numbers);
}

py::array to_array(std::span<const double> numbers) {
  return py::array_t<double>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

std::vector<double> to_numbers(const py::handle& given, const char* what) {
  const Array array = Array::ensure(given);
  if (!array) {
    PyErr_Clear();
    throw Error(fmt::format("{} is not {}. Give a list or array of numbers.", shown(given), what));
  }
  if (array.ndim() != 1)
    throw Error(fmt::format("An array of {} dimensions is not {}. Give a list of numbers.", array.ndim(), what));
  return {array.data(), array.data() + array.size()};
}

namespace {

using Json = document::Json;

constexpr int kDeepest = 60;   // a document has at most 64 levels

[[noreturn]] void no_document(const py::handle& given, const std::string& place) {
  throw Error(fmt::format("{}: {} cannot stand in a scene document. Give numbers, strings, lists and dictionaries.",
                          place.empty() ? "/" : place, shown(given)));
}

Json to_json(const py::handle& given, const std::string& place, int depth);

Json float_to_json(double number, const std::string& place) {
  if (!std::isfinite(number)) throw Error(fmt::format("{}: {} is not a finite number.", place.empty() ? "/" : place, number));
  return number;
}

Json dictionary_to_json(const py::dict& given, const std::string& place, int depth) {
  Json json = Json::object();
  for (const auto& [key, value] : given) {
    if (!py::isinstance<py::str>(key)) throw Error(fmt::format("{}: {} is not a key. Keys are strings.", place, shown(key)));
    const std::string name = py::str(key);
    if (!value.is_none()) json[name] = to_json(value, place + "/" + name, depth + 1);   // None: not given
  }
  return json;
}

Json to_json(const py::handle& given, const std::string& place, int depth) {
  if (depth > kDeepest) throw Error(fmt::format("{}: the document is deeper than {} levels.", place.substr(0, 80), kDeepest));
  if (given.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(given)) return given.cast<bool>();
  if (py::isinstance<py::str>(given)) return std::string(py::str(given));
  if (py::isinstance<py::int_>(given)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(given.ptr(), &overflow);
    return overflow == 0 ? Json(number)
                         : float_to_json(PyFloat_AsDouble(py::float_(py::reinterpret_borrow<py::object>(given)).ptr()), place);
  }
  if (py::isinstance<py::float_>(given)) return float_to_json(given.cast<double>(), place);
  if (py::isinstance<py::dict>(given)) return dictionary_to_json(py::reinterpret_borrow<py::dict>(given), place, depth);
  if (py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given)) {
    Json json = Json::array();
    for (const py::handle& entry : py::reinterpret_borrow<py::sequence>(given))
      json.push_back(to_json(entry, place + "/" + std::to_string(json.size()), depth + 1));
    return json;
  }
  if (py::isinstance<BodyHandle>(given)) return given.cast<const BodyHandle&>().get().name;
  if (py::isinstance<JointHandle>(given)) return given.cast<const JointHandle&>().get().description.name;
  if (py::isinstance<MaterialHandle>(given)) return given.cast<const MaterialHandle&>().get().name;
  if (py::hasattr(given, "tolist")) return to_json(given.attr("tolist")(), place, depth + 1);   // NumPy
  if (py::hasattr(given, "__fspath__")) return to_json(given.attr("__fspath__")(), place, depth + 1);
  no_document(given, place);
}

py::object from_json(const Json& json) {
  if (json.is_boolean()) return py::bool_(json.get<bool>());
  if (json.is_number_integer()) return py::int_(json.get<std::int64_t>());
  if (json.is_number()) return py::float_(json.get<double>());
  if (json.is_string()) return py::str(json.get<std::string>());
  if (json.is_null()) return py::none();
  if (json.is_array()) {
    py::list list;
    for (const Json& entry : json) list.append(from_json(entry));
    return list;
  }
  py::dict dictionary;
  for (const auto& [key, value] : json.items()) dictionary[py::str(key)] = from_json(value);
  return dictionary;
}

}   // namespace

std::string to_document(const py::handle& given) {
  return to_json(given, "", 0).dump(-1, ' ', false, Json::error_handler_t::replace);
}

py::object from_document(const std::string& json_text) { return from_json(document::parse_json(json_text, "")); }

std::shared_ptr<py::object> shared_object(py::object given) {
  return {new py::object(std::move(given)), [](py::object* object) {
            if (Py_IsInitialized() == 0) {
              object->release();
              delete object;
              return;
            }
            const py::gil_scoped_acquire lock;
            delete object;
          }};
}

World& WorldHandle::use() {
  if (busy)
    throw Error(fmt::format("'{}' is being stepped right now. Wait until the step has ended, or work on a copy.", scene.name));
  return scene.world;
}

const Material& MaterialHandle::get() const { return world->use().materials[id]; }

namespace {

/// Errors of the library are of this class in Python, with file, pointer and message as attributes.
void bind_error(py::module_& m) {
  static PyObject* error_class = nullptr;
  error_class = PyErr_NewExceptionWithDoc("stickslip.Error",
                                          "Bad input: the message names place, value and remedy, as the program does. `file`, "
                                          "`pointer` and `message` are its parts.",
                                          PyExc_ValueError, nullptr);
  m.attr("Error") = py::handle(error_class);
  py::register_exception_translator([](std::exception_ptr thrown) {
    if (!thrown) return;
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      py::object instance = py::reinterpret_borrow<py::object>(error_class)(error.what());
      instance.attr("file") = error.file();
      instance.attr("pointer") = error.pointer();
      instance.attr("message") = error.message();
      PyErr_SetObject(error_class, instance.ptr());
    } catch (const std::filesystem::filesystem_error& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });
}

/// What only the library makes cannot be made by `__new__` either, which would leave it empty.
void forbid_making(py::module_& m) {
  const py::object refuse =
      py::module_::import("builtins")
          .attr("staticmethod")(py::cpp_function([](const py::args& given, const py::kwargs&) -> py::object {
            throw py::type_error(
                fmt::format("{} cannot be made by itself.", given.size() > 0 ? std::string(py::str(given[0])) : "This"));
          }));
  const std::vector<std::string> made_by_users = {"World", "Stepper", "Problem", "Server"};
  for (const auto& [name, thing] : py::dict(m.attr("__dict__").attr("copy")())) {
    if (!py::isinstance<py::type>(thing) || PyExceptionClass_Check(thing.ptr())) continue;
    const bool has_constructor = std::ranges::find(made_by_users, std::string(py::str(name))) != made_by_users.end();
    if (!has_constructor) py::setattr(thing, "__new__", refuse);
  }
}

}   // namespace

}   // namespace stickslip::python

PYBIND11_MODULE(_core, m) {
  using namespace stickslip::python;
  m.doc() = "The compiled part of Stickslip. Import `stickslip`, which has all of it.";
  m.attr("__version__") = STICKSLIP_VERSION;
  remember_main_thread();
  bind_error(m);
  bind_worlds(m);
  bind_bodies(m);
  bind_joints(m);
  bind_problems(m);
  bind_reports(m);
  bind_steps(m);
  bind_laws(m);
  bind_solvers(m);
  forbid_making(m);
}
