// The writers behind `make_recorder`.
#pragma once

#include "stickslip/record/recorder.h"

namespace stickslip {

std::unique_ptr<Recorder> make_csv_telemetry(const std::filesystem::path&);
std::unique_ptr<Recorder> make_replay(const std::filesystem::path&, const RecordOptions&);
std::unique_ptr<Recorder> make_gltf(const std::filesystem::path&, const RecordOptions&);
std::unique_ptr<Recorder> make_trajectory(const std::filesystem::path&, const RecordOptions&);
std::unique_ptr<Recorder> make_vtk(const std::filesystem::path&, const RecordOptions&);

}   // namespace stickslip
