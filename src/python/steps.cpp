// Steppers, runs, batches and recordings in Python.
#include "python/steps.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "python/interrupts.h"
#include "record/captured_problem.h"
#include "stickslip/scene/parts.h"
#include "stickslip/serve/server.h"
#include "stickslip/step/batch.h"

namespace stickslip::python {

void ReportHandle::detach() {
  // The integrator reads some of its last report in the next step, contacts of sleeping bodies among it. It goes on with a
  // copy; the memory that arrays of Python look at goes along with the one that is kept.
  auto& live = const_cast<StepReport&>(*report);
  own = std::move(live);
  live = own;
  report = &own;
}

const std::vector<ContactForce>& ReportHandle::forces() {
  const double time = report->force_time > 0 ? report->force_time : report->h;
  if (forces_.empty())
    for (const ContactRecord& contact : report->contacts) forces_.push_back({contact.impulse / time});
  return forces_;
}

void RecordingHandle::finish() {
  if (!recorder) return;
  const BusyGuard busy(world);
  const py::gil_scoped_release unlocked;
  const auto ended = std::move(recorder);
  ended->finish_at(world->scene.world);
}

void StepperHandle::leave_report() {
  if (report && report.use_count() > 1) report->detach();
  report = nullptr;
}

void StepperHandle::take_report(const StepReport& step) {
  report = std::make_shared<ReportHandle>();
  report->world = world;
  report->report = &step;
}

void StepperHandle::record(const StepReport& step) {
  if (!sensors.sensors().empty()) sensors.read(world->scene.world, step);
  for (const RecordingPointer& r : recordings)
    if (r->recorder) r->recorder->record(world->scene.world, step);
}

namespace {

StepOptions options_with(const StepOptions& start, const py::dict& changes) {
  StepOptions options = start;
  read_step_options(to_document(changes), options);
  return options;
}

StepperPointer make_stepper(const WorldPointer& world, const py::kwargs& changes) {
  world->use();
  return std::make_shared<StepperHandle>(world, options_with(world->scene.step, changes));
}

constexpr std::chrono::milliseconds kPatience(50);   ///< after which Ctrl-C is looked for between two steps

/// Takes steps until `left` of them are 0, some time has passed, or Ctrl-C ends one, which leaves the world as it was before
/// that. @returns the last report; null: there is none
const StepReport* take_steps(StepperHandle& sim, std::int64_t& left) {
  const auto start = std::chrono::steady_clock::now();
  const StepReport* report = nullptr;
  const InterruptWatch watch(sim.cancel);
  try {
    do {
      report = &sim.stepper.step(sim.world->scene.world);
      sim.record(*report);
    } while (--left > 0 && std::chrono::steady_clock::now() - start < kPatience);
  } catch (const StepCancelled&) {
    return report;
  }
  return report;
}

/// Takes steps; other Python threads run meanwhile.
ReportPointer step(const StepperPointer& sim, std::int64_t count) {
  if (count < 1) throw Error(fmt::format("{} steps cannot be taken. Give 1 or more.", count));
  const BusyGuard busy(sim->world);
  sim->leave_report();
  while (true) {
    const StepReport* report;
    {
      const py::gil_scoped_release unlocked;
      report = take_steps(*sim, count);
    }
    if (count == 0) return sim->take_report(*report), sim->report;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

/// Takes the steps of a batch. Ctrl-C ends those that are being taken: every world is then as after some whole step of its own.
/// If Python does not make an exception of that, the rest is taken. @returns the last report of each
std::vector<const StepReport*> step_worlds(const std::vector<StepperPointer>& sims, const std::vector<BatchEntry>& entries,
                                           int steps, int threads) {
  std::vector<const StepReport*> reports(sims.size());
  std::vector<int> left(sims.size(), steps);
  std::vector<std::atomic<bool>*> flags;
  for (const StepperPointer& sim : sims) flags.push_back(&sim->cancel);
  while (true) {
    std::vector<std::size_t> unfinished;
    std::vector<BatchEntry> batch;
    int least = steps;
    for (std::size_t i = 0; i < sims.size(); ++i) {
      if (left[i] == 0) continue;
      unfinished.push_back(i);
      batch.push_back(entries[i]);
      least = std::min(least, left[i]);
    }
    if (batch.empty()) return reports;
    const auto after = [&](std::size_t k, const StepReport& report) {
      const std::size_t i = unfinished[k];
      reports[i] = &report;
      --left[i];
      sims[i]->record(report);
    };
    try {
      const py::gil_scoped_release unlocked;
      const InterruptWatch watch(flags);
      stickslip::step_all(batch, least, threads, after);
    } catch (const StepCancelled&) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }
}

std::vector<ReportPointer> step_all(const std::vector<StepperPointer>& sims, int steps, int threads) {
  if (steps < 1) throw Error(fmt::format("{} steps cannot be taken. Give 1 or more.", steps));
  std::vector<std::unique_ptr<BusyGuard>> busy;
  std::vector<BatchEntry> entries;
  for (const StepperPointer& sim : sims) {
    if (std::ranges::any_of(entries, [&](const BatchEntry& e) { return e.world == &sim->world->scene.world; }) &&
        sim->world->busy)
      throw Error("The same world stands twice in the batch. Every stepper needs one of its own.");
    busy.push_back(std::make_unique<BusyGuard>(sim->world));
    entries.push_back({&sim->stepper, &sim->world->scene.world});
  }
  for (const StepperPointer& sim : sims) sim->leave_report();
  const std::vector<const StepReport*> reports = step_worlds(sims, entries, steps, threads);
  std::vector<ReportPointer> handles;
  for (std::size_t i = 0; i < sims.size(); ++i) sims[i]->take_report(*reports[i]), handles.push_back(sims[i]->report);
  return handles;
}

/// Steps, one after the other, with a controller before each.
struct Run {
  StepperPointer sim;
  std::int64_t left;
  py::object controller;

  ReportPointer next() {
    if (left <= 0) throw py::stop_iteration();
    --left;
    if (!controller.is_none()) controller(sim);
    return step(sim, 1);
  }
};

Run run(const StepperPointer& sim, const std::optional<double>& seconds, const std::optional<std::int64_t>& steps,
        const py::object& controller) {
  if (seconds && steps) throw Error("Give either `seconds` or `steps`.");
  if (!controller.is_none() && PyCallable_Check(controller.ptr()) == 0)
    throw Error("A controller is a function that takes the stepper.");
  if (steps) {
    if (*steps < 0) throw Error(fmt::format("{} steps cannot be taken. Give 0 or more.", *steps));
    return {sim, *steps, controller};
  }
  const double time = seconds.value_or(sim->world->scene.seconds), count = std::ceil(time / sim->stepper.options().h - 1e-6);
  if (!(time >= 0) || !(count < 9e15)) throw Error(fmt::format("{} is not a duration. Give seconds, 0 or more.", time));
  return {sim, static_cast<std::int64_t>(count), controller};
}

RecordingPointer record(const StepperPointer& sim, const py::object& path, double frames_per_second) {
  auto recording = std::make_shared<RecordingHandle>();
  recording->world = sim->world;
  recording->path = py::str(py::module_::import("os").attr("fspath")(path));
  recording->recorder = make_recorder(recording->path, {.frames_per_second = frames_per_second});
  {
    const BusyGuard busy(sim->world);
    const py::gil_scoped_release unlocked;
    Scene& scene = sim->world->scene;
    const StepOptions ours = scene.step;
    scene.step = sim->stepper.options();   // records tell how the steps were taken
    try {
      recording->recorder->begin(scene);
    } catch (...) {
      scene.step = ours;
      throw;
    }
    scene.step = ours;
  }
  std::erase_if(sim->recordings, [](const RecordingPointer& r) { return !r->recorder; });
  sim->recordings.push_back(recording);
  return recording;
}

py::dict sensors_of(const StepperPointer& sim) {
  std::map<std::string, std::vector<double>> by_name;
  const SensorReader& reader = sim->sensors;
  for (std::size_t i = 0; i < reader.channels().size(); ++i)
    by_name[reader.sensors()[reader.channels()[i].sensor].name].push_back(reader.values()[i]);
  py::dict all;
  for (const auto& [name, values] : by_name)
    all[py::str(name)] = py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
  return all;
}

/// The contact problem of the last step.
ProblemHandle problem_of(const StepperPointer& sim) {
  sim->world->use();
  if (!sim->report) throw Error("No step has been taken yet, so there is no contact problem. Call step() first.");
  auto problem = std::make_shared<ContactProblem>(sim->stepper.problem());
  const auto numbers = [&](std::span<const double> list) { return std::vector<double>(list.begin(), list.end()); };
  return {problem, numbers(sim->stepper.guess()), numbers(sim->stepper.impulses())};
}

void bind_stepper(py::module_& m) {
  py::class_<StepperHandle, StepperPointer> c(m, "Stepper",
                                              "Advances a world by one step after the other. Options are those of `step` in "
                                              "scene files (docs/scenes.md); those that are\n"
                                              "not given are the world's own.\n\n"
                                              "    sim = ss.Stepper(world, h=0.005, solver='prox-gs', sleep=True)\n"
                                              "    for report in sim.run(seconds=2):\n"
                                              "        print(report.time, report.contacts.force.sum(axis=0))");
  py::class_<Run>(m, "Run", "Steps to be taken, by iterating: see `Stepper.run`.")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Run::next)
      .def("__len__", [](const Run& r) { return r.left; })
      .def(
          "finish",
          [](Run& r) {
            ReportPointer last = r.sim->report;
            while (r.left > 0) last = r.next();
            return last;
          },
          "Takes all steps that are left; returns the last report.");
  c.def(py::init(&make_stepper), py::arg("world"));
  c.def("step", &step, py::arg("count") = 1,
        "Takes one step, or several; returns the report of the last. Other Python threads run meanwhile.");
  c.def("run", &run, py::arg("seconds") = py::none(), py::arg("steps") = py::none(), py::arg("controller") = py::none(),
        "Steps to iterate over: `for report in sim.run(seconds=2): …`. Without numbers as long as the scene says. The "
        "controller is\n"
        "called with the stepper before every step, to read and to drive: `lambda sim: ...`.");
  c.def_property_readonly("sensors", &sensors_of,
                          "What the sensors of the scene measured in the last step, by name: arrays of their channels "
                          "(docs/driving.md). NaN before "
                          "the first.");
  c.def("problem", &problem_of,
        "The contact problem of the last step, with the guess that it was solved from and the impulses found.");
  c.def("record", &record, py::arg("path"), py::arg("frames_per_second") = 0.0,
        "Writes all further steps to a file; the ending of its name says what it is: .h5 trajectory, .csv telemetry, .html "
        "replay,\n"
        ".glb glTF, .pvd ParaView. Returns the recording, to be finished, by itself or `with`.");
  c.def_property_readonly(
      "world", [](const StepperPointer& s) { return s->world; }, "What is stepped.");
  c.def_property_readonly(
      "report", [](const StepperPointer& s) { return s->world->use(), s->report; }, "Of the last step; None before the first.");
  c.def_property_readonly(
      "time", [](const StepperPointer& s) { return s->world->use().time; }, "Of the world [s].");
  c.def_property_readonly(
      "h", [](const StepperPointer& s) { return s->stepper.options().h; }, "Length of a step [s].");
  c.def_property(
      "options", [](const StepperPointer& s) { return from_document(write_step_options(s->stepper.options())); },
      [](const StepperPointer& s, const py::dict& changes) {
        const BusyGuard busy(s->world);
        const StepOptions changed = options_with(s->stepper.options(), changes);
        s->leave_report();
        s->stepper.set_options(changed);
      },
      "All options, a dictionary as `step` in scene files. Assigning changes what the new dictionary names.");
  c.def("__repr__", [](const StepperPointer& s) {
    return fmt::format("<stickslip.Stepper of '{}': {}, h = {:g} s>", s->world->scene.name, s->stepper.options().integrator,
                       s->stepper.options().h);
  });
  m.def("step_all", &step_all, py::arg("steppers"), py::arg("steps") = 1, py::arg("threads") = 0, doc("step_all"));
}

void bind_recording(py::module_& m) {
  py::class_<RecordingHandle, RecordingPointer> c(m, "Recording",
                                                  "A file that sees the steps of a simulation, made by `Stepper.record`.");
  c.def_property_readonly(
      "path", [](const RecordingHandle& r) { return r.path; }, "Where it is.");
  c.def_property_readonly(
      "finished", [](const RecordingHandle& r) { return r.recorder == nullptr; }, "Whether the file is complete.");
  c.def("finish", &RecordingHandle::finish, "Completes the file. Calls after the first do nothing.");
  c.def("__enter__", [](py::object self) { return self; });
  c.def("__exit__", [](RecordingHandle& r, const py::args&) { r.finish(); });
  c.def("__repr__", [](const RecordingHandle& r) { return fmt::format("<stickslip.Recording '{}'>", r.path); });
}

using ServerPointer = std::shared_ptr<Server>;

void bind_server(py::module_& m) {
  py::class_<Server, ServerPointer> c(m, "Server", doc("Server"));
  c.def(py::init([](const WorldPointer& world, int port, bool paused, double speed) {
          world->use();
          if (port < 0 || port > 65535)
            throw Error(fmt::format("{} is not a port. Give 1 to 65535, or 0 for any that is free.", port));
          Scene copy = world->scene;
          const py::gil_scoped_release unlocked;
          ServerOptions options;
          options.port = static_cast<std::uint16_t>(port);
          options.paused = paused;
          options.speed = speed;
          return ServerPointer(new Server(std::move(copy), options), [](Server* server) {
            if (Py_IsInitialized() == 0 || PyGILState_Check() == 0) return delete server;
            const py::gil_scoped_release free;   // its threads may wait for the interpreter
            delete server;
          });
        }),
        py::arg("world"), py::arg("port") = 0, py::arg("paused") = false, py::arg("speed") = 1.0,
        "Serves a copy of a world to browsers on this machine.");
  c.def_property_readonly(
      "url", [](const ServerPointer& s) { return s->url(); }, doc("Server::url"));
  c.def_property_readonly(
      "port", [](const ServerPointer& s) { return s->port(); }, "Where it listens.");
  c.def(
      "stop",
      [](const ServerPointer& s) {
        const py::gil_scoped_release unlocked;
        s->stop();
      },
      doc("Server::stop"));
  c.def("__enter__", [](py::object self) { return self; });
  c.def("__exit__", [](const ServerPointer& s, const py::args&) {
    const py::gil_scoped_release unlocked;
    s->stop();
  });
}

}   // namespace

void bind_steps(py::module_& m) {
  bind_recording(m);
  bind_stepper(m);
  bind_server(m);
}

}   // namespace stickslip::python
