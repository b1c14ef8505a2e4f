// stickslip schema
#include "cli/commands.h"
#include "cli/output.h"

namespace stickslip::cli {

void add_schema(CLI::App& app) {
  app.add_subcommand("schema", "Print the JSON Schema of scene files")->callback([] { fmt::print("{}\n", scene_schema()); });
}

}   // namespace stickslip::cli
