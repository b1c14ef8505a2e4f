#include "cli/look.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

/// Names of the layers of the viewer; a test of the page compares them with those of web/src/layers.ts.
const std::vector<std::string> kLayers = {
    "contacts",  "normals",          "forces",   "cones",    "slip",          "penetration",
    "manifolds", "pressure-centres", "overlaps", "features", "joints",        "joint-forces",
    "stress",    "contact-pressure", "energy",   "trails",   "selected-only", "marks-in-front",
    "boxes",     "see-through",      "shadows",  "grid"};
constexpr std::string_view kUsualLayers = "shadows,grid,marks-in-front";
const std::vector<std::string> kColours = {"usual", "material", "body", "mechanism", "speed", "force", "height"};
const std::vector<std::string> kPresets = {"front", "side", "top", "iso"};

/// The numbers of "30,20". Empty if it is anything else.
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    std::size_t used = 0;
    try {
      numbers.push_back(std::stod(word, &used));
    } catch (const std::exception&) {
      return {};
    }
    if (used != word.size() || !std::isfinite(numbers.back())) return {};
    begin = end + 1;
  }
  return numbers;
}

void check_camera(const std::string& camera) {
  if (camera.empty() || std::ranges::find(kPresets, camera) != kPresets.end()) return;
  const std::vector<double> numbers = numbers_of(camera);
  if (numbers.size() != 2 && numbers.size() != 6)
    throw Error(
        fmt::format("--camera {} is no place to look from. Give {}; azimuth and elevation in degrees, such as 30,20; or six "
                    "numbers x,y,z,x,y,z: where it stands and where it looks [m].",
                    camera, fmt::join(kPresets, ", ")));
  if (numbers.size() == 2 && std::abs(numbers[1]) > 90)
    throw Error(
        fmt::format("--camera {}: {} degrees are no elevation. Give −90 (from below) to 90 (from above).", camera, numbers[1]));
}

/// Name of the heaviest body that forces move; "" if there is none.
std::string heaviest_body(const World& world) {
  const Body* best = nullptr;
  for (const Body& body : world.bodies())
    if (body.alive && body.motion == MotionType::dynamic && (best == nullptr || body.mass.mass > best->mass.mass)) best = &body;
  return best ? best->name : "";
}

/// @returns the name of the body that is meant
std::string followed_body(const std::string& follow, const World& world) {
  if (follow.empty()) return "";
  std::vector<std::string> names;
  for (const Body& body : world.bodies()) names.push_back(body.name);
  if (std::ranges::find(names, follow) != names.end()) return follow;
  if (const std::string name = heaviest_body(world); follow == "body" && !name.empty()) return name;
  throw Error(fmt::format("--follow {}: the scene has no such body. {}", follow, suggest(follow, names)));
}

/// As addresses want it.
std::string in_address(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       byte == '-' || byte == '_' || byte == '.' || byte == ',';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}   // namespace

void add_look_arguments(CLI::App& command, LookArguments& arguments) {
  command.add_option("--camera", arguments.camera,
                     "From where: front, side, top, iso; AZIMUTH,ELEVATION in degrees, such as 30,20; or X,Y,Z,X,Y,Z: where it "
                     "stands and looks [m]. Default: from the front, a little from the right and above");
  command.add_option("--follow", arguments.follow,
                     "Go along with the body of this name, and what joints hold to it; body: with the heaviest");
  command
      .add_option("--fit", arguments.fit, "What is kept in the picture: motion (all that happens) or frame (what is there now)")
      ->capture_default_str()
      ->check(CLI::IsMember({"motion", "frame"}));
  command.add_option("--zoom", arguments.zoom, "Nearer by this factor than what fits")->capture_default_str();
  command.add_flag("--orthographic", arguments.orthographic, "Without perspective");
  command.add_option("--colour", arguments.colour, "What bodies are coloured by")
      ->capture_default_str()
      ->check(CLI::IsMember(kColours));
  command.add_option("--theme", arguments.theme, "light or dark. Default: light in pictures, that of the system in the view")
      ->check(CLI::IsMember({"light", "dark"}));
  command
      .add_option("--layer", arguments.layers,
                  fmt::format("Show layers of the viewer, with commas between them: {}", fmt::join(kLayers, ", ")))
      ->delimiter(',')
      ->allow_extra_args(false);
}

bool shows_overlaps(const LookArguments& arguments) {
  return std::ranges::find(arguments.layers, "overlaps") != arguments.layers.end();
}

std::string look_fragment(const LookArguments& arguments, const World& world) {
  check_camera(arguments.camera);
  const std::string follow = followed_body(arguments.follow, world);
  if (!(arguments.zoom >= 0.01 && arguments.zoom <= 100))
    throw Error(fmt::format("--zoom {} cannot be seen. Give a factor from 0.01 to 100.", arguments.zoom));
  for (const std::string& layer : arguments.layers)
    if (std::ranges::find(kLayers, layer) == kLayers.end())
      throw Error(fmt::format("There is no layer '{}'. {}", layer, suggest(layer, kLayers)));
  std::string out;
  const auto add = [&](std::string_view key, const std::string& value) {
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", key, in_address(value));
  };
  if (!arguments.theme.empty()) add("theme", arguments.theme);
  if (!arguments.layers.empty()) add("layers", fmt::format("{},{}", kUsualLayers, fmt::join(arguments.layers, ",")));
  if (arguments.colour != "usual") add("colour", arguments.colour);
  if (!arguments.camera.empty()) add("camera", arguments.camera);
  if (!follow.empty()) add("follow", follow);
  if (arguments.fit != "motion") add("fit", arguments.fit);
  if (arguments.zoom != 1) add("zoom", fmt::format("{}", arguments.zoom));
  if (arguments.orthographic) add("orthographic", "on");
  return out;
}

}   // namespace stickslip::cli
