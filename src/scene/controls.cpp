#include "stickslip/scene/controls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "scene/read_file.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

const std::vector<std::string> kQuantities = {"target", "speed", "effort"};
enum { kTarget, kSpeed, kEffort };

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// The cells of a line. Those in double quotes may hold commas, and quotes written twice.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[++i];
      else quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

/// A column: which coordinate, and what of it.
struct Column {
  std::string title;
  JointId joint;
  int coordinate = 0;
  int quantity = kEffort;
  JointPath path = {};
};

bool can_take(const JointDescription& d, int coordinate, int quantity) {
  const JointAxis& axis = d.axes[static_cast<std::size_t>(coordinate)];
  if (d.type == JointType::gear || axis.locked || (d.type == JointType::distance && coordinate != joint_x)) return false;
  return quantity == kTarget ? axis.servo.has_value() : quantity == kSpeed ? axis.motor.has_value() : true;
}

/// The coordinate that is meant where none is named.
int only_coordinate(const JointDescription& d, int quantity) {
  std::vector<std::string_view> able;
  int only = 0;
  for (int c = 0; c < kJointCoordinates; ++c)
    if (can_take(d, c, quantity)) able.push_back(joint_coordinate_name(only = c));
  if (able.size() == 1) return only;
  if (able.size() > 1)
    throw Error(fmt::format("The joint '{}' has several coordinates that could be meant: {}. Name one, as in '{}.{}:{}'.",
                            d.name, fmt::join(able, ", "), d.name, able[0], kQuantities[static_cast<std::size_t>(quantity)]));
  if (quantity == kEffort) throw Error(fmt::format("The joint '{}' has no free coordinate.", d.name));
  const std::string_view drive = quantity == kTarget ? "servo" : "motor";
  throw Error(fmt::format("The joint '{}' has no {}, which a {} is for. Give it one in the scene: \"{}\": {{…}}.", d.name,
                          drive, kQuantities[static_cast<std::size_t>(quantity)], drive));
}

/// "joint:quantity" or "joint.coordinate:quantity"; names of joints may hold points and colons themselves.
Column column_of(const std::string& title, const World& world) {
  const std::size_t colon = title.rfind(':');
  if (colon == std::string::npos)
    throw Error("This is not 'joint:quantity' or 'joint.coordinate:quantity', with a quantity of target, speed or effort.");
  const std::string quantity = title.substr(colon + 1);
  std::string name = title.substr(0, colon);
  const auto known = std::find(kQuantities.begin(), kQuantities.end(), quantity);
  if (known == kQuantities.end())
    throw Error(fmt::format("There is no quantity '{}'. {}", quantity, suggest(quantity, kQuantities)));
  Column column{title, {}, 0, static_cast<int>(known - kQuantities.begin())};
  std::optional<int> coordinate;
  const auto is_joint = [&](const std::string& text) {
    return std::any_of(world.joints().begin(), world.joints().end(),
                       [&](const Joint& j) { return j.alive && j.description.name == text; });
  };
  if (const std::size_t point = name.rfind('.'); !is_joint(name) && point != std::string::npos) {
    coordinate = joint_coordinate_from_name(name.substr(point + 1));
    name.resize(point);
  }
  column.joint = world.find_joint(name);
  const JointDescription& d = world.joint(column.joint).description;
  column.coordinate = coordinate ? *coordinate : only_coordinate(d, column.quantity);
  if (!can_take(d, column.coordinate, column.quantity))
    throw Error(fmt::format("The joint '{}' has no {} along {}.", d.name,
                            column.quantity == kTarget  ? "servo"
                            : column.quantity == kSpeed ? "motor"
                                                        : "free coordinate",
                            joint_coordinate_name(column.coordinate)));
  return column;
}

double number_of(const std::string& cell) {
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value))
    throw Error(fmt::format("'{}' is not a finite number. Write it as in 0.5 or 1e-3.", cell));
  return value;
}

/// @throws Error
[[noreturn]] void fail(const std::string& file, const std::string& message) {
  Error error(message);
  throw file.empty() ? error : error.in(file);
}

/// Runs `f`; an Error that it throws gets line and column.
void at(const std::string& file, int line, const std::string& column, auto&& f) {
  try {
    f();
  } catch (const Error& e) {
    fail(file, fmt::format("line {}, column '{}': {}", line, column, e.what()));
  }
}

class Table {
 public:
  Table(const std::string& file, World& world) : file_(file), world_(world) {}

  void read(std::string_view text) {
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view row = trimmed(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line == 1 && row.starts_with("\xEF\xBB\xBF")) read_row(row.substr(3), line);
      else if (!row.empty() && row.front() != '#') read_row(row, line);
    }
    if (!has_title_) fail(file_, "It is empty. Its first line names the columns: time,joint:effort,….");
    for (const Column& c : columns_)
      if (c.path.empty())
        fail(file_, fmt::format("Column '{}' holds no value. Give at least one row with a number there.", c.title));
  }

  /// Only a whole table changes anything.
  void apply() {
    for (Column& c : columns_) {
      JointAxis axis = world_.joint(c.joint).description.axes[static_cast<std::size_t>(c.coordinate)];
      if (c.quantity == kTarget) axis.servo->path = std::move(c.path);
      else if (c.quantity == kSpeed) axis.motor->path = std::move(c.path);
      else (axis.effort ? *axis.effort : axis.effort.emplace()).path = std::move(c.path);
      world_.set_joint_axis(c.joint, c.coordinate, std::move(axis));
    }
  }

 private:
  void read_row(std::string_view row, int line) {
    const std::vector<std::string> cells = cells_of(row);
    if (!has_title_) return read_title(cells, line);
    if (cells.size() != columns_.size() + 1)
      fail(file_, fmt::format("line {} has {} cells and the first line {}. Leave cells empty that say nothing, but keep their "
                              "commas.",
                              line, cells.size(), columns_.size() + 1));
    double time = 0;
    at(file_, line, "time", [&] {
      time = number_of(cells[0]);
      if (has_time_ && !(time > last_time_))
        throw Error(fmt::format("{} s comes after {} s. Times must increase.", time, last_time_));
    });
    has_time_ = true;
    last_time_ = time;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!cells[i + 1].empty())
        at(file_, line, columns_[i].title, [&] { columns_[i].path.emplace_back(time, number_of(cells[i + 1])); });
  }

  void read_title(const std::vector<std::string>& cells, int line) {
    has_title_ = true;
    if (cells[0] != "time")
      fail(file_, fmt::format("line {}, column '{}': The first column must be 'time' [s].", line, cells[0]));
    std::set<std::tuple<std::uint32_t, int, int>> known;
    for (std::size_t i = 1; i < cells.size(); ++i)
      at(file_, line, cells[i], [&] {
        columns_.push_back(column_of(cells[i], world_));
        const Column& c = columns_.back();
        if (!known.emplace(c.joint.index, c.coordinate, c.quantity).second)
          throw Error("Another column drives the same. Keep one of them.");
      });
    if (columns_.empty()) fail(file_, "It drives nothing. Add columns such as 'joint:effort'.");
  }

  const std::string& file_;
  World& world_;
  std::vector<Column> columns_;
  bool has_title_ = false, has_time_ = false;
  double last_time_ = 0;
};

}   // namespace

void parse_controls(std::string_view text, const std::string& file, World& world) {
  Table table(file, world);
  table.read(text);
  table.apply();
}

void read_controls(const std::filesystem::path& file, World& world) {
  parse_controls(document::read_file(file, "Name a CSV file in it."), file.string(), world);
}

}   // namespace stickslip
