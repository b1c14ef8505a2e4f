// stickslip validate
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/open_scene.h"
#include "cli/output.h"
#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"

namespace stickslip::cli {

namespace {

struct ValidateArguments {
  SceneArguments scene;
  bool json = false;
};

void check_scene(const ValidateArguments& arguments) {
  const Scene scene = open_scene(arguments.scene);
  check_colliders(scene.world);
  const Stepper stepper(scene.step);
  const std::size_t bodies = scene.world.body_count();
  if (arguments.json) {
    const nlohmann::ordered_json result = {{"valid", true},
                                           {"scene", scene.name},
                                           {"bodies", bodies},
                                           {"solver", scene.step.solver},
                                           {"warnings", scene.warnings}};
    fmt::print("{}\n", result.dump(2));
    return;
  }
  show_warnings(scene);
  fmt::print("{}: valid, {}, {:g} s in steps of {}, {}\n", scene.name, counted(bodies, "body", "bodies"), scene.seconds,
             quantity(scene.step.h, "s"), scene.step.solver);
}

}   // namespace

void add_validate(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "validate", "Check a scene without simulating it: exit code 2 and a message that names file, place, value and remedy");
  auto arguments = std::make_shared<ValidateArguments>();
  add_scene_arguments(*command, arguments->scene);
  command->add_flag("--json", arguments->json, "Print one JSON document, also about a scene that is refused");
  command->callback([arguments] {
    try {
      check_scene(*arguments);
    } catch (const Error& error) {
      if (arguments->json) {
        const nlohmann::ordered_json result = {{"valid", false}, {"scene", arguments->scene.scene}, {"error", error.what()}};
        fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
      }
      throw;
    }
  });
}

}   // namespace stickslip::cli
