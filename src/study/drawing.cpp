#include "study/drawing.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "study/folder.h"

extern char** environ;

namespace stickslip::study {

namespace {

constexpr const char* kKindNames[] = {"lines", "steps", "scatter", "bars", "histogram", "matrix"};

std::string axis_label(const Table& table, const std::string& given, const std::string& name) {
  if (!given.empty() || name.empty()) return given;
  const Column& column = table.column(name);
  const std::string label = column.help.empty() ? column.name : column.help;
  return column.unit.empty() ? label : fmt::format("{} [{}]", label, column.unit);
}

Json value_of(const Cell& cell) { return cell.is_text() ? Json(cell.text()) : Json(cell.number()); }

/// All that draw.py needs to know of a figure. @throws std::logic_error if a column is not there
Json figure_to_json(const Figure& figure, const Table& table) {
  for (const std::string& name :
       {figure.x, figure.series, figure.panels, figure.low, figure.high, figure.value, figure.point_label})
    if (!name.empty()) table.column(name);
  for (const std::string& name : figure.y) table.column(name);
  Json names = Json::object();
  for (const Column& column : table.columns()) names[column.name] = column.help.empty() ? column.name : column.help;
  Json where = Json::object(), levels = Json::object();
  for (const auto& [column, value] : figure.where) where[column] = value_of(value);
  for (const auto& [name, level] : figure.levels) levels[name] = level;
  return {{"name", figure.name},
          {"title", figure.title},
          {"kind", kKindNames[static_cast<std::size_t>(figure.kind)]},
          {"table", table.name()},
          {"x", figure.x},
          {"y", figure.y},
          {"series", figure.series},
          {"panels", figure.panels},
          {"low", figure.low},
          {"high", figure.high},
          {"value", figure.value},
          {"value_label", axis_label(table, {}, figure.value)},
          {"point_label", figure.point_label},
          {"x_label", axis_label(table, figure.x_label, figure.x)},
          {"y_label", figure.kind == FigureKind::histogram && figure.y_label.empty()
                          ? "count"
                          : axis_label(table, figure.y_label, figure.y.size() == 1 ? figure.y.front() : "")},
          {"column_names", names},
          {"log_x", figure.log_x},
          {"log_y", figure.log_y},
          {"stacked", figure.stacked},
          {"pareto", figure.pareto},
          {"share_y", figure.share_y},
          {"bins", figure.bins},
          {"where", where},
          {"levels", levels}};
}

/// Runs `python draw.py`, whose words go to a file. @returns its exit code, 127 if there is no such program
int run_script(const std::string& python, const std::string& script, const std::string& log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::string program = python, file = script;
  char* arguments[] = {program.data(), file.data(), nullptr};
  pid_t child = 0;
  const int trouble = posix_spawn(&child, python.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (trouble != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}   // namespace

std::string draw_figures(const RunOptions& options, const Plan& plan, const Data& data) {
  const std::filesystem::path folder = options.folder / "figures";
  std::filesystem::create_directories(folder);
  Json figures = Json::array();
  for (const Figure& figure : plan.figures) figures.push_back(figure_to_json(figure, data.table(figure.table)));
  write_text(folder / "figures.json", figures.dump(1) + "\n");
  write_text(folder / "draw.py", study_drawing_script());
  const std::filesystem::path log = folder / "draw.log";
  const int code = run_script(options.python, (folder / "draw.py").string(), log.string());
  constexpr int no_matplotlib = 9;   // draw.py ends with it
  if (code == 127 || code == no_matplotlib)
    return fmt::format(
        "The figures were not drawn: {} is missing. Install it (sudo apt-get install python3-matplotlib) and repeat "
        "the command with --replot.",
        code == 127 ? options.python : "python3-matplotlib");
  if (code != 0) return fmt::format("The figures were not drawn: draw.py failed; {} says why.", log.string());
  std::filesystem::remove(log);
  return {};
}

}   // namespace stickslip::study
