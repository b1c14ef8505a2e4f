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
#include "cli/look.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/play.h"
#include "cli/progress.h"
#include "cli/simulate.h"
#include "cli/temporary_folder.h"
#include "record/output_file.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

namespace fs = std::filesystem;

struct RenderArguments {
  SceneArguments scene;
  LookArguments look;
  std::string output;
  std::optional<double> seconds, at;
  std::optional<double> frames_per_second;   ///< default: 30 of pictures, all that a trajectory has of other records
  int width = 1280, height = 720;
  bool quiet = false;
};

double picture_rate(const RenderArguments& arguments) { return arguments.frames_per_second.value_or(30); }

/// Names of the pictures of all frames: "frame-%04d.png" or a folder.
struct FrameNames {
  std::string before, after;   ///< the number
  int digits = 5;

  std::string of(std::size_t number) const { return fmt::format("{}{:0{}}{}", before, number, digits, after); }
};

/// None if `output` names one picture. @throws Error for a pattern that names no number
std::optional<FrameNames> frame_names(const std::string& output) {
  std::error_code ignored;
  if (output.ends_with('/') || fs::is_directory(output, ignored))
    return FrameNames{(fs::path(output) / "frame-").string(), ".png"};
  const std::size_t percent = output.find('%');
  if (percent == std::string::npos || !output.ends_with(".png")) return std::nullopt;
  std::size_t end = percent + 1;
  while (end < output.size() && output[end] >= '0' && output[end] <= '9') ++end;
  const std::string digits = output.substr(percent + 1, end - percent - 1);
  const bool fits =
      end < output.size() && output[end] == 'd' && digits.size() <= 2 && output.find('%', end) == std::string::npos;
  if (!fits) throw Error("This is no pattern for the numbers of frames. Write it as in frame-%04d.png.").in(output);
  return FrameNames{output.substr(0, percent), output.substr(end + 1), digits.empty() ? 1 : std::stoi(digits)};
}

/// Where the pictures go: one file, numbered files, or ffmpeg.
class Pictures {
 public:
  /// @param folder for a film that is not whole yet
  Pictures(const RenderArguments& arguments, const fs::path& folder)
      : output_(arguments.output), frames_(frame_names(arguments.output)) {
    const std::string extension = output_.extension().string();
    if (frames_) {
      if (arguments.at)
        throw Error("--at makes one picture, and this name is for many. Leave one of them out.").in(arguments.output);
      std::error_code error;
      if (output_.string().ends_with('/')) fs::create_directory(output_.parent_path(), error);
      if (error) throw Error(fmt::format("The folder cannot be made: {}.", error.message())).in(arguments.output);
      check_writable(frames_->of(0));
    } else if (extension == ".mp4") {
      const std::string ffmpeg = find_program("ffmpeg");
      if (ffmpeg.empty())
        throw Error(
            "Films are made with ffmpeg, which is not on this machine. Install it (sudo apt-get install ffmpeg), or write "
            "frames as PNG.")
            .in(arguments.output);
      if (output_.string().find('\'') != std::string::npos)
        throw Error("A file name with a quote cannot be given to ffmpeg. Choose another name.").in(arguments.output);
      temporary_ = folder / "film.mp4";
      check_writable(arguments.output);
      const std::string command = fmt::format(
          "'{}' -loglevel error -y -f image2pipe -framerate {} -c:v png -i - -c:v libx264 -pix_fmt yuv420p -vf "
          "'pad=ceil(iw/2)*2:ceil(ih/2)*2' '{}'",
          ffmpeg, picture_rate(arguments), temporary_.string());
      signal(SIGPIPE, SIG_IGN);
      film_ = popen(command.c_str(), "w");
      if (film_ == nullptr) throw Error("ffmpeg could not be started.").in(arguments.output);
    } else if (extension != ".png") {
      throw Error(fmt::format("The ending '{}' names no kind of picture. Known are .png and .mp4.", extension))
          .in(arguments.output);
    } else {
      check_writable(arguments.output);
    }
  }
  ~Pictures() {
    if (film_ != nullptr) pclose(film_);
  }

  bool are_many() const { return frames_ || !temporary_.empty(); }

  void add(const std::string& png, std::size_t number) {
    if (film_ != nullptr) {
      if (std::fwrite(png.data(), 1, png.size(), film_) != png.size())
        throw Error("ffmpeg stopped before the film was whole. Its message is above.").in(output_.string());
      return;
    }
    OutputFile out(frames_ ? fs::path(frames_->of(number)) : output_);
    out.write(png);
    out.commit(frames_ ? DiskWait::never : DiskWait::if_it_replaces);
  }

  void finish() {
    if (film_ == nullptr) return;
    const int status = pclose(film_);
    film_ = nullptr;
    if (status != 0) throw Error("ffmpeg could not make the film. Its message is above.").in(output_.string());
    std::ifstream film(temporary_, std::ios::binary);
    OutputFile out(output_);   // an older film stays until this one is whole
    std::string part(1 << 20, '\0');
    while (film.read(part.data(), static_cast<std::streamsize>(part.size())), film.gcount() > 0)
      out.write(std::string_view(part).substr(0, static_cast<std::size_t>(film.gcount())));
    out.commit();
  }

 private:
  fs::path output_, temporary_;
  std::optional<FrameNames> frames_;
  std::FILE* film_ = nullptr;
};

void check(const RenderArguments& arguments) {
  if (const double rate = picture_rate(arguments); !(rate > 0 && rate <= 1000))
    throw Error(fmt::format("{} frames per second cannot be rendered. Give a number from 0 to 1000.", rate));
  for (const int side : {arguments.width, arguments.height})
    if (side < 16 || side > 8192) throw Error(fmt::format("{} pixels are not the side of a picture. Give 16 to 8192.", side));
  if (arguments.at) checked_seconds("--at", *arguments.at);
  if (arguments.seconds) checked_seconds("--seconds", *arguments.seconds);
}

/// Pictures of all frames of a replay, or of the last one. @returns how many; none if it was interrupted
std::size_t take_pictures(const fs::path& page, const std::string& fragment, const RenderArguments& arguments,
                          Pictures& pictures) {
  Browser browser(fmt::format("file://{}#ui=off&{}", page.string(), fragment), arguments.width, arguments.height,
                  page.parent_path() / "browser");
  wait_for_viewer(browser);
  const auto frames = browser.evaluate("stickslip.frames()").get<std::size_t>();
  const std::size_t first = pictures.are_many() ? 0 : frames - 1;
  Progress progress(frames - first, !arguments.quiet, "picture");
  for (std::size_t i = first; i < frames; ++i) {
    if (InterruptGuard::requested()) return 0;
    const auto shot = browser.evaluate(fmt::format("stickslip.setFrame({}), [stickslip.picture({}, {}), stickslip.time()]", i,
                                                   arguments.width, arguments.height));
    const auto url = shot.at(0).get<std::string>();
    pictures.add(base64_decoded(std::string_view(url).substr(url.find(',') + 1)), i);
    progress.update(i - first + 1, shot.at(1).get<double>());
  }
  return frames - first;
}

RecordOptions record_options(const RenderArguments& arguments, double rate) {
  return {.frames_per_second = rate, .overlaps = shows_overlaps(arguments.look)};
}

/// Simulates a scene into the page of the viewer. @returns what follows # in its address; none if it was interrupted
std::optional<std::string> simulate_into(const fs::path& page, const RenderArguments& arguments, bool one) {
  Scene scene = open_scene(arguments.scene);
  show_warnings(scene);
  const std::string fragment = look_fragment(arguments.look, scene.world);
  const double length = arguments.at ? *arguments.at : arguments.seconds.value_or(scene.seconds);
  const std::uint64_t steps = steps_for(length, scene.step.h);
  std::vector<std::unique_ptr<Recorder>> recorders;
  recorders.push_back(make_recorder(page, record_options(arguments, one ? 0 : picture_rate(arguments))));
  FailureHandler failures("ignore", ".");
  if (simulate(scene, steps, recorders, failures, !arguments.quiet).interrupted) return std::nullopt;
  return fragment;
}

/// The same of a trajectory, of which nothing is simulated again.
/// @param rate frames per second; 0: all
std::optional<std::string> play_into(const fs::path& page, const RenderArguments& arguments, double rate) {
  Playback playback = open_playback(arguments.scene);
  const std::string fragment = look_fragment(arguments.look, playback.scene().world);
  const auto recorder = make_recorder(page, record_options(arguments, rate));
  const std::optional<double> length = arguments.at ? arguments.at : arguments.seconds;
  const double until = length ? playback.time(0) + *length : std::numeric_limits<double>::infinity();
  if (!play(playback, *recorder, !arguments.quiet, until)) return std::nullopt;
  return fragment;
}

/// A trajectory as another kind of record.
int convert(const RenderArguments& arguments) {
  check_writable(arguments.output);
  const InterruptGuard interrupts;
  if (!play_into(arguments.output, arguments, arguments.at ? 0 : arguments.frames_per_second.value_or(0))) return interrupted;
  if (!arguments.quiet) fmt::print("{}: {}\n", arguments.output, file_size(fs::file_size(arguments.output)));
  return fine;
}

int render(RenderArguments arguments) {
  check(arguments);
  const bool played = is_trajectory(arguments.scene.scene);
  const std::string ending = fs::path(arguments.output).extension().string();
  if (played && (ending == ".html" || ending == ".glb" || ending == ".pvd")) return convert(arguments);
  if (arguments.look.theme.empty()) arguments.look.theme = "light";
  const InterruptGuard interrupts;
  const TemporaryFolder folder("render");
  Pictures pictures(arguments, folder.path);
  const fs::path page = folder.path / "replay.html";
  const std::optional<std::string> fragment =
      played ? play_into(page, arguments, pictures.are_many() ? picture_rate(arguments) : 0)
             : simulate_into(page, arguments, !pictures.are_many());
  if (!fragment) return interrupted;
  std::size_t count = 0;
  try {
    count = take_pictures(page, *fragment, arguments, pictures);
  } catch (const Error&) {
    if (!InterruptGuard::requested()) throw;
  }
  if (InterruptGuard::requested()) return interrupted;
  pictures.finish();
  if (!arguments.quiet)
    fmt::print("{}: {} of {}x{} pixels\n", arguments.output,
               pictures.are_many() ? fmt::format("{} frames", count) : "a picture", arguments.width, arguments.height);
  return fine;
}

}   // namespace

void add_render(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand(
      "render", "Make pictures or a film of a scene, or of a trajectory (run.h5) that was recorded, with Chromium and ffmpeg");
  auto arguments = std::make_shared<RenderArguments>();
  add_scene_arguments(*command, arguments->scene);
  command
      ->add_option("-o,--output", arguments->output,
                   "film.mp4; picture.png of the end, or of --at; frame-%04d.png or a folder/ for pictures of all frames; of a "
                   "trajectory also replay.html, .glb and .pvd")
      ->required();
  command->add_option("--seconds", arguments->seconds, "Simulated time [s]. Default: the scene's own duration");
  command->add_option("--at", arguments->at, "One picture, of the state at this time [s]. Default: the end");
  command->add_option("--frames-per-second", arguments->frames_per_second,
                      "Frames per simulated second. Default: 30; of a trajectory as another record all that it has");
  command->add_option("--width", arguments->width, "Of the picture [pixels]")->capture_default_str();
  command->add_option("--height", arguments->height, "Of the picture [pixels]")->capture_default_str();
  add_look_arguments(*command, arguments->look);
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->callback([arguments, &outcome] { outcome.exit_code = render(*arguments); });
}

}   // namespace stickslip::cli
