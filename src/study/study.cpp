#include "stickslip/study/study.h"

#include <time.h>

#include <mutex>

#include "stickslip/math/error.h"

namespace stickslip::study {

namespace {

const std::vector<std::string> kSizeNames = {"quick", "standard", "full"};

/// Scenes may read fields from files by HDF5, which is not made for threads.
std::mutex& scene_lock() {
  static std::mutex lock;
  return lock;
}

}   // namespace

Size size_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kSizeNames.size(); ++i)
    if (kSizeNames[i] == name) return static_cast<Size>(i);
  throw Error(fmt::format("'{}' is not a size. {}", name, suggest(name, kSizeNames)));
}

std::string_view size_name(Size size) { return kSizeNames[static_cast<std::size_t>(size)]; }

Scene CaseRun::cancellable(Scene scene) const {
  scene.step.cancel = cancel_;
  return scene;
}

Scene CaseRun::load(const std::string& name_or_path, const std::vector<Override>& overrides) const {
  const std::scoped_lock lock(scene_lock());
  return cancellable(load_scene(name_or_path, overrides));
}

Scene CaseRun::parse(std::string_view json_text, const std::string& file, const std::vector<Override>& overrides) const {
  const std::scoped_lock lock(scene_lock());
  return cancellable(parse_scene(json_text, file, overrides));
}

ProblemFile CaseRun::load_problem(const std::string& file) const {
  const std::scoped_lock lock(scene_lock());
  return stickslip::load_problem(file);
}

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "does not hold";
    case Verdict::contradicts:
      return "contradicts the paper";
    case Verdict::open:
      break;
  }
  return "cannot be told here";
}

Finding judged(bool holds, std::string evidence) { return {holds ? Verdict::holds : Verdict::fails, std::move(evidence)}; }

}   // namespace stickslip::study
