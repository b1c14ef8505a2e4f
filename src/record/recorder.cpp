#include "stickslip/record/recorder.h"

#include <fmt/format.h>

#include <cmath>

#include "record/writers.h"
#include "stickslip/math/error.h"

namespace stickslip {

std::unique_ptr<Recorder> make_recorder(const std::filesystem::path& path, const RecordOptions& options) {
  if (!(options.frames_per_second >= 0) || !std::isfinite(options.frames_per_second))
    throw Error(fmt::format("{} frames per second cannot be recorded. Give a number greater than 0, or 0 for every step.",
                            options.frames_per_second));
  const std::string extension = path.extension().string();
  if (extension == ".h5" || extension == ".hdf5") return make_trajectory(path, options);
  if (extension == ".csv") return make_csv_telemetry(path);
  if (extension == ".glb") return make_gltf(path, options);
  if (extension == ".pvd") return make_vtk(path, options);
  if (extension == ".html") return make_replay(path, options);
  throw Error(
      fmt::format("The ending '{}' names no kind of record. Known are .h5 (trajectory), .csv (telemetry), .html (replay), "
                  ".glb (glTF animation) and .pvd (ParaView).",
                  extension))
      .in(path.string());
}

}   // namespace stickslip
