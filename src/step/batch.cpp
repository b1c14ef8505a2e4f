#include "stickslip/step/batch.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

template <class T>
void require_distinct(std::span<const BatchEntry> entries, T* BatchEntry::*member, const char* what) {
  std::vector<const T*> all;
  for (const BatchEntry& e : entries) all.push_back(e.*member);
  std::ranges::sort(all);
  if (!all.empty() && all.front() == nullptr) throw Error(fmt::format("An entry of the batch has no {}.", what));
  if (std::ranges::adjacent_find(all) != all.end())
    throw Error(fmt::format("The same {} stands twice in the batch. Every entry needs one of its own.", what));
}

}   // namespace

void step_all(std::span<const BatchEntry> entries, int steps, int threads,
              const std::function<void(std::size_t, const StepReport&)>& after) {
  if (steps < 0) throw Error(fmt::format("{} steps cannot be taken. Give 0 or more.", steps));
  if (threads < 0) throw Error(fmt::format("{} is not a number of threads. Give 1 or more, or 0 for all.", threads));
  require_distinct(entries, &BatchEntry::world, "world");
  require_distinct(entries, &BatchEntry::stepper, "stepper");
  std::vector<std::exception_ptr> failures(entries.size());
  const auto advance = [&](std::size_t i) {
    try {
      for (int k = 0; k < steps; ++k) {
        end_if_cancelled(entries[i].stepper->options().cancel);   // however small the worlds are
        const StepReport& report = entries[i].stepper->step(*entries[i].world);
        if (after) after(i, report);
      }
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  if (threads == 1 || entries.size() < 2) {
    for (std::size_t i = 0; i < entries.size(); ++i) advance(i);
  } else {
    tbb::task_arena arena(threads == 0 ? tbb::task_arena::automatic : threads);
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, entries.size(), advance); });
  }
  bool cancelled = false;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!failures[i]) continue;
    try {
      std::rethrow_exception(failures[i]);
    } catch (const Error& error) {
      throw Error(fmt::format("World {} of the batch: {}", i, error.what()));
    } catch (const StepCancelled&) {
      cancelled = true;
    }
  }
  if (cancelled) throw StepCancelled();
}

}   // namespace stickslip
