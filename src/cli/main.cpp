// The stickslip program: parse, run a command, turn every failure into one line and an exit code.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The innermost command that was given, `mesh check` of `stickslip mesh check`; the program itself if none was.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

/// Its name with those of the commands around it: "mesh check".
std::string full_name(const CLI::App& command) {
  const CLI::App* above = command.get_parent();
  return above && above->get_parent() ? full_name(*above) + " " + command.get_name() : command.get_name();
}

/// Says what is wrong with the words that no command or option took.
std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  const CLI::App& command = innermost(app);
  const bool is_option = word.starts_with("-");
  if (&command == &app)
    return fmt::format("There is no {} '{}'. {}", is_option ? "option" : "command", word,
                       suggest(word, is_option ? option_names(app) : command_names(app)));
  if (is_option)
    return fmt::format("'{}' has no option '{}'. {}", full_name(command), word, suggest(word, option_names(command)));
  if (const auto commands = command_names(command); !commands.empty())
    return fmt::format("'{}' has no command '{}'. {}", full_name(command), word, suggest(word, commands));
  return fmt::format("'{}' is one argument too many for '{}'.", word, full_name(command));
}

/// Says what a command lacks.
std::string missing(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  if (!app.remaining(true).empty() && !command_names(command).empty()) return unexpected(app);
  if (&command == &app)
    return fmt::format("A command is missing. Valid are: {}. See stickslip --help.", fmt::join(command_names(app), ", "));
  const std::string name = full_name(command);
  if (const auto commands = command_names(command); !commands.empty())
    return fmt::format("'{}' needs a command. Valid are: {}. See stickslip {} --help.", name, fmt::join(commands, ", "), name);
  const bool is_mesh = name.starts_with("mesh "), has_mesh = is_mesh && !command.get_option("file")->empty();
  const bool lacks_size = name == "mesh tet" && command.get_option("--size")->empty();
  const char* what = has_mesh && lacks_size ? "the size of the tetrahedra: --size METRES"
                     : has_mesh             ? "a file to write: -o FILE"
                     : is_mesh              ? "a mesh: a file such as part.stl"
                     : name == "solve"      ? "a problem: a file of `stickslip capture`, FCLIB or Siconos"
                     : name == "study"      ? "a study (stickslip study list), a manifest, or a scene of your own; all runs all"
                     : name == "new"        ? "the name of a file to write, such as my.json"
                     : name == "import"     ? "a robot: a .urdf file, or a .xml file of MuJoCo"
                                            : "a scene: a built-in name, a .json file, a robot, a checkpoint or a trajectory";
  return fmt::format("'{}' needs {}. See stickslip {} --help.", name, what, name);
}

std::string output_error() { return fmt::format("Cannot write to the standard output: {}.", std::strerror(errno)); }

std::string internal(const std::exception& error) {
  return fmt::format("Internal error: {}. Please report it with the command you gave.", error.what());
}

void add_commands(CLI::App& app, Outcome& outcome) {
  app.set_version_flag("--version", "stickslip " STICKSLIP_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  add_run(app, outcome);
  add_render(app, outcome);
  add_compare(app, outcome);
  add_view(app, outcome);
  add_capture(app, outcome);
  add_solve(app, outcome);
  add_study(app, outcome);
  add_sweep(app, outcome);
  add_new(app);
  add_scenes(app);
  add_solvers(app);
  add_laws(app);
  add_import(app);
  add_mesh(app, outcome);
  add_validate(app);
  add_schema(app);
}

int fail(const std::string& message, int exit_code) {
  std::fflush(stdout);
  tell(shown_text(fmt::format("stickslip: {}\n", message)));
  return exit_code;
}

/// Where a standard stream is closed, the next file that is opened would take its number, and get what is printed. What is
/// opened in its place here can only be used the other way round, so that printing fails as it must.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char** argv) {
  hold_standard_streams();
  // A file that grows too large for the disk quota is a write error with a message, not a silent death.
  std::signal(SIGXFSZ, SIG_IGN);

  CLI::App app("Contact and friction: friction that sticks, forces you can trust, a solver that says how wrong it is.",
               "stickslip");
  Outcome outcome;
  add_commands(app, outcome);
  try {
    app.parse(argc, argv);
    if (std::fflush(stdout) != 0) return fail(output_error(), bad_input);
    return outcome.exit_code;
  } catch (const CLI::Success& wanted) {   // --help, --version
    const int exit_code = app.exit(wanted);
    return std::cout.flush() ? exit_code : fail(output_error(), bad_input);
  } catch (const CLI::ExtrasError&) {
    return fail(unexpected(app), bad_input);
  } catch (const CLI::RequiredError&) {
    return fail(missing(app), bad_input);
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), bad_input);
  } catch (const Error& error) {
    return fail(error.what(), bad_input);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0)
      return fail(fmt::format("Cannot write to the standard output: {}.", error.code().message()), bad_input);
    return fail(internal(error), internal_error);
  } catch (const std::bad_alloc&) {
    return fail("Out of memory. Try a smaller scene, or fewer frames per second.", internal_error);
  } catch (const std::exception& error) {
    return fail(internal(error), internal_error);
  }
}

}   // namespace

}   // namespace stickslip::cli

int main(int argc, char** argv) { return stickslip::cli::main(argc, argv); }
