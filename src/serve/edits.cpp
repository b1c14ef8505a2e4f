#include "serve/edits.h"

#include <fmt/format.h>

#include <algorithm>

#include "scene/start_check.h"
#include "serve/simulation.h"
#include "stickslip/geometry/aabb.h"
#include "stickslip/math/error.h"
#include "stickslip/scene/parts.h"

namespace stickslip::serve {

MaterialTable materials_of(const World& world, std::optional<double> one) {
  const MaterialTable& own = world.materials;
  MaterialTable materials = own;
  if (!one) return materials;
  const double friction = *one;
  for (std::uint32_t i = 0; i < own.size(); ++i) {
    Material material = own[MaterialId{i}];
    material.friction = friction;
    material.law = nullptr;
    materials.set(MaterialId{i}, material);
  }
  for (const auto& [key, pair] : own.pairs())
    materials.set_pair(MaterialId{key.first}, MaterialId{key.second},
                       {friction, pair.restitution, nullptr, {}, pair.contact, pair.tangential_restitution});
  materials.friction_rule = CombineRule::average;   // of equal numbers: the number
  return materials;
}

void wake_all(World& world) {
  for (std::uint32_t slot = 0; slot < world.bodies().size(); ++slot)
    if (const Body& body = world.bodies()[slot]; body.alive && body.asleep) world.wake(world.id_of(slot));
}

namespace {

/// Box of all parts of a rigid body that end somewhere.
Aabb box_of(const World& world, const Body& body) {
  Aabb box;
  for (const std::uint32_t index : body.colliders) {
    const Collider& c = world.colliders()[index];
    if (!std::holds_alternative<HalfSpace>(c.shape))
      box = box.merged(bounding_box(c.shape, Pose{body.position, body.orientation} * c.local));
  }
  return box;
}

/// How far up a copy of a body must go to be clear of all others.
double free_height(const World& world, const Body& body) {
  const Aabb own = box_of(world, body);
  double lift = 1.02 * (own.upper.z() - own.lower.z());
  for (bool moved = true; moved;) {
    moved = false;
    for (const Body& other : world.bodies()) {
      if (!other.alive || !other.is_rigid() || &other == &body) continue;
      const Aabb box = box_of(world, other);
      const bool beside = (own.lower.head<2>().array() > box.upper.head<2>().array()).any() ||
                          (own.upper.head<2>().array() < box.lower.head<2>().array()).any();
      if (beside || own.upper.z() + lift < box.lower.z() || own.lower.z() + lift > box.upper.z()) continue;
      lift = box.upper.z() - own.lower.z() + 0.02 * (own.upper.z() - own.lower.z());
      moved = true;
    }
  }
  return lift;
}

std::string unused_name(const World& world, const std::string& name) {
  const auto taken = [&](const std::string& wanted) {
    return std::any_of(world.bodies().begin(), world.bodies().end(),
                       [&](const Body& b) { return b.alive && b.name == wanted; });
  };
  std::string copy = name + "-copy";
  for (int i = 2; taken(copy); ++i) copy = fmt::format("{}-copy-{}", name, i);
  return copy;
}

std::string joint_of(const World& world, BodyId id) {
  for (const Joint& joint : world.joints())
    if (joint.alive && !joint.broken && (joint.description.a == id || joint.description.b == id)) return joint.description.name;
  return {};
}

void scale_mass(World& world, BodyId id, double factor) {
  Body& body = world.mutable_bodies()[id.index];
  body.mass.mass *= factor;
  body.mass.inertia *= factor;
  body.derive_from_mass();
  world.wake(id);
}

}   // namespace

BodyId Simulation::body_numbered(std::uint32_t number) const {
  if (number >= table_->bodies().size())
    throw Error(fmt::format("There is no body {}. This scene has {}, numbered from 0.", number, table_->bodies().size()));
  const BodyId id = table_->bodies()[number];
  if (!scene_.world.contains(id)) throw Error(fmt::format("The body {} is not there any more.", number));
  return id;
}

document::EditedDocument& Simulation::edited() {
  if (!edited_) {
    Scene scene;
    scene.world = start_;
    scene.name = scene_.name, scene.document = scene_.document, scene.folder = scene_.folder;
    edited_.emplace(scene);
  }
  return *edited_;
}

void Simulation::use_materials() { scene_.world.materials = materials_of(start_, state_.friction); }

void Simulation::tell_surroundings() { audience_->tell_all(surroundings_message(scene_.world)); }

void Simulation::act(ViewerId, const EditGravity& edit) {
  edited().set_gravity(edit.value);
  scene_.world.gravity = start_.gravity = edit.value;
  wake_all(scene_.world);
  tell_surroundings();
}

void Simulation::act(ViewerId, const EditMaterial& edit) {
  document::EditedDocument& document = edited();
  MaterialTable changed = start_.materials;
  const auto put = [&](auto& numbers) {
    const document::Coefficients& to = edit.coefficients;
    if (to.friction) {
      numbers.friction = *to.friction;
      numbers.law = nullptr;
    }
    if (to.restitution) numbers.restitution = *to.restitution;
    if (to.tangential_restitution) numbers.tangential_restitution = *to.tangential_restitution;
  };
  const MaterialId a = changed.find(edit.names.front());
  if (edit.names.size() == 1) {
    Material material = changed[a];
    put(material);
    changed.set(a, material);
  } else {
    const MaterialId b = changed.find(edit.names.back());
    const auto pair = changed.pairs().find(std::minmax(a.index, b.index));
    if (pair == changed.pairs().end())
      throw Error(fmt::format("The scene says nothing about '{}' and '{}' together. Change one of the two.", edit.names.front(),
                              edit.names.back()));
    SurfacePair surface = pair->second;
    put(surface);
    changed.set_pair(a, b, surface);
  }
  std::swap(start_.materials, changed);
  use_materials();
  try {
    std::vector<std::string> warnings;
    document::check_laws(scene_.world, scene_.step, warnings);
  } catch (...) {
    start_.materials = std::move(changed);
    use_materials();
    throw;
  }
  if (edit.names.size() == 1) document.set_material(edit.names.front(), edit.coefficients);
  else document.set_pair(edit.names.front(), edit.names.back(), edit.coefficients);
  wake_all(scene_.world);
  tell_surroundings();
}

/// At the start it is the scene that changes, later only the motion.
void Simulation::move(BodyId id, const Vec3& position) {
  const Body& body = scene_.world.body(id);
  if (is_stepping())
    throw Error("A body is put elsewhere while the simulation waits. Pause it first, or drag the body with the pointer.");
  if (const std::string joint = joint_of(scene_.world, id); !joint.empty())
    throw Error(fmt::format("'{}' is held by the joint '{}'. Drag it with the pointer.", body.name, joint));
  if (body.motion == MotionType::kinematic && !std::holds_alternative<ConstantVelocity>(body.script))
    throw Error(fmt::format("'{}' goes where its script says.", body.name));
  const Vec3 from = body.position, by = position - from;
  const auto put = [&](World& world, const Vec3& delta) {
    const Body& b = world.body(id);
    world.set_frame(id, {(b.is_rigid() ? b.frame().position : b.position) + delta, b.orientation});
  };
  put(scene_.world, by);
  try {
    std::vector<std::string> warnings;
    document::check_start(scene_.world, scene_.step, false, warnings);
  } catch (...) {
    put(scene_.world, from - scene_.world.body(id).position);
    throw;
  }
  if (scene_.world.step_count != start_.step_count) return;
  edited().move_body(body.name, by);
  put(start_, by);
}

void Simulation::act(ViewerId, const EditBody& edit) {
  const BodyId id = body_numbered(edit.body);
  const Body& body = scene_.world.body(id);
  const bool at_start = scene_.world.step_count == start_.step_count;
  if (edit.mass && (!body.is_rigid() || body.motion != MotionType::dynamic))
    throw Error(fmt::format("'{}' {}, so its mass cannot be set.", body.name,
                            body.is_rigid() ? "does not move by forces" : "is made of nodes"));
  document::EditedDocument& document = edited();
  if (edit.position) move(id, *edit.position);
  if (edit.velocity) {
    scene_.world.set_velocity(id, *edit.velocity, body.angular_velocity);
    if (at_start) {
      start_.set_velocity(id, *edit.velocity, body.angular_velocity);
      document.set_velocity(body.name, *edit.velocity);
    }
  }
  if (edit.mass) {
    const double factor = *edit.mass / body.mass.mass;
    scale_mass(scene_.world, id, factor);
    scale_mass(start_, id, factor);
    document.scale_mass(body.name, factor, *edit.mass);
    open_scene();
  }
  frame_wanted_ = true;
}

void Simulation::act(ViewerId, const RemoveBody& edit) {
  const BodyId id = body_numbered(edit.body);
  edited().remove_body(scene_.world.body(id).name);
  drags_.clear();
  scene_.world.remove(id);
  if (start_.contains(id)) start_.remove(id);
  open_scene();
}

void Simulation::act(ViewerId, const CopyBody& edit) {
  const BodyId id = body_numbered(edit.body);
  const Body& body = scene_.world.body(id);
  const Aabb box = body.is_rigid() ? box_of(scene_.world, body) : Aabb{};
  if (!body.is_rigid() || body.motion == MotionType::kinematic || !(box.lower.array() <= box.upper.array()).all())
    throw Error(
        fmt::format("'{}' cannot be copied: only rigid bodies that follow no script and end somewhere can.", body.name));
  document::EditedDocument& document = edited();
  document::EditedDocument before = document;
  const Pose pose{body.frame().position + free_height(scene_.world, body) * Vec3::UnitZ(), body.orientation};
  try {
    const std::string alone = document.copy_body(body.name, unused_name(scene_.world, body.name), pose);
    add_parts(scene_.world, alone, document.folder());
    add_parts(start_, alone, document.folder());
  } catch (...) {
    document = std::move(before);
    throw;
  }
  drags_.clear();
  open_scene();
}

/// Goes on with another scene.
void Simulation::take(Scene scene) {
  scene_ = std::move(scene);
  start_ = scene_.world;
  start_options_ = scene_.step;
  edited_.reset();
  drags_.clear();
  driven_.clear();
  driven_joints_.clear();
  undo_.clear(), redo_.clear();
  state_.undo.clear(), state_.redo.clear();
  state_.friction.reset();
  state_.running = !options_.paused;
  steps_wanted_ = 0;
  state_changed_ = true;
  open_scene();
  tell_surroundings();
}

void Simulation::act(ViewerId viewer, const OpenScene& open) {
  ask_worker([this, viewer, name = open.name](const std::atomic<bool>&) {
    try {
      auto scene = std::make_shared<Scene>(load_scene(name));
      post([this, scene] { take(std::move(*scene)); }, ~std::size_t{0});
    } catch (const std::exception& error) {
      audience_->tell(viewer, error_message("open", error.what()));
    }
  });
}

void Simulation::act(ViewerId viewer, const SaveScene& save) {
  document::EditedDocument document = edited();
  document.set_step(scene_.step.h, scene_.step.solver, start_options_.solver);
  if (state_.friction) {
    const MaterialTable& materials = scene_.world.materials;
    document::Coefficients one;
    one.friction = state_.friction;
    for (std::uint32_t i = 0; i < materials.size(); ++i) document.set_material(materials[MaterialId{i}].name, one);
    for (const auto& [key, pair] : materials.pairs())
      document.set_pair(materials[MaterialId{key.first}].name, materials[MaterialId{key.second}].name, one);
  }
  for (const Joint& joint : scene_.world.joints())
    for (int c = 0; c < kJointCoordinates; ++c)
      if (joint.alive && driven_joints_.contains({joint.description.name, c}))
        document.set_joint(joint.description.name, c, joint.description.axes[static_cast<std::size_t>(c)]);
  if (save.now) document.set_state(scene_.world);
  const std::string file = save.now ? fmt::format("{}-step{}.json", scene_.name, scene_.world.step_count)
                                    : fmt::format("{}-edited.json", scene_.name);
  ask_worker([this, viewer, document = std::move(document), file](const std::atomic<bool>&) {
    std::string text = document.text(), remark;
    try {
      try {
        parse_scene(text, file);
      } catch (const Error&) {
        text = document.text(true);
        remark = "Bodies overlap at the start, which the file allows.";
        parse_scene(text, file);
      }
      audience_->tell(viewer, saved_message(file, text, remark));
    } catch (const std::exception& error) {
      audience_->tell(viewer, error_message("save", error.what()));
    }
  });
}

}   // namespace stickslip::serve
