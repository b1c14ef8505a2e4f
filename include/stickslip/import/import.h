// Robots from elsewhere: URDF and MJCF files become scene documents, which the scene reader then reads like any other.
//
// Nothing is lost silently: every element and attribute of the file either has its place in the document or is named by a
// finding. docs/import.md says what is understood and how it maps.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// A servo that holds a joint where it starts.
struct HoldingServo {
  double stiffness = 0;   ///< [N/m or N m/rad], > 0
  double damping = 0;     ///< [N s/m or N m s/rad], ≥ 0
};

/// What becomes of shapes that are meshes.
enum class MeshImport {
  none,    ///< left out
  hull,    ///< their convex hull, as MuJoCo and most simulators of robots take them
  hulls,   ///< a cover of convex hulls, which the scene makes
  mesh,    ///< the triangles as they are
};

struct ImportOptions {
  bool strict = false;   ///< refuse a model of which anything is approximated or not supported
  /// Without it hulls are taken of meshes that can be read, and others are left out with a finding; with it a mesh that
  /// cannot be
  /// taken as asked for is an error.
  std::optional<MeshImport> meshes = {};
  /// Where the document will be: names of files in it, meshes and pictures, are relative to this. Without it the folder of the
  /// robot file.
  std::filesystem::path document_folder = {};
  bool merge_fixed = false;   ///< links that are rigidly connected become one body; without it a fixed joint holds them
  bool ground = false;        ///< add a floor at the height of the lowest point of the model
  /// URDF: whether the root link is held by the world. MJCF says it itself, by `<freejoint>`.
  bool fixed_base = true;
  /// URDF: hold every joint with limits where it starts, with no more than its effort. The format itself says nothing about
  /// control.
  std::optional<HoldingServo> hold = {};
  /// Where `package://name/…` is looked for, besides the folders around the file.
  std::vector<std::filesystem::path> package_directories = {};
};

struct ImportFinding {
  enum class Kind {
    not_supported,   ///< left out, and the motion is another one without it
    approximated,    ///< not exactly what the file asks for
    ignored,         ///< left out, and the motion is the same: looks, sensors, memory sizes, motors that nobody controls
  };
  Kind kind = Kind::not_supported;
  int line = 0;        ///< 0 if it concerns no line in particular
  std::string place;   ///< such as "line 12, joint 'elbow'"
  std::string what;    ///< a sentence
};
/// "not supported", "approximated", "ignored"
std::string_view import_kind_name(ImportFinding::Kind);

struct ImportedScene {
  std::string document;                  ///< JSON text, as docs/scenes.md describes it
  std::vector<ImportFinding> findings;   ///< by kind, then in the order of the file
};

/// @throws Error naming file, line, value and remedy: a file that cannot be read, is not XML or not a tree of bodies, holds
/// numbers that no body can have, a mesh that is missing though it is asked for; and, if `strict`, for the first finding
/// that changes the motion.
ImportedScene import_urdf(const std::filesystem::path&, const ImportOptions& = {});
ImportedScene import_mjcf(const std::filesystem::path&, const ImportOptions& = {});

/// Either of them, by the root element: `<robot>` or `<mujoco>`.
ImportedScene import_robot(const std::filesystem::path&, const ImportOptions& = {});

/// Whether a name looks like a robot file: it ends in .urdf or .xml.
bool names_robot(const std::filesystem::path&);

/// Findings as warnings of a scene, one for each thing found, with its places; `ignored` ones are one sentence together.
std::vector<std::string> import_warnings(const std::vector<ImportFinding>&);

}   // namespace stickslip
