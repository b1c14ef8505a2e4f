// The commands under `stickslip mesh`.
#pragma once

#include "cli/commands.h"

namespace stickslip::cli {

void add_mesh_check(CLI::App& mesh, Outcome&);
void add_mesh_convert(CLI::App& mesh);
void add_mesh_tet(CLI::App& mesh);
void add_mesh_hulls(CLI::App& mesh, Outcome&);
void add_mesh_sdf(CLI::App& mesh, Outcome&);
void add_mesh_simplify(CLI::App& mesh);

}   // namespace stickslip::cli
