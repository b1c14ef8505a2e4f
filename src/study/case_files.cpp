// Cases as files: JSON that gives back the same bits.
#include <cmath>
#include <fstream>
#include <sstream>

#include "stickslip/math/error.h"
#include "store/memory_file.h"
#include "store/staged_file.h"
#include "study/folder.h"

namespace stickslip::study {

namespace {

/// JSON has no words for what is not finite.
Json number_to_json(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

double number_from_json(const Json& x) {
  if (x.is_number()) return x.get<double>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto word = x.get<std::string>();
  return word == "nan" ? std::numeric_limits<double>::quiet_NaN() : word == "inf" ? infinity : -infinity;
}

Json table_to_json(const Table& table) {
  Json columns = Json::object();
  for (const Column& column : table.columns()) {
    Json& cells = columns[column.name] = Json::array();
    if (column.kind == ColumnKind::text)
      for (const std::string& word : table.texts(column.name)) cells.push_back(word);
    else
      for (const double x : table.numbers(column.name)) cells.push_back(number_to_json(x));
  }
  return columns;
}

void table_from_json(const Json& columns, Table& table) {
  const std::size_t rows = columns.at(table.columns().front().name).size();
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<Cell> cells;
    for (const Column& column : table.columns()) {
      const Json& cell = columns.at(column.name).at(row);
      if (column.kind == ColumnKind::text) cells.emplace_back(cell.get<std::string>());
      else cells.emplace_back(number_from_json(cell));
    }
    table.add(cells);
  }
}

}   // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error("Cannot be read. Is it there, and is it a file that you may read?").in(path.string());
  return std::move(text).str();
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  StagedFile file(path);
  std::ofstream out(file.path(), std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error("Cannot be written. Is the disk full?").in(path.string());
  file.commit(DiskWait::never);   // one of many, which can be computed again
}

std::string checksum(std::string_view bytes) { return fmt::format("{:016x}", stickslip::checksum(bytes)); }

const std::string& build_of_program() {
  static const std::string build = checksum(read_text("/proc/self/exe"));
  return build;
}

std::string case_file_name(const std::string& case_name) {
  std::string name = case_name;
  for (char& c : name)
    if (c == '/' || c == ' ') c = '-';
  return name + ".json";
}

void save_case(const std::filesystem::path& folder, const std::string& name, const Data& data, double seconds) {
  Json file = {{"case", name}, {"build", build_of_program()}, {"seconds", seconds}, {"tables", Json::object()}};
  for (const Table& table : data.tables())
    if (table.rows() > 0) file["tables"][table.name()] = table_to_json(table);
  write_text(folder / "cases" / case_file_name(name), file.dump() + "\n");
}

std::optional<double> load_case(const std::filesystem::path& folder, const std::string& name, Data& data, bool any_build,
                                bool& other_build) {
  const std::filesystem::path path = folder / "cases" / case_file_name(name);
  if (!std::filesystem::exists(path)) return {};
  try {
    const Json file = Json::parse(read_text(path));
    if (!any_build && file.at("build") != build_of_program()) {
      other_build = true;
      return {};
    }
    for (const auto& [table, columns] : file.at("tables").items()) table_from_json(columns, data.table(table));
    return file.at("seconds").get<double>();
  } catch (const std::exception& error) {
    if (dynamic_cast<const Error*>(&error) != nullptr) throw;
    throw Error("This is not the result of a case of this study, or it is damaged. Run the study with --fresh.")
        .in(path.string());
  }
}

}   // namespace stickslip::study
