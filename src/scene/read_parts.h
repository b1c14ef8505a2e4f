// How the parts of a scene document become the values of the library. docs/scenes.md describes the format for users.
#pragma once

#include <filesystem>

#include "scene/reader.h"
#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip::document {

void read(const Place&, MotionScript&);   ///< {"type": "oscillation", …}
void read(const Place&, StepOptions&);    ///< fields that are not there stay as they are

/// In the order of ContactForm.
inline const std::vector<std::string> kContactForms = {"automatic", "points", "patch", "volume"};

class SceneMeshes;

/// {"type": "box", "half_extents": […]}: one shape, or several where a mesh is to become hulls.
std::vector<Shape> read_shape(const Place&, SceneMeshes&);

/// [[i, j, k], …]. @param corners what they are, in the plural
void read_triangles(const Place&, std::vector<std::array<std::uint32_t, 3>>&, std::string_view corners);

/// "position" and "orientation_wxyz" or "rotation" of a body, part or key.
Pose read_pose(Fields&);

/// {"axis": […], "degrees": …} as axis times angle [rad].
Vec3 read_rotation(const Place&);

/// "materials", "material_pairs" and "combine" of the document. @param folder that names of picture files are relative to
void read_materials(Fields& document, MaterialTable&, const std::filesystem::path& folder);

MaterialId read_material_name(const Place&, const MaterialTable&);

/// "color" of a material, body or part.
void read_colour(Fields&, std::optional<Colour>&);

/// An entry of "bodies" that has "nodes".
void add_nodal_body(const Place&, World&);

/// An entry of "bodies" that has "soft", which makes several bodies if it repeats.
void add_soft_bodies(const Place&, World&, SceneMeshes&, std::vector<std::string>& warnings);

/// Another entry of "bodies", which makes several bodies if it repeats. @param warnings gets a sentence for each field
/// that has no effect.
void add_bodies(const Place&, World&, SceneMeshes&, std::vector<std::string>& warnings);

}   // namespace stickslip::document
