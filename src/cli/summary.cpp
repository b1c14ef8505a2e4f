#include "cli/summary.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/progress.h"

namespace stickslip::cli {

namespace {

std::uintmax_t size_of(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

std::string hash_text(const World& world) { return fmt::format("{:016x}", world.state_hash()); }

/// One line of the table: "contacts      324 mean    344 max   note".
std::string line(std::string_view label, std::string_view first, std::string_view second, std::string_view note = "") {
  std::string text = fmt::format("  {:<12} {:<18} {:<18} {}", label, first, second, note);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

/// What became of the solves that did not converge: "3 of 500 steps missed their tolerance of 98 nm/s: 3 iteration limit. …"
std::string tolerance_note(const Statistics& s) {
  std::string reasons;
  for (std::size_t i = 1; i < s.status_counts.size(); ++i)
    if (s.status_counts[i] > 0)
      reasons +=
          fmt::format("{}{} {}", reasons.empty() ? "" : ", ", s.status_counts[i], status_name(static_cast<SolveStatus>(i)));
  const double typical = s.missed_of_speed.quantile(0.5), worst = s.missed_of_speed.max();
  return fmt::format(
      "{} of {} steps missed their tolerance of {}: {}.{} Their forces are less exact than asked for; allow more iterations "
      "(/step/max_iterations) or see who solves them (--on-failure capture). With --strict the exit code says so.",
      s.missed(), s.steps, quantity(s.tolerance, "m/s"), reasons,
      std::isfinite(worst) && s.missed_of_speed.size() > 0
          ? fmt::format(" Half of them were off by at most {:.2g} % of the speed of what moves, the worst by {:.2g} %.",
                        100 * typical, 100 * worst)
          : "");
}

/// The solver, where one is asked; else the integrator, which does without.
const std::string& taken_by(const StepOptions& options) {
  return options.integrator == "impulse" ? options.solver : options.integrator;
}

std::string signed_energy(double joules) { return fmt::format("{}{}", joules > 0 ? "+" : "", quantity(joules, "J")); }

std::string energy_note(const EnergyLedger& e) {
  std::string text = fmt::format("friction {}, impact {}", signed_energy(-e.friction), signed_energy(-e.impact));
  const std::pair<const char*, double> others[] = {{"stabilisation", e.stabilisation},
                                                   {"applied forces", e.applied},
                                                   {"moving bodies", e.driven},
                                                   {"motors", e.motors},
                                                   {"springs", e.springs},
                                                   {"damping", -e.damping},
                                                   {"integration", e.integration}};
  for (const auto& [name, joules] : others)
    if (joules != 0) text += fmt::format(", {} {}", name, signed_energy(joules));
  return text;
}

std::string name_of(const World& world, JointId id) {
  return world.contains(id) ? world.joint(id).description.name : fmt::format("joint-{}", id.index);
}

std::vector<std::string> broken_names(const Summary& summary) {
  std::vector<std::string> names;
  for (const JointId id : summary.result.statistics.broken) names.push_back(name_of(summary.scene.world, id));
  return names;
}

std::vector<std::string> conflict_names(const Summary& summary) {
  std::vector<std::string> names;
  for (const auto& [id, steps] : summary.result.statistics.conflicts) names.push_back(name_of(summary.scene.world, id));
  return names;
}

/// "a, b, c and 4 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(names.size(), most);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

/// What became of the joints; nothing if there are none.
std::string joint_lines(const Summary& summary) {
  const Statistics& s = summary.result.statistics;
  if (summary.scene.world.joint_count() == 0) return "";
  const std::vector<std::string> broken = broken_names(summary), conflicts = conflict_names(summary);
  std::string text =
      line("joints", fmt::format("{}", summary.scene.world.joint_count()), quantity(s.joint_error_max, "m") + " off max",
           broken.empty() ? "" : fmt::format("{} broke: {}", broken.size(), listed(broken)));
  if (!conflicts.empty())
    text += fmt::format("  {:<12} in {}, these joints contradict each other: {}\n", "",
                        counted(s.steps_with_conflicts, "step", "steps"), listed(conflicts));
  return text;
}

/// What a person should know about the motion, a paragraph for each.
std::string motion_lines(const std::vector<MotionRecord>& motion) {
  constexpr std::size_t indent = 15;
  if (motion.empty()) return line("motion", "nothing amiss", "");
  std::string text;
  for (const MotionRecord& r : motion)
    text +=
        fmt::format("  {:<12} {}\n", text.empty() ? "motion" : "", wrapped(statement(r) + " " + remedy(r.worst, r.h), indent));
  return text;
}

/// The largest of numbers that are counts.
std::uint64_t count_of(const Sample& sample) { return static_cast<std::uint64_t>(sample.max()); }

nlohmann::ordered_json to_json(const MotionRecord& r) {
  const bool energy = r.worst.kind == MotionKind::energy_created || r.worst.kind == MotionKind::energy_drift;
  return {{"kind", motion_kind_name(r.worst.kind)},
          {"where", r.where},
          {"source", energy ? nlohmann::ordered_json(energy_source_name(r.worst.source)) : nlohmann::ordered_json()},
          {"value", r.worst.value},
          {"limit", r.worst.limit},
          {"amount", r.worst.amount},
          {"steps", r.steps},
          {"first_step", r.first_step},
          {"first_time", r.first_time},
          {"worst_step", r.worst_step},
          {"statement", statement(r)},
          {"remedy", remedy(r.worst, r.h)}};
}

nlohmann::ordered_json to_json(const EnergyLedger& e) {
  return {{"friction", e.friction}, {"impact", e.impact},   {"stabilisation", e.stabilisation},
          {"applied", e.applied},   {"driven", e.driven},   {"motors", e.motors},
          {"springs", e.springs},   {"damping", e.damping}, {"integration", e.integration}};
}

/// {"tip": {"force_x": 1.5, …}, …}; what is not finite is null.
nlohmann::ordered_json to_json(const SensorReader& reader) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < reader.channels().size(); ++i) {
    const SensorChannel& channel = reader.channels()[i];
    const double value = reader.values()[i];
    json[reader.sensors()[channel.sensor].name][std::string(channel.quantity)] =
        std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  }
  return json;
}

std::string stage_note(const StageTimes& seconds) {
  std::string text;
  const double total = seconds.total();
  for (const auto& [name, spent] : stages(seconds))
    if (total > 0 && spent / total >= 0.005)
      text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100 * spent / total);
  return text;
}

}   // namespace

nlohmann::ordered_json to_json(const Summary& summary) {
  const Statistics& s = summary.result.statistics;
  const Scene& scene = summary.scene;
  nlohmann::ordered_json statuses, seconds, outputs = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < s.status_counts.size(); ++i)
    statuses[status_name(static_cast<SolveStatus>(i))] = s.status_counts[i];
  for (const auto& [name, spent] : stages(s.seconds)) seconds[name] = spent;
  for (const std::string& file : summary.files) outputs.push_back({{"file", file}, {"bytes", size_of(file)}});
  nlohmann::ordered_json motion = nlohmann::ordered_json::array();
  for (const MotionRecord& r : summary.result.motion) motion.push_back(to_json(r));
  return {
      {"scene", scene.name},
      {"integrator", scene.step.integrator},
      {"solver", scene.step.solver},
      {"steps", s.steps},
      {"bodies", scene.world.body_count()},
      {"contacts", {{"mean", s.contacts.mean()}, {"max", count_of(s.contacts)}}},
      {"ms_per_step", {{"mean", s.milliseconds.mean()}, {"p95", s.milliseconds.quantile(0.95)}}},
      {"residual", {{"median", s.residual.quantile(0.5)}, {"max", s.residual.max()}}},
      {"missed_of_speed", {{"median", s.missed_of_speed.quantile(0.5)}, {"max", s.missed_of_speed.max()}}},
      {"iterations", {{"mean", s.iterations.mean()}, {"max", count_of(s.iterations)}}},
      {"penetration_max", s.penetration_max},
      {"distance_min", std::isfinite(s.distance_min) ? nlohmann::ordered_json(s.distance_min) : nlohmann::ordered_json()},
      {"impacts", s.impacts},
      {"pieces", {{"steps", s.steps_in_pieces}, {"max", s.most_pieces}}},
      {"joints",
       {{"count", scene.world.joint_count()},
        {"error_max", s.joint_error_max},
        {"broken", broken_names(summary)},
        {"conflicts", conflict_names(summary)},
        {"steps_with_conflicts", s.steps_with_conflicts}}},
      {"sensors", to_json(summary.result.sensors)},
      {"energy", {{"start", summary.energy_start}, {"end", summary.energy_end}}},
      {"state_hash", hash_text(scene.world)},
      {"h", scene.step.h},
      {"time", scene.world.time},
      {"step_count", scene.world.step_count},
      {"threads", scene.step.threads},
      {"interrupted", summary.result.interrupted},
      {"stopped", summary.result.stopped},
      {"tolerance", s.tolerance},
      {"steps_missing_tolerance", s.missed()},
      {"status_counts", statuses},
      {"motion", motion},
      {"energy_sums", to_json(s.energy)},
      {"seconds", seconds},
      {"wall_seconds", s.wall_seconds},
      {"warnings", scene.warnings},
      {"outputs", outputs},
      {"captured", summary.captured},
  };
}

std::string to_text(const Summary& summary) {
  const Statistics& s = summary.result.statistics;
  const Scene& scene = summary.scene;
  const double simulated = static_cast<double>(s.steps) * scene.step.h;
  std::string text = fmt::format("{}{}{}\n", scene.name, scene.description.empty() ? "" : ": ", wrapped(scene.description, 2));
  text += fmt::format("  {}, {} of {}, {}; {:g} s simulated in {}{}\n\n", counted(scene.world.body_count(), "body", "bodies"),
                      counted(s.steps, "step", "steps"), quantity(scene.step.h, "s"), taken_by(scene.step), simulated,
                      duration(s.wall_seconds),
                      summary.result.interrupted ? "; interrupted"
                      : summary.result.stopped   ? "; stopped at a step that missed its tolerance"
                                                 : "");
  if (s.steps > 0) {
    text += line("contacts", fmt::format("{:.1f} mean", s.contacts.mean()), fmt::format("{:.0f} max", s.contacts.max()));
    text += line("residual", quantity(s.residual.quantile(0.5), "m/s") + " median", quantity(s.residual.max(), "m/s") + " max",
                 s.missed() == 0 ? fmt::format("every step within its tolerance of {}", quantity(s.tolerance, "m/s"))
                                 : fmt::format("{} of {} steps missed their tolerance", s.missed(), s.steps));
    text += line("iterations", fmt::format("{:.1f} mean", s.iterations.mean()), fmt::format("{:.0f} max", s.iterations.max()),
                 s.steps_in_pieces == 0 ? ""
                                        : fmt::format("{} of {} steps too violent for h, taken in up to {} pieces",
                                                      s.steps_in_pieces, s.steps, s.most_pieces));
    text += line("penetration", "", quantity(s.penetration_max, "m") + " max",
                 s.impacts == 0 ? "" : "steps cut at " + counted(s.impacts, "impact", "impacts"));
    if (scene.step.integrator == "barrier" && std::isfinite(s.distance_min))
      text += line("distance", "", quantity(s.distance_min, "m") + " min");
    text += joint_lines(summary);
    text += line("energy", quantity(summary.energy_start, "J") + " start", quantity(summary.energy_end, "J") + " end",
                 energy_note(s.energy));
    text += line("step time", quantity(1e-3 * s.milliseconds.mean(), "s") + " mean",
                 quantity(1e-3 * s.milliseconds.quantile(0.95), "s") + " p95", stage_note(s.seconds));
    text += motion_lines(summary.result.motion);
    if (s.missed() > 0) text += fmt::format("  {:<12} {}\n", "unsolved", wrapped(tolerance_note(s), 15));
  }
  text += line("state", hash_text(scene.world), fmt::format("t = {:g} s", scene.world.time));
  for (const std::string& file : summary.files)
    text += fmt::format("  {:<12} {} ({})\n", "written", file, file_size(size_of(file)));
  for (const std::string& file : summary.captured)
    text += fmt::format("  {:<12} {} ({})\n", "captured", file, file_size(size_of(file)));
  if (!summary.captured.empty())
    text += fmt::format("  {:<12} {}stickslip solve {} --guess file --solver all\n", "",
                        summary.not_captured > 0
                            ? fmt::format("and {} more not captured; ", counted(summary.not_captured, "step", "steps"))
                            : "",
                        summary.captured.front());
  return text;
}

}   // namespace stickslip::cli
