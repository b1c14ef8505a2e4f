// stickslip mesh sdf
#include <filesystem>

#include "cli/amounts.h"
#include "cli/mesh_commands.h"
#include "cli/mesh_input.h"
#include "cli/output.h"
#include "stickslip/field/field_cache.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

struct SdfArguments {
  MeshInput input;
  std::string output;
  std::optional<int> resolution;
  std::optional<double> tolerance;
  std::string sign = "automatic";
};

SignRule sign_rule(const std::string& word) {
  const std::vector<std::string> words = {"automatic", "normals", "winding"};
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) throw Error(fmt::format("--sign {}: there is no such rule. {}", word, suggest(word, words)));
  return static_cast<SignRule>(found - words.begin());
}

int run_sdf(SdfArguments arguments) {
  if (arguments.output.empty()) arguments.output = arguments.input.file + ".field";
  check_writable(arguments.output);
  const PreparedMesh prepared = prepare(arguments.input);
  try {
    const MeshSurface surface(prepared.mesh);
    const Aabb& box = surface.tree().bounds();
    FieldOptions options = field_options((box.upper - box.lower).maxCoeff(), arguments.resolution, arguments.tolerance);
    options.sign = sign_rule(arguments.sign);
    const SampledField field(surface, options);
    write_field(arguments.output, field, field_key(prepared.mesh), options);
    const bool reached = !arguments.tolerance || field.error_bound() <= *arguments.tolerance;
    if (arguments.input.json) {
      const nlohmann::ordered_json result = {{"file", arguments.input.file},
                                             {"output", arguments.output},
                                             {"notes", prepared.json_of_notes()},
                                             {"repairs", prepared.json_of_repairs()},
                                             {"resolution", options.resolution},
                                             {"blocks", field.arrays().blocks.size()},
                                             {"bytes", field.bytes()},
                                             {"band", field.band()},
                                             {"error_bound", field.error_bound()},
                                             {"reached", reached}};
      fmt::print("{}\n", result.dump(2));
    } else {
      fmt::print("{}: {}, {:.3g} MB\n", arguments.output, counted(field.arrays().blocks.size(), "block", "blocks"),
                 1e-6 * static_cast<double>(field.bytes()));
      prepared.print();
      fmt::print("  resolution  {} cells along the longest side\n", options.resolution);
      fmt::print("  error       {} at most, within {} of the surface\n", quantity(field.error_bound(), "m"),
                 quantity(field.band(), "m"));
      if (!reached) fmt::print("  the tolerance asked for is not reached at sharp edges: give a higher --resolution\n");
    }
    return reached ? fine : tolerance_missed;
  } catch (Error& e) {
    throw e.in(arguments.input.file);
  }
}

}   // namespace

void add_mesh_sdf(CLI::App& mesh, Outcome& outcome) {
  CLI::App* command =
      mesh.add_subcommand("sdf", "Sample the signed distance to a mesh; exit code 1 if the tolerance asked for is not reached");
  auto arguments = std::make_shared<SdfArguments>();
  arguments->input.add_to(*command);
  command->add_option("--resolution", arguments->resolution,
                      "Finest cells along the longest side, 8 to 2048. Default: 64, or what the tolerance asks for");
  command->add_option("--tolerance", arguments->tolerance, "Wanted bound of the error [m]");
  command->add_option("--sign", arguments->sign, "What tells inside from outside: automatic, normals, winding");
  command->add_option("-o,--output", arguments->output,
                      "The file of the field. Default: the mesh file with .field added, where scenes look for it");
  command->callback([arguments, &outcome] { outcome.exit_code = run_sdf(*arguments); });
}

}   // namespace stickslip::cli
