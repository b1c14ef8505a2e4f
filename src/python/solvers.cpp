// Solvers in Python: those of the table, and those that Python functions are.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "python/module.h"
#include "stickslip/problem/coupled_mass.h"
#include "stickslip/solve/add_solver.h"
#include "stickslip/solve/monitor.h"

namespace stickslip::python {

namespace {

/// NaN for what is none.
double number_of(const py::handle& value) {
  const double number = PyNumber_Check(value.ptr()) != 0 ? PyFloat_AsDouble(value.ptr()) : NAN;
  if (PyErr_Occurred() == nullptr) return number;
  PyErr_Clear();
  return NAN;
}

OptionList to_options(const py::dict& given) {
  OptionList options;
  for (const auto& [key, value] : given) {
    const std::string name = py::str(key);
    if (py::isinstance<py::bool_>(value)) options.emplace_back(name, value.cast<bool>());
    else if (py::isinstance<py::str>(value)) options.emplace_back(name, std::string(py::str(value)));
    else if (const double number = number_of(value); !std::isnan(number)) options.emplace_back(name, number);
    else throw Error("Give a number, a string, True or False.").at(name);
  }
  return options;
}

py::dict to_dictionary(const OptionList& options) {
  py::dict dictionary;
  for (const auto& [name, value] : options)
    dictionary[py::str(name)] = std::visit([](const auto& v) { return py::object(py::cast(v)); }, value);
  return dictionary;
}

/// What a solver in Python calls after every iteration. Of no use after its solve.
struct DoneHandle {
  SolveMonitor* monitor = nullptr;
  std::span<double> impulses;
  py::array_t<double> array;

  SolveMonitor& get() const {
    if (monitor == nullptr) throw Error("This solve has ended.");
    return *monitor;
  }
  void take() const { std::copy_n(array.data(), impulses.size(), impulses.begin()); }
  bool done(int iteration) const {
    get();
    take();
    return monitor->done(iteration, impulses);
  }
  void give_up(const std::string& reason) const {
    get();
    take();
    static std::string kept;   // reports hold texts that stay
    kept = reason;
    monitor->give_up(impulses, SolveStatus::stalled, kept);
  }
};
using DonePointer = std::shared_ptr<DoneHandle>;

/// A Python function as a solver: f(problem, impulses, done, **options) changes the array of impulses in place and calls
/// done(k) after iteration k, until that is true.
class PythonSolver final : public ContactSolver {
 public:
  PythonSolver(std::string name, std::shared_ptr<py::object> function, OptionList options)
      : name_(std::move(name)), function_(std::move(function)), options_(std::move(options)) {}
  std::string_view name() const override { return name_; }
  bool takes_coupled() const override { return true; }
  bool takes_patches() const override { return true; }

 protected:
  void iterate(const ContactProblem& problem, std::span<double> impulses, Workspace&, SolveMonitor& monitor) const override {
    const py::gil_scoped_acquire lock;
    const auto done = std::make_shared<DoneHandle>();
    done->monitor = &monitor, done->impulses = impulses;
    done->array = py::array_t<double>(static_cast<py::ssize_t>(impulses.size()), impulses.data());
    const struct End {
      DoneHandle& handle;
      ~End() { handle.monitor = nullptr; }
    } end{*done};
    // A copy: what Python keeps of the problem may outlive it.
    const auto copy = std::make_shared<ProblemHandle>(ProblemHandle{std::make_shared<ContactProblem>(problem), {}, {}});
    (*function_)(copy, done->array, done, **to_dictionary(options_));
    if (monitor.stopped()) return;
    done->take();
    monitor.give_up(impulses, SolveStatus::stalled, "The solver ended by itself.");
  }

 private:
  std::string name_;
  std::shared_ptr<py::object> function_;
  OptionList options_;
};

/// Options with a default in the signature of the function: its keyword-only arguments.
std::vector<OptionInfo> keyword_options(const py::object& function) {
  std::vector<OptionInfo> list;
  const py::object defaults = py::getattr(function, "__kwdefaults__", py::none());
  if (defaults.is_none()) return list;
  for (const auto& [name, value] : to_options(defaults)) list.push_back({name, value, ""});
  return list;
}

void add_python_solver(const std::string& name, const py::object& function, const std::string& summary) {
  if (PyCallable_Check(function.ptr()) == 0) throw Error("A solver is a function of problem, impulses and done.");
  SolverInfo info;
  info.name = name;
  info.family = "python";
  info.advice = summary;
  info.options = keyword_options(function);
  const auto kept = shared_object(function);
  add_solver(info, [name, kept, known = info.options](const OptionList& given) -> std::unique_ptr<ContactSolver> {
    std::vector<std::string> names;
    for (const OptionInfo& option : known) names.push_back(option.name);
    for (const auto& [option, value] : given)
      if (std::ranges::find(names, option) == names.end())
        throw Error(fmt::format("There is no option '{}'. {}", option, suggest(option, names))).at(option);
    return std::make_unique<PythonSolver>(name, kept, given);
  });
}

/// What a solve hands back.
struct AnswerHandle {
  py::array impulses, velocity;
  SolveReport report;
};

/// Lets Ctrl-C and callbacks in, now and then, while a solve runs without the lock of the interpreter.
class Watch {
 public:
  Watch(SolveControl& control, const py::object& callback) : callback_(callback) {
    control.cancel = &cancel_;
    control.observer = [this](int iteration, std::span<const double> impulses, const Residual& residual) {
      const auto now = std::chrono::steady_clock::now();
      if (callback_.is_none() && now - last_ < std::chrono::milliseconds(50)) return;
      last_ = now;
      const py::gil_scoped_acquire lock;
      if (error_ || PyErr_CheckSignals() != 0) return fail();
      try {
        if (!callback_.is_none()) callback_(iteration, to_array(impulses), residual);
      } catch (py::error_already_set& error) {
        error.restore();
        fail();
      }
    };
  }
  /// @throws what a signal or the callback did
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void fail() {
    cancel_ = true;
    if (!error_) error_ = std::make_exception_ptr(py::error_already_set());
  }

  const py::object& callback_;
  std::atomic<bool> cancel_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::exception_ptr error_;
};

std::unique_ptr<ContactSolver> solver_of(const py::object& given, const py::dict& options) {
  if (py::isinstance<py::str>(given)) return make_solver(std::string(py::str(given)), to_options(options));
  if (PyCallable_Check(given.ptr()) == 0)
    throw Error("Give the name of a solver, or a function of problem, impulses and done.");
  return std::make_unique<PythonSolver>("python", shared_object(given), to_options(options));
}

AnswerHandle solve(const ProblemPointer& p, const py::object& solver, SolveControl control, const py::object& guess,
                   const py::object& callback, const py::dict& options) {
  const std::unique_ptr<ContactSolver> chosen = solver_of(solver, options);
  std::vector<double> impulses(p->problem->rows());
  if (!guess.is_none()) impulses = to_numbers(guess, "a guess");
  if (impulses.size() != p->problem->rows())
    throw Error(fmt::format("A guess of {} numbers for {} rows.", impulses.size(), p->problem->rows()));
  Watch watch(control, callback);
  AnswerHandle answer;
  std::vector<double> v(p->problem->rows()), scratch;
  // Factors of soft bodies are shared, and one solve at a time may use them.
  static std::recursive_mutex coupled;
  {
    const py::gil_scoped_release unlocked;
    std::unique_lock<std::recursive_mutex> turn(coupled, std::defer_lock);
    if (p->problem->is_coupled()) turn.lock();
    Workspace workspace;
    answer.report = chosen->solve(*p->problem, impulses, workspace, control);
    p->problem->contact_velocity(impulses, v, scratch);
  }
  watch.rethrow();
  answer.impulses = to_array(impulses);
  answer.velocity = to_array(v);
  return answer;
}

AnswerHandle solve_problem(const ProblemPointer& p, const py::object& solver, double tol, int max_iterations, double time_limit,
                           const py::object& guess, bool history, const py::object& callback, const py::kwargs& options) {
  SolveControl control;
  if (!(tol >= 0)) throw Error(fmt::format("{} is not a tolerance. It must be at least 0 m/s.", tol));
  if (max_iterations < 0) throw Error(fmt::format("{} iterations cannot be made. Give 0 or more.", max_iterations));
  if (!(time_limit >= 0)) throw Error(fmt::format("{} is not a time. Give seconds, 0 or more.", time_limit));
  if (!callback.is_none() && PyCallable_Check(callback.ptr()) == 0)
    throw Error("A callback is a function of iteration, impulses and residual.");
  control.tolerance = tol, control.max_iterations = max_iterations, control.time_limit = time_limit,
  control.keep_history = history;
  return solve(p, solver, control, guess, callback, options);
}

py::list solvers_list() {
  py::list list;
  for (const SolverInfo& info : solvers()) {
    py::dict entry, options;
    entry["name"] = info.name;
    entry["model"] = info.model;
    entry["family"] = info.family;
    entry["needs"] = info.needs;
    entry["paper"] = info.paper;
    entry["advice"] = info.advice;
    for (const OptionInfo& o : info.options) {
      py::dict option;
      option["default"] = std::visit([](const auto& v) { return py::object(py::cast(v)); }, o.default_value);
      option["help"] = o.help;
      options[py::str(o.name)] = option;
    }
    entry["options"] = options;
    list.append(entry);
  }
  return list;
}

/// What all reports of solves say. @param of how to get at the report
template <class C, class Of>
void bind_report(C& c, Of of) {
  c.def_property_readonly(
      "status", [of](const typename C::type& a) { return std::string(status_name(of(a).status)); },
      "'converged', 'iteration-limit', 'stalled', …");
  c.def_property_readonly(
      "converged", [of](const typename C::type& a) { return of(a).status == SolveStatus::converged; },
      "Whether the residual is at most the tolerance.");
  c.def_property_readonly(
      "reason", [of](const typename C::type& a) { return std::string(of(a).reason); }, doc("SolveReport::reason"));
  c.def_property_readonly(
      "iterations", [of](const typename C::type& a) { return of(a).iterations; }, "What one is, the solver says.");
  c.def_property_readonly(
      "seconds", [of](const typename C::type& a) { return of(a).seconds; }, "[s]");
  c.def_property_readonly(
      "residual", [of](const typename C::type& a) { return of(a).residual; }, doc("SolveReport::residual"));
  c.def_property_readonly(
      "initial_residual", [of](const typename C::type& a) { return of(a).initial_residual; },
      doc("SolveReport::initial_residual"));
  c.def_property_readonly(
      "model_residual", [of](const typename C::type& a) { return of(a).model_residual; }, doc("SolveReport::model_residual"));
  c.def_property_readonly(
      "natural_map_error", [of](const typename C::type& a) { return of(a).natural_map_error; },
      doc("SolveReport::natural_map_error"));
  c.def_property_readonly(
      "history", [of](const typename C::type& a) { return to_array(of(a).history); }, doc("SolveReport::history"));
  c.def_property_readonly(
      "notes", [of](const typename C::type& a) { return of(a).notes; }, doc("SolveReport::notes"));
  c.def("__repr__", [of](const typename C::type& a) {
    return fmt::format("<stickslip solve: {}, residual {:.2e} m/s, {} iterations>", status_name(of(a).status),
                       of(a).residual.total(), of(a).iterations);
  });
}

}   // namespace

void bind_solvers(py::module_& m) {
  py::class_<SolveReport> report(m, "SolveReport", "How a solve came out.");
  bind_report(report, [](const SolveReport& r) -> const SolveReport& { return r; });
  py::class_<AnswerHandle> answer(m, "Answer", "What a solve hands back: impulses, velocities and how it came out.");
  bind_report(answer, [](const AnswerHandle& a) -> const SolveReport& { return a.report; });
  answer.def_readonly("impulses", &AnswerHandle::impulses, "The best that were seen [N s].");
  answer.def_readonly("velocity", &AnswerHandle::velocity, "v = W λ + b of them [m/s].");
  py::class_<DoneHandle, DonePointer> done(
      m, "Done", "What a solver written in Python calls after every iteration; true when it must return.");
  done.def("__call__", &DoneHandle::done, py::arg("iteration"), doc("SolveMonitor::done"));
  done.def("give_up", &DoneHandle::give_up, py::arg("reason") = "No more progress is possible.", "Ends the solve as stalled.");
  done.def_property_readonly(
      "residual", [](const DoneHandle& d) { return d.get().last_total(); }, "Of the iterate judged last [m/s].");
  done.def_property_readonly(
      "tolerance", [](const DoneHandle& d) { return d.get().control().tolerance; }, "That is asked for [m/s].");
  m.def("solve", &solve_problem, py::arg("problem"), py::arg("solver") = "auto", py::arg("tol") = 1e-6,
        py::arg("max_iterations") = 200, py::arg("time_limit") = std::numeric_limits<double>::infinity(),
        py::arg("guess") = py::none(), py::arg("history") = false, py::arg("callback") = py::none(),
        "Solves a contact problem to a residual of at most `tol` [m/s], by a solver of the table or a function (see `solver`). "
        "Further\n"
        "arguments are options of the solver: `ss.solve(problem, 'sor', relaxation=1.2)`. With `history` every iterate is "
        "judged and\n"
        "told in `answer.history`; `callback(iteration, impulses, residual)` sees those that are judged. Ctrl-C ends it.");
  m.def("solvers", &solvers_list, "All solvers: a list of dictionaries with name, model, needs, advice and options.");
  m.def("add_solver", &add_python_solver, py::arg("name"), py::arg("function"), py::arg("summary") = "",
        "Adds a function to the table of solvers: see `solver`.");
}

}   // namespace stickslip::python
