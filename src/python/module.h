// What the files of the Python module share: handles that Python objects hold, conversions, docstrings.
//
// Python sees handles, never addresses: a Body is a world and an id, which is checked whenever it is used. Steps and solves let
// other Python threads run; a world that is being stepped is marked as busy until they end, and whoever uses it meanwhile gets
// an Error.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>

#include "scene/json.h"
#include "stickslip/math/error.h"
#include "stickslip/record/recorder.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::python {

namespace py = pybind11;

/// The comment of a name in the public headers, such as "StepReport::force_on". @throws Error if there is none: a name was
/// changed there
const char* doc(std::string_view name);

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

double to_number(const py::handle&, const char* what);
Vec3 to_vec3(const py::handle&, const char* what);
Quat to_quat(const py::handle&, const char* what);
py::array to_array(const Vec3&);
py::array to_array(const Quat&);   ///< w, x, y, z
py::array to_array(std::span<const double>);
std::vector<double> to_numbers(const py::handle&, const char* what);

/// Dictionaries, lists, numbers, NumPy arrays, bodies, joints and materials (by name) as a document. @throws Error for what a
/// document cannot hold, naming its place
std::string to_document(const py::handle&);
py::object from_document(const std::string& json_text);

/// A read-only view on a member of every element of a list; `owner` keeps the list alive.
template <class Element, class Member>
py::array view(const std::vector<Element>& list, Member Element::*member, const py::object& owner);

/// Kept by Python objects that C++ holds: let go of under the lock of the interpreter, or never once that has ended.
std::shared_ptr<py::object> shared_object(py::object);

struct WorldHandle {
  Scene scene;
  bool busy = false;

  /// @throws Error while a step is being taken
  World& use();
};
using WorldPointer = std::shared_ptr<WorldHandle>;

/// A step or solve is under way on this world.
class BusyGuard {
 public:
  explicit BusyGuard(WorldPointer world) : world_(std::move(world)) { world_->use(), world_->busy = true; }
  ~BusyGuard() { world_->busy = false; }
  BusyGuard(const BusyGuard&) = delete;
  BusyGuard& operator=(const BusyGuard&) = delete;

 private:
  WorldPointer world_;
};

struct BodyHandle {
  WorldPointer world;
  BodyId id;

  const Body& get() const { return world->use().body(id); }
  bool operator==(const BodyHandle&) const = default;
};

struct JointHandle {
  WorldPointer world;
  JointId id;

  const Joint& get() const { return world->use().joint(id); }
  bool operator==(const JointHandle&) const = default;
};

struct MaterialHandle {
  WorldPointer world;
  MaterialId id;

  const Material& get() const;
  bool operator==(const MaterialHandle&) const = default;
};

/// A body given as itself or by name. @throws Error if it is of another world, gone, or unknown
BodyId body_of(const WorldPointer&, const py::handle&);

/// A problem that does not change. Solves of one with coupled carriers take turns.
struct ProblemHandle {
  std::shared_ptr<const ContactProblem> problem;
  std::vector<double> guess, impulses;   ///< of the step it came from; may be empty
};

using ProblemPointer = std::shared_ptr<ProblemHandle>;

/// A friction set that Python handed over: a number, or an object with `project` and `support_point`.
FrictionSet set_from_python(const py::handle&, int rows);
py::object set_to_python(const FrictionSet&);

/// Loads what Python objects hold; None is not among it, nor an object that was made without its constructor. Functions of
/// classes that Python can construct take them as pointers: by reference pybind11 would hand out memory that nobody filled.
template <class T>
struct NotNone : py::detail::copyable_holder_caster<T, std::shared_ptr<T>> {
  bool load(py::handle source, bool convert) {
    return !source.is_none() && py::detail::copyable_holder_caster<T, std::shared_ptr<T>>::load(source, convert);
  }
};

void bind_worlds(py::module_&);
void bind_bodies(py::module_&);
void bind_joints(py::module_&);
void bind_steps(py::module_&);
void bind_reports(py::module_&);
void bind_problems(py::module_&);
void bind_solvers(py::module_&);
void bind_laws(py::module_&);

template <class Element, class Member>
py::array view(const std::vector<Element>& list, Member Element::*member, const py::object& owner) {
  using Numbers = std::conditional_t<std::is_arithmetic_v<Member>, std::array<Member, 1>, Member>;
  using Number = std::decay_t<decltype(std::declval<Numbers>()[0])>;
  constexpr py::ssize_t kWidth = sizeof(Member) / sizeof(Number);
  const Element* const first = list.data();
  const void* const data = first ? static_cast<const void*>(&(first->*member)) : nullptr;
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(list.size())};
  std::vector<py::ssize_t> strides{static_cast<py::ssize_t>(sizeof(Element))};
  if (!std::is_arithmetic_v<Member>) shape.push_back(kWidth), strides.push_back(sizeof(Number));
  py::array array =
      first ? py::array(py::dtype::of<Number>(), shape, strides, data, owner) : py::array(py::dtype::of<Number>(), shape);
  array.attr("flags").attr("writeable") = false;
  return array;
}

}   // namespace stickslip::python

template <>
class pybind11::detail::type_caster<stickslip::python::WorldPointer>
    : public stickslip::python::NotNone<stickslip::python::WorldHandle> {};
template <>
class pybind11::detail::type_caster<stickslip::python::ProblemPointer>
    : public stickslip::python::NotNone<stickslip::python::ProblemHandle> {};
