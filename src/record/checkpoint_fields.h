// The list of everything a checkpoint holds. `Archive` is Saver or Loader: the same list writes and reads.
#pragma once

#include "record/checkpoint_archive.h"
#include "record/checkpoint_joints.h"
#include "record/flat_scene.h"

namespace stickslip {

template <class Archive>
void exchange_bodies(Archive& archive, FlatScene& s, int version) {
  archive.table("bodies", s.bodies, [version](auto& t) {
    t.text_field("name", &Body::name);
    t.field("motion", &Body::motion);
    if (version >= kVersionWithNodes) t.field("kind", &Body::kind);
    t.field("generation", &Body::generation);
    t.field("alive", &Body::alive);
    t.field("position", &Body::position);
    t.field("orientation_wxyz", &Body::orientation);
    t.field("velocity", &Body::velocity);
    t.field("angular_velocity", &Body::angular_velocity);
    t.field("asleep", &Body::asleep);
    t.field("can_sleep", &Body::can_sleep);
    if (version >= kVersionWithMeshes) t.field("continuous", &Body::continuous);
    if (version >= kVersionWithPatches) t.field("contact", &Body::contact);
    if (version >= kVersionWithVolumes) t.field("overlap", &Body::overlap);
    t.field("quiet_time", &Body::quiet, &QuietSpell::time);
    if (version >= kVersionWithPlaces) {
      t.field("quiet_moved", &Body::quiet, &QuietSpell::moved);
      t.field("quiet_turned", &Body::quiet, &QuietSpell::turned);
      t.field("quiet_early", &Body::quiet, &QuietSpell::early);
      t.field("quiet_far", &Body::quiet, &QuietSpell::far);
    }
    t.field("mass", &Body::mass, &MassProperties::mass);
    t.field("center_of_mass", &Body::mass, &MassProperties::center);
    t.field("inertia", &Body::mass, &MassProperties::inertia);
    t.field("inverse_mass", &Body::inverse_mass);
    t.field("inverse_inertia", &Body::inverse_inertia);
    t.field("principal_moments", &Body::principal_moments);
    t.field("principal_axes_wxyz", &Body::principal_axes);
    t.field("force", &Body::force);
    t.field("torque", &Body::torque);
    t.field("script_start_position", &Body::script_start, &Pose::position);
    t.field("script_start_orientation_wxyz", &Body::script_start, &Pose::orientation);
  });
  archive.lists("bodies/colliders", s.bodies, &Body::colliders, [](auto& t) { t.field("index"); });
  archive.table("scripts", s.scripts, [](auto& t) {
    t.field("kind", &FlatScript::kind);
    t.field("translation", &FlatScript::oscillation, &Oscillation::translation);
    t.field("rotation", &FlatScript::oscillation, &Oscillation::rotation);
    t.field("frequency", &FlatScript::oscillation, &Oscillation::frequency);
    t.field("phase", &FlatScript::oscillation, &Oscillation::phase);
  });
  archive.lists("scripts/keys", s.scripts, &FlatScript::keys, [](auto& t) {
    t.field("time", &Keyframes::Key::time);
    t.field("position", &Keyframes::Key::pose, &Pose::position);
    t.field("orientation_wxyz", &Keyframes::Key::pose, &Pose::orientation);
  });
}

template <class Archive>
void exchange_nodes(Archive& archive, FlatScene& s) {
  archive.table("nodal_bodies", s.nodal_bodies, [](auto& t) {
    t.field("body", &NodalBody::body);
    t.field("radius", &NodalBody::radius);
  });
  const auto vectors = [](auto& t) { t.field("value"); };
  archive.lists("nodal_bodies/positions", s.nodal_bodies, &NodalBody::positions, vectors);
  archive.lists("nodal_bodies/velocities", s.nodal_bodies, &NodalBody::velocities, vectors);
  archive.lists("nodal_bodies/masses", s.nodal_bodies, &NodalBody::masses, [](auto& t) { t.field("value"); });
  archive.lists("nodal_bodies/triangles", s.nodal_bodies, &NodalBody::triangles, [](auto& t) { t.field("nodes"); });
}

/// Where soft bodies were factored.
template <class Archive>
void exchange_factors(Archive& archive, FlatScene& s) {
  archive.table("soft_bodies/memory", s.nodal_bodies, [](auto& t) {
    t.field("kick", &NodalBody::memory, &SoftMemory::kick);
    t.field("h", &NodalBody::memory, &SoftMemory::h);
  });
  archive.lists(
      "soft_bodies/memory_places", s.nodal_bodies, [](NodalBody & b) -> auto& { return b.memory.places; },
      [](auto& t) { t.field("value"); });
  archive.lists(
      "soft_bodies/memory_touched", s.nodal_bodies, [](NodalBody & b) -> auto& { return b.memory.touched; },
      [](auto& t) { t.field("node"); });
}

/// What bodies of nodes have that are soft.
template <class Archive>
void exchange_solids(Archive& archive, FlatScene& s, int version) {
  archive.table("solids", s.solids, [](auto& t) {
    t.field("model", &FlatSolid::material, &SoftMaterial::model);
    t.field("young", &FlatSolid::material, &SoftMaterial::young);
    t.field("poisson", &FlatSolid::material, &SoftMaterial::poisson);
    t.field("density", &FlatSolid::material, &SoftMaterial::density);
    t.field("mass_damping", &FlatSolid::material, &SoftMaterial::mass_damping);
    t.field("stiffness_damping", &FlatSolid::material, &SoftMaterial::stiffness_damping);
    t.field("viscosity", &FlatSolid::material, &SoftMaterial::viscosity);
  });
  archive.lists("solids/rest", s.solids, &FlatSolid::rest, [](auto& t) { t.field("value"); });
  archive.lists("solids/tetrahedra", s.solids, &FlatSolid::tetrahedra, [](auto& t) { t.field("nodes"); });
  archive.table("soft_bodies", s.nodal_bodies, [](auto& t) {
    t.field("pressure", &NodalBody::pressure);
    t.field("self_contact", &NodalBody::self_contact);
  });
  archive.lists("soft_bodies/held", s.nodal_bodies, &NodalBody::held, [](auto& t) {
    t.field("node", &HeldNode::node);
    t.field("body", &HeldNode::body);
    t.field("local", &HeldNode::local);
  });
  if (version < kVersionWithAttachments) return;
  archive.lists("soft_bodies/attached", s.nodal_bodies, &NodalBody::attached, [](auto& t) {
    t.field("node", &AttachedNode::node);
    t.field("body", &AttachedNode::body);
    t.field("local", &AttachedNode::local);
    t.field("impulse", &AttachedNode::impulse);
  });
}

template <class Archive>
void exchange_shapes(Archive& archive, FlatScene& s, int version) {
  archive.table("colliders", s.colliders, [version](auto& t) {
    t.field("position", &Collider::local, &Pose::position);
    t.field("orientation_wxyz", &Collider::local, &Pose::orientation);
    t.field("body", &Collider::body);
    if (version >= kVersionWithNodes) t.field("node", &Collider::node);
    t.field("material", &Collider::material, &MaterialId::index);
    if (version >= kVersionWithColours) t.field("colour", &Collider::colour);
    t.field("characteristic_length", &Collider::characteristic_length);
    t.field("reach", &Collider::reach);
    t.field("alive", &Collider::alive);
  });
  archive.table("shapes", s.shapes, [version](auto& t) {
    if (version >= kVersionWithShapeNames) t.text_field("name", &FlatShape::name);
    else t.field("kind", &FlatShape::kind);
    t.field("size", &FlatShape::size);
    t.field("hull", &FlatShape::hull);
    if (version >= kVersionWithMeshes) t.field("mesh", &FlatShape::mesh);
  });
  archive.table("hulls", s.hulls, [](auto& t) {
    t.field("interior_point", &Polytope::interior_point);
    t.field("radius", &Polytope::radius);
  });
  archive.lists("hulls/vertices", s.hulls, &Polytope::vertices, [](auto& t) { t.field("position"); });
  archive.lists("hulls/loops", s.hulls, &Polytope::loops, [](auto& t) { t.field("vertex"); });
  archive.lists("hulls/faces", s.hulls, &Polytope::faces, [](auto& t) {
    t.field("normal", &Polytope::Face::normal);
    t.field("offset", &Polytope::Face::offset);
    t.field("first", &Polytope::Face::first);
    t.field("count", &Polytope::Face::count);
  });
  archive.lists("hulls/edges", s.hulls, &Polytope::edges, [](auto& t) {
    t.field("vertex", &Polytope::Edge::vertex);
    t.field("face", &Polytope::Edge::face);
  });
}

template <class Archive>
void exchange_meshes(Archive& archive, FlatScene& s) {
  archive.table("meshes", s.meshes, [](auto& t) {
    t.text_field("name", &FlatMesh::name);
    t.text_field("field", &FlatMesh::field);
  });
  const auto list = [&]<class Whole, class Part>(const char* name, Whole FlatMesh::*whole, Part Whole::*part) {
    archive.lists(
        name, s.meshes, [=](FlatMesh & m) -> auto& { return m.*whole.*part; }, [](auto& t) { t.field("value"); });
  };
  list("meshes/vertices", &FlatMesh::mesh, &TriangleMesh::vertices);
  list("meshes/triangles", &FlatMesh::mesh, &TriangleMesh::triangles);
  list("meshes/normals", &FlatMesh::look, &MeshLook::normals);
  list("meshes/colours", &FlatMesh::look, &MeshLook::colours);
  list("meshes/on_picture", &FlatMesh::look, &MeshLook::on_picture);
  list("meshes/picture_of", &FlatMesh::look, &MeshLook::picture_of);
  archive.lists(
      "meshes/pictures", s.meshes, [](FlatMesh & m) -> auto& { return m.look.pictures; },
      [](auto& t) { t.text_field("bytes"); });
}

template <class Archive>
void exchange_materials(Archive& archive, FlatScene& s, int version) {
  archive.table("materials", s.materials, [version](auto& t) {
    t.text_field("name", &Material::name);
    t.field("density", &Material::density);
    t.field("friction", &Material::friction);
    t.field("restitution", &Material::restitution);
    if (version >= kVersionWithColours) t.field("colour", &Material::colour);
    if (version >= kVersionWithTangentialRestitution) t.field("tangential_restitution", &Material::tangential_restitution);
  });
  archive.table("material_pairs", s.pairs, [version](auto& t) {
    t.field("a", &FlatPair::a);
    t.field("b", &FlatPair::b);
    t.field("friction", &FlatPair::surface, &SurfacePair::friction);
    t.field("restitution", &FlatPair::surface, &SurfacePair::restitution);
    t.field("fixed_to", &FlatPair::surface, &SurfacePair::fixed_to, &MaterialId::index);
    if (version >= kVersionWithPairForms) t.field("contact", &FlatPair::surface, &SurfacePair::contact);
    if (version >= kVersionWithTangentialRestitution)
      t.field("tangential_restitution", &FlatPair::surface, &SurfacePair::tangential_restitution);
  });
  archive.table("laws", s.laws, [](auto& t) { t.text_field("name", &FlatLaw::name); });
  archive.lists("laws/numbers", s.laws, &FlatLaw::numbers, [](auto& t) { t.field("number"); });
  archive.lists("laws/points", s.laws, &FlatLaw::points, [](auto& t) { t.field("point"); });
  archive.table("surfaces", s.surfaces, [](auto& t) {
    t.field("kind", &FlatSurface::kind);
    t.field("center", &FlatSurface::center);
    t.field("direction", &FlatSurface::direction);
    t.field("size", &FlatSurface::size);
    t.field("picture", &FlatSurface::picture);
    t.field("normal_map", &FlatSurface::normal_map);
    t.field("normal_map_size", &FlatSurface::normal_map_size);
    t.field("tensor", &FlatSurface::tensor);
  });
  archive.table("pictures", s.pictures, [](auto& t) {
    t.field("width", &FlatPicture::width);
    t.field("height", &FlatPicture::height);
  });
  archive.lists("pictures/rgb", s.pictures, &FlatPicture::rgb, [](auto& t) { t.field("value"); });
  archive.value("friction_rule", s.friction_rule);
  archive.value("restitution_rule", s.restitution_rule);
}

template <class Archive>
void exchange_textures(Archive& archive, FlatScene& s) {
  archive.table("textures", s.textures, [](auto& t) {
    t.text_field("name", &Texture::name);
    t.text_field("picture", &Texture::picture);
    t.field("size", &Texture::size);
    t.field("repeat", &Texture::repeat);
  });
  archive.table("textures/of_collider", s.collider_textures, [](auto& t) { t.field("number", &FlatTexture::number); });
  archive.table("textures/of_material", s.material_textures, [](auto& t) { t.field("number", &FlatTexture::number); });
}

/// Options of the integrators by penalty and by barriers.
template <class Archive>
void exchange_potentials(Archive& archive, StepOptions& o) {
  archive.value("step/penalty/law", o.penalty.law);
  archive.value("step/penalty/friction", o.penalty.friction);
  archive.value("step/penalty/stepping", o.penalty.stepping);
  archive.value("step/penalty/depth", o.penalty.depth);
  archive.value("step/penalty/stiffness", o.penalty.stiffness);
  archive.value("step/penalty/damping", o.penalty.damping);
  archive.value("step/penalty/friction_damping", o.penalty.friction_damping);
  archive.value("step/penalty/exponent", o.penalty.exponent);
  archive.value("step/penalty/substeps", o.penalty.substeps);
  archive.value("step/barrier/range", o.barrier.range);
  archive.value("step/barrier/stiffness", o.barrier.stiffness);
  archive.value("step/barrier/slip", o.barrier.slip);
  archive.value("step/barrier/anchored", o.barrier.anchored);
  archive.value("step/barrier/max_lags", o.barrier.max_lags);
  archive.value("step/barrier/form", o.barrier.form);
  archive.value("step/barrier/method", o.barrier.method);
}

template <class Archive>
void exchange_step_options(Archive& archive, FlatScene& s, int version) {
  StepOptions& o = s.step;
  archive.value("step/h", o.h);
  archive.value("step/scheme", o.scheme);
  archive.value("step/gyroscopic", o.gyroscopic);
  archive.value("step/stabilisation/kind", s.stabilisation.kind);
  archive.value("step/stabilisation/first", s.stabilisation.first);
  archive.value("step/stabilisation/second", s.stabilisation.second);
  archive.value("step/projection/enabled", o.projection.enabled);
  archive.value("step/projection/max_rounds", o.projection.max_rounds);
  archive.value("step/projection/iterations", o.projection.iterations);
  archive.value("step/projection/fraction", o.projection.fraction);
  archive.value("step/sleep/enabled", o.sleep.enabled);
  archive.value("step/sleep/time", o.sleep.time);
  archive.value("step/sleep/speed", o.sleep.speed);
  archive.value("step/warm_start", o.warm_start);
  archive.value("step/restitution_threshold", o.restitution_threshold);
  archive.value("step/margin", o.margin);
  archive.value("step/tolerance", o.tolerance);
  archive.value("step/max_iterations", o.max_iterations);
  archive.value("step/keep_history", o.keep_history);
  archive.value("step/threads", o.threads);
  if (version >= kVersionWithJoints) archive.value("step/geometric_stiffness", o.geometric_stiffness);
  if (version >= kVersionWithBand) {
    archive.value("step/contact_band", o.contact_band);
    archive.value("step/contact_elasticity", o.contact_elasticity);
    archive.value("step/turning_contacts", o.turning_contacts);
  }
  if (version >= kVersionWithShapeNames) archive.text("step/integrator", o.integrator);
  if (version >= kVersionWithPatches) archive.value("step/contact", o.contact);
  if (version >= kVersionWithSolids) {
    archive.value("step/soft/operator", o.soft.operator_);
    archive.value("step/soft/max_linearisations", o.soft.max_linearisations);
    if (version >= kVersionWithAttachments) archive.value("step/soft/max_pieces", o.soft.max_pieces);
    if (version >= kVersionWithSoftSolutions) archive.value("step/soft/solution", o.soft.solution);
  }
  if (version >= kVersionWithVolumes) archive.value("step/overlap", o.overlap);
  if (version >= kVersionWithPenalty) exchange_potentials(archive, o);
  if (version >= kVersionWithMerit) {
    archive.value("step/merit/function", o.merit.function);
    archive.value("step/merit/absolute", o.merit.absolute);
    archive.value("step/merit/relative", o.merit.relative);
    archive.value("step/merit/divergence", o.merit.divergence);
    archive.value("step/last_iterate", o.last_iterate);
  }
  archive.text("step/solver", o.solver);
  archive.table("step/solver_options", s.solver_options, [](auto& t) {
    t.text_field("name", &FlatOption::name);
    t.text_field("text", &FlatOption::text);
    t.field("kind", &FlatOption::kind);
    t.field("number", &FlatOption::number);
  });
}

/// @param version of the file: what it does not hold keeps its default
template <class Archive>
void exchange(Archive& archive, FlatScene& s, int version) {
  archive.text("scene/name", s.name);
  archive.text("scene/description", s.description);
  archive.text("scene/document", s.document);
  archive.value("scene/seconds", s.seconds);
  archive.table("scene/warnings", s.warnings, [](auto& t) { t.text_field("text", &FlatText::text); });
  if (version >= kVersionWithEfforts) archive.text("scene/sensors", s.sensors);
  archive.value("gravity", s.gravity);
  archive.value("time", s.time);
  archive.value("step_count", s.step_count);
  exchange_bodies(archive, s, version);
  exchange_shapes(archive, s, version);
  if (version >= kVersionWithMeshes) exchange_meshes(archive, s);
  if (version >= kVersionWithNodes) exchange_nodes(archive, s);
  if (version >= kVersionWithSolids) exchange_solids(archive, s, version);
  if (version >= kVersionWithFactors) exchange_factors(archive, s);
  if (version >= kVersionWithJoints) exchange_joints(archive, s, version);
  exchange_materials(archive, s, version);
  if (version >= kVersionWithTextures) exchange_textures(archive, s);
  archive.value("memory/h", s.memory.h);
  archive.table("memory/impulses", s.memory.impulses, [version](auto& t) {
    t.field("collider_a", &RememberedImpulse::key, &ContactKey::a);
    t.field("collider_b", &RememberedImpulse::key, &ContactKey::b);
    t.field("feature", &RememberedImpulse::key, &ContactKey::feature);
    if (version >= kVersionWithNodes) t.field("parts", &RememberedImpulse::key, &ContactKey::parts);
    t.field("impulse", &RememberedImpulse::impulse);
    t.field("angular_impulse", &RememberedImpulse::angular_impulse);
    if (version >= kVersionWithPlaces) t.field("position", &RememberedImpulse::position);
  });
  exchange_step_options(archive, s, version);
}

}   // namespace stickslip
