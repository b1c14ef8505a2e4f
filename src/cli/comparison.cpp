// A comparison as text, JSON and CSV.
#include "cli/comparison.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/output.h"

namespace stickslip::cli {

namespace {

bool is_first(const Comparison& c, const ComparedRun& run) { return &run == &c.runs.front(); }

template <class F>
double largest(const ComparedRun& run, F&& of) {
  double most = 0;
  for (const ComparedStep& s : run.steps) most = std::max(most, of(s));
  return most;
}

std::optional<double> nearest(const ComparedRun& run) {
  std::optional<double> least;
  for (const ComparedStep& s : run.steps)
    if (s.distance && !(least && *least < *s.distance)) least = s.distance;
  return least;
}

double mean_milliseconds(const ComparedRun& run) {
  double sum = 0;
  for (const ComparedStep& s : run.steps) sum += s.milliseconds;
  return run.steps.empty() ? 0 : sum / static_cast<double>(run.steps.size());
}

/// Characters that a terminal shows for UTF-8 text.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  return columns < width ? text + std::string(width - columns, ' ') : text;
}

/// Of the last step at which the first run has a state.
double last_rms(const ComparedRun& run) {
  for (auto s = run.steps.rbegin(); s != run.steps.rend(); ++s)
    if (std::isfinite(s->rms)) return s->rms;
  return 0;
}

nlohmann::ordered_json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

/// Every step as lists, one per quantity.
nlohmann::ordered_json series(const ComparedRun& run) {
  nlohmann::ordered_json all;
  const auto add = [&](const char* name, auto&& of) {
    auto& list = all[name] = nlohmann::ordered_json::array();
    for (const ComparedStep& s : run.steps) list.push_back(number(of(s)));
  };
  add("time", [](const ComparedStep& s) { return s.time; });
  add("farthest", [](const ComparedStep& s) { return s.farthest; });
  add("rms", [](const ComparedStep& s) { return s.rms; });
  add("turn", [](const ComparedStep& s) { return s.turn; });
  add("ground_force", [](const ComparedStep& s) { return s.ground_force; });
  add("force", [](const ComparedStep& s) { return s.force; });
  add("energy", [](const ComparedStep& s) { return s.energy; });
  add("penetration", [](const ComparedStep& s) { return s.penetration; });
  add("distance", [](const ComparedStep& s) { return s.distance; });
  add("milliseconds", [](const ComparedStep& s) { return s.milliseconds; });
  return all;
}

nlohmann::ordered_json to_json(const ComparedRun& run) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const MotionRecord& r : run.result.motion) findings.push_back(statement(r));
  const ComparedStep last = run.steps.empty() ? ComparedStep{} : run.steps.back();
  return {{"name", run.name},
          {"steps", run.steps.size()},
          {"error", run.error},
          {"difference",
           {{"farthest", run.farthest},
            {"body", run.farthest_body},
            {"time", run.farthest_time},
            {"rms_end", last_rms(run)},
            {"turn_max", largest(run, [](const ComparedStep& s) { return s.turn; })}}},
          {"force", {{"ground_end", last.ground_force}, {"max", largest(run, [](const ComparedStep& s) { return s.force; })}}},
          {"energy_start", run.energy_start},
          {"energy_end", last.energy},
          {"penetration_max", largest(run, [](const ComparedStep& s) { return s.penetration; })},
          {"distance_min", number(nearest(run))},
          {"milliseconds", mean_milliseconds(run)},
          {"steps_missing_tolerance", run.result.statistics.missed()},
          {"motion", findings},
          {"series", series(run)}};
}

}   // namespace

std::vector<std::pair<std::string, std::string>> facts(const Comparison& c, const ComparedRun& run) {
  const bool first = is_first(c, run), none = run.steps.empty();
  const ComparedStep last = none ? ComparedStep{} : run.steps.back();
  const auto value = [&](const std::string& text) { return none ? std::string("-") : text; };
  const auto difference = [&](const std::string& text) { return first ? std::string("reference") : value(text); };
  const Statistics& s = run.result.statistics;
  const std::optional<double> gap = nearest(run);
  return {
      {c.of_files() ? "frames" : "steps", fmt::format("{} of {}", run.steps.size(), c.steps)},
      {"time of a step", value(quantity(1e-3 * mean_milliseconds(run), "s"))},
      {"farthest body", difference(quantity(run.farthest, "m"))},
      {"rms at the end", difference(quantity(last_rms(run), "m"))},
      {"largest turn", difference(quantity(largest(run, [](const ComparedStep& x) { return x.turn; }), "rad"))},
      {"force on ground", value(quantity(last.ground_force, "N"))},
      {"largest force", value(quantity(largest(run, [](const ComparedStep& x) { return x.force; }), "N"))},
      {"energy lost", value(quantity(run.energy_start - last.energy, "J"))},
      {"penetration", value(quantity(largest(run, [](const ComparedStep& x) { return x.penetration; }), "m"))},
      {"nearest", gap ? quantity(*gap, "m") : "-"},
      {"missed", !run.error.empty() || none ? "-" : counted(s.missed(), "step", "steps")},
      {"motion", run.steps_with_findings > 0  ? "amiss in " + counted(run.steps_with_findings, "step", "steps")
                 : !run.error.empty() || none ? "-"
                 : run.result.motion.empty()  ? "nothing amiss"
                                              : counted(run.result.motion.size(), "finding", "findings")},
  };
}

std::string title_of(const Comparison& c) {
  const std::string bodies = counted(c.bodies, "body", "bodies");
  if (c.of_files())
    return fmt::format("{}, {} trajectories: {}, {} at most", c.scene, c.runs.size(), bodies,
                       counted(c.steps, "frame", "frames"));
  return fmt::format("{} by {}: {}, {} of {}", c.scene, counted(c.runs.size(), c.kind, c.kind + "s"), bodies,
                     counted(c.steps, "step", "steps"), quantity(c.h, "s"));
}

std::string to_text(const Comparison& c) {
  std::string text = title_of(c) + "\n\n";
  std::vector<std::vector<std::pair<std::string, std::string>>> columns;
  for (const ComparedRun& run : c.runs) columns.push_back(facts(c, run));
  const auto line = [&](const std::string& label, auto&& cell) {
    std::string row = "  " + padded(label, 17);
    for (std::size_t i = 0; i < c.runs.size(); ++i)
      row += padded(cell(i), std::max<std::size_t>(18, c.runs[i].name.size() + 2));
    row.erase(row.find_last_not_of(' ') + 1);
    return row + "\n";
  };
  text += line("", [&](std::size_t i) { return c.runs[i].name; });
  for (std::size_t k = 0; k < columns.front().size(); ++k)
    text += line(columns.front()[k].first, [&](std::size_t i) { return columns[i][k].second; });
  text += "\n";
  for (const ComparedRun& run : c.runs) {
    if (!run.farthest_body.empty())
      text += fmt::format("  {:<16} '{}' is farthest from where {} has it, at t = {:g} s\n", run.name, run.farthest_body,
                          c.runs.front().name, run.farthest_time);
    for (const MotionRecord& r : run.result.motion) text += fmt::format("  {:<16} {}\n", run.name, wrapped(statement(r), 19));
    if (!run.error.empty()) text += fmt::format("  {:<16} {}\n", run.name, wrapped(run.error, 19));
  }
  return text;
}

nlohmann::ordered_json to_json(const Comparison& c) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const ComparedRun& run : c.runs) runs.push_back(to_json(run));
  return {{"scene", c.scene}, {"kind", c.kind},   {"bodies", c.bodies},
          {"h", c.h},         {"steps", c.steps}, {"energy_start", c.runs.front().energy_start},
          {"runs", runs}};
}

std::string to_csv(const Comparison& c) {
  std::string text =
      c.kind + ",time_s,farthest_m,rms_m,turn_rad,ground_force_N,force_N,energy_J,penetration_m,distance_m,milliseconds\n";
  for (const ComparedRun& run : c.runs)
    for (const ComparedStep& s : run.steps)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", run.name, s.time, s.farthest, s.rms, s.turn, s.ground_force,
                          s.force, s.energy, s.penetration, s.distance ? fmt::format("{}", *s.distance) : "", s.milliseconds);
  return text;
}

}   // namespace stickslip::cli
