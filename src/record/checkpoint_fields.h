// The list of everything a checkpoint holds. `Archive` is Saver or Loader: the same list writes and reads.
#pragma once

#include "record/checkpoint_archive.h"
#include "record/checkpoint_joints.h"
#include "record/flat_scene.h"

namespace stickslip {

template <class Archive>
void exchange_bodies(Archive& archive, FlatScene& s, int version) {
  archive.table("bodies", s.bodies, [version](auto& t) {
    t.text_field(
        "name", [](Body & b) -> auto& { return b.name; });
    t.field(
        "motion", [](Body & b) -> auto& { return b.motion; });
    if (version >= kVersionWithNodes)
      t.field(
          "kind", [](Body & b) -> auto& { return b.kind; });
    t.field(
        "generation", [](Body & b) -> auto& { return b.generation; });
    t.field(
        "alive", [](Body & b) -> auto& { return b.alive; });
    t.field(
        "position", [](Body & b) -> auto& { return b.position; });
    t.field(
        "orientation_wxyz", [](Body & b) -> auto& { return b.orientation; });
    t.field(
        "velocity", [](Body & b) -> auto& { return b.velocity; });
    t.field(
        "angular_velocity", [](Body & b) -> auto& { return b.angular_velocity; });
    t.field(
        "asleep", [](Body & b) -> auto& { return b.asleep; });
    t.field(
        "can_sleep", [](Body & b) -> auto& { return b.can_sleep; });
    t.field(
        "quiet_time", [](Body & b) -> auto& { return b.quiet.time; });
    if (version >= kVersionWithPlaces) {
      t.field(
          "quiet_moved", [](Body & b) -> auto& { return b.quiet.moved; });
      t.field(
          "quiet_turned", [](Body & b) -> auto& { return b.quiet.turned; });
      t.field(
          "quiet_early", [](Body & b) -> auto& { return b.quiet.early; });
      t.field(
          "quiet_far", [](Body & b) -> auto& { return b.quiet.far; });
    }
    t.field(
        "mass", [](Body & b) -> auto& { return b.mass.mass; });
    t.field(
        "center_of_mass", [](Body & b) -> auto& { return b.mass.center; });
    t.field(
        "inertia", [](Body & b) -> auto& { return b.mass.inertia; });
    t.field(
        "inverse_mass", [](Body & b) -> auto& { return b.inverse_mass; });
    t.field(
        "inverse_inertia", [](Body & b) -> auto& { return b.inverse_inertia; });
    t.field(
        "principal_moments", [](Body & b) -> auto& { return b.principal_moments; });
    t.field(
        "principal_axes_wxyz", [](Body & b) -> auto& { return b.principal_axes; });
    t.field(
        "force", [](Body & b) -> auto& { return b.force; });
    t.field(
        "torque", [](Body & b) -> auto& { return b.torque; });
    t.field(
        "script_start_position", [](Body & b) -> auto& { return b.script_start.position; });
    t.field(
        "script_start_orientation_wxyz", [](Body & b) -> auto& { return b.script_start.orientation; });
  });
  archive.lists(
      "bodies/colliders", s.bodies, [](Body & b) -> auto& { return b.colliders; },
      [](auto& t) {
        t.field(
            "index", [](std::uint32_t & i) -> auto& { return i; });
      });
  archive.table("scripts", s.scripts, [](auto& t) {
    t.field(
        "kind", [](FlatScript & f) -> auto& { return f.kind; });
    t.field(
        "translation", [](FlatScript & f) -> auto& { return f.oscillation.translation; });
    t.field(
        "rotation", [](FlatScript & f) -> auto& { return f.oscillation.rotation; });
    t.field(
        "frequency", [](FlatScript & f) -> auto& { return f.oscillation.frequency; });
    t.field(
        "phase", [](FlatScript & f) -> auto& { return f.oscillation.phase; });
  });
  archive.lists(
      "scripts/keys", s.scripts, [](FlatScript & f) -> auto& { return f.keys; },
      [](auto& t) {
        t.field(
            "time", [](Keyframes::Key & k) -> auto& { return k.time; });
        t.field(
            "position", [](Keyframes::Key & k) -> auto& { return k.pose.position; });
        t.field(
            "orientation_wxyz", [](Keyframes::Key & k) -> auto& { return k.pose.orientation; });
      });
}

template <class Archive>
void exchange_nodes(Archive& archive, FlatScene& s) {
  archive.table("nodal_bodies", s.nodal_bodies, [](auto& t) {
    t.field(
        "body", [](NodalBody & n) -> auto& { return n.body; });
    t.field(
        "radius", [](NodalBody & n) -> auto& { return n.radius; });
  });
  const auto vectors = [](auto& t) {
    t.field(
        "value", [](Vec3 & x) -> auto& { return x; });
  };
  archive.lists(
      "nodal_bodies/positions", s.nodal_bodies, [](NodalBody & n) -> auto& { return n.positions; }, vectors);
  archive.lists(
      "nodal_bodies/velocities", s.nodal_bodies, [](NodalBody & n) -> auto& { return n.velocities; }, vectors);
  archive.lists(
      "nodal_bodies/masses", s.nodal_bodies, [](NodalBody & n) -> auto& { return n.masses; },
      [](auto& t) {
        t.field(
            "value", [](double& x) -> auto& { return x; });
      });
  archive.lists(
      "nodal_bodies/triangles", s.nodal_bodies, [](NodalBody & n) -> auto& { return n.triangles; },
      [](auto& t) {
        t.field(
            "nodes", [](std::array<std::uint32_t, 3>& x) -> auto& { return x; });
      });
}

template <class Archive>
void exchange_shapes(Archive& archive, FlatScene& s, int version) {
  archive.table("colliders", s.colliders, [version](auto& t) {
    t.field(
        "position", [](Collider & c) -> auto& { return c.local.position; });
    t.field(
        "orientation_wxyz", [](Collider & c) -> auto& { return c.local.orientation; });
    t.field(
        "body", [](Collider & c) -> auto& { return c.body; });
    if (version >= kVersionWithNodes)
      t.field(
          "node", [](Collider & c) -> auto& { return c.node; });
    t.field(
        "material", [](Collider & c) -> auto& { return c.material.index; });
    t.field(
        "characteristic_length", [](Collider & c) -> auto& { return c.characteristic_length; });
    t.field(
        "reach", [](Collider & c) -> auto& { return c.reach; });
    t.field(
        "alive", [](Collider & c) -> auto& { return c.alive; });
  });
  archive.table("shapes", s.shapes, [version](auto& t) {
    if (version >= kVersionWithShapeNames)
      t.text_field(
          "name", [](FlatShape & f) -> auto& { return f.name; });
    else
      t.field(
          "kind", [](FlatShape & f) -> auto& { return f.kind; });
    t.field(
        "size", [](FlatShape & f) -> auto& { return f.size; });
    t.field(
        "hull", [](FlatShape & f) -> auto& { return f.hull; });
  });
  archive.table("hulls", s.hulls, [](auto& t) {
    t.field(
        "interior_point", [](Polytope & p) -> auto& { return p.interior_point; });
    t.field(
        "radius", [](Polytope & p) -> auto& { return p.radius; });
  });
  archive.lists(
      "hulls/vertices", s.hulls, [](Polytope & p) -> auto& { return p.vertices; },
      [](auto& t) {
        t.field(
            "position", [](Vec3 & v) -> auto& { return v; });
      });
  archive.lists(
      "hulls/loops", s.hulls, [](Polytope & p) -> auto& { return p.loops; },
      [](auto& t) {
        t.field(
            "vertex", [](int& i) -> auto& { return i; });
      });
  archive.lists(
      "hulls/faces", s.hulls, [](Polytope & p) -> auto& { return p.faces; },
      [](auto& t) {
        t.field(
            "normal", [](Polytope::Face & f) -> auto& { return f.normal; });
        t.field(
            "offset", [](Polytope::Face & f) -> auto& { return f.offset; });
        t.field(
            "first", [](Polytope::Face & f) -> auto& { return f.first; });
        t.field(
            "count", [](Polytope::Face & f) -> auto& { return f.count; });
      });
  archive.lists(
      "hulls/edges", s.hulls, [](Polytope & p) -> auto& { return p.edges; },
      [](auto& t) {
        t.field(
            "vertex", [](Polytope::Edge & e) -> auto& { return e.vertex; });
        t.field(
            "face", [](Polytope::Edge & e) -> auto& { return e.face; });
      });
}

template <class Archive>
void exchange_materials(Archive& archive, FlatScene& s) {
  archive.table("materials", s.materials, [](auto& t) {
    t.text_field(
        "name", [](Material & m) -> auto& { return m.name; });
    t.field(
        "density", [](Material & m) -> auto& { return m.density; });
    t.field(
        "friction", [](Material & m) -> auto& { return m.friction; });
    t.field(
        "restitution", [](Material & m) -> auto& { return m.restitution; });
  });
  archive.table("material_pairs", s.pairs, [](auto& t) {
    t.field(
        "a", [](FlatPair & p) -> auto& { return p.a; });
    t.field(
        "b", [](FlatPair & p) -> auto& { return p.b; });
    t.field(
        "friction", [](FlatPair & p) -> auto& { return p.surface.friction; });
    t.field(
        "restitution", [](FlatPair & p) -> auto& { return p.surface.restitution; });
    t.field(
        "fixed_to", [](FlatPair & p) -> auto& { return p.surface.fixed_to.index; });
  });
  archive.table("laws", s.laws, [](auto& t) {
    t.text_field(
        "name", [](FlatLaw & l) -> auto& { return l.name; });
  });
  archive.lists(
      "laws/numbers", s.laws, [](FlatLaw & l) -> auto& { return l.numbers; },
      [](auto& t) {
        t.field(
            "number", [](double& x) -> auto& { return x; });
      });
  archive.lists(
      "laws/points", s.laws, [](FlatLaw & l) -> auto& { return l.points; },
      [](auto& t) {
        t.field(
            "point", [](Vec3 & v) -> auto& { return v; });
      });
  archive.table("surfaces", s.surfaces, [](auto& t) {
    t.field(
        "kind", [](FlatSurface & f) -> auto& { return f.kind; });
    t.field(
        "center", [](FlatSurface & f) -> auto& { return f.center; });
    t.field(
        "direction", [](FlatSurface & f) -> auto& { return f.direction; });
    t.field(
        "size", [](FlatSurface & f) -> auto& { return f.size; });
    t.field(
        "picture", [](FlatSurface & f) -> auto& { return f.picture; });
    t.field(
        "normal_map", [](FlatSurface & f) -> auto& { return f.normal_map; });
    t.field(
        "normal_map_size", [](FlatSurface & f) -> auto& { return f.normal_map_size; });
    t.field(
        "tensor", [](FlatSurface & f) -> auto& { return f.tensor; });
  });
  archive.table("pictures", s.pictures, [](auto& t) {
    t.field(
        "width", [](FlatPicture & p) -> auto& { return p.width; });
    t.field(
        "height", [](FlatPicture & p) -> auto& { return p.height; });
  });
  archive.lists(
      "pictures/rgb", s.pictures, [](FlatPicture & p) -> auto& { return p.rgb; },
      [](auto& t) {
        t.field(
            "value", [](float& x) -> auto& { return x; });
      });
  archive.value("friction_rule", s.friction_rule);
  archive.value("restitution_rule", s.restitution_rule);
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
  archive.text("step/solver", o.solver);
  archive.table("step/solver_options", s.solver_options, [](auto& t) {
    t.text_field(
        "name", [](FlatOption & f) -> auto& { return f.name; });
    t.text_field(
        "text", [](FlatOption & f) -> auto& { return f.text; });
    t.field(
        "kind", [](FlatOption & f) -> auto& { return f.kind; });
    t.field(
        "number", [](FlatOption & f) -> auto& { return f.number; });
  });
}

/// @param version of the file: what it does not hold keeps its default
template <class Archive>
void exchange(Archive& archive, FlatScene& s, int version) {
  archive.text("scene/name", s.name);
  archive.text("scene/description", s.description);
  archive.text("scene/document", s.document);
  archive.value("scene/seconds", s.seconds);
  archive.table("scene/warnings", s.warnings, [](auto& t) {
    t.text_field(
        "text", [](FlatText & f) -> auto& { return f.text; });
  });
  archive.value("gravity", s.gravity);
  archive.value("time", s.time);
  archive.value("step_count", s.step_count);
  exchange_bodies(archive, s, version);
  exchange_shapes(archive, s, version);
  if (version >= kVersionWithNodes) exchange_nodes(archive, s);
  if (version >= kVersionWithJoints) exchange_joints(archive, s);
  exchange_materials(archive, s);
  archive.value("memory/h", s.memory.h);
  archive.table("memory/impulses", s.memory.impulses, [version](auto& t) {
    t.field(
        "collider_a", [](RememberedImpulse & r) -> auto& { return r.key.a; });
    t.field(
        "collider_b", [](RememberedImpulse & r) -> auto& { return r.key.b; });
    t.field(
        "feature", [](RememberedImpulse & r) -> auto& { return r.key.feature; });
    if (version >= kVersionWithNodes)
      t.field(
          "parts", [](RememberedImpulse & r) -> auto& { return r.key.parts; });
    t.field(
        "impulse", [](RememberedImpulse & r) -> auto& { return r.impulse; });
    t.field(
        "angular_impulse", [](RememberedImpulse & r) -> auto& { return r.angular_impulse; });
    if (version >= kVersionWithPlaces)
      t.field(
          "position", [](RememberedImpulse & r) -> auto& { return r.position; });
  });
  exchange_step_options(archive, s, version);
}

}  // namespace stickslip
