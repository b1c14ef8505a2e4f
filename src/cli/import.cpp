// stickslip import
#include "stickslip/import/import.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "record/output_file.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

struct ImportArguments {
  std::string file, output;
  std::string meshes;
  bool strict = false, hulls = false, floating = false, merge = false, ground = false, json = false;
  std::vector<double> hold;
  std::vector<std::string> packages;
};

std::optional<MeshImport> meshes_of(const ImportArguments& arguments) {
  const std::vector<std::string> words = {"none", "hull", "hulls", "true"};   // in the order of MeshImport
  if (arguments.meshes.empty()) return arguments.hulls ? std::optional(MeshImport::hull) : std::nullopt;
  if (arguments.hulls) throw Error("--hulls and --meshes are both given. --hulls is --meshes hull; keep one of them.");
  const auto found = std::find(words.begin(), words.end(), arguments.meshes);
  if (found == words.end())
    throw Error(
        fmt::format("--meshes {}: that is nothing meshes can become. {}", arguments.meshes, suggest(arguments.meshes, words)));
  return static_cast<MeshImport>(found - words.begin());
}

ImportOptions options_of(const ImportArguments& arguments) {
  ImportOptions options;
  options.strict = arguments.strict;
  options.meshes = meshes_of(arguments);
  if (!arguments.output.empty()) options.document_folder = std::filesystem::absolute(arguments.output).parent_path();
  options.fixed_base = !arguments.floating;
  options.merge_fixed = arguments.merge;
  options.ground = arguments.ground;
  if (!arguments.hold.empty()) {
    options.hold = HoldingServo{arguments.hold[0], arguments.hold.size() > 1 ? arguments.hold[1] : 0};
    for (const double number : arguments.hold)
      if (!(std::isfinite(number) && number >= 0))
        throw Error(fmt::format("--hold {}: {} is not a stiffness or damping. Give one or two numbers, 0 or more.",
                                fmt::join(arguments.hold, " "), number));
    if (options.hold->stiffness == 0 && options.hold->damping == 0)
      throw Error("--hold 0 holds nothing. Give a stiffness [N m/rad or N/m] greater than 0.");
  }
  for (const std::string& folder : arguments.packages) options.package_directories.emplace_back(folder);
  return options;
}

/// The findings of one kind: what was found, and where. Equal ones share a row.
void print_table(const std::vector<ImportFinding>& findings, ImportFinding::Kind kind) {
  constexpr std::size_t kPlaces = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;
  std::size_t count = 0;
  for (const ImportFinding& finding : findings) {
    if (finding.kind != kind) continue;
    ++count;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.first == finding.what; });
    if (row == rows.end()) rows.push_back({finding.what, {finding.place}});
    else row->second.push_back(finding.place);
  }
  if (rows.empty()) return;
  fmt::print("\n{}: {}\n", import_kind_name(kind), count);
  for (auto& [what, places] : rows) {
    const std::size_t all = places.size();
    if (all > kPlaces) places.resize(kPlaces);
    fmt::print("  {}\n      {}{}\n", wrapped(what, 2), fmt::join(places, "; "),
               all > kPlaces ? fmt::format("; and {} more", all - kPlaces) : "");
  }
}

void run(const ImportArguments& arguments) {
  const ImportedScene imported = import_robot(arguments.file, options_of(arguments));
  const Scene scene = parse_scene(imported.document, arguments.output.empty() ? arguments.file : arguments.output);
  if (!arguments.output.empty()) {
    OutputFile file(arguments.output);
    file.write(imported.document);
    file.write("\n");
    file.commit();
  }
  if (arguments.json) {
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const ImportFinding& f : imported.findings)
      findings.push_back({{"kind", import_kind_name(f.kind)}, {"line", f.line}, {"place", f.place}, {"what", f.what}});
    const nlohmann::ordered_json result = {
        {"scene", scene.name},
        {"bodies", scene.world.body_count()},
        {"joints", scene.world.joint_count()},
        {"output", arguments.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(arguments.output)},
        {"warnings", scene.warnings},
        {"findings", std::move(findings)}};
    fmt::print("{}\n", result.dump(2));
    return;
  }
  show_warnings(scene);
  fmt::print("{}: {}, {}{}\n", scene.name, counted(scene.world.body_count(), "body", "bodies"),
             counted(scene.world.joint_count(), "joint", "joints"),
             arguments.output.empty() ? "; nothing written, give -o scene.json" : fmt::format(", in {}", arguments.output));
  for (const auto kind : {ImportFinding::Kind::not_supported, ImportFinding::Kind::approximated, ImportFinding::Kind::ignored})
    print_table(imported.findings, kind);
}

}   // namespace

void add_import(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "import", "Turn a robot file (URDF, MJCF) into a scene, and list everything that could not be taken over");
  auto arguments = std::make_shared<ImportArguments>();
  command->add_option("robot", arguments->file, "A .urdf file, or a .xml file of MuJoCo")->required();
  command->add_option("-o,--output", arguments->output, "Write the scene to this .json file");
  command->add_flag("--strict", arguments->strict,
                    "Refuse a model of which anything that changes the motion is approximated or not supported");
  command->add_option(
      "--meshes", arguments->meshes,
      "What becomes of meshes: none, hull (their convex hull), hulls (a cover of hulls), true (their triangles). "
      "Default: hull where the file can be read");
  command->add_flag("--hulls", arguments->hulls, "As --meshes hull: a mesh that cannot be read is an error");
  command->add_flag("--floating", arguments->floating, "URDF: the root link is free; without it the world holds it");
  command->add_flag("--merge", arguments->merge, "Rigidly connected links become one body; without it fixed joints hold them");
  command->add_flag("--ground", arguments->ground, "Add a floor at the lowest point of the model");
  command
      ->add_option(
          "--hold", arguments->hold,
          "URDF: hold every joint where it starts: stiffness [N m/rad or N/m] and damping, no stronger than its effort")
      ->expected(1, 2)
      ->type_name("K [D]");
  command->add_option("--package-dir", arguments->packages, "A folder in which package://… is looked for; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "Print one JSON document");
  command->callback([arguments] { run(*arguments); });
}

}   // namespace stickslip::cli
