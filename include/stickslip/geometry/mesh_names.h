// The names of what touches at a contact of meshes: what contact generation writes into a ContactKey and records read from it.
#pragma once

#include <cstdint>

namespace stickslip {

/// The kinds of features of a contact on a mesh, in the two highest bits of its name. First and second are the shapes A and B
/// of the contact.
enum class MeshFeature : std::uint64_t { vertex_on_face, face_under_vertex, edges, other };

/// @param of_first, of_second a vertex, facet or edge of the mesh, as the kind says
constexpr std::uint64_t mesh_feature(MeshFeature kind, std::uint32_t of_first, std::uint32_t of_second) {
  return static_cast<std::uint64_t>(kind) << 62 | (std::uint64_t{of_first} & 0x7fffffffu) << 31 | (of_second & 0x7fffffffu);
}
constexpr MeshFeature kind_of_feature(std::uint64_t feature) { return static_cast<MeshFeature>(feature >> 62); }
constexpr std::uint32_t first_of_feature(std::uint64_t feature) {
  return static_cast<std::uint32_t>(feature >> 31) & 0x7fffffffu;
}
constexpr std::uint32_t second_of_feature(std::uint64_t feature) { return static_cast<std::uint32_t>(feature) & 0x7fffffffu; }

/// The same contact seen from the other shape.
constexpr std::uint64_t exchanged_feature(std::uint64_t feature) {
  const MeshFeature kind = kind_of_feature(feature);
  const MeshFeature other = kind == MeshFeature::vertex_on_face      ? MeshFeature::face_under_vertex
                            : kind == MeshFeature::face_under_vertex ? MeshFeature::vertex_on_face
                                                                     : kind;
  return mesh_feature(other, second_of_feature(feature), first_of_feature(feature));
}

/// Names of parts of a mesh: facets from 1, then edges and vertices.
constexpr std::uint32_t facet_part(std::uint32_t facet) { return facet + 1; }
constexpr std::uint32_t edge_part(std::uint32_t edge) { return edge | 0x80000000u; }
constexpr std::uint32_t vertex_part(std::uint32_t vertex) { return vertex | 0xc0000000u; }
constexpr bool is_facet_part(std::uint32_t part) { return part > 0 && part < 0x80000000u; }
constexpr bool is_edge_part(std::uint32_t part) { return part >> 30 == 2; }
constexpr bool is_vertex_part(std::uint32_t part) { return part >> 30 == 3; }
/// Several areas in which two meshes share a volume: edges that no mesh has. @param number from 1 to 255
constexpr std::uint32_t area_part(std::uint32_t number) { return 0xbfffff00u | number; }
/// The edge or vertex of such a part.
constexpr std::uint32_t number_of_part(std::uint32_t part) { return part & 0x3fffffffu; }

}   // namespace stickslip
