// stickslip view
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/look.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/play.h"
#include "cli/temporary_folder.h"
#include "stickslip/math/error.h"
#include "stickslip/serve/server.h"

namespace stickslip::cli {

namespace {

struct ViewArguments {
  SceneArguments scene;
  LookArguments look;
  ServerOptions server;
  std::string capture_directory = ".";
  int port = 0;
  bool no_browser = false;
};

/// Asks the desktop to show an address. Nothing happens where there is none: the address is printed anyway.
void open_browser(const std::string& url) {
#ifdef __APPLE__
  const char* program = "open";
#else
  const char* program = "xdg-open";
#endif
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char* const words[] = {const_cast<char*>(program), const_cast<char*>(url.c_str()), nullptr};
  pid_t child;
  posix_spawnp(&child, program, &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
}

void wait_for_interrupt() {
  while (!InterruptGuard::requested()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

/// A trajectory as a page that plays it, for as long as the program runs.
int view_trajectory(const ViewArguments& arguments) {
  const TemporaryFolder folder("view");
  Playback playback = open_playback(arguments.scene);
  const std::string fragment = look_fragment(arguments.look, playback.scene().world);
  const std::filesystem::path page = folder.path / "replay.html";
  constexpr double often_enough = 60;   // frames per second
  const auto recorder = make_recorder(page, {.frames_per_second = often_enough});
  if (!play(playback, *recorder, true)) return interrupted;
  const std::string url = "file://" + page.string() + (fragment.empty() ? "" : "#" + fragment);
  fmt::print("{} is at {}\nCtrl-C ends it. 'stickslip render {} -o replay.html' keeps the page.\n", arguments.scene.scene, url,
             arguments.scene.scene);
  std::fflush(stdout);
  if (!arguments.no_browser) open_browser(url);
  wait_for_interrupt();
  return fine;
}

/// @param live_only options that a trajectory has no use for
int view(ViewArguments arguments, const std::vector<CLI::Option*>& live_only) {
  const InterruptGuard guard;
  if (is_trajectory(arguments.scene.scene)) {
    for (const CLI::Option* option : live_only)
      if (!option->empty())
        throw Error(
            fmt::format("{} is for scenes that run while they are watched. A trajectory is shown as a page of its own, which "
                        "nobody serves: leave it out; 'stickslip render {} -o replay.html' makes a page to send to others.",
                        option->get_name(), arguments.scene.scene))
            .in(arguments.scene.scene);
    return view_trajectory(arguments);
  }
  if (arguments.port < 0 || arguments.port > 65535)
    throw Error(fmt::format("--port {} is not a port. Give 1 to 65535, or 0 for any that is free.", arguments.port));
  arguments.server.port = static_cast<std::uint16_t>(arguments.port);
  arguments.server.directory = arguments.capture_directory;
  Scene scene = open_scene(arguments.scene);
  show_warnings(scene);
  const std::string name = scene.name, fragment = look_fragment(arguments.look, scene.world);

  Server server(std::move(scene), arguments.server);
  const std::string url = server.url() + (fragment.empty() ? "" : "#" + fragment);
  fmt::print("{} is at {}\nCtrl-C ends it.\n", name, url);
  std::fflush(stdout);
  if (!arguments.no_browser) open_browser(url);
  wait_for_interrupt();
  server.stop();
  return fine;
}

}   // namespace

void add_view(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand(
      "view", "Watch a scene in the browser while it runs: pause, step, drag bodies, change solver and parameters");
  auto arguments = std::make_shared<ViewArguments>();
  add_scene_arguments(*command, arguments->scene);
  add_look_arguments(*command, arguments->look);
  ServerOptions& server = arguments->server;
  const std::vector<CLI::Option*> live_only = {
      command->add_option("--port", arguments->port, "Where to listen; 0: any that is free")->capture_default_str(),
      command
          ->add_option("--address", server.address,
                       "Who can reach it: 127.0.0.1 only this machine, 0.0.0.0 all, which needs a token")
          ->capture_default_str(),
      command->add_option("--token", server.token, "A word that viewers must show: 8 to 128 letters, digits and -._~"),
      command->add_option("--speed", server.speed, "Simulated over real time; 0: as fast as it goes")->capture_default_str(),
      command->add_flag("--paused", server.paused, "Wait for the viewer to run or step"),
  };
  command->add_flag("--no-browser", arguments->no_browser, "Print the address and open nothing");
  command->add_option("--capture-dir", arguments->capture_directory, "Where captured problems go")->capture_default_str();
  command->callback([=, &outcome] { outcome.exit_code = view(*arguments, live_only); });
}

}   // namespace stickslip::cli
