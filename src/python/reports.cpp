// Reports of steps in Python: numbers by value, lists as NumPy views on the report's own memory.
#include <fmt/format.h>

#include "python/steps.h"

namespace stickslip::python {

namespace {

struct ContactsHandle {
  ReportPointer report;
};
struct JointsHandle {
  ReportPointer report;
};

/// Slots of bodies: a view.
py::array slots(const ContactsHandle& c, BodyId ContactRecord::*member) {
  const std::vector<ContactRecord>& list = c.report->get().contacts;
  if (list.empty()) return py::array_t<std::uint32_t>(0);
  py::array array(py::dtype::of<std::uint32_t>(), {static_cast<py::ssize_t>(list.size())},
                  {static_cast<py::ssize_t>(sizeof(ContactRecord))}, &(list.front().*member).index, py::cast(c.report));
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::list pairs_of(const ContactsHandle& c) {
  py::list list;
  for (const ContactRecord& contact : c.report->get().contacts)
    list.append(py::make_tuple(BodyHandle{c.report->world, contact.body_a}, BodyHandle{c.report->world, contact.body_b}));
  return list;
}

/// Whether each contact is one of this body.
py::array_t<bool> contacts_of(const ContactsHandle& c, const py::object& given) {
  const BodyId id = body_of(c.report->world, given);
  const std::vector<ContactRecord>& list = c.report->get().contacts;
  py::array_t<bool> array(static_cast<py::ssize_t>(list.size()));
  bool* out = array.mutable_data();
  for (const ContactRecord& contact : list) *out++ = contact.body_a == id || contact.body_b == id;
  return array;
}

void bind_contacts(py::module_& m) {
  py::class_<ContactsHandle> c(
      m, "Contacts",
      "The contacts of a step, as arrays with a row for each: views on the report's memory, read-only. Forces and\n"
      "impulses act on body B; A receives the opposite.");
  const auto field = [&](const char* name, auto member) {
    c.def_property_readonly(
        name, [member](const ContactsHandle& h) { return view(h.report->get().contacts, member, py::cast(h.report)); },
        doc(std::string("ContactRecord::") + name));
  };
  field("position", &ContactRecord::position);
  field("normal", &ContactRecord::normal);
  field("gap", &ContactRecord::gap);
  field("impulse", &ContactRecord::impulse);
  field("normal_impulse", &ContactRecord::normal_impulse);
  field("friction", &ContactRecord::friction);
  field("slip_velocity", &ContactRecord::slip_velocity);
  field("angular_impulse", &ContactRecord::angular_impulse);
  c.def_property_readonly(
      "force", [](const ContactsHandle& h) { return view(h.report->forces(), &ContactForce::force, py::cast(h.report)); },
      "On body B, world frame, mean over the step [N]: `impulse` over the time of the step.");
  c.def_property_readonly(
      "body_a", [](const ContactsHandle& h) { return slots(h, &ContactRecord::body_a); },
      "Slots of the bodies A: `Body.index`.");
  c.def_property_readonly(
      "body_b", [](const ContactsHandle& h) { return slots(h, &ContactRecord::body_b); },
      "Slots of the bodies B: `Body.index`.");
  c.def_property_readonly("bodies", &pairs_of, "A list of pairs of bodies (A, B).");
  c.def("of", &contacts_of, py::arg("body"), "Which contacts are those of a body: an array of truth values, to pick rows by.");
  c.def("__len__", [](const ContactsHandle& h) { return h.report->get().contacts.size(); });
  c.def("__repr__",
        [](const ContactsHandle& h) { return fmt::format("<stickslip.Contacts: {}>", h.report->get().contacts.size()); });
}

void bind_joint_records(py::module_& m) {
  py::class_<JointsHandle> c(
      m, "JointRecords",
      "The joints that acted in a step, as arrays with a row for each: views on the report's memory, read-only. Forces act\n"
      "on body B; A receives the opposite.");
  const auto field = [&](const char* name, auto member) {
    c.def_property_readonly(
        name, [member](const JointsHandle& h) { return view(h.report->get().joints, member, py::cast(h.report)); },
        doc(std::string("JointRecord::") + name));
  };
  field("point", &JointRecord::point);
  field("force", &JointRecord::force);
  field("torque", &JointRecord::torque);
  field("position", &JointRecord::position);
  field("velocity", &JointRecord::velocity);
  field("motor_force", &JointRecord::motor_force);
  field("free_force", &JointRecord::free_force);
  field("coupling_force", &JointRecord::coupling_force);
  field("error", &JointRecord::error);
  c.def_property_readonly(
      "joints",
      [](const JointsHandle& h) {
        py::list list;
        for (const JointRecord& r : h.report->get().joints) list.append(JointHandle{h.report->world, r.joint});
        return list;
      },
      "The joint of every row, a list.");
  c.def("__len__", [](const JointsHandle& h) { return h.report->get().joints.size(); });
}

/// Plain numbers of a struct as read-only attributes.
template <class T>
void bind_numbers(py::class_<T>& c, std::initializer_list<std::pair<const char*, double T::*>> fields, const char* of) {
  for (const auto& [name, member] : fields)
    c.def_property_readonly(
        name, [member = member](const T& t) { return t.*member; }, doc(fmt::format("{}::{}", of, name)));
  std::vector<std::pair<const char*, double T::*>> list = fields;
  c.def(
      "as_dict",
      [list](const T& t) {
        py::dict dictionary;
        for (const auto& [name, member] : list) dictionary[name] = t.*member;
        return dictionary;
      },
      "All of them by name.");
  c.def("__repr__", [list, of = std::string(of)](const T& t) {
    std::string text;
    for (const auto& [name, member] : list) text += fmt::format("{}{}={:.6g}", text.empty() ? "" : ", ", name, t.*member);
    return fmt::format("{}({})", of, text);
  });
}

void bind_parts(py::module_& m) {
  using E = EnergyLedger;
  py::class_<E> energy(m, "EnergyLedger", doc("EnergyLedger"));
  bind_numbers<E>(energy,
                  {{"kinetic_start", &E::kinetic_start},
                   {"kinetic_end", &E::kinetic_end},
                   {"potential_start", &E::potential_start},
                   {"potential_end", &E::potential_end},
                   {"friction", &E::friction},
                   {"impact", &E::impact},
                   {"stabilisation", &E::stabilisation},
                   {"applied", &E::applied},
                   {"driven", &E::driven},
                   {"motors", &E::motors},
                   {"springs", &E::springs},
                   {"damping", &E::damping},
                   {"integration", &E::integration}},
                  "EnergyLedger");
  using T = StageTimes;
  py::class_<T> times(m, "StageTimes", "What the stages of a step took [s].");
  for (const auto& [name, member] : {std::pair{"broad", &T::broad},
                                     {"narrow", &T::narrow},
                                     {"assembly", &T::assembly},
                                     {"solve", &T::solve},
                                     {"integration", &T::integration},
                                     {"projection", &T::projection},
                                     {"bookkeeping", &T::bookkeeping}})
    times.def_property_readonly(
        name, [member = member](const T& t) { return t.*member; }, "[s]");
  times.def_property_readonly("total", &T::total, "[s]");
}

struct FindingHandle {
  std::string kind, where, what, remedy;
  double value, limit, amount;
};

void bind_findings(py::module_& m) {
  py::class_<FindingHandle> c(m, "Finding", doc("MotionFinding"));
  c.def_readonly("kind", &FindingHandle::kind, "Such as 'deep-overlap': see docs/motion.md.");
  c.def_readonly("where", &FindingHandle::where, doc("where"));
  c.def_readonly("what", &FindingHandle::what, doc("what"));
  c.def_readonly("remedy", &FindingHandle::remedy, "What to do about it.");
  c.def_readonly("value", &FindingHandle::value, "As the kind says; beyond the limit.");
  c.def_readonly("limit", &FindingHandle::limit, "Of the value.");
  c.def_readonly("amount", &FindingHandle::amount, "The value with its unit.");
  c.def("__repr__", [](const FindingHandle& f) { return fmt::format("<{}: {} {}>", f.kind, f.where, f.what); });
}

std::vector<FindingHandle> findings_of(const ReportHandle& r) {
  std::vector<FindingHandle> list;
  const World& world = r.world->use();
  for (const MotionFinding& f : r.get().findings)
    list.push_back(
        {std::string(motion_kind_name(f.kind)), where(f, world), what(f), remedy(f, r.get().h), f.value, f.limit, f.amount});
  return list;
}

py::object joint_of(const ReportPointer& r, const JointHandle& joint) {
  const std::vector<JointRecord>& list = r->get().joints;
  if (joint.world != r->world) throw Error("This joint belongs to another world.");
  const auto at = std::ranges::find(list, joint.id, &JointRecord::joint);
  if (at == list.end()) return py::none();
  py::dict d;
  d["point"] = to_array(at->point);
  d["force"] = to_array(at->force);
  d["torque"] = to_array(at->torque);
  d["position"] = to_array(at->position);
  d["velocity"] = to_array(at->velocity);
  d["motor_force"] = to_array(at->motor_force);
  d["free_force"] = to_array(at->free_force);
  d["coupling_force"] = at->coupling_force;
  d["error"] = at->error;
  d["broke"] = at->broke;
  return d;
}

void bind_sums(py::class_<ReportHandle, ReportPointer>& c) {
  c.def(
      "force_on",
      [](const ReportPointer& r, const py::object& body) { return to_array(r->get().force_on(body_of(r->world, body))); },
      py::arg("body"), doc("StepReport::force_on"));
  c.def(
      "wrench",
      [](const ReportPointer& r, const py::object& on, const py::object& from, const py::object& reference) {
        const Wrench w = r->get().wrench(body_of(r->world, on), body_of(r->world, from), to_vec3(reference, "a point"));
        return std::pair(to_array(w.force), to_array(w.torque));
      },
      py::arg("on"), py::arg("by"), py::arg("reference") = py::make_tuple(0, 0, 0),
      "Sum of the contact forces on one body by another [N], and their torque about `reference` [N m], world frame.");
  c.def(
      "center_of_pressure",
      [](const ReportPointer& r, const py::object& a, const py::object& b) -> py::object {
        const auto p = r->get().center_of_pressure(body_of(r->world, a), body_of(r->world, b));
        return p ? py::object(to_array(*p)) : py::none();
      },
      py::arg("a"), py::arg("b"), doc("StepReport::center_of_pressure"));
  c.def("joint", &joint_of, py::arg("joint"),
        "What a joint did, a dictionary of the entries of `joints`; None if it did not act.");
}

void bind_outcome(py::class_<ReportHandle, ReportPointer>& c) {
  c.def_property_readonly(
      "status", [](const ReportPointer& r) { return std::string(status_name(r->get().outcome.status)); },
      "'converged', or why the equations of the step were not solved to the tolerance.");
  c.def_property_readonly(
      "converged", [](const ReportPointer& r) { return r->get().outcome.status == SolveStatus::converged; },
      "Whether the tolerance was met.");
  c.def_property_readonly(
      "reason", [](const ReportPointer& r) { return std::string(r->get().outcome.reason); }, doc("StepOutcome::reason"));
  c.def_property_readonly(
      "iterations", [](const ReportPointer& r) { return r->get().outcome.iterations; }, "Of the solver.");
  c.def_property_readonly(
      "error", [](const ReportPointer& r) { return r->get().outcome.error; }, doc("StepOutcome::error"));
  c.def_property_readonly(
      "tolerance", [](const ReportPointer& r) { return r->get().outcome.tolerance; }, doc("StepOutcome::tolerance"));
  c.def_property_readonly(
      "unit", [](const ReportPointer& r) { return std::string(r->get().outcome.unit); }, "Of error and tolerance.");
}

}   // namespace

void bind_reports(py::module_& m) {
  bind_contacts(m);
  bind_joint_records(m);
  bind_parts(m);
  bind_findings(m);
  py::class_<ReportHandle, ReportPointer> c(
      m, "Report",
      "What a step tells: contacts with their forces, joints, energy, residual. It stays as it is as long as you keep it.");
  const auto field = [&](const char* name, auto member, const char* help = nullptr) {
    c.def_property_readonly(
        name, [member](const ReportPointer& r) { return r->get().*member; },
        help ? help : doc(std::string("StepReport::") + name));
  };
  field("step", &StepReport::step);
  field("time", &StepReport::time);
  field("h", &StepReport::h, "[s]");
  field("pieces", &StepReport::pieces);
  field("force_time", &StepReport::force_time);
  field("looked_again", &StepReport::looked_again);
  field("impacts", &StepReport::impacts);
  field("distance_min", &StepReport::distance_min);
  field("penetration_max", &StepReport::penetration_max);
  field("energy", &StepReport::energy, doc("EnergyLedger"));
  field("seconds", &StepReport::seconds, "What the stages of the step took.");
  field("sleeping_bodies", &StepReport::sleeping_bodies, "How many bodies sleep.");
  field("joint_error_max", &StepReport::joint_error_max);
  field("solve", &StepReport::solve);
  c.def_property_readonly(
      "linear_momentum", [](const ReportPointer& r) { return to_array(r->get().linear_momentum); },
      doc("StepReport::linear_momentum"));
  c.def_property_readonly(
      "angular_momentum", [](const ReportPointer& r) { return to_array(r->get().angular_momentum); },
      doc("StepReport::angular_momentum"));
  bind_outcome(c);
  c.def_property_readonly(
      "contacts", [](const ReportPointer& r) { return ContactsHandle{r}; }, "All contacts of the step.");
  c.def_property_readonly(
      "joints", [](const ReportPointer& r) { return JointsHandle{r}; }, "All joints that acted.");
  c.def_property_readonly(
      "findings", [](const ReportPointer& r) { return findings_of(*r); }, doc("StepReport::findings"));
  bind_sums(c);
  c.def("__repr__", [](const ReportPointer& r) {
    return fmt::format("<stickslip.Report of step {}: t = {:g} s, {} contacts, {}>", r->get().step, r->get().time,
                       r->get().contacts.size(), status_name(r->get().outcome.status));
  });
}

}   // namespace stickslip::python
