// What was run, by what program on what machine: enough to run it again.
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <sstream>
#include <thread>

#include "stickslip/math/error.h"
#include "study/folder.h"

namespace stickslip::study {

namespace {

constexpr const char* kManifestFormat = "stickslip study";

std::string processor_name() {
  try {
    std::istringstream lines(read_text("/proc/cpuinfo"));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  } catch (const Error&) {
  }
  return "unknown";
}

std::string system_name() {
  utsname name;
  if (uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts;
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

Setting setting_from_json(const Json& json) {
  Setting setting;
  setting.size = size_from_name(json.at("size").get<std::string>());
  setting.seed = json.at("seed").get<std::uint64_t>();
  setting.scene = json.value("scene", "");
  setting.document = json.value("document", "");
  setting.criterion = json.value("criterion", "");
  setting.problems = json.value("problems", std::vector<std::string>());
  setting.solvers = json.value("solvers", std::vector<std::string>());
  return setting;
}

}   // namespace

Json to_json(const Setting& setting) {
  Json json = {{"size", size_name(setting.size)}, {"seed", setting.seed}};
  if (!setting.scene.empty()) json["scene"] = setting.scene;
  if (!setting.document.empty()) json["document"] = setting.document;
  if (!setting.criterion.empty()) json["criterion"] = setting.criterion;
  if (!setting.problems.empty()) json["problems"] = setting.problems;
  if (!setting.solvers.empty()) json["solvers"] = setting.solvers;
  return json;
}

Json machine_facts() {
  return {{"processor", processor_name()},
          {"cores", std::thread::hardware_concurrency()},
          {"system", system_name()},
          {"compiler", "g++ " __VERSION__},
          {"date", date_now()}};
}

void write_manifest(const std::filesystem::path& folder, const Study& study, const Setting& setting, const RunOptions& options,
                    const std::map<std::string, std::string>& checksums) {
  Json manifest = {{"format", kManifestFormat},  {"version", 1},
                   {"study", study.name},        {"setting", to_json(setting)},
                   {"command", options.command}, {"program", {{"version", options.version}, {"build", build_of_program()}}},
                   {"machine", machine_facts()}, {"finished", !checksums.empty()},
                   {"data", checksums}};
  write_text(folder / "manifest.json", document::write_json(manifest));
}

bool is_manifest(const std::filesystem::path& path) {
  try {
    const Json json = Json::parse(read_text(path), nullptr, false);
    return json.is_object() && json.value("format", Json()) == kManifestFormat;
  } catch (const Error&) {
    return false;
  }
}

Manifest read_manifest(const std::filesystem::path& path) {
  const Json json = document::parse_json(read_text(path), path.string());
  try {
    if (json.at("format") != kManifestFormat || json.at("version") != 1)
      throw Error("This is not a manifest of a study that this program can read.").in(path.string());
    return {json.at("study").get<std::string>(), setting_from_json(json.at("setting")),
            json.at("data").get<std::map<std::string, std::string>>(), json.at("program").at("build").get<std::string>()};
  } catch (const Json::exception&) {
    throw Error("This is not a whole manifest of a study: study, setting, program and data are needed.").in(path.string());
  }
}

}   // namespace stickslip::study
