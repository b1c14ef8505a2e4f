// Contacts of surfaces that deform, as those of soft bodies: against shapes, against each other, against themselves.
//
// Every contact is a part of its own (geometry/surface_part.h), because every one moves with vertices of its own. Gaps are
// signed: vertices that have come inside are held by the nearest place of the surface that they came through.
#pragma once

#include <span>
#include <vector>

#include "stickslip/collide/contact.h"
#include "stickslip/geometry/mesh_distance.h"
#include "stickslip/geometry/shape.h"

namespace stickslip {

/// Contacts of a pair that bore a load in the step before, by their names, and where they were.
///
/// Where features are nearly as near as their neighbours, a contact may be made of them or not. One that bears and is left out
/// lets its place sink until it counts again, and what rests on it trembles: contacts that bore stay as long as their features
/// meet, and where a vertex that bore has left a face, the edges to it take its load over.
class LoadedContacts {
 public:
  struct Contact {
    std::uint64_t parts, feature;
    Vec3 place;   ///< in the world [m]; not a number if unknown
  };

  void clear();
  /// @param parts as the contact has them, those of the surface A first
  void add(std::uint64_t parts, std::uint64_t feature, const Vec3& place);
  /// @pre after the last of `add`, before anything is asked
  void sort();

  bool has(std::uint64_t parts, std::uint64_t feature) const;
  std::span<const Contact> all() const { return contacts_; }
  bool has_vertex_of_a(std::uint32_t vertex) const;
  bool has_vertex_of_b(std::uint32_t vertex) const;

 private:
  std::vector<Contact> contacts_;
  std::vector<std::uint32_t> vertices_a_, vertices_b_;
};

/// Contacts of a surface (A) with a shape (B), as far as `margin` apart [m]: vertices of the surface at the shape, corners of
/// the shape at triangles, and where edges or faces are nearer than their corners, those. Normals point from the surface to
/// the shape; parts are those of the surface, 0 of the shape. Sorted by parts.
void collide_surface(const MeshSurface& a, const Shape& b, const Pose& pose_b, double margin, ContactSink&,
                     const LoadedContacts& = {});

/// Contacts of two surfaces: vertices with triangles both ways, and crossing edges. Normals point from A to B.
void collide_surfaces(const MeshSurface& a, const MeshSurface& b, double margin, ContactSink&, const LoadedContacts& = {});

/// Contacts of a surface with itself, where it is folded. @param depth down to which vertices count as having come through a
/// triangle rather than belonging behind it [m]
void collide_self(const MeshSurface&, double margin, double depth, ContactSink&, const LoadedContacts& = {});

/// How deep a surface runs through itself [m], at least: how far edges get behind triangles. 0 if none goes through one.
/// Contacts know of what has come through lately and little; this sees all of it.
double self_crossing_depth(const MeshSurface&);

}   // namespace stickslip
