// stickslip mesh check
#include "cli/mesh_commands.h"
#include "cli/mesh_input.h"
#include "cli/output.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/math/error.h"
#include "stickslip/mesh/health.h"

namespace stickslip::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  MeshInput input;
  std::vector<std::string> uses = {"mass", "contact", "distance", "tetrahedra"};
};

std::string point_text(const Vec3& p) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", p.x(), p.y(), p.z()); }

/// What the mesh is asked to be fit for. @throws Error for a word that is no use
std::vector<MeshUse> asked(const std::vector<std::string>& words) {
  std::vector<MeshUse> uses;
  std::vector<std::string> known;
  for (const MeshUse use : kMeshUses) known.emplace_back(use_name(use));
  for (const std::string& word : words) {
    const auto found = std::find(known.begin(), known.end(), word);
    if (found == known.end()) throw Error(fmt::format("--for {}: a mesh has no such use. {}", word, suggest(word, known)));
    uses.push_back(kMeshUses[found - known.begin()]);
  }
  return uses;
}

std::string reasons(const MeshFitness& fitness) {
  std::vector<std::string_view> names;
  for (const MeshFault fault : fitness.against) names.push_back(fault_name(fault));
  return fmt::format("{}", fmt::join(names, ", "));
}

void print_measures(const MeshHealth& h) {
  const Vec3 size = h.box.upper - h.box.lower;
  fmt::print("  box       {:.6g} × {:.6g} × {:.6g} m, from {} to {}\n", size.x(), size.y(), size.z(), point_text(h.box.lower),
             point_text(h.box.upper));
  fmt::print("  area      {:.6g} m²\n", h.area);
  if (h.closed) fmt::print("  volume    {:.6g} m³\n", h.volume);
  else fmt::print("  volume    none: the surface is not closed\n");
  if (!h.solid) return;
  const Mat3& i = h.solid->inertia;
  fmt::print("  centre    {} m\n", point_text(h.solid->center));
  fmt::print("  inertia   xx {:.6g}, yy {:.6g}, zz {:.6g}, xy {:.6g}, xz {:.6g}, yz {:.6g} kg m² for 1 kg/m³\n", i(0, 0),
             i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2));
}

void print_report(const CheckArguments& arguments, const PreparedMesh& prepared, const MeshHealth& h,
                  const std::vector<MeshUse>& uses) {
  fmt::print("{}: {}, {}, {}, Euler number {}\n", arguments.input.file, counted(h.triangles, "triangle", "triangles"),
             counted(h.vertices, "vertex", "vertices"), counted(h.pieces, "piece", "pieces"), h.euler);
  prepared.print();
  fmt::print("  checksum  {}\n", checksum_text(checksum_of(prepared.mesh)));
  print_measures(h);
  fmt::print("\n");
  if (h.findings.empty()) fmt::print("nothing found wrong\n");
  for (const MeshFinding& f : h.findings) {
    const bool more = f.fault == MeshFault::self_intersection && !h.intersections_complete;
    fmt::print("{}: {}{}{}\n", fault_name(f.fault), f.count, more ? " or more" : "",
               f.fault == MeshFault::open_edge ? fmt::format(" around {}", counted(h.holes, "hole", "holes")) : "");
    std::vector<std::string> places;
    for (const auto& place : f.places) places.push_back(fmt::format("{} at {}", place.what, point_text(place.at)));
    fmt::print("    {}{}\n", wrapped(fmt::format("{}", fmt::join(places, "; ")), 4), f.count > places.size() ? "; …" : "");
    fmt::print("    remedy: {}\n", wrapped(f.remedy, 12));
  }
  if (!h.intersections_complete && h.count(MeshFault::self_intersection) == 0)
    fmt::print("self-intersections: none found, but too many boxes overlap to look at them all\n");
  fmt::print("\nfit for\n");
  for (const MeshFitness& fitness : h.fitness) {
    const bool is_asked = std::find(uses.begin(), uses.end(), fitness.use) != uses.end();
    fmt::print("  {:<12} {}{}\n", use_name(fitness.use), fitness.against.empty() ? "yes" : "no: " + reasons(fitness),
               is_asked ? "" : "  (not asked for)");
  }
}

Json json_of_health(const CheckArguments& arguments, const PreparedMesh& prepared, const MeshHealth& h) {
  Json findings = Json::array(), fit = Json::object();
  for (const MeshFinding& f : h.findings) {
    Json places = Json::array();
    for (const auto& place : f.places) places.push_back({{"what", place.what}, {"at", json_of(place.at)}});
    findings.push_back({{"fault", fault_name(f.fault)}, {"count", f.count}, {"places", places}, {"remedy", f.remedy}});
  }
  for (const MeshFitness& fitness : h.fitness) {
    Json against = Json::array();
    for (const MeshFault fault : fitness.against) against.push_back(fault_name(fault));
    fit[std::string(use_name(fitness.use))] = {{"fit", fitness.against.empty()}, {"against", against}};
  }
  Json solid;
  if (h.solid) {
    const Mat3& i = h.solid->inertia;
    solid = {{"center", json_of(h.solid->center)}, {"inertia", {json_of(i.row(0)), json_of(i.row(1)), json_of(i.row(2))}}};
  }
  return {{"file", arguments.input.file},
          {"triangles", h.triangles},
          {"vertices", h.vertices},
          {"edges", h.edges},
          {"pieces", h.pieces},
          {"holes", h.holes},
          {"euler", h.euler},
          {"closed", h.closed},
          {"checksum", checksum_text(checksum_of(prepared.mesh))},
          {"box", {{"lower", json_of(h.box.lower)}, {"upper", json_of(h.box.upper)}}},
          {"area", h.area},
          {"volume", h.closed ? Json(h.volume) : Json()},
          {"per_density", solid},
          {"notes", prepared.json_of_notes()},
          {"repairs", prepared.json_of_repairs()},
          {"findings", findings},
          {"intersections_complete", h.intersections_complete},
          {"fit", fit}};
}

int run_check(const CheckArguments& arguments) {
  const std::vector<MeshUse> uses = asked(arguments.uses);
  const PreparedMesh prepared = prepare(arguments.input);
  const MeshHealth health = check(prepared.mesh);
  if (arguments.input.json) fmt::print("{}\n", json_of_health(arguments, prepared, health).dump(2));
  else print_report(arguments, prepared, health, uses);
  return std::all_of(uses.begin(), uses.end(), [&](MeshUse use) { return health.is_fit(use); }) ? fine : tolerance_missed;
}

}   // namespace

void add_mesh_check(CLI::App& mesh, Outcome& outcome) {
  CLI::App* command =
      mesh.add_subcommand("check", "What is wrong with a mesh and what it is fit for; exit code 1 if it is unfit");
  auto arguments = std::make_shared<CheckArguments>();
  arguments->input.add_to(*command);
  command
      ->add_option("--for", arguments->uses,
                   "What it must be fit for: mass, contact, distance, tetrahedra, static. Default: all but static")
      ->delimiter(',');
  command->callback([arguments, &outcome] { outcome.exit_code = run_check(*arguments); });
}

}   // namespace stickslip::cli
