// Parts of scene documents by themselves: step options read and written, bodies, joints and materials added to a world that is
// there already. What a document may say, and the words of its errors, are those of whole scenes (docs/scenes.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Changes what the text names and leaves the rest: {"h": 0.005, "solver": "prox-gs", "sleep": true}. A solver that is named
/// has its default options but for those that stand with it. @throws Error naming place, value and remedy; then nothing has
/// changed
void read_step_options(std::string_view json_text, StepOptions&);

/// All options as such a text: reading it gives back the same options.
std::string write_step_options(const StepOptions&);

struct AddedParts {
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
  std::vector<std::string> warnings;
};

/// Adds what a document says under "materials", "material_pairs", "combine", "meshes", "bodies", "joints" and
/// "ignore_contacts", none of which must be there. Bodies may overlap others. @param folder that names of files are relative to
/// @throws Error naming place, value and remedy; then nothing has been added
AddedParts add_parts(World&, std::string_view json_text, const std::filesystem::path& folder = {});

}   // namespace stickslip
