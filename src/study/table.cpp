#include "stickslip/study/table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stickslip::study {

Column number(std::string name, std::string unit, std::string help) {
  return {std::move(name), ColumnKind::number, std::move(unit), std::move(help)};
}
Column text(std::string name, std::string help) { return {std::move(name), ColumnKind::text, {}, std::move(help)}; }
Column timing(std::string name, std::string unit, std::string help) {
  return {std::move(name), ColumnKind::timing, std::move(unit), std::move(help)};
}

Table::Table(std::string name, std::string title, std::vector<Column> columns)
    : name_(std::move(name)),
      title_(std::move(title)),
      columns_(std::move(columns)),
      numbers_(columns_.size()),
      texts_(columns_.size()) {}

bool Table::has_timings() const {
  return std::ranges::any_of(columns_, [](const Column& c) { return c.kind == ColumnKind::timing; });
}

void Table::add(const std::vector<Cell>& row) {
  if (row.size() != columns_.size())
    throw std::logic_error(fmt::format("table {}: a row of {} cells for {} columns", name_, row.size(), columns_.size()));
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i].is_text() != (columns_[i].kind == ColumnKind::text))
      throw std::logic_error(fmt::format("table {}: column {} holds {}", name_, columns_[i].name,
                                         row[i].is_text() ? "numbers, not words" : "words, not numbers"));
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i].is_text()) texts_[i].push_back(row[i].text());
    else numbers_[i].push_back(row[i].number());
  ++rows_;
}

void Table::append(const Table& other) {
  if (other.columns_.size() != columns_.size()) throw std::logic_error("table " + name_ + ": other columns are appended");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    numbers_[i].insert(numbers_[i].end(), other.numbers_[i].begin(), other.numbers_[i].end());
    texts_[i].insert(texts_[i].end(), other.texts_[i].begin(), other.texts_[i].end());
  }
  rows_ += other.rows_;
}

std::size_t Table::index(std::string_view column) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].name == column) return i;
  throw std::logic_error(fmt::format("table {} has no column {}", name_, column));
}

const std::vector<double>& Table::numbers(std::string_view column) const {
  const std::size_t i = index(column);
  if (columns_[i].kind == ColumnKind::text) throw std::logic_error(fmt::format("table {}: {} holds words", name_, column));
  return numbers_[i];
}

const std::vector<std::string>& Table::texts(std::string_view column) const {
  const std::size_t i = index(column);
  if (columns_[i].kind != ColumnKind::text) throw std::logic_error(fmt::format("table {}: {} holds numbers", name_, column));
  return texts_[i];
}

Cell Table::cell(std::size_t row, std::size_t column) const {
  if (columns_[column].kind == ColumnKind::text) return texts_[column][row];
  return numbers_[column][row];
}

Table Table::where(std::string_view column, const Cell& value) const {
  const std::size_t i = index(column);
  Table found(name_, title_, columns_);
  for (std::size_t row = 0; row < rows_; ++row) {
    if (!(cell(row, i) == value)) continue;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (columns_[k].kind == ColumnKind::text) found.texts_[k].push_back(texts_[k][row]);
      else found.numbers_[k].push_back(numbers_[k][row]);
    ++found.rows_;
  }
  return found;
}

std::vector<std::string> Table::distinct(std::string_view column) const {
  std::vector<std::string> words;
  for (const std::string& word : texts(column))
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  return words;
}

Table& Data::table(std::string_view name) { return const_cast<Table&>(std::as_const(*this).table(name)); }

const Table& Data::table(std::string_view name) const {
  for (const Table& table : tables_)
    if (table.name() == name) return table;
  throw std::logic_error(fmt::format("the study has no table {}", name));
}

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> without_nan(std::vector<double> values) {
  std::erase_if(values, [](double x) { return std::isnan(x); });
  return values;
}

}   // namespace

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double x : without_nan(values)) total += x;
  return total;
}

double mean(const std::vector<double>& values) {
  const std::vector<double> there = without_nan(values);
  return there.empty() ? kNothing : sum(there) / static_cast<double>(there.size());
}

double smallest(const std::vector<double>& values) { return quantile(values, 0); }
double largest(const std::vector<double>& values) { return quantile(values, 1); }
double median(const std::vector<double>& values) { return quantile(values, 0.5); }

double quantile(std::vector<double> values, double part) {
  values = without_nan(std::move(values));
  if (values.empty()) return kNothing;
  std::ranges::sort(values);
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(below);
  // Between two infinite numbers a product would be NaN.
  return rest == 0 || values[below] == values[below + 1] ? values[below]
                                                         : values[below] + rest * (values[below + 1] - values[below]);
}

double geometric_mean(const std::vector<double>& values) {
  const std::vector<double> there = without_nan(values);
  double logarithms = 0;
  for (const double x : there) logarithms += std::log(x);
  return there.empty() ? kNothing : std::exp(logarithms / static_cast<double>(there.size()));
}

}   // namespace stickslip::study
