#include "cli/length.h"

#include <fmt/format.h>

#include "cli/amounts.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

void add_length_arguments(CLI::App& command, LengthArguments& arguments) {
  CLI::Option* steps =
      command.add_option("--steps", arguments.steps, "Number of steps; of further steps for what goes on from a file");
  command
      .add_option("--seconds", arguments.seconds,
                  "Simulated time [s]; further time for what goes on from a file. Default: the scene's own duration")
      ->excludes(steps);
}

std::uint64_t steps_of(const LengthArguments& arguments, const Scene& scene, const std::string& name) {
  if (arguments.steps) return count_of_steps("--steps", *arguments.steps);
  if (arguments.seconds) return steps_for(checked_seconds("--seconds", *arguments.seconds), scene.step.h);
  const std::uint64_t steps = steps_for(scene.seconds - scene.world.time, scene.step.h);
  if (steps == 0)
    throw Error(fmt::format("The {:g} s of this scene are over (t = {:g} s). Say how far to go on with --seconds or --steps.",
                            scene.seconds, scene.world.time))
        .in(name);
  return steps;
}

}   // namespace stickslip::cli
