// Tables of numbers and words: what experiments write, what claims are checked on and figures drawn from.
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stickslip::study {

/// A number or a word in a table.
class Cell {
 public:
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number> Cell(Number number) : value_(static_cast<double>(number)) {}
  Cell(std::string text) : value_(std::move(text)) {}
  Cell(std::string_view text) : value_(std::string(text)) {}
  Cell(const char* text) : value_(std::string(text)) {}

  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  double number() const { return std::get<double>(value_); }
  const std::string& text() const { return std::get<std::string>(value_); }
  bool operator==(const Cell&) const = default;

 private:
  std::variant<double, std::string> value_;
};

enum class ColumnKind : std::uint8_t {
  number,   ///< the same to the bit whenever the study is run again
  text,     ///< likewise
  timing    ///< a number that the clock decides; written to a file of its own
};

struct Column {
  std::string name;   ///< lower-case words joined by '_'
  ColumnKind kind = ColumnKind::number;
  std::string unit = {};   ///< "m/s", "ms"; empty: a pure number
  std::string help = {};   ///< what it is, for axes and the report: "largest penetration"
};
Column number(std::string name, std::string unit, std::string help);
Column text(std::string name, std::string help);
Column timing(std::string name, std::string unit, std::string help);

/// Columns of equal length. Numbers may be NaN (nothing was measured) or infinite.
class Table {
 public:
  /// @param name of its file, without ending: lower-case words joined by '-'. @param title for people
  Table(std::string name, std::string title, std::vector<Column> columns);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::vector<Column>& columns() const { return columns_; }
  const Column& column(std::string_view name) const { return columns_[index(name)]; }
  std::size_t rows() const { return rows_; }
  bool has_timings() const;

  /// Adds a row with a cell for every column. @throws std::logic_error if the cells do not fit the columns
  void add(const std::vector<Cell>& row);
  /// Adds the rows of a table with the same columns.
  void append(const Table&);

  /// All cells of a column, by its name. @throws std::logic_error if there is none, or it holds the other kind
  const std::vector<double>& numbers(std::string_view column) const;
  const std::vector<std::string>& texts(std::string_view column) const;
  Cell cell(std::size_t row, std::size_t column) const;

  /// The rows whose cell in the column is this.
  Table where(std::string_view column, const Cell& value) const;
  /// The words of a column, each once, in the order of their first rows.
  std::vector<std::string> distinct(std::string_view column) const;

 private:
  std::size_t index(std::string_view column) const;

  std::string name_, title_;
  std::vector<Column> columns_;
  std::vector<std::vector<double>> numbers_;      ///< of column i; empty for words
  std::vector<std::vector<std::string>> texts_;   ///< of column i; empty for numbers
  std::size_t rows_ = 0;
};

/// The tables of a study.
class Data {
 public:
  Data() = default;
  explicit Data(std::vector<Table> tables) : tables_(tables.begin(), tables.end()) {}

  const std::deque<Table>& tables() const { return tables_; }
  /// @throws std::logic_error if there is none of this name
  Table& table(std::string_view name);
  const Table& table(std::string_view name) const;

 private:
  std::deque<Table> tables_;   ///< references stay valid
};

// Statistics of columns; NaN counts as not there, and is the answer where nothing is left.
double sum(const std::vector<double>&);
double mean(const std::vector<double>&);
double smallest(const std::vector<double>&);
double largest(const std::vector<double>&);
/// Linear between the two nearest in order. @param part from 0 (smallest) to 1 (largest)
double quantile(std::vector<double>, double part);
double median(const std::vector<double>&);
/// exp of the mean of logarithms, of numbers above 0
double geometric_mean(const std::vector<double>&);

}   // namespace stickslip::study
