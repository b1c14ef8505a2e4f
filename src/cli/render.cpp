// stickslip render
#include <signal.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/amounts.h"
#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/simulate.h"
#include "cli/temporary_folder.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

namespace fs = std::filesystem;

struct RenderArguments {
  SceneArguments scene;
  std::string output;
  std::optional<double> seconds, at;
  double frames_per_second = 30;
  int width = 1280, height = 720;
  std::string theme = "light";
  std::vector<std::string> layers;
  bool quiet = false;
};

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) throw Error("The picture could not be written. Does the folder exist, and is the disk full?").in(path.string());
}

/// Where the pictures go: one file, numbered files, or ffmpeg.
class Pictures {
 public:
  Pictures(const RenderArguments& arguments) : output_(arguments.output) {
    const std::string extension = output_.extension().string();
    if (extension == ".mp4") {
      const std::string ffmpeg = find_program("ffmpeg");
      if (ffmpeg.empty())
        throw Error(
            "Films are made with ffmpeg, which is not on this machine. Install it (sudo apt-get install ffmpeg), or write "
            "frames as PNG.")
            .in(arguments.output);
      if (output_.string().find('\'') != std::string::npos)
        throw Error("A file name with a quote cannot be given to ffmpeg. Choose another name.").in(arguments.output);
      temporary_ = output_.string() + ".part.mp4";
      const std::string command = fmt::format(
          "'{}' -loglevel error -y -f image2pipe -framerate {} -c:v png -i - -c:v libx264 -pix_fmt yuv420p -vf "
          "'pad=ceil(iw/2)*2:ceil(ih/2)*2' '{}'",
          ffmpeg, arguments.frames_per_second, temporary_.string());
      signal(SIGPIPE, SIG_IGN);
      film_ = popen(command.c_str(), "w");
      if (film_ == nullptr) throw Error("ffmpeg could not be started.").in(arguments.output);
    } else if (extension != ".png") {
      throw Error(fmt::format("The ending '{}' names no kind of picture. Known are .png and .mp4.", extension))
          .in(arguments.output);
    }
  }
  ~Pictures() {
    if (film_ == nullptr) return;
    pclose(film_);
    std::error_code ignored;
    fs::remove(temporary_, ignored);
  }

  void add(const std::string& png, std::size_t number, bool only_one) {
    if (film_ != nullptr) {
      if (std::fwrite(png.data(), 1, png.size(), film_) != png.size())
        throw Error("ffmpeg stopped before the film was whole. Its message is above.").in(output_.string());
      return;
    }
    fs::path file = output_;
    if (!only_one)
      file.replace_filename(fmt::format("{}-{:05}{}", output_.stem().string(), number, output_.extension().string()));
    write_file(file, png);
  }

  void finish() {
    if (film_ == nullptr) return;
    const int status = pclose(film_);
    film_ = nullptr;
    if (status != 0) throw Error("ffmpeg could not make the film. Its message is above.").in(output_.string());
    fs::rename(temporary_, output_);
  }

 private:
  fs::path output_, temporary_;
  std::FILE* film_ = nullptr;
};

int render(const RenderArguments& arguments) {
  if (!(arguments.frames_per_second > 0 && arguments.frames_per_second <= 1000))
    throw Error(
        fmt::format("{} frames per second cannot be rendered. Give a number from 0 to 1000.", arguments.frames_per_second));
  for (const int side : {arguments.width, arguments.height})
    if (side < 16 || side > 8192) throw Error(fmt::format("{} pixels are not the side of a picture. Give 16 to 8192.", side));
  if (arguments.at) checked_seconds("--at", *arguments.at);
  if (arguments.seconds) checked_seconds("--seconds", *arguments.seconds);
  const InterruptGuard interrupts;
  const TemporaryFolder folder("render");
  Pictures pictures(arguments);
  Scene scene = open_scene(arguments.scene);
  show_warnings(scene);
  const bool one = arguments.at.has_value();
  const std::uint64_t steps = steps_for(one ? *arguments.at : arguments.seconds.value_or(scene.seconds), scene.step.h);
  const fs::path page = folder.path / "replay.html";
  std::vector<std::unique_ptr<Recorder>> recorders;
  recorders.push_back(make_recorder(page, {.frames_per_second = one ? 0 : arguments.frames_per_second}));
  FailureHandler failures("ignore", ".");
  if (simulate(scene, steps, recorders, failures, !arguments.quiet).interrupted) return interrupted;

  Browser browser("file://" + page.string(), arguments.width, arguments.height);
  // The page may still be loading when it is first asked.
  browser.evaluate(
      "new Promise(done => { const wait = () => window.stickslip ? window.stickslip.ready.then(done) : setTimeout(wait, 20); "
      "wait(); })");
  browser.evaluate(fmt::format("stickslip.theme('{}')", arguments.theme));
  const auto known = browser.evaluate("stickslip.layers.all()").get<std::vector<std::string>>();
  for (const std::string& layer : arguments.layers) {
    if (std::find(known.begin(), known.end(), layer) == known.end())
      throw Error(fmt::format("There is no layer '{}'. {}", layer, suggest(layer, known)));
    browser.evaluate(fmt::format("stickslip.layers.set('{}', true)", layer));
  }
  const auto frames = browser.evaluate("stickslip.frames()").get<std::size_t>();
  for (std::size_t i = one ? frames - 1 : 0; i < frames; ++i) {
    if (InterruptGuard::requested()) return interrupted;
    const auto url =
        browser.evaluate(fmt::format("stickslip.setFrame({}), stickslip.picture({}, {})", i, arguments.width, arguments.height))
            .get<std::string>();
    pictures.add(base64_decoded(std::string_view(url).substr(url.find(',') + 1)), i, one);
  }
  pictures.finish();
  if (!arguments.quiet)
    fmt::print("{}: {} of {}x{} pixels\n", arguments.output, one ? "a picture" : fmt::format("{} frames", frames),
               arguments.width, arguments.height);
  return fine;
}

}   // namespace

void add_render(CLI::App& app, Outcome& outcome) {
  CLI::App* command =
      app.add_subcommand("render", "Simulate a scene and make pictures or a film of it, with Chromium and ffmpeg");
  auto arguments = std::make_shared<RenderArguments>();
  add_scene_arguments(*command, arguments->scene);
  command->add_option("-o,--output", arguments->output, "film.mp4, or frames.png for frames-00000.png and so on")->required();
  command->add_option("--seconds", arguments->seconds, "Simulated time [s]. Default: the scene's own duration");
  command->add_option("--at", arguments->at, "One picture only, of the state at this time [s]");
  command->add_option("--frames-per-second", arguments->frames_per_second, "Frames per simulated second")
      ->capture_default_str();
  command->add_option("--width", arguments->width, "Of the picture [pixels]")->capture_default_str();
  command->add_option("--height", arguments->height, "Of the picture [pixels]")->capture_default_str();
  command->add_option("--theme", arguments->theme, "light or dark")
      ->capture_default_str()
      ->check(CLI::IsMember({"light", "dark"}));
  command->add_option("--layer", arguments->layers, "Show a layer of the viewer, such as forces or contacts; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->callback([arguments, &outcome] { outcome.exit_code = render(*arguments); });
}

}   // namespace stickslip::cli
