// Imported models for the tests: the world they become, and what MuJoCo makes of the same file.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "places.h"
#include "stickslip/import/import.h"
#include "stickslip/math/error.h"
#include "stickslip/scene/scene.h"

namespace stickslip::test {

inline std::filesystem::path model(const std::string& name) {
  return std::filesystem::path(places::kSourceDir) / "tests/import/models" / name;
}
inline std::filesystem::path example(const std::string& name) {
  return std::filesystem::path(places::kSourceDir) / "scenes/robots" / name;
}
/// A model that comes with MuJoCo.
inline std::filesystem::path sample(const std::string& name) { return std::filesystem::path(STICKSLIP_MUJOCO_MODELS) / name; }

inline Scene scene_of(const ImportedScene& imported) { return parse_scene(imported.document, "imported"); }

/// Whether a finding of that kind says all of this.
inline bool found(const ImportedScene& imported, ImportFinding::Kind kind, std::string_view place, std::string_view what) {
  return std::any_of(imported.findings.begin(), imported.findings.end(), [&](const ImportFinding& f) {
    return f.kind == kind && f.place.find(place) != f.place.npos && f.what.find(what) != f.what.npos;
  });
}

/// A directory of its own with one file in it, gone at the end.
class OneFile {
 public:
  OneFile(const std::string& name, const std::string& content) {
    std::string made = std::filesystem::temp_directory_path() / "stickslip-XXXXXX";
    directory_ = ::mkdtemp(made.data());
    path_ = directory_ / name;
    std::ofstream(path_) << content;
  }
  ~OneFile() { std::filesystem::remove_all(directory_); }
  OneFile(const OneFile&) = delete;
  OneFile& operator=(const OneFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path directory_, path_;
};

inline ImportedScene import_text(const std::string& ending, const std::string& content, const ImportOptions& options = {}) {
  const OneFile file("model." + ending, content);
  return import_robot(file.path(), options);
}

/// The message with which an import fails; empty if it does not.
inline std::string refusal(const std::string& ending, const std::string& content, const ImportOptions& options = {}) {
  try {
    import_text(ending, content, options);
    return {};
  } catch (const Error& e) {
    return e.what();
  }
}

/// MuJoCo's own reading of a file.
struct Mujoco {
  explicit Mujoco(const std::filesystem::path& file) {
    char error[1000] = "";
    model = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
    if (!model) throw Error(error).in(file.string());
    data = mj_makeData(model);
    mj_forward(model, data);
  }
  ~Mujoco() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;

  std::string body_name(int i) const { return model->names + model->name_bodyadr[i]; }
  std::string joint_name(int i) const { return model->names + model->name_jntadr[i]; }
  Pose body_pose(int i) const {
    const mjtNum* q = data->xquat + 4 * i;
    return {Vec3(data->xpos + 3 * i), Quat(q[0], q[1], q[2], q[3]).normalized()};
  }
  /// In the frame of the body.
  MassProperties body_mass(int i) const {
    const mjtNum* q = model->body_iquat + 4 * i;
    const Mat3 axes = Quat(q[0], q[1], q[2], q[3]).toRotationMatrix();
    return {model->body_mass[i], Vec3(model->body_ipos + 3 * i),
            axes * Vec3(model->body_inertia + 3 * i).asDiagonal() * axes.transpose()};
  }

  mjModel* model = nullptr;
  mjData* data = nullptr;
};

inline void expect_pose(const Pose& a, const Pose& b, const std::string& what, double tolerance = 1e-12) {
  EXPECT_LT((a.position - b.position).norm(), tolerance)
      << what << ": " << a.position.transpose() << " instead of " << b.position.transpose();
  EXPECT_LT(a.orientation.angularDistance(b.orientation), tolerance + 1e-7) << what;
  EXPECT_LT((a.rotation() - b.rotation()).norm(), std::max(tolerance, 1e-12)) << what;
}

}   // namespace stickslip::test
