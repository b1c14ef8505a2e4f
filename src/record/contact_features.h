// What of two meshes touches at a contact, as its name tells.
#pragma once

#include "stickslip/step/report.h"

namespace stickslip {

/// The numbers that records write.
enum class Touch : std::uint8_t {
  plain = 0,         ///< no mesh takes part
  vertex_face = 1,   ///< a vertex of A on a face of B
  face_vertex = 2,   ///< a face of A under a vertex of B
  edge_edge = 3,
  other = 4   ///< of a mesh, but neither
};

struct ContactFeatures {
  Touch touch = Touch::plain;
  std::uint32_t facet_a = 0, facet_b = 0;   ///< facets of the meshes that touch, or lie beside what touches, from 1; 0: none
  std::uint32_t shape_a = 0, shape_b = 0;   ///< which of the shapes of its body, counted from 0
};

/// @pre the contact is one of the last step of this world
ContactFeatures features_of(const World&, const ContactRecord&);

/// How thick the volume is that two bodies share, in the mean over the area of the contact [m]; 0 if points made it.
double mean_depth(const ContactOutline&);

/// Whether the world has a mesh: then contacts have features.
bool has_meshes(const World&);

}   // namespace stickslip
