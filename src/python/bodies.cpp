// Bodies and materials in Python.
#include <fmt/format.h>

#include "python/module.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip::python {

BodyId body_of(const WorldPointer& world, const py::handle& given) {
  if (py::isinstance<py::str>(given)) return world->use().find(std::string(py::str(given)));
  if (!py::isinstance<BodyHandle>(given)) throw Error("Give a body, or the name of one.");
  const auto& body = given.cast<const BodyHandle&>();
  if (body.world != world) throw Error(fmt::format("'{}' belongs to another world.", body.get().name));
  body.get();
  return body.id;
}

namespace {

const NodalBody& nodes_of(const BodyHandle& b) {
  b.get();
  return b.world->scene.world.nodal_body(b.id);
}

py::array to_rows(std::span<const Vec3> list) {
  py::array_t<double> array({static_cast<py::ssize_t>(list.size()), py::ssize_t{3}});
  double* out = array.mutable_data();
  for (const Vec3& v : list) out = std::copy_n(v.data(), 3, out);
  return array;
}

void set_velocity(const BodyHandle& b, const Vec3& linear, const Vec3& angular) {
  b.world->use().set_velocity(b.id, linear, angular);
}

void bind_motion(py::class_<BodyHandle>& c) {
  c.def_property(
      "position", [](const BodyHandle& b) { return to_array(b.get().position); },
      [](const BodyHandle& b, const py::object& value) {
        const Body& body = b.get();
        Pose frame = body.frame();
        frame.position += to_vec3(value, "a position") - body.position;
        b.world->use().set_frame(b.id, frame);
      },
      "Of the centre of mass, world frame [m]; a new array. Assigning moves the body, and wakes it.");
  c.def_property(
      "orientation_wxyz", [](const BodyHandle& b) { return to_array(b.get().orientation); },
      [](const BodyHandle& b, const py::object& value) {
        const Body& body = b.get();
        const Quat q = to_quat(value, "a rotation").normalized();
        b.world->use().set_frame(b.id, {body.position - q * body.mass.center, q});
      },
      "Body frame to world frame, a quaternion w, x, y, z. Assigning turns the body about its centre of mass, and wakes it.");
  c.def_property(
      "velocity", [](const BodyHandle& b) { return to_array(b.get().velocity); },
      [](const BodyHandle& b, const py::object& v) { set_velocity(b, to_vec3(v, "a velocity"), b.get().angular_velocity); },
      doc("Body::velocity"));
  c.def_property(
      "angular_velocity", [](const BodyHandle& b) { return to_array(b.get().angular_velocity); },
      [](const BodyHandle& b, const py::object& v) { set_velocity(b, b.get().velocity, to_vec3(v, "an angular velocity")); },
      doc("Body::angular_velocity"));
  c.def_property(
      "force", [](const BodyHandle& b) { return to_array(b.get().force); },
      [](const BodyHandle& b, const py::object& f) {
        const Vec3 force = to_vec3(f, "a force"), torque = b.get().torque;
        b.world->use().set_applied(b.id, force, torque);
      },
      doc("Body::force"));
  c.def_property(
      "torque", [](const BodyHandle& b) { return to_array(b.get().torque); },
      [](const BodyHandle& b, const py::object& t) {
        const Vec3 torque = to_vec3(t, "a torque"), force = b.get().force;
        b.world->use().set_applied(b.id, force, torque);
      },
      doc("Body::torque"));
  c.def(
      "apply_impulse",
      [](const BodyHandle& b, const py::object& impulse, const py::object& point) {
        const Vec3 at = point.is_none() ? b.get().position : to_vec3(point, "a point");
        b.world->use().apply_impulse(b.id, to_vec3(impulse, "an impulse"), at);
      },
      py::arg("impulse"), py::arg("point") = py::none(), doc("World::apply_impulse"));
  c.def(
      "wake", [](const BodyHandle& b) { b.get(), b.world->use().wake(b.id); }, "Wakes the body.");
  c.def(
      "velocity_at",
      [](const BodyHandle& b, const py::object& point) { return to_array(b.get().velocity_at(to_vec3(point, "a point"))); },
      py::arg("point"), doc("Body::velocity_at"));
}

void bind_nodes(py::class_<BodyHandle>& c) {
  c.def_property_readonly(
      "node_positions", [](const BodyHandle& b) { return to_rows(nodes_of(b).positions); },
      "Of a body of nodes: where they are, world frame [m]; a new array.");
  c.def_property_readonly(
      "node_velocities", [](const BodyHandle& b) { return to_rows(nodes_of(b).velocities); },
      "Of a body of nodes: how they move [m/s]; a new array.");
  c.def_property_readonly(
      "tetrahedra",
      [](const BodyHandle& b) {
        const NodalBody& nodes = nodes_of(b);
        if (!nodes.is_soft()) throw Error(fmt::format("'{}' is not a soft body.", b.get().name));
        const std::vector<Tetrahedron>& list = nodes.solid->tetrahedra();
        py::array_t<std::uint32_t> array({static_cast<py::ssize_t>(list.size()), py::ssize_t{4}});
        std::uint32_t* out = array.mutable_data();
        for (const Tetrahedron& t : list) out = std::copy(t.begin(), t.end(), out);
        return array;
      },
      "Of a soft body: the nodes of its elements; a new array.");
}

std::string body_repr(const BodyHandle& b) {
  if (b.world->busy) return "<stickslip.Body, being stepped>";
  if (!b.world->scene.world.contains(b.id)) return "<stickslip.Body, removed>";
  return fmt::format("<stickslip.Body '{}'>", b.get().name);
}

void bind_material(py::class_<MaterialHandle>& c) {
  const auto number = [&](const char* name, double Material::*member) {
    c.def_property(
        name, [member](const MaterialHandle& m) { return m.get().*member; },
        [member](const MaterialHandle& m, double value) {
          Material changed = m.get();
          changed.*member = value;
          m.world->use().materials.set(m.id, changed);
        },
        doc(std::string("Material::") + name));
  };
  c.def_property_readonly(
      "name", [](const MaterialHandle& m) { return m.get().name; }, "Unique.");
  number("friction", &Material::friction);
  number("restitution", &Material::restitution);
  number("tangential_restitution", &Material::tangential_restitution);
  c.def_property_readonly(
      "density", [](const MaterialHandle& m) { return m.get().density; }, doc("Material::density"));
  c.def_property_readonly(
      "law", [](const MaterialHandle& m) { return m.get().law ? m.get().law->name : std::string("coulomb"); },
      "The name of its friction law.");
  c.def("__repr__", [](const MaterialHandle& m) {
    return m.world->busy ? "<stickslip.Material>" : fmt::format("<stickslip.Material '{}'>", m.get().name);
  });
  c.def(
      "__eq__",
      [](const MaterialHandle& a, const py::object& b) {
        return py::isinstance<MaterialHandle>(b) && a == b.cast<const MaterialHandle&>();
      },
      py::arg("other"));
  c.def("__hash__", [](const MaterialHandle& m) { return std::hash<const void*>{}(m.world.get()) * 31 + m.id.index; });
}

}   // namespace

void bind_bodies(py::module_& m) {
  py::class_<BodyHandle> c = m.attr("Body");
  c.def_property_readonly(
      "name", [](const BodyHandle& b) { return b.get().name; }, "Unique in its world.");
  c.def_property_readonly(
      "world", [](const BodyHandle& b) { return b.world; }, "The world it belongs to.");
  c.def_property_readonly(
      "exists", [](const BodyHandle& b) { return b.world->use().contains(b.id); }, "False once it has been removed.");
  c.def_property_readonly(
      "index", [](const BodyHandle& b) { return b.get(), b.id.index; },
      "Its slot: what `contacts.body_a` and `contacts.body_b` of reports hold.");
  c.def_property_readonly(
      "motion",
      [](const BodyHandle& b) {
        return std::array{"dynamic", "fixed", "kinematic"}[static_cast<std::size_t>(b.get().motion)];
      },
      "'dynamic', 'fixed' or 'kinematic'.");
  c.def_property_readonly(
      "kind", [](const BodyHandle& b) { return b.get().is_rigid()      ? "rigid"
                                               : nodes_of(b).is_soft() ? "soft"
                                                                       : "beads"; },
      "'rigid', 'soft' or 'beads'.");
  c.def_property_readonly(
      "mass", [](const BodyHandle& b) { return b.get().mass.mass; }, "[kg]; 0 if it is not dynamic and has no mass.");
  c.def_property_readonly(
      "inertia",
      [](const BodyHandle& b) {
        const Mat3 inertia = b.get().world_inertia();
        return py::array_t<double>({3, 3}, inertia.data());   // symmetric
      },
      "About the centre of mass, world frame [kg m²].");
  c.def_property_readonly(
      "asleep", [](const BodyHandle& b) { return b.get().asleep; }, "Whether it rests and is left alone.");
  bind_motion(c);
  bind_nodes(c);
  c.def("__repr__", &body_repr);
  c.def(
      "__eq__",
      [](const BodyHandle& a, const py::object& b) {
        return py::isinstance<BodyHandle>(b) && a == b.cast<const BodyHandle&>();
      },
      py::arg("other"));
  c.def("__hash__", [](const BodyHandle& b) {
    return std::hash<const void*>{}(b.world.get()) * 31 + b.id.index * 7919u + b.id.generation;
  });
  py::class_<MaterialHandle> material = m.attr("Material");
  bind_material(material);
}

}   // namespace stickslip::python
