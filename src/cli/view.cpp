// stickslip view
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
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
int view_trajectory(ViewArguments arguments) {
  const TemporaryFolder folder("view");
  Playback playback = open_playback(arguments.scene);
  const std::string fragment = look_fragment(arguments.look, playback.scene().world);
  const std::filesystem::path page = folder.path / "replay.html";
  constexpr double often_enough = 60;   // frames per second
  const auto recorder = make_recorder(page, {.frames_per_second = often_enough});
  if (!play(playback, *recorder, true)) return interrupted;
  std::ifstream in(page, std::ios::binary);
  arguments.server.page.assign(std::istreambuf_iterator<char>(in), {});
  arguments.server.paused = true;
  Server server(Scene{}, arguments.server);
  const std::string url = server.url() + (fragment.empty() ? "" : "#" + fragment);
  fmt::print("{} is at {}\nCtrl-C ends it. 'stickslip render {} -o replay.html' keeps the page.\n", arguments.scene.scene, url,
             arguments.scene.scene);
  std::fflush(stdout);
  if (!arguments.no_browser) open_browser(url);
  wait_for_interrupt();
  return fine;
}

/// What is shown until somebody chooses a scene in the page.
Scene nothing_yet(const ViewArguments& arguments) {
  const SceneArguments& given = arguments.scene;
  if (!given.set.empty() || !given.solver.empty() || !given.integrator.empty())
    throw Error("--set, --solver and --integrator change a scene, and none is named. Name one before them, such as 'tower'.");
  Scene scene;
  scene.name = "stickslip";
  scene.description = "Choose a scene.";
  scene.document = "{\"bodies\": []}";
  return scene;
}

int view(ViewArguments arguments) {
  const InterruptGuard guard;
  if (arguments.port < 0 || arguments.port > 65535)
    throw Error(fmt::format("--port {} is not a port. Give 1 to 65535, or 0 for any that is free.", arguments.port));
  arguments.server.port = static_cast<std::uint16_t>(arguments.port);
  arguments.server.directory = arguments.capture_directory;
  if (is_trajectory(arguments.scene.scene)) return view_trajectory(arguments);
  Scene scene = arguments.scene.scene.empty() ? nothing_yet(arguments) : open_scene(arguments.scene);
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
  command->get_option("scene")->required(false)->description(
      "A built-in scene, a .json file, a robot (.urdf, .xml), a checkpoint or a trajectory; none: the page lists the scenes");
  add_look_arguments(*command, arguments->look);
  ServerOptions& server = arguments->server;
  command->add_option("--port", arguments->port, "Where to listen; 0: any that is free")->capture_default_str();
  command
      ->add_option("--address", server.address,
                   "Who can reach it: 127.0.0.1 only this machine, 0.0.0.0 all, which needs a token")
      ->capture_default_str();
  command->add_option("--token", server.token, "A word that viewers must show: 8 to 128 letters, digits and -._~");
  command->add_option("--speed", server.speed, "Simulated over real time; 0: as fast as it goes")->capture_default_str();
  command->add_flag("--paused", server.paused, "Wait for the viewer to run or step");
  command->add_flag("--no-browser", arguments->no_browser, "Print the address and open nothing");
  command->add_option("--capture-dir", arguments->capture_directory, "Where captured problems go")->capture_default_str();
  command->callback([arguments, &outcome] { outcome.exit_code = view(*arguments); });
}

}   // namespace stickslip::cli
