#include "record/flat_scene.h"

#include <fmt/format.h>

#include <map>

#include "record/mesh_pool.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/geometry/shape_fields.h"
#include "stickslip/math/error.h"
#include "stickslip/scene/make_field.h"

namespace stickslip {

namespace {

/// What shapes share.
struct SharedForms {
  std::vector<std::shared_ptr<const Polytope>> hulls;
  std::vector<std::shared_ptr<const MeshSolid>> meshes;
};

template <class T>
std::shared_ptr<const T> shared_or_null(const std::vector<std::shared_ptr<const T>>& pool, std::uint32_t index) {
  return index < pool.size() ? pool[index] : nullptr;
}

/// How a shape of each kind is made of its numbers. Hull or mesh is null where a removed collider lost it.
template <class S>
S make_shape(const FlatShape& flat, const SharedForms& forms) {
  S shape;
  set_numbers(shape, flat.size);
  if constexpr (std::is_same_v<S, ConvexHull>) shape.polytope = shared_or_null(forms.hulls, flat.hull);
  if constexpr (std::is_same_v<S, Mesh>) shape.solid = shared_or_null(forms.meshes, flat.mesh);
  return shape;
}

FlatMesh flatten(const MeshSolid& solid) {
  if (solid.field() && solid.field_text().empty())
    throw Error(
        fmt::format("The mesh '{}' has a distance field without a text that tells how to make it, which a checkpoint "
                    "cannot hold. Give `set_field` the text of scenes (scene/make_field.h).",
                    solid.name()));
  return {solid.name(), solid.mesh(), solid.look(), solid.field_text()};
}

/// Where forms that shapes share get their numbers.
struct FormNumbers {
  std::map<const Polytope*, std::uint32_t> hulls;
  MeshPool meshes;
};

FlatShape flatten(const Shape& shape, FormNumbers& numbers, FlatScene& s) {
  FlatShape flat{std::string(shape_name(shape))};
  flat.size = std::visit([](const auto& x) { return numbers_of(x, 0); }, shape);
  if (const auto* h = std::get_if<ConvexHull>(&shape); h && h->polytope) {
    const auto [place, is_new] = numbers.hulls.try_emplace(h->polytope.get(), static_cast<std::uint32_t>(s.hulls.size()));
    if (is_new) s.hulls.push_back(*h->polytope);
    flat.hull = place->second;
  }
  if (const auto* m = std::get_if<Mesh>(&shape); m && m->solid) {
    const auto [number, is_new] = numbers.meshes.find_or_add(*m);
    if (is_new) s.meshes.push_back(flatten(*m->solid));
    flat.mesh = number;
  }
  return flat;
}

/// The numbers of kinds before files had names.
constexpr std::string_view kNamesByNumber[] = {"sphere", "box", "capsule", "cylinder", "half-space", "hull"};

std::string_view name_of(const FlatShape& flat) {
  if (!flat.name.empty()) return flat.name;
  if (flat.kind >= std::size(kNamesByNumber)) throw Error(fmt::format("{} is no kind of shape.", flat.kind));
  return kNamesByNumber[flat.kind];
}

template <std::size_t... I>
Shape unflatten(const FlatShape& flat, const SharedForms& forms, std::index_sequence<I...>) {
  const std::string_view name = name_of(flat);
  std::optional<Shape> shape;
  ((shape_name(I) == name ? void(shape = make_shape<std::variant_alternative_t<I, Shape>>(flat, forms)) : void()), ...);
  if (!shape) throw Error(fmt::format("'{}' is no kind of shape.", name));
  return *shape;
}

Shape unflatten(const FlatShape& flat, const SharedForms& forms) {
  return unflatten(flat, forms, std::make_index_sequence<std::variant_size_v<Shape>>{});
}

/// @throws Error that names the mesh and what is wrong with it
std::shared_ptr<const MeshSolid> unflatten(FlatMesh&& flat) {
  const std::string name = flat.name;
  try {
    auto solid = std::make_shared<MeshSolid>(std::move(flat.mesh), std::move(flat.name), std::move(flat.look));
    if (!flat.field.empty()) solid->set_field(make_field(*solid, flat.field), flat.field);
    return solid;
  } catch (const Error& error) {
    throw Error(fmt::format("The mesh '{}' is inconsistent: {} The file cannot be used.", name, error.message()));
  }
}

/// Null without tetrahedra. @throws Error if it is inconsistent
std::shared_ptr<const ElasticSolid> unflatten(FlatSolid&& flat) {
  if (flat.tetrahedra.empty()) return nullptr;
  try {
    return std::make_shared<const ElasticSolid>(std::move(flat.rest), std::move(flat.tetrahedra), flat.material);
  } catch (const Error& error) {
    throw Error(fmt::format("A solid is inconsistent: {} The file cannot be used.", error.message()));
  }
}

FlatScript flatten(const MotionScript& script) {
  FlatScript flat;
  flat.kind = static_cast<std::uint32_t>(script.index());
  if (const auto* o = std::get_if<Oscillation>(&script)) flat.oscillation = *o;
  if (const auto* k = std::get_if<Keyframes>(&script)) flat.keys = k->keys;
  return flat;
}

MotionScript unflatten(FlatScript&& flat) {
  static_assert(std::variant_size_v<MotionScript> == 3, "a new script needs a line here and in flatten");
  switch (flat.kind) {
    case 0:
      return ConstantVelocity{};
    case 1:
      return flat.oscillation;
    case 2:
      return Keyframes{std::move(flat.keys)};
    default:
      throw Error(fmt::format("{} is no kind of motion script.", flat.kind));
  }
}

FlatStabilisation flatten(const Stabilisation& stabilisation) {
  FlatStabilisation flat{static_cast<std::uint32_t>(stabilisation.index())};
  if (const auto* b = std::get_if<Baumgarte>(&stabilisation)) flat.first = b->error_reduction, flat.second = b->compliance;
  if (const auto* s = std::get_if<SpringDamper>(&stabilisation)) flat.first = s->stiffness, flat.second = s->damping;
  return flat;
}

Stabilisation unflatten(const FlatStabilisation& flat) {
  static_assert(std::variant_size_v<Stabilisation> == 3, "a new stabilisation needs a line here and in flatten");
  switch (flat.kind) {
    case 0:
      return NoStabilisation{};
    case 1:
      return Baumgarte{flat.first, flat.second};
    case 2:
      return SpringDamper{flat.first, flat.second};
    default:
      throw Error(fmt::format("{} is no kind of stabilisation.", flat.kind));
  }
}

FlatOption flatten(const std::pair<std::string, OptionValue>& option) {
  FlatOption flat{option.first, "", static_cast<std::uint32_t>(option.second.index())};
  if (const auto* d = std::get_if<double>(&option.second)) flat.number = *d;
  if (const auto* b = std::get_if<bool>(&option.second)) flat.number = *b;
  if (const auto* s = std::get_if<std::string>(&option.second)) flat.text = *s;
  return flat;
}

OptionValue unflatten(FlatOption&& flat) {
  static_assert(std::variant_size_v<OptionValue> == 3, "a new kind of option needs a line here and in flatten");
  switch (flat.kind) {
    case 0:
      return flat.number;
    case 1:
      return flat.number != 0;
    case 2:
      return std::move(flat.text);
    default:
      throw Error(fmt::format("{} is no kind of option.", flat.kind));
  }
}

void require(bool good, std::string_view what) {
  if (!good) throw Error(fmt::format("The content is inconsistent: {}. The file cannot be used.", what));
}

void check_polytope(const Polytope& p) {
  const auto in = [](int i, std::size_t size) { return i >= 0 && static_cast<std::size_t>(i) < size; };
  for (const int v : p.loops) require(in(v, p.vertices.size()), "a hull face names a missing vertex");
  for (const Polytope::Face& f : p.faces)
    require(
        f.first >= 0 && f.count >= 0 && static_cast<std::size_t>(f.first) + static_cast<std::size_t>(f.count) <= p.loops.size(),
        "a hull face has a bad loop");
  for (const Polytope::Edge& e : p.edges)
    for (int side = 0; side < 2; ++side)
      require(in(e.vertex[side], p.vertices.size()) && in(e.face[side], p.faces.size()), "a hull edge names a missing part");
}

FlatLaw flatten(const std::shared_ptr<const SurfaceLaw>& law) {
  if (!law) return {};
  return {law->name, law->numbers, law->points};
}

std::shared_ptr<const SurfaceLaw> unflatten(FlatLaw&& flat) {
  if (flat.name.empty()) return nullptr;
  return std::make_shared<const SurfaceLaw>(SurfaceLaw{std::move(flat.name), std::move(flat.numbers), std::move(flat.points)});
}

/// Place of a picture in the pool, from 1; 0 if there is none.
std::uint32_t place_of(const std::shared_ptr<const Picture>& picture, std::map<const Picture*, std::uint32_t>& places,
                       std::vector<FlatPicture>& pool) {
  if (!picture) return 0;
  const auto [found, is_new] = places.try_emplace(picture.get(), static_cast<std::uint32_t>(pool.size() + 1));
  if (is_new) pool.push_back({picture->width(), picture->height(), picture->rgb()});
  return found->second;
}

FlatSurface flatten(const Material& material, std::map<const Picture*, std::uint32_t>& places, std::vector<FlatPicture>& pool) {
  const Surface& surface = material.surface;
  FlatSurface flat;
  flat.kind = static_cast<std::uint32_t>(surface.structure.index());
  flat.tensor = surface.tensor;
  flat.normal_map = place_of(surface.normal_map.picture, places, pool);
  flat.normal_map_size = surface.normal_map.size;
  if (const auto* fixed = std::get_if<FixedStructure>(&surface.structure)) flat.direction = fixed->direction;
  if (const auto* circular = std::get_if<CircularStructure>(&surface.structure))
    flat.center = circular->center, flat.direction = circular->axis;
  if (const auto* radial = std::get_if<RadialStructure>(&surface.structure))
    flat.center = radial->center, flat.direction = radial->axis;
  if (const auto* flow = std::get_if<FlowStructure>(&surface.structure))
    flat.center = flow->center, flat.direction = flow->direction, flat.size = flow->radius;
  if (const auto* picture = std::get_if<PictureStructure>(&surface.structure))
    flat.picture = place_of(picture->picture, places, pool), flat.size = picture->size;
  if (std::holds_alternative<FunctionStructure>(surface.structure))
    throw Error(fmt::format(
        "The structure of material '{}' is a function, which a checkpoint cannot hold. Use a picture instead.", material.name));
  return flat;
}

Surface unflatten(const FlatSurface& flat, const std::vector<std::shared_ptr<const Picture>>& pictures) {
  Surface surface;
  switch (flat.kind) {
    case 0:
      surface.structure = FixedStructure{flat.direction};
      break;
    case 1:
      surface.structure = CircularStructure{flat.center, flat.direction};
      break;
    case 2:
      surface.structure = RadialStructure{flat.center, flat.direction};
      break;
    case 3:
      surface.structure = FlowStructure{flat.center, flat.size, flat.direction};
      break;
    default:
      surface.structure = PictureStructure{pictures[flat.picture - 1], flat.size};
  }
  surface.tensor = flat.tensor;
  if (flat.normal_map > 0) surface.normal_map = {pictures[flat.normal_map - 1], flat.normal_map_size};
  return surface;
}

FlatAxis flatten(const JointAxis& axis) {
  FlatAxis flat{
      axis, axis.effort.has_value(), axis.motor.has_value(), axis.servo.has_value(), axis.spring.has_value(), {}, {}, {}, {}};
  flat.effort = axis.effort.value_or(JointEffort{});
  flat.motor = axis.motor.value_or(JointMotor{});
  flat.servo = axis.servo.value_or(JointServo{});
  flat.spring = axis.spring.value_or(JointSpring{});
  return flat;
}

JointAxis unflatten(FlatAxis&& flat) {
  JointAxis axis = std::move(flat.axis);
  axis.effort = flat.has_effort ? std::optional(std::move(flat.effort)) : std::nullopt;
  axis.motor = flat.has_motor ? std::optional(std::move(flat.motor)) : std::nullopt;
  axis.servo = flat.has_servo ? std::optional(std::move(flat.servo)) : std::nullopt;
  axis.spring = flat.has_spring ? std::optional(flat.spring) : std::nullopt;
  return axis;
}

void check_joints(const FlatScene& s) {
  require(s.axes.size() == s.joints.size() * kJointCoordinates, "tables have different lengths");
  const auto is_body = [&](BodyId id) {
    return id.index < s.bodies.size() && s.bodies[id.index].alive && s.bodies[id.index].generation == id.generation;
  };
  for (const Joint& joint : s.joints) {
    const JointDescription& d = joint.description;
    require(static_cast<int>(d.type) <= static_cast<int>(JointType::gear), "unknown kind of joint");
    for (const GearSide& side : {d.first, d.second}) {
      require(side.coordinate >= 0 && side.coordinate < kJointCoordinates, "a gear names a missing coordinate");
      if (!joint.alive || d.type != JointType::gear) continue;
      const JointId id = side.joint;
      require(id.index < s.joints.size() && s.joints[id.index].alive && s.joints[id.index].generation == id.generation &&
                  s.joints[id.index].description.type != JointType::gear,
              "a gear names a missing joint");
    }
    if (!joint.alive || d.type == JointType::gear) continue;
    require(is_body(d.b) && (d.a == BodyId{} || is_body(d.a)), "a joint names a missing body");
  }
  for (const FlatIgnoredPair& pair : s.ignored_pairs)
    require(pair.a < pair.b && pair.b < s.bodies.size(), "a pair that is kept from touching names a missing body");
}

void check_nodes(const FlatScene& s) {
  std::size_t expected = 0;
  for (const Body& body : s.bodies) {
    require(static_cast<int>(body.kind) <= static_cast<int>(BodyKind::nodal), "unknown kind of body");
    expected += body.alive && !body.is_rigid();
  }
  require(expected == s.nodal_bodies.size(), "bodies of nodes are missing");
  require(s.solids.empty() || s.solids.size() == s.nodal_bodies.size(), "tables have different lengths");
  for (std::size_t i = 0; i < s.solids.size(); ++i)
    require(s.solids[i].tetrahedra.empty() || s.solids[i].rest.size() == s.nodal_bodies[i].size(),
            "tables have different lengths");
  std::vector<const NodalBody*> nodes_of(s.bodies.size());
  for (const NodalBody& nodes : s.nodal_bodies) {
    require(
        nodes.body < s.bodies.size() && s.bodies[nodes.body].alive && !s.bodies[nodes.body].is_rigid() && !nodes_of[nodes.body],
        "nodes belong to no body");
    nodes_of[nodes.body] = &nodes;
    require(nodes.size() > 0 && nodes.velocities.size() == nodes.size() && nodes.masses.size() == nodes.size(),
            "tables have different lengths");
    for (const auto& triangle : nodes.triangles)
      for (const std::uint32_t node : triangle) require(node < nodes.size(), "a triangle names a missing node");
    for (const double mass : nodes.masses) require(mass > 0, "a node has no mass");
    for (std::size_t i = 0; i < nodes.held.size(); ++i) {
      const HeldNode& h = nodes.held[i];
      require(h.node < nodes.size() && (i == 0 || nodes.held[i - 1].node < h.node), "a pin names a missing node");
      require(h.body == HeldNode::kWorld || h.body < s.bodies.size(), "a pin names a missing body");
    }
    for (std::size_t i = 0; i < nodes.attached.size(); ++i) {
      const AttachedNode& a = nodes.attached[i];
      require(a.node < nodes.size() && (i == 0 || nodes.attached[i - 1].node < a.node), "a pin names a missing node");
      require(a.body < s.bodies.size() && s.bodies[a.body].alive && s.bodies[a.body].is_rigid(), "a pin names a missing body");
    }
    require(nodes.memory.places.empty() || nodes.memory.places.size() == nodes.size(), "tables have different lengths");
    for (std::size_t i = 0; i < nodes.memory.touched.size(); ++i)
      require(nodes.memory.touched[i] < nodes.size() && (i == 0 || nodes.memory.touched[i - 1] < nodes.memory.touched[i]),
              "a memory names a missing node");
  }
  for (const Collider& c : s.colliders)
    if (c.alive && c.node != kNoNode)
      require(c.body < s.bodies.size() && nodes_of[c.body] && c.node < nodes_of[c.body]->size(),
              "a shape names a missing node");
}

void check_textures(const FlatScene& s) {
  const auto check = [&](const std::vector<FlatTexture>& list, std::size_t count) {
    require(list.empty() || list.size() == count, "tables have different lengths");
    for (const FlatTexture& t : list) require(t.number <= s.textures.size(), "a texture is missing");
  };
  check(s.collider_textures, s.colliders.size());
  check(s.material_textures, s.materials.size());
  for (const Texture& texture : s.textures) validate(texture);
}

void check_indices(const FlatScene& s) {
  require(s.scripts.size() == s.bodies.size() && s.shapes.size() == s.colliders.size(), "tables have different lengths");
  require(!s.materials.empty(), "no material");
  for (const Body& body : s.bodies) {
    require(static_cast<int>(body.motion) <= static_cast<int>(MotionType::kinematic), "unknown kind of motion");
    require(body.contact <= ContactForm::volume, "unknown form of contact");
    for (const std::uint32_t c : body.colliders) require(c < s.colliders.size(), "a body names a missing shape");
  }
  for (std::size_t i = 0; i < s.colliders.size(); ++i) {
    const Collider& c = s.colliders[i];
    if (!c.alive) continue;
    require(c.body < s.bodies.size() && c.material.index < s.materials.size(), "a shape names a missing body or material");
    require(name_of(s.shapes[i]) != "hull" || s.shapes[i].hull < s.hulls.size(), "a shape names a missing hull");
    require(name_of(s.shapes[i]) != "mesh" || s.shapes[i].mesh < s.meshes.size(), "a shape names a missing mesh");
  }
  for (const Polytope& hull : s.hulls) check_polytope(hull);
  for (const FlatPair& p : s.pairs)
    require(p.a < s.materials.size() && p.b < s.materials.size() && p.surface.contact <= ContactForm::volume,
            "the pair table names a missing material or an unknown form of contact");
  require(s.laws.size() == s.materials.size() + s.pairs.size() && s.surfaces.size() == s.materials.size(),
          "laws or surfaces are missing");
  for (const FlatSurface& f : s.surfaces)
    require(f.kind < std::variant_size_v<Structure> - 1 && f.picture <= s.pictures.size() &&
                f.normal_map <= s.pictures.size() && (f.kind != 4 || f.picture > 0),
            "a surface names a missing structure or picture");
  for (const RememberedImpulse& m : s.memory.impulses)
    require(m.key.a < s.colliders.size() && m.key.b < s.colliders.size(), "a remembered impulse names a missing shape");
  for (const CombineRule rule : {s.friction_rule, s.restitution_rule})
    require(static_cast<int>(rule) <= static_cast<int>(CombineRule::geometric_mean), "unknown combine rule");
  require(static_cast<int>(s.step.scheme) <= static_cast<int>(Scheme::moreau_midpoint) &&
              static_cast<int>(s.step.gyroscopic) <= static_cast<int>(Gyroscopic::conserving),
          "unknown stepping scheme");
  check_joints(s);
  check_nodes(s);
  check_textures(s);
}

void flatten_textures(FlatScene& s, const TexturePool& elsewhere) {
  TexturePool pool = elsewhere;
  for (const Collider& collider : s.colliders) s.collider_textures.push_back({pool.find_or_add(collider.texture)});
  for (const Material& material : s.materials) s.material_textures.push_back({pool.find_or_add(material.texture)});
  for (const SharedTexture& texture : pool.textures()) s.textures.push_back(*texture);
  for (std::size_t i = 0; i < elsewhere.textures().size(); ++i) s.textures[i].picture.clear();
}

void restore_textures(FlatScene& s) {
  std::vector<SharedTexture> pool = {nullptr};
  for (Texture& texture : s.textures) pool.push_back(std::make_shared<const Texture>(std::move(texture)));
  for (std::size_t i = 0; i < s.collider_textures.size(); ++i) s.colliders[i].texture = pool[s.collider_textures[i].number];
  for (std::size_t i = 0; i < s.material_textures.size(); ++i) s.materials[i].texture = pool[s.material_textures[i].number];
}

}   // namespace

FlatScene flatten(const Scene& scene, const World& world, const TexturePool& elsewhere) {
  FlatScene s;
  s.name = scene.name, s.description = scene.description, s.document = scene.document, s.seconds = scene.seconds;
  s.sensors = sensors_to_text(world, scene.sensors);
  for (const std::string& warning : scene.warnings) s.warnings.push_back({warning});

  s.gravity = world.gravity, s.time = world.time, s.step_count = world.step_count;
  s.bodies.assign(world.bodies().begin(), world.bodies().end());
  for (const Body& body : s.bodies) s.scripts.push_back(flatten(body.script));
  s.colliders.assign(world.colliders().begin(), world.colliders().end());
  s.nodal_bodies.assign(world.nodal_bodies().begin(), world.nodal_bodies().end());
  for (const NodalBody& nodes : s.nodal_bodies)
    s.solids.push_back(nodes.is_soft() ? FlatSolid{nodes.solid->rest(), nodes.solid->tetrahedra(), nodes.solid->material()}
                                       : FlatSolid{});
  FormNumbers numbers;
  for (const Collider& collider : s.colliders) s.shapes.push_back(flatten(collider.shape, numbers, s));
  s.joints.assign(world.joints().begin(), world.joints().end());
  for (const Joint& joint : s.joints)
    for (const JointAxis& axis : joint.description.axes) s.axes.push_back(flatten(axis));
  for (const auto& [a, b] : world.ignored_pairs()) s.ignored_pairs.push_back({a, b});
  for (std::uint32_t i = 0; i < world.materials.size(); ++i) s.materials.push_back(world.materials[MaterialId{i}]);
  for (const auto& [key, surface] : world.materials.pairs()) s.pairs.push_back({key.first, key.second, surface});
  s.friction_rule = world.materials.friction_rule, s.restitution_rule = world.materials.restitution_rule;
  std::map<const Picture*, std::uint32_t> pictures;
  for (const Material& material : s.materials) {
    s.laws.push_back(flatten(material.law));
    s.surfaces.push_back(flatten(material, pictures, s.pictures));
  }
  for (const FlatPair& pair : s.pairs) s.laws.push_back(flatten(pair.surface.law));
  flatten_textures(s, elsewhere);
  s.memory = world.memory;

  s.step = scene.step;
  s.stabilisation = flatten(scene.step.stabilisation);
  for (const auto& option : scene.step.solver_options) s.solver_options.push_back(flatten(option));
  return s;
}

Scene restore(FlatScene&& s) {
  check_indices(s);
  Scene scene;
  scene.name = std::move(s.name), scene.description = std::move(s.description), scene.document = std::move(s.document);
  scene.seconds = s.seconds;
  for (FlatText& warning : s.warnings) scene.warnings.push_back(std::move(warning.text));

  restore_textures(s);
  World& world = scene.world;
  world.gravity = s.gravity, world.time = s.time, world.step_count = s.step_count;
  std::vector<std::shared_ptr<const Picture>> pictures;
  for (FlatPicture& p : s.pictures) pictures.push_back(std::make_shared<const Picture>(p.width, p.height, std::move(p.rgb)));
  for (std::size_t i = 0; i < s.materials.size(); ++i) {
    s.materials[i].law = unflatten(std::move(s.laws[i]));
    s.materials[i].surface = unflatten(s.surfaces[i], pictures);
  }
  for (std::size_t i = 0; i < s.pairs.size(); ++i)
    s.pairs[i].surface.law = unflatten(std::move(s.laws[s.materials.size() + i]));
  for (std::uint32_t i = 0; i < s.materials.size(); ++i) {
    if (i < world.materials.size()) world.materials.set(MaterialId{i}, s.materials[i]);
    else world.materials.add(s.materials[i]);
  }
  for (const FlatPair& pair : s.pairs) world.materials.set_pair({pair.a}, {pair.b}, pair.surface);
  world.materials.friction_rule = s.friction_rule, world.materials.restitution_rule = s.restitution_rule;

  for (std::size_t i = 0; i < s.bodies.size(); ++i) s.bodies[i].script = unflatten(std::move(s.scripts[i]));
  SharedForms forms;
  for (Polytope& hull : s.hulls) forms.hulls.push_back(std::make_shared<const Polytope>(std::move(hull)));
  for (FlatMesh& mesh : s.meshes) forms.meshes.push_back(unflatten(std::move(mesh)));
  for (std::size_t i = 0; i < s.colliders.size(); ++i) s.colliders[i].shape = unflatten(s.shapes[i], forms);
  world.mutable_bodies() = std::move(s.bodies);
  world.mutable_colliders() = std::move(s.colliders);
  for (std::size_t i = 0; i < s.solids.size(); ++i) s.nodal_bodies[i].solid = unflatten(std::move(s.solids[i]));
  world.mutable_nodal_bodies() = std::move(s.nodal_bodies);
  for (std::size_t i = 0; i < s.axes.size(); ++i)
    s.joints[i / kJointCoordinates].description.axes[i % kJointCoordinates] = unflatten(std::move(s.axes[i]));
  world.mutable_joints() = std::move(s.joints);
  for (const FlatIgnoredPair& pair : s.ignored_pairs) world.mutable_ignored_pairs().emplace_back(pair.a, pair.b);
  world.memory = std::move(s.memory);
  world.rebuild_derived();

  scene.step = std::move(s.step);
  scene.step.stabilisation = unflatten(s.stabilisation);
  for (FlatOption& option : s.solver_options) {
    std::string name = option.name;
    scene.step.solver_options.emplace_back(std::move(name), unflatten(std::move(option)));
  }
  validate(scene.step);
  scene.sensors = sensors_from_text(s.sensors, world);
  return scene;
}

}   // namespace stickslip
