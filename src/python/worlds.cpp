// Worlds in Python: a World is a scene, that is, bodies with how to step them.
#include <fmt/format.h>

#include "python/module.h"
#include "stickslip/import/import.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/playback.h"
#include "stickslip/scene/controls.h"
#include "stickslip/scene/parts.h"

namespace stickslip::python {

namespace {

/// Anything that a scene can be made of.
Scene open_scene(const py::object& source, const py::dict& changes) {
  std::vector<Override> overrides;
  for (const auto& [pointer, value] : changes) overrides.push_back({py::str(pointer), to_document(value)});
  if (py::isinstance<py::dict>(source)) return parse_scene(to_document(source), "", overrides);
  if (!py::isinstance<py::str>(source) && !py::hasattr(source, "__fspath__"))
    throw Error("A scene is made of the name of a built-in one, a file, or a dictionary.");
  const std::string name = py::str(py::module_::import("os").attr("fspath")(source));
  const py::gil_scoped_release unlocked;
  if (is_checkpoint(name) || name.ends_with(".h5") || name.ends_with(".hdf5")) {
    if (!overrides.empty()) throw Error("A checkpoint is built already, so that nothing of its scene can be changed.").in(name);
    return load_checkpoint(name);
  }
  if (!names_robot(name)) return load_scene(name, overrides);
  const ImportedScene imported = import_robot(name);
  Scene scene = parse_scene(imported.document, name, overrides);
  const std::vector<std::string> warnings = import_warnings(imported.findings);
  scene.warnings.insert(scene.warnings.begin(), warnings.begin(), warnings.end());
  return scene;
}

WorldPointer make_world(Scene scene) {
  auto world = std::make_shared<WorldHandle>();
  world->scene = std::move(scene);
  return world;
}

/// Adds one part of a document to a world, under the key of its list.
AddedParts add(const WorldPointer& world, const char* list, const py::object& entry) {
  py::dict document;
  py::list entries;
  entries.append(entry);
  document[list] = entries;
  World& into = world->use();
  AddedParts added = add_parts(into, to_document(document));
  for (const std::string& warning : added.warnings) world->scene.warnings.push_back(warning);
  return added;
}

py::object add_body(const WorldPointer& world, const py::kwargs& fields) {
  const AddedParts added = add(world, "bodies", fields);
  if (added.bodies.size() == 1 && !fields.contains("repeat")) return py::cast(BodyHandle{world, added.bodies[0]});
  py::list list;
  for (const BodyId id : added.bodies) list.append(BodyHandle{world, id});
  return list;
}

JointHandle add_joint(const WorldPointer& world, const py::str& type, const py::kwargs& fields) {
  fields["type"] = type;
  return {world, add(world, "joints", fields).joints.at(0)};
}

MaterialHandle add_material(const WorldPointer& world, const py::str& name, const py::kwargs& fields) {
  fields["name"] = name;
  add(world, "materials", fields);
  return {world, world->use().materials.find(std::string(name))};
}

void add_sensor(const WorldPointer& world, const py::str& type, const py::kwargs& fields) {
  fields["type"] = type;
  if (fields.contains("from_")) fields["from"] = fields.attr("pop")("from_");   // `from` is a word of Python
  Scene& scene = world->scene;
  Sensor sensor;
  try {
    sensor = sensors_from_text("[" + to_document(fields) + "]", world->use()).at(0);
  } catch (Error& error) {
    throw error.at("sensors");
  }
  if (std::ranges::any_of(scene.sensors, [&](const Sensor& s) { return s.name == sensor.name; }))
    throw Error(fmt::format("There is another sensor '{}'. Names of sensors must differ.", sensor.name));
  scene.sensors.push_back(std::move(sensor));
}

void set_pair(const WorldPointer& world, const py::object& a, const py::object& b, const py::kwargs& fields) {
  fields["between"] = py::make_tuple(a, b);
  add(world, "material_pairs", fields);
}

std::vector<BodyHandle> bodies_of(const WorldPointer& world) {
  std::vector<BodyHandle> list;
  const World& w = world->use();
  for (std::uint32_t i = 0; i < w.bodies().size(); ++i)
    if (w.bodies()[i].alive) list.push_back({world, w.id_of(i)});
  return list;
}

std::vector<JointHandle> joints_of(const WorldPointer& world) {
  std::vector<JointHandle> list;
  const World& w = world->use();
  for (std::uint32_t i = 0; i < w.joints().size(); ++i)
    if (w.joints()[i].alive) list.push_back({world, w.joint_id_of(i)});
  return list;
}

std::vector<MaterialHandle> materials_of(const WorldPointer& world) {
  std::vector<MaterialHandle> list;
  for (std::uint32_t i = 0; i < world->use().materials.size(); ++i) list.push_back({world, {i}});
  return list;
}

/// Three or four numbers of every body that is there, as one array.
template <int Width, class Of>
py::array gathered(const WorldPointer& world, Of&& of) {
  const World& w = world->use();
  py::array_t<double> array({static_cast<py::ssize_t>(w.body_count()), py::ssize_t{Width}});
  double* out = array.mutable_data();
  for (const Body& b : w.bodies()) {
    if (!b.alive) continue;
    const auto numbers = of(b);
    for (int k = 0; k < Width; ++k) *out++ = numbers[k];
  }
  return array;
}

py::dict world_options(const WorldPointer& world) {
  world->use();
  return from_document(write_step_options(world->scene.step));
}

/// A saved state: a world as it was. Nothing of it can be changed.
struct WorldState {
  World world;
};

std::string world_repr(const WorldPointer& world) {
  if (world->busy) return "<stickslip.World, being stepped>";
  const World& w = world->scene.world;
  return fmt::format("<stickslip.World '{}': {} bodies, {} joints, t = {:g} s>", world->scene.name, w.body_count(),
                     w.joint_count(), w.time);
}

void bind_content(py::class_<WorldHandle, WorldPointer>& c) {
  c.def(
      "add", &add_body,
      "Adds a body. The fields are those of an entry of `bodies` in scene files (docs/scenes.md): `shape` or `parts`, `name`,\n"
      "`motion`, `material`, `position`, `orientation_wxyz` or `rotation`, `velocity`, `mass`, ...; `nodes` makes a body of\n"
      "beads, `soft` a soft one. Returns the body, or a list of bodies where `repeat` makes several.\n\n"
      "    box = world.add(shape=ss.box(0.1, 0.1, 0.1), position=(0, 0, 1), material=wood)");
  c.def("add_joint", &add_joint, py::arg("type"),
        "Adds a joint. The fields are those of an entry of `joints` in scene files (docs/joints.md): `a` and `b` (bodies or\n"
        "names; a may be left out: the world), `anchor`, `axis`, `lower`, `upper`, `motor`, `servo`, `spring`, `axes`, ...\n\n"
        "    hinge = world.add_joint('hinge', b=door, anchor=(0, 0, 0), servo={'stiffness': 50, 'damping': 5})");
  c.def(
      "add_material", &add_material, py::arg("name"),
      "Adds a material, or changes the one called 'default'. The fields are those of an entry of `materials` in scene files:\n"
      "`density`, `friction` (a number, or a law with its numbers), `restitution`, ...");
  c.def("set_pair", &set_pair, py::arg("a"), py::arg("b"),
        "Fixes what two materials do where they touch: `friction`, `restitution`, `tangential_restitution`, `contact`.");
  c.def("add_sensor", &add_sensor, py::arg("type"),
        "Adds a sensor. The fields are those of an entry of `sensors` in scene files (docs/driving.md): `name`, `body`, "
        "`joint`,\n"
        "`from_`, .... Steppers that are made from then on read it.\n\n"
        "    world.add_sensor('contact', name='grip', body=finger, from_=ball)");
  c.def(
      "ignore_contacts",
      [](const WorldPointer& world, const py::object& a, const py::object& b) {
        const BodyId of_a = body_of(world, a), of_b = body_of(world, b);
        world->use().ignore_contacts(of_a, of_b);
      },
      py::arg("a"), py::arg("b"), doc("World::ignore_contacts"));
  c.def(
      "remove",
      [](const WorldPointer& world, const py::object& what) {
        if (py::isinstance<JointHandle>(what)) {
          const auto& joint = what.cast<const JointHandle&>();
          if (joint.world != world) throw Error("This joint belongs to another world.");
          return world->use().remove(joint.id);
        }
        const BodyId id = body_of(world, what);
        world->use().remove(id);
      },
      py::arg("what"), "Removes a body, with its joints and contacts, or a joint. What slept on it wakes.");
}

void bind_lookup(py::class_<WorldHandle, WorldPointer>& c) {
  c.def_property_readonly("bodies", &bodies_of, "All bodies, a list.");
  c.def_property_readonly("joints", &joints_of, "All joints, a list.");
  c.def_property_readonly("materials", &materials_of, "All materials, a list; the first is 'default'.");
  c.def(
      "body",
      [](const WorldPointer& world, const std::string& name) {
        return BodyHandle{world, world->use().find(name)};
      },
      py::arg("name"), "The body with this name. Raises Error with a suggestion if there is none.");
  c.def(
      "joint",
      [](const WorldPointer& world, const std::string& name) {
        return JointHandle{world, world->use().find_joint(name)};
      },
      py::arg("name"), "The joint with this name. Raises Error with a suggestion if there is none.");
  c.def(
      "material",
      [](const WorldPointer& world, const std::string& name) {
        return MaterialHandle{world, world->use().materials.find(name)};
      },
      py::arg("name"), "The material with this name. Raises Error with a suggestion if there is none.");
  c.def(
      "__getitem__",
      [](const WorldPointer& world, const std::string& name) {
        return BodyHandle{world, world->use().find(name)};
      },
      py::arg("name"), "world['box'] is world.body('box').");
  c.def(
      "__contains__",
      [](const WorldPointer& world, const py::object& what) {
        const World& w = world->use();
        if (py::isinstance<BodyHandle>(what))
          return what.cast<const BodyHandle&>().world == world && w.contains(what.cast<const BodyHandle&>().id);
        if (py::isinstance<JointHandle>(what))
          return what.cast<const JointHandle&>().world == world && w.contains(what.cast<const JointHandle&>().id);
        if (!py::isinstance<py::str>(what)) return false;
        const std::string name = py::str(what);
        return std::ranges::any_of(w.bodies(), [&](const Body& b) { return b.alive && b.name == name; });
      },
      py::arg("what"), "Whether a body (or its name) or a joint is there.");
  c.def("__len__", [](const WorldPointer& world) { return world->use().body_count(); });
  c.def(
      "__iter__", [](const WorldPointer& world) -> py::object { return py::iter(py::cast(bodies_of(world))); }, "All bodies.");
}

void bind_state(py::class_<WorldHandle, WorldPointer>& c) {
  c.def_property(
      "gravity", [](const WorldPointer& world) { return to_array(world->use().gravity); },
      [](const WorldPointer& world, const py::object& value) {
        const Vec3 gravity = to_vec3(value, "a gravity");
        if (!gravity.allFinite()) throw Error("Gravity must be finite [m/s²].");
        World& w = world->use();
        w.gravity = gravity;
        for (std::uint32_t i = 0; i < w.bodies().size(); ++i)
          if (w.bodies()[i].alive) w.wake(w.id_of(i));
      },
      doc("World::gravity"));
  c.def_property_readonly(
      "time", [](const WorldPointer& world) { return world->use().time; }, doc("World::time"));
  c.def_property_readonly(
      "step_count", [](const WorldPointer& world) { return world->use().step_count; }, "Steps taken so far.");
  c.def_property_readonly(
      "positions", [](const WorldPointer& w) { return gathered<3>(w, [](const Body& b) { return b.position; }); },
      "Centres of mass of all bodies, in the order of `bodies`, world frame [m]; a new array.");
  c.def_property_readonly(
      "orientations_wxyz",
      [](const WorldPointer& w) {
        return gathered<4>(w, [](const Body& b) {
          const Quat& q = b.orientation;
          return std::array{q.w(), q.x(), q.y(), q.z()};
        });
      },
      "Orientations of all bodies, quaternions w, x, y, z; a new array.");
  c.def_property_readonly(
      "velocities", [](const WorldPointer& w) { return gathered<3>(w, [](const Body& b) { return b.velocity; }); },
      "Velocities of the centres of mass of all bodies [m/s]; a new array.");
  c.def_property_readonly(
      "angular_velocities",
      [](const WorldPointer& w) { return gathered<3>(w, [](const Body& b) { return b.angular_velocity; }); },
      "Angular velocities of all bodies, world frame [rad/s]; a new array.");
  c.def(
      "read_controls",
      [](const WorldPointer& w, const py::object& path) {
        const std::string file = py::str(py::module_::import("os").attr("fspath")(path));
        read_controls(file, w->use());
      },
      py::arg("path"),
      "Gives joints the paths of efforts, speeds and targets that stand in a CSV file: time,joint:effort,… (docs/driving.md).");
  c.def_property_readonly(
      "kinetic_energy", [](const WorldPointer& w) { return w->use().kinetic_energy(); }, doc("World::kinetic_energy"));
  c.def_property_readonly(
      "potential_energy", [](const WorldPointer& w) { return w->use().potential_energy(); }, doc("World::potential_energy"));
  c.def_property_readonly(
      "elastic_energy", [](const WorldPointer& w) { return w->use().elastic_energy(); }, doc("World::elastic_energy"));
  c.def_property_readonly(
      "linear_momentum", [](const WorldPointer& w) { return to_array(w->use().linear_momentum()); },
      doc("World::linear_momentum"));
  c.def_property_readonly(
      "angular_momentum", [](const WorldPointer& w) { return to_array(w->use().angular_momentum()); },
      doc("World::angular_momentum"));
  c.def_property_readonly(
      "state_hash", [](const WorldPointer& w) { return w->use().state_hash(); }, doc("World::state_hash"));
}

void bind_copies(py::class_<WorldHandle, WorldPointer>& c) {
  c.def(
      "copy", [](const WorldPointer& w) { return w->use(), make_world(w->scene); },
      "A world of its own that is the same to the bit.");
  c.def("__copy__", [](const WorldPointer& w) { return w->use(), make_world(w->scene); });
  c.def(
      "__deepcopy__", [](const WorldPointer& w, const py::dict&) { return w->use(), make_world(w->scene); }, py::arg("memo"));
  c.def(
      "save_state", [](const WorldPointer& w) { return WorldState{w->use()}; },
      "The whole state, in memory, to go back to with `restore`; `save` writes a file.");
  c.def(
      "restore", [](const WorldPointer& w, const WorldState& state) { w->use() = state.world; }, py::arg("state"),
      "Goes back to a saved state: bodies, joints, materials, time, remembered impulses. The motion from there on is the same "
      "to\n"
      "the bit. Bodies that were added since are gone, those that were removed are back.");
}

void bind_scene(py::class_<WorldHandle, WorldPointer>& c) {
  const auto text = [&](const char* name, std::string Scene::*member, const char* help) {
    c.def_property(
        name, [member](const WorldPointer& w) { return w->scene.*member; },
        [member](const WorldPointer& w, const std::string& value) { w->use(), w->scene.*member = value; }, help);
  };
  text("name", &Scene::name, "Of the scene.");
  text("description", &Scene::description, doc("Scene::description"));
  c.def_property(
      "seconds", [](const WorldPointer& w) { return w->scene.seconds; },
      [](const WorldPointer& w, double value) {
        if (!(value > 0) || !std::isfinite(value))
          throw Error(fmt::format("{} is not a duration. It must be greater than 0 s.", value));
        w->scene.seconds = value;
      },
      doc("Scene::seconds"));
  c.def_property_readonly(
      "warnings", [](const WorldPointer& w) { return w->scene.warnings; },
      "Sentences about what is allowed but may not do what one hopes for.");
  c.def_property_readonly(
      "document",
      [](const WorldPointer& w) {
        return w->scene.document.empty() ? py::object(py::dict()) : from_document(w->scene.document);
      },
      "The scene document that the world was made from, a dictionary; empty if it was made by hand.");
  c.def_property(
      "options", &world_options,
      [](const WorldPointer& w, const py::dict& changes) {
        w->use();
        read_step_options(to_document(changes), w->scene.step);
      },
      "How the world is stepped, a dictionary as `step` in scene files. Assigning changes what the new dictionary names.");
  c.def(
      "save",
      [](const WorldPointer& w, const py::object& path) {
        const std::string file = py::str(py::module_::import("os").attr("fspath")(path));
        if (file.ends_with(".json"))
          throw Error("A checkpoint is not JSON. Give it a name that ends in .h5; the scene document is `world.document`.")
              .in(file);
        const BusyGuard busy(w);
        const py::gil_scoped_release unlocked;
        save_checkpoint(file, w->scene);
      },
      py::arg("path"), doc("save_checkpoint"));
  c.def("__repr__", &world_repr);
}

py::list scenes() {
  py::list list;
  for (const BuiltInScene& scene : built_in_scenes()) {
    py::dict entry, parameters;
    entry["name"] = scene.name;
    entry["look_for"] = scene.look_for;
    for (const BuiltInScene::Parameter& p : scene.parameters) {
      py::dict parameter;
      parameter["default"] = p.default_value;
      parameter["help"] = p.help;
      parameters[py::str(p.name)] = parameter;
    }
    entry["parameters"] = parameters;
    list.append(entry);
  }
  return list;
}

}   // namespace

void bind_worlds(py::module_& m) {
  py::class_<WorldState>(m, "WorldState", "A state of a world, made by `World.save_state`.");
  py::class_<WorldHandle, WorldPointer> world(
      m, "World",
      "Bodies, joints, materials, gravity and time, with how to step them: what a scene file describes.\n\n"
      "    world = ss.World()\n"
      "    wood = world.add_material('wood', density=700, friction=0.4)\n"
      "    world.add(name='ground', motion='fixed', shape=ss.half_space(), material=wood)\n"
      "    box = world.add(name='box', shape=ss.box(0.1, 0.1, 0.1), position=(0, 0, 0.1), material=wood)\n\n"
      "Bodies are reached by name, world['box'], and by `world.bodies`.");
  // What these return is declared with the world first, so that signatures show it by name.
  py::class_<BodyHandle> body(m, "Body", "One body of a world. Raises Error once the body has been removed.");
  py::class_<JointHandle> joint(m, "Joint", "One joint of a world. Raises Error once the joint has been removed.");
  py::class_<MaterialHandle> material(m, "Material", "One material of a world.");
  world.def(py::init([](const std::string& name) {
              Scene scene;
              scene.name = name;
              return make_world(std::move(scene));
            }),
            py::arg("name") = "world", "An empty world with gravity along -z.");
  bind_content(world);
  bind_lookup(world);
  bind_state(world);
  bind_copies(world);
  bind_scene(world);
  m.def(
      "open_scene", [](const py::object& source, const py::dict& changes) { return make_world(open_scene(source, changes)); },
      py::arg("source"), py::arg("changes") = py::dict(), doc("load_scene"));
  m.def(
      "is_trajectory", [](const std::string& path) { return is_trajectory(path); }, py::arg("path"),
      "Whether a file is a trajectory. One whose writer was killed is mended, so that everybody can open it.");
  m.def("scenes", &scenes, "The built-in scenes: a list of dictionaries with name, look_for and parameters.");
}

}   // namespace stickslip::python
