// Tables as CSV and HDF5. Timings stand in files of their own.
#include <unistd.h>

#include "store/hdf5.h"
#include "store/staged_file.h"
#include "study/folder.h"

namespace stickslip::study {

namespace {

std::string csv_word(const std::string& word) {
  if (word.find_first_of(",\"\n") == std::string::npos) return word;
  std::string quoted = "\"";
  for (const char c : word) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

/// Only the timings, or only the others. Numbers are as short as gives back the same bits.
std::string to_csv(const Table& table, bool timings) {
  std::string text;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < table.columns().size(); ++i)
    if ((table.columns()[i].kind == ColumnKind::timing) == timings) wanted.push_back(i);
  for (const std::size_t i : wanted) {
    const Column& column = table.columns()[i];
    text += (i == wanted.front() ? "" : ",") + column.name + (column.unit.empty() ? "" : " [" + column.unit + "]");
  }
  text += '\n';
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (const std::size_t i : wanted) {
      const Cell cell = table.cell(row, i);
      if (i != wanted.front()) text += ',';
      text += cell.is_text() ? csv_word(cell.text()) : fmt::format("{}", cell.number());
    }
    text += '\n';
  }
  return text;
}

void write_words(hid_t group, const Column& column, const std::vector<std::string>& words) {
  std::size_t length = 1;
  for (const std::string& word : words) length = std::max(length, word.size());
  std::string bytes(length * words.size(), '\0');
  for (std::size_t i = 0; i < words.size(); ++i) bytes.replace(i * length, words[i].size(), words[i]);
  const h5::Handle type = h5::text_type(length);
  h5::write_values(group, column.name, type.get(), bytes.data(), {words.size()});
}

/// /<table>/<column>, a dataset each with its unit; no timings, so that the bits are the same again.
void write_hdf5(const std::filesystem::path& path, const Data& data) {
  const h5::Quiet quiet;
  StagedFile staged(path);
  {
    h5::Handle file(h5::check(H5Fcreate(staged.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "create the file"),
                    H5Fclose);
    for (const Table& table : data.tables()) {
      const h5::Handle group = h5::create_group(file.get(), table.name());
      h5::write_attribute(group.get(), "title", table.title());
      for (const Column& column : table.columns()) {
        if (column.kind == ColumnKind::timing) continue;
        if (column.kind == ColumnKind::text) write_words(group.get(), column, table.texts(column.name));
        else h5::write_values(group.get(), column.name, H5T_NATIVE_DOUBLE, table.numbers(column.name).data(), {table.rows()});
        const h5::Handle dataset = h5::open_dataset(group.get(), column.name);
        if (!column.unit.empty()) h5::write_attribute(dataset.get(), "unit", column.unit);
        if (!column.help.empty()) h5::write_attribute(dataset.get(), "help", column.help);
      }
    }
    if (!file.close()) throw Error("Cannot be written. Is the disk full?").in(path.string());
  }
  staged.commit();
}

}   // namespace

std::map<std::string, std::string> write_data(const std::filesystem::path& folder, const Data& data) {
  std::map<std::string, std::string> checksums;
  for (const char* part : {"data", "times"}) std::filesystem::create_directories(folder / part);
  for (const Table& table : data.tables()) {
    const std::string csv = to_csv(table, false), name = table.name() + ".csv";
    write_text(folder / "data" / name, csv);
    checksums[name] = checksum(csv);
    if (table.has_timings()) write_text(folder / "times" / name, to_csv(table, true));
  }
  try {
    write_hdf5(folder / "data" / "data.h5", data);
  } catch (Error& error) {
    throw error.in((folder / "data" / "data.h5").string());
  }
  checksums["data.h5"] = checksum(read_text(folder / "data" / "data.h5"));
  return checksums;
}

}   // namespace stickslip::study
