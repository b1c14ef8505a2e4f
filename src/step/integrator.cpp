#include "stickslip/step/integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>

#include "stickslip/math/error.h"

namespace stickslip {

// Each in its own file.
std::unique_ptr<Integrator> make_impulse_integrator(const StepOptions&);
std::unique_ptr<Integrator> make_barrier_integrator(const StepOptions&);
std::unique_ptr<Integrator> make_penalty_integrator(const StepOptions&);

namespace {

struct IntegratorTable {
  std::mutex lock;
  std::deque<IntegratorInfo> entries = {
      {"impulse", "contacts and joints as one contact problem over impulses", make_impulse_integrator},
      {"barrier", "contact as a potential that nothing passes: never an intersection", make_barrier_integrator},
      {"penalty", "contacts as springs and dampers", make_penalty_integrator},
  };
};

IntegratorTable& integrator_table() {
  static IntegratorTable table;
  return table;
}

}   // namespace

std::vector<IntegratorInfo> integrators() {
  IntegratorTable& table = integrator_table();
  const std::lock_guard guard(table.lock);
  return {table.entries.begin(), table.entries.end()};
}

void add_integrator(IntegratorInfo info) {
  if (info.name.empty()) throw Error("An integrator needs a name.");
  if (!info.make) throw Error(fmt::format("Integrator '{}' cannot be made: its function `make` is missing.", info.name));
  IntegratorTable& table = integrator_table();
  const std::lock_guard guard(table.lock);
  for (const IntegratorInfo& known : table.entries)
    if (known.name == info.name) throw Error(fmt::format("There is an integrator '{}' already.", info.name));
  table.entries.push_back(std::move(info));
}

std::unique_ptr<Integrator> make_integrator(const StepOptions& options) {
  validate(options);
  const std::vector<IntegratorInfo> known = integrators();
  return std::find_if(known.begin(), known.end(), [&](const IntegratorInfo& i) { return i.name == options.integrator; })
      ->make(options);
}

}   // namespace stickslip
