// stickslip new
#include <filesystem>

#include "cli/commands.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "cli/play.h"
#include "record/output_file.h"
#include "scene/json.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

namespace {

namespace fs = std::filesystem;
using document::Json;

struct NewArguments {
  std::string file;
  SceneArguments scene;
  bool quiet = false;
};

/// Names of files in a document are relative to its folder: those that follow it into another one are named from there.
void move_names(Json& part, const fs::path& from, const fs::path& to) {
  if (part.is_object())
    if (const auto file = part.find("file"); file != part.end() && file->is_string())
      if (const fs::path name = file->get<std::string>(); name.is_relative())
        *file = fs::absolute(from / name).lexically_normal().lexically_relative(to).string();
  if (part.is_structured())
    for (Json& inner : part) move_names(inner, from, to);
}

fs::path folder_of(const fs::path& file) { return fs::absolute(file).lexically_normal().parent_path(); }

void make_scene(const NewArguments& arguments) {
  const fs::path file = arguments.file;
  if (file.extension() != ".json")
    throw Error("A scene file ends in .json, by which other commands know it. Choose such a name.").in(arguments.file);
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored)))
    throw Error("There is a file of this name already, and it is left as it is. Choose another name, or remove it first.")
        .in(arguments.file);
  // A trajectory that holds no state to go on from has its scene all the same.
  const std::string source = is_trajectory(arguments.scene.scene) ? open_playback(arguments.scene).scene().document
                                                                  : open_scene(arguments.scene).document;
  Json scene = source.empty() ? Json::object() : document::parse_json(source, arguments.scene.scene);
  if (!scene.contains("bodies"))
    throw Error("It holds no scene document: a program made its world by hand. `stickslip run` goes on from it.")
        .in(arguments.scene.scene);
  scene["name"] = file.stem().string();
  move_names(scene, folder_of(arguments.scene.scene), folder_of(file));
  const std::string text = document::write_json(scene);
  const Scene made = parse_scene(text, arguments.file);   // what is written can be run
  OutputFile out(arguments.file);
  out.write(text);
  out.commit();
  show_warnings(made);
  if (arguments.quiet) return;
  fmt::print("{}: {}, {}, {:g} s in steps of {}; from {}\n", arguments.file, counted(made.world.body_count(), "body", "bodies"),
             counted(made.world.joint_count(), "joint", "joints"), made.seconds, quantity(made.step.h, "s"),
             arguments.scene.scene);
  fmt::print("  Change it in an editor, then: stickslip run {0} ; stickslip view {0}\n", arguments.file);
}

}   // namespace

void add_new(CLI::App& app) {
  CLI::App* command = app.add_subcommand("new", "Write a scene file to edit, from a built-in scene or any other");
  auto arguments = std::make_shared<NewArguments>();
  arguments->scene.scene = "stack";
  command->add_option("file", arguments->file, "The .json file to write; one that is there is never replaced")->required();
  command
      ->add_option("--from", arguments->scene.scene,
                   "A built-in scene (see stickslip scenes), a .json file, a robot, a trajectory or a checkpoint")
      ->capture_default_str();
  command
      ->add_option("--set", arguments->scene.set,
                   "Change it on the way: /json/pointer=value, such as /parameters/n=20; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->callback([arguments] { make_scene(*arguments); });
}

}   // namespace stickslip::cli
