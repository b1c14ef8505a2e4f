#include "cli/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

/// A column and where the summary has it; of a list the number of entries.
struct SummaryColumn {
  std::string_view name;
  const char* pointer;
};

constexpr SummaryColumn kSummaryColumns[] = {
    {"steps", "/steps"},
    {"time_s", "/time"},
    {"bodies", "/bodies"},
    {"contacts_mean", "/contacts/mean"},
    {"contacts_max", "/contacts/max"},
    {"iterations_mean", "/iterations/mean"},
    {"iterations_max", "/iterations/max"},
    {"residual_median_m_per_s", "/residual/median"},
    {"residual_max_m_per_s", "/residual/max"},
    {"steps_missing_tolerance", "/steps_missing_tolerance"},
    {"penetration_max_m", "/penetration_max"},
    {"distance_min_m", "/distance_min"},
    {"impacts", "/impacts"},
    {"joint_error_max_m", "/joints/error_max"},
    {"joints_broken", "/joints/broken"},
    {"motion_findings", "/motion"},
    {"energy_start_J", "/energy/start"},
    {"energy_end_J", "/energy/end"},
    {"friction_J", "/energy_sums/friction"},
    {"impact_J", "/energy_sums/impact"},
    {"stabilisation_J", "/energy_sums/stabilisation"},
    {"applied_J", "/energy_sums/applied"},
    {"driven_J", "/energy_sums/driven"},
    {"motors_J", "/energy_sums/motors"},
    {"springs_J", "/energy_sums/springs"},
    {"damping_J", "/energy_sums/damping"},
    {"integration_J", "/energy_sums/integration"},
    {"state_hash", "/state_hash"},
    {kSettingColumn, nullptr},
    {"ms_per_step_mean", "/ms_per_step/mean"},
    {"ms_per_step_p95", "/ms_per_step/p95"},
    {"wall_seconds", "/wall_seconds"},
};
constexpr const char* kBodyColumns[] = {"x_m", "y_m", "z_m", "speed_m_per_s"};

std::string cell_of(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return std::to_string(value.size());
  return value.dump();
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

/// Rows of CSV text (RFC 4180).
std::vector<Cells> parse_csv(std::string_view text) {
  std::vector<Cells> rows;
  Cells row;
  std::string cell;
  bool in_quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_quotes && c == '"' && i + 1 < text.size() && text[i + 1] == '"') cell += text[++i];
    else if (c == '"') in_quotes = !in_quotes;
    else if (!in_quotes && (c == ',' || c == '\n')) {
      row.push_back(std::exchange(cell, {}));
      if (c == '\n') rows.push_back(std::exchange(row, {}));
    } else if (in_quotes || c != '\r') cell += c;
  }
  if (!row.empty() || !cell.empty()) {
    row.push_back(cell);
    rows.push_back(row);
  }
  return rows;
}

}   // namespace

Cells sweep_header(const std::vector<SweepAxis>& axes, const std::vector<std::string>& bodies) {
  Cells header;
  for (const SweepAxis& axis : axes) header.push_back(axis.pointer);
  for (const std::string& body : bodies)
    for (const char* column : kBodyColumns) header.push_back(body + " " + column);
  for (const SummaryColumn& column : kSummaryColumns) header.emplace_back(column.name);
  header.emplace_back(kErrorColumn);
  return header;
}

const Body& body_named(const World& world, const std::string& name) {
  std::vector<std::string> names;
  for (const Body& body : world.bodies()) {
    if (!body.alive) continue;
    if (body.name == name) return body;
    names.push_back(body.name);
  }
  throw Error(fmt::format("--body {}: there is no body of this name. {}", name, suggest(name, names)));
}

Cells finished_row(const Cells& values, const World& world, const std::vector<std::string>& bodies, const std::string& setting,
                   const nlohmann::ordered_json& summary) {
  Cells row = values;
  for (const std::string& name : bodies) {
    const Body& body = body_named(world, name);
    for (const double number : {body.position.x(), body.position.y(), body.position.z(), body.velocity.norm()})
      row.push_back(fmt::format("{}", number));
  }
  for (const SummaryColumn& column : kSummaryColumns)
    row.push_back(column.pointer ? cell_of(summary.at(nlohmann::ordered_json::json_pointer(column.pointer))) : setting);
  row.emplace_back();
  return row;
}

Cells failed_row(const Cells& values, std::size_t columns, const std::string& setting, const std::string& error,
                 std::size_t bodies) {
  Cells row = values;
  row.resize(columns);
  std::size_t at = values.size() + bodies * std::size(kBodyColumns);
  for (const SummaryColumn& column : kSummaryColumns) {
    if (column.name == kSettingColumn) row[at] = setting;
    ++at;
  }
  row.back() = error;
  return row;
}

std::string to_csv(const SweepTable& table) {
  std::string text;
  const auto add = [&](const Cells& row) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "," : "") + quoted(row[i]);
    text += '\n';
  };
  add(table.header);
  for (const Cells& row : table.rows) add(row);
  return text;
}

SweepTable read_sweep(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.eof() && in.fail()) throw Error("The file cannot be read.").in(path.string());
  SweepTable table;
  table.rows = parse_csv(text);
  if (table.rows.empty()) return table;
  table.header = table.rows.front();
  table.rows.erase(table.rows.begin());
  for (const Cells& row : table.rows)
    if (row.size() != table.header.size())
      throw Error("This is not the table of a sweep: its rows are not as long as its header.").in(path.string());
  return table;
}

}   // namespace stickslip::cli
