// stickslip mesh, and its command convert
#include "cli/amounts.h"
#include "cli/mesh_commands.h"
#include "cli/mesh_input.h"
#include "cli/output.h"
#include "stickslip/math/error.h"
#include "stickslip/mesh/write_mesh.h"

namespace stickslip::cli {

namespace {

struct ConvertArguments {
  MeshInput input;
  std::string output;
};

void run_convert(const ConvertArguments& arguments) {
  check_writable(arguments.output);
  const bool tets = is_tet_file(arguments.output) && std::filesystem::path(arguments.output).extension() != ".vtk";
  nlohmann::ordered_json result = {{"file", arguments.input.file}, {"output", arguments.output}};
  if (tets || (is_tet_file(arguments.input.file) && is_tet_file(arguments.output))) {
    if (!arguments.input.repairs.empty()) throw Error("--repair mends surfaces, but these are tetrahedra. Leave it out.");
    const ImportedTets imported = read_tet_mesh(arguments.input.file, arguments.input.options());
    write_mesh(arguments.output, imported.mesh);
    result.update({{"vertices", imported.mesh.vertices.size()},
                   {"tetrahedra", imported.mesh.tetrahedra.size()},
                   {"notes", imported.notes}});
    if (arguments.input.json) return fmt::print("{}\n", result.dump(2));
    fmt::print("{}: {}, {}\n", arguments.output, counted(imported.mesh.tetrahedra.size(), "tetrahedron", "tetrahedra"),
               counted(imported.mesh.vertices.size(), "vertex", "vertices"));
    for (const std::string& note : imported.notes) fmt::print("  read: {}\n", note);
    return;
  }
  const PreparedMesh prepared = prepare(arguments.input);
  write_mesh(arguments.output, prepared.mesh);
  result.update({{"vertices", prepared.mesh.vertices.size()},
                 {"triangles", prepared.mesh.triangles.size()},
                 {"notes", prepared.json_of_notes()},
                 {"repairs", prepared.json_of_repairs()}});
  if (arguments.input.json) return fmt::print("{}\n", result.dump(2));
  fmt::print("{}: {}, {}\n", arguments.output, counted(prepared.mesh.triangles.size(), "triangle", "triangles"),
             counted(prepared.mesh.vertices.size(), "vertex", "vertices"));
  prepared.print();
}

}   // namespace

void add_mesh_convert(CLI::App& mesh) {
  CLI::App* command = mesh.add_subcommand("convert", "Write a mesh in another format, scaled, turned or mended");
  auto arguments = std::make_shared<ConvertArguments>();
  arguments->input.add_to(*command);
  command
      ->add_option("-o,--output", arguments->output,
                   "A .stl, .obj, .ply or .vtk file; of tetrahedra also .msh, or .node with .ele")
      ->required();
  command->callback([arguments] { run_convert(*arguments); });
}

void add_mesh(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("mesh", "Examine, mend, simplify, cut up, fill and sample meshes");
  command->require_subcommand(1);
  add_mesh_check(*command, outcome);
  add_mesh_convert(*command);
  add_mesh_simplify(*command);
  add_mesh_hulls(*command, outcome);
  add_mesh_tet(*command);
  add_mesh_sdf(*command, outcome);
}

}   // namespace stickslip::cli
