// stickslip mesh tet, hulls, simplify: what is made of a mesh
#include <filesystem>
#include <numbers>

#include "cli/amounts.h"
#include "cli/mesh_commands.h"
#include "cli/mesh_input.h"
#include "cli/output.h"
#include "record/output_file.h"
#include "stickslip/math/error.h"
#include "stickslip/mesh/convex_parts.h"
#include "stickslip/mesh/simplify.h"
#include "stickslip/mesh/stuffing.h"
#include "stickslip/mesh/write_mesh.h"

namespace stickslip::cli {

namespace {

using Json = nlohmann::ordered_json;

struct MakeArguments {
  MeshInput input;
  std::string output;
  double size = 0, concavity = 0.05;
  std::optional<double> error;
  std::optional<std::uint64_t> triangles;
  std::uint64_t parts = 128;
};

Json common_json(const MakeArguments& arguments, const PreparedMesh& prepared) {
  return {{"file", arguments.input.file},
          {"output", arguments.output},
          {"notes", prepared.json_of_notes()},
          {"repairs", prepared.json_of_repairs()}};
}

/// Names the file in errors that are about the mesh.
template <class F>
auto about_file(const MakeArguments& arguments, F f) {
  try {
    return f();
  } catch (Error& e) {
    throw e.in(arguments.input.file);
  }
}

void run_tet(const MakeArguments& arguments) {
  check_writable(arguments.output);
  const PreparedMesh prepared = prepare(arguments.input);
  const TetMesh tets = about_file(arguments, [&] { return stuff(prepared.mesh, {arguments.size}); });
  write_mesh(arguments.output, tets);
  const TetQuality q = quality(tets);
  const double degrees = 180 / std::numbers::pi, inside = volume(tets), whole = volume(prepared.mesh);
  if (arguments.input.json) {
    Json result = common_json(arguments, prepared);
    result.update({{"tetrahedra", tets.tetrahedra.size()},
                   {"vertices", tets.vertices.size()},
                   {"volume", inside},
                   {"mesh_volume", whole},
                   {"dihedral_degrees", {{"min", q.smallest_angle * degrees}, {"max", q.largest_angle * degrees}}}});
    return fmt::print("{}\n", result.dump(2));
  }
  fmt::print("{}: {}, {}\n", arguments.output, counted(tets.tetrahedra.size(), "tetrahedron", "tetrahedra"),
             counted(tets.vertices.size(), "vertex", "vertices"));
  prepared.print();
  fmt::print("  volume    {:.6g} m³, {:.2f} % of the mesh's {:.6g} m³\n", inside, 100 * inside / whole, whole);
  fmt::print("  angles    {:.1f}° to {:.1f}° between faces\n", q.smallest_angle * degrees, q.largest_angle * degrees);
}

/// The hulls as parts of a body, ready for a scene.
Json scene_parts(const ConvexParts& parts) {
  Json list = Json::array();
  for (const ConvexPart& part : parts.parts) {
    Json points = Json::array();
    for (const Vec3& v : part.hull.polytope->vertices) points.push_back(json_of(v));
    list.push_back({{"shape", {{"type", "hull"}, {"points", points}}}});
  }
  return list;
}

int run_hulls(const MakeArguments& arguments) {
  const std::string ending = std::filesystem::path(arguments.output).extension().string();
  if (ending != ".obj" && ending != ".json")
    throw Error(fmt::format("Hulls cannot be written as '{}'. Valid endings are .obj (an object per part) and .json (the parts "
                            "of a body of a scene).",
                            ending))
        .in(arguments.output);
  check_writable(arguments.output);
  const PreparedMesh prepared = prepare(arguments.input);
  const ConvexParts parts = about_file(arguments, [&] {
    return convex_parts(prepared.mesh, {arguments.concavity, arguments.parts});
  });
  if (ending == ".obj") {
    std::vector<TriangleMesh> meshes;
    for (const ConvexPart& part : parts.parts) meshes.push_back(triangle_mesh(part.hull));
    write_mesh_parts(arguments.output, meshes);
  } else {
    OutputFile file(arguments.output);
    file.write(Json{{"parts", scene_parts(parts)}}.dump() + "\n");
    file.commit();
  }
  if (arguments.input.json) {
    Json result = common_json(arguments, prepared), list = Json::array();
    for (const ConvexPart& part : parts.parts)
      list.push_back(
          {{"vertices", part.hull.polytope->vertices.size()}, {"volume", part.volume}, {"concavity", part.concavity}});
    result.update(
        {{"parts", list}, {"overfill", parts.overfill}, {"worst_concavity", parts.worst}, {"reached", parts.reached}});
    fmt::print("{}\n", result.dump(2));
  } else {
    fmt::print("{}: {}\n", arguments.output, counted(parts.parts.size(), "hull", "hulls"));
    prepared.print();
    fmt::print("  overfill  {:.2f} % of the volume; worst concavity of a part {:.3g}\n", 100 * parts.overfill, parts.worst);
    if (!parts.reached) fmt::print("  the concavity asked for is not reached: allow more --parts, or simplify the mesh\n");
  }
  return parts.reached ? fine : tolerance_missed;
}

void run_simplify(const MakeArguments& arguments) {
  if (!arguments.triangles && !arguments.error)
    throw Error("'mesh simplify' needs to know how far: --triangles N, --error METRES, or both.");
  check_writable(arguments.output);
  const PreparedMesh prepared = prepare(arguments.input);
  SimplifyOptions options;
  options.triangles = arguments.triangles.value_or(0);
  if (arguments.error) options.max_error = *arguments.error;
  const Simplified simple = simplify(prepared.mesh, options);
  if (simple.mesh.triangles.empty())
    throw Error("No triangle is left: those of the mesh have no area, or the error allowed is larger than it is. Allow less.")
        .in(arguments.input.file);
  write_mesh(arguments.output, simple.mesh);
  if (arguments.input.json) {
    Json result = common_json(arguments, prepared);
    result.update({{"triangles", {{"before", prepared.mesh.triangles.size()}, {"after", simple.mesh.triangles.size()}}},
                   {"vertices", simple.mesh.vertices.size()},
                   {"error", simple.error},
                   {"reached", simple.reached}});
    return fmt::print("{}\n", result.dump(2));
  }
  fmt::print("{}: {}, from {}\n", arguments.output, counted(simple.mesh.triangles.size(), "triangle", "triangles"),
             prepared.mesh.triangles.size());
  prepared.print();
  fmt::print("  error     {} at most\n", quantity(simple.error, "m"));
  if (!simple.reached) fmt::print("  no more edges can be collapsed without changing the topology\n");
}

}   // namespace

void add_mesh_tet(CLI::App& mesh) {
  CLI::App* command =
      mesh.add_subcommand("tet", "Fill a closed mesh with tetrahedra of about equal size, whose angles are bounded");
  auto arguments = std::make_shared<MakeArguments>();
  arguments->input.add_to(*command);
  command->add_option("--size", arguments->size, "Length of their longer edges [m]")->required();
  command->add_option("-o,--output", arguments->output, "A .msh or .vtk file, or .node with .ele")->required();
  command->callback([arguments] { run_tet(*arguments); });
}

void add_mesh_hulls(CLI::App& mesh, Outcome& outcome) {
  CLI::App* command = mesh.add_subcommand(
      "hulls", "Cover a closed mesh with convex hulls; exit code 1 if the concavity asked for is not reached");
  auto arguments = std::make_shared<MakeArguments>();
  arguments->input.add_to(*command);
  command->add_option("--concavity", arguments->concavity,
                      "Most of the volume of a hull that may lie outside the mesh, 1e-4 to 1. Default: 0.05");
  command->add_option("--parts", arguments->parts, "Most hulls. Default: 128");
  command
      ->add_option("-o,--output", arguments->output,
                   "A .obj file with an object per hull, or a .json file with the parts of a body")
      ->required();
  command->callback([arguments, &outcome] { outcome.exit_code = run_hulls(*arguments); });
}

void add_mesh_simplify(CLI::App& mesh) {
  CLI::App* command = mesh.add_subcommand("simplify", "Fewer triangles for nearly the same surface");
  auto arguments = std::make_shared<MakeArguments>();
  arguments->input.add_to(*command);
  command->add_option("--triangles", arguments->triangles, "End at this number of triangles");
  command->add_option("--error", arguments->error, "Move no vertex farther than this from the planes that it stands for [m]");
  command->add_option("-o,--output", arguments->output, "A .stl, .obj, .ply or .vtk file")->required();
  command->callback([arguments] { run_simplify(*arguments); });
}

}   // namespace stickslip::cli
