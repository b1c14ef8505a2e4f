// stickslip laws
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "cli/law_picture.h"
#include "cli/output.h"
#include "cli/sample_law.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/registry.h"

namespace stickslip::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr FrictionModel kModels[] = {FrictionModel::exact, FrictionModel::boxed, FrictionModel::polyhedral(4),
                                     FrictionModel::convex};   ///< in the order of FrictionModel::Kind

/// The solvers that honour a law, by the model that each solves unless its options say otherwise.
struct Honour {
  std::vector<std::string> names, refused, by_model[std::size(kModels)];

  explicit Honour(const SurfaceLaw& law) : names(solvers_that_honour(example_set(law).set)) {
    for (const SolverInfo& solver : solvers())
      if (std::find(names.begin(), names.end(), solver.name) == names.end()) refused.push_back(solver.name);
      else by_model[static_cast<int>(make_solver(solver.name)->model().kind)].push_back(solver.name);
  }
  std::string words() const { return refused.empty() ? "all" : fmt::format("all but {}", fmt::join(refused, ", ")); }
};

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// A material of a scene that has this law.
Json example_material(const SurfaceLaw& law) {
  const SurfaceLawInfo& info = surface_law_info(law.name);
  Json friction = {{"law", law.name}};
  for (std::size_t i = 0; i < law.numbers.size(); ++i)
    if (std::isnan(info.parameters[i].standard)) friction[info.parameters[i].name] = law.numbers[i];
  for (const Vec3& p : law.points) friction["points"].push_back({p.x(), p.y(), p.z()});
  Json material = {{"name", "mine"}, {"friction", friction}};
  if (law.name == "tensor") material["tensor"] = {{0.4, 0}, {0, 0.15}};
  if (law.name == "texture") material["normal_map"] = {{"pattern", "sawtooth"}, {"size", 0.01}};
  if (!example_set(law).tangent.isZero()) material["structure"] = {{"type", "fixed"}, {"direction", {1, 0, 0}}};
  return material;
}

void print_json(const std::vector<const SurfaceLawInfo*>& laws) {
  Json list = Json::array(), published = Json::array();
  for (const SurfaceLawInfo* info : laws) {
    const SurfaceLaw law = example_law(*info);
    Json parameters = Json::array(), by_model = Json::object();
    for (const LawParameter& p : info->parameters)
      parameters.push_back({{"name", p.name},
                            {"unit", p.unit},
                            {"help", p.help},
                            {"default", number_or_null(p.standard)},
                            {"minimum", number_or_null(p.minimum)},
                            {"coefficient", p.coefficient}});
    const Honour honour(law);
    for (std::size_t k = 0; k < std::size(kModels); ++k) by_model[std::string(model_name(kModels[k]))] = honour.by_model[k];
    list.push_back({{"name", info->name},
                    {"summary", info->summary},
                    {"source", info->source},
                    {"rows", info->rows},
                    {"points", info->takes_points},
                    {"set", std::string(law_name(example_set(law).set))},
                    {"parameters", parameters},
                    {"solvers", honour.names},
                    {"solvers_by_model", by_model},
                    {"example", example_material(law)}});
  }
  for (const PublishedFriction& p : published_friction())
    published.push_back({{"name", p.name},
                         {"static", number_or_null(p.mu_static)},
                         {"kinetic", number_or_null(p.mu_kinetic)},
                         {"source", p.source}});
  fmt::print("{}\n", Json{{"laws", list}, {"published", published}}.dump(2));
}

/// "torsion [m]", "velocity = 0.001 m/s"
std::string parameter_words(const LawParameter& p) {
  if (std::isnan(p.standard)) return p.unit.empty() ? p.name : fmt::format("{} [{}]", p.name, p.unit);
  return fmt::format("{} = {}{}{}", p.name, p.standard, p.unit.empty() ? "" : " ", p.unit);
}

void print_list(const std::vector<const SurfaceLawInfo*>& laws) {
  std::size_t width = 0;
  for (const SurfaceLawInfo* info : laws) width = std::max(width, info->name.size());
  const std::size_t indent = width + 4;
  const auto line = [&](std::string_view first, const std::string& text) {
    fmt::print("  {:<{}}  {}\n", first, width, wrapped(text, indent));
  };
  for (const SurfaceLawInfo* info : laws) {
    std::vector<std::string> words;
    for (const LawParameter& p : info->parameters) words.push_back(parameter_words(p));
    if (info->takes_points) words.push_back("points [1, 1, m]");
    line(info->name, info->summary);
    line("", fmt::format("rows: {}. parameters: {}. source: {}.", info->rows, fmt::join(words, ", "), info->source));
    line("", fmt::format("solvers: {}.", Honour(example_law(*info)).words()));
  }
  fmt::print(
      "\nA parameter without a value must be given. `stickslip laws NAME` tells all of one law, --plot NAME draws it, "
      "--published lists "
      "coefficients.\n");
}

void print_one(const SurfaceLawInfo& info) {
  const SurfaceLaw law = example_law(info);
  fmt::print("{}\n    {}\n    set: {}. friction rows: {}. source: {}.\n", info.name, wrapped(info.summary, 4),
             law_name(example_set(law).set), info.rows, info.source);
  for (const LawParameter& p : info.parameters)
    fmt::print("      {:<28} {}\n", parameter_words(p), wrapped(fmt::format("{}; at least {}", p.help, p.minimum), 35));
  if (info.takes_points)
    fmt::print(
        "      {:<28} {}\n", "points [1, 1, m]",
        wrapped("of the limit surface, (along, across, torsion) for a normal impulse of 1; their hull with 0 is the set", 35));
  const Honour honour(law);
  fmt::print("    solvers: {}\n", wrapped(honour.words(), 13));
  for (std::size_t k = 0; k < std::size(kModels); ++k)
    if (!honour.by_model[k].empty())
      fmt::print("      {:<28} {}\n", k == 0 ? "the law itself" : fmt::format("by the {} model", model_name(kModels[k])),
                 wrapped(fmt::format("{}", fmt::join(honour.by_model[k], ", ")), 35));
  fmt::print("    in a scene:\n      {}\n", Json{{"materials", Json::array({example_material(law)})}}.dump());
}

void print_published() {
  std::size_t width = 0;
  for (const PublishedFriction& p : published_friction()) width = std::max(width, p.name.size());
  fmt::print("  {:<{}}  {:>6}  {:>7}  source\n", "name", width, "static", "kinetic");
  const auto number = [](double value) { return std::isnan(value) ? std::string("-") : fmt::format("{}", value); };
  std::vector<std::string> sources;
  for (const PublishedFriction& p : published_friction()) {
    const auto source = std::find(sources.begin(), sources.end(), p.source);
    const auto index = source - sources.begin();
    if (source == sources.end()) sources.push_back(p.source);
    fmt::print("  {:<{}}  {:>6}  {:>7}  {:>6}\n", p.name, width, number(p.mu_static), number(p.mu_kinetic),
               fmt::format("[{}]", index + 1));
  }
  fmt::print("\n");
  for (std::size_t i = 0; i < sources.size(); ++i) fmt::print("  [{}] {}\n", i + 1, wrapped(sources[i], 6));
  fmt::print("\nIn a scene: \"friction\": \"steel-on-steel\", the law static-kinetic with these numbers.\n");
}

/// All laws, or the named ones, in the order of the table.
std::vector<const SurfaceLawInfo*> chosen(const std::vector<std::string>& names) {
  std::vector<const SurfaceLawInfo*> wanted, list;
  for (const std::string& name : names) wanted.push_back(&find_law(name));
  for (const SurfaceLawInfo& info : surface_laws())
    if (names.empty() || std::find(wanted.begin(), wanted.end(), &info) != wanted.end()) list.push_back(&info);
  return list;
}

struct LawsArguments {
  std::vector<std::string> names, set;
  std::string plot, output;
  std::optional<double> length;
  bool json = false, published = false;
};

/// What --set says: numbers, and the points of a limit surface as JSON.
SurfaceLaw law_to_plot(const SurfaceLawInfo& info, const std::vector<std::string>& settings) {
  std::vector<std::pair<std::string, double>> given;
  std::vector<Vec3> points;
  for (const std::string& text : settings) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("'--set {}' is not of the form name=value, such as --set {}=0.5.", text,
                              info.parameters.empty() ? "name" : info.parameters[0].name));
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    const Json json = Json::parse(value, nullptr, false);
    if (name == "points" && info.takes_points) {
      const bool is_list = json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& p) {
                             return p.is_array() && p.size() == 3 &&
                                    std::all_of(p.begin(), p.end(), [](const Json& x) { return x.is_number(); });
                           });
      if (!is_list || json.empty())
        throw Error(fmt::format("'{}' are not points. Give [[along, across, torsion], …].", value)).at("points");
      for (const Json& p : json) points.emplace_back(p[0].get<double>(), p[1].get<double>(), p[2].get<double>());
      continue;
    }
    info.parameter(name);   // names an unknown one
    if (!json.is_number()) throw Error(fmt::format("'{}' is not a number.", value)).at(name);
    given.emplace_back(name, json.get<double>());
  }
  // Without it the set of a sawtooth is a line.
  const auto is_friction = [](const auto& setting) { return setting.first == "friction"; };
  if (info.name == "texture" && std::none_of(given.begin(), given.end(), is_friction)) given.emplace_back("friction", 0.05);
  return example_law(info, given, std::move(points));
}

void plot(const LawsArguments& arguments) {
  if (!arguments.names.empty() || arguments.published)
    throw Error("--plot draws one law and lists nothing. Leave out the other names.");
  const SurfaceLawInfo& info = find_law(arguments.plot);
  const double length = arguments.length.value_or(0.1);
  if (!(std::isfinite(length) && length > 0))
    throw Error(fmt::format("--length {} is not a length. It must be finite and greater than 0 m.", length));
  const SurfaceLaw law = law_to_plot(info, arguments.set);
  const std::string file = arguments.output.empty() ? fmt::format("law-{}.svg", info.name) : arguments.output;
  const std::size_t bytes = draw_law(law, length, file);
  if (arguments.json) {
    Json numbers = Json::object();
    for (std::size_t i = 0; i < law.numbers.size(); ++i) numbers[info.parameters[i].name] = law.numbers[i];
    fmt::print("{}\n", Json{{"file", file}, {"bytes", bytes}, {"law", law.name}, {"parameters", numbers}}.dump(2));
  } else {
    fmt::print("{}: {}, {}\n", file, title_of(law), file_size(bytes));
  }
}

void show(const LawsArguments& arguments) {
  if (!arguments.plot.empty()) return plot(arguments);
  for (const auto& [option, given] : {std::pair("--set", !arguments.set.empty()), std::pair("-o", !arguments.output.empty()),
                                      std::pair("--length", arguments.length.has_value())})
    if (given) throw Error(fmt::format("{} is for a picture. Give --plot NAME with it.", option));
  const std::vector<const SurfaceLawInfo*> list = chosen(arguments.names);
  if (arguments.json) return print_json(list);
  if (arguments.published) return print_published();
  if (arguments.names.empty()) return print_list(list);
  for (const SurfaceLawInfo* info : list) print_one(*info);
}

}   // namespace

void add_laws(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("laws", "List the friction laws, their parameters and the solvers that honour them; draw one");
  auto arguments = std::make_shared<LawsArguments>();
  command->add_option("name", arguments->names, "Only these, with the meaning of their parameters and a snippet for scenes");
  command->add_flag("--json", arguments->json, "Print one JSON document: {\"laws\": […], \"published\": […]}");
  command->add_flag("--published", arguments->published, "List coefficients of friction from the literature");
  command->add_option("--plot", arguments->plot,
                      "Draw this law: the set of friction impulses, and points with their closest points");
  command->add_option("--set", arguments->set, "With --plot: a number of the law, such as along=0.5; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--length", arguments->length,
                      "With --plot: size of the bodies by which torsion and rolling are divided [m]. Default: 0.1");
  command->add_option("-o,--output", arguments->output, "With --plot: the picture, .svg or .png. Default: law-<name>.svg");
  command->callback([arguments] { show(*arguments); });
}

}   // namespace stickslip::cli
