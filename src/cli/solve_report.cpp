#include "cli/solve_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/output.h"

namespace stickslip::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Part {
  std::string_view name;
  double value;
};
std::vector<Part> parts_of(const Residual& r) {
  return {{"gap velocity", r.gap_velocity},
          {"complementarity", r.complementarity},
          {"cone", r.cone},
          {"dissipation", r.dissipation},
          {"bilateral", r.bilateral},
          {"box", r.box}};
}

bool converged(const SolveResult& r) { return r.report.status == SolveStatus::converged; }
bool unsupported(const SolveResult& r) { return r.report.status == SolveStatus::unsupported; }

std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.1e}", value); }

/// Three digits and a unit that columns line up with.
std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s ", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.1f} ms", 1e3 * seconds);
  return fmt::format("{:.1f} µs", 1e6 * seconds);
}

/// Why a solve ended where it did, and what became of its own model; empty where the status says it all.
std::string reason_of(const SolveResult& r) {
  const double own = r.report.model_residual;
  const bool other_model = !unsupported(r) && std::isfinite(own) && own < 0.5 * r.report.residual.total();
  const std::string model = fmt::format("Its own model ({}) is met to {} m/s", r.model, number(own));
  if (other_model && r.report.status == SolveStatus::stalled)
    return model + "; the rest is that model's distance from the exact law.";
  if (r.report.status == SolveStatus::time_limit) return other_model ? model + "." : "";
  return other_model ? fmt::format("{} {}.", r.report.reason, model) : std::string(r.report.reason);
}

/// The residual after 1, 2, 5, 10, 20, … iterations and at the end.
std::string history_text(const std::vector<double>& history) {
  std::string text;
  const auto add = [&](std::size_t k) { text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", k, number(history[k])); };
  for (std::size_t decade = 1, last = 0; !history.empty() && last + 1 < history.size(); decade *= 10)
    for (const std::size_t step : {1, 2, 5}) {
      const std::size_t k = std::min(step * decade, history.size() - 1);
      if (k > last) add(last = k);
    }
  return text;
}

Json to_json(const MeritValue& value) {
  return {{"normal", value.normal}, {"friction", value.friction}, {"total", value.total}};
}

std::string name_of(const SolveResult& r, bool by_problem) {
  return by_problem ? std::filesystem::path(r.problem).filename().string() : r.solver;
}

}   // namespace

std::string_view largest_part(const Residual& residual) {
  const std::vector<Part> parts = parts_of(residual);
  const auto less = [](const Part& a, const Part& b) { return std::isnan(b.value) ? !std::isnan(a.value) : a.value < b.value; };
  const auto largest = std::max_element(parts.begin(), parts.end(), less);
  return largest->value == 0 ? "" : largest->name;
}

void sort_results(std::vector<SolveResult>& results) {
  const auto rank = [](const SolveResult& r) {
    const double total = r.report.residual.total();
    return std::pair(converged(r)     ? 0
                     : unsupported(r) ? 2
                                      : 1,
                     converged(r)        ? r.report.seconds
                     : std::isnan(total) ? std::numeric_limits<double>::infinity()
                                         : total);
  };
  std::stable_sort(results.begin(), results.end(),
                   [&](const SolveResult& a, const SolveResult& b) { return rank(a) < rank(b); });
}

Json to_json(const SolveResult& r) {
  Json merits = Json::array();
  for (const MeritValue& value : r.report.merit_history) merits.push_back(to_json(value));
  Json parts;
  for (const Part& part : parts_of(r.report.residual)) {
    std::string name(part.name);
    std::replace(name.begin(), name.end(), ' ', '_');
    parts[name] = part.value;
  }
  return {{"problem", r.problem},
          {"contacts", r.contacts},
          {"solver", r.solver},
          {"status", status_name(r.report.status)},
          {"iterations", r.report.iterations},
          {"seconds", r.report.seconds},
          {"residual", r.report.residual.total()},
          {"rounding_bound", r.rounding},
          {"natural_map_error", r.report.natural_map_error},
          {"history", r.report.history},
          {"cost", r.report.cost},
          {"rollbacks", r.report.rollbacks},
          {"merit", to_json(r.report.merit)},
          {"merit_stop", merit_stop_name(r.report.merit_stop)},
          {"merit_history", merits},
          {"cost_history", r.report.cost_history},
          {"reason", r.report.reason},
          {"residual_parts", parts},
          {"residual_of_guess", r.report.initial_residual.total()},
          {"model", r.model},
          {"model_residual", r.report.model_residual},
          {"notes", r.report.notes}};
}

std::string table_of(const std::vector<SolveResult>& results, bool by_problem, bool history) {
  std::size_t width = 7;
  for (const SolveResult& r : results) width = std::max(width, name_of(r, by_problem).size());
  std::string text = fmt::format("  {:<{}}  {:<15}  {:>10}  {:>9}  {:>8}  {:<15}  {:>11}\n", by_problem ? "problem" : "solver",
                                 width, "status", "iterations", "time", "residual", "largest part", "natural map");
  const auto below = [&](std::string_view line) { text += fmt::format("  {:<{}}  {}\n", "", width, wrapped(line, width + 4)); };
  for (const SolveResult& r : results) {
    const SolveReport& report = r.report;
    if (unsupported(r)) text += fmt::format("  {:<{}}  unsupported\n", name_of(r, by_problem), width);
    else
      text += fmt::format("  {:<{}}  {:<15}  {:>10}  {:>9}  {:>8}  {:<15}  {:>11}\n", name_of(r, by_problem), width,
                          status_name(report.status), report.iterations, time_text(report.seconds),
                          number(report.residual.total()), largest_part(report.residual), number(report.natural_map_error));
    if (const std::string reason = converged(r) ? "" : reason_of(r); !reason.empty()) below(reason);
    if (!converged(r) && !unsupported(r) && r.rounding > r.tolerance)
      below(fmt::format("Rounding alone may leave {} m/s, ε‖W‖‖λ‖, which is more than was allowed.", number(r.rounding)));
    if (!report.notes.empty()) below(report.notes);
    if (history && report.history.size() > 1) below("residual after " + history_text(report.history));
    if (history && !report.merit_history.empty()) {
      std::vector<double> totals;
      for (const MeritValue& value : report.merit_history) totals.push_back(value.total);
      below("merit after " + history_text(totals));
    }
  }
  return text;
}

std::string scores_of(const std::vector<SolveResult>& results) {
  struct Score {
    std::string solver;
    std::size_t solved = 0, tried = 0, order = 0;
    double log_seconds = 0, slowest = 0;
  };
  std::map<std::string, Score> by_solver;
  for (const SolveResult& r : results) {
    Score& score = by_solver.try_emplace(r.solver, Score{r.solver, 0, 0, by_solver.size(), 0, 0}).first->second;
    ++score.tried;
    if (!converged(r)) continue;
    ++score.solved;
    score.log_seconds += std::log(std::max(r.report.seconds, 1e-9));
    score.slowest = std::max(score.slowest, r.report.seconds);
  }
  std::vector<Score> scores;
  for (const auto& [name, score] : by_solver) scores.push_back(score);
  const auto mean = [](const Score& s) { return s.solved > 0 ? std::exp(s.log_seconds / static_cast<double>(s.solved)) : 0; };
  std::sort(scores.begin(), scores.end(), [&](const Score& a, const Score& b) {
    return a.solved != b.solved                 ? a.solved > b.solved
           : a.solved > 0 && mean(a) != mean(b) ? mean(a) < mean(b)
                                                : a.order < b.order;
  });
  std::size_t width = 7;
  for (const Score& s : scores) width = std::max(width, s.solver.size());
  std::string text =
      fmt::format("all problems\n  {:<{}}  {:>10}  {:>10}  {:>10}\n", "solver", width, "solved", "mean time", "slowest");
  for (const Score& s : scores)
    text += fmt::format("  {:<{}}  {:>10}  {:>10}  {:>10}\n", s.solver, width, fmt::format("{} of {}", s.solved, s.tried),
                        s.solved > 0 ? time_text(mean(s)) : "-", s.solved > 0 ? time_text(s.slowest) : "-");
  return text + "  mean time: geometric, of the problems that it solved\n";
}

}   // namespace stickslip::cli
