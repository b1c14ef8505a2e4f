// The commands of the program. Each adds itself to the parser; what it does happens after parsing, by CLI11's callbacks.
#pragma once

#include <CLI/CLI.hpp>

namespace stickslip::cli {

/// Exit codes that scripts rely on.
enum ExitCode { fine = 0, tolerance_missed = 1, bad_input = 2, internal_error = 3, interrupted = 130 };

/// Each callback leaves its exit code here.
struct Outcome {
  int exit_code = fine;
};

void add_run(CLI::App&, Outcome&);
void add_render(CLI::App&, Outcome&);
void add_compare(CLI::App&, Outcome&);
void add_view(CLI::App&, Outcome&);
void add_capture(CLI::App&, Outcome&);
void add_solve(CLI::App&, Outcome&);
void add_study(CLI::App&, Outcome&);
void add_sweep(CLI::App&, Outcome&);
void add_new(CLI::App&);
void add_scenes(CLI::App&);
void add_solvers(CLI::App&);
void add_laws(CLI::App&);
void add_import(CLI::App&);
void add_mesh(CLI::App&, Outcome&);
void add_validate(CLI::App&);
void add_schema(CLI::App&);

}   // namespace stickslip::cli
