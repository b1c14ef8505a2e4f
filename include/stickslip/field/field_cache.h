// Sampled fields kept beside their meshes.
#pragma once

#include <filesystem>
#include <optional>

#include "stickslip/field/sampled_field.h"

namespace stickslip {

/// Checksum of the bytes of vertices and triangles.
std::uint64_t field_key(const TriangleMesh&);

/// Writes a field with what it was made of; the file replaces an older one only when it is whole.
/// @throws Error if the file cannot be written
void write_field(const std::filesystem::path&, const SampledField&, std::uint64_t mesh_key, const FieldOptions&);

/// @returns nothing if there is no such file, it is damaged or of another version, or made of another mesh or with other
/// options
std::optional<SampledField> read_field(const std::filesystem::path&, std::uint64_t mesh_key, const FieldOptions&);

struct CachedField {
  SampledField field;
  bool read = false;      ///< from the file; else it was built
  bool written = false;   ///< the file is new; false too where the folder cannot be written to, which is no error
};

/// The field of a mesh from `<mesh file>.field`, or built and kept there. @throws Error as `SampledField` does
CachedField cached_field(const MeshSurface&, const std::filesystem::path& mesh_file, const FieldOptions& = {});

}   // namespace stickslip
